"""`layoutsolver space`: how many solutions there are, and which are the best."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveResult, pose
from layoutsolver.cli.inputs import InputError, UsageError, read_inputs, solve_options, write_output
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM
from layoutsolver.cli.messages import print_diagnostics, usage_error
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span
from layoutsolver_models.solve.count import CountLimitError, count_solutions
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.rank import ranked_solutions


def run(options: argparse.Namespace) -> int:
    """Count, and list on demand; with `--json`, print the problems instead, one a line."""
    try:
        solver_options = solve_options(options)
        sources = read_inputs(options)
    except UsageError as error:
        return usage_error(str(error))
    except InputError as error:
        print_diagnostics(options, [error.diagnostic])
        return EXIT_INPUT
    answers: list[str] = []
    status = EXIT_OK
    for source in sources:
        result = pose(source, solver_options)
        print_diagnostics(options, result.diagnostics)
        if result.posed is None:
            status = EXIT_INPUT if result.unreadable else max(status, EXIT_PROGRAM)
            continue
        if options.json:
            from layoutsolver_models.problems.json import to_json

            answers.append(to_json(result.posed.problem) + "\n")
            continue
        try:
            text, number = _describe(result.posed, options.list, solver_options.limits)
        except CountLimitError as error:
            print_diagnostics(options, [_too_entangled(result, str(error))])
            status = max(status, EXIT_LIMIT)
            continue
        answers.append(text)
        if number == 0:
            status = max(status, EXIT_PROGRAM)
    try:
        write_output(options.output, "\n".join(answers) if not options.json else "".join(answers))
    except OSError as error:
        return usage_error(f"cannot write {options.output}: {error.strerror or error}")
    return status


def _too_entangled(result: SolveResult, why: str) -> Diagnostic:
    return Diagnostic("LS0403", "error", f"not counted: {why}", Label(result.module.source, Span(0, 0)))


def _describe(posed: Posed, listed: int, limits: Limits) -> tuple[str, int]:
    """The text for one program, and the number of its solutions."""
    count = count_solutions(posed.problem)
    vectors = sum(1 for value in posed.value_of if posed.graph.values[value].vector is not None)
    parts = len(count.parts)
    lines = [
        f"{count.total} solution{'s' * (count.total != 1)} for {vectors} vectors, "
        f"{parts} open part{'s' * (parts != 1)}" + (f" ({_product(count.parts)})" if parts > 1 else "")
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
    return "\n".join(lines) + "\n", count.total


def _product(parts: tuple[int, ...]) -> str:
    """The numbers of the parts, equal ones as a power."""
    powers: dict[int, int] = {}
    for part in parts:
        powers[part] = powers.get(part, 0) + 1
    return " * ".join(f"{base}^{power}" if power > 1 else str(base) for base, power in sorted(powers.items()))
