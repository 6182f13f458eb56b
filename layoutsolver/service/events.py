"""Events of a running request, from its worker to the service: datagrams, with no lock that a kill could keep shut."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from layoutsolver_models.solve.observe import Event


class Teller:
    """Sends a request's events to a socket of the file system."""

    def __init__(self, path: str, number: int) -> None:
        self.path = path
        self.number = number
        self.lost = 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def __call__(self, event: Event) -> None:
        """Send an event; if the service is behind, count it as lost: a later one says more."""
        data = json.dumps([self.number, {**event._asdict(), "gap": event.gap, "lost": self.lost}]).encode()
        try:
            self._socket.sendto(data, self.path)
        except BlockingIOError:
            self.lost += 1

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class Listener:
    """Receives events at a path and passes each on as `(number, event)`, in the thread that calls `run`."""

    def __init__(self, path: str, hear: Callable[[int, dict[str, Any]], None]) -> None:
        self.path = path
        self._hear = hear
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(path)

    def run(self) -> None:
        """Pass events on until `stop`."""
        while data := self._socket.recv(1 << 16):
            number, event = json.loads(data)
            self._hear(number, event)
        self._socket.close()

    def stop(self) -> None:
        """End `run` behind the events that were sent before."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.sendto(b"", self.path)
