"""Items left out, values put in the place of others."""

from __future__ import annotations

from collections.abc import Mapping

from layoutsolver.fusion.code import Code, Item, Loop, Straight, replaced


def rewritten(code: Code, gone: frozenset[int], values: Mapping[int, int]) -> Code:
    """The program without the operations of these indices, and with each value replaced by what it is mapped to, from
    one mapping to the next.
    """
    if not gone and not values:
        return code
    resolved = {value: _last(value, values) for value in values}
    return Code(code.graph, tuple(replaced(item, resolved) for item in without(code.items, gone)))


def without(items: tuple[Item, ...], gone: frozenset[int]) -> tuple[Item, ...]:
    """The items without those operations, at any depth, that have these indices and no regions."""
    out: list[Item] = []
    for item in items:
        if isinstance(item, Straight):
            if item.node.index not in gone:
                out.append(item)
        elif isinstance(item, Loop):
            out.append(item._replace(body=without(item.body, gone)))
        else:
            out.append(item._replace(blocks=tuple(without(block, gone) for block in item.blocks)))
    return tuple(out)


def _last(value: int, values: Mapping[int, int]) -> int:
    while value in values:
        value = values[value]
    return value
