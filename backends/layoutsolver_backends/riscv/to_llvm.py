"""A program at stage `intr` -> LLVM: loops, memory, numbers, and a call of an intrinsic for every instruction.

A memref is passed as the production compiler does it: two pointers, the offset, sizes and strides.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

from layoutsolver.buckyball.ir import Block, Code, Op, Value, shape_of, static_dims
from layoutsolver.buckyball.llvm.module import CUSTOM, INTRINSIC, Function, Instruction, Module
from layoutsolver.buckyball.maps import read_maps
from layoutsolver.buckyball.passes.builder import LowerError
from layoutsolver.buckyball.surround import FORMS
from layoutsolver.ops.buckyball import INTRINSIC as OPERATION
from layoutsolver_backends.riscv.emitter import Emitter, float_text

TYPES = {"f32": "float", "f64": "double", "index": "i64", "i64": "i64", "i32": "i32", "i16": "i16", "i8": "i8",
         "i1": "i1"}  # fmt: skip


class Place(NamedTuple):
    """A memref: the pointer that was allocated, the aligned one, the offset (an i64), dimensions, strides, element."""

    allocated: str
    aligned: str
    offset: str
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    element: str
    size: int


def to_llvm(code: Code) -> Module:
    """The module of a program. Raises `LowerError` for what has no form in LLVM here."""
    functions = [_Function(op, code).build() for op in code.functions if op.blocks]
    defined = {one.symbol for one in functions}
    declared: dict[str, Function] = {}
    for function in functions:
        for block in function.blocks:
            for one in block.body:
                if one.opcode == "call" and one.extra not in defined:
                    kinds = [(kind, "") for kind, _ in one.operands]
                    declared.setdefault(one.extra, Function(one.type, one.extra, kinds, []))
    return Module([*functions, *declared.values()])


class _Function:
    def __init__(self, op: Op, code: Code) -> None:
        self.op, self.code = op, code
        self.values: dict[Value, str] = {}
        self.places: dict[Value, Place] = {}
        parameters: list[tuple[str, str]] = []
        for number, value in enumerate(op.blocks[0].arguments):
            parameters += self.parameter(value, f"%arg{number}", op)
        if op.attrs.get("results"):
            raise LowerError("LS1003", f"`{op.text('symbol')}` returns values, which is not lowered to LLVM", op.span)
        self.emit = Emitter(op.text("symbol"), parameters)

    def parameter(self, value: Value, name: str, op: Op) -> list[tuple[str, str]]:
        shape = shape_of(value.type)
        if shape is None:
            self.values[value] = name
            return [(self.kind(value.type, op), name)]
        dims, strides = self.static(value, op)
        rank = range(len(dims))
        self.places[value] = Place(
            f"{name}.base", f"{name}.data", f"{name}.offset", dims, strides, self.kind(shape.element, op),
            shape.element_bytes,
        )  # fmt: skip
        sizes = [("i64", f"{name}.size{at}") for at in rank] + [("i64", f"{name}.stride{at}") for at in rank]
        return [("ptr", f"{name}.base"), ("ptr", f"{name}.data"), ("i64", f"{name}.offset"), *sizes]

    def static(self, value: Value, op: Op) -> tuple[tuple[int, ...], tuple[int, ...]]:
        shape = shape_of(value.type)
        if shape is None or not shape.is_static or None in shape.strides:
            raise LowerError("LS1003", f"`%{value.name}` is `{value.type}`: its size or strides are open", op.span)
        return static_dims(shape), tuple(int(one or 0) for one in shape.strides)

    @staticmethod
    def kind(text: str, op: Op) -> str:
        found = TYPES.get(text)
        if found is None:
            raise LowerError("LS1003", f"values of type `{text}` are not lowered to LLVM", op.span)
        return found

    def build(self) -> Function:
        self.block(self.op.blocks[0])
        last = self.emit.function.blocks[-1].body
        if not last or last[-1].opcode != "ret":
            self.emit.put(Instruction("", "ret", "void"))
        return self.emit.finish()

    def block(self, block: Block) -> list[Value]:
        """Emit a block; the operands of the operation that ends it."""
        for op in block.ops:
            if FORMS.get(op.name) == "return":
                return op.operands
            self.one(op)
        return []

    def one(self, op: Op) -> None:
        if op.name.startswith(OPERATION):
            self.intrinsic(op)
            return
        form = FORMS.get(op.name, "")
        found = _FORMS.get(form)
        if found is None:
            message = f"`{op.name}` has no form in LLVM: lower the program to `intr` first"
            raise LowerError("LS1003", message, op.span)
        found(self, op)

    # -- instructions -----------------------------------------------------------------------------------------

    def intrinsic(self, op: Op) -> None:
        operands = [("i64", self.values[value]) for value in op.operands]
        name = op.name.removeprefix(OPERATION)
        if name == "custom":
            self.emit.call("void", CUSTOM, *operands, ("i32", str(op.number("funct7"))))
        else:
            self.emit.call("void", f"{INTRINSIC}{name}", *operands)

    # -- numbers ----------------------------------------------------------------------------------------------

    def constant(self, op: Op) -> None:
        text, kind = op.text("value"), self.kind(op.result.type, op)
        if kind in ("float", "double"):
            number = float(text)
            if kind == "float":
                number = struct.unpack("<f", struct.pack("<f", number))[0]
            self.values[op.result] = float_text(number)
        elif kind == "i1":
            self.values[op.result] = "true" if text in ("1", "-1", "true") else "false"
        else:
            self.values[op.result] = text

    def binary(self, op: Op) -> None:
        name = op.name.removeprefix("arith.")
        kind = self.kind(op.result.type, op)
        left, right = (self.values[value] for value in op.operands)
        if name in ("maximumf", "minimumf"):
            width = "f32" if kind == "float" else "f64"
            symbol = f"@llvm.{name[:-1]}.{width}"
            self.values[op.result] = self.emit.call(kind, symbol, (kind, left), (kind, right))
            return
        if name in ("maxsi", "minsi"):
            larger = self.emit.compare("icmp", "sgt" if name == "maxsi" else "slt", kind, left, right)
            self.values[op.result] = self.emit.select(larger, kind, left, right)
            return
        opcode = _BINARY.get(name)
        if opcode is None:
            raise LowerError("LS1003", f"`{op.name}` is not lowered to LLVM", op.span)
        self.values[op.result] = self.emit.op(opcode, kind, left, right)

    def compare(self, op: Op) -> None:
        opcode = "icmp" if op.name == "arith.cmpi" else "fcmp"
        kind = self.kind(op.operands[0].type, op)
        left, right = (self.values[value] for value in op.operands)
        self.values[op.result] = self.emit.compare(opcode, op.text("predicate"), kind, left, right)

    def select(self, op: Op) -> None:
        condition, yes, no = (self.values[value] for value in op.operands)
        kind = self.kind(op.result.type, op)
        self.values[op.result] = self.emit.select(condition, kind, yes, no)

    def unary(self, op: Op) -> None:
        if op.name == "memref.dealloc":
            self.emit.call("void", "@free", ("ptr", self.places[op.operands[0]].allocated))
            return
        kind = self.kind(op.result.type, op)
        value = self.values[op.operands[0]]
        if op.name == "math.absf":
            self.values[op.result] = self.emit.call(kind, f"@llvm.fabs.{op.result.type}", (kind, value))
        else:
            self.values[op.result] = self.emit.op("fneg", kind, value)

    def cast(self, op: Op) -> None:
        if op.name == "memref.copy":
            read, written = (self.places[value] for value in op.operands)
            self.emit.nest(read.dims, lambda at: self.put(written, at, self.get(read, at)))
            return
        if op.name == "memref.cast":
            self.places[op.result] = self.places[op.operands[0]]
            return
        value = self.values[op.operands[0]]
        source, target = (self.kind(one.type, op) for one in (op.operands[0], op.result))
        opcode = _CASTS.get(op.name.removeprefix("arith."))
        if opcode is None:
            raise LowerError("LS1003", f"`{op.name}` is not lowered to LLVM", op.span)
        if opcode == "index":
            widths = [int(kind[1:]) for kind in (source, target)]
            opcode = "" if widths[0] == widths[1] else "sext" if widths[0] < widths[1] else "trunc"
        self.values[op.result] = self.emit.cast(opcode, source, value, target) if opcode else value

    # -- memory -----------------------------------------------------------------------------------------------

    def element(self, place: Place, at: list[str]) -> str:
        """The address of an element."""
        emit, offset = self.emit, place.offset
        for index, stride in zip(at, place.strides, strict=True):
            offset = emit.add(offset, emit.times(index, stride))
        return emit.address(place.aligned, emit.times(offset, place.size))

    def get(self, place: Place, at: list[str]) -> str:
        return self.emit.load(place.element, self.element(place, at))

    def put(self, place: Place, at: list[str], value: str) -> None:
        self.emit.store(place.element, value, self.element(place, at))

    def alloc(self, op: Op) -> None:
        shape = shape_of(op.result.type)
        dims, strides = self.static(op.result, op)
        assert shape is not None
        count = 1
        for dim in dims:
            count *= dim
        kind = self.kind(shape.element, op)
        if op.name == "memref.alloca":
            pointer = self.emit.alloca(f"[{count} x {kind}]" if dims else kind)
        else:
            pointer = self.emit.call("ptr", "@malloc", ("i64", str(max(count * shape.element_bytes, 1))))
        self.places[op.result] = Place(pointer, pointer, "0", dims, strides, kind, shape.element_bytes)

    def load(self, op: Op) -> None:
        at = [self.values[value] for value in op.operands[1:]]
        self.values[op.result] = self.get(self.places[op.operands[0]], at)

    def store(self, op: Op) -> None:
        at = [self.values[value] for value in op.operands[2:]]
        self.put(self.places[op.operands[1]], at, self.values[op.operands[0]])

    def subview(self, op: Op) -> None:
        source = self.places[op.operands[0]]
        dynamic = iter(op.operands[1:])
        offset = source.offset
        for number, stride in zip(op.listed("offsets"), source.strides, strict=True):
            index = self.values[next(dynamic)] if number is None else str(number)
            offset = self.emit.add(offset, self.emit.times(index, stride))
        dims, strides = self.static(op.result, op)
        self.places[op.result] = source._replace(offset=offset, dims=dims, strides=strides)

    def collapse(self, op: Op) -> None:
        dims, strides = self.static(op.result, op)
        self.places[op.result] = self.places[op.operands[0]]._replace(dims=dims, strides=strides)

    def metadata(self, op: Op) -> None:
        place = self.places[op.operands[0]]
        if op.name == "memref.extract_aligned_pointer_as_index":
            self.values[op.result] = self.emit.cast("ptrtoint", "ptr", place.aligned, "i64")
            return
        base, offset, *rest = op.results
        self.places[base] = place._replace(offset="0", dims=(), strides=())
        self.values[offset] = place.offset
        for value, number in zip(rest, (*place.dims, *place.strides), strict=True):
            self.values[value] = str(number)

    def named(self, op: Op) -> None:
        target = self.places[op.operands[-1]]
        if op.name == "linalg.fill":
            value = self.values[op.operands[0]]
            self.emit.nest(target.dims, lambda at: self.put(target, at, value))
            return
        sources = [self.places[value] for value in op.operands[:-1]]
        if op.name == "linalg.add":
            opcode = "fadd" if target.element in ("float", "double") else "add"
            left, right = sources

            def add(at: list[str]) -> None:
                self.put(target, at, self.emit.op(opcode, target.element, self.get(left, at), self.get(right, at)))

            self.emit.nest(target.dims, add)
        elif op.name == "linalg.copy":
            self.emit.nest(target.dims, lambda at: self.put(target, at, self.get(sources[0], at)))
        elif op.name == "linalg.transpose":
            order = [int(one or 0) for one in op.listed("permutation")]
            self.emit.nest(
                sources[0].dims,
                lambda at: self.put(target, [at[one] for one in order], self.get(sources[0], at)),
            )
        else:
            raise LowerError("LS1003", f"`{op.name}` is not lowered to LLVM", op.span)

    def generic(self, op: Op) -> None:
        """Every element in turn: the accumulator of a reduction is read and written each time."""
        maps = read_maps(op.text("indexing_maps"))
        assert maps is not None
        first, used = maps
        places = [self.places[value] for value in op.operands]
        sizes = {name: dim for place, names in zip(places, used, strict=True)
                 for name, dim in zip(names, place.dims, strict=True)}  # fmt: skip
        dims = [sizes[dim] for dim in first]

        def body(at: list[str]) -> None:
            where = [[at[first.index(name)] for name in names] for names in used]
            for argument, place, indices in zip(op.blocks[0].arguments, places, where, strict=True):
                self.values[argument] = self.get(place, indices)
            (result,) = self.block(op.blocks[0])
            self.put(places[-1], where[-1], self.values[result])

        self.emit.nest(tuple(dims), body)

    # -- control ----------------------------------------------------------------------------------------------

    def loop(self, op: Op) -> None:
        emit = self.emit
        lower, upper, step, *inits = (self.values.get(value, "") for value in op.operands)
        kinds = [self.kind(value.type, op) for value in op.results]
        slots = [emit.alloca(kind, "carried") for kind in kinds]
        for kind, init, slot in zip(kinds, inits, slots, strict=True):
            emit.store(kind, init, slot)
        block = op.blocks[0]

        def body(index: str) -> None:
            self.values[block.arguments[0]] = index
            for argument, kind, slot in zip(block.arguments[1:], kinds, slots, strict=True):
                self.values[argument] = emit.load(kind, slot)
            yielded = [self.values[value] for value in self.block(block)]
            for kind, value, slot in zip(kinds, yielded, slots, strict=True):
                emit.store(kind, value, slot)

        emit.loop(lower, upper, step, body)
        for result, kind, slot in zip(op.results, kinds, slots, strict=True):
            self.values[result] = emit.load(kind, slot)

    def branch(self, op: Op) -> None:
        emit = self.emit
        kinds = [self.kind(value.type, op) for value in op.results]
        slots = [emit.alloca(kind, "chosen") for kind in kinds]
        yes, no, end = (emit.label(wish) for wish in ("then", "else", "endif"))
        emit.branch(self.values[op.operands[0]], yes, no)
        for label, block in zip((yes, no), [*op.blocks, Block()][:2], strict=True):
            emit.enter(label)
            for kind, value, slot in zip(kinds, self.block(block), slots, strict=True):
                emit.store(kind, self.values[value], slot)
            emit.jump(end)
        emit.enter(end)
        for result, kind, slot in zip(op.results, kinds, slots, strict=True):
            self.values[result] = emit.load(kind, slot)

    def call(self, op: Op) -> None:
        if op.results:
            raise LowerError("LS1003", f"a call of `{op.text('callee')}` with results is not lowered to LLVM", op.span)
        operands: list[tuple[str, str]] = []
        for value in op.operands:
            place = self.places.get(value)
            if place is None:
                operands.append((self.kind(value.type, op), self.values[value]))
                continue
            operands += [("ptr", place.allocated), ("ptr", place.aligned), ("i64", place.offset)]
            operands += [("i64", str(number)) for number in (*place.dims, *place.strides)]
        self.emit.call("void", op.text("callee"), *operands)


_BINARY = {
    "addi": "add", "subi": "sub", "muli": "mul", "andi": "and", "ori": "or", "xori": "xor", "shli": "shl",
    "shrui": "lshr", "divsi": "sdiv", "remsi": "srem", "divui": "udiv", "remui": "urem", "addf": "fadd",
    "subf": "fsub", "mulf": "fmul", "divf": "fdiv",
}  # fmt: skip
_CASTS = {"index_cast": "index", "extui": "zext", "extsi": "sext", "trunci": "trunc", "bitcast": "bitcast",
          "sitofp": "sitofp", "fptosi": "fptosi"}  # fmt: skip

_FORMS: dict[str, Callable[[_Function, Op], None]] = {
    "constant": _Function.constant, "binary": _Function.binary, "compare": _Function.compare,
    "select": _Function.select, "unary": _Function.unary, "cast": _Function.cast, "alloc": _Function.alloc,
    "load": _Function.load, "store": _Function.store, "subview": _Function.subview, "collapse": _Function.collapse,
    "metadata": _Function.metadata, "named": _Function.named, "generic": _Function.generic, "for": _Function.loop,
    "if": _Function.branch, "call": _Function.call,
}  # fmt: skip
