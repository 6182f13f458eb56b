"""Where control flow and calls hold values together: what must have one layout. Source: section 3.13.

And where a text speaks of layouts or registers itself: nothing is done there but what conversions do.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.rules.vmi.layouts import LAYOUT_NAMES
from layoutsolver_models.rules.vmi.row import VmiRule, upstream


class FlowTie(NamedTuple):
    """Values of an operation that share a layout, position by position; `members` names the sequences they are in."""

    id: str
    op: str
    members: tuple[str, ...]
    sentence: str


FLOW: tuple[FlowTie, ...] = (
    FlowTie("VMI.TIE.IF", "scf.if", ("results", "then yields", "else yields"), "both branches yield the result"),
    FlowTie("VMI.TIE.FOR", "scf.for", ("results", "inits", "iter_args", "yields"), "the loop carries the value"),
    FlowTie("VMI.TIE.WHILE.BEFORE", "scf.while", ("inits", "before arguments", "after yields"),
            "the loop carries the value to its condition"),
    FlowTie("VMI.TIE.WHILE.AFTER", "scf.while", ("results", "condition arguments", "after arguments"),
            "the condition passes the value on"),
    FlowTie("VMI.TIE.REGION", "scf.execute_region", ("results", "yields"), "the region yields the result"),
    FlowTie("VMI.TIE.SWITCH", "scf.index_switch", ("results", "yields"), "every case yields the result"),
    FlowTie("VMI.TIE.SELECT", "arith.select", ("results", "operands"), "either operand is the result"),
    FlowTie("VMI.TIE.BR", "cf.br", ("operands", "block arguments"), "the branch passes the value on"),
    FlowTie("VMI.TIE.COND_BR", "cf.cond_br", ("operands", "block arguments"), "the branch passes the value on"),
    FlowTie("VMI.TIE.CF_SWITCH", "cf.switch", ("operands", "block arguments"), "the branch passes the value on"),
    FlowTie("VMI.TIE.RETURN", "func.return", ("operands of every return",), "all returns give the function's result"),
    FlowTie("VMI.TIE.CALL.ARGUMENT", "func.call", ("operands", "callee arguments"), "the call passes the argument"),
    FlowTie("VMI.TIE.CALL.RESULT", "func.call", ("results", "callee returns"), "the call gives the callee's result"),
)  # fmt: skip
"""All ties. A call must name a function with a body; others, with values of VMI, are errors."""

BOUNDARY = "c"
"""The layout of a value at the boundary of a function that nothing else decides."""

IDENTITY: tuple[VmiRule, ...] = tuple(
    VmiRule(f"VMI.IDENTITY.{name.upper()}", "identity", {"source": name, "result": name}, "", (upstream(""),), "3.8")
    for name in LAYOUT_NAMES
)
"""What asks for a layout by the type of its result: the same value, converted where that is needed."""

REGISTERS: tuple[VmiRule, ...] = tuple(
    VmiRule(f"VMI.REGISTERS.{name.upper()}", "registers", {"data": name, "mask": name},
            f"stated == '{name}'", (upstream(""),), "1.2")
    for name in LAYOUT_NAMES
)  # fmt: skip
"""Registers that the text names as those of a vector, and the other way round, in the layout that its type states."""
