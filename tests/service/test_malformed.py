"""Malformed bodies are refused one and all, and cost the service nothing."""

from __future__ import annotations

from tests.support.fuzz_service import send
from tests.support.serving import serving


def test_malformed_bodies_are_refused_and_memory_is_flat() -> None:
    with serving("--store", "off") as (client, process):
        found = send(client, process.pid, 1800, seed=5)
        assert found.wrong == []
        assert {400, 422} <= set(found.statuses)
        assert found.after - found.before < 8 * 1024, "KiB"
        assert client.get("/healthz").json() == {"status": "alive"}
