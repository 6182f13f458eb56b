"""The layouts of VMI programs: text in, decisions out, with the released compiler's beside them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Literal, NamedTuple

from layoutsolver.api import read_source
from layoutsolver.backends import load_register_peaks
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.build import ASSUMED_TRIP_COUNT, build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.tree import Module
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.pose.vmi.upstream.assign import UpstreamVmi
from layoutsolver.pose.vmi.upstream.choice import Choice, choice_of
from layoutsolver.pose.vmi.upstream.compat import refusal, upstream_of
from layoutsolver.pose.vmi.wishes import Wish, Wished, WishError, hinted, wished
from layoutsolver.source import SourceFile, Span
from layoutsolver.vmi.arch import arch_of, registers_of
from layoutsolver.vmi.peak import RegisterPeak
from layoutsolver.vmi.within import Within, bounded, solve_within
from layoutsolver_models.problems.selection import KnownChoice, SelectionSolution, Value, evaluate, faults
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection_wishes import with_wishes
from layoutsolver_models.targets.chip import RegisterLimits


class VmiOptions(NamedTuple):
    """How to solve: what is minimised, layouts that are fixed or wished for, the released compiler's choice alone.

    `narrowing` is that compiler's preference for lane strides behind narrowing casts, which it can be told to drop.
    `registers` are those that may be live at once: so many, or `chip` for those of the architecture of the file.
    `conflicts` is how many independent contradictions are explained.
    """

    objective: str = "pipes"
    pins: tuple[Wish, ...] = ()
    preferences: tuple[Wish, ...] = ()
    compat: str = ""
    narrowing: bool = True
    assumed_trip_count: int = ASSUMED_TRIP_COUNT
    limits: Limits = Limits()
    registers: RegisterLimits | Literal["chip"] | None = None
    conflicts: int = 3


class Released(NamedTuple):
    """What the released compiler makes of a program: its layouts, those as a choice of the problem, and what it issues.

    `issued` is None where it refuses the program or its layouts are no choice.
    """

    found: UpstreamVmi
    choice: Choice
    issued: Value | None


class VmiResult:
    """A module with the layouts of its vectors: the problem, its solution, and all that is to be said.

    `posed` is None where the input has errors that keep the question from being posed. `peaks` are the registers that
    are live at most once the solution is lowered, None where it is not; `wishes` are the user's, hints first.
    """

    __slots__ = ("_ask_released", "_released", "diagnostics", "graph", "module", "peaks", "posed", "solution", "wishes")

    def __init__(self, module: Module) -> None:
        self.module = module
        self.diagnostics: list[Diagnostic] = list(module.diagnostics)
        self.graph: Graph | None = None
        self.posed: PosedVmi | None = None
        self.solution: SelectionSolution | None = None
        self._ask_released: Callable[[], Released] | None = None
        self._released: Released | None = None
        self.peaks: tuple[RegisterPeak, ...] | None = None
        self.wishes: tuple[Wished, ...] = ()

    @property
    def released(self) -> Released | None:
        """What the released compiler makes of the program, found out when it is first asked for; None where nobody can.

        It takes longer than most solutions.
        """
        if self._released is None and self._ask_released is not None:
            self._released = self._ask_released()
        return self._released

    def set_released(self, ask: Callable[[], Released]) -> None:
        """Say how to find out what the released compiler makes of the program."""
        self._ask_released = ask

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

    With `compat` it is what the released compiler chooses from: the layouts that it can carry out, by its instructions.
    Raises `WishError` for a pin or preference of no value.
    """
    chosen = options or VmiOptions()
    result = _posed(source, chosen)
    if result.posed is not None and not chosen.compat:
        start = _start(result)
        if start is not None:
            result.posed = result.posed._replace(problem=result.posed.problem._replace(start=start))
    return result


def _posed(source: SourceFile, chosen: VmiOptions) -> VmiResult:
    """The problem of a text without a choice to start from."""
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
    if not posed.program.values and not any(item.severity == "error" for item in posed.diagnostics):
        message = "the program has no vector of VMI: no layout is to be decided"
        result.diagnostics.append(Diagnostic("LS0307", "warning", message, Label(source, Span(0, 0))))
    if not any(item.severity == "error" for item in result.diagnostics):
        problem, hints, wrong = hinted(posed)
        result.diagnostics += wrong
        if not wrong:
            posed = posed._replace(problem=problem)
            problem, wishes = wished(posed, chosen.pins, chosen.preferences)
            posed = posed._replace(problem=problem)
            pinned = {wish.value for wish in wishes if wish.fixed}  # the command line goes before the text
            result.wishes = (*(hint for hint in hints if hint.value not in pinned), *wishes)
            result.set_released(partial(_released, graph, posed, chosen))
            if chosen.compat:
                result.posed = pose_vmi(graph, chosen.objective, released=True)
            else:
                result.posed = posed
                _limit_registers(result, chosen)
    return result


