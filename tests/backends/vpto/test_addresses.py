"""Programs at addresses, with strides and of shapes for which the compiler has no instructions, run on the model."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, LowerResult, lower
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files

BITS = {"f32": 32, "i32": 32, "si32": 32, "f16": 16, "i16": 16, "ui8": 8, "i8": 8, "f8E4M3FN": 8}


def vreg(lanes: int, element: str) -> str:
    return f"!pto.vmi.vreg<{lanes}x{element}>"


def ptr(element: str) -> str:
    return f"!pto.ptr<{element}, ub>"


def program(element: str, *lines: str) -> str:
    numbers = "\n".join(f"  %c{number} = arith.constant {number} : index" for number in (0, 1, 3, 5, 24, 40, 128, 512))
    body = "\n".join(f"  {line}" for line in lines)
    arguments = f"%p: {ptr(element)}, %q: {ptr(element)}, %s: index, %n: index, %b: {element.lstrip('su')}"
    return f"func.func @f({arguments}) {{\n{numbers}\n{body}\n  return\n}}\n"


def copied(element: str, lanes: int, at: str = "%c1", to: str = "%c3", masked: bool = False) -> str:
    v, m = vreg(lanes, element), f"!pto.vmi.mask<{lanes}xpred>"
    last = f"pto.vmi.vstore %v, %q[{to}] : {v}, {ptr(element)}"
    if masked:
        last = f"pto.vmi.vstore %v, %q[{to}], %m : {v}, {ptr(element)}, {m}"
    return program(
        element, f"%v = pto.vmi.vload %p[{at}] : {ptr(element)} -> {v}", f"%m = pto.vmi.create_mask %n : index -> {m}",
        last,
    )  # fmt: skip


def rows(element: str, lanes: int, groups: int, stride: str, to: str) -> str:
    v = vreg(lanes, element)
    return program(
        element,
        f"%v = pto.vmi.vload %p[%c0], {stride} {{group = {groups}}} : {ptr(element)} -> {v}",
        f"pto.vmi.vstore %v, %q[%c0], {to} {{group = {groups}}} : {v}, {ptr(element)}",
    )


def slots(element: str, groups: int, stride: str, to: str, offset: str = "%c0") -> str:
    v = vreg(groups, element)
    return program(
        element,
        f"%v = pto.vmi.vload %p[{offset}], {stride} {{group = {groups}}} : {ptr(element)} -> {v}",
        f"%w = pto.vmi.vmax %v, %v : {v}, {v} -> {v}",
        f"pto.vmi.vstore %w, %q[{offset}], {to} {{group = {groups}}} : {v}, {ptr(element)}",
    )


def joined(element: str, groups: int) -> str:
    """Slots that are apart meet others that a reduction leaves eight to a register."""
    lanes = groups * 256 // BITS[element]
    v, r, m = vreg(lanes, element), vreg(groups, element), f"!pto.vmi.mask<{lanes}xpred>"
    return program(
        element, f"%v = pto.vmi.vload %p[%c0] : {ptr(element)} -> {v}",
        f'%m = pto.vmi.pset "PAT_ALL" : {m}', f"%a = pto.vmi.vcmax %v, %m {{group = {groups}}} : {v}, {m} -> {r}",
        f"%x = pto.vmi.vload %p[%c1], %c5 {{group = {groups}}} : {ptr(element)} -> {r}",
        f"%y = pto.vmi.vmax %a, %x : {r}, {r} -> {r}",
        f"pto.vmi.vstore %y, %q[%c1], %c3 {{group = {groups}}} : {r}, {ptr(element)}",
    )  # fmt: skip


def spread(element: str, lanes: int, groups: int, stride: str, offset: str = "%c0") -> str:
    v = vreg(lanes, element)
    return program(
        element,
        f'%v = pto.vmi.vload %p[{offset}], {stride} {{dist_mode = "brc", group = {groups}}} : {ptr(element)} -> {v}',
        f"pto.vmi.vstore %v, %q[%c0] : {v}, {ptr(element)}",
    )


def pairs(element: str, lanes: int, at: str, masked: bool) -> str:
    v, m = vreg(lanes, element), f"!pto.vmi.mask<{lanes}xpred>"
    mask, type_ = (", %m", f", {m}") if masked else ("", "")
    return program(
        element,
        f'%a, %z = pto.vmi.vload %p[{at}] {{dist_mode = "dintlv"}} : {ptr(element)} -> {v}, {v}',
        f"%m = pto.vmi.create_mask %n : index -> {m}",
        f'pto.vmi.vstore %z, %a, %q[{at}]{mask} {{dist_mode = "dintlv"}} : {v}, {v}, {ptr(element)}{type_}',
    )


def shuffled(element: str, lanes: int, indices: list[int]) -> str:
    v, r = vreg(lanes, element), vreg(len(indices), element)
    return program(
        element, f"%v = pto.vmi.vload %p[%c0] : {ptr(element)} -> {v}",
        f"%r = pto.vmi.shuffle %v[{indices}] : {v} -> {r}", f"pto.vmi.vstore %r, %q[%c0] : {r}, {ptr(element)}",
    )  # fmt: skip


def counted(element: str, lanes: int, groups: int, order: str) -> str:
    v = vreg(lanes, element)
    ramp = f'%v = pto.vmi.vci %b {{group = {groups}, order = "{order}"}} : {element.lstrip("su")} -> {v}'
    return program(element, ramp, f"pto.vmi.vstore %v, %q[%c0] : {v}, {ptr(element)}")


def reduced(element: str, groups: int, size: int, op: str) -> str:
    v, r, m = vreg(groups * size, element), vreg(groups, element), f"!pto.vmi.mask<{groups * size}xpred>"
    reassoc = ", reassoc" if op == "vcadd" and element[0] == "f" else ""
    return program(
        element, f"%v = pto.vmi.vload %p[%c0] : {ptr(element)} -> {v}",
        f"%m = pto.vmi.create_mask %n : index -> {m}",
        f"%r = pto.vmi.{op} %v, %m {{group = {groups}{reassoc}}} : {v}, {m} -> {r}",
        f"%w = pto.vmi.vbrc %r {{group = {groups}}} : {r} -> {v}",
        f"pto.vmi.vstore %w, %q[%c0] : {v}, {ptr(element)}",
    )  # fmt: skip


PROGRAMS: dict[str, tuple[str, str]] = {
    **{f"copy {element} {lanes}": (copied(element, lanes), "vldus vstus")
       for element, lanes in (("f32", 64), ("f32", 200), ("f16", 128), ("i8", 256), ("i8", 100))},
    **{f"masked copy {element} {lanes}": (copied(element, lanes, masked=True), "vldus vscatter")
       for element, lanes in (("f32", 200), ("f16", 100), ("i8", 200))},
    "copy of pairs": (pairs("f32", 64, "%c3", False), "vldus vstus"),
    "masked pairs": (pairs("f32", 64, "%c0", True), "vintlv pintlv_b32 vldsx2"),
    "masked pairs of half a register": (pairs("f16", 48, "%c0", True), "vintlv pintlv_b16 vdintlv"),
    "masked pairs of some registers": (pairs("i8", 600, "%c0", True), "vintlv pintlv_b8"),
    "rows of half a register": (rows("f32", 64, 2, "%c40", "%c128"), "vlds vsel pxor"),
    "rows of bytes": (rows("i8", 256, 8, "%c40", "%c40"), "vgather2 vscatter"),
    "many short rows": (rows("f32", 128, 32, "%c24", "%c5"), "vgather2_bc vscatter"),
    "many short rows of half words": (rows("f16", 128, 32, "%c24", "%c5"), "vgather2 vscatter"),
    "many short rows of bytes": (rows("ui8", 256, 64, "%c24", "%c5"), "vgather2 vscatter"),
    "rows at any stride": (rows("f16", 256, 8, "%s", "%s"), "vldus vselr vsel vstus"),
    "rows of registers": (rows("f32", 256, 2, "%c512", "%c512"), "vlds vsts"),
    "rows of registers apart": (rows("f32", 128, 2, "%s", "%s"), "vlds vsts"),
    "slots at any stride": (slots("f32", 4, "%s", "%s"), "vlds vsts"),
    "slots by fives": (slots("f32", 16, "%c5", "%c3"), "vlds vsts"),
    **{f"slots that are apart {element}": (joined(element, 16), "vscatter vgather2")
       for element in ("f32", "f16", "ui8")},
    "slots in a row": (slots("f16", 32, "%c1", "%c1", "%c3"), "vldus vstus"),
    "scales at a stride": (spread("f32", 128, 32, "%c3"), "vgather2_bc"),
    "scales of half words": (spread("f16", 512, 64, "%c3"), "vgather2"),
    "scales of bytes": (spread("ui8", 256, 32, "%c3"), "vgather2"),
    "scales at an odd place": (spread("f16", 256, 8, "%c1", "%c3"), "vldus vselr"),
    **{f"shuffle {name}": (shuffled(element, lanes, indices), "vselr") for name, element, lanes, indices in (
        ("by turns", "f32", 64, [at % 2 * 32 + at // 2 for at in range(64)]),
        ("turned round", "f16", 128, [(at + 5) % 128 for at in range(128)]),
        ("back and forth", "i8", 256, [at ^ 3 for at in range(256)]),
        ("two registers", "f32", 128, [at * 3 % 128 for at in range(16)]),
        ("a step of three", "i32", 256, [at * 3 for at in range(80)]),
        ("bytes by threes", "ui8", 64, [at * 3 % 64 for at in range(20)]),
        ("repeated", "i16", 64, [at // 4 for at in range(128)]))},
    **{f"ramp {element} {lanes} {groups} {order}": (counted(element, lanes, groups, order), text)
       for element, lanes, groups, text in (("i32", 64, 4, "vand"), ("i8", 512, 16, "vand"), ("i16", 96, 3, "vand"),
                                            ("f32", 64, 8, "vcvt"), ("f16", 256, 8, "vcvt"), ("i32", 256, 2, "vci"),
                                            ("i8", 256, 256, "vdup"))
       for order in ("ASC", "DESC")},
    **{f"{op} {element} {size}": (reduced(element, 8, size, op), "vdintlv vselr")
       for op in ("vcadd", "vcmax", "vcmin") for element in ("f32", "si32") for size in (2, 4)},
}  # fmt: skip
"""Programs, and instructions that are among those that are written for them."""


def lowered(text: str) -> LowerResult:
    return lower(SourceFile("f.pto", text), LowerOptions("vpto"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_does_what_the_program_says(name: str) -> None:
    text, instructions = PROGRAMS[name]
    result = lowered(text)
    assert result.text is not None, [item.message for item in result.diagnostics]
    for instruction in instructions.split():
        assert f"pto.{instruction}" in result.text, (instruction, result.text)
    said, found = verify_files(SourceFile("f.pto", text), SourceFile("f.vpto", result.text), 4, 1)
    assert said == []
    assert found is not None
    assert found.ok, [(item.message, item.notes) for item in found.diagnostics]


def test_an_aligned_access_is_no_stream() -> None:
    result = lowered(copied("f32", 200, "%c24", "%c40"))
    assert result.text is not None
    assert "vldus" not in result.text
    assert "vstus" not in result.text


def test_a_stream_without_its_last_bytes_is_found() -> None:
    text = copied("f32", 64)
    result = lowered(text)
    assert result.text is not None
    lines = [line for line in result.text.split("\n") if "pto.vstas" not in line]
    _, found = verify_files(SourceFile("f.pto", text), SourceFile("f.vpto", "\n".join(lines)), 1, 1)
    assert found is not None
    assert not found.ok
