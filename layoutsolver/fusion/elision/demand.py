"""Which lanes of a value anybody asks for. Source: fusion spec 6.3, the table of demands.

What a lane-by-lane operation makes of lanes outside of its mask is not relied upon: they may be zero, pass on their
source, or be computed as if there were no mask. So such an operation demands of its operands what is demanded of its
result, whatever its mask.
"""

from __future__ import annotations

from layoutsolver.fusion.access import LOAD
from layoutsolver.fusion.code import Code, Item, Straight, users_of, walk
from layoutsolver.fusion.lanes import Lanes, Masks, every, none
from layoutsolver.mlir.pto_types import VmiVectorType
from layoutsolver.ops.attributes import attributes

LANEWISE = frozenset({
    "vadd", "vsub", "vmul", "vdiv", "vmin", "vmax", "vshl", "vshr", "vand", "vor", "vxor", "vnot", "vneg", "vabs",
    "vsqrt", "vexp", "vln", "vrelu", "vadds", "vmuls", "vmaxs", "vmins", "vshls", "vshrs", "vexpdif", "vaxpy", "vlrelu",
    "vprelu", "vmula", "vmull", "addf", "addi", "subf", "subi", "mulf", "muli", "divf", "minf", "maxf", "mini", "maxi",
    "andi", "ori", "xori", "shli", "shrui", "shrsi", "negf", "negi", "absf", "absi", "sqrt", "exp", "ln", "relu",
    "not", "fma",
})  # fmt: skip
"""Operations of which lane k of each result depends on lane k of each vector operand only."""

CASTS = frozenset({"vcvt", "extf", "truncf", "fptosi", "fptoui", "sitofp", "extsi", "extui", "trunci"})
"""Conversions, lane by lane where they keep the number of lanes."""

REDUCTIONS = frozenset({
    "vcadd", "vcmax", "vcmin", "reduce_addi", "reduce_addf", "reduce_maxf", "reduce_minf", "reduce_maxi", "reduce_mini",
})  # fmt: skip
"""Reductions, which take the lanes of their mask and no others."""


class Demands:
    """The lanes that are demanded of the values of a program.

    With `trust_zero`, a lane-by-lane operation that says `pmode = "zero"` makes zeros outside of its mask.
    """

    __slots__ = ("_known", "code", "masks", "trust_zero", "users")

    def __init__(self, code: Code, masks: Masks, trust_zero: bool = False) -> None:
        self.code = code
        self.masks = masks
        self.trust_zero = trust_zero
        self.users = users_of(code.items)
        self._known: dict[int, Lanes] = {}

    def of(self, value: int) -> Lanes:
        """The lanes demanded of a vector value, by all of its uses together."""
        known = self._known.get(value)
        if known is None:
            type_ = self.code.graph.values[value].type
            count = type_.lanes if isinstance(type_, VmiVectorType) else 1
            known = none(count)
            for item, position in self.users.get(value, ()):
                known = known.union(self._by_use(item, position, count))
                if known.is_all:
                    break
            self._known[value] = known
        return known

    def _by_use(self, item: Item, position: int, count: int) -> Lanes:
        if not isinstance(item, Straight):
            return every(count)
        node = item.node
        name = node.name.removeprefix("pto.vmi.")
        if name == node.name:
            return every(count)
        role, mask = node.roles[position], item.role("mask")
        if name == "vstore" and role == "value" and attributes(node).get("dist_mode", '"continuous"') == '"continuous"':
            grouped = {"stride", "block_stride", "high"} & set(node.roles) or "group" in attributes(node)
            return every(count) if grouped else self.masks.lanes(mask, count)
        if name in ("store", "masked_store") and role == "value":
            return self.masks.lanes(mask, count)
        if name in LANEWISE:
            asked = self._of_results(node.results, count)
            sure = self.trust_zero and attributes(node).get("pmode") == '"zero"'
            return asked.common(self.masks.lanes(mask, count)) if sure else asked
        if name in REDUCTIONS and role == "source":
            return self.masks.lanes(mask, count)
        if name in CASTS:
            return self._of_results(node.results, count)
        if name in ("vsel", "select") and role in ("true_value", "false_value"):
            chosen = self.masks.lanes(mask, count)
            if not chosen.is_known:
                return every(count)
            return chosen if role == "true_value" else every(count).minus(chosen)
        return every(count)

    def _of_results(self, results: list[int], count: int) -> Lanes:
        """What is demanded of results that have as many lanes; all lanes if one has not."""
        out = none(count)
        for result in results:
            asked = self.of(result)
            if asked.count != count:
                return every(count)
            out = out.union(asked)
        return out


def needs(code: Code, masks: Masks, trust_zero: bool = False) -> dict[int, Lanes]:
    """For each load of one vector, by the index of its operation, the lanes that are demanded of it."""
    demands = Demands(code, masks, trust_zero)
    loads = (item.node for item in walk(code.items) if item.node.name == LOAD and len(item.node.results) == 1)
    return {node.index: demands.of(node.results[0]) for node in loads}
