"""Pure instructions whose operands do not change in a loop move in front of it."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.ops.spec import Effect
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa
from layoutsolver_backends.vpto.places import Places


def hoist(code: Code, places: Places, homes: dict[Ssa, int], may_leave: Callable[[int], bool]) -> None:
    """Move instructions out of loops, the innermost first; `may_leave` says of a loop whether vectors may cross it."""
    graph = places.graph
    for loop in sorted(graph.loops, reverse=True):
        if not may_leave(loop):
            continue
        for place in sorted(code.places):
            if graph.ops[place].parent != loop:
                continue
            kept: list[Instruction] = []
            for instruction in code.places[place]:
                fixed = all(homes.get(operand, -1) != loop for operand in instruction.operands)
                named = any(value.name for value in instruction.results)
                if instruction.effect is Effect.PURE and fixed and not named:
                    code.at(loop).append(instruction)
                    homes.update(dict.fromkeys(instruction.results, graph.ops[loop].parent))
                else:
                    kept.append(instruction)
            code.places[place] = kept