def asked(source: SourceFile, passes: Collection[str]) -> VmiResult:
    """What passes of the released compiler say of a text, each by its name there. Raises `ValueError` for another."""
    from layoutsolver.pose.vmi.upstream.passes import passes_verdict

    result = VmiResult(read_source(source))
    if result.unreadable:
        return result
    graph, found = build_graph(result.module)
    result.diagnostics += found
    verdict = passes_verdict(graph, passes)
    if not verdict.ok and not any(item.severity == "error" for item in found):
        result.diagnostics.append(refusal(graph, verdict))
    return result


def _limit_registers(result: VmiResult, options: VmiOptions) -> None:
    """Say how many registers there are, if that is asked for; what wishes cost is to be known with these limits."""
    assert result.posed is not None
    limits = options.registers
    if limits is None:
        return
    if limits == "chip":
        graph = result.posed.program.graph
        found = registers_of(graph)
        if found is None:
            message = f"how many registers `{arch_of(graph)}` has is not known: give their numbers"
            result.diagnostics.append(Diagnostic("LS0308", "error", message, Label(result.module.source, Span(0, 0))))
            result.posed = None
            return
        limits = found
    result.posed = result.posed._replace(registers=limits)
    if result.wishes:
        result.posed = bounded(result.posed, limits)


def solve(source: SourceFile, options: VmiOptions | None = None) -> VmiResult:
    """Decide the layouts of all vectors of a text. Raises `WishError`."""
    chosen = options or VmiOptions()
    result = _posed(source, chosen)
    if result.posed is None:
        return result
    if chosen.compat == "upstream":
        released = result.released
        assert released is not None
        _take_released(result, released)
        return result
    within = solve_within(result.posed, chosen.limits, partial(_start, result))
    result.posed = within.posed
    result.solution = with_wishes(result.posed.problem, within.solution, chosen.limits)
    result.peaks = within.peaks
    _say_what_came(result, within, chosen)
    if result.ok and result.wishes:
        from layoutsolver.explain.vmi_wishes import wish_notes

        result.diagnostics += wish_notes(result.posed, result.solution, result.wishes, chosen.limits)
    return result


def _say_what_came(result: VmiResult, within: Within, options: VmiOptions) -> None:
    """Add what is to be said of a solution, or of there being none."""
    assert result.posed is not None
    assert result.solution is not None
    source, solution = result.module.source, result.solution
    if solution.status == "infeasible":
        from layoutsolver.explain.vmi_conflict import conflicts_of

        result.diagnostics += conflicts_of(result.posed, options.limits, options.conflicts)
    elif within.ended and result.posed.registers is not None:
        from layoutsolver.explain.vmi_registers import not_found

        result.diagnostics.append(not_found(source, result.posed.registers))
    elif solution.status == "unknown":
        message = "no answer within the time limit"
        result.diagnostics.append(Diagnostic("LS0401", "error", message, Label(source, Span(0, 0))))
    elif solution.status == "feasible":
        message = (
            f"time limit reached: the layouts are valid, and not proved the best (busiest pipe: {solution.busiest})"
        )
        result.diagnostics.append(Diagnostic("LS0402", "warning", message, Label(source, Span(0, 0))))
    _warn_of_registers(result)


def _warn_of_registers(result: VmiResult) -> None:
    """Say where more registers are live than there are."""
    assert result.posed is not None
    there = result.posed.registers or registers_of(result.posed.program.graph)
    if result.peaks is None or there is None or all(peak.registers <= min(there) for peak in result.peaks):
        return
    from layoutsolver.explain.vmi_registers import exceeded

    result.diagnostics += exceeded(result.posed, result.peaks, there)


def _start(result: VmiResult) -> KnownChoice | None:
    """The released compiler's choice, where it is one of the problem."""
    posed, released = result.posed, result.released
    if posed is None or released is None or released.choice.missing:
        return None
    start = KnownChoice(released.choice.variants, released.choice.conversions)
    return None if faults(posed.problem, *start) else start


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
    source = result.module.source
    if not released.found.verdict.ok:
        result.diagnostics.append(refusal(result.posed.program.graph, released.found.verdict))
        return
    choice = choice_of(result.posed, released.found.net)
    if choice.missing:
        message = f"the released compiler's layouts are no choice of the rules: {choice.missing}"
        result.diagnostics.append(Diagnostic("LS0804", "error", message, Label(source, Span(0, 0))))
    else:
        value = evaluate(result.posed.problem, choice.variants, choice.conversions)
        result.solution = SelectionSolution("feasible", choice.variants, choice.conversions, *value)
        result.peaks = load_register_peaks()(result.posed, result.solution)
        _warn_of_registers(result)


def annotate(result: VmiResult) -> str:
    """The text with its layouts in the types, and copies and conversions as operations.

    Raises `ValueError` unless the result is `ok`.
    """
    if not result.ok or result.posed is None or result.solution is None:
        raise ValueError("there is no solution to write")
    from layoutsolver.backends import load_vmi_writer
    from layoutsolver.mlir.edits import apply_edits

    return apply_edits(result.module.source.text, load_vmi_writer()(result.posed, result.solution))


__all__ = ["Released", "VmiOptions", "VmiResult", "WishError", "annotate", "asked", "pose", "solve"]
