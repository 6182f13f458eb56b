"""Layouts that users fix and wish for."""

from __future__ import annotations

import random

import pytest

from layoutsolver.api_vmi import VmiOptions, VmiResult, solve
from layoutsolver.cli.vmi.table import totals
from layoutsolver.explain.vmi_wishes import _costs
from layoutsolver.pose.vmi.wishes import Wish, WishError, parse_wish
from layoutsolver.report_vmi import report
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.selection import SelectionWish, bounded_sum
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection
from layoutsolver_models.solve.selection_wishes import with_wishes
from tests.models.test_selection import random_problem
from tests.pose.vmi.kernels import posed

TEXT = """
func.func @k(%p: !pto.ptr<f8E4M3FN, ub>, %q: !pto.ptr<f32, ub>, %o: index) {
  %x = pto.vmi.load %p[%o] : !pto.ptr<f8E4M3FN, ub> -> !pto.vmi.vreg<128xf8E4M3FN>
  %w = pto.vmi.extf %x : !pto.vmi.vreg<128xf8E4M3FN> -> !pto.vmi.vreg<128xf32>
  pto.vmi.store %w, %q[%o] : !pto.vmi.vreg<128xf32>, !pto.ptr<f32, ub>
  return
}
"""
PINNED, WISHED = Wish("%x", "ls4"), Wish("%w", "c", 40)


def made(result: VmiResult) -> dict[str, str]:
    """The layout in which each value is made."""
    assert result.posed is not None
    assert result.solution is not None
    out: dict[str, str] = {}
    for op, chosen in zip(result.posed.problem.ops, result.solution.variants, strict=True):
        for number in chosen:
            layouts = op.variants[number].layouts[len(op.operands) :]
            names = (result.posed.problem.values[value].id for value in op.results)
            out.update(zip(names, layouts, strict=True))
    return out


def solved(text: str = TEXT, pins: tuple[Wish, ...] = (), preferences: tuple[Wish, ...] = ()) -> VmiResult:
    return solve(SourceFile("t.pto", text), VmiOptions(pins=pins, preferences=preferences))


def test_a_pin_is_kept_and_a_preference_weighed() -> None:
    assert made(solved()) == {"%x": "ls2", "%w": "d2"}
    assert made(solved(pins=(PINNED,))) == {"%x": "ls4", "%w": "c"}
    assert made(solved(preferences=(WISHED,))) == {"%x": "ls4", "%w": "c"}
    assert made(solved(preferences=(WISHED._replace(weight=1),))) == {"%x": "ls2", "%w": "d2"}


def test_a_hint_in_the_text_is_a_preference() -> None:
    text = TEXT.replace("extf %x", 'extf %x {layoutsolver.hint = "c:40"}')
    assert made(solved(text)) == {"%x": "ls4", "%w": "c"}


def test_a_pin_goes_before_a_hint_that_fixes_another_layout() -> None:
    text = TEXT.replace("extf %x", 'extf %x {layoutsolver.hint = "d2!"}')
    assert made(solved(text)) == {"%x": "ls2", "%w": "d2"}
    found = solved(text, pins=(Wish("%w", "c"),))
    assert made(found)["%w"] == "c"
    assert [item.message.partition(":")[0] for item in found.diagnostics] == ["%w is fixed to c"]


@pytest.mark.parametrize(("hint", "reason"), [("d3", "layouts are"), ("bd4", ""), ("c:0", "no weight")])
def test_a_hint_that_is_none_is_said(hint: str, reason: str) -> None:
    text = TEXT.replace("extf %x", f'extf %x {{layoutsolver.hint = "{hint}"}}')
    found = solved(text)
    assert found.ok == (hint == "bd4")
    expected = "LS0809" if hint == "bd4" else "LS0806"
    assert all(item.code == expected and reason in item.message for item in found.diagnostics)
    assert found.diagnostics


def test_wishes_for_what_does_not_exist_are_refused() -> None:
    for text in ("%x", "%x=d3", "=c", "%x=b64 c", "%x=c:2"):
        with pytest.raises(WishError):
            parse_wish(text)
    with pytest.raises(WishError, match="no vector `%z`: there are %x, %w"):
        solved(pins=(Wish("%z", "c"),))


def test_a_mask_is_pinned_by_its_layout_alone_if_that_is_enough() -> None:
    text = """
func.func @k(%p: !pto.ptr<f32, ub>, %o: index, %n: index) {
  %x = pto.vmi.load %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<128xf32>
  %m = pto.vmi.create_mask %n : index -> !pto.vmi.mask<128xpred>
  pto.vmi.masked_store %x, %p[%o], %m : !pto.vmi.vreg<128xf32>, !pto.ptr<f32, ub>, !pto.vmi.mask<128xpred>
  return
}
"""
    assert made(solved(text, pins=(Wish("%m", "b32 d2"),)))["%m"] == "b32 d2"
    with pytest.raises(WishError, match="may be b8 d2 or b16 d2 or b32 d2"):
        solved(text, pins=(Wish("%m", "d2"),))


