"""A traced poison byte names the operation at which it was born, through every instruction that carries it."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver_models.hardware import arithmetic as ar
from layoutsolver_models.hardware.compare import vcmp, vsel
from layoutsolver_models.hardware.convert import vcvt
from layoutsolver_models.hardware.formats import BF16, F4E2M1FN, F16, F32, I8, I32
from layoutsolver_models.hardware.gather import vgather2, vscatter
from layoutsolver_models.hardware.memory import vld, vldx2, vsldb, vsstb, vst, vstx2
from layoutsolver_models.hardware.predicate import movvp, pand, pge, pintlv, ppack, psel, punpack
from layoutsolver_models.hardware.predicate_memory import plds, psts, pstu
from layoutsolver_models.hardware.rearrange import vdup, vintlv, vpack, vslide, vzunpack
from layoutsolver_models.hardware.reduce import vcadd
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.streams import init_align, vldas, vldus, vstas, vstus
from layoutsolver_models.hardware.ub import Memory

BORN = 7
BAD = VReg.poisoned().traced(BORN)
MASK = PReg.poisoned().traced(BORN)
GOOD, FULL = VReg.zeros(), PReg.full()
MEMORY = Memory.poisoned(1024).traced(BORN)
CLEAR = Memory.zeros(1024)

REGISTERS = {
    "vadd left": lambda: ar.vadd(F32, BAD, GOOD, FULL),
    "vadd right": lambda: ar.vadd(F32, GOOD, BAD, FULL),
    "vadd mask": lambda: ar.vadd(F32, GOOD, GOOD, MASK),
    "vadd merged": lambda: ar.vadd(F32, GOOD, GOOD, PReg.zeros(), BAD),
    "vmula": lambda: ar.vmula(F32, BAD, GOOD, GOOD, FULL),
    "vmull": lambda: ar.vmull(I32, BAD, GOOD, FULL)[1],
    "vexpdif": lambda: ar.vexpdif(F16, GOOD, BAD, FULL, 1),
    "vexpdif mask": lambda: ar.vexpdif(F16, GOOD, GOOD, MASK, 1),
    "widen": lambda: vcvt(I8, I32, BAD, FULL, part=2),
    "widen mask": lambda: vcvt(I8, I32, GOOD, MASK, part=2),
    "narrow": lambda: vcvt(I32, I8, BAD, FULL, part=1),
    "pack nibbles": lambda: vcvt(BF16, F4E2M1FN, BAD, FULL, part=1),
    "vsel": lambda: vsel(2, BAD, GOOD, FULL),
    "vsel mask": lambda: vsel(2, GOOD, GOOD, MASK),
    "vintlv": lambda: vintlv(2, GOOD, BAD)[0],
    "vpack": lambda: vpack(4, BAD, 1),
    "vzunpack": lambda: vzunpack(2, BAD),
    "vslide": lambda: vslide(1, GOOD, BAD, 200),
    "vdup": lambda: vdup(4, BAD, FULL),
    "vcadd": lambda: vcadd(F32, BAD, FULL),
    "vcadd mask": lambda: vcadd(F32, GOOD, MASK),
    "vld": lambda: vld(MEMORY, 0),
    "vld UNPK": lambda: vld(MEMORY, 0, "UNPK_B8"),
    "vldx2": lambda: vldx2(MEMORY, 0, "DINTLV_B16")[1],
    "vsldb": lambda: vsldb(MEMORY, 0, FULL, 1),
    "vldus": lambda: vldus(MEMORY, 5, vldas(MEMORY, 5))[0],
    "vgather2": lambda: vgather2(MEMORY, 0, GOOD, FULL, 4),
    "vgather2 index": lambda: vgather2(CLEAR, 0, BAD, FULL, 2),
}

PREDICATES = {
    "vcmp": lambda: vcmp(F32, "lt", GOOD, BAD, FULL),
    "vcmp mask": lambda: vcmp(F32, "lt", GOOD, GOOD, MASK),
    "pand": lambda: pand(FULL, MASK, FULL),
    "psel": lambda: psel(MASK, FULL, FULL),
    "ppack": lambda: ppack(MASK),
    "punpack": lambda: punpack(MASK, "HIGHER"),
    "pintlv": lambda: pintlv(2, FULL, MASK)[1],
    "plds": lambda: plds(MEMORY, 0),
    "plds US": lambda: plds(MEMORY, 0, "US"),
    "plds DS": lambda: plds(MEMORY, 0, "DS"),
}


def streamed(value: VReg) -> Memory:
    memory, align, at = vstus(CLEAR, 5, value, 70, init_align())
    return vstas(memory, at, align)


def predicate_streamed() -> Memory:
    memory, align, at = pstu(CLEAR, 5, MASK, 2, init_align())
    return vstas(memory, at, align)


MEMORIES = {
    "vst": lambda: vst(CLEAR, 0, BAD, FULL, "NORM_B8"),
    "vst mask": lambda: vst(CLEAR, 0, GOOD, MASK, "PK4_B32"),
    "vst one": lambda: vst(CLEAR, 2, BAD, FULL, "ONEPT_B16"),
    "vstx2": lambda: vstx2(CLEAR, 0, GOOD, BAD, "INTLV_B16"),
    "vsstb": lambda: vsstb(CLEAR, 0, BAD, pge(4, "VL4"), 2),
    "vscatter": lambda: vscatter(CLEAR, 0, BAD, GOOD, pge(4, "VL1"), 4),
    "psts": lambda: psts(CLEAR, 0, MASK),
    "vstus": lambda: streamed(BAD),
    "pstu": predicate_streamed,
}


@pytest.mark.parametrize("case", list(REGISTERS))
def test_registers_carry_births(case: str) -> None:
    reg = REGISTERS[case]()
    assert reg.poison.any()
    assert reg.birth is not None
    np.testing.assert_array_equal(reg.birth, np.where(reg.poison, BORN, -1))


@pytest.mark.parametrize("case", list(PREDICATES))
def test_predicates_carry_births(case: str) -> None:
    mask = PREDICATES[case]()
    assert mask.poison.any()
    assert mask.birth is not None
    np.testing.assert_array_equal(mask.birth, np.where(mask.poison, BORN, -1))


def test_a_mask_from_a_register_carries_births() -> None:
    mask = movvp(2, BAD)
    assert mask.birth is not None
    assert mask.lane_birth(2).tolist() == [BORN] * 128
    assert mask.lane_poison(2).all()


@pytest.mark.parametrize("case", list(MEMORIES))
def test_memory_carries_births(case: str) -> None:
    memory = MEMORIES[case]()
    assert memory.poison().any()
    np.testing.assert_array_equal(memory.birth(), np.where(memory.poison(), BORN, -1))


def test_what_an_operation_itself_leaves_open_is_born_there() -> None:
    half = pge(4, "H")
    first = ar.vadd(F32, GOOD, GOOD, half).traced(1)
    second = ar.vadd(F32, first, GOOD, pge(4, "Q")).traced(2)
    assert second.lane_birth(4).tolist() == [-1] * 16 + [2] * 48
    third = ar.vadd(F32, first, GOOD, FULL).traced(3)
    assert third.lane_birth(4).tolist() == [-1] * 32 + [1] * 32


def test_untraced_runs_have_no_births() -> None:
    plain = VReg.poisoned()
    assert ar.vadd(F32, plain, plain, FULL).birth is None
    assert vcmp(F32, "eq", plain, plain, FULL).birth is None
    assert vld(Memory.poisoned(256), 0).birth is None
