"""What every expansion into banks is made of: allocation, moves, instructions, scales.

Source: buckyball 2.3, 5.2, 7.1.
"""

from __future__ import annotations

from layoutsolver.buckyball.ir import Attr, Block, Op, Value, static_dims
from layoutsolver.buckyball.passes.builder import F32, I32, I64, Builder, LowerError, shape_or_fail
from layoutsolver_models.buckyball.instructions import INSTRUCTIONS
from layoutsolver_models.buckyball.tiles import LANE
from layoutsolver_models.targets.bank_chip import BankChip


def need_units(op: Op, chip: BankChip, names: tuple[str, ...]) -> None:
    """Refuse an operation for which the chip lacks a unit. Raises `LowerError`."""
    missing = [INSTRUCTIONS[name].unit for name in names if not chip.has(name)]
    if missing:
        units = ", ".join(f"`{unit}`" for unit in missing)
        raise LowerError("LS1004", f"`{op.name}` needs the unit {units}, which `{chip.name}` does not have", op.span)


def alloc(build: Builder, columns: int, wish: str) -> Value:
    """A bank."""
    return build.op("buckyball.bank_alloc", [], I64, {"row": 1, "col": columns}, wish)


def release(build: Builder, *banks: Value) -> None:
    """Give banks back."""
    for bank in banks:
        build.op("buckyball.bank_release", [bank])


def bank_op(build: Builder, name: str, operands: list[Value], wish: str) -> Value:
    """An operation on banks; the bank that it wrote."""
    return build.op(f"buckyball.bank_{name}", operands, I64, wish=wish)


def move(build: Builder, name: str, memref: Value, bank: Value, depth: int, columns: int, op: Op) -> Value:
    """Move rows of as many elements as a virtual row holds between memory and a bank.

    Raises `LowerError` where rows do not lie a whole number of virtual rows apart.
    """
    shape = shape_or_fail(memref, op, 2)
    rows, width = static_dims(shape)
    pitch = shape.strides[0]
    lanes = LANE * columns // shape.element_bytes
    assert pitch is not None
    if pitch != width and width != lanes:
        raise LowerError("LS1002", f"rows of {width} elements that lie {pitch} apart need a copy first", op.span)
    step = 1 if pitch == width else pitch // lanes
    if (pitch != width and pitch % lanes) or rows * width != depth * lanes:
        raise LowerError("LS1002", f"rows that lie {pitch} elements apart are not moved {lanes} at a time", op.span)
    operands = [memref, bank, build.constant(depth, I64), build.constant(step, I64)]
    return bank_op(build, name, operands, "loaded" if name == "mvin" else "stored")


def scale_of(build: Builder, memref: Value, name: str) -> Value:
    """127 over the largest magnitude of a memref, 1 where that is 0: computed by the processor."""
    zero, one = build.number(0.0), build.number(1.0)
    largest = build.slot(F32, f"max{name}")
    build.op("memref.store", [zero, largest])
    x, so_far = Value(F32, "x"), Value(F32, "soFar")
    block = Block([x, so_far])
    inner = build.inside(block)
    size = inner.op("math.absf", [x], F32, wish="size")
    inner.op("linalg.yield", [inner.binary("maximumf", size, so_far, "larger")])
    attrs: dict[str, Attr] = {
        "inputs": 1,
        "indexing_maps": "[affine_map<(d0,d1)->(d0,d1)>,affine_map<(d0,d1)->()>]",
        "iterator_types": '["reduction","reduction"]',
    }
    build.add(Op("linalg.generic", [memref, largest], [], attrs, [block]))
    found = build.op("memref.load", [largest], F32, wish=f"top{name}")
    positive = build.op("arith.cmpf", [found, zero], "i1", {"predicate": "ogt"}, f"any{name}")
    scale = build.binary("divf", build.number(127.0), found, f"q{name}")
    return build.op("arith.select", [positive, scale, one], F32, wish=f"s{name}")


def bits_of(build: Builder, scale: Value) -> Value:
    """The bits of an f32 as an i64."""
    bits = build.op("arith.bitcast", [scale], I32, wish=f"{scale.name}Bits")
    return build.op("arith.extui", [bits], I64, wish=f"{scale.name}I64")
