"""Banks that leave for memory and come back, where nothing else makes a program fit; the cheapest way that does.

A bank that holds what one load brought, and is only read, is loaded once more; any other is written to memory first,
behind which a fence must stand, since the hardware does not order memory. No spill helps where a single operation needs
more banks than there are.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from layoutsolver_models.banks.floor import capacity_floor
from layoutsolver_models.banks.uses import uses_of
from layoutsolver_models.cp.banks import BankModel, Powers
from layoutsolver_models.cp.timed import Search
from layoutsolver_models.problems.banks import Bank, BankOp, BankProblem, BankSolution, Before, Spill
from layoutsolver_models.solve.layout import Limits

MOST = 3
"""At most so many spills are combined."""


def solve_with_spills(problem: BankProblem, limits: Limits) -> BankSolution:
    """A solution without spills if there is one, else one with the least cycles spent on moves.

    `infeasible` only where an operation alone does not fit, `unknown` where `MOST` spills do not suffice.
    """
    from layoutsolver_models.banks.solve import solve_banks

    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    found = solve_banks(problem, "elide", limits)
    if found.status != "infeasible":
        return found._replace(level="spill")
    if capacity_floor(problem, in_place=True).size > problem.bank_num:
        return BankSolution("infeasible", "spill")
    for spills in _by_cost(candidates(problem)):
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            break
        expanded = expand(problem, spills)
        search = Search(limits.seed, limits.workers, left, probing=False)
        model = BankModel(expanded, Powers(lives=True, order=True, in_place=True), problem.bank_num)
        answer, places = model.solve(search)
        if places is not None:
            done = solve_banks(expanded, "elide", limits._replace(seconds=left))
            return done._replace(level="spill", spills=tuple(spills))
        if answer.status == "unknown":
            break
    return BankSolution("unknown", "spill")


def _by_cost(single: list[Spill]) -> Iterator[Sequence[Spill]]:
    """Sets of spills, cheapest first, no two of one bank."""
    sets = [
        chosen
        for count in range(1, MOST + 1)
        for chosen in combinations(single, count)
        if len({spill.bank for spill in chosen}) == count
    ]
    return iter(sorted(sets, key=lambda chosen: (sum(spill.cost for spill in chosen), len(chosen))))


def candidates(problem: BankProblem) -> list[Spill]:
    """Every bank between every two of its uses, where both are of its own region."""
    found = []
    for number, users in enumerate(uses_of(problem)):
        bank = problem.banks[number]
        if any(problem.ops[user].region != bank.region for user in users):
            continue
        for after, before in pairwise(users):
            reload = _reload(problem, number, users, before)
            found.append(Spill(number, after, before, -1, 2 * bank.rows + 1))
            if reload >= 0:
                found.append(Spill(number, after, before, reload, bank.rows))
    return sorted(found, key=lambda spill: (spill.cost, spill.bank, spill.after))


def _reload(problem: BankProblem, bank: int, users: list[int], before: int) -> int:
    """The load that brings the same bytes again, -1 if the bank is written by something else as well."""
    writers = [user for user in users if bank in problem.ops[user].writes]
    opening = writers[0] if writers else -1
    same = len(writers) == 1 and users[0] == opening and problem.ops[opening].reload == bank
    return opening if same and before > opening else -1


def expand(problem: BankProblem, spills: Sequence[Spill]) -> BankProblem:
    """The problem with its moves: behind the old operations, store, fence and load of each spill, or a load alone.

    The bank that comes back is a new one, behind the old ones as well.
    """
    ops, banks, orders, places = list(problem.ops), list(problem.banks), list(problem.orders), list(problem.places)
    for spill in spills:
        bank_of, bank = spill.bank, problem.banks[spill.bank]
        back = len(banks)
        banks.append(bank._replace(name=f"{bank.name}.back"))
        users = uses_of(problem)[spill.bank]
        early = [user for user in users if user <= spill.after]
        late = [user for user in users if user >= spill.before]
        for user in late:
            ops[user] = _renamed(ops[user], spill.bank, back)
        orders = [
            edge
            for edge in orders
            if edge.why != "bank"
            or edge.first not in early
            or edge.then not in late
            or not _only(problem, edge, bank_of)
        ]
        load = _moves(problem, spill, back, early, ops, orders, places, bank)
        orders += [Before(load, user, "bank") for user in late]
    return problem._replace(ops=tuple(ops), banks=tuple(banks), orders=tuple(orders), places=tuple(places))


def _moves(
    problem: BankProblem, spill: Spill, back: int, early: list[int], ops: list[BankOp], orders: list[Before],
    places: list[int], bank: Bank,
) -> int:  # fmt: skip
    """Append the operations that move a bank; the number of the one that loads it."""
    at = problem.places[spill.before]
    if spill.reload >= 0:
        old = problem.ops[spill.reload]
        ops.append(old._replace(writes=(back,), reload=-1))
        load = len(ops) - 1
        for edge in problem.orders:
            if edge.why == "bank":
                continue
            if edge.then == spill.reload:
                orders.append(edge._replace(then=load))
            if edge.first == spill.reload:
                orders.append(edge._replace(first=load))
        places.append(at)
        return load
    store = len(ops)
    ops.append(BankOp("buckyball.bank_mvout", "storer", bank.rows, (spill.bank,), region=bank.region))
    ops.append(BankOp("buckyball.fence", "", 1, region=bank.region))
    ops.append(BankOp("buckyball.bank_mvin", "loader", bank.rows, (), (back,), region=bank.region))
    orders += [Before(user, store, "bank") for user in early]
    orders += [Before(store, store + 1, "memory"), Before(store + 1, store + 2, "memory")]
    places += [at, at, at]
    return store + 2


def _renamed(op: BankOp, old: int, new: int) -> BankOp:
    def of(bank: int) -> int:
        return new if bank == old else bank

    return op._replace(
        reads=tuple(map(of, op.reads)), writes=tuple(map(of, op.writes)),
        in_place=tuple((of(one), of(other)) for one, other in op.in_place), reload=of(op.reload),
    )  # fmt: skip


def _only(problem: BankProblem, edge: Before, bank: int) -> bool:
    """Whether two operations share this bank and no other."""
    first, then = problem.ops[edge.first], problem.ops[edge.then]
    return {*first.reads, *first.writes} & {*then.reads, *then.writes} == {bank}
