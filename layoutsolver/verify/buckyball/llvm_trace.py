"""LLVM -> the text of traces: integers signed and within their type, pointers not negative, floats as their bits."""

from __future__ import annotations

import struct

from layoutsolver.buckyball.llvm.module import CUSTOM, INTRINSIC, Function, Instruction
from layoutsolver.verify.buckyball.floats import SIGN, bits_of
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver.verify.buckyball.traces import LONGEST, WINDOWS, TraceText
from layoutsolver_models.buckyball.instructions import ALIASES, INSTRUCTIONS

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "ptr": 64}
FLOATS = {"float": 4, "double": 8}
RESULT = 0
"""The place of what a function returns."""

_PLAIN = {"and": "&", "or": "|", "xor": "^"}
_SIMPLE = {"add": "+", "sub": "-", "mul": "*"}
_INTEGER = ("shl", "lshr", "ashr", "sdiv", "srem", "udiv", "urem")
_RELATIONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ORDERED = ("oeq", "olt", "ole", "ogt", "oge")


def wrap(value: int, kind: str) -> int:
    """An integer cut to a type: signed, but pointers and i1."""
    bits = BITS.get(kind)
    if bits is None:
        raise Unsupported(f"values of type `{kind}`")
    value &= (1 << bits) - 1
    return value if kind in ("ptr", "i1") or not value >> (bits - 1) else value - (1 << bits)


def size_of(kind: str) -> int:
    """The bytes of a type."""
    words = kind.strip("[]").split()
    if len(words) == 3:
        return int(words[0]) * size_of(words[2])
    if kind in FLOATS:
        return FLOATS[kind]
    if kind not in BITS:
        raise Unsupported(f"values of type `{kind}`")
    return max(BITS[kind], 8) // 8


