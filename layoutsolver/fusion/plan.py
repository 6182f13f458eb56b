"""Which fusion regions become one: the sound plan. Source: fusion spec 2.3.

A region is put into an earlier one of the same block, at whose place its items then run. What stands between them
runs behind them from then on, so it must not have to do with what they touch; what they need of it moves before them.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.fusion.access import Access, Effects, Facts
from layoutsolver.fusion.apart import Apart
from layoutsolver.fusion.code import Code, Item, Loop, Scope, Straight, results_of, uses_of, walk
from layoutsolver.fusion.conflict import conflicts, roots_apart
from layoutsolver.fusion.policy import SCOPES, is_pure
from layoutsolver.fusion.roots import Root
from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.pto_types import PointerType
from layoutsolver.mlir.types import MemRefType


class Planned(NamedTuple):
    """The program with regions put together, and why neighbours were not."""

    code: Code
    apart: tuple[Apart, ...]


class _Buffer(NamedTuple):
    """A part of the unified buffer that a region touches, the type of its elements, and an operation that shows it."""

    root: Root
    element: str
    node: OpNode


def plan(code: Code) -> Planned:
    """The program with every region in the earliest group that can take it."""
    planner = _Planner(Facts(code))
    items = planner.block(code.items)
    return Planned(Code(code.graph, items), tuple(planner.apart))


class _Planner:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.graph = facts.code.graph
        self.apart: list[Apart] = []

    def block(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """The items of a block with its regions grouped."""
        out: list[Item] = []
        group = -1
        for item in items:
            if isinstance(item, Loop):
                out.append(item._replace(body=self.block(item.body)))
            elif not isinstance(item, Scope):
                out.append(item)
            elif not item.is_region:
                out.append(item._replace(blocks=tuple(self.block(block) for block in item.blocks)))
            else:
                reason = None if group < 0 else self.refusal(out, group, item)
                if group >= 0 and reason is None:
                    group = self.merge(out, group, item)
                    continue
                if reason is not None:
                    self.apart.append(reason)
                out.append(item)
                group = len(out) - 1
        return tuple(out)

    # -- the rules --------------------------------------------------------------------------------------------

    def refusal(self, items: list[Item], group: int, region: Scope) -> Apart | None:
        """Why a region cannot join a group, None if it can."""
        target = items[group]
        assert isinstance(target, Scope)
        between = items[group + 1 :]
        return (
            self.form(target, region)
            or self.boundary(target, region)
            or self.crossing(target, between, region)
            or self.captured(target, between, region)
            or self.buffers(target, region)
        )

    def form(self, target: Scope, region: Scope) -> Apart | None:
        """Both must be one block that ends in a `pto.yield`."""
        for scope in (target, region):
            block = scope.blocks[0] if len(scope.blocks) == 1 else ()
            ending = block[-1] if block else None
            if not isinstance(ending, Straight) or ending.node.name != "pto.yield":
                text = "a region is to be one block that ends in `pto.yield`"
                return Apart(target.node, region.node, "P1", text, ((scope.node, "this one is not"),))
        return None

    def boundary(self, target: Scope, region: Scope) -> Apart | None:
        """P2: no operation in them orders units or may do anything."""
        for scope in (target, region):
            blocker = blocking(scope, self.facts)
            if blocker is not None:
                text = f"`{blocker.name}` closes the group"
                return Apart(target.node, region.node, "F3", text, ((blocker, "in a region"),))
        return None

    def crossing(self, target: Scope, between: list[Item], region: Scope) -> Apart | None:
        """P2: what stands between them may as well run behind them."""
        mine = self.facts.swept(region)
        for item in between:
            effects = self.facts.swept(item)
            blocker = effects.order or effects.unknown
            if blocker is not None:
                text = f"`{blocker.name}` stands between the regions"
                return Apart(target.node, region.node, "F3", text, ((blocker, "between them"),))
            met = first_conflict(effects, mine)
            if met is not None:
                text = "what stands between the regions touches memory that the second one touches"
                shown = ((met[0].node, "touches it between them"), (met[1].node, "touches it in the region"))
                return Apart(target.node, region.node, "P2", text, shown)
        return None

    def captured(self, target: Scope, between: list[Item], region: Scope) -> Apart | None:
        """P3: what the region uses is there before the group, or can be computed before it."""
        needed = uses_of(region)
        defined = {value: item for item in (target, *between) for value in results_of(item)}
        stack = [value for value in needed if value in defined]
        seen: set[int] = set()
        while stack:
            value = stack.pop()
            item = defined[value]
            if isinstance(item, Scope) and item is target:
                text = "the second region uses a result of the first, or what is computed from it"
                return Apart(target.node, region.node, "P3", text, ((target.node, "its result is used"),))
            if not is_pure(item.node):
                text = f"the second region uses what `{item.node.name}` between the regions makes"
                return Apart(target.node, region.node, "P3", text, ((item.node, "its result is used"),))
            if item.node.index not in seen:
                seen.add(item.node.index)
                stack += [operand for operand in item.operands if operand in defined]
        return None

    def buffers(self, target: Scope, region: Scope) -> Apart | None:
        """P4: parts of the unified buffer are the same or have no byte in common."""
        for one in self.touched(target):
            for other in self.touched(region):
                problem = _overlap(one, other)
                if problem:
                    rule, text = problem
                    shown = ((one.node, _interval(one)), (other.node, _interval(other)))
                    return Apart(target.node, region.node, rule, text, shown)
        return None

    def touched(self, region: Scope) -> list[_Buffer]:
        """The parts of the unified buffer that a region touches or makes pointers to, each once."""
        out: dict[tuple[Root, str], _Buffer] = {}
        open_roots: dict[tuple[Root, str], list[Access]] = {}
        for access in self.facts.swept(region).accesses:
            if access.root.space not in ("ub", ""):
                continue
            element = self.element(access.node)
            key = (access.root, element)
            out.setdefault(key, _Buffer(access.root, element, access.node))
            if access.root.extent is None:
                open_roots.setdefault(key, []).append(access)
        for item in walk(region.blocks[0]):
            if isinstance(item, Straight) and item.node.name == "pto.pointer_cast" and item.node.results:
                type_ = self.graph.values[item.node.results[0]].type
                root = self.facts.roots.place(item.node.results[0]).root
                if root.space in ("ub", "") and isinstance(type_, MemRefType):
                    out.setdefault((root, type_.element.text), _Buffer(root, type_.element.text, item.node))
        return [_bounded(buffer, open_roots.get(key, [])) for key, buffer in out.items()]

    def element(self, node: OpNode) -> str:
        """The element type of the pointer that an access goes through."""
        for value in node.operands:
            type_ = self.graph.values[value].type if value >= 0 else None
            if isinstance(type_, PointerType | MemRefType):
                return type_.element.text
        return ""

    # -- putting together -------------------------------------------------------------------------------------

    def merge(self, items: list[Item], group: int, region: Scope) -> int:
        """Put a region into a group, moving what it needs of what stands between; the group's new position."""
        target = items[group]
        assert isinstance(target, Scope)
        between = items[group + 1 :]
        needed = set(uses_of(region))
        moved: list[Item] = []
        for item in reversed(between):
            if needed & set(results_of(item)):
                moved.append(item)
                needed |= uses_of(item)
        *body, ending = target.blocks[0]
        *more, last = region.blocks[0]
        assert isinstance(ending, Straight)
        assert isinstance(last, Straight)
        joined = _joined(ending, last)
        block = (*body, *more, joined)
        whole = target._replace(blocks=(block,), others=(*target.others, region.node, *region.others))
        stay = [item for item in between if not any(item is one for one in moved)]
        items[group:] = [*reversed(moved), whole, *stay]
        return group + len(moved)


