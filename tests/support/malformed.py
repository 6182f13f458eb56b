"""Bodies that no verb of the service can take, seeded: each broken in one of the ways in which clients break them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from layoutsolver.service.examples import EXAMPLES

WRONG: tuple[Any, ...] = (None, [], {}, True, -1, 3.5, 10**30, "", "x" * 300, [[]], {"a": 1}, -(2**63), "\0")
"""Values of which at most a few fit any one field."""


def bodies(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """`count` pairs of a verb and a body that it must refuse."""
    chance = random.Random(seed)
    ways: list[Callable[[random.Random, dict[str, Any]], bytes]] = [
        truncated, nested, mistyped, huge_number, broken_text, unknown_field, missing_field, other_document, noise
    ]  # fmt: skip
    for number in range(count):
        verb = chance.choice(list(EXAMPLES))
        request = dict(chance.choice(list(EXAMPLES[verb].values())))
        yield verb, ways[number % len(ways)](chance, request)


def truncated(chance: random.Random, request: dict[str, Any]) -> bytes:
    """A body that ends too early."""
    text = json.dumps(request).encode()
    return text[: chance.randrange(len(text))]


def nested(chance: random.Random, request: dict[str, Any]) -> bytes:
    """Brackets within brackets, closed or not."""
    depth = chance.choice((1, 2, 200, 5000, 100_000))
    opening, closing = chance.choice(((b"[", b"]"), (b'{"text":', b"}")))
    return opening * depth + (b"0" + closing * depth if chance.random() < 0.5 else b"")


def mistyped(chance: random.Random, request: dict[str, Any]) -> bytes:
    """A field with a value of another type than it has."""
    field = chance.choice(("text", "name", "seed", "assume_trip_count", "compat"))
    fitting = {"text": (str,), "name": (), "seed": (), "assume_trip_count": (), "compat": ()}[field]
    usable = [value for value in WRONG if not isinstance(value, fitting) and not (field == "compat" and value == "")]
    return json.dumps({**request, field: chance.choice(usable)}).encode()


def huge_number(chance: random.Random, request: dict[str, Any]) -> bytes:
    """A number that no field has room for."""
    number = chance.choice(("9" * 400, "1e400", "-1e400", "1" + "0" * 10_000, "NaN", "Infinity", "0x10"))
    return json.dumps({**request, "seed": 0}).replace('"seed": 0', f'"seed": {number}').encode()


def broken_text(chance: random.Random, request: dict[str, Any]) -> bytes:
    """Bytes that are no UTF-8, or half of a surrogate pair."""
    text = json.dumps({**request, "text": "MARK"}).encode()
    raw = (b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\x01", b"\xf4\x90\x80\x80")
    escaped = (b"\\ud800", b"\\udc00\\ud800", b"\\x41")
    return text.replace(b"MARK", chance.choice((*raw, *escaped)))


def unknown_field(chance: random.Random, request: dict[str, Any]) -> bytes:
    """A field that there is not, such as a path on the server."""
    field = chance.choice(("file", "output", "path", "Text", "text ", "", "__class__", "workers", "store"))
    return json.dumps({**request, field: chance.choice(WRONG)}).encode()


def missing_field(chance: random.Random, request: dict[str, Any]) -> bytes:
    """No program at all."""
    return json.dumps({field: value for field, value in request.items() if field != "text"}).encode()


def other_document(chance: random.Random, request: dict[str, Any]) -> bytes:
    """JSON that is no object."""
    return json.dumps(chance.choice([value for value in WRONG if not isinstance(value, dict)])).encode()


def noise(chance: random.Random, request: dict[str, Any]) -> bytes:
    """Any bytes."""
    return chance.randbytes(chance.randrange(1, 400)) + b"\xff"
