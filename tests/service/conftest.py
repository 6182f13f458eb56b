"""One service for all tests that do not harm it."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.support.serving import serving


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    store = tmp_path_factory.mktemp("store") / "answers.sqlite"
    with serving("--store", str(store), "--max-bytes", "200000", "--max-ops", "2000") as (found, _):
        yield found
