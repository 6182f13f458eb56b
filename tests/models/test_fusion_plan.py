"""What a body of a fusion plan takes, counted by hand, and how limits on it are told."""

from __future__ import annotations

import pytest

from layoutsolver_models.problems.fusion import (
    FusionCarried,
    FusionLimits,
    FusionLoad,
    FusionLoop,
    FusionProblem,
    FusionSource,
    FusionStep,
    FusionStore,
    FusionValue,
)
from layoutsolver_models.solve.fusion import solve_fusion
from layoutsolver_models.solve.fusion_all import best_by_enumeration
from layoutsolver_models.solve.fusion_plan import Excess, Peak, exceeded, fault, peak, settle

NAMES = "abcdefghijklmnopqrstuvwxyz"


def values(sizes: str = "", masks: str = "") -> tuple[FusionValue, ...]:
    """A value for each letter: one register, as many as `sizes` says (`a8`), or predicates as `masks` says."""
    wide = {sizes[at]: int(sizes[at + 1]) for at in range(0, len(sizes), 2)}
    narrow = {masks[at]: int(masks[at + 1]) for at in range(0, len(masks), 2)}
    return tuple(FusionValue(name, 0 if name in narrow else wide.get(name, 1), narrow.get(name, 0)) for name in NAMES)


def loop(*steps: str, carried: str = "", header: int = 0) -> FusionLoop:
    """A loop of eight turns; a step is `uses>makes`, what is carried pairs of argument and yielded value."""
    parts = [step.split(">") for step in steps]
    numbers = [tuple(tuple(NAMES.index(name) for name in side) for side in part) for part in parts]
    pairs = [FusionCarried(NAMES.index(a), NAMES.index(y)) for a, y in zip(carried[::2], carried[1::2], strict=True)]
    return FusionLoop("l", header, 8, tuple(FusionStep(uses, makes) for uses, makes in numbers), tuple(pairs))


def peaks(problem: FusionProblem, *cluster: int, kind: str = "registers") -> tuple[int, int, int, str]:
    """The peak of a cluster, the others by themselves, and the names of what is live there."""
    rest = tuple((number,) for number in range(len(problem.loops)) if number not in cluster)
    found = peak(problem, cluster, settle(problem, (cluster, *rest)), kind)
    return found.amount, found.loop, found.step, "".join(problem.values[value].id for value in found.live)


@pytest.mark.parametrize(
    ("steps", "carried", "expected"),
    [
        # a is carried, c = a + b: operands and result at once
        ((">b", "ab>c"), "ac", (3, 0, 1, "abc")),
        # c is in the register of a from then on: d and e come on top of one, not of two
        ((">b", "ab>c", ">d", ">e", "de>f", "f>"), "ac", (4, 0, 4, "adef")),
        # used later, c is there still
        ((">b", "ab>c", "c>d", "cd>e", "e>"), "ac", (3, 0, 1, "abc")),
        # a is used behind c: both are there to the end
        ((">b", "ab>c", ">d", "ad>e", "e>"), "ac", (4, 0, 3, "acde")),
        ((">b", "ab>c", ">d", "ad>e", "e>", ">f", ">g", "fg>h", "h>"), "ac", (5, 0, 7, "acfgh")),
        # what is carried but not changed takes one register
        ((">b", "ab>c", "c>"), "aa", (3, 0, 1, "abc")),
        # two carried values take theirs everywhere, used or not
        ((">b", "ab>c", "bd>e"), "acde", (4, 0, 1, "adbc")),
        # one that nobody uses takes its register as well
        ((">b", "ab>c"), "acxx", (4, 0, 1, "axbc")),
        # from outside, for the whole body
        ((">b", "bz>c", "c>"), "", (3, 0, 1, "zbc")),
        # an operation that nobody needs is none
        ((">b", "b>c", "by>d", "c>"), "", (2, 0, 1, "bc")),
    ],
)
def test_registers_of_one_body(steps: tuple[str, ...], carried: str, expected: tuple[int, int, int, str]) -> None:
    last = len(steps) - 1
    stored = () if steps[-1][-1] != ">" else (FusionStore(0, last, -1, 1, escapes="yes"),)
    assert peaks(FusionProblem((loop(*steps, carried=carried),), values(), stores=stored), 0) == expected


