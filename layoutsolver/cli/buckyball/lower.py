"""`layoutsolver lower` of programs of tiles and banks."""

from __future__ import annotations

import argparse

from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.cli.buckyball.target import bank_chip
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import read_inputs
from layoutsolver.cli.lower import Written, deliver_written
from layoutsolver.cli.main import EXIT_INPUT, EXIT_OK, EXIT_PROGRAM


def run(options: argparse.Namespace) -> int:
    """Lower each part of the input; write all of them, or none if one cannot be lowered."""
    if options.dialect or options.solved or options.layouts_from_file:
        raise UsageError("--dialect, --solved and --layouts-from-file are for --to ave-intrin")
    chip = bank_chip(options)
    inputs = read_inputs(options)
    if any("ave.hir." in source.text for source in inputs.sources):
        raise UsageError("a program of ave.hir is lowered with --to ave-intrin")
    if any("pto.vmi." in source.text for source in inputs.sources):
        raise UsageError("a program of pto.vmi is lowered with --to vpto")
    written: list[Written] = []
    for source in inputs.sources:
        lowered = lower_text(source, chip, options.to, getattr(options, "from") or "")
        failed = EXIT_INPUT if lowered.unreadable else EXIT_PROGRAM
        written.append(Written(lowered.text, lowered.diagnostics, failed if lowered.text is None else EXIT_OK))
    return deliver_written(options, inputs, written)
