"""What items touch in memory: vector loads and stores in detail, everything else as far as it is known.

Source: fusion spec 1.3, 1.4, 4.5, 6.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from layoutsolver.fusion.affine import Affine, Numbers, Spread, Turns
from layoutsolver.fusion.code import Code, Item, Loop, Straight, results_of, walk
from layoutsolver.fusion.copies import spans_of
from layoutsolver.fusion.policy import COPIES, SYNCHRONISATION, is_pure, is_terminator
from layoutsolver.fusion.roots import Place, Root, Roots, element_bytes
from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.pto_types import PointerType, VmiVectorType, space_of
from layoutsolver.mlir.types import MemRefType
from layoutsolver.ops.attributes import attributes

LOAD = "pto.vmi.vload"
STORE = "pto.vmi.vstore"
UNKNOWN_ROOT = Root("", -2, Affine())
"""Memory that may be anything."""


class Access(NamedTuple):
    """One access: bytes `[at, at + span)` behind the base of `root`, at most those of the whole root.

    `at` is None where the place within the root is not known, `span` None where its length is not; `is_write` tells
    the kind, `is_simple` whether it is a continuous access of one vector (spec 6.2), whose `value` is then the vector
    loaded or stored and `mask` the mask of the store. `spread` are the places that `at` can be in all turns of loops.
    """

    node: OpNode
    is_write: bool
    root: Root
    at: Affine | None
    span: int | None
    is_simple: bool = False
    value: int = -1
    mask: int | None = None
    element: int | None = None
    spread: Spread | None = None


class Effects(NamedTuple):
    """What an item does: its accesses in order, the first operation that orders units or is unknown, by kind.

    `order` is a synchronisation or copy (`F3`), `unknown` an operation that may do anything, calls among them.
    """

    accesses: tuple[Access, ...] = ()
    order: OpNode | None = None
    unknown: OpNode | None = None

    @property
    def is_pure(self) -> bool:
        """Whether there is none."""
        return not self.accesses and self.order is None and self.unknown is None

    def plus(self, other: Effects) -> Effects:
        """Both, one after the other."""
        return Effects(
            self.accesses + other.accesses, self.order or other.order, self.unknown or other.unknown
        )  # fmt: skip


class Facts:
    """What is known of a program: numbers, roots, and what each item touches."""

    __slots__ = ("_defined", "_effects", "code", "numbers", "roots")

    def __init__(self, code: Code) -> None:
        self.code = code
        self.numbers = Numbers(code)
        self.roots = Roots(self.numbers)
        self._defined: dict[int, tuple[Item, frozenset[int]]] = {}
        self._effects: dict[tuple[str, int], tuple[Item, Effects]] = {}

    def defined_inside(self, item: Item) -> frozenset[int]:
        """The values that are defined within an item and mean something only there."""
        known = self._defined.get(id(item))
        if known is None:
            known = self._defined[id(item)] = (item, defined_inside(item))
        return known[1]

    def effects(self, item: Item) -> Effects:
        """What an item does, at any of its iterations: accesses in loops are as in one iteration of these."""
        return self._once("effects", item, self._of)

    def _once(self, what: str, item: Item, compute: Callable[[Item], Effects]) -> Effects:
        """What is computed of an item, which is computed once only."""
        known = self._effects.get((what, id(item)))
        if known is None:
            known = self._effects[what, id(item)] = (item, compute(item))
        return known[1]

    def body_effects(self, loop: Loop) -> Effects:
        """What one iteration of a loop does; inner loops are widened to all of their iterations."""
        return self._once("body", loop, self._body)

    def _body(self, item: Item) -> Effects:
        out = Effects()
        for inner in item.body if isinstance(item, Loop) else ():
            out = out.plus(self.swept(inner))
        return out

    def swept(self, item: Item) -> Effects:
        """What an item does as a whole: accesses in its loops cover all iterations."""
        return self._once("swept", item, self._swept)

    def _swept(self, item: Item) -> Effects:
        if isinstance(item, Straight):
            return self.effects(item)
        out = Effects()
        for inner in item.body if isinstance(item, Loop) else [one for block in item.blocks for one in block]:
            out = out.plus(self.swept(inner))
        if isinstance(item, Loop):
            turns = self.numbers.turns(item)
            inside = self.defined_inside(item)
            return out._replace(accesses=tuple(sweep(one, item.induction, turns, inside) for one in out.accesses))
        inside = self.defined_inside(item)
        if not item.is_region and item.node.name not in _KNOWN_SCOPES:
            out = out._replace(unknown=out.unknown or item.node)
        return out._replace(accesses=tuple(settled(one, inside) for one in out.accesses))

    def _of(self, item: Item) -> Effects:
        if not isinstance(item, Straight):
            return self.swept(item)
        node = item.node
        if is_pure(node) or is_terminator(node):
            return Effects()
        if node.name in COPIES:
            return Effects(self._copied(item), order=node)
        if node.name in SYNCHRONISATION:
            return Effects(order=node)
        access = self.access(item)
        return Effects((access,)) if access is not None else Effects(unknown=node)

    def access(self, item: Straight) -> Access | None:
        """The access of an operation of VMI that loads or stores, None for any other."""
        node = item.node
        if not node.name.startswith("pto.vmi.") or node.spec is None:
            return None
        source, target = item.role("source"), item.role("destination")
        base = target if target is not None else source
        if base is None or not isinstance(self.code.graph.values[base].type, PointerType | MemRefType):
            return None
        place = self.roots.place(base)
        is_write = target is not None
        if node.name not in (LOAD, STORE):
            return Access(node, is_write, place.root, None, None)
        return self._vector_access(item, place, is_write)

    def _vector_access(self, item: Straight, place: Place, is_write: bool) -> Access:
        node = item.node
        vector = item.role("value") if is_write else node.results[0]
        type_ = None if vector is None else self.code.graph.values[vector].type
        size = element_bytes(type_.element) if isinstance(type_, VmiVectorType) else None
        offset = item.role("offset")
        at = None
        if offset is not None and place.element is not None:
            at = place.at.plus(self.numbers.affine(offset).times(place.element))
        named = attributes(node)
        plain = named.get("dist_mode", '"continuous"').strip('"') == "continuous" and "group" not in named
        plain = plain and not {"stride", "block_stride", "repeat_stride", "high"} & set(node.roles)
        plain = plain and len(node.results) == (0 if is_write else 1)
        if not plain or size is None or not isinstance(type_, VmiVectorType) or vector is None:
            return Access(node, is_write, place.root, at if at is not None else None, None)
        span = type_.lanes * size
        spread = None if at is None else self.numbers.spread(at)
        return Access(node, is_write, place.root, at, span, True, vector, item.role("mask"), place.element, spread)

    def _copied(self, item: Straight) -> tuple[Access, ...]:
        """What a copy reads and writes: so many bytes behind both pointers, or somewhere in their roots."""
        copy, spans = COPIES[item.node.name], spans_of(item, self.numbers)
        out: list[Access] = []
        for number, space in ((0, copy.source), (1, copy.target)):
            root, at = UNKNOWN_ROOT._replace(space=space), None
            if number < len(item.operands):
                value = item.operands[number]
                type_ = self.code.graph.values[value].type
                if isinstance(type_, PointerType | MemRefType):
                    place = self.roots.place(value)
                    root = place.root._replace(space=space_of(type_) or space)
                    at = None if spans[number] is None else place.at
            out.append(Access(item.node, number == 1, root, at, None if at is None else spans[number]))
        return tuple(out)


_KNOWN_SCOPES = frozenset({"pto.vecscope", "scf.if", "scf.execute_region"})


def defined_inside(item: Item) -> frozenset[int]:
    """The values that are defined within an item and mean something only there."""
    out: set[int] = set()
    for one in walk((item,)):
        if isinstance(one, Loop):
            out.add(one.induction)
            out.update(carried.argument for carried in one.carried)
        if one is not item:
            out.update(results_of(one))
    return frozenset(out)


def settled(access: Access, inside: frozenset[int]) -> Access:
    """The access as seen from outside of where these values are defined: unknown where it depends on them."""
    root = access.root
    if root.base in inside or any(symbol in inside for symbol, _ in root.start.terms):
        return access._replace(root=UNKNOWN_ROOT._replace(space=root.space), at=None)
    if access.at is not None and any(symbol in inside for symbol, _ in access.at.terms):
        return access._replace(at=None)
    return access


def sweep(access: Access, induction: int, turns: Turns, inside: frozenset[int]) -> Access:
    """The access of all iterations of a loop together."""
    at = access.at
    if at is not None and at.factor(induction):
        stride = at.factor(induction) * turns.step
        at = at.without(induction).plus(turns.first.times(at.factor(induction)))
        access = access._replace(spread=None)  # the span now says it
        if turns.length is None or access.span is None:
            at = None
        else:
            length = stride * max(turns.length - 1, 0)
            at = at.plus(Affine(min(length, 0)))
            access = access._replace(span=access.span + abs(length))
        access = access._replace(is_simple=False)
    return settled(access._replace(at=at), inside)
