"""Lanes of VPTO text: how a load lays elements into registers, and which bytes conversions read from there."""

from __future__ import annotations

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import RegisterType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.ops.attributes import attributes
from layoutsolver.verify.vpto.convert import CONTRACTS, PARTS, element_name
from layoutsolver.view.lanes import Drawn
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
            readers = [reader for reader in graph.ops if value in reader.operands and _reads(graph, reader) is not None]
            read: dict[int, int] = {}
            for reader in readers:
                found = _reads(graph, reader)
                assert found is not None
                read |= dict.fromkeys(found[1], found[0])
                made.append(_converted(graph, reader, held, found[1]))
            loads.append(Drawn(_title(graph, node, value, dist, held, read), held, None, (read,)))
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
    line, _ = graph.module.source.line_column(node.span.start)
    lost = sum(number is None for number in register[::step])
    said = f": {lost} of {len(register) // step} elements are padding" if lost else ""
    part = _attribute(node, "part")
    title = f"{graph.values[node.results[0]].name}, line {line}, converts part {part}{said}"
    return Drawn(title, LaneMap("byte", step, held.lanes, (tuple(register),)))


def _title(graph: Graph, node: OpNode, value: int, dist: str, held: LaneMap, read: dict[int, int]) -> str:
    line, _ = graph.module.source.line_column(node.span.start)
    inside = {number // held.size for number in held.held()}
    reached = {number // held.size for byte in read if (number := held.registers[0][byte]) is not None}
    missed = len(inside) - len(inside & reached)
    said = f": {missed} of {len(inside)} elements are read by no conversion" if read and missed else ""
    return f"{graph.values[value].name}, line {line}, loaded as {dist}{said}"
