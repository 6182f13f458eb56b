"""Chips as data: what a functionType costs on each. One file in this folder is one chip."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

DEFAULT_CHIP = "ascend310b4"
"""The chip for which a file that names none is lowered."""


@dataclass(frozen=True, slots=True)
class DistCost:
    """Instructions that `dist` adds to an operation of `family`, for `aligned`, `unaligned` or both accesses."""

    family: str
    dist: str
    access: str
    instructions: int
    per_result: bool


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip: its name, the device names it stands for (by prefix), and the costs that differ from nothing."""

    name: str
    summary: str
    devices: tuple[str, ...]
    source: str
    costs: tuple[DistCost, ...]

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

_KEYS = frozenset({"family", "dist", "access", "instructions", "per_result"})


@lru_cache(maxsize=16)
def load_chip(name: str) -> Chip:
    """The chip of that name. Raises `KeyError` if there is no such file, `ChipError` if it is not as it should be."""
    import tomllib

    path = Path(__file__).with_name(f"{name}.toml")
    if not path.is_file():
        raise KeyError(name)
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        costs = tuple(_cost(name, row) for row in data.get("cost", ()))
        return Chip(data["name"], data["summary"], tuple(data["devices"]), data["source"], costs)
    except tomllib.TOMLDecodeError as error:
        raise ChipError(f"chip file {name}.toml: {error}") from None
    except KeyError as error:
        raise ChipError(f"chip file {name}.toml: the key {error} is missing") from None


def _cost(chip: str, row: dict[str, Any]) -> DistCost:
    """A row of a chip file; raises `ChipError` for what it cannot mean."""
    unknown = set(row) - _KEYS
    if unknown or row["family"] not in FAMILIES or row["dist"] not in DISTS:
        raise ChipError(f"chip file {chip}.toml: no such family, dist or key in {row}")
    if row.get("access", "") not in ("", "aligned", "unaligned") or row["instructions"] < 0:
        raise ChipError(f"chip file {chip}.toml: no such access or number of instructions in {row}")
    return DistCost(
        row["family"], row["dist"], row.get("access", ""), row["instructions"], row.get("per_result", False)
    )


@lru_cache(maxsize=1)
def chip_names() -> tuple[str, ...]:
    """All chips, by name.

    >>> "ascend950" in chip_names()
    True
    """
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.toml")))


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
