"""Arithmetic on 64-bit elements, which take two registers: the low words of all, and the high ones."""

from __future__ import annotations

from layoutsolver_backends.intrin.sound.code import WORDS, Code, Pair
from layoutsolver_backends.intrin.writer import Ref


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


def absolute(code: Code, source: Pair) -> Pair:
    """Elements without their sign; the most negative one is itself."""
    return select(code, is_negative(code, source), negated(code, source), source)
