"""Neighbouring regions put into one container, as the compiler does it. Source: fusion spec 2.2.

What stands between two regions is not looked at: the later one is moved in front of it, copies, synchronisation and
definitions of what it uses among them. Tiles that overlap without beginning at one address are taken to be apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutsolver.fusion.code import Code, Item, Scope, Straight, inside, walk
from layoutsolver.fusion.compat.buffers import Buffers
from layoutsolver.fusion.policy import is_terminator

BOUNDARIES = frozenset({
    "pto.mte_gm_ub", "pto.mte_ub_gm", "pto.set_flag", "pto.wait_flag", "pto.mem_bar", "pto.pipe_barrier",
    "pto.vecscope", "pto.strict_vecscope",
})  # fmt: skip
"""The names that close a group. `pto.barrier`, the forms with dynamic events and all other copies are missing."""

_SKIPPED = frozenset({"scf.for", "scf.if", "scf.yield", "pto.yield"})


def plan(code: Code) -> Code:
    """The program with regions of the entry blocks of functions merged."""
    return Code(code.graph, tuple(_planned(item, Buffers(code)) for item in code.items))


def _planned(item: Item, buffers: Buffers) -> Item:
    if not isinstance(item, Scope):
        return item
    if item.node.name == "func.func" and item.blocks:
        return item._replace(blocks=(_merged(item.blocks[0], buffers), *item.blocks[1:]))
    blocks = tuple(tuple(_planned(one, buffers) for one in block) for block in item.blocks)
    return item._replace(blocks=blocks)


def _merged(block: tuple[Item, ...], buffers: Buffers) -> tuple[Item, ...]:
    out: list[Item] = []
    group: int | None = None
    used: set[tuple[int, str]] = set()
    for item in block:
        if not isinstance(item, Scope) or not item.is_region:
            out.append(item)
            continue
        if _is_boundary(item):
            group = None
            out.append(item)
            continue
        mine = _tiles(item, buffers)
        mergeable = bool(item.blocks) and not any(
            one.operands for one in item.blocks[0] if one.node.name == "pto.yield"
        )
        into = None if group is None else out[group]
        if isinstance(into, Scope) and mergeable and not _clash(used, mine):
            assert group is not None
            head, ending = into.blocks[0][:-1], into.blocks[0][-1:]
            block_ = (*head, *item.blocks[0][:-1], *ending)
            out[group] = into._replace(blocks=(block_,), others=(*into.others, item.node, *item.others))
            used |= mine
            continue
        out.append(item)
        group, used = (len(out) - 1, mine) if mergeable else (None, set())
    return tuple(out)


def _is_boundary(region: Scope) -> bool:
    """Whether a region has an operation that closes the group."""
    for item in _nested(region):
        name = item.node.name
        if name in _SKIPPED:
            continue
        owns = not isinstance(item, Straight)
        if owns or is_terminator(item.node) or name in ("func.call", "call") or name in BOUNDARIES:
            return True
    return False


def _nested(item: Item) -> Iterator[Item]:
    for block in inside(item):
        yield from walk(block)


def _tiles(region: Scope, buffers: Buffers) -> set[tuple[int, str]]:
    """Address and type of the tiles that are made inside a region of an address that is a constant."""
    out: set[tuple[int, str]] = set()
    for item in _nested(region):
        if (
            item.node.name == "pto.pointer_cast"
            and isinstance(item, Straight)
            and buffers.is_constant(item.operands[0])
        ):
            graph = buffers.code.graph
            out.add((graph.constants[item.operands[0]], graph.values[item.node.results[0]].type.text))
    return out


def _clash(one: set[tuple[int, str]], other: set[tuple[int, str]]) -> bool:
    """Whether tiles of other types begin at one address."""
    return any(mine == theirs and type_ != text for mine, type_ in one for theirs, text in other)
