"""Where pointers and memrefs point: the allocation, as an address and an extent. Source: fusion spec 4.1."""

from __future__ import annotations

import re
from typing import NamedTuple

from layoutsolver.fusion.affine import Affine, Numbers
from layoutsolver.fusion.code import Straight
from layoutsolver.mlir.pto_types import PointerType, space_of
from layoutsolver.mlir.types import MemRefType, OtherType, ScalarType, Type

ABSOLUTE = -1
"""The base of an address that is a number."""

_STRIDED = re.compile(r"strided<\s*\[([^\]]*)\]\s*(?:,\s*offset\s*:\s*[^>]*)?>")


class Root(NamedTuple):
    """An allocation: `start` is its address in bytes behind `base`, `extent` its bytes, None where not known.

    `base` is `ABSOLUTE` where the address is a number, else the value that nothing more is known of; two roots of one
    base are as comparable as two addresses that are numbers.
    """

    space: str
    base: int
    start: Affine
    extent: int | None = None

    @property
    def address(self) -> int | None:
        """The address, None if it is no known number."""
        return None if self.base != ABSOLUTE or self.start.terms else self.start.constant


class Place(NamedTuple):
    """What a pointer or memref denotes: a byte behind the base of a root, and the bytes of an element."""

    root: Root
    at: Affine
    element: int | None


def element_bytes(element: ScalarType | OtherType) -> int | None:
    """The bytes that an element takes in memory, None where that is not known.

    >>> element_bytes(ScalarType("f32", 32, True)), element_bytes(ScalarType("i1", 1)), element_bytes(OtherType("!x.y"))
    (4, 1, None)
    """
    bits = element.bits if isinstance(element, ScalarType) else None
    return None if bits is None else max(bits, 8) // 8


class Roots:
    """Resolves pointers and memrefs of a program."""

    __slots__ = ("_known", "numbers")

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self._known: dict[int, Place] = {}

    def place(self, value: int) -> Place:
        """Where a pointer or memref points."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._place(value)
        return known

    def _place(self, value: int) -> Place:
        type_ = self.numbers.code.graph.values[value].type
        element = element_bytes(type_.element) if isinstance(type_, PointerType | MemRefType) else None
        item = self.numbers.definitions.get(value)
        found = None if item is None else self._resolved(item, type_, element)
        if found is not None:
            return found
        return Place(Root(space_of(type_), value, Affine(), None), Affine(), element)

    def _resolved(self, item: Straight, type_: Type, element: int | None) -> Place | None:
        name = item.node.name
        if name in ("pto.pointer_cast", "pto.castptr") and item.operands:
            return self._cast(item.operands[0], type_, element)
        if name in ("memref.cast", "memref.memory_space_cast") and item.operands:
            return self.place(item.operands[0])._replace(element=element)
        if name == "pto.addptr" and len(item.operands) == 2:
            inner = self.place(item.operands[0])
            if inner.element is None:
                return None
            return Place(inner.root, inner.at.plus(self.numbers.affine(item.operands[1]).times(inner.element)), element)
        if name == "memref.subview":
            return self._subview(item, type_, element)
        return None

    def _cast(self, source: int, type_: Type, element: int | None) -> Place | None:
        from_type = self.numbers.code.graph.values[source].type
        if isinstance(from_type, PointerType | MemRefType):
            inner = self.place(source)
            return inner._replace(element=element) if space_of(type_) in ("", space_of(from_type)) else None
        if not isinstance(from_type, ScalarType):
            return None
        at = self.numbers.affine(source)
        extent = memref_bytes(type_) if isinstance(type_, MemRefType) else None
        return Place(Root(space_of(type_), ABSOLUTE, at, extent), at, element)

    def _subview(self, item: Straight, type_: Type, element: int | None) -> Place | None:
        """A part of a memref of which all offsets, sizes and strides are printed as numbers."""
        source = self.numbers.code.graph.values[item.operands[0]].type if item.operands else None
        numbers = _subview_numbers(item)
        if numbers is None or not isinstance(source, MemRefType) or element is None:
            return None
        offsets, sizes, steps = numbers
        strides = memref_strides(source)
        if strides is None or not len(offsets) == len(sizes) == len(steps) == len(strides):
            return None
        inner = self.place(item.operands[0])
        moved = sum(offset * stride for offset, stride in zip(offsets, strides, strict=True)) * element
        last = sum((size - 1) * step * stride for size, step, stride in zip(sizes, steps, strides, strict=True))
        at = inner.at.plus(Affine(moved))
        return Place(Root(inner.root.space, inner.root.base, at, (1 + last) * element), at, element)


def memref_bytes(type_: MemRefType) -> int | None:
    """The bytes from the first to the last element of a memref, None where a size is open.

    >>> from layoutsolver.mlir.types import parse_type
    >>> memref_bytes(parse_type("memref<128x64xf32, #pto.address_space<vec>>"))
    32768
    """
    size, strides = element_bytes(type_.element), memref_strides(type_)
    if size is None or strides is None or any(dim is None for dim in type_.shape):
        return None
    last = sum(((dim or 1) - 1) * stride for dim, stride in zip(type_.shape, strides, strict=True))
    return (1 + last) * size


def memref_strides(type_: MemRefType) -> tuple[int, ...] | None:
    """The strides of a memref in elements, None where they are not numbers."""
    if "affine_map" in type_.rest:
        return None
    match = _STRIDED.search(type_.rest)
    if match:
        words = [word.strip() for word in match[1].split(",") if word.strip()]
        numbers = [int(word) for word in words if word.isdigit()]
        return tuple(numbers) if len(numbers) == len(words) == len(type_.shape) else None
    strides: list[int] = []
    step = 1
    for dim in reversed(type_.shape):
        strides.append(step)
        if dim is None:
            return None if len(strides) < len(type_.shape) else tuple(reversed(strides))
        step *= dim
    return tuple(reversed(strides))


def _subview_numbers(item: Straight) -> tuple[list[int], list[int], list[int]] | None:
    """The three lists `[offsets] [sizes] [strides]` of a subview, None unless all are numbers."""
    texts, op = item.node.op.stream.texts, item.node.op
    lists: list[list[int]] = []
    at = op.name_token + 1
    while at < op.last and texts[at] != ":" and len(lists) < 3:
        if texts[at] == "[":
            numbers: list[int] = []
            at += 1
            while at < op.last and texts[at] != "]":
                if texts[at].isdigit():
                    numbers.append(int(texts[at]))
                elif texts[at] != ",":
                    return None
                at += 1
            lists.append(numbers)
        at += 1
    return (lists[0], lists[1], lists[2]) if len(lists) == 3 else None
