"""What each variant sets up: instructions that depend on no vector, each by a name that equal ones share.

Setups are emitted as the variant itself is, so that what has one name is one instruction in the lowered text.
"""

from __future__ import annotations

from collections.abc import Hashable

from layoutsolver.ops.spec import Effect
from layoutsolver.vmi.program import StepScalar, VmiOp, VmiProgram
from layoutsolver_backends.vpto.build import Builder, UnsupportedError
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa
from layoutsolver_backends.vpto.emission import types_of
from layoutsolver_backends.vpto.families import EMISSIONS
from layoutsolver_backends.vpto.site import Held, Site
from layoutsolver_models.problems.selection import Variant
from layoutsolver_models.rules.vmi.table import RULES

Named = tuple[tuple[str, str], ...]
"""Instructions by their names, with the pipe of each."""


class Setups:
    """The setups of a program's operations: call it with an operation and one of its variants."""

    def __init__(self, program: VmiProgram) -> None:
        self.build = Builder(program)
        self.names: dict[Hashable, str] = {}
        self.of_text: dict[Ssa, int] = {}

    def __call__(self, op: VmiOp, variant: Variant) -> Named | None:
        """The different instructions that a variant sets up; None where that depends on what others make."""
        if any(isinstance(operand, StepScalar) for operand in op.operands.values()):
            return None
        build, rule = self.build, RULES[variant.rule]
        build.code, build.place = Code(), 0
        way = rule.lowerings[int(variant.attrs["lowering"])]
        listed = {step.instruction.partition(" ")[0] for step in way.steps if step.setup}
        if "pset" in listed:
            listed.add("plt")  # a prefix for which there is no pattern
        layouts = dict(zip((*op.vectors(), *op.results), variant.layouts, strict=True))
        held: Held = {}
        for role, value in op.vectors().items():
            held[value.number, layouts[role]] = tuple(build.value(one) for one in types_of(value, layouts[role]))
        try:
            EMISSIONS[rule.family](Site(build, op, rule, way, layouts, held))
        except UnsupportedError:
            return None
        self.of_text = {made: value for value, made in build.outside.items()}
        known: dict[Ssa, Hashable] = {}
        found: dict[str, str] = {}
        for _, one in build.code.all():
            key = self._key(one, known)
            if key is None:
                continue
            known.update((value, (*key, place)) for place, value in enumerate(one.results))
            name = one.name.removeprefix("pto.")
            if one.counted and not listed.isdisjoint((name, name.rpartition("_b")[0])):
                found.setdefault(self.names.setdefault(key, f"{name} {len(self.names)}"), one.pipe)
        return tuple(found.items())

    def _key(self, one: Instruction, known: dict[Ssa, Hashable]) -> tuple[Hashable, ...] | None:
        """What makes instructions equal, None for one that is no setup."""
        operands = [known.get(value, self.of_text.get(value)) for value in one.operands]
        if one.effect is not Effect.PURE or None in operands:
            return None
        return one.name, tuple(operands), one.words, one.attrs, tuple(value.type for value in one.results)
