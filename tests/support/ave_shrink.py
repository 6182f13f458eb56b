"""Delta debugging of program text: delete ops and the ops using their results while a failure remains."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_NAME = re.compile(r"%[A-Za-z0-9_.$-]+")
_RESULTS = re.compile(r"^\s*(%[^=]*?)\s*=\s")
_ITER = re.compile(r"(%[A-Za-z0-9_.$-]+)\s*=\s*%")
_COMMENT = re.compile(r"\s*//[^\n]*")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A line, or a block from its opening line to its closing one, as half-open line numbers."""

    first: int
    end: int
    function: int
    parent: int
    defines: frozenset[str]
    reads: frozenset[str]


def shrink(text: str, still_fails: Callable[[str], bool]) -> str:
    """Return a smaller text for which `still_fails` holds; `text` itself if nothing can go.

    `still_fails` must be false for text that is not a valid program. Ops are deleted in ever smaller groups,
    then bypassed (their result replaced by one of their operands); loops are freed by yielding an iter_arg.
    """
    bare = "\n".join(line for line in _COMMENT.sub("", text).splitlines() if line.strip()) + "\n"
    best = bare if bare != text and still_fails(bare) else text
    while True:
        smaller = _delete(best, still_fails)
        smaller = _rewrite(smaller, still_fails)
        smaller = _drop_arguments(smaller, still_fails)
        if len(smaller) >= len(best):
            return smaller
        best = smaller


def _units(lines: list[str]) -> list[_Unit]:
    """Return the units of a text in order of their first line."""
    found: list[_Unit] = []
    open_blocks: list[int] = []
    ends: dict[int, int] = {}
    for at, line in enumerate(lines):
        code = _COMMENT.sub("", line).rstrip()
        if code.strip() == "}" and open_blocks:
            ends[open_blocks.pop()] = at + 1
        elif code.endswith("{"):
            open_blocks.append(at)
    stack: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        while stack and stack[-1][1] <= at:
            stack.pop()
        end = ends.get(at, at + 1)
        if line.strip() in ("}", "return") or not line.strip() or line.startswith("module"):
            continue
        functions = [first for first, _ in stack if "func.func" in lines[first]]
        defined = _RESULTS.match(line)
        defines = frozenset(_NAME.findall(defined.group(1))) if defined else frozenset()
        body = "\n".join(lines[at:end])
        inner = frozenset(
            name
            for row in lines[at + 1 : end]
            if (made := _RESULTS.match(row))
            for name in _NAME.findall(made.group(1))
        )
        reads = frozenset(_NAME.findall(body if not defined else body[defined.end() :])) - inner
        found.append(_Unit(at, end, functions[-1] if functions else at, stack[-1][0] if stack else -1, defines, reads))
        if end > at + 1:
            stack.append((at, end))
    return found


def _closure(lines: list[str], units: list[_Unit], seeds: list[_Unit]) -> set[int]:
    """Return the numbers of the lines to delete with `seeds`: they and whatever reads their results."""
    gone: set[int] = set()
    work = list(seeds)
    while work:
        unit = work.pop()
        if unit.first in gone:
            continue
        if lines[unit.first].lstrip().startswith(("scf.yield", "return")):
            work += [other for other in units if other.first == unit.parent]
            continue
        gone.update(range(unit.first, unit.end))
        if unit.defines:
            work += [
                other
                for other in units
                if other.function == unit.function
                and other.first not in gone
                and other.reads & unit.defines
                and not other.first <= unit.first < other.end
            ]
        if lines[unit.first].lstrip().startswith("func.func"):
            called = re.search(r"@[\w.$-]+", lines[unit.first])
            name = called.group() if called else "@"
            work += [other for other in units if re.search(rf"\bcall {re.escape(name)}\(", lines[other.first])]
    return gone


def _delete(text: str, still_fails: Callable[[str], bool]) -> str:
    """Return the text after deleting groups of units, from large groups to single ones."""
    size = max(1, text.count("\n") // 2)
    while True:
        at = 0
        changed = False
        while True:
            lines = text.splitlines()
            units = list(reversed(_units(lines)))
            if at >= len(units):
                break
            gone = _closure(lines, units, units[at : at + size])
            smaller = "\n".join(line for row, line in enumerate(lines) if row not in gone) + "\n"
            if gone and smaller.strip() and still_fails(smaller):
                text = smaller
                changed = True
            else:
                at += size
        if size == 1 and not changed:
            return text
        size = max(1, size // 2)


def _drop_arguments(text: str, still_fails: Callable[[str], bool]) -> str:
    """Return the text with only the function arguments that are read, where that keeps the failure."""
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines) if "func.func @" in line]
    for at, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        head, rest = lines[at].split("(", 1)
        given, tail = rest.split(") attributes", 1) if ") attributes" in rest else (rest, "")
        read = set(_NAME.findall("\n".join(lines[at + 1 : end])))
        arguments = re.split(r", (?=%)", given)
        kept = [argument for argument in arguments if argument.split(":")[0] in read]
        if tail and len(kept) < len(arguments):
            changed = [*lines[:at], f"{head}({', '.join(kept)}) attributes{tail}", *lines[at + 1 :]]
            candidate = "\n".join(changed) + "\n"
            if still_fails(candidate):
                lines = changed
                text = candidate
    return text


def _rewrite(text: str, still_fails: Callable[[str], bool]) -> str:
    """Return the text after trying every bypass and every plain yield once more until none works."""
    progress = True
    while progress:
        progress = False
        for candidate in _bypasses(text):
            if still_fails(candidate):
                text = candidate
                progress = True
                break
    return text


def _bypasses(text: str) -> Iterator[str]:
    """Yield texts with one op replaced by an operand, or one yielded value by its iter_arg."""
    lines = text.splitlines()
    for unit in _units(lines):
        line = lines[unit.first]
        if unit.end == unit.first + 1 and len(unit.defines) == 1:
            (name,) = unit.defines
            rest = lines[: unit.first] + lines[unit.end :]
            pattern = re.compile(rf"{re.escape(name)}(?![\w.$-])")
            for operand in list(dict.fromkeys(_NAME.findall(line.split("=", 1)[1]))):
                yield pattern.sub(operand.replace("\\", ""), "\n".join(rest)) + "\n"
        elif line.lstrip().startswith("scf.yield") and unit.parent >= 0:
            head, _, types = line.partition(" : ")
            given = [part.strip() for part in head.strip()[len("scf.yield ") :].split(",")]
            names = _ITER.findall(lines[unit.parent].partition("iter_args(")[2])
            for at, name in enumerate(names[: len(given)]):
                if given[at] != name:
                    changed = [*given[:at], name, *given[at + 1 :]]
                    indent = line[: len(line) - len(line.lstrip())]
                    row = f"{indent}scf.yield {', '.join(changed)} : {types}"
                    yield "\n".join([*lines[: unit.first], row, *lines[unit.first + 1 :]]) + "\n"
