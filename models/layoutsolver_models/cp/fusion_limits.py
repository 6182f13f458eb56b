"""What a body takes at one step, as a linear condition on the clusters and on what is handed on.

Source: fusion spec 5.2; the meaning is that of `layoutsolver_models.solve.fusion_plan.peak`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from layoutsolver_models.cp.fusion import FusionModel, Terms


def limit_parameters(built: FusionModel, leader: int, limit: int) -> None:
    """The cluster that a loop leads takes at most so many parameters, unless it has one loop only."""
    problem, model, group = built.problem, built.model, f"parameters of the cluster of loop {leader}"
    own = set(problem.loops[leader].parameters)
    members = {
        loop: literals[leader] for loop, literals in enumerate(built.leads) if leader in literals and loop != leader
    }
    if len(own) > limit:
        for literal in members.values():
            model.not_all(group, [literal])
        return
    terms: Terms = []
    for name in sorted({name for loop in members for name in problem.loops[loop].parameters} - own):
        used = model.new_bool(f"{group}: {name}")
        for loop, literal in members.items():
            if name in problem.loops[loop].parameters:
                model.implies(group, literal, used)
        terms.append((1, used))
    model.at_most(group, terms, limit - len(own))


class Uses:
    """Where values are made and used, by loop and step, and literals that somebody needs them in the end."""

    def __init__(self, built: FusionModel) -> None:
        problem = built.problem
        self.built = built
        self.made: dict[int, tuple[int, int]] = {}
        self.used: dict[int, list[tuple[int, int]]] = {}
        self.arguments = {one.argument for loop in problem.loops for one in loop.carried}
        self.yielded = {one.yielded for loop in problem.loops for one in loop.carried}
        self.stores = {(one.loop, one.step): number for number, one in enumerate(problem.stores)}
        self.storing: dict[int, list[int]] = {}
        for number, store in enumerate(problem.stores):
            self.storing.setdefault(store.value, []).append(number)
        self.loads = {one.value: number for number, one in enumerate(problem.loads) if one.value >= 0}
        for number, loop in enumerate(problem.loops):
            for at, step in enumerate(loop.steps):
                self.made.update(dict.fromkeys(step.makes, (number, at)))
                for value in step.uses:
                    self.used.setdefault(value, []).append((number, at))
        self.placed: set[int] = set()
        self.to_the_end: dict[int, int] = {}
        for number, loop in enumerate(problem.loops):
            for carried in loop.carried:
                made = self.made.get(carried.yielded)
                if made is None or made[0] != number:
                    continue
                last = max((at for _, at in self.used.get(carried.argument, [])), default=-1)
                if last > made[1]:
                    self.to_the_end[carried.yielded] = len(loop.steps) - 1
                else:
                    self.placed.add(carried.yielded)  # in the register of what was carried, from then on
        self._needed: dict[int, int] = {}

    def needed(self, value: int) -> int:
        """The literal that a value is needed: by a store that stays, what a loop carries, or what takes it."""
        if value in self._needed:
            return self._needed[value]
        built, model, group = self.built, self.built.model, f"value {value} is needed"
        literal = self._needed[value] = model.new_bool(group)
        if value in self.yielded:
            model.exactly_one(group, [literal])
        for use in self.used.get(value, []):
            self.by_use(group, use, [], literal)
        for store in self.storing.get(value, []):
            for taker, handed in built.given.get(store, []):
                model.clause(group, [handed, built.needed[taker]], [literal])
        if value in self.loads:
            for taker, handed in built.takers.get(self.loads[value], []):
                model.clause(group, [handed, built.needed[taker]], [literal])
        return literal

    def by_use(self, group: str, use: tuple[int, int], causes: list[int], effect: int) -> None:
        """If all of the causes are true and the operation at a step stays, so is the effect."""
        model = self.built.model
        store = self.stores.get(use)
        if store is not None:
            model.clause(group, causes, [effect, self.built.dropped[store]])
            return
        makes = self.built.problem.loops[use[0]].steps[use[1]].makes
        if not makes:
            model.clause(group, causes, [effect])
        for result in makes:
            model.clause(group, [*causes, self.needed(result)], [effect])


class _Step:
    """The condition for one step of one loop."""

    def __init__(self, built: FusionModel, kind: str, loop: int, step: int, uses: Uses) -> None:
        self.built = built
        self.problem = built.problem
        self.model = built.model
        self.group = f"{kind} at step {step} of loop {loop}"
        self.loop = loop
        self.here = (loop, step)
        self.uses = uses
        self.sizes = [one.registers if kind == "registers" else one.predicates for one in built.problem.values]
        self.maker = uses.loads
        self.live: dict[int, int] = {}
        self.pending: list[int] = []

    def literal(self, value: int) -> int:
        """The literal that a value is needed in a register at this step, were no load handed its value."""
        if value not in self.live:
            self.live[value] = self.model.new_bool(f"{self.group}: value {value}")
            self.pending.append(value)
        return self.live[value]

    def outside(self) -> Terms:
        """Carried values of every member, and values from outside that a member uses."""
        terms: Terms = []
        for number, loop in enumerate(self.problem.loops):
            both = self.built.together(self.loop, number)
            if both is None:
                continue
            size = sum(self.sizes[carried.argument] for carried in loop.carried)
            if size:
                terms.append((size, both))
            for at, step in enumerate(loop.steps):
                for value in step.uses:
                    if value not in self.uses.made and value not in self.uses.arguments and self.sizes[value]:
                        self.uses.by_use(self.group, (number, at), [both], self.literal(value))
        return terms

    def own(self) -> None:
        """Values of the loop itself: live up to the last use that stays."""
        for value, made in self.uses.made.items():
            if made[0] != self.loop or not self.sizes[value] or made > self.here:
                continue
            if made == self.here:
                self.model.implies(self.group, self.uses.needed(value), self.literal(value))
            if value in self.uses.placed:
                continue
            if self.uses.to_the_end.get(value, -1) >= self.here[1]:
                self.model.exactly_one(self.group, [self.literal(value)])
            for use in self.uses.used.get(value, []):
                if use >= self.here and use[0] == self.loop:
                    self.uses.by_use(self.group, use, [], self.literal(value))

    def handed(self) -> None:
        """Values that are handed on across this step."""
        problem, uses = self.problem, self.uses
        for number, load in enumerate(problem.loads):
            if load.value < 0 or load.value not in uses.made:
                continue
            for source, literal in zip(load.sources, self.built.handed[number], strict=True):
                value = problem.loads[source.access].value if source.is_load else problem.stores[source.access].value
                if literal < 0 or value not in uses.made or value in uses.placed or uses.made[value] > self.here:
                    continue
                both = self.built.together(self.loop, load.loop)
                if both is None or not self.sizes[value]:
                    continue
                if self.here <= (load.loop, load.step):
                    causes = [literal, both, self.built.needed[number]]
                    self.model.clause(self.group, causes, [self.literal(value)])
                elif self.loop == load.loop:
                    for use in uses.used.get(load.value, []):
                        if use >= self.here and use[0] == self.loop:
                            uses.by_use(self.group, use, [literal], self.literal(value))

    def resolved(self) -> None:
        """A value that was itself handed on is in the register of the one it was taken from."""
        problem = self.problem
        while self.pending:
            value = self.pending.pop()
            number = self.maker.get(value, -1)
            if number < 0:
                continue
            load = problem.loads[number]
            for source, literal in zip(load.sources, self.built.handed[number], strict=True):
                given = problem.loads[source.access].value if source.is_load else problem.stores[source.access].value
                if literal >= 0 and given >= 0:
                    self.model.implies_if(self.group, literal, self.live[value], [self.literal(given)])

    def counted(self) -> Terms:
        """What each live value takes; one that was handed on takes nothing of its own."""
        terms: Terms = []
        for value, literal in self.live.items():
            number = self.maker.get(value, -1)
            handed = [] if number < 0 else [one for one in self.built.handed[number] if one >= 0]
            if not handed:
                terms.append((self.sizes[value], literal))
                continue
            counts = self.model.new_bool(f"{self.group}: value {value} counts")
            self.model.at_least_one_if(self.group, literal, [counts, *handed])
            terms.append((self.sizes[value], counts))
        return [term for term in terms if term[0]]


def limit_step(built: FusionModel, kind: str, loop: int, step: int, limit: int) -> None:
    """At a step of a loop, whatever cluster it is in, no more registers or predicates are taken than the limit.

    A loop by itself is as it is.
    """
    if built.uses is None:
        built.uses = Uses(built)
    here = _Step(built, kind, loop, step, built.uses)
    terms = here.outside()
    here.own()
    here.handed()
    here.resolved()
    terms += here.counted()
    others = [both for both in (built.together(loop, number) for number in built.friends[loop]) if both is not None]
    if not others:
        return
    shared = built.model.new_bool(f"{here.group}: shared")
    for both in others:
        built.model.implies(here.group, both, shared)
    most = sum(weight for weight, _ in terms)
    built.model.at_most(here.group, [*terms, (max(most - limit, 0), shared)], max(most, limit))
