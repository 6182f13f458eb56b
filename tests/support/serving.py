"""Services in processes of their own, as users run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import httpx

COMMAND = (sys.executable, "-m", "layoutsolver")

Service: TypeAlias = tuple[httpx.Client, subprocess.Popen[str]]
"""A client of a service, and the service's process."""


@contextmanager
def serving(*arguments: str) -> Iterator[Service]:
    """A client of a service at a free port, and its process, which is told to stop at the end."""
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", *arguments], stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
    try:
        assert process.stderr is not None
        url = re.search(r"http://\S+", process.stderr.readline())
        assert url is not None
        with httpx.Client(base_url=url.group(), timeout=120.0) as client:
            yield client, process
    finally:
        process.terminate()
        process.communicate(timeout=30)


def processes_below(root: int) -> list[int]:
    """The processes that a process started, and those that these started, from Linux's own list."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                stat = (folder / "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):  # it ended while we looked
                continue
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    below = {root}
    while grown := {child for child, parent in parents.items() if parent in below} - below:
        below |= grown
    return sorted(below - {root})


def seconds_of(process: int) -> float:
    """The processor time that a process has used."""
    fields = (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def busiest_below(root: int) -> int:
    """The one of these processes that used most processor time in the last half second."""
    before = {process: seconds_of(process) for process in processes_below(root)}
    time.sleep(0.5)
    return max(before, key=lambda process: seconds_of(process) - before[process])
