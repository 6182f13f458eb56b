"""Messages about what differs: the store, the first elements with their bytes, and where what is wrong comes from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Function
from layoutsolver.source import Span
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.machine import Passed
from layoutsolver.verify.memory import Inputs
from layoutsolver.verify.origin import Origin
from layoutsolver.verify.program import Program
from layoutsolver.verify.values import Buffer
from layoutsolver_models.hardware.formats import Flags

SHOWN = 4
"""So many differing elements are shown."""


def wrong_bytes(inputs: Inputs, before: LogicalMemory, after: LogicalMemory) -> Flags:
    """Which bytes differ: those that are defined before and other or poison after, and changed ones between buffers.

    What neither side determines is equal, and so is what both leave between buffers.
    """
    expected, unknown = before.memory.data(), before.memory.poison()
    got, poison = after.memory.data(), after.memory.poison()
    wrong: Flags = ~unknown & ((expected != got) | poison)
    initial, empty = inputs.memory.data(), inputs.memory.poison()
    between = np.ones(expected.size, np.bool_)
    for start, stop in inputs.extents:
        between[start:stop] = False
    same = (poison & unknown) | (~poison & ~unknown & (expected == got))
    wrong |= between & ~before.loose & ~same & ((got != initial) | (poison != empty))
    return wrong


@dataclass(frozen=True, slots=True)
class Differences:
    """Writes messages about a function of two programs; `before` says what is expected."""

    before: Program
    after: Program
    function: Function
    inputs: Inputs

    def label(self, program: Program, node: int, text: str = "") -> Label:
        """A place at an operation."""
        span = program.graph.ops[node].span if node >= 0 else Span(0, 0)
        return Label(program.graph.module.source, span, text)

    @property
    def sides(self) -> str:
        """What is compared with what."""
        if self.before.graph is self.after.graph:
            return "after layout than before"
        if self.before.name == self.after.name:
            return "in the second form than in the first"
        return f"in `{self.after.name}` than in `{self.before.name}`"

    def writers(self, before: LogicalMemory, after: LogicalMemory) -> set[tuple[int, int]]:
        """Which operations wrote bytes that differ, before and after."""
        wrong = wrong_bytes(self.inputs, before, after)
        pairs = zip(before.writers[wrong].tolist(), after.writers[wrong].tolist(), strict=True)
        return set(pairs)

    def of_memory(self, before: LogicalMemory, after: LogicalMemory) -> list[tuple[tuple[int, int], Diagnostic]]:
        """A message for each store whose bytes differ, with the stores before and after (-1 if there is none)."""
        stores: dict[tuple[int, int], list[int]] = {}
        for at in np.flatnonzero(wrong_bytes(self.inputs, before, after)).tolist():
            writers = int(before.writers[at]), int(after.writers[at])
            if self.before.graph is self.after.graph:
                writers = (max(writers), max(writers)) if writers[0] < 0 else (writers[0], writers[0])
            known = next((key for key in stores if key[0] == writers[0] >= 0), writers)
            stores.setdefault(known, []).append(at)
        return [(key, self.store(key, places, before, after)) for key, places in stores.items()]

    def store(
        self, writers: tuple[int, int], places: list[int], before: LogicalMemory, after: LogicalMemory
    ) -> Diagnostic:
        """That a store leaves other bytes."""
        first = places[0]
        name, start, width = self.buffer_at(first)
        expected, poison = before.memory.data(), before.memory.poison()
        got, lost, births = after.memory.data(), after.memory.poison(), after.memory.birth()
        elements = sorted({(at - start) // width for at in places})
        lines = []
        for element in elements[:SHOWN]:
            cut = range(start + element * width, start + (element + 1) * width)
            wanted = " ".join("??" if poison[at] else f"{expected[at]:02x}" for at in cut)
            is_there = " ".join("??" if lost[at] else f"{got[at]:02x}" for at in cut)
            lines.append(f"element {element} of {name}: expected {wanted}, found {is_there}")
        if len(elements) > SHOWN:
            lines.append(f"... and {len(elements) - SHOWN} more elements")
        program, node = (self.before, writers[0]) if writers[0] >= 0 else (self.after, writers[1])
        secondary: list[Label] = []
        if self.before.graph is not self.after.graph and program is self.before and writers[1] >= 0:
            secondary.append(self.label(self.after, writers[1], "what is found was written here"))
        at = next((place for place in places if births[place] >= 0 and lost[place]), None)
        if at is not None and int(births[at]) != writers[1]:
            text = "what is stored there is not determined from here on"
            secondary.append(self.label(self.after, int(births[at]), text))
        op = program.graph.ops[node].name if node >= 0 else "the program"
        message = f"`{op}` leaves {len(places)} other byte{'s' * (len(places) != 1)} {self.sides}"
        return Diagnostic("LS0701", "error", message, self.label(program, node), tuple(secondary), tuple(lines))

    def with_origin(self, item: Diagnostic, origin: Origin) -> Diagnostic:
        """A message with a mark at the operation that made the first wrong element."""
        graph = self.before.graph
        found = "nothing determined" if origin.found is None else f"{origin.found:#x}"
        what = f"element {origin.element} of `{graph.values[origin.value].name}`"
        text = f"{what} is wrong from here on: expected {origin.expected:#x}, found {found}"
        mark = self.label(self.before, origin.node, text)
        others = tuple(label for label in item.secondary if label.span != mark.span or label.source != mark.source)
        return item._replace(secondary=(mark, *others))

    def buffer_at(self, at: int) -> tuple[str, int, int]:
        """The name of the buffer at an address, where it begins, and the bytes of an element."""
        names = [self.before.graph.values[value].name for value in self.function.arguments]
        buffers = [(name, given) for name, given in zip(names, self.inputs.arguments, strict=True)
                   if isinstance(given, Buffer)]  # fmt: skip
        placed = list(zip(buffers, self.inputs.extents, strict=True))
        for (name, given), (start, stop) in placed:
            if start <= at < stop:
                return f"`{name}`", start, max(1, given.element_bits // 8)
        start, name = min(((abs(at - stop), name) for (name, _), (_, stop) in placed), default=(0, ""))
        return f"what lies behind `{name}`", at - start, 1

    def vector(self, mine: Passed, theirs: Passed, differs: Flags) -> Diagnostic:
        """That a vector leaves the program with other elements."""
        at = int(np.flatnonzero(differs)[0])
        name = self.before.graph.values[mine.value].name
        wanted = int(mine.elements.bits[at])
        found = f"{int(theirs.elements.bits[at]):#x}" if theirs.elements.defined[at] else "nothing defined"
        message = f"`{name}` has {int(differs.sum())} other elements {self.sides}"
        note = f"element {at}: expected {wanted:#x}, found {found}"
        return Diagnostic("LS0701", "error", message, self.label(self.before, mine.node), notes=(note,))
