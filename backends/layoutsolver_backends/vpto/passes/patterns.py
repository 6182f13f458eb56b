"""Masks that no register is needed for to make them are made again at each use, so that none is kept for them."""

from __future__ import annotations

from dataclasses import replace

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Instruction, Ssa

PATTERNS = ("pto.pset_b", "pto.pge_b", "pto.plt_b")
"""Instructions that make masks of numbers, by the beginning of their names."""


def remake_patterns(build: Builder) -> None:
    """Make such masks again in front of each instruction that uses them; the first ones are dead then."""
    code = build.code
    makers = {one.results[0]: one for _, one in code.all() if one.name.startswith(PATTERNS)}

    def again(values: tuple[Ssa, ...], made: list[Instruction], owner: str) -> tuple[Ssa, ...]:
        fresh: dict[Ssa, Ssa] = {}
        for value in values:
            maker = makers.get(value)
            if maker is not None and not value.name and value not in fresh:
                results = tuple(build.value(result.type, result.hint) for result in maker.results)
                fresh[value] = results[0]
                made.append(replace(maker, results=results, owner=owner))
        return tuple(fresh.get(value, value) for value in values)

    for place, some in code.places.items():
        made: list[Instruction] = []
        for one in some:
            if one.name.startswith(PATTERNS):
                made.append(one)
            else:
                operands = again(one.operands, made, one.owner)
                made.append(replace(one, operands=operands))
        code.places[place] = made
    for (index, operand), values in list(code.taken.items()):
        code.taken[index, operand] = again(values, code.at(index), "")
