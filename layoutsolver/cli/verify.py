"""`layoutsolver verify`: run a program before and after layout on the hardware model and compare memory."""

from __future__ import annotations

import argparse

from layoutsolver.cli.inputs import InputError, UsageError, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_INPUT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import print_diagnostics, usage_error
from layoutsolver.cli.output import deliver
from layoutsolver.cli.solve import exit_status


def run(options: argparse.Namespace) -> int:
    """Compare each part of the input; one line for each that agrees."""
    try:
        solver_options = solve_options(options)
        inputs = read_inputs(options)
    except UsageError as error:
        return usage_error(str(error))
    except InputError as error:
        print_diagnostics(options, [error.diagnostic])
        return EXIT_INPUT
    from layoutsolver.verify.run import verify

    status = EXIT_OK
    answers: list[str] = []
    for source in inputs.sources:
        result = verify(source, solver_options, options.rounds, options.seed)
        print_diagnostics(options, result.diagnostics)
        status = worst(status, exit_status(result.solving))
        if result.verification is not None and result.ok:
            done = result.verification
            what = f"{done.bytes_compared} bytes" + f" and {done.vectors_compared} vectors" * bool(
                done.vectors_compared
            )
            answers.append(f"{source.name}: agrees in {done.runs} run{'s' * (done.runs != 1)}, {what} compared\n")
        elif result.verification is not None:
            status = worst(status, EXIT_PROGRAM)
    return deliver(options.output, "".join(answers), status)
