"""Affine maps such as `(d0)[s0] -> (d0 * 4 + s0, 64)`: read from text, evaluated at integers."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAP = re.compile(r"\s*\(([^)]*)\)\s*(?:\[([^\]]*)\])?\s*->\s*\((.*)\)\s*$", re.DOTALL)
_TOKEN = re.compile(r"\s*([A-Za-z_]\w*|\d+|[-+*()])")


@dataclass(frozen=True, slots=True)
class AffineMap:
    """A map: the names of its dimensions and symbols, in order, and its results as token lists."""

    names: tuple[str, ...]
    results: tuple[tuple[str, ...], ...]


def parse_map(text: str) -> AffineMap | None:
    """The map that the text between `affine_map<` and `>` spells, None if it is not understood.

    >>> evaluate_map(parse_map("(d0)[s0] -> (d0 floordiv 4 + s0, -d0)"), [9, 1])
    [3, -9]
    """
    match = _MAP.match(text)
    if match is None:
        return None
    names = [name.strip() for part in match.group(1, 2) if part for name in part.split(",") if name.strip()]
    results = []
    for part in _split(match.group(3)):
        tokens = _TOKEN.findall(part)
        if "".join(tokens) != "".join(part.split()):
            return None
        results.append(tuple(tokens))
    return AffineMap(tuple(names), tuple(results))


def evaluate_map(found: AffineMap | None, operands: list[int]) -> list[int] | None:
    """The results of a map at dimensions and symbols, None if their number is wrong or a result makes no sense."""
    if found is None or len(operands) != len(found.names):
        return None
    values = dict(zip(found.names, operands, strict=True))
    out = []
    for tokens in found.results:
        reader = _Reader(list(tokens), values)
        value = reader.sum()
        if value is None or reader.tokens:
            return None
        out.append(value)
    return out or None


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


class _Reader:
    def __init__(self, tokens: list[str], values: dict[str, int]) -> None:
        self.tokens = tokens
        self.values = values

    def sum(self) -> int | None:
        left = self.product()
        while left is not None and self.tokens and self.tokens[0] in "+-":
            sign = 1 if self.tokens.pop(0) == "+" else -1
            right = self.product()
            left = None if right is None else left + sign * right
        return left

    def product(self) -> int | None:
        left = self.term()
        while left is not None and self.tokens and self.tokens[0] in ("*", "floordiv", "ceildiv", "mod"):
            how = self.tokens.pop(0)
            right = self.term()
            if right is None or (how != "*" and right <= 0):
                return None
            left = left * right if how == "*" else _divided(left, right, how)
        return left

    def term(self) -> int | None:
        if not self.tokens:
            return None
        token = self.tokens.pop(0)
        if token == "-":
            inner = self.term()
            return None if inner is None else -inner
        if token == "(":
            inner = self.sum()
            if not self.tokens or self.tokens.pop(0) != ")":
                return None
            return inner
        return int(token) if token.isdigit() else self.values.get(token)


def _divided(left: int, right: int, how: str) -> int:
    if how == "mod":
        return left % right
    return left // right if how == "floordiv" else -(-left // right)
