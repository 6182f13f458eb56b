"""Tables of buffers: every column, every alias, every fault at its field."""

from __future__ import annotations

import pytest

from layoutsolver.placement.csv import read_placement, write_placement
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.placement import Buffer, Gap


def read(text: str) -> list[tuple[str, str]]:
    file = read_placement(SourceFile("a.csv", text), None)
    marked = [file.source.text[label.span.start : label.span.end] for e in file.errors if (label := e.primary)]
    return list(zip([error.message for error in file.errors], marked, strict=True))


def test_all_columns_in_any_order() -> None:
    text = "size, gaps ,upper,lower,id,alignment,offset,hint\n64,2-4 6-7@0:16,9,0,x,16,32,-1\n32,,5,1,y,,,8\n"
    file = read_placement(SourceFile("a.csv", text), 128)
    assert file.errors == []
    assert file.problem.buffers == (
        Buffer("x", 0, 9, 64, 16, 32, None, (Gap(2, 4), Gap(6, 7, (0, 16)))),
        Buffer("y", 1, 5, 32, 1, None, 8),
    )
    assert write_placement(file, (32, 0)).splitlines()[1:] == ["64,2-4 6-7@0:16,9,0,x,16,32,-1", "32,,5,1,y,,0,8"]


@pytest.mark.parametrize("header", ["buffer,begin,upper,size", "buffer_id,start,upper,size", "ID,Lower,UPPER,Size"])
def test_other_names_of_the_same_columns(header: str) -> None:
    file = read_placement(SourceFile("a.csv", f"{header}\nx,0,4,16\r\n\n"), None)
    assert file.problem.buffers == (Buffer("x", 0, 4, 16),)


def test_a_column_called_end_holds_the_last_point() -> None:
    file = read_placement(SourceFile("a.csv", "id,start,end,size,gaps\nx,0,8,16,2-4\n"), None)
    assert file.problem.buffers == (Buffer("x", 0, 9, 16, gaps=(Gap(2, 5),)),)


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        ("", "the file has no header", ""),
        ("id,lower,upper\n", "the column `size` is missing", "id,lower,upper"),
        ("id,lower,upper,size,aligment\n", "no column is called `aligment`", "aligment"),
        ("id,lower,start,upper,size\n", "the column `lower` is there twice", "start"),
        ("id,lower,upper,size\nx,0,4\n", "3 fields under 4 columns", "x,0,4"),
        ("id,lower,upper,size\nx,0,4,4k\n", "`4k` is no number for `size`", "4k"),
        ("id,lower,upper,size\nx,0,4,99999999999999999999\n", "is no number for `size`", "99999999999999999999"),
        ("id,lower,upper,size\nx,4,4,8\n", "the lifetime [4, 4) is empty", "x,4,4,8"),
        ("id,lower,upper,size,gaps\nx,0,4,8,2:3\n", "`2:3` is no gap", "2:3"),
        ("id,lower,upper,size\nx,0,4,8\nx,1,2,8\n", "the id `x` is taken", "x,1,2,8"),
    ],
)
def test_faults_are_found_at_their_field(text: str, message: str, marked: str) -> None:
    ((said, where),) = read(text)
    assert said.startswith(message) if not message.startswith("is no") else message in said
    assert where == marked


def test_an_error_in_a_line_does_not_move_those_behind_it() -> None:
    found = read("id,lower,upper,size\nx,0,4,?\ny,3,3,8\n")
    assert [where for _, where in found] == ["?", "y,3,3,8"]
