"""Kinds of shuffles: registers passed on as they are, one element repeated, one register in order, anything else."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from layoutsolver.vmi.program import VmiOp, VmiValue
from layoutsolver_models.rules.vmi.layouts import register_lanes


def indices_of(op: VmiOp) -> tuple[int, ...]:
    """Which element of the source each element of the result is."""
    text = str(op.attrs.get("indices", ""))
    return tuple(int(part) for part in re.findall(r"-?\d+", text.removeprefix("array<i64")))


def kind_of_shuffle(op: VmiOp) -> Literal["same", "forward", "splat", "ramp", "other"]:
    """What a shuffle of contiguous vectors comes to."""
    indices, source = indices_of(op), op.operands["source"]
    assert isinstance(source, VmiValue)
    lanes = register_lanes(source.bits)
    if indices == tuple(range(source.lanes)):
        return "same"
    if len(indices) > 1 and not any(indices):
        return "splat"
    if forwarded(indices, lanes) is not None:
        return "forward"
    if max(source.lanes, len(indices)) <= lanes and step_of(indices):
        return "ramp"
    return "other"


def step_of(indices: tuple[int, ...]) -> int:
    """1 or -1 if elements are taken in rising or falling order one by one, else 0.

    >>> step_of((3, 2, 1, 0)), step_of((1, 2)), step_of((0, 2))
    (-1, 1, 0)
    """
    steps = {after - before for before, after in pairwise(indices)}
    return steps.pop() if steps in ({1}, {-1}) else 0


@lru_cache(maxsize=256)
def forwarded(indices: tuple[int, ...], lanes: int) -> tuple[int, ...] | None:
    """The register of the source that each register of the result is, None if elements move inside of one.

    >>> forwarded((4, 5, 6, 7, 0, 1), 4), forwarded((1, 0), 4)
    ((1, 0), None)
    """
    out = []
    for start in range(0, len(indices), lanes):
        held = indices[start : start + lanes]
        first = held[0]
        if first % lanes or held != tuple(range(first, first + len(held))):
            return None
        out.append(first // lanes)
    return tuple(out) if out else None
