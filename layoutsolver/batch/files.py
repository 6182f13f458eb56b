"""The programs of files and folders, each a request of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from layoutsolver.cli.errors import InputError
from layoutsolver.cli.inputs import Inputs, read_file, split_parts
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile

SUFFIXES = (".mlir", ".pto")
"""What programs are called."""


class Program(NamedTuple):
    """A program: its file, its number among the parts of that file, and its request, or why it cannot be read."""

    file: str
    part: int
    request: bytes
    unreadable: Diagnostic | None = None


def find_files(names: Sequence[str], suffixes: Sequence[str] = SUFFIXES) -> list[str]:
    """The named files, and those below the named folders that have one of the suffixes, each once and in order.

    Raises `OSError` for a name that is not there, and for a folder that cannot be read.
    """
    found: dict[str, None] = {}
    for name in names:
        if not Path(name).is_dir():
            Path(name).stat()
            found[name] = None
            continue
        below: list[str] = []
        for folder, _, files in os.walk(name, onerror=_raise):
            below += [str(Path(folder) / file) for file in files if file.endswith(tuple(suffixes))]
        found.update(dict.fromkeys(sorted(below)))
    return list(found)


def programs(files: Sequence[str], fields: Mapping[str, Any], split: bool, max_bytes: int) -> Iterator[Program]:
    """The programs of files, with `fields` in each request; `split` takes the parts between `// -----` lines alone."""
    for file in files:
        try:
            source = read_file(file, max_bytes)
        except InputError as error:
            yield Program(file, 0, b"", error.diagnostic)
            continue
        whole = Inputs([source], ["", ""])
        for part, each in enumerate((split_parts(source) if split else whole).sources):
            request = {**fields, "text": _at_its_line(each), "name": _shown(file)}
            yield Program(file, part, json.dumps(request).encode())


def _at_its_line(source: SourceFile) -> str:
    """The text of a part behind as many empty lines as stand before it in its file, so that messages name its lines."""
    return "\n" * (source.first_line - 1) + source.text


def _shown(file: str) -> str:
    """The name of a file as a request may have it."""
    stem, suffix = os.path.splitext(os.path.basename(file))  # noqa: PTH119, PTH122
    kept = "".join(each if each.isascii() and (each.isalnum() or each in "_+-") else "_" for each in stem)
    plain = "".join(each for each in suffix[1:] if each.isascii() and each.isalnum())
    return f"{kept.lstrip('+-')[:80] or 'program'}.{plain[:10] or 'mlir'}"


def _raise(error: OSError) -> None:
    raise error
