"""Intrinsics that make and combine predicates."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.intrin.call import Call
from layoutsolver.verify.operation import Get, Run
from layoutsolver.verify.values import Aggregate, Value, integer
from layoutsolver_models.hardware import predicate
from layoutsolver_models.hardware.encoding import PGE_PATTERNS
from layoutsolver_models.hardware.state import PReg

_WIDTHS = {"b8": 1, "b16": 2, "b32": 4}
_GRANULES = frozenset(_WIDTHS)
_V300 = frozenset({"v300"})
_ZEROING = frozenset({"z"})
_PATTERNS = {number: name for name, number in PGE_PATTERNS.items()}
_I32 = ScalarType("i32", 32)

_LOGIC: dict[str, Callable[[PReg, PReg, PReg], PReg]] = {
    "pand": predicate.pand, "por": predicate.por, "pxor": predicate.pxor,
}  # fmt: skip


def pattern(call: Call) -> Run:
    """`pge`: a pattern by its number."""
    call.expect(2, _GRANULES)
    width = _WIDTHS[call.rest[0]]

    def run(get: Get) -> list[Value]:
        call.nothing(get, 1)
        name = _PATTERNS.get(call.number(get, 0))
        if name is None:
            raise call.fail(f"has the unknown pattern {call.number(get, 0)}")
        return [predicate.pge(width, name)]

    return run


def first_lanes(call: Call) -> Run:
    """`plt`: the first lanes, and the count that remains."""
    call.expect(1, _GRANULES, _V300)
    width = _WIDTHS[call.rest[0]]

    def run(get: Get) -> list[Value]:
        count = call.scalar(get, 0)
        made, left = predicate.plt(width, count.signed)
        return [Aggregate((made if count.defined else PReg.poisoned(), integer(_I32, left, count.defined)))]

    return run


def lanes_in_bounds(call: Call) -> Run:
    """`pltm`: the lanes below a bound, counted from a number of registers on."""
    call.expect(2, _GRANULES, _V300)
    width = _WIDTHS[call.rest[0]]

    def run(get: Get) -> list[Value]:
        offset, bound = call.scalar(get, 0), call.scalar(get, 1)
        made = predicate.pltm(width, offset.signed, bound.signed)
        return [made if offset.defined and bound.defined else PReg.poisoned()]

    return run


def logic(call: Call) -> Run:
    """`pand`, `por` and `pxor`."""
    call.expect(3, _ZEROING)
    function = _LOGIC[call.base]
    return lambda get: [function(call.mask(get, 0), call.mask(get, 1), call.mask(get, 2))]


def negation(call: Call) -> Run:
    """`pnot`."""
    call.expect(2, _ZEROING)
    return lambda get: [predicate.pnot(call.mask(get, 0), call.mask(get, 1))]


def repack(call: Call) -> Run:
    """`ppack` and `punpack`, of the lower half (0) or the upper one (1)."""
    call.expect(2, *([_ZEROING] if call.base == "ppack" else []))
    move = predicate.ppack if call.base == "ppack" else predicate.punpack
    return lambda get: [move(call.mask(get, 0), "HIGHER" if call.number(get, 1) else "LOWER")]


def interleave(call: Call) -> Run:
    """`pintlv` and `pdintlv`."""
    call.expect(2, _GRANULES)
    width = _WIDTHS[call.rest[0]]
    move = predicate.pintlv if call.base == "pintlv" else predicate.pdintlv
    return lambda get: [Aggregate(tuple(move(width, call.mask(get, 0), call.mask(get, 1))))]


def move_bits(call: Call) -> Run:
    """`movvp`: the bits of a data register, each for a lane as wide as the register's elements."""
    call.expect(2)
    width = call.operand(0).width
    if width not in (2, 4):
        raise call.fail(f"has no form for {call.operand(0)}")

    def run(get: Get) -> list[Value]:
        part = call.number(get, 1)
        try:
            return [predicate.movvp(2 if width == 2 else 4, call.data(get, 0), part)]
        except ValueError as error:
            raise call.fail("has no form for these operands", str(error)) from None

    return run
