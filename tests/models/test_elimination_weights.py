"""Several sums in few levels of integers: in the order in which they are compared, and taken apart again."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver_models.elimination.factors import NEVER, Factors, Unary
from layoutsolver_models.elimination.weights import Levels, levels_of, weigh


def factors(*leaves: tuple[tuple[int, ...], ...]) -> Factors:
    """Variables that depend on nothing, each with the cost of its states."""
    scopes: list[tuple[int, tuple[int, ...]]] = [(number, (number,)) for number in range(len(leaves))]
    return Factors([len(costs) for costs in leaves], [Unary(costs) for costs in leaves], scopes, {})


def singled(count: int) -> list[tuple[int, ...]]:
    """The weights that take one entry each."""
    return [tuple(int(place == entry) for entry in range(count)) for place in range(count)]


def summed(leaves: tuple[tuple[tuple[int, ...], ...], ...]) -> list[tuple[int, ...]]:
    """The sums of every choice of states."""
    return [tuple(map(sum, zip(*chosen, strict=True))) for chosen in product(*leaves)]


def valued(levels: Levels, sums: tuple[int, ...], weighting: int = 0) -> tuple[int, ...]:
    return tuple(weigh(sums, row) for row in levels.of(weighting))


COST = st.one_of(st.integers(0, 3), st.integers(0, NEVER // 9), st.sampled_from((0, 1 << 25, (1 << 25) - 1)))
LEAVES = st.integers(1, 4).flatmap(
    lambda entries: st.lists(
        st.lists(st.tuples(*[COST] * entries), min_size=1, max_size=3).map(tuple), min_size=1, max_size=3
    ).map(tuple)
)


@given(leaves=LEAVES)
@settings(max_examples=80, deadline=None)
def test_levels_are_compared_as_the_sums_are_and_give_them_back(
    leaves: tuple[tuple[tuple[int, ...], ...], ...],
) -> None:
    entries = len(leaves[0][0])
    levels = levels_of(factors(*leaves), [singled(entries)])
    assert levels is not None
    every = summed(leaves)
    told = [valued(levels, sums) for sums in every]
    assert [sums for _, sums in sorted(zip(told, every, strict=True))] == sorted(every)
    assert [tuple(levels.parts(values)) for values in told] == every
    assert all(0 <= value < NEVER // 2 for values in told for value in values)


def test_what_fits_together_is_one_level_and_the_rest_another() -> None:
    half = (1 << 25) - 1
    units = {
        (half, half, 1): ((0, 1 << 26), (0, 2), (0, 1)),  # which takes all that there is room for
        (half, half, 2): ((0, 1 << 25), (0, 1), (1, 1)),
        (half, 2, half): ((0, 3), (0, 1), (1, 1)),
        (2, NEVER // 6): ((0, 1), (1, 1)),  # one more than there is room for
        (2, NEVER // 6 - 1): ((0, NEVER // 6), (0, 1)),
        (NEVER // 4 - 1, 1, 1, 1): ((0, 2), (0, 1), (1, 2), (1, 1)),
    }
    for sums, expected in units.items():
        levels = levels_of(factors((sums,)), [singled(len(sums))])
        assert levels is not None
        assert levels.units == expected, sums
        assert len(levels.weights) == expected[-1][0] + 1
    three = levels_of(factors(((7, 8, 9),)), [singled(3)])
    assert three is not None
    assert three.units == ((0, 90), (0, 10), (0, 1))
    assert three.weights.tolist() == [[[90, 10, 1]]]


@pytest.mark.parametrize(("largest", "fits"), [(NEVER // 2 - 1, True), (NEVER // 2, False)])
def test_a_sum_that_does_not_fit_by_itself_has_no_level(largest: int, fits: bool) -> None:
    assert (levels_of(factors(((largest,),)), [[(1,)]]) is not None) == fits
    assert (levels_of(factors(((largest - 1,),), ((1,),)), [[(1,)]]) is not None) == fits


def test_all_orders_have_room_for_the_largest_of_each_place() -> None:
    orders = [[(1, 0), (0, 1)], [(0, 1), (1, 0)]]
    levels = levels_of(factors(((3, 100),)), orders)
    assert levels is not None
    assert levels.units == ((0, 101), (0, 1))
    assert [valued(levels, (3, 100), weighting) for weighting in (0, 1)] == [(3 * 101 + 100,), (100 * 101 + 3,)]
    assert [levels.parts(valued(levels, (3, 100), weighting)) for weighting in (0, 1)] == [[3, 100], [100, 3]]
