"""How many bytes copies touch on either side. Source: PTO ISA document, DMA copy and pto.mte_ub_ub."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.fusion.affine import Numbers
from layoutsolver.fusion.code import Straight
from layoutsolver.ops.assembly import skip_bracket

_LENGTH = {"pto.mte_gm_ub": 3, "pto.mte_ub_gm": 2, "pto.mte_ub_ub": 2}
"""Which operand is the length of a burst; it is the last one before the groups."""

_BLOCK = 32
"""The bytes that `mte_ub_ub` counts in."""


class Spans(NamedTuple):
    """The bytes from the first to the last that a copy touches behind its source and its target; None if not known."""

    source: int | None = None
    target: int | None = None


def spans_of(item: Straight, numbers: Numbers) -> Spans:
    """The bytes that a copy touches, where all that says so is a number."""
    name = item.node.name
    if name not in _LENGTH:
        return Spans()
    plain, groups = _operands(item)
    bursts = groups.get("nburst", [])
    if len(plain) != _LENGTH[name] + 1 or len(bursts) != 1:
        return Spans()
    length = numbers.constant(plain[_LENGTH[name]])
    rows: list[tuple[int, int, int]] = []
    for group in (*bursts, *groups.get("loop", [])):
        row = [numbers.constant(value) for value in group]
        if len(row) != 3 or any(number is None or number < 0 for number in row):
            return Spans()
        rows.append((row[0] or 0, row[1] or 0, row[2] or 0))
    if length is None or length < 0:
        return Spans()
    if name == "pto.mte_ub_ub":
        (count, *gaps) = rows[0]
        return Spans(*(_reach(length * _BLOCK, [(count, (length + gap) * _BLOCK)]) for gap in gaps))
    written = max(length, rows[0][2]) if "pad" in groups else length
    return Spans(
        _reach(length, [(count, stride) for count, stride, _ in rows]),
        _reach(written, [(count, stride) for count, _, stride in rows]),
    )


def _reach(length: int, rows: list[tuple[int, int]]) -> int:
    """The bytes from the first to the last of bursts, each row of which has a count and a stride.

    >>> _reach(64, [(3, 256)]), _reach(64, [(2, 64), (2, 1024)]), _reach(64, [(0, 64)])
    (576, 1152, 0)
    """
    if any(count == 0 for count, _ in rows):
        return 0
    return length + sum((count - 1) * stride for count, stride in rows)


def _operands(item: Straight) -> tuple[list[int], dict[str, list[list[int]]]]:
    """The operands before the first group, and those of each group by its name, in order."""
    op = item.node.op
    texts = op.stream.texts
    by_token = dict(zip(item.node.operand_tokens, item.operands, strict=True))
    plain: list[int] = []
    groups: dict[str, list[list[int]]] = {}
    at = op.name_token + 1
    while at < op.last and texts[at] != ":":
        if texts[at] != "(":
            if at in by_token:
                plain.append(by_token[at])
            at += 1
            continue
        end = skip_bracket(texts, at, op.last)
        groups.setdefault(texts[at - 1], []).append([by_token[token] for token in range(at, end) if token in by_token])
        at = end
    return plain, groups
