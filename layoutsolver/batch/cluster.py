"""Workers of a Dask cluster: a scheduler at an address, and workers wherever they are."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from layoutsolver.service.run import Worked, answered

if TYPE_CHECKING:
    from distributed import Client

RETRIES = 5
"""So often a request is given to another worker, if the one that is at it dies."""


class ClusterError(Exception):
    """There is no scheduler at the address, or it has no workers."""


class ClusterWorkers:
    """The workers of a cluster. Raises `ClusterError` if there is none within `patience` seconds."""

    def __init__(self, address: str, patience: float = 10.0) -> None:
        from distributed import Client

        try:
            self._client: Client = Client(address, timeout=patience, set_as_default=False)
            self._client.wait_for_workers(1, timeout=patience)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(f"no Dask cluster at {address}: {error or 'no answer'}") from None
        self.count = max(1, sum(self._client.nthreads().values()))

    def submit(self, verb: str, request: bytes) -> Future[Worked]:
        """The answer to come."""
        task = self._client.submit(answered, verb, request, retries=RETRIES, pure=False)
        future: Future[Worked] = Future()
        task.add_done_callback(lambda done: _pass_on(done, future))
        return future

    def close(self) -> None:
        """Leave the cluster."""
        self._client.close()


def _pass_on(task: Any, future: Future[Worked]) -> None:
    """Settle a future as a task of Dask was."""
    error = task.exception()
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(task.result())
