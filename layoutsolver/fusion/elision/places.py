"""Where loads and stores go, as far as values can be handed on between them. Source: fusion spec 6.2, 6.4."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.fusion.access import Access, Facts
from layoutsolver.fusion.affine import Affine
from layoutsolver.fusion.code import Straight
from layoutsolver.fusion.lanes import Lanes, Masks, every
from layoutsolver.mlir.pto_types import VmiVectorType
from layoutsolver.ops.attributes import attributes


class Location(NamedTuple):
    """Bytes that a vector takes in memory: equal for two accesses if both surely take the same, element by element.

    `rows` is empty for a continuous access, else the number of groups and their stride in elements.
    """

    base: int
    space: str
    at: Affine
    pointed: int | None
    vector: str
    rows: tuple[int, ...] = ()


class Transfer(NamedTuple):
    """A load or store of one vector: where it goes, which lanes of memory equal its `value` afterwards, which lanes it
    may change and which it surely overwrites.
    """

    access: Access
    location: Location | None
    value: int
    equal: Lanes
    may: Lanes
    must: Lanes
    merges: bool = False


class Transfers:
    """The loads and stores of a program."""

    __slots__ = ("facts", "masks")

    def __init__(self, facts: Facts, masks: Masks) -> None:
        self.facts = facts
        self.masks = masks

    def of(self, item: Straight, access: Access) -> Transfer | None:
        """An access of one operation as a transfer, None where values cannot be handed on through it."""
        if access.node is not item.node:
            return None
        if access.is_simple:
            return self._continuous(item, access)
        return self._grouped(item, access)

    def _vector(self, value: int) -> VmiVectorType | None:
        type_ = self.facts.code.graph.values[value].type
        return type_ if isinstance(type_, VmiVectorType) else None

    def _location(self, access: Access, type_: VmiVectorType, rows: tuple[int, ...] = ()) -> Location | None:
        if access.at is None or access.root.base < -1:
            return None
        text = f"{type_.lanes}x{type_.element.text}"
        return Location(access.root.base, access.root.space, access.at, access.element, text, rows)

    def _continuous(self, item: Straight, access: Access) -> Transfer | None:
        type_ = self._vector(access.value)
        if type_ is None:
            return None
        location, whole = self._location(access, type_), every(type_.lanes)
        if not access.is_write:
            return Transfer(access, location, access.value, whole, whole, whole)
        mask = self.masks.lanes(access.mask, type_.lanes)
        merges = attributes(item.node).get("pmode") == '"merge"'
        return Transfer(access, location, access.value, mask, mask if merges else whole, mask, merges)

    def _grouped(self, item: Straight, access: Access) -> Transfer | None:
        """A load or store in groups that have a constant distance and no element in common."""
        node, named = item.node, attributes(item.node)
        stride, group = item.role("stride"), named.get("group", "")
        value = item.role("value") if access.is_write else (node.results[0] if len(node.results) == 1 else None)
        if stride is None or value is None or not group.isdigit() or not int(group):
            return None
        if named.get("dist_mode", '"continuous"') != '"continuous"' or {"mask", "high", "block_stride"} & set(
            node.roles
        ):
            return None
        type_, distance, offset = self._vector(value), self.facts.numbers.constant(stride), item.role("offset")
        place = self.facts.roots.place(item.role("destination" if access.is_write else "source") or 0)
        if type_ is None or distance is None or offset is None or place.element is None or type_.lanes % int(group):
            return None
        if distance < type_.lanes // int(group):
            return None
        at = place.at.plus(self.facts.numbers.affine(offset).times(place.element))
        located = access._replace(at=at, element=place.element)
        whole = every(type_.lanes)
        return Transfer(access, self._location(located, type_, (int(group), distance)), value, whole, whole, whole)
