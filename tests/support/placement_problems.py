"""Random placement problems, small ones for brute force and large ones for speed; and the brute force."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from layoutsolver_models.problems.placement import Buffer, Gap, PlacementProblem, live_spans


@st.composite
def small_buffers(draw: st.DrawFn, windows: bool = False, fixed: bool = False) -> tuple[Buffer, ...]:
    """Up to six small buffers, some aligned, some with gaps; with `windows`, parts of some stay live in a gap."""
    made = []
    for number in range(draw(st.integers(1, 6))):
        lower = draw(st.integers(0, 6))
        upper = lower + draw(st.integers(1, 5))
        size = draw(st.integers(1, 4))
        alignment = draw(st.sampled_from([1, 1, 1, 2, 3]))
        gaps: tuple[Gap, ...] = ()
        if upper - lower > 2 and draw(st.booleans()):
            low = draw(st.integers(0, size - 1))
            window = (low, draw(st.integers(low + 1, size))) if windows and draw(st.booleans()) else None
            gaps = (Gap(lower + 1, upper - 1, window),)
        at = draw(st.sampled_from([None, None, 0, 6])) if fixed else None
        made.append(Buffer(f"b{number}", lower, upper, size, alignment, at, None, gaps))
    return tuple(made)


def places(problem: PlacementProblem, capacity: int) -> bool:
    """Whether there is a placement, by trying every offset of every buffer."""
    spans = [live_spans(buffer) for buffer in problem.buffers]

    def meet(one: int, at: int, other: int, there: int) -> bool:
        return any(
            a[0] < b[1] and b[0] < a[1] and at + a[2] < there + b[3] and there + b[2] < at + a[3]
            for a in spans[one]
            for b in spans[other]
        )

    def extend(chosen: list[int]) -> bool:
        number = len(chosen)
        if number == len(problem.buffers):
            return True
        buffer = problem.buffers[number]
        room = range(0, capacity - buffer.size + 1, buffer.alignment)
        options = room if buffer.offset is None else [buffer.offset] if buffer.offset in room else []
        return any(
            not any(meet(number, at, other, there) for other, there in enumerate(chosen)) and extend([*chosen, at])
            for at in options
        )

    return extend([])


def least_height(problem: PlacementProblem) -> int | None:
    """The least height by brute force, None if fixed buffers overlap."""
    top = sum(buffer.size + buffer.alignment for buffer in problem.buffers) + 8
    return next((height for height in range(top + 1) if places(problem, height)), None)


def random_problem(count: int, slack: float, seed: int) -> PlacementProblem:
    """Many short-lived buffers and a few long-lived ones, in `slack` more than what is live at once."""
    rng = random.Random(seed)
    buffers = []
    for number in range(count):
        lower = rng.randrange(4 * count)
        length = 1 + int(rng.expovariate(1 / rng.choice((20, 80, 300))))
        size = 16 * rng.choice((1, 2, 4, 8, 16, 32, 64)) * rng.randint(1, 4)
        buffers.append(Buffer(str(number), lower, lower + length, size))
    load = _load(buffers)
    return PlacementProblem(tuple(buffers), int(load * (1 + slack)) // 16 * 16)


def _load(buffers: list[Buffer]) -> int:
    events = sorted([(b.lower, b.size) for b in buffers] + [(b.upper, -b.size) for b in buffers])
    load = most = 0
    for _, change in events:
        load += change
        most = max(most, load)
    return most
