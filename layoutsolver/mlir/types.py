"""Types as the solver sees them: vectors and memrefs in detail, scalars by width, everything else by its text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from layoutsolver.mlir.pto_types import PtoType


class ScalarType(NamedTuple):
    """An integer, float or index type; `bits` is None for `index`."""

    text: str
    bits: int | None
    is_float: bool = False


class VectorType(NamedTuple):
    """A vector: its dimensions (empty for 0-D), element type and, where the text gives one, its VecMemType."""

    text: str
    shape: tuple[int, ...]
    element: ScalarType | OtherType
    layout: str | None = None

    @property
    def lanes(self) -> int:
        """The number of elements."""
        count = 1
        for dim in self.shape:
            count *= dim
        return count

    @property
    def bits(self) -> int | None:
        """The width of an element in bits, None where it has none (`index`, foreign types)."""
        return self.element.bits if isinstance(self.element, ScalarType) else None


class MemRefType(NamedTuple):
    """A memref: shape (None for a dynamic size), element type, and the text behind them (layout, memory space)."""

    text: str
    shape: tuple[int | None, ...]
    element: ScalarType | OtherType
    rest: str


class OtherType(NamedTuple):
    """A type of which only the text is known."""

    text: str


Type: TypeAlias = "ScalarType | VectorType | MemRefType | OtherType | PtoType"

_SCALAR = re.compile(r"(?:si|ui|i)([1-9][0-9]{0,8})|(bf16|tf32|f16|f32|f64|f80|f128)|(f([468])E\w+)|(index)")
_VECTOR = re.compile(r"vector\s*<")
_MEMREF = re.compile(r"memref\s*<")
_DIM = re.compile(r"\s*(?:([0-9]{1,18}|\?)|\[\s*([0-9]{1,18})\s*\])\s*x")
_LAYOUT = re.compile(r"#ave\.vector_layout<\s*\{\s*mem\s*=\s*#ave\.vec_mem_type<\s*(\w+)\s*>\s*\}\s*>")
_FLOAT_BITS = {"bf16": 16, "tf32": 32, "f16": 16, "f32": 32, "f64": 64, "f80": 80, "f128": 128}


@lru_cache(maxsize=16384)
def parse_type(text: str) -> Type:
    """The type that a text spells; never fails, an unknown type is an `OtherType`.

    >>> parse_type("vector<2x32xf16>").lanes
    64
    >>> parse_type("vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>").layout
    'b8_4vl'
    >>> parse_type("memref<?x16xf32, #hivm.address_space<ub>>").shape
    (None, 16)
    """
    text = text.strip()
    scalar = _parse_scalar(text)
    if scalar is not None:
        return scalar
    if (match := _VECTOR.match(text)) and text.endswith(">"):
        return _parse_vector(text, text[match.end() : -1])
    if (match := _MEMREF.match(text)) and text.endswith(">"):
        shape, _, rest = _parse_shape(text[match.end() : -1])
        element, _, tail = _split_first(rest)
        return MemRefType(text, shape, _element(element), tail.strip())
    if text.startswith(("!pto.", "<")):
        from layoutsolver.mlir.pto_types import parse_pto_type

        return parse_pto_type(text) or OtherType(text)
    return OtherType(text)


def _parse_scalar(text: str) -> ScalarType | None:
    match = _SCALAR.fullmatch(text)
    if match is None:
        return None
    integer, float_name, small, small_bits, index = match.groups()
    if integer:
        return ScalarType(text, int(integer))
    if index:
        return ScalarType(text, None)
    if small:
        return ScalarType(text, int(small_bits), True)
    return ScalarType(text, _FLOAT_BITS[float_name], True)


def _parse_vector(text: str, inside: str) -> Type:
    """A vector of a fixed number of elements; what is malformed, empty, scalable or foreign is an `OtherType`."""
    shape, scalable, rest = _parse_shape(inside)
    if scalable or None in shape or 0 in shape:
        return OtherType(text)
    element, comma, tail = _split_first(rest)
    if not (element[:1].isalpha() or element[:1] == "!"):
        return OtherType(text)
    layout = _LAYOUT.fullmatch(tail.strip())
    if comma and layout is None:
        return OtherType(text)
    sizes = tuple(dim for dim in shape if dim is not None)
    return VectorType(text, sizes, _element(element), layout.group(1) if layout else None)


def _parse_shape(inside: str) -> tuple[tuple[int | None, ...], bool, str]:
    shape: list[int | None] = []
    scalable = False
    at = 0
    while match := _DIM.match(inside, at):
        size = match.group(1) or match.group(2)
        scalable = scalable or match.group(2) is not None
        shape.append(None if size == "?" else int(size))
        at = match.end()
    return tuple(shape), scalable, inside[at:]


def _split_first(text: str) -> tuple[str, str, str]:
    """The text before the first comma outside brackets, the comma, and the rest."""
    depth = 0
    for at, char in enumerate(text):
        if char in "<([{":
            depth += 1
        elif char in ")]}" or (char == ">" and text[at - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            return text[:at].strip(), ",", text[at + 1 :]
    return text.strip(), "", ""


def _element(text: str) -> ScalarType | OtherType:
    scalar = parse_type(text) if text.startswith("!pto.") else _parse_scalar(text)
    return scalar if isinstance(scalar, ScalarType) else OtherType(text)


def with_layout(vector: VectorType, layout: str) -> str:
    """The text of a vector type that carries a VecMemType.

    >>> with_layout(parse_type("vector<64xi8>"), "b8")
    'vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>'
    """
    dims = "".join(f"{dim}x" for dim in vector.shape)
    return f"vector<{dims}{vector.element.text}, #ave.vector_layout<{{mem = #ave.vec_mem_type<{layout}>}}>>"
