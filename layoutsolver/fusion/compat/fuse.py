"""Neighbouring loops of a region put into one, as the compiler does it. Source: fusion spec 3.

Loops are compared by their headers, from which added constants are stripped. What stands between two of them is split
into components that depend on each other; each must go in front of the fused loop or behind it as a whole. Nothing is
asked about the iterations of the loops themselves, of later loops, of stores that are hoisted, or of operations that
are neither loads nor stores.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.fusion.access import LOAD, STORE
from layoutsolver.fusion.code import Carried, Code, Item, Loop, Scope, Straight, replaced, results_of, uses_of, walk
from layoutsolver.fusion.compat.buffers import Buffer, Buffers
from layoutsolver.graph.model import OpNode


def fuse(code: Code) -> Code:
    """The program with the loops of its regions fused, again and again until none is any more."""
    while True:
        buffers = Buffers(code)
        items = tuple(_fused(item, buffers) for item in code.items)
        if items == code.items:
            return code
        code = Code(code.graph, items)


def _fused(item: Item, buffers: Buffers) -> Item:
    if not isinstance(item, Scope):
        return item
    if item.is_region and item.blocks:
        return item._replace(blocks=(_runs(item.blocks[0], buffers), *item.blocks[1:]))
    return item._replace(blocks=tuple(tuple(_fused(one, buffers) for one in block) for block in item.blocks))


class _Run(NamedTuple):
    """Loops that are fused, with what goes in front of them and behind them; `end` is where the run stops."""

    members: tuple[Loop, ...]
    hoisted: tuple[Item, ...]
    sunk: tuple[Item, ...]
    end: int


def _runs(block: tuple[Item, ...], buffers: Buffers) -> tuple[Item, ...]:
    """The items of a region with each run of loops as one."""
    out: list[Item] = []
    at = 0
    while at < len(block):
        item = block[at]
        if not isinstance(item, Loop):
            out.append(item)
            at += 1
            continue
        run = _grown(block, at, buffers)
        out += [*run.hoisted, joined(run.members) if len(run.members) > 1 else item, *run.sunk]
        at = run.end
    return tuple(out)


def _grown(block: tuple[Item, ...], first: int, buffers: Buffers) -> _Run:
    """The run that begins with a loop: it grows over the loops that follow until one does not fit."""
    start = block[first]
    assert isinstance(start, Loop)
    run = _Run((start,), (), (), first + 1)
    while True:
        at = next((at for at in range(run.end, len(block)) if isinstance(block[at], Loop)), None)
        loop = None if at is None else block[at]
        if at is None or not isinstance(loop, Loop) or header(loop, buffers) != header(start, buffers):
            return run
        sides = _sides(block[run.end : at], (*run.members, loop), buffers)
        if sides is None:
            return run
        run = _Run((*run.members, loop), (*run.hoisted, *sides[0]), (*run.sunk, *sides[1]), at + 1)


def header(loop: Loop, buffers: Buffers) -> tuple[object, ...]:
    """What is equal for loops that have one header in the eyes of the compiler."""
    op = loop.node.op
    behind = op.stream.range_text(op.regions[0].last, op.last) if op.regions else ""
    return (*(_stripped(bound, buffers) for bound in loop.bounds), "".join(behind.split()))


def _stripped(value: int, buffers: Buffers) -> object:
    """A bound without the constants that are added to it."""
    graph = buffers.code.graph
    if value in graph.constants:
        return (graph.constants[value], graph.values[value].type.text)
    item = buffers.definitions.get(value)
    if item is not None and item.node.name == "arith.addi" and len(item.operands) == 2:
        left, right = item.operands
        if right in graph.constants:
            return _stripped(left, buffers)
        if left in graph.constants:
            return _stripped(right, buffers)
    return value


def _sides(
    between: tuple[Item, ...], members: tuple[Loop, ...], buffers: Buffers
) -> tuple[tuple[Item, ...], tuple[Item, ...]] | None:
    """What goes in front of the fused loop and what behind it, None if a component can go to neither side."""
    reads, writes = set[Buffer](), set[Buffer]()
    for one in walk(tuple(item for member in members for item in member.body)):
        if isinstance(one, Straight) and one.node.name in (LOAD, STORE):
            found = _buffer(one, buffers)
            if found is not None:
                (writes if one.node.name == STORE else reads).add(found)
    results = {value for member in members for value in results_of(member)}
    used = frozenset[int]().union(*(uses_of(member) for member in members))
    hoists = [
        not uses_of(item) & results and not (_is(item, LOAD) and _buffer(item, buffers) in writes) for item in between
    ]
    sinks = [
        not used & set(results_of(item)) and not (_is(item, STORE) and _buffer(item, buffers) in reads)
        for item in between
    ]
    front: list[Item] = []
    back: list[Item] = []
    components = _components(between, buffers)
    places: dict[int, bool] = {}
    for component in set(components):
        inside = [at for at, one in enumerate(components) if one == component]
        if all(hoists[at] for at in inside):
            places[component] = True
        elif all(sinks[at] for at in inside):
            places[component] = False
        else:
            return None
    for item, component in zip(between, components, strict=True):
        (front if places[component] else back).append(item)
    return tuple(front), tuple(back)


def _components(between: tuple[Item, ...], buffers: Buffers) -> list[int]:
    """For each item the number of its component: connected by values, or by a store and a later load of one buffer."""
    parts = list(range(len(between)))
    for later, item in enumerate(between):
        for earlier in range(later):
            stored = _is(between[earlier], STORE) and _is(item, LOAD)
            same = stored and _buffer(between[earlier], buffers) is not None
            same = same and _buffer(between[earlier], buffers) == _buffer(item, buffers)
            if same or uses_of(item) & set(results_of(between[earlier])):
                old, new = parts[later], parts[earlier]
                parts = [new if part == old else part for part in parts]
    return parts


def _is(item: Item, name: str) -> bool:
    return isinstance(item, Straight) and item.node.name == name


def _buffer(item: Item, buffers: Buffers) -> Buffer | None:
    if not isinstance(item, Straight):
        return None
    return buffers.of(item.role("destination" if item.node.name == STORE else "source"))


def joined(members: tuple[Loop, ...]) -> Loop:
    """One loop that runs the bodies one behind the other, with the header of the first."""
    first = members[0]
    body: list[Item] = []
    nodes: list[OpNode] = []
    carried: list[Carried] = []
    for member in members:
        values = {member.induction: first.induction} if member is not first else {}
        body += [replaced(item, values) for item in member.body]
        nodes += member.nodes
        carried += [one._replace(yielded=values.get(one.yielded, one.yielded)) for one in member.carried]
    return first._replace(nodes=tuple(nodes), carried=tuple(carried), body=tuple(body))
