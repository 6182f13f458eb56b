"""Why a value has its layout: each alternative is solved for again, or its reasons are a conflict with it."""

from __future__ import annotations

import random

import pytest

from layoutsolver.api import SolveResult
from layoutsolver.explain.why import Why, values_named, why, why_text
from layoutsolver.explain.words import group_words, refusals
from layoutsolver_models.problems.layout import Pin
from layoutsolver_models.solve.conflict import find_conflicts
from layoutsolver_models.solve.layout import Limits, solve_layout
from layoutsolver_models.vecmem import DOMAINS, VECMEM_TYPES
from tests.support.compare_peer import program
from tests.support.explaining import satisfiable
from tests.support.solving import solve_text

PROGRAM = """\
func.func @f(%b8: memref<1024xi8>, %b32: memref<64xi32>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %b8[%i] : memref<1024xi8> into vector<64xi8>
  ave.hir.masked_store <NORM_B8> %b8[%i], %m, %x : memref<1024xi8>, vector<64xi1>, vector<64xi8>
  return
}
func.func @g(%b32: memref<64xi32>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %b32[%i] : memref<64xi32> into vector<64xi32>
  ave.hir.masked_store <NORM_B32> %b32[%i], %m, %x : memref<64xi32>, vector<64xi1>, vector<64xi32>
  return
}
"""


def solved(text: str) -> SolveResult:
    result = solve_text(text)
    assert result.posed is not None
    assert result.solution is not None
    return result


def answer(result: SolveResult, value: int) -> Why:
    assert result.posed is not None
    assert result.solution is not None
    return why(result.posed, result.solution, value, Limits())


def check(result: SolveResult, value: int) -> list[int | None]:
    """Check the answer about one value; the extra costs of its alternatives."""
    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    problem = posed.problem
    known = problem.values[value]
    found = answer(result, value)
    assert (found.value, found.chosen, found.cost) == (known.id, solution.layouts[value], solution.cost)
    others = [other.layout for other in found.alternatives]
    assert sorted([found.chosen, *others]) == sorted(DOMAINS.get(known.bits, known.domain))
    for other in found.alternatives:
        assert not other.unknown
        if other.layout not in known.domain:
            assert other.extra is None
            assert known.lanes > VECMEM_TYPES[other.layout].lanes
            continue
        pinned = problem._replace(pins=(*problem.pins, Pin(value, other.layout)))
        again = solve_layout(pinned)
        if other.extra is not None:
            assert again.status == "optimal"
            assert other.extra == again.cost - solution.cost >= 0
            assert other.preferred == (other.extra == 0)
            continue
        assert again.status == "infeasible"
        [conflict] = find_conflicts(pinned, 1, Limits())
        mine = ("pin", len(problem.pins))
        assert mine in conflict.groups, "the program itself has layouts, so the pin is needed for the conflict"
        assert not satisfiable(pinned, conflict.groups)
        assert satisfiable(pinned, [group for group in conflict.groups if group != mine])
        rest = [group for group in conflict.groups if group != mine]
        assert other.reasons == (*(group_words(posed, group) for group in rest), *refusals(posed, rest))
        assert other.reasons
    return [other.extra for other in found.alternatives]


def test_answers_about_random_programs_hold() -> None:
    extras: list[int | None] = []
    for seed in range(100, 160):
        result = solve_text(program(seed, 8))
        if result.ok and result.posed is not None:
            count = len(result.posed.problem.values)
            for value in random.Random(seed).sample(range(count), min(count, 4)):
                extras += check(result, value)
    assert len(extras) > 80
    assert None in extras
    assert 0 in extras
    assert any(extra for extra in extras)


def test_every_kind_of_alternative_is_put_into_words() -> None:
    result = solved(PROGRAM)
    assert result.posed is not None
    [first, second] = values_named(result.posed, "m")
    text = why_text(answer(result, first))
    assert text.startswith("`%m` is in b8\n")
    assert "  not in b16: the same cost, but b8 comes first in preference\n" in text
    text = why_text(answer(result, second))
    assert text.startswith("`%m` is in b32\n  not in b8, because\n    10:3 `ave.hir.masked_store`: rules ")
    [_, wide] = values_named(result.posed, "%x")
    assert why_text(answer(result, wide)) == "`%x` is in b32\n  there is no other layout for its element width\n"


def test_what_does_not_fit_says_how_much_would() -> None:
    head, first, *rest = PROGRAM.split("func.func")
    whole = "func.func".join([head, first.replace("vector<64x", "vector<256x"), *rest])
    result = solved(whole)
    assert result.posed is not None
    text = why_text(answer(result, values_named(result.posed, "x@3")[0]))
    assert "not in b8_4vl, because\n    256 elements are in use, b8_4vl has room for 64\n" in text


def test_an_answer_that_was_not_found_in_time_is_said_to_be_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    from layoutsolver.explain import why as module
    from layoutsolver_models.problems.layout import LayoutSolution

    result = solved(PROGRAM)
    monkeypatch.setattr(module, "solve_layout", lambda *_: LayoutSolution("unknown"))
    text = why_text(answer(result, 0))
    assert text.count("? the limit was reached before that was known") == 2


@pytest.mark.parametrize(
    ("name", "lines"),
    [("m", [2, 8]), ("%m", [2, 8]), ("m@8", [8]), ("%m@2", [2]), ("m@3", []), ("q", []), ("m@x", []), ("", [])],
)
def test_values_are_found_by_name_and_line(name: str, lines: list[int]) -> None:
    posed = solved(PROGRAM).posed
    assert posed is not None
    places = [posed.problem.values[value].where for value in values_named(posed, name)]
    assert [where.line for where in places if where is not None] == lines
