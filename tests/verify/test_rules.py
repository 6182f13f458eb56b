"""Every layout rule, run on the hardware model; and every rule with one layout or functionType changed, which fails."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pytest

from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.row import LayoutRule
from tests.support.rule_programs import mutants, program, run_row

CHIPS = ("ascend950", "ascend310b4")
BY_ID = {rule.id: rule for rule in AVE_RULES}

UNREACHABLE = {
    **{
        rule.id: "no element type has both layouts"
        for rule in AVE_RULES
        if rule.family == "layout_cast" and program(rule) is None
    },
}
"""Rows that no operation can meet, and why."""

WRONG = {rule.id: rule.refuted for rule in AVE_RULES if rule.refuted}
"""Rows of the released analyzer that do not hold on the hardware model, and why."""

EQUIVALENT = {
    "AVE.STORE.1": "a store of predicates does not look at its mask",
    "AVE.SPLAT": "every lane holds the scalar, so that any layout is right",
    "AVE.TRUNC.32.B32": "64-bit elements are computed by a library, which takes the mask as it lies",
    "AVE.EXT.32.B32": "64-bit elements are computed by a library, which takes the mask as it lies",
    "AVE.SAME": "without a mask any common layout is right: the changed row is another one of the table",
    "AVE.GATHER.16.B8_2VL": "the row is wrong, and the changed one is right",
    "AVE.LCAST.B8_4VL.2": "the row is wrong, and the changed one is right",
}
"""Rows of which a change may go unnoticed, by the beginning of their ids, and why."""


def reason(rule: LayoutRule) -> str:
    return next((why for start, why in EQUIVALENT.items() if rule.id.startswith(start)), "")


REACHABLE = [rule for rule in AVE_RULES if rule.id not in UNREACHABLE]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("rule", REACHABLE, ids=lambda rule: rule.id)
def test_a_row_gives_what_the_program_means(rule: LayoutRule, chip: str) -> None:
    found = run_row(rule, rule, chip)
    assert found is not None
    assert found.runs >= 1
    assert found.ok == (rule.id not in WRONG), [(item.message, item.notes) for item in found.diagnostics]


class Survey(NamedTuple):
    """What came of the changed forms of a row: how many fail, how many the solver refuses, and which ones agree."""

    caught: int
    refused: int
    survivors: list[tuple[object, object]]


@cache
def survey(name: str) -> Survey:
    rule = BY_ID[name]
    found = [(changed, run_row(rule, changed, "ascend950")) for changed in mutants(rule)]
    survivors: list[tuple[object, object]] = [
        (row.layouts, row.dist) for row, one in found if one is not None and one.ok
    ]
    return Survey(
        sum(one is not None and not one.ok for _, one in found), sum(one is None for _, one in found), survivors
    )


@pytest.mark.parametrize("rule", REACHABLE, ids=lambda rule: rule.id)
def test_a_changed_row_is_noticed(rule: LayoutRule) -> None:
    survivors = survey(rule.id).survivors
    assert not survivors or reason(rule), survivors


def test_the_score_of_changed_rows() -> None:
    found = [survey(rule.id) for rule in REACHABLE]
    caught, refused = sum(one.caught for one in found), sum(one.refused for one in found)
    equivalent = sum(len(one.survivors) for one in found)
    print(f"{caught} changed rows fail on the model, {refused} are refused by the solver, {equivalent} are equivalent")
    assert (caught, refused, equivalent) == (500, 67, 35)


def test_the_lists_of_exceptions_name_rows_that_exist() -> None:
    assert set(WRONG) == {"AVE.GATHER.16.B8_2VL", "AVE.LCAST.B8_4VL.2"}
    assert all(any(rule.id.startswith(start) for rule in AVE_RULES) for start in EQUIVALENT)
    assert len(UNREACHABLE) + len(REACHABLE) == len(AVE_RULES)
    assert len(UNREACHABLE) == 16
