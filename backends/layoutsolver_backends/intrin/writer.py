"""Writes the lines that take the place of one operation, and knows under which name every value is to be had."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.lexer import is_number
from layoutsolver.mlir.types import ScalarType, VectorType, parse_type
from layoutsolver.ops.assembly import skip_bracket
from layoutsolver_backends.intrin.program import Program, Step

INTRINSIC = "hivm_regbaseintrins.intr.hivm."
LANES = {1: 256, 8: 256, 16: 128, 32: 64, 64: 32}
"""Lanes of a register by element width; a predicate has one bit a byte."""

PREDICATE = "vector<256xi1>"

Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class Ref:
    """A value of the output: its name and type."""

    name: str
    type: str


class NotLoweredError(Exception):
    """An operation that has no intrinsics; holds the code, the message and notes."""

    def __init__(self, code: str, message: str, *notes: str) -> None:
        super().__init__(message)
        self.code, self.notes = code, notes


def enumerator(step: Step, name: str, known: Mapping[str, Known]) -> Known:
    """What a table has for an enumerator of an operation. Raises `NotLoweredError` for others."""
    text = step.attrs.get(name, "")
    if text not in known:
        given = f"`{text}`" if text else "nothing"
        raise NotLoweredError("LS0602", f"`ave.hir.{step.name}` has {given} for its {name}, which no intrinsic knows")
    return known[text]


def register_type(element: str) -> str:
    """The type of a whole register with elements of that type.

    >>> register_type("bf16"), register_type("i1")
    ('vector<128xbf16>', 'vector<256xi1>')
    """
    scalar = parse_type(element)
    bits = scalar.bits if isinstance(scalar, ScalarType) else None
    if bits not in LANES:
        raise NotLoweredError("LS0602", f"no register holds elements of type `{element}`")
    return f"vector<{LANES[bits]}x{element}>"


def pair_of(type_: str) -> str:
    """The structure that an intrinsic with two vectors of one type returns."""
    return f"!llvm.struct<({type_}, {type_})>"


class Writer:
    """The lines for one operation after another; `lines` are those of the operation at hand."""

    def __init__(self, program: Program, dialect: str) -> None:
        self.program = program
        self.dialect = dialect
        self.lines: list[str] = []
        self.diagnostics: list[Diagnostic] = []
        self.names = {value.index: value.name for value in program.graph.values}
        self.taken = {token.partition("#")[0] for token in program.graph.module.stream.texts if token[:1] == "%"}
        self.counter = 0
        self.made: set[str] = set()

    # -- names and lines --------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start with another operation."""
        self.lines = []
        self.made = set()

    def fresh(self) -> str:
        """A name that the text does not have."""
        while True:
            name = f"%t{self.counter}"
            self.counter += 1
            if name not in self.taken:
                self.made.add(name)
                return name

    def line(self, text: str, type_: str) -> Ref:
        """Write an operation with one result."""
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return Ref(name, type_)

    def value(self, value: int) -> Ref:
        """A value of the program as it is."""
        return Ref(self.names[value], self.program.types[value].text)

    def constant(self, literal: str | int, type_: str = "i32") -> Ref:
        """A constant; an index is written as the 64-bit integer that it becomes."""
        if type_ == "index":
            return self.line(f"llvm.mlir.constant({literal} : index) : i64", "i64")
        if type_ == "i1":
            return self.line(f"llvm.mlir.constant({literal}) : i1", "i1")
        return self.line(f"llvm.mlir.constant({literal} : {type_}) : {type_}", type_)

    def cast(self, ref: Ref, type_: str) -> Ref:
        """The value taken for one of another type."""
        if ref.type == type_:
            return ref
        return self.line(f"builtin.unrealized_conversion_cast {ref.name} : {ref.type} to {type_}", type_)

    def register(self, value: int) -> Ref:
        """A vector as the register that holds it."""
        return self.cast(self.value(value), register_type(self.program.element(value)))

    def mask(self, value: int) -> Ref:
        """A predicate as the register that holds it."""
        return self.cast(self.value(value), PREDICATE)

    def bitcast(self, ref: Ref, type_: str) -> Ref:
        """The same bits as another type."""
        if ref.type == type_:
            return ref
        return self.line(f"llvm.bitcast {ref.name} : {ref.type} to {type_}", type_)

    def intrinsic(self, name: str, operands: list[Ref], result: str, attrs: str = "") -> Ref:
        """Write an intrinsic with a result."""
        return self.line(self._call(name, operands, result, attrs), result)

    def effect(self, name: str, operands: list[Ref], attrs: str = "") -> None:
        """Write an intrinsic without a result."""
        self.lines.append(self._call(name, operands, "()", attrs))

    def _call(self, name: str, operands: list[Ref], result: str, attrs: str) -> str:
        names = ", ".join(ref.name for ref in operands)
        types = ", ".join(ref.type for ref in operands)
        extra = f" {{{attrs}}}" if attrs else ""
        return f'"{INTRINSIC}{name}"({names}){extra} : ({types}) -> {result}'

    def extract(self, struct: Ref, place: int, type_: str, attrs: str = "") -> Ref:
        """A member of a structure."""
        extra = f" {{{attrs}}}" if attrs else ""
        return self.line(f"llvm.extractvalue {struct.name}[{place}]{extra} : {struct.type}", type_)

    def member(self, value: int, struct: Ref, place: int, type_: str, attrs: str = "") -> None:
        """Let a value of the program be a member of a structure, where anybody uses it."""
        if self.program.uses[value]:
            self.give(value, self.extract(struct, place, type_, attrs))

    def give(self, value: int, ref: Ref) -> None:
        """Let a value of the program be this one, under its own name where that can be."""
        if not self.program.uses[value]:
            return
        wanted = self.program.types[value].text
        if self.names.get(value, "").startswith("%") and "#" not in self.names[value]:
            own = self.names[value]
            cast = self.cast(ref, wanted)
            if cast.name in self.made:
                self._rename(cast.name, own)
                return
            self.names[value] = cast.name
            return
        self.names[value] = self.cast(ref, wanted).name

    def _rename(self, name: str, own: str) -> None:
        """Let a value that was made for this operation have the user's name."""
        pattern = re.compile(re.escape(name) + r"(?![\w$.#-])")
        self.lines = [pattern.sub(lambda _: own, line) for line in self.lines]
        self.made.discard(name)
        for other, known in self.names.items():
            if known == name:
                self.names[other] = own

    # -- what is known of scalars -----------------------------------------------------------------------------

    def literal(self, value: int) -> str | None:
        """The text of the constant that a scalar is, None if it is none."""
        owner = self.program.definition.get(value)
        if owner is None or owner.name != "arith.constant":
            return None
        return constant_literal(self.program.graph, owner.node)

    def integer(self, value: int) -> int | None:
        """The integer constant that a scalar is, None if it is none."""
        text = self.literal(value)
        if text in ("true", "false"):
            return int(text == "true")
        return int(text) if text is not None and is_number(text.removeprefix("-")) else None

    def index(self, value: int) -> Ref:
        """An index as the 64-bit integer that it becomes."""
        known = self.integer(value)
        if known is not None:
            return self.constant(known, "index")
        return self.cast(self.value(value), "i64")

    def narrow_index(self, value: int, bits: int = 32) -> Ref:
        """An index as a narrower integer."""
        known = self.integer(value)
        if known is not None:
            half = 1 << (bits - 1)
            return self.constant((known + half) % (2 * half) - half, f"i{bits}")
        wide = self.index(value)
        return self.line(f"llvm.trunc {wide.name} : i64 to i{bits}", f"i{bits}")

    # -- messages ---------------------------------------------------------------------------------------------

    def warn(self, step: Step, code: str, message: str, *notes: str) -> None:
        """Say something of an operation that is lowered all the same."""
        self.diagnostics.append(self.diagnostic(step, code, message, notes, is_error=False))

    def diagnostic(
        self, step: Step, code: str, message: str, notes: tuple[str, ...], is_error: bool = True
    ) -> Diagnostic:
        """A message at an operation."""
        graph = self.program.graph
        label = Label(graph.module.source, graph.ops[step.node].span)
        return Diagnostic(code, "error" if is_error else "warning", message, label, notes=notes)

    def lanes_of(self, value: int) -> VectorType:
        """The type of a vector that must have one dimension at most."""
        vector = self.program.vector(value)
        if len(vector.shape) > 1:
            raise NotLoweredError("LS0602", f"intrinsics take vectors of one dimension, not `{vector.text}`")
        return vector


def constant_literal(graph: Graph, node: int) -> str | None:
    """The literal of an `arith.constant`, None for dense ones.

    A number keeps its sign; hexadecimal numbers stay as they are.
    """
    op, texts = graph.ops[node].op, graph.module.stream.texts
    at = op.name_token + 1
    if op.is_generic:
        at = next((token + 2 for token in op.body_tokens() if texts[token].strip('"') == "value"), op.last)
    elif texts[at] == "{":
        at = skip_bracket(texts, at, op.last)
    sign = "-" if texts[at] == "-" else ""
    text = texts[at + bool(sign)]
    return sign + text if text[:1].isdigit() or text in ("true", "false") else None
