"""What is said of operations that are left out of the problem because nobody takes what they make."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.ops.registry import pto_specs
from layoutsolver.pose.vmi.conversions import conversions_of
from layoutsolver.pose.vmi.ports import mask_layout
from layoutsolver.pose.vmi.variants import variants_of
from layoutsolver.vmi.canonical import PREFIX
from layoutsolver.vmi.program import VmiOp, VmiProgram, VmiValue

LEFT_OUT = "nobody takes its result: it is left out"


def unneeded_faults(program: VmiProgram, kept: VmiProgram, released: bool) -> list[Diagnostic]:
    """What is to be said of operations that are not among those kept, and have no layout.

    Types that contradict the rules are errors, whoever takes the result.
    """
    places = {(op.origin, op.row, op.op) for op in kept.ops}
    found: list[Diagnostic] = []
    for op in program.ops:
        if (op.origin, op.row, op.op) in places:
            continue
        reason = _reason(program, op, released)
        if reason:
            label = Label(program.graph.module.source, program.graph.ops[op.origin].span)
            found.append(Diagnostic("LS0802", "error", reason, label))
    return found


def _reason(program: VmiProgram, op: VmiOp, released: bool) -> str:
    spec = pto_specs().get(PREFIX + op.op)
    values = (*op.vectors().values(), *op.results.values())
    if spec is None or not values:
        return ""
    variants, _ = variants_of(program, op, spec.rule, {}, released)
    if not variants:
        return f"VMI-UNSUPPORTED: no layout serves `{op.op}` here"
    stated = tuple(_stated(value) for value in values)
    if not all(stated) or any(variant.layouts == stated for variant in variants):
        return ""
    if spec.rule == "identity":
        ways = {(way.before, way.after) for way in conversions_of(values[0], slots=True)}
        return "" if stated in ways else f"VMI-LAYOUT-CONTRACT: `{op.op}` asks for a conversion that there is not"
    return f"VMI-LAYOUT-CONTRACT: no row of `{op.op}` has the layouts of its types"


def _stated(value: VmiValue) -> str:
    """The layout that the type of a value carries, empty if it carries none."""
    return mask_layout(value.bits, value.layout) if value.is_mask and value.layout else value.layout
