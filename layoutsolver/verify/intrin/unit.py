"""Runs intrinsics: every vector is a register, whatever vector type its value has.

The table says which function of the hardware model an intrinsic is. An operation of `ave.hir` that was left in the
text runs as after layout, with the functionType that it carries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from layoutsolver.mlir.types import VectorType
from layoutsolver.verify.intrin import predicates, registers
from layoutsolver.verify.intrin.access import ACCESSES
from layoutsolver.verify.intrin.call import Call
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.operation import INTRINSIC, CannotRunError, Get, Operation, Run
from layoutsolver.verify.physical import Physical
from layoutsolver.verify.physical_memory import PhysicalMemory
from layoutsolver.verify.spread import find, place
from layoutsolver.verify.values import Aggregate, Elements, Value, format_of
from layoutsolver.verify.words import WORD, halves, joined
from layoutsolver_models.hardware.state import PReg, VReg

TABLE: dict[str, Callable[[Call], Run]] = {
    **dict.fromkeys(registers.UNARY, registers.unary),
    **dict.fromkeys(registers.SIGNED_BINARY, registers.binary),
    **dict.fromkeys(registers.SIGNED_SCALAR, registers.binary),
    **dict.fromkeys(registers.PLAIN_BINARY, registers.binary),
    **dict.fromkeys(registers.PLAIN_SCALAR, registers.binary),
    **dict.fromkeys(registers.TYPED_BINARY, registers.binary),
    **dict.fromkeys(("vcvtff", "vcvtii", "vcvtfi", "vcvtif"), registers.convert),
    **dict.fromkeys(("vcadd", "vcmax", "vcmin"), registers.reduction),
    "vmula": registers.multiply_add, "vmull": registers.multiply_long,
    "vexpdif": registers.exponential_of_difference, "vtrc": registers.round_to_whole, "vsel": registers.select,
    **dict.fromkeys(("vcmp", "vcmps"), registers.comparison),
    "vbr": registers.splat, "vdups": registers.broadcast, "vdup": registers.duplicate,
    "vdupm": registers.duplicate, "vci": registers.ramp, "vintlv": registers.interleave,
    "vdintlv": registers.interleave, "vpack": registers.pack, "vzunpack": registers.pack, "vslide": registers.slide,
    "pge": predicates.pattern, "plt": predicates.first_lanes, "pltm": predicates.lanes_in_bounds,
    "pand": predicates.logic, "por": predicates.logic, "pxor": predicates.logic, "pnot": predicates.negation,
    "ppack": predicates.repack, "punpack": predicates.repack, "pintlv": predicates.interleave,
    "pdintlv": predicates.interleave, "movvp": predicates.move_bits,
}  # fmt: skip
"""The intrinsics on registers, by the first part of their names."""


@dataclass(slots=True)
class Intrinsics:
    """The interpreter of intrinsics.

    `layouts` is the layout of each vector that passes between the program and the outside, `dists` the functionType of
    each operation that was not lowered.
    """

    ram: LogicalMemory
    layouts: Mapping[int, str]
    dists: Mapping[int, str]
    is_950: bool
    lenient: bool = False
    traced: bool = False
    physical: Physical = field(init=False)
    access: PhysicalMemory = field(init=False)

    def __post_init__(self) -> None:
        self.physical = Physical(self.ram, self.layouts, self.dists, self.is_950, self.lenient, traced=self.traced)
        self.access = self.physical.access

    def prepare(self, op: Operation) -> Run:
        """What runs an operation on vectors. Raises CannotRunError for one that is not known."""
        if not op.node.name.startswith(INTRINSIC):
            types = [op.type(value) for value in (*op.node.operands, *op.node.results)]
            if any(isinstance(type_, VectorType) and type_.bits == 64 for type_ in types):
                message = f"`{op.node.name}` was not lowered: what registers hold of its 64-bit elements is not known"
                raise CannotRunError(op.node.index, message)
            return self.physical.prepare(op)
        run, index = self._decoded(op), op.node.index
        if not self.traced:
            return run

        def traced(get: Get) -> list[Value]:
            return [_traced(value, index) for value in run(get)]

        return traced

    def _decoded(self, op: Operation) -> Run:
        base, *rest = op.node.name.removeprefix(INTRINSIC).split(".")
        call = Call(op, base, tuple(rest))
        if rest[-1:] == ["unsupported"]:
            message = f"`{op.node.name}` stands for an operation that the compiler has no intrinsic for"
            raise CannotRunError(op.node.index, message)
        if base in ACCESSES:
            return ACCESSES[base](call, self.access)
        decode = TABLE.get(base)
        if decode is None:
            raise call.unknown()
        return decode(call)

    def enter(self, value: int, elements: Elements) -> Value:
        """The register that holds these elements, of 64-bit ones the registers of their low and high words."""
        if elements.format is not None and elements.format.bits == 64:
            return Aggregate(tuple(place(words, "b32") for words in halves(elements)))
        return self.physical.enter(value, elements)

    def leave(self, value: int, held: Value, type_: VectorType) -> Elements:
        """The elements that a register holds, or two registers of words."""
        if isinstance(held, Aggregate):
            low, high = (find(WORD, part, "b32", type_.lanes) for part in held.parts if isinstance(part, VReg))
            return joined(format_of(type_), low, high)
        return self.physical.leave(value, held, type_)

    def reshape(self, op: Operation, source: Value) -> Value:
        """The same register under another type."""
        return source


def _traced(value: Value, node: int) -> Value:
    if isinstance(value, VReg | PReg):
        return value.traced(node)
    if isinstance(value, Aggregate):
        return Aggregate(tuple(_traced(part, node) for part in value.parts))
    return value
