"""Workers on this machine: processes with limits, one of which may die without harm to the others."""

from __future__ import annotations

from concurrent.futures import Future
from itertools import count

from layoutsolver.service.limits import ServiceLimits
from layoutsolver.service.pool import WorkerPool
from layoutsolver.service.run import Worked


class LocalWorkers:
    """The processes of a pool."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.count = limits.workers
        self._seconds = limits.seconds
        self._numbers = count()
        self._pool = WorkerPool(limits, lambda number, event: None)

    def submit(self, verb: str, request: bytes) -> Future[Worked]:
        """The answer to come."""
        return self._pool.submit(next(self._numbers), verb, request, self._seconds)

    def close(self) -> None:
        """Stop the processes."""
        self._pool.close()
