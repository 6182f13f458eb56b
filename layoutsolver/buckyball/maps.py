"""The indexing maps of `linalg.generic`: which dimensions of the operation each operand has."""

from __future__ import annotations

import re
from typing import NamedTuple

_MAP = re.compile(r"affine_map<\(([^()]*)\)->\(([^()]*)\)>")
_MAPS = re.compile(rf"\[(?:{_MAP.pattern}(?:,|(?=\])))+\]")


class Maps(NamedTuple):
    """The dimensions of an operation by name, and those of each operand, in its order."""

    dims: list[str]
    operands: list[list[str]]


def read_maps(text: str) -> Maps | None:
    """The maps that a text without blanks spells; None where one is no choice of the operation's dimensions.

    >>> read_maps("[affine_map<(i,j)->(j)>,affine_map<(i,j)->()>]")
    Maps(dims=['i', 'j'], operands=[['j'], []])
    """
    if not _MAPS.fullmatch(text):
        return None
    found = [(left.split(",") if left else [], right.split(",") if right else []) for left, right in _MAP.findall(text)]
    dims = found[0][0]
    for own, used in found:
        if own != dims or not set(used) <= set(dims) or len(set(used)) != len(used) or len(set(dims)) != len(dims):
            return None
    return Maps(dims, [used for _, used in found])
