"""Operands and result types of operations without an assembly of their own, from what their text shows.

An unknown operation keeps its operands and, as far as its text tells, its result types: the types behind `->`,
`into` or `to`; else the last ones of its type list, one for all where only one stands there.
"""

from __future__ import annotations

from layoutsolver.mlir.tree import Argument, Name, Op
from layoutsolver.ops.assembly import (
    Mismatch,
    TypeText,
    bind_generic,
    scan_type,
    skip_bracket,
    trailing_types,
)

_OPEN = frozenset("([{<")


class LooseOp:
    """What could be told of an operation: operand tokens, names that it defines for its regions, result types.

    `result_types` has one entry per result value (`%x:2` is two), None where the text tells nothing;
    `operand_types` is None where types cannot be matched with operands; `mismatch` is where the text departs from the
    generic form, if it is written in that.
    """

    __slots__ = ("arguments", "mismatch", "operand_types", "operands", "result_types")

    def __init__(
        self,
        operands: list[int],
        arguments: list[Argument] | None = None,
        result_types: list[TypeText | None] | None = None,
        operand_types: list[TypeText] | None = None,
        mismatch: Mismatch | None = None,
    ) -> None:
        self.operands = operands
        self.arguments: list[Argument] = [] if arguments is None else arguments
        self.result_types: list[TypeText | None] = [] if result_types is None else result_types
        self.operand_types = operand_types
        self.mismatch = mismatch


def bind_loose(op: Op) -> LooseOp:
    """Operands, region arguments and result types of an operation, by its shape alone."""
    count = sum(name.count for name in op.results)
    if op.is_generic:
        bound = bind_generic(op, None)
        if isinstance(bound, Mismatch):
            return LooseOp(list(op.uses), [], [None] * count, None, bound)
        operands = [token for _, token in bound.operands]
        return LooseOp(operands, [], list(bound.result_types), list(bound.operand_types))
    arguments = _header_arguments(op)
    defined = {argument.name.token for argument in arguments}
    operands = [token for token in op.uses if token not in defined]
    colon, arrow = _type_marks(op)
    loose = LooseOp(operands, arguments, [None] * count)
    if op.regions and arrow < 0:
        return _bind_behind_regions(op, loose, count)
    start = colon if colon >= 0 else arrow
    if start < 0:
        return loose
    sides = trailing_types(op, start + (colon >= 0))
    if isinstance(sides, Mismatch):
        return loose
    before, after = sides
    if after or arrow >= 0:
        types = list(after)
        if len(before) == len(operands):
            loose.operand_types = before
    elif count and len(before) == 1:
        types = [before[0]] * count
    elif count:
        types = list(before[-count:])
    else:
        types = []
        if len(before) == len(operands):
            loose.operand_types = before
    loose.result_types = (types + [None] * count)[:count]
    return loose


def _bind_behind_regions(op: Op, loose: LooseOp, count: int) -> LooseOp:
    """Add the result types that stand behind the last region, after `->` or `:`."""
    texts = op.stream.texts
    at = op.regions[-1].last
    while at < op.last and texts[at] not in ("->", ":"):
        at = skip_bracket(texts, at, op.last) if texts[at] in _OPEN else at + 1
    if count and at < op.last:
        sides = trailing_types(op, at + (texts[at] == ":"))
        if not isinstance(sides, Mismatch):
            types: list[TypeText | None] = list(sides[1] or sides[0])
            loose.result_types = (types + [None] * count)[:count]
    return loose


def _type_marks(op: Op) -> tuple[int, int]:
    """The last `:` outside brackets before any region, and the `->` behind it; -1 where there is none."""
    texts = op.stream.texts
    colon = arrow = -1
    last = op.regions[0].first if op.regions else op.last
    at = op.name_token + 1
    while at < last:
        token = texts[at]
        if token in _OPEN:
            at = skip_bracket(texts, at, last)
            continue
        if token == ":":
            colon, arrow = at, -1
        elif token == "->":
            arrow = at
        at += 1
    return (-1 if op.regions and arrow >= 0 else colon), arrow


def _header_arguments(op: Op) -> list[Argument]:
    """Names that the text in front of a region defines for it: `%i = …`, `(%x = %init)`, `(%i, %j) in …`, `%a: type`.

    Whether `%a: type` is a definition cannot be told from the text where an operand is printed with its type alike.
    """
    if not op.regions:
        return []
    texts = op.stream.texts
    head_end = op.regions[0].first
    arguments: list[Argument] = []
    for token in op.uses:
        if token >= head_end:
            continue
        follows = texts[token + 1]
        name = Name(texts[token], token)
        if follows == "=" or _in_name_list(texts, token):
            arguments.append(Argument(name, "", token, token))
        elif follows == ":" and texts[token - 1] in ("(", ","):
            last = scan_type(texts, token + 2, head_end) or token + 2
            text = op.stream.range_text(token + 2, last)
            arguments.append(Argument(name, text, token + 2, last))
    return arguments


def _in_name_list(texts: list[str], token: int) -> bool:
    """Whether the name stands in parentheses of names only, with `=` or `in` behind: `(%i, %j) = …`."""
    at = token + 1
    while texts[at] == "," and texts[at + 1][:1] == "%":
        at += 2
    if texts[at] != ")" or texts[at + 1] not in ("=", "in"):
        return False
    at = token - 1
    while texts[at] == "," and texts[at - 1][:1] == "%":
        at -= 2
    return texts[at] == "("
