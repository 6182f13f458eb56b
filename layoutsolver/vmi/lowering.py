"""From the text of a VMI program to that of VPTO: read, posed, solved, written."""

from __future__ import annotations

from layoutsolver.api import LowerOptions, LowerResult, SolveResult, graph_of, read_source
from layoutsolver.backends import load_vpto
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.ops.registry import target_of
from layoutsolver.pose.vmi.borders import borders_of
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.source import SourceFile, Span
from layoutsolver.vmi.inline import inlined
from layoutsolver.vmi.stated import choice_as_stated, states_layouts
from layoutsolver_models.solve.selection import narrow, solve_selection


def lower_to_vpto(source: SourceFile, options: LowerOptions, as_stated: bool = False) -> LowerResult:
    """The program with its VMI operations as VPTO instructions, by the best layouts; private callees are inlined.

    With `as_stated`, a program whose types carry layouts is lowered in these, without any conversion of ours.
    """
    source = inlined(source)
    module = read_source(source)
    said = list(module.diagnostics)
    solving = SolveResult(module, said)
    if solving.unreadable:
        return LowerResult(None, said, solving)
    target = target_of(module) if options.solving.target == "auto" else options.solving.target
    if target != "vmi":
        message = f"only programs of `pto.vmi` are written as VPTO, and this one is of `{target}`"
        return _refused(solving, [Diagnostic("LS0309", "error", message, Label(source, Span(0, 0)))])
    graph, found = graph_of(module, options.solving)
    said += found
    if _has_errors(said):
        return LowerResult(None, said, solving)
    posed = pose_vmi(graph)
    said += posed.diagnostics
    if _has_errors(said):
        return LowerResult(None, said, solving)
    if as_stated and states_layouts(graph):
        chosen, wrong = choice_as_stated(posed, options.solving.limits)
        if chosen is None:
            return _refused(solving, wrong)
        solution = chosen
    else:
        solution = solve_selection(posed.problem, options.solving.limits)
    if solution.status == "infeasible":
        return _refused(solving, [_no_choice(source, posed)])
    if solution.status == "unknown":
        message = "no answer within the time limit"
        said.append(Diagnostic("LS0401", "error", message, Label(source, Span(0, 0))))
        return LowerResult(None, said, solving, limited=True)
    if solution.status == "feasible":
        message = "time limit reached: the layouts are not proved to be the best"
        said.append(Diagnostic("LS0402", "warning", message, Label(source, Span(0, 0))))
    lowered = load_vpto()(posed, solution)
    said += lowered.diagnostics
    if _has_errors(said):
        return LowerResult(None, said, solving)
    text = apply_edits(source.text, lowered.edits)
    return LowerResult(text, said, solving, solution.status == "feasible", borders_of(posed, solution))


def _no_choice(source: SourceFile, posed: PosedVmi) -> Diagnostic:
    """That no layouts go together, at the operation that is left without any, if there is one."""
    stuck = narrow(posed.problem).stuck
    where = posed.problem.ops[stuck].where if stuck >= 0 else None
    span = Span(0, 0) if where is None else Span(where.start, where.end)
    what = f"`{posed.problem.ops[stuck].id}`" if stuck >= 0 else "the program"
    message = f"VMI-LAYOUT-CONTRACT: no choice of layouts serves {what} together with what is around it"
    return Diagnostic("LS0802", "error", message, Label(source, span))


def _has_errors(said: list[Diagnostic]) -> bool:
    return any(item.severity == "error" for item in said)


def _refused(solving: SolveResult, found: list[Diagnostic]) -> LowerResult:
    solving.diagnostics += found
    return LowerResult(None, solving.diagnostics, solving)
