"""Runs two forms of a program on the same memory, and says where they differ."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

import numpy as np

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.build import same_type
from layoutsolver.graph.model import Function
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span
from layoutsolver.verify.differences import Differences, wrong_bytes
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.lowered_origin import lowered_origin
from layoutsolver.verify.machine import Machine, Passed, vectors_returned
from layoutsolver.verify.memory import Inputs, make_inputs
from layoutsolver.verify.operation import CannotRunError, NoLayoutError
from layoutsolver.verify.origin import origin_of
from layoutsolver.verify.program import Program, plain_program, solved_program
from layoutsolver.verify.result import Verification
from layoutsolver.verify.values import Elements
from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.ub import HardwareFault
from layoutsolver_models.problems.layout import LayoutSolution

Progress = Callable[[int, int], None]
"""What is told how many of how many runs are done."""


@dataclass(frozen=True, slots=True)
class _Run:
    """What a run left behind: the memory, and the vectors that left the program."""

    ram: LogicalMemory
    passed: list[Passed]


class _Stopped(Exception):
    """A run that ended early, with the message that says why, and where it is a fault the operation that made it."""

    def __init__(self, diagnostic: Diagnostic, fault: int | None = None) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
        self.fault = fault


def check_solution(
    posed: Posed, solution: LayoutSolution, rounds: int = 4, seed: int = 1, lenient: bool = False
) -> Verification:
    """Run every function of a program before and after its layouts `rounds` times, and compare what they leave."""
    return compare_programs(plain_program(posed.graph), solved_program(posed, solution), rounds, seed, lenient)


def compare_programs(
    before: Program,
    after: Program,
    rounds: int = 4,
    seed: int = 1,
    lenient: bool = False,
    progress: Progress | None = None,
    every_round: bool = False,
) -> Verification:
    """Run every function of two programs `rounds` times on the same memory, and compare what they leave.

    Memory is compared byte by byte, and so are vectors that leave the program. What is not defined before may be
    anything after. With `lenient` an operation that has no form for its element type counts as some function of its
    lanes instead of being reported. `progress` is told how many of how many runs are done. The rounds of a function end
    with the first that differs unless `every_round` is asked for.
    """
    checker = _Checker(before, after, seed, lenient)
    with np.errstate(all="ignore"):
        pairs = checker.functions()
        if not pairs and checker.result.ok:
            checker.report_nothing()
        for place, (function, other) in enumerate(pairs):
            for number in range(rounds):
                if progress is not None:
                    progress(place * rounds + number, len(pairs) * rounds)
                if not checker.check(function, other, number) and not every_round:
                    break
    return checker.result


class _Checker:
    def __init__(self, before: Program, after: Program, seed: int, lenient: bool) -> None:
        self.before, self.after = before, after
        self.seed, self.lenient = seed, lenient
        self.result = Verification()
        self.explain = False
        self.machines: dict[tuple[int, bool, bool], Machine] = {}

    def functions(self) -> list[tuple[Function, Function]]:
        """The functions that both programs have; those that one of them lacks are reported."""
        mine = [function for function in self.before.graph.functions if function.has_body]
        if self.before.graph is self.after.graph:
            return [(function, function) for function in mine]
        theirs = {function.symbol: function for function in self.after.graph.functions if function.has_body}
        pairs = []
        for function in mine:
            other = theirs.pop(function.symbol, None)
            if other is None:
                self.report_function(self.before, function, f"`{self.after.name}` has no such function")
            elif (reason := self.mismatch(function, other)) is not None:
                self.report_function(self.after, other, reason)
            else:
                pairs.append((function, other))
        for other in theirs.values():
            self.report_function(self.after, other, f"`{self.before.name}` has no such function")
        return pairs

    def mismatch(self, function: Function, other: Function) -> str | None:
        """How the arguments of two functions differ, None if they do not."""
        mine = [self.before.graph.values[value].type for value in function.arguments]
        theirs = [self.after.graph.values[value].type for value in other.arguments]
        if len(mine) != len(theirs):
            return f"it takes {len(theirs)} arguments here, {len(mine)} in `{self.before.name}`"
        for number, (left, right) in enumerate(zip(mine, theirs, strict=True)):
            if not same_type(left, right):
                return f"its argument {number} is `{right.text}` here, `{left.text}` in `{self.before.name}`"
        return None

    def report_nothing(self) -> None:
        """Say that there is nothing to run, so that nothing is shown."""
        source = self.before.graph.module.source
        message = f"`{source.name}` has no function that could be run"
        self.result.diagnostics.append(Diagnostic("LS0704", "error", message, Label(source, Span(0, 0))))

    def report_function(self, program: Program, function: Function, reason: str) -> None:
        """Say that a function cannot be compared."""
        node = program.graph.ops[function.op]
        message = f"`{function.symbol}` cannot be compared: {reason}"
        label = Label(program.graph.module.source, node.span)
        self.result.diagnostics.append(Diagnostic("LS0704", "error", message, label))

    # -- running ----------------------------------------------------------------------------------------------

    def check(self, function: Function, other: Function, number: int) -> bool:
        """Compare one run of a function; False if the next rounds can tell nothing new."""
        try:
            inputs, before = self.run_before(function, number)
            after = self.run(self.after, other, inputs)
        except _Stopped as stopped:
            self.result.diagnostics.append(stopped.diagnostic)
            if stopped.fault is not None:
                self.result.writers.add((-1, stopped.fault))
            return False
        self.result.runs += 1
        self.result.bytes_compared += sum(stop - start for start, stop in inputs.extents)
        self.result.vectors_compared += len(before.passed)
        if not self.differences(function, inputs, before, after):
            return True
        self.result.writers |= Differences(self.before, self.after, function, inputs).writers(before.ram, after.ram)
        wrong = np.flatnonzero(wrong_bytes(inputs, before.ram, after.ram)).tolist()
        vectors = [~at for at, (mine, theirs) in enumerate(_pairs(before, after)) if _differing(mine, theirs).any()]
        self.result.places |= {(function.symbol, number, place) for place in (*wrong, *vectors)}
        self.result.writers |= {(mine.node, theirs.node) for mine, theirs in _other_vectors(before, after)}
        if len(before.passed) != len(after.passed):
            self.result.writers.add((function.op, other.op))
        self.explain = True
        found = self.differences(function, inputs, before, self.run(self.after, other, inputs, traced=True))
        self.explain = False
        if self.is_about_masks(function, other, inputs, before):
            note = "both agree if only elements of the vectors are set in masks: one is set behind or between them"
            found = [item._replace(notes=(*item.notes, note)) for item in found]
        self.result.diagnostics += found
        return False

    def run_before(self, function: Function, number: int) -> tuple[Inputs, _Run]:
        """Run what is expected, on inputs that keep it in bounds if there are such."""
        run = None
        for far in (True, False):
            inputs = self.inputs(function, number, far)
            run = self.run(self.before, function, inputs)
            if not run.ram.faults:
                return inputs, run
        assert run is not None
        fault = run.ram.faults[0]
        node = self.before.graph.ops[fault.node]
        message = f"`{node.name}` accesses memory {fault.kind}: {fault.detail}"
        label = Label(self.before.graph.module.source, node.span)
        raise _Stopped(Diagnostic("LS0702", "error", message, label))

    def inputs(self, function: Function, number: int, far: bool) -> Inputs:
        """The inputs of a run."""
        try:
            return make_inputs(self.before.graph, function, self.seed, number, far)
        except CannotRunError as error:
            raise _Stopped(_cannot_run(self.before, error)) from None

    def run(
        self, program: Program, function: Function, inputs: Inputs, exact_masks: bool = False, traced: bool = False
    ) -> _Run:
        """Run a function of a program."""
        machine = self.machine(program, inputs, exact_masks, traced)
        unit = machine.unit
        try:
            arguments = [
                unit.enter(value, given) if isinstance(given, Elements) else given
                for value, given in zip(function.arguments, inputs.arguments, strict=True)
            ]
            returned = machine.run_function(function, arguments)
            passed = machine.passed + vectors_returned(machine, returned, function.op)
        except CannotRunError as error:
            raise _Stopped(_cannot_run(program, error)) from None
        except HardwareFault as fault:
            raise _Stopped(_fault(program, machine.current, fault), machine.current) from None
        return _Run(copy(unit.ram), passed)

    def machine(self, program: Program, inputs: Inputs, exact_masks: bool, traced: bool) -> Machine:
        """What runs a program on these inputs; runs of one program share it, so that operations are decoded once."""
        key = (id(program), exact_masks, traced)
        known = self.machines.get(key)
        if known is not None:
            known.unit.ram.begin(inputs.memory, inputs.extents)
            known.begin()
            return known
        ram = LogicalMemory(inputs.memory, inputs.extents, self.lenient)
        unit = program.unit(ram, self.lenient, exact_masks, traced)
        made = self.machines[key] = Machine(program.graph, unit, self.seed, operations=program.operations)
        return made

    # -- comparing --------------------------------------------------------------------------------------------

    def is_about_masks(self, function: Function, other: Function, inputs: Inputs, before: _Run) -> bool:
        """Whether nothing differs if no mask governs lanes behind its vector."""
        if self.after.level != "layouts":
            return False
        try:
            after = self.run(self.after, other, inputs, exact_masks=True)
        except _Stopped:
            return False
        return not self.differences(function, inputs, before, after)

    def differences(self, function: Function, inputs: Inputs, before: _Run, after: _Run) -> list[Diagnostic]:
        """A message for each store whose bytes differ, and for each vector."""
        writer = Differences(self.before, self.after, function, inputs)
        found = [self.explained(writer, stores, item) for stores, item in writer.of_memory(before.ram, after.ram)]
        if len(before.passed) != len(after.passed):
            counts = f"{len(after.passed)} vectors pass to other functions, {len(before.passed)} are expected"
            return [Diagnostic("LS0701", "error", counts, writer.label(self.after, function.op))]
        found += [
            writer.vector(mine, theirs, _differing(mine, theirs)) for mine, theirs in _other_vectors(before, after)
        ]
        return found

    def explained(self, writer: Differences, stores: tuple[int, int], item: Diagnostic) -> Diagnostic:
        """A message with the operation that made the first wrong element, where that can be told."""
        if not self.explain:
            return item
        if self.before.graph is self.after.graph:
            find, store = origin_of, stores[1]
        else:
            find, store = lowered_origin, stores[0]
        origin = find(self.before, self.after, writer.function, writer.inputs, store, self.seed, self.lenient)
        return item if origin is None else writer.with_origin(item, origin)


def _differing(mine: Passed, theirs: Passed) -> Flags:
    """Which elements of a vector differ: those that are defined before and other or undefined after."""
    wrong: Flags = mine.elements.defined & ((mine.elements.bits != theirs.elements.bits) | ~theirs.elements.defined)
    return wrong


def _other_vectors(before: _Run, after: _Run) -> list[tuple[Passed, Passed]]:
    """The vectors that leave two runs with other elements."""
    return [(mine, theirs) for mine, theirs in _pairs(before, after) if _differing(mine, theirs).any()]


def _pairs(before: _Run, after: _Run) -> list[tuple[Passed, Passed]]:
    return list(zip(before.passed, after.passed, strict=False))


def _cannot_run(program: Program, error: CannotRunError) -> Diagnostic:
    """That an operation cannot be run."""
    source = program.graph.module.source
    if isinstance(error, NoLayoutError):
        value = program.graph.values[error.value]
        message = f"the layout of `{value.name}` does not follow from what the file states"
        note = "it passes between the program and the outside: a vector type with `#ave.vector_layout` says how it lies"
        return Diagnostic("LS0705", "error", message, Label(source, value.span), notes=(note,))
    node = program.graph.ops[error.node]
    return Diagnostic("LS0703", "error", str(error), Label(source, node.span), notes=error.notes)


def _fault(program: Program, node: int, fault: HardwareFault) -> Diagnostic:
    """That an access is answered with an exception."""
    dist = program.dist(node)
    name = program.graph.ops[node].name if node >= 0 else "the program"
    notes = (f"its functionType is `{dist}`",) if dist else ()
    if fault.kind == "misaligned" and program.level == "layouts":
        notes = (*notes, "an access that is not 32-byte aligned carries `ave.unaligned_ub_access`")
    label = Label(program.graph.module.source, program.graph.ops[max(node, 0)].span)
    return Diagnostic("LS0702", "error", f"`{name}` faults: {fault}", label, notes=notes)
