"""Functions of LLVM: blocks of instructions whose operands are texts, `%name`s or constants.

Addresses are bytes: `getelementptr` is that of `i8` only. Variables of loops are in memory, so that there is no `phi`.
"""

from __future__ import annotations

from typing import NamedTuple

INTRINSIC = "@llvm.riscv.bb."
CUSTOM = "@llvm.riscv.buckyball.custom"

BINARY = frozenset({"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "sdiv", "srem", "udiv", "urem",
                    "fadd", "fsub", "fmul", "fdiv"})  # fmt: skip
CASTS = frozenset({"zext", "sext", "trunc", "bitcast", "ptrtoint", "inttoptr", "sitofp", "uitofp", "fptosi"})


class Instruction(NamedTuple):
    """An instruction: its result (empty if none), opcode, type, operands with their types, and what else it says.

    `extra` is a predicate, the type that a cast goes to, the function that is called, or labels separated by blanks.
    `line` is where it was read.
    """

    result: str
    opcode: str
    type: str
    operands: tuple[tuple[str, str], ...] = ()
    extra: str = ""
    line: int = 0


class Block(NamedTuple):
    """Instructions under a label."""

    label: str
    body: list[Instruction]


class Function(NamedTuple):
    """A function: what it returns, its symbol (`@f`), parameters as type and name, blocks (none: declared)."""

    returns: str
    symbol: str
    parameters: list[tuple[str, str]]
    blocks: list[Block]


class Module(NamedTuple):
    """The functions of a text, declared ones among them."""

    functions: list[Function]

    def defined(self) -> dict[str, Function]:
        """The functions with a body."""
        return {one.symbol: one for one in self.functions if one.blocks}


def print_module(module: Module) -> str:
    """The text of a module."""
    parts: list[str] = []
    for one in module.functions:
        if not one.blocks:
            types = ", ".join(kind for kind, _ in one.parameters)
            parts.append(f"declare {one.returns} {one.symbol}({types})\n")
            continue
        parameters = ", ".join(f"{kind} {name}" for kind, name in one.parameters)
        lines = [f"define {one.returns} {one.symbol}({parameters}) {{"]
        for block in one.blocks:
            lines.append(f"{block.label}:")
            lines += [f"  {print_instruction(each)}" for each in block.body]
        parts.append("\n".join([*lines, "}", ""]))
    return "\n".join(parts)


def print_instruction(one: Instruction) -> str:
    """The text of an instruction.

    >>> print_instruction(Instruction("%c", "add", "i64", (("i64", "%a"), ("i64", "1"))))
    '%c = add i64 %a, 1'
    """
    typed = [f"{kind} {operand}" for kind, operand in one.operands]
    bare = [operand for _, operand in one.operands]
    head = f"{one.result} = " if one.result else ""
    if one.opcode in BINARY or one.opcode == "fneg":
        return f"{head}{one.opcode} {one.type} {', '.join(bare)}"
    if one.opcode in ("icmp", "fcmp"):
        return f"{head}{one.opcode} {one.extra} {one.type} {', '.join(bare)}"
    if one.opcode in CASTS:
        return f"{head}{one.opcode} {typed[0]} to {one.type}"
    if one.opcode in ("load", "getelementptr"):
        return f"{head}{one.opcode} {one.type}, {', '.join(typed)}"
    if one.opcode in ("store", "select"):
        return f"{head}{one.opcode} {', '.join(typed)}"
    if one.opcode == "alloca":
        return f"{head}alloca {one.type}"
    if one.opcode == "call":
        return f"{head}call {one.type} {one.extra}({', '.join(typed)})"
    if one.opcode == "br":
        labels = [f"label %{label}" for label in one.extra.split()]
        return f"br {', '.join([*typed, *labels])}"
    assert one.opcode == "ret", one.opcode
    return f"ret {typed[0]}" if typed else "ret void"
