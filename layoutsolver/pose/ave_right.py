"""The rows of an operation's table under which it does what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layoutsolver.graph.model import OpNode
from layoutsolver.pose.ave_lanes import LaneJudge, Wrong
from layoutsolver_models.problems.layout import Refusal
from layoutsolver_models.vecmem import DOMAINS

if TYPE_CHECKING:
    from layoutsolver.pose.ave import _Poser


def right_rows(poser: _Poser, judge: LaneJudge, node: OpNode, table: int, values: list[int]) -> int:
    """The number of the table without the rows under which the operation does not do what it means.

    Rows that the values' lengths exclude anyway stay as they are, and those for other widths go as well.
    """
    check = judge.check(node)
    reasons = poser.tables.refuted.get(node.spec.rule, {}) if node.spec is not None else {}
    if check is None and not reasons:
        return table
    refused, foreign = [], []
    known = [poser.values[poser.number[value]] for value in values]
    for place, row in enumerate(poser.tables.tables[table].rows):
        if not all(layout in value.domain for layout, value in zip(row.layouts, known, strict=True)):
            if not all(layout in DOMAINS[value.bits] for layout, value in zip(row.layouts, known, strict=True)):
                foreign.append(place)
            continue
        reason = reasons.get(row.rule)
        found = Wrong(row.rule, reason) if reason else None
        if found is None and check is not None:
            found = check(dict(zip(values, row.layouts, strict=True)))
        if found is not None:
            refused.append(Refusal(row.rule, row.layouts, found.rule, found.why, found.help))
    return poser.tables.restricted(table, tuple(refused), tuple(foreign)) if refused else table
