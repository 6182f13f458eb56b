"""Writing answers: whole or not at all."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

from layoutsolver.cli.errors import UsageError

if TYPE_CHECKING:
    from layoutsolver.cli.session import Session


def write_output(name: str, text: str) -> None:
    """Write to standard output for `-`, else to a file that appears whole or not at all. Raises `OSError`."""
    if name == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    import contextlib
    import tempfile
    from pathlib import Path

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


def deliver(output: str | Session, text: str, status: int = 0) -> int:
    """Write an answer to standard output, a file or a session; the status.

    Raises `UsageError` where it cannot be written.
    """
    if not isinstance(output, str):
        output.written = text
        return status
    try:
        write_output(output, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        target = "standard output" if output == "-" else output
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from None
    return status


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
