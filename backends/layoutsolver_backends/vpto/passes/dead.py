"""Instructions whose results nobody uses are taken away."""

from __future__ import annotations

from layoutsolver.ops.spec import Effect
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa


def drop_dead(code: Code) -> None:
    """Keep what writes memory, and what something that is kept uses; names of the text are used by the text."""
    live: set[Ssa] = {value for values in code.taken.values() for value in values}
    for place in sorted(code.places, reverse=True):
        kept: list[Instruction] = []
        for instruction in reversed(code.places[place]):
            writes = instruction.effect not in (Effect.PURE, Effect.READ)
            if writes or any(value.name or value in live for value in instruction.results):
                live.update(instruction.operands)
                kept.append(instruction)
        code.places[place] = kept[::-1]
