"""Lane-by-lane operations on 64-bit elements, which take two registers: the low words of all, and the high ones."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound.code import WORDS, Code, Pair, missing, sign_of
from layoutsolver_backends.intrin.writer import Ref

_SCALAR_NAMES = {
    "vadds": "vadd", "vmuls": "vmul", "vmaxs": "vmax", "vmins": "vmin", "vsmaxs": "vsmax", "vsmins": "vsmin",
    "vumaxs": "vumax", "vumins": "vumin",
}  # fmt: skip


def elementwise(code: Code, step: Step) -> None:
    """The intrinsics of an operation on vectors, or on vectors and a scalar."""
    element = code.writer.program.element(step.results[0])
    name = _SCALAR_NAMES.get(step.name, step.name)
    made_of = _OPERATIONS.get(name)
    if made_of is None:
        raise missing(step, element)
    sources = [
        code.pair(value) if role != "scalar" else splat(code, value)
        for role, value in zip(step.roles, step.operands, strict=True)
        if role not in ("mask", "sign")
    ]
    made = made_of(code, sources, _SIGNS.get(name, sign_of(element)))
    if name == "vmula":
        made = select(code, code.writer.mask(step.role("mask")), made, sources[0])
    code.give_pair(step.results[0], made)


def splat(code: Code, value: int) -> Pair:
    """A scalar in all elements."""
    low, high = code.halves(value)
    return Pair(code.splat(low), code.splat(high))


def number(code: Code, low: int, high: int) -> Pair:
    """An integer in all elements, by its words."""
    return Pair(code.number(low, "i32"), code.number(high, "i32"))


def one_or_zero(code: Code, mask: Ref) -> Ref:
    """The word 1 where a predicate has a lane, 0 elsewhere."""
    return code.call("vdups.z", [code.writer.constant(1), mask, 1], WORDS)


def add(code: Code, left: Pair, right: Pair) -> Pair:
    """Sums."""
    low = code.add(left.low, right.low)
    carry = one_or_zero(code, code.compare("lt", low, left.low, "u"))
    return Pair(low, code.add(code.add(left.high, right.high), carry))


def subtract(code: Code, left: Pair, right: Pair) -> Pair:
    """Differences."""
    borrow = one_or_zero(code, code.compare("lt", left.low, right.low, "u"))
    return Pair(code.sub(left.low, right.low), code.sub(code.sub(left.high, right.high), borrow))


def multiply(code: Code, left: Pair, right: Pair) -> Pair:
    """The low halves of products."""
    low, high = code.two("vmull.v64u32", [left.low, right.low, code.full], WORDS)
    crossed = code.add(code.mul(left.low, right.high), code.mul(left.high, right.low))
    return Pair(low, code.add(high, crossed))


def compare(code: Code, order: str, left: Pair, right: Pair, sign: str) -> Ref:
    """Which elements compare so: by their high words, and where these are equal by their low ones."""
    same = code.compare("eq", left.high, right.high)
    if order in ("eq", "ne"):
        equal = code.logic("pand", same, code.compare("eq", left.low, right.low))
        return equal if order == "eq" else code.logic("pnot", equal)
    strictly = code.compare(order[0] + "t", left.high, right.high, sign)
    by_low = code.logic("pand", same, code.compare(order, left.low, right.low, "u"))
    return code.logic("por", strictly, by_low)


def select(code: Code, mask: Ref, yes: Pair, no: Pair) -> Pair:
    """Elements of one vector where the mask has them, of the other elsewhere."""
    return Pair(code.select(mask, yes.low, no.low), code.select(mask, yes.high, no.high))


def larger(code: Code, left: Pair, right: Pair, sign: str) -> Pair:
    """The larger elements."""
    return select(code, compare(code, "gt", left, right, sign), left, right)


def smaller(code: Code, left: Pair, right: Pair, sign: str) -> Pair:
    """The smaller elements."""
    return select(code, compare(code, "lt", left, right, sign), left, right)


def negated(code: Code, source: Pair) -> Pair:
    """Elements with the other sign."""
    return subtract(code, number(code, 0, 0), source)


def is_negative(code: Code, source: Pair) -> Ref:
    """Which elements are below zero."""
    return code.compare("lt", source.high, code.number(0, "i32"))


def plane_by_plane(name: str) -> _Operation:
    """An operation that does the same to every word."""

    def write(code: Code, sources: list[Pair], sign: str) -> Pair:
        low = code.lanes(name, *[source.low for source in sources])
        return Pair(low, code.lanes(name, *[source.high for source in sources]))

    return write


def _absolute(code: Code, sources: list[Pair], sign: str) -> Pair:
    return select(code, is_negative(code, sources[0]), negated(code, sources[0]), sources[0])


def _distance(code: Code, sources: list[Pair], sign: str) -> Pair:
    left, right = sources
    return subtract(code, larger(code, left, right, sign), smaller(code, left, right, sign))


def _saturated(code: Code, sources: list[Pair], adds: bool) -> Pair:
    """A sum or difference, replaced by the end of the range that it passes."""
    left, right = sources
    total = add(code, left, right) if adds else subtract(code, left, right)
    other = code.other_bits(right.high, total.high) if adds else code.other_bits(left.high, right.high)
    over = code.both_bits(code.other_bits(left.high, total.high), other)
    wrapped = code.compare("lt", over, code.number(0, "i32"))
    inverse = code.shifted(left.high, -31)
    end = Pair(code.other_bits(inverse, code.number(-1, "i32")),
               code.other_bits(inverse, code.number(0x7FFFFFFF, "i32")))  # fmt: skip
    return select(code, wrapped, end, total)


_Operation = Callable[[Code, list[Pair], str], Pair]

_SIGNS = {"vsmax": "s", "vsmin": "s", "vumax": "u", "vumin": "u"}

_OPERATIONS: dict[str, _Operation] = {
    **{name: plane_by_plane(name) for name in ("vand", "vor", "vxor", "vnot")},
    "vadd": lambda code, sources, sign: add(code, *sources),
    "vsub": lambda code, sources, sign: subtract(code, *sources),
    "vmul": lambda code, sources, sign: multiply(code, *sources),
    "vmula": lambda code, sources, sign: add(code, sources[0], multiply(code, *sources[1:])),
    **dict.fromkeys(("vmax", "vsmax", "vumax"), lambda code, both, sign: larger(code, both[0], both[1], sign)),
    **dict.fromkeys(("vmin", "vsmin", "vumin"), lambda code, both, sign: smaller(code, both[0], both[1], sign)),
    "vneg": lambda code, sources, sign: negated(code, sources[0]), "vabs": _absolute, "vabs_diff": _distance,
    "vrelu": lambda code, sources, sign: larger(code, sources[0], number(code, 0, 0), "s"),
    "vsadd": lambda code, sources, sign: _saturated(code, sources, True),
    "vssub": lambda code, sources, sign: _saturated(code, sources, False),
}  # fmt: skip
