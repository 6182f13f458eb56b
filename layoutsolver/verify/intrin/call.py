"""A call of an intrinsic as it is run: its name in parts, its operands by number."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver.mlir.types import VectorType
from layoutsolver.verify import lanes as ln
from layoutsolver.verify.elements import of_scalar
from layoutsolver.verify.operation import CannotRunError, Get, Operation
from layoutsolver.verify.values import Pointer, Scalar, Value
from layoutsolver_models.hardware.formats import FORMATS, Format
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.streams import Align

SHORT_FORMATS = {
    "s8": "i8", "u8": "ui8", "s16": "i16", "u16": "ui16", "s32": "i32", "u32": "ui32", "s64": "i64", "u64": "ui64",
    "f16": "f16", "bf16": "bf16", "f32": "f32", "f8e4m3": "f8E4M3FN", "f8e5m2": "f8E5M2",
}  # fmt: skip
"""The number formats by the names that intrinsics give them."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """An intrinsic that is called: `base` is the first part of its name, `rest` the other ones."""

    op: Operation
    base: str
    rest: tuple[str, ...]

    def fail(self, message: str, *notes: str) -> CannotRunError:
        """The error that says of this call that it cannot be run."""
        name = ".".join((self.base, *self.rest))
        return CannotRunError(self.op.node.index, f"`{name}` {message}", *notes)

    def unknown(self) -> CannotRunError:
        """The error that says that there is no such intrinsic."""
        name = ".".join((self.base, *self.rest))
        return CannotRunError(self.op.node.index, f"there is no intrinsic `{name}` in the hardware model")

    def expect(self, operands: int, *parts: frozenset[str]) -> None:
        """Raise CannotRunError unless there are so many operands, and name parts of these kinds."""
        self.expect_operands(operands)
        if len(self.rest) != len(parts) or any(part not in known for part, known in zip(self.rest, parts, strict=True)):
            raise self.unknown()

    def expect_operands(self, count: int) -> None:
        """Raise CannotRunError unless there are so many operands."""
        if len(self.op.node.operands) != count:
            raise self.fail(f"takes {count} operands, not {len(self.op.node.operands)}")

    # -- formats ----------------------------------------------------------------------------------------------

    def element(self, value: int) -> Format:
        """The number format of a value that is a data register. Raises CannotRunError for another type."""
        type_ = self.op.graph.values[value].type
        fmt = self.op.format(value) if isinstance(type_, VectorType) else None
        if fmt is None:
            raise self.fail(f"takes a data register, not `{type_.text}`")
        return fmt

    def operand(self, number: int) -> Format:
        """The number format of an operand."""
        return self.element(self.op.node.operands[number])

    def result(self) -> Format:
        """The number format of the first result."""
        if not self.op.node.results:
            raise self.fail("has no result")
        return self.element(self.op.node.results[0])

    def short(self, name: str) -> Format:
        """The format that a part of the name stands for, such as `v64s32` or `s32`."""
        _, _, tail = name.rpartition("v") if name.startswith("v") else ("", "", name)
        known = SHORT_FORMATS.get(tail.lstrip("0123456789"))
        if known is None:
            raise self.unknown()
        return FORMATS[known]

    # -- operands ---------------------------------------------------------------------------------------------

    def data(self, get: Get, number: int) -> VReg:
        """A data register."""
        held = get(self.op.node.operands[number])
        if not isinstance(held, VReg):
            raise self.fail(f"has no data register for its operand {number}")
        return held

    def mask(self, get: Get, number: int) -> PReg:
        """A predicate register."""
        held = get(self.op.node.operands[number])
        if not isinstance(held, PReg):
            raise self.fail(f"has no predicate register for its operand {number}")
        return held

    def scalar(self, get: Get, number: int) -> Scalar:
        """A scalar."""
        held = get(self.op.node.operands[number])
        if not isinstance(held, Scalar):
            raise self.fail(f"has no scalar for its operand {number}")
        return held

    def number(self, get: Get, number: int) -> int:
        """The number that a scalar holds. Raises CannotRunError where it is not defined."""
        held = self.scalar(get, number)
        if not held.defined:
            raise self.fail(f"depends on its operand {number}, which is not defined")
        return held.signed

    def pointer(self, get: Get, number: int) -> Pointer:
        """An address."""
        held = get(self.op.node.operands[number])
        if not isinstance(held, Pointer):
            raise self.fail(f"has no address for its operand {number}")
        return held

    def align(self, get: Get, number: int) -> Align:
        """An alignment register."""
        held = get(self.op.node.operands[number])
        if not isinstance(held, Align):
            raise self.fail(f"has no alignment register for its operand {number}")
        return held

    def nothing(self, get: Get, *numbers: int) -> None:
        """Raise CannotRunError unless these operands are 0: what else they mean is not documented."""
        for number in numbers:
            if self.number(get, number):
                raise self.fail(f"is only known with 0 for its operand {number}")


def everywhere(value: Value, fmt: Format) -> VReg:
    """The register that holds a scalar in every lane."""
    assert isinstance(value, Scalar)
    return ln.splat(fmt, int(of_scalar(value, fmt, 1).bits[0]), value.defined)
