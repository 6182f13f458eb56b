"""Whole instruction sequences as recorded on the emulators, and what the model refuses beyond them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from layoutsolver_models.buckyball.encoding import rs1, rs2
from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.hardware.buckyball.dram import BASE, Dram
from layoutsolver_models.hardware.buckyball.machine import Machine
from layoutsolver_models.targets.bank_chip import load_bank_chip
from tests.models.hardware.buckyball.golden import chip, golden

PROGRAMS = golden()["programs"]
A, B, C = BASE, BASE + 0x40000, BASE + 0x80000
FUNCT7 = {
    "mset": 32,
    "mvin": 33,
    "mvout": 16,
    "fp2int": 51,
    "int2fp": 52,
    "transpose": 49,
    "mul_warp16": 64,
    "fence": 0,
}
Trace = list[tuple[str, int, int]]


def floats(text: str) -> Any:
    return np.frombuffer(bytes.fromhex(text), np.float32)


def loaded(case: dict[str, Any], strict: bool) -> Machine:
    dram = Dram(0x100000, tracked=strict)
    k, n, pitch = case["K"], case["N"], case["A_pitch"]
    left, right = floats(case["A_hex"]).reshape(16, k), floats(case["B_hex"]).reshape(k, n)
    place = dram.data.view(np.float32)
    place[: 16 * pitch].reshape(16, pitch)[:, :k] = left
    place[0x10000 : 0x10000 + k * n] = right.reshape(-1)
    return Machine(chip(case["rev"]), dram, strict)


def tile(machine: Machine, n: int, n0: int) -> Any:
    place = machine.dram.data.view(np.float32)[0x20000 : 0x20000 + 16 * n].reshape(16, n)
    return place[:, n0 : n0 + 16]


TRACED = [case for case in PROGRAMS if case["trace"]]
CHUNKED = [case for case in PROGRAMS if case["k_chunks_of_16"] and case["A_hex"]]


def test_the_recorded_programs_are_all_there() -> None:
    assert (len(TRACED), len(CHUNKED), len(PROGRAMS)) == (6, 2, 21)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("case", TRACED, ids=lambda case: f"{case['rev']}-{case['note']}")
def test_a_recorded_trace_gives_its_tile_in_its_cycles(case: dict[str, Any], strict: bool) -> None:
    machine = loaded(case, strict)
    for name, register1, register2 in case["trace"]:
        machine.execute(FUNCT7[name], int(register1, 16), int(register2, 16))
    expected = floats(case["C_tile_hex"]).reshape(16, 16)
    assert np.array_equal(tile(machine, case["N"], case["n0"]).view(np.uint32), expected.view(np.uint32))
    assert (machine.instructions, machine.cycles) == (case["instruction_count"], case["sum_of_latencies"])


@pytest.mark.parametrize("case", CHUNKED, ids=lambda case: f"{case['rev']}-{case['note']}")
def test_chunks_of_sixteen_add_up_in_one_accumulator(case: dict[str, Any]) -> None:
    machine = loaded(case, strict=True)
    k, n, n0 = case["K"], case["N"], case["n0"]
    left, right = floats(case["A_hex"]).reshape(16, k), floats(case["B_hex"]).reshape(k, n)[:, n0 : n0 + 16]
    scale_a, scale_b = (np.float32(127) / np.abs(one).max() for one in (left, right))
    bits = [int(np.float32(one).view(np.uint32)) for one in (scale_a, scale_b, np.float32(1) / (scale_a * scale_b))]
    elem_bits = 8 if case["rev"] == "NEW" else 0
    machine.execute(32, 0, 0x481)
    for chunk in range(0, k, 16):
        for bank in (4, 8):
            machine.execute(32, bank, 0x481)
        for bank in (12, 13, 14):
            machine.execute(32, bank, 0x421)
        machine.execute(33, rs1(4, iterations=16), rs2("mvin", address=A + 4 * chunk, stride=case["A_pitch"] // 16))
        machine.execute(33, rs1(8, iterations=16), rs2("mvin", address=B + 4 * (chunk * n + n0), stride=n // 16))
        machine.execute(51, rs1(4, bank2=12, iterations=16), bits[0])
        machine.execute(51, rs1(8, bank2=13, iterations=16), bits[1])
        machine.execute(49, rs1(12, bank2=14, iterations=16), elem_bits)
        machine.execute(64, rs1(14, 13, 0, 16), 0)
        for bank in (4, 8, 12, 13, 14):
            machine.execute(32, bank, 0)
    machine.execute(32, 4, 0x481)
    machine.execute(52, rs1(0, bank2=4, iterations=16), bits[2])
    machine.execute(16, rs1(4, iterations=16), rs2("mvout", address=C + 4 * n0, stride=n // 16))
    machine.execute(0, 0, 0)
    expected = floats(case["C_tile_hex"]).reshape(16, 16)
    assert np.array_equal(tile(machine, n, n0).view(np.uint32), expected.view(np.uint32))


# -- what the hardware does not track or define -------------------------------------------------------------------


def machine(**changes: Any) -> Machine:
    return Machine(load_bank_chip("seed")._replace(**changes), Dram(0x10000))


def fails(trace: Trace, **changes: Any) -> str:
    """The kind of fault that the last instruction of a trace brings; those before run."""
    one = machine(**changes)
    for name, register1, register2 in trace[:-1]:
        one.execute(FUNCT7[name], register1, register2)
    name, register1, register2 = trace[-1]
    try:
        one.execute(FUNCT7[name], register1, register2)
    except Fault as fault:
        return fault.kind
    return ""


ALLOC0, ALLOC1, ALLOC4 = ("mset", 0, 0x421), ("mset", 1, 0x421), ("mset", 4, 0x481)
FENCE = ("fence", 0, 0)


def move(name: str, bank: int, offset: int, depth: int = 1) -> tuple[str, int, int]:
    return name, rs1(bank, iterations=depth), rs2(name, address=BASE + offset, stride=1)


@pytest.mark.parametrize(
    ("trace", "kind"),
    [
        ([ALLOC0, ALLOC1, move("mvout", 0, 0), move("mvin", 1, 0)], "no_fence"),
        ([ALLOC0, ALLOC1, move("mvout", 0, 0), move("mvout", 1, 0)], "no_fence"),
        ([ALLOC0, ALLOC1, move("mvin", 0, 0), move("mvout", 1, 0)], "no_fence"),
        ([ALLOC0, move("mvout", 0, 0), move("mvout", 0, 0)], "no_fence"),
        ([ALLOC0, ALLOC1, move("mvout", 0, 0), FENCE, move("mvin", 1, 0)], ""),
        ([ALLOC0, ALLOC1, move("mvout", 0, 0), move("mvin", 1, 16)], ""),
        ([ALLOC0, ALLOC1, move("mvin", 0, 0), move("mvin", 1, 0)], ""),
        ([ALLOC0, move("mvout", 0, 0), move("mvin", 0, 0)], ""),
        ([ALLOC0, move("mvin", 0, 0), move("mvout", 0, 0)], ""),
        ([ALLOC0, move("mvout", 0, 0), ("mset", 0, 0), ALLOC0, move("mvin", 0, 0)], ""),
    ],
)
def test_moves_that_nothing_orders_are_faults(trace: Trace, kind: str) -> None:
    assert fails(trace) == kind


@pytest.mark.parametrize(
    ("trace", "kind"),
    [
        ([ALLOC0, ALLOC0], "double_alloc"),
        ([("mset", 0, 0)], "bank_not_allocated"),
        ([("mset", 16, 0x421)], "bank_id_out_of_range"),
        ([ALLOC0, ALLOC4, ("mul_warp16", rs1(0, 0, 4, 16), 0)], "same_bank"),
        ([move("mvin", 0, 0)], "bank_not_allocated"),
        ([ALLOC0, move("mvin", 0, 0x10000)], "dram_out_of_range"),
    ],
)
def test_what_the_hardware_leaves_undefined_is_a_fault(trace: Trace, kind: str) -> None:
    assert fails(trace) == kind


def test_without_clearing_an_accumulator_must_be_written_first() -> None:
    loads: Trace = [ALLOC0, ALLOC1, ALLOC4, move("mvin", 0, 0, 16), move("mvin", 1, 0x1000, 16)]
    multiply = ("mul_warp16", rs1(0, 1, 4, 16), 0)
    assert fails([*loads, multiply]) == ""
    assert fails([*loads, multiply], mset_clears=False) == "accumulator"
    assert fails([*loads, move("mvin", 4, 0x2000, 16), multiply], mset_clears=False) == ""
    cleared = [*loads[:2], ("mset", 4, 0xC81), *loads[3:], multiply]
    assert fails(cleared, mset_clears=False, revision="NEW") == ""
    assert fails(cleared, mset_clears=False, revision="ERA") == "accumulator"


def test_rows_that_nothing_wrote_stay_undetermined_where_allocation_does_not_clear() -> None:
    trace: Trace = [ALLOC0, move("mvin", 0, 0, 2), move("mvout", 0, 0x1000, 3)]
    for clears, determined in ((True, [True] * 3), (False, [True, True, False])):
        one = machine(mset_clears=clears)
        for name, register1, register2 in trace:
            one.execute(FUNCT7[name], register1, register2)
        assert one.dram.known[0x1000:0x1030].reshape(3, 16).all(axis=1).tolist() == determined


def test_a_unit_that_the_chip_lacks_refuses_its_instruction() -> None:
    pebble = Machine(load_bank_chip("pebble"), Dram(64))
    with pytest.raises(Fault, match="pebble has no unit for mul_warp16"):
        pebble.execute(64, 0, 0)
    with pytest.raises(Fault, match="no instruction with funct7 3"):
        pebble.execute(3, 0, 0)


@pytest.mark.parametrize(
    ("value", "expected"), [(1.9, 1), (-1.9, -1), (0.5, 1), (-0.7, -1), (0.4, 0), (300.0, 127), (-300.0, -128)]
)
def test_the_synthesised_unit_truncates_but_lifts_halves(value: float, expected: int) -> None:
    one = machine(rounding="era_rtl")
    one.execute(32, 4, 0x481)
    one.execute(32, 0, 0x421)
    one.dram.data.view(np.float32)[:16] = value
    one.execute(33, rs1(4, iterations=1), rs2("mvin", address=BASE, stride=1))
    one.execute(51, rs1(4, bank2=0, iterations=1), 0x3F800000)
    assert one.banks.read(0, 1).view(np.int8).tolist() == [[expected] * 16]


def test_the_processor_waits_for_a_fence_as_well() -> None:
    one = machine()
    one.execute(*(32, 0, 0x421))
    one.execute(16, rs1(0, iterations=1), rs2("mvout", address=BASE, stride=1))
    one.dram.touch(BASE + 16, BASE + 32, writes=False)
    with pytest.raises(Fault, match="the processor reads address 0x80000000, which a mvout in flight writes"):
        one.dram.touch(BASE, BASE + 4, writes=False)
    one.execute(0, 0, 0)
    one.dram.touch(BASE, BASE + 4, writes=False)
    one.execute(33, rs1(0, iterations=1), rs2("mvin", address=BASE, stride=1))
    one.dram.touch(BASE, BASE + 4, writes=False)
    with pytest.raises(Fault, match="the processor writes address 0x80000000, which a mvin in flight reads"):
        one.dram.touch(BASE, BASE + 4, writes=True)
