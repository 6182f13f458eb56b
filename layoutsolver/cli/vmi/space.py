"""`layoutsolver space` for programs of VMI: the layouts that each value may be made in, and what excludes others."""

from __future__ import annotations

import argparse
from math import prod

from layoutsolver.api import SolveOptions
from layoutsolver.api_vmi import VmiResult, WishError, pose
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs
from layoutsolver.cli.main import EXIT_INPUT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.cli.vmi.options import vmi_options
from layoutsolver.pose.vmi.reasons import reasons_of
from layoutsolver_models.solve.selection import narrow


def run(options: argparse.Namespace, inputs: Inputs, known: SolveOptions) -> int:
    """List, or with `--json` print the problems, one a line."""
    if options.list:
        raise UsageError("--list is for programs of ave.hir")
    status = EXIT_OK
    answers: list[str] = []
    for source in inputs.sources:
        try:
            result = pose(source, vmi_options(options, known))
        except WishError as error:
            raise UsageError(str(error)) from None
        print_diagnostics(options, result.diagnostics)
        if result.posed is None:
            status = worst(status, EXIT_INPUT if result.unreadable else EXIT_PROGRAM)
        elif options.json:
            from layoutsolver_models.problems.json import to_json

            answers.append(to_json(result.posed.problem) + "\n")
        else:
            answers.append(_describe(result))
    if len(answers) < len(inputs.sources):
        return status
    return deliver(options.output, ("" if options.json else "\n").join(answers), status)


def _describe(result: VmiResult) -> str:
    """How many combinations of variants there are, then each value with its layouts and what excludes the others."""
    posed = result.posed
    assert posed is not None
    problem = posed.problem
    left = narrow(problem)
    choices = prod(len(variants) for variants, op in zip(left.variants, posed.op_of, strict=True) if op >= 0)
    lines = [
        f"{choices} combination{'s' * (choices != 1)} of one variant for each of "
        f"{sum(op >= 0 for op in posed.op_of)} operations, {len(left.conversions)} conversions that may be of use"
    ]
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
    return "\n".join(lines) + "\n"
