"""Worker processes: each request is answered in one of them, which may be killed without harm to the others."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

from pebble import ProcessPool

from layoutsolver.service.events import Listener
from layoutsolver.service.limits import ServiceLimits

if TYPE_CHECKING:
    from concurrent.futures import Future

    from layoutsolver.service.run import Worked

NICENESS = 5
"""Workers yield to the process that answers whether the service is alive."""


class WorkerPool:
    """Workers that answer requests; `hear` is told `(number of the request, event)` in a thread of its own."""

    def __init__(self, limits: ServiceLimits, hear: Callable[[int, dict[str, Any]], None]) -> None:
        self.limits = limits
        self._folder = TemporaryDirectory(prefix="layoutsolver-service-")
        self._listener = Listener(str(Path(self._folder.name) / "events"), hear)
        self._thread = Thread(target=self._listener.run, name="events", daemon=True)
        self._thread.start()
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["layoutsolver.service.work"])
        self._pool = ProcessPool(limits.workers, initializer=prepare, initargs=(limits.memory,), context=context)

    def submit(self, number: int, verb: str, request: bytes, seconds: float) -> Future[Worked]:
        """The answer to come; cancelling it kills the worker.

        It raises `TimeoutError` behind the hard limit and pebble's `ProcessExpired` if the worker dies, beside what
        the request brings about.
        """
        from layoutsolver.service.work import work

        arguments = (verb, request, self.limits.ops, self._listener.path, number)
        future: Future[Worked] = self._pool.schedule(work, args=arguments, timeout=seconds + self.limits.grace)
        return future

    def close(self) -> None:
        """Stop all workers; requests that are not answered fail."""
        self._pool.stop()
        self._pool.join()
        self._listener.stop()
        self._thread.join()
        self._folder.cleanup()


def prepare(memory: int) -> None:
    """Make a fresh process a worker: with a limit to its memory, and behind others for the processor.

    An interrupt of the terminal is for the process that gives out the work, which then stops its workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    os.nice(NICENESS)
