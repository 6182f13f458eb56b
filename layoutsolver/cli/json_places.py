"""Where in a JSON text the parts are that a pointer such as `/ops/3/variants` names."""

from __future__ import annotations

import json
import re

_SPACE = re.compile(r"[ \t\r\n]*")


def place_of(text: str, pointer: str) -> int:
    r"""The offset of what a pointer names, or of the innermost part around it that there is.

    A text that is no JSON has no places: the offset is where it stops being some.

    >>> place_of('{"a": [1, {"b": 2}]}', "/a/1/b"), place_of('{"a": [1, 2]}', "/a/7"), place_of('{"a" 1}', "/a")
    (16, 6, 5)
    """
    decoder = json.JSONDecoder()
    try:
        json.loads(text)
        at = _skipped(text, 0)
        for step in pointer.split("/")[1:]:
            inside = _child(decoder, text, at, step.replace("~1", "/").replace("~0", "~"))
            if inside < 0:
                break
            at = inside
    except json.JSONDecodeError as error:
        return error.pos
    except RecursionError:
        return 0
    return at


def _skipped(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _child(decoder: json.JSONDecoder, text: str, at: int, step: str) -> int:
    """The offset of a field or an element of the object or array at an offset, -1 if it has none of that name."""
    if text[at] not in "{[":
        return -1
    is_object = text[at] == "{"
    number = 0
    at = _skipped(text, at + 1)
    while text[at] not in "}]":
        name: str = str(number)
        if is_object:
            name, at = decoder.raw_decode(text, at)
            at = _skipped(text, _skipped(text, at) + 1)
        if name == step:
            return at
        _, at = decoder.raw_decode(text, at)
        at = _skipped(text, at)
        if text[at] == ",":
            at = _skipped(text, at + 1)
        number += 1
    return -1
