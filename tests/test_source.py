from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutsolver.source import Position, SourceFile, Span, split_input

LINES = st.text(alphabet=st.sampled_from(list("ab\n\r\t \x0b\x0c\x1c\x85\u2028é😀")), max_size=40)


@given(LINES, st.integers(1, 9))
def test_a_position_leads_back_to_its_offset(text: str, first_line: int) -> None:
    source = SourceFile("a.mlir", text, first_line)
    for offset in range(len(text) + 1):
        position = source.position(offset)
        assert (position.line, position.column) == source.line_column(offset)
        start = source.line_starts()[position.line - first_line]
        assert start + position.column - 1 == offset
        assert position.line == first_line + text[:offset].count("\n")
        units = len(text[start:offset].encode("utf-16-le", "surrogatepass")) // 2
        assert position.utf16_column == units + 1


@given(LINES, st.integers(1, 9))
def test_lines_joined_are_the_text_but_for_carriage_returns(text: str, first_line: int) -> None:
    source = SourceFile("a.mlir", text, first_line)
    lines = [source.line_text(first_line + number) for number in range(len(source.line_starts()))]
    assert lines == [line.rstrip("\r") for line in text.split("\n")]


def test_a_span_is_cut_from_the_text_by_code_points() -> None:
    assert SourceFile("a", "é😀bc").slice(Span(1, 3)) == "😀b"
    assert SourceFile("a", "é😀bc").position(2) == Position(1, 3, 4)


PARTS = ("x", "// -----", "// -----  ", " // -----", "// ----", "a\x0cb", "\u2028", "", "y\r")


@given(st.lists(st.sampled_from(PARTS), max_size=12), st.booleans())
def test_chunks_are_what_stands_between_the_marks_with_the_lines_of_the_whole_file(
    lines: list[str], ends: bool
) -> None:
    text = "\n".join(lines) + ("\n" if ends else "")
    source = SourceFile("a.mlir", text)
    chunks = split_input(source)
    marks = [line for line in text.split("\n") if line.rstrip() == "// -----"]
    assert len(chunks) == len(marks) + 1
    joined = chunks[0].text
    for mark, chunk in zip(marks, chunks[1:], strict=True):
        joined += mark + "\n" + chunk.text
    assert joined == text or joined == text + "\n"
    for chunk in chunks:
        assert chunk.name == "a.mlir"
        assert all(line.rstrip() != "// -----" for line in chunk.text.split("\n"))
        for line in range(len(chunk.line_starts()) - (not chunk.text or chunk.text.endswith("\n"))):
            assert chunk.line_text(chunk.first_line + line) == source.line_text(chunk.first_line + line)


@pytest.mark.parametrize("break_", ["\x0c", "\x0b", "\x85", "\u2028", "\r"])
def test_only_line_feeds_count_as_lines_when_a_file_is_split(break_: str) -> None:
    chunks = split_input(SourceFile("a.mlir", f"a{break_}b\n// -----\nc"))
    assert [(chunk.text, chunk.first_line) for chunk in chunks] == [(f"a{break_}b\n", 1), ("c", 3)]
    assert chunks[1].position(0).line == 3
    assert len(split_input(SourceFile("a.mlir", f"a{break_}// -----{break_}b"))) == 1


def test_the_first_line_of_a_chunk_of_a_chunk_is_that_of_the_file() -> None:
    (chunk, last) = split_input(SourceFile("a.mlir", "x\n// -----\ny\nz", 10))
    assert (chunk.first_line, last.first_line, last.position(2).line) == (10, 12, 13)
