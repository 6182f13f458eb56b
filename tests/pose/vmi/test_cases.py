"""Small programs of every family of rows: what they cost at best, what today's compiler takes, and that it is right.

`cases/facts.json` has for each the fewest vector instructions and how they are spread over loads, computation and
stores; `compiler` is what today's compiler issues on these, or the kind of message with which it refuses.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from layoutsolver.api import LowerOptions, lower
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.pose.vmi.upstream.choice import choice_of
from layoutsolver.pose.vmi.upstream.compat import upstream_of
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files
from layoutsolver_models.problems.selection import SelectionSolution, evaluate
from layoutsolver_models.rules.vmi.flow import FLOW
from layoutsolver_models.rules.vmi.table import RULES, VMI_RULES
from tests.pose.vmi.kernels import solved

FOLDER = Path(__file__).parent / "cases"
FACTS: dict[str, dict[str, Any]] = json.loads((FOLDER / "facts.json").read_text(encoding="utf-8"))
NAMES = sorted(FACTS)

SPECIFIED = {
    "cast_f32_f8e4m3_256": (10, 12), "cast_f32_f8e5m2_128": (5, 6), "cast_f32_f16_128": (5, 6),
    "cast_f32_bf16_256": (10, 12), "cast_f16_f8e4m3_128": (3, 3), "cast_f16_f32_64": (3, 3),
    "cast_bf16_f32_256": (8, 8), "cast_f8e4m3_f32_128": (4, 10), "cast_f4e2m1x2_bf16x2_128": (4, 10),
    "cast_f4e1m2x2_bf16x2_256": (8, 13),
}  # fmt: skip
"""Optimum and compiler of the programs that section 4.5 of the facts lists, in instructions of all pipes."""

MISALIGNED = {"reduce_two_f16_16_512"}
"""The compiler stores every other eight half words in the middle of a block, which faults; ours stores a stream."""


def source_of(name: str) -> SourceFile:
    return SourceFile(f"{name}.pto", (FOLDER / f"{name}.pto").read_text(encoding="utf-8"))


@cache
def answer(name: str) -> tuple[PosedVmi, SelectionSolution]:
    """A program's problem and its proved optimum."""
    return solved(source_of(name).text, "total")


def test_every_program_has_its_facts() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.pto")) == NAMES
    assert len(NAMES) >= 60


def test_every_row_family_every_class_of_groups_and_every_tie_is_taken_by_a_program() -> None:
    taken: set[str] = set()
    for name in NAMES:
        posed, solution = answer(name)
        for op, chosen in zip(posed.problem.ops, solution.variants, strict=True):
            taken |= {op.variants[place].rule for place in chosen}
        for number in solution.conversions:
            taken |= set(posed.problem.conversions[number].rule.split())
        taken |= {join.tie for join in posed.program.joins}
    assert {RULES[rule].family for rule in taken if rule in RULES} == {rule.family for rule in VMI_RULES}
    assert {tie.id for tie in FLOW} - taken == set()
    wanted = {kind(rule.id) for rule in VMI_RULES if rule.id.startswith(("VMI.CAST.", "VMI.GREDUCE."))}
    assert wanted - {kind(rule) for rule in taken} == set()


def kind(rule: str) -> str:
    """The pair of widths of a cast, the class of groups of a reduction."""
    return ".".join(rule.split(".")[:3])


@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_is_proved_and_no_worse_than_the_compiler(name: str) -> None:
    fact = FACTS[name]
    _, solution = answer(name)
    assert (solution.total, list(solution.load[:3])) == (fact["total"], fact["pipes"])
    if isinstance(fact["compiler"], list):
        assert solution.total + fact["less"] == sum(fact["compiler"])
        assert fact["less"] >= 0 or name in MISALIGNED


@pytest.mark.parametrize("name", NAMES)
def test_what_the_compiler_takes(name: str) -> None:
    graph, _ = build_graph(read(source_of(name)))
    found, fact = upstream_of(graph), FACTS[name]["compiler"]
    if isinstance(fact, str):
        assert found.verdict.kind == fact
        return
    posed = pose_vmi(graph, "total", released=True)
    choice = choice_of(posed, found.net)
    assert choice.missing == ""
    assert list(evaluate(posed.problem, choice.variants, choice.conversions).load[:3]) == fact


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_for_it_does_what_the_program_says(name: str) -> None:
    result = lower(source_of(name), LowerOptions("vpto"))
    assert result.text is not None, [item.message for item in result.diagnostics]
    said, found = verify_files(source_of(name), SourceFile("lowered.vpto", result.text), 2, 1)
    assert said == []
    assert found is not None
    assert found.ok, [item.message for item in found.diagnostics]


@pytest.mark.parametrize("name", SPECIFIED)
def test_the_numbers_are_those_of_the_facts(name: str) -> None:
    optimum, compiler = SPECIFIED[name]
    assert (FACTS[name]["total"], sum(FACTS[name]["compiler"])) == (optimum, compiler)
