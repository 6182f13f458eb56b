"""Layouts that users fix and wish for."""

from __future__ import annotations

import pytest

from layoutsolver.api_vmi import VmiOptions, VmiResult, solve
from layoutsolver.pose.vmi.wishes import Wish, WishError, parse_wish
from layoutsolver.source import SourceFile

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


@pytest.mark.parametrize(("hint", "reason"), [("d3", "layouts are"), ("bd4", ""), ("c:0", "no weight")])
def test_a_hint_that_is_none_is_said(hint: str, reason: str) -> None:
    text = TEXT.replace("extf %x", f'extf %x {{layoutsolver.hint = "{hint}"}}')
    found = solved(text)
    assert found.ok == (hint == "bd4")
    assert all(item.code == "LS0806" and reason in item.message for item in found.diagnostics)


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
