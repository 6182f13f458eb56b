"""Where a wrong value comes from: the first operation on the way to a store whose result differs.

Both runs are of one program, so that they execute the same operations in the same order; `lowered_origin` has runs of
intrinsics against the program that they were made of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from layoutsolver.graph.model import Function, Graph
from layoutsolver.mlir.types import VectorType
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.machine import Machine, Unit
from layoutsolver.verify.memory import Inputs
from layoutsolver.verify.operation import CannotRunError
from layoutsolver.verify.program import Program
from layoutsolver.verify.values import Elements, Value
from layoutsolver_models.hardware.ub import HardwareFault

MOST_RECORDED = 50_000
"""Runs of more operations are not searched: each result is kept."""


Watch = Callable[[int, list[Value]], None]
"""What sees an operation and what it made."""


@dataclass(frozen=True, slots=True)
class Origin:
    """An operation, its result, and the first wrong element of that; `found` is None where nothing is defined."""

    node: int
    value: int
    element: int
    expected: int
    found: int | None


Recorded = list[tuple[int, list[Elements | None]]]


def origin_of(
    before: Program, after: Program, function: Function, inputs: Inputs, node: int, seed: int, lenient: bool
) -> Origin | None:
    """The first operation that a store depends on and that makes something wrong; None if none is found.

    Both programs are of one graph.
    """
    graph = before.graph
    if node < 0:
        return None
    wanted = leading_to(graph, node)
    try:
        mine, theirs = (recorded(program, function, inputs, seed, lenient) for program in (before, after))
    except (CannotRunError, HardwareFault):  # both ran before, so this is a run that was cut short
        return None
    for (made, left), (_, right) in zip(mine, theirs, strict=False):
        for value, expected, found in zip(graph.ops[made].results, left, right, strict=True):
            if value not in wanted or expected is None or found is None:
                continue
            wrong = expected.defined & ((expected.bits != found.bits) | ~found.defined)
            if wrong.any():
                at = int(np.flatnonzero(wrong)[0])
                got = int(found.bits[at]) if found.defined[at] else None
                return Origin(made, value, at, int(expected.bits[at]), got)
    return None


class TooLongError(CannotRunError):
    """A run that has more operations than are recorded."""


def recorded(program: Program, function: Function, inputs: Inputs, seed: int, lenient: bool) -> Recorded:
    """The elements that every operation of a run made."""
    unit = program.unit(LogicalMemory(inputs.memory, inputs.extents, lenient), lenient)
    out: Recorded = []

    def record(node: int, made: list[Value]) -> None:
        if len(out) >= MOST_RECORDED:
            raise TooLongError(node, "too long to be recorded")
        elements: list[Elements | None] = []
        for value, held in zip(program.graph.ops[node].results, made, strict=False):
            type_ = program.graph.values[value].type
            known = program.level == "plain" or value in program.layouts
            elements.append(unit.leave(value, held, type_) if known and isinstance(type_, VectorType) else None)
        out.append((node, elements))

    watched(program, unit, function, inputs, seed, record)
    return out


def watched(program: Program, unit: Unit, function: Function, inputs: Inputs, seed: int, watch: Watch) -> None:
    """Run a function and show every operation's results to `watch`."""
    machine = Machine(program.graph, unit, seed, operations=program.operations, watch=watch)
    arguments = [
        unit.enter(value, given) if isinstance(given, Elements) else given
        for value, given in zip(function.arguments, inputs.arguments, strict=True)
    ]
    machine.run_function(function, arguments)


def leading_to(graph: Graph, node: int) -> set[int]:
    """The values on which the operands of an operation depend, through loops and branches as well."""
    through: dict[int, list[int]] = {}
    for loop in graph.loops.values():
        for init, argument, yielded, result in loop.carried:
            through[argument] = [init, yielded]
            through[result] = [init, yielded]
    for branch, yields in graph.branches.items():
        for number, result in enumerate(graph.ops[branch].results):
            ends = [graph.ops[end].operands for end in yields]
            through[result] = [operands[number] for operands in ends if number < len(operands)]
    found: set[int] = set()
    stack = list(graph.ops[node].operands)
    while stack:
        value = stack.pop()
        if value < 0 or value in found:
            continue
        found.add(value)
        owner = graph.values[value].op
        stack.extend(through.get(value, graph.ops[owner].operands if owner >= 0 else []))
    return found
