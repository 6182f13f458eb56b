"""LLVM's structs and addresses, as the lowering of memrefs and of operations with several results leaves them.

A memref that was cast to its descriptor stays the buffer that it is; its members are read from that. Each function
decodes an operation once and gives what runs it.
"""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.graph.aggregates import member_path, members
from layoutsolver.mlir.types import ScalarType, parse_type
from layoutsolver.ops.assembly import scan_type, skip_bracket
from layoutsolver.verify.operation import Get, Operation, Run
from layoutsolver.verify.values import Aggregate, Buffer, Pointer, Scalar, Value, integer

_I64 = ScalarType("i64", 64)


def extract_value(op: Operation) -> Run:
    """`llvm.extractvalue`: a member of a struct, or of the descriptor that a memref became."""
    path, source = member_path(op.node.op), op.node.operands[0]

    def run(get: Get) -> list[Value]:
        held = get(source)
        if isinstance(held, Buffer):
            return [_descriptor_member(op, held, path)]
        for number in path:
            if not isinstance(held, Aggregate) or number >= len(held.parts):
                raise op.fail("takes a member that its operand does not have")
            held = held.parts[number]
        return [held]

    return run


def _descriptor_member(op: Operation, buffer: Buffer, path: tuple[int, ...]) -> Value:
    if path in ((0,), (1,)):
        return Pointer(buffer.base, buffer.base)
    if path == (2,):
        return integer(_I64, buffer.offset)
    if len(path) == 2 and path[0] in (3, 4):
        known = buffer.sizes if path[0] == 3 else buffer.strides
        if path[1] < len(known):
            return integer(_I64, known[path[1]])
    raise op.fail("takes a member that the descriptor of a memref does not have")


def insert_value(op: Operation) -> Run:
    """`llvm.insertvalue`: a struct with one member replaced."""
    member, struct = op.node.operands[:2]
    path = member_path(op.node.op)

    def run(get: Get) -> list[Value]:
        held = get(struct)
        if not isinstance(held, Aggregate) or len(path) != 1 or path[0] >= len(held.parts):
            raise op.fail("is known for members of structs alone")
        parts = list(held.parts)
        parts[path[0]] = get(member)
        return [Aggregate(tuple(parts))]

    return run


def undefined_value(op: Operation) -> Run:
    """`llvm.mlir.undef` and `llvm.mlir.poison`: a struct without members yet."""
    made = Aggregate((None,) * len(members(op.type(op.node.results[0]).text)))
    if not made.parts:
        raise op.fail("is known for structs alone")
    return lambda get: [made]


def element_pointer(op: Operation) -> Run:
    """`llvm.getelementptr` with one index: elements are as long as their bytes, those of i1 have a byte each."""
    inner = op.node.op
    if inner.is_generic or len(op.node.operands) > 2:
        raise op.fail("is only understood in its custom form, with one index")
    size = _element_bytes(op)
    source = op.node.operands[0]
    index, fixed = (op.node.operands[1], 0) if len(op.node.operands) == 2 else (-1, _constant_index(op))

    def run(get: Get) -> list[Value]:
        pointer, number = get(source), fixed
        if not isinstance(pointer, Pointer):
            raise op.fail("has no address to start from")
        if index >= 0:
            given = get(index)
            if not isinstance(given, Scalar) or not given.defined:
                raise op.fail("has an index that is not defined")
            number = given.signed
        return [Pointer(pointer.base, pointer.address + number * size)]

    return run


def _constant_index(op: Operation) -> int:
    inner, texts = op.node.op, op.node.op.stream.texts
    at = next((token for token in range(inner.name_token, inner.last) if texts[token] == "["), inner.last)
    text = "".join(texts[at + 1 : skip_bracket(texts, at, inner.last) - 1])
    if not text.removeprefix("-").isdigit():
        raise op.fail("is only understood in its custom form, with one index")
    return int(text)


def _element_bytes(op: Operation) -> int:
    """The bytes of the element type, which stands behind the result type."""
    inner, texts = op.node.op, op.node.op.stream.texts
    arrow = next((token for token in range(inner.name_token, inner.last) if texts[token] == "->"), inner.last)
    comma = scan_type(texts, arrow + 1, inner.last) or inner.last
    end = scan_type(texts, comma + 1, inner.last)
    if end is None or texts[comma] != ",":
        raise op.fail("names no element type")
    type_ = parse_type(inner.stream.range_text(comma + 1, end))
    bits = type_.bits if isinstance(type_, ScalarType) else None
    if bits is None:
        raise op.fail(f"has the element type `{type_.text}`, whose size is not known here")
    return max(1, bits // 8)


AGGREGATES: dict[str, Callable[[Operation], Run]] = {
    "llvm.extractvalue": extract_value, "llvm.insertvalue": insert_value, "llvm.mlir.undef": undefined_value,
    "llvm.mlir.poison": undefined_value, "llvm.getelementptr": element_pointer,
}  # fmt: skip
"""The operations on structs and addresses."""
