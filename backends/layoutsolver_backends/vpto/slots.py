"""Conversions between slots of groups, eight or one to a register, and elements side by side."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa
from layoutsolver_backends.vpto.indices import ramp, selected
from layoutsolver_backends.vpto.masks import number_inside
from layoutsolver_backends.vpto.site import Shape

FEW = 4
"""So many registers are brought together by a ramp each; more share one index vector."""


def spread_slots(build: Builder, registers: Sequence[Ssa], before: Shape, after: Shape) -> list[Ssa]:
    """Slots by themselves, or eight to a register, of registers that hold more."""
    made: list[Ssa] = []
    ramps: dict[int, Ssa] = {}
    for first in range(0, before.lanes, after.per_register):
        one, lane = registers[first // before.per_register], first % before.per_register
        made.append(selected(build, one, _ramp(build, lane, before.bits, ramps)) if lane else one)
    return made


def collect_slots(build: Builder, registers: Sequence[Ssa], before: Shape, after: Shape) -> list[Ssa]:
    """Registers that hold more, of slots by themselves or eight to a register: each brought to its lanes."""
    per = before.per_register
    turns = after.per_register // per
    made: list[Ssa] = []
    ramps: dict[int, Ssa] = {}
    index: Ssa | None = None
    if per > 1 and min(len(registers), turns) > FEW:
        index = number_inside(build, ramp(build, 0, before.bits), per)
    for number, one in enumerate(registers):
        lane = number % turns * per
        if not lane:
            made.append(one)
            continue
        if per == 1:
            one = build.one("vdup", (one, build.all_true(before.bits)), one.type, position="LOWEST")
        else:
            one = selected(build, one, index or _ramp(build, -lane, before.bits, ramps))
        made[-1] = build.one("vsel", (made[-1], one, build.prefix(before.bits, lane)), one.type)
    return made


def _ramp(build: Builder, first: int, bits: int, known: dict[int, Ssa]) -> Ssa:
    """The numbers of lanes from one on, made once."""
    if first not in known:
        known[first] = ramp(build, first, bits)
    return known[first]
