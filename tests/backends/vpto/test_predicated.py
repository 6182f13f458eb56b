"""Arithmetic under masks, and stores of part of a register: what a mask leaves out is zero, or is left alone."""

from __future__ import annotations

import pytest

from tests.pose.vmi.kernels import kernel, pointer, posed, vreg
from tests.support.fuzz_vmi import prove
from tests.support.vmi_forced import forced

M = "!pto.vmi.mask<64xpred>"
UNARY = ("vneg", "vabs", "vsqrt", "vexp", "vln", "vrelu")


def under_a_mask(text: str, element: str, *behind: str) -> str:
    """A kernel with two vectors, the mask of 40 elements, an operation that makes `%x`, and more lines."""
    v, p = vreg(64, element), pointer(element)
    stored = (f"pto.vmi.vstore %x, %r[%c0] : {v}, {p}",)
    return kernel(
        f"%p: {p}, %q: {p}, %r: {p}", "%c0 = arith.constant 0 : index", "%c40 = arith.constant 40 : index",
        f"%a = pto.vmi.vload %p[%c0] : {p} -> {v}", f"%b = pto.vmi.vload %q[%c0] : {p} -> {v}",
        f"%m = pto.vmi.create_mask %c40 : index -> {M}", "%s = arith.constant 5.0e-01 : f32", text, *(behind or stored),
    )  # fmt: skip


def binary(op: str, element: str, mode: str = "") -> str:
    v = vreg(64, element)
    return under_a_mask(f"%x = pto.vmi.{op} %a, %b, %m{mode} : {v}, {v}, {M} -> {v}", element)


def unary(op: str, element: str, mode: str = "") -> str:
    v = vreg(64, element)
    return under_a_mask(f"%x = pto.vmi.{op} %a, %m{mode} : {v}, {M} -> {v}", element)


