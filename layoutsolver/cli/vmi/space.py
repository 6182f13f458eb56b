"""`layoutsolver space` for programs of VMI: how many solutions there are, the best ones, and what excludes layouts."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveOptions
from layoutsolver.api_vmi import VmiResult, WishError, pose
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.cli.space import counted_parts
from layoutsolver.cli.vmi.options import vmi_options
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.pose.vmi.reasons import reasons_of
from layoutsolver.source import Span
from layoutsolver.vmi.within import bounded
from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution
from layoutsolver_models.solve.selection import narrow
from layoutsolver_models.solve.selection_count import SelectionCount, best_selections, count_selection


def run(options: argparse.Namespace, inputs: Inputs, known: SolveOptions) -> int:
    """Count, and list on demand; with `--json`, print the problems instead, one a line.

    All answers are written, or none if one of them is missing; that there is no solution is an answer.
    """
    status = EXIT_OK
    answers: list[str] = []
    for source in inputs.sources:
        try:
            result = pose(source, vmi_options(options, known))
        except WishError as error:
            raise UsageError(str(error)) from None
        print_diagnostics(options, result.diagnostics)
        if result.posed is not None and result.posed.registers is not None:
            result.posed = bounded(result.posed, result.posed.registers)
        if result.posed is None:
            status = worst(status, EXIT_INPUT if result.unreadable else EXIT_PROGRAM)
        elif options.json:
            from layoutsolver_models.problems.json import to_json

            answers.append(to_json(result.posed.problem) + "\n")
        else:
            count = count_selection(result.posed.problem)
            listed = list(best_selections(result.posed.problem, options.list, known.limits)) if options.list else []
            answers.append(_describe(result, count, listed))
            status = worst(status, _limits_met(options, result, count, len(listed)))
    if len(answers) < len(inputs.sources):
        return status
    return deliver(options.output, ("" if options.json else "\n").join(answers), status)


def _limits_met(options: argparse.Namespace, result: VmiResult, count: SelectionCount, listed: int) -> int:
    """Say where a limit cut something off; the exit status of one answer."""
    assert result.posed is not None
    capacities = bool(result.posed.problem.capacities)
    label = Label(result.module.source, Span(0, 0))
    status = EXIT_OK if count.total else EXIT_PROGRAM
    if not count.exact and not capacities:
        message = "a part is too entangled to be counted: its solutions are at most as many as its operations allow"
        print_diagnostics(options, [Diagnostic("LS0403", "warning", message, label)])
        status = EXIT_LIMIT
    if count.exact and listed < min(options.list, count.total):
        message = (
            f"time limit reached: {min(options.list, count.total) - listed} of the solutions asked for are not listed"
        )
        print_diagnostics(options, [Diagnostic("LS0402", "warning", message, label)])
        status = EXIT_LIMIT
    return status


def _describe(result: VmiResult, count: SelectionCount, listed: list[SelectionSolution]) -> str:
    """How many solutions there are, the listed ones, then each value with its layouts and what excludes the others."""
    posed = result.posed
    assert posed is not None
    problem = posed.problem
    parts = len(count.parts)
    vectors = len(set(posed.program.by_graph_value.values()))
    most = "" if count.exact or not count.total else "at most "
    limited = ", the limits of registers left aside" if problem.capacities else ""
    product = f" ({counted_parts(count.parts)})" if parts > 1 else ""
    lines = [
        f"{most}{count.total} solution{'s' * (count.total != 1)} for {vectors} vectors, {parts} open "
        f"part{'s' * (parts != 1)}{product}{limited}"
    ]
    lines += _ranked(problem, listed)
    return "\n".join(lines + _values(result)) + "\n"


def _ranked(problem: SelectionProblem, listed: list[SelectionSolution]) -> list[str]:
    """A line for each solution: what it costs, and what tells it from the others."""
    made = [_layouts_made(problem, solution) for solution in listed]
    varying = [value for value in range(len(problem.values)) if len({some.get(value) for some in made}) > 1]
    ways = [set(solution.conversions) for solution in listed]
    common = set.intersection(*ways) if ways else set()
    lines: list[str] = []
    for place, (solution, layouts) in enumerate(zip(listed, made, strict=True), 1):
        shown = [f"{problem.values[value].id}:{layouts[value]}" for value in varying if value in layouts]
        conversions = [problem.conversions[number] for number in solution.conversions if number not in common]
        shown += [f"{problem.values[way.value].id}:{way.before}->{way.after}" for way in conversions]
        costs = f"busiest {solution.busiest}  total {solution.total}  registers {solution.registers}"
        lines.append(f"#{place}  {costs}  {' '.join(shown)}".rstrip())
    return lines


def _layouts_made(problem: SelectionProblem, solution: SelectionSolution) -> dict[int, str]:
    return {
        value: layout
        for op, chosen in zip(problem.ops, solution.variants, strict=True)
        for value, layout in zip(op.results, op.variants[chosen[0]].layouts[len(op.operands) :], strict=True)
    }


def _values(result: VmiResult) -> list[str]:
    """Each value with its layouts and what excludes the others."""
    posed = result.posed
    assert posed is not None
    problem = posed.problem
    left = narrow(problem)
    lines: list[str] = []
    for value, known in enumerate(problem.values):
        makers = [number for number, op in enumerate(problem.ops) if value in op.results]
        made: dict[str, None] = {}
        for number in makers:
            op = problem.ops[number]
            port = len(op.operands) + op.results.index(value)
            made.update({op.variants[variant].layouts[port]: None for variant in left.variants[number]})
        if not makers or known.where is None:
            continue
        place = f" (line {known.where.line})"
        lines.append(f"{known.id}{place}: {', '.join(made) or 'none'}")
        reasons: dict[str, list[str]] = {}
        for number in makers:
            if posed.op_of[number] >= 0:
                reasons |= reasons_of(posed.program.ops[posed.op_of[number]], posed.refused[number])
        lines += [f"  not {', '.join(rules)}: {reason}" for reason, rules in reasons.items()]
        without = [layout for layout in known.layouts if layout not in made]
        if without:
            lines.append(f"  {', '.join(without)}: no rule that is left makes it")
    return lines
