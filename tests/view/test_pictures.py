"""Pictures of programs: what is in them, and that they need nothing from outside."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from layoutsolver.api import SolveOptions
from layoutsolver.cli.main import main
from layoutsolver.explain.layout_words import WORDS
from layoutsolver.source import SourceFile
from layoutsolver.view.dataflow import Edge, Flow, Made, Node, flow_picture
from layoutsolver.view.pictures import NoPictureError, Shown, show
from layoutsolver.view.svg import Picture, width_of
from layoutsolver_models.rules.vmi.layouts import LAYOUT_NAMES
from layoutsolver_models.vecmem import LAYOUTS
from tests.cli.running import entangled

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
EXAMPLES = {
    "ave": "examples/quantised_softmax.mlir", "conflict": "examples/shared_mask.mlir",
    "vmi": "examples/fp4_dequant.pto", "vpto": "examples/upstream-findings/vmi/parts_of_packed_pairs.vpto",
}  # fmt: skip


def shown(kind: str) -> Shown:
    path = ROOT / EXAMPLES[kind]
    return show(SourceFile(path.name, path.read_text(encoding="utf-8")), SolveOptions(), kind in ("vmi", "vpto"))


def parse(svg: str) -> ET.Element:
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|<script|@import|url\((?!#)", svg), "needs nothing else"
    return ET.fromstring(svg)


def hints(root: ET.Element, kind: str, shape: str = "rect") -> list[str]:
    """What is said of the shapes of a class; those of a legend say nothing."""
    found = [item for item in root.iter(SVG + shape) if kind in item.get("class", "").split()]
    return [text for item in found if (text := item.findtext(SVG + "title", ""))]


def texts(root: ET.Element) -> list[str]:
    return [item.text or "" for item in root.iter(SVG + "text")]


@pytest.mark.parametrize(
    ("kind", "name", "line"),
    [
        ("ave", "space", 0), ("ave", "dataflow", 0), ("ave", "lanes", 32), ("conflict", "space", 0),
        ("conflict", "dataflow", 0), ("vmi", "space", 0), ("vmi", "dataflow", 0), ("vmi", "lanes", 13),
        ("vpto", "lanes", 0),
    ],
)  # fmt: skip
def test_every_picture_is_one_document_that_stays_within_its_size(kind: str, name: str, line: int) -> None:
    root = parse(shown(kind).picture(name, line).svg())
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    for item in root.iter(SVG + "rect"):
        assert 0 <= float(item.get("x", "-1")) <= float(item.get("x", "-1")) + float(item.get("width", "-1")) <= width
        assert 0 <= float(item.get("y", "-1")) <= float(item.get("y", "-1")) + float(item.get("height", "-1")) <= height
    assert "prefers-color-scheme:dark" in root.findtext(SVG + "style", "")


def test_the_space_shows_what_is_chosen_possible_and_excluded_by_which_rule() -> None:
    root = parse(shown("ave").picture("space").svg())
    said = [item.findtext(SVG + "title", "") for item in root.iter(SVG + "rect")]
    assert "%x8: b8_4vl: chosen" in said
    assert "%gmask: b16: possible" in said
    assert "○ +255" in texts(root), "what it would cost"
    assert "17 more vectors have one layout only:" in texts(root)
    assert not any(text.startswith("%hidden: ") for text in said)
    excluded = next(text for text in said if text.startswith("%x8: b8: excluded"))
    assert "AVE." in excluded
    assert "vextsi" in excluded or "vload" in excluded


def test_the_space_of_a_conflict_blames_each_operation_for_what_it_excludes_alone() -> None:
    root = parse(shown("conflict").picture("space").svg())
    said = texts(root)
    assert {"✕ b8, b16: vtruncf, line 11", "✕ b32: store_with_stride, line 12", "✕ b16: vtruncf, line 11"} <= set(said)
    assert "no layout is left for %mask." in " ".join(said)
    cells = [item.findtext(SVG + "title", "") for item in root.iter(SVG + "rect")]
    assert "%h: b16_2vl: possible" in cells, "no operation alone excludes it"
    assert "○  not excluded by any operation alone" in said


def test_the_space_of_vmi_shows_conversions_and_rules_that_do_not_serve() -> None:
    root = parse(shown("vmi").picture("space").svg())
    said = [item.findtext(SVG + "title", "") for item in root.iter(SVG + "rect")]
    assert "%q: ls2: chosen" in said
    assert "%x: ls2: excluded" in {text[: len("%x: ls2: excluded")] for text in said}
    assert any(text.startswith("✕ bd2, ") and text.endswith(": excluded for all of them") for text in texts(root))


def test_the_dataflow_marks_what_contradicts() -> None:
    root = parse(shown("conflict").picture("dataflow").svg())
    wrong = hints(root, "wrong")
    assert {text.partition(":")[0] for text in wrong} == {"ave.hir.vtruncf", "ave.hir.store_with_stride"}
    assert any(text.startswith("%mask") for text in [*hints(root, "badedge", "path"), *texts(root)])
    assert {"takes %mask in b32", "takes %mask in b16"} <= set(texts(root)), "beside the operations that contradict"
    assert hints(parse(shown("ave").picture("dataflow").svg()), "wrong") == []


def test_the_dataflow_of_a_conflict_blames_only_what_is_demanded_in_two_layouts() -> None:
    root = parse(shown("conflict").picture("dataflow").svg())
    said = "No layouts fit: vtruncf (line 11) takes %mask in b32, but store_with_stride (line 12) takes %mask in b16."
    assert said in " ".join(texts(root))
    assert {text.partition(":")[0] for text in hints(root, "badedge", "path")} == {"%mask"}
    assert {text.partition(":")[0] for text in hints(root, "badedge", "line")} == {"%mask"}, "all the way to line 12"
    assert "%h" in hints(root, "edge", "path")


def test_the_dataflow_marks_where_layouts_change_and_says_it() -> None:
    root = parse(shown("ave").picture("dataflow").svg())
    assert len(hints(root, "turn")) == 3
    assert {"b8_4vl → b32", "b16_2vl → b32", "b32 → b8_4vl", "with %visible, %hidden", "mask %all"} <= set(texts(root))
    said = "The layout changes at lines 32, 39 and 61 (thick frames); no conversions are needed between operations."
    assert said in " ".join(texts(root))
    assert "No operation changes the layout" in " ".join(texts(parse(unchanged().svg())))


def unchanged() -> Picture:
    """The dataflow of a program in which everything has one layout."""
    nodes = (Node("vload", 1, makes=(Made("%x", "b32"),)), Node("vadd", 2, makes=(Made("%y", "b32"),)))
    return flow_picture(Flow("a.mlir", nodes, (Edge(0, 1, "%x", "b32"),), ("b32",)))


def test_the_dataflow_has_every_operation_on_vectors_once() -> None:
    labels = [text for text in texts(parse(shown("ave").picture("dataflow").svg())) if re.search(r", line \d+$", text)]
    source = (ROOT / EXAMPLES["ave"]).read_text(encoding="utf-8").splitlines()
    expected = [number for number, line in enumerate(source, 1) if "ave.hir." in line]
    assert sorted(int(label.rpartition(" ")[2]) for label in labels) == expected


def test_a_conversion_is_a_diamond_in_the_colour_of_what_it_makes() -> None:
    text = (ROOT / "tests" / "data" / "vmi" / "057-e2b-two-widths.pto").read_text(encoding="utf-8")
    flow = show(SourceFile("a.pto", text), SolveOptions(), True).picture("dataflow")
    root = parse(flow.svg())
    diamonds = [item for item in root.iter(SVG + "polygon") if item.find(SVG + "title") is not None]
    assert [item.findtext(SVG + "title", "") for item in diamonds] == ["%scw: d4 → d2"]
    assert "converted to another layout before the operation" in texts(root)
    assert diamonds[0].get("class") == "box l3", "the colour of d2"


def test_the_lanes_of_wrong_parts_show_what_is_read_from_padding_and_what_by_nothing() -> None:
    root = parse(shown("vpto").picture("lanes").svg())
    assert hints(root, "frame")[:2] == ["byte 0: read by %a (line 8, part P0)", "byte 4: read by %a (line 8, part P0)"]
    wrong = hints(root, "wrong")
    assert len(wrong) == 16, "eight in each row that is drawn"
    assert wrong[0] == "byte 1: read by %b (line 11, part P1), and nothing is in it"
    said = texts(root)
    assert "%b (line 11, part P1) reads byte 1 of every 4 of %x, where nothing lies." in said
    assert "Elements 1, 3, 5, … of %x (64 of 128) are lost: no conversion reads them." in said
    assert hints(root, "lost")[:2] == ["byte 2: element 1", "byte 6: element 3"]
    assert said.count("?") == 16, "what is made of padding"


def test_the_lanes_of_an_operation_show_its_vectors_and_the_bits_that_govern_them() -> None:
    root = parse(shown("ave").picture("lanes", 32).svg())
    titles = [text for text in texts(root) if text.startswith("%")]
    assert [text.split()[0] for text in titles] == ["%x8", "%all", "%x32"]
    assert "bit 15" in [item.findtext(SVG + "title", "") for item in root.iter(SVG + "rect")]
    assert "byte 60: element 15" in [item.findtext(SVG + "title", "") for item in root.iter(SVG + "rect")]
    assert texts(root).count("bytes 64 to 255: the same pattern, up to element 63") == 3


@pytest.mark.parametrize(("kind", "name", "line"), [("ave", "lanes", 0), ("ave", "lanes", 1), ("vpto", "space", 0)])
def test_what_has_no_picture_says_so(kind: str, name: str, line: int) -> None:
    with pytest.raises(NoPictureError):
        shown(kind).picture(name, line)


def test_a_large_program_is_drawn() -> None:
    picture = show(SourceFile("a.mlir", entangled(100)), SolveOptions(), False).picture("dataflow")
    assert len(parse(picture.svg()).findall(f".//{SVG}path")) > 100


def test_the_command_writes_a_file(tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    assert main(["view", str(ROOT / EXAMPLES["vmi"]), "--show", "space", "-o", str(out)]) == 0
    parse(out.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "arguments", [["--show", "lanes"], ["--show", "lanes", "--line", "2"], ["--show", "sketch"], ["--line", "0"]]
)
def test_what_cannot_be_drawn_is_a_usage_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(ROOT / EXAMPLES["ave"]), *arguments]) == 2
    assert capsys.readouterr().out == ""


def test_an_unreadable_program_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.mlir"
    file.write_text("func.func @f( {")
    assert main(["view", str(file)]) == 3
    assert "LS0003" in capsys.readouterr().err


def test_every_layout_has_words_and_every_colour_is_explained() -> None:
    assert set(LAYOUTS) | set(LAYOUT_NAMES) <= set(WORDS)
    for kind in ("ave", "vmi"):
        for name in ("space", "dataflow"):
            root = parse(shown(kind).picture(name).svg())
            coloured = {item.get("class") for item in root.iter(SVG + "rect") if "box l" in item.get("class", "")}
            swatches = [item for item in root.iter(SVG + "rect") if item.find(SVG + "title") is None]
            assert coloured <= {item.get("class") for item in swatches}
            drawn = {item.get("class") for item in root.iter(SVG + "rect") if item not in swatches}
            assert name == "dataflow" or coloured <= drawn, "no colour is explained that nothing has"
            assert sum(text.partition(": ")[2] in WORDS.values() for text in texts(root)) >= len(coloured)


def test_what_excludes_a_layout_stands_beside_its_row() -> None:
    said = texts(parse(shown("ave").picture("space").svg()))
    assert "✕ b8, b8_2vl: vextsi, line 32" in said
    assert "✕ ls2, ls4: no rule of extf" in texts(parse(shown("vmi").picture("space").svg()))


def placed(root: ET.Element) -> Iterator[tuple[str, float, float, float, float]]:
    """The texts of a picture, each with about the box that it takes."""
    for item in root.iter(SVG + "text"):
        if item.text:
            size = 0.85 if {"small", "key", "cell"} & set(item.get("class", "").split()) else 1.0
            width = 0.85 * size * width_of(item.text)
            left = (
                float(item.get("x", "0"))
                - {"start": 0.0, "middle": 0.5, "end": 1.0}[item.get("text-anchor", "")] * width
            )
            low = float(item.get("y", "0"))
            yield item.text, left, low - 8, left + width, low
    for item in root.iter(SVG + "rect"):
        if float(item.get("rx", "0")) >= 5 and float(item.get("width", "0")) <= 14:  # a dot
            x, y, side = (float(item.get(name, "0")) for name in ("x", "y", "width"))
            yield f"dot at {x}, {y}", x, y, x + side, y + side


@pytest.mark.parametrize("name", ["conflict", "candidates", "dataflow", "fusion", "lanes", "memory", "banks"])
def test_no_text_of_a_documented_picture_lies_on_another_one(name: str) -> None:
    found = list(placed(ET.parse(ROOT / "docs" / "pictures" / f"{name}.svg").getroot()))
    for one, (text, left, top, right, low) in enumerate(found):
        for other, *place in found[:one]:
            together = left < place[2] and place[0] < right and top < place[3] and place[1] < low
            assert not together, f"`{text}` lies on `{other}`"


def test_no_text_is_too_small_to_read() -> None:
    sizes = re.findall(r"font(?:-size)?:(\d+)px", shown("vmi").picture("space").svg())
    assert len(sizes) >= 5
    assert min(map(int, sizes)) >= 10


DOCUMENTED = {
    "conflict": ("shared_mask.mlir", "dataflow"), "candidates": ("quantised_softmax.mlir", "space"),
    "dataflow": ("quantised_softmax.mlir", "dataflow"), "fusion": ("column_softmax.pto", "fusion"),
    "lanes": ("upstream-findings/vmi/parts_of_packed_pairs.vpto", "lanes"), "memory": ("buffers.csv", "memory"),
    "banks": ("bank_tile.mlir", "memory"),
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_pictures_of_the_readme_are_what_is_drawn(
    name: str, update_golden: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    file, kind = DOCUMENTED[name]
    kept, out = ROOT / "docs" / "pictures" / f"{name}.svg", tmp_path / "out.svg"
    assert main(["view", f"examples/{file}", "--show", kind, "-o", str(kept if update_golden else out)]) == 0
    assert update_golden or kept.read_text(encoding="utf-8") == out.read_text(encoding="utf-8")
