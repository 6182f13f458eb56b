"""Regions give way to what they hold. Source: fusion spec 7."""

from __future__ import annotations

from layoutsolver.fusion.code import Code, Item, Loop, Scope, Straight, replaced, results_of


def flatten(code: Code) -> Code:
    """The program without fusion regions: their items stand where they stood, results are what was yielded."""
    values: dict[int, int] = {}
    items = _flat(code.items, values)
    resolved = {value: _last(value, values) for value in values}
    return Code(code.graph, tuple(replaced(item, resolved) for item in items))


def _flat(items: tuple[Item, ...], values: dict[int, int]) -> tuple[Item, ...]:
    out: list[Item] = []
    for item in items:
        if isinstance(item, Loop):
            out.append(item._replace(body=_flat(item.body, values)))
        elif not isinstance(item, Scope):
            out.append(item)
        elif item.is_region and len(item.blocks) == 1 and item.blocks[0]:
            *body, ending = item.blocks[0]
            assert isinstance(ending, Straight)
            values.update(zip(results_of(item), ending.operands, strict=True))
            out += _flat(tuple(body), values)
        else:
            out.append(item._replace(blocks=tuple(_flat(block, values) for block in item.blocks)))
    return tuple(out)


def _last(value: int, values: dict[int, int]) -> int:
    while value in values:
        value = values[value]
    return value
