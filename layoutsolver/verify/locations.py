"""Which operation of a program an intrinsic was made of: by the locations that `-mlir-print-debuginfo` prints.

A compiler hands the place of an operation on to all that it makes of it. A printed location is taken where the name of
an operation of the program stands there; files are told apart by their names, standard input being any.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from layoutsolver.graph.model import Graph

_ALIAS = re.compile(r'^#(loc\w*) = loc\((?:fused(?:<[^\n]*>)?\[)?(?:#(loc\w*)|"([^"\n]*)":(\d+):(\d+))', re.MULTILINE)
_AT_THE_END = re.compile(r'\bloc\((?:#(loc\w*)|(?:fused(?:<[^\n]*>)?\[)?"([^"\n]*)":(\d+):(\d+))[^\n]*$')
_STDIN = frozenset({"-", "<stdin>"})

Place = tuple[str, int, int]
"""A file, a line and a column, counted from 1."""


def made_of(lowered: Graph, program: Graph) -> dict[int, int]:
    """For each operation of a lowered program the operation that it was made of, by graph indices.

    Empty where the text has no locations; operations whose location is not that of one operation are left out.
    """
    text = lowered.module.source.text
    if "loc(" not in text:
        return {}
    aliases = _aliases(text)
    starts = _names(program)
    lines = text.split("\n")
    out: dict[int, int] = {}
    for node in lowered.ops:
        if node.op.regions:
            continue
        line, _ = lowered.module.source.line_column(lowered.module.stream.starts[node.op.last - 1])
        place = _place(lines[line - 1], aliases)
        if place is None or not _same_file(place[0], program.module.source.name):
            continue
        known = starts.get(place[1:])
        if known is not None:
            out[node.index] = known
    return out


def _names(program: Graph) -> dict[tuple[int, int], int]:
    """The operations of a program by line and column of their names."""
    return {program.module.source.line_column(node.span.start): node.index for node in program.ops}


def _aliases(text: str) -> dict[str, Place]:
    """The places that aliases such as `#loc3` stand for; of a fused location, the first one."""
    places: dict[str, Place] = {}
    through: dict[str, str] = {}
    for match in _ALIAS.finditer(text):
        name, other, file, line, column = match.groups()
        if other is not None:
            through[name] = other
        else:
            places[name] = (file, int(line), int(column))
    for name in through:
        end, seen = name, {name}
        while end in through and through[end] not in seen:
            end = through[end]
            seen.add(end)
        if end in places:
            places[name] = places[end]
    return places


def _place(line: str, aliases: dict[str, Place]) -> Place | None:
    """The location behind an operation that ends in this line."""
    match = _AT_THE_END.search(line)
    if match is None:
        return None
    alias, file, number, column = match.groups()
    return aliases.get(alias) if alias is not None else (file, int(number), int(column))


def _same_file(printed: str, name: str) -> bool:
    return printed in _STDIN or name in _STDIN or PurePath(printed).name == PurePath(name).name
