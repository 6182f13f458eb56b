"""RISC-V assembly as lines: labels, mnemonics, operands. What is not understood is an error at its line."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAMES = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", *(f"a{n}" for n in range(8)),
          *(f"s{n}" for n in range(2, 12)), "t3", "t4", "t5", "t6"]  # fmt: skip
_FLOATS = [*(f"ft{n}" for n in range(8)), "fs0", "fs1", *(f"fa{n}" for n in range(8)),
           *(f"fs{n}" for n in range(2, 12)), "ft8", "ft9", "ft10", "ft11"]  # fmt: skip

REGISTERS: dict[str, int] = {
    **{name: number for number, name in enumerate(_NAMES)},
    **{f"x{number}": number for number in range(32)},
    "fp": 8,
}
"""The integer registers by all their names."""

FLOAT_REGISTERS: dict[str, int] = {
    **{name: number for number, name in enumerate(_FLOATS)},
    **{f"f{number}": number for number in range(32)},
}
"""The float registers by all their names."""

_LABEL = re.compile(r"([.\w$]+):")
_IGNORED = (".text", ".globl", ".type", ".size", ".align", ".p2align", ".option", ".attribute", ".file", ".section")


class AssemblyLine(NamedTuple):
    """An instruction: mnemonic, operands as texts, where it stands."""

    name: str
    operands: tuple[str, ...]
    line: int


class Assembly(NamedTuple):
    """The instructions of a text and which of them each label stands before."""

    lines: list[AssemblyLine]
    labels: dict[str, int]


class AssemblyReadError(Exception):
    """A line that is not read: a message and its number."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def read_assembly(text: str) -> Assembly:
    """The instructions of a text. Raises `AssemblyReadError`.

    >>> read_assembly("f: addi a0, a0, 1 # more").lines
    [AssemblyLine(name='addi', operands=('a0', 'a0', '1'), line=1)]
    """
    found = Assembly([], {})
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0].strip()
        while match := _LABEL.match(line):
            if match[1] in found.labels:
                raise AssemblyReadError(f"the label `{match[1]}` stands here a second time", number)
            found.labels[match[1]] = len(found.lines)
            line = line[match.end() :].strip()
        if not line or line.startswith(_IGNORED):
            continue
        name, _, rest = line.partition(" ")
        if name == ".insn":
            form, _, rest = rest.strip().partition(" ")
            name = f".insn {form}"
        operands = tuple(part.strip() for part in rest.split(",")) if rest.strip() else ()
        found.lines.append(AssemblyLine(name, operands, number))
    return found
