"""What a fusion plan comes to: whether it is one, which loads and stores it leaves, what it costs, what it takes.

This is the meaning of a `FusionProblem`; the CP-SAT model, the enumeration and the greedy plans are held against it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from layoutsolver_models.problems.fusion import FusionCost, FusionProblem, FusionSource

Clusters = tuple[tuple[int, ...], ...]


class Outcome(NamedTuple):
    """What is left of the loads and stores: for each load its source (None: it stays or nobody needs it), which loads
    and stores stay, and the cost.
    """

    sources: tuple[FusionSource | None, ...]
    loads: tuple[bool, ...]
    stores: tuple[bool, ...]
    cost: FusionCost


class Peak(NamedTuple):
    """The most that a cluster takes, at which step of which loop, and the values that take it there."""

    amount: int
    loop: int
    step: int
    live: tuple[int, ...] = ()


class Excess(NamedTuple):
    """A limit that a cluster exceeds: what of (`registers`, `predicates`, `parameters`), and how much it takes."""

    kind: str
    amount: int

    @property
    def text(self) -> str:
        """In words."""
        return f"{self.amount} {self.kind}"


def eligible(problem: FusionProblem) -> list[set[int]]:
    """For each loop, the other loops that it may share a body with, as far as pairs tell."""
    count = len(problem.loops)
    forbidden = {(one.first, one.second) for one in problem.apart}
    forbidden |= {(order.before, order.after) for order in problem.orders if order.strict}
    out: list[set[int]] = [set() for _ in range(count)]
    for second in range(count):
        for first in range(second):
            same = problem.loops[first].header == problem.loops[second].header
            if same and (first, second) not in forbidden and (second, first) not in forbidden:
                out[first].add(second)
                out[second].add(first)
    return out


def ordered(problem: FusionProblem, clusters: Iterable[Collection[int]]) -> Clusters | None:
    """The clusters in an order in which they can run, the one that comes first in the text first where that is open;
    None if there is none.
    """
    import heapq

    groups = sorted(tuple(sorted(one)) for one in clusters)
    place = {loop: number for number, group in enumerate(groups) for loop in group}
    after: list[set[int]] = [set() for _ in groups]
    waiting = [0] * len(groups)
    for order in problem.orders:
        before, later = place[order.before], place[order.after]
        if before == later:
            if order.strict:
                return None
        elif later not in after[before]:
            after[before].add(later)
            waiting[later] += 1
    ready = [number for number, count in enumerate(waiting) if not count]
    out: list[tuple[int, ...]] = []
    while ready:
        number = heapq.heappop(ready)
        out.append(groups[number])
        for later in after[number]:
            waiting[later] -= 1
            if not waiting[later]:
                heapq.heappush(ready, later)
    return tuple(out) if len(out) == len(groups) else None


def fault(problem: FusionProblem, clusters: Clusters, keep: Collection[int] = ()) -> str | None:
    """What is wrong with a plan, None if it may be carried out as it stands."""
    loops = sorted(loop for cluster in clusters for loop in cluster)
    if loops != list(range(len(problem.loops))):
        return "not every loop is in one cluster"
    friends = eligible(problem)
    for cluster in clusters:
        for position, second in enumerate(cluster):
            for first in cluster[:position]:
                if first not in friends[second]:
                    return f"loops {first} and {second} must stay apart"
    if ordered(problem, clusters) is None:
        return "the clusters wait for each other"
    outcome = settle(problem, clusters, keep)
    for cluster in clusters:
        excess = exceeded(problem, cluster, outcome)
        if excess:
            return f"the cluster of loop {cluster[0]} takes {excess.text}"
    return None


def exceeded(problem: FusionProblem, cluster: Sequence[int], outcome: Outcome) -> Excess | None:
    """Which limit a cluster of several loops exceeds, None if none: a single loop is as it is."""
    limits = problem.limits
    if len(cluster) < 2:
        return None
    for limit, kind in ((limits.registers, "registers"), (limits.predicates, "predicates")):
        amount = peak(problem, cluster, outcome, kind).amount if limit is not None else 0
        if limit is not None and amount > limit:
            return Excess(kind, amount)
    count = len({name for loop in cluster for name in problem.loops[loop].parameters})
    if limits.parameters is not None and count > limits.parameters:
        return Excess("parameters", count)
    return None


def settle(problem: FusionProblem, clusters: Clusters, keep: Collection[int] = ()) -> Outcome:
    """What is left of loads and stores when values are handed on wherever that is possible, `keep` apart."""
    place = {loop: number for number, cluster in enumerate(clusters) for loop in cluster} | {-1: -1}
    sources: list[FusionSource | None] = [None] * len(problem.loads)
    alive = [True] * len(problem.loads)
    stays = [True] * len(problem.stores)
    blocked = frozenset(keep)

    def valid(loop: int, source: FusionSource) -> bool:
        where = place[loop]
        other = problem.loads[source.access].loop if source.is_load else problem.stores[source.access].loop
        if place[other] != where or any(place[problem.stores[one].loop] == where for one in source.blockers):
            return False
        return not source.is_load or (sources[source.access] is None and alive[source.access])

    def gone(load: int) -> bool:
        return sources[load] is not None or not alive[load]

    def unread(number: int) -> bool:
        store = problem.stores[number]
        where = place[store.loop]
        if not store.escapes and all(gone(load) for load in store.readers):
            return True
        for cover in store.covers:
            if place[problem.stores[cover.by].loop] == where and stays[cover.by]:
                seen = [load for load in cover.observers if place[problem.loads[load].loop] == where]
                if all(gone(load) for load in seen):
                    return True
        return False

    def repeats(number: int) -> bool:
        store = problem.stores[number]
        where = place[store.loop]
        return any(
            place[problem.loads[one.access].loop if one.is_load else problem.stores[one.access].loop] == where
            and not any(place[problem.stores[blocker].loop] == where for blocker in one.blockers)
            and (one.is_load or stays[one.access])
            for one in store.repeats
        )

    while True:
        changed = False
        for number, load in enumerate(problem.loads):
            if sources[number] is None and alive[number] and number not in blocked:
                found = next((one for one in load.sources if valid(load.loop, one)), None)
                if found is not None:
                    sources[number], changed = found, True
        for drops in (repeats, unread):  # what changes nothing overwrites nothing either
            for number in range(len(problem.stores)):
                if stays[number] and drops(number):
                    stays[number], changed = False, True
        still = _alive(problem, sources, stays)
        for number, one in enumerate(still):
            if alive[number] and not one:
                alive[number], changed = False, True
        if not changed:
            break
    loads = tuple(alive[number] and sources[number] is None for number in range(len(problem.loads)))
    return Outcome(tuple(sources), loads, tuple(stays), cost_of(problem, clusters, loads, tuple(stays)))


def _alive(problem: FusionProblem, sources: Sequence[FusionSource | None], stays: Sequence[bool]) -> list[bool]:
    """Which loads make a value that something needs in the end."""
    takers: list[list[int]] = [[] for _ in problem.loads]
    feeders: list[list[int]] = [[] for _ in problem.stores]
    for number, load in enumerate(problem.loads):
        for store in load.feeds:
            feeders[store].append(number)
    for number, source in enumerate(sources):
        if source is not None:
            for giver in [source.access] if source.is_load else feeders[source.access]:
                takers[number].append(giver)
    out = [load.needed or any(stays[store] for store in load.feeds) for load in problem.loads]
    stack = [number for number, one in enumerate(out) if one]
    while stack:
        for giver in takers[stack.pop()]:
            if not out[giver]:
                out[giver] = True
                stack.append(giver)
    return out


def cost_of(problem: FusionProblem, clusters: Clusters, loads: Sequence[bool], stores: Sequence[bool]) -> FusionCost:
    """The cost of a plan that leaves these loads and stores."""
    weights = problem.weights
    loops = problem.loops
    often = [*(one.turns * one.runs for one in loops), problem.runs]
    place = {loop: number for number, cluster in enumerate(clusters) for loop in cluster}
    read = sum(one.registers * often[one.loop] for one, stays in zip(problem.loads, loads, strict=True) if stays)
    written = sum(one.registers * often[one.loop] for one, stays in zip(problem.stores, stores, strict=True) if stays)
    turns = sum(often[cluster[0]] for cluster in clusters)
    runs = sum(loops[cluster[0]].runs for cluster in clusters)
    waits: set[tuple[int, bool]] = set()
    for one in problem.hazards:
        loop = problem.loads[one.load].loop if one.load >= 0 else problem.stores[one.store].loop
        both = stores[one.earlier] and (loads[one.load] if one.load >= 0 else stores[one.store])
        if both and place[problem.stores[one.earlier].loop] == place[loop]:
            waits.add((loop, one.load >= 0))
    barriers = sum(often[loop] for loop, _ in waits)
    barriers += sum(
        loops[order.after].runs for order in problem.orders
        if order.barrier and place[order.before] != place[order.after]
    )  # fmt: skip
    total = (
        weights.load * read + weights.store * written + weights.turn * turns + weights.loop * runs
        + weights.barrier * barriers
    )  # fmt: skip
    return FusionCost(read, written, turns, runs, barriers, total)


def peak(problem: FusionProblem, cluster: Sequence[int], outcome: Outcome, kind: str = "registers") -> Peak:
    """The most registers (or predicates) that are taken at one step of a cluster. Source: fusion spec 5.2.

    Carried values and values from outside count everywhere; others from where they are made to their last use, operands
    and results of one operation together. What the body yields takes the place of the carried value from then on,
    unless that is used later.
    """
    sizes = [one.registers if kind == "registers" else one.predicates for one in problem.values]
    maker = {load.value: number for number, load in enumerate(problem.loads)}
    gone_steps = {(one.loop, one.step) for number, one in enumerate(problem.loads) if not outcome.loads[number]}
    gone_steps |= {(one.loop, one.step) for number, one in enumerate(problem.stores) if not outcome.stores[number]}

    def held(value: int) -> int:
        """The value that is in the register where this one is used."""
        seen = 0
        while seen <= len(problem.loads):
            source = outcome.sources[maker[value]] if value in maker else None
            if source is None:
                return value
            value = problem.loads[source.access].value if source.is_load else problem.stores[source.access].value
            seen += 1
        return value

    steps = [(loop, number) for loop in sorted(cluster) for number in range(len(problem.loops[loop].steps))]
    yielded = {held(one.yielded) for loop in cluster for one in problem.loops[loop].carried}
    accesses = {(one.loop, one.step) for one in problem.loads} | {(one.loop, one.step) for one in problem.stores}
    needed, where = set(yielded), []
    for loop, number in reversed(steps):
        step = problem.loops[loop].steps[number]
        computes = step.makes and (loop, number) not in accesses
        if (loop, number) in gone_steps or (computes and not needed & set(step.makes)):
            continue
        where.append((loop, number))
        needed.update(held(value) for value in step.uses)
    where.reverse()
    made: dict[int, int] = {}
    last: dict[int, int] = {}
    for at, (loop, number) in enumerate(where):
        step = problem.loops[loop].steps[number]
        for value in step.uses:
            last[held(value)] = at
        for value in step.makes:
            made[value] = at
            last.setdefault(value, at)
    carried = [one for loop in cluster for one in problem.loops[loop].carried]
    arguments = {one.argument for one in carried}
    throughout = sorted(arguments | {value for value in last if value not in made})
    constant = sum(sizes[value] for value in throughout)
    for one in carried:
        value = held(one.yielded)
        if value not in made:
            continue
        if last.get(one.argument, -1) > made[value]:
            last[value] = len(where) - 1
        elif last[value] > made[value]:
            last[value] = made[value]
    at_first = next((at for at in where if any(problem.loops[at[0]].steps[at[1]])), (min(cluster), 0))
    best = Peak(constant, *at_first)
    changes = [0] * (len(where) + 1)
    for value, start in made.items():
        changes[start] += sizes[value]
        changes[max(last[value], start) + 1] -= sizes[value]
    level = constant
    for at, (loop, number) in enumerate(where):
        level += changes[at]
        if level > best.amount:
            best = Peak(level, loop, number)
    here = where.index((best.loop, best.step)) if (best.loop, best.step) in where else -1
    across = [value for value, start in made.items() if start <= here <= max(last[value], start)]
    return best._replace(live=tuple(value for value in (*throughout, *across) if sizes[value]))
