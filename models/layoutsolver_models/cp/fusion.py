"""A fusion problem as a CP-SAT model: which loop leads the cluster of which, what is handed on, which stores go.

A cluster is led by its first loop: `leads[loop][leader]` says that a loop is in the cluster of a leader. Limits on what
a body takes are added where a plan exceeds them, as exact conditions at the step where it does, until none does.
"""

from __future__ import annotations

import time
from collections import defaultdict
from itertools import combinations

from layoutsolver_models.cp.fusion_limits import Uses, limit_parameters, limit_step
from layoutsolver_models.cp.model import CpAnswer, GroupedModel
from layoutsolver_models.problems.fusion import FusionProblem, FusionSolution, FusionSource
from layoutsolver_models.solve.fusion_pairs import cliques, companions
from layoutsolver_models.solve.fusion_plan import Clusters, Outcome, exceeded, ordered, peak, settle
from layoutsolver_models.solve.layout import Limits

Terms = list[tuple[int, int]]

MOST_HANDED = 12
"""The loads to keep are tried out where the model is too lenient, if so many could be handed their values."""


class FusionModel:
    """The model, with its literals by name."""

    def __init__(self, problem: FusionProblem) -> None:
        self.problem = problem
        self.model = GroupedModel()
        self.friends = companions(problem)
        self.true = self.model.new_bool("true")
        self.model.exactly_one("true", [self.true])
        self.leads: list[dict[int, int]] = []
        self.pairs: dict[tuple[int, int], int] = {}
        self.constant = 0
        self.terms: Terms = []
        self._clusters()
        self._orders()
        self.handed: list[list[int]] = [[] for _ in problem.loads]
        self.kept_loads = [self.model.new_bool(f"load {number} stays") for number in range(len(problem.loads))]
        self.needed = [
            self.true if load.needed else self.model.new_bool(f"load {number} is needed")
            for number, load in enumerate(problem.loads)
        ]
        self.dropped = [self.model.new_bool(f"store {number} goes") for number in range(len(problem.stores))]
        self._forwards()
        self._needs()
        self._stores()
        self._hazards()
        self._objective()
        self.limited: set[tuple[str, int, int]] = set()
        self.uses: Uses | None = None

    # -- clusters ---------------------------------------------------------------------------------------------

    def _clusters(self) -> None:
        model, friends = self.model, self.friends
        for loop in range(len(self.problem.loops)):
            leaders = [leader for leader in sorted(friends[loop]) if leader < loop] + [loop]
            literals = {leader: model.new_bool(f"{loop} led by {leader}") for leader in leaders}
            self.leads.append(literals)
            model.exactly_one(f"loop {loop}", list(literals.values()))
            for leader, literal in literals.items():
                if leader != loop:
                    model.implies(f"loop {loop}", literal, self.leads[leader][leader])
        for leader in range(len(self.problem.loops)):
            followers = [loop for loop, literals in enumerate(self.leads) if leader in literals and loop != leader]
            for group in cliques(followers, friends):
                terms = [(1, self.leads[loop][leader]) for loop in group]
                names = " and ".join(map(str, group))
                model.at_most(f"loops {names} stay apart", [*terms, (-1, self.leads[leader][leader])], 0)

    def together(self, one: int, other: int) -> int | None:
        """The literal that two loops share a cluster, None if they cannot."""
        if one == other:
            return self.true
        if min(one, other) < 0:
            return None
        first, second = sorted((one, other))
        if first not in self.friends[second]:
            return None
        known = self.pairs.get((first, second))
        if known is not None:
            return known
        model, group = self.model, f"loops {first} and {second}"
        parts: list[int] = []
        for leader, literal in self.leads[second].items():
            if leader not in self.leads[first]:
                continue
            mine = self.leads[first][leader]
            if leader == first:
                parts.append(literal)
                continue
            part = model.new_bool(f"{first} and {second} led by {leader}")
            model.implies(group, part, literal)
            model.implies(group, part, mine)
            model.implies_if(group, literal, mine, [part])
            parts.append(part)
        both = model.new_bool(group)
        model.equals(group, [(1, both), *((-1, part) for part in parts)], 0)
        self.pairs[first, second] = both
        return both

    def _orders(self) -> None:
        """Clusters run one after the other: each has a level, and what comes first a lower one."""
        model, count = self.model, len(self.problem.loops)
        if not self.problem.orders:
            return
        level = [model.new_integer(f"level of {loop}", count - 1) for loop in range(count)]
        for loop, literals in enumerate(self.leads):
            for leader, literal in literals.items():
                if leader != loop:
                    model.equal_if(f"loop {loop}", literal, level[loop], level[leader])
        for order in self.problem.orders:
            both = None if order.strict else self.together(order.before, order.after)
            group = f"loop {order.before} before loop {order.after}"
            model.below(group, level[order.before], level[order.after], both)

    # -- loads and stores -------------------------------------------------------------------------------------

    def _loop_of(self, source: FusionSource) -> int:
        accesses = self.problem.loads if source.is_load else self.problem.stores
        return accesses[source.access].loop

    def _source(self, group: str, loop: int, source: FusionSource) -> int | None:
        """A literal that implies that a value is still there from the source on, None if it never is."""
        both = self.together(loop, self._loop_of(source))
        if both is None:
            return None
        literal = self.model.new_bool(group)
        self.model.implies(group, literal, both)
        for blocker in source.blockers:
            between = self.together(self.problem.stores[blocker].loop, loop)
            if between is not None:
                self.model.not_all(group, [literal, between])
        return literal

    def _forwards(self) -> None:
        model = self.model
        self.takers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.given: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, load in enumerate(self.problem.loads):
            group = f"load {number}"
            self.handed[number] = []
            for source in load.sources:
                literal = self._source(group, load.loop, source)
                if literal is None:
                    self.handed[number].append(-1)
                    continue
                self.handed[number].append(literal)
                where = self.takers if source.is_load else self.given
                where[source.access].append((number, literal))
            open_literals = [literal for literal in self.handed[number] if literal >= 0]
            if len(open_literals) > 1:
                model.at_most_one(group, open_literals)
            model.at_least_one(group, [self.kept_loads[number], *open_literals, *self._unneeded(number)])
        for number, takers in self.takers.items():
            for _, literal in takers:
                model.implies(f"load {number}", literal, self.kept_loads[number])

    def _unneeded(self, number: int) -> list[int]:
        """A literal that a load is not needed; empty where it always is."""
        if self.problem.loads[number].needed:
            return []
        literal = self.model.new_bool(f"load {number} is idle")
        self.model.at_most_one(f"load {number}", [literal, self.needed[number]])
        return [literal]

    def _needs(self) -> None:
        """Which loads something needs: a store that stays, or a load that takes its value."""
        model = self.model
        feeders: dict[int, list[int]] = defaultdict(list)
        for number, load in enumerate(self.problem.loads):
            for store in load.feeds:
                feeders[store].append(number)
                if not load.needed:
                    model.at_least_one(f"load {number} is needed", [self.needed[number], self.dropped[store]])
        for store, takers in self.given.items():
            for taker, literal in takers:
                for number in feeders[store]:
                    model.implies_if(f"load {number} is needed", literal, self.needed[taker], [self.needed[number]])
        for number, takers in self.takers.items():
            for taker, literal in takers:
                model.implies_if(f"load {number} is needed", literal, self.needed[taker], [self.needed[number]])

    def _stores(self) -> None:
        model = self.model
        repeating: dict[int, list[int]] = defaultdict(list)
        covering: list[tuple[int, int]] = []
        for number, store in enumerate(self.problem.stores):
            group = f"store {number}"
            ways: list[int] = []
            if not store.escapes:
                way = model.new_bool(f"{group} is not read")
                for load in store.readers:
                    model.not_all(group, [way, self.kept_loads[load]])
                ways.append(way)
            for cover in store.covers:
                both = self.together(store.loop, self.problem.stores[cover.by].loop)
                if both is None:
                    continue
                way = model.new_bool(f"{group} is overwritten")
                model.implies(group, way, both)
                covering.append((way, cover.by))
                for load in cover.observers:
                    between = self.together(self.problem.loads[load].loop, store.loop)
                    if between is not None:
                        model.not_all(group, [way, self.kept_loads[load], between])
                ways.append(way)
            for source in store.repeats:
                repeated = self._source(f"{group} changes nothing", store.loop, source)
                if repeated is not None:
                    if not source.is_load:
                        model.not_all(group, [repeated, self.dropped[source.access]])
                    repeating[number].append(repeated)
                    ways.append(repeated)
            model.at_least_one_if(group, self.dropped[number], ways) if ways else model.not_all(
                group, [self.dropped[number]]
            )
        for way, by in covering:
            for other in repeating[by]:
                model.at_most_one(f"store {by} overwrites", [way, other])

    def _hazards(self) -> None:
        """One barrier each turn for the loads of a loop, and one for its stores, that stand behind a store."""
        waits: dict[tuple[int, bool], int] = {}
        loops = self.problem.loops
        for hazard in self.problem.hazards:
            is_load = hazard.load >= 0
            loop = self.problem.loads[hazard.load].loop if is_load else self.problem.stores[hazard.store].loop
            both = self.together(self.problem.stores[hazard.earlier].loop, loop)
            if both is None:
                continue
            if (loop, is_load) not in waits:
                waits[loop, is_load] = self.model.new_bool(f"barrier in loop {loop}")
            group = f"barrier in loop {loop}"
            clause = [waits[loop, is_load], self.dropped[hazard.earlier]]
            if not is_load:
                clause.append(self.dropped[hazard.store])
                self.model.at_least_one_if(group, both, clause)
            else:
                self.model.implies_if(group, both, self.kept_loads[hazard.load], clause)
        for (loop, _), literal in waits.items():
            self.terms.append((self.problem.weights.barrier * loops[loop].turns * loops[loop].runs, literal))

    def _objective(self) -> None:
        problem, weights = self.problem, self.problem.weights
        often = [*(loop.turns * loop.runs for loop in problem.loops), problem.runs]
        for loop, literals in enumerate(self.leads):
            each = weights.turn * often[loop] + weights.loop * problem.loops[loop].runs
            self.terms.append((each, literals[loop]))
        for load, literal in zip(problem.loads, self.kept_loads, strict=True):
            self.terms.append((weights.load * load.registers * often[load.loop], literal))
        for store, literal in zip(problem.stores, self.dropped, strict=True):
            each = weights.store * store.registers * often[store.loop]
            self.constant += each
            self.terms.append((-each, literal))
        for order in problem.orders:
            if not order.barrier:
                continue
            each = weights.barrier * problem.loops[order.after].runs
            self.constant += each
            both = self.together(order.before, order.after)
            if both is not None:
                self.terms.append((-each, both))
        self.model.minimize([term for term in self.terms if term[0]])

    def solve(self, seconds: float | None, limits: Limits) -> CpAnswer:
        """An answer. The linear relaxation of all that is linear takes longer than it saves, and so does probing."""
        return self.model.solve(
            seconds, limits.workers, limits.seed, observe=limits.observe, linearization=1, probing=False
        )  # fmt: skip

    # -- answers ----------------------------------------------------------------------------------------------

    def clusters(self, answer: CpAnswer) -> Clusters:
        """The clusters of an answer."""
        groups: dict[int, list[int]] = defaultdict(list)
        for loop, literals in enumerate(self.leads):
            leader = next(leader for leader, literal in literals.items() if literal in answer.true)
            groups[leader].append(loop)
        found = ordered(self.problem, groups.values())
        assert found is not None
        return found

    def correct(self, clusters: Clusters, more: int) -> None:
        """Let a plan cost so much more than the model thinks: loads and stores that need each other only look idle."""
        literals = [self.leads[loop][cluster[0]] for cluster in clusters for loop in cluster]
        paid = self.model.new_bool("correction")
        self.model.clause("correction", literals, [paid])
        self.terms.append((more, paid))
        self.model.minimize([term for term in self.terms if term[0]])

    def exclude(self, clusters: Clusters) -> None:
        """Allow any plan but this one."""
        literals = [self.leads[loop][cluster[0]] for cluster in clusters for loop in cluster]
        self.model.not_all("another plan", literals)

    def kept(self, answer: CpAnswer, clusters: Clusters) -> tuple[int, ...]:
        """The loads that an answer keeps though their values could be handed on."""
        free = settle(self.problem, clusters)
        return tuple(
            number for number, source in enumerate(free.sources)
            if source is not None and self.kept_loads[number] in answer.true
        )  # fmt: skip

    def limit(self, clusters: Clusters, outcome: Outcome) -> bool:
        """Add conditions where a plan exceeds a limit; whether there was such a place that had none yet."""
        limits = self.problem.limits
        found = False
        for cluster in clusters:
            if not exceeded(self.problem, cluster, outcome):
                continue
            for kind, limit in (("registers", limits.registers), ("predicates", limits.predicates)):
                most = peak(self.problem, cluster, outcome, kind)
                place = (kind, most.loop, most.step)
                if limit is not None and most.amount > limit and place not in self.limited:
                    self.limited.add(place)
                    limit_step(self, *place, limit)
                    found = True
            place = ("parameters", cluster[0], 0)
            if limits.parameters is not None and place not in self.limited:
                self.limited.add(place)
                limit_parameters(self, cluster[0], limits.parameters)
                found = True
        return found


