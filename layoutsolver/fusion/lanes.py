"""Masks as sets of lanes. Source: fusion spec 6.3."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from layoutsolver.fusion.affine import Numbers
from layoutsolver.fusion.code import Straight
from layoutsolver.mlir.pto_types import VmiMaskType
from layoutsolver.ops.attributes import attributes


class Lanes(NamedTuple):
    """A set of the lanes of a vector of `count` lanes: bit k of `bits` is lane k.

    Where it is not known which lanes these are, `key` is what tells the set from others: sets of one key are equal.

    >>> some, rest = prefix(64, 8), prefix(64, 64).minus(prefix(64, 8))
    >>> some.meets(rest), some.union(rest).is_all, prefix(64, 9).holds(some), some.holds(Lanes(64, 0, "mask"))
    (False, True, True, False)
    """

    count: int  # type: ignore[assignment]  # hides the method of tuples
    bits: int
    key: Hashable = None

    @property
    def is_known(self) -> bool:
        """Whether it is known which lanes these are."""
        return self.key is None

    @property
    def is_all(self) -> bool:
        """Whether these are surely all lanes."""
        return self.key is None and self.bits == (1 << self.count) - 1

    @property
    def is_empty(self) -> bool:
        """Whether these are surely no lanes."""
        return self.key is None and not self.bits

    def holds(self, other: Lanes) -> bool:
        """Whether every lane of the other set is surely one of this."""
        if self.is_all or other.is_empty:
            return True
        if self.key is not None or other.key is not None:
            return self.key == other.key
        return not other.bits & ~self.bits

    def meets(self, other: Lanes) -> bool:
        """Whether both sets may have a lane in common."""
        if self.is_empty or other.is_empty:
            return False
        return self.key is not None or other.key is not None or bool(self.bits & other.bits)

    def union(self, other: Lanes) -> Lanes:
        """A set that holds both: their union, all lanes where that is not known."""
        if self.holds(other):
            return self
        if other.holds(self):
            return other
        return every(self.count) if self.key is not None or other.key is not None else self._or(other)

    def minus(self, other: Lanes) -> Lanes:
        """A set that surely holds none of the other's lanes: the difference, no lanes where that is not known."""
        if not self.meets(other):
            return self
        if self.key is not None or other.key is not None:
            return none(self.count)
        return self._replace(bits=self.bits & ~other.bits)

    def common(self, other: Lanes) -> Lanes:
        """A set that holds what both have in common: the intersection, one of the two where that is not known."""
        if self.key is not None or other.key is not None:
            return self if other.holds(self) or self.key is not None else other
        return self._replace(bits=self.bits & other.bits)

    def _or(self, other: Lanes) -> Lanes:
        return self._replace(bits=self.bits | other.bits)


def every(count: int) -> Lanes:
    """All lanes."""
    return Lanes(count, (1 << count) - 1)


def none(count: int) -> Lanes:
    """No lanes."""
    return Lanes(count, 0)


def prefix(count: int, active: int) -> Lanes:
    """The first lanes."""
    return Lanes(count, (1 << max(0, min(active, count))) - 1)


