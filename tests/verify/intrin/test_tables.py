"""Every row of the lowering tables, run: what it is lowered to does what the operation means, or we know why not."""

from __future__ import annotations

import re

import pytest

from layoutsolver.api import LowerOptions, SolveOptions, lower
from layoutsolver.source import SourceFile
from layoutsolver.verify.run import verify
from tests.support.intrin_cases import FAMILIES, MASK, cases
from tests.verify.intrin.calls import calls_in, taken_otherwise

CHIP = SolveOptions(chip="ascend950")
PREDICATE = "vector<256xi1>"
_FUNCTION_TYPE = re.compile(r"(, )?functionType = #ave\.func_dist_type<\w+>(, )?")

REASONS = {
    "vshl i8 false": "a shift to the left counts its amounts as signed, whatever its operand says",
    "vshl i16 false": "the same",
    "vshl i32 false": "the same",
    "vshls i32 true": "a distance of 32 bits is cut to 16",
    "vshrs i32 true": "the same",
    "vfptoui f16 to i16, 64 lanes": "it goes through i32, whose lanes its mask does not govern",
    "vextsi i32 to i64": "64 elements of 64 bits take two registers, and one is used",
    "vfptosi f32 to i64": "the same",
    "vload i64": "the same",
    "vload i64 unaligned": "the same",
    "vload i64 to all lanes": "the same",
    "masked_store i64": "a vector from outside of two registers",
    "masked_store i64 of one element": "the same",
    "masked_store i64 unaligned": "the same",
    "masked_store i64 of one element, continuous": "the same",
    "booleans as bytes under a mask": "what is a byte to the operation are eight bits in memory",
    "booleans as bytes under all lanes": "the same",
    "vfptoui f16 to i16, 128 lanes": "a cast from a register to halves of it, whose meaning is open",
    "vexpdif f16": "its result is wider than its type",
    **{
        f"masked_store {element} unaligned": "an unaligned store under a mask from outside writes a whole register"
        for element in ("i8", "i16", "i32", "f16", "bf16", "f32", "f8E4M3FN", "f8E5M2", "PK_B32", "PK4_B32")
    },
    "unaligned store under pltm": "an unaligned store has no mask, and its length is told from pge and plt alone",
    "address of predicates with offset 32": "an address counts a byte for each bit before",
}
"""The rows that do not agree."""

OUT_OF_BOUNDS = re.compile(r"out of bounds|faults: out of range")


def stripped(text: str) -> str:
    """A program without the functionTypes that it states, its mask being made for the elements of a vector."""
    bare = _FUNCTION_TYPE.sub(lambda match: ", " if match[1] and match[2] else "", text).replace(" {}", "")
    head, start, body = bare.partition("  %c0 = arith.constant 0 : index\n")
    if f"%k: {MASK}, " not in head:
        return bare
    return f"{head.replace(f'%k: {MASK}, ', '')}{start}  %k = ave.hir.pge <VL64> : {MASK}\n{body}"


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_row_is_lowered_to_does_what_the_operation_means(family: str) -> None:
    wrong: dict[str, str] = {}
    calls: dict[str, tuple[tuple[str, ...], str]] = {}
    agreed = 0
    for title, given in cases(family):
        text = stripped(given)
        lowered = lower(SourceFile("a.mlir", text), LowerOptions(dialect="master", solving=CHIP))
        if lowered.text is None:
            continue
        calls |= calls_in(lowered.text)
        result = verify(SourceFile("a.mlir", text), CHIP, 1, other=SourceFile("b.mlir", lowered.text))
        said = [item.message for item in result.diagnostics if item.severity == "error"]
        agreed += not said
        if said and not OUT_OF_BOUNDS.search(said[0]):
            wrong[title] = said[0]
    assert {title: message for title, message in wrong.items() if title not in REASONS} == {}
    assert agreed >= 4
    assert not any("there is no intrinsic" in message for message in wrong.values())
    assert len(calls) >= 4
    otherwise = {name: taken_otherwise(name, *call) for name, call in calls.items()}
    assert {name: said for name, said in otherwise.items() if said} == {}


@pytest.mark.parametrize(
    ("name", "types", "result"),
    [
        ("pltm.b32.v300", ("i32", "i32"), PREDICATE),
        ("punpack", (PREDICATE, "i32"), PREDICATE),
        ("pdintlv.b16", (PREDICATE, PREDICATE), f"!llvm.struct<({PREDICATE}, {PREDICATE})>"),
        ("vcmps.gt.s.z", ("vector<64xf32>", "f32", PREDICATE), PREDICATE),
        ("vzunpack", ("vector<128xi16>", "i32"), "vector<128xi16>"),
        ("vrnd.x", ("vector<64xf32>", "vector<64xf32>", PREDICATE), "vector<64xf32>"),
    ],
)
def test_what_no_row_is_lowered_to_takes_its_own_operands(name: str, types: tuple[str, ...], result: str) -> None:
    assert taken_otherwise(name, types, result) == {}
