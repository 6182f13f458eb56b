"""Whether an operation does what it means under given layouts, by the lane rules.

Most operations do under every layout that they take; for the others a `Check` tells, for layouts of their values, which
lane rule speaks against them. Nothing is computed before such an operation is met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.ops.attributes import attributes
from layoutsolver.pose.ave_live import live_values
from layoutsolver.pose.ave_masks import (
    ANYTHING,
    GRANULES,
    ODD,
    TWO,
    State,
    is_unaligned,
    mask_states,
    pattern_of,
    pattern_slots,
)
from layoutsolver.pose.ave_right import part_of
from layoutsolver.pose.ave_tables import LOAD_DISTS, PREDICATE_CASTS, STORE_DISTS
from layoutsolver.pose.ave_values import layout_change, read_lanes, takes_last
from layoutsolver_models.rules.ave_lanes import INTERLEAVED, LANE_RULES, Interleaved
from layoutsolver_models.vecmem import DENSE, VECMEM_TYPES, layout_width


class Wrong(NamedTuple):
    """A lane rule that speaks against layouts, in words for this operation, and what would help."""

    rule: str
    why: str
    help: str = ""


Layouts = Mapping[int, str]
"""The layouts of graph values."""

Check = Callable[[Layouts], Wrong | None]


def wrong(rule: str, **filled: object) -> Wrong:
    """What a lane rule says, filled in."""
    known = LANE_RULES[rule]
    return Wrong(rule, known.why.format(**filled), known.help)


class LaneJudge:
    """Judges the operations of one program."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._states: dict[int, State] | None = None
        self._live: set[int] | None = None

    def check(self, node: OpNode) -> Check | None:
        """What tells of an operation's layouts whether they are right; None if all are."""
        maker = _MAKERS.get(node.name)
        return None if maker is None else maker(self, node)

    def is_excused(self, node: OpNode) -> bool:
        """Whether a gather under a mask of bytes is right all the same.

        The request r is governed by element 2r: that is as well as element r where both are set, which of the first n
        elements of a mask those are that are read.
        """
        mask = node.role("mask")
        count = self._first_set(mask) if mask is not None else 0
        return bool(node.results) and self.needed.get(node.results[0], 0) <= (count + 1) // 2

    def _first_set(self, mask: int) -> int:
        """How many leading slots of a b8 mask are certainly set, all others being clear; 0 where that is not known."""
        op = self.graph.values[mask].op
        node = self.graph.ops[op] if op >= 0 else None
        if node is None or node.results[0] != mask:
            return 0
        if node.name == "ave.hir.plt":
            return max(0, self.graph.constants.get(node.operands[0], 0))
        is_first = node.name == "ave.hir.pge" and pattern_of(node)[:2] in ("AL", "VL")
        return pattern_slots(pattern_of(node), self.lanes(mask), VECMEM_TYPES["b8"].lanes) if is_first else 0

    # -- facts ------------------------------------------------------------------------------------------------

    @cached_property
    def needed(self) -> dict[int, int]:
        """How many elements of each vector are read."""
        return read_lanes(self.graph, self._set_in)

    def _set_in(self, mask: int) -> int:
        """How many elements of a mask may be set; those of a loaded one may all be, whatever of them a load brings."""
        op = self.graph.values[mask].op
        if op >= 0 and self.graph.ops[op].name == "ave.hir.vload":
            return self.lanes(mask)
        return self.state(mask)[GRANULES["b8"]].extent

    def state(self, mask: int) -> State:
        """What may be set in a predicate."""
        if self._states is None:
            self._states = mask_states(self.graph)
        return self._states.get(mask, ANYTHING)

    def is_live(self, value: int) -> bool:
        """Whether anything that leaves the program depends on a value."""
        if self._live is None:
            self._live = live_values(self.graph)
        return value in self._live

    def lanes(self, value: int) -> int:
        """The elements of a vector's type, 0 for what is no vector."""
        vector = self.graph.values[value].vector
        return 0 if vector is None else vector.lanes

    def bits(self, value: int) -> int:
        """The element width of a vector, 0 where there is none."""
        vector = self.graph.values[value].vector
        return 0 if vector is None else vector.bits or 0

    def is_uniform(self, value: int) -> bool:
        """Whether every lane of the register holds the same, whatever the layout."""
        op = self.graph.values[value].op
        if op < 0:
            return False
        node = self.graph.ops[op]
        if node.name == "ave.hir.scalar_broadcast":
            return True
        return node.name == "ave.hir.vload" and load_dist(node).startswith("BRC")


