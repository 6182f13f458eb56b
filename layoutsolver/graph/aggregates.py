"""Types of LLVM structs and arrays: what member a path of numbers leads to."""

from __future__ import annotations

import re

from layoutsolver.mlir.tree import Op
from layoutsolver.ops.assembly import skip_bracket

_STRUCT = re.compile(r"(?:!llvm\.)?struct<\s*(?:packed\s*)?\((.*)\)\s*>", re.DOTALL)
_ARRAY = re.compile(r"(?:!llvm\.)?array<\s*(\d{1,9})\s*x\s*(.*)>", re.DOTALL)
_ELIDED = ("ptr", "struct", "array", "void")
"""Types that LLVM's print without their dialect inside of others."""


def members(text: str) -> list[str]:
    """The types of a struct's members, in order; empty for a text that is no struct.

    >>> members("!llvm.struct<(ptr<6>, i64, array<1 x i64>)>")
    ['!llvm.ptr<6>', 'i64', '!llvm.array<1 x i64>']
    """
    match = _STRUCT.fullmatch(text.strip())
    if match is None:
        return []
    out, depth, begin, inside = [], 0, 0, match.group(1)
    for at, char in enumerate(inside):
        if char in "<([{":
            depth += 1
        elif char in ">)]}" and inside[at - 1] != "-":
            depth -= 1
        elif char == "," and depth == 0:
            out.append(inside[begin:at])
            begin = at + 1
    return [_whole(part) for part in (*out, inside[begin:]) if part.strip()]


def _whole(text: str) -> str:
    text = text.strip()
    return f"!llvm.{text}" if text.startswith(_ELIDED) else text


def member_type(text: str, path: tuple[int, ...]) -> str:
    """The type of the member at a path, empty where the path leads nowhere.

    >>> member_type("!llvm.struct<(ptr<6>, array<2 x i64>)>", (1, 0))
    'i64'
    """
    for number in path:
        array = _ARRAY.fullmatch(text.strip())
        if array is not None:
            text = _whole(array.group(2)) if number < int(array.group(1)) else ""
            continue
        known = members(text)
        text = known[number] if number < len(known) else ""
    return text


def member_path(op: Op) -> tuple[int, ...]:
    """The numbers in brackets behind the operands of an `llvm.extractvalue` or `llvm.insertvalue`."""
    texts = op.stream.texts
    if op.is_generic:
        at = next((token + 2 for token in op.body_tokens() if texts[token].strip('"') == "position"), op.last)
    else:
        at = op.name_token + 1
    while at < op.last and texts[at] != "[":
        at += 1
    end = skip_bracket(texts, at, op.last) if at < op.last else at
    return tuple(int(text) for text in texts[at:end] if text.isdigit())
