"""What a body takes at one step, as a linear condition on the clusters and on what is handed on.

Source: fusion spec 5.2; the meaning is that of `layoutsolver_models.solve.fusion_plan.peak`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from layoutsolver_models.problems.fusion import FusionProblem

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
    """Where values are made and used, by loop and step."""

    def __init__(self, problem: FusionProblem) -> None:
        self.made: dict[int, tuple[int, int]] = {}
        self.used: dict[int, list[tuple[int, int]]] = {}
        self.arguments = {one.argument for loop in problem.loops for one in loop.carried}
        self.stores = {(one.loop, one.step): number for number, one in enumerate(problem.stores)}
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

    def last(self, value: int) -> tuple[int, int]:
        """The last step of its own loop that a value is used at, or where it is made."""
        made = self.made[value]
        end = max([made, *self.used.get(value, [])])
        return max(end, (made[0], self.to_the_end.get(value, 0)))


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
        self.maker = {load.value: number for number, load in enumerate(built.problem.loads) if load.value >= 0}
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
            for value in sorted({value for step in loop.steps for value in step.uses}):
                if value not in self.uses.made and value not in self.uses.arguments and self.sizes[value]:
                    self.model.implies(self.group, both, self.literal(value))
        return terms

    def own(self) -> None:
        """Values of the loop itself: live up to their last use, stores that go apart."""
        for value, made in self.uses.made.items():
            if made[0] != self.loop or not self.sizes[value] or made > self.here:
                continue
            if made == self.here:
                self.model.exactly_one(self.group, [self.literal(value)])
            if value in self.uses.placed:
                continue
            if self.uses.to_the_end.get(value, -1) >= self.here[1]:
                self.model.exactly_one(self.group, [self.literal(value)])
            for use in self.uses.used.get(value, []):
                if use < self.here or use[0] != self.loop:
                    continue
                store = self.uses.stores.get(use)
                clause = [] if store is None else [self.built.dropped[store]]
                self.model.at_least_one(self.group, [self.literal(value), *clause])

    def handed(self) -> None:
        """Values that are handed on across this step."""
        problem = self.problem
        for number, load in enumerate(problem.loads):
            if load.value < 0 or load.value not in self.uses.made:
                continue
            end = self.uses.last(load.value)
            for source, literal in zip(load.sources, self.built.handed[number], strict=True):
                value = problem.loads[source.access].value if source.is_load else problem.stores[source.access].value
                if literal < 0 or value not in self.uses.made or value in self.uses.placed:
                    continue
                if self.uses.made[value] <= self.here <= end:
                    both = self.built.together(self.loop, load.loop)
                    if both is not None:
                        self.model.implies_if(self.group, literal, both, [self.literal(value)])

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
    here = _Step(built, kind, loop, step, Uses(built.problem))
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
