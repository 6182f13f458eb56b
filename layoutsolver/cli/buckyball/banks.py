"""`layoutsolver banks` of programs: place their banks, or check those that are placed."""

from __future__ import annotations

import argparse

from layoutsolver.buckyball.banking import Banked, BankOptions, bank_text
from layoutsolver.buckyball.lowering import text_stage
from layoutsolver.buckyball.passes.pipeline import stage_of
from layoutsolver.buckyball.program import read_program
from layoutsolver.buckyball.stages import STAGES
from layoutsolver.buckyball.usage import bank_usage, usage_text
from layoutsolver.cli.buckyball.target import bank_chip, is_of_banks
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import dialects, read_inputs
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import print_diagnostics
from layoutsolver.cli.output import deliver
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.placement.csv import is_table
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.bank_chip import BankChip


def run(options: argparse.Namespace) -> int:
    """Place or check the banks of each part of the input; write all answers, or none if one is missing."""
    chip = bank_chip(options)
    if options.bank_num is not None:
        chip = chip._replace(bank_num=options.bank_num)
    inputs = read_inputs(options)
    _refuse_others(options, inputs.sources)
    if options.check:
        return _check(options, chip, inputs.sources)
    limits = Limits(options.time_limit, options.workers, options.seed)
    usual = BankOptions()
    level, model = options.level or usual.level, options.bank_model or usual.model
    chosen = BankOptions(level, model, options.distinct_arguments, limits)
    status = EXIT_OK
    answers: list[str] = []
    for source in inputs.sources:
        banked = bank_text(source, chip, chosen)
        print_diagnostics(options, banked.diagnostics)
        status = worst(status, _status(banked))
        if options.format == "json":
            from layoutsolver.report_banks import bank_report
            from layoutsolver_models.problems.json import to_json

            answers.append(to_json(bank_report(source.name, banked)) + "\n")
        elif banked.text is not None:
            answers.append(_table(banked, chip) if options.table else banked.text)
    if options.format == "json" or options.table:
        return deliver(options.output, "".join(answers), status)
    return deliver(options.output, inputs.joined(answers), status) if len(answers) == len(inputs.sources) else status


def _refuse_others(options: argparse.Namespace, sources: list[SourceFile]) -> None:
    """Refuse what has no banks at all. Raises `UsageError`."""
    for source in sources:
        if is_table(source.text):
            raise UsageError(f"`{options.file}` is a table of buffers: --placement gives them offsets")
        found = sorted(dialects(source.text))
        if found and not is_of_banks(source, "auto"):
            verbs = "`layoutsolver solve` decides its layouts"
            raise UsageError(f"`{options.file}` is a program of `{found[0]}`, which has no banks: {verbs}")


def _status(banked: Banked) -> int:
    if banked.limited:
        return EXIT_LIMIT
    if banked.text is not None:
        return EXIT_OK
    return EXIT_INPUT if banked.unreadable else EXIT_PROGRAM


def _table(banked: Banked, chip: BankChip) -> str:
    """A line for each function: banks, cycles, allocations and releases, what was cut, how many banks are spilled."""
    lines = []
    for one in banked.functions:
        found = one.solution
        said = [f", {one.problem.chains[split.chain].rows} rows as {' + '.join(map(str, split.parts))}"
                for split in found.splits]  # fmt: skip
        said += [f", {len(found.spills)} spilled"] * bool(found.spills)
        lines.append(
            f"{one.name}: {found.status} at {found.level}, peak {found.peak} of {chip.bank_num} banks, "
            f"{found.makespan} cycles, {found.msets} msets{''.join(said)}\n"
        )
    return "".join(lines)


UNNUMBERED = STAGES[STAGES.index("linalg") + 1 : STAGES.index("bank-ssa") + 1]
"""The stages at which programs have banks without numbers, or tiles that will lie in such."""


def _check(options: argparse.Namespace, chip: BankChip, sources: list[SourceFile]) -> int:
    status = EXIT_OK
    answers = []
    for source in sources:
        written = text_stage(source.text)
        if written:
            message = f"the program stands at `{written}`: --check reads MLIR, `layoutsolver verify` runs this"
            print_diagnostics(options, [Diagnostic("LS1009", "error", message, Label(source, Span(0, 0)))])
            status = worst(status, EXIT_PROGRAM)
            continue
        read = read_program(source)
        print_diagnostics(options, read.diagnostics)
        if read.code is None:
            status = worst(status, EXIT_INPUT if read.unreadable else EXIT_PROGRAM)
            continue
        if stage_of(read.code) in UNNUMBERED:
            message = "the banks of this program have no numbers yet: without --check, they are given some"
            print_diagnostics(options, [Diagnostic("LS1009", "error", message, Label(source, Span(0, 0)))])
            status = worst(status, EXIT_PROGRAM)
            continue
        found, said = bank_usage(read.code, chip, options.bank_model or "contiguous")
        print_diagnostics(options, said)
        status = worst(status, EXIT_PROGRAM if said else EXIT_OK)
        answers += [usage_text(usage, chip, options.table) for usage in found]
    return deliver(options.output, "".join(answers), status)
