"""Programs that have layouts by the released analyzer's rules and run differently with them.

Each is as small as it gets. By default they get layouts that are right, or are refused for the reason that they show;
with the released analyzer's choice, a warning names the operation.
"""

from __future__ import annotations

import pytest

from layoutsolver.api import SolveOptions
from layoutsolver.ops.ave import AVE_OPS
from layoutsolver.source import SourceFile
from layoutsolver.verify import lanes
from layoutsolver.verify.logical import Logical
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.physical import Physical
from layoutsolver.verify.run import verify
from layoutsolver_models.hardware.ub import Memory

UB = "#hivm.address_space<ub>"


def buffer(element: str) -> str:
    return f"memref<1024x{element}, {UB}>"


def load(name: str, base: str, element: str, lanes: int, extra: str = "") -> str:
    return f"{name} = ave.hir.vload <NORM> {base}[%c0]{extra} : {buffer(element)} into vector<{lanes}x{element}>"


def store(value: str, base: str, element: str, lanes: int, mask: str) -> str:
    width = {"i1": 8, "i8": 8, "i16": 16, "f16": 16, "i32": 32, "f32": 32}[element]
    types = f"{buffer(element)}, vector<{lanes}xi1>, vector<{lanes}x{element}>"
    return f"ave.hir.masked_store <NORM_B{width}> {base}[%far], {mask}, {value} : {types}"


def program(*lines: str) -> str:
    names = {"i1": "%p", "i8": "%b", "i16": "%h", "f16": "%g", "i32": "%w", "f32": "%f"}
    arguments = ", ".join(f"{name}: {buffer(element)}" for element, name in names.items())
    body = "\n".join(f"  {line}" for line in (*CONSTANTS, *lines))
    return f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"


def pge(name: str, pattern: str, lanes: int) -> str:
    return f"{name} = ave.hir.pge <{pattern}> : vector<{lanes}xi1>"


CONSTANTS = ("%c0 = arith.constant 0 : index", "%far = arith.constant 512 : index")
YES = "%yes = arith.constant true"

