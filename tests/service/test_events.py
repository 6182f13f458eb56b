"""Events of requests on their way to the service."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

from layoutsolver.service.events import Listener, Teller
from layoutsolver_models.solve.observe import Event


def test_events_come_with_the_number_of_their_request_until_the_end(tmp_path: Path) -> None:
    heard: list[tuple[int, dict[str, Any]]] = []
    listener = Listener(str(tmp_path / "events"), lambda number, event: heard.append((number, event)))
    thread = threading.Thread(target=listener.run)
    thread.start()
    for number in (7, 8):
        teller = Teller(listener.path, number)
        teller(Event("solution", 12, 10))
        teller.close()
    listener.stop()
    thread.join(timeout=20)
    assert not thread.is_alive()
    assert [(number, event["kind"], event["lost"]) for number, event in heard] == [
        (7, "solution", 0), (8, "solution", 0)
    ]  # fmt: skip


def test_a_service_that_is_behind_is_told_how_much_it_missed(tmp_path: Path) -> None:
    path = str(tmp_path / "events")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as behind:
        behind.bind(path)
        teller = Teller(path, 1)
        for _ in range(10_000):
            teller(Event("bound", None, 1))
            if teller.lost == 3:
                break
        assert teller.lost == 3, "it never waits"
        behind.settimeout(5)
        assert json.loads(behind.recv(1 << 16))[1]["lost"] == 0
        behind.recv(1 << 16)
        behind.setblocking(False)
        teller(Event("bound", None, 2))
        last = b""
        try:
            while True:
                last = behind.recv(1 << 16)
        except BlockingIOError:
            assert json.loads(last)[1]["lost"] == 3
        teller.close()
