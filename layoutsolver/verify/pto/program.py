"""A `pto` program that can be run: its graph, and what a run of one of its functions leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Function, Graph
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile, Span
from layoutsolver.verify.operation import CannotRunError, Operation
from layoutsolver.verify.pto.inputs import Inputs
from layoutsolver.verify.pto.layouts import Logical, arity, from_places, in_layout, to_places
from layoutsolver.verify.pto.machine import Machine
from layoutsolver.verify.pto.ram import Ram
from layoutsolver.verify.pto.sums import Shift, Sums
from layoutsolver.verify.pto.values import Get, Mask, PtoValue, Vector
from layoutsolver.verify.vmi.readings import READINGS, Masks, Reading
from layoutsolver.verify.vmi.unit import VmiUnit
from layoutsolver.verify.vpto.unit import VptoUnit
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.ub import HardwareFault

if TYPE_CHECKING:
    from layoutsolver.pose.vmi.borders import Border

Borders = Mapping[str, "Border"]
"""The layouts of the vectors that functions take and give, by the symbol of the function."""


class StoppedError(Exception):
    """A run that ended early, with the message that says why; `is_out_of_range` if an access led nowhere."""

    def __init__(self, diagnostic: Diagnostic, is_out_of_range: bool = False) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
        self.is_out_of_range = is_out_of_range


@dataclass(slots=True)
class BothUnits:
    """Runs logical and physical operations, each in its unit; a program may have both."""

    ram: Ram
    logical: VmiUnit
    physical: VptoUnit

    def run(self, op: Operation, get: Get) -> list[PtoValue]:
        """The results of an operation. Raises CannotRunError and HardwareFault."""
        unit: VmiUnit | VptoUnit = self.logical if op.node.name.startswith("pto.vmi.") else self.physical
        return unit.run(op, get)


@dataclass(frozen=True, slots=True)
class Run:
    """What a run left: its memory, what it returned, whether a sum of floats depends on its order, how masks were
    read, its machine.
    """

    ram: Ram
    returned: list[PtoValue]
    inexact: bool
    masks: Masks
    machine: Machine


@dataclass(frozen=True, slots=True)
class Options:
    """How a program is run: how sums are moved, whether filled-in zeros are poison, whether results are kept.

    `is_expected` says that it is the program that others are held against: what it leaves open may be anything.
    `reading` says how masks are read.
    """

    shift: Shift = "none"
    padding: bool = False
    is_expected: bool = False
    results: list[tuple[int, list[PtoValue]]] | None = None
    reading: Reading = READINGS[0]


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was read; `diagnostics` are what is wrong with its text.

    `borders` say in which layouts its vectors are taken and given by what it is lowered to; where nothing is said, in
    those of their types, and contiguous where these name none.
    """

    source: SourceFile
    graph: Graph
    diagnostics: list[Diagnostic] = field(default_factory=list)
    borders: Borders = field(default_factory=dict)

    @property
    def is_logical(self) -> bool:
        """Whether it has logical vectors."""
        return any(node.name.startswith("pto.vmi.") for node in self.graph.ops)

    def label(self, node: int, text: str = "") -> Label:
        """A place at an operation."""
        return Label(self.source, self.graph.ops[node].span if node >= 0 else Span(0, 0), text)

    def run(self, function: Function, inputs: Inputs, options: Options | None = None) -> Run:
        """Run a function. Raises StoppedError where that is not possible."""
        how = options or Options()
        ram = Ram(inputs.allocations)
        sums, masks = Sums(how.shift, how.is_expected), Masks(how.reading)
        unit = BothUnits(ram, VmiUnit(ram, sums, masks), VptoUnit(ram, how.padding, sums))
        kept = how.results
        watch = None if kept is None else lambda node, _, results: kept.append((node.index, results))
        machine = Machine(self.graph, unit, watch)
        try:
            with np.errstate(all="ignore"):
                returned = machine.run_function(function, self.arguments(function, inputs.arguments, inputs.border))
        except CannotRunError as error:
            raise StoppedError(
                Diagnostic("LS0703", "error", str(error), self.label(error.node), notes=error.notes)
            ) from None
        except HardwareFault as fault:
            name = self.graph.ops[machine.current].name if machine.current >= 0 else "the program"
            message = f"`{name}` faults: {fault}"
            found = Diagnostic("LS0702", "error", message, self.label(machine.current))
            raise StoppedError(found, fault.kind == "out of range") from None
        return Run(ram, returned, sums.inexact, masks, machine)

    def arguments(
        self, function: Function, given: Sequence[PtoValue], border: Sequence[Logical | None] = ()
    ) -> list[PtoValue]:
        """The arguments of the function here for those of the function that inputs were made for: a logical vector may
        be several registers here, as `border` says. Raises CannotRunError where they do not match.
        """
        types = [self.graph.values[value].type for value in function.arguments]
        out: list[PtoValue] = []
        for number, value in enumerate(given):
            at = len(out)
            wanted = types[at] if at < len(types) else None
            if isinstance(value, Vector | Mask) and not isinstance(wanted, VmiVectorType | VmiMaskType):
                out += to_places(value, (border[number] if number < len(border) else None) or _type_of(value))
            else:
                out.append(value)
        if len(out) != len(types):
            raise CannotRunError(
                function.op, f"`{function.symbol}` takes {len(types)} arguments; the other program gives {len(out)}"
            )
        return out

    def takes(self, function: Function) -> list[Logical | None]:
        """For each argument of the function, its type with its layout if it is logical."""
        known = self.borders.get(function.symbol)
        return self._logical(function.arguments, {} if known is None else known.arguments)

    def returns(self, function: Function) -> list[Logical | None]:
        """For each value that the function returns, its type with its layout if it is logical."""
        if not function.returns:
            return []
        known = self.borders.get(function.symbol)
        return self._logical(
            self.graph.ops[function.returns[0]].operands, {} if known is None else known.results
        )  # fmt: skip

    def _logical(self, values: Sequence[int], layouts: Mapping[int, str]) -> list[Logical | None]:
        out: list[Logical | None] = []
        for number, value in enumerate(values):
            type_ = self.graph.values[value].type
            if not isinstance(type_, VmiVectorType | VmiMaskType):
                out.append(None)
            else:
                out.append(in_layout(type_, layouts[number]) if number in layouts else type_)
        return out


def _type_of(value: Vector | Mask) -> Logical:
    """The type of a logical value, which names no layout."""
    if isinstance(value, Mask):
        return VmiMaskType("", value.count, "b32")
    return VmiVectorType("", value.count, value.element)


def gathered(held: Sequence[PtoValue], types: Sequence[Logical | None]) -> list[PtoValue]:
    """Returned registers as the logical values that another program returns.

    Raises ValueError where they do not match.
    """
    left = list(held)
    out: list[PtoValue] = []
    for type_ in types:
        if not left:
            raise ValueError("fewer values are returned")
        if type_ is None or isinstance(left[0], Vector | Mask):
            out.append(left.pop(0))
            continue
        count = arity(type_)
        registers = [one for one in left[:count] if isinstance(one, VReg | PReg)]
        out.append(from_places(registers, type_))
        left = left[count:]
    return out


def load_program(source: SourceFile, borders: Borders | None = None) -> Program:
    """Read a program; what is wrong with its text is in its diagnostics."""
    module = read(source)
    graph, found = build_graph(module)
    return Program(source, graph, [*module.diagnostics, *found], {} if borders is None else borders)