class Masks:
    """The lanes of the masks of a program."""

    __slots__ = ("_known", "numbers")

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self._known: dict[int, Lanes] = {}

    def lanes(self, value: int | None, count: int) -> Lanes:
        """The lanes of a mask value; all where there is none. Masks of other lengths are unknown sets."""
        if value is None:
            return every(count)
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._lanes(value)
        return found if found.count == count else Lanes(count, 0, ("mask", value))

    def _lanes(self, value: int) -> Lanes:
        type_ = self.numbers.code.graph.values[value].type
        count = type_.lanes if isinstance(type_, VmiMaskType) else 0
        item = self.numbers.definitions.get(value)
        found = None if item is None or not count else self._made(item, value, count)
        return found if found is not None else Lanes(count, 0, self._key(value))

    def _made(self, item: Straight, value: int, count: int) -> Lanes | None:
        """The lanes that an operation sets, None where that is not known."""
        name = item.node.name.removeprefix("pto.vmi.")
        if name in ("create_mask", "plt"):
            active = self.numbers.constant(item.operands[0]) if item.operands else None
            first = bool(item.node.results) and item.node.results[0] == value
            return None if active is None or not first else prefix(count, active)
        if name == "create_group_mask":
            return self._grouped(item, count)
        if name in ("pset", "pge"):
            return _pattern(attributes(item.node), count)
        if name == "constant_mask":
            return _constant(attributes(item.node), count)
        if name == "mask_not" and item.operands:
            source = self.lanes(item.operands[0], count)
            return every(count).minus(source) if source.is_known else None
        if name in _LOGIC and len(item.operands) == 2:
            one, other = (self.lanes(operand, count) for operand in item.operands)
            if one.is_known and other.is_known:
                return Lanes(count, _LOGIC[name](one.bits, other.bits))
        return None

    def _grouped(self, item: Straight, count: int) -> Lanes | None:
        active = self.numbers.constant(item.operands[0]) if item.operands else None
        size = attributes(item.node).get("group_size", "")
        if active is None or not size.isdigit() or not int(size) or count % int(size):
            return None
        return _repeated(count, count // int(size), active)

    def _key(self, value: int) -> Hashable:
        """What is equal for masks that are surely equal: how they are computed, from which values."""
        item = self.numbers.definitions.get(value)
        if item is None or not item.node.name.startswith("pto.vmi.") or item.node.name not in _COMPUTED:
            affine = self.numbers.affine(value)
            return ("value", value) if affine.terms == ((value, 1),) else affine
        which = item.node.results.index(value)
        operands = tuple(self._key(operand) for operand in item.operands)
        return (item.node.name, which, tuple(sorted(attributes(item.node).items())), operands)


_LOGIC = {
    "mask_and": lambda one, other: one & other,
    "mask_or": lambda one, other: one | other,
    "mask_xor": lambda one, other: one ^ other,
}
_COMPUTED = frozenset({
    "pto.vmi.create_mask", "pto.vmi.plt", "pto.vmi.create_group_mask", "pto.vmi.pset", "pto.vmi.pge",
    "pto.vmi.constant_mask", "pto.vmi.mask_not", "pto.vmi.mask_and", "pto.vmi.mask_or", "pto.vmi.mask_xor",
})  # fmt: skip


def _repeated(count: int, groups: int, active: int) -> Lanes:
    size = count // groups
    one = (1 << max(0, min(active, size))) - 1
    return Lanes(count, sum(one << (group * size) for group in range(groups)))


def _pattern(named: Mapping[str, str], count: int) -> Lanes | None:
    """The lanes of `PAT_ALL` and `PAT_VLk`, of each group if there are several."""
    pattern, groups = named.get("pattern", "").strip('"'), named.get("group", "1")
    if pattern == "PAT_ALL":
        return every(count)
    if not pattern.startswith("PAT_VL") or not pattern[6:].isdigit():
        return None
    if not groups.isdigit() or not int(groups) or count % int(groups):
        return None
    return _repeated(count, int(groups), int(pattern[6:]))


def _constant(named: Mapping[str, str], count: int) -> Lanes | None:
    """The lanes of a `dense<…>` of truth values."""
    text = named.get("value", "")
    inside = text[text.find("<") + 1 : text.rfind(">")] if "<" in text else text
    words = inside.split(":")[0].strip(" []").replace(",", " ").split()
    known = {"true": 1, "1": 1, "-1": 1, "false": 0, "0": 0}
    if not words or any(word not in known for word in words) or len(words) not in (1, count):
        return None
    bits = [known[word] for word in words] * (count if len(words) == 1 else 1)
    return Lanes(count, sum(bit << lane for lane, bit in enumerate(bits)))
