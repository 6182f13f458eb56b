"""Fusion from text to text: what is fused, what that costs, and that nothing does better."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from layoutsolver.api_fusion import FuseOptions, FuseResult, fuse, places, posed_block
from layoutsolver.fusion.plan import plan
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver_models.problems.fusion import FusionHazard, FusionLimits
from layoutsolver_models.solve.fusion import solve_fusion
from layoutsolver_models.solve.fusion_all import best_by_enumeration, plans
from layoutsolver_models.solve.fusion_plan import exceeded, fault, peak, settle
from layoutsolver_models.solve.fusion_search import beam, greedy
from layoutsolver_models.solve.layout import Limits
from tests.fusion.support import code, program
from tests.support.fusion_programs import random_program
from tests.support.fusion_text import LARGEST, MASK, binary, kernel, largest, load, loop, region, scaled, store, through
from tests.support.fuzz_fusion_plans import beyond

EXAMPLES = Path(__file__).parents[2] / "examples"


def result_of(name: str) -> FuseResult:
    found = fuse(SourceFile(name, program(name)))
    assert found.ok
    return found


@pytest.mark.parametrize(
    ("name", "by_greed", "best", "saved", "left"),
    [
        ("unrelated_header.pto", ((0,), (1,), (2,)), ((0, 2), (1,)), (0, 0), (192, 192)),
        ("wrong_neighbour.pto", ((0, 1), (2,)), ((0,), (1, 2)), (0, 0), (384, 128)),
        ("register_limit.pto", ((0, 1), (2,)), ((0,), (1, 2)), (512, 512), (1024, 1024)),
    ],
)
def test_the_best_plan_is_found_where_greed_is_worse(
    name: str,
    by_greed: tuple[tuple[int, ...], ...],
    best: tuple[tuple[int, ...], ...],
    saved: tuple[int, int],
    left: tuple[int, int],
) -> None:
    found = result_of(name)
    ((posed, solution, _),) = found.blocks
    problem = posed.problem
    before, after = settle(problem, ((0,), (1,), (2,))).cost, settle(problem, greedy(problem)).cost
    assert greedy(problem) == by_greed
    assert (before.loads - after.loads, before.stores - after.stores) == saved
    assert (solution.status, solution.clusters, solution.bound) == ("optimal", best, solution.cost.total)
    assert (solution.cost.loads, solution.cost.stores) == left
    assert solution.cost == best_by_enumeration(problem).cost
    assert solution.cost.total < after.total


@pytest.mark.parametrize("name", ["unrelated_header.pto", "wrong_neighbour.pto", "register_limit.pto"])
def test_what_was_fused_leaves_the_same_bytes(name: str) -> None:
    before = program(name)
    if name == "register_limit.pto":  # its tiles fill more than the unified buffer: eight rows instead of 64
        before = re.sub(
            r"constant (\d+) : i64", lambda m: f"constant {max(int(m[1]) // 8, 1) * (m[1] != '0')} : i64", before
        )
        before = before.replace("constant 64 : index", "constant 8 : index").replace("<64x512", "<8x512")
    text = fuse(SourceFile(name, before)).text
    assert text is not None
    done = verify_pto(SourceFile(name, before), SourceFile("fused", text), 1)
    assert done.ok
    assert done.bytes_compared > 0


def test_one_body_of_all_three_would_take_forty_registers() -> None:
    ((posed, _, _),) = result_of("register_limit.pto").blocks
    problem = posed.problem
    peaks = {
        cluster: peak(problem, cluster, settle(problem, clusters)).amount
        for clusters in plans(problem)
        for cluster in clusters
        if len(cluster) > 1
    }
    assert peaks == {(0, 1): 32, (1, 2): 32, (0, 1, 2): 40}


@pytest.mark.parametrize("limit", [40, 32, 31, 24, 23])
def test_registers_limit_the_plan_and_the_loads_that_are_handed_their_value(limit: int) -> None:
    ((posed, _, _),) = result_of("register_limit.pto").blocks
    problem = posed.problem._replace(limits=FusionLimits(limit))
    found, all_of_them = solve_fusion(problem), best_by_enumeration(problem)
    assert found.status == "optimal"
    assert fault(problem, found.clusters, found.keep) is None
    assert found.cost.total == all_of_them.cost.total


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6])
def test_parameters_limit_the_plan(limit: int) -> None:
    ((posed, _, _),) = result_of("wrong_neighbour.pto").blocks
    problem = posed.problem._replace(limits=FusionLimits(parameters=limit))
    found = solve_fusion(problem)
    assert found.status == "optimal"
    assert found.cost.total == best_by_enumeration(problem).cost.total
    for cluster in found.clusters:
        assert not exceeded(problem, cluster, settle(problem, found.clusters, found.keep))


@pytest.mark.parametrize("seed", [*range(700, 725), 30031, 50102, 40139, 42545, 42575, 51151, 51377, 40209])
def test_random_programs_are_fused_as_well_as_any_plan_could(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum is that of all plans, with no trials beside the conditions; the program never does more than was
    promised.
    """
    monkeypatch.setattr("layoutsolver_models.cp.fusion.cheapest_keep", None)
    before = plan(code(str(random_program(seed)))).code
    for place, _ in places(before.items):
        problem = posed_block(before, place, FuseOptions()).problem
        for tight in (problem, problem._replace(limits=FusionLimits(4, 2, 5))):
            found, best = solve_fusion(tight), best_by_enumeration(tight)
            assert (found.status, found.cost.total) == ("optimal", best.cost.total)
            assert fault(tight, found.clusters, found.keep) is None
            assert settle(tight, beam(tight)).cost.total >= best.cost.total
        for clusters in plans(problem):
            loads, stores = beyond(before, place, clusters)
            assert loads <= 0
            assert stores <= 0


