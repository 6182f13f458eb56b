"""Plans that move elements, as instructions."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver.vmi.permute import Move, Plan
from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, element_bits, register_type
from layoutsolver_backends.vpto.indices import ramp, selected, signed_number
from layoutsolver_backends.vpto.masks import of_pattern
from layoutsolver_models.rules.vmi.patterns import Pattern


def moved(build: Builder, plan: Plan, held: Sequence[Ssa]) -> list[Ssa]:
    """The registers that a plan makes of those of its source."""
    made: list[Ssa] = []
    masks: dict[Pattern, Ssa] = {}
    for move in plan.moves:
        taken = [made[number] for number in move.taken]
        if move.lanes is not None:
            if move.lanes not in masks:
                masks[move.lanes] = of_pattern(
                    build, element_bits(held[0].type), move.lanes, taken[2] if taken[2:] else None
                )
            made.append(build.one("vsel", (*taken[:2], masks[move.lanes]), taken[0].type))
        else:
            made.append(_move(build, move, taken, held))
    return [made[number] for number in plan.results]


def _move(build: Builder, move: Move, taken: list[Ssa], held: Sequence[Ssa]) -> Ssa:
    """The instruction of a move."""
    name, _, width = move.name.partition(".")
    number, bits = move.number, int(width or element_bits(held[0].type))
    lanes = register_type(f"ui{bits}", bits)
    if name == "vci":
        return ramp(build, number, bits)
    if name == "vcid":
        return build.one("vci", (build.constant(signed_number(number, bits), f"i{bits}"),), lanes, order="DESC")
    if name == "vdup":
        return build.splat(build.constant(signed_number(number, bits), f"i{bits}"), lanes)
    taken = [build.as_lanes(one, bits) for one in taken]
    if name in ("vadds", "vmuls", "vshls", "vshrs"):
        return build.with_scalar(name, taken[0], signed_number(number, bits))
    if name == "vselr":
        return selected(build, held[number], taken[0])
    if name == "vsel":
        return build.one("vsel", (*taken, build.prefix(bits, number)), taken[0].type)
    return build.binary(name, *taken)
