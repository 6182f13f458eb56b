"""Plans that move elements, as instructions."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver.vmi.permute import COMPARISONS, Move, Plan
from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, element_bits, mask_type, register_type
from layoutsolver_backends.vpto.indices import ramp, selected, signed_number


def moved(build: Builder, plan: Plan, held: Sequence[Ssa], lanes: Ssa | None = None) -> list[Ssa]:
    """The registers that a plan makes of those of its source; `lanes` are the numbers of lanes, if they are there."""
    made: list[Ssa] = []
    for move in plan.moves:
        if lanes is not None and move == Move("vci", ()):
            made.append(lanes)
        else:
            made.append(_move(build, move, [made[number] for number in move.taken], held))
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
    if name == "plt":
        return build.prefix(bits, number, counted=True)
    if name == "pxor":
        return build.mask_op("pxor", *taken)
    if name == "vsel":
        mask = taken[2] if taken[2:] else build.prefix(bits, number)
        return build.one("vsel", (*taken[:2], mask), taken[0].type)
    taken = [build.as_lanes(one, bits) for one in taken]
    if name in COMPARISONS:
        operands = (taken[0], build.constant(signed_number(number, bits), f"i{bits}"), build.all_true(bits))
        return build.one("vcmps", operands, mask_type(bits), (name.removeprefix("vcmps "),), hint="%m")
    if name in ("vadds", "vmuls", "vshls", "vshrs"):
        return build.with_scalar(name, taken[0], signed_number(number, bits))
    if name == "vselr":
        return selected(build, held[number], taken[0])
    return build.binary(name, *taken)
