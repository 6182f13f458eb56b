"""Conversions that take fewer instructions than their rule says, by how their operand is made.

Unsigned integers that stand between zeros are widened by reading them as wider lanes; of lanes that are equal in pairs
one part is the other. Source: section 5.6.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from layoutsolver.backends import load_pairs
from layoutsolver.pose.vmi.variants import PIPES
from layoutsolver.vmi.program import VmiOp, VmiProgram, VmiValue
from layoutsolver_models.problems.selection import Cost, Saving, SelectionOp, Variant

REPEATING = frozenset({"broadcast", "constant", "group_broadcast_load"})
"""Operations some of whose variants make lanes that are equal in pairs."""

ZERO_FILLING = frozenset({"load", "trunci"})
"""Operations some of whose variants leave zeros between elements."""


def savings_of(program: VmiProgram, ops: Sequence[SelectionOp], op_of: Sequence[int]) -> tuple[Saving, ...]:
    """What casts save, for every variant by which makers of their operand they do so."""
    return tuple(_Savings(program, ops, op_of).all())


class _Savings:
    def __init__(self, program: VmiProgram, ops: Sequence[SelectionOp], op_of: Sequence[int]) -> None:
        self.program, self.ops, self.op_of = program, ops, op_of
        self.pairs = load_pairs()(program)
        self.known: dict[Hashable, Cost] = {}

    def all(self) -> Iterator[Saving]:
        number_of = {canonical: number for number, canonical in enumerate(self.op_of) if canonical >= 0}
        for canonical, number in number_of.items():
            user = self.program.ops[canonical]
            source, result = user.operands.get("source"), user.results.get("result")
            if not isinstance(source, VmiValue) or result is None or not source.bits < result.bits or source.op < 0:
                continue
            maker = self.program.ops[source.op]
            unsigned = source.element[:2] == result.element[:2] == "ui"
            if maker.op in REPEATING or (unsigned and maker.op in ZERO_FILLING):
                for variant in range(len(self.ops[number].variants)):
                    yield from self._of(number, variant, number_of.get(source.op, -1))

    def _of(self, number: int, variant: int, maker: int) -> Iterator[Saving]:
        """What one variant saves: the most, and with which variants of the maker."""
        if maker < 0 or maker == number:
            return
        taken = self.ops[number].variants[variant]
        by: dict[Cost, list[int]] = {}
        place = len(self.ops[maker].operands)
        for other, made in enumerate(self.ops[maker].variants):
            if made.layouts[place] == taken.layouts[0]:
                by.setdefault(self._saved(maker, made, number, taken), []).append(other)
        best = max(by, key=sum, default=())
        if any(best):
            yield Saving(number, variant, maker, tuple(by[best]), best)

    def _saved(self, maker: int, made: Variant, number: int, taken: Variant) -> Cost:
        first, user = self.program.ops[self.op_of[maker]], self.program.ops[self.op_of[number]]
        key = (*_kind(first, made), *_kind(user, taken))
        known = self.known.get(key)
        if known is None:
            found = self.pairs(first, made, user, taken)
            paid = taken.cost if found is None else tuple(found.get(pipe, 0) for pipe in PIPES)
            saved = tuple(before - now for before, now in zip(taken.cost, paid, strict=True))
            known = self.known[key] = saved if all(one >= 0 for one in saved) else (0,) * len(PIPES)
        return known


def _kind(op: VmiOp, variant: Variant) -> tuple[Hashable, ...]:
    """What the instructions of a variant depend on, but for the scalars that they are given."""
    values = (*op.vectors().values(), *op.results.values())
    shapes = tuple((value.lanes, value.element) for value in values)
    return op.op, shapes, tuple(sorted(op.attrs.items())), variant.rule, variant.layouts, variant.attrs["lowering"]