def test_what_stands_between_loops_keeps_those_apart_that_come_before_and_behind_another() -> None:
    """The second loop needs what is stored behind the first one, and the third one the rows of the second."""
    second = loop("j", load("%x", "%a", "%oj"), binary("%y", "vsub", "%x", "%m"), store("%y", "%c", "%oj"),
                  header="%c0 to %c7 step %c1")  # fmt: skip
    lines = region(
        LARGEST, largest("i", "%r", "%a"), store("%r", "%b"), load("%m", "%b"), second, through("k", "%c", "%e")
    )
    source = SourceFile("k.pto", kernel(lines, out="e"))
    found = fuse(source)
    assert found.blocks[0].solution.clusters == ((0,), (1,), (2,))
    assert found.text is not None
    assert verify_pto(source, SourceFile("fused", found.text), 1).ok


def test_a_load_between_loops_feeds_what_elision_hands_its_value_to() -> None:
    """The second load is the first one's value, through a store that then goes: the first one stays for it."""
    lines = (load("%u", "%d"), scaled("%w", "%u"), store("%w", "%c"), load("%v", "%c"),
             loop("i", load("%x", "%a", "%oi"), binary("%y", "vadd", "%x", "%v"), store("%y", "%b", "%oi")),
             through("j", "%b", "%e"))  # fmt: skip
    before = plan(code(kernel(region(*lines), out="e"))).code
    ((place, _),) = places(before.items)
    problem = posed_block(before, place, FuseOptions()).problem
    assert [one.loop for one in problem.loads] == [0, 1, -1]
    assert problem.loads[-1].feeds == (0,)
    assert beyond(before, place, ((0, 1),)) == (0, 0)


def test_a_loop_that_reads_what_it_wrote_in_an_earlier_turn_waits_in_each() -> None:
    again = loop("i", "%p = arith.subi %oi, %c64 : index", load("%v", "%b", "%p"), scaled("%w", "%v"),
                 store("%w", "%b", "%oi"), header="%c1 to %c8 step %c1")  # fmt: skip
    text = kernel(region(again, through("j", "%c", "%e", header="%c1 to %c8 step %c1")), out="be")
    ((posed, solution, _),) = fuse(SourceFile("k.pto", text)).blocks
    assert FusionHazard(0, load=0) in posed.problem.hazards
    assert solution.cost.barriers == 7