class Layout:
    """A function as traces see it: a place for each value, the number of each block, and what more than one uses."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.blocks = {block.label: number for number, block in enumerate(function.blocks)}
        names = [name for _, name in function.parameters]
        names += [one.result for block in function.blocks for one in block.body if one.result]
        self.places = {name: place for place, name in enumerate(names, 1)}
        made = {name: -1 for _, name in function.parameters}
        self.shared: set[str] = set()
        for number, block in enumerate(function.blocks):
            for one in block.body:
                if one.result:
                    made[one.result] = number
        for number, block in enumerate(function.blocks):
            for one in block.body:
                self.shared.update(text for _, text in one.operands if made.get(text, number) != number)


def trace_text(layout: Layout, start: int) -> str:
    """The function of the code from a block on: values `v` by their places in, the next block out, -1 for none."""
    return _Trace(layout, start).text()


class _Trace(TraceText):
    def __init__(self, layout: Layout, start: int) -> None:
        super().__init__()
        self.layout = layout
        self.number = start
        self.count = 0
        self.have: set[str] = set()

    def text(self) -> str:
        blocks, visited = self.layout.function.blocks, set[int]()
        while self.number >= 0:
            if self.number in visited or self.count > LONGEST:
                self.leave(str(self.number))
                break
            visited.add(self.number)
            block, self.number = blocks[self.number], -1
            for one in block.body:
                self.line, self.count = one.line, self.count + 1
                try:
                    ended = self.step(one)
                except Unsupported as error:
                    self.fail(str(error))
                    ended = True
                if ended:
                    break
        return self.function("v, stack")

    def leave(self, to: str, indent: str = "") -> None:
        """Go on in another block."""
        self.add(f"{indent}processor.steps += {self.count}")
        self.add(f"{indent}return {to}")

    # -- values -----------------------------------------------------------------------------------------------

    def value(self, operand: tuple[str, str]) -> str:
        """The text of an operand."""
        kind, text = operand
        if text.startswith("%"):
            place = self.layout.places[text]
            if text not in self.have:
                self.have.add(text)
                self.add(f"n{place} = v[{place}]")
                self.add(f"if n{place} is None:")
                self.add(f"    at = {self.line}")
                message = f"`{text}`, which is used on a way that does not define it,"
                self.add(f"    raise Unsupported({message!r})")
                self.noted = -1
            return f"n{place}"
        if kind in FLOATS:
            exact = struct.unpack(">d", int(text, 16).to_bytes(8, "big"))[0] if text.startswith("0x") else float(text)
            return str(bits_of(exact, FLOATS[kind]))
        if text in ("true", "false", "null"):
            return str(int(text == "true"))
        return f"({wrap(int(text), kind)})"

    def put(self, one: Instruction, value: str) -> None:
        """Set the result of an instruction."""
        self.add(f"{self.target(one)} = {value}")

    def target(self, one: Instruction) -> str:
        """The names that the result of an instruction is assigned to."""
        if not one.result:
            return "_"
        place = self.layout.places[one.result]
        self.have.add(one.result)
        return f"v[{place}] = n{place}" if one.result in self.layout.shared else f"n{place}"

    def keep(self, one: Instruction) -> None:
        """Put the result of an instruction where other blocks find it."""
        place = self.layout.places[one.result]
        if one.result in self.layout.shared:
            self.add(f"v[{place}] = n{place}")

    def name(self, one: Instruction) -> str:
        """The name of the result of an instruction, which `keep` is called for."""
        self.have.add(one.result)
        return f"n{self.layout.places[one.result]}"

    # -- instructions -----------------------------------------------------------------------------------------

    def step(self, one: Instruction) -> bool:
        """Translate an instruction; whether it ends its block. Raises `Unsupported`."""
        if one.opcode == "br":
            return self.branch(one)
        values = [self.value(each) for each in one.operands]
        if one.opcode == "ret":
            if values:
                self.add(f"v[{RESULT}] = {values[0]}")
            self.leave("-1")
            return True
        if one.opcode == "call":
            self.call(one, values)
        elif one.opcode == "alloca":
            self.place()
            name = self.name(one)
            self.add(f"{name} = processor.allocate({size_of(one.type)})")
            self.add(f"stack.append({name})")
            self.keep(one)
            self.reopen()
        elif one.opcode in ("load", "store"):
            self.access(one, values)
        elif one.opcode == "getelementptr":
            self.put(one, f"{values[0]} + {values[1]}")
        elif one.opcode == "select":
            self.put(one, f"{values[1]} if {values[0]} else {values[2]}")
        elif one.opcode in ("icmp", "fcmp"):
            self.compare(one, values)
        elif one.type in FLOATS and one.opcode in ("fadd", "fsub", "fmul", "fdiv"):
            self.put(one, f"binary({one.opcode!r}, {values[0]}, {values[1]}, {FLOATS[one.type]})")
        elif one.opcode == "fneg":
            self.put(one, f"{values[0]} ^ {SIGN[FLOATS[one.type]]}")
        elif one.opcode in _PLAIN or one.opcode in _SIMPLE or one.opcode in _INTEGER:
            self.integers(one, values)
        else:
            self.convert(one, values[0])
        return False

    def reopen(self) -> None:
        """Look at memory anew: it may have grown."""
        self.add(f"{WINDOWS} = windows()")

    def branch(self, one: Instruction) -> bool:
        targets = [self.layout.blocks[label] for label in one.extra.split()]
        if one.operands:
            condition = self.value(one.operands[0])
            self.add(f"if {condition}:")
            self.leave(str(targets[0]), "    ")
        self.number = targets[-1]
        return True

    def access(self, one: Instruction, values: list[str]) -> None:
        if one.opcode == "store":
            kind = one.operands[0][0]
            size = size_of(kind)
            value = values[0] if kind in FLOATS else f"{values[0]} & {(1 << 8 * size) - 1}"
            self.store(value, values[1], size)
            return
        name, size = self.name(one), size_of(one.type)
        self.load(name, values[0], size)
        if one.type == "i1":
            self.add(f"{name} &= 1")
        elif one.type not in FLOATS and one.type != "ptr":
            self.add(f"if {name} >> {8 * size - 1}:")
            self.add(f"    {name} -= {1 << 8 * size}")
        self.keep(one)

    def compare(self, one: Instruction, values: list[str]) -> None:
        predicate = one.extra
        if one.opcode == "fcmp":
            if predicate not in _ORDERED:
                raise Unsupported(f"`fcmp {predicate}`")
            self.relation(self.name(one), predicate[1:], values[0], values[1], FLOATS[one.type])
            self.keep(one)
            return
        relation = _RELATIONS.get(predicate if predicate in ("eq", "ne") else predicate[1:])
        if relation is None:
            raise Unsupported(f"`icmp {predicate}`")
        if predicate.startswith("u"):
            mask = (1 << BITS[one.type]) - 1
            values = [f"({value} & {mask})" for value in values]
        self.put(one, f"1 if {values[0]} {relation} {values[1]} else 0")

    def integers(self, one: Instruction, values: list[str]) -> None:
        left, right = values
        if one.opcode in _PLAIN:
            self.put(one, f"{left} {_PLAIN[one.opcode]} {right}")
            return
        if one.opcode in _INTEGER:
            self.place()
            self.put(one, f"wrap(integer({one.opcode!r}, {left}, {right}, {BITS[one.type]}), {one.type!r})")
            return
        name, half = self.name(one), 1 << (BITS[one.type] - 1)
        self.add(f"{name} = {left} {_SIMPLE[one.opcode]} {right}")
        if one.type in ("i1", "ptr"):
            self.add(f"{name} = wrap({name}, {one.type!r})")
        else:
            self.add(f"if not -{half} <= {name} < {half}:")
            self.add(f"    {name} = wrap({name}, {one.type!r})")
        self.keep(one)

    def convert(self, one: Instruction, value: str) -> None:
        """A conversion between types."""
        source, target = one.operands[0][0], one.type
        if one.opcode == "bitcast" and source in FLOATS:
            self.put(one, value if target in FLOATS else f"wrap({value}, {target!r})")
        elif one.opcode == "bitcast":
            self.put(one, f"{value} & {(1 << 8 * FLOATS[target]) - 1}" if target in FLOATS else f"wrap({value}, "
                     f"{target!r})")  # fmt: skip
        elif one.opcode == "zext":
            self.put(one, f"{value} & {(1 << BITS[source]) - 1}")
        elif one.opcode == "sext":
            self.put(one, f"-{value}" if source == "i1" else value)
        elif one.opcode in ("trunc", "ptrtoint", "inttoptr"):
            self.put(one, f"wrap({value}, {target!r})")
        elif one.opcode == "sitofp":
            self.put(one, f"bits_of({value}, {FLOATS[target]})")
        elif one.opcode == "fptosi":
            self.place()
            self.put(one, f"wrap(whole({value}, {FLOATS[source]}), {target!r})")
        else:
            raise Unsupported(f"`{one.opcode}`")

    def call(self, one: Instruction, values: list[str]) -> None:
        """A call: of an instruction, of the library, of a function that is defined."""
        name = one.extra
        self.place()
        if name == CUSTOM:
            self.add(f"issue({values[2]}, {values[0]}, {values[1]})")
        elif name.startswith(INTRINSIC):
            mnemonic = name.removeprefix(INTRINSIC)
            row = INSTRUCTIONS.get(ALIASES.get(mnemonic, mnemonic))
            if row is None:
                raise Unsupported(f"`{name}`")
            self.add(f"issue({row.funct7}, {values[0]}, {values[1]})")
        elif name == "@malloc":
            self.put(one, f"processor.allocate({values[0]})")
            self.reopen()
        elif name == "@free":
            self.add(f"processor.free({values[0]})")
        elif name.startswith("@llvm."):
            self.arithmetic(one, name.removeprefix("@llvm.").partition(".")[0], values)
        else:
            self.put(one, f"called({name!r}, [{', '.join(values)}])")
            self.reopen()

    def arithmetic(self, one: Instruction, name: str, values: list[str]) -> None:
        if one.type not in FLOATS or name not in ("fabs", "maximum", "minimum"):
            raise Unsupported(f"`{one.extra}`")
        size = FLOATS[one.type]
        if name == "fabs":
            self.put(one, f"{values[0]} & {SIGN[size] - 1}")
            return
        self.larger(self.name(one), name, values[0], values[1], size)
        self.keep(one)
