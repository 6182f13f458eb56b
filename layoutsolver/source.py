"""Source text and places in it.

Offsets and columns count code points; `Position.utf16_column` is there for editors, which count UTF-16 units.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range `[start, end)` of code points in one source file."""

    start: int
    end: int


class Position(NamedTuple):
    """A place as people count it: line and column from 1."""

    line: int
    column: int
    utf16_column: int


class SourceFile:
    r"""The text of one input and the name under which messages quote it.

    `first_line` shifts line numbers, so that a chunk of a split file reports lines of the whole file.

    >>> source = SourceFile("a.mlir", "x\n  yz")
    >>> source.position(5)
    Position(line=2, column=4, utf16_column=4)
    >>> source.line_text(2)
    '  yz'
    """

    __slots__ = ("_line_starts", "first_line", "name", "text")

    def __init__(self, name: str, text: str, first_line: int = 1) -> None:
        self.name = name
        self.text = text
        self.first_line = first_line
        self._line_starts: list[int] = []

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SourceFile):
            return NotImplemented
        return (self.name, self.text, self.first_line) == (other.name, other.text, other.first_line)

    def __hash__(self) -> int:
        return hash((self.name, self.text, self.first_line))

    def __repr__(self) -> str:
        return f"SourceFile({self.name!r}, {self.text!r}, {self.first_line})"

    def line_starts(self) -> list[int]:
        """Offsets at which lines begin; the first is 0."""
        if not self._line_starts:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._line_starts.extend(starts)
        return self._line_starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, from 1."""
        starts = self._line_starts or self.line_starts()
        index = bisect_right(starts, offset) - 1
        return index + self.first_line, offset - starts[index] + 1

    def position(self, offset: int) -> Position:
        """The line and column of a code point offset (0 to the length of the text, both included)."""
        line, column = self.line_column(offset)
        head = self.text[offset - column + 1 : offset]
        return Position(line, column, column + sum(1 for char in head if ord(char) > 0xFFFF))

    def line_text(self, line: int) -> str:
        """The text of a line (numbered as `position` numbers them), without its line break."""
        starts = self.line_starts()
        index = line - self.first_line
        start = starts[index]
        end = starts[index + 1] - 1 if index + 1 < len(starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def slice(self, span: Span) -> str:
        """The text that a span covers."""
        return self.text[span.start : span.end]


def split_input(source: SourceFile) -> list[SourceFile]:
    r"""The chunks between `// -----` lines, as mlir-opt splits them; joined by those lines they are the input.

    >>> [chunk.text for chunk in split_input(SourceFile("a", "x\n// -----\ny\n"))]
    ['x\n', 'y\n']
    """
    chunks: list[SourceFile] = []
    lines = source.text.split("\n")
    begin = 0
    for number, line in enumerate([*lines, None]):
        if line is None or line.rstrip() == "// -----":
            text = "\n".join([*lines[begin:number], ""]) if line is not None else "\n".join(lines[begin:])
            chunks.append(SourceFile(source.name, text, source.first_line + begin))
            begin = number + 1
    return chunks
