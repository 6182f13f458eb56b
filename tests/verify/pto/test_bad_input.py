"""Programs with random changes are compared or named as wrong, never met with an exception."""

from __future__ import annotations

import random
import re

import pytest

from layoutsolver.source import SourceFile
from layoutsolver.verify.run import verify
from tests.verify.pto.pairs import PAIRS
from tests.verify.pto.test_copies import VMI, VPTO
from tests.verify.pto.test_vmi import CONTROL

TEXTS = [*(text for pair in PAIRS.values() for text in pair), VMI, VPTO, CONTROL]
TOKEN = re.compile(r'%[\w#]+|"[^"]*"|[\w.]+|[^\s\w]')
NUMBERS = ("0", "1", "7", "4096", "99999999999999999999")


def changed(text: str, rng: random.Random) -> str:
    """The text with a token replaced by another one, left out, or with another number in it."""
    for _ in range(rng.choice((1, 1, 2))):
        tokens = list(TOKEN.finditer(text))
        token = rng.choice(tokens)
        how = rng.random()
        if how < 0.5:
            new = rng.choice(tokens).group()
        elif how < 0.7:
            new = ""
        else:
            new = re.sub(r"\d+", lambda _: rng.choice(NUMBERS), token.group())
        text = text[: token.start()] + new + text[token.end() :]
    return text


@pytest.mark.parametrize("seed", range(8))
def test_random_changes_are_answered(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        text = rng.choice(TEXTS)
        other = changed(text, rng)
        both = (text, other) if rng.random() < 0.5 else (other, text)
        sources = [SourceFile(f"{name}.pto", one) for name, one in zip("ab", both, strict=True)]
        result = verify(sources[0], None, 1, 1, sources[1])
        assert result.ok or result.diagnostics