def test_loops_apart_wait_once_for_what_is_written() -> None:
    """The third loop reads what the first one writes; it has waited for that where it waits for the second one."""
    third = loop("k", load("%x", "%b", "%ok"), load("%y", "%c", "%ok"), binary("%z", "vadd", "%x", "%y"),
                 store("%z", "%e", "%ok"))  # fmt: skip
    text = kernel(region(through("i", "%a", "%b"), through("j", "%b", "%c"), third), out="e")
    ((posed, _, _),) = fuse(SourceFile("k.pto", text)).blocks
    assert [(one.before, one.after, one.barrier) for one in posed.problem.orders] == [
        (0, 1, True), (0, 2, False), (1, 2, True),
    ]  # fmt: skip
    assert settle(posed.problem, ((0,), (1,), (2,))).cost.barriers == 2


@pytest.mark.parametrize(("attrs", "handed"), [("", False), (' {pmode = "merge"}', True)])
def test_a_partial_store_loses_what_it_may_clear_of_the_store_before(attrs: str, handed: bool) -> None:
    """The lanes outside of a mask are asked for: a store under the mask leaves them only if it says so."""
    rest = f"%rest = pto.vmi.mask_not %half : {MASK} -> {MASK}"
    first = loop("i", load("%x", "%a", "%oi"), scaled("%w", "%x"), store("%w", "%b", "%oi"),
                 store("%x", "%b", "%oi", "%half", attrs), load("%z", "%b", "%oi"),
                 store("%z", "%e", "%oi", "%rest"))  # fmt: skip
    text = kernel(region(rest, first, through("j", "%c", "%d")), out="bde")
    ((posed, _, _),) = fuse(SourceFile("k.pto", text)).blocks
    assert [one.access for one in posed.problem.loads[1].sources] == [0] * handed


def test_what_comes_of_loops_stands_where_the_first_one_stood() -> None:
    lines = region(LARGEST, through("i", "%a", "%b"), store("%start", "%d"), through("j", "%b", "%e"))
    text = fuse(SourceFile("k.pto", kernel(lines, out="de"))).text
    assert text is not None
    assert text.count("scf.for") == 1
    assert text.index("scf.for") < text.index("pto.vmi.vstore %start")


def test_of_plans_of_equal_cost_layouts_decide() -> None:
    """The second loop goes with the third, where its neighbours lie beside each other, not with the first."""
    text = (EXAMPLES / "two_neighbours.pto").read_text(encoding="utf-8")
    source = SourceFile("a.pto", text)
    ((posed, plain, _),) = fuse(source).blocks
    ((_, solution, alternatives),) = fuse(source, FuseOptions(joint=8)).blocks
    assert {one.solution.cost.total for one in alternatives} == {best_by_enumeration(posed.problem).cost.total}
    assert {one.solution.clusters: one.layouts for one in alternatives} == {
        ((0, 1), (2,)): (227, 323, 1, 27),
        ((0,), (1, 2)): (212, 324, 1, 27),
    }
    assert (plain.clusters, solution.clusters) == (((0, 1), (2,)), ((0,), (1, 2)))
    assert plain.cost == solution.cost


def test_a_time_limit_is_said_with_the_gap() -> None:
    text = (EXAMPLES / "column_softmax.pto").read_text(encoding="utf-8")
    result = fuse(SourceFile("a.pto", text), FuseOptions(limits=Limits(1e-6)))
    assert result.limited
    (said,) = [item for item in result.diagnostics if item.code == "LS0402"]
    block = next(one for one in result.blocks if one.solution.status == "feasible")
    assert said.message.endswith(f"costs {block.solution.cost.total}, at least {block.solution.bound} is needed")
