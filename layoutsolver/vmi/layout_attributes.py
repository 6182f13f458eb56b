"""Layout attributes that are none, or that a type cannot have."""

from __future__ import annotations

import re

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, Value
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.source import Span
from layoutsolver_models.lanes.layout import Dense, Groups, VecMem, carrier, parse_layout
from layoutsolver_models.rules.vmi.layouts import DENSE_NAMES, SLOT_NAMES, arity, layout_of, name_of

ATTRIBUTE = re.compile(r"#pto\.vmi\.layout\s*(?:<[^<>]*>)?")
UNSPOKEN = "is a layout that no rule speaks of"
"""How it is said that a type is well formed, and nothing makes or takes vectors of it."""

_LANES = re.compile(r"!pto\.vmi\.(?:vreg|mask)\s*<\s*([1-9][0-9]{0,8})\s*x")


def layout_faults(graph: Graph) -> tuple[list[Diagnostic], set[int]]:
    """A message for each attribute that is wrong, the first time that its type occurs; and all values of such types."""
    found: list[Diagnostic] = []
    wrong: set[int] = set()
    seen: set[str] = set()
    for value in graph.values:
        text = value.type.text
        attribute = ATTRIBUTE.search(text) if text.startswith("!pto.vmi.") else None
        reason = "" if attribute is None else fault_of(value, attribute[0])
        if attribute is None or not reason:
            continue
        wrong.add(value.index)
        if text not in seen:
            seen.add(text)
            lead = "VMI-UNSUPPORTED: " if reason.startswith(UNSPOKEN) else ""
            message = f"{lead}`{attribute[0]}` of `{value.name}` {reason}"
            found.append(Diagnostic("LS0807", "error", message, Label(graph.module.source, _span(graph, value, text))))
    return found, wrong


def fault_of(value: Value, attribute: str) -> str:
    """What is wrong with the layout attribute of a value's type, empty if nothing is."""
    type_ = value.type
    try:
        layout = parse_layout(attribute)
    except ValueError as error:
        return f"is no layout: {str(error).removeprefix(f'`{attribute}` is no layout: ')}"
    if isinstance(layout, VecMem):
        return "is no layout of VMI"
    lanes = _LANES.match(type_.text)
    if isinstance(layout, Groups) and lanes is not None and layout.num_groups != int(lanes[1]):
        return f"has {layout.num_groups} groups, and the type has {lanes[1]} elements: there is one for each group"
    if not isinstance(type_, VmiVectorType | VmiMaskType):
        return ""
    if name_of(layout) is None:
        names = SLOT_NAMES if isinstance(layout, Groups) else DENSE_NAMES
        known = ", ".join(f"`{layout_of(name, type_.lanes)}`" for name in names)
        return f"{UNSPOKEN}: there are {known}"
    return _room(type_, layout)


def _room(type_: VmiVectorType | VmiMaskType, layout: Dense | Groups) -> str:
    """Why elements of a type cannot have a layout that others can."""
    if isinstance(layout, Dense) and layout.parts > type_.lanes:
        return f"has {layout.parts} parts, and there are only {type_.lanes} elements: a part would be empty"
    if isinstance(type_, VmiMaskType) and type_.bits and carrier(layout, type_.bits) is None:
        wide = type_.bits * layout.lane_stride
        return f"would be a mask of {wide}-bit lanes, and masks govern lanes of at most 32 bits"
    if type_.bits and arity(layout, type_.bits, type_.lanes) < 1:
        return "holds no element"
    return ""


def _span(graph: Graph, value: Value, text: str) -> Span:
    """Where the attribute stands: the first place behind the value at which its type is spelled."""
    source = graph.module.source.text
    at = source.find(text, value.span.start)
    attribute = ATTRIBUTE.search(source, at) if at >= 0 else None
    return value.span if attribute is None else Span(attribute.start(), attribute.end())
