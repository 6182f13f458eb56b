"""One list of items whose loops may be fused, and what keeps pairs of its loops apart. Source: fusion spec 4."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from layoutsolver.fusion.access import Access, Effects, Facts, settled
from layoutsolver.fusion.affine import Affine
from layoutsolver.fusion.apart import Apart
from layoutsolver.fusion.attributes import semantic_attributes
from layoutsolver.fusion.code import Item, Loop, Scope, Straight, results_of, uses_of, walk
from layoutsolver.fusion.conflict import conflicts, may_meet
from layoutsolver.fusion.distance import Undecided, Window, meeting
from layoutsolver.fusion.policy import is_pure, is_terminator
from layoutsolver.graph.model import OpNode

_NESTED = frozenset({"scf.if"})


class Edge(NamedTuple):
    """Why one item must come before another: the rule, and the operations on both sides that show it."""

    rule: str
    before: OpNode
    after: OpNode


class Meeting(NamedTuple):
    """Two accesses that keep two loops apart, and the turns of both where they meet (None where that is not known)."""

    earlier: Access
    later: Access
    turns: tuple[int, int] | None


class Block:
    """The items of a block with how they depend on each other; `loops` are the positions of its loops."""

    __slots__ = ("_swept", "edges", "facts", "items", "loops", "paths")

    def __init__(self, items: tuple[Item, ...], facts: Facts) -> None:
        self.items = items
        self.facts = facts
        self.loops = [at for at, item in enumerate(items) if isinstance(item, Loop)]
        self._swept = [facts.swept(item) for item in items]
        self.edges = self._edges()
        self.paths = self._paths()

    def loop(self, number: int) -> Loop:
        """The loop of that number."""
        item = self.items[self.loops[number]]
        assert isinstance(item, Loop)
        return item

    # -- order ------------------------------------------------------------------------------------------------

    def _edges(self) -> list[dict[int, Edge]]:
        """For each item, those before it that it depends on."""
        definers: dict[int, int] = {}
        out: list[dict[int, Edge]] = []
        busy: list[int] = []
        for at, item in enumerate(self.items):
            edges: dict[int, Edge] = {}
            for value in sorted(uses_of(item)):
                if value in definers:
                    earlier = definers[value]
                    edges.setdefault(
                        earlier, Edge("SSA", self.items[earlier].node, _user(item, value))
                    )  # fmt: skip
            effects = self._swept[at]
            if not effects.is_pure or isinstance(item, Loop):
                for earlier in busy:
                    if earlier not in edges:
                        found = self._edge(earlier, at)
                        if found is not None:
                            edges[earlier] = found
                busy.append(at)
            definers.update(dict.fromkeys(results_of(item), at))
            out.append(edges)
        return out

    def _edge(self, earlier: int, later: int) -> Edge | None:
        one, other = self._swept[earlier], self._swept[later]
        for effects in (one, other):
            blocker = effects.order or effects.unknown
            if blocker is not None:
                rule = "F3" if effects.order is not None else "UNKNOWN_EFFECT"
                nodes = self.items[earlier].node, self.items[later].node
                return Edge(rule, blocker if effects is one else nodes[0], blocker if effects is other else nodes[1])
        for mine in one.accesses:
            for theirs in other.accesses:
                if conflicts(mine, theirs):
                    rule = ("WAW" if theirs.is_write else "RAW") if mine.is_write else "WAR"
                    return Edge(rule, mine.node, theirs.node)
        return None

    def _paths(self) -> list[dict[int, tuple[int, ...]]]:
        """For each item, the loops from which it is reached through items that are no loops, with these items."""
        out: list[dict[int, tuple[int, ...]]] = []
        is_loop = [isinstance(item, Loop) for item in self.items]
        for at, edges in enumerate(self.edges):
            found: dict[int, tuple[int, ...]] = {}
            for earlier in sorted(edges):
                if is_loop[earlier]:
                    if not is_loop[at]:
                        found.setdefault(earlier, ())
                    continue
                for loop, way in out[earlier].items():
                    longer = (*way, earlier)
                    if loop not in found or len(longer) < len(found[loop]):
                        found[loop] = longer
            out.append(found)
        return out

    # -- pairs of loops ---------------------------------------------------------------------------------------

    def apart(self, first: int, second: int) -> Apart | None:
        """Why two loops, by number, cannot be one whatever else is; None if they may."""
        one, other = self.loop(first), self.loop(second)
        return (
            self._body(one, other)
            or self._header(one, other)
            or self._result(first, second)
            or self._stuck(first, second)
            or self._preventing(one, other)
        )

    def _body(self, one: Loop, other: Loop) -> Apart | None:
        for loop in (one, other):
            found = body_effect(loop, self.facts)
            if found is not None:
                text = f"`{found.name}` in the body of a loop keeps it by itself"
                return Apart(one.node, other.node, "BODY_EFFECT", text, ((found, "here"),))
        return None

    def _header(self, one: Loop, other: Loop) -> Apart | None:
        difference = header_difference(one, other, self.facts)
        if not difference:
            return None
        return Apart(one.node, other.node, "HEADER", f"the loops have different {difference}")

    def _result(self, first: int, second: int) -> Apart | None:
        edge = self.edges[self.loops[second]].get(self.loops[first])
        if edge is None or edge.rule != "SSA":
            return None
        one, other = self.loop(first), self.loop(second)
        text = "the second loop uses what the first one has at its end"
        return Apart(one.node, other.node, "SSA_RESULT", text, ((edge.after, "a result of the first loop is used"),))

    def _stuck(self, first: int, second: int) -> Apart | None:
        way = self.paths[self.loops[second]].get(self.loops[first])
        if not way:
            return None
        one, other = self.loop(first), self.loop(second)
        chain = [self.loops[first], *way, self.loops[second]]
        for at in way:
            blocker = self._swept[at].order or self._swept[at].unknown
            if blocker is not None:
                text = f"`{blocker.name}` between the loops must not be crossed"
                return Apart(one.node, other.node, "F3", text, ((blocker, "between the loops"),))
        names = " -> ".join(f"`{self.items[at].node.name}`" for at in way)
        text = f"{names} can run neither before both loops nor after both"
        if len(way) > 1:
            text = f"{names} can run neither all before both loops nor all after both"
        shown = tuple((self.items[at].node, self._reason(chain, number + 1)) for number, at in enumerate(way))
        return Apart(one.node, other.node, "STUCK", text, shown, self._last_step(chain))

    def _reason(self, chain: list[int], number: int) -> str:
        """Why an item of a chain comes behind the one before it in the chain."""
        before, at = chain[number - 1], chain[number]
        edge = self.edges[at][before]
        what = "the first loop" if number == 1 else f"`{self.items[before].node.name}`"
        return {
            "SSA": f"uses a result of {what}",
            "RAW": f"may read what {what} writes",
            "WAR": f"may overwrite what {what} reads",
            "WAW": f"may overwrite what {what} writes",
        }.get(edge.rule, f"must stay after {what}")

    def _last_step(self, chain: list[int]) -> tuple[str, ...]:
        edge = self.edges[chain[-1]][chain[-2]]
        verb = {
            "SSA": "uses its result", "RAW": "may read what it writes", "WAR": "may overwrite what it reads",
            "WAW": "may overwrite what it writes",
        }.get(edge.rule, "must stay after it")  # fmt: skip
        return (f"the second loop comes after `{self.items[chain[-2]].node.name}`: it {verb}",)

    def _preventing(self, one: Loop, other: Loop) -> Apart | None:
        found = preventing(one, other, self.facts)
        if found is None:
            return None
        kinds = {(True, False): "reads", (True, True): "overwrites", (False, True): "overwrites"}
        verb = kinds[found.earlier.is_write, found.later.is_write]
        what = "writes" if found.earlier.is_write else "reads"
        if found.turns is None:
            text = f"the second loop may touch in an early turn what the first one {what} in a later turn"
            notes: tuple[str, ...] = ("the addresses are not known well enough to tell the turns",)
        else:
            later, earlier = found.turns
            text = f"turn {earlier} of the second loop {verb} what turn {later} of the first one {what}"
            notes = (f"witness: t = {later}, u = {earlier}",)
        shown = ((found.earlier.node, f"{what} it"), (found.later.node, f"{verb} it"))
        return Apart(one.node, other.node, "FP", text, shown, notes)

    def needs_barrier(self, first: int, second: int) -> bool:
        """Whether two loops depend on each other by what the first writes, with nothing between that does on both."""
        before, after = self.loops[first], self.loops[second]
        edge = self.edges[after].get(before)
        if edge is None or not _raw_or_waw(self._swept[before], self._swept[after]):
            return False
        return not any(before in self.edges[between] for between in self.edges[after] if between > before)

    def shortest(self, first: int, second: int) -> list[int]:
        """The items on a way of dependences between two items, ends included; empty if there is none."""
        queue, came = deque([second]), {second: -1}
        while queue:
            at = queue.popleft()
            if at == first:
                out = []
                while at >= 0:
                    out.append(at)
                    at = came[at]
                return out
            for earlier in self.edges[at]:
                if earlier >= first and earlier not in came:
                    came[earlier] = at
                    queue.append(earlier)
        return []


def _raw_or_waw(one: Effects, other: Effects) -> bool:
    return any(mine.is_write and may_meet(mine, theirs) for mine in one.accesses for theirs in other.accesses)


def _user(item: Item, value: int) -> OpNode:
    """The operation within an item that uses a value."""
    for inner in walk((item,)):
        if value in inner.operands or (
            isinstance(inner, Loop) and any(one.yielded == value for one in inner.carried)
        ):  # fmt: skip
            return inner.node
    return item.node


def body_effect(loop: Loop, facts: Facts) -> OpNode | None:
    """The operation in a body that keeps the loop from being fused, None if there is none. Source: fusion spec 4.3."""
    for item in walk(loop.body):
        if isinstance(item, Scope):
            if item.node.name not in _NESTED:
                return item.node
        elif isinstance(item, Straight) and not (is_pure(item.node) or is_terminator(item.node)):
            if item.node.name not in ("pto.vmi.vload", "pto.vmi.vstore"):
                return item.node
            if facts.access(item) is None:
                return item.node
    return None


def header_difference(one: Loop, other: Loop, facts: Facts) -> str:
    """What two headers differ in; empty if they are equal. Source: fusion spec 4.3."""
    numbers = facts.numbers
    for what, mine, theirs in zip(("lower bounds", "upper bounds", "steps"), one.bounds, other.bounds, strict=True):
        if mine != theirs and numbers.affine(mine) != numbers.affine(theirs):
            return what
    values = facts.code.graph.values
    if values[one.induction].type.text != values[other.induction].type.text:
        return "types of their induction variables"
    if semantic_attributes(one.node) != semantic_attributes(other.node):
        return "attributes"
    return ""


def preventing(one: Loop, other: Loop, facts: Facts) -> Meeting | None:
    """Two accesses that fusing two loops would run in the wrong order, None if there are none: the condition `FP`.

    The loops have equal headers. Source: fusion spec 4.3.
    """
    turns = facts.numbers.turns(one)
    if turns.length is not None and turns.length < 2:
        return None
    first, second = _rows(one, facts), _rows(other, facts)
    for mine in first:
        for theirs in second:
            if not (mine.is_write or theirs.is_write):
                continue
            found = _wrong_order(mine, theirs, one, other, facts)
            if found is not None:
                return found
    return None


def _rows(loop: Loop, facts: Facts) -> list[Access]:
    """The accesses of a body, with places that depend on nothing but the turn and what is outside."""
    inner = facts.defined_inside(loop) - {loop.induction}
    return [settled(access, inner) for access in facts.body_effects(loop).accesses]


def _wrong_order(mine: Access, theirs: Access, one: Loop, other: Loop, facts: Facts) -> Meeting | None:
    whole = [_everywhere(mine, one, facts), _everywhere(theirs, other, facts)]
    if not may_meet(*whole):
        return None
    window = window_of(mine, theirs, one, other, facts)
    if window is None:
        return Meeting(mine, theirs, None)
    try:
        turns = meeting(window, facts.numbers.turns(one).length)
    except Undecided:
        return Meeting(mine, theirs, None)
    return None if turns is None else Meeting(mine, theirs, turns)


def _everywhere(access: Access, loop: Loop, facts: Facts) -> Access:
    from layoutsolver.fusion.access import sweep

    return sweep(access, loop.induction, facts.numbers.turns(loop), frozenset({loop.induction}))


def window_of(mine: Access, theirs: Access, one: Loop, other: Loop, facts: Facts) -> Window | None:
    """The rows of bytes that two accesses go through, turn by turn; None where they cannot be compared."""
    if mine.at is None or theirs.at is None or mine.span is None or theirs.span is None:
        return None
    if (mine.root.base, mine.root.space) != (theirs.root.base, theirs.root.space) or mine.root.base < -1:
        return None
    starts: list[Affine] = []
    strides: list[int] = []
    for access, loop in ((mine, one), (theirs, other)):
        at, turns = access.at, facts.numbers.turns(loop)
        assert at is not None
        factor = at.factor(loop.induction)
        starts.append(at.without(loop.induction).plus(turns.first.times(factor)))
        strides.append(factor * turns.step)
    gap = starts[1].plus(starts[0].times(-1))
    if gap.terms:
        return None
    return Window(gap.constant, strides[0], mine.span, strides[1], theirs.span)
