"""The service under load: 8 clients, 2,000 mixed requests; `python -m benchmarks.service`.

Every answer is held against the command line's own, and the service is asked for its health all the while. So is a
second service that does nothing: how late its answers are is what the rest of the machine is answerable for.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from layoutsolver.service.examples import CONFLICT, EXAMPLES, PROGRAM
from layoutsolver.service.run import answer
from tests.support.fuzz_service import resident
from tests.support.serving import processes_below, serving

ROOT = Path(__file__).parents[1]


def requests(count: int, seed: int, kept: bool) -> list[tuple[str, dict[str, Any]]]:
    """A mix of small and middle-sized programs and all verbs; no two are equal unless answers may be kept ones."""
    chance = random.Random(seed)
    pool = _pool()
    out = []
    for number in range(count):
        verb, body = chance.choice(pool)
        out.append((verb, body if kept else {**body, "name": f"r{number}.mlir", "seed": number}))
    return out


def _pool() -> list[tuple[str, dict[str, Any]]]:
    softmax = (ROOT / "examples" / "quantised_softmax.mlir").read_text(encoding="utf-8")
    fp4 = (ROOT / "examples" / "fp4_dequant.pto").read_text(encoding="utf-8")
    return [
        *((verb, body) for verb, bodies in EXAMPLES.items() for body in bodies.values()),
        ("solve", {"text": softmax, "layouts": True}), ("explain", {"text": CONFLICT}),
        ("why", {"text": softmax, "value": "%keep"}), ("space", {"text": softmax, "list": 3}),
        ("solve", {"text": fp4}), ("lower", {"text": fp4, "to": "vpto"}), ("solve", {"text": PROGRAM, "verify": True}),
    ]  # fmt: skip


def share(values: list[float], part: float) -> float:
    """The value that such a part of the values does not exceed, in milliseconds."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] * 1000


def ask(line: HTTPConnection, method: str, path: str, body: bytes | None = None) -> tuple[bytes, float]:
    """What is answered, and the seconds that it took."""
    start = time.perf_counter()
    line.request(method, path, body, {"Content-Type": "application/json"})
    response = line.getresponse()
    content = response.read()
    seconds = time.perf_counter() - start
    assert response.status == 200, content
    return content, seconds


def watch(port: int, over: Any, times: Any) -> None:
    """Ask a service for its health until `over`, in a process of its own: clients must not delay each other."""
    line = HTTPConnection("127.0.0.1", port)
    taken = []
    while not over.wait(0.02):
        taken.append(ask(line, "GET", "/healthz")[1])
    times.put(taken)


@contextmanager
def watched(port: int) -> Iterator[list[float]]:
    """How long answers about health take meanwhile; the list is filled at the end."""
    context = multiprocessing.get_context("spawn")
    over, times = context.Event(), context.Queue()
    process = context.Process(target=watch, args=(port, over, times))
    process.start()
    found: list[float] = []
    yield found
    over.set()
    found += times.get()
    process.join()


def run(count: int, clients: int, kept: bool) -> None:
    """Send the requests, print a row; a second service that has nothing to do shows what the machine's load costs."""
    wanted = requests(count, 1, kept)
    taken: list[float] = [0.0] * count
    answers: list[bytes] = [b""] * count
    lines = threading.local()
    with (
        TemporaryDirectory() as folder,
        serving(*_store(folder, kept), "--queue", "64") as (client, process),
        serving("--store", "off") as (idle, _),
    ):
        port, other = client.base_url.port or 0, idle.base_url.port or 0

        def send(number: int) -> None:
            verb, body = wanted[number]
            if not hasattr(lines, "one"):
                lines.one = HTTPConnection("127.0.0.1", port)
            data = json.dumps(body).encode()
            answers[number], taken[number] = ask(lines.one, "POST", f"/v1/{verb}", data)

        client.get("/readyz")
        for number in range(len(_pool()) if kept else 0):
            verb, body = _pool()[number]
            client.post(f"/v1/{verb}", json=body)
        with watched(port) as health, watched(other) as control:
            start = time.perf_counter()
            with ThreadPoolExecutor(clients) as pool:
                list(pool.map(send, range(count)))
            seconds = time.perf_counter() - start
        memory = sum(map(resident, (process.pid, *processes_below(process.pid)))) / 1024
    differing = sum(
        answer(verb, json.dumps({"time_limit": 30.0, **body}).encode()) != found
        for (verb, body), found in zip(wanted, answers, strict=True)
    )
    row = [count, seconds, count / seconds, share(taken, 0.5), share(taken, 0.99)]
    row += [share(health, 0.99), share(control, 0.99), os.getloadavg()[0], memory]
    figures = " ".join(f"{value:>10.1f}" for value in row)
    print(f"{'repeated, kept' if kept else 'all new':<15}{figures} {differing:>10}", flush=True)


def _store(folder: str, kept: bool) -> tuple[str, str]:
    return "--store", str(Path(folder) / "answers.sqlite") if kept else "off"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    head = ["requests", "seconds", "a second", "p50 ms", "p99 ms", "health p99", "idle p99", "load", "MiB", "differing"]
    print(" " * 15 + " ".join(f"{name:>10}" for name in head))
    for kept in (False, True):
        run(options.count, options.clients, kept)


if __name__ == "__main__":
    main()
