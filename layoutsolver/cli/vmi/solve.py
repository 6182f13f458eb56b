"""`layoutsolver solve` for programs of VMI."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveOptions
from layoutsolver.api_vmi import VmiResult, WishError, annotate, solve
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import messages_instead, print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.cli.vmi.options import vmi_options
from layoutsolver.diagnostics.diagnostic import Diagnostic


def run(options: argparse.Namespace, inputs: Inputs, known: SolveOptions) -> int:
    """Decide the layouts of each part of the input; write all answers, or none if one of them is missing."""
    if options.repair or options.upstream_report:
        raise UsageError("--repair and --upstream-report are for programs of ave.hir")
    try:
        chosen = vmi_options(options, known)
        results = [solve(source, chosen) for source in inputs.sources]
    except WishError as error:
        raise UsageError(str(error)) from None
    status = EXIT_OK
    answers: list[str] = []
    said: list[Diagnostic] = []
    expected = True
    for result in results:
        if options.verify and result.ok:
            _prove(result, options)
        status = worst(status, exit_status(result))
        said += result.diagnostics
        if options.verify_diagnostics:
            from layoutsolver.cli.documents import check_expected

            expected &= check_expected(result.module.source, result.diagnostics)
        elif options.format == "json":
            answers.append(_json(result))
        elif options.format == "text":
            print_diagnostics(options, result.diagnostics)
            if result.ok:
                answers.append(_text(result, options.table))
    done = messages_instead(options, said, expected, status)
    if done is not None:
        return done
    if len(answers) < len(inputs.sources):
        return status
    if options.format == "json":
        return deliver(options.output, "".join(answers), status)
    return deliver(options.output, "\n".join(answers) if options.table else inputs.joined(answers), status)


def exit_status(result: VmiResult) -> int:
    """The exit status that a result stands for."""
    if result.unreadable:
        return EXIT_INPUT
    if result.solution is not None and result.solution.status == "unknown":
        return EXIT_LIMIT
    if not result.ok:
        return EXIT_PROGRAM
    cut = any(item.code == "LS0402" for item in result.diagnostics)
    return EXIT_LIMIT if cut else EXIT_OK


def _prove(result: VmiResult, options: argparse.Namespace) -> None:
    """Add what running the lowered program says; an error means that the solution is not to be used."""
    from layoutsolver.verify.pto.proof import prove
    from layoutsolver.verify.run import ROUNDS

    assert result.posed is not None
    assert result.solution is not None
    said, done = prove(result.module.source, result.posed, result.solution, options.rounds or ROUNDS, options.seed)
    result.diagnostics += [*said, *([] if done is None else done.diagnostics)]


def _text(result: VmiResult, table: bool) -> str:
    if table:
        from layoutsolver.cli.vmi.table import decision_table

        return decision_table(result)
    return annotate(result)


def _json(result: VmiResult) -> str:
    from layoutsolver.report_vmi import report
    from layoutsolver_models.problems.json import to_json

    return to_json(report(result)) + "\n"