DEFAULT = {
    "a mask behind the vector: set in all bits": program(
        YES, "%m = ave.hir.scalar_broadcast %yes : i1 -> vector<64xi1>",
        load("%x", "%g", "f16", 64), store("%x", "%g", "f16", 64, "%m"),
    ),
    "a mask behind the vector: a pattern of more lanes": program(
        pge("%m", "VL128", 64), load("%x", "%g", "f16", 64), store("%x", "%g", "f16", 64, "%m"),
    ),
    "a half that is half of the register": program(
        pge("%m", "H", 64), load("%x", "%g", "f16", 64), store("%x", "%g", "f16", 64, "%m"),
    ),
    "a mask between elements: a reduction of spread data": program(
        load("%m", "%p", "i1", 64), pge("%n", "ALL", 64), load("%w0", "%w", "i32", 64), load("%x", "%b", "i8", 64),
        "%k = ave.hir.vadd %w0, %w0, %m : vector<64xi32>, vector<64xi1>", store("%k", "%w", "i32", 64, "%n"),
        "%r = ave.hir.reduction <add>, %x, %m : vector<64xi8>, vector<64xi1> -> vector<64xi8>",
        store("%r", "%b", "i8", 64, "%n"),
    ),
    "an unaligned load of more than 128 predicates": program(
        load("%m", "%p", "i1", 256, " {ave.unaligned_ub_access = #ave.unaligned_ub_access}"),
        load("%x", "%b", "i8", 256), store("%x", "%b", "i8", 256, "%m"),
    ),
    "an interleave that is UNCHANGED on spread data": program(
        pge("%m", "ALL", 64), load("%x", "%h", "i16", 64), load("%w0", "%w", "i32", 64),
        "%l, %k = ave.hir.vintlv %x, %x {layout_change = #ave<layout_change UNCHANGED>} : "
        "vector<64xi16>, vector<64xi16>",
        "%e = ave.hir.vextsi %l, %m {part = #ave.vcvt_part_type<part_even>} : "
        "vector<64xi16>, vector<64xi32>, vector<64xi1>", store("%e", "%w", "i32", 64, "%m"),
    ),
    "a pack of spread data": program(
        pge("%m", "ALL", 64), load("%x", "%h", "i16", 64),
        "%y = ave.hir.vpack %x, 0 : vector<64xi16> -> vector<64xi16>",
        "%e = ave.hir.vextsi %y, %m {part = #ave.vcvt_part_type<part_even>} : "
        "vector<64xi16>, vector<64xi32>, vector<64xi1>", store("%e", "%w", "i32", 64, "%m"),
    ),
    "the last lane of spread data": program(
        pge("%m", "ALL", 64), load("%x", "%h", "i16", 64),
        "%y = ave.hir.vector_broadcast %x, %m, false : vector<64xi16>, vector<64xi1> -> vector<64xi16>",
        "%e = ave.hir.vextsi %y, %m {part = #ave.vcvt_part_type<part_even>} : "
        "vector<64xi16>, vector<64xi32>, vector<64xi1>", store("%e", "%w", "i32", 64, "%m"),
    ),
    "a slide over a partly filled register": program(
        pge("%m", "ALL", 64), load("%x", "%h", "i16", 64), "%by = arith.constant 3 : i16",
        "%y = ave.hir.vslide %x, %x, %by : vector<64xi16>, i16 -> vector<64xi16>", store("%y", "%h", "i16", 64, "%m"),
    ),
    "an odd part under a functionType that means the even one": program(
        pge("%m", "ALL", 64), load("%x", "%h", "i16", 64),
        "%e = ave.hir.vextsi %x, %m {part = #ave.vcvt_part_type<part_odd>} : "
        "vector<64xi16>, vector<64xi32>, vector<64xi1>", store("%e", "%w", "i32", 64, "%m"),
    ),
}  # fmt: skip
"""Programs that differ with the layouts that are decided by default."""

UPSTREAM = {
    "preg.cast keeps the granularity": program(
        pge("%m", "VL8", 128), "%n = ave.hir.preg.cast %m <UNPK_B8> : vector<128xi1> -> vector<128xi1>",
        load("%x", "%g", "f16", 128), store("%x", "%g", "f16", 128, "%n"),
    ),
    "pltm without a functionType": program(
        "%n = arith.constant 9 : index", "%m = ave.hir.pltm %c0, %n : vector<128xi1>",
        load("%x", "%b", "i8", 128), store("%x", "%b", "i8", 128, "%m"),
    ),
}  # fmt: skip
"""Programs that differ with the layouts that the released analyzer chooses."""


SOLVED = frozenset({
    "a mask behind the vector: set in all bits", "a mask behind the vector: a pattern of more lanes",
    "a half that is half of the register", "pltm without a functionType", "preg.cast keeps the granularity",
})  # fmt: skip
"""Those that have layouts under which they are right."""

RULES = {
    "a mask behind the vector: set in all bits": "AVE.LANES.STORE.MASK",
    "a mask behind the vector: a pattern of more lanes": "AVE.LANES.STORE.MASK",
    "a half that is half of the register": "AVE.LANES.PGE",
    "a mask between elements: a reduction of spread data": "AVE.LANES.REDUCE.BETWEEN",
    "an unaligned load of more than 128 predicates": "AVE.LANES.LOAD.MASK",
    "an interleave that is UNCHANGED on spread data": "AVE.LANES.INTLV",
    "a pack of spread data": "AVE.LANES.REPACK",
    "the last lane of spread data": "AVE.LANES.LAST",
    "a slide over a partly filled register": "AVE.LANES.SLIDE",
    "an odd part under a functionType that means the even one": "AVE.LANES.EXT.PART",
    "preg.cast keeps the granularity": "AVE.LANES.PCAST",
    "pltm without a functionType": "AVE.LANES.PLTM",
}
"""The lane rule that each shows."""


