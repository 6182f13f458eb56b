"""The verbs as functions: text in, answer out. The command line and the service are thin layers over these."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Edit, Label
from layoutsolver.graph.build import ASSUMED_TRIP_COUNT, build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.mlir.reader import read
from layoutsolver.mlir.tree import Module
from layoutsolver.ops.registry import target_of
from layoutsolver.pose.ave import PoseOptions, pose_ave
from layoutsolver.pose.ave_check import attribute_faults
from layoutsolver.pose.posed import Posed
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.problems.layout import LayoutSolution
from layoutsolver_models.solve.layout import Limits, solve_layout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from layoutsolver.explain.repair import FoundRepair
    from layoutsolver.pose.upstream import Verdict
    from layoutsolver.pose.vmi.borders import Border
    from layoutsolver.verify.run import VerifyResult
    from layoutsolver_models.solve.conflict import Conflict

    Proof = Callable[["SolveResult"], tuple[str, list[Diagnostic]]]
    """Runs a repaired program against the one that it was made of: what came of it, and what speaks against it."""


class SolveOptions(NamedTuple):
    """How to solve: `compat` is empty or `upstream`; `chip` empty for the file's own; limits as for the solver.

    `conflicts` is how many conflicts are looked for and `repairs` how many repairs, where there is no solution;
    `target` is what layouts are decided of, by default what the operations of the text are of.
    """

    compat: str = ""
    chip: str = ""
    assumed_trip_count: int = ASSUMED_TRIP_COUNT
    limits: Limits = Limits()
    conflicts: int = 3
    repairs: int = 3
    target: str = "auto"


class SolveResult:
    """A module solved: the posed problem, its solution, and all that is to be said.

    `solution` is None where the input has errors that keep the question from being posed; `verdict` is the released
    analyzer's in compat mode. Of an infeasible program, `conflicts` and `repairs` are what was found, best first.
    """

    __slots__ = ("conflicts", "diagnostics", "module", "posed", "repairs", "solution", "upstream")

    def __init__(
        self,
        module: Module,
        diagnostics: list[Diagnostic],
        posed: Posed | None = None,
        solution: LayoutSolution | None = None,
        upstream: Verdict | None = None,
        conflicts: list[Conflict] | None = None,
        repairs: list[FoundRepair] | None = None,
    ) -> None:
        self.module = module
        self.diagnostics = diagnostics
        self.posed = posed
        self.solution = solution
        self.upstream = upstream
        self.conflicts: list[Conflict] = [] if conflicts is None else conflicts
        self.repairs: list[FoundRepair] = [] if repairs is None else repairs

    @property
    def verdict(self) -> str:
        """The released analyzer's verdict, empty outside of compat mode."""
        return self.upstream.kind if self.upstream is not None else ""

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
    """The dataflow graph of a module and what is wrong with its names and types.

    Loops that the released analyzer takes and that never end are warnings in compat mode.
    """
    chosen = options or SolveOptions()
    graph, found = build_graph(module, chosen.assumed_trip_count)
    if chosen.compat == "upstream":
        found = [item._replace(severity="warning") if item.code == "LS0210" else item for item in found]
    return graph, found


def pose(source: SourceFile, options: SolveOptions | None = None) -> SolveResult:
    """The layout problem of a text, not yet solved; `posed` is None if the text has errors."""
    chosen = options or SolveOptions()
    module = read_source(source)
    result = SolveResult(module, list(module.diagnostics))
    if result.unreadable:
        return result
    graph, found = graph_of(module, chosen)
    result.diagnostics += found
    if any(item.severity == "error" for item in found):
        return result
    target = target_of(module) if chosen.target == "auto" else chosen.target
    if target != "ave":
        message = f"layouts of `{target}` programs are not decided here, only those of `ave.hir` ones"
        result.diagnostics.append(Diagnostic("LS0309", "error", message, Label(source, Span(0, 0))))
        return result
    posed = pose_ave(graph, PoseOptions(chosen.compat == "upstream", chosen.chip))
    result.diagnostics += posed.diagnostics
    if not any(item.severity == "error" for item in result.diagnostics):
        result.posed = posed
    return result


