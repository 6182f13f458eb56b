"""Results as lines of JSON, one for each program, in a file that a later run goes on with.

While a batch runs, its lines go to `OUT.partial`; when all programs are answered, they are put in order and the file
appears under its own name. Whatever kills the process leaves whole lines and at most one broken one, at the end.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO


class BusyError(Exception):
    """Another batch writes the same results."""


class Results:
    """The results of a batch, to be used as a context; raises `BusyError` and `OSError`.

    `kept` says for each key, as in lines that an earlier run left, where its line is; what failed or met a limit is to
    be tried again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.partial = path.with_name(path.name + ".partial")
        self.kept: dict[str, int] = {}
        self._file: BinaryIO = open(self.partial, "a+b")  # noqa: PTH123, SIM115 (it stays open until `close`)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise BusyError(f"another batch is writing {self.partial}") from None
        self._recover()

    def __enter__(self) -> Results:
        """The results themselves."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file; what is in it stays."""
        self._file.close()

    def add(self, key: str, line: Mapping[str, Any]) -> None:
        """Write the line of a program, in place of an earlier one of the same key."""
        self.kept[key] = self._file.seek(0, os.SEEK_END)
        self._file.write(json.dumps({**line, "key": key}, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def finish(self, keys: list[str]) -> None:
        """Put the lines of `keys` in this order under the results' own name, and drop what else there is."""
        whole = self.path.with_name(self.path.name + ".whole")
        with whole.open("wb") as out:
            for key in keys:
                self._file.seek(self.kept[key])
                out.write(self._file.readline())
            out.flush()
            os.fsync(out.fileno())
        whole.replace(self.path)
        self.partial.unlink()

    def _recover(self) -> None:
        """Read what an earlier run left, and cut off a line that it did not end."""
        self._file.seek(0)
        at = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            document = json.loads(line)
            if "problem" not in document and document.get("answer", {}).get("outcome") != "limit":
                self.kept[document["key"]] = at
            at += len(line)
        self._file.truncate(at)
