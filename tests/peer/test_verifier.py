"""What the released tool's verifier says today of functions of one operation, against what was recorded."""

from __future__ import annotations

import pytest

from tests.support import peer
from tests.support.verifier_programs import programs, recorded, refused_there

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(
        peer.peer_path() is None,
        reason="ascendnpu-ir 1.2.0 is not installed or does not run here (CPython 3.11, x86-64)",
    ),
]


def test_the_record_is_what_the_released_tool_says() -> None:
    texts = dict(list(dict(programs()).items())[::9])
    accepted = recorded()
    for title, message in zip(texts, refused_there(list(texts.values())), strict=True):
        assert accepted[title] == (not message), (title, message)