def cheapest_keep(problem: FusionProblem, clusters: Clusters) -> FusionSolution | None:
    """A plan with the loads kept that let it keep its limits at the least cost, by trials; None without any."""
    handed = [number for number, source in enumerate(settle(problem, clusters).sources) if source is not None]
    best: FusionSolution | None = None
    for size in range(len(handed) + 1):
        for keep in combinations(handed, size):
            outcome = settle(problem, clusters, keep)
            dear = best is not None and outcome.cost.total >= best.cost.total
            if not dear and not any(exceeded(problem, cluster, outcome) for cluster in clusters):
                best = FusionSolution("feasible", clusters, keep, outcome.cost, 0)
    return best


def best_fusion(
    problem: FusionProblem, limits: Limits, start: Clusters | None = None, begun: float | None = None
) -> FusionSolution:
    """The cheapest plan, proved unless a limit strikes; `start` is a plan to begin with, or to fall back on, `begun`
    the time when the search for it began.
    """
    deadline = None if limits.seconds is None else (begun or time.monotonic()) + limits.seconds
    built = FusionModel(problem)
    best: FusionSolution | None = None
    if start is not None:
        outcome = settle(problem, start)
        if not any(exceeded(problem, cluster, outcome) for cluster in start):
            best = FusionSolution("feasible", start, (), outcome.cost, 0)
        place = {loop: cluster[0] for cluster in start for loop in cluster}
        known = {
            literal: place[loop] == leader
            for loop, literals in enumerate(built.leads)
            for leader, literal in literals.items()
        }
        left = None if deadline is None else max(deadline - time.monotonic(), 0.1)
        built.model.completed(known, left, limits.seed)
    bound = 0
    while True:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            break
        answer = built.solve(left, limits)
        if answer.status == "infeasible" and best is not None:
            bound = best.cost.total  # every plan was looked at
        if answer.status not in ("optimal", "feasible"):
            break
        bound = max(bound, answer.bound + built.constant)
        clusters = built.clusters(answer)
        keep: tuple[int, ...] = ()
        outcome = settle(problem, clusters)
        if any(exceeded(problem, cluster, outcome) for cluster in clusters):
            keep = built.kept(answer, clusters)
            outcome = settle(problem, clusters, keep)
        if any(exceeded(problem, cluster, outcome) for cluster in clusters):
            if built.limit(clusters, outcome):
                continue
            handed = sum(source is not None for source in settle(problem, clusters).sources)
            if answer.status != "optimal" or handed > MOST_HANDED:
                break
            own = cheapest_keep(problem, clusters)
            if own is not None and (best is None or own.cost.total < best.cost.total):
                best = own
            built.exclude(clusters)
            continue
        if best is None or outcome.cost.total < best.cost.total:
            best = FusionSolution("feasible", clusters, keep, outcome.cost, 0)
        more = outcome.cost.total - answer.objective - built.constant
        if answer.status != "optimal" or more <= 0 or keep or bound >= best.cost.total:
            break
        built.correct(clusters, more)
    if best is None:
        return FusionSolution("unknown")
    proved = bound >= best.cost.total
    return best._replace(status="optimal" if proved else "feasible", bound=min(bound, best.cost.total))