@pytest.mark.parametrize("name", RULES)
def test_a_program_is_solved_right_or_refused_by_default(name: str) -> None:
    result = verify(SourceFile("finding.mlir", {**DEFAULT, **UPSTREAM}[name]), SolveOptions(chip="ascend950"))
    assert result.ok == (name in SOLVED), [item.message for item in result.diagnostics]
    if not result.ok:
        [item] = [item for item in result.diagnostics if item.severity == "error"]
        assert item.code == "LS0101"
        assert item.primary is not None
        assert any(f"({RULES[name]})" in note for note in item.notes)


@pytest.mark.parametrize("name", RULES)
def test_a_program_that_differs_with_the_released_choice_is_warned_of(name: str) -> None:
    source = SourceFile("finding.mlir", {**DEFAULT, **UPSTREAM}[name])
    result = verify(source, SolveOptions("upstream", "ascend950"))
    assert result.solving is not None
    assert result.solving.ok, [item.message for item in result.diagnostics]
    assert [item.code for item in result.diagnostics if item.severity == "error"][:1] == ["LS0701"]
    [item] = [item for item in result.diagnostics if item.code == "LS0107"]
    assert item.primary is not None
    assert item.primary.text == f"by {RULES[name]}"


@pytest.mark.parametrize(("chip", "is_known"), [("ascend950", True), ("ascend310b4", False)])
def test_what_lies_between_unaligned_elements_is_known_where_an_interleave_puts_them(chip: str, is_known: bool) -> None:
    text = program(
        pge("%m", "ALL", 64), load("%w0", "%w", "i32", 64),
        load("%x", "%h", "i16", 64, " {ave.unaligned_ub_access = #ave.unaligned_ub_access}"),
        "%y = ave.hir.vector_broadcast %x, %m, false : vector<64xi16>, vector<64xi1> -> vector<64xi16>",
        "%e = ave.hir.vextsi %y, %m {part = #ave.vcvt_part_type<part_even>} : "
        "vector<64xi16>, vector<64xi32>, vector<64xi1>", store("%e", "%w", "i32", 64, "%m"),
    )  # fmt: skip
    found = verify(SourceFile("finding.mlir", text), SolveOptions("upstream", chip)).diagnostics
    differing = [item for item in found if item.code == "LS0701"]
    assert (not differing) == is_known
    assert all("found ??" in item.notes[0] for item in differing)


def test_both_interpreters_know_every_operation() -> None:
    ram = LogicalMemory(Memory.zeros(64), ())
    names = {spec.name.removeprefix("ave.hir.") for spec in AVE_OPS}
    lane_by_lane = lanes.ELEMENTWISE | lanes.CONVERTING
    assert names == set(Logical(ram).handlers) | lane_by_lane
    assert names == set(Physical(ram, {}, {}, is_950=True).handlers) | lane_by_lane


STORED_PREDICATE = program(
    pge("%half", "H", 128), pge("%few", "VL3", 128), load("%x", "%b", "i8", 128),
    "%lt = ave.hir.vcmp <EQ> %x, %x, %half : vector<128xi8>, vector<128xi1> -> vector<128xi1>",
    store("%lt", "%p", "i1", 128, "%few"),
)  # fmt: skip


def test_a_stored_predicate_is_stored_whole_whatever_its_mask() -> None:
    found = verify(SourceFile("finding.mlir", STORED_PREDICATE), SolveOptions(chip="ascend950"))
    assert found.verification is None or found.ok
    assert found.verification is not None or "LS0101" in [item.code for item in found.diagnostics]
    warned = verify(SourceFile("finding.mlir", STORED_PREDICATE), SolveOptions("upstream", "ascend950"))
    assert "LS0107" in [item.code for item in warned.diagnostics]
