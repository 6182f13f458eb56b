"""A layout problem as JSON in, its solution as JSON out."""

from __future__ import annotations

import argparse
import json

from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.problems.json import ProblemError, problem_from_json, to_json
from layoutsolver_models.solve.layout import Limits, solve_layout


def run_problem(options: argparse.Namespace, source: SourceFile, limits: Limits) -> int:
    """Solve the problem in a file and write the solution."""
    try:
        problem = problem_from_json(source.text)
    except ProblemError as error:
        at = _broken_at(source.text)
        label = Label(source, Span(at, at))
        print_diagnostics(
            options,
            [Diagnostic("LS0501", "error", f"{place}: {text}", label) for place, text in error.errors],
        )
        return EXIT_INPUT
    solution = solve_layout(problem, limits)
    status = {"optimal": EXIT_OK, "infeasible": EXIT_PROGRAM}.get(solution.status, EXIT_LIMIT)
    return deliver(options.output, to_json(solution) + "\n", status)


def _broken_at(text: str) -> int:
    """The offset at which a text stops being JSON, 0 if it does not."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos
    except RecursionError:
        pass
    return 0
