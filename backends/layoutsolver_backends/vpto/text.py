"""Instructions as text, in the forms of the operation tables, and names for their results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from layoutsolver.ops.registry import pto_specs
from layoutsolver_backends.vpto.code import PTO, Instruction, Ssa

SCALAR_FORMS: dict[str, str] = {
    "arith.constant": "{word} : {result}",
    **dict.fromkeys(("arith.index_cast", "arith.trunci"), "{a} : {first} to {result}"),
    "arith.cmpi": "{word}, {a}, {b} : {first}",
    "arith.select": "{a}, {b}, {c} : {result}",
    **dict.fromkeys(
        ("arith.addi", "arith.subi", "arith.muli", "arith.divsi", "arith.remsi", "arith.minsi", "arith.maxsi",
         "arith.minui", "arith.addf", "arith.subf"), "{a}, {b} : {result}"),
}  # fmt: skip
"""The forms of scalar operations."""

_PIECE = re.compile(r"\[:|:\]|type\((\w+)\)|\$(\w+)|\"\w+\"|attrs|->|\S")


class Names:
    """Names for values: their own, or their hint and a number that nobody has."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = set(taken)
        self.known: dict[Ssa, str] = {}
        self.next: dict[str, int] = {}

    def of(self, value: Ssa) -> str:
        """The name of a value."""
        if value.name:
            return value.name
        if value not in self.known:
            hint = value.hint.replace("#", "_")
            number = self.next.get(hint, 0)
            while f"{hint}_{number}" in self.taken:
                number += 1
            self.next[hint] = number + 1
            self.known[value] = f"{hint}_{number}"
            self.taken.add(self.known[value])
        return self.known[value]


def text_of(instruction: Instruction, names: Names) -> str:
    """The line of an instruction."""
    results = ", ".join(names.of(value) for value in instruction.results)
    head = f"{results} = {instruction.name}" if results else instruction.name
    body = _pto(instruction, names) if instruction.name.startswith(PTO) else _scalar(instruction, names)
    return f"{head} {body}"


def _scalar(instruction: Instruction, names: Names) -> str:
    operands = dict(zip("abc", (names.of(value) for value in instruction.operands), strict=False))
    first = instruction.operands[0].type if instruction.operands else ""
    word = instruction.words[0] if instruction.words else ""
    return SCALAR_FORMS[instruction.name].format(
        word=word, first=first, result=instruction.results[0].type if instruction.results else "", **operands
    )


@lru_cache(maxsize=256)
def _pieces(name: str) -> tuple[str, ...]:
    return tuple(match.group() for match in _PIECE.finditer(pto_specs()[name].assembly))


def _pto(instruction: Instruction, names: Names) -> str:
    spec = pto_specs()[instruction.name]
    operands = {role.name: value for role, value in zip(spec.operands, instruction.operands, strict=False)}
    results = {role.name: value for role, value in zip(spec.results, instruction.results, strict=False)}
    values = {**operands, **results}
    words = iter(instruction.words)
    out: list[str | None] = []
    group: list[str | None] | None = None
    for piece in _pieces(instruction.name):
        if piece == "[:":
            group = []
        elif piece == ":]":
            assert group is not None
            if None not in group:
                out += group
            group = None
        else:
            made = _piece(piece, values, words, instruction, names)
            (out if group is None else group).append(made)
    return _joined(out)


def _piece(
    piece: str, values: dict[str, Ssa], words: Iterator[str], instruction: Instruction, names: Names
) -> str | None:
    """The text of one piece of a form, None where it speaks of a value that the instruction has not."""
    if piece.startswith("$"):
        value = values.get(piece[1:])
        return None if value is None else names.of(value)
    if piece.startswith("type("):
        value = values.get(piece[5:-1])
        return None if value is None else value.type
    if piece.startswith('"'):
        return f'"{next(words)}"'
    if piece == "attrs":
        listed = ", ".join(f"{name} = {value}" for name, value in sorted(instruction.attrs))
        return f"{{{listed}}}" if listed else ""
    return piece


def _joined(pieces: list[str | None]) -> str:
    out = ""
    for piece in pieces:
        if not piece:
            continue
        tight = not out or piece in (",", "]", "[") or out.endswith("[")
        out += piece if tight else f" {piece}"
    return out
