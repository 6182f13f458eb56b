"""Which question a program asks: told by the dialects of its operations."""

from __future__ import annotations

from typing import Literal

from layoutsolver.mlir.tree import Module

Target = Literal["ave", "vmi"]

TARGETS: tuple[Target, ...] = ("ave", "vmi")
"""The targets by name."""

_PREFIXES: dict[Target, str] = {"ave": "ave.hir.", "vmi": "pto."}


def target_of(module: Module) -> Target:
    """The target of the first operation that is of one, `ave` if there is none.

    >>> from layoutsolver.mlir.reader import read
    >>> target_of(read("%a = pto.vmi.load %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>"))
    'vmi'
    """
    for op in module.walk():
        for target, prefix in _PREFIXES.items():
            if op.name.startswith(prefix):
                return target
    return "ave"