def solve(source: SourceFile, options: SolveOptions | None = None) -> SolveResult:
    """Decide the layout of every vector of a text; where that cannot be, say why and what would help."""
    chosen = options or SolveOptions()
    result = decide(source, chosen)
    if result.posed is None or result.solution is None:
        return result
    if result.solution.status == "infeasible" and result.verdict in ("", "no_solve"):
        _explain(result, chosen)
    elif result.upstream is not None and result.upstream.kind != "solved":
        result.diagnostics.append(_stopped(result, result.posed, result.upstream))
    if result.verdict == "solved":
        from layoutsolver.pose.capacity import overfull
        from layoutsolver.pose.refuted import refuted

        result.diagnostics += overfull(result.posed, result.solution)
        result.diagnostics += refuted(result.posed, result.solution)
    return result


def decide(source: SourceFile, options: SolveOptions) -> SolveResult:
    """Solve without explaining anything: a conflict shows in the solution and the verdict alone."""
    result = pose(source, options)
    if result.posed is None:
        return result
    solution = result.solution = solve_layout(result.posed.problem, options.limits)
    if solution.status == "unknown":
        result.diagnostics.append(_limit(result, "LS0401", "no answer within the time limit"))
        return result
    if solution.status == "feasible":
        gap = f"the cost is {solution.cost}, at least {solution.bound} is needed"
        found = _limit(result, "LS0402", f"time limit reached: {gap}")
        result.diagnostics.append(found._replace(severity="warning"))
    if options.compat == "upstream":
        from layoutsolver.pose.upstream import upstream_verdict

        result.upstream = upstream_verdict(result.posed, solution)
    return result


def repaired(result: SolveResult, options: SolveOptions, proof: Proof | None = None) -> SolveResult | None:
    """The solved program after its cheapest repair, None if there is no repair; says what was changed.

    With a proof it is the cheapest repair that passes it; where none does, the cheapest one with what was found.
    """
    failed: SolveResult | None = None
    for found in result.repairs:
        after = _after_repair(result, found, options)
        if proof is None or not after.ok:
            return after
        sentence, said = proof(after)
        made = after.diagnostics.pop()
        after.diagnostics += [made._replace(notes=(*made.notes, sentence)), *said]
        if after.ok:
            return after
        failed = failed or after
    return failed


def _after_repair(result: SolveResult, best: FoundRepair, options: SolveOptions) -> SolveResult:
    source = result.module.source
    after = solve(SourceFile(source.name, best.text, source.first_line), options)
    cheapest = "the cheapest repair" if best.repair.proved else "the cheapest repair found near the conflict"
    runs = f"{best.cost} extra instruction{'s' * (best.cost != 1)} executed"
    notes = (*best.sentences, f"{cheapest}: {runs}, beside those of the layouts")
    changes = best.repair.changes
    message = f"the program was repaired by {changes} change{'s' * (changes != 1)}"
    after.diagnostics.append(Diagnostic("LS0105", "warning", message, notes=notes))
    return after


def _limit(result: SolveResult, code: str, message: str) -> Diagnostic:
    return Diagnostic(code, "error", message, Label(result.module.source, Span(0, 0)))