def load_dist(node: OpNode) -> str:
    """The distribution of a load or store."""
    return attributes(node).get("dist", "") if node.op.is_generic else node.enums.get("dist", "")


def is_dense(layout: str) -> bool:
    """Whether elements lie side by side in a layout."""
    kind = VECMEM_TYPES[layout]
    return kind.slot_bytes * 8 == kind.bits


# -- masks --------------------------------------------------------------------------------------------------------


def _mask_check(judge: LaneJudge, node: OpNode, value: int | None, rule: str, between: str = "") -> Check | None:
    """What a mask governs besides the elements of `value`, for operations that this matters to."""
    mask = node.role("mask")
    if mask is None or value is None or judge.bits(value) in (1, 64):
        return None
    lanes, state = judge.lanes(value), judge.state(mask)
    if all(bits.extent <= lanes for bits in state) and not (between and any(bits.between for bits in state)):
        return None

    def check(layouts: Layouts) -> Wrong | None:
        place = GRANULES.get(layouts.get(mask, ""))
        kind = VECMEM_TYPES.get(layouts.get(value, ""))
        if place is None or kind is None:
            return None
        if state[place].extent > lanes:
            return wrong(rule, extent=state[place].extent, lanes=lanes)
        if between and state[place].between & _SEEN.get((kind.bits, kind.slot_bytes, between), 0):
            return wrong(between)
        return None

    return check


_SEEN = {
    (8, 2, "AVE.LANES.REDUCE.BETWEEN"): ODD, (8, 4, "AVE.LANES.REDUCE.BETWEEN"): ODD | TWO,
    (16, 4, "AVE.LANES.REDUCE.BETWEEN"): TWO, (16, 4, "AVE.LANES.SCATTER.BETWEEN"): TWO,
}  # fmt: skip
"""The bits between elements that an instruction on lanes of the element width looks at, by element and slot size."""


def _store(judge: LaneJudge, node: OpNode) -> Check | None:
    dist, value = load_dist(node), node.role("val")
    if dist.startswith("ONEPT") or value is None or judge.bits(value) == 64:
        return None
    if dist.startswith("NORM") or not dist:
        return _mask_check(judge, node, value, "AVE.LANES.STORE.MASK")
    masked = _mask_check(judge, node, value, "AVE.LANES.STORE.MASK")
    meant = STORE_DISTS.get(dist) if dist.startswith("PK") else DENSE[layout_width(judge.bits(value))]

    def check(layouts: Layouts) -> Wrong | None:
        if layouts.get(value) != meant:
            return wrong("AVE.LANES.STORE.DIST", dist=dist)
        return masked(layouts) if masked is not None else None

    return check


def _store_strided(judge: LaneJudge, node: OpNode) -> Check | None:
    return _mask_check(judge, node, node.role("val"), "AVE.LANES.VSSTB.MASK")


def _scatter(judge: LaneJudge, node: OpNode) -> Check | None:
    return _mask_check(judge, node, node.role("val"), "AVE.LANES.SCATTER.MASK", "AVE.LANES.SCATTER.BETWEEN")


def _reduction(judge: LaneJudge, node: OpNode) -> Check | None:
    if not any(judge.is_live(value) for value in node.results):
        return None
    return _mask_check(judge, node, node.role("vector"), "AVE.LANES.REDUCE.MASK", "AVE.LANES.REDUCE.BETWEEN")


