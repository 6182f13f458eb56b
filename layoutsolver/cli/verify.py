"""`layoutsolver verify`: run a program with and without layouts, or two forms of it, and compare memory."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from layoutsolver.cli.buckyball.target import bank_chip, is_of_banks
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import read_inputs, read_other, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.cli.progress import Progress
from layoutsolver.cli.solve import exit_status

if TYPE_CHECKING:
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
    for source, other in zip(inputs.sources, others, strict=True):
        progress = Progress(source.name)
        result = verify(source, solver_options, options.rounds, options.seed, other, progress, banks)
        progress.close()
        print_diagnostics(options, result.diagnostics)
        status = worst(status, _status(result))
        if result.verification is not None and result.ok:
            names = f"{source.name}: agrees" if other is None else f"{source.name} and {other.name}: agree"
            answers.append(f"{names} {result.how}{' ' * bool(result.how)}{_counted(result.verification)}\n")
    return deliver(options.output, "".join(answers), status)


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