def _explain(result: SolveResult, options: SolveOptions) -> None:
    """Find conflicts and repairs, and say them."""
    from layoutsolver.explain.conflict import conflict_diagnostic
    from layoutsolver.explain.repair import find_repairs
    from layoutsolver_models.solve.conflict import Conflict, find_conflicts

    posed = result.posed
    assert posed is not None
    first = result.solution.conflict if result.solution is not None else ()
    known = [Conflict(first, result.solution.minimal)] if result.solution is not None and first else []
    result.conflicts = find_conflicts(posed.problem, options.conflicts, options.limits, known)
    refused = result.upstream is not None and "no rule" in result.upstream.reason
    if options.repairs and not refused:
        plain = options._replace(repairs=0, conflicts=0)

        def works(text: str) -> bool:
            answer = decide(SourceFile(result.module.source.name, text), plain)
            return answer.ok and answer.verdict in ("", "solved")

        result.repairs = find_repairs(posed, result.conflicts, options.repairs, options.limits, works)
    fixes = tuple(found.fix() for found in result.repairs)
    if result.upstream is not None:
        result.diagnostics.append(_no_solve(result, posed, result.upstream))
    for number, conflict in enumerate(result.conflicts):
        found = conflict_diagnostic(posed, conflict, fixes if number == 0 else ())
        if number == 0 and options.repairs and not fixes and not refused:
            found = found._replace(notes=(*found.notes, "no change of layouts alone repairs this program"))
        elif number == 0 and fixes and len(result.conflicts) > 1:
            found = found._replace(notes=(*found.notes, "each repair below repairs all conflicts of the program"))
        result.diagnostics.append(found)


def _no_solve(result: SolveResult, posed: Posed, verdict: Verdict) -> Diagnostic:
    node = posed.graph.ops[verdict.op]
    message = f"No Solve at `{node.name}`: {verdict.reason}"
    return Diagnostic("LS0106", "error", message, Label(result.module.source, node.span, "the analyzer stops here"))


def _stopped(result: SolveResult, posed: Posed, verdict: Verdict) -> Diagnostic:
    """What is to be said where the released analyzer gives no layouts though it finds no conflict."""
    if verdict.kind == "no_solve":
        return _no_solve(result, posed, verdict)
    ends = {
        "assertion": "stops with an assertion",
        "crash": "crashes",
        "verifier": "solves it, but its verifier rejects the result",
    }[verdict.kind]
    node = posed.graph.ops[verdict.op]
    message = f"the released analyzer {ends} at `{node.name}`: {verdict.reason}"
    note = "without `--compat upstream` this does not matter"
    return Diagnostic("LS0103", "error", message, Label(result.module.source, node.span), notes=(note,))


class LowerOptions(NamedTuple):
    """How to lower: to which form, in which dialect of it (empty: its default), and with which decisions.

    `solved` keeps the functionTypes of the text and solves nothing; `layouts_from_file` keeps the layouts of its
    vector types as well (of VMI, it does not convert any). Otherwise the text is solved first, as `solving` says. With
    `solving.compat` "upstream" the lowering is the production compiler's as well, right or wrong; else it does what the
    program means.
    """

    to: str = "ave-intrin"
    dialect: str = ""
    solved: bool = False
    layouts_from_file: bool = False
    solving: SolveOptions = SolveOptions()


class LowerResult:
    """A module lowered: its text, None where there are errors, what is to be said, and the result of solving it.

    `limited` is whether a limit was reached, so that there is no answer or none that is proved the best. `borders` say
    in which layouts the functions of a VMI program take and give vectors, by their symbols.
    """

    __slots__ = ("borders", "diagnostics", "limited", "solving", "text")

    def __init__(
        self,
        text: str | None,
        diagnostics: list[Diagnostic],
        solving: SolveResult,
        limited: bool = False,
        borders: Mapping[str, Border] | None = None,
    ) -> None:
        self.borders = borders
        self.text = text
        self.diagnostics = diagnostics
        self.solving = solving
        self.limited = limited

    @property
    def ok(self) -> bool:
        """Whether there is a text."""
        return self.text is not None


