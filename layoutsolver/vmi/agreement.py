"""What types of an operation say against each other: of widths that masks govern, and of layouts.

The rows are those of `layoutsolver_models.rules.vmi.agreement`. A mask for elements of another width is an error
whatever becomes of the program; layouts that differ are one to the released verifier alone, since here they are
wishes which conversions may meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.ops.attributes import attributes
from layoutsolver_models.lanes.layout import Dense
from layoutsolver_models.rules.vmi.agreement import Agreement, agreement_of
from layoutsolver_models.rules.vmi.layouts import name_of

PREFIX = "pto.vmi."
Port = tuple[str, VmiVectorType | VmiMaskType]
"""A role and the type that a vector or mask has in it."""


def width_faults(graph: Graph, node: OpNode) -> Iterator[str]:
    """What masks say of elements of another width, one sentence without a subject for each."""
    row, ports = agreement_of(node.name.removeprefix(PREFIX)), ports_of(graph, node)
    data = _first(ports, row.like)
    if not isinstance(data, VmiVectorType):
        return
    for role, known in ports:
        if role in row.masks and isinstance(known, VmiMaskType) and known.bits not in (None, data.bits):
            yield f"has elements of {data.bits} bits and a {_spoken(role)} of granularity b{known.bits}"


def layout_faults(graph: Graph, node: OpNode) -> Iterator[str]:
    """What the released verifier says of the layouts that types state, one sentence without a subject for each."""
    row, ports = agreement_of(node.name.removeprefix(PREFIX)), ports_of(graph, node)
    vectors = [(role, known) for role, known in ports if isinstance(known, VmiVectorType)]
    masks = [(role, known) for role, known in ports if isinstance(known, VmiMaskType)]
    for roles, some in ((row.alike, vectors), (row.together, vectors), (row.each_other, masks)):
        beside = [known for role, known in some if role in roles]
        if len({known.layout is None for known in beside}) > 1:
            yield "has a type that states a layout beside one that states none"
        elif roles != row.together and len({known.layout for known in beside}) > 1:
            yield f"has layouts that differ: {_shown(beside)}"
    data = _first(ports, row.like)
    for role, known in masks:
        if data is None or role not in row.masks:
            continue
        if (known.layout is None) != (data.layout is None):
            yield f"has a {_spoken(role)} and elements of which one alone states a layout"
        elif known.layout != data.layout:
            yield f"has a {_spoken(role)} in another layout than its elements: {_shown((known, data))}"
    if not row.grouped or "group" in attributes(node):
        yield from _lies(row, ports)


def ports_of(graph: Graph, node: OpNode) -> list[Port]:
    """The vectors and masks of an operation by role, operands first."""
    assert node.spec is not None
    places = [role.name for role in node.spec.results]
    named = [*zip(node.roles, node.operands, strict=True)]
    named += [(places[min(place, len(places) - 1)], value) for place, value in enumerate(node.results)]
    found = [(role, graph.values[value].type) for role, value in named]
    return [(role, known) for role, known in found if isinstance(known, VmiVectorType | VmiMaskType)]


def _lies(row: Agreement, ports: Sequence[Port]) -> Iterator[str]:
    """Layouts that a role cannot have."""
    for role, names in row.lies:
        channels = max(sum(other == role for other, _ in ports) for role in ("inputs", "results"))
        for known in (known for other, known in ports if other == role):
            if known.layout is None or name_of(known.layout) in names or _is_open_slots(known, names):
                continue
            by_channel = known.layout in (Dense(2), Dense(4)) and known.layout.parts == channels
            if "dG" not in names or (channels in (2, 4) and not by_channel):
                yield f"has its {_spoken(role)} in a layout that it cannot have: {_shown((known,))}"


def _is_open_slots(known: VmiVectorType | VmiMaskType, names: Sequence[str]) -> bool:
    """Whether a layout of slots is one of so many slots that no rule speaks of it."""
    return "gs" in names and not isinstance(known.layout, Dense)


def _first(ports: Sequence[Port], role: str) -> VmiVectorType | VmiMaskType | None:
    return next((known for other, known in ports if other == role), None)


def _shown(types: Sequence[VmiVectorType | VmiMaskType]) -> str:
    return " and ".join(dict.fromkeys(f"`#pto.vmi.layout<{known.layout}>`" for known in types))


def _spoken(role: str) -> str:
    return role.replace("_", " ")
