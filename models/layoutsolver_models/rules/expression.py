"""Counts and conditions of rule rows: arithmetic over named facts, written as text.

>>> holds("N % lp == 0 and stride in (1, S)", {"N": 128, "lp": 64, "stride": 16, "S": 16})
True
>>> count("A(source) + ceil(N, 3)", {"N": 7, "A": {"source": 2}.__getitem__})
5

A fact may be unknown (None), as a stride that is no constant. Arithmetic on it is unknown, and a comparison with it
does not hold:

>>> holds("stride == 1 or stride % 32 == 0", {"stride": None})
False
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import gcd
from typing import TypeAlias

Fact: TypeAlias = "int | str | bool | tuple[Fact, ...] | Callable[..., Fact] | None"
"""What a name can stand for; a function is one of names or numbers, as the arity `A(role)`."""

Facts = Mapping[str, Fact]

_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], Callable[[Fact, Fact], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: lambda a, b: _number(a) < _number(b),
    ast.LtE: lambda a, b: _number(a) <= _number(b), ast.Gt: lambda a, b: _number(a) > _number(b),
    ast.GtE: lambda a, b: _number(a) >= _number(b),
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Fact]] = {
    "ceil": lambda a, b: -(-a // b),
    "max": max,
    "min": min,
    "gcd": gcd,
    "log2": lambda a: int(a).bit_length() - 1,
}


class ExpressionError(ValueError):
    """A text that is no expression, or one whose names are not known."""


@lru_cache(maxsize=1024)
def parse(text: str) -> ast.expr:
    """The tree of an expression. Raises `ExpressionError` if it is none."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"`{text}` is no expression") from error


def names(text: str) -> frozenset[str]:
    """The facts that an expression asks for, names of roles inside of a function left out.

    >>> sorted(names("A(source) * ceil(N, 2)"))
    ['A', 'N']
    """
    tree = parse(text)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    inside = {
        arg.id
        for node in calls
        if isinstance(node.func, ast.Name) and node.func.id not in _FUNCTIONS
        for arg in node.args
        if isinstance(arg, ast.Name)
    }
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return frozenset(found - inside - set(_FUNCTIONS))


def holds(text: str, facts: Facts) -> bool:
    """Whether a condition holds; the empty one always does."""
    return not text or bool(_value(parse(text), facts))


def count(text: str, facts: Facts) -> int:
    """The number that an expression comes to. Raises `ExpressionError` if it is unknown or no number."""
    value = _value(parse(text), facts)
    if not isinstance(value, int):
        raise ExpressionError(f"`{text}` is {value!r}, not a number")
    return int(value)


def evaluate(text: str, facts: Facts) -> Fact:
    """Whatever an expression comes to."""
    return _value(parse(text), facts)


def _number(value: Fact) -> int:
    if not isinstance(value, int):
        raise ExpressionError(f"{value!r} is no number")
    return value


def _value(node: ast.expr, facts: Facts) -> Fact:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | str):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in facts:
            raise ExpressionError(f"`{node.id}` is not known here")
        return facts[node.id]
    if isinstance(node, ast.BoolOp):
        wanted = isinstance(node.op, ast.Or)
        return any(map(bool, (_value(part, facts) for part in node.values))) if wanted else all(
            map(bool, (_value(part, facts) for part in node.values))
        )  # fmt: skip
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _value(node.operand, facts)
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _value(node.left, facts), _value(node.right, facts)
        if left is None or right is None:
            return None
        return _ARITHMETIC[type(node.op)](_number(left), _number(right))
    if isinstance(node, ast.Compare):
        return _compare(node, facts)
    if isinstance(node, ast.Tuple):
        return tuple(_value(part, facts) for part in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _call(node.func.id, node.args, facts)
    raise ExpressionError(f"`{ast.unparse(node)}` is not understood")


def _compare(node: ast.Compare, facts: Facts) -> bool:
    left = _value(node.left, facts)
    for kind, part in zip(node.ops, node.comparators, strict=True):
        right = _value(part, facts)
        if left is None or right is None:
            return False
        if isinstance(kind, ast.In | ast.NotIn):
            if not isinstance(right, tuple):
                raise ExpressionError(f"`{ast.unparse(part)}` is no list")
            held = (left in right) == isinstance(kind, ast.In)
        else:
            held = type(kind) in _COMPARISONS and _COMPARISONS[type(kind)](left, right)
        if not held:
            return False
        left = right
    return True


def _call(name: str, arguments: list[ast.expr], facts: Facts) -> Fact:
    if name in _FUNCTIONS:
        values = [_value(argument, facts) for argument in arguments]
        return None if None in values else _FUNCTIONS[name](*map(_number, values))
    function = facts.get(name)
    if not callable(function):
        raise ExpressionError(f"there is no function `{name}` here")
    return function(*(argument.id if isinstance(argument, ast.Name) else _value(argument, facts)
                      for argument in arguments))  # fmt: skip
