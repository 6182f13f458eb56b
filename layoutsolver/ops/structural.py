"""The operations around the dialects in question: functions, loops, casts, constants.

Only what their syntax does not tell by itself has a row here: everything else is bound by `layoutsolver.ops.loose`.
"""

from __future__ import annotations

from layoutsolver.ops.spec import Effect, Kind, OpSpec, Role


def _vector_op(name: str, rule: str, effect: Effect = Effect.PURE, results: bool = True) -> OpSpec:
    """A row without an assembly: bound loosely, with any number of operands, and of results or none."""
    operands = (Role("operands", Kind.ANY, variadic=True),)
    any_number = (Role("results", Kind.ANY, variadic=True),) if results else ()
    return OpSpec(name, operands, any_number, "", rule, effect, source="mlir")


STRUCTURAL_OPS: tuple[OpSpec, ...] = (
    _vector_op("builtin.module", "none", Effect.CONTROL),
    _vector_op("func.func", "none", Effect.CONTROL),
    _vector_op("func.return", "return", Effect.CONTROL, results=False),
    _vector_op("func.call", "call", Effect.CALL),
    _vector_op("scf.for", "loop", Effect.CONTROL),
    _vector_op("scf.if", "branch", Effect.CONTROL),
    _vector_op("scf.yield", "yield", Effect.CONTROL, results=False),
    _vector_op("builtin.unrealized_conversion_cast", "reshape"),
    _vector_op("arith.constant", "constant"),
    _vector_op("vector.bitcast", "bitcast"),
    _vector_op("vector.shape_cast", "reshape"),
    _vector_op("annotation.mark", "annotation", Effect.ORDER, results=False),
    _vector_op("vector.print", "print", Effect.ORDER, results=False),
)
"""Rows for operations that the layout question crosses; `rule` names the family, as for `ave.hir` operations."""
