"""`layoutsolver lower`: solve a program and write it in a lower-level form."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from layoutsolver.api import LowerOptions, LowerResult, lower
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import Inputs, asks_for_vmi, read_inputs, solve_options
from layoutsolver.cli.main import EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import in_order, messages_instead, print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.cli.solve import exit_status
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile


def run(options: argparse.Namespace) -> int:
    """Lower each part of the input; write all of them, or none if one cannot be lowered."""
    if options.to not in ("ave-intrin", "vpto"):
        from layoutsolver.cli.buckyball.lower import run as run_banks

        return run_banks(options)
    if getattr(options, "from"):
        raise UsageError("--from is for programs of tiles and banks")
    solving = solve_options(options)
    inputs = read_inputs(options)
    if any("buckyball." in source.text and "ave.hir." not in source.text for source in inputs.sources):
        raise UsageError(f"a program of tiles or banks is not lowered to {options.to}, but to a form of its own")
    if asks_for_vmi(options, inputs, solving.target) and options.to != "vpto":
        raise UsageError("a program of pto.vmi is lowered with --to vpto")
    if options.to == "vpto" and (options.dialect or options.solved):
        raise UsageError("--dialect and --solved are for --to ave-intrin")
    lowering = LowerOptions(options.to, options.dialect, options.solved, options.layouts_from_file, solving)
    results = [
        _vpto(options, source, lowering) if options.to == "vpto" else lower(source, lowering)
        for source in inputs.sources
    ]
    written = [Written(result.text, result.diagnostics, _status(result)) for result in results]
    return deliver_written(options, inputs, written)


class Written(NamedTuple):
    """A text (None where there is none), what is to be said of it, and the exit status that it stands for."""

    text: str | None
    said: list[Diagnostic]
    status: int


def deliver_written(options: argparse.Namespace, inputs: Inputs, written: list[Written]) -> int:
    """Deliver all texts, none if one is missing, or the documents or messages that are asked for; the exit status."""
    status = EXIT_OK
    answers: list[str] = []
    for source, (text, said, found) in zip(inputs.sources, written, strict=True):
        status = worst(status, found)
        if options.format == "json":
            answers.append(_document(source.name, options.to, text, said, found))
        elif options.format == "text":
            print_diagnostics(options, said)
            answers += [] if text is None else [text]
    done = messages_instead(options, [item for one in written for item in one.said], None, status)
    if done is not None:
        return done
    if options.format == "json":
        return deliver(options.output, "".join(answers), status)
    return deliver(options.output, inputs.joined(answers), status) if len(answers) == len(inputs.sources) else status


def _document(name: str, to: str, text: str | None, said: list[Diagnostic], status: int) -> str:
    from layoutsolver.report import OUTCOMES
    from layoutsolver.report_lower import report
    from layoutsolver_models.problems.json import to_json

    return to_json(report(name, to, OUTCOMES[status], in_order(said), text)) + "\n"


def _vpto(options: argparse.Namespace, source: SourceFile, lowering: LowerOptions) -> LowerResult:
    """A program of VMI, solved with the options that there are for it."""
    from layoutsolver.api_vmi import WishError
    from layoutsolver.cli.vmi.options import vmi_options
    from layoutsolver.vmi.lowering import lower_to_vpto

    try:
        return lower_to_vpto(source, lowering, vmi=vmi_options(options, lowering.solving))
    except WishError as error:
        raise UsageError(str(error)) from None


def _status(result: LowerResult) -> int:
    """The exit status that a result stands for."""
    if result.limited:
        return EXIT_LIMIT
    if result.ok:
        return EXIT_OK if result.solving.solution is None else exit_status(result.solving)
    found = exit_status(result.solving)
    return EXIT_PROGRAM if found == EXIT_OK else found
