"""Programs with a token deleted, doubled or exchanged: answers or diagnostics, never an exception."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from layoutsolver.api import SolveOptions, annotate, decide
from layoutsolver.mlir.lexer import tokenize
from layoutsolver.source import SourceFile
from tests.support.ave_programs import random_program

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.mlir"))


def mutated(text: str, rng: random.Random) -> str:
    """The text with one or two of its tokens deleted, doubled or replaced by another one of it."""
    pieces = list(tokenize(text).pieces)
    solid = [index for index, piece in enumerate(pieces) if not piece.isspace()]
    for _ in range(rng.randint(1, 2)):
        at = rng.choice(solid)
        kind = rng.random()
        if kind < 0.5:
            pieces[at] = ""
        elif kind < 0.75:
            pieces[at] += " " + pieces[at]
        else:
            pieces[at] = pieces[rng.choice(solid)]
    return "".join(pieces)


def check(text: str, compat: str = "") -> bool:
    """Solve a text; whether it has an answer. Whatever is said points into the text."""
    result = decide(SourceFile("mutant.mlir", text), SolveOptions(compat=compat))
    for item in result.diagnostics:
        for label in [*([] if item.primary is None else [item.primary]), *item.secondary]:
            assert 0 <= label.span.start <= label.span.end <= len(text)
    if result.ok:
        annotate(result, layouts=True)
    elif result.solution is None:
        assert any(item.severity == "error" for item in result.diagnostics)
    return result.ok


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_mutants_of_examples_are_answered_or_refused(path: Path) -> None:
    rng = random.Random(path.stem)
    text = path.read_text(encoding="utf-8")
    answered = [check(mutated(text, rng)) for _ in range(400)]
    assert not all(answered)


@pytest.mark.parametrize("compat", ["", "upstream"])
def test_mutants_of_random_programs_are_answered_or_refused(compat: str) -> None:
    answered = []
    for seed in range(500):
        rng = random.Random(seed)
        answered.append(check(mutated(random_program(rng, 10), rng), compat))
    assert any(answered)
    assert not all(answered)
