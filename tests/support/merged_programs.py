"""Several programs of one function each as one program that shares what they have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_FUNCTION = re.compile(r"func\.func @f\((.*?)\) \{\n(.*?)\n  return\n\}\n", re.DOTALL)
_ARGUMENT = re.compile(r"(%\w+): (.*?)(?:, (?=%)|$)", re.DOTALL)
_NAME = re.compile(r"%\w+")
_DEFINITION = re.compile(r"((?:%\w+, )*%\w+) = (.*)")
_VECTOR = re.compile(r"vector<[^>]*>")


class Merged(NamedTuple):
    """A program, and the title of the program that each of its lines (counted from 1) was first needed for."""

    text: str
    titles: dict[int, str]


class _Merger:
    def __init__(self) -> None:
        self.arguments: dict[str, str] = {}
        self.lines: list[tuple[str, str]] = []
        self.made: dict[str, list[str]] = {}
        self.taken: set[str] = set()

    def fresh(self, name: str) -> str:
        """The name, or one like it that is not taken."""
        found, number = name, 1
        while found in self.taken:
            found, number = f"{name}_{number}", number + 1
        self.taken.add(found)
        return found

    def add(self, title: str, text: str) -> None:
        """Take in a program: buffers that it writes are its own, whatever else is known already is shared."""
        match = _FUNCTION.fullmatch(text)
        assert match is not None, text
        body = [line.strip() for line in match[2].split("\n")]
        written = {name for line in body if "store" in line for name in _NAME.findall(line)}
        names: dict[str, str] = {}
        for name, type_ in _ARGUMENT.findall(match[1]):
            if name in written or self.arguments.get(name) != type_:
                names[name] = self.fresh(name)
                self.arguments[names[name]] = type_
        for line in body:
            defined = _DEFINITION.fullmatch(line)
            said = _NAME.sub(lambda found: names.get(found[0], found[0]), defined[2] if defined else line)
            if defined is None:
                self.lines.append((said, title))
                continue
            results = defined[1].split(", ")
            known = self.made.get(said)
            if known is None:
                known = self.made[said] = [self.fresh(name) for name in results]
                self.lines.append((f"{', '.join(known)} = {said}", title))
            names.update(zip(results, known, strict=True))


def merged(programs: Iterable[tuple[str, str]]) -> Merged:
    """One program that does what several do."""
    merger = _Merger()
    for title, text in programs:
        merger.add(title, text)
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in merger.arguments.items())
    body = "\n".join(f"  {line}" for line, _ in merger.lines)
    titles = {number: title for number, (_, title) in enumerate(merger.lines, 2)}
    return Merged(f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n", titles)


def with_same_vectors(programs: Iterable[tuple[str, str]], most: int) -> Iterator[list[tuple[str, str]]]:
    """The programs in groups of at most so many, each of programs with the same types of vectors."""
    groups: dict[frozenset[str], list[tuple[str, str]]] = {}
    for title, text in programs:
        group = groups.setdefault(frozenset(_VECTOR.findall(text)), [])
        group.append((title, text))
        if len(group) == most:
            yield list(group)
            group.clear()
    yield from (group for group in groups.values() if group)
