"""A program as items that can be put together anew: operations, loops, and what has regions.

Items refer to the values and operations of the graph they were read from, so that a message about an item points at
the text of the user however often items were moved. What a transformation replaces are the operands: `node.operands`
is what the text said, `operands` what holds now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.tree import Block

REGION = "pto.fusion_region"
YIELD = "pto.yield"


class Straight(NamedTuple):
    """An operation without regions, terminators among them."""

    node: OpNode
    operands: tuple[int, ...]

    def role(self, name: str) -> int | None:
        """The value in the first operand of that role, None if there is none; what merged regions yield has no role."""
        return next((value for role, value in zip(self.node.roles, self.operands, strict=False) if role == name), None)


class Carried(NamedTuple):
    """A value that a loop carries: initial value, block argument, what the body yields, result."""

    init: int
    argument: int
    yielded: int
    result: int


class Loop(NamedTuple):
    """An `scf.for` with one block: `nodes` are the loops of the text that it is made of, the first gives the header.

    `body` is without its terminator, which `carried` tells.
    """

    nodes: tuple[OpNode, ...]
    bounds: tuple[int, int, int]
    induction: int
    carried: tuple[Carried, ...]
    body: tuple[Item, ...]

    @property
    def node(self) -> OpNode:
        """The first loop that it is made of."""
        return self.nodes[0]

    @property
    def operands(self) -> tuple[int, ...]:
        """Bounds, then initial values."""
        return (*self.bounds, *(one.init for one in self.carried))


class Scope(NamedTuple):
    """Any other operation with regions: the items of each of its blocks, terminators included.

    `others` are the regions of the text that were put into it, whose results follow its own.
    """

    node: OpNode
    operands: tuple[int, ...]
    blocks: tuple[tuple[Item, ...], ...]
    others: tuple[OpNode, ...] = ()

    @property
    def is_region(self) -> bool:
        """Whether it is a `pto.fusion_region`, which has one block that ends in `pto.yield`."""
        return self.node.name == REGION


Item: TypeAlias = "Straight | Loop | Scope"


class Code(NamedTuple):
    """A program: the items at its top level, and the graph whose values and operations they mean."""

    graph: Graph
    items: tuple[Item, ...]


def code_of(graph: Graph) -> Code:
    """The items of a program as its text has them."""
    children: dict[int, list[OpNode]] = {}
    for node in graph.ops:
        children.setdefault(node.parent, []).append(node)
    by_op = {id(node.op): node for node in graph.ops}
    return Code(graph, tuple(_item(graph, node, by_op) for node in children.get(-1, [])))


def _item(graph: Graph, node: OpNode, by_op: Mapping[int, OpNode]) -> Item:
    operands = tuple(node.operands)
    blocks = [block for region in node.op.regions for block in region.blocks]
    if not node.op.regions:
        return Straight(node, operands)
    inside = tuple(_items(graph, block, by_op) for block in blocks)
    loop = graph.loops.get(node.index)
    if loop is None or len(blocks) != 1 or len(node.op.regions) != 1 or len(loop.bounds) != 3:
        return Scope(node, operands, inside)
    carried = tuple(Carried(*one) for one in loop.carried)
    whole = len(carried) == len(operands) - 3 and all(one.yielded >= 0 for one in carried)
    if not whole or min(operands) < 0 or loop.induction < 0:
        return Scope(node, operands, inside)
    body = inside[0]
    ending = body[-1] if body else None
    if isinstance(ending, Straight) and ending.node.name == "scf.yield":
        body = body[:-1]
    lower, upper, step = loop.bounds
    return Loop((node,), (lower, upper, step), loop.induction, carried, body)


def _items(graph: Graph, block: Block, by_op: Mapping[int, OpNode]) -> tuple[Item, ...]:
    return tuple(_item(graph, by_op[id(op)], by_op) for op in block.ops)


def inside(item: Item) -> tuple[tuple[Item, ...], ...]:
    """The lists of items that an item holds: a loop's body, a scope's blocks."""
    if isinstance(item, Loop):
        return (item.body,)
    return item.blocks if isinstance(item, Scope) else ()


def walk(items: tuple[Item, ...]) -> Iterator[Item]:
    """All items, parents first, in order."""
    for item in items:
        yield item
        for block in inside(item):
            yield from walk(block)


def users_of(items: tuple[Item, ...]) -> dict[int, list[tuple[Item, int]]]:
    """Who uses each value, and as which operand; -1 where a loop yields it to its next turn."""
    users: dict[int, list[tuple[Item, int]]] = {}
    for item in walk(items):
        for position, value in enumerate(item.operands):
            users.setdefault(value, []).append((item, position))
        if isinstance(item, Loop):
            for carried in item.carried:
                users.setdefault(carried.yielded, []).append((item, -1))
    return users


def results_of(item: Item) -> tuple[int, ...]:
    """The values that an item defines for what follows it."""
    if isinstance(item, Loop):
        return tuple(one.result for one in item.carried)
    if isinstance(item, Scope):
        return tuple(value for node in (item.node, *item.others) for value in node.results)
    return tuple(item.node.results)


def nodes_of(item: Item) -> tuple[OpNode, ...]:
    """The operations of the text that an item stands for, those inside it apart."""
    if isinstance(item, Loop):
        return item.nodes
    return (item.node, *item.others) if isinstance(item, Scope) else (item.node,)


def uses_of(item: Item) -> frozenset[int]:
    """The values from outside that an item uses, those that its regions use among them."""
    used: set[int] = set()
    defined: set[int] = set()
    for one in walk((item,)):
        used.update(one.operands)
        if isinstance(one, Loop):
            used.update(carried.yielded for carried in one.carried)
            defined.add(one.induction)
            defined.update(carried.argument for carried in one.carried)
        if one is not item:
            defined.update(results_of(one))
    return frozenset(used - defined)


def replaced(item: Item, values: Mapping[int, int]) -> Item:
    """The item with values replaced wherever it uses them; what it defines stays."""
    if not values:
        return item
    if isinstance(item, Straight):
        return item._replace(operands=_mapped(item.operands, values))
    if isinstance(item, Scope):
        blocks = tuple(tuple(replaced(one, values) for one in block) for block in item.blocks)
        return item._replace(operands=_mapped(item.operands, values), blocks=blocks)
    lower, upper, step = _mapped(item.bounds, values)
    carried = tuple(
        one._replace(init=values.get(one.init, one.init), yielded=values.get(one.yielded, one.yielded))
        for one in item.carried
    )
    body = tuple(replaced(one, values) for one in item.body)
    return item._replace(bounds=(lower, upper, step), carried=carried, body=body)


def _mapped(operands: tuple[int, ...], values: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(values.get(value, value) for value in operands)
