"""Small programs of PTO for tests: what every one needs is written once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver.verify.result import Verification

ARGUMENT = re.compile(r"%\w+: \S.*")


def function(arguments: str, *lines: str) -> str:
    """A function `@k` of these lines, with the index constants that they name."""
    body = "\n".join(f"  {line}" for line in lines)
    named = sorted({int(number) for number in re.findall(r"%c(\d+)\b", body)})
    constants = "".join(f"  %c{number} = arith.constant {number} : index\n" for number in named)
    return f"func.func @k({arguments}) {{\n{constants}{body}\n  return\n}}\n"


def pointers(**elements: str) -> str:
    """Pointer arguments into the unified buffer by name and element type."""
    return ", ".join(f"%{name}: !pto.ptr<{element}, ub>" for name, element in elements.items())


def compare(expected: str, found: str, rounds: int = 4, sizes: dict[str, int] | None = None) -> Verification:
    """Two texts compared."""
    return verify_pto(SourceFile("expected.pto", expected), SourceFile("found.pto", found), rounds, 1, sizes)


def notes(found: Verification) -> Iterable[str]:
    """All notes of all messages."""
    return [note for item in found.diagnostics for note in item.notes]


def codes(found: Verification) -> list[str]:
    """The codes of all messages."""
    return [item.code for item in found.diagnostics]
