"""One variant of an operation that is emitted: its rule and sequence, and the registers of its operands."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver.vmi.program import Operand, VmiOp, VmiValue
from layoutsolver_backends.vpto.build import Builder, UnsupportedError, vector_type
from layoutsolver_backends.vpto.code import Ssa, mask_type
from layoutsolver_models.lanes.layout import Groups, carrier
from layoutsolver_models.rules.vmi.layouts import layout_of, register_lanes
from layoutsolver_models.rules.vmi.row import Lowering, VmiRule

Registers = tuple[Ssa, ...]
Held = dict[tuple[int, str], Registers]
"""Registers by the number of the value and the name of the layout."""


def split_mask(name: str) -> tuple[int, str]:
    """The width that a mask's layout names, and the layout of what it governs.

    >>> split_mask("b16 d2")
    (16, 'd2')
    """
    width, _, layout = name.partition(" ")
    return int(width[1:]), layout


def carrier_bits(name: str) -> int:
    """The granularity of the registers of a mask in a layout.

    >>> carrier_bits("b16 ls2"), carrier_bits("b8 d2")
    (32, 8)
    """
    bits, layout = split_mask(name)
    found = carrier(layout_of(layout, 1), bits)
    if found is None:
        raise UnsupportedError(f"a mask in the layout `{name}` has no register")
    return found


@dataclass(slots=True)
class Site:
    """A variant at its place: `layout` has the layout of every vector operand and result by role."""

    build: Builder
    op: VmiOp
    rule: VmiRule
    way: Lowering
    layout: dict[str, str]
    held: Held

    def operand(self, role: str) -> Operand:
        """An operand as the program has it."""
        return self.op.operands[role]

    def vector(self, role: str) -> VmiValue:
        """A vector operand or result."""
        found = self.op.results.get(role) or self.op.operands.get(role)
        if not isinstance(found, VmiValue):
            raise UnsupportedError(f"`{role}` is no vector")
        return found

    def registers(self, role: str) -> Registers:
        """The registers of a vector operand in the layout that the variant asks for."""
        return self.held[self.vector(role).number, self.layout[role]]

    def put(self, role: str, registers: Registers | list[Ssa]) -> None:
        """Say what the registers of a result are."""
        key = (self.vector(role).number, self.layout[role])
        self.held.setdefault(key, tuple(registers))

    def uses(self, text: str) -> bool:
        """Whether the sequence that was chosen has an instruction."""
        return any(step.instruction.split()[0] == text for step in self.way.steps)

    def type(self, role: str) -> str:
        """The type of a register of a vector in a role, or of a predicate."""
        value = self.vector(role)
        return mask_type(carrier_bits(self.layout[role])) if value.is_mask else vector_type(value)

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.op.attrs.get("num_groups", self.op.attrs.get("group", 1)))


@dataclass(frozen=True, slots=True)
class Shape:
    """How elements lie in registers: the layout's parts and strides, and the registers of every part."""

    name: str
    bits: int
    lanes: int
    parts: int
    stride: int
    blocks: bool
    slots: int
    chunks: tuple[int, ...]

    @property
    def per_register(self) -> int:
        """Elements of a full register, slots not counted as such."""
        return self.slots or register_lanes(self.bits) // self.stride

    @property
    def registers(self) -> list[tuple[int, int]]:
        """Part and chunk of every register, in order."""
        return [(part, chunk) for part, count in enumerate(self.chunks) for chunk in range(count)]

    def index(self, part: int, chunk: int) -> int | None:
        """The number of a register, None if there is none."""
        if part >= len(self.chunks) or chunk >= self.chunks[part]:
            return None
        return sum(self.chunks[:part]) + chunk

    def element(self, part: int, chunk: int, position: int) -> int:
        """The number of the element at a position among those of a register (it may be past the end)."""
        at = chunk * self.per_register + position
        if self.blocks:
            block = register_lanes(self.bits) // 8
            return (at // block * self.parts + part) * block + at % block
        return at * self.parts + part

    def live(self, part: int, chunk: int) -> list[int]:
        """The positions of a register that hold elements, counted without the lanes between them."""
        return [at for at in range(self.per_register) if self.element(part, chunk, at) < self.lanes]


def shape_of(name: str, bits: int, lanes: int) -> Shape:
    """How elements lie in a layout.

    >>> shape_of("d2", 16, 256).chunks, shape_of("gs8", 32, 12).chunks, shape_of("ls2", 16, 128).per_register
    ((1, 1), (2,), 64)
    """
    layout = layout_of(name, lanes)
    full = register_lanes(bits)
    if isinstance(layout, Groups):
        count = -(-lanes // layout.slots)
        return Shape(name, bits, lanes, 1, layout.lane_stride, False, layout.slots, (count,))
    parts = layout.parts
    per = full // layout.lane_stride
    if layout.blocks:
        block = full // 8
        blocks = -(-lanes // block)
        held = [-(-(blocks - part) // parts) * block for part in range(min(parts, blocks))]
    else:
        held = [-(-(lanes - part) // parts) for part in range(min(parts, lanes))]
    chunks = tuple(-(-one // per) for one in held)
    return Shape(name, bits, lanes, parts, layout.lane_stride, layout.blocks, 0, chunks)


def data_shape(value: VmiValue, layout: str) -> Shape:
    """How a vector lies in a layout."""
    return shape_of(layout, value.bits, value.lanes)


def mask_shape(value: VmiValue, layout: str) -> Shape:
    """How a mask lies in a layout, the lanes being those of its carrier."""
    bits, name = split_mask(layout)
    return shape_of(name, bits, value.lanes)
