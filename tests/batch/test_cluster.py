"""Batches on a Dask cluster whose scheduler and workers are processes of their own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from layoutsolver.cli.main import main
from tests.batch.test_batch import corpus, lines_of
from tests.support.serving import COMMAND


def start(stack: ExitStack, module: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def end() -> None:
        process.kill()
        process.communicate()

    stack.callback(end)
    return process


def worker(stack: ExitStack, address: str, folder: Path) -> subprocess.Popen[str]:
    """A worker without a nanny that would start another one in its place."""
    arguments = (address, "--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(folder))
    return start(stack, "dask_worker", *arguments)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


@pytest.fixture
def address(stack: ExitStack) -> str:
    scheduler = start(stack, "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
    assert scheduler.stderr is not None
    for line in scheduler.stderr:
        if found := re.search(r"tcp://127\.0\.0\.1:\d+", line):
            return found.group()
    raise AssertionError("the scheduler does not say where it is")


def test_a_worker_that_is_killed_costs_nothing_but_a_retry(stack: ExitStack, address: str, tmp_path: Path) -> None:
    workers = [worker(stack, address, tmp_path / "a"), worker(stack, address, tmp_path / "b")]
    folder, out = corpus(tmp_path / "in", 40), tmp_path / "results.jsonl"
    command = [*COMMAND, "batch", str(folder), "-o", str(out), "--verb", "verify", "--set", "rounds=100"]
    partial = tmp_path / "results.jsonl.partial"
    with subprocess.Popen([*command, "--cluster", address], stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not (partial.exists() and partial.read_bytes().count(b"\n") >= 5):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(workers[0].pid, signal.SIGKILL)
        said = process.communicate(timeout=120)[1]
    assert process.returncode == 0, said
    lines = lines_of(out)
    assert len(lines) == 40
    assert {line["answer"]["outcome"] for line in lines} == {"done", "refused"}
    local = tmp_path / "local.jsonl"
    assert main([*command[3:5], "-o", str(local), *command[7:]]) == 0
    assert local.read_bytes() == out.read_bytes(), "the cluster answers as this machine does"


@pytest.fixture
def mute() -> Iterator[str]:
    """The address of something that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def refused(address: str, tmp_path: Path) -> str:
    """What a batch says of an address, which is all that it says until its process has ended."""
    folder = corpus(tmp_path / "in", 1)
    command = [*COMMAND, "batch", str(folder), "-o", str(tmp_path / "o"), "--cluster", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    (said,) = done.stderr.splitlines()
    return said.removeprefix(f"layoutsolver: error: no Dask cluster at {address}: ")


def test_what_is_no_address_is_a_usage_error_and_nothing_else(tmp_path: Path) -> None:
    assert refused("nonsense", tmp_path) == "missing port number in address 'nonsense'"
    assert "nknown address scheme 'nonsense'" in refused("nonsense://x:1", tmp_path)


def test_an_address_without_a_scheduler_is_a_usage_error(
    mute: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from layoutsolver.batch.cluster import ClusterError, ClusterWorkers

    for address in ("tcp://127.0.0.1:9", mute):
        with pytest.raises(ClusterError, match=f"no Dask cluster at {address}: (Timed out|no answer within 0.5 s)"):
            ClusterWorkers(address, patience=0.5)
    assert capsys.readouterr().err == ""


def test_a_cluster_without_workers_and_a_worker_are_no_clusters(
    stack: ExitStack, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from layoutsolver.batch.cluster import ClusterError, ClusterWorkers

    with pytest.raises(ClusterError, match=f"the Dask cluster at {address} has no workers"):
        ClusterWorkers(address, patience=0.5)
    found = worker(stack, address, tmp_path / "a")
    assert found.stderr is not None
    own = next(match.group() for line in found.stderr if (match := re.search(r"tcp://127\.0\.0\.1:\d+", line)))
    with pytest.raises(ClusterError, match="is no scheduler of Dask, but its `Worker`"):
        ClusterWorkers(own, patience=5)
