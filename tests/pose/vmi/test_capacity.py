"""Registers that are live by layouts: against what is written, against brute force, and as limits."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import product
from math import prod

import pytest

from layoutsolver.api_vmi import VmiOptions, VmiResult, solve
from layoutsolver.pose.vmi.capacity import KINDS, points_of
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.wishes import Wish
from layoutsolver.source import SourceFile
from layoutsolver.vmi.within import bounded, solve_within
from layoutsolver_backends.vpto.lower import register_peaks
from layoutsolver_models.problems.capacity import Capacity, RegisterKind, demand
from layoutsolver_models.problems.selection import evaluate, faults
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import narrow, solve_selection
from layoutsolver_models.targets.chip import RegisterLimits
from tests.pose.vmi.kernels import posed, solved
from tests.pose.vmi.test_brute_force import without_copies
from tests.support.vmi_programs import random_kernel

MANY = 1_000_000


def capacities(made: PosedVmi, kind: RegisterKind) -> list[Capacity]:
    """All points, with what of a kind may be live there."""
    masks = kind == "predicate"
    values = made.program.values
    lives = (tuple(one for one in point.live if values[one.value].is_mask == masks) for point in points_of(made))
    return [Capacity("", kind, 0, live) for live in lives]


def peak_of(made: PosedVmi, variants: tuple[tuple[int, ...], ...], points: list[Capacity]) -> int:
    """The most registers that are live under a choice, by layouts alone."""
    return max((demand(point, made.problem.values, made.problem.ops, variants) for point in points), default=0)


def arithmetic(seed: int) -> str:
    """A kernel of `f32` vectors in which nothing is converted, so that layouts say all about registers."""
    rng = random.Random(seed)
    type_ = "!pto.vmi.vreg<256xf32>"
    names = ["%v0", "%v1"]
    lines = [f"{name} = pto.vmi.vload %p[%o{name[2:]}] : !pto.ptr<f32, ub> -> {type_}" for name in names]
    for number in range(2, rng.randint(5, 14)):
        left, right = rng.choice(names[-5:]), rng.choice(names[-5:])
        lines.append(f"%v{number} = pto.vmi.vadd {left}, {right} : {type_}, {type_} -> {type_}")
        names.append(f"%v{number}")
    for name in rng.sample(names, 3):
        lines.append(f"pto.vmi.vstore {name}, %q[%o] : {type_}, !pto.ptr<f32, ub>")
    body = "\n".join(f"  {line}" for line in lines)
    arguments = "%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index, %o0: index, %o1: index"
    return f"func.func @k({arguments}) {{\n{body}\n  return\n}}\n"


@pytest.mark.parametrize("seed", range(20))
def test_layouts_say_what_is_live_in_plain_arithmetic(seed: int) -> None:
    made, solution = solved(arithmetic(seed))
    peaks = register_peaks(made, solution)
    assert peaks is not None
    assert peaks[0].registers == peak_of(made, solution.variants, capacities(made, "vector"))


def test_layouts_say_nearly_what_is_live_in_any_kernel() -> None:
    off: list[int] = []
    for seed in range(300, 325):
        made, solution = solved(random_kernel(seed, 8))
        peaks = register_peaks(made, solution)
        assert peaks is not None
        off.append(peaks[0].registers - peak_of(made, solution.variants, capacities(made, "vector")))
    assert sum(one == 0 for one in off) > 18
    assert max(map(abs, off)) <= 4


@lru_cache(maxsize=200)
def small(seed: int) -> tuple[PosedVmi, int] | None:
    """A small problem without copies, and how many registers its optimum takes."""
    made = posed(random_kernel(seed, 3), valid=False)
    if made.diagnostics:
        return None
    made = made._replace(problem=without_copies(made.problem))
    left = narrow(made.problem)
    if left.stuck >= 0 or len(made.problem.values) > 8 or not 50 < prod(map(len, left.variants)) <= 2_500:
        return None
    free = solve_selection(made.problem)
    return made, peak_of(made, free.variants, capacities(made, "vector"))


def best_within(made: PosedVmi, limit: int) -> tuple[int, ...] | None:
    """The least values of the objectives over all choices that keep within so many vector registers."""
    problem = made.problem
    points = capacities(made, "vector")
    ways = {(way.value, way.before, way.after): number for number, way in enumerate(problem.conversions)}
    best: tuple[int, ...] | None = None
    for picked in product(*narrow(problem).variants):
        variants = tuple((number,) for number in picked)
        places: dict[int, str] = {}
        for op, number in zip(problem.ops, picked, strict=True):
            places.update(zip(op.results, op.variants[number].layouts[len(op.operands) :], strict=True))
        needed: set[int] = set()
        for op, number in zip(problem.ops, picked, strict=True):
            for value, layout in zip(op.operands, op.variants[number].layouts, strict=False):
                if places[value] != layout:
                    needed.add(ways.get((value, places[value], layout), -1))
        if -1 in needed:
            continue
        spent = evaluate(problem, variants, tuple(needed))
        found = tuple(spent.of(name) for name in problem.objective)
        if (best is None or found < best) and peak_of(made, variants, points) <= limit:
            best = found
    return best


@pytest.mark.parametrize("seed", range(60))
def test_the_optimum_within_a_limit_is_that_of_trying_everything(seed: int) -> None:
    known = small(seed)
    if known is None:
        return
    made, peak = known
    limit = peak - 1
    problem = bounded(made, RegisterLimits(limit, MANY)).problem
    found = solve_selection(problem)
    best = best_within(made, limit)
    if best is None:
        assert found.status == "infeasible"
        return
    assert found.status == "optimal"
    assert faults(problem, found.variants, found.conversions) == []
    assert peak_of(made, found.variants, capacities(made, "vector")) <= limit
    value = evaluate(problem, found.variants, found.conversions)
    assert tuple(value.of(name) for name in problem.objective) == best


def test_there_are_enough_of_them_and_limits_decide_some() -> None:
    found = [known for seed in range(60) if (known := small(seed)) is not None]
    assert len(found) >= 20
    statuses = {solve_selection(bounded(made, RegisterLimits(peak - 1, MANY)).problem).status for made, peak in found}
    assert statuses == {"optimal", "infeasible"}


@pytest.mark.parametrize("seed", range(60, 70))
def test_limits_that_are_high_enough_change_nothing(seed: int) -> None:
    made = posed(random_kernel(seed, 8), valid=False)
    free = solve_selection(made.problem)
    if free.status != "optimal":
        return
    limits = RegisterLimits(*(peak_of(made, free.variants, capacities(made, kind)) for kind in KINDS))
    problem = bounded(made, limits).problem
    assert faults(problem, free.variants, free.conversions) == []
    assert solve_selection(problem)[3:8] == free[3:8]


@pytest.mark.parametrize("seed", range(40, 54))
def test_what_is_written_keeps_within_a_limit_or_it_is_said(seed: int) -> None:
    made = posed(random_kernel(seed, 6), valid=False)
    free = solve_within(made, Limits())
    if free.solution.status != "optimal" or free.peaks is None:
        return
    limits = RegisterLimits(free.peaks[0].registers - 1, 8)
    found = solve_within(bounded(made, limits), Limits())
    if found.solution.status in ("optimal", "feasible"):
        assert found.peaks is not None
        assert all(peak.registers <= limit for peak, limit in zip(found.peaks, limits, strict=True))
        assert found.solution.bound <= found.solution.busiest
    else:
        assert found.solution.status == ("unknown" if found.ended else "infeasible")


def within(text: str, registers: RegisterLimits | None) -> VmiResult:
    return solve(SourceFile("k.pto", text), VmiOptions(registers=registers))


def test_a_dearer_choice_is_taken_where_the_best_does_not_fit() -> None:
    text = random_kernel(53, 6)
    free, fitting = within(text, None), within(text, RegisterLimits(4, 8))
    assert free.ok
    assert fitting.ok
    assert free.solution is not None
    assert fitting.solution is not None
    assert free.peaks is not None
    assert fitting.peaks is not None
    assert free.peaks[0].registers > 4 >= fitting.peaks[0].registers
    assert fitting.solution.status == "optimal"
    assert fitting.solution.busiest > free.solution.busiest


CHAIN = """
func.func @k(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index) {
  %a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<256xf32>
  %b = pto.vmi.vexp %a : !pto.vmi.vreg<256xf32> -> !pto.vmi.vreg<256xf32>
  %c = pto.vmi.vexp %b : !pto.vmi.vreg<256xf32> -> !pto.vmi.vreg<256xf32>
  %d = pto.vmi.vadd %a, %c : !pto.vmi.vreg<256xf32>, !pto.vmi.vreg<256xf32> -> !pto.vmi.vreg<256xf32>
  pto.vmi.vstore %d, %q[%o] : !pto.vmi.vreg<256xf32>, !pto.ptr<f32, ub>
  return
}
"""


def test_where_nothing_fits_the_point_and_what_is_live_there_are_said() -> None:
    (found,) = within(CHAIN, RegisterLimits(7, 8)).diagnostics
    assert (found.code, found.message) == ("LS0811", "no layouts keep within 7 vector registers")
    assert found.minimal
    assert found.primary is not None
    assert CHAIN[: found.primary.span.start].count("\n") + 1 in (4, 5)
    assert any("%a in 4 or more" in note and "live behind" in note for note in found.notes)
    assert "with 8 vector registers there are layouts, with fewer there are none" in found.notes
    assert found.notes[-1].startswith("proved of the order in which the text has its operations")
    assert within(CHAIN, RegisterLimits(8, 8)).ok


def test_a_pin_that_leaves_no_room_is_part_of_the_reason() -> None:
    text = CHAIN.replace("256x", "64x")
    options = VmiOptions(pins=(Wish("%a", "d4"),), registers=RegisterLimits(3, 8))
    (found,) = solve(SourceFile("k.pto", text), options).diagnostics
    assert found.code == "LS0811"
    assert any("%a is fixed to d4" in label.text for label in found.secondary)
    assert solve(SourceFile("k.pto", text), options._replace(pins=())).ok


def test_more_than_there_are_is_said_where_it_is() -> None:
    lines = CHAIN.replace("256x", "1024x").split("\n")
    lines.insert(5, lines[5].replace("%d", "%e").replace("%a", "%b"))
    lines[6] = lines[6].replace("%c", "%e")
    result = within("\n".join(lines), None)
    assert result.ok
    (found,) = [item for item in result.diagnostics if item.code == "LS0810"]
    assert found.severity == "warning"
    assert result.peaks is not None
    assert f"{result.peaks[0].registers} vector registers are live at once" in found.message


def test_registers_of_an_architecture_that_is_not_known_must_be_given() -> None:
    text = 'module attributes {pto.target_arch = "a2"} {' + CHAIN + "}\n"
    result = solve(SourceFile("k.pto", text), VmiOptions(registers="chip"))
    assert [item.code for item in result.diagnostics] == ["LS0308"]
    assert solve(SourceFile("k.pto", text.replace("a2", "a5")), VmiOptions(registers="chip")).ok
    assert within(text, RegisterLimits(32, 8)).ok
