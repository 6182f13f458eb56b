"""The released analyzer's own "No Solve" block, for scripts that parse it; with the operation at which it really fails.

Source: the report of release 1.2.0, key by key.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutsolver.graph.model import OpNode
from layoutsolver.pose.posed import Posed
from layoutsolver.pose.upstream import groups_before
from layoutsolver_models.problems.layout import LayoutProblem
from layoutsolver_models.solve.count import count_solutions
from layoutsolver_models.solve.layout import solve_layout

_RULE = "=" * 54

_CAUSES = (
    ("The operation type may not be handled in solveProblem TypeSwitch.", "Add a new Case for {op} in solveProblem()."),
    (
        "The specific VecMemType combination is not supported by this op.",
        "Check COMB_CASE branches in the corresponding solveProblem function.",
    ),
    (
        "Conflicting layout requirements from multiple consumers.",
        "Check if the operands/results have incompatible layout constraints.",
    ),
    (
        "Unsupported element bitwidth (only 1/8/16/32 are supported).",
        "Verify all vector types have supported bitwidths.",
    ),
)


def upstream_report(posed: Posed, failing: int) -> str:
    """The block for a program that was posed in compat mode and fails at operation `failing` (graph index)."""
    return "\n".join(_lines(posed, posed.graph.ops[failing])) + "\n"


def _lines(posed: Posed, node: OpNode) -> Iterator[str]:
    graph = posed.graph
    source = graph.module.source
    if not graph.vectors(node.results) and (
        node.spec is None or node.spec.rule in ("return", "scatter", "unaligned_store")
    ):
        yield f"Not Implemented Vector Store Op: {_printed(node)}"
    line, column = source.line_column(node.op.name_span.start)
    yield "No Solve"
    yield "========== Vector Layout Analysis Failure =========="
    yield f'Location: loc("{source.name}":{line}:{column})'
    yield f"Operation: {_printed(node)}"
    yield f"Opcode: {node.name}"
    yield "Operand types:"
    yield from (f"  {graph.values[value].type.text}" for value in node.operands if value >= 0)
    yield "Result types:"
    yield from (f"  {graph.values[value].type.text}" for value in node.results)
    before, known = groups_before(posed, node.index)
    count = count_solutions(before).total
    yield f"Candidates in the solution space: {count}"
    if count:
        yield "Input states from last valid candidates:"
        yield from _states(posed, before, known)
    yield ""
    yield "Possible causes and solutions:"
    for number, (cause, hint) in enumerate(_CAUSES, 1):
        yield f"  {number}. {cause}"
        yield f"     -> {hint.format(op=node.name)}"
    yield _RULE


def _states(posed: Posed, before: LayoutProblem, known: list[int]) -> Iterator[str]:
    """The values that have a layout in the first candidate, in the order of the program.

    An argument of a loop that nobody uses never gets one, as the loop takes over that of its result.
    """
    solution = solve_layout(before._replace(objective=("preference",)))
    graph = posed.graph
    for number in known:
        value = graph.values[posed.value_of[number]]
        if value.vector is None or (value.op < 0 and not graph.users[value.index]):
            continue
        printed = _printed(graph.ops[value.op]) if value.op >= 0 else f"<block argument> of type '{value.type.text}'"
        yield f"  Value: {printed}  State: {solution.layouts[known.index(number)]}"


def _printed(node: OpNode) -> str:
    """The operation's own text in one line."""
    stream = node.op.stream
    first, last = stream.piece_index[node.op.first], stream.piece_index[node.op.last - 1] + 1
    if node.op.regions:
        last = stream.piece_index[node.op.regions[0].first]
    return " ".join("".join(piece for piece in stream.pieces[first:last] if piece[:2] != "//").split())
