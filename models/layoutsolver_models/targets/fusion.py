"""What fusion costs and may take on a chip: the `fusion` entry of its file, and its registers.

Source: fusion spec 5.1 (weights), 5.2 and 4.7 (limits).
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any, NamedTuple

from layoutsolver_models.problems.fusion import FusionLimits, FusionWeights
from layoutsolver_models.targets.chip import ChipError, chip_names

DEFAULT_FUSION_CHIP = "ascend950"
"""The chip whose vector functions are fused where none is named."""

_FOLDER = os.path.dirname(__file__)  # noqa: PTH120 (as in chip.py)


class FusionTarget(NamedTuple):
    """The weights of costs and the limits of one body."""

    weights: FusionWeights
    limits: FusionLimits


@lru_cache(maxsize=1)
def fusion_chips() -> tuple[str, ...]:
    """The chips whose files say what fusion costs, by name.

    >>> fusion_chips()
    ('ascend950',)
    """
    return tuple(name for name in chip_names() if "fusion" in _read(name))


def _read(name: str) -> dict[str, Any]:
    """What the file of a chip says."""
    try:
        with open(f"{_FOLDER}/{name}.json", encoding="utf-8") as file:  # noqa: PTH123 (as in chip.py)
            data: dict[str, Any] = json.load(file)
    except (OSError, json.JSONDecodeError) as error:
        raise ChipError(f"chip file {name}.json: {error}") from None
    return data


@lru_cache(maxsize=16)
def fusion_target(name: str = DEFAULT_FUSION_CHIP) -> FusionTarget:
    """What the file of a chip says of fusion. Raises `ChipError` where it says nothing, or what cannot be.

    >>> fusion_target().weights.barrier, fusion_target().limits
    (18, FusionLimits(registers=32, predicates=8, parameters=32))
    """
    if name not in fusion_chips():
        raise ChipError(f"no chip `{name}` to fuse for: there are {', '.join(fusion_chips())}")
    data = _read(name)
    try:
        entry = data["fusion"]
        weights = FusionWeights(**entry["weights"])
        there = data["registers"]
        limits = FusionLimits(there["vector"], there["predicate"], **entry["limits"])
    except (KeyError, TypeError) as error:
        raise ChipError(f"chip file {name}.json: fusion: {error}") from None
    if any(not isinstance(weight, int) or weight < 0 for weight in weights):
        raise ChipError(f"chip file {name}.json: fusion: weights are numbers from 0 on")
    if any(limit is not None and (not isinstance(limit, int) or limit < 1) for limit in limits):
        raise ChipError(f"chip file {name}.json: fusion: limits are numbers from 1 on, or null")
    return FusionTarget(weights, limits)
