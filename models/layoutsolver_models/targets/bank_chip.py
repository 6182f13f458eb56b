"""Buckyball configurations as data: banks, units and what each does where revisions differ. One file is one chip.

A file in `buckyball/` has the fields of `BankChip` and its units by name, each with `funct7`; a unit that is not listed
does not exist on the chip. `revision` says whose meaning transpose, conversions, im2col and the matrix unit have.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any, NamedTuple

from layoutsolver_models.buckyball.instructions import ALWAYS, INSTRUCTIONS

DEFAULT_BANK_CHIP = "seed"
"""The configuration for which a program of banks is lowered where nobody names one."""

ROW_BYTES = 16
"""The bytes of a bank's row."""

LARGEST_ID = 1023
"""The largest bank id that an instruction can hold."""


class BankChip(NamedTuple):
    """A configuration. Fields as in buckyball 1: banks and their rows, the largest id, units by name.

    `rounding` is `rne`, `half_away` or `era_rtl`; `mvout_depth` is `virtual` or `physical` rows; `mset_clears` whether
    a bank is zero when it is allocated; `accumulator` how the tile path clears one: `mset_zero`, `mset_clear_bit` or
    `mvin_zero`; `dialect` which spelling is written, `seed` or `new`; `tile_depth` the bank depth by which tiles are
    sized; `accumulator_lines` how many lines of results a tile may have.
    """

    name: str
    summary: str
    source: str
    revision: str
    dialect: str
    bank_num: int
    bank_entries: int
    vbank_upper: int
    rounding: str
    mvout_depth: str
    mset_clears: bool
    accumulator: str
    tile_depth: int
    accumulator_lines: int
    units: dict[str, int]

    def has(self, mnemonic: str) -> bool:
        """Whether the chip has the unit that runs an instruction.

        >>> load_bank_chip("pebble").has("mul_warp16"), load_bank_chip("seed").has("mul_warp16")
        (False, True)
        """
        unit = INSTRUCTIONS[mnemonic].unit
        return unit in ALWAYS or unit in self.units


class BankChipError(Exception):
    """A chip file that is not as it should be."""


_CHOICES = {
    "revision": ("ERA", "NEW"),
    "dialect": ("seed", "new"),
    "rounding": ("rne", "half_away", "era_rtl"),
    "mvout_depth": ("virtual", "physical"),
    "accumulator": ("mset_zero", "mset_clear_bit", "mvin_zero"),
}

_FOLDER = os.path.join(os.path.dirname(__file__), "buckyball")  # noqa: PTH118, PTH120 (as in chip.py)


@lru_cache(maxsize=16)
def load_bank_chip(name: str) -> BankChip:
    """The chip of that name. Raises `KeyError` if there is no such file, `BankChipError` if it is not as it should be.

    >>> chip = load_bank_chip("seed")
    >>> chip.bank_num, chip.bank_entries, chip.vbank_upper
    (16, 1024, 15)
    """
    import json

    if name not in bank_chip_names():
        raise KeyError(name)
    try:
        with open(f"{_FOLDER}/{name}.json", encoding="utf-8") as file:  # noqa: PTH123 (as in chip.py)
            data: dict[str, Any] = json.load(file)
    except json.JSONDecodeError as error:
        raise BankChipError(f"chip file {name}.json: {error}") from None
    return chip_of(name, data)


def chip_of(name: str, data: dict[str, Any]) -> BankChip:
    """The chip that a file's content describes. Raises `BankChipError` for what it cannot mean."""
    known = set(BankChip._fields)
    if set(data) != known:
        wrong = sorted(set(data) ^ known)
        raise BankChipError(f"chip file {name}.json: missing or unknown: {', '.join(wrong)}")
    for key, values in _CHOICES.items():
        if data[key] not in values:
            raise BankChipError(f"chip file {name}.json: `{key}` is one of {', '.join(values)}")
    funct7 = {row.unit: row.funct7 for row in INSTRUCTIONS.values()}
    for unit, code in data["units"].items():
        if unit in ALWAYS or funct7.get(unit) != code:
            raise BankChipError(f"chip file {name}.json: no unit `{unit}` with funct7 {code}")
    for key in ("bank_num", "bank_entries", "tile_depth", "accumulator_lines"):
        if not 0 < data[key] <= 1 << 20:
            raise BankChipError(f"chip file {name}.json: `{key}` is {data[key]}")
    if not 0 <= data["vbank_upper"] <= LARGEST_ID:
        raise BankChipError(f"chip file {name}.json: `vbank_upper` is {data['vbank_upper']}")
    return BankChip(**data)


@lru_cache(maxsize=1)
def bank_chip_names() -> tuple[str, ...]:
    """All configurations, by name.

    >>> bank_chip_names()
    ('era-rtl', 'goban', 'pebble', 'seed', 'toy')
    """
    names = os.listdir(_FOLDER)  # noqa: PTH208 (as in chip.py)
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))