def two(registers: int | None = 32) -> FusionProblem:
    """Two loops: the first stores c, the second loads it as f."""
    first = loop(">a", "a>b", "b>c", "c>", "b>d", "d>")
    second = loop(">f", "f>g", "g>")
    loads = (
        FusionLoad(0, 0, 0, 1, needed=False, feeds=(0, 1)),
        FusionLoad(1, 0, 5, 1, (FusionSource(0),), (2,)),
    )
    stores = (
        FusionStore(0, 3, 2, 1, (1,)),
        FusionStore(0, 5, 3, 1, escapes="yes"),
        FusionStore(1, 2, 6, 1, escapes="yes"),
    )
    return FusionProblem((first, second), values(), loads, stores, limits=FusionLimits(registers))


def test_what_is_handed_on_lives_from_where_it_is_made_to_its_last_use() -> None:
    problem = two()
    assert peaks(problem, 0) == (2, 0, 1, "ab")
    assert peaks(problem, 0, 1) == (3, 0, 4, "bcd")
    assert peak(problem, (0, 1), settle(problem, ((0, 1),), (1,))) == Peak(2, 0, 1, (0, 1))


@pytest.mark.parametrize(("limit", "clusters", "keep"), [(3, ((0, 1),), ()), (2, ((0, 1),), (1,))])
def test_a_load_stays_where_its_value_would_take_too_much(
    limit: int, clusters: tuple[tuple[int, ...], ...], keep: tuple[int, ...]
) -> None:
    problem = two(limit)
    assert exceeded(problem, (0, 1), settle(problem, ((0, 1),))) == (Excess("registers", 3) if limit < 3 else None)
    found = solve_fusion(problem)
    assert (found.status, found.clusters, found.keep) == ("optimal", clusters, keep)
    assert found.cost == best_by_enumeration(problem).cost


def masked(each: int, shared: int, limit: int | None) -> FusionProblem:
    """Two loops with so many masks from outside, some of them the same."""
    first = [f"a{NAMES[10 + at]}>" for at in range(each)]
    second = [f"b{NAMES[10 + each - shared + at]}>" for at in range(each)]
    names = NAMES[10 : 10 + 2 * each - shared]
    loops = (loop(">a", *first), loop(">b", *second))
    stores = tuple(FusionStore(at, 1 + step, -1, 1, escapes="yes") for at in (0, 1) for step in range(each))
    masks = "".join(f"{name}1" for name in names)
    return FusionProblem(loops, values(masks=masks), stores=stores, limits=FusionLimits(None, limit, None))


@pytest.mark.parametrize(
    ("each", "shared", "limit", "together"),
    [(4, 0, 8, True), (5, 0, 8, False), (5, 2, 8, True), (5, 1, 8, False), (5, 0, None, True), (1, 0, 1, False)],
)
def test_predicates_limit_a_plan_as_registers_do(each: int, shared: int, limit: int | None, together: bool) -> None:
    problem = masked(each, shared, limit)
    found = solve_fusion(problem)
    assert (found.status, len(found.clusters) == 1) == ("optimal", together)
    assert found.cost == best_by_enumeration(problem).cost
    count = 2 * each - shared
    assert peaks(problem, 0, 1, kind="predicates")[0] == count
    assert (fault(problem, ((0, 1),)) is None) == together
    excess = exceeded(problem, (0, 1), settle(problem, ((0, 1),)))
    assert excess == (None if together else Excess("predicates", count))


def test_masks_are_live_where_they_are_made_and_used() -> None:
    """A comparison of wide rows takes as many predicates as rows take registers, and only up to its last use."""
    body = (">a", "ap>k", "ak>b", "b>", "ap>l", "al>c", "c>")
    problem = FusionProblem(
        (loop(*body),), values(masks="k4l3p1"),
        stores=(FusionStore(0, 3, -1, 1, escapes="yes"), FusionStore(0, 6, -1, 1, escapes="yes")),
    )  # fmt: skip
    assert peaks(problem, 0, kind="predicates") == (5, 0, 1, "pk")
    assert peaks(problem, 0) == (2, 0, 2, "ab")


def test_a_mask_that_a_loop_carries_counts_everywhere() -> None:
    problem = FusionProblem(
        (loop(">a", "m>n", "ao>b", "b>", carried="mn"),), values(masks="m1n1o2"),
        stores=(FusionStore(0, 3, -1, 1, escapes="yes"),),
    )  # fmt: skip
    assert peaks(problem, 0, kind="predicates") == (4, 0, 1, "mon")


def test_a_loop_by_itself_is_as_it_is() -> None:
    problem = masked(9, 4, 8)
    outcome = settle(problem, ((0,), (1,)))
    assert peak(problem, (0,), outcome, "predicates").amount == 9
    assert exceeded(problem, (0,), outcome) is None
    assert solve_fusion(problem).clusters == ((0,), (1,))