def _joined(first: Straight, second: Straight) -> Straight:
    """The terminator of a merged region: it yields what both yield."""
    if not second.operands:
        return first
    if not first.operands:
        return second
    return first._replace(operands=(*first.operands, *second.operands))


def blocking(scope: Scope, facts: Facts) -> OpNode | None:
    """The first operation in a region that closes a group, None if there is none."""
    for item in walk(scope.blocks[0]):
        if item.node.name in SCOPES:
            return item.node
        if isinstance(item, Straight):
            effects = facts.effects(item)
            if effects.order is not None or effects.unknown is not None:
                return item.node
        elif isinstance(item, Scope):
            effects = facts.swept(item)
            if effects.unknown is not None:
                return effects.unknown
    return None


def first_conflict(one: Effects, other: Effects) -> tuple[Access, Access] | None:
    """Two accesses that may meet, one of them a write."""
    for mine in one.accesses:
        for theirs in other.accesses:
            if conflicts(mine, theirs):
                return mine, theirs
    return None


def _bounded(buffer: _Buffer, accesses: list[Access]) -> _Buffer:
    """A buffer of which only the start is known, as far as its accesses go if all of these are known."""
    root = buffer.root
    ends: list[int] = []
    for access in accesses:
        if access.at is None or access.span is None or access.at.terms != root.start.terms:
            return buffer
        if access.at.constant < root.start.constant:
            return buffer
        ends.append(access.at.constant + access.span - root.start.constant)
    return buffer._replace(root=root._replace(extent=max(ends))) if ends else buffer


def _overlap(one: _Buffer, other: _Buffer) -> tuple[str, str] | None:
    """The rule that two buffers break, and how."""
    first, second = one.root, other.root
    if roots_apart(first, second):
        return None
    same = (first.base, first.start, first.extent) == (second.base, second.start, second.extent)
    if same and one.element == other.element and first.base != -2:
        return None
    if first.base != second.base or first.start.terms != second.start.terms or first.base == -2:
        return "UNRESOLVED_ROOT", "it is not known whether two parts of the unified buffer overlap"
    if same:
        return "PARTIAL_OVERLAP", "one part of the unified buffer has elements of two types"
    return "PARTIAL_OVERLAP", "two parts of the unified buffer overlap and are not the same"


def _interval(buffer: _Buffer) -> str:
    root = buffer.root
    if root.address is None:
        return f"an address that is not a number, of `{buffer.element}`"
    end = "..." if root.extent is None else str(root.address + root.extent)
    return f"bytes [{root.address}, {end}) of `{buffer.element}`"
