"""No text of any picture lies on another one, leaves the picture, or is crossed by a line: of random programs."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver.view.candidates import Candidate, Row, Space, space_picture
from layoutsolver.view.dataflow import Edge, Flow, Made, Node, flow_picture
from layoutsolver.view.fusion import FusionView, Kept, LoopBox, fusion_picture
from layoutsolver.view.lanes import Drawn, Reader, lane_picture, span_words
from layoutsolver.view.memory import Bar, MemoryMap, memory_picture
from layoutsolver.view.svg import Picture
from layoutsolver_models.lanes.lanemap import LaneMap
from layoutsolver_models.lanes.layout import data_map
from layoutsolver_models.vecmem import LAYOUTS
from tests.view.geometry import crossed, outside, overlapping, texts_of

NAMES = st.integers(1, 14).map(lambda size: "%" + "value_of_a_sum"[:size])
WORDS = ("vadd", "pge", "vector_broadcast", "store_with_stride")


def clean(picture: Picture, lines: set[str] | None = None) -> ET.Element:
    """The picture, in which every text can be read."""
    root = ET.fromstring(picture.svg())
    assert overlapping(list(texts_of(root))) == []
    assert outside(root) == []
    assert crossed(root, lines or set()) == []
    return root


@st.composite
def flows(draw: st.DrawFn) -> Flow:
    """Programs of some operations, of which each takes some of the values before it, with faults and conversions."""
    count = draw(st.integers(1, 14))
    nodes, edges = [], []
    for number in range(count):
        mask, layout = draw(st.booleans()), draw(st.sampled_from(LAYOUTS))
        made = tuple(Made(draw(NAMES), layout, mask) for _ in range(draw(st.integers(0, 2))))
        wrong = draw(st.integers(0, 4)) == 0
        wants = f"takes {draw(NAMES)} in b16" if wrong and draw(st.booleans()) else ""
        nodes.append(Node(draw(st.sampled_from(WORDS)), number + 1, "", wrong, wants, made))
        for source in draw(st.sets(st.integers(0, number), max_size=4)):
            if nodes[source].makes:
                value = nodes[source].makes[0]
                after = draw(st.sampled_from(("", "", "", *LAYOUTS)))
                bad = draw(st.integers(0, 3)) == 0
                edges.append(Edge(source, number, value.name, value.layout, after, bad, value.mask))
    return Flow("a.mlir", tuple(nodes), tuple(edges), LAYOUTS)


@settings(max_examples=25, deadline=None)
@given(flows())
def test_no_text_of_a_dataflow_is_hidden(flow: Flow) -> None:
    root = clean(flow_picture(flow), {"edge", "badedge"})
    labels = [box.text for box in texts_of(root)]
    for node in flow.nodes:
        assert any(label.endswith(f"{node.name}, line {node.line}") for label in labels)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(NAMES, st.integers(0, 40), st.integers(1, 30), st.integers(0, 5000), st.integers(1, 900)), max_size=40
    ),
    st.sampled_from((0, 16, 6000)),
    st.booleans(),
)  # fmt: skip
def test_no_text_of_a_memory_is_hidden(found: list[tuple[str, int, int, int, int]], room: int, ticks: bool) -> None:
    small = room == 16
    bars: list[Bar] = []
    for name, start, length, low, size in found:
        bar = Bar(name, start, start + length, low % 12 if small else low, size % 4 + 1 if small else size)
        if all(
            bar.end <= one.start
            or one.end <= bar.start
            or bar.low + bar.size <= one.low
            or one.low + one.size <= bar.low
            for one in bars
        ):
            bars.append(bar)
    end = max((bar.end for bar in bars), default=1)
    names = tuple((time, WORDS[time % 4]) for time in range(end)) if ticks and end <= 40 else ()
    clean(memory_picture(MemoryMap("a.csv", tuple(bars), room, "byte", names, True)))


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(
            NAMES,
            st.dictionaries(
                st.sampled_from(LAYOUTS),
                st.sampled_from(
                    (
                        Candidate("chosen"), Candidate("possible", cost="+255"), Candidate("converted"),
                        Candidate("excluded", "", "vextsi, line 32"), Candidate("excluded", "", "no rule of load"),
                    )
                ),
                min_size=1,
            ),
            st.booleans(),
        ),
        max_size=12,
    )
)  # fmt: skip
def test_no_text_of_a_candidate_space_is_hidden(found: list[tuple[str, dict[str, Candidate], bool]]) -> None:
    rows = tuple(Row(name, number + 1, cells, mask) for number, (name, cells, mask) in enumerate(found))
    clean(space_picture(Space("a.mlir", LAYOUTS, rows, "+N: so many more instructions")))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.data())
def test_no_text_of_a_fusion_is_hidden(groups: list[int], data: st.DataObject) -> None:
    lines = [3 * number + 1 for number in range(len(groups))]
    before = tuple(LoopBox((line,), 1, 1) for line in lines)
    members = [
        tuple(line for line, group in zip(lines, groups, strict=True) if group == one) for one in sorted({*groups})
    ]
    after = tuple(LoopBox(found, len(found), 1) for found in sorted(members))
    pairs = [(one, other) for one in lines for other in lines if one < other]
    apart = data.draw(st.lists(st.sampled_from(pairs), unique=True, max_size=8)) if pairs else []
    kept = tuple(
        Kept(one, other, "STUCK", "operations between them need the first one " * (one % 3 + 1), ("line 4: why",))
        for one, other in apart
    )
    clean(fusion_picture(FusionView("a.pto", before, after, kept)))


@settings(max_examples=6, deadline=None)
@given(
    st.sampled_from(LAYOUTS), st.integers(1, 64), st.lists(st.tuples(st.integers(0, 3), st.integers(1, 8)), max_size=4)
)
def test_no_text_of_lanes_is_hidden(layout: str, lanes: int, readers: list[tuple[int, int]]) -> None:
    data = data_map(layout, int(layout[1:].partition("_")[0]), lanes)
    read = tuple(
        Reader(f"%r{number}", (frozenset(range(first, 256, step)),) + (frozenset(),) * (data.arity - 1))
        for number, (first, step) in enumerate(readers)
    )
    clean(lane_picture("a.mlir", [[Drawn(f"%x {layout}", data, None, read)], [Drawn("%y", data, hollow=True)]]))


def test_the_checks_see_what_they_are_for() -> None:
    picture = Picture("")
    picture.text(10, 40, "a word", "code")
    picture.text(20, 44, "another", "code")
    picture.text(-5, 90, "away", "code")
    picture.line(0, 30, 60, 42, "edge")
    picture.curve(30, 60, 30, 120, "badedge")
    root = ET.fromstring(picture.svg())
    assert overlapping(list(texts_of(root))) == [("a word", "another")]
    assert outside(root) == ["away"]
    assert crossed(root, {"edge"}) == ["a word", "another"]
    assert crossed(root, {"badedge"}) == []


@pytest.mark.parametrize(
    ("numbers", "words"), [([4, 5, 6], "bytes 4 to 6"), ([0, 2, 4], "byte 0 of every 2"), ([0, 2, 5], "3 bytes")]
)
def test_bytes_are_told_in_few_words(numbers: list[int], words: str) -> None:
    assert span_words(numbers) == words


def test_rows_that_go_on_otherwise_are_drawn() -> None:
    torn = LaneMap("byte", 1, 256, (tuple(255 - byte if 160 <= byte < 192 else byte for byte in range(256)),))
    said = [box.text for box in texts_of(ET.fromstring(lane_picture("torn", [[Drawn("%x", torn)]]).svg()))]
    assert "bytes 64 to 159: the same pattern, up to element 159" in said
    assert {"byte 160", "byte 192", "95"} <= set(said)
