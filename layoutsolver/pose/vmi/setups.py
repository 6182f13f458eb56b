"""Which setups operations share: equal instructions that stand in the same region once they have left all loops."""

from __future__ import annotations

from collections import Counter

from layoutsolver.backends import load_setups
from layoutsolver.pose.vmi.variants import PIPES
from layoutsolver.vmi.program import VmiOp, VmiProgram
from layoutsolver_models.problems.selection import Setup, Variant


class Setups:
    """The setups of a program's operations."""

    def __init__(self, program: VmiProgram) -> None:
        self.graph = program.graph
        self.set_up = load_setups()(program)

    def named(self, op: VmiOp, variant: Variant) -> Variant:
        """A variant whose setups have names; as it is where it has none, or where it is not known what they are."""
        if not variant.once:
            return variant
        known = self.set_up(op, variant)
        if known is None or Counter(pipe for _, pipe in known) != Counter(dict(zip(PIPES, variant.once, strict=True))):
            return variant
        home = self.home(op.before)
        setups = tuple(Setup(f"{name}{home}", tuple(int(one == pipe) for one in PIPES)) for name, pipe in known)
        return variant._replace(once=(), setups=setups)

    def home(self, op: int) -> str:
        """The region in which the setups of an operation stand, as part of a name: loops are left, branches are not."""
        node = self.graph.ops[op]
        while node.parent >= 0 and node.parent in self.graph.loops:
            node = self.graph.ops[node.parent]
        if node.parent < 0:
            return ""
        outer = self.graph.ops[node.parent].op
        regions = (number for number, region in enumerate(outer.regions) if region.first <= node.op.first < region.last)
        return f" in {node.parent}.{next(regions, 0)}"
