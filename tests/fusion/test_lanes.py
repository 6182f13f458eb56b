"""Sets of lanes: against sets of numbers, and as masks make them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutsolver.fusion.affine import Numbers
from layoutsolver.fusion.code import code_of
from layoutsolver.fusion.lanes import Lanes, Masks, every, none, prefix
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from tests.support.fusion_text import MASK, kernel

COUNT = 6
KNOWN = st.integers(0, 2**COUNT - 1).map(lambda bits: Lanes(COUNT, bits))
KEYED = st.sampled_from(("p", "q")).map(lambda key: Lanes(COUNT, 0, key))
ANY = st.one_of(KNOWN, KEYED)
KEYS = st.fixed_dictionaries({key: st.integers(0, 2**COUNT - 1) for key in ("p", "q")})


def meant(lanes: Lanes, keys: dict[str, int]) -> int:
    """The lanes that a set means, where it is said what the unknown ones are."""
    return lanes.bits if lanes.is_known else keys[str(lanes.key)]


@given(ANY, ANY, KEYS)
def test_what_is_said_of_sets_holds_whatever_the_unknown_ones_are(
    one: Lanes, other: Lanes, keys: dict[str, int]
) -> None:
    mine, theirs = meant(one, keys), meant(other, keys)
    assert not one.holds(other) or not theirs & ~mine
    assert one.meets(other) or not mine & theirs
    assert not (mine | theirs) & ~meant(one.union(other), keys)
    assert not meant(one.minus(other), keys) & (theirs | ~mine)
    assert not (mine & theirs) & ~meant(one.common(other), keys)


@given(KNOWN, KNOWN)
def test_known_sets_are_exact(one: Lanes, other: Lanes) -> None:
    assert one.holds(other) is not bool(other.bits & ~one.bits)
    assert one.meets(other) is bool(one.bits & other.bits)
    assert one.union(other).bits == one.bits | other.bits
    assert one.minus(other).bits == one.bits & ~other.bits
    assert one.common(other).bits == one.bits & other.bits


def masks(*lines: str) -> dict[str, Lanes]:
    """The lanes of every mask of a program by name."""
    graph, found = build_graph(read(kernel(*lines, arguments="%n: index, %k: index")))
    assert not found
    known = Masks(Numbers(code_of(graph)))
    return {value.name: known.lanes(value.index, 64) for value in graph.values if value.type.text == MASK}


LOW, HIGH = prefix(64, 32), every(64).minus(prefix(64, 32))


@pytest.mark.parametrize(("line", "expected"), [
    (f"%m = pto.vmi.create_mask %c9 : index -> {MASK}", prefix(64, 9)),
    (f"%m = pto.vmi.create_mask %c512 : index -> {MASK}", every(64)),
    (f"%m = pto.vmi.create_mask %c0 : index -> {MASK}", none(64)),
    (f'%m = pto.vmi.pset "PAT_ALL" : {MASK}', every(64)),
    (f'%m = pto.vmi.pge "PAT_VL8" : {MASK}', prefix(64, 8)),
    (f"%m = pto.vmi.mask_not %half : {MASK} -> {MASK}", HIGH),
    (f"%m = pto.vmi.mask_and %half, %eight : {MASK}, {MASK} -> {MASK}", prefix(64, 8)),
    (f"%m = pto.vmi.mask_or %half, %eight : {MASK}, {MASK} -> {MASK}", LOW),
    (f"%m = pto.vmi.mask_xor %all, %half : {MASK}, {MASK} -> {MASK}", HIGH),
    (f"%m = pto.vmi.create_group_mask %c2 {{num_groups = 16, group_size = 4}} : index -> {MASK}",
     Lanes(64, int("0011" * 16, 2))),
])  # fmt: skip
def test_masks_of_constants_are_known(line: str, expected: Lanes) -> None:
    assert masks(line)["%m"] == expected


def test_masks_of_unknown_counts_are_equal_if_they_are_computed_alike() -> None:
    found = masks(
        f"%m = pto.vmi.create_mask %n : index -> {MASK}", f"%again = pto.vmi.create_mask %n : index -> {MASK}",
        f"%other = pto.vmi.create_mask %k : index -> {MASK}",
        f"%both = pto.vmi.mask_and %m, %other : {MASK}, {MASK} -> {MASK}",
        f"%twice = pto.vmi.mask_and %again, %other : {MASK}, {MASK} -> {MASK}",
    )  # fmt: skip
    assert not found["%m"].is_known
    assert found["%m"] == found["%again"]
    assert found["%m"] != found["%other"]
    assert found["%both"] == found["%twice"]
    assert found["%both"] != found["%m"]


def test_a_mask_of_another_length_is_no_set_of_these_lanes() -> None:
    graph, _ = build_graph(read(kernel()))
    known = Masks(Numbers(code_of(graph)))
    half = next(value.index for value in graph.values if value.name == "%half")
    assert known.lanes(half, 64) == LOW
    assert not known.lanes(half, 32).is_known
    assert known.lanes(None, 32).is_all
