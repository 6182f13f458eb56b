"""One execution of an operation of PTO: its attributes, and its operands as what it takes."""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver.verify.operation import Operation
from layoutsolver.verify.pto.around import defined, pointer
from layoutsolver.verify.pto.values import Get, Pointer, PtoValue
from layoutsolver.verify.values import Scalar


@dataclass(frozen=True, slots=True)
class PtoCall:
    """What both dialects have. All methods raise CannotRunError where an operand is not what they ask for."""

    op: Operation
    get: Get

    @property
    def name(self) -> str:
        """The plain name of the operation."""
        return self.op.name

    @property
    def node(self) -> int:
        """The graph index of the operation."""
        return self.op.node.index

    def attr(self, name: str, default: str = "") -> str:
        """An attribute or inline string."""
        return self.op.attrs.get(name, default)

    def has(self, role: str) -> bool:
        """Whether there is an operand in a role."""
        return self.op.node.role(role) is not None

    def held(self, role: str) -> PtoValue:
        """What is in a role."""
        return self.get(self.op.value(role))

    def scalar_in(self, role: str) -> Scalar:
        """The scalar in a role."""
        found = self.held(role)
        if not isinstance(found, Scalar):
            raise self.op.fail(f"has no scalar as `{role}`")
        return found

    def pointer(self, role: str) -> Pointer:
        """The pointer in a role."""
        return pointer(self.op, self.get, role)

    def number(self, role: str) -> int:
        """The integer in a role."""
        return defined(self.op, self.held(role))
