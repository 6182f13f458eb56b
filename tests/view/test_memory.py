"""Memory over time, and loops before and behind fusion."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from layoutsolver.api import SolveOptions
from layoutsolver.source import SourceFile
from layoutsolver.view.memory import Bar, MemoryMap, clashes, load_of, memory_picture
from layoutsolver.view.of_memory import map_of_banks
from layoutsolver.view.pictures import NoPictureError, banks_of, fusion_of, placement_of
from layoutsolver_models.problems.banks import Bank, BankOp, BankProblem, BankSolution
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.bank_chip import load_bank_chip
from tests.view.test_pictures import SVG, hints, parse, texts

ROOT = Path(__file__).parents[2]


def source(name: str) -> SourceFile:
    return SourceFile(Path(name).name, (ROOT / name).read_text(encoding="utf-8"))


def boxes(root: ET.Element) -> dict[str, ET.Element]:
    """The coloured boxes by what they say up to the colon."""
    found = [
        item
        for item in root.iter(SVG + "rect")
        if " l" in item.get("class", "") and item.find(SVG + "title") is not None
    ]
    return {item.findtext(SVG + "title", "").partition(":")[0]: item for item in found}


def test_buffers_lie_at_their_offsets_and_nothing_clashes() -> None:
    picture, _ = placement_of(source("examples/buffers.csv"), Limits())
    root = parse(picture.svg())
    rows = (ROOT / "examples" / "buffers.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert {row.split(",")[0] for row in rows} <= set(boxes(root))
    assert hints(root, "wrong") == []


def test_what_clashes_and_what_is_too_much_is_marked() -> None:
    bars = (Bar("a", 0, 4, 0, 2), Bar("b", 2, 6, 1, 2), Bar("c", 4, 6, 0, 1))
    assert clashes(bars) == {0, 1}
    assert load_of(bars) == [(0, 2), (2, 4), (4, 3), (6, 0)]
    root = parse(memory_picture(MemoryMap("too much", bars, 3, "bank")).svg())
    assert len(hints(root, "wrong")) == 2
    assert hints(root, "badfill") == ["time 2: 4 live"]
    assert {"bank 2", "red: more than the 3 banks that there are"} <= set(texts(root))


def test_times_and_places_are_numbered_where_there_is_room() -> None:
    bars = (Bar("a", 0, 100, 0, 500), Bar("b", 1, 50, 501, 499), Bar("c", 60, 100, 1000, 1000))
    said = texts(parse(memory_picture(MemoryMap("table", bars, 0, "byte")).svg()))
    assert {"byte 0", "501", "1000", "2000", "at most 1500"} <= set(said)
    assert [text for text in said if text in ("0", "1", "50", "60", "100")] == ["0", "50", "60", "100"], "1 has no room"


def test_a_box_with_no_room_for_its_name_has_it_beside() -> None:
    bars = (Bar("weights", 0, 8, 0, 8000), Bar("flag", 1, 2, 8000, 32))
    root = parse(memory_picture(MemoryMap("table", bars, 0, "byte")).svg())
    place = {item.text: float(item.get("x", "0")) for item in root.iter(SVG + "text")}
    assert place["flag"] > float(boxes(root)["flag"].get("x", "0")) + float(boxes(root)["flag"].get("width", "0"))


def test_banks_stand_at_their_ids_in_the_order_of_the_answer() -> None:
    ops = (BankOp("bb.mvin", "load", 4, writes=(0,)), BankOp("bb.mul", "matrix", 8, reads=(0,), writes=(1,)))
    banks = (Bank("a", 1, 1, 0, 3), Bank("c", 1, 4, 1, 4))
    problem = BankProblem(ops, banks, (), (2, 3), bank_num=8)
    placed = BankSolution("optimal", "placement", (0, 1), (0, 1))
    bars = map_of_banks("text", problem, placed).bars
    assert [(bar.start, bar.end, bar.low, bar.size) for bar in bars] == [(0, 3, 0, 1), (1, 4, 1, 4)]
    ordered = placed._replace(level="reorder", first=(0, 1), last=(1, 1))
    shown = map_of_banks("order", problem, ordered)
    assert [(bar.start, bar.end) for bar in shown.bars] == [(0, 2), (1, 2)]
    assert shown.ticks == ((0, "mvin"), (1, "mul"))


def test_the_banks_of_a_program_are_drawn_where_they_are_put() -> None:
    picture, _ = banks_of(source("examples/bank_tile.mlir"), Limits(), load_bank_chip("seed"))
    root = parse(picture.svg())
    assert len(boxes(root)) >= 7
    assert hints(root, "wrong") == []
    assert "at most 6 of 16" in texts(root)


def test_loops_before_and_behind_fusion_are_joined() -> None:
    picture, _ = fusion_of(source("examples/column_softmax.pto"), SolveOptions())
    root = parse(picture.svg())
    said = texts(root)
    assert any(text.startswith("as written: 6 loops, ") for text in said)
    assert any(text.startswith("fused: 2 loops, ") for text in said)
    assert len(list(root.iter(SVG + "line"))) == 6 + 1, "each loop, and the hatching"
    assert any("stay apart" in text for text in said)


@pytest.mark.parametrize("name", ["examples/quantised_softmax.mlir", "examples/shared_mask.mlir"])
def test_what_is_no_table_of_buffers_is_said(name: str) -> None:
    with pytest.raises(NoPictureError) as raised:
        placement_of(source(name), Limits())
    (said,) = raised.value.diagnostics
    assert said.message.startswith("this is no table of buffers")
    assert said.primary is not None
    assert said.primary.span.start == 0 < said.primary.span.end
