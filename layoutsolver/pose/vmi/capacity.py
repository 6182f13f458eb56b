"""The registers of a VMI program as capacities of its problem: what is live, between operations and while they run.

Every variant is emitted by itself, so that what its instructions need in between counts as well. What comes out is
never more than is live once a choice is lowered: of registers that may turn out to be one, one counts; instructions
that may turn out to be for nobody, to be made already, or to leave a loop, do not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from layoutsolver.backends import load_register_templates
from layoutsolver.pose.vmi.holdings import Holdings, Loops
from layoutsolver.pose.vmi.lives import Lives, Point
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.vmi.templates import Template
from layoutsolver_models.problems.capacity import (
    CONVERSION,
    Capacity,
    Held,
    Pick,
    RegisterKind,
    Together,
    demand,
    is_met,
)
from layoutsolver_models.solve.selection import narrow
from layoutsolver_models.targets.chip import RegisterLimits

KINDS: tuple[RegisterKind, ...] = ("vector", "predicate")

MANY = 600
"""Of more points, those are asked first at which a choice has the most registers live."""

Registers = dict[int, set[Together]]
"""Registers that are live at a point, and the picks of which one is enough for that."""


class _Found(NamedTuple):
    """What is live at a point, before it is sorted by kind."""

    place: str
    point: Point
    when: Together
    registers: Registers


class RegisterPoints:
    """The points of a program at which registers are live, as capacities of its problem.

    `between` are those between operations, in the order of the text, which takes long where they `are_many`; `told`
    says that somebody has asked. Those within operations are given where a choice has too many registers live there.
    """

    def __init__(self, posed: PosedVmi, limits: RegisterLimits) -> None:
        left = narrow(posed.problem)
        self.problem = posed.problem
        self.holdings = Holdings(posed, load_register_templates()(posed, left), left)
        self.limits: dict[RegisterKind, int] = {"vector": limits.vector, "predicate": limits.predicate}
        self.points = Lives(posed).points()
        self.are_many = len(self.points) > MANY
        self.told = False
        self.given: set[int] = set()

    @cached_property
    def between(self) -> tuple[Capacity, ...]:
        """All points between operations."""
        self.told = True
        return self._capacities(self._later(point) for point in self.points if point.stage != "within")

    def around(self, op: int) -> tuple[Capacity, ...]:
        """The points between operations that are in front of an operation of the text, or behind the one before it."""
        before = max((point.at for point in self.points if point.at < op), default=op)
        near = (point for point in self.points if point.stage != "within" and point.at in (before, op))
        return self._capacities(map(self._later, near))

    def exceeded(self, variants: tuple[tuple[int, ...], ...], conversions: tuple[int, ...]) -> tuple[Capacity, ...]:
        """All points within the operations and conversions in which a choice has more registers live than there are.

        Those of an operation are given once; what comes is empty if none is left.
        """
        found: list[_Found] = []
        for number, point in enumerate(self.points):
            if number in self.given:
                continue
            chosen = [pick for pick in self._picks(point) if is_met((pick,), variants, conversions)]
            here = self._capacities(one for pick in chosen for one in self._steps(point, pick))
            if any(demand(one, variants, conversions) > one.limit for one in here):
                self.given.add(number)
                found += [one for pick in self._picks(point) for one in self._steps(point, pick)]
        return self._capacities(found)

    def _capacities(self, points: Iterable[_Found]) -> tuple[Capacity, ...]:
        """Those of which more may be live than there are."""
        found: dict[tuple[RegisterKind, Together, tuple[Held, ...]], Capacity] = {}
        for one in points:
            for kind in KINDS:
                capacity = self._capacity(one, kind)
                if capacity is not None:
                    found.setdefault((kind, one.when, capacity.held), capacity)
        return tuple(found.values())

    def _picks(self, point: Point) -> list[Pick]:
        """What runs at a point: the variants of its operation, or the conversions of what has been made."""
        if point.stage == "within":
            return [Pick(point.op, variant) for variant in self.holdings.open[point.op]]
        if point.stage == "made":
            return []
        return [Pick(way, CONVERSION) for value in point.makes for way in self.holdings.ways_of.get(value, ())]

    def _capacity(self, one: _Found, kind: RegisterKind) -> Capacity | None:
        """What is live of a kind, None if there are enough registers for it anyway."""
        holdings = self.holdings
        alike: dict[tuple[int, frozenset[Together]], int] = {}
        for register, ways in one.registers.items():
            if holdings.kinds[register] == kind:
                by = self._under(ways, one.when)
                if by:
                    key = (holdings.value_of.get(register, -1), by)
                    alike[key] = alike.get(key, 0) + 1
        if sum(alike.values()) <= self.limits[kind]:
            return None
        held = tuple(Held(value, count, tuple(sorted(by))) for (value, by), count in alike.items())
        return Capacity(f"{kind} registers {one.place}", kind, self.limits[kind], held, one.point.where, one.when)

    def _under(self, ways: Iterable[Together], when: Together) -> frozenset[Together]:
        """The least picks that hold a register, given those of the point."""
        kept: set[Together] = set()
        for way in ways:
            if self.holdings.joined(way, when) is not None:
                kept.add(tuple(pick for pick in way if pick not in when))
        if () in kept:
            return frozenset({()})
        single = {way[0] for way in kept if len(way) == 1}
        return frozenset(way for way in kept if len(way) == 1 or single.isdisjoint(way))

    # -- points -----------------------------------------------------------------------------------------------

    def _later(self, point: Point) -> _Found:
        return _Found(point.place, point, (), self._between(point, self.holdings.loops[point.at]))

    def _between(self, point: Point, around: Loops, without: frozenset[int] = frozenset()) -> Registers:
        """What is live because it is taken later."""
        found: Registers = {}
        converted = point.stage == "converted"
        for value, ops in point.users.items():
            if value in without:
                continue
            whole = converted or value not in point.makes
            for op in ops:
                for register, picks in self.holdings.taken(value, op, around, whole):
                    found.setdefault(register, set()).add(picks)
        if point.stage == "made":
            for value in point.makes:
                self._to_convert(value, around, found)
                if point.op < 0:
                    self._brought(value, found)
        return found

    def _to_convert(self, value: int, around: Loops, found: Registers) -> None:
        """What has been made in a layout from which it is to be converted."""
        for layout in self.problem.values[value].layouts:
            for piece in self.holdings.pieces(value, layout):
                for picks in self.holdings.converters(piece, around):
                    for before, register in self.holdings.made(piece):
                        joined = self.holdings.joined(before, picks)
                        if joined is not None:
                            found.setdefault(register, set()).add(joined)

    def _brought(self, value: int, found: Registers) -> None:
        """What control flow brings, which has its registers whether anybody takes it or not."""
        for layout in self.holdings.made_in.get(value, ()):
            for piece in self.holdings.pieces(value, layout):
                for before, register in self.holdings.made(piece):
                    for pick in self.holdings.makers[value, layout]:
                        joined = self.holdings.joined(before, (pick,))
                        if joined is not None:
                            found.setdefault(register, set()).add(joined)

    def _across(self, point: Point, pick: Pick, around: Loops) -> Registers:
        """What is live while a pick runs, whatever its instructions use and make."""
        if pick.variant != CONVERSION:
            return self._between(point, around)
        found = self._between(point, around, frozenset(point.makes))
        value = self.problem.conversions[pick.number].value
        for op in point.users.get(value, ()):
            for register, picks in self.holdings.taken(value, op, around, converted=False):
                found.setdefault(register, set()).add(picks)
        return found

    def _steps(self, point: Point, pick: Pick) -> list[_Found]:
        """What is live behind each instruction of a choice, and in front of those that have patterns made for them."""
        around = self.holdings.loops[point.at]
        across = self._across(point, pick, around)
        holdings = self.holdings
        template = holdings.template(pick)
        if template is None:
            return []
        sure = sorted(holdings.sure_steps.get(pick, ()))
        stays = [
            place
            for place in sure
            if (pick, place) not in holdings.early
            and not (around and holdings.leaves(template.steps[place], around[0]))
        ]
        needed = self._given(template, pick, around)
        later: set[int] = set()
        found: list[_Found] = []
        for place in reversed(stays):
            step = template.steps[place]
            before = {one for earlier in sure if earlier < place for one in template.steps[earlier].makes}
            behind = self._joined(across, later | set(step.makes))
            self._give(behind, needed, before | set(step.makes))
            found.append(_Found(f"within {point.place.partition(' ')[2]}", point, (pick,), behind))
            later = (later - set(step.makes)) | set(step.uses)
            if step.patterns:
                front = self._joined(across, later | set(step.patterns))
                self._give(front, needed, before)
                found.append(found[-1]._replace(registers=front))
        return found[::-1]

    def _joined(self, across: Registers, inside: set[int]) -> Registers:
        """What lives across a choice, and registers of its own and of its operands."""
        holdings = self.holdings
        found = {register: set(ways) for register, ways in across.items()}
        for one in inside:
            source = holdings.source.get(one)
            if source is None:
                found.setdefault(holdings.number.get(one, one), set()).add(())
                continue
            for picks, register in holdings.ways(source):
                found.setdefault(register, set()).add(picks)
        return found

    def _given(self, template: Template, pick: Pick, around: Loops) -> dict[int, list[Together]]:
        """For each register that a choice makes or hands on, under which picks somebody needs it later."""
        holdings = self.holdings
        found: dict[int, list[Together]] = {}
        for (value, layout), registers in template.gives.items():
            for place, one in enumerate(registers):
                picks = holdings.needed((value, layout, place), around, pick)
                found.setdefault(one, []).extend(picks)
        return found

    def _give(self, found: Registers, needed: dict[int, list[Together]], made: set[int]) -> None:
        """Add what has been made, or handed on, and is needed later."""
        holdings = self.holdings
        for one, ways in needed.items():
            source = holdings.source.get(one)
            if source is not None:
                for before, register in holdings.ways(source):
                    for way in ways:
                        joined = holdings.joined(before, way)
                        if joined is not None:
                            found.setdefault(register, set()).add(joined)
            elif one in made:
                for way in ways:
                    found.setdefault(holdings.number.get(one, one), set()).add(way)
