"""Sends malformed bodies to a service and says what came back; `python -m tests.support.fuzz_service --count 10000`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import httpx

from tests.support.malformed import bodies
from tests.support.serving import serving


class Outcome(NamedTuple):
    """How often each status came, the answers that should not have come, and the memory before and after in KiB."""

    statuses: Counter[int]
    wrong: list[str]
    before: int
    after: int


def resident(process: int) -> int:
    """The memory that a process holds, in KiB."""
    for line in (Path("/proc") / str(process) / "status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise ValueError(process)


def send(client: httpx.Client, process: int, count: int, seed: int) -> Outcome:
    """Send `count` malformed bodies behind a hundredth as many that warm the service up."""
    statuses: Counter[int] = Counter()
    wrong: list[str] = []
    before = 0
    warm = max(50, count // 100)
    for number, (verb, body) in enumerate(bodies(warm + count, seed)):
        if number == warm:
            before = resident(process)
        response = client.post(f"/v1/{verb}", content=body, headers={"content-type": "application/json"})
        statuses[response.status_code] += 1
        is_problem = response.headers["content-type"] == "application/problem+json"
        if not (400 <= response.status_code < 500 and is_problem):
            wrong.append(f"{verb} {body[:200]!r}: {response.status_code} {response.text[:200]}")
    return Outcome(statuses, wrong, before, resident(process))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with serving("--store", "off") as (client, process):
        found = send(client, process.pid, options.count, options.seed)
        alive = client.get("/readyz").json()["ready"]
    print(f"{options.count} bodies: {dict(found.statuses)}, {len(found.wrong)} answered otherwise")
    print(f"memory of the service: {found.before} KiB before, {found.after} KiB after; alive: {alive}")
    print("\n".join(found.wrong))
    return 1 if found.wrong or not alive else 0


if __name__ == "__main__":
    sys.exit(main())
