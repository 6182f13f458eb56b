"""The types of PTO: VMI's logical vectors and masks, VPTO's registers and predicates, pointers.

A logical type may carry a layout; its text is the attribute of VMI, its value that of the layout algebra.

>>> vector = parse_pto_type("!pto.vmi.vreg<128xf16, #pto.vmi.layout<deinterleaved = 2>>")
>>> vector.lanes, vector.bits, str(vector.layout)
(128, 16, 'deinterleaved = 2')
>>> parse_pto_type("!pto.vmi.mask<64xb32>").granularity, parse_pto_type("!pto.ptr<f32, ub>").space
('b32', 'ub')

A text that breaks the grammar, or the rules that the type alone must keep, is no type: nothing is returned.

>>> parse_pto_type("!pto.vmi.mask<64xpred, #pto.vmi.layout<contiguous>>") is None
True
"""

from __future__ import annotations

import re
from typing import NamedTuple

from layoutsolver.mlir.types import MemRefType, OtherType, ScalarType, Type, parse_type
from layoutsolver_models.lanes.layout import Dense, Groups, VecMem, parse_layout
from layoutsolver_models.vecmem import REGISTER_BYTES

PTO_SCALARS: dict[str, int] = {
    "!pto.bf16x2": 32, "!pto.hif8x2": 16, "!pto.hif8": 8, "!pto.f8E8M0": 8, "!pto.f4E1M2x2": 8, "!pto.f4E2M1x2": 8,
}  # fmt: skip
"""The element types of PTO's own, and the bits that one takes in a register or in memory; `x2` is a pair."""

VMI_BITS = (8, 16, 32)
"""The element widths that a logical vector can have."""

GRANULARITIES = ("pred", "b8", "b16", "b32")
"""What a logical mask may say of the lanes it governs; `pred` is not decided yet."""

SPACES: dict[str, str] = {
    "gm": "gm", "ub": "ub", "vec": "ub", "l1": "l1", "mat": "l1", "l0a": "l0a", "left": "l0a", "l0b": "l0b",
    "right": "l0b", "l0c": "l0c", "acc": "l0c", "bt": "bt", "bias": "bt", "fb": "fb", "scaling": "fb",
}  # fmt: skip
"""The memory spaces of a pointer by all their names."""

VmiLayout = Dense | Groups


class VmiVectorType(NamedTuple):
    """`!pto.vmi.vreg<NxT>`: N elements of a type, and the layout if the text has one."""

    text: str
    lanes: int
    element: ScalarType | OtherType
    layout: VmiLayout | None = None

    @property
    def bits(self) -> int:
        """The bits that an element takes; layouts depend on nothing else of its type."""
        bits = self.element.bits if isinstance(self.element, ScalarType) else None
        assert bits is not None
        return bits


class VmiMaskType(NamedTuple):
    """`!pto.vmi.mask<Nxg>`: N bits, the width of the lanes they govern (`pred`: open), and the layout if any."""

    text: str
    lanes: int
    granularity: str
    layout: VmiLayout | None = None

    @property
    def bits(self) -> int | None:
        """The width of the governed elements, None if that is open."""
        return None if self.granularity == "pred" else int(self.granularity[1:])


class RegisterType(NamedTuple):
    """`!pto.vreg<MxT>`: a vector register as so many lanes of a type, which fill it."""

    text: str
    lanes: int
    element: ScalarType | OtherType


class PredicateType(NamedTuple):
    """`!pto.mask<b32>`: a predicate register that governs lanes of so many bits."""

    text: str
    granularity: str


class PointerType(NamedTuple):
    """`!pto.ptr<T, space>`: an address of elements in a memory; without a space it is `gm`."""

    text: str
    element: ScalarType | OtherType
    space: str


PtoType = VmiVectorType | VmiMaskType | RegisterType | PredicateType | PointerType

_TYPE = re.compile(r"!pto\.([a-z.]+)\s*<(.*)>", re.DOTALL)
_COUNTED = re.compile(r"\s*([1-9][0-9]{0,8})\s*x\s*([^,]*?)\s*(?:,(.*))?", re.DOTALL)
_POINTER = re.compile(r"\s*([^,]*?)\s*(?:,\s*(\w+)\s*)?", re.DOTALL)


def parse_pto_type(text: str) -> PtoType | ScalarType | None:
    """The type of PTO that a text spells, None if it is none or is not well formed.

    Where an operand is known to be a pointer the name may be left out:

    >>> parse_pto_type("<ui16, ub>") == parse_pto_type("!pto.ptr<ui16, ub>")
    True
    """
    if text in PTO_SCALARS:
        return ScalarType(text, PTO_SCALARS[text], True)
    if text.startswith("<"):
        text = f"!pto.ptr{text}"
    match = _TYPE.fullmatch(text)
    if match is None:
        return None
    kind, inside = match.groups()
    if kind == "ptr":
        return _pointer(text, inside)
    if kind == "mask":
        granularity = inside.strip()
        return PredicateType(text, granularity) if granularity in GRANULARITIES[1:] else None
    counted = _COUNTED.fullmatch(inside)
    if counted is None:
        return None
    count, what, tail = int(counted[1]), counted[2], counted[3]
    if kind == "vreg":
        return _register(text, count, what) if tail is None else None
    if kind in ("vmi.vreg", "vmi.mask"):
        try:
            layout = None if tail is None else _layout(tail, count)
        except ValueError:
            return None
        if kind == "vmi.mask":
            open_layout = what == "pred" and layout is not None
            return VmiMaskType(text, count, what, layout) if what in GRANULARITIES and not open_layout else None
        element = _element(what)
        stored = isinstance(element, ScalarType) and element.bits in VMI_BITS
        return VmiVectorType(text, count, element, layout) if stored else None
    return None


def _layout(text: str, lanes: int) -> VmiLayout:
    """The layout of a type of so many lanes. Raises `ValueError` if that is no layout for it."""
    if not text.strip().startswith("#pto.vmi.layout"):
        raise ValueError(f"`{text.strip()}` is no layout attribute")
    layout = parse_layout(text)
    if isinstance(layout, VecMem) or (isinstance(layout, Groups) and layout.num_groups != lanes):
        raise ValueError(f"`{layout}` is no layout of {lanes} elements")
    return layout


def _register(text: str, lanes: int, what: str) -> RegisterType | None:
    element = _element(what)
    bits = element.bits if isinstance(element, ScalarType) else None
    return RegisterType(text, lanes, element) if bits and lanes * bits == 8 * REGISTER_BYTES else None


def _pointer(text: str, inside: str) -> PointerType | None:
    match = _POINTER.fullmatch(inside)
    if match is None or not (match[1][:1].isalpha() or match[1][:1] == "!") or (match[2] or "gm") not in SPACES:
        return None
    return PointerType(text, _element(match[1]), SPACES[match[2] or "gm"])


def _element(text: str) -> ScalarType | OtherType:
    kind = parse_type(text)
    return kind if isinstance(kind, ScalarType) else OtherType(text)


_MEMREF_SPACE = re.compile(r"#(?:pto|hivm)\.address_space<\s*(\w+)\s*>")


def space_of(type_: Type) -> str:
    """The memory space of a pointer or memref; empty where its text does not tell.

    >>> space_of(parse_type("memref<64xf32, #pto.address_space<vec>>")), space_of(parse_type("memref<64xf32>"))
    ('ub', '')
    """
    if isinstance(type_, PointerType):
        return type_.space
    if isinstance(type_, MemRefType):
        match = _MEMREF_SPACE.search(type_.rest)
        return SPACES.get(match[1], match[1]) if match else ""
    return ""
