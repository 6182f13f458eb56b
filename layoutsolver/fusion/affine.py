"""Numbers of a program as sums: a constant plus symbols times integers.

A symbol is a value that nothing more is known of, or the induction variable of a loop. Source: fusion spec 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from layoutsolver.fusion.code import Code, Loop, Straight, results_of, walk
from layoutsolver.graph.loops import trip_count
from layoutsolver.mlir.types import ScalarType

_DEPTH = 8
"""Bounds of loops that depend on other loops are followed so far."""

_WIDE = 64
"""Indices, and integers of so many bits, are taken not to overflow."""


class Affine(NamedTuple):
    """`constant + sum(factor * symbol)`; `terms` are sorted by symbol, without factors of zero.

    >>> a = Affine(2, ((7, 3),))
    >>> a.plus(a.times(-1)), a.plus(Affine(1)), a.times(2)
    (Affine(constant=0, terms=()), Affine(constant=3, terms=((7, 3),)), Affine(constant=4, terms=((7, 6),)))
    """

    constant: int = 0
    terms: tuple[tuple[int, int], ...] = ()

    def plus(self, other: Affine) -> Affine:
        """The sum."""
        factors = dict(self.terms)
        for symbol, factor in other.terms:
            factors[symbol] = factors.get(symbol, 0) + factor
        terms = tuple(sorted((symbol, factor) for symbol, factor in factors.items() if factor))
        return Affine(self.constant + other.constant, terms)

    def times(self, number: int) -> Affine:
        """The product with a number."""
        if not number:
            return Affine()
        return Affine(self.constant * number, tuple((symbol, factor * number) for symbol, factor in self.terms))

    def factor(self, symbol: int) -> int:
        """What the symbol is multiplied by, 0 if it is not there."""
        return next((factor for one, factor in self.terms if one == symbol), 0)

    def without(self, symbol: int) -> Affine:
        """The sum without the symbol."""
        return Affine(self.constant, tuple(term for term in self.terms if term[0] != symbol))


class Turns(NamedTuple):
    """How the induction variable of a loop runs: `first + step * t` for t from 0 to `length - 1`.

    `length` is None where it is not known. A step that is no positive constant is taken as 1 and `length` as None: it
    then runs through some of these numbers.
    """

    first: Affine
    step: int
    length: int | None


class Spread(NamedTuple):
    """The numbers that a sum can be: from `low` to `high` more than the sum of `terms`, which are not known."""

    terms: tuple[tuple[int, int], ...]
    low: int
    high: int


class Numbers:
    """What is known of the numbers of a program: constants, sums, how loops run."""

    __slots__ = ("_known", "_loops", "_turns", "code", "definitions")

    def __init__(self, code: Code) -> None:
        self.code = code
        self.definitions: dict[int, Straight] = {}
        self._loops: dict[int, Loop] = {}
        self._known: dict[int, Affine] = {}
        self._turns: dict[tuple[int, int, int], Turns] = {}
        for item in walk(code.items):
            if isinstance(item, Straight):
                self.definitions.update(dict.fromkeys(results_of(item), item))
            elif isinstance(item, Loop):
                self._loops[item.induction] = item

    def constant(self, value: int) -> int | None:
        """The number that a value is, None if that is not known."""
        known = self.affine(value)
        return None if known.terms else known.constant

    def affine(self, value: int) -> Affine:
        """The sum that a value is; the value itself as a symbol where nothing is known of it."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._affine(value)
        return known

    def turns(self, loop: Loop) -> Turns:
        """How a loop runs."""
        known = self._turns.get(loop.bounds)
        if known is None:
            known = self._turns[loop.bounds] = self._run(loop)
        return known

    def _run(self, loop: Loop) -> Turns:
        lower, upper, step = (self.affine(value) for value in loop.bounds)
        distance = upper.plus(lower.times(-1))
        known = None if step.terms else step.constant
        if known is None or known <= 0:
            return Turns(lower, 1, None)
        count = None if distance.terms else trip_count([0, distance.constant, known])
        return Turns(lower, known, count)

    def spread(self, number: Affine) -> Spread | None:
        """The numbers that a sum can be over all turns of the loops it depends on; None where these are not known."""
        low = high = number.constant
        rest: list[tuple[int, int]] = []
        for symbol, factor in number.terms:
            if symbol not in self._loops:
                rest.append((symbol, factor))
                continue
            least, most = self._symbol_range(symbol, _DEPTH)
            if least is None or most is None:
                return None
            low += min(factor * least, factor * most)
            high += max(factor * least, factor * most)
        return Spread(tuple(rest), low, high)

    def _affine(self, value: int) -> Affine:
        constant = self.code.graph.constants.get(value)
        if constant is not None:
            return Affine(constant)
        symbol = Affine(0, ((value, 1),))
        item = self.definitions.get(value)
        if item is None:
            return symbol
        found = self._computed(item)
        if found is None or not self._fits(value, found):
            return symbol
        return found

    def _computed(self, item: Straight) -> Affine | None:
        """What an operation makes of its operands, were there no overflow; None where that is no sum."""
        name = item.node.name
        if name in ("arith.index_cast", "arith.extsi") and len(item.operands) == 1:
            return self.affine(item.operands[0])
        if name in ("arith.index_castui", "arith.extui") and len(item.operands) == 1:
            inner = self.affine(item.operands[0])
            low, _ = self._range(inner)
            return inner if low is not None and low >= 0 else None
        if len(item.operands) != 2 or name not in ("arith.addi", "arith.subi", "arith.muli"):
            return None
        left, right = (self.affine(operand) for operand in item.operands)
        if name == "arith.addi":
            return left.plus(right)
        if name == "arith.subi":
            return left.plus(right.times(-1))
        if left.terms and right.terms:
            return None
        return left.times(right.constant) if left.terms else right.times(left.constant)

    def _fits(self, value: int, number: Affine) -> bool:
        """Whether a value of its type surely is that number: narrow integers wrap around."""
        type_ = self.code.graph.values[value].type
        bits = type_.bits if isinstance(type_, ScalarType) else None
        if not isinstance(type_, ScalarType) or type_.is_float:
            return False
        if bits is None or bits >= _WIDE:
            return True
        low, high = self._range(number)
        return low is not None and high is not None and -(1 << (bits - 1)) <= low and high < 1 << (bits - 1)

    def _range(self, number: Affine, depth: int = _DEPTH) -> tuple[int | None, int | None]:
        """The least and the greatest number that a sum can be, None where that is not known."""
        low: int | None = number.constant
        high: int | None = number.constant
        for symbol, factor in number.terms:
            least, most = self._symbol_range(symbol, depth)
            if factor < 0:
                least, most = most, least
            low = None if low is None or least is None else low + factor * least
            high = None if high is None or most is None else high + factor * most
        return low, high

    def _symbol_range(self, symbol: int, depth: int) -> tuple[int | None, int | None]:
        loop = self._loops.get(symbol)
        if loop is None or depth == 0:
            return None, None
        turns = self.turns(loop)
        low, high = self._range(turns.first, depth - 1)
        most = None if high is None or turns.length is None else high + turns.step * max(turns.length - 1, 0)
        return low, most


def mapped(number: Affine, values: Mapping[int, int]) -> Affine:
    """The sum with symbols replaced by others."""
    out = Affine(number.constant)
    for symbol, factor in number.terms:
        out = out.plus(Affine(0, ((values.get(symbol, symbol), factor),)))
    return out
