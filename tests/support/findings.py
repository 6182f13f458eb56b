"""The ways in which the production compiler's output departs from a program, told operation by operation.

A finding says of one operation of a program and of what was made of it whether the compiler goes wrong there.
`examples/upstream-findings` has a program for each, of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.types import VectorType
from layoutsolver.verify.operation import INTRINSIC
from layoutsolver.verify.program import Program
from layoutsolver_models.vecmem import REGISTER_BYTES

UNALIGNED = "ave.unaligned_ub_access"
_DISTRIBUTION = {"vldsx1": 2, "vstsx1": 3}
"""Which operand of an access is the number of its distribution."""

_STEPS = {6: 1, 7: 1, 12: 2, 13: 1, 14: 1, 20: 2}
"""How often a distribution halves or doubles the distance of elements."""


@dataclass(frozen=True, slots=True)
class Site:
    """An operation of a program with layouts, and what was made of it; `aligned` says by which passes."""

    program: Program
    node: OpNode
    printed: Graph
    made: tuple[OpNode, ...]
    aligned: bool

    @property
    def name(self) -> str:
        """The operation without its dialect."""
        return self.node.name.removeprefix("ave.hir.")

    @property
    def line(self) -> str:
        """Its text, up to the regions in it."""
        op = self.node.op
        return op.stream.range_text(op.first, op.regions[0].first if op.regions else op.last)

    @property
    def lowered(self) -> str:
        """The text of what was made of it."""
        return "\n".join(node.op.stream.range_text(node.op.first, node.op.last) for node in self.made)

    @property
    def steps(self) -> int:
        """How often what was made of it halves or doubles the distance of elements."""
        count = 0
        for node in self.made:
            base = node.name.removeprefix(INTRINSIC).split(".")[0]
            if base in ("vintlv", "vdintlv"):
                count += 1
            elif base in _DISTRIBUTION:
                count += _STEPS.get(self.number(node.operands[_DISTRIBUTION[base]]), 0)
        return count

    def number(self, value: int) -> int:
        """The constant that a value of the compiler's output is, 0 if it is none."""
        node = self.printed.ops[self.printed.values[value].op]
        found = re.search(r"constant\((-?\d+) : ", node.op.stream.range_text(node.op.first, node.op.last))
        return int(found[1]) if found is not None else 0

    @property
    def dist(self) -> str:
        """The functionType, empty if there is none."""
        return self.program.dist(self.node.index)

    @property
    def is_spread(self) -> bool:
        """Whether an operand or a result lies in every second or fourth place."""
        layouts = (self.program.layouts.get(value, "") for value in (*self.node.operands, *self.node.results))
        return any(layout.endswith(("_2vl", "_4vl")) for layout in layouts)

    @property
    def is_unaligned(self) -> bool:
        """Whether it accesses an unaligned address."""
        return UNALIGNED in self.line

    @property
    def of_predicates(self) -> bool:
        """Whether it accesses bits in memory."""
        return self.name in ("vload", "masked_store") and self.memory == "i1"

    @property
    def memory(self) -> str:
        """The element type of the buffer, empty if there is none."""
        found = re.search(r"memref<(?:[\d?]+x)*(\w+)", self.line)
        return found[1] if found is not None else ""

    def types(self, values: list[int]) -> list[VectorType]:
        """The types of those values that are vectors."""
        return [type_ for value in values if (type_ := self.program.graph.values[value].vector) is not None]

    def has_mask(self) -> bool:
        """Whether a predicate governs it."""
        return any(type_.bits == 1 for type_ in self.types(self.node.operands))

    def maker(self, role: str) -> str:
        """The operation that the operand of a role comes from."""
        value = self.node.role(role)
        while value is not None and value >= 0:
            owner = self.program.graph.values[value].op
            if owner < 0:
                return ""
            node = self.program.graph.ops[owner]
            if node.name != "builtin.unrealized_conversion_cast":
                return node.name.removeprefix("ave.hir.")
            value = node.operands[0]
        return ""


Finding = Callable[[Site], bool]


def predicate_store(at: Site) -> bool:
    """All bits of a predicate register are stored, of which every second or fourth is one of the vector's."""
    return at.name == "masked_store" and at.dist in ("pb16", "pb32") and "psts.b8" in at.lowered


def predicate_load(at: Site) -> bool:
    """Bits for wider elements are loaded side by side."""
    wanted = {"pb16": 1, "pb32": 2}.get(at.dist, 0) if at.name == "vload" and at.of_predicates else 0
    return "plds.b8" in at.lowered and at.lowered.count("pintlv") < wanted


def predicate_address(at: Site) -> bool:
    """The address of bits counts a byte for each."""
    indices = [value for role, value in zip(at.node.roles, at.node.operands, strict=True) if role == "indices"]
    return at.of_predicates and any(at.program.graph.constants.get(value) != 0 for value in indices)


def unaligned_predicate_load(at: Site) -> bool:
    """Bits for bytes are loaded by an instruction for aligned addresses, and packed as if each had two places."""
    return at.of_predicates and at.is_unaligned and "plds.b8" in at.lowered


def unaligned_predicate_store(at: Site) -> bool:
    """Bits for bytes are stored by an instruction for aligned addresses that writes 256 bits."""
    return at.of_predicates and at.is_unaligned and "psts.b8" in at.lowered


