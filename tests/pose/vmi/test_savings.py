"""What conversions save by how their operand is made is counted, exactly where the written text has less."""

from __future__ import annotations

from collections import Counter

import pytest

from layoutsolver.api_vmi import solve
from layoutsolver.source import SourceFile
from layoutsolver_backends.vpto.lower import prepare
from layoutsolver_models.problems.selection import paid_each
from layoutsolver_models.solve.selection import solve_selection
from tests.pose.vmi.facts import FOLDER
from tests.pose.vmi.kernels import kernel, pointer, posed, vreg

CAST = f"%x = pto.vmi.vcvt %v : {vreg(256, 'ui8')} -> {vreg(256, 'ui32')}"
SIGNED = CAST.replace("ui8", "si8").replace("ui32", "si32")
WIDER = f"%w = pto.vmi.vcvt %v : {vreg(256, 'f16')} -> {vreg(256, 'f32')}"
OTHER = f"%o = pto.vmi.vload %q[%c0] : {pointer('f32')} -> {vreg(256, 'f32')}"
SCALED = f"%x = pto.vmi.vmul %w, %o : {vreg(256, 'f32')}, {vreg(256, 'f32')} -> {vreg(256, 'f32')}"


def text(element: str, to: str, *lines: str) -> str:
    """A kernel that loads, converts and stores."""
    return kernel(
        f"%p: {pointer(element)}, %q: {pointer(to)}", "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index", *lines,
        f"pto.vmi.vstore %x, %q[%c0] : {vreg(256, to)}, {pointer(to)}",
    )  # fmt: skip


def load(element: str) -> str:
    return f"%v = pto.vmi.vload %p[%c0] : {pointer(element)} -> {vreg(256, element)}"


PROGRAMS = {
    "what lies between zeros is read as wider lanes": (text("ui8", "ui32", load("ui8"), CAST), True),
    "signs are no zeros": (text("si8", "si32", load("si8"), SIGNED), False),
    "of other lanes it is not": (text("f16", "f32", load("f16"), WIDER, OTHER, SCALED), False),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("objective", ["pipes", "total"])
def test_what_is_counted_is_what_is_written(name: str, objective: str) -> None:
    program, saves = PROGRAMS[name]
    made = posed(program, objective)
    solution = solve_selection(made.problem)
    ready = prepare(made, solution)
    written = Counter(one.pipe for _, one in ready.emission.build.code.all() if one.counted)
    assert solution.load == tuple(written[pipe] for pipe in made.problem.pipes)
    assert bool(made.problem.savings) == saves


def test_only_what_is_loaded_with_zeros_between_saves_the_widening() -> None:
    made = posed(PROGRAMS["what lies between zeros is read as wider lanes"][0])
    (cast,) = (number for number, op in enumerate(made.problem.ops) if op.id.startswith("extui"))
    assert {saving.op for saving in made.problem.savings} == {cast}
    for saving in made.problem.savings:
        variant = made.problem.ops[cast].variants[saving.variant]
        makers = {made.problem.ops[saving.maker].variants[one].layouts[0] for one in saving.variants}
        assert (variant.rule, makers, saving.cost) == ("VMI.CAST.8_32.LS4_C", {"ls4"}, variant.cost)


def test_what_each_run_costs_comes_to_the_sum_with_what_is_saved() -> None:
    result = solve(SourceFile("a.pto", (FOLDER / "057-e2b-two-widths.pto").read_text(encoding="utf-8")))
    assert result.posed is not None
    assert result.solution is not None
    problem, solution = result.posed.problem, result.solution
    each = paid_each(problem, solution.variants)
    assert any(cost != problem.ops[op].variants[number].cost for (op, number), cost in each.items())
    runs = [(cost, problem.ops[op].weight) for (op, _), cost in each.items()]
    runs += [(problem.conversions[one].cost, problem.conversions[one].weight) for one in solution.conversions]
    assert tuple(sum(cost[pipe] * times for cost, times in runs) for pipe in range(len(problem.pipes))) == solution.load
