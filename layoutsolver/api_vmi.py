"""The layouts of VMI programs: text in, decisions out, with the released compiler's beside them."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.api import read_source
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.build import ASSUMED_TRIP_COUNT, build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.tree import Module
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.pose.vmi.upstream.assign import UpstreamVmi
from layoutsolver.pose.vmi.upstream.choice import Choice, choice_of
from layoutsolver.pose.vmi.upstream.compat import upstream_of
from layoutsolver.pose.vmi.wishes import Wish, WishError, hinted, wished
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.problems.selection import KnownChoice, SelectionSolution, Value, evaluate, faults
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection


class VmiOptions(NamedTuple):
    """How to solve: what is minimised, layouts that are fixed or wished for, the released compiler's choice alone.

    `narrowing` is that compiler's preference for lane strides behind narrowing casts, which it can be told to drop.
    """

    objective: str = "pipes"
    pins: tuple[Wish, ...] = ()
    preferences: tuple[Wish, ...] = ()
    compat: str = ""
    narrowing: bool = True
    assumed_trip_count: int = ASSUMED_TRIP_COUNT
    limits: Limits = Limits()


class Released(NamedTuple):
    """What the released compiler makes of a program: its layouts, those as a choice of the problem, and what it issues.

    `issued` is None where it refuses the program or its layouts are no choice.
    """

    found: UpstreamVmi
    choice: Choice
    issued: Value | None


class VmiResult:
    """A module with the layouts of its vectors: the problem, its solution, and all that is to be said.

    `posed` is None where the input has errors that keep the question from being posed.
    """

    __slots__ = ("diagnostics", "graph", "module", "posed", "released", "solution")

    def __init__(self, module: Module) -> None:
        self.module = module
        self.diagnostics: list[Diagnostic] = list(module.diagnostics)
        self.graph: Graph | None = None
        self.posed: PosedVmi | None = None
        self.solution: SelectionSolution | None = None
        self.released: Released | None = None

    @property
    def unreadable(self) -> bool:
        """Whether the text itself is broken."""
        return any(item.severity == "error" for item in self.module.diagnostics)

    @property
    def ok(self) -> bool:
        """Whether there is a solution and nothing speaks against it."""
        answered = self.solution is not None and self.solution.status in ("optimal", "feasible")
        return answered and not any(item.severity == "error" for item in self.diagnostics)


def pose(source: SourceFile, options: VmiOptions | None = None) -> VmiResult:
    """The selection problem of a text, not yet solved, with the released compiler's choice to start from.

    Raises `WishError` for a pin or preference of no value.
    """
    chosen = options or VmiOptions()
    result = VmiResult(read_source(source))
    if result.unreadable:
        return result
    graph, found = build_graph(result.module, chosen.assumed_trip_count)
    result.diagnostics += found
    if any(item.severity == "error" for item in found):
        return result
    result.graph = graph
    posed = pose_vmi(graph, chosen.objective)
    result.diagnostics += posed.diagnostics
    if not posed.program.values:
        message = "the program has no vector of VMI: no layout is to be decided"
        result.diagnostics.append(Diagnostic("LS0307", "warning", message, Label(source, Span(0, 0))))
    if not any(item.severity == "error" for item in result.diagnostics):
        problem, wrong = hinted(posed)
        result.diagnostics += wrong
        if not wrong:
            posed = posed._replace(problem=problem)
            posed = posed._replace(problem=wished(posed, chosen.pins, chosen.preferences))
            result.released = _released(graph, posed, chosen)
            result.posed = started(posed, result.released)
    return result


def solve(source: SourceFile, options: VmiOptions | None = None) -> VmiResult:
    """Decide the layouts of all vectors of a text. Raises `WishError`."""
    chosen = options or VmiOptions()
    result = pose(source, chosen)
    if result.posed is None or result.graph is None or result.released is None:
        return result
    if chosen.compat == "upstream":
        result.posed = pose_vmi(result.graph, chosen.objective, released=True)
        _take_released(result, result.released)
        return result
    problem = result.posed.problem
    result.solution = solve_selection(problem, chosen.limits, problem.start)
    if result.solution.status == "infeasible":
        from layoutsolver.explain.vmi_conflict import conflict_of

        result.diagnostics.append(conflict_of(result.posed, chosen.limits))
    elif result.solution.status == "unknown":
        message = "no answer within the time limit"
        result.diagnostics.append(Diagnostic("LS0401", "error", message, Label(source, Span(0, 0))))
    elif result.solution.status == "feasible":
        at = result.solution
        message = f"time limit reached: the layouts are valid, and not proved the best (busiest pipe: {at.busiest})"
        result.diagnostics.append(Diagnostic("LS0402", "warning", message, Label(source, Span(0, 0))))
    return result


def started(posed: PosedVmi, released: Released) -> PosedVmi:
    """The problem with the released compiler's choice to start from, where it is one of this problem's."""
    start = KnownChoice(released.choice.variants, released.choice.conversions)
    usable = not released.choice.missing and not faults(posed.problem, *start)
    return posed._replace(problem=posed.problem._replace(start=start if usable else None))


def _released(graph: Graph, posed: PosedVmi, options: VmiOptions) -> Released:
    found = upstream_of(graph, options.narrowing)
    if found.final is None:
        return Released(found, Choice(missing=found.verdict.message), None)
    choice = choice_of(posed._replace(problem=posed.problem._replace(pins=())), found.net)
    issued = None
    if found.verdict.ok and not choice.missing:
        theirs = pose_vmi(graph, options.objective, released=True)
        chosen = choice_of(theirs, found.net)
        if not chosen.missing:
            issued = evaluate(theirs.problem, chosen.variants, chosen.conversions)
    return Released(found, choice, issued)


def _take_released(result: VmiResult, released: Released) -> None:
    """Let the released compiler's choice be the answer, or say why it has none."""
    assert result.posed is not None
    verdict = released.found.verdict
    source = result.module.source
    if not verdict.ok:
        span = Span(0, 0) if verdict.origin < 0 else result.posed.program.graph.ops[verdict.origin].span
        prefix = "" if verdict.message.startswith("VMI-") or verdict.kind[:4] != "VMI-" else f"{verdict.kind}: "
        message = f"the released compiler refuses the program: {prefix}{verdict.message}"
        result.diagnostics.append(Diagnostic("LS0803", "error", message, Label(source, span)))
        return
    choice = choice_of(result.posed, released.found.net)
    if choice.missing:
        message = f"the released compiler's layouts are no choice of the rules: {choice.missing}"
        result.diagnostics.append(Diagnostic("LS0804", "error", message, Label(source, Span(0, 0))))
    else:
        value = evaluate(result.posed.problem, choice.variants, choice.conversions)
        result.solution = SelectionSolution("feasible", choice.variants, choice.conversions, *value)


def annotate(result: VmiResult) -> str:
    """The text with its layouts in the types, and copies and conversions as operations.

    Raises `ValueError` unless the result is `ok`.
    """
    if not result.ok or result.posed is None or result.solution is None:
        raise ValueError("there is no solution to write")
    from layoutsolver.backends import load_vmi_writer
    from layoutsolver.mlir.edits import apply_edits

    return apply_edits(result.module.source.text, load_vmi_writer()(result.posed, result.solution))


__all__ = ["Released", "VmiOptions", "VmiResult", "WishError", "annotate", "pose", "solve"]
