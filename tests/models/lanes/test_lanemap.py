"""The algebra of lane maps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap, split_registers, strided
from tests.models.lanes.strategies import scattered

FEW = settings(max_examples=30)


def identity(arity: int) -> LaneMap:
    """The map that takes every position to itself."""
    return LaneMap("byte", 1, arity * POSITIONS, split_registers(range(arity * POSITIONS)))


@FEW
@given(st.data())
def test_composition_is_associative_and_has_the_identity(data: st.DataObject) -> None:
    first = data.draw(scattered(2 * POSITIONS, 1, repeats=True))
    second = data.draw(scattered(POSITIONS, 2, repeats=True))
    third = data.draw(scattered(40, 1, repeats=True))
    assert first.then(second).then(third) == first.then(second.then(third))
    assert identity(1).then(third) == third
    assert first.then(identity(2)) == first


@FEW
@given(scattered(600, 2, repeats=False))
def test_an_inverse_leads_back(lanes: LaneMap) -> None:
    inverse = lanes.inverse()
    back = inverse.then(lanes)
    for number in range(lanes.units):
        held = number in lanes.held()
        assert back.at(*divmod(number, POSITIONS)) == ((number, 0) if held else None)
        assert lanes.places(number) == ((divmod(inverse.registers[number // 256][number % 256] or 0, 256),) * held)
    there_and_back = lanes.then(inverse)
    assert identity(lanes.arity).covers(there_and_back)
    assert inverse.inverse() == LaneMap("byte", 1, POSITIONS * inverse.arity, lanes.registers)


@FEW
@given(scattered(300, 2, repeats=False), scattered(2 * POSITIONS, 1, repeats=False))
def test_the_inverse_of_a_composition_is_that_of_its_parts_in_reverse(lanes: LaneMap, move: LaneMap) -> None:
    one, other = move.then(lanes).inverse(), lanes.inverse().then(move.inverse())
    assert one.registers == other.registers


@FEW
@given(scattered(300, 2, repeats=True), st.integers(0, 300))
def test_a_restriction_is_covered_by_the_whole_and_holds_nothing_else(lanes: LaneMap, count: int) -> None:
    part = lanes.restrict(count)
    assert lanes.covers(part)
    assert part.agrees(lanes)
    assert part.covers(lanes) == (part.registers == lanes.registers)
    assert all(number < count for number in part.held())
    assert sorted(part.held()) == sorted(number for number in lanes.held() if number < count)
    assert part.restrict(count) == part
    assert part.compact().held() == part.held()


@FEW
@given(scattered(300, 1, repeats=True), scattered(300, 1, repeats=True))
def test_two_maps_agree_if_no_position_differs(one: LaneMap, other: LaneMap) -> None:
    pairs = list(zip(one.registers[0], other.registers[0], strict=True))
    assert one.agrees(other) == other.agrees(one) == all(a is None or b is None or a == b for a, b in pairs)
    assert one.covers(other) == all(b is None or a == b for a, b in pairs)
    assert one.covers(one)
    assert one.is_injective == (len(set(one.held())) == len(one.held()))


def test_an_element_in_two_places_has_no_inverse() -> None:
    twice = LaneMap("byte", 1, 1, split_registers([0, 0]))
    assert not twice.is_injective
    assert twice.places(0) == ((0, 0), (0, 1))
    with pytest.raises(ValueError, match="element 0 lies in several places"):
        twice.inverse()


def test_maps_that_do_not_fit_are_refused() -> None:
    lanes = strided("byte", 1, 256, 1)
    with pytest.raises(ValueError, match="a map of bytes cannot be followed by a map of bits"):
        lanes.then(strided("bit", 1, 256, 1))
    with pytest.raises(ValueError, match="a map onto 300 units cannot be followed by one of 256 positions"):
        strided("byte", 1, 300, 1).then(lanes)
    with pytest.raises(ValueError, match="register 0 has 3 positions"):
        LaneMap("byte", 1, 3, ((0, 1, 2),))
    for number in (-1, 3):
        with pytest.raises(ValueError, match="outside of the 3 units"):
            LaneMap("byte", 1, 3, split_registers([number]))
    assert not lanes.covers(strided("bit", 1, 256, 1))
    assert not lanes.agrees(strided("byte", 1, 512, 1))


def test_a_map_prints_as_its_registers() -> None:
    assert str(strided("byte", 4, 64, 4)).startswith("register 0, 4 bytes a slot\n    0 |  0  1  2")