MORE = "costs +2 instructions in all (load +1, store +1, registers +1)"
HINTED = TEXT.replace("extf %x", 'extf %x {layoutsolver.hint = "c:40"}')


def notes(result: VmiResult) -> list[str]:
    return [item.message for item in result.diagnostics if item.code == "LS0809"]


def test_a_hint_can_fix_a_layout() -> None:
    text = TEXT.replace("extf %x", 'extf %x {layoutsolver.hint = "c!"}')
    assert made(solved(text)) == {"%x": "ls4", "%w": "c"}
    assert notes(solved(text)) == [f"%w is fixed to c: {MORE}"]
    found = solved(text.replace('"c!"', '"ls2!"'))
    assert not found.ok
    assert any(
        "%w is fixed to ls2" in label.text
        for label in (found.diagnostics[0].primary, *found.diagnostics[0].secondary)
        if label
    )


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (solved(pins=(PINNED,)), f"%x is fixed to ls4: {MORE}"),
        (solved(preferences=(WISHED,)), f"%w is preferred in c: {MORE}"),
        (solved(HINTED), f"%w is preferred in c: {MORE}"),
        (solved(preferences=(Wish("%w", "d2", 3),)), "%w is preferred in d2: costs no instruction"),
        (solved(preferences=(Wish("%w", "bd4", 3),)), "%w is preferred in bd4, and is not: nothing makes it so here"),
        (
            solved(preferences=(Wish("%w", "d4", 1),)),
            "%w is preferred in d4, and is not: that would cost +4 on the busiest pipe, which takes 6 "
            "(execute +4, registers +4)",
        ),
    ],
)  # fmt: skip
def test_each_wish_says_what_it_costs(result: VmiResult, said: str) -> None:
    assert notes(result) == [said]


def test_penalties_are_in_no_sum_that_is_shown() -> None:
    plain, penalised = solved(), solved(preferences=(Wish("%w", "bd4", 1000),))
    assert penalised.solution is not None
    assert penalised.solution.total > 1000
    assert totals(penalised) == totals(plain)
    assert report(penalised).sums == report(plain).sums


@pytest.mark.parametrize("seed", range(12))
def test_what_a_wish_costs_is_the_difference_of_two_solves(seed: int) -> None:
    problem = random_problem(seed, 5)._replace(penalties=())
    free = solve_selection(problem)
    rng = random.Random(seed)
    value = rng.randrange(len(problem.values))
    layout = rng.choice(problem.values[value].layouts)
    pinned = problem._replace(pins=((value, layout),))
    without = solve_selection(problem._replace(pins=()))
    found = with_wishes(pinned, solve_selection(pinned), Limits())
    if found.status != "optimal" or free.status == "infeasible":
        assert found.wishes == ()
        return
    (wish,) = found.wishes
    assert (wish.kind, wish.value, wish.met) == ("pin", value, True)
    assert wish.busiest == found.busiest - without.busiest >= 0
    assert wish.total == bounded_sum(problem, found.load) - bounded_sum(problem, without.load)
    assert wish.registers == found.registers - without.registers


ADDED = """
func.func @k(%p: !pto.ptr<f32, ub>, %o: index) {
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>
  pto.vmi.vstore %x, %p[%o] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>
  return
}
"""


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (SelectionWish("pin", 0, True, proved=False), "a time limit was reached before it was known what that costs"),
        (
            SelectionWish("pin", 0, True, (0, 2, 0, 0), 1, 2, 0, False),
            "costs about +1 on the busiest pipe, which takes 4",
        ),
        (SelectionWish("pin", 0, True, (0, 2, 0, 0), 1, 2, 1), "costs +1 on the busiest pipe, which takes 4"),
        (SelectionWish("pin", 0, True, (0, 2, 0, 0), 0, 2, 0), "costs +2 instructions in all"),
        (SelectionWish("pin", 0, True, (0, 0, 0, 0)), "costs no instruction"),
    ],
)
def test_what_a_wish_costs_is_said_as_far_as_it_is_known(wish: SelectionWish, words: str) -> None:
    made = posed(ADDED)
    assert made.problem.pipes == ("load", "execute", "store", "predicate")
    said = _costs(made, wish, 3)
    assert said.partition(" (")[0] == words
    assert ("execute +2" in said) == any(wish.more)
    assert ("registers +1" in said) == (wish.registers == 1)
