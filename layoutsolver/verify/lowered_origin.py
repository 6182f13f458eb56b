"""Where a wrong value comes from, in intrinsics: the first operation whose elements lie nowhere in what was made of it.

The locations in the lowered text say what was made of an operation. Its result is the one register among that which
others use. How elements lie in there is the compiler's choice; they are wrong if they are in none of the layouts. An
operation is passed over where any of this cannot be told.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from layoutsolver.graph.model import Function, Graph
from layoutsolver.verify.locations import made_of
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.memory import Inputs
from layoutsolver.verify.operation import CannotRunError
from layoutsolver.verify.origin import MOST_RECORDED, Origin, TooLongError, leading_to, recorded, watched
from layoutsolver.verify.program import Program
from layoutsolver.verify.spread import find, slots
from layoutsolver.verify.values import Elements, Value
from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.ub import HardwareFault

_LAYOUTS = {1: ("b8", "b16", "b32"), 8: ("b8", "b8_2vl", "b8_4vl"), 16: ("b16", "b16_2vl"), 32: ("b32",)}
_CASTS = frozenset({"builtin.unrealized_conversion_cast", "llvm.bitcast"})


def lowered_origin(
    before: Program, after: Program, function: Function, inputs: Inputs, node: int, seed: int, lenient: bool
) -> Origin | None:
    """The first operation that a store depends on and that makes something wrong; None if none is found."""
    if node < 0 or before.level != "plain" or after.level != "intrinsics":
        return None
    registers = result_registers(after.graph, before.graph)
    other = after.graph.function_by_symbol().get(function.symbol)
    if not registers or other is None:
        return None
    wanted = leading_to(before.graph, node)
    try:
        mine = recorded(before, function, inputs, seed, lenient)
        theirs = _held(after, other, inputs, seed, lenient, set(registers.values()))
    except (CannotRunError, HardwareFault):  # both ran before, so this is a run that was cut short
        return None
    runs = Counter(made_by for made_by, _ in mine)
    seen: Counter[int] = Counter()
    for made_by, results in mine:
        number = seen[made_by]
        seen[made_by] += 1
        if len(results) != 1 or results[0] is None or before.graph.ops[made_by].results[0] not in wanted:
            continue
        made = theirs.get(registers.get(made_by, -1), [])
        if len(made) != runs[made_by]:
            continue
        wrong = _wrong(results[0], made[number])
        if wrong is not None:
            found, flags = wrong
            at = int(np.flatnonzero(flags)[0])
            got = int(found.bits[at]) if found.defined[at] else None
            return Origin(made_by, before.graph.ops[made_by].results[0], at, int(results[0].bits[at]), got)
    return None


def result_registers(lowered: Graph, program: Graph) -> dict[int, int]:
    """For each operation with one vector result the value of the lowered program that it became."""
    origins = made_of(lowered, program)
    found: dict[int, set[int]] = {}
    for index, source in origins.items():
        for value in lowered.ops[index].results:
            if lowered.values[value].vector is None:
                continue
            if any(origins.get(user) != source for user, _ in lowered.users[value]):
                found.setdefault(source, set()).add(_before_casts(lowered, value))
    single = ((node, values) for node, values in found.items() if len(program.ops[node].results) == 1)
    known = {node: next(iter(values)) for node, values in single if len(values) == 1}
    return {node: value for node, value in known.items() if origins.get(lowered.values[value].op) == node}


def _before_casts(graph: Graph, value: int) -> int:
    while graph.values[value].op >= 0 and graph.ops[graph.values[value].op].name in _CASTS:
        value = graph.ops[graph.values[value].op].operands[0]
    return value


def _held(
    program: Program, function: Function, inputs: Inputs, seed: int, lenient: bool, wanted: set[int]
) -> dict[int, list[Value]]:
    """What some values of a program were, each time they were made."""
    unit = program.unit(LogicalMemory(inputs.memory, inputs.extents, lenient), lenient)
    out: dict[int, list[Value]] = {}
    count = 0

    def record(node: int, made: list[Value]) -> None:
        nonlocal count
        count += 1
        if count > MOST_RECORDED:
            raise TooLongError(node, "too long to be recorded")
        for value, held in zip(program.graph.ops[node].results, made, strict=False):
            if value in wanted:
                out.setdefault(value, []).append(held)

    watched(program, unit, function, inputs, seed, record)
    return out


def _wrong(expected: Elements, held: Value) -> tuple[Elements, Flags] | None:
    """The elements in the layout in which most are right, and which are wrong; None if all are in some layout."""
    if not isinstance(held, VReg | PReg) or isinstance(held, PReg) != (expected.format is None):
        return None
    best: tuple[Elements, Flags] | None = None
    for layout in _LAYOUTS.get(1 if expected.format is None else expected.format.bits, ()):
        found = find(expected.format, held, layout, expected.count)
        flags: Flags = expected.defined & ((expected.bits != found.bits) | ~found.defined)
        flags[slots(layout) :] = False
        if not flags.any():
            return None
        if best is None or flags.sum() < best[1].sum():
            best = found, flags
    return best
