"""A layout or selection problem as JSON in, its solution as JSON out."""

from __future__ import annotations

import argparse
import json

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.json_places import place_of
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.problems.json import ProblemError, problem_from_json, selection_from_json, to_json
from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution, faults
from layoutsolver_models.solve.layout import Limits, solve_layout

SELECTION = "layoutsolver/selection-problem/"
"""What the schema of a selection problem begins with; any other document is read as a layout problem."""


def run_problem(options: argparse.Namespace, source: SourceFile, limits: Limits) -> int:
    """Solve the problem in a file and write the solution, which is JSON in any case. Raises `UsageError`."""
    if options.format not in ("text", "json"):
        raise UsageError(f"--format {options.format} is for programs: the answer to a problem is its solution")
    if options.compat or options.upstream_report:
        raise UsageError("--compat and --upstream-report are for programs: the rules of a problem stand in it")
    try:
        if _schema(source.text).startswith(SELECTION):
            problem = selection_from_json(source.text)
            return _selection(options, source, problem, limits)
        solution = solve_layout(problem_from_json(source.text), limits)
    except ProblemError as error:
        print_diagnostics(
            options,
            [Diagnostic("LS0501", "error", f"{place}: {text}", _label(source, place)) for place, text in error.errors],
        )
        return EXIT_INPUT
    return deliver(options.output, to_json(solution) + "\n", _status(solution.status))


def _selection(options: argparse.Namespace, source: SourceFile, problem: SelectionProblem, limits: Limits) -> int:
    from layoutsolver_models.solve.selection import solve_selection
    from layoutsolver_models.solve.selection_wishes import with_wishes

    start = problem.start
    known = (start.variants, start.conversions) if start is not None and not faults(problem, *start) else None
    solution = solve_selection(problem, limits, known)
    solution = with_wishes(problem, solution, limits)
    if solution.status == "infeasible":
        solution = _explained(options, source, problem, limits)
    return deliver(options.output, to_json(solution) + "\n", _status(solution.status))


def _explained(
    options: argparse.Namespace, source: SourceFile, problem: SelectionProblem, limits: Limits
) -> SelectionSolution:
    """The infeasible solution with its smallest conflict, of which each part is marked in the document as well."""
    from layoutsolver.explain.selection_words import group_words
    from layoutsolver_models.solve.selection_conflict import smallest_conflict

    core, minimal = smallest_conflict(problem, limits)
    groups = group_words(problem, core)
    fields = {"op": "ops", "pin": "pins", "capacity": "capacities"}
    labels = [_label(source, f"/{fields[group.kind]}/{group.number}", group.said) for group in groups]
    message = f"no layouts serve these {len(groups)} together" if len(groups) > 1 else "no layout serves this"
    primary = labels[-1] if labels else _label(source, "")
    print_diagnostics(options, [Diagnostic("LS0805", "error", message, primary, tuple(labels[:-1]), (), (), minimal)])
    return SelectionSolution("infeasible", conflict=groups, minimal=minimal)


def _schema(text: str) -> str:
    """The name of the schema that a document states, empty if it states none."""
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return ""
    stated = document.get("schema", "") if isinstance(document, dict) else ""
    return stated if isinstance(stated, str) else ""


def _status(status: str) -> int:
    return {"optimal": EXIT_OK, "infeasible": EXIT_PROGRAM}.get(status, EXIT_LIMIT)


def _label(source: SourceFile, pointer: str, text: str = "") -> Label:
    at = place_of(source.text, pointer)
    return Label(source, Span(at, at), text)
