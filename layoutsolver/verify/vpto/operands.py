"""The operands of an instruction as what it takes: registers, predicates, numbers, formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from layoutsolver.mlir.pto_types import PredicateType, RegisterType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.call import PtoCall
from layoutsolver.verify.pto.values import format_named, stored_integer
from layoutsolver.verify.scalars import number_of
from layoutsolver_models.hardware.formats import Format
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.streams import Align

if TYPE_CHECKING:
    from layoutsolver.verify.vpto.unit import VptoUnit


@dataclass(frozen=True, slots=True)
class Call(PtoCall):
    """One execution of an instruction. All methods raise CannotRunError where an operand is not what they ask for."""

    unit: VptoUnit

    def vector(self, role: str) -> VReg:
        """The register in a role."""
        found = self.held(role)
        if not isinstance(found, VReg):
            raise self.op.fail(f"has no register as `{role}`")
        return found

    def mask(self, role: str = "mask") -> PReg:
        """The predicate in a role."""
        found = self.held(role)
        if not isinstance(found, PReg):
            raise self.op.fail(f"has no mask as `{role}`")
        return found

    def align(self, role: str) -> Align:
        """The alignment register in a role."""
        found = self.held(role)
        if not isinstance(found, Align):
            raise self.op.fail(f"has no alignment register as `{role}`")
        return found

    def scalar(self, role: str) -> float | None:
        """The scalar in a role as a number, None where it is not defined."""
        found = self.scalar_in(role)
        if not found.defined:
            return None
        return number_of(found) if found.type.is_float else found.signed

    def element(self, value: int) -> ScalarType:
        """The element type of a register value."""
        type_ = self.op.type(value)
        if not isinstance(type_, RegisterType) or not isinstance(type_.element, ScalarType):
            raise self.op.fail(f"has no register where `{type_.text}` stands")
        return type_.element

    def element_of(self, role: str) -> ScalarType:
        """The element type of the register in a role."""
        return self.element(self.op.value(role))

    @property
    def result(self) -> ScalarType:
        """The element type of the first result."""
        return self.element(self.op.node.results[0])

    def format(self, element: ScalarType) -> Format:
        """The number format of an element type, in which signless integers are signed."""
        found = format_named(element, True)
        if found is None or element.text.startswith("!pto."):
            raise self.op.fail(f"computes with elements of `{element.text}`, which is not documented")
        return found

    def width(self, role: str) -> int:
        """Bytes of an element of the register in a role."""
        return (self.element_of(role).bits or 0) // 8

    def bits_format(self, role: str) -> Format:
        """The unsigned format as wide as the elements of the register in a role."""
        return stored_integer(self.width(role))

    def granularity(self, role: str) -> int:
        """Bytes of a lane that the predicate in a role governs."""
        type_ = self.op.type(self.op.value(role))
        if not isinstance(type_, PredicateType):
            raise self.op.fail(f"has no mask as `{role}`")
        return int(type_.granularity[1:]) // 8

    def governed(self, width: int, role: str = "mask") -> PReg:
        """The predicate in a role for lanes of `width` bytes, whose granularity must be that."""
        if self.granularity(role) != width:
            raise self.op.fail(
                f"works on lanes of {8 * width} bits, its mask is of granularity b{8 * self.granularity(role)}"
            )
        return self.mask(role)