def _pattern(judge: LaneJudge, node: OpNode) -> Check | None:
    name = pattern_of(node)
    if name not in ("H", "Q") or not node.results or not judge.is_live(node.results[0]):
        return None
    result = node.results[0]
    lanes = judge.lanes(result)
    meant = lanes // (2 if name == "H" else 4)

    def check(layouts: Layouts) -> Wrong | None:
        slots = VECMEM_TYPES[layouts[result]].lanes
        seen = min(judge.needed.get(result, lanes), slots)
        if min(meant, seen) == min(pattern_slots(name, lanes, slots), seen):
            return None
        return wrong("AVE.LANES.PGE", pattern=name, slots=slots, lanes=lanes)

    return check


def _count(judge: LaneJudge, node: OpNode) -> Check | None:
    """The second result of `plt`, which is what is left for the next register."""
    if len(node.results) < 2 or not node.operands or not judge.is_live(node.results[1]):
        return None
    result = node.results[0]
    lanes, known = judge.lanes(result), judge.graph.constants.get(node.operands[0])

    def check(layouts: Layouts) -> Wrong | None:
        slots = VECMEM_TYPES[layouts[result]].lanes
        if slots == lanes or (known is not None and known <= min(slots, lanes)):
            return None
        return wrong("AVE.LANES.PLT.REST", slots=slots, lanes=lanes)

    return check


# -- loads --------------------------------------------------------------------------------------------------------


def _load(judge: LaneJudge, node: OpNode) -> Check | None:
    dist = load_dist(node)
    if not node.results or (dist == "NORM" and judge.bits(node.results[0]) != 1):
        return None
    result = node.results[0]
    if judge.bits(result) == 1:
        needed = judge.needed.get(result, judge.lanes(result))
        if needed <= 128 or not is_unaligned(node) or not judge.is_live(result):
            return None
        return lambda layouts: wrong("AVE.LANES.LOAD.MASK") if layouts[result] == "b8" else None
    if judge.bits(result) == 64 or dist.startswith("BRC"):
        return None
    vectors = judge.graph.vectors(node.results)
    if not any(judge.is_live(value) for value in vectors):
        return None

    def check(layouts: Layouts) -> Wrong | None:
        given = [layouts[value] for value in vectors if value in layouts]
        right = LOAD_DISTS.get(dist, "") if dist.startswith("UNPK") else DENSE[VECMEM_TYPES[given[0]].bits]
        return None if all(layout == right for layout in given) else wrong("AVE.LANES.LOAD.DIST", dist=dist)

    return check


# -- conversions and rearrangement --------------------------------------------------------------------------------


def _convert(judge: LaneJudge, node: OpNode) -> Check | None:
    part = part_of(node)
    source = node.role("src")
    if not part or source is None or not node.results or not judge.is_live(node.results[0]):
        return None
    before, after = judge.bits(source), judge.bits(node.results[0])
    if before == after or 64 in (before, after):
        return None
    if before > after:
        if "layout_change" in attributes(node):
            return None
        return lambda layouts: wrong("AVE.LANES.TRUNC.PART", part=part)
    return lambda layouts: wrong("AVE.LANES.EXT.PART", part=part)


def _interleave(judge: LaneJudge, node: OpNode) -> Check | None:
    first, second = node.role("src1"), node.role("src2")
    if first is None or second is None or len(node.results) != 2 or judge.bits(first) == 64:
        return None
    wanted = [judge.needed.get(value, 0) if judge.is_live(value) else 0 for value in node.results]
    if not any(wanted) or (first == second and judge.is_uniform(first)):
        return None
    name, change = node.name.removeprefix("ave.hir."), layout_change(node)
    lanes, results = judge.lanes(first), judge.lanes(node.results[0])

    def check(layouts: Layouts) -> Wrong | None:
        layout = layouts[first]
        for number, need in enumerate(wanted):
            row = INTERLEAVED.get((name, change, not is_dense(layout), number))
            right = need if row is None else reached(row, lanes, results, VECMEM_TYPES[layout].lanes, need)
            if right < need:
                result = judge.graph.values[node.results[number]].name
                return wrong("AVE.LANES.INTLV", at=right, result=result)
        return None

    return check


