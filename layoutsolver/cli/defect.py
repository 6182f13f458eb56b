"""Writing down a defect of ours, while its exception is handled."""

from __future__ import annotations

import json
import platform
import sys
import tempfile
import traceback

from layoutsolver import __version__


def write_reproducer(arguments: list[str], text: str | None) -> str:
    """The name of a new file with all that reproduces the exception that is being handled. Raises `OSError`."""
    report = {
        "version": __version__,
        "python": platform.python_version(),
        "arguments": arguments,
        "input": text,
        "traceback": traceback.format_exc(),
    }
    with tempfile.NamedTemporaryFile(
        "w", prefix="layoutsolver-defect-", suffix=".json", delete=False, encoding="utf-8"
    ) as file:
        json.dump(report, file, indent=2)
    return file.name


def what_happened() -> str:
    """The exception that is being handled, in one line."""
    kind, value = sys.exc_info()[:2]
    name = kind.__name__ if kind is not None else "error"
    return f"{name}: {value}" if str(value) else name
