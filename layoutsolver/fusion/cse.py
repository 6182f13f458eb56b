"""Common-subexpression elimination as the pipeline runs it: addresses, numbers, masks and constants.

Loads are never merged, and neither are vector operations that compute. Source: fusion spec 1.1.
"""

from __future__ import annotations

from collections.abc import Hashable

from layoutsolver.fusion.code import Code, Item, Loop, Scope, Straight, inside, replaced
from layoutsolver.fusion.policy import is_free

_ISOLATED = ("func.func", "builtin.module")


def eliminate_common(code: Code) -> Code:
    """The program with every operation of those kinds made once where one that is equal is visible."""
    values: dict[int, int] = {}
    items = _block(code, code.items, {}, values)
    return Code(code.graph, items)


def _block(
    code: Code, items: tuple[Item, ...], known: dict[Hashable, tuple[int, ...]], values: dict[int, int]
) -> tuple[Item, ...]:
    """The items with what was made before left out; `known` are the operations that are visible here."""
    seen = dict(known)
    out: list[Item] = []
    for before in items:
        item = _operands(before, values)
        if isinstance(item, Straight) and is_free(item.node) and item.node.results:
            key = key_of(code, item)
            earlier = seen.get(key)
            if earlier is not None:
                values.update(zip(item.node.results, earlier, strict=True))
                continue
            seen[key] = tuple(item.node.results)
        elif isinstance(item, Loop):
            body = _block(code, item.body, seen, values)
            carried = tuple(one._replace(yielded=values.get(one.yielded, one.yielded)) for one in item.carried)
            item = item._replace(body=body, carried=carried)
        elif isinstance(item, Scope):
            inner = {} if item.node.name in _ISOLATED else seen
            item = item._replace(blocks=tuple(_block(code, block, inner, values) for block in inside(item)))
        out.append(item)
    return tuple(out)


def _operands(item: Item, values: dict[int, int]) -> Item:
    """The item with its own operands replaced; what is inside it is replaced when that is entered."""
    if isinstance(item, Loop):
        shallow = replaced(item._replace(body=()), values)
        assert isinstance(shallow, Loop)
        return shallow._replace(body=item.body)
    if isinstance(item, Scope):
        return item._replace(operands=tuple(values.get(value, value) for value in item.operands))
    return replaced(item, values)


def key_of(code: Code, item: Straight) -> Hashable:
    """What is equal for operations that compute the same: their text with operands by value, and result types."""
    op = item.node.op
    texts = op.stream.texts
    by_token = dict(zip(item.node.operand_tokens, item.operands, strict=True))
    words: list[Hashable] = [by_token.get(token, texts[token]) for token in range(op.name_token, op.last)]
    return tuple(words)