def reached(row: Interleaved, lanes: int, results: int, slots: int, need: int) -> int:
    """How many of `need` leading elements are right, the sources having `lanes` elements and `slots` slots."""
    whole = {
        "always": True,
        "never": False,
        "sources": lanes == slots,
        "results": results == slots,
        "dense": results == 2 * slots,
        "sparse": (lanes + 1) // 2 == slots // 2,
    }[row.whole]
    if whole:
        return need
    reach = {
        "none": 0,
        "one": 1,
        "half_up": (lanes + 1) // 2,
        "half_down": lanes // 2,
        "half_result": min(results // 2, slots),
    }[row.reach]
    return min(need, reach)


def _repack(judge: LaneJudge, node: OpNode) -> Check | None:
    if not node.results or not judge.is_live(node.results[0]) or judge.bits(node.results[0]) == 64:
        return None
    result = node.results[0]
    return lambda layouts: None if is_dense(layouts[result]) else wrong("AVE.LANES.REPACK")


def _slide(judge: LaneJudge, node: OpNode) -> Check | None:
    first, second, by = node.role("src1"), node.role("src2"), node.role("slide")
    if first is None or by is None or not node.results or not judge.is_live(node.results[0]):
        return None
    known = judge.graph.constants.get(by)
    if judge.bits(first) == 64 or known == 0 or (first == second and judge.is_uniform(first)):
        return None
    result, lanes = node.results[0], judge.lanes(first)
    inside = known is not None and judge.needed.get(result, lanes) + known <= lanes

    def check(layouts: Layouts) -> Wrong | None:
        if not is_dense(layouts[first]):
            return wrong("AVE.LANES.SPREAD.SLIDE")
        if inside or lanes == VECMEM_TYPES[layouts[first]].lanes:
            return None
        return wrong("AVE.LANES.SLIDE", lanes=lanes)

    return check


def _last(judge: LaneJudge, node: OpNode) -> Check | None:
    source = node.role("src")
    if source is None or not takes_last(node) or not node.results or not judge.is_live(node.results[0]):
        return None
    if judge.bits(source) == 64 or judge.is_uniform(source):
        return None
    lanes = judge.lanes(source)

    def check(layouts: Layouts) -> Wrong | None:
        layout = layouts[source]
        if is_dense(layout) and VECMEM_TYPES[layout].lanes == lanes:
            return None
        return wrong("AVE.LANES.LAST", lanes=lanes)

    return check


def cast_is_wrong(node: OpNode, layouts: Layouts) -> Wrong | None:
    """A `preg.cast` between other granularities than its mode has."""
    mode = attributes(node).get("mode", "")
    given = layouts.get(node.operands[0]), layouts.get(node.results[0])
    return None if given == PREDICATE_CASTS.get(mode) else wrong("AVE.LANES.PCAST", mode=mode)


_MAKERS: dict[str, Callable[[LaneJudge, OpNode], Check | None]] = {
    "ave.hir.masked_store": _store, "ave.hir.unaligned.masked.store": _store,
    "ave.hir.store_with_stride": _store_strided, "ave.hir.vscatter": _scatter, "ave.hir.reduction": _reduction,
    "ave.hir.pge": _pattern, "ave.hir.plt": _count, "ave.hir.vload": _load,
    **{f"ave.hir.{name}": _convert for name in (
        "vextf", "vextsi", "vextui", "vtrunci", "vtruncf", "vfptosi", "vfptoui", "vsitofp", "vuitofp")},
    "ave.hir.vintlv": _interleave, "ave.hir.vdintlv": _interleave, "ave.hir.vpack": _repack,
    "ave.hir.vunpack": _repack, "ave.hir.vslide": _slide, "ave.hir.vector_broadcast": _last,
}  # fmt: skip
