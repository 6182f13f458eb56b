"""Memory over time, and loops before and after fusion."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from layoutsolver.api import SolveOptions
from layoutsolver.source import SourceFile
from layoutsolver.view.memory import Bar, MemoryMap, clashes, load_of, memory_picture
from layoutsolver.view.of_memory import map_of_banks
from layoutsolver.view.pictures import NoPictureError, banks_of, fusion_of, placement_of
from layoutsolver.view.svg import width_of
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
    assert "At most 4 of 3 banks are in use at once, from time 2 to 4: more than there are (red)." in texts(root)
    assert {"bank 2", "peak 4 of 3"} <= set(texts(root))


def test_times_and_places_are_numbered_where_there_is_room() -> None:
    bars = (Bar("a", 0, 100, 0, 500), Bar("b", 1, 50, 501, 499), Bar("c", 60, 100, 1000, 1000))
    said = texts(parse(memory_picture(MemoryMap("table", bars, 0, "byte")).svg()))
    assert {"byte 0", "501", "1000", "2000", "peak 1500"} <= set(said)
    assert [text for text in said if text in ("0", "1", "50", "60", "100")][-5:] == ["1", "50", "60", "100", "0"]
    many = tuple(Bar(f"b{number}", number, number + 1, 0, 1) for number in range(1000))
    crowded = texts(parse(memory_picture(MemoryMap("table", many, 0, "byte")).svg()))
    assert {"0", "1000"} <= set(crowded)
    assert "2" not in crowded, "it has no room"


def test_a_small_box_is_drawn_as_large_as_its_name_and_that_is_said() -> None:
    bars = (Bar("weights", 0, 8, 0, 8000), Bar("flag_of_the_end", 1, 2, 8000, 32))
    root = parse(memory_picture(MemoryMap("table", bars, 0, "byte")).svg())
    box, text = boxes(root)["flag_of_the_end"], next(one for one in root.iter(SVG + "text") if one.text == bars[1].name)
    left, top, width, height = (float(box.get(name, "0")) for name in ("x", "y", "width", "height"))
    assert width >= width_of(bars[1].name, "code")
    assert float(text.get("x", "0")) == pytest.approx(left + width / 2)
    assert top < float(text.get("y", "0")) < top + height
    assert "Small boxes are drawn larger" in " ".join(texts(root))


def test_banks_that_nothing_uses_stand_in_one_line() -> None:
    root = parse(memory_picture(MemoryMap("few", (Bar("a", 0, 2, 0, 2), Bar("b", 2, 3, 6, 1)), 16, "bank")).svg())
    said = texts(root)
    assert {"bank 0", "bank 1", "banks 2 to 5", "bank 6", "banks 7 to 15"} <= set(said)
    assert said.count("never used") == 2
    assert hints(root, "wrong") == []


def test_what_is_proved_and_what_is_made_in_place_is_said() -> None:
    bars = (Bar("a", 0, 2, 0, 4), Bar("b", 2, 4, 0, 4, over="a"))
    proved = texts(parse(memory_picture(MemoryMap("two", bars, 16, "bank", proved=True)).svg()))
    assert "b, in place of a" in proved
    assert any(text.endswith("; proved: it cannot be done with fewer.") for text in proved)
    assert not any("proved" in text for text in texts(parse(memory_picture(MemoryMap("two", bars, 16, "bank")).svg())))


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
    assert "peak 6 of 16" in texts(root)


def test_loops_before_and_after_fusion_are_joined() -> None:
    picture, _ = fusion_of(source("examples/column_softmax.pto"), SolveOptions())
    root = parse(picture.svg())
    said = texts(root)
    assert {"before: 6 loops", "after: 2 loops"} <= set(said)
    assert "6 loops become 2: 2 loads and 1 store in their bodies, 6 loads and 4 stores before." in said
    assert any(text.startswith("Fusing them is legal: ") for text in said)
    assert {"line 43: vstore uses a result of the first loop", "line 63: vload may read what vstore writes"} <= set(
        said
    )
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
