"""Registers that are live by layouts: against what is written, against brute force, and as limits."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import product
from math import prod

import pytest

from layoutsolver.api_vmi import VmiOptions, VmiResult, solve
from layoutsolver.pose.vmi import capacity
from layoutsolver.pose.vmi.capacity import RegisterPoints
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.wishes import Wish
from layoutsolver.source import SourceFile
from layoutsolver.vmi.within import bounded, solve_within
from layoutsolver_backends.vpto.lower import register_peaks
from layoutsolver_models.problems.capacity import RegisterKind, demand
from layoutsolver_models.problems.selection import OBJECTIVES, SelectionSolution, evaluate, faults
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import narrow, solve_selection
from layoutsolver_models.targets.chip import RegisterLimits
from tests.pose.vmi.kernels import posed, solved
from tests.pose.vmi.test_brute_force import without_copies
from tests.support.vmi_programs import random_kernel
from tests.support.vmi_wide import wide_kernel

Variants = tuple[tuple[int, ...], ...]


FREE = RegisterLimits(0, 0)
"""Limits under which every point counts, and masks of patterns are made again at each use."""


def points_of(made: PosedVmi) -> RegisterPoints:
    """All points of a program."""
    found = bounded(made, FREE).points
    assert found is not None
    return found


def least(points: RegisterPoints, choice: tuple[Variants, tuple[int, ...]], kind: RegisterKind) -> int:
    """The most registers that the points say to be live under a choice: those between operations, and those within."""
    points.given.clear()
    some = (*points.between, *points.exceeded(*choice))
    return max((demand(point, *choice) for point in some if point.kind == kind), default=0)


def live(made: PosedVmi, choice: tuple[Variants, tuple[int, ...]], limits: RegisterLimits = FREE) -> tuple[int, ...]:
    """The most registers of each kind that are live where a choice is lowered."""
    value = evaluate(made.problem, *choice)
    solution = SelectionSolution("feasible", *choice, value.load, *value[1:])
    found = register_peaks(made._replace(registers=limits), solution)
    assert found is not None
    return tuple(peak.registers for peak in found)


def wished(made: PosedVmi, rng: random.Random) -> tuple[Variants, tuple[int, ...]] | None:
    """A choice that is the best for somebody: some layouts cost more, and any objective may come first."""
    penalties = tuple(
        (number, layout, rng.choice((3, 10, 50)))
        for number, value in enumerate(made.problem.values) for layout in value.layouts if rng.random() < 0.3
    )  # fmt: skip
    objective = OBJECTIVES[rng.choice(("pipes", "total", "registers"))]
    found = solve_selection(made.problem._replace(penalties=penalties, objective=objective))
    return (found.variants, found.conversions) if found.status == "optimal" else None


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


@pytest.mark.parametrize("seed", range(6))
def test_points_say_what_is_live_in_plain_arithmetic(seed: int) -> None:
    made, solution = solved(arithmetic(seed))
    choice = (solution.variants, solution.conversions)
    assert least(points_of(made), choice, "vector") == live(made, choice)[0]


def test_points_never_say_more_than_is_live_and_mostly_just_that() -> None:
    equal, checked = 0, 0
    for seed in range(7):
        made = posed((wide_kernel if seed % 2 else random_kernel)(seed, 6), valid=False)
        if made.diagnostics:
            continue
        points = points_of(made)
        rng = random.Random(seed)
        for choice in filter(None, (wished(made, rng) for _ in range(3))):
            there = live(made, choice)
            said = (least(points, choice, "vector"), least(points, choice, "predicate"))
            assert all(map(int.__le__, said, there)), (seed, choice)
            equal += (said[0] == there[0]) + (said[1] == there[1])
            checked += 2
    assert checked >= 24
    assert equal >= 0.75 * checked


EQUAL = """
func.func @k(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index, %h: f32) {
  %s = pto.vmi.vbrc %h : f32 -> !pto.vmi.vreg<256xf32>
  %v = pto.vmi.vmul %s, %s : !pto.vmi.vreg<256xf32>, !pto.vmi.vreg<256xf32> -> !pto.vmi.vreg<256xf32>
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<256xf32>
  %y = pto.vmi.vadd %x, %v : !pto.vmi.vreg<256xf32>, !pto.vmi.vreg<256xf32> -> !pto.vmi.vreg<256xf32>
  pto.vmi.vstore %y, %q[%o] : !pto.vmi.vreg<256xf32>, !pto.ptr<f32, ub>
  return
}
"""

CARRIED = """
func.func @k(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<256xf32>
  %y = pto.vmi.vload %p[%c0] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<256xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%unused = %x) -> (!pto.vmi.vreg<256xf32>) {
    %z = pto.vmi.vload %p[%i] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<256xf32>
    scf.yield %z : !pto.vmi.vreg<256xf32>
  }
  pto.vmi.vstore %r, %q[%o] : !pto.vmi.vreg<256xf32>, !pto.ptr<f32, ub>
  pto.vmi.vstore %y, %q[%c0] : !pto.vmi.vreg<256xf32>, !pto.ptr<f32, ub>
  return
}
"""


@pytest.mark.parametrize(("text", "place", "registers"), [(EQUAL, "after load at line 5", 5), (CARRIED, "vload", 8)])
def test_equal_registers_count_once_and_what_a_loop_carries_counts_though_nobody_takes_it(
    text: str, place: str, registers: int
) -> None:
    made, solution = solved(text)
    choice = (solution.variants, solution.conversions)
    points = points_of(made)
    found = [demand(one, *choice) for one in points.between if one.kind == "vector" and place in one.id]
    assert max(found) == registers
    assert least(points, choice, "vector") == live(made, choice)[0]


@lru_cache(maxsize=200)
def small(seed: int) -> tuple[PosedVmi, list[tuple[tuple[int, ...], Variants, tuple[int, ...]]]] | None:
    """A small problem without copies, and all its choices with their values, the best first."""
    made = posed((wide_kernel if seed % 2 else random_kernel)(seed, 3), valid=False)
    if made.diagnostics:
        return None
    problem = without_copies(made.problem)
    left = narrow(problem)
    if left.stuck >= 0 or len(problem.values) > 8 or not 8 < prod(map(len, left.variants)) <= 160:
        return None
    ways = {(way.value, way.before, way.after): number for number, way in enumerate(problem.conversions)}
    found = []
    for picked in product(*left.variants):
        places: dict[int, str] = {}
        for op, number in zip(problem.ops, picked, strict=True):
            places.update(zip(op.results, op.variants[number].layouts[len(op.operands) :], strict=True))
        needed = {
            ways.get((value, places[value], layout), -1)
            for op, number in zip(problem.ops, picked, strict=True)
            for value, layout in zip(op.operands, op.variants[number].layouts, strict=False) if places[value] != layout
        }  # fmt: skip
        if -1 not in needed:
            choice = (tuple((number,) for number in picked), tuple(sorted(needed)))
            value = evaluate(problem, *choice)
            found.append((tuple(value.of(name) for name in problem.objective), *choice))
    return made._replace(problem=problem), sorted(found, key=lambda one: one[0])


def best_within(seed: int, limits: RegisterLimits) -> tuple[int, ...] | None:
    """The least values of the objectives over all choices that keep within the registers once they are lowered."""
    known = small(seed)
    assert known is not None
    made, choices = known
    fitting = (
        value
        for value, variants, conversions in choices
        if all(map(int.__le__, live(made, (variants, conversions), limits), limits))
    )
    return next(fitting, None)


SMALL = [seed for seed in range(30) if small(seed) is not None]


def test_the_optimum_within_limits_is_that_of_lowering_every_choice() -> None:
    verdicts = {"infeasible": 0, "dearer": 0, "same": 0}
    for seed in SMALL:
        known = small(seed)
        assert known is not None
        made, choices = known
        vectors, predicates = live(made, (choices[0][1], choices[0][2]), RegisterLimits(32, 8))
        for limits in {RegisterLimits(vectors - 1, 8), RegisterLimits(32, max(1, predicates - 1))}:
            found = solve_within(made._replace(registers=limits), Limits()).solution
            best = best_within(seed, limits)
            if best is None:
                assert found.status == "infeasible", (seed, limits)
                verdicts["infeasible"] += 1
                continue
            assert found.status == "optimal", (seed, limits)
            value = evaluate(made.problem, found.variants, found.conversions)
            assert tuple(value.of(name) for name in made.problem.objective) == best, (seed, limits)
            verdicts["dearer" if best != choices[0][0] else "same"] += 1
    assert min(verdicts.values()) >= 1, verdicts


def test_limits_that_are_high_enough_change_nothing() -> None:
    for seed in range(60, 66):
        made = posed(random_kernel(seed, 8), valid=False)
        free = solve_selection(made.problem)
        if free.status != "optimal":
            continue
        limits = RegisterLimits(*live(made, (free.variants, free.conversions), RegisterLimits(32, 8)))
        problem = bounded(made, limits).problem
        assert faults(problem, free.variants, free.conversions) == []
        assert solve_selection(problem)[3:8] == free[3:8]


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_kernels_that_need_registers_in_between_are_decided(seed: int) -> None:
    made = posed(wide_kernel(seed, 8), ("pipes", "total", "registers")[seed % 3], valid=False)
    free = solve_within(made, Limits())
    assert free.peaks is not None
    vectors, predicates = (peak.registers for peak in free.peaks)
    for limits in (RegisterLimits(vectors - 1, 8), RegisterLimits(32, predicates - 1)):
        found = solve_within(made._replace(registers=limits), Limits())
        assert found.solution.status in ("optimal", "infeasible")
        if found.peaks is not None:
            assert all(peak.registers <= limit for peak, limit in zip(found.peaks, limits, strict=True))


@pytest.mark.parametrize("seed", [0, 4, 7])
def test_points_that_are_asked_one_after_the_other_decide_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = posed(random_kernel(seed, 5), valid=False)
    free = solve_within(made, Limits())
    assert free.peaks is not None
    vectors = free.peaks[0].registers
    bounds = [made._replace(registers=RegisterLimits(number, 8)) for number in (vectors - 1, vectors // 2, 1)]
    whole = [solve_within(bound, Limits()) for bound in bounds]
    monkeypatch.setattr(capacity, "MANY", 0)
    for known, bound in zip(whole, bounds, strict=True):
        found = solve_within(bound, Limits())
        assert found.solution[3:8] == known.solution[3:8]
        assert found.solution.status == known.solution.status
        assert len(found.posed.problem.capacities) <= len(known.posed.problem.capacities)
    assert [found.solution.status for found in whole][-1] == "infeasible"
    last = solve_within(bounds[-1], Limits())
    assert last.posed.points is not None
    assert not last.posed.points.told
    assert 0 < len(last.posed.problem.capacities) < len(whole[-1].posed.problem.capacities)


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
    assert any("%a in 4 or more" in note and "live after" in note for note in found.notes)
    assert "with 8 vector registers there are layouts, with fewer there are none" in found.notes
    assert found.notes[-1].startswith("proved of the order in which the text has its operations")
    assert within(CHAIN, RegisterLimits(8, 8)).ok


def test_of_many_points_the_one_that_decides_says_what_is_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "MANY", 0)
    (found,) = within(CHAIN, RegisterLimits(7, 8)).diagnostics
    assert found.message == "no layouts keep within 7 vector registers"
    assert "with fewer than 8 vector registers there are no layouts; other places may need more" in found.notes


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
