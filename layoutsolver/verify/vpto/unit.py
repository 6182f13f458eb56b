"""Runs VPTO instructions on registers; what the documents leave open is poison, or is named and not run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from layoutsolver.mlir.pto_types import PredicateType, RegisterType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.operation import CannotRunError, Operation
from layoutsolver.verify.pto.ram import Ram
from layoutsolver.verify.pto.sums import Sums
from layoutsolver.verify.pto.values import Get, PtoValue
from layoutsolver.verify.vpto.arithmetic import ARITHMETIC
from layoutsolver.verify.vpto.loads import LOADS
from layoutsolver.verify.vpto.operands import Call
from layoutsolver.verify.vpto.predicates import PREDICATES
from layoutsolver.verify.vpto.rearrange import REARRANGE
from layoutsolver.verify.vpto.stores import STORES
from layoutsolver_models.hardware.state import PReg, VReg

Handler = Callable[[Call], list[PtoValue]]

HANDLERS: dict[str, Handler] = {**ARITHMETIC, **LOADS, **PREDICATES, **REARRANGE, **STORES}
"""The instructions by their names."""

OPEN: dict[str, str] = {
    "vselrv2": "no document says what it selects", "vintlvv2": "no document says which half it returns",
    "vdintlvv2": "no document says which half it returns", "uvld": "no document says how it finds its alignment state",
    "vaddreluconv": "no document says to which type it converts",
    "vmulconv": "no document says to which type it converts",
    "vcbmax": "no document says what its mask is", "vcbmin": "no document says what its mask is",
    "vbitsort": "sorting is not modelled", "vmrgsort4": "sorting is not modelled",
    "sprsti": "special registers are not modelled", "sprsts": "special registers are not modelled",
}  # fmt: skip
"""The instructions that are known but not run, and why."""


@dataclass(slots=True)
class VptoUnit:
    """The vector unit; with `padding` the zeros that expanding loads fill in are poison: who relies on them shows.

    `squeezed` are the bytes that the last vsqz has kept, `stored` those that streams have stored since AR was cleared.
    """

    ram: Ram
    padding: bool = False
    sums: Sums = field(default_factory=Sums)
    squeezed: int | None = field(default=None)
    stored: int = 0

    def run(self, op: Operation, get: Get) -> list[PtoValue]:
        """The results of an instruction. Raises CannotRunError for one that is not known, and HardwareFault."""
        handler = HANDLERS.get(op.name)
        if handler is None or op.node.name.startswith("pto.vmi."):
            why = OPEN.get(op.name)
            raise op.fail(f"cannot be run: {why}" if why else "is not an instruction that the model has")
        self._check_types(op)
        try:
            made = handler(Call(op, get, self))
        except (ValueError, TypeError) as error:
            raise op.fail(f"has no such form: {error}") from None
        index = op.node.index
        return [value.traced(index) if isinstance(value, VReg | PReg) and value.poison.any() else value
                for value in made]  # fmt: skip

    def _check_types(self, op: Operation) -> None:
        """Raises CannotRunError where an operand or result has a type that no register has."""
        for value in (*op.node.operands, *op.node.results):
            type_ = op.type(value)
            if isinstance(type_, RegisterType) and not isinstance(type_.element, ScalarType):
                raise CannotRunError(op.node.index, f"the hardware model has no elements of `{type_.element.text}`")
            if not isinstance(type_, RegisterType | PredicateType) and type_.text.startswith(("!pto.vreg", "vector<")):
                raise CannotRunError(op.node.index, f"`{type_.text}` is no type of a register")
