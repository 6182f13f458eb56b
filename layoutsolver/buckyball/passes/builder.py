"""Building operations: a rewriter walks a function and lets a pass put others for some of its operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutsolver.buckyball.ir import Attr, Block, Op, Shape, Value, memref_text, shape_of
from layoutsolver.source import Span

INDEX, I64, I32, I1, F32 = "index", "i64", "i32", "i1", "f32"


class LowerError(Exception):
    """What cannot be lowered: a code, a message, the place that it speaks of, and what else is to be said."""

    def __init__(self, code: str, message: str, span: Span, *notes: str) -> None:
        super().__init__(message)
        self.code = code
        self.span = span
        self.notes = notes


class Rewriter:
    """A walk over a function, parents first, that builds it anew.

    `handlers` are called with the operations of their name, operands already replaced, and a builder that emits in
    their place; other operations stay. `replaced` says what stands for a value that is gone.
    """

    def __init__(self, function: Op, handlers: Mapping[str, Callable[[Op, Builder], None]]) -> None:
        self.function = function
        self.handlers = handlers
        self.replaced: dict[Value, Value] = {}
        self.known: dict[Value, int] = {}
        self.constants: dict[tuple[str, str], Op] = {}
        self.slots: dict[str, Op] = {}

    def run(self) -> None:
        """Rewrite the function in place; new constants stand at its beginning."""
        for block in self.function.blocks:
            self.note_constants(block)
            self.block(block)
            block.ops[:0] = [*self.constants.values(), *self.slots.values()]
            self.drop_unused(block)

    def note_constants(self, block: Block) -> None:
        """The constants at the beginning of the function, which are there for everything in it."""
        count = 0
        for op in block.ops:
            if op.name != "arith.constant":
                break
            count += 1
            first = self.constants.setdefault((op.text("value"), op.result.type), op)
            if first is op:
                self.note(op)
            else:
                self.replaced[op.result] = first.result
        block.ops[:count] = []

    def drop_unused(self, block: Block) -> None:
        """Take away what computes numbers for nobody, constants and views of memory among it."""
        while True:
            used = {value for op in block.ops for inner in op.walk() for value in inner.operands}
            if not _drop(block, used):
                return

    def note(self, op: Op) -> None:
        """Remember an integer constant."""
        text = op.text("value")
        if op.name == "arith.constant" and text.lstrip("-").isdecimal():
            self.known[op.result] = int(text)

    def value(self, value: Value) -> Value:
        """What stands for a value now."""
        while value in self.replaced:
            value = self.replaced[value]
        return value

    def block(self, block: Block) -> None:
        """Rewrite a block in place."""
        ops, block.ops = block.ops, []
        for op in ops:
            op.operands = [self.value(operand) for operand in op.operands]
            handler = self.handlers.get(op.name)
            if handler is not None:
                handler(op, Builder(self, block, op.span))
                continue
            if op.name == "arith.constant":
                self.note(op)
            block.ops.append(op)
            for inner in op.blocks:
                self.block(inner)


_PURE = ("arith.", "math.", "memref.subview", "memref.collapse_shape", "memref.extract")


def _drop(block: Block, used: set[Value]) -> bool:
    """Take unused numbers away from a block and those in it; whether there were any."""
    kept = [op for op in block.ops if not op.name.startswith(_PURE) or used.intersection(op.results)]
    found = len(kept) < len(block.ops)
    block.ops = kept
    for op in kept:
        for inner in op.blocks:
            found |= _drop(inner, used)
    return found


class Builder:
    """Emits operations at the end of a block; their place in the text is that of what they are made of."""

    def __init__(self, rewriter: Rewriter, block: Block, span: Span) -> None:
        self.rewriter = rewriter
        self.into = block
        self.span = span

    def add(self, op: Op) -> Op:
        """Emit an operation as it is."""
        op.span = self.span
        self.into.ops.append(op)
        return op

    def keep(self, op: Op) -> None:
        """Emit an operation as it is, and what is in it rewritten."""
        self.add(op)
        for block in op.blocks:
            self.rewriter.block(block)

    def op(
        self, name: str, operands: list[Value], result: str = "", attrs: dict[str, Attr] | None = None, wish: str = ""
    ) -> Value:
        """Emit an operation; its result, a value of no type if it has none."""
        value = Value(result, wish)
        self.add(Op(name, operands, [value] if result else [], attrs))
        return value

    def inside(self, block: Block) -> Builder:
        """A builder that emits into another block."""
        return Builder(self.rewriter, block, self.span)

    # -- numbers ----------------------------------------------------------------------------------------------

    def constant(self, value: int, kind: str = INDEX) -> Value:
        """An integer constant, shared by the function."""
        suffix = "" if kind == INDEX else f"_{kind}"
        return self._constant(str(value), kind, f"c{value}{suffix}".replace("-", "m"))

    def number(self, value: float) -> Value:
        """An f32 constant."""
        text = f"{value:.6e}"
        return self._constant(text, F32, f"f{value:g}".replace("-", "m"))

    def _constant(self, text: str, kind: str, wish: str) -> Value:
        constants = self.rewriter.constants
        op = constants.get((text, kind))
        if op is None:
            op = constants[(text, kind)] = Op("arith.constant", [], [Value(kind, wish)], {"value": text})
            self.rewriter.note(op)
        return op.result

    def known(self, value: Value) -> int | None:
        """The number that a value is known to be."""
        return self.rewriter.known.get(value)

    def binary(self, name: str, left: Value, right: Value, wish: str = "") -> Value:
        """`arith.name` of two values of one type."""
        return self.op(f"arith.{name}", [left, right], left.type, wish=wish)

    # -- memory -----------------------------------------------------------------------------------------------

    def slot(self, element: str, wish: str) -> Value:
        """A number in memory, which the function has once and everything in it uses in turn."""
        slots = self.rewriter.slots
        if wish not in slots:
            slots[wish] = Op("memref.alloca", [], [Value(f"memref<{element}>", wish)])
        return slots[wish].result

    def alloc(self, dims: tuple[int, ...], element: str, size: int, wish: str = "") -> Value:
        """Fresh contiguous memory."""
        return self.op("memref.alloc", [], memref_text(dense(dims, element, size)), wish=wish)

    def fill(self, memref: Value, value: Value) -> None:
        """Set all elements."""
        self.op("linalg.fill", [value, memref], attrs={"inputs": 1})

    def copy(self, source: Value, target: Value) -> None:
        """Copy elements between memrefs of one shape."""
        self.op("memref.copy", [source, target])

    def subview(self, source: Value, offsets: list[Value | int], sizes: list[int], wish: str = "") -> Value:
        """A part of a memref, from offsets on, of so many elements in each dimension."""
        return self.reduced(source, offsets, sizes, tuple(range(len(sizes))), wish)

    def reduced(
        self, source: Value, offsets: list[Value | int], sizes: list[int], kept: tuple[int, ...], wish: str = ""
    ) -> Value:
        """A part of a memref of which only some dimensions remain; the others have one element."""
        shape = shape_of(source.type)
        assert shape is not None
        numbers = [self.known(one) if isinstance(one, Value) else one for one in offsets]
        static = tuple(numbers)
        whole = shape.offset
        for number, stride in zip(static, shape.strides, strict=True):
            if number == 0:
                continue
            if whole is None or number is None or stride is None:
                whole = None
                break
            whole += number * stride
        part = Shape(
            tuple(sizes[at] for at in kept), tuple(shape.strides[at] for at in kept), whole, shape.element,
            shape.element_bytes,
        )  # fmt: skip
        dynamic = [one for one, number in zip(offsets, static, strict=True)
                   if number is None and isinstance(one, Value)]  # fmt: skip
        attrs: dict[str, Attr] = {"offsets": static, "sizes": tuple(sizes), "strides": (1,) * len(sizes)}
        return self.op("memref.subview", [source, *dynamic], memref_text(part), attrs, wish)

    # -- control ----------------------------------------------------------------------------------------------

    def loop(
        self, upper: int, step: int, body: Callable[[Builder, Value, list[Value]], list[Value]],
        carried: list[Value] | None = None, wish: str = "i",
    ) -> list[Value]:  # fmt: skip
        """A loop from 0; the body gets the index and the carried values and gives those of the next round."""
        inits = carried or []
        index = Value(INDEX, wish)
        arguments = [Value(value.type, value.name) for value in inits]
        block = Block([index, *arguments])
        inner = self.inside(block)
        yielded = body(inner, index, arguments)
        if yielded:
            inner.op("scf.yield", yielded)
        results = [Value(value.type, value.name) for value in inits]
        operands = [self.constant(0), self.constant(upper), self.constant(step), *inits]
        self.add(Op("scf.for", operands, results, blocks=[block]))
        return results

    def each(self, upper: int, step: int, body: Callable[[Builder, Value], None], wish: str = "i") -> None:
        """A loop from 0 that carries nothing."""

        def whole(inner: Builder, index: Value, carried: list[Value]) -> list[Value]:
            body(inner, index)
            return carried

        self.loop(upper, step, whole, wish=wish)


def dense(dims: tuple[int, ...], element: str, size: int) -> Shape:
    """The shape of contiguous memory."""
    strides: list[int] = []
    step = 1
    for dim in reversed(dims):
        strides.append(step)
        step *= dim
    return Shape(dims, tuple(reversed(strides)), 0, element, size)


def shape_or_fail(value: Value, op: Op, rank: int, code: str = "LS1002") -> Shape:
    """The static shape of a memref of that rank, with known strides. Raises `LowerError`."""
    shape = shape_of(value.type)
    if shape is None or len(shape.dims) != rank or not shape.is_static or None in shape.strides:
        what = f"a memref of {rank} static dimensions with known strides"
        raise LowerError(code, f"`{op.name}` needs {what}, `%{value.name}` is `{value.type}`", op.span)
    return shape
