"""All operation tables, by operation name."""

from __future__ import annotations

from functools import lru_cache

from layoutsolver.ops.ave import AVE_OPS
from layoutsolver.ops.spec import OpSpec
from layoutsolver.ops.structural import STRUCTURAL_OPS

TABLES: dict[str, tuple[OpSpec, ...]] = {"ave": AVE_OPS, "structural": STRUCTURAL_OPS}
"""The operation tables by target."""


@lru_cache(maxsize=1)
def all_specs() -> dict[str, OpSpec]:
    """Every row of every table by operation name.

    >>> all_specs()["ave.hir.vload"].rule
    'load'
    """
    return {spec.name: spec for table in TABLES.values() for spec in table}
