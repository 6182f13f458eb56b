"""Why banks do not fit: the class of the fault, the peak, and the cheapest level that helps."""

from __future__ import annotations

import pytest

from layoutsolver.explain.banks import cheapest_level, least_peak, moves, refusal
from layoutsolver.source import SourceFile
from layoutsolver_models.banks.solve import solve_banks
from layoutsolver_models.problems.banks import Bank, BankOp, BankProblem, Level
from layoutsolver_models.problems.layout import Where
from layoutsolver_models.solve.layout import Limits
from tests.models.banks.problems import mixed, tile

SOURCE = SourceFile("a.mlir", "")


@pytest.mark.parametrize(
    ("problem", "level", "kind", "helps"),
    [
        (tile(16), "first_fit", "live range", "feasible with liveness: allocate before the first write"),
        (tile(8), "liveness", "order", "feasible with reorder: move"),
        (tile(7), "reorder", "capacity floor", "feasible with coalesce: "),
        (tile(5), "elide", "capacity floor", "no level makes it fit"),
        (mixed(16), "first_fit", "fragmentation", "feasible with placement: the same lives, placed elsewhere, peak 16"),
        (tile(16, 3), "liveness", "id bound", "feasible with coalesce: "),
    ],
)
def test_each_class_of_fault(problem: BankProblem, level: Level, kind: str, helps: str) -> None:
    assert not solve_banks(problem, level).order
    said = refusal(SOURCE, "f", problem, level, Limits())
    assert said.code == "LS1030"
    assert said.message == f"`f` does not fit into {problem.bank_num} banks at `{level}`: {kind}"
    assert said.notes[-1].startswith(helps)


def test_the_peak_is_where_most_must_live() -> None:
    peak = least_peak(tile(16), "liveness", Limits())
    assert (peak.op, peak.live, peak.load) == (2, (0, 1, 2), 9)


def test_the_level_that_helps_is_the_first_that_does() -> None:
    for bank_num, level in ((9, "liveness"), (8, "reorder"), (7, "coalesce"), (6, "coalesce")):
        found = cheapest_level(tile(bank_num), "placement", Limits())
        assert found is not None
        assert found.level == level
        assert found.peak <= bank_num
    assert cheapest_level(tile(5), "placement", Limits()) is None


def test_an_order_that_stays_needs_no_move() -> None:
    assert moves(tile(16), solve_banks(tile(16), "liveness")) == []


def test_a_peak_at_the_first_operation_is_shown_there() -> None:
    place = Where(4, 9, 1, 5)
    banks = (Bank("a", 1, 4, 0, 2, 64),)
    problem = BankProblem((BankOp("mvin", "loader", 64, (), (0,), where=place),), banks, (), (1,), bank_num=3)
    said = refusal(SourceFile("a.mlir", "the first line"), "f", problem, "liveness", Limits())
    assert said.primary is not None
    assert (said.primary.span.start, said.primary.span.end) == (4, 9)
    assert said.primary.text == "4 banks are live here"
