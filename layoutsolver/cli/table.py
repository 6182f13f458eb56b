"""Plain-text tables of decisions."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver.api import SolveResult


def render_table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Columns under a head, those in `right` aligned to the right; ends in a line break.

    >>> print(render_table(["n", "name"], [["1", "a"], ["10", "b"]], right=[0]), end="")
     n  name
     1  a
    10  b
    """
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def decision_table(result: SolveResult) -> str:
    """What was decided, a row for each operation with a rule, and a summary line."""
    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    rows: list[list[str]] = []
    for number, chosen in sorted(enumerate(solution.rows), key=lambda item: posed.op_of_relation[item[0]]):
        relation = posed.problem.relations[number]
        row = posed.problem.tables[relation.table].rows[chosen]
        placed = dict.fromkeys(
            f"{posed.problem.values[value].id}:{layout}"
            for value, layout in zip(relation.values, row.layouts, strict=True)
        )
        line = str(relation.where.line) if relation.where is not None else ""
        dist = row.attrs.get("functionType", "")
        rows.append([line, relation.op, " ".join(placed), dist, row.rule, str(relation.weight), str(row.cost)])
    head = ["line", "operation", "layouts", "functionType", "rule", "runs", "extra"]
    vectors = sum(1 for value in posed.value_of if posed.graph.values[value].vector is not None)
    summary = (
        f"{solution.status}: {solution.cost} extra instructions executed, {vectors} vectors, "
        f"{len(solution.rows)} operations, chip {posed.chip}"
    )
    return f"{render_table(head, rows, right=[0, 5, 6])}\n{summary}\n"
