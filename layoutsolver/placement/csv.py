"""Placement problems as comma-separated text, in the form that MiniMalloc publishes.

The header names the columns, in any order: `id` (or `buffer`, `buffer_id`), `lower` (`begin`, `start`), `upper` (or
`end`, which is the last point instead of the one behind it), `size`, and perhaps `alignment`, `offset` (a fixed place;
empty where there is none), `hint` and `gaps`: ranges `2-4` in which the buffer is not live, or `2-4@0:16` in which only
the bytes from 0 to 16 are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.problems.placement import Buffer, Gap, PlacementProblem, problem_errors

ALIASES = {"buffer": "id", "buffer_id": "id", "begin": "lower", "start": "lower", "end": "upper"}
REQUIRED = ("id", "lower", "upper", "size")
OPTIONAL = ("alignment", "offset", "hint", "gaps")
LARGEST = 1 << 62
_FIELD = re.compile(r"[^,\n]*")
_GAP = re.compile(r"(\d+)-(\d+)(?:@(\d+):(\d+))?")


class Row(NamedTuple):
    """A line with its fields and where each one is."""

    line: Span
    fields: list[tuple[str, Span]]


class PlacementFile(NamedTuple):
    """A problem, its rows (one for each buffer) and its header; errors if it could not be read."""

    source: SourceFile
    problem: PlacementProblem
    header: Row
    rows: list[Row]
    errors: list[Diagnostic]

    @property
    def has_offsets(self) -> bool:
        """Whether there is a column of offsets."""
        return any(name.strip().lower() == "offset" for name, _ in self.header.fields)


class _Fault(Exception):
    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


def read_placement(source: SourceFile, capacity: int | None) -> PlacementFile:
    r"""The problem in a text. What is wrong with it is LS1020, each fault at its field.

    >>> found = read_placement(SourceFile("a.csv", "id,start,end,size\nx,0,4,16\n"), 64)
    >>> found.problem.buffers[0]
    Buffer(id='x', lower=0, upper=5, size=16, alignment=1, offset=None, hint=None, gaps=())
    """
    rows = _rows(source.text)
    empty = Row(Span(0, 0), [])
    header = rows[0] if rows else empty
    errors: list[tuple[str, Span]] = []
    buffers: list[Buffer] = []
    try:
        if not rows:
            raise _Fault("the file has no header", Span(0, 0))
        columns, inclusive = _columns(header)
    except _Fault as fault:
        errors.append((str(fault), fault.span))
        return PlacementFile(source, PlacementProblem((), capacity), header, [], _diagnostics(source, errors))
    kept = []
    for row in rows[1:]:
        try:
            buffers.append(_buffer(row, columns, inclusive))
            kept.append(row)
        except _Fault as fault:
            errors.append((str(fault), fault.span))
    problem = PlacementProblem(tuple(buffers), capacity)
    errors += [(text, kept[number].line) for number, text in problem_errors(problem)]
    return PlacementFile(source, problem, header, kept, _diagnostics(source, errors))


def is_table(text: str) -> bool:
    r"""Whether a text is taken for a table of buffers, by its first line.

    >>> is_table("buffer,start,end,size\nx,0,4,16\n"), is_table("func.func @f() {\n")
    (True, False)
    """
    head = text.lstrip().partition("\n")[0]
    names = [name.strip().lower() for name in head.split(",")]
    return {"lower", "upper", "size"} <= {ALIASES.get(name, name) for name in names}


def write_placement(file: PlacementFile, offsets: tuple[int, ...]) -> str:
    r"""The text with the column `offset` filled in, and added if there was none.

    >>> file = read_placement(SourceFile("a.csv", "id,lower,upper,size\nx,0,4,16\n"), 64)
    >>> write_placement(file, (32,))
    'id,lower,upper,size,offset\nx,0,4,16,32\n'
    """
    names = [name.strip().lower() for name, _ in file.header.fields]
    at = names.index("offset") if "offset" in names else None
    lines = [[name.strip() for name, _ in file.header.fields] + ([] if at is not None else ["offset"])]
    for row, offset in zip(file.rows, offsets, strict=True):
        fields = [text.strip() for text, _ in row.fields]
        if at is None:
            fields.append(str(offset))
        else:
            fields[at] = str(offset)
        lines.append(fields)
    return "".join(",".join(fields) + "\n" for fields in lines)


def _diagnostics(source: SourceFile, errors: list[tuple[str, Span]]) -> list[Diagnostic]:
    return [Diagnostic("LS1020", "error", text, Label(source, span)) for text, span in errors]


def _rows(text: str) -> list[Row]:
    """The lines that are not empty."""
    rows = []
    at = 0
    for line in text.split("\n"):
        length = len(line)
        line = line.removesuffix("\r")
        if line.strip():
            fields = [(found.group(), Span(at + found.start(), at + found.end())) for found in _split(line)]
            rows.append(Row(Span(at, at + len(line)), fields))
        at += length + 1
    return rows


def _split(line: str) -> list[re.Match[str]]:
    fields = []
    at = 0
    while True:
        found = _FIELD.match(line, at)
        assert found is not None
        fields.append(found)
        at = found.end() + 1
        if at > len(line):
            return fields


def _columns(header: Row) -> tuple[dict[str, int], bool]:
    """The place of each column, and whether `upper` is the last point of a lifetime instead of the one behind it."""
    words = [text.strip().lower() for text, _ in header.fields]
    if not {ALIASES.get(word, word) for word in words} & {*REQUIRED, *OPTIONAL}:
        needed = ", ".join(REQUIRED)
        raise _Fault(f"this is no table of buffers, whose first line names its columns: {needed}", header.line)
    columns: dict[str, int] = {}
    inclusive = False
    for place, (text, span) in enumerate(header.fields):
        word = text.strip().lower()
        name = ALIASES.get(word, word)
        if name not in (*REQUIRED, *OPTIONAL):
            raise _Fault(f"no column is called `{text.strip()}`: there are {', '.join((*REQUIRED, *OPTIONAL))}", span)
        if name in columns:
            raise _Fault(f"the column `{name}` is there twice", span)
        columns[name] = place
        inclusive |= word == "end"
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise _Fault(f"the column `{missing[0]}` is missing", header.line)
    return columns, inclusive


def _buffer(row: Row, columns: dict[str, int], inclusive: bool) -> Buffer:
    if len(row.fields) != len(columns):
        raise _Fault(f"{len(row.fields)} fields under {len(columns)} columns", row.line)

    def number(name: str, default: int | None = None) -> int | None:
        if name not in columns:
            return default
        text, span = row.fields[columns[name]]
        word = text.strip()
        if not word and name not in REQUIRED:
            return default
        if not re.fullmatch(r"-?\d{1,20}", word) or abs(int(word)) > LARGEST:
            raise _Fault(f"`{word}` is no number for `{name}`", span)
        return int(word)

    def needed(name: str) -> int:
        value = number(name)
        assert value is not None
        return value

    name = row.fields[columns["id"]][0].strip()
    more = 1 if inclusive else 0
    hint = number("hint")
    alignment = number("alignment", 1)
    assert alignment is not None
    return Buffer(
        name, needed("lower"), needed("upper") + more, needed("size"), alignment, number("offset"),
        None if hint is None or hint < 0 else hint, _gaps(row, columns, more),
    )  # fmt: skip


def _gaps(row: Row, columns: dict[str, int], more: int) -> tuple[Gap, ...]:
    if "gaps" not in columns:
        return ()
    text, span = row.fields[columns["gaps"]]
    gaps = []
    for word in text.split():
        found = _GAP.fullmatch(word)
        if found is None:
            raise _Fault(f"`{word}` is no gap: `2-4` or `2-4@0:16`", span)
        lower, upper = int(found[1]), int(found[2]) + more
        gaps.append(Gap(lower, upper, None if found[3] is None else (int(found[3]), int(found[4]))))
    return tuple(gaps)
