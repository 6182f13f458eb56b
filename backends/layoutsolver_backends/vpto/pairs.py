"""What an operation takes of instructions where one of its operands is made in some way.

Both are emitted, and what is done to lowered programs is done to them: widening what lies between zeros reads it as
wider lanes, and of equal lanes any part will do.
"""

from __future__ import annotations

from layoutsolver.vmi.program import StepScalar, VmiOp, VmiProgram
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Code
from layoutsolver_backends.vpto.emission import types_of
from layoutsolver_backends.vpto.families import EMISSIONS
from layoutsolver_backends.vpto.passes.conversions import simplify_conversions
from layoutsolver_backends.vpto.passes.dead import drop_dead
from layoutsolver_backends.vpto.site import Held, Site
from layoutsolver_backends.vpto.templates import merge
from layoutsolver_models.problems.selection import Variant
from layoutsolver_models.rules.vmi.table import RULES


class Pairs:
    """Counts the instructions of operations of a program: call it with the maker of an operand and with its user."""

    def __init__(self, program: VmiProgram) -> None:
        self.build = Builder(program)

    def __call__(self, maker: VmiOp, made: Variant, user: VmiOp, taken: Variant) -> dict[str, int] | None:
        """The instructions of the user on each pipe; None where one of both is not emitted by itself."""
        build = self.build
        build.code, build.place = Code(), 0
        held: Held = {}
        try:
            for owner, op, variant in (("maker", maker, made), ("user", user, taken)):
                if any(isinstance(operand, StepScalar) for operand in op.operands.values()):
                    return None
                build.owner = owner
                self._emit(op, variant, held)
        except UnsupportedError:
            return None
        code = build.code
        code.taken = {(0, place): registers for place, registers in enumerate(held.values())}
        for _ in range(2):
            drop_dead(code)
            merge(code)
            simplify_conversions(code)
        merge(code)
        drop_dead(code)
        found: dict[str, int] = {}
        for _, one in code.all():
            if one.owner == "user" and one.counted:
                found[one.pipe] = found.get(one.pipe, 0) + one.occupies
        return found

    def _emit(self, op: VmiOp, variant: Variant, held: Held) -> None:
        layouts = dict(zip((*op.vectors(), *op.results), variant.layouts, strict=True))
        for role, value in op.vectors().items():
            key = (value.number, layouts[role])
            if key not in held:
                held[key] = tuple(self.build.value(one) for one in types_of(value, layouts[role]))
        rule = RULES[variant.rule]
        way = rule.lowerings[int(variant.attrs["lowering"])]
        EMISSIONS[rule.family](Site(self.build, op, rule, way, layouts, held))
