"""Runs two forms of a `pto` program on the same memory and says where they differ.

The first says what is expected: logical VMI, or VPTO. Every byte that it determines must be the same in the second:
what is behind pointers, and the unified buffer unless results are copied out of it. What a function returns is
compared as well. Sums of floats that may be made in any order are compared as `layoutsolver.verify.pto.sums` says.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Function
from layoutsolver.mlir.pto_types import RegisterType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.ops.attributes import attributes
from layoutsolver.source import SourceFile
from layoutsolver.verify.operation import CannotRunError
from layoutsolver.verify.pto.elements import Stored, is_within, stored_by, wrong_bytes
from layoutsolver.verify.pto.explain import first_foreign, lost_elements, reads_only_padding
from layoutsolver.verify.pto.inputs import Inputs, make_inputs
from layoutsolver.verify.pto.program import Options, Program, Run, StoppedError, gathered, load_program
from layoutsolver.verify.pto.sums import SHIFTS
from layoutsolver.verify.pto.unknown import is_unknown_cast
from layoutsolver.verify.pto.values import Mask, PtoValue, Vector
from layoutsolver.verify.result import Verification
from layoutsolver.verify.values import Scalar
from layoutsolver.verify.vmi.readings import READINGS, Masks, Reading
from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.state import Bytes, PReg, VReg
from layoutsolver_models.hardware.streams import Align

SHOWN = 4
"""So many differing elements are shown."""

_BYTE = ScalarType("ui8", 8)


def verify_pto(
    expected: SourceFile, found: SourceFile, rounds: int = 4, seed: int = 1, sizes: dict[str, int] | None = None
) -> Verification:
    """Compare two texts; `sizes` says how many bytes are behind the pointer arguments of these names."""
    return verify_programs(load_program(expected), load_program(found), rounds, seed, sizes)


def verify_programs(
    expected: Program, found: Program, rounds: int = 4, seed: int = 1, sizes: dict[str, int] | None = None
) -> Verification:
    """Compare two programs, function by function, `rounds` times each on other memory.

    A private function that is only in the first was inlined, and is compared where it is called.
    """
    result = Verification([*expected.diagnostics, *found.diagnostics])
    if not result.ok:
        return result
    others = found.graph.function_by_symbol()
    compared = 0
    for function in expected.graph.functions:
        other = others.get(function.symbol)
        if not function.has_body or (function.is_private and other is None):
            continue
        if other is None or not other.has_body:
            message = f"`{function.symbol}` is not in `{found.source.name}`"
            result.diagnostics.append(Diagnostic("LS0704", "error", message, expected.label(function.op)))
            continue
        if function.is_private and not _same_border(expected, function, found, other):
            continue
        compared += 1
        checker = _Checker(expected, found, function, other, seed, sizes, result)
        for number in range(rounds):
            if not checker.check(number):
                break
    result.diagnostics += _taken_as_functions(expected)
    if not compared and result.ok:
        message = f"`{expected.source.name}` has no function that could be run"
        result.diagnostics.append(Diagnostic("LS0704", "error", message, expected.label(-1)))
    return result


def _taken_as_functions(program: Program) -> list[Diagnostic]:
    """A warning for each operation whose meaning is not known, and which two programs are taken to share."""
    return [
        Diagnostic(
            "LS0708", "warning", f"what `{node.name}` makes of its operand is not known: it is taken for some function "
            "of it, the same in both programs", program.label(node.index),
        )
        for node in program.graph.ops
        if is_unknown_cast(program.graph, node)
    ]  # fmt: skip


def _same_border(expected: Program, function: Function, found: Program, other: Function) -> bool:
    """Whether a private function takes the same scalars and pointers in both; a compiler may change its vectors."""
    texts = [
        [program.graph.values[value].type.text for value in one.arguments]
        for program, one in ((expected, function), (found, other))
    ]
    return texts[0] == texts[1] and not any(text.startswith("!pto.v") for text in texts[0])


@dataclass(slots=True)
class _Checker:
    expected: Program
    found: Program
    function: Function
    other: Function
    seed: int
    sizes: dict[str, int] | None
    result: Verification
    moved: list[Run] = field(default_factory=list)

    def check(self, number: int) -> bool:
        """Compare one run, in all readings that matter; False if the next ones can tell nothing new."""
        try:
            inputs, mine = self.before(number)
            theirs = self.found.run(self.other, inputs)
            if not self.compare(inputs, mine, theirs, READINGS[0]):
                return False
            if not self.found.is_logical:
                return True
            stores = mine.masks.open_stores or theirs.masks.open_stores
            lanes = mine.masks.open_lanes or theirs.masks.open_lanes
            for reading in Masks(READINGS[0], stores, lanes).others():
                mine = self.expected.run(self.function, inputs, Options(is_expected=True, reading=reading))
                theirs = self.found.run(self.other, inputs, Options(reading=reading))
                if not self.compare(inputs, mine, theirs, reading):
                    return False
        except StoppedError as stopped:
            self.result.diagnostics.append(stopped.diagnostic)
            return False
        return True

    def compare(self, inputs: Inputs, mine: Run, theirs: Run, reading: Reading) -> bool:
        """Compare what two runs left, in which masks were read alike; whether it is the same."""
        self.moved = []
        if mine.inexact:
            self.moved = [
                self.expected.run(self.function, inputs, Options(shift, is_expected=True, reading=reading))
                for shift in SHIFTS
            ]
        self.result.runs += 1
        differences = [*self.memory(inputs, mine, theirs), *self.returned(mine, theirs)]
        if reading != READINGS[0]:
            differences = [one._replace(notes=(*one.notes, reading.text)) for one in differences]
        self.result.diagnostics += differences
        return not differences

    def before(self, number: int) -> tuple[Inputs, Run]:
        """Run the first program, on inputs that keep it in bounds if there are such. Raises StoppedError."""
        stopped: StoppedError | None = None
        for tame, roomy in ((False, False), (True, False), (True, True)):
            try:
                made = make_inputs(self.expected.graph, self.function, self.seed, number, tame, self.sizes, roomy)
                inputs = replace(made, border=tuple(self.expected.takes(self.function)))
                return inputs, self.expected.run(self.function, inputs, Options(is_expected=True))
            except CannotRunError as error:
                node = error.node if error.node >= 0 else self.function.op
                found = Diagnostic("LS0703", "error", str(error), self.expected.label(node), notes=error.notes)
                raise StoppedError(found) from None
            except StoppedError as error:
                stopped = error
                if not error.is_out_of_range:
                    break
        assert stopped is not None
        raise stopped

    # -- memory -----------------------------------------------------------------------------------------------

    def memory(self, inputs: Inputs, mine: Run, theirs: Run) -> list[Diagnostic]:
        """A message for each store that leaves other bytes."""
        stores: dict[tuple[int, int, int], list[int]] = {}
        for at, allocation in enumerate(inputs.allocations):
            if not inputs.compared[at]:
                continue
            self.result.bytes_compared += allocation.memory.size
            wrong = wrong_bytes(mine, theirs, at)
            if wrong.any() and self.moved:
                wrong = self.without_reordered(at, wrong, mine, theirs)
            for place in np.flatnonzero(wrong).tolist():
                writers = int(theirs.ram.writers[at][place]), int(mine.ram.writers[at][place])
                stores.setdefault((at, *writers), []).append(place)
        if not stores:
            return []
        notes = tuple(lost_elements(self.expected, self.found, (self.function, self.other), inputs))
        blamed = self.blamed(inputs)
        return [self.store_differs(inputs, key, places, mine, theirs, notes, blamed) for key, places in stores.items()]

    def blamed(self, inputs: Inputs) -> Label | None:
        """The operation to blame, where that can be told: it reads nothing but padding, or makes a foreign number."""
        padding = reads_only_padding(self.found, self.other, inputs)
        if padding is not None:
            return self.found.label(padding, self.padding_text(padding))
        foreign = first_foreign(self.expected, self.found, (self.function, self.other), inputs)
        return None if foreign is None else self.found.label(*foreign)

    def without_reordered(self, at: int, wrong: Flags, mine: Run, theirs: Run) -> Flags:
        """The wrong bytes but those of elements that another order of summation explains."""
        left = np.zeros(wrong.size, np.bool_)
        data, given, lost = (mine.ram.memories[at].data(), theirs.ram.memories[at].data(),
                             theirs.ram.memories[at].poison())  # fmt: skip
        moved = [run.ram.memories[at].data() for run in self.moved]
        seen: set[int] = set()
        for place in np.flatnonzero(wrong).tolist():
            stored = self.stored(mine, at, place)
            start = place - place % stored.width
            if start in seen:
                continue
            seen.add(start)
            cut = slice(start, start + stored.width)
            if lost[cut].any() or not is_within(stored, data[cut], given[cut], [one[cut] for one in moved]):
                left[cut] = wrong[cut]
        return left

    def stored(self, mine: Run, at: int, place: int) -> Stored:
        """The type of what stands at a byte, as the first program stores it."""
        return stored_by(self.expected, int(mine.ram.writers[at][place]), _BYTE)

    def store_differs(
        self, inputs: Inputs, key: tuple[int, int, int], places: list[int], mine: Run, theirs: Run,
        notes: tuple[str, ...], blamed: Label | None,
    ) -> Diagnostic:  # fmt: skip
        """That a store leaves other bytes, with the first of them, what is lost, and where that comes from."""
        at, writer, wanted_writer = key
        stored = self.stored(mine, at, places[0])
        if wanted_writer < 0:
            stored = stored_by(self.found, writer, _BYTE)
        width, name = stored.width, inputs.allocations[at].name
        first = inputs.allocations[at].start // width
        expected, unknown = mine.ram.memories[at].data(), mine.ram.memories[at].poison()
        got, lost = theirs.ram.memories[at].data(), theirs.ram.memories[at].poison()
        births = theirs.ram.memories[at].birth()
        elements = sorted({place // width for place in places})
        lines = []
        for element in elements[:SHOWN]:
            cut = range(element * width, (element + 1) * width)
            wanted = " ".join("??" if unknown[k] else f"{expected[k]:02x}" for k in cut)
            given = " ".join("??" if lost[k] else f"{got[k]:02x}" for k in cut)
            lines.append(f"{stored.noun} {element - first} of `{name}`: expected {wanted}, found {given}")
        both = (mine.ram.writers[at] == wanted_writer) & (theirs.ram.writers[at] == writer)
        written = int(both.sum()) // width
        total = f" of the {written} that it stores" if written >= len(elements) else ""
        lines.append(f"{len(elements)}{total} differ")
        if not lost[places].any() and (order := _other_order(expected, got, elements, width)) is not None:
            lines.append(
                f"the same {stored.noun}s are there in another order: {order[0] - first} is found at {order[1] - first}"
            )
        secondary: list[Label] = []
        if wanted_writer >= 0:
            secondary.append(self.expected.label(wanted_writer, "stored here in the program that is expected"))
        born = next((int(births[k]) for k in places if lost[k] and births[k] >= 0), -1)
        if 0 <= born < len(self.found.graph.ops) and born != writer:
            secondary.append(self.found.label(born, "what is stored there is not determined from here on"))
        if blamed is not None:
            secondary.append(blamed)
        op = self.found.graph.ops[writer].name if writer >= 0 else f"`{self.other.symbol}`"
        quoted = f"`{op}`" if writer >= 0 else op
        message = (
            f"{quoted} leaves {len(places)} other byte{'s' * (len(places) != 1)} than `{self.expected.source.name}`"
        )
        where = self.found.label(writer if writer >= 0 else self.other.op)
        return Diagnostic("LS0707", "error", message, where, tuple(secondary), (*lines, *notes))

    def padding_text(self, node: int) -> str:
        """What an operation does that reads nothing but padding."""
        part = attributes(self.found.graph.ops[node]).get("part", "").strip('"')
        return f"part {part} reads only lanes that a load has filled in" if part else "reads only filled-in lanes"

    # -- returned values --------------------------------------------------------------------------------------

    def returned(self, mine: Run, theirs: Run) -> list[Diagnostic]:
        """A message for each returned value that differs."""
        try:
            others = gathered(theirs.returned, self.expected.returns(self.function))
        except ValueError as error:
            message = f"`{self.other.symbol}` returns other values than in `{self.expected.source.name}`: {error}"
            return [Diagnostic("LS0704", "error", message, self.found.label(self.other.op))]
        found: list[Diagnostic] = []
        elements = self.returned_elements()
        for number, (wanted, given) in enumerate(zip(mine.returned, others, strict=False)):
            self.result.vectors_compared += isinstance(wanted, Vector | VReg | Mask | PReg)
            moved = [run.returned[number] for run in self.moved]
            element = elements[number] if number < len(elements) else None
            held = [_as_elements(one, element) for one in (wanted, given, *moved)]
            note = _value_differs(held[0], held[1], held[2:])
            if note:
                message = (
                    f"value {number} that `{self.other.symbol}` returns is not that of `{self.expected.source.name}`"
                )
                found.append(Diagnostic("LS0707", "error", message, self.found.label(self.other.op), notes=(note,)))
        return found

    def returned_elements(self) -> list[ScalarType | None]:
        """For each value that the function returns, the type of its elements if it is a register of floats."""
        if not self.function.returns:
            return []
        graph = self.expected.graph
        types = [graph.values[value].type for value in graph.ops[self.function.returns[0]].operands]
        return [
            one.element if isinstance(one, RegisterType) and isinstance(one.element, ScalarType)
            and one.element.is_float else None
            for one in types
        ]  # fmt: skip


def _as_elements(value: PtoValue, element: ScalarType | None) -> PtoValue:
    """A register as the elements that it holds."""
    return Vector(element, value.data, value.poison) if isinstance(value, VReg) and element is not None else value


def _other_order(expected: Bytes, found: Bytes, elements: list[int], width: int) -> tuple[int, int] | None:
    """If elements are those that are expected in another order: the first of them, and where it is found."""
    rows = [[data[k * width : (k + 1) * width].tobytes() for k in elements] for data in (expected, found)]
    if len(elements) < 2 or sorted(rows[0]) != sorted(rows[1]):
        return None
    return elements[0], elements[rows[1].index(rows[0][0])]


def _value_differs(wanted: PtoValue, given: PtoValue, moved: list[PtoValue]) -> str:
    """How two values differ, nothing if they do not."""
    if isinstance(wanted, Scalar) and isinstance(given, Scalar):
        same = not wanted.defined or (given.defined and wanted.bits == given.bits)
        return "" if same else f"expected {wanted.bits:#x}, found {given.bits:#x}"
    if isinstance(wanted, Mask) and isinstance(given, Mask):
        wrong = ~wanted.poison & ((wanted.bits != given.bits) | given.poison)
        return (
            f"{int(wrong.sum())} of {wanted.count} bits differ, the first is {np.argmax(wrong)}" if wrong.any() else ""
        )
    if isinstance(wanted, PReg) and isinstance(given, PReg):
        wrong = ~wanted.poison & ((wanted.bits != given.bits) | given.poison)
        return f"{int(wrong.sum())} bits differ, the first is {np.argmax(wrong)}" if wrong.any() else ""
    if isinstance(wanted, VReg) and isinstance(given, VReg):
        wrong = ~wanted.poison & ((wanted.data != given.data) | given.poison)
        return f"{int(wrong.sum())} bytes differ, the first is {np.argmax(wrong)}" if wrong.any() else ""
    if isinstance(wanted, Vector) and isinstance(given, Vector):
        return _vector_differs(wanted, given, [one for one in moved if isinstance(one, Vector)])
    if wanted is None or isinstance(wanted, Align) or type(wanted) is type(given):
        return ""
    return "it is another kind of value"


def _vector_differs(wanted: Vector, given: Vector, moved: list[Vector]) -> str:
    if wanted.data.size != given.data.size:
        return f"expected {wanted.data.size} bytes, found {given.data.size}"
    width, stored = wanted.width, Stored(wanted.element)
    bytes_wrong = ~wanted.poison & ((wanted.data != given.data) | given.poison)
    elements = np.flatnonzero(bytes_wrong.reshape(-1, width).any(axis=1)).tolist()
    cuts = {element: slice(element * width, (element + 1) * width) for element in elements}
    left = [
        element for element, cut in cuts.items()
        if given.poison[cut].any() or not moved
        or not is_within(stored, wanted.data[cut], given.data[cut], [one.data[cut] for one in moved])
    ]  # fmt: skip
    if not left:
        return ""
    cut = cuts[left[0]]
    found = "??" if given.poison[cut].any() else given.data[cut].tobytes().hex(" ")
    return (
        f"{len(left)} of {wanted.count} {stored.noun}s differ; {stored.noun} {left[0]}: "
        f"expected {wanted.data[cut].tobytes().hex(' ')}, found {found}"
    )
