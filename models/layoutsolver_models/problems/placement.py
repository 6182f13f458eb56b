"""Static memory placement as plain data: buffers with a lifetime and a size, and offsets for them.

The form is the one that MiniMalloc publishes: lifetimes are half-open, a buffer may be aligned, fixed, or absent for a
while. Two buffers may share memory where their lifetimes do not meet.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from layoutsolver_models.problems.layout import Status
from layoutsolver_models.problems.record import as_json_object


@as_json_object
class Gap(NamedTuple):
    """A time in which a buffer is not live, or only its bytes `[window[0], window[1])` are."""

    lower: int
    upper: int
    window: tuple[int, int] | None = None


@as_json_object
class Buffer(NamedTuple):
    """A buffer that is live in `[lower, upper)`; `offset` fixes its place, `hint` is where a solver may begin."""

    id: str
    lower: int
    upper: int
    size: int
    alignment: int = 1
    offset: int | None = None
    hint: int | None = None
    gaps: tuple[Gap, ...] = ()


@as_json_object
class PlacementProblem(NamedTuple):
    """Buffers, and the size of the memory; without one, the height is minimised."""

    buffers: tuple[Buffer, ...]
    capacity: int | None = None
    schema: Literal["layoutsolver/placement-problem/1"] = "layoutsolver/placement-problem/1"


@as_json_object
class Overload(NamedTuple):
    """A time `[lower, upper)` in which the buffers `live` (numbers) need `load` bytes together."""

    lower: int
    upper: int
    load: int
    live: tuple[int, ...]


@as_json_object
class PlacementSolution(NamedTuple):
    """Offsets in the order of the buffers, and their height.

    `optimal` says that no placement is lower than `height`, which `bound` then equals; `feasible` that everything fits
    into the capacity. `infeasible` is proved: by an overload, or by a search that was exhausted. `method` says what
    found the answer. `peak` is where most is live.
    """

    status: Status
    offsets: tuple[int, ...] = ()
    height: int = 0
    bound: int = 0
    method: str = ""
    peak: Overload | None = None
    schema: Literal["layoutsolver/placement-solution/1"] = "layoutsolver/placement-solution/1"


def live_spans(buffer: Buffer) -> list[tuple[int, int, int, int]]:
    """When which bytes of a buffer are live: `(lower, upper, first byte, end)`, in the order of time.

    >>> live_spans(Buffer("a", 0, 10, 8, gaps=(Gap(2, 4), Gap(6, 7, (0, 3)))))
    [(0, 2, 0, 8), (4, 6, 0, 8), (6, 7, 0, 3), (7, 10, 0, 8)]
    """
    spans: list[tuple[int, int, int, int]] = []
    at = buffer.lower
    for gap in sorted(buffer.gaps):
        if at < gap.lower:
            spans.append((at, gap.lower, 0, buffer.size))
        if gap.window is not None and gap.lower < gap.upper and gap.window[0] < gap.window[1]:
            spans.append((gap.lower, gap.upper, *gap.window))
        at = gap.upper
    if at < buffer.upper:
        spans.append((at, buffer.upper, 0, buffer.size))
    return spans


def problem_errors(problem: PlacementProblem) -> list[tuple[int, str]]:
    """What is wrong with single buffers, as `(number, words)`; a problem without errors can be solved."""
    errors: list[tuple[int, str]] = []
    ids: dict[str, int] = {}
    for number, buffer in enumerate(problem.buffers):
        errors += [(number, text) for text in _buffer_errors(buffer)]
        if ids.setdefault(buffer.id, number) != number:
            errors.append((number, f"the id `{buffer.id}` is taken by an earlier buffer"))
    return errors


def _buffer_errors(buffer: Buffer) -> list[str]:
    errors = []
    if buffer.lower >= buffer.upper:
        errors.append(f"the lifetime [{buffer.lower}, {buffer.upper}) is empty")
    if buffer.size <= 0:
        errors.append(f"the size {buffer.size} is not positive")
    if buffer.alignment <= 0:
        errors.append(f"the alignment {buffer.alignment} is not positive")
    elif buffer.offset is not None and (buffer.offset < 0 or buffer.offset % buffer.alignment):
        errors.append(f"the fixed offset {buffer.offset} is no multiple of the alignment {buffer.alignment}")
    before = buffer.lower
    for gap in sorted(buffer.gaps):
        if not before <= gap.lower < gap.upper <= buffer.upper:
            errors.append(f"the gap [{gap.lower}, {gap.upper}) overlaps another or is outside the lifetime")
        if gap.window is not None and not 0 <= gap.window[0] <= gap.window[1] <= buffer.size:
            errors.append(f"the window [{gap.window[0]}, {gap.window[1]}) is outside the buffer")
        before = gap.upper
    return errors
