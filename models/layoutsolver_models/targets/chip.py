"""Chips as data: what a functionType costs on each. One file in this folder is one chip.

A row of `cost` is the number of instructions that a functionType adds to an operation each time it runs; what is not
listed adds none. `access` is `aligned`, `unaligned` or absent (both); `per_result` counts once for each used result;
`note` is for people. `registers` are the architectural registers of a vector unit, by kind; `arches` are the names by
which programs of PTO ask for the chip.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any, NamedTuple

DEFAULT_CHIP = "ascend310b4"
"""The chip for which a file that names none is lowered."""


class DistCost(NamedTuple):
    """Instructions that `dist` adds to an operation of `family`, for `aligned`, `unaligned` or both accesses."""

    family: str
    dist: str
    access: str
    instructions: int
    per_result: bool


class RegisterLimits(NamedTuple):
    """How many vector and predicate registers there are."""

    vector: int
    predicate: int


class Chip(NamedTuple):
    """A chip: its name, the device names it stands for (by prefix), and the costs that differ from nothing.

    `registers` is None where their number is not known.
    """

    name: str
    summary: str
    devices: tuple[str, ...]
    source: str
    costs: tuple[DistCost, ...]
    arches: tuple[str, ...] = ()
    registers: RegisterLimits | None = None

    def cost(self, family: str, dist: str, aligned: bool, used_results: int = 1) -> int:
        """Instructions that `dist` adds to one execution of an operation.

        >>> load_chip("ascend950").cost("load", "pk4", aligned=False)
        2
        """
        access = "aligned" if aligned else "unaligned"
        for row in self.costs:
            if row.family == family and row.dist == dist and row.access in ("", access):
                return row.instructions * (used_results if row.per_result else 1)
        return 0


class ChipError(Exception):
    """A chip file that is not as it should be."""


DISTS = frozenset({"norm", "pk", "pk4", "pb8", "pb16", "pb32", "even", "c2c", "intlv2", "intlv4", "dintlv2", "dintlv4"})
"""The FunctionDists that can cost something."""

FAMILIES = frozenset({"load", "store", "strided_store", "ramp", "gather", "interleave", "layout_cast"})
"""The rule families whose FunctionDists can cost something."""

_KEYS = frozenset({"family", "dist", "access", "instructions", "per_result", "note"})

_FOLDER = os.path.dirname(__file__)  # noqa: PTH120 (importing pathlib costs a tenth of a small solve)


@lru_cache(maxsize=16)
def load_chip(name: str) -> Chip:
    """The chip of that name. Raises `KeyError` if there is no such file, `ChipError` if it is not as it should be."""
    import json

    if name not in chip_names():
        raise KeyError(name)
    try:
        with open(f"{_FOLDER}/{name}.json", encoding="utf-8") as file:  # noqa: PTH123 (as above)
            data: dict[str, Any] = json.load(file)
        costs = tuple(_cost(name, row) for row in data.get("cost", ()))
        arches, registers = tuple(data.get("arches", ())), _registers(name, data.get("registers"))
        return Chip(data["name"], data["summary"], tuple(data["devices"]), data["source"], costs, arches, registers)
    except json.JSONDecodeError as error:
        raise ChipError(f"chip file {name}.json: {error}") from None
    except KeyError as error:
        raise ChipError(f"chip file {name}.json: the key {error} is missing") from None


def _registers(chip: str, row: dict[str, Any] | None) -> RegisterLimits | None:
    """The numbers of registers; raises `ChipError` for what are none."""
    if row is None:
        return None
    if set(row) != {"vector", "predicate"} or any(not isinstance(count, int) or count < 1 for count in row.values()):
        raise ChipError(f"chip file {chip}.json: no such registers: {row}")
    return RegisterLimits(row["vector"], row["predicate"])


def _cost(chip: str, row: dict[str, Any]) -> DistCost:
    """A row of a chip file; raises `ChipError` for what it cannot mean."""
    unknown = set(row) - _KEYS
    if unknown or row["family"] not in FAMILIES or row["dist"] not in DISTS:
        raise ChipError(f"chip file {chip}.json: no such family, dist or key in {row}")
    if row.get("access", "") not in ("", "aligned", "unaligned") or row["instructions"] < 0:
        raise ChipError(f"chip file {chip}.json: no such access or number of instructions in {row}")
    return DistCost(
        row["family"], row["dist"], row.get("access", ""), row["instructions"], row.get("per_result", False)
    )


@lru_cache(maxsize=1)
def chip_names() -> tuple[str, ...]:
    """All chips, by name.

    >>> "ascend950" in chip_names()
    True
    """
    names = os.listdir(_FOLDER)  # noqa: PTH208 (as above)
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


def device_is_known(device: str) -> bool:
    """Whether some chip stands for a device name.

    >>> device_is_known("Ascend950PR_9589"), device_is_known("Ascend1")
    (True, False)
    """
    return any(device.startswith(prefix) for name in chip_names() for prefix in load_chip(name).devices)


def chip_of_device(device: str) -> str:
    """The chip that a device name of the compiler stands for.

    >>> chip_of_device("Ascend910_9589"), chip_of_device("")
    ('ascend950', 'ascend310b4')
    """
    if device:
        for name in chip_names():
            if any(device.startswith(prefix) for prefix in load_chip(name).devices):
                return name
    return DEFAULT_CHIP


DEFAULT_ARCH = "a5"
"""The architecture of programs of PTO that name none."""


def registers_of_arch(arch: str) -> RegisterLimits | None:
    """The registers of the chip of an architecture, None if they are not known.

    >>> registers_of_arch("a5"), registers_of_arch("a2")
    (RegisterLimits(vector=32, predicate=8), None)
    """
    chips = (load_chip(name) for name in chip_names())
    return next((chip.registers for chip in chips if (arch or DEFAULT_ARCH) in chip.arches), None)
