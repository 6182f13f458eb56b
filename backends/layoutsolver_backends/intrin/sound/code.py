"""Intrinsics as an assembler has them: registers in, registers out, everything under a mask of all lanes unless given.

What a sequence computes in lanes that its operation leaves inactive does not matter: nothing reads them. So the steps
between run under the full mask, and only what has a documented effect on inactive lanes gets the operation's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from layoutsolver.mlir.types import ScalarType, parse_type
from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.tables import PGE_PATTERNS
from layoutsolver_backends.intrin.writer import PREDICATE, NotLoweredError, Ref, Writer, pair_of, register_type

POINTER = "!llvm.ptr<6>"
ALIGN = "vector<32xi8>"
WORDS = register_type("i32")
REGISTER_BYTES = 256

_REGISTER = re.compile(r"vector<\d+x(\w+)>")


class Pair(NamedTuple):
    """The registers of 64-bit elements: the low words of all elements, and the high ones."""

    low: Ref
    high: Ref


def bits_of(element: str) -> int:
    """The bits of an element type.

    >>> bits_of("f8E4M3FN"), bits_of("i64"), bits_of("index")
    (8, 64, 32)
    """
    scalar = parse_type(element)
    return (scalar.bits or 32) if isinstance(scalar, ScalarType) else 0


def is_float(element: str) -> bool:
    """Whether elements are floats.

    >>> is_float("bf16"), is_float("ui8")
    (True, False)
    """
    return element.startswith(("f", "bf"))


def sign_of(element: str) -> str:
    """How intrinsics call the signedness of elements: signless integers and floats count as signed.

    >>> sign_of("ui8"), sign_of("i8"), sign_of("f16")
    ('u', 's', 's')
    """
    return "u" if element.startswith("ui") else "s"


def missing(step: Step, element: str, *notes: str) -> NotLoweredError:
    """The error that says of an operation that no sequence of intrinsics does it."""
    return NotLoweredError("LS0602", f"no intrinsics do `ave.hir.{step.name}` on elements of type `{element}`", *notes)


class Code:
    """Writes intrinsics for one operation."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._full: Ref | None = None
        self._numbers: dict[int, Ref] = {}

    @property
    def full(self) -> Ref:
        """The predicate that governs every byte, made once for the operation."""
        if self._full is None:
            self._full = self.pattern(8, "ALL")
        return self._full

    def call(self, name: str, operands: list[Ref | int], result: str) -> Ref:
        """An intrinsic with one register as its result; numbers are 32-bit constants."""
        return self.writer.intrinsic(name, self._given(operands), result)

    def effect(self, name: str, operands: list[Ref | int]) -> None:
        """An intrinsic without a result."""
        self.writer.effect(name, self._given(operands))

    def _given(self, operands: list[Ref | int]) -> list[Ref]:
        return [self._number(given) if isinstance(given, int) else given for given in operands]

    def _number(self, number: int) -> Ref:
        """A 32-bit constant, made once for the operation."""
        if number not in self._numbers:
            self._numbers[number] = self.writer.constant(number)
        return self._numbers[number]

    def two(self, name: str, operands: list[Ref | int], type_: str) -> tuple[Ref, Ref]:
        """An intrinsic with two registers as its results."""
        both = self.call(name, operands, pair_of(type_))
        return self.writer.extract(both, 0, type_), self.writer.extract(both, 1, type_)

    def repeated(self, times: int, initial: Sequence[Ref], body: Callable[[list[Ref]], Sequence[Ref]]) -> list[Ref]:
        """A loop that hands registers on from turn to turn; what these are behind it."""
        writer, known, types = self.writer, (self.full, dict(self._numbers)), [ref.type for ref in initial]
        bounds = [writer.line(f"arith.constant {number} : index", "index").name for number in (0, times, 1)]
        name, induction, *carried = [writer.fresh() for _ in range(2 + len(initial))]
        pairs = ", ".join(f"{own} = {ref.name}" for own, ref in zip(carried, initial, strict=True))
        head = f"scf.for {induction} = {bounds[0]} to {bounds[1]} step {bounds[2]}"
        count = f":{len(initial)}" if len(initial) > 1 else ""
        writer.lines.append(f"{name}{count} = {head} iter_args({pairs}) -> ({', '.join(types)}) {{")
        start = len(writer.lines)
        made = body([Ref(own, type_) for own, type_ in zip(carried, types, strict=True)])
        writer.lines.append(f"scf.yield {', '.join(ref.name for ref in made)} : {', '.join(types)}")
        writer.lines[start:] = [f"  {line}" for line in writer.lines[start:]]
        writer.lines.append("}")
        self._full, self._numbers = known
        return [Ref(f"{name}#{at}" if count else name, type_) for at, type_ in enumerate(types)]

    # -- registers --------------------------------------------------------------------------------------------

    def element(self, ref: Ref) -> str:
        """The type of a register's elements."""
        found = _REGISTER.fullmatch(ref.type)
        assert found is not None, ref.type
        return found[1]

    def register(self, value: int) -> Ref:
        """A vector of up to 32-bit elements as the register that holds it."""
        return self.writer.register(value)

    def as_type(self, ref: Ref, element: str) -> Ref:
        """The same register with its bytes taken for elements of another type."""
        return self.writer.bitcast(ref, register_type(element))

    def bits(self, ref: Ref) -> Ref:
        """The same register with its elements taken for integers."""
        return self.as_type(ref, f"i{bits_of(self.element(ref))}")

    def pair(self, value: int) -> Pair:
        """A vector of 64-bit elements as the two registers that hold it."""
        both = self.writer.cast(self.writer.value(value), pair_of(WORDS))
        return Pair(self.writer.extract(both, 0, WORDS), self.writer.extract(both, 1, WORDS))

    def give_pair(self, value: int, pair: Pair) -> None:
        """Let a vector of 64-bit elements be held by two registers."""
        if not self.writer.program.uses[value]:
            return
        type_ = pair_of(WORDS)
        empty = self.writer.line(f"llvm.mlir.undef : {type_}", type_)
        low, high = self.bits(pair.low), self.bits(pair.high)
        first = self.writer.line(f"llvm.insertvalue {low.name}, {empty.name}[0] : {type_}", type_)
        both = self.writer.line(f"llvm.insertvalue {high.name}, {first.name}[1] : {type_}", type_)
        self.writer.give(value, both)

    # -- scalars ----------------------------------------------------------------------------------------------

    def scalar(self, value: int, element: str) -> Ref:
        """A scalar as one of an element type: wider integers lose their high bits, wider floats are rounded."""
        given, type_ = self.writer.value(value), self.writer.program.types[value]
        wanted = bits_of(element)
        if given.type == element:
            return given
        if given.type == "index" or not is_float(element):
            known = self.writer.integer(value)
            if known is not None:
                half = 1 << (wanted - 1)
                return self.writer.constant((known + half) % (2 * half) - half, element)
        if given.type == "index":
            given = self.writer.cast(given, "i64")
        bits = 64 if given.type == "i64" else type_.bits if isinstance(type_, ScalarType) else None
        if bits is None or is_float(element) != is_float(given.type):
            raise NotLoweredError("LS0602", f"`{given.type}` is no scalar for elements of type `{element}`")
        if is_float(element):
            word = "arith.truncf" if bits > wanted else "arith.extf" if bits < wanted else ""
        else:
            word = "arith.trunci" if bits > wanted else "arith.extsi" if bits < wanted else ""
        if not word:
            raise NotLoweredError("LS0602", f"`{given.type}` is no scalar for elements of type `{element}`")
        return self.writer.line(f"{word} {given.name} : {given.type} to {element}", element)

    def halves(self, value: int) -> tuple[Ref, Ref]:
        """A scalar as the low and the high word of the 64-bit integer that it is."""
        known = self.writer.integer(value)
        if known is not None:
            words = (_word(known), _word(known >> 32))
            return self.writer.constant(words[0]), self.writer.constant(words[1])
        wide = self.scalar(value, "i64") if self.writer.value(value).type != "index" else self.writer.index(value)
        low = self.writer.line(f"arith.trunci {wide.name} : i64 to i32", "i32")
        by = self.writer.constant(32, "i64")
        shifted = self.writer.line(f"arith.shrui {wide.name}, {by.name} : i64", "i64")
        return low, self.writer.line(f"arith.trunci {shifted.name} : i64 to i32", "i32")

    def arith(self, name: str, left: Ref, right: Ref) -> Ref:
        """An operation on two scalars of one type."""
        return self.writer.line(f"arith.{name} {left.name}, {right.name} : {left.type}", left.type)

    # -- lane by lane -----------------------------------------------------------------------------------------

    def splat(self, scalar: Ref) -> Ref:
        """A scalar in all lanes."""
        if scalar.type.startswith("f8"):
            return self.as_type(self.splat(self.writer.bitcast(scalar, "i8")), scalar.type)
        return self.call("vbr", [scalar], register_type(scalar.type))

    def number(self, number: int, element: str) -> Ref:
        """An integer in all lanes."""
        half = 1 << (bits_of(element) - 1)
        return self.splat(self.writer.constant((number + half) % (2 * half) - half, element))

    def lanes(self, name: str, *registers: Ref, sign: str = "", mask: Ref | None = None) -> Ref:
        """A lane-by-lane intrinsic; `sign` is the signedness in its name, empty if the name has none."""
        full = f"{name}.{sign}.x" if sign else f"{name}.x"
        return self.call(full, [*registers, mask or self.full], registers[0].type)

    def add(self, left: Ref, right: Ref) -> Ref:
        """Sums of integers."""
        return self.lanes("vadd", left, right, sign="s")

    def sub(self, left: Ref, right: Ref) -> Ref:
        """Differences of integers."""
        return self.lanes("vsub", left, right, sign="s")

    def mul(self, left: Ref, right: Ref) -> Ref:
        """The low halves of products of integers."""
        return self.lanes("vmul", left, right, sign="s")

    def both_bits(self, left: Ref, right: Ref) -> Ref:
        """The bits that are set in both."""
        return self.lanes("vand", left, right)

    def either_bits(self, left: Ref, right: Ref) -> Ref:
        """The bits that are set in either."""
        return self.lanes("vor", left, right)

    def other_bits(self, left: Ref, right: Ref) -> Ref:
        """The bits that are set in one alone."""
        return self.lanes("vxor", left, right)

    def shifted_by(self, register: Ref, by: Ref, left: bool = False) -> Ref:
        """Unsigned integers shifted right, or left, by the numbers of another register."""
        return self.call("vshl.u.x" if left else "vshr.u.x", [register, by, self.full], register.type)

    def shifted(self, register: Ref, by: int, sign: str = "s") -> Ref:
        """Integers shifted left, or right by a negative number of bits."""
        amount = self.writer.constant(abs(by), "i16")
        name = "vshls" if by >= 0 else "vshrs"
        return self.call(f"{name}.{sign}.x", [register, amount, self.full], register.type)

    def compare(self, order: str, left: Ref, right: Ref, sign: str = "s", mask: Ref | None = None) -> Ref:
        """Which lanes compare so; none that the mask leaves out."""
        return self.call(f"vcmp.{order}.{sign}.z", [left, right, mask or self.full], PREDICATE)

    def select(self, mask: Ref, yes: Ref, no: Ref) -> Ref:
        """Lanes of one register where the mask has them, of the other elsewhere."""
        return self.call("vsel", [yes, no, mask], yes.type)

    # -- predicates -------------------------------------------------------------------------------------------

    def pattern(self, width: int, name: str) -> Ref:
        """The predicate of a pattern at a granularity in bits."""
        return self.call(f"pge.b{width}", [PGE_PATTERNS[name], 0], PREDICATE)

    def logic(self, name: str, *masks: Ref) -> Ref:
        """`pand`, `por`, `pxor` or `pnot` of all bits."""
        return self.call(f"{name}.z", [*masks, self.full], PREDICATE)

    # -- rearrangements ---------------------------------------------------------------------------------------

    def interleaved(self, left: Ref, right: Ref) -> tuple[Ref, Ref]:
        """Lanes of two registers by turns."""
        return self.two("vintlv", [left, right], left.type)

    def deinterleaved(self, left: Ref, right: Ref) -> tuple[Ref, Ref]:
        """The even and the odd lanes of two registers."""
        return self.two("vdintlv", [left, right], left.type)

    def spread(self, register: Ref, times: int) -> Ref:
        """A register in which each element has twice the room, `times` times."""
        for _ in range(times):
            register = self.interleaved(register, register)[0]
        return register

    def packed(self, register: Ref, times: int) -> Ref:
        """A register in which each element has half the room, `times` times."""
        for _ in range(times):
            register = self.deinterleaved(register, register)[0]
        return register

    def spread_mask(self, mask: Ref, times: int) -> Ref:
        """A predicate at twice the granularity, `times` times; the bits between are set."""
        for _ in range(times):
            mask = self.two("pintlv.b8", [mask, self.full], PREDICATE)[0]
        return mask

    def packed_mask(self, mask: Ref, times: int) -> Ref:
        """A predicate at half the granularity, `times` times."""
        for _ in range(times):
            mask = self.call("ppack.z", [mask, 0], PREDICATE)
        return mask

    def doubled_mask(self, mask: Ref) -> tuple[Ref, Ref]:
        """Predicates of words for the two registers in which each word of one has become two."""
        return self.two("pintlv.b32", [mask, mask], PREDICATE)


def _word(number: int) -> int:
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)