def equal_plans(problem: FusionProblem, limits: Limits, best: FusionSolution, most: int) -> tuple[FusionSolution, ...]:
    """Plans that cost as much as the best one, which comes first: all if there are no more than `most`.

    Each is found by a solve that is not to exceed that cost and not to give a plan that is known.
    """
    if best.status != "optimal":
        return (best,)
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    built = FusionModel(problem)
    built.model.at_most("cost", built.terms, best.cost.total - built.constant)
    found = [best]
    built.exclude(best.clusters)
    while len(found) < most:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            break
        answer = built.solve(left, limits._replace(observe=None))
        if answer.status not in ("optimal", "feasible"):
            break
        clusters = built.clusters(answer)
        outcome = settle(problem, clusters)
        keep: tuple[int, ...] = ()
        if any(exceeded(problem, cluster, outcome) for cluster in clusters):
            keep = built.kept(answer, clusters)
            outcome = settle(problem, clusters, keep)
        fits = not any(exceeded(problem, cluster, outcome) for cluster in clusters)
        if not fits and built.limit(clusters, outcome):
            continue
        if fits and outcome.cost.total == best.cost.total:
            found.append(FusionSolution("optimal", clusters, keep, outcome.cost, outcome.cost.total))
        built.exclude(clusters)
    return tuple(found)
