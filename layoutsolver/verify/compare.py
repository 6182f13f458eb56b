"""Runs a program before and after layout on the same memory, and says where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Function
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span
from layoutsolver.verify.logical import Logical
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.machine import Machine, Passed, Unit, vectors_returned
from layoutsolver.verify.memory import Inputs, make_inputs
from layoutsolver.verify.operation import CannotRunError
from layoutsolver.verify.physical import Physical
from layoutsolver.verify.values import Elements
from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.ub import HardwareFault
from layoutsolver_models.problems.layout import LayoutSolution

SHOWN = 4
"""So many differing elements are shown."""


@dataclass(slots=True)
class Verification:
    """What came of comparing: messages, how many runs were compared, and how many bytes and vectors in them."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    runs: int = 0
    bytes_compared: int = 0
    vectors_compared: int = 0

    @property
    def ok(self) -> bool:
        """Whether everything ran and nothing differed."""
        return not any(item.severity == "error" for item in self.diagnostics)


@dataclass(frozen=True, slots=True)
class _Run:
    """What a run left behind; `births` says of each poisoned byte where it became so."""

    ram: LogicalMemory
    passed: list[Passed]


class _Stopped(Exception):
    """A run that ended early, with the message that says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def check_solution(
    posed: Posed, solution: LayoutSolution, rounds: int = 4, seed: int = 1, lenient: bool = False
) -> Verification:
    """Run every function of a program before and after its layouts `rounds` times, and compare what they leave.

    Memory is compared byte by byte, and so are vectors that leave the program. What is not defined before layout may be
    anything after it. With `lenient` an operation that has no form for its element type counts as some function of its
    lanes instead of being reported.
    """
    checker = _Checker(posed, solution, seed, lenient)
    with np.errstate(all="ignore"):
        for function in posed.graph.functions:
            if function.has_body:
                for number in range(rounds):
                    if not checker.check(function, number):
                        break
    return checker.result


class _Checker:
    def __init__(self, posed: Posed, solution: LayoutSolution, seed: int, lenient: bool) -> None:
        self.posed, self.graph = posed, posed.graph
        self.source = posed.graph.module.source
        self.seed, self.lenient = seed, lenient
        self.layouts = {value: solution.layouts[number] for value, number in posed.number.items()}
        self.dists = functiontypes(posed, solution)
        self.result = Verification()

    # -- running ----------------------------------------------------------------------------------------------

    def check(self, function: Function, number: int) -> bool:
        """Compare one run of a function; False if the next rounds can tell nothing new."""
        try:
            inputs, before = self.before(function, number)
            after = self.after(function, inputs)
        except _Stopped as stopped:
            self.result.diagnostics.append(stopped.diagnostic)
            return False
        self.result.runs += 1
        found = self.differences(function, inputs, before, after)
        if not found:
            return True
        if self.is_about_masks(function, inputs, before):
            note = "both agree if only elements of the vectors are set in masks: one is set behind or between them"
            found = [item._replace(notes=(*item.notes, note)) for item in found]
        self.result.diagnostics += found
        return False

    def before(self, function: Function, number: int) -> tuple[Inputs, _Run]:
        """Run before layout, on inputs that keep it in bounds if there are such."""
        run = None
        for far in (True, False):
            inputs = self.inputs(function, number, far)
            run = self.run(function, inputs, None)
            if not run.ram.faults:
                return inputs, run
        assert run is not None
        fault = run.ram.faults[0]
        node = self.graph.ops[fault.node]
        message = f"`{node.name}` accesses memory {fault.kind}: {fault.detail}"
        raise _Stopped(Diagnostic("LS0702", "error", message, Label(self.source, node.span)))

    def inputs(self, function: Function, number: int, far: bool) -> Inputs:
        """The inputs of a run."""
        try:
            return make_inputs(self.graph, function, self.seed, number, far)
        except CannotRunError as error:
            raise _Stopped(self.unknown(error)) from None

    def after(self, function: Function, inputs: Inputs, exact: bool = False) -> _Run:
        """Run after layout."""
        ram = LogicalMemory(inputs.memory, inputs.extents, self.lenient)
        is_950 = self.posed.chip == "ascend950"
        return self.run(function, inputs, Physical(ram, self.layouts, self.dists, is_950, self.lenient, exact))

    def run(self, function: Function, inputs: Inputs, physical: Physical | None) -> _Run:
        """Run a function: before layout if there is no physical unit."""
        unit: Unit = physical or Logical(LogicalMemory(inputs.memory, inputs.extents, self.lenient), self.lenient)
        machine = Machine(self.graph, unit, self.seed)
        try:
            arguments = [
                unit.enter(value, given) if isinstance(given, Elements) else given
                for value, given in zip(function.arguments, inputs.arguments, strict=True)
            ]
            returned = machine.run_function(function, arguments)
            passed = machine.passed + vectors_returned(machine, returned, function.op)
        except CannotRunError as error:
            raise _Stopped(self.unknown(error)) from None
        except HardwareFault as fault:
            raise _Stopped(self.fault(machine.current, fault, physical)) from None
        return _Run(unit.ram, passed)

    # -- messages ---------------------------------------------------------------------------------------------

    def label(self, node: int, text: str = "") -> Label:
        """A place at an operation."""
        return Label(self.source, self.graph.ops[node].span if node >= 0 else Span(0, 0), text)

    def unknown(self, error: CannotRunError) -> Diagnostic:
        """That an operation cannot be run."""
        return Diagnostic("LS0703", "error", str(error), self.label(error.node), notes=error.notes)

    def fault(self, node: int, fault: HardwareFault, physical: Physical | None) -> Diagnostic:
        """That an access is answered with an exception."""
        dist = "" if physical is None else physical.dists.get(node, "")
        name = self.graph.ops[node].name if node >= 0 else "the program"
        notes = (f"its functionType is `{dist}`",) if dist else ()
        if fault.kind == "misaligned":
            notes = (*notes, "an access that is not 32-byte aligned carries `ave.unaligned_ub_access`")
        return Diagnostic("LS0702", "error", f"`{name}` faults: {fault}", self.label(node), notes=notes)

    # -- comparing --------------------------------------------------------------------------------------------

    def is_about_masks(self, function: Function, inputs: Inputs, before: _Run) -> bool:
        """Whether nothing differs if no mask governs lanes behind its vector."""
        try:
            after = self.after(function, inputs, exact=True)
        except _Stopped:
            return False
        return not self.differences(function, inputs, before, after, count=False)

    def differences(
        self, function: Function, inputs: Inputs, before: _Run, after: _Run, count: bool = True
    ) -> list[Diagnostic]:
        """A message for each store whose bytes differ, and for each vector."""
        wrong = _wrong_bytes(inputs, before.ram, after.ram)
        found: list[Diagnostic] = []
        if count:
            self.result.bytes_compared += sum(stop - start for start, stop in inputs.extents)
            self.result.vectors_compared += len(before.passed)
        stores: dict[int, list[int]] = {}
        for at in np.flatnonzero(wrong).tolist():
            writer = int(before.ram.writers[at])
            stores.setdefault(writer if writer >= 0 else int(after.ram.writers[at]), []).append(at)
        for node, places in stores.items():
            found.append(self.store_differs(function, inputs, node, places, before.ram, after.ram))
        for mine, theirs in zip(before.passed, after.passed, strict=True):
            differs = mine.elements.defined & ((mine.elements.bits != theirs.elements.bits) | ~theirs.elements.defined)
            if differs.any():
                found.append(self.vector_differs(mine, theirs, differs))
        return found

    def store_differs(
        self, function: Function, inputs: Inputs, node: int, places: list[int], before: LogicalMemory,
        after: LogicalMemory,
    ) -> Diagnostic:  # fmt: skip
        """That a store leaves other bytes after layout than before."""
        first = places[0]
        name, start, width = self.buffer_at(function, inputs, first)
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
        at = next((place for place in places if births[place] >= 0 and lost[place]), None)
        secondary: tuple[Label, ...] = ()
        if at is not None and int(births[at]) != node:
            secondary = (self.label(int(births[at]), "what is stored there is not determined from here on"),)
        op = self.graph.ops[node].name if node >= 0 else "the program"
        message = f"`{op}` leaves {len(places)} other byte{'s' * (len(places) != 1)} after layout than before"
        return Diagnostic("LS0701", "error", message, self.label(node), secondary, tuple(lines))

    def buffer_at(self, function: Function, inputs: Inputs, at: int) -> tuple[str, int, int]:
        """The name of the buffer at an address, where it begins, and the bytes of an element."""
        from layoutsolver.verify.values import Buffer

        names = [self.graph.values[value].name for value in function.arguments]
        buffers = [(name, given) for name, given in zip(names, inputs.arguments, strict=True)
                   if isinstance(given, Buffer)]  # fmt: skip
        for (name, given), (start, stop) in zip(buffers, inputs.extents, strict=True):
            if start <= at < stop:
                return f"`{name}`", start, max(1, given.element_bits // 8)
        start, name = min(((abs(at - stop), name) for (name, _), (_, stop) in
                           zip(buffers, inputs.extents, strict=True)), default=(0, ""))  # fmt: skip
        return f"what lies behind `{name}`", at - start, 1

    def vector_differs(self, mine: Passed, theirs: Passed, differs: Flags) -> Diagnostic:
        """That a vector leaves the program with other elements."""
        at = int(np.flatnonzero(differs)[0])
        name = self.graph.values[mine.value].name
        wanted = int(mine.elements.bits[at])
        found = f"{int(theirs.elements.bits[at]):#x}" if theirs.elements.defined[at] else "nothing defined"
        message = f"`{name}` has {int(differs.sum())} other elements after layout than before"
        note = f"element {at}: expected {wanted:#x}, found {found}"
        return Diagnostic("LS0701", "error", message, self.label(mine.node), notes=(note,))


def _wrong_bytes(inputs: Inputs, before: LogicalMemory, after: LogicalMemory) -> Flags:
    """Which bytes differ: those that are defined before and other or poison after, and changed ones between buffers."""
    expected, unknown = before.memory.data(), before.memory.poison()
    got, poison = after.memory.data(), after.memory.poison()
    wrong: Flags = ~unknown & ((expected != got) | poison)
    initial, empty = inputs.memory.data(), inputs.memory.poison()
    between = np.ones(expected.size, np.bool_)
    for start, stop in inputs.extents:
        between[start:stop] = False
    wrong |= between & ~before.loose & ((got != initial) | (poison != empty))
    return wrong


def functiontypes(posed: Posed, solution: LayoutSolution) -> dict[int, str]:
    """The functionType of each operation that has one, by graph index."""
    return dict(_functiontypes(posed, solution))


def _functiontypes(posed: Posed, solution: LayoutSolution) -> Iterator[tuple[int, str]]:
    for number, row in enumerate(solution.rows):
        attrs = posed.problem.tables[posed.problem.relations[number].table].rows[row].attrs
        if "functionType" in attrs:
            yield posed.op_of_relation[number], attrs["functionType"]