def predicate_operand(at: Site) -> bool:
    """Bits for bytes are unpacked for an unaligned store with several indices, which then stores the packed ones."""
    several = at.node.roles.count("indices") > 1
    return at.of_predicates and several and "punpack" in at.lowered and "pstu" in at.lowered


def wide_elements(at: Site) -> bool:
    """One register for vectors of 64-bit elements that take two."""
    return any(type_.bits == 64 for type_ in at.types([*at.node.operands, *at.node.results]))


def call_result(at: Site) -> bool:
    """What a call returns is taken for side by side."""
    return at.node.name in ("func.call", "call") and bool(at.types(at.node.results))


def converted_mask(at: Site) -> bool:
    """Half floats become unsigned 16-bit integers by way of 32-bit ones, under a mask of 16-bit data."""
    return at.name == "vfptoui" and "f162s32" in at.lowered


def unsigned_division(at: Site) -> bool:
    """Unsigned integers are divided as signed ones."""
    return at.name == "vdiv" and "cast_unsigned" in at.line and "vdiv.s" in at.lowered


def unsigned_product(at: Site) -> bool:
    """Unsigned integers are multiplied as signed ones."""
    return at.name == "mull" and "cast_unsigned" in at.line and "vmull.v64s32" in at.lowered


def sign_of_a_shift(at: Site) -> bool:
    """Whether a shift keeps the sign is not looked at unless it is constant."""
    return at.name in ("vshr", "vshrs", "vshl", "vshls") and at.maker("sign") != "arith.constant"


def packed_mask(at: Site) -> bool:
    """Elements are brought together before they are stored, the bits of the mask are not."""
    return at.name == "masked_store" and at.dist in ("pk", "pk4") and "vdintlv" in at.lowered and "vst" in at.lowered


def spread_broadcast(at: Site) -> bool:
    """A broadcast under a mask for spread data is spread, which is not noticed without the analysis of alignments."""
    return not at.aligned and at.name in ("broadcast", "vector_broadcast") and at.is_spread


def dense_data(at: Site) -> bool:
    """Data that should be spread lie side by side, under a mask for spread data; or a part that is not the first one.

    Conversions are left out otherwise: the compiler moves what they take and make as if it lay side by side.
    """
    if at.aligned or not at.is_spread:
        return False
    if at.name.startswith(("vext", "vtrunc")):
        return bool(re.search(r"\b(part_odd|pp[123])\b", at.line))
    return at.has_mask() or "layout_change" in at.line or at.dist.startswith("intlv")


def lost_alignment(at: Site) -> bool:
    """The analysis of alignments does not follow: data are stored or loaded as if they lay closer or further apart."""
    wanted = {"pk": 1, "pk4": 2, "dintlv2": 1, "dintlv4": 2}.get(at.dist, 0)
    if not at.aligned or at.name not in ("vload", "masked_store") or at.of_predicates or not at.made:
        return False
    return "NORM" in at.line and at.steps != wanted


def spread_twice(at: Site) -> bool:
    """A ramp in every second place is interleaved again by its conversion: nothing tells the analysis where it lies."""
    return at.aligned and at.name.startswith("vext") and at.maker("src") == "vci" and "vintlv" in at.lowered


def packed_conversion(at: Site) -> bool:
    """The elements of a conversion that should stay in every second place are brought together."""
    return "layout_change" in at.line and at.dist == "c2c" and "vdintlv" in at.lowered


def saturated_sign(at: Site) -> bool:
    """Signed integers are narrowed to the nearest unsigned byte."""
    return at.name == "vtrunci" and bool(re.search(r"vcvtii\.s(16|32)2u8", at.lowered)) and ", true," in at.line


def reduced_mask(at: Site) -> bool:
    """A sum is narrowed under the mask of what is summed, in which its place need not be set."""
    return at.name == "reduction" and "hivm.vcadd" in at.lowered and "hivm.vcvtii" in at.lowered


def unaligned_length(at: Site) -> bool:
    """An unaligned store of the elements that a counter leaves or a pattern has is longer than a register."""
    sizes = [int(size) for size in re.findall(r"constant\((\d+) : i32", at.lowered)]
    return _is_stream(at) and (at.maker("mask") == "plt" or max(sizes, default=0) > REGISTER_BYTES)


def unaligned_pattern(at: Site) -> bool:
    """An unaligned store under a mask that is no number of first elements has a length below zero."""
    return _is_stream(at) and at.maker("mask") == "pge" and bool(re.search(r"constant\(-\d+ : i32", at.lowered))


def unaligned_mask(at: Site) -> bool:
    """An unaligned store writes the inactive elements of a mask that is computed as well."""
    return _is_stream(at) and at.maker("mask") not in ("plt", "pge")


def _is_stream(at: Site) -> bool:
    return at.name == "masked_store" and "vstus.post" in at.lowered


FINDINGS: tuple[Finding, ...] = (
    predicate_address, predicate_store, predicate_load, unaligned_predicate_load, unaligned_predicate_store,
    predicate_operand, wide_elements, call_result, converted_mask, unsigned_division, unsigned_product,
    sign_of_a_shift, packed_mask, packed_conversion, saturated_sign, reduced_mask, unaligned_length, unaligned_pattern,
    unaligned_mask, lost_alignment, spread_broadcast, spread_twice, dense_data,
)  # fmt: skip
"""What is known, most particular first."""
