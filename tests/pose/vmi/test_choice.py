"""The released compiler's layouts as a choice of the selection problem, and what they cost there."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from layoutsolver import api_vmi
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import pose_vmi
from layoutsolver.pose.vmi.upstream.choice import choice_of
from layoutsolver.pose.vmi.upstream.compat import upstream_of
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.selection import evaluate
from layoutsolver_models.rules.vmi.row import PIPES
from layoutsolver_models.solve.selection import solve_selection
from tests.pose.vmi.facts import FACTS, FOLDER, graph_of

TAKEN = sorted(name for name, fact in FACTS.items() if fact["verdict"] == "ok" and fact["weighted"])

APART = {
    "083-call-twice.pto": "mulf at line 5 needs %v in d4",
    "145-call.pto": "absf at line 5 needs %v in d2",
    "215-call.pto": "absf at line 5 needs %v in d2",
    "257-mask.pto": "there is no conversion from b16 c to b32 d2",
}
"""Programs that are no choice: a function is called in two layouts, or a cast of masks has no row."""

OTHER_EXECUTE = frozenset({
    "025-online-softmax-row.pto",
    "057-e2b-two-widths.pto", "065-int-chain-ui8-ui32.pto",
    "102-dma-frame-bf16-e4m3.pto", "154-call.pto", "155-chain.pto", "172-group.pto", "197-call.pto",
    "207-scale.pto", "226-scale.pto",
})  # fmt: skip
"""Programs of which the released compiler issues another number of executed instructions than the rows say.

Its later passes combine reductions and hoist what the rows count each time, calls are counted once, and constants of
one scalar in several widths are counted apart.
"""


def issued(name: str) -> dict[str, int]:
    """The instructions that the released compiler issues on each pipe, as often as they run."""
    out: Counter[str] = Counter()
    for instruction, times in FACTS[name]["weighted"].items():
        mask = instruction.startswith("p")
        out[PIPES.get(instruction, "predicate" if mask else "execute")] += times
    return out


@pytest.mark.parametrize("name", TAKEN)
def test_a_program_that_is_taken_is_a_choice_and_costs_what_is_issued(name: str) -> None:
    graph = graph_of(name)
    posed = pose_vmi(graph, released=True)
    choice = choice_of(posed, upstream_of(graph).net)
    assert choice.missing == APART.get(name, "")
    if choice.missing:
        return
    paid = dict(
        zip(posed.problem.pipes, evaluate(posed.problem, choice.variants, choice.conversions).load, strict=True)
    )
    real = issued(name)
    assert (paid["load"], paid["store"]) == (real["load"], real["store"])
    assert (paid["execute"] == real["execute"]) == (name not in OTHER_EXECUTE)


@pytest.mark.parametrize("name", [name for name in TAKEN if name not in APART][::12])
def test_the_optimum_is_never_dearer_than_what_the_released_compiler_takes(name: str) -> None:
    graph = graph_of(name)
    posed = pose_vmi(graph)
    choice = choice_of(posed, upstream_of(graph).net)
    solution = solve_selection(posed.problem, known=(choice.variants, choice.conversions))
    assert solution.status == "optimal"
    assert solution.busiest <= evaluate(posed.problem, choice.variants, choice.conversions).busiest


def test_what_only_we_can_carry_out_is_not_posed_for_the_released_compiler() -> None:
    graph = graph_of("009-fp4-e1m2-128.pto")
    ours, theirs = pose_vmi(graph).problem, pose_vmi(graph, released=True).problem
    rules = [{variant.rule for op in problem.ops for variant in op.variants} for problem in (ours, theirs)]
    assert "VMI.CAST.8_32.LS2_D2" in rules[0] - rules[1]


@pytest.mark.parametrize(
    ("lanes", "source", "result", "instructions"),
    [
        (128, "f32", "f8E4M3FN", (6, 5)), (256, "f32", "f8E4M3FN", (12, 12)), (128, "f32", "f16", (6, 5)),
        (256, "f32", "f16", (12, 10)), (128, "f16", "f8E4M3FN", (3, 6)), (256, "f16", "f8E4M3FN", (6, 5)),
    ],
)  # fmt: skip
def test_a_narrowing_store_with_and_without_the_preference_for_lane_strides(
    lanes: int, source: str, result: str, instructions: tuple[int, int]
) -> None:
    before, after = f"!pto.vmi.vreg<{lanes}x{source}>", f"!pto.vmi.vreg<{lanes}x{result}>"
    text = f"""
func.func @k(%p: !pto.ptr<{source}, ub>, %q: !pto.ptr<{result}, ub>, %o: index) {{
  %x = pto.vmi.vload %p[%o] : !pto.ptr<{source}, ub> -> {before}
  %n = pto.vmi.vcvt %x {{saturate = "SAT"}} : {before} -> {after}
  pto.vmi.vstore %n, %q[%o] : {after}, !pto.ptr<{result}, ub>
  return
}}
"""
    graph, _ = build_graph(read(SourceFile("t.pto", text)))
    posed = pose_vmi(graph, released=True)
    for narrowing, expected in zip((True, False), instructions, strict=True):
        choice = choice_of(posed, upstream_of(graph, narrowing).net)
        assert choice.missing == ""
        assert evaluate(posed.problem, choice.variants, choice.conversions).total == expected


def test_the_released_compiler_is_followed_only_where_its_choice_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[object] = []
    released = api_vmi._released

    def counted(*given: Any) -> api_vmi.Released:
        followed.append(given)
        return released(*given)

    monkeypatch.setattr(api_vmi, "_released", counted)
    name = TAKEN[0]
    result = api_vmi.solve(SourceFile(name, (FOLDER / name).read_text(encoding="utf-8")))
    assert result.solution is not None
    assert (result.solution.status, followed) == ("optimal", [])
    found = result.released
    assert found is not None
    assert found is result.released
    assert (found.issued is not None, len(followed)) == (True, 1)
