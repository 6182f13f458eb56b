"""Lanes of VPTO text: how a load lays elements into registers, and which bytes conversions read from there."""

from __future__ import annotations

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import RegisterType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.ops.attributes import attributes
from layoutsolver.verify.vpto.convert import CONTRACTS, PARTS, element_name
from layoutsolver.view.lanes import Drawn, Reader
from layoutsolver_models.lanes.access import loaded
from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap

LOADS = ("pto.vlds", "pto.vldsx2")


def lanes_of(graph: Graph, line: int = 0) -> list[list[Drawn]]:
    """Each load of the text, or that of a line, with what reads it, and what the conversions make of it."""
    loads: list[Drawn] = []
    made: list[Drawn] = []
    for node in graph.ops:
        at, _ = graph.module.source.line_column(node.span.start)
        if node.name not in LOADS or (line and at != line):
            continue
        dist = _attribute(node, "dist", "NORM")
        for part, value in enumerate(node.results):
            held = _held(graph, value, dist, part)
            if held is None:
                continue
            readers = []
            for reader in graph.ops:
                found = _reads(graph, reader) if value in reader.operands else None
                if found is not None:
                    readers.append(Reader(_named(graph, reader), (frozenset(found[1]),)))
                    made.append(_converted(graph, reader, held, found[1]))
            loads.append(Drawn(_title(graph, node, value, dist), held, None, tuple(readers)))
    return [column for column in (loads, made) if column]


def _attribute(node: OpNode, name: str, usual: str = "") -> str:
    """An attribute without its quotes."""
    return attributes(node).get(name, usual).strip('"')


def _held(graph: Graph, value: int, dist: str, part: int) -> LaneMap | None:
    """The elements of a loaded register, None for a mode whose lanes are not told."""
    kind = graph.values[value].type
    if not isinstance(kind, RegisterType) or not isinstance(kind.element, ScalarType) or not kind.element.bits:
        return None
    size = kind.element.bits // 8
    try:
        bytes_ = loaded(dist)
    except ValueError:
        return None
    return LaneMap("byte", size, -(-bytes_.lanes // size), (bytes_.registers[part],))


def _reads(graph: Graph, node: OpNode) -> tuple[int, list[int]] | None:
    """The part that a conversion reads, and the bytes; None for what is no conversion of parts."""
    if node.name != "pto.vcvt" or node.operands[0] < 0:
        return None
    source, target = graph.values[node.operands[0]].type, graph.values[node.results[0]].type
    if not isinstance(source, RegisterType) or not isinstance(target, RegisterType):
        return None
    contract = CONTRACTS.get((element_name(source.element.text), element_name(target.element.text)))
    if contract is None or contract.parts not in PARTS:
        return None
    part = PARTS[contract.parts].get(_attribute(node, "part"))
    before, after = _bits(source), _bits(target)
    if part is None or not 0 < before < after:
        return None
    width = before // 8
    starts = range(part * width, POSITIONS, contract.parts * width)
    return part, [start + byte for start in starts for byte in range(width)]


def _bits(kind: RegisterType) -> int:
    """The bits of an element, 0 where they are not known."""
    return kind.element.bits or 0 if isinstance(kind.element, ScalarType) else 0


def _converted(graph: Graph, node: OpNode, held: LaneMap, read: list[int]) -> Drawn:
    """What a conversion makes: the elements at the bytes that it reads, side by side and wider."""
    step = POSITIONS // (len(read) // held.size)
    register: list[int | None] = []
    for start in read[:: held.size]:
        number = held.registers[0][start]
        element = None if number is None else number // held.size
        register += [None if element is None else element * step + byte for byte in range(step)]
    lost = sum(number is None for number in register[::step])
    said = f": {lost} of its {len(register) // step} elements are made of padding" if lost else ""
    title = _named(graph, node)
    return Drawn(title + said, LaneMap("byte", step, held.lanes, (tuple(register),)), hollow=lost > 0)


def _named(graph: Graph, node: OpNode) -> str:
    """What a conversion makes, and which part it reads."""
    line, _ = graph.module.source.line_column(node.span.start)
    return f"{graph.values[node.results[0]].name} (line {line}, part {_attribute(node, 'part')})"


def _title(graph: Graph, node: OpNode, value: int, dist: str) -> str:
    line, _ = graph.module.source.line_column(node.span.start)
    return f"{graph.values[value].name} (line {line}), loaded as {dist}"
