"""Reading inputs: what cannot be read as text is said with its place; what is no program is kept."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import NamedTuple

from layoutsolver.api import SolveOptions
from layoutsolver.cli.buckyball.target import is_of_banks
from layoutsolver.cli.errors import InputError, UsageError
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.ops.registry import QUESTIONS
from layoutsolver.source import SourceFile, Span, split_input
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.chip import ChipError, chip_names, chip_of_device, device_is_known, load_chip


class Inputs(NamedTuple):
    """The programs of one file, and the text before, between and behind them: separators, parts without operations."""

    sources: list[SourceFile]
    around: list[str]

    def joined(self, answers: list[str]) -> str:
        """The file with each program replaced by its answer.

        >>> Inputs([SourceFile("a", "x"), SourceFile("a", "y")], ["", "|", "."]).joined(["X", "Y"])
        'X|Y.'
        """
        leads = zip(self.around, answers, strict=False)
        return "".join([text for lead, answer in leads for text in (lead, answer)]) + self.around[-1]


def read_inputs(options: argparse.Namespace) -> Inputs:
    """The file, or its parts with `--split-input-file`.

    What was read is left in `options.text`, for the report of a defect. Raises `InputError` for what cannot be read.
    """
    source = _given(options, options.file)
    options.text = source.text
    whole = Inputs([source], ["", ""])
    return split_parts(source) if options.split_input_file and not _is_bare(source.text) else whole


def read_other(options: argparse.Namespace) -> Inputs:
    """The second file of a command that takes two, or its parts. Raises `InputError` for what cannot be read."""
    source = _given(options, options.other)
    options.text += source.text
    whole = Inputs([source], ["", ""])
    return split_parts(source) if options.split_input_file and not _is_bare(source.text) else whole


def _given(options: argparse.Namespace, name: str) -> SourceFile:
    """A file, or the text of that name in a session."""
    if options.session is not None:
        return SourceFile(name, options.session.files[name])
    return read_file(name, options.max_bytes)


def split_parts(source: SourceFile) -> Inputs:
    r"""The parts of a file that hold operations.

    >>> split_parts(SourceFile("a", "// head\n// -----\nx\n// -----\ny\n")).around
    ['// head\n// -----\n', '// -----\n', '']
    """
    inputs = Inputs([], [""])
    at = 0
    for part in split_input(source):
        if _is_bare(part.text):
            inputs.around[-1] += part.text
        else:
            inputs.sources.append(part)
            inputs.around.append("")
        at += len(part.text)
        end = source.text.find("\n", at) + 1 or len(source.text)
        inputs.around[-1] += source.text[at:end]
        at = end
    return inputs


def _is_bare(text: str) -> bool:
    """Whether a text holds nothing but white space and comments."""
    return not re.sub(r"//[^\n]*", "", text).strip()


BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_file(name: str, max_bytes: int) -> SourceFile:
    """The text of a file, or of standard input for `-`, without the byte order mark that some editors put before it.

    Raises `InputError`.
    """
    shown = "<stdin>" if name == "-" else name.encode("utf-8", "backslashreplace").decode("utf-8")
    empty = SourceFile(shown, "")

    def fail(code: str, message: str, source: SourceFile = empty, at: int = 0) -> InputError:
        return InputError(Diagnostic(code, "error", message, Label(source, Span(at, at))))

    try:
        if name == "-":
            if sys.stdin is None:
                raise fail("LS0001", "cannot read standard input: it is closed")
            data = sys.stdin.buffer.read(max_bytes + 1)
        else:
            with open(name, "rb") as file:  # noqa: PTH123 (importing pathlib costs a tenth of a small solve)
                data = file.read(max_bytes + 1)
                if len(data) > max_bytes:
                    size = os.fstat(file.fileno()).st_size
                    raise fail("LS0008", f"the file has {size} bytes, more than the {max_bytes} that are read")
    except OSError as error:
        raise fail("LS0001", f"cannot read the file: {error.strerror or error}") from None
    if len(data) > max_bytes:
        raise fail("LS0008", f"the input has more than the {max_bytes} bytes that are read")
    skipped = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    try:
        text = data[skipped:].decode("utf-8")
    except UnicodeDecodeError as error:
        head = data[skipped : skipped + error.start].decode("utf-8")
        source = SourceFile(shown, head)
        at = skipped + error.start
        message = f"this is not UTF-8 text: byte {data[at]:#04x} at offset {at}"
        raise fail("LS0001", message, source, len(head)) from None
    if (at := text.find("\0")) >= 0:
        raise fail("LS0001", f"this is a binary file: NUL byte at offset {at}", SourceFile(shown, text[:at]), at)
    return SourceFile(shown, text)


def is_vmi(source: SourceFile, target: str) -> bool:
    """Whether a text is taken for a program of VMI, at a glance and without reading it.

    >>> is_vmi(SourceFile("a", "pto.vmi.load"), "auto"), is_vmi(SourceFile("a", "ave.hir.vload"), "auto")
    (True, False)
    """
    return target == "vmi" or (target == "auto" and "pto." in source.text and "ave.hir." not in source.text)


_VMI_OPTIONS = {
    "pin": None, "prefer": None, "objective": "pipes", "no_lane_stride_narrowing": False, "limit_registers": None,
}  # fmt: skip
"""Options that only programs of VMI have, and what they are where nobody gives them."""


def asks_for_vmi(options: argparse.Namespace, inputs: Inputs, target: str) -> bool:
    """Whether an input is of VMI and not of `ave.hir`.

    Raises `UsageError` where it is of both, or of another dialect than the target, or where options are given that
    programs of its dialect do not have.
    """
    found = {kind for source in inputs.sources for kind in dialects(source.text)}
    if len(found) > 1:
        raise UsageError(
            f"`{options.file}` holds programs of ave.hir and of pto.vmi: give each dialect a file of its own"
        )
    if target != "auto" and found and found != {target}:
        raise UsageError(f"`{options.file}` is of `{found.pop()}`, not of `{target}`")
    if any(_is_json(source.text) for source in inputs.sources):
        raise UsageError(f"`{options.file}` is a JSON document: problems as JSON are for `solve`")
    if target == "auto" and not found and any(is_of_banks(source, target) for source in inputs.sources):
        raise UsageError(
            f"`{options.file}` is a program of Buckyball: `layoutsolver banks` places its banks,"
            " `view --show memory` draws them"
        )
    vmi = found == {"vmi"} or any(is_vmi(source, target) for source in inputs.sources)
    given = [name for name, usual in _VMI_OPTIONS.items() if getattr(options, name, usual) != usual]
    if given and not vmi:
        shown = ", ".join("--" + name.replace("_", "-") for name in given)
        raise UsageError(f"{shown}: for programs of pto.vmi only")
    return vmi


def _is_json(text: str) -> bool:
    """Whether a text is a JSON document: no MLIR text begins with a brace, metadata (`{-#`) apart."""
    start = text.lstrip()[:3]
    return start.startswith("{") and start != "{-#"


def is_json(inputs: Inputs) -> bool:
    """Whether an input is one JSON document."""
    return bool(inputs.sources) and _is_json(inputs.sources[0].text)


def dialects(text: str) -> set[str]:
    """The dialects whose operations a text seems to have."""
    found = {kind for kind, prefix in (("ave", "ave.hir."), ("vmi", "pto.vmi.")) if prefix in text}
    if len(found) > 1:
        plain = re.sub(r"//[^\n]*", "", text)
        found = {kind for kind, prefix in (("ave", "ave.hir."), ("vmi", "pto.vmi.")) if prefix in plain}
    return found


def solve_options(options: argparse.Namespace) -> SolveOptions:
    """The options of a solve. Raises `UsageError` for a target that does not exist."""
    target, colon, chip = options.target.partition(":")
    if target == "buckyball":
        raise UsageError(
            f"`{options.target}` is for programs of tiles and banks: banks, lower, verify, view --show memory"
        )
    if target not in ("auto", *QUESTIONS) or (target != "ave" and colon):
        raise UsageError(
            f"no target `{options.target}`: there are auto, {', '.join(QUESTIONS)}, ave:CHIP and buckyball:CHIP"
        )
    try:
        for name in chip_names():
            load_chip(name)
        if colon and chip not in chip_names():
            if not device_is_known(chip):
                raise UsageError(f"no chip `{chip}`: there are {', '.join(chip_names())}")
            chip = chip_of_device(chip)
    except ChipError as error:
        raise UsageError(str(error)) from None
    compat = "upstream" if getattr(options, "upstream_report", False) else options.compat
    conflicts, repairs = getattr(options, "max_conflicts", 1), getattr(options, "repairs", 0)
    return SolveOptions(compat, chip, options.assume_trip_count, limits_of(options), conflicts, repairs, target)


def limits_of(options: argparse.Namespace) -> Limits:
    """The limits of a solve."""
    observe = None if options.session is None else options.session.observe
    return Limits(options.time_limit, options.workers, options.seed, observe)
