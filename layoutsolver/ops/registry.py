"""All operation tables, by target and by operation name; those that a program may not need are read on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from layoutsolver.mlir.tree import Module
from layoutsolver.ops.ave import AVE_OPS
from layoutsolver.ops.spec import OpSpec
from layoutsolver.ops.structural import STRUCTURAL_OPS


def _vmi() -> tuple[OpSpec, ...]:
    from layoutsolver.ops.vmi import VMI_OPS

    return VMI_OPS


def _vpto() -> tuple[OpSpec, ...]:
    from layoutsolver.ops.vpto import VPTO_OPS

    return VPTO_OPS


def _buckyball() -> tuple[OpSpec, ...]:
    from layoutsolver.ops.buckyball import BUCKYBALL_OPS

    return BUCKYBALL_OPS


TABLES: dict[str, Callable[[], tuple[OpSpec, ...]]] = {
    "ave": lambda: AVE_OPS,
    "vmi": _vmi,
    "vpto": _vpto,
    "buckyball": _buckyball,
    "structural": lambda: STRUCTURAL_OPS,
}
"""The operation tables by target."""

PTO = "pto."
"""How the names of the operations begin that `pto_specs` has."""


@lru_cache(maxsize=1)
def all_specs() -> dict[str, OpSpec]:
    """The rows of the tables that every program needs, by operation name.

    >>> all_specs()["ave.hir.vload"].rule
    'load'
    """
    return {spec.name: spec for target in ("ave", "structural") for spec in TABLES[target]()}


@lru_cache(maxsize=1)
def pto_specs() -> dict[str, OpSpec]:
    """The rows of the `pto` operations by name.

    >>> pto_specs()["pto.vmi.load"].rule
    'load'
    """
    return {spec.name: spec for target in ("vmi", "vpto") for spec in TABLES[target]()}


@lru_cache(maxsize=1)
def buckyball_specs() -> dict[str, OpSpec]:
    """The rows of the operations of tiles and banks by name.

    >>> buckyball_specs()["buckyball.bank_mvin"].result_types["result"]
    'bank'
    """
    return {spec.name: spec for spec in TABLES["buckyball"]()}


BANKS = ("buckyball.", "tile.")
"""How the names of the operations begin that `buckyball_specs` has."""


ON_DEMAND = (PTO, *BANKS)
"""How the names of operations begin whose tables are read where a program has one."""


def find_spec(name: str) -> OpSpec | None:
    """The row of an operation, None if no table has it."""
    if name.startswith(PTO):
        return pto_specs().get(name)
    return buckyball_specs().get(name) if name.startswith(BANKS) else all_specs().get(name)


QUESTIONS: dict[str, str] = {"ave": "ave.hir.", "vmi": PTO}
"""The targets whose layouts are a question, and how the names of their operations begin."""


def target_of(module: Module) -> str:
    """The target of the first operation that is of one; without any that of its types, `ave` if that is open too.

    >>> from layoutsolver.mlir.reader import read
    >>> target_of(read("%a = pto.vmi.load %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>"))
    'vmi'
    """
    for op in module.walk():
        for target, prefix in QUESTIONS.items():
            if op.name.startswith(prefix):
                return target
    return "vmi" if any(text.startswith("!pto.") for text in module.stream.texts) else "ave"
