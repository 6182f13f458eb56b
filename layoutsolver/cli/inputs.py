"""Reading inputs and writing outputs: nothing is lost, nothing is half written."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from layoutsolver.api import SolveOptions
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span, split_input
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.chip import chip_names


class InputError(Exception):
    """An input that cannot be read as text; `diagnostic` says why and where."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class UsageError(Exception):
    """An argument that the parser cannot check by itself."""


def read_inputs(options: argparse.Namespace) -> list[SourceFile]:
    """The file, or its parts with `--split-input-file` (those with nothing in them left out).

    Raises `InputError` for what cannot be read.
    """
    source = read_file(options.file, options.max_bytes)
    if not options.split_input_file:
        return [source]
    parts = [part for part in split_input(source) if part.text.strip()]
    return parts or [source]


def read_file(name: str, max_bytes: int) -> SourceFile:
    """The text of a file, or of standard input for `-`. Raises `InputError`."""
    shown = "<stdin>" if name == "-" else name
    empty = SourceFile(shown, "")

    def fail(code: str, message: str, source: SourceFile = empty, at: int = 0) -> InputError:
        return InputError(Diagnostic(code, "error", message, Label(source, Span(at, at))))

    try:
        if name == "-":
            data = sys.stdin.buffer.read(max_bytes + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(max_bytes + 1)
                if len(data) > max_bytes:
                    size = os.fstat(file.fileno()).st_size
                    raise fail("LS0008", f"the file has {size} bytes, more than the {max_bytes} that are read")
    except OSError as error:
        raise fail("LS0001", f"cannot read the file: {error.strerror or error}") from None
    if len(data) > max_bytes:
        raise fail("LS0008", f"the input has more than the {max_bytes} bytes that are read")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        head = data[: error.start].decode("utf-8")
        source = SourceFile(shown, head)
        message = f"this is not UTF-8 text: byte {data[error.start]:#04x} at offset {error.start}"
        raise fail("LS0001", message, source, len(head)) from None
    if (at := text.find("\0")) >= 0:
        raise fail("LS0001", f"this is a binary file: NUL byte at offset {at}", SourceFile(shown, text[:at]), at)
    return SourceFile(shown, text)


def write_output(name: str, text: str) -> None:
    """Write to standard output for `-`, else to a file that appears whole or not at all. Raises `OSError`."""
    if name == "-":
        sys.stdout.write(text)
        return
    import contextlib
    import tempfile

    path = Path(name)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    target = path.resolve()
    with tempfile.NamedTemporaryFile(
        "w", dir=target.parent, prefix=f".{target.name}.", delete=False, encoding="utf-8", newline=""
    ) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
            Path(file.name).chmod(mode)
            Path(file.name).replace(target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(file.name).unlink()
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def solve_options(options: argparse.Namespace) -> SolveOptions:
    """The options of a solve. Raises `UsageError` for a target that does not exist."""
    target, _, chip = options.target.partition(":")
    if target not in ("auto", "ave"):
        raise UsageError(f"no target `{target}`: there are auto, ave and ave:CHIP")
    if chip and chip not in chip_names():
        raise UsageError(f"no chip `{chip}`: there are {', '.join(chip_names())}")
    limits = Limits(options.time_limit, options.workers, options.seed)
    return SolveOptions(options.compat, chip, options.assume_trip_count, limits)
