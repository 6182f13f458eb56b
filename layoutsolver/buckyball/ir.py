"""Programs of Buckyball as they are lowered: values, operations with regions, functions.

The text is read by the lossless reader and the dataflow graph (`layoutsolver.buckyball.read`); what lowering makes of
it is written by `layoutsolver.buckyball.write`. A value is the object itself: its name is a wish.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from layoutsolver.mlir.types import MemRefType, parse_type
from layoutsolver.source import SourceFile, Span

Attr = int | bool | str | tuple[int | None, ...]
"""An attribute: a number, a flag, the text of anything else, or a list in which None is a dynamic entry."""

NOWHERE = Span(0, 0)


class Value:
    """An SSA value: the name it would like and the text of its type."""

    __slots__ = ("name", "type")

    def __init__(self, type: str, name: str = "") -> None:
        self.type = type
        self.name = name

    def __repr__(self) -> str:
        return f"%{self.name}: {self.type}"


class Block:
    """The arguments and operations of a region; every region here has one block."""

    __slots__ = ("arguments", "ops")

    def __init__(self, arguments: list[Value] | None = None, ops: list[Op] | None = None) -> None:
        self.arguments: list[Value] = [] if arguments is None else arguments
        self.ops: list[Op] = [] if ops is None else ops


class Op:
    """An operation: operands in the order of its table row, results, attributes by name, regions, where it stands."""

    __slots__ = ("attrs", "blocks", "name", "operands", "results", "span")

    def __init__(
        self,
        name: str,
        operands: list[Value] | None = None,
        results: list[Value] | None = None,
        attrs: dict[str, Attr] | None = None,
        blocks: list[Block] | None = None,
        span: Span = NOWHERE,
    ) -> None:
        self.name = name
        self.operands: list[Value] = [] if operands is None else operands
        self.results: list[Value] = [] if results is None else results
        self.attrs: dict[str, Attr] = {} if attrs is None else attrs
        self.blocks: list[Block] = [] if blocks is None else blocks
        self.span = span

    @property
    def result(self) -> Value:
        """Its one result."""
        return self.results[0]

    def number(self, name: str, default: int = 0) -> int:
        """An attribute that is a number."""
        value = self.attrs.get(name, default)
        assert isinstance(value, int)
        return value

    def text(self, name: str, default: str = "") -> str:
        """An attribute that is a text."""
        value = self.attrs.get(name, default)
        assert isinstance(value, str)
        return value

    def listed(self, name: str) -> tuple[int | None, ...]:
        """An attribute that is a list."""
        value = self.attrs[name]
        assert isinstance(value, tuple)
        return value

    def walk(self) -> Iterator[Op]:
        """The operation and all in its regions, parents first."""
        yield self
        for block in self.blocks:
            for op in block.ops:
                yield from op.walk()


class Code(NamedTuple):
    """A program: where it was read, its functions (`func.func`), and whether a `module` stands around them."""

    source: SourceFile
    functions: list[Op]
    wrapped: bool = False

    def walk(self) -> Iterator[Op]:
        """All operations, parents first."""
        for function in self.functions:
            yield from function.walk()


class Shape(NamedTuple):
    """A memref's dimensions, strides in elements (None: dynamic), offset (None: dynamic), element and its bytes."""

    dims: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    offset: int | None
    element: str
    element_bytes: int

    @property
    def is_static(self) -> bool:
        """Whether all dimensions are known."""
        return None not in self.dims


def static_dims(shape: Shape) -> tuple[int, ...]:
    """The dimensions of a shape that is static."""
    dims = tuple(dim for dim in shape.dims if dim is not None)
    assert len(dims) == len(shape.dims)
    return dims


def shape_of(text: str) -> Shape | None:
    """The shape that a memref type spells, None if it is none, or has a layout that is no strided one.

    >>> shape_of("memref<4x8xf32>").strides
    (8, 1)
    >>> shape_of("memref<4x8xf32, strided<[32, 1], offset: ?>>").offset is None
    True
    """
    type_ = parse_type(text)
    if not isinstance(type_, MemRefType):
        return None
    width = {"f64": 64, "index": 64, "f32": 32, "bf16": 16, "f16": 16}.get(type_.element.text)
    width = width or getattr(type_.element, "bits", None)
    if not width:
        return None
    layout = _strided(type_.rest)
    if layout is None:
        strides: list[int | None] = []
        step: int | None = 1
        for dim in reversed(type_.shape):
            strides.append(step)
            step = None if dim is None or step is None else step * dim
        layout = (tuple(reversed(strides)), 0) if not type_.rest.startswith(("strided", "affine")) else None
    if layout is None or len(layout[0]) != len(type_.shape):
        return None
    return Shape(type_.shape, layout[0], layout[1], type_.element.text, max(width, 8) // 8)


def _strided(text: str) -> tuple[tuple[int | None, ...], int | None] | None:
    """Strides and offset of `strided<[…], offset: …>`."""
    text = "".join(text.split())
    if not text.startswith("strided<[") or "]" not in text:
        return None
    inside, _, tail = text.removeprefix("strided<[").partition("]")
    words = inside.split(",") if inside else []
    offset = tail.removeprefix(",offset:").split(">")[0] if ",offset:" in tail else "0"
    if not all(word == "?" or word.isdecimal() for word in [*words, offset]):
        return None
    return tuple(None if word == "?" else int(word) for word in words), None if offset == "?" else int(offset)


def memref_text(shape: Shape) -> str:
    """The text of a memref type.

    >>> memref_text(Shape((4, 8), (8, 1), 0, "f32", 4)), memref_text(Shape((4, 8), (32, 1), None, "f32", 4))
    ('memref<4x8xf32>', 'memref<4x8xf32, strided<[32, 1], offset: ?>>')
    """
    dims = "".join(f"{'?' if dim is None else dim}x" for dim in shape.dims)
    step: int | None = 1
    dense: list[int | None] = []
    for dim in reversed(shape.dims):
        dense.append(step)
        step = None if dim is None or step is None else step * dim
    if shape.offset == 0 and tuple(reversed(dense)) == shape.strides and None not in shape.strides:
        return f"memref<{dims}{shape.element}>"
    strides = ", ".join("?" if stride is None else str(stride) for stride in shape.strides)
    offset = "" if shape.offset == 0 else f", offset: {'?' if shape.offset is None else shape.offset}"
    return f"memref<{dims}{shape.element}, strided<[{strides}]{offset}>>"