ZERO = ' {pmode = "zero"}'
F = vreg(64, "f32")
FUSED = {
    "vmula": f"%x = pto.vmi.vmula %a, %b, %b, %m : {F}, {F}, {F}, {M} -> {F}",
    "vprelu": f"%x = pto.vmi.vprelu %a, %b, %m : {F}, {F}, {M} -> {F}",
    "vaxpy": f'%x = "pto.vmi.vaxpy"(%a, %b, %s, %m) : ({F}, {F}, f32, {M}) -> {F}',
    "vlrelu": f'%x = "pto.vmi.vlrelu"(%a, %s, %m) : ({F}, f32, {M}) -> {F}',
}
CASES = {
    **{f"{op} f32": binary(op, "f32") for op in ("vadd", "vsub", "vmul", "vdiv", "vmin", "vmax")},
    **{f"{op} zero si16": binary(op, "si16", ZERO) for op in ("vadd", "vmin", "vand", "vor", "vxor", "vshl", "vshr")},
    **{f"{op} i32": binary(op, "i32") for op in ("vmax", "vshr")},
    **{f"{op} f16": unary(op, "f16") for op in UNARY},
    "vnot ui8": unary("vnot", "ui8"), "vabs bf16": unary("vabs", "bf16"),
    **{name: under_a_mask(text, "f32") for name, text in FUSED.items()},
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_a_mask_leaves_out_is_zero(name: str) -> None:
    outcome = prove(CASES[name], rounds=1)
    assert outcome.verdict == "ok", outcome.said


def instructions(text: str) -> list[str]:
    """The vector instructions of a kernel's lowering."""
    words = (word for line in prove(text).lowered.split("\n") for word in line.split() if word.startswith("pto.v"))
    return [word for word in words if word not in ("pto.vecscope", "pto.vlds", "pto.vsts")]


def test_zeros_take_no_instruction_of_their_own() -> None:
    assert instructions(unary("vexp", "f32", ZERO)) == ["pto.vexp"]


STORED = f"pto.vmi.vstore %x, %r[%c0], %m : {F}, {pointer('f32')}, {M}"
SUM = f"%x = pto.vmi.vadd %a, %b, %m : {F}, {F}, {M} -> {F}"

FEWER = f'%fewer = pto.vmi.pge "PAT_VL8" : {M}'
MORE = f'%more = pto.vmi.pge "PAT_VL50" : {M}'


def governing(text: str) -> list[str]:
    """The layouts that sums ask for, masks among them."""
    problem = posed(text).problem
    return [name for op in problem.ops if op.id.startswith("addf") for name in op.variants[0].layouts]


@pytest.mark.parametrize(
    ("behind", "kept"),
    [
        ((STORED,), False),
        ((FEWER, STORED.replace("%m", "%fewer")), False),
        ((MORE, STORED.replace("%m", "%more")), True),
        ((f"%y = pto.vmi.vneg %x : {F} -> {F}", STORED.replace("%x", "%y")), False),
        ((f"%y, %z = pto.vmi.vintlv %x, %x, %m : {F}, {F}, {M} -> {F}, {F}", STORED.replace("%x", "%y")), True),
        ((STORED, f"pto.vmi.vstore %x, %q[%c0] : {F}, {pointer('f32')}"), True),
        ((f"%y = pto.vmi.vcmax %x, %m : {F}, {M} -> {vreg(1, 'f32')}",
          f"pto.vmi.vstore %y, %r[%c0] : {vreg(1, 'f32')}, {pointer('f32')}"), False),
    ],
)  # fmt: skip
def test_a_mask_is_kept_only_where_what_it_leaves_out_is_seen(behind: tuple[str, ...], kept: bool) -> None:
    text = under_a_mask(SUM, "f32", *behind)
    assert any("b32" in name for name in governing(text)) is kept
    assert prove(text, rounds=1).verdict == "ok"


# -- part of a register -------------------------------------------------------------------------------------------


def blocks(element: str, lanes: int, stride: str, count: str = "%c1000") -> str:
    v, p, m = vreg(lanes, element), pointer(element), f"!pto.vmi.mask<{lanes}xpred>"
    return kernel(
        f"%p: {p}, %r: {p}, %k: i16", "%c0 = arith.constant 0 : index", "%c1000 = arith.constant 1000 : index",
        "%c10 = arith.constant 10 : index", "%one = arith.constant 1 : i16", "%three = arith.constant 3 : i16",
        f"%m = pto.vmi.create_mask {count} : index -> {m}", f"%n = pto.vmi.vnot %m : {m} -> {m}",
        f"%all = pto.vmi.vor %m, %n : {m}, {m} -> {m}", f"%a = pto.vmi.vload %p[%c0] : {p} -> {v}",
        f"pto.vmi.vstore %a, %r[%c0], {stride}, %one, %all : {v}, {p}, {m}",
    )  # fmt: skip


@pytest.mark.parametrize(("element", "lanes"), [("f32", 32), ("f16", 40), ("ui8", 100), ("f32", 64)])
@pytest.mark.parametrize("stride", ["%one", "%three"])
def test_blocks_of_part_of_a_register_are_stored_alone(element: str, lanes: int, stride: str) -> None:
    outcome = prove(blocks(element, lanes, stride, "%c10"))
    assert outcome.verdict == "ok", outcome.said


@pytest.mark.parametrize("lanes", [8, 32, 64])
def test_blocks_are_stored_at_strides_that_are_no_constants(lanes: int) -> None:
    outcome = prove(blocks("f32", lanes, "%k"))
    assert outcome.verdict == "ok", outcome.said


@pytest.mark.parametrize(("element", "index"), [("f32", "i32"), ("ui16", "i16")])
def test_elements_behind_a_vector_are_neither_gathered_nor_scattered(element: str, index: str) -> None:
    lanes = 24
    v, p, i, m = vreg(lanes, element), pointer(element), vreg(lanes, index), f"!pto.vmi.mask<{lanes}xpred>"
    text = kernel(
        f"%p: {p}, %r: {p}", f"%zero = arith.constant 0 : {index}", "%c8 = arith.constant 8 : index",
        f"%m = pto.vmi.create_mask %c8 : index -> {m}", f"%n = pto.vmi.vnot %m : {m} -> {m}",
        f"%at = pto.vmi.vci %zero : {index} -> {i}",
        f"%x = pto.vmi.vgather %p, %at, %n : {p}, {i}, {m} -> {v}",
        f"pto.vmi.vscatter %x, %r, %at, %n : {v}, {p}, {i}, {m}",
    )  # fmt: skip
    outcome = prove(text)
    assert outcome.verdict == "ok", outcome.said


# -- masks of groups ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lanes", "groups", "uneven"),
    [(48, 1, False), (48, 8, True), (64, 8, False), (192, 3, False), (150, 2, True), (140, 20, True), (96, 2, True)],
)
def test_groups_are_counted_at_run_time_whether_they_begin_in_equal_turns_or_not(
    lanes: int, groups: int, uneven: bool
) -> None:
    v, p, m = vreg(lanes, "f32"), pointer("f32"), f"!pto.vmi.mask<{lanes}xpred>"
    text = kernel(
        f"%p: {p}, %r: {p}, %n: index", "%c0 = arith.constant 0 : index", f"%a = pto.vmi.vload %p[%c0] : {p} -> {v}",
        f"%m = pto.vmi.create_group_mask %n {{num_groups = {groups}, group_size = {lanes // groups}}} : index -> {m}",
        f"pto.vmi.vstore %a, %r[%c0], %m : {v}, {p}, {m}",
    )  # fmt: skip
    outcome = prove(text, rounds=4)
    assert outcome.verdict == "ok", outcome.said
    assert ("pto.pxor" in outcome.lowered) == uneven
    one = forced(text, "create_group_mask", "VMI.FREE.MASK.UNEVEN.C") if uneven else None
    assert one is None or (one.said, one.miscounted) == ((), ())
