"""The lane maps of the instructions against the model of the hardware."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver_models.hardware import predicate, rearrange
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.lanes.instruction import (
    HALVES,
    LANE_BITS,
    Half,
    Instruction,
    instructions,
    pdintlv,
    pintlv,
    ppack,
    punpack,
    vdintlv,
    vintlv,
    vpack,
    vzunpack,
)

RANDOM = np.random.default_rng(7)
VECTORS = [VReg(RANDOM.integers(0, 256, 256, dtype=np.uint8)) for _ in range(2)]
PREDICATES = [PReg(RANDOM.integers(0, 2, 256).astype(np.bool_)) for _ in range(2)]


def moved(instruction: Instruction, operands: list[list[int]]) -> list[list[int]]:
    """What the results hold, by the lane map; positions that it leaves open are zero, as in the hardware."""
    flat = [value for operand in operands for value in operand]
    return [[0 if source is None else flat[source] for source in row] for row in instruction.results.registers]


def vectors(registers: list[VReg]) -> list[list[int]]:
    return [register.data.tolist() for register in registers]


def predicates(registers: list[PReg]) -> list[list[int]]:
    return [register.bits.astype(int).tolist() for register in registers]


@pytest.mark.parametrize("bits", LANE_BITS)
def test_interleaving_is_that_of_the_hardware(bits: int) -> None:
    width = bits // 8
    for make, run in ((vintlv, rearrange.vintlv), (vdintlv, rearrange.vdintlv)):
        assert moved(make(bits), vectors(VECTORS)) == vectors(list(run(width, *VECTORS)))
    for make, run_bits in ((pintlv, predicate.pintlv), (pdintlv, predicate.pdintlv)):
        assert moved(make(bits), predicates(PREDICATES)) == predicates(list(run_bits(width, *PREDICATES)))


@pytest.mark.parametrize("half", HALVES)
def test_packing_is_that_of_the_hardware(half: Half) -> None:
    part: rearrange.Part = 0 if half == "LOWER" else 1
    for bits in (16, 32):
        expected = rearrange.vpack(bits // 8, VECTORS[0], part)
        assert moved(vpack(bits, half), vectors(VECTORS[:1])) == vectors([expected])
    for bits in (8, 16):
        expected = rearrange.vzunpack(bits // 8, VECTORS[0], part)
        assert moved(vzunpack(bits, half), vectors(VECTORS[:1])) == vectors([expected])
    one = PREDICATES[:1]
    assert moved(ppack(half), predicates(one)) == predicates([predicate.ppack(PREDICATES[0], half)])
    assert moved(punpack(half), predicates(one)) == predicates([predicate.punpack(PREDICATES[0], half)])


def test_every_instruction_moves_each_byte_to_one_place_at_most() -> None:
    for unit in ("byte", "bit"):
        names = [str(instruction) for instruction in instructions(unit)]
        assert len(set(names)) == len(names)
        for instruction in instructions(unit):
            assert instruction.unit == unit
            assert instruction.results.is_injective
            assert instruction.operands in (1, 2)
            assert instruction.results.arity == instruction.operands
