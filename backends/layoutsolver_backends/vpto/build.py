"""What all emissions are written with: instructions with the masks, offsets and constants that they need."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from layoutsolver.vmi.program import Constant, Operand, Outside, StepScalar, VmiProgram, VmiValue
from layoutsolver_backends.vpto.code import (
    Code,
    Instruction,
    Ssa,
    element_bits,
    element_of,
    mask_bits,
    mask_type,
    register_type,
)
from layoutsolver_models.rules.vmi.layouts import register_lanes

PREFIXES = (1, 2, 3, 4, 8, 16, 32, 64, 128)
"""The numbers of leading lanes for which there is a pattern."""


class UnsupportedError(Exception):
    """An operation that has no emission in the variant that was chosen, with the reason."""


@dataclass(slots=True)
class Builder:
    """Puts instructions at a place, for an owner; scalars of the text by their names.

    `renamed` are names of the text's values that change because control flow gets more results; `scalars` are what
    canonical operations made, by operation and name.
    """

    program: VmiProgram
    code: Code = field(default_factory=Code)
    place: int = 0
    owner: str = ""
    hint: str = "%t"
    renamed: dict[int, str] = field(default_factory=dict)
    scalars: dict[tuple[int, str], Ssa] = field(default_factory=dict)
    outside: dict[int, Ssa] = field(default_factory=dict)
    count: int = 0

    # -- values -----------------------------------------------------------------------------------------------

    def value(self, type_: str, hint: str = "", name: str = "") -> Ssa:
        """A new value."""
        self.count += 1
        return Ssa(self.count, type_, hint or self.hint, name)

    def of_text(self, value: int) -> Ssa:
        """A value of the text that is no vector."""
        known = self.outside.get(value)
        if known is None:
            graph = self.program.graph.values[value]
            name = self.renamed.get(value, graph.name)
            known = self.outside[value] = self.value(graph.type.text, name=name)
        return known

    def emit(
        self,
        name: str,
        operands: tuple[Ssa, ...],
        types: tuple[str, ...] = (),
        words: tuple[str, ...] = (),
        counted: bool = True,
        hint: str = "",
        occupies: int = 1,
        **attrs: str,
    ) -> tuple[Ssa, ...]:
        """Put an instruction, and give its results."""
        results = tuple(self.value(type_, hint) for type_ in types)
        listed = tuple((key, f'"{text}"') for key, text in attrs.items() if text)
        full = name if name.startswith("arith.") else f"pto.{name}"
        made = Instruction(full, operands, results, words, listed, self.owner, counted, occupies)
        self.code.at(self.place).append(made)
        return results

    def one(
        self,
        name: str,
        operands: tuple[Ssa, ...],
        type_: str,
        words: tuple[str, ...] = (),
        counted: bool = True,
        hint: str = "",
        occupies: int = 1,
        **attrs: str,
    ) -> Ssa:
        """Put an instruction with one result, and give that."""
        return self.emit(name, operands, (type_,), words, counted, hint, occupies, **attrs)[0]

    def tied(self, name: str, operands: tuple[Ssa, ...], type_: str) -> Ssa:
        """Put an instruction from which a special register carries something to the next, and give its result."""
        made = self.one(name, operands, type_)
        some = self.code.at(self.place)
        some[-1] = replace(some[-1], tied=True)
        return made

    # -- scalars ----------------------------------------------------------------------------------------------

    def constant(self, number: int | str, type_: str = "index") -> Ssa:
        """A constant."""
        word = str(number)
        shown = word.replace("-", "m").replace(".", "p").replace("+", "")
        hint = f"%c{shown}" if shown.isalnum() else "%c"
        return self.one("arith.constant", (), type_, (word,), False, hint)

    def scalar(self, operand: Operand, type_: str = "index") -> Ssa:
        """A scalar operand as a value; a number gets the type that is asked for."""
        if isinstance(operand, Constant):
            return self.constant(operand.value, type_)
        if isinstance(operand, StepScalar):
            return self.scalars[operand.op, operand.result]
        if isinstance(operand, Outside):
            return self.of_text(operand.value)
        raise UnsupportedError("a vector stands where a scalar is needed")

    def number(self, operand: Operand) -> int | None:
        """The number that a scalar operand is, None if that is not known."""
        if isinstance(operand, Constant):
            return operand.value
        if isinstance(operand, Outside):
            return self.program.graph.constants.get(operand.value)
        return None

    def named(self, made: Ssa, name: str) -> Ssa:
        """The result of the last instruction under a name of the text."""
        named = replace(made, name=name)
        last = self.code.at(self.place)[-1]
        self.code.at(self.place)[-1] = replace(last, results=(named,))
        return named

    def plus(self, operand: Operand, more: int) -> Ssa:
        """An index with a number added."""
        known = self.number(operand)
        if more == 0:
            return self.scalar(operand)
        if known is not None:
            return self.constant(known + more)
        return self.add(self.scalar(operand), self.constant(more))

    def add(self, left: Ssa, right: Ssa) -> Ssa:
        """The sum of two integers of a type."""
        return self.one("arith.addi", (left, right), left.type, counted=False, hint="%i")

    def arith(self, name: str, left: Ssa, right: Ssa) -> Ssa:
        """A scalar operation on two values of a type."""
        return self.one(f"arith.{name}", (left, right), left.type, counted=False, hint="%i")

    def strided(self, offset: Operand, stride: Operand | None, times: int, more: int = 0) -> Ssa:
        """Offset + times * stride + more, as an index."""
        if stride is None or times == 0:
            return self.plus(offset, more)
        known = self.number(stride)
        if known is not None:
            return self.plus(offset, times * known + more)
        step = self.scalar(stride)
        scaled = step if times == 1 else self.arith("muli", step, self.constant(times))
        return self.add(self.plus(offset, more), scaled)

    def as_i32(self, value: Ssa) -> Ssa:
        """A scalar as `i32`."""
        if value.type == "i32":
            return value
        if value.type != "index":
            raise UnsupportedError(f"a number of lanes is of type `{value.type}`")
        return self.one("arith.index_cast", (value,), "i32", counted=False, hint="%n")

    # -- masks ------------------------------------------------------------------------------------------------

    def pattern(self, bits: int, pattern: str, counted: bool = False) -> Ssa:
        """A predicate of a pattern."""
        return self.one(f"pset_b{bits}", (), mask_type(bits), (pattern,), counted, "%m")

    def all_true(self, bits: int) -> Ssa:
        """The predicate of all lanes of so many bits."""
        return self.pattern(bits, "PAT_ALL")

    def prefix(self, bits: int, lanes: int, counted: bool = False) -> Ssa:
        """The predicate of the first lanes of so many bits."""
        if lanes >= register_lanes(bits):
            return self.pattern(bits, "PAT_ALL", counted)
        if lanes <= 0:
            return self.pattern(bits, "PAT_ALLF", counted)
        if lanes in PREFIXES:
            return self.pattern(bits, f"PAT_VL{lanes}", counted)
        return self.first(bits, self.constant(lanes, "i32"), counted)[0]

    def first(self, bits: int, lanes: Ssa, counted: bool = True) -> tuple[Ssa, Ssa]:
        """The predicate of as many lanes as an `i32` says, and how many are left over."""
        mask, left = self.emit(f"plt_b{bits}", (lanes,), (mask_type(bits), "i32"), counted=counted, hint="%m")
        return mask, left

    def mask_op(self, name: str, *operands: Ssa, counted: bool = True) -> Ssa:
        """Logic on predicates of one granularity, on all lanes."""
        bits = mask_bits(operands[0].type)
        return self.one(name, (*operands, self.all_true(bits)), operands[0].type, counted=counted, hint="%m")

    # -- registers --------------------------------------------------------------------------------------------

    def as_type(self, value: Ssa, type_: str) -> Ssa:
        """A register read as another type, which costs nothing."""
        return value if value.type == type_ else self.one("vbitcast", (value,), type_)

    def as_element(self, value: Ssa, element: str) -> Ssa:
        """A register read as elements of another type of the same width."""
        return self.as_type(value, register_type(element, element_bits(value.type)))

    def as_lanes(self, value: Ssa, bits: int) -> Ssa:
        """A register read in lanes of so many bits, as it is if its elements are so wide."""
        return value if element_bits(value.type) == bits else self.as_type(value, register_type(f"ui{bits}", bits))

    def unary(self, name: str, value: Ssa, mask: Ssa | None = None, type_: str = "") -> Ssa:
        """An operation on one register, on all lanes unless a mask is given."""
        governed = mask or self.all_true(element_bits(value.type))
        return self.one(name, (value, governed), type_ or value.type)

    def binary(self, name: str, left: Ssa, right: Ssa, mask: Ssa | None = None) -> Ssa:
        """An operation on two registers, on all lanes unless a mask is given."""
        governed = mask or self.all_true(element_bits(left.type))
        return self.one(name, (left, right, governed), left.type)

    def pair(self, name: str, left: Ssa, right: Ssa, bits: int = 0) -> tuple[Ssa, Ssa]:
        """An interleaving of two registers in lanes of so many bits, of their elements if that is 0."""
        type_ = left.type
        if bits:
            left, right = self.as_lanes(left, bits), self.as_lanes(right, bits)
        low, high = self.emit(name, (left, right), (left.type, left.type))
        return self.as_type(low, type_), self.as_type(high, type_)

    def mask_pair(self, name: str, left: Ssa, right: Ssa, bits: int = 0) -> tuple[Ssa, Ssa]:
        """An interleaving of two predicates at a granularity, their own if that is 0."""
        type_ = mask_type(bits or mask_bits(left.type))
        left, right = self.as_mask(left, type_), self.as_mask(right, type_)
        low, high = self.emit(f"{name}_b{mask_bits(type_)}", (left, right), (type_, type_), hint="%m")
        return low, high

    def as_mask(self, value: Ssa, type_: str) -> Ssa:
        """A predicate read at another granularity, which costs nothing."""
        return value if value.type == type_ else self.one("pbitcast", (value,), type_, hint="%m")

    def splat(self, scalar: Ssa, type_: str, counted: bool = True) -> Ssa:
        """A register of which every lane is a scalar."""
        return self.one("vdup", (scalar, self.all_true(element_bits(type_))), type_, counted=counted)

    def with_scalar(self, name: str, value: Ssa, number: int) -> Ssa:
        """An integer operation on a register and a number; the number of a shift has 16 bits."""
        bits = element_bits(value.type)
        scalar = self.constant(number, "i16" if name in ("vshls", "vshrs") else f"i{bits}")
        return self.one(name, (value, scalar, self.all_true(bits)), value.type)


def vector_type(value: VmiValue) -> str:
    """The type of a register of a logical vector."""
    return register_type(value.element, value.bits)


def signed(type_: str) -> str:
    """The type of a register of signed integers as wide as those of another."""
    return register_type(f"si{element_bits(type_)}", element_bits(type_))


def unsigned_element(type_: str) -> str:
    """The element type of a register, signless integers as the unsigned ones that they are in VMI.

    >>> unsigned_element("!pto.vreg<64xi32>"), unsigned_element("!pto.vreg<64xf32>")
    ('ui32', 'f32')
    """
    element = element_of(type_)
    return f"u{element}" if element[:1] == "i" and element[1:].isdigit() else element
