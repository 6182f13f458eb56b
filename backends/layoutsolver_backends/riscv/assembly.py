"""LLVM -> RISC-V assembly (RV64, LP64D): values in registers within a block, in the frame where they are needed later.

An instruction of Buckyball is written as `.insn r 0x7b, 3, funct7, x0, t0, t1`, which stock assemblers take, with its
mnemonic beside it. Source: buckyball 2.5, 3.1.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from layoutsolver.buckyball.llvm.module import CUSTOM, INTRINSIC, Block, Function, Instruction, Module
from layoutsolver.buckyball.llvm.read import LlvmError
from layoutsolver_backends.riscv.frame import RETURN, Access, Frame
from layoutsolver_models.buckyball.encoding import FUNCT3, OPCODE
from layoutsolver_models.buckyball.instructions import ALIASES, BY_FUNCT7, INSTRUCTIONS

REGISTERS = 8
"""So many arguments go in registers of each kind."""

_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "ptr": 64}
_STORES = {"i1": "sb", "i8": "sb", "i16": "sh", "i32": "sw", "i64": "sd", "ptr": "sd", "float": "fsw", "double": "fsd"}
_LOADS = {"i1": "lbu", "i8": "lb", "i16": "lh", "i32": "lw", "i64": "ld", "ptr": "ld", "float": "flw", "double": "fld"}
_INTEGER = {"add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor", "shl": "sll",
            "lshr": "srl", "ashr": "sra", "sdiv": "div", "srem": "rem", "udiv": "divu", "urem": "remu"}  # fmt: skip
_NO_RESULT = frozenset({*_STORES.values(), "j", "call", "ret", "bnez", "beqz", ".insn"})
_FLOAT = {"fadd": "fadd", "fsub": "fsub", "fmul": "fmul", "fdiv": "fdiv"}
_ORDERED = {"oeq": ("feq", False), "olt": ("flt", False), "ole": ("fle", False), "ogt": ("flt", True),
            "oge": ("fle", True)}  # fmt: skip


def assemble(module: Module) -> str:
    """The assembly of all functions with a body. Raises `LlvmError`."""
    lines = [".text"]
    for function in module.functions:
        if function.blocks:
            lines += _Function(function).lines()
    return "\n".join([*lines, ""])


def is_float(kind: str) -> bool:
    """Whether values of a type are in registers for floats."""
    return kind in ("float", "double")


class _Function:
    """A function as lines whose places in the frame are still open.

    `holds` says which operand a register has, until it is written or code may come from elsewhere.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.symbol = function.symbol.removeprefix("@")
        self.out: list[str | Access] = []
        self.frame = Frame()
        self.holds: dict[str, str] = {}
        self.line = 0
        self.places: dict[str, int] = {}
        for kind, name in function.parameters:
            self.places[name] = self.frame.place()
            if kind not in _BITS and not is_float(kind):
                raise LlvmError(f"parameters of type `{kind}` have no register", 0)
        self.memory: dict[str, int] = {}
        for block in function.blocks:
            for one in block.body:
                if one.opcode == "alloca":
                    self.memory[one.result] = self.frame.place(_bytes(one))
                if one.result:
                    self.places[one.result] = self.frame.place()
        self.slots = slots_of(function)

    def emit(self, text: str) -> None:
        """A line; what the register that it writes held is forgotten."""
        self.out.append(f"    {text}")
        name, _, rest = text.partition(" ")
        if name not in _NO_RESULT:
            self.holds.pop(rest.partition(",")[0], None)

    def mark(self, label: str) -> None:
        """A label, to which code comes from elsewhere."""
        self.out.append(f"{label}:")
        self.holds.clear()

    # -- frame ------------------------------------------------------------------------------------------------

    def access(self, name: str, register: str, place: int, passed: bool = False) -> None:
        """Load or store a register at a place of the frame, or of what is passed on the caller's stack."""
        self.out.append(Access(name, register, place, passed))
        if name in _LOADS.values():
            self.holds.pop(register, None)

    def lines(self) -> list[str]:
        self.access("sd", "ra", RETURN)
        self.parameters()
        for block in self.function.blocks:
            self.block(block)
        self.frame.close(self.out)
        head = [f".globl {self.symbol}", f".type {self.symbol}, @function", f"{self.symbol}:"]
        return [*head, f"    li t6, -{self.frame.size}", "    add sp, sp, t6", *self.frame.lines(self.out)]

    def parameters(self) -> None:
        """Store what is passed: registers of each kind first, then the stack of the caller."""
        used = {False: 0, True: 0}
        stack = 0
        for kind, name in self.function.parameters:
            floats = is_float(kind) and used[True] < REGISTERS
            if used[floats] < REGISTERS:
                store = _STORES[kind] if floats else "sd"
                self.access(store, f"{'f' if floats else ''}a{used[floats]}", self.places[name])
                used[floats] += 1
            else:
                self.access("ld", "t0", 8 * stack, passed=True)
                self.access("sd", "t0", self.places[name])
                stack += 1

    def block(self, block: Block) -> None:
        self.mark(self.label(block.label))
        for one in block.body:
            self.line = one.line
            if one.opcode == "ret":
                self.leave(one)
                continue
            handler = _HANDLERS.get(one.opcode)
            if handler is None:
                raise LlvmError(f"`{one.opcode}` has no form in assembly here", one.line)
            handler(self, one)

    def leave(self, one: Instruction) -> None:
        if one.operands:
            kind, operand = one.operands[0]
            self.value(operand, kind, "fa0" if is_float(kind) else "a0")
        self.access("ld", "ra", RETURN)
        self.out.append(Access("frame", "t6", 0))
        self.emit("add sp, sp, t6")
        self.emit("ret")

    def label(self, name: str) -> str:
        return f".L{self.symbol}_{name}"

    # -- values -----------------------------------------------------------------------------------------------

    def value(self, operand: str, kind: str, register: str) -> None:
        """Put an operand into a register."""
        wanted = operand if operand.startswith("%") else f"{kind} {operand}"
        there = next((one for one, held in self.holds.items() if held == wanted), None)
        if self.holds.get(register) == wanted:
            return
        if there is not None and is_float(kind) == there.startswith("f"):
            self.emit(f"fmv.{_suffix(kind)} {register}, {there}" if is_float(kind) else f"mv {register}, {there}")
        elif operand.startswith("%"):
            place = self.places.get(operand)
            if place is None:
                raise LlvmError(f"`{operand}` is used but not defined", self.line)
            self.access(_LOADS[kind] if is_float(kind) else "ld", register, place)
        elif is_float(kind):
            bits = float_bits(operand, kind)
            self.emit(f"li t5, {bits}")
            self.emit(f"fmv.{'w' if kind == 'float' else 'd'}.x {register}, t5")
        else:
            number = {"true": 1, "false": 0, "null": 0}.get(operand)
            self.emit(f"li {register}, {int(operand) if number is None else number}")
        self.holds[register] = wanted

    def result(self, one: Instruction, register: str, kind: str = "", canonical: bool = False) -> None:
        """Keep a register as the result of an instruction; integers in canonical form, if they are not already."""
        kind = kind or one.type
        if is_float(kind):
            self.access(_STORES[kind], register, self.places[one.result])
            self.holds[register] = one.result
            return
        bits = 64 if canonical else _BITS[kind]
        if bits == 32:
            self.emit(f"sext.w {register}, {register}")
        elif bits == 1:
            self.emit(f"andi {register}, {register}, 1")
        elif bits < 32:
            self.emit(f"slli {register}, {register}, {64 - bits}")
            self.emit(f"srai {register}, {register}, {64 - bits}")
        self.access("sd", register, self.places[one.result])
        self.holds[register] = one.result

    # -- instructions -----------------------------------------------------------------------------------------

    def binary(self, one: Instruction) -> None:
        (kind, left), (_, right) = one.operands
        if is_float(kind):
            self.value(left, kind, "ft0")
            self.value(right, kind, "ft1")
            self.emit(f"{_FLOAT[one.opcode]}.{_suffix(kind)} ft0, ft0, ft1")
            self.result(one, "ft0")
            return
        if one.opcode in ("lshr", "udiv", "urem") and kind != "i64":
            raise LlvmError(f"`{one.opcode} {kind}` has no form in assembly here", one.line)
        self.value(left, kind, "t0")
        self.value(right, kind, "t1")
        self.emit(f"{_INTEGER[one.opcode]} t0, t0, t1")
        self.result(one, "t0")

    def negate(self, one: Instruction) -> None:
        kind, operand = one.operands[0] if one.operands else (one.type, "")
        self.value(operand, kind, "ft0")
        self.emit(f"fneg.{_suffix(kind)} ft0, ft0")
        self.result(one, "ft0")

    def compare(self, one: Instruction) -> None:
        (kind, left), (_, right) = one.operands
        if one.opcode == "fcmp":
            found = _ORDERED.get(one.extra)
            if found is None:
                raise LlvmError(f"`fcmp {one.extra}` has no form in assembly here", one.line)
            name, swapped = found
            self.value(left, kind, "ft0")
            self.value(right, kind, "ft1")
            operands = "ft1, ft0" if swapped else "ft0, ft1"
            self.emit(f"{name}.{_suffix(kind)} t0, {operands}")
        else:
            self.value(left, kind, "t0")
            self.value(right, kind, "t1")
            self.integers(one.extra, one.line)
        self.result(one, "t0", "i1", canonical=True)

    def integers(self, predicate: str, line: int) -> None:
        """Compare t0 and t1 into t0."""
        if predicate in ("eq", "ne"):
            self.emit("xor t0, t0, t1")
            self.emit(f"{'seqz' if predicate == 'eq' else 'snez'} t0, t0")
            return
        name = "sltu" if predicate.startswith("u") else "slt"
        relation = predicate[1:]
        if relation not in ("lt", "le", "gt", "ge"):
            raise LlvmError(f"`icmp {predicate}` has no form in assembly here", line)
        self.emit(f"{name} t0, t1, t0" if relation in ("gt", "le") else f"{name} t0, t0, t1")
        if relation in ("le", "ge"):
            self.emit("xori t0, t0, 1")

    def select(self, one: Instruction) -> None:
        (_, condition), (kind, yes), (_, no) = one.operands
        register = "ft0" if is_float(kind) else "t0"
        self.value(condition, "i1", "t1")
        label = self.label(f"select{len(self.out)}")
        end = f"{label}_end"
        self.emit(f"beqz t1, {label}")
        self.value(yes, kind, register)
        self.emit(f"j {end}")
        self.mark(label)
        self.value(no, kind, register)
        self.mark(end)
        self.result(one, register)

    def cast(self, one: Instruction) -> None:
        source, operand = one.operands[0]
        target = one.type
        if one.opcode == "bitcast" and is_float(source) != is_float(target):
            wide = _suffix(source if is_float(source) else target) == "d"
            self.value(operand, source, "ft0" if is_float(source) else "t0")
            letter = "d" if wide else "w"
            self.emit(f"fmv.x.{letter} t0, ft0" if is_float(source) else f"fmv.{letter}.x ft0, t0")
            self.result(one, "ft0" if is_float(target) else "t0")
            return
        if one.opcode in ("sitofp", "fptosi"):
            to_float = one.opcode == "sitofp"
            self.value(operand, source, "t0" if to_float else "ft0")
            self.emit(f"fcvt.{_suffix(target)}.l ft0, t0" if to_float else f"fcvt.l.{_suffix(source)} t0, ft0, rtz")
            self.result(one, "ft0" if to_float else "t0")
            return
        if one.opcode == "uitofp" or is_float(source):
            raise LlvmError(f"`{one.opcode}` has no form in assembly here", one.line)
        self.value(operand, source, "t0")
        bits = _BITS[source]
        if one.opcode == "zext" and 1 < bits < 64:
            self.emit(f"slli t0, t0, {64 - bits}")
            self.emit(f"srli t0, t0, {64 - bits}")
        elif one.opcode == "sext" and bits == 1:
            self.emit("neg t0, t0")
        self.result(one, "t0")

    def load(self, one: Instruction) -> None:
        pointer = one.operands[0][1]
        register = "ft0" if is_float(one.type) else "t1"
        if pointer in self.slots:
            self.access(_LOADS[one.type], register, self.memory[pointer])
        else:
            self.value(pointer, "ptr", "t0")
            self.emit(f"{_LOADS[one.type]} {register}, 0(t0)")
        self.result(one, register, canonical=True)

    def store(self, one: Instruction) -> None:
        (kind, operand), (_, pointer) = one.operands
        register = "ft0" if is_float(kind) else "t1"
        self.value(operand, kind, register)
        if pointer in self.slots:
            self.access(_STORES[kind], register, self.memory[pointer])
            return
        self.value(pointer, "ptr", "t0")
        self.emit(f"{_STORES[kind]} {register}, 0(t0)")

    def address(self, one: Instruction) -> None:
        (_, pointer), (_, offset) = one.operands
        self.value(pointer, "ptr", "t0")
        self.value(offset, "i64", "t1")
        self.emit("add t0, t0, t1")
        self.result(one, "t0", "ptr")

    def alloca(self, one: Instruction) -> None:
        if one.result in self.slots:
            return
        self.out.append(Access("address", "t0", self.memory[one.result]))
        self.holds.pop("t0", None)
        self.emit("add t0, sp, t0")
        self.result(one, "t0", "ptr")

    def branch(self, one: Instruction) -> None:
        labels = [self.label(name) for name in one.extra.split()]
        if one.operands:
            self.value(one.operands[0][1], "i1", "t0")
            self.emit(f"bnez t0, {labels[0]}")
        self.emit(f"j {labels[-1]}")

    # -- calls ------------------------------------------------------------------------------------------------

    def call(self, one: Instruction) -> None:
        name = one.extra
        if name.startswith(INTRINSIC) or name == CUSTOM:
            self.instruction(one)
        elif name.startswith("@llvm."):
            self.arithmetic(one)
        else:
            self.function_call(one)

    def instruction(self, one: Instruction) -> None:
        if one.extra == CUSTOM:
            funct7 = int(one.operands[2][1]) if one.operands[2][1].isdecimal() else -1
        else:
            name = one.extra.removeprefix(INTRINSIC)
            row = INSTRUCTIONS.get(ALIASES.get(name, name))
            funct7 = -1 if row is None else row.funct7
        if not 0 <= funct7 < 128:
            raise LlvmError(f"`{one.extra}` is no instruction of Buckyball", one.line)
        self.value(one.operands[0][1], "i64", "t0")
        self.value(one.operands[1][1], "i64", "t1")
        self.emit(f".insn r {OPCODE:#x}, {FUNCT3}, {funct7}, x0, t0, t1  # bb_{BY_FUNCT7.get(funct7, 'custom')} t0, t1")

    def arithmetic(self, one: Instruction) -> None:
        """`fabs`, and `maximum` and `minimum`, which give NaN where an operand is NaN."""
        name = one.extra.removeprefix("@llvm.").partition(".")[0]
        kind = one.type
        suffix = _suffix(kind) if is_float(kind) else ""
        if name == "fabs" and suffix:
            self.value(one.operands[0][1], kind, "ft0")
            self.emit(f"fabs.{suffix} ft0, ft0")
        elif name in ("maximum", "minimum") and suffix:
            for (_, operand), register in zip(one.operands, ("ft0", "ft1"), strict=True):
                self.value(operand, kind, register)
            label = self.label(f"{name}{len(self.out)}")
            self.emit(f"feq.{suffix} t0, ft0, ft0")
            self.emit(f"feq.{suffix} t1, ft1, ft1")
            self.emit("and t0, t0, t1")
            self.emit(f"f{name[:3]}.{suffix} ft2, ft0, ft1")
            self.emit(f"bnez t0, {label}")
            self.emit(f"fadd.{suffix} ft2, ft0, ft1")
            self.mark(label)
            self.emit(f"fmv.{suffix} ft0, ft2")
        else:
            raise LlvmError(f"`{one.extra}` has no form in assembly here", one.line)
        self.result(one, "ft0")

    def function_call(self, one: Instruction) -> None:
        used = {False: 0, True: 0}
        later: list[tuple[str, str]] = []
        for kind, operand in one.operands:
            floats = is_float(kind) and used[True] < REGISTERS
            if used[floats] < REGISTERS:
                self.value(operand, kind, f"{'f' if floats else ''}a{used[floats]}")
                used[floats] += 1
            else:
                later.append((kind, operand))
        room = -(-8 * len(later) // 16) * 16
        for number, (kind, operand) in enumerate(later):
            register = "ft0" if is_float(kind) else "t0"
            self.value(operand, kind, register)
            store = "fsd" if kind == "double" else "fsw" if kind == "float" else "sd"
            self.emit(f"{store} {register}, {8 * number - room}(sp)")
        if room:
            self.emit(f"addi sp, sp, -{room}")
        self.emit(f"call {one.extra.removeprefix('@')}")
        self.holds.clear()
        if room:
            self.emit(f"addi sp, sp, {room}")
        if one.result:
            self.result(one, "fa0" if is_float(one.type) else "a0")


def _suffix(kind: str) -> str:
    return "s" if kind == "float" else "d"


def slots_of(function: Function) -> set[str]:
    """The memory of one number that is only loaded and stored: it is a place of the frame, without address."""
    slots = {one.result for block in function.blocks for one in block.body
             if one.opcode == "alloca" and (one.type in _BITS or is_float(one.type))}  # fmt: skip
    for block in function.blocks:
        for one in block.body:
            for place, (_, operand) in enumerate(one.operands):
                if (one.opcode, place) not in (("load", 0), ("store", 1)):
                    slots.discard(operand)
    return slots


def _bytes(one: Instruction) -> int:
    """The bytes of an `alloca`."""
    words = one.type.strip("[]").split()
    count, kind = (int(words[0]), words[2]) if len(words) == 3 else (1, words[0])
    size = {"float": 4, "double": 8}.get(kind) or max(_BITS.get(kind, 0), 8) // 8
    if kind not in _BITS and not is_float(kind):
        raise LlvmError(f"memory of type `{one.type}`", one.line)
    return count * size


def float_bits(text: str, kind: str) -> int:
    """The bits of a float constant of LLVM, which spells an f32 as the bits of a double.

    >>> hex(float_bits("0x405FC00000000000", "float")), hex(float_bits("1.0", "float"))
    ('0x42fe0000', '0x3f800000')
    """
    value = struct.unpack(">d", int(text, 16).to_bytes(8, "big"))[0] if text.startswith("0x") else float(text)
    form = "f" if kind == "float" else "d"
    return int.from_bytes(struct.pack(f">{form}", value), "big")


_HANDLERS: dict[str, Callable[[_Function, Instruction], None]] = {
    **dict.fromkeys((*_INTEGER, *_FLOAT), _Function.binary),
    **dict.fromkeys(("icmp", "fcmp"), _Function.compare),
    **dict.fromkeys(
        ("zext", "sext", "trunc", "bitcast", "ptrtoint", "inttoptr", "sitofp", "uitofp", "fptosi"), _Function.cast
    ),
    "fneg": _Function.negate, "select": _Function.select, "load": _Function.load, "store": _Function.store,
    "getelementptr": _Function.address, "alloca": _Function.alloca, "br": _Function.branch, "call": _Function.call,
}  # fmt: skip
