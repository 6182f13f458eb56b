"""Runs LLVM as `layoutsolver.buckyball.llvm` reads it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from layoutsolver.buckyball.llvm.module import CUSTOM, INTRINSIC, Function, Instruction, Module
from layoutsolver.verify.buckyball.raw import MOST_STEPS, Argument, Processor
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver_models.buckyball.instructions import ALIASES, INSTRUCTIONS

_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "ptr": 64}
_FLOATS: dict[str, Any] = {"float": np.float32, "double": np.float64}


class LlvmRun:
    """A module on a processor. Integers are signed and fit their type, pointers are not negative."""

    def __init__(self, module: Module, processor: Processor) -> None:
        self.functions = module.defined()
        self.processor = processor

    def call(self, symbol: str, arguments: list[Argument]) -> None:
        """Run a function."""
        function = self.functions.get(symbol)
        if function is None:
            raise Unsupported(f"`{symbol}`, which is not defined")
        if [kind for kind, _ in function.parameters] != [one.kind for one in arguments]:
            raise Unsupported(f"`{symbol}` with these parameters")
        self.function(function, [self.typed(one.value, one.kind) for one in arguments])

    @staticmethod
    def typed(bits: int, kind: str) -> Any:
        """A value from its bits."""
        if kind in _FLOATS:
            size = 4 if kind == "float" else 8
            return np.frombuffer((bits & ((1 << 8 * size) - 1)).to_bytes(size, "little"), _FLOATS[kind])[0]
        return wrap(bits, kind)

    def function(self, function: Function, values: list[Any]) -> Any:
        """Run the blocks of a function; what it returns."""
        env: dict[str, Any] = {name: value for (_, name), value in zip(function.parameters, values, strict=True)}
        blocks = {block.label: block for block in function.blocks}
        allocated: list[int] = []
        block = function.blocks[0]
        while True:
            for one in block.body:
                self.processor.line = one.line
                self.processor.steps += 1
                if one.opcode == "br":
                    taken = one.extra.split()
                    first = not one.operands or self.operand(one.operands[0], env)
                    block = blocks[taken[0] if first else taken[1]]
                    break
                if one.opcode == "ret":
                    for address in allocated:
                        self.processor.free(address)
                    return self.operand(one.operands[0], env) if one.operands else None
                if one.opcode == "alloca":
                    allocated.append(self.processor.allocate(_size(one.type)))
                    env[one.result] = allocated[-1]
                    continue
                result = self.one(one, [self.operand(each, env) for each in one.operands])
                if one.result:
                    env[one.result] = result
            if self.processor.steps > MOST_STEPS:
                raise Unsupported(f"more than {MOST_STEPS} instructions")

    def operand(self, operand: tuple[str, str], env: dict[str, Any]) -> Any:
        """The value of an operand."""
        kind, text = operand
        if text.startswith("%"):
            if text not in env:
                raise Unsupported(f"`{text}`, which is used on a way that does not define it,")
            return env[text]
        if kind in _FLOATS:
            exact = struct.unpack(">d", int(text, 16).to_bytes(8, "big"))[0] if text.startswith("0x") else float(text)
            return _FLOATS[kind](exact)
        if text in ("true", "false", "null"):
            return int(text == "true")
        return wrap(int(text), kind)

    def one(self, one: Instruction, values: list[Any]) -> Any:
        """Run an instruction that only computes, or touches memory, or calls."""
        if one.opcode == "call":
            return self.call_of(one, values)
        if one.opcode == "load":
            size = _size(one.type)
            return self.typed(self.processor.load(values[0], size), one.type)
        if one.opcode == "store":
            kind = one.operands[0][0]
            bits = int.from_bytes(values[0].tobytes(), "little") if kind in _FLOATS else values[0]
            self.processor.store(values[1], _size(kind), bits)
            return None
        if one.opcode == "getelementptr":
            return values[0] + values[1]
        if one.opcode == "select":
            return values[1] if values[0] else values[2]
        with np.errstate(all="ignore"):
            return self.compute(one, values)

    def compute(self, one: Instruction, values: list[Any]) -> Any:
        """Arithmetic, comparisons and conversions."""
        found = _FLOAT_BINARY.get(one.opcode) or _COMPARE.get(one.extra if one.opcode in ("icmp", "fcmp") else "")
        if one.opcode in ("icmp", "fcmp"):
            if found is None:
                raise Unsupported(f"`{one.opcode} {one.extra}`")
            if one.opcode == "icmp" and one.extra.startswith("u"):
                values = [value & ((1 << _BITS[one.type]) - 1) for value in values]
            return int(found(values[0], values[1]))
        if found is not None:
            return _FLOATS[one.type](found(values[0], values[1]))
        if one.opcode == "fneg":
            return -values[0]
        if one.opcode in _INTEGER:
            bits = _BITS[one.type]
            return wrap(_INTEGER[one.opcode](values[0], values[1], bits), one.type)
        return self.convert(one, values[0])

    def convert(self, one: Instruction, value: Any) -> Any:
        """A conversion between types."""
        source, target = one.operands[0][0], one.type
        if one.opcode == "bitcast":
            bits = int.from_bytes(value.tobytes(), "little") if source in _FLOATS else value
            return self.typed(bits, target)
        if one.opcode == "zext":
            return value & ((1 << _BITS[source]) - 1)
        if one.opcode == "sext":
            return -value if source == "i1" else value
        if one.opcode in ("trunc", "ptrtoint", "inttoptr"):
            return wrap(value, target)
        if one.opcode == "sitofp":
            return _FLOATS[target](value)
        if one.opcode == "fptosi":
            return wrap(int(value), target)
        raise Unsupported(f"`{one.opcode}`")

    def call_of(self, one: Instruction, values: list[Any]) -> Any:
        """Run a call: of an instruction, of the library, of a function that is defined."""
        name = one.extra
        if name == CUSTOM:
            self.processor.issue(values[2], values[0], values[1])
        elif name.startswith(INTRINSIC):
            mnemonic = name.removeprefix(INTRINSIC)
            row = INSTRUCTIONS.get(ALIASES.get(mnemonic, mnemonic))
            if row is None:
                raise Unsupported(f"`{name}`")
            self.processor.issue(row.funct7, values[0], values[1])
        elif name == "@malloc":
            return self.processor.allocate(values[0])
        elif name == "@free":
            self.processor.free(values[0])
        elif name.startswith("@llvm."):
            found = _CALLS.get(name.removeprefix("@llvm.").partition(".")[0])
            if found is None:
                raise Unsupported(f"`{name}`")
            with np.errstate(all="ignore"):
                return found(*values)
        elif name in self.functions:
            line = self.processor.line
            result = self.function(self.functions[name], values)
            self.processor.line = line
            return result
        else:
            raise Unsupported(f"a call of `{name}`")
        return None


def wrap(value: int, kind: str) -> int:
    """An integer cut to a type: signed, but pointers and i1."""
    bits = _BITS.get(kind)
    if bits is None:
        raise Unsupported(f"values of type `{kind}`")
    value &= (1 << bits) - 1
    return value if kind in ("ptr", "i1") or not value >> (bits - 1) else value - (1 << bits)


def _size(kind: str) -> int:
    """The bytes of a type."""
    words = kind.strip("[]").split()
    if len(words) == 3:
        return int(words[0]) * _size(words[2])
    if kind in _FLOATS:
        return 4 if kind == "float" else 8
    if kind not in _BITS:
        raise Unsupported(f"values of type `{kind}`")
    return max(_BITS[kind], 8) // 8


def _unsigned(operation: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda a, b, bits: operation(a & ((1 << bits) - 1), b & ((1 << bits) - 1))


def _divided(a: int, b: int, _: int) -> int:
    if b == 0:
        raise Unsupported("a division by 0")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_INTEGER: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, _: a + b, "sub": lambda a, b, _: a - b, "mul": lambda a, b, _: a * b,
    "and": lambda a, b, _: a & b, "or": lambda a, b, _: a | b, "xor": lambda a, b, _: a ^ b,
    "shl": lambda a, b, bits: a << b if 0 <= b < bits else 0,
    "lshr": _unsigned(lambda a, b: a >> b), "ashr": lambda a, b, _: a >> b,
    "sdiv": _divided, "srem": lambda a, b, bits: a - b * _divided(a, b, bits),
    "udiv": _unsigned(lambda a, b: _divided(a, b, 0)), "urem": _unsigned(lambda a, b: a - b * _divided(a, b, 0)),
}  # fmt: skip
_FLOAT_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "fadd": lambda a, b: a + b, "fsub": lambda a, b: a - b, "fmul": lambda a, b: a * b, "fdiv": lambda a, b: a / b,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("eq", "oeq"), lambda a, b: a == b), "ne": lambda a, b: a != b,
    **dict.fromkeys(("slt", "ult", "olt"), lambda a, b: a < b),
    **dict.fromkeys(("sle", "ule", "ole"), lambda a, b: a <= b),
    **dict.fromkeys(("sgt", "ugt", "ogt"), lambda a, b: a > b),
    **dict.fromkeys(("sge", "uge", "oge"), lambda a, b: a >= b),
}  # fmt: skip
_CALLS: dict[str, Callable[..., Any]] = {"fabs": np.abs, "maximum": np.maximum, "minimum": np.minimum}