def lower(source: SourceFile, options: LowerOptions | None = None) -> LowerResult:
    """The text with its vector operations lowered. Raises `KeyError` for a form or a dialect that does not exist."""
    from layoutsolver.backends import load_lowering

    chosen = options or LowerOptions()
    if chosen.to == "vpto":
        from layoutsolver.vmi.lowering import lower_to_vpto

        return lower_to_vpto(source, chosen)
    backend = load_lowering(chosen.to)
    dialect = chosen.dialect or backend.dialects[0]
    if dialect not in backend.dialects:
        raise KeyError(dialect)
    as_upstream = chosen.solving.compat == "upstream"
    given = chosen.solved or chosen.layouts_from_file
    if given and as_upstream:
        result = _as_written(source, chosen.solving)
    else:
        result = _as_stated(source, chosen.solving) if given else solve(source, chosen.solving)
    kept = given and as_upstream
    if result.posed is None or not (kept or result.ok):
        return LowerResult(None, result.diagnostics, result)
    solution = None if kept else result.solution
    lowered = backend.lower(result.posed, solution, dialect, chosen.layouts_from_file, as_upstream)
    said = [*result.diagnostics, *lowered.diagnostics]
    if any(item.severity == "error" for item in said):
        return LowerResult(None, said, result)
    return LowerResult(apply_edits(result.module.source.text, lowered.edits), said, result)


def _read(source: SourceFile, options: SolveOptions) -> tuple[SolveResult, Graph | None]:
    """A text read, and its graph, None where either has errors."""
    module = read_source(source)
    result = SolveResult(module, list(module.diagnostics))
    if result.unreadable:
        return result, None
    graph, found = graph_of(module, options)
    found += attribute_faults(graph)
    result.diagnostics += found
    return result, None if any(item.severity == "error" for item in found) else graph


def _as_written(source: SourceFile, options: SolveOptions) -> SolveResult:
    """A text read and its chip told, with nothing decided and no layout rule applied."""
    result, graph = _read(source, options)
    if graph is not None:
        result.posed = pose_ave(graph, PoseOptions(compat=True, chip=options.chip))
    return result


def _as_stated(source: SourceFile, options: SolveOptions) -> SolveResult:
    """A text with the layouts that it states; those that do something else than the program are warned of."""
    from layoutsolver.pose.capacity import overfull
    from layoutsolver.pose.refuted import refuted
    from layoutsolver.pose.stated import stated_solution, written_functiontypes, written_layouts

    result, graph = _read(source, options)
    if graph is None:
        return result
    dists, layouts = written_functiontypes(graph), written_layouts(graph)
    stated = stated_solution(graph, dists, layouts, options.chip, options.limits)
    if stated is None:
        wrong = [
            item for item in pose_ave(graph, PoseOptions(True, options.chip)).diagnostics if item.severity == "error"
        ]
        if wrong:
            result.diagnostics += wrong
            return result
        message = "no layouts go with the functionTypes and layouts of this file, so it cannot be lowered"
        note = "without them, `layoutsolver explain` says what contradicts what"
        label = Label(source, graph.ops[0].span)
        result.diagnostics.append(Diagnostic("LS0609", "error", message, label, notes=(note,)))
        return result
    result.posed, result.solution = stated.posed, stated.solution
    result.diagnostics += overfull(stated.posed, stated.solution)
    result.diagnostics += refuted(stated.posed, stated.solution)
    return result


def verify(
    source: SourceFile,
    options: SolveOptions | None = None,
    rounds: int = 4,
    seed: int = 1,
    other: SourceFile | None = None,
) -> VerifyResult:
    """Run a program with and without layouts on the hardware model, or two forms of it, and compare; needs numpy.

    Layouts that the text states are run as they stand; where it states none, they are solved first.
    """
    from layoutsolver.verify import run

    return run.verify(source, options, rounds, seed, other)


def annotate(result: SolveResult, layouts: bool = False) -> str:
    """The text with its layouts written in; raises `ValueError` unless the result is `ok`."""
    if not result.ok or result.posed is None or result.solution is None:
        raise ValueError("there is no solution to write")
    from layoutsolver.backends import load_backend

    edits: list[Edit] = load_backend("ave").annotate(result.posed, result.solution, layouts)
    return apply_edits(result.module.source.text, edits)
