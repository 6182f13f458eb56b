"""From the text of a VMI program to that of VPTO: read, posed, solved, written."""

from __future__ import annotations

from layoutsolver.api import LowerOptions, LowerResult, SolveResult, graph_of, read_source
from layoutsolver.api_vmi import VmiOptions, solve
from layoutsolver.backends import load_vpto
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.ops.registry import QUESTIONS, target_of
from layoutsolver.pose.vmi.borders import borders_of
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.pose.vmi.upstream.compat import refusal
from layoutsolver.source import SourceFile, Span
from layoutsolver.vmi.inline import inlined
from layoutsolver.vmi.stated import choice_as_stated
from layoutsolver_models.problems.selection import SelectionSolution


def lower_to_vpto(
    source: SourceFile, options: LowerOptions, as_stated: bool = False, vmi: VmiOptions | None = None
) -> LowerResult:
    """The program with its VMI operations as VPTO instructions, by the best layouts; private callees are inlined.

    With `as_stated` (or `options.layouts_from_file`) it is lowered in the layouts that its types carry, without any
    conversion of ours; with `compat` "upstream" as well, if the released compiler's passes behind its assignment take
    it, and by its instructions. Raises `WishError` for pins and preferences of `vmi` that are for no value.
    """
    source = inlined(source)
    module = read_source(source)
    said = list(module.diagnostics)
    solving = SolveResult(module, said)
    if solving.unreadable:
        return LowerResult(None, said, solving)
    target = target_of(module) if options.solving.target == "auto" else options.solving.target
    if target != "vmi" and any(op.name.startswith(QUESTIONS[target]) for op in module.walk()):
        message = f"only programs of `pto.vmi` are written as VPTO, and this one is of `{target}`"
        return _refused(solving, [Diagnostic("LS0309", "error", message, Label(source, Span(0, 0)))])
    if as_stated or options.layouts_from_file:
        return _as_stated(solving, options)
    known = options.solving
    result = solve(source, vmi or VmiOptions(compat=known.compat, assumed_trip_count=known.assumed_trip_count,
                                             limits=known.limits))  # fmt: skip
    solving = SolveResult(module, result.diagnostics)
    limited = any(item.code in ("LS0401", "LS0402") for item in result.diagnostics)
    if not result.ok or result.posed is None or result.solution is None:
        return LowerResult(None, result.diagnostics, solving, limited)
    return _written(solving, result.posed, result.solution, limited)


def _as_stated(solving: SolveResult, options: LowerOptions) -> LowerResult:
    """A program in the layouts of its types."""
    graph, found = graph_of(solving.module, options.solving)
    solving.diagnostics += found
    if _has_errors(solving.diagnostics):
        return LowerResult(None, solving.diagnostics, solving)
    as_upstream = options.solving.compat == "upstream"
    if as_upstream:
        from layoutsolver.pose.vmi.upstream.stated import stated_verdicts

        verdict = stated_verdicts(graph).first
        if not verdict.ok:
            return _refused(solving, [refusal(graph, verdict)])
    posed = pose_vmi(graph, released=as_upstream)
    solving.diagnostics += posed.diagnostics
    if _has_errors(solving.diagnostics):
        return LowerResult(None, solving.diagnostics, solving)
    solution, wrong = choice_as_stated(posed, options.solving.limits)
    if solution is None:
        return _refused(solving, wrong)
    if solution.status == "unknown":
        message = "no answer within the time limit"
        label = Label(solving.module.source, Span(0, 0))
        solving.diagnostics.append(Diagnostic("LS0401", "error", message, label))
        return LowerResult(None, solving.diagnostics, solving, limited=True)
    return _written(solving, posed, solution, False)


def _written(solving: SolveResult, posed: PosedVmi, solution: SelectionSolution, limited: bool) -> LowerResult:
    lowered = load_vpto()(posed, solution)
    solving.diagnostics += lowered.diagnostics
    if _has_errors(solving.diagnostics):
        return LowerResult(None, solving.diagnostics, solving)
    text = apply_edits(solving.module.source.text, lowered.edits)
    return LowerResult(text, solving.diagnostics, solving, limited, borders_of(posed, solution))


def _has_errors(said: list[Diagnostic]) -> bool:
    return any(item.severity == "error" for item in said)


def _refused(solving: SolveResult, found: list[Diagnostic]) -> LowerResult:
    solving.diagnostics += found
    return LowerResult(None, solving.diagnostics, solving)
