"""The operands of a VMI operation as what it takes: vectors, masks, numbers, formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.call import PtoCall
from layoutsolver.verify.pto.values import PAIRS, Mask, Vector, format_named
from layoutsolver.verify.vmi.vectors import full_mask
from layoutsolver_models.hardware.formats import Format

if TYPE_CHECKING:
    from layoutsolver.verify.vmi.unit import VmiUnit


@dataclass(frozen=True, slots=True)
class Call(PtoCall):
    """One execution of an operation. All methods raise CannotRunError where an operand is not what they ask for."""

    unit: VmiUnit

    def count_attr(self, name: str, default: int) -> int:
        """An attribute that is a number."""
        text = self.attr(name)
        if not text:
            return default
        if not text.isdigit() or int(text) == 0:
            raise self.op.fail(f"has the {name} `{text}`, which is no number above zero")
        return int(text)

    def vector(self, role: str) -> Vector:
        """The vector in a role."""
        found = self.held(role)
        if not isinstance(found, Vector):
            raise self.op.fail(f"has no vector as `{role}`")
        return found

    def mask(self, role: str = "mask") -> Mask:
        """The mask in a role."""
        found = self.held(role)
        if not isinstance(found, Mask):
            raise self.op.fail(f"has no mask as `{role}`")
        return found

    def mask_or_full(self, count: int, role: str = "mask") -> Mask:
        """The mask in a role, a full one if there is none."""
        made = self.mask(role) if self.has(role) else full_mask(count)
        if made.count != count:
            raise self.op.fail(f"governs {count} elements by a mask of {made.count}")
        return made

    def result_type(self, number: int = 0) -> VmiVectorType:
        """The type of a result that is a vector."""
        type_ = self.op.type(self.op.node.results[number])
        if not isinstance(type_, VmiVectorType) or not isinstance(type_.element, ScalarType):
            raise self.op.fail(f"makes no vector but `{type_.text}`")
        return type_

    def element(self, number: int = 0) -> ScalarType:
        """The element type of a result that is a vector."""
        element = self.result_type(number).element
        assert isinstance(element, ScalarType)
        return element

    def mask_count(self) -> int:
        """The number of elements that the mask it makes governs."""
        type_ = self.op.type(self.op.node.results[0])
        if not isinstance(type_, VmiMaskType):
            raise self.op.fail(f"makes no mask but `{type_.text}`")
        return type_.lanes

    def format(self, element: ScalarType, signed: bool = False) -> Format:
        """The number format of an element type, in which signless integers are unsigned unless said otherwise."""
        found = format_named(element, signed)
        if found is None or element.text in PAIRS:
            raise self.op.fail(f"computes with elements of `{element.text}`, which is not documented")
        return found

    def same_count(self, *vectors: Vector) -> int:
        """The number of elements that vectors have in common."""
        counts = {vector.count for vector in vectors}
        if len(counts) != 1:
            raise self.op.fail(f"joins vectors of {' and '.join(map(str, sorted(counts)))} elements")
        return counts.pop()

    def indices(self, vector: Vector) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The elements of an index vector as numbers."""
        return vector.bits.astype(np.int64)
