"""Every recorded case of both revisions of the emulator, replayed on the model."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest

from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.hardware.buckyball.dram import Dram
from layoutsolver_models.hardware.buckyball.machine import Machine
from tests.models.hardware.buckyball.golden import Case, check_bank, chip, contents, fill, golden, machine_of, run

CASES = golden()["cases"]
SEQUENCES = [case for case in CASES if "sequence" in case]
CONTENTS = [case for case in CASES if "physical_after_free" in case]
SINGLE = [case for case in CASES if "sequence" not in case and "physical_after_free" not in case]


def name(case: Case) -> str:
    return str(case["id"])


def test_every_recorded_case_is_replayed() -> None:
    assert len(SEQUENCES) + len(CONTENTS) + len(SINGLE) == len(CASES) == 453
    assert Counter(case["rev"] for case in CASES) == {"ERA": 197, "NEW": 256}


@pytest.mark.parametrize("case", SINGLE, ids=name)
def test_an_instruction_does_what_the_emulator_did(case: Case) -> None:
    if case["instr"] == "fence":
        machine = Machine(chip(case["rev"]), Dram(64), strict=False)
        assert run(machine, case) == ("ok", case["latency"])
        return
    machine = machine_of(case)
    before, dram = contents(machine), machine.dram.data.copy()
    kind, taken = run(machine, case)
    assert kind == case.get("error_kind", "ok")
    if kind != "ok":
        return
    assert taken == case["latency"]
    after = contents(machine)
    compare = "nan" if case["instr"] == "int2fp" and case["rev"] == "ERA" else ""
    for bank in before:
        check_bank(before[bank], after[bank], case.get("after", {}).get(str(bank)), compare)
    changed = np.flatnonzero(dram != machine.dram.data)
    if "dram_after" not in case:
        assert changed.size == 0
        return
    stated = case["dram_after"]
    found = machine.dram.data[stated["offset"] : stated["offset"] + stated["length"]].tobytes()
    if "bytes" in stated:
        assert found.hex() == stated["bytes"]
    else:
        assert hashlib.sha256(found).hexdigest() == stated["sha256"]
    assert changed.min() >= stated["offset"]
    assert changed.max() < stated["offset"] + stated["length"]


@pytest.mark.parametrize("case", SEQUENCES, ids=name)
def test_the_mapping_table_is_as_in_the_emulator(case: Case) -> None:
    own = chip(case["rev"])._replace(bank_num=case["bank_num"])
    machine = Machine(own, Dram(64), strict=False)
    failed = None
    for number, one in enumerate(case["sequence"]):
        try:
            assert machine.execute(32, int(one["rs1"], 16), int(one["rs2"], 16)) == case.get("latency", 1)
        except Fault as fault:
            failed = (number, fault.kind)
            break
    expected = (case["error_step"], case["error_kind"]) if case["result"] == "error" else None
    assert failed == expected
    groups = {
        str(physical): [bank, group]
        for bank, mine in machine.banks.groups.items()
        for group, physical in enumerate(mine)
    }
    assert groups == case["state"]["physical"]
    assert {str(bank): columns for bank, columns in machine.banks.columns.items()} == case["state"]["cols"]


@pytest.mark.parametrize("case", CONTENTS, ids=name)
def test_a_bank_keeps_its_bytes_when_it_is_freed_and_is_cleared_when_it_is_allocated(case: Case) -> None:
    machine = Machine(chip(case["rev"]), Dram(64), strict=False)
    machine.execute(32, 0, 0x421)
    fill(machine, 0, {"fill": "ab"})
    machine.execute(32, 0, 0)
    assert machine.banks.data[0].reshape(-1)[:64].tobytes().hex() == case["physical_after_free"]
    machine.execute(32, 1, 0x421)
    assert machine.banks.groups[1] == [0]
    assert machine.banks.data[0].reshape(-1)[:64].tobytes().hex() == case["physical_after_alloc"]
