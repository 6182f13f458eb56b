"""The verbs as functions: text in, answer out. The command line and the service are thin layers over these."""

from __future__ import annotations

from dataclasses import dataclass, field

from layoutsolver.diagnostics.diagnostic import Diagnostic, Edit, Label
from layoutsolver.graph.build import ASSUMED_TRIP_COUNT, build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.mlir.reader import read
from layoutsolver.mlir.tree import Module
from layoutsolver.pose.ave import PoseOptions, pose_ave
from layoutsolver.pose.posed import Posed
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.problems.layout import LayoutSolution
from layoutsolver_models.solve.layout import Limits, solve_layout


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """How to solve: `compat` is empty or `upstream`; `chip` empty for the file's own; limits as for the solver."""

    compat: str = ""
    chip: str = ""
    assumed_trip_count: int = ASSUMED_TRIP_COUNT
    limits: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class SolveResult:
    """A module solved: the posed problem, its solution, and all that is to be said.

    `solution` is None where the input has errors that keep the question from being posed; `verdict` is the released
    analyzer's in compat mode, else empty.
    """

    module: Module
    diagnostics: list[Diagnostic]
    posed: Posed | None = None
    solution: LayoutSolution | None = None
    verdict: str = ""

    @property
    def unreadable(self) -> bool:
        """Whether the text itself is broken."""
        return any(item.severity == "error" for item in self.module.diagnostics)

    @property
    def ok(self) -> bool:
        """Whether there is a solution and nothing speaks against writing it."""
        has_answer = self.solution is not None and self.solution.status in ("optimal", "feasible")
        return has_answer and not any(item.severity == "error" for item in self.diagnostics)


def read_source(source: SourceFile) -> Module:
    """The tree of a text, an empty text being an error of its own."""
    module = read(source)
    if not module.ops and not module.diagnostics:
        label = Label(source, Span(0, 0))
        message = "the input is empty" if not source.text.strip() else "the input holds no operation"
        module.diagnostics.append(Diagnostic("LS0002", "error", message, label))
    return module


def graph_of(module: Module, options: SolveOptions | None = None) -> tuple[Graph, list[Diagnostic]]:
    """The dataflow graph of a module and what is wrong with its names and types."""
    return build_graph(module, (options or SolveOptions()).assumed_trip_count)


def pose(source: SourceFile, options: SolveOptions | None = None) -> SolveResult:
    """The layout problem of a text, not yet solved; `posed` is None if the text has errors."""
    chosen = options or SolveOptions()
    module = read_source(source)
    result = SolveResult(module, list(module.diagnostics))
    if result.unreadable:
        return result
    graph, found = graph_of(module, chosen)
    result.diagnostics += found
    posed = pose_ave(graph, PoseOptions(chosen.compat == "upstream", chosen.chip))
    result.diagnostics += posed.diagnostics
    if not any(item.severity == "error" for item in result.diagnostics):
        result.posed = posed
    return result


def solve(source: SourceFile, options: SolveOptions | None = None) -> SolveResult:
    """Decide the layout of every vector of a text."""
    chosen = options or SolveOptions()
    result = pose(source, chosen)
    if result.posed is None:
        return result
    result.solution = solve_layout(result.posed.problem, chosen.limits)
    if chosen.compat == "upstream":
        _add_verdict(result)
    elif result.solution.status == "infeasible":
        from layoutsolver.explain.conflict import conflict_diagnostic

        result.diagnostics.append(conflict_diagnostic(result.posed, result.solution))
    if result.solution.status == "unknown":
        result.diagnostics.append(_limit(result, "LS0401", "no answer within the time limit"))
    elif result.solution.status == "feasible":
        gap = f"the cost is {result.solution.cost}, at least {result.solution.bound} is needed"
        found = _limit(result, "LS0402", f"time limit reached: {gap}")
        result.diagnostics.append(Diagnostic(found.code, "warning", found.message, found.primary))
    return result


def _limit(result: SolveResult, code: str, message: str) -> Diagnostic:
    return Diagnostic(code, "error", message, Label(result.module.source, Span(0, 0)))


def _add_verdict(result: SolveResult) -> None:
    """The released analyzer's verdict; what it does not check, as warnings."""
    from layoutsolver.explain.conflict import conflict_diagnostic
    from layoutsolver.pose.capacity import overfull
    from layoutsolver.pose.upstream import upstream_verdict

    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    if solution.status == "unknown":
        return
    verdict = upstream_verdict(posed, solution)
    result.verdict = verdict.kind
    if verdict.kind == "solved":
        result.diagnostics += overfull(posed, solution)
        return
    node = posed.graph.ops[verdict.op]
    label = Label(result.module.source, node.span)
    if verdict.kind == "no_solve":
        message = f"No Solve at `{node.name}`: {verdict.reason}"
        conflict = conflict_diagnostic(posed, solution) if solution.status == "infeasible" else None
        secondary = _labels(conflict) if conflict is not None else ()
        notes = (conflict.message, *conflict.notes) if conflict is not None else ()
        label = next((item for item in secondary if item.span == label.span), label)
        secondary = tuple(item for item in secondary if item.span != label.span)
        result.diagnostics.append(Diagnostic("LS0101", "error", message, label, secondary, notes))
        return
    ends = {
        "assertion": "stops with an assertion",
        "crash": "crashes",
        "verifier": "solves it, but its verifier rejects the result",
    }[verdict.kind]
    message = f"the released analyzer {ends} at `{node.name}`: {verdict.reason}"
    note = "without `--compat upstream` this program is solved, or its conflict explained"
    result.diagnostics.append(Diagnostic("LS0103", "error", message, label, notes=(note,)))


def _labels(diagnostic: Diagnostic) -> tuple[Label, ...]:
    first = () if diagnostic.primary is None else (diagnostic.primary,)
    return (*first, *diagnostic.secondary)


def annotate(result: SolveResult, layouts: bool = False) -> str:
    """The text with its layouts written in; raises `ValueError` unless the result is `ok`."""
    if not result.ok or result.posed is None or result.solution is None:
        raise ValueError("there is no solution to write")
    from layoutsolver.backends import load_backend

    edits: list[Edit] = load_backend("ave").annotate(result.posed, result.solution, layouts)
    return apply_edits(result.module.source.text, edits)
