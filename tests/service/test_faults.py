"""What goes wrong around a service: killed workers, clients that leave, full queues, full disks, limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from layoutsolver.service.examples import PROGRAM
from tests.cli.running import entangled
from tests.support.serving import COMMAND, Service, busiest_below, serving

ENDLESS: dict[str, Any] = {"text": PROGRAM, "name": "endless.mlir", "rounds": 2**31 - 1}
"""A request to verify that is not answered in a lifetime."""


def job(client: httpx.Client, verb: str, request: dict[str, Any]) -> str:
    response = client.post("/v1/jobs", json={"verb": verb, "request": request})
    assert response.status_code == 202
    return str(response.headers["location"])


def settled(client: httpx.Client, where: str, seconds: float = 60.0) -> dict[str, Any]:
    """The job when it is over."""
    deadline = time.monotonic() + seconds
    while True:
        status: dict[str, Any] = client.get(where).json()
        if status["state"] != "running":
            return status
        assert time.monotonic() < deadline, status
        time.sleep(0.05)


def solved(client: httpx.Client, name: str) -> bool:
    response = client.post("/v1/solve", json={"text": PROGRAM, "name": name})
    return response.status_code == 200 and response.json()["outcome"] == "done"


@pytest.fixture(scope="module")
def narrow() -> Iterator[Service]:
    """A service with one worker, place for one more request, and not much memory."""
    with serving("--store", "off", "--jobs", "1", "--queue", "1", "--memory", "1500") as found:
        yield found


def test_a_worker_that_is_killed_fails_its_job_alone(narrow: Service) -> None:
    client, process = narrow
    assert solved(client, "before.mlir")
    first, second = job(client, "verify", ENDLESS), job(client, "solve", {"text": PROGRAM, "name": "waits.mlir"})
    os.kill(busiest_below(process.pid), signal.SIGKILL)
    failed = settled(client, first)
    assert (failed["state"], failed["problem"]["type"]) == ("failed", "urn:layoutsolver:problem:worker-died")
    assert settled(client, second)["answer"]["outcome"] == "done"
    assert solved(client, "after.mlir")


def test_a_client_that_leaves_ends_its_request() -> None:
    with serving("--store", "off", "--jobs", "1", "--queue", "0") as (client, _):
        for stream in ("false", "true"):
            with pytest.raises(httpx.ReadTimeout):
                client.post(f"/v1/verify?stream={stream}", json=ENDLESS, timeout=1.5)
            deadline = time.monotonic() + 20
            while not solved(client, f"after-{stream}.mlir"):
                assert time.monotonic() < deadline, "the worker is still at what nobody waits for"
                time.sleep(0.1)


def test_a_full_queue_says_when_to_come_back(narrow: Service) -> None:
    client, _ = narrow
    waiting = [job(client, "verify", ENDLESS), job(client, "verify", ENDLESS)]
    response = client.post("/v1/solve", json={"text": PROGRAM})
    assert response.status_code == 429
    assert int(response.headers["retry-after"]) >= 1
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 503
    assert [client.delete(where).json()["state"] for where in waiting] == ["cancelled", "cancelled"]
    assert solved(client, "after.mlir")


def test_a_request_that_does_not_end_is_ended() -> None:
    with serving("--store", "off", "--jobs", "1", "--time-limit", "1") as (client, _):
        answer = client.post("/v1/verify", json=ENDLESS).json()
        assert (answer["outcome"], [item["code"] for item in answer["diagnostics"]]) == ("limit", ["LS0401"])
        assert solved(client, "after.mlir")


def test_a_solve_that_is_cut_off_is_a_limit_and_is_not_kept(tmp_path: Path) -> None:
    with serving("--store", str(tmp_path / "a.sqlite")) as (client, _):
        for _ in range(2):
            response = client.post("/v1/solve", json={"text": entangled(600), "time_limit": 0.01})
            assert response.json()["outcome"] == "limit"
            assert response.headers["layoutsolver-answer"] == "new"


def test_a_request_that_needs_too_much_memory_is_a_limit(narrow: Service) -> None:
    client, _ = narrow
    large = PROGRAM.replace("64xf32, #hivm", "400000000xf32, #hivm")
    answer = client.post("/v1/verify", json={"text": large}).json()
    assert (answer["outcome"], [item["code"] for item in answer["diagnostics"]]) == ("limit", ["LS0404"])
    assert solved(client, "after.mlir")


def test_events_come_before_the_answer(narrow: Service) -> None:
    client, _ = narrow
    with client.stream("POST", "/v1/solve?stream=true", json={"text": entangled(100)}) as response:
        lines = [line for line in response.iter_lines() if line]
    heard = [line for line in lines if '"progress"' in line]
    assert any('"solution"' in line for line in heard)
    assert any('"bound"' in line for line in heard)
    assert '"result"' in lines[-1]
    where = job(client, "solve", {"text": entangled(100), "seed": 3})
    assert settled(client, where)["event"]["kind"] in ("solution", "bound")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 200 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(folder)], capture_output=True)
    if done.returncode:
        pytest.skip("mounting a small file system needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_stops_the_keeping_and_nothing_else(small_disk: Path) -> None:
    with serving("--store", str(small_disk / "a.sqlite")) as (client, _):
        first = client.post("/v1/solve", json={"text": PROGRAM, "name": "first.mlir"})
        for number in range(40):
            text = f"// {'x' * 20_000}\n{PROGRAM}"
            response = client.post("/v1/solve", json={"text": text, "name": f"{number}.mlir"})
            assert response.json()["outcome"] == "done"
        assert "full" in client.get("/readyz").json()["store"]
        again = client.post("/v1/solve", json={"text": PROGRAM, "name": "first.mlir"})
        assert again.headers["layoutsolver-answer"] == "kept"
        assert again.content == first.content


def test_a_port_that_is_taken_is_a_usage_error(narrow: Service) -> None:
    client, _ = narrow
    command = [*COMMAND, "serve", "--store", "off", "--port", str(client.base_url.port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "cannot listen at 127.0.0.1" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupt_of_the_terminal_does_not_reach_a_worker() -> None:
    code = """
import os, signal
from layoutsolver.service.pool import prepare
prepare(1 << 40)
os.kill(os.getpid(), signal.SIGINT)
print("at work")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "at work\n", "")
