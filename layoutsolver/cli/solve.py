"""`layoutsolver solve`: decide layouts, write them into the program."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from layoutsolver.api import SolveOptions, SolveResult, annotate, repaired, solve
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs, asks_for_vmi, is_json, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import messages_instead, print_diagnostics, refuse_several
from layoutsolver.cli.output import deliver
from layoutsolver.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from layoutsolver.api import Proof


def run(options: argparse.Namespace) -> int:
    """Solve each part of the input; write all answers, or none if one of them is missing."""
    if options.rounds is not None and not options.verify:
        raise UsageError("--rounds says how often --verify runs the program")
    refuse_several(options)
    solver_options = solve_options(options)
    inputs = read_inputs(options)
    if is_json(inputs):
        from layoutsolver.cli.problem import run_problem

        return run_problem(options, inputs.sources[0], solver_options.limits)
    if asks_for_vmi(options, inputs, solver_options.target):
        from layoutsolver.cli.vmi.solve import run as run_vmi

        return run_vmi(options, inputs, solver_options)
    return _solve_all(options, inputs, solver_options)


def _solve_all(options: argparse.Namespace, inputs: Inputs, solver_options: SolveOptions) -> int:
    status = EXIT_OK
    answers: list[str] = []
    said: list[Diagnostic] = []
    expected = True
    for source in inputs.sources:
        result = solve(source, solver_options)
        if options.upstream_report:
            from layoutsolver.cli.documents import report_block

            sys.stderr.write(report_block(result))
        if options.repair and not result.ok:
            result = repaired(result, solver_options, _proof(options, result) if options.verify else None) or result
        elif options.verify and result.ok:
            from layoutsolver.verify.run import ROUNDS, verify_result

            result.diagnostics = verify_result(result, options.rounds or ROUNDS, options.seed).diagnostics
        status = worst(status, exit_status(result))
        said += result.diagnostics
        if options.verify_diagnostics:
            from layoutsolver.cli.documents import check_expected

            expected &= check_expected(source, result.diagnostics)
        elif options.format == "json":
            from layoutsolver.cli.documents import json_document

            answers.append(json_document(result, options.layouts))
        elif options.format == "text":
            if not options.upstream_report:
                print_diagnostics(options, result.diagnostics)
            if result.ok:
                answers.append(_table(result) if options.table else annotate(result, options.layouts))
    done = messages_instead(options, said, expected, status)
    if done is not None:
        return done
    if len(answers) < len(inputs.sources):
        return status
    if options.format == "json":
        return deliver(options.output, "".join(answers), status)
    return deliver(options.output, "\n".join(answers) if options.table else inputs.joined(answers), status)


def _proof(options: argparse.Namespace, result: SolveResult) -> Proof:
    """What runs a repair against the program as it was."""
    from layoutsolver.verify.run import ROUNDS, prove_repair

    return lambda after: prove_repair(result, after, options.rounds or ROUNDS, options.seed)


def exit_status(result: SolveResult) -> int:
    """The exit status that a result stands for."""
    if result.unreadable:
        return EXIT_INPUT
    if result.solution is not None and result.solution.status in ("unknown", "feasible"):
        return EXIT_LIMIT
    return EXIT_OK if result.ok else EXIT_PROGRAM


def _table(result: SolveResult) -> str:
    from layoutsolver.cli.table import decision_table

    return decision_table(result)
