"""Why a program leaves other memory: which elements of its input are lost, and where a result first came of nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from layoutsolver.graph.model import Function
from layoutsolver.mlir.pto_types import PointerType, RegisterType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.elements import Stored
from layoutsolver.verify.pto.inputs import Inputs
from layoutsolver.verify.pto.program import Options, Program, Run, StoppedError
from layoutsolver.verify.pto.ram import Allocation
from layoutsolver.verify.pto.values import PtoValue, Vector
from layoutsolver_models.hardware.formats import Lanes
from layoutsolver_models.hardware.state import VReg
from layoutsolver_models.hardware.ub import Memory
from layoutsolver_models.vecmem import REGISTER_BYTES

_FIRST_LABEL = 1 << 24
"""Births from here on are no operations but bytes of the input."""

_REDUCING = frozenset({
    "pto.vmi.vcadd", "pto.vmi.vcmax", "pto.vmi.vcmin", "pto.vcadd", "pto.vcmax", "pto.vcmin", "pto.vcgadd",
    "pto.vcgmax", "pto.vcgmin", "pto.vmi.vdhist", "pto.vmi.vchist",
})  # fmt: skip

SHOWN = 8
"""So many lost elements are listed."""


def _labelled(inputs: Inputs) -> tuple[Inputs, list[int]]:
    """The inputs with every byte of memory poison that was born at a label of its own, and the first label of each."""
    allocations: list[Allocation] = []
    firsts: list[int] = []
    label = _FIRST_LABEL
    for allocation in inputs.allocations:
        memory = allocation.memory
        labels = np.arange(label, label + memory.size, dtype=np.int32)
        known = ~memory.poison()
        births = np.where(known, labels, np.int32(-1))
        filled = Memory.from_bytes(memory.data(), memory.poison()).write(
            0, memory.data(), np.ones(memory.size, np.bool_), births
        )
        allocations.append(replace(allocation, memory=filled))
        firsts.append(label)
        label += memory.size
    return replace(inputs, allocations=tuple(allocations)), firsts


def _arrived(run: Run, inputs: Inputs, label: int, size: int) -> Lanes:
    """Which bytes of an input have left a trace in what is compared, where a store has put it."""
    found = np.zeros(size, np.bool_)
    for at, memory in enumerate(run.ram.memories):
        if inputs.compared[at]:
            births = memory.birth()[run.ram.writers[at] >= 0]
            births = births[(births >= label) & (births < label + size)] - label
            found[births] = True
    return found


def lost_elements(expected: Program, found: Program, pairs: tuple[Function, Function], inputs: Inputs) -> list[str]:
    """A note for each input of which elements reach memory in one program but not in the other.

    Both programs are run on memory of which nothing is known but where it came from. An operation on two lanes of which
    nothing is known keeps the origin of one; the same one in both programs.
    """
    labelled, firsts = _labelled(inputs)
    try:
        runs = [program.run(function, labelled) for program, function in zip((expected, found), pairs, strict=True)]
    except StoppedError:
        return []
    notes = []
    for at, allocation in enumerate(inputs.allocations):
        size = allocation.memory.size
        mine, theirs = (_arrived(run, inputs, firsts[at], size) for run in runs)
        stored = _element_of(expected, pairs[0], allocation.name)
        rows = [flags[: size // stored.width * stored.width].reshape(-1, stored.width).any(axis=1)
                for flags in (mine, theirs)]  # fmt: skip
        lost = np.flatnonzero(rows[0] & ~rows[1])
        if lost.size:
            noun, total = f"{stored.noun}s", int(rows[0].sum())
            listed = ", ".join(map(str, lost[:SHOWN].tolist())) + ", …" * (lost.size > SHOWN)
            notes.append(f"{lost.size} of {total} {noun} of `{allocation.name}` never reach memory: {listed}")
    return notes


def _element_of(program: Program, function: Function, name: str) -> Stored:
    for value in function.arguments:
        known = program.graph.values[value]
        if known.name == name and isinstance(known.type, PointerType) and isinstance(known.type.element, ScalarType):
            return Stored(known.type.element)
    return Stored(ScalarType("i8", 8))


def first_foreign(
    expected: Program, found: Program, pairs: tuple[Function, Function], inputs: Inputs
) -> tuple[int, str] | None:
    """The first operation that makes, of what is in memory, a number that the other program never has; and which one.

    None where there is none, and where numbers come and go by themselves: a reduction has others on the way.
    """
    if any("reduce" in node.name or node.name in _REDUCING for node in expected.graph.ops):
        return None
    mine: list[tuple[int, list[PtoValue]]] = []
    theirs: list[tuple[int, list[PtoValue]]] = []
    traced: list[tuple[int, list[PtoValue]]] = []
    try:
        expected.run(pairs[0], inputs, Options(results=mine))
        found.run(pairs[1], inputs, Options(results=theirs))
        found.run(pairs[1], _labelled(inputs)[0], Options(results=traced))
    except StoppedError:
        return None
    known: dict[int, Lanes] = {}
    for width in (1, 2, 4, 8):
        parts = [_lanes_of(one, width) for _, results in mine for one in results]
        known[width] = np.unique(np.concatenate([np.zeros(1, f"u{width}"), *parts]))
    for (node, results), (_, traces) in zip(theirs, traced, strict=False):
        for value, made, trace in zip(found.graph.ops[node].results, results, traces, strict=False):
            type_ = found.graph.values[value].type
            if not isinstance(made, VReg) or not isinstance(trace, VReg) or not isinstance(type_, RegisterType):
                continue
            width = REGISTER_BYTES // type_.lanes
            foreign = ~np.isin(made.lanes(width), known[width]) & ~made.lane_poison(width) & trace.lane_poison(width)
            if foreign.any():
                lane = int(np.argmax(foreign))
                return node, f"lane {lane} is {int(made.lanes(width)[lane]):#x} here, which is never computed there"
    return None


def _lanes_of(value: PtoValue, width: int) -> Lanes:
    """What a vector or register holds, taken as lanes of so many bytes."""
    if isinstance(value, VReg):
        return value.lanes(width)
    if isinstance(value, Vector) and value.data.size % width == 0:
        return value.data.view(f"u{width}")
    return np.zeros(0, f"u{width}")


def reads_only_padding(program: Program, function: Function, inputs: Inputs) -> int | None:
    """The first operation that makes a register of nothing but what loads have filled in, None if there is none.

    The program is run with filled-in zeros as poison; a register that is poison throughout then came of them alone.
    """
    kept: list[tuple[int, list[PtoValue]]] = []
    try:
        program.run(function, inputs, Options(padding=True, results=kept))
    except StoppedError:
        return None
    for node, results in kept:
        if not program.graph.ops[node].name.endswith("vlds") and any(_is_padding(program, one) for one in results):
            return node
    return None


def _is_padding(program: Program, result: PtoValue) -> bool:
    """Whether a register is poison throughout, all of it born at loads."""
    if not isinstance(result, VReg) or not result.poison.all():
        return False
    births = result.lane_birth(1)
    known = births[(births >= 0) & (births < _FIRST_LABEL)]
    return bool(known.size) and all(program.graph.ops[int(birth)].name.endswith("vlds") for birth in np.unique(known))
