"""The check of placements, against a comparison of all pairs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver_models.placement.check import check_placement
from layoutsolver_models.problems.placement import Buffer, Gap, PlacementProblem, live_spans, problem_errors
from tests.support.placement_problems import small_buffers


@given(small_buffers(windows=True), st.lists(st.integers(-1, 9), min_size=6, max_size=6))
@settings(max_examples=300)
def test_a_placement_has_no_fault_exactly_if_no_pair_overlaps_and_all_are_inside(
    buffers: tuple[Buffer, ...], places: list[int]
) -> None:
    problem = PlacementProblem(buffers, 10)
    if problem_errors(problem):
        return
    offsets = places[: len(buffers)]
    pairs = [(one, other) for other in range(len(buffers)) for one in range(other)]
    wrong = any(
        a[0] < b[1]
        and b[0] < a[1]
        and offsets[one] + a[2] < offsets[other] + b[3]
        and offsets[other] + b[2] < offsets[one] + a[3]
        for one, other in pairs
        for a in live_spans(buffers[one])
        for b in live_spans(buffers[other])
    )
    outside = any(at < 0 or at + buffer.size > 10 for at, buffer in zip(offsets, buffers, strict=True))
    aligned = all(at % buffer.alignment == 0 for at, buffer in zip(offsets, buffers, strict=True))
    assert bool(check_placement(problem, offsets)) == (wrong or outside or not aligned)


def test_a_fixed_buffer_that_moved_is_a_fault() -> None:
    problem = PlacementProblem((Buffer("a", 0, 2, 4, offset=8),), 16)
    assert [fault.kind for fault in check_placement(problem, [4])] == ["moved"]
    assert check_placement(problem, [8]) == []


def test_what_is_wrong_with_a_buffer_is_said() -> None:
    bad = (
        Buffer("a", 3, 3, 4), Buffer("b", 0, 3, 0), Buffer("c", 0, 3, 4, 0), Buffer("d", 0, 3, 4, 4, 6),
        Buffer("e", 0, 9, 4, gaps=(Gap(2, 5), Gap(4, 6))), Buffer("f", 0, 9, 4, gaps=(Gap(2, 4, (1, 5)),)),
        Buffer("a", 0, 1, 4),
    )  # fmt: skip
    assert [number for number, _ in problem_errors(PlacementProblem(bad))] == [0, 1, 2, 3, 4, 5, 6]
