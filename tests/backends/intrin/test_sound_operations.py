"""Every operation on every element type, and every layout rule: lowered, the intrinsics do what is meant."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.row import LayoutRule
from tests.support.lowered import lower_and_verify, verify_solution
from tests.support.merged_programs import merged, with_same_vectors
from tests.support.operation_programs import operation_programs
from tests.support.rule_programs import program, solve_row

THOROUGH = re.compile(r"v(add|sub|mul|s?max|s?min|sadd|ssub|mula)|v(div|mod)\w* i(8|16|32)|reduction|vtrunci|unaligned")
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
    programs = list(operation_programs())
    refused: dict[str, str] = {}
    for dialect, chip, own in (("master", "ascend950", programs[::2]), ("1.2.0", "", programs[1::2])):
        for thorough in (False, True):
            chosen = [program for program in own if bool(THOROUGH.match(program[0])) == thorough]
            for group in with_same_vectors(chosen, 32):
                refused |= verified_together(group, dialect, chip, 8 if thorough else 3)
    listed = [f"{title}: {refused[title]}" for title, _ in programs if title in refused]
    golden("intrin/not_lowered.txt", "\n".join(listed) + "\n")


def verified_together(group: list[tuple[str, str]], dialect: str, chip: str, rounds: int) -> dict[str, str]:
    """Run the programs of a group as one, but for those that are refused, of which the verdicts are returned."""
    together = merged(group)
    found = lower_and_verify(together.text, dialect, "", rounds, chip)
    if not found.verdict.startswith("refused"):
        assert found.verdict == "agrees", (found.verdict, together.text, found.diagnostics)
        return {}
    labels = [item.primary for item in found.diagnostics if item.primary is not None]
    titles = {together.titles[label.source.line_column(label.span.start)[0]] for label in labels}
    assert titles
    refused = {title: lower_and_verify(text, dialect, "", 1, chip).verdict for title, text in group if title in titles}
    left = [(title, text) for title, text in group if title not in titles]
    return refused | (verified_together(left, dialect, chip, rounds) if left else {})
