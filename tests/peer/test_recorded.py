"""Compat mode against answers of the released analyzer that were written down, and what they can tell apart."""

from __future__ import annotations

from functools import cache

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.ave import PoseOptions, pose_ave
from layoutsolver.pose.upstream import upstream_verdict
from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.row import LayoutRule
from layoutsolver_models.solve.layout import solve_layout
from layoutsolver_models.vecmem import LAYOUTS
from tests.support.compare_peer import Recorded, difference, program
from tests.support.record_peer import SIZE, load

ANSWERS = load()

NOT_THE_ANALYZERS = frozenset({"scatter", "bitcast", "layout_cast", "compare_scalar"})
"""Families that compat mode never uses: the analyzer has no such rule, or its text shows no layouts."""


@pytest.mark.parametrize("seed", ANSWERS)
def test_compat_mode_gives_the_recorded_answer(seed: int) -> None:
    assert difference(program(seed, SIZE), ANSWERS[seed]) is None


@cache
def graph_of(seed: int) -> Graph:
    """The graph of a seed's program."""
    return build_graph(read(program(seed, SIZE)))[0]


def answer_with(seed: int, rules: tuple[LayoutRule, ...]) -> tuple[Recorded, set[str]]:
    """The compat answer under other rules, and the ids of the rules in the problem's tables."""
    graph = graph_of(seed)
    posed = pose_ave(graph, PoseOptions(compat=True, rules=rules))
    used = {row.rule for table in posed.problem.tables for row in table.rows}
    solution = solve_layout(posed.problem)
    verdict = upstream_verdict(posed, solution)
    if verdict.kind != "solved":
        op = graph.ops[verdict.op].name if verdict.kind == "no_solve" else None
        return Recorded(verdict.kind, op, ()), used
    chosen = {
        posed.op_of_relation[relation]: posed.problem.tables[posed.problem.relations[relation].table].rows[row].attrs
        for relation, row in enumerate(solution.rows)
    }
    types = tuple(
        (node.name, chosen.get(node.index, {}).get("functionType"))
        for node in graph.ops
        if node.name.startswith("ave.hir.") and node.name != "ave.hir.vector.layout_cast"
    )
    return Recorded("solved", None, types), used


def mutants(rule: LayoutRule) -> list[LayoutRule]:
    """The rule with one layout changed, each in turn, and with another functionType."""
    changed = [
        rule._replace(layouts={**rule.layouts, role: other})
        for role, layout in rule.layouts.items()
        for other in LAYOUTS
        if other != layout
    ]
    return [*changed, rule._replace(dist="invalid")]


TESTED = [rule for rule in AVE_RULES if rule.family not in NOT_THE_ANALYZERS]


@pytest.fixture(scope="module")
def programs_by_rule() -> dict[str, list[int]]:
    """Seeds by the rules that their problems use."""
    found: dict[str, list[int]] = {}
    for seed in ANSWERS:
        for rule in answer_with(seed, AVE_RULES)[1]:
            found.setdefault(rule, []).append(seed)
    return found


@pytest.mark.parametrize("rule", TESTED, ids=lambda rule: rule.id)
def test_every_mutation_of_a_rule_gives_another_answer(
    rule: LayoutRule, programs_by_rule: dict[str, list[int]]
) -> None:
    survivors = []
    for mutant in mutants(rule):
        rules = tuple(mutant if other.id == rule.id else other for other in AVE_RULES)
        seeds = programs_by_rule.get(rule.id, [])
        if not any(answer_with(seed, rules)[0] != ANSWERS[seed] for seed in seeds):
            survivors.append(mutant)
    assert survivors == [], f"{len(survivors)} mutants of {rule.id} survive"
