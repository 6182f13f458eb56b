"""The page of a program: its text with what is said beside the lines, and its pictures."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from layoutsolver.cli.main import main

ROOT = Path(__file__).parents[2]
VOID = {"meta", "br", "img", "link"}


class Nesting(HTMLParser):
    """Whether every element is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag


def page(tmp_path: Path, name: str, status: int) -> str:
    out = tmp_path / "out.html"
    assert main(["report", name, "-o", str(out)]) == status
    text = out.read_text(encoding="utf-8")
    parsed = Nesting()
    parsed.feed(text)
    assert parsed.open == []
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|<script|@import", text), "needs nothing else"
    return text


def test_messages_stand_under_their_lines(tmp_path: Path) -> None:
    text = page(tmp_path, str(ROOT / "examples" / "shared_mask.mlir"), 1)
    lines = re.split(r'<div class="line', text)
    said = {int(match[1]): part for part in lines if (match := re.search(r"<span class=number>(\d+)<", part))}
    assert "error[LS0101]" in said[12]
    assert "`ave.hir.vtruncf` takes `%mask` in b32" in said[11]
    assert "said" not in said[13]
    assert text.count("<svg") == 2


def test_a_repair_stands_under_its_message_with_the_lines_that_it_changes(tmp_path: Path) -> None:
    text = page(tmp_path, str(ROOT / "examples" / "shared_mask.mlir"), 1)
    assert "make the mask `%mask` once more, in b32, as `%mask_b32`" in text
    removed = re.findall(r"<div class=removed> *(\d+) - ([^<]*)", text)
    added = re.findall(r"<div class=added> *(\d+) \+ ([^<]*)", text)
    assert [line for line, _ in removed] == ["11", "12"]
    assert [line for line, _ in added] == ["10", "11", "10", "12"]
    assert "%mask_b32 :" in added[1][1]


def test_a_program_of_fusion_regions_shows_its_loops(tmp_path: Path) -> None:
    text = page(tmp_path, str(ROOT / "examples" / "column_softmax.pto"), 0)
    assert "Loops before and after fusion" in text
    assert "6 loops become 2" in text


def test_banks_and_buffers_have_a_page_with_their_answer(tmp_path: Path) -> None:
    banks = page(tmp_path, str(ROOT / "examples" / "bank_tile.mlir"), 0)
    assert "tile: optimal, 6 of 16 banks" in banks
    assert "buckyball.mset" in banks
    buffers = page(tmp_path, str(ROOT / "examples" / "buffers.csv"), 0)
    assert "optimal: 6 buffers in 8288 bytes" in buffers
    assert "id,lower,upper,size,alignment,offset" in buffers
    broken = tmp_path / "broken.csv"
    broken.write_text("id,lower,upper,size\na,0,1,x\n")
    assert "error[LS1020]" in page(tmp_path, str(broken), 3)


def test_what_stands_on_the_page_is_said_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page(tmp_path, str(ROOT / "examples" / "shared_mask.mlir"), 1)
    assert "error[LS0101]" in capsys.readouterr().err


def test_an_answer_is_on_the_page_of_a_program_that_has_one(tmp_path: Path) -> None:
    text = page(tmp_path, str(ROOT / "examples" / "fp4_dequant.pto"), 0)
    assert "optimal: every vector has a layout" in text
    assert "#pto.vmi.layout&lt;deinterleaved = 2&gt;" in text
    assert text.count("<svg") == 2


def test_lowered_text_shows_its_lanes(tmp_path: Path) -> None:
    text = page(tmp_path, str(ROOT / "examples" / "upstream-findings" / "vmi" / "parts_of_packed_pairs.vpto"), 0)
    assert "(64 of 128) are lost" in text


def test_text_is_never_taken_for_markup(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text('// <script>alert("x")</script> & <b>\nfunc.func @f() {\n  return\n}\n')
    text = page(tmp_path, str(file), 0)
    assert "&lt;script&gt;" in text


def test_a_program_that_cannot_be_read_has_a_page_too(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text("func.func @f( {\n")
    text = page(tmp_path, str(file), 3)
    assert "LS0003" in text


@pytest.mark.parametrize("name", ["examples/quantised_softmax.mlir"])
def test_pictures_of_one_page_do_not_share_their_hatching(name: str, tmp_path: Path) -> None:
    text = page(tmp_path, str(ROOT / name), 0)
    assert len(set(re.findall(r'<pattern id="(\w+)"', text))) == text.count("<pattern")
