"""Emits LLVM instructions block by block."""

from __future__ import annotations

import struct
from collections.abc import Callable

from layoutsolver.buckyball.llvm.module import Block, Function, Instruction

Body = Callable[[list[str]], None]


class Emitter:
    """A function under construction. Allocations go to its first block, so that loops do not repeat them."""

    def __init__(self, symbol: str, parameters: list[tuple[str, str]]) -> None:
        self.function = Function("void", symbol, parameters, [Block("entry", [])])
        self.allocations: list[Instruction] = []
        self.count = 0

    def finish(self) -> Function:
        """The function, with its allocations in front."""
        self.function.blocks[0].body[:0] = self.allocations
        return self.function

    def fresh(self, wish: str) -> str:
        """A name of its own."""
        self.count += 1
        return f"%{wish}.{self.count}"

    def put(self, one: Instruction) -> None:
        """Emit an instruction."""
        self.function.blocks[-1].body.append(one)

    def op(self, opcode: str, kind: str, *operands: str, wish: str = "v") -> str:
        """An operation of operands of its own type."""
        result = self.fresh(wish)
        self.put(Instruction(result, opcode, kind, tuple((kind, one) for one in operands)))
        return result

    def compare(self, opcode: str, predicate: str, kind: str, left: str, right: str) -> str:
        """A comparison."""
        result = self.fresh("is")
        self.put(Instruction(result, opcode, kind, ((kind, left), (kind, right)), predicate))
        return result

    def select(self, condition: str, kind: str, yes: str, no: str) -> str:
        """One of two values."""
        result = self.fresh("either")
        self.put(Instruction(result, "select", kind, (("i1", condition), (kind, yes), (kind, no))))
        return result

    def cast(self, opcode: str, source: str, value: str, target: str) -> str:
        """A conversion."""
        result = self.fresh("as")
        self.put(Instruction(result, opcode, target, ((source, value),)))
        return result

    def call(self, kind: str, symbol: str, *operands: tuple[str, str]) -> str:
        """A call; its result, empty if it has none."""
        result = self.fresh("call") if kind != "void" else ""
        self.put(Instruction(result, "call", kind, operands, symbol))
        return result

    def alloca(self, kind: str, wish: str = "slot") -> str:
        """Memory of the function."""
        result = self.fresh(wish)
        self.allocations.append(Instruction(result, "alloca", kind))
        return result

    def load(self, kind: str, pointer: str) -> str:
        """What is at an address."""
        result = self.fresh("at")
        self.put(Instruction(result, "load", kind, (("ptr", pointer),)))
        return result

    def store(self, kind: str, value: str, pointer: str) -> None:
        """Put a value at an address."""
        self.put(Instruction("", "store", "void", ((kind, value), ("ptr", pointer))))

    def address(self, pointer: str, offset: str) -> str:
        """An address so many bytes on."""
        if offset == "0":
            return pointer
        result = self.fresh("p")
        self.put(Instruction(result, "getelementptr", "i8", (("ptr", pointer), ("i64", offset))))
        return result

    def label(self, wish: str) -> str:
        """The name of a block that is not there yet."""
        self.count += 1
        return f"{wish}{self.count}"

    def enter(self, label: str) -> None:
        """Begin a block."""
        self.function.blocks.append(Block(label, []))

    def jump(self, label: str) -> None:
        """Go on in another block."""
        self.put(Instruction("", "br", "", (), label))

    def branch(self, condition: str, yes: str, no: str) -> None:
        """Go on in one of two blocks."""
        self.put(Instruction("", "br", "", (("i1", condition),), f"{yes} {no}"))

    def add(self, left: str, right: str) -> str:
        """The sum of two i64, folded where both are known."""
        if left == "0" or right == "0":
            return right if left == "0" else left
        if _is_number(left) and _is_number(right):
            return str(int(left) + int(right))
        return self.op("add", "i64", left, right)

    def times(self, left: str, factor: int) -> str:
        """An i64 times a number."""
        if factor == 1:
            return left
        return str(int(left) * factor) if _is_number(left) else self.op("mul", "i64", left, str(factor))

    def loop(self, lower: str, upper: str, step: str, body: Callable[[str], None]) -> None:
        """A loop over an i64."""
        slot = self.alloca("i64", "index")
        self.store("i64", lower, slot)
        head, inside, behind = (self.label(wish) for wish in ("head", "body", "end"))
        self.jump(head)
        self.enter(head)
        index = self.load("i64", slot)
        self.branch(self.compare("icmp", "slt", "i64", index, upper), inside, behind)
        self.enter(inside)
        body(index)
        self.store("i64", self.add(index, step), slot)
        self.jump(head)
        self.enter(behind)

    def nest(self, dims: tuple[int, ...], body: Body) -> None:
        """Loops over all elements of a shape, the last dimension innermost."""

        def inner(done: list[str]) -> None:
            if len(done) == len(dims):
                body(done)
            else:
                self.loop("0", str(dims[len(done)]), "1", lambda index: inner([*done, index]))

        inner([])


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdecimal()


def float_text(value: float) -> str:
    """An f32 or f64 constant as LLVM spells every one exactly: the bits of the double.

    >>> float_text(127.0)
    '0x405FC00000000000'
    """
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"
