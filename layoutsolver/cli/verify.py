"""`layoutsolver verify`: run a program with and without layouts, or two forms of it, and compare memory."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from layoutsolver.cli.buckyball.target import bank_chip, is_of_banks
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import read_inputs, read_other, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import in_order, messages_instead, print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.cli.progress import Progress
from layoutsolver.cli.solve import exit_status

if TYPE_CHECKING:
    from layoutsolver.diagnostics.diagnostic import Diagnostic
    from layoutsolver.source import SourceFile
    from layoutsolver.verify.result import Verification
    from layoutsolver.verify.run import VerifyResult


def run(options: argparse.Namespace) -> int:
    """Compare each part of the input; one line for each that agrees."""
    if options.other == options.file == "-":
        raise UsageError("standard input can be read once only")
    inputs = read_inputs(options)
    others = [None] * len(inputs.sources) if options.other is None else read_other(options).sources
    if len(others) != len(inputs.sources):
        raise UsageError(f"`{options.file}` and `{options.other}` differ in their number of parts")
    from layoutsolver.verify.run import verify

    given = [*inputs.sources, *(one for one in others if one is not None)]
    banks = bank_chip(options) if any(is_of_banks(one, options.target) for one in given) else None
    solver_options = solve_options(options) if banks is None else None
    status = EXIT_OK
    answers: list[str] = []
    said: list[Diagnostic] = []
    for source, other in zip(inputs.sources, others, strict=True):
        progress = Progress(source.name)
        result = verify(source, solver_options, options.rounds, options.seed, other, progress, banks)
        progress.close()
        said += result.diagnostics
        found = _status(result)
        status = worst(status, found)
        text = _sentence(source.name, other, result)
        if options.format == "json":
            answers.append(_document(source.name, other, found, result, text))
        elif options.format == "text":
            print_diagnostics(options, result.diagnostics)
            answers.append(text or "")
    done = messages_instead(options, said, None, status)
    return done if done is not None else deliver(options.output, "".join(answers), status)


def _sentence(name: str, other: SourceFile | None, result: VerifyResult) -> str | None:
    """That programs agree, and what was compared; None where they do not."""
    if result.verification is None or not result.ok:
        return None
    names = f"{name}: agrees" if other is None else f"{name} and {other.name}: agree"
    return f"{names} {result.how}{' ' * bool(result.how)}{_counted(result.verification)}\n"


def _document(name: str, other: SourceFile | None, status: int, result: VerifyResult, text: str | None) -> str:
    from layoutsolver.report import OUTCOMES
    from layoutsolver.report_verify import report
    from layoutsolver_models.problems.json import to_json

    second = None if other is None else other.name
    return to_json(report(name, second, OUTCOMES[status], result, in_order(result.diagnostics), text)) + "\n"


def _counted(done: Verification) -> str:
    """What was compared.

    >>> from layoutsolver.verify.result import Verification
    >>> _counted(Verification([], 1, 64))
    'in 1 run, 64 bytes compared'
    """
    vectors = f" and {done.vectors_compared} vectors" * bool(done.vectors_compared)
    return f"in {done.runs} run{'s' * (done.runs != 1)}, {done.bytes_compared} bytes{vectors} compared"


def _status(result: VerifyResult) -> int:
    """The exit status that a result stands for."""
    if result.unreadable:
        return EXIT_INPUT
    status = EXIT_OK if result.solving is None else exit_status(result.solving)
    return status if result.ok else worst(status, EXIT_PROGRAM if result.verification or not status else status)
