"""Compat mode against answers of the released analyzer that were written down, and what they can tell apart."""

from __future__ import annotations

from functools import cache

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.ave import PoseOptions, pose_ave
from layoutsolver.pose.posed import Posed
from layoutsolver.pose.upstream import upstream_verdict
from layoutsolver_models.problems.layout import LayoutSolution
from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.row import LayoutRule
from layoutsolver_models.solve.conflict import is_feasible
from layoutsolver_models.solve.layout import Limits, solve_layout
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


def posed_with(seed: int, rules: tuple[LayoutRule, ...]) -> Posed:
    """The problem of a seed's program in compat mode under some rules."""
    return pose_ave(graph_of(seed), PoseOptions(compat=True, rules=rules))


def answer(posed: Posed) -> Recorded:
    """The compat answer to a problem."""
    graph = posed.graph
    feasible = is_feasible(posed.problem, Limits())
    solution = solve_layout(posed.problem) if feasible else LayoutSolution("infeasible")
    verdict = upstream_verdict(posed, solution)
    if verdict.kind != "solved":
        op = graph.ops[verdict.op].name if verdict.kind == "no_solve" else None
        return Recorded(verdict.kind, op, ())
    chosen = {
        posed.op_of_relation[relation]: posed.problem.tables[posed.problem.relations[relation].table].rows[row].attrs
        for relation, row in enumerate(solution.rows)
    }
    types = tuple(
        (node.name, chosen.get(node.index, {}).get("functionType"))
        for node in graph.ops
        if node.name.startswith("ave.hir.") and node.name != "ave.hir.vector.layout_cast"
    )
    return Recorded("solved", None, types)


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
    """Seeds by the rules that their problems use; small programs that have layouts come first."""
    posed = {seed: posed_with(seed, AVE_RULES).problem for seed in ANSWERS}
    found: dict[str, list[int]] = {}
    for seed in sorted(ANSWERS, key=lambda seed: (ANSWERS[seed].verdict != "solved", len(posed[seed].relations), seed)):
        for rule in {row.rule for table in posed[seed].tables for row in table.rows}:
            found.setdefault(rule, []).append(seed)
    return found


@pytest.mark.parametrize("rule", TESTED, ids=lambda rule: rule.id)
def test_every_mutation_of_a_rule_gives_another_answer(
    rule: LayoutRule, programs_by_rule: dict[str, list[int]]
) -> None:
    survivors = []
    seeds = list(programs_by_rule.get(rule.id, []))
    for mutant in mutants(rule):
        rules = tuple(mutant if other.id == rule.id else other for other in AVE_RULES)
        telling = next((seed for seed in seeds if answer(posed_with(seed, rules)) != ANSWERS[seed]), None)
        if telling is None:
            survivors.append(mutant)
        else:
            seeds.remove(telling)
            seeds.insert(0, telling)  # what tells one mutant of a rule tells most of them
    assert survivors == [], f"{len(survivors)} mutants of {rule.id} survive"
