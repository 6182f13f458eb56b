"""Recorded runs of the production emulators, two revisions: how a case is set up and what it left."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.hardware.buckyball.dram import BASE, Dram
from layoutsolver_models.hardware.buckyball.machine import Machine
from layoutsolver_models.targets.bank_chip import BankChip, load_bank_chip

Case = dict[str, Any]
Bytes = npt.NDArray[np.uint8]
ROOT = Path(__file__).parents[4]
DRAM_BYTES = 1 << 21


@lru_cache(maxsize=1)
def golden() -> dict[str, Any]:
    text = (ROOT / "tests" / "data" / "buckyball" / "golden.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def chip(revision: str) -> BankChip:
    """The emulator of a revision as a chip."""
    era = revision == "ERA"
    units = load_bank_chip("seed").units
    return load_bank_chip("seed")._replace(
        revision=revision,
        bank_num=32 if era else 16,
        rounding="half_away" if era else "rne",
        mvout_depth="physical" if era else "virtual",
        units=units,
    )


def machine_of(case: Case) -> Machine:
    """A machine as it is before the case."""
    dram = Dram(DRAM_BYTES, tracked=False)
    if "dram_before" in case:
        at = np.arange(DRAM_BYTES, dtype=np.int64)
        dram.data[:] = (7 * at + 3 + (at >> 8)) & 255 if "byte i" in case["dram_before"] else 0x5A
    machine = Machine(chip(case["rev"]), dram, strict=False)
    for one in case["alloc"]:
        machine.banks.allocate(one["bank"], one["cols"], clear=True)
    for bank, content in case.get("before", {}).items():
        fill(machine, int(bank), content)
    return machine


def fill(machine: Machine, bank: int, content: Any) -> None:
    width = 16 * max(machine.banks.columns[bank], 1)
    entries = machine.chip.bank_entries
    if isinstance(content, str):
        row, column = np.arange(entries)[:, None], np.arange(width)[None, :]
        machine.banks.write(bank, ((13 * row + 3 * column + 1) & 255).astype(np.uint8))
        return
    data = np.full((entries, width), int(content.get("fill", "00"), 16), np.uint8)
    if "pattern" in content:
        pattern = content["pattern"]
        at = np.arange(pattern["rows"] * width)
        data[: pattern["rows"]] = ((pattern["mul"] * at + pattern["add"]) & 255).astype(np.uint8).reshape(-1, width)
    for number, text in enumerate(content.get("rows", ())):
        data[number] = np.frombuffer(bytes.fromhex(text), np.uint8)
    machine.banks.write(bank, data)


def run(machine: Machine, case: Case) -> tuple[str, int]:
    """`ok` and the cycles, or the kind of fault."""
    taken = 0
    try:
        for _ in range(case.get("repeat", 1)):
            taken = machine.execute(case["funct7"], int(case["rs1"], 16), int(case["rs2"], 16))
    except Fault as fault:
        return fault.kind, 0
    return "ok", taken


def contents(machine: Machine) -> dict[int, Bytes]:
    return {bank: machine.banks.peek(bank, machine.chip.bank_entries)[0].copy() for bank in machine.banks.groups}


def check_bank(before: Bytes, after: Bytes, expected: Any, compare: str = "") -> None:
    """The rows that a case states, and no change behind them."""
    if expected is None:
        assert np.array_equal(before, after)
        return
    if "sha256" in expected:
        rows = expected["row_count"]
        assert hashlib.sha256(after[:rows].tobytes()).hexdigest() == expected["sha256"]
    else:
        rows = len(expected["rows"])
        stated = np.array([list(bytes.fromhex(text)) for text in expected["rows"]], np.uint8)
        if compare == "nan":
            left, right = stated.view(np.float32), after[:rows].view(np.float32)
            assert np.array_equal(left, right, equal_nan=True)
            same = np.isnan(left) | (left.view(np.uint32) == right.view(np.uint32))
            assert same.all()
        else:
            assert np.array_equal(after[:rows], stated)
    assert np.array_equal(before[rows:], after[rows:])


def address(offset: int) -> int:
    return BASE + offset
