"""What a service takes on at most."""

from __future__ import annotations

from typing import NamedTuple


class ServiceLimits(NamedTuple):
    """`workers` processes, each with `memory` bytes, and `queue` requests that wait for one.

    A request has at most `body` bytes and its program `ops` operations; it is solved for at most `seconds`, and its
    worker is killed `grace` seconds behind that. `jobs` that are done are remembered.
    """

    workers: int = 2
    queue: int = 32
    body: int = 8 << 20
    ops: int = 50_000
    seconds: float = 30.0
    grace: float = 5.0
    memory: int = 4 << 30
    jobs: int = 256
