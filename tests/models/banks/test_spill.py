"""Which banks may leave for memory, in which order that is tried, and what a problem is with them gone."""

from __future__ import annotations

from layoutsolver_models.banks.spill import _by_cost, candidates, expand
from layoutsolver_models.problems.banks import BankOp, Before, Region, Spill
from tests.models.banks.problems import bank_orders, kept_through, stored_through


def test_what_was_loaded_and_only_read_may_be_loaded_again_at_the_cost_of_its_rows() -> None:
    found = [tuple(spill) for spill in candidates(kept_through()) if spill.bank == 0]
    assert found == [(0, 0, 1, 0, 16), (0, 1, 4, 0, 16), (0, 0, 1, -1, 33), (0, 1, 4, -1, 33)]
    assert all(spill.reload == -1 for spill in candidates(stored_through()) if spill.bank == 0)


def test_what_is_written_behind_its_load_is_not_loaded_again() -> None:
    base = kept_through()
    ops = (*base.ops[:1], base.ops[1]._replace(writes=(0, 1)), *base.ops[2:])
    problem = base._replace(ops=ops, orders=tuple(bank_orders(ops)))
    assert {spill.reload for spill in candidates(problem) if spill.bank == 0} == {-1}
    loads = BankOp("mvin", "loader", 16, (), (3,), reload=3)
    other = base._replace(ops=(*base.ops[:3], loads, base.ops[4]))
    assert {spill.reload for spill in candidates(other) if spill.bank == 3} == {3, -1}


def test_banks_that_are_used_inside_a_region_stay() -> None:
    base = kept_through()
    ops = tuple(op._replace(region=0) if number == 2 else op for number, op in enumerate(base.ops))
    looped = base._replace(ops=ops, regions=(Region(1, 3),))
    assert 2 in {spill.bank for spill in candidates(base)}
    assert 2 not in {spill.bank for spill in candidates(looped)}


def test_the_cheapest_sets_are_tried_first_whatever_their_size_and_no_bank_twice() -> None:
    single = [Spill(0, 0, 1, -1, 2), Spill(1, 0, 1, -1, 3), Spill(1, 1, 2, -1, 9), Spill(2, 0, 1, -1, 20)]
    costs = [[spill.cost for spill in chosen] for chosen in _by_cost(single)]
    assert costs == [[2], [3], [2, 3], [9], [2, 9], [20], [2, 20], [3, 20], [2, 3, 20], [9, 20], [2, 9, 20]]


def test_what_holds_for_a_load_holds_for_the_one_that_is_done_again() -> None:
    base = kept_through()
    memory = (Before(3, 0, "memory"), Before(0, 4, "fence"), Before(2, 4, "value"))
    problem = base._replace(orders=(*base.orders, *memory))
    whole = expand(problem, (Spill(0, 1, 4, 0, 16),))
    edges = {(edge.first, edge.then): edge.why for edge in whole.orders}
    assert edges[3, 5] == "memory"
    assert edges[5, 4] in ("fence", "bank")
    assert (2, 5) not in edges
    assert (5, "bank") in {(edge.first, edge.why) for edge in whole.orders if edge.then == 4}
    assert (5, "fence") in {(edge.first, edge.why) for edge in whole.orders if edge.then == 4}
    assert whole.ops[5].writes == (5,)
    assert whole.ops[4].reads == (3, 5), "the late use is of the bank that came back"
    assert whole.ops[1].reads == (0,)


def test_what_goes_to_memory_comes_back_behind_a_fence_and_behind_its_last_use_before() -> None:
    problem = stored_through()
    whole = expand(problem, (Spill(0, 1, 4, -1, 33),))
    edges = {(edge.first, edge.then): edge.why for edge in whole.orders}
    assert edges[0, 5] == edges[1, 5] == edges[7, 4] == "bank"
    assert edges[5, 6] == edges[6, 7] == "memory"
    assert (0, 4) not in edges, "the old bank is not needed at the end"
    assert [op.latency for op in whole.ops[5:]] == [16, 1, 16]
