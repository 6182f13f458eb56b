"""Instructions that compute what an earlier one has computed, which has always run, are taken away."""

from __future__ import annotations

from dataclasses import replace

from layoutsolver.ops.spec import Effect
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa
from layoutsolver_backends.vpto.places import HARMLESS, VMI, Block, Places

Key = tuple[object, ...]


def number_values(code: Code, places: Places) -> None:
    """Let equal instructions be one, counted for the first owner that counts it.

    Loads are equal if nothing may have written memory between them.
    """
    known: dict[Key, list[tuple[Block, Instruction]]] = {}
    stands_for: dict[Ssa, Ssa] = {}
    owners: dict[Ssa, str] = {}
    writes = 0
    graph = places.graph
    for node in graph.ops:
        kept: list[Instruction] = []
        around = places.around(node.index)
        for instruction in code.places.get(node.index, []):
            one = instruction.renamed(stands_for)
            effect = one.effect
            if effect not in (Effect.PURE, Effect.READ):
                writes += 1
                kept.append(one)
                continue
            key: Key = (one.name, one.operands, one.words, one.attrs, tuple(value.type for value in one.results))
            if effect is Effect.READ:
                key = (*key, writes, around[0])
            earlier = next((other for block, other in known.get(key, []) if block in around), None)
            if earlier is not None and not any(value.name for value in one.results):
                stands_for.update(zip(one.results, earlier.results, strict=True))
                if one.counted and not earlier.counted:
                    owners.setdefault(earlier.results[0], one.owner)
                continue
            known.setdefault(key, []).append((around[0], one))
            kept.append(one)
        if node.index in code.places:
            code.places[node.index] = kept
        if not node.name.startswith((VMI, *HARMLESS)):
            writes += 1
    code.replaced(stands_for)
    if owners:
        for place, some in code.places.items():
            code.places[place] = [_counted(one, owners) for one in some]


def _counted(one: Instruction, owners: dict[Ssa, str]) -> Instruction:
    owner = owners.get(one.results[0]) if one.results else None
    return one if owner is None else replace(one, counted=True, owner=owner)
