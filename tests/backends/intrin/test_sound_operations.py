"""Every operation on every element type, and every layout rule: lowered, the intrinsics do what is meant."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.row import LayoutRule
from tests.support.lowered import lower_and_verify, verify_solution
from tests.support.operation_programs import operation_programs
from tests.support.rule_programs import program, solve_row

THOROUGH = re.compile(r"v(add|sub|mul|s?max|s?min|sadd|ssub|mula|div|mod)|reduction|vtrunci|unaligned")
"""Operations whose sequences differ in few lanes only from what would be nearly right."""

REACHABLE = [rule for rule in AVE_RULES if not rule.refuted and program(rule) is not None]


@pytest.mark.parametrize("rule", REACHABLE, ids=lambda rule: rule.id)
def test_a_row_is_lowered_as_it_is_meant(rule: LayoutRule) -> None:
    for dialect, chip in (("1.2.0", "ascend310b4"), ("master", "ascend950")):
        solved = solve_row(rule, rule, chip)
        assert solved is not None
        text = solved[0].graph.module.source.text
        found = verify_solution(*solved, text, dialect, rounds=2, chip=chip)
        assert found.verdict == "agrees" or found.verdict.startswith("refused"), found.verdict


def test_every_operation_is_lowered_as_it_is_meant(golden: Callable[[str, str], None]) -> None:
    """What is not lowered, and what has no layouts as it stands, is listed in a golden file."""
    other: list[str] = []
    for number, (title, text) in enumerate(operation_programs()):
        dialect, chip = ("1.2.0", "") if number % 2 else ("master", "ascend950")
        verdict = lower_and_verify(text, dialect, "", 8 if THOROUGH.match(title) else 3, chip).verdict
        assert verdict != "mismatch", title
        if verdict != "agrees":
            other.append(f"{title}: {verdict}")
    golden("intrin/not_lowered.txt", "\n".join(other) + "\n")
