"""Programs of `ave.hir` against what they are lowered to: what agrees, what does not, what is named."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, SolveOptions, lower
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile
from layoutsolver.verify.run import verify
from tests.verify.intrin.programs import UB, call, intrinsics, plain

CHIP = SolveOptions(chip="ascend950")
MASK = "vector<256xi1>"
WIDEN = plain(
    "%m = ave.hir.pge <VL64> : vector<64xi1>",
    f"%x = ave.hir.vload <NORM> %src[%c0] : memref<256xi8, {UB}> into vector<64xi8>",
    "%y = ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>",
    f"ave.hir.masked_store <NORM_B32> %dst[%c0], %m, %y : memref<256xi32, {UB}>, vector<64xi1>, vector<64xi32>",
)


def widened(dist: int = 20, part: int = 0, pattern: int = 8, granule: str = "b32", sign: str = "s") -> str:
    """The intrinsics of WIDEN, right by default."""
    return intrinsics(
        call("%m", f"pge.{granule}", f"%c{pattern}, %c0", f"(i32, i32) -> {MASK}")
        + call("%x", "vldsx1.v256s8", f"%from, %c0, %c{dist}, %c0", "(!llvm.ptr<6>, i32, i32, i32) -> vector<256xi8>")
        + call("%y", f"vcvtii.{sign}82{sign}32.x", f"%x, %m, %c{part}",
               f"(vector<256xi8>, {MASK}, i32) -> vector<64xi32>")
        + call("", "vstsx1.v64s32", "%y, %to, %c0, %c2, %c0, %m",
               f"(vector<64xi32>, !llvm.ptr<6>, i32, i32, i32, {MASK}) -> ()")
    )  # fmt: skip


def compared(first: str, second: str) -> list[Diagnostic]:
    """The errors of comparing two texts."""
    result = verify(SourceFile("a.mlir", first), CHIP, other=SourceFile("b.mlir", second))
    assert result.ok == (not any(item.severity == "error" for item in result.diagnostics))
    return [item for item in result.diagnostics if item.severity == "error"]


@pytest.mark.parametrize("dialect", ["1.2.0", "master"])
def test_what_we_lower_agrees_with_what_it_was_made_of(dialect: str) -> None:
    lowered = lower(SourceFile("a.mlir", WIDEN), LowerOptions(dialect=dialect, solving=CHIP))
    assert lowered.text is not None
    assert not compared(WIDEN, lowered.text)


def test_intrinsics_by_hand_agree_in_either_order_and_with_themselves() -> None:
    assert not compared(WIDEN, widened())
    assert not compared(widened(), WIDEN)
    assert not compared(widened(), widened())


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(widened(dist=13), id="spread over twice the room only"),
        pytest.param(widened(dist=0), id="not spread"),
        pytest.param(widened(part=1), id="another part"),
        pytest.param(widened(pattern=7), id="a mask of half the lanes"),
        pytest.param(widened(granule="b16"), id="a mask of narrower granules"),
        pytest.param(widened(sign="u"), id="zeros for signs"),
    ],
)
def test_one_wrong_operand_is_seen(wrong: str) -> None:
    found = compared(WIDEN, wrong)
    assert [item.code for item in found] == ["LS0701"]
    assert "in `b.mlir` than in `a.mlir`" in found[0].message
    assert found[0].notes[0].startswith("element ")


def test_the_place_of_the_wrong_store_is_marked_in_both_files() -> None:
    found = compared(WIDEN, widened(dist=0))[0]
    assert found.primary is not None
    assert found.primary.source.name == "a.mlir"
    assert [label.source.name for label in found.secondary][:1] == ["b.mlir"]


def located(text: str) -> str:
    """Lowered WIDEN with the location that each intrinsic has in it."""
    lines = WIDEN.splitlines()
    places = {}
    for name in ("pge", "vload", "vextsi", "masked_store"):
        number = next(at for at, line in enumerate(lines) if f"ave.hir.{name}" in line)
        places[name] = f'loc("a.mlir":{number + 1}:{lines[number].index("ave.hir") + 1})'
    made = {"pge.": "pge", "vldsx1": "vload", "vcvtii": "vextsi", "vstsx1": "masked_store"}
    out = []
    for line in text.splitlines():
        source = next((name for start, name in made.items() if f"intr.hivm.{start}" in line), None)
        out.append(line if source is None else f"{line} {places[source]}")
    return "\n".join(out) + "\n"


@pytest.mark.parametrize(
    ("wrong", "marked"),
    [
        (widened(sign="u"), "ave.hir.vextsi"),
        (widened(part=1), "ave.hir.vextsi"),
        (widened(dist=0), "ave.hir.vextsi"),
        (widened(pattern=7), "ave.hir.pge"),
    ],
    ids=["zeros for signs", "another part", "not spread, which may be meant", "a mask of half the lanes"],
)
def test_the_first_wrong_operation_is_marked_where_the_text_has_locations(wrong: str, marked: str) -> None:
    [found] = compared(WIDEN, located(wrong))
    [mark] = [label for label in found.secondary if "is wrong from here on" in label.text]
    assert mark.source.name == "a.mlir"
    assert mark.source.slice(mark.span) == marked


def test_without_locations_no_operation_is_marked() -> None:
    [found] = compared(WIDEN, widened(sign="u"))
    assert not [label for label in found.secondary if "is wrong from here on" in label.text]


@pytest.mark.parametrize(
    ("name", "operands", "types", "said"),
    [
        ("vnew.x", "%c0", f"(i32) -> {MASK}", "there is no intrinsic `vnew.x`"),
        ("pge.b64", "%c0, %c0", f"(i32, i32) -> {MASK}", "there is no intrinsic `pge.b64`"),
        ("pge.b32", "%c14, %c0", f"(i32, i32) -> {MASK}", "has the unknown pattern 14"),
        ("pge.b32", "%c0", f"(i32) -> {MASK}", "takes 2 operands, not 1"),
        ("pge.b32", "%c0, %c1", f"(i32, i32) -> {MASK}", "is only known with 0 for its operand 1"),
        ("vldsx1.v256s8", "%from, %c0, %c4, %c0", "(!llvm.ptr<6>, i32, i32, i32) -> vector<256xi8>",
         "has the distribution 4, which is not known"),
        ("vcvtii.s82s64.x", "%c0, %c0, %c0", "(i32, i32, i32) -> vector<64xi64>",
         "there is no intrinsic `vcvtii.s82s64.x`"),
        ("vexpdif", "%c0, %c0, %c0, %c0", "(i32, i32, i32, i32) -> vector<128xf16>",
         "makes f32, but its result is typed f16"),
        ("mem.bar.odd", "", "() -> ()", "there is no intrinsic `mem.bar.odd`"),
        ("vci", "%c0, %c0", "(i32, i32) -> ()", "has no result"),
        ("vci", "%c0, %c0", "(i32, i32) -> i32", "takes a data register, not `i32`"),
        ("unaryop.unsupported", "%c0", f"(i32) -> {MASK}", "that the compiler has no intrinsic for"),
        ("vabs.x", "%c0, %c0", "(i32, i32) -> vector<64xi32>", "has no data register for its operand 0"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_named_with_its_line(name: str, operands: str, types: str, said: str) -> None:
    result = "" if types.endswith("()") else "%new"
    found = compared(WIDEN, intrinsics(call(result, name, operands, types)))
    assert [item.code for item in found] == ["LS0703"]
    assert said in found[0].message
    assert found[0].primary is not None
    assert "intr.hivm." in found[0].primary.source.slice(found[0].primary.span)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (WIDEN.replace("@f", "@g"), "has no such function"),
        (WIDEN.replace("256xi8", "128xi8"), "its argument 0 is `memref<128xi8"),
        (WIDEN.replace("func @f(", "func @f(%more: i32, "), "it takes 3 arguments here, 2 in `a.mlir`"),
    ],
)
def test_functions_that_do_not_belong_together_are_named(other: str, said: str) -> None:
    found = compared(WIDEN, other)
    assert {item.code for item in found} == {"LS0704"}
    assert said in found[0].message


def test_an_unaligned_store_that_is_longer_than_a_register_is_a_fault() -> None:
    stored = (
        call("%m", "pge.b32", "%c0, %c0", f"(i32, i32) -> {MASK}")
        + "  %many = llvm.mlir.constant(260 : i32) : i32\n"
        + call("%x", "vldsx1.v64s32", "%to, %c0, %c0, %c0", "(!llvm.ptr<6>, i32, i32, i32) -> vector<64xi32>")
        + call("%a", "init.vector.align.data", "", "() -> vector<32xi8>")
        + call("%s", "vstus.post.s32", "%x, %to, %many, %a",
               "(vector<64xi32>, !llvm.ptr<6>, i32, vector<32xi8>) -> !llvm.struct<(vector<32xi8>, ptr<6>)>")
    )  # fmt: skip
    found = compared(intrinsics(""), intrinsics(stored))
    assert [item.code for item in found] == ["LS0702"]
    assert "260 bytes are stored from a register of 256" in found[0].message


def test_what_was_not_lowered_is_named_where_its_vectors_have_64_bit_elements() -> None:
    left = (
        call("%m", "pge.b32", "%c0, %c0", f"(i32, i32) -> {MASK}")
        + call("%x", "vldsx1.v32s64", "%to, %c0, %c0, %c0", "(!llvm.ptr<6>, i32, i32, i32) -> vector<32xi64>")
        + "  %k = builtin.unrealized_conversion_cast %m : vector<256xi1> to vector<32xi1>\n"
        + "  %y = ave.hir.vmax %x, %x, %k : vector<32xi64>, vector<32xi1>\n"
    )
    found = compared(intrinsics(""), intrinsics(left))
    assert [item.code for item in found] == ["LS0703"]
    assert "`ave.hir.vmax` was not lowered" in found[0].message


@pytest.mark.parametrize(
    ("name", "element", "said"),
    [
        ("vpack.x", "i8", "has no form for i8"),
        ("vpack.x", "i16", ""),
        ("vzunpack", "i32", ""),
        ("vzunpack", "i64", "has no form for i64"),
    ],
)
def test_halves_of_bytes_and_doubles_of_64_bits_are_not_known(name: str, element: str, said: str) -> None:
    register = f"vector<{2048 // int(element[1:])}x{element}>"
    body = call("%x", "vldsx1.v256s8", "%from, %c0, %c0, %c0", "(!llvm.ptr<6>, i32, i32, i32) -> vector<256xi8>")
    body += f"  %held = vector.bitcast %x : vector<256xi8> to {register}\n"
    body += call("%made", name, "%held, %c0", f"({register}, i32) -> {register}")
    found = compared(intrinsics(body), intrinsics(body))
    assert [(item.code, said in item.message) for item in found] == [("LS0703", True)] * bool(said)


@pytest.mark.parametrize(("half", "agrees"), [(0, True), (1, False)])
def test_a_half_is_widened_with_zeros(half: int, agrees: bool) -> None:
    """`vzunpack` of the lower half is what a conversion makes of the bytes that lie there."""
    widen = plain(
        "%m = ave.hir.pge <ALL> : vector<128xi1>",
        f"%x = ave.hir.vload <NORM> %src[%c0] : memref<256xi8, {UB}> into vector<128xi8>",
        "%y = ave.hir.vextui %x, %m {part = #ave.vcvt_part_type<part_even>} "
        ": vector<128xi8>, vector<128xi16>, vector<128xi1>",
        f"ave.hir.masked_store <NORM_B16> %dst[%c0], %m, %y : memref<256xi16, {UB}>, vector<128xi1>, vector<128xi16>",
        target="i16",
    )
    body = call("%m", "pge.b16", "%c0, %c0", f"(i32, i32) -> {MASK}")
    body += call("%x", "vldsx1.v256s8", "%from, %c0, %c0, %c0", "(!llvm.ptr<6>, i32, i32, i32) -> vector<256xi8>")
    body += call("%y", "vzunpack", f"%x, %c{half}", "(vector<256xi8>, i32) -> vector<128xi16>")
    body += call("", "vstsx1.v128s16", "%y, %to, %c0, %c1, %c0, %m",
                 f"(vector<128xi16>, !llvm.ptr<6>, i32, i32, i32, {MASK}) -> ()")  # fmt: skip
    assert (compared(widen, intrinsics(body, target="i16")) == []) == agrees
