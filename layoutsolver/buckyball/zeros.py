"""Whether the result of a product is zero before it: `linalg.matmul` adds to it, the tiles overwrite it."""

from __future__ import annotations

from layoutsolver.buckyball.ir import Block, Code, Op, Value
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label

ADDING = ("linalg.matmul", "linalg.batch_matmul", "linalg.conv_2d_nhwc_hwcf", "linalg.conv_2d_nhwc_fhwc",
          "linalg.conv_2d_nchw_fchw")  # fmt: skip


def overwritten(code: Code) -> list[Diagnostic]:
    """A warning for each operation that adds to memory which is not surely zero: it will be overwritten."""
    said: list[Diagnostic] = []
    for function in code.functions:
        for block in function.blocks:
            _block(block, code, said)
    return said


def _block(block: Block, code: Code, said: list[Diagnostic]) -> None:
    zeros: set[Value] = set()
    zero_numbers = {op.result for op in block.ops if op.name == "arith.constant" and _is_zero(op)}
    for op in block.ops:
        if op.name == "linalg.fill":
            value, target = op.operands
            if value in zero_numbers or value in _outer_zeros(code):
                zeros.add(target)
            else:
                zeros.discard(target)
            continue
        if op.name in ADDING and op.operands[-1] not in zeros:
            message = f"`{op.name}` adds to `%{op.operands[-1].name}`, which is not zero for sure: it is overwritten"
            note = "fill it with zeros first if that is meant; else add the product to it afterwards"
            said.append(Diagnostic("LS1008", "warning", message, Label(code.source, op.span), notes=(note,)))
        if op.name != "arith.constant":
            zeros.difference_update(op.operands)
        for inner in op.blocks:
            _block(inner, code, said)
            zeros.clear()


def _outer_zeros(code: Code) -> set[Value]:
    return {op.result for op in code.walk() if op.name == "arith.constant" and _is_zero(op)}


def _is_zero(op: Op) -> bool:
    text = op.text("value").lstrip("-")
    return bool(text) and not text.lower().startswith("0x") and not set(text.lower().partition("e")[0]) - {"0", "."}
