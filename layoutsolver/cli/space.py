"""`layoutsolver space`: how many solutions there are, and which are the best."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveResult, pose
from layoutsolver.cli.inputs import asks_for_vmi, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label, Severity
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span
from layoutsolver_models.solve.count import CountLimitError, count_solutions
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.rank import ranked_solutions


def run(options: argparse.Namespace) -> int:
    """Count, and list on demand; with `--json`, print the problems instead, one a line.

    All answers are written, or none if one of them is missing; that there is no solution is an answer.
    """
    solver_options = solve_options(options)
    inputs = read_inputs(options)
    if asks_for_vmi(options, inputs, solver_options.target):
        from layoutsolver.cli.vmi.space import run as run_vmi

        return run_vmi(options, inputs, solver_options)
    answers: list[str] = []
    status = EXIT_OK
    for source in inputs.sources:
        result = pose(source, solver_options)
        print_diagnostics(options, result.diagnostics)
        if result.posed is None:
            status = worst(status, EXIT_INPUT if result.unreadable else EXIT_PROGRAM)
            continue
        if options.json:
            from layoutsolver_models.problems.json import to_json

            answers.append(to_json(result.posed.problem) + "\n")
            continue
        try:
            text, number, missing = _describe(result.posed, options.list, solver_options.limits)
        except CountLimitError as error:
            print_diagnostics(options, [_limit(result, "LS0403", "error", f"not counted: {error}")])
            status = worst(status, EXIT_LIMIT)
            continue
        answers.append(text)
        if number == 0:
            status = worst(status, EXIT_PROGRAM)
        if missing:
            message = f"time limit reached: {missing} of the solutions asked for are not listed"
            print_diagnostics(options, [_limit(result, "LS0402", "warning", message)])
            status = worst(status, EXIT_LIMIT)
    if len(answers) < len(inputs.sources):
        return status
    return deliver(options.output, ("" if options.json else "\n").join(answers), status)


def _limit(result: SolveResult, code: str, severity: Severity, message: str) -> Diagnostic:
    return Diagnostic(code, severity, message, Label(result.module.source, Span(0, 0)))


def _describe(posed: Posed, listed: int, limits: Limits) -> tuple[str, int, int]:
    """The text for one program, the number of its solutions, and how many of those asked for a limit cut off."""
    count = count_solutions(posed.problem)
    vectors = sum(1 for value in posed.value_of if posed.graph.values[value].vector is not None)
    parts = len(count.parts)
    lines = [
        f"{count.total} solution{'s' * (count.total != 1)} for {vectors} vectors, "
        f"{parts} open part{'s' * (parts != 1)}" + (f" ({counted_parts(count.parts)})" if parts > 1 else "")
    ]
    found = list(ranked_solutions(posed.problem, listed, limits)) if listed and count.total else []
    if found:
        varying = [
            number
            for number in range(len(posed.problem.values))
            if len({solution.layouts[number] for solution in found}) > 1
        ]
        for place, solution in enumerate(found, 1):
            chosen = " ".join(f"{posed.problem.values[v].id}:{solution.layouts[v]}" for v in varying)
            lines.append(f"#{place}  cost {solution.cost}  {chosen}".rstrip())
    return "\n".join(lines) + "\n", count.total, min(listed, count.total) - len(found)


def counted_parts(parts: tuple[int, ...]) -> str:
    """The numbers of the parts, equal ones as a power."""
    powers: dict[int, int] = {}
    for part in parts:
        powers[part] = powers.get(part, 0) + 1
    return " * ".join(f"{base}^{power}" if power > 1 else str(base) for base, power in sorted(powers.items()))
