"""LLVM text -> module. What is not among the forms of `module` is an error at its line."""

from __future__ import annotations

import re

from layoutsolver.buckyball.llvm.module import BINARY, CASTS, Block, Function, Instruction, Module

_NAME = r"%[\w.$-]+"
_TYPE = r"(?:\[\d+ x [\w]+\]|[a-z]\w*)"
_OPERAND = r"(?:%[\w.$-]+|-?\d[\w.+-]*|0x[0-9A-Fa-f]+|true|false|null)"
_TYPED = rf"{_TYPE} {_OPERAND}"
_DEFINE = re.compile(rf"define ({_TYPE}) (@[\w.$]+)\((.*)\)(?: #\d+)? \{{")
_DECLARE = re.compile(rf"declare ({_TYPE}) (@[\w.$]+)\((.*)\)(?: #\d+)?")
_LABEL = re.compile(r"([\w.$-]+):(?:\s*;.*)?")
_RESULT = re.compile(rf"({_NAME}) = (.*)")
_SKIPPED = ("target ", "source_filename", "attributes ", "!", "; ")


class LlvmError(Exception):
    """A line that is not read: a message and its number."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def read_module(text: str) -> Module:
    """The functions of a text. Raises `LlvmError`."""
    functions: list[Function] = []
    current: Function | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split(";", 1)[0].strip()
        if not line or line.startswith(_SKIPPED):
            continue
        if current is None:
            match = _DEFINE.fullmatch(line)
            declared = _DECLARE.fullmatch(line)
            if match:
                current = Function(match[1], match[2], [_typed(one, number) for one in _listed(match[3])], [])
                functions.append(current)
            elif declared:
                kinds = [(one.split()[0], "") for one in _listed(declared[3])]
                functions.append(Function(declared[1], declared[2], kinds, []))
            else:
                raise LlvmError(f"`{line}` is not read here", number)
            continue
        if line == "}":
            current = None
            continue
        label = _LABEL.fullmatch(line)
        if label:
            current.blocks.append(Block(label[1], []))
            continue
        if not current.blocks:
            current.blocks.append(Block("entry", []))
        current.blocks[-1].body.append(_instruction(line, number))
    if current is not None:
        raise LlvmError(f"`{current.symbol}` is never closed", len(text.splitlines()))
    _check(functions)
    return Module(functions)


_INTEGERS = frozenset({"i1", "i8", "i16", "i32", "i64"})
_KINDS = _INTEGERS | {"ptr", "float", "double", "void"}
_INTEGER = re.compile(r"-?\d+")
_FLOAT = re.compile(r"-?\d+\.\d*(?:[eE][+-]?\d+)?|0x[0-9A-Fa-f]{16}")
_ARRAY = re.compile(r"\[\d{1,9} x (\w+)\]")


def _check_types(one: Instruction) -> None:
    """Refuse types that are not known here, and constants that are none of their type."""
    array = _ARRAY.fullmatch(one.type) if one.opcode == "alloca" else None
    for kind in (array[1] if array else one.type or "void", *(kind for kind, _ in one.operands)):
        if kind not in _KINDS:
            raise LlvmError(f"values of type `{kind}` are not read here", one.line)
    for kind, text in one.operands:
        form = _FLOAT if kind in ("float", "double") else _INTEGER
        words = {"i1": ("true", "false"), "ptr": ("null",)}.get(kind, ())
        if not text.startswith("%") and text not in words and (kind == "ptr" or not form.fullmatch(text)):
            raise LlvmError(f"`{text}` is no constant of type `{kind}`", one.line)
    floats = one.type in ("float", "double")
    if one.opcode in BINARY and (one.opcode.startswith("f") != floats or (not floats and one.type not in _INTEGERS)):
        raise LlvmError(f"`{one.opcode}` of type `{one.type}`", one.line)


def _check(functions: list[Function]) -> None:
    """Refuse names that nothing defines, labels that are not there, and blocks that do not end."""
    for function in functions:
        for kind, name in function.parameters:
            if kind not in _KINDS:
                raise LlvmError(f"`{function.symbol}` has a parameter `{name}` of type `{kind}`", 1)
        labels = {block.label for block in function.blocks}
        names = {name for _, name in function.parameters}
        body = [one for block in function.blocks for one in block.body]
        for one in body:
            if one.result in names and one.result:
                raise LlvmError(f"`{one.result}` is defined twice", one.line)
            names.add(one.result)
        for one in body:
            _check_types(one)
            missing = [name for _, name in one.operands if name.startswith("%") and name not in names]
            if missing:
                raise LlvmError(f"`{missing[0]}` is used but not defined", one.line)
            if one.opcode == "br" and not set(one.extra.split()) <= labels:
                raise LlvmError(f"`{one.extra}`: no such label", one.line)
        for block in function.blocks:
            if not block.body or block.body[-1].opcode not in ("br", "ret"):
                last = block.body[-1].line if block.body else 1
                raise LlvmError(f"the block `{block.label}` does not end in `br` or `ret`", last)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _typed(text: str, number: int) -> tuple[str, str]:
    words = [word for word in text.split() if word not in ("noundef", "noalias", "immarg", "nocapture")]
    if len(words) != 2:
        raise LlvmError(f"`{text}`: expected a type and an operand", number)
    return words[0], words[1]


def _instruction(line: str, number: int) -> Instruction:
    match = _RESULT.fullmatch(line)
    result, rest = (match[1], match[2]) if match else ("", line)
    opcode, _, tail = rest.partition(" ")
    found = _read(result, opcode, tail, number)
    if found is None:
        raise LlvmError(f"`{line}` is not read here", number)
    return found


def _read(result: str, opcode: str, tail: str, number: int) -> Instruction | None:
    if opcode in BINARY:
        tail = re.sub(r"^(?:(?:nsw|nuw|exact|contract|fast) )*", "", tail)
        match = re.fullmatch(rf"({_TYPE}) ({_OPERAND}), ({_OPERAND})", tail)
        pair = ((match[1], match[2]), (match[1], match[3])) if match else ()
        return Instruction(result, opcode, match[1], pair, line=number) if match else None
    if opcode == "fneg":
        match = re.fullmatch(rf"({_TYPE}) ({_OPERAND})", tail)
        return Instruction(result, opcode, match[1], ((match[1], match[2]),), line=number) if match else None
    if opcode in ("icmp", "fcmp"):
        match = re.fullmatch(rf"(\w+) ({_TYPE}) ({_OPERAND}), ({_OPERAND})", tail)
        if match is None:
            return None
        return Instruction(result, opcode, match[2], ((match[2], match[3]), (match[2], match[4])), match[1], number)
    if opcode in CASTS:
        match = re.fullmatch(rf"({_TYPE}) ({_OPERAND}) to ({_TYPE})", tail)
        return Instruction(result, opcode, match[3], ((match[1], match[2]),), line=number) if match else None
    if opcode in ("load", "getelementptr", "store", "select"):
        return _listed_form(result, opcode, tail, number)
    if opcode == "alloca":
        match = re.fullmatch(rf"({_TYPE})(?:, align \d+)?", tail)
        return Instruction(result, opcode, match[1], line=number) if match else None
    if opcode == "call":
        match = re.fullmatch(rf"({_TYPE}) (@[\w.$]+)\((.*)\)(?: #\d+)?", tail)
        if match is None:
            return None
        operands = tuple(_typed(one, number) for one in _listed(match[3]))
        return Instruction(result, opcode, match[1], operands, match[2], number)
    if opcode == "br":
        match = re.fullmatch(rf"(?:({_TYPED}), )?label %([\w.$-]+)(?:, label %([\w.$-]+))?", tail)
        if match is None or bool(match[1]) != bool(match[3]):
            return None
        operands = (_typed(match[1], number),) if match[1] else ()
        return Instruction("", opcode, "", operands, " ".join(one for one in match.groups()[1:] if one), number)
    if opcode == "ret":
        if tail == "void":
            return Instruction("", opcode, "void", line=number)
        value = _typed(tail, number)
        return Instruction("", opcode, value[0], (value,), line=number)
    return None


def _listed_form(result: str, opcode: str, tail: str, number: int) -> Instruction | None:
    parts = [one for one in _listed(tail) if not one.startswith("align ")]
    if opcode == "load" and len(parts) == 2:
        return Instruction(result, opcode, parts[0], (_typed(parts[1], number),), line=number)
    if opcode == "getelementptr" and len(parts) == 3 and parts[0].removeprefix("inbounds ") == "i8":
        return Instruction(result, opcode, "i8", tuple(_typed(one, number) for one in parts[1:]), line=number)
    if opcode == "store" and len(parts) == 2:
        return Instruction("", opcode, "void", tuple(_typed(one, number) for one in parts), line=number)
    if opcode == "select" and len(parts) == 3:
        operands = tuple(_typed(one, number) for one in parts)
        return Instruction(result, opcode, operands[1][0], operands, line=number)
    return None
