"""The header of `scf.for` and trip counts."""

from __future__ import annotations

from layoutsolver.mlir.tree import Argument, Name, Op
from layoutsolver.ops.assembly import Mismatch, TypeText, bind_generic, skip_bracket, trailing_types

_OPEN = frozenset("([{<")


class ForHeader:
    """Operand tokens (lower bound, upper bound, step, initial values), region arguments and result types.

    The arguments are those that the header names (induction variable first); the generic form has them in the
    block instead.
    """

    __slots__ = ("arguments", "operands", "result_types")

    def __init__(
        self, operands: list[int], arguments: list[Argument] | None = None, result_types: list[TypeText] | None = None
    ) -> None:
        self.operands = operands
        self.arguments: list[Argument] = [] if arguments is None else arguments
        self.result_types: list[TypeText] = [] if result_types is None else result_types


def read_for(op: Op) -> ForHeader:
    """The parts of an `scf.for` header, in the custom or the generic form."""
    if op.is_generic:
        bound = bind_generic(op, None)
        if isinstance(bound, Mismatch):
            return ForHeader(list(op.uses))
        return ForHeader([token for _, token in bound.operands], [], bound.result_types)
    texts = op.stream.texts
    end = op.regions[0].first if op.regions else op.last
    header = ForHeader([])
    for token in op.uses:
        if token >= end:
            break
        if texts[token + 1] == "=":
            header.arguments.append(Argument(Name(texts[token], token), "", token, token))
        else:
            header.operands.append(token)
    at = op.name_token + 1
    while at < end and texts[at] != "->":
        at = skip_bracket(texts, at, end) if texts[at] in _OPEN else at + 1
    if at < end:
        sides = trailing_types(op, at)
        if not isinstance(sides, Mismatch):
            header.result_types = sides[1]
    return header


def trip_count(bounds: list[int | None]) -> int | None:
    """How often a loop from, to, step runs; None where a bound is unknown.

    >>> trip_count([0, 10, 4]), trip_count([0, 0, 1]), trip_count([0, None, 1])
    (3, 0, None)
    """
    if len(bounds) != 3:
        return None
    lower, upper, step = bounds
    if lower is None or upper is None or step is None or step <= 0:
        return None
    return max(0, -(-(upper - lower) // step))
