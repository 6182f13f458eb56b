"""The service under load: 8 clients, 2,000 mixed requests; `python -m benchmarks.service`.

Every answer is held against the command line's own, and the service is asked for its health all the while.
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from layoutsolver.service.examples import CONFLICT, EXAMPLES, PROGRAM
from layoutsolver.service.run import answer
from tests.support.fuzz_service import resident
from tests.support.serving import processes_below, serving

ROOT = Path(__file__).parents[1]


def requests(count: int, seed: int, kept: bool) -> list[tuple[str, dict[str, Any]]]:
    """A mix of small and middle-sized programs and all verbs; no two are equal unless answers may be kept ones."""
    chance = random.Random(seed)
    softmax = (ROOT / "examples" / "quantised_softmax.mlir").read_text(encoding="utf-8")
    fp4 = (ROOT / "examples" / "fp4_dequant.pto").read_text(encoding="utf-8")
    pool: list[tuple[str, dict[str, Any]]] = [
        *((verb, body) for verb, bodies in EXAMPLES.items() for body in bodies.values()),
        ("solve", {"text": softmax, "layouts": True}), ("explain", {"text": CONFLICT}),
        ("why", {"text": softmax, "value": "%keep"}), ("space", {"text": softmax, "list": 3}),
        ("solve", {"text": fp4}), ("lower", {"text": fp4, "to": "vpto"}), ("solve", {"text": PROGRAM, "verify": True}),
    ]  # fmt: skip
    out = []
    for number in range(count):
        verb, body = chance.choice(pool)
        out.append((verb, body if kept else {**body, "name": f"r{number}.mlir", "seed": number}))
    return out


def share(values: list[float], part: float) -> float:
    """The value that such a part of the values does not exceed, in milliseconds."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] * 1000


def timed(call: Callable[[], Any], times: list[float]) -> Any:
    start = time.perf_counter()
    found = call()
    times.append(time.perf_counter() - start)
    return found


def run(count: int, clients: int, kept: bool) -> None:
    """Send the requests, print a row."""
    wanted = requests(count, 1, kept)
    times: list[float] = []
    health: list[float] = []
    answers: list[bytes] = [b""] * count
    over = threading.Event()
    with TemporaryDirectory() as folder, serving(*_store(folder, kept), "--queue", "64") as (client, process):
        client.get("/readyz")

        def ask(number: int) -> None:
            verb, body = wanted[number]
            response = timed(lambda: client.post(f"/v1/{verb}", json=body), times)
            assert response.status_code == 200, response.text
            answers[number] = response.content

        def watch() -> None:
            with httpx.Client(base_url=client.base_url) as own:
                while not over.wait(0.02):
                    timed(lambda: own.get("/healthz"), health)

        watcher = threading.Thread(target=watch)
        watcher.start()
        start = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(ask, range(count)))
        seconds = time.perf_counter() - start
        over.set()
        watcher.join()
        memory = sum(map(resident, (process.pid, *processes_below(process.pid)))) / 1024
    differing = sum(
        answer(verb, json.dumps({"time_limit": 30.0, **body}).encode()) != found
        for (verb, body), found in zip(wanted, answers, strict=True)
    )
    row = [count, seconds, count / seconds, share(times, 0.5), share(times, 0.99), share(health, 0.99), memory]
    figures = " ".join(f"{value:>10.1f}" for value in row)
    print(f"{'repeated, kept' if kept else 'all new':<15}{figures} {differing:>10}")


def _store(folder: str, kept: bool) -> tuple[str, str]:
    return "--store", str(Path(folder) / "answers.sqlite") if kept else "off"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    head = ["requests", "seconds", "a second", "p50 ms", "p99 ms", "health p99", "MiB", "differing"]
    print(" " * 15 + " ".join(f"{name:>10}" for name in head))
    for kept in (False, True):
        run(options.count, options.clients, kept)


if __name__ == "__main__":
    main()
