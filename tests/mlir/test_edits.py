from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import Span


@st.composite
def pieces(draw: st.DrawFn) -> list[tuple[str, str | None]]:
    """Parts of a text, each with what replaces it (None: nothing does)."""
    part = st.tuples(st.text(max_size=5), st.one_of(st.none(), st.text(max_size=5)))
    return draw(st.lists(part, max_size=8))


@given(pieces(), st.randoms(use_true_random=False))
def test_every_replaced_part_reads_as_its_edit_says_whatever_the_order(
    parts: list[tuple[str, str | None]], rng: random.Random
) -> None:
    edits: list[Edit] = []
    at = 0
    for old, new in parts:
        if new is not None and old:
            edits.append(Edit(Span(at, at + len(old)), new))
        at += len(old)
    rng.shuffle(edits)
    expected = "".join(old if new is None or not old else new for old, new in parts)
    assert apply_edits("".join(old for old, _ in parts), edits) == expected


@given(st.text(max_size=20))
def test_no_edits_change_nothing(text: str) -> None:
    assert apply_edits(text, []) == text


@given(st.text(max_size=10), st.lists(st.text(max_size=3), max_size=5), st.text(max_size=10))
def test_insertions_at_one_place_come_in_the_order_given(before: str, new: list[str], behind: str) -> None:
    edits = [Edit(Span(len(before), len(before)), text) for text in new]
    assert apply_edits(before + behind, edits) == before + "".join(new) + behind


def test_an_insertion_goes_before_a_replacement_at_its_place() -> None:
    assert apply_edits("abc", [Edit(Span(1, 2), "X"), Edit(Span(1, 1), "+")]) == "a+Xc"
    assert apply_edits("abc", [Edit(Span(1, 2), "X"), Edit(Span(2, 2), "+")]) == "aX+c"


@pytest.mark.parametrize(("left", "right"), [((0, 2), (1, 3)), ((0, 3), (1, 2)), ((0, 2), (1, 1)), ((1, 2), (1, 2))])
def test_edits_that_overlap_are_refused(left: tuple[int, int], right: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="overlap at offset 1"):
        apply_edits("abcd", [Edit(Span(*left), "X"), Edit(Span(*right), "Y")])
