"""What is printed about programs without layouts, word for word; and that each sentence in it is true."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from layoutsolver.api import SolveOptions, solve
from layoutsolver.cli.messages import in_order
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.diagnostics.text import render
from layoutsolver.explain.conflict import against
from layoutsolver.explain.words import group_where, names, room
from layoutsolver.source import SourceFile
from layoutsolver_models.cp import layout
from layoutsolver_models.problems.layout import Group
from layoutsolver_models.solve import conflict as conflict_module
from tests.cli.running import entangled
from tests.conftest import GOLDEN
from tests.support.compare_peer import program
from tests.support.explaining import explained

INPUTS = sorted((GOLDEN / "explain" / "inputs").glob("*.mlir"))
Golden = Callable[[str, str], None]


def messages(path: Path, compat: str = "") -> list[Diagnostic]:
    source = SourceFile(path.name, path.read_text(encoding="utf-8"))
    return in_order(solve(source, SolveOptions(compat=compat, conflicts=3, repairs=2)).diagnostics)


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_what_is_printed(path: Path, golden: Golden) -> None:
    golden(f"explain/{path.stem}.txt", render(messages(path)))


@pytest.mark.parametrize("name", ["rounded_to_half", "several_conflicts", "gather", "unknown_operation"])
def test_what_is_printed_in_compat_mode(name: str, golden: Golden) -> None:
    path = GOLDEN / "explain" / "inputs" / f"{name}.mlir"
    golden(f"explain/compat_{name}.txt", render(messages(path, "upstream")))


def test_there_are_many_kinds_of_messages() -> None:
    heads = {re.sub(r"`[^`]*`", "`…`", item.message) for path in INPUTS for item in messages(path)}
    assert len(INPUTS) >= 24
    assert len(heads) >= 9


def test_a_time_limit_is_said_as_such(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "best_by_cp_sat", lambda *_, **__: layout.ComponentAnswer("unknown"))
    result = explained(entangled())
    golden("explain/time_limit.txt", render(result.diagnostics))
    assert result.conflicts == []


def test_a_conflict_that_was_not_shrunk_does_not_claim_to_be_minimal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflict_module, "quickxplain", out_of_time)
    text = (GOLDEN / "explain" / "inputs" / "strided_store.mlir").read_text(encoding="utf-8")
    [item] = explained(text, repairs=0).diagnostics
    assert not item.minimal
    assert "without any one of them" not in " ".join(item.notes)


def out_of_time(*_: object) -> list[Group]:
    raise conflict_module._OutOfTime


def conflicts_of(seed: int, compat: str) -> list[Diagnostic]:
    return [item for item in explained(program(seed), compat, repairs=0).diagnostics if item.code == "LS0101"]


@pytest.mark.parametrize("compat", ["", "upstream"])
def test_each_conflict_of_a_random_program_is_said_with_all_its_places(compat: str) -> None:
    found = 0
    for seed in range(7000, 7060):
        result = explained(program(seed), compat, repairs=0)
        items = [item for item in result.diagnostics if item.code == "LS0101"]
        if compat and result.verdict != "no_solve":
            continue
        assert len(items) == len(result.conflicts)
        for item, conflict in zip(items, result.conflicts, strict=True):
            found += 1
            assert result.posed is not None
            spans = {label.span.start for label in (item.primary, *item.secondary) if label is not None}
            for kind, index in conflict.groups:
                where = group_where(result.posed, (kind, index))
                assert where is not None
                assert where.start in spans or f"{where.line}:{where.column} " in " ".join(item.notes)
                assert kind == "domain" or where.start in spans
            assert len(item.notes) >= len(conflict.groups)
            texts = [label.text for label in (item.primary, *item.secondary) if label is not None]
            assert all(texts)
            assert "none at all" not in item.message
            assert not re.search(r"in b\d+\w* here, in (b\d+\w*) there.* \1 here", item.message)
    assert found > 20


def test_a_headline_never_names_one_layout_on_both_sides() -> None:
    for seed in range(7000, 7100):
        for item in conflicts_of(seed, ""):
            sides = re.search(r"needed in (.*) here, in (.*) there", item.message)
            if sides is not None:
                assert not set(sides[1].split(" or ")) & set(sides[2].split(" or ")), item.message


@pytest.mark.parametrize(
    ("needs", "text"),
    [
        (["b16"], "needed in b16"),
        (["b16", "b16"], "needed in b16"),
        (["b16", "b32", "b16"], "needed in b16 here, in b32 there"),
        (["b8", "b16", "b32"], "needed in b8, in b16 and in b32"),
    ],
)
def test_needs_are_enumerated(needs: list[str], text: str) -> None:
    assert against(needs) == text


def test_no_layout_at_all_has_a_word() -> None:
    assert names(()) == "none at all"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("%w", "128 elements of 16 bits go in b16 only"),
        ("%m", "128 elements of 1 bit go in b8 or b16 only"),
    ],
)
def test_room_says_what_fits(number: str, text: str) -> None:
    source = (GOLDEN / "explain" / "inputs" / "capacity_of_half_words.mlir").read_text(encoding="utf-8")
    posed = explained(source).posed
    assert posed is not None
    [index] = [at for at, value in enumerate(posed.problem.values) if value.id == number]
    assert room(posed, index) == text
