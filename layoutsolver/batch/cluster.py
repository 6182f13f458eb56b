"""Workers of a Dask cluster: a scheduler at an address, and workers wherever they are."""

from __future__ import annotations

import asyncio
import socket
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
    """The workers of a cluster. Raises `ClusterError` if no scheduler, or none with workers, answers in time.

    A client that does not reach its scheduler cannot be closed in order: the scheduler is asked first who it is.
    """

    def __init__(self, address: str, patience: float = 5.0) -> None:
        asyncio.run(_reach(address, patience))
        from distributed import Client

        self._client: Client = Client(address, timeout=patience, set_as_default=False)
        try:
            self._client.wait_for_workers(1, timeout=patience)
        except TimeoutError:
            self._client.close()
            raise ClusterError(f"the Dask cluster at {address} has no workers") from None
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


async def _reach(address: str, patience: float) -> None:
    """Ask what is at an address who it is. Raises `ClusterError` unless it is a scheduler."""
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.core import rpc

    try:
        scheme, place = parse_address(address)
        if scheme in ("tcp", "tls"):
            await asyncio.get_running_loop().getaddrinfo(*parse_host_port(place))
        async with rpc(address, timeout=patience) as there:
            found = await asyncio.wait_for(there.identity(), patience)
    except socket.gaierror as error:
        raise ClusterError(f"no Dask cluster at {address}: {error.strerror}") from None
    except TimeoutError:
        raise ClusterError(f"no Dask cluster at {address}: no answer within {patience:g} seconds") from None
    except (OSError, ValueError) as error:
        raise ClusterError(f"no Dask cluster at {address}: {error}") from None
    if found.get("type") != "Scheduler":
        raise ClusterError(f"what is at {address} is no scheduler of Dask, but its `{found.get('type')}`")


def _pass_on(task: Any, future: Future[Worked]) -> None:
    """Settle a future as a task of Dask was."""
    error = task.exception()
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(task.result())
