"""The cheapest repair of an infeasible layout problem, as a CP-SAT model.

Each value has a layout where it is defined; each edge that may be relaxed sees that layout or one of a copy that the
model pays for. Clones choose rows like the operations they copy, and their operands may be copies in turn.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from layoutsolver_models.cp.model import CpAnswer, GroupedModel
from layoutsolver_models.problems.layout import LayoutProblem, Row
from layoutsolver_models.problems.repair import Copy, Edge, Redirect, Repair, RepairSpace, UseKind
from layoutsolver_models.solve.layout import Limits

CHANGES_COUNT = 1 << 10
"""Costs are scaled by this, so that among repairs of equal cost the one with fewer changes wins."""


def cheapest_repairs(problem: LayoutProblem, space: RepairSpace, most: int, limits: Limits) -> list[Repair]:
    """Up to `most` repairs, cheapest first, none making all the changes of an earlier one; empty if there is none."""
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    built = _RepairModel(problem, space)
    found: list[Repair] = []
    while len(found) < most:
        left = None if deadline is None else max(0.01, deadline - time.monotonic())
        answer = built.model.solve(left, limits.workers, limits.seed)
        if answer.status not in ("optimal", "feasible"):
            break
        repair, literals = built.read(answer)
        found.append(repair)
        if not literals:
            break
        built.model.not_all("an earlier repair", literals)
    return found


@dataclass(slots=True)
class _Clone:
    """A clone's literal, and the rows among which it chooses."""

    literal: int
    rows: list[tuple[Row, int]] = field(default_factory=list)


class _RepairModel:
    def __init__(self, problem: LayoutProblem, space: RepairSpace) -> None:
        self.problem = problem
        self.space = space
        self.model = GroupedModel()
        self.terms: list[tuple[int, int]] = []
        self.counted = "instructions" in problem.objective
        self.edge_at = {(edge.kind, edge.index, edge.port): edge for edge in space.edges}
        self.defined = [self.one_of(f"value {n}", value.domain) for n, value in enumerate(problem.values)]
        self.converted: dict[tuple[int, str, str], int] = {}
        self.clones: dict[tuple[int, str], _Clone] = {}
        self.seen: dict[Edge, dict[str, int]] = {}
        self.rows: dict[int, list[tuple[Row, int]]] = {}
        self.rewritten: dict[int, list[tuple[Row, int]]] = {}
        self.is_rewritten: dict[int, int] = {}
        self.tied: dict[int, dict[str, int]] = {}
        self.demand: dict[int, set[str]] = {}
        for edge in space.edges:
            self.demand.setdefault(edge.value, set()).update(edge.domain)
        for value in sorted(self.demand):
            self.add_copies(value)
        shared: dict[int, list[Edge]] = {}
        for edge in space.edges:
            self.seen[edge] = self.sees(edge.value, edge.domain, f"{edge.kind} {edge.index}")
            if edge.use >= 0:
                shared.setdefault(edge.use, []).append(edge)
        for use, edges in shared.items():
            if len(edges) > 1:
                self.join(use, edges)
        for number in range(len(problem.relations)):
            self.add_relation(number)
        for number in range(len(problem.ties)):
            self.add_tie(number)
        for pin in problem.pins:
            chosen = self.defined[pin.value].get(pin.layout)
            self.model.exactly_one("pin", [] if chosen is None else [chosen])
        self.model.minimize(self.terms)

    def one_of(self, name: str, layouts: tuple[str, ...]) -> dict[str, int]:
        literals = {layout: self.model.new_bool(f"{name} {layout}") for layout in layouts}
        self.model.exactly_one(name, list(literals.values()))
        return literals

    # -- copies -----------------------------------------------------------------------------------------------

    def add_copies(self, value: int) -> None:
        """Literals for all copies of a value; operands come before what they define, so clones can use clones."""
        runs = max(1, self.space.runs.get(value, 1))
        wanted = sorted(self.demand[value], key=self.problem.layouts.index)
        for way in self.space.conversions.get(value, ()):
            source = self.defined[value].get(way.before)
            if source is None or way.after not in wanted:
                continue
            literal = self.model.new_bool(f"copy of {value}: {way.before} to {way.after}")
            self.model.implies(f"conversion of value {value}", literal, source)
            self.terms.append((way.instructions * runs * CHANGES_COUNT + 1, literal))
            self.converted[value, way.before, way.after] = literal
        producer = self.space.producers.get(value)
        if producer is None:
            return
        for layout in wanted:
            self.add_clone(value, layout, runs)

    def add_clone(self, value: int, layout: str, runs: int) -> None:
        producer = self.space.producers[value]
        relation = self.problem.relations[producer.relation]
        name = f"clone of value {value} in {layout}"
        clone = _Clone(self.model.new_bool(name))
        ports: dict[int, dict[str, int]] = {}
        for row in self.problem.tables[relation.table].rows:
            if row.layouts[producer.port] != layout:
                continue
            literal = self.model.new_bool(f"{name}: {row.rule}")
            clone.rows.append((row, literal))
            if row.cost and self.counted:
                self.terms.append((row.cost * runs * CHANGES_COUNT, literal))
            for port, wanted in enumerate(row.layouts):
                if port == producer.port:
                    continue
                seen = ports.setdefault(port, {})
                if wanted not in seen:
                    seen[wanted] = self.available(relation.values[port], wanted, name)
                self.model.implies(name, literal, seen[wanted])
        literals = [literal for _, literal in clone.rows]
        self.model.at_least_one_if(name, clone.literal, literals)
        self.model.at_most_one(name, literals)
        self.terms.append((producer.instructions * runs * CHANGES_COUNT + 1, clone.literal))
        self.clones[value, layout] = clone

    def available(self, value: int, layout: str, group: str) -> int:
        """A literal that is true only if the value can be had in the layout, as it is defined or as a copy."""
        literal = self.model.new_bool(f"value {value} seen in {layout}")
        sources = [self.defined[value][layout]] if layout in self.defined[value] else []
        sources += [copy for (of, _, after), copy in self.converted.items() if of == value and after == layout]
        if (value, layout) in self.clones:
            sources.append(self.clones[value, layout].literal)
        self.model.at_least_one_if(group, literal, sources)
        return literal

    def sees(self, value: int, domain: tuple[str, ...], group: str) -> dict[str, int]:
        return {layout: self.available(value, layout, group) for layout in domain}

    def join(self, use: int, edges: list[Edge]) -> None:
        """Let edges of one use see one layout."""
        common = [layout for layout in self.problem.layouts if all(layout in edge.domain for edge in edges)]
        chosen = self.one_of(f"use {use}", tuple(common))
        for edge in edges:
            for layout, literal in chosen.items():
                self.model.implies(f"use {use}", literal, self.seen[edge][layout])
            self.seen[edge] = chosen

    # -- constraints ------------------------------------------------------------------------------------------

    def port(self, kind: UseKind, index: int, port: int, value: int) -> dict[str, int]:
        """What a port sees, layout by layout."""
        edge = self.edge_at.get((kind, index, port))
        return self.seen[edge] if edge is not None else self.defined[value]

    def add_relation(self, number: int) -> None:
        relation = self.problem.relations[number]
        group = f"relation {number}"
        options = [(row, False) for row in self.problem.tables[relation.table].rows]
        options += [(row, True) for row in self.space.rewrites.get(number, ())]
        views = [self.port("relation", number, place, value) for place, value in enumerate(relation.values)]
        for row, is_rewrite in options:
            effects = [view.get(layout) for view, layout in zip(views, row.layouts, strict=True)]
            if None in effects:
                continue
            literal = self.model.new_bool(f"{group}: {row.rule}")
            self.rows.setdefault(number, []).append((row, literal))
            for effect in effects:
                if effect is not None:
                    self.model.implies(group, literal, effect)
            runs = max(1, relation.weight) if is_rewrite else relation.weight
            if is_rewrite:
                self.terms.append((row.cost * runs * CHANGES_COUNT + 1, literal))
                self.rewritten.setdefault(number, []).append((row, literal))
                marker = self.is_rewritten.get(number)
                if marker is None:
                    marker = self.is_rewritten[number] = self.model.new_bool(f"{group} is rewritten")
                self.model.implies(group, literal, marker)
            elif row.cost and self.counted:
                self.terms.append((row.cost * runs * CHANGES_COUNT, literal))
        self.model.exactly_one(group, [literal for _, literal in self.rows.get(number, ())])

    def add_tie(self, number: int) -> None:
        tie = self.problem.ties[number]
        group = f"tie {number}"
        views = [self.port("tie", number, place, value) for place, value in enumerate(tie.values)]
        common = [layout for layout in self.problem.layouts if all(layout in view for view in views)]
        chosen = self.tied[number] = self.one_of(group, tuple(common))
        for layout, literal in chosen.items():
            for view in views:
                self.model.implies(group, literal, view[layout])

    # -- answers ----------------------------------------------------------------------------------------------

    def read(self, answer: CpAnswer) -> tuple[Repair, list[int]]:
        """The repair of an answer, and the literals of its changes (one for a rewritten operation)."""
        true = answer.true
        copies: dict[tuple[int, str], Copy] = {}
        literals: list[int] = []
        for (value, before, after), literal in self.converted.items():
            if literal in true:
                copies[value, after] = Copy(value, after, before)
                literals.append(literal)
        for (value, layout), clone in self.clones.items():
            if clone.literal in true:
                copies[value, layout] = Copy(value, layout)
                literals.append(clone.literal)
        rewrites = [
            (number, row) for number, options in self.rewritten.items() for row, literal in options if literal in true
        ]
        literals += [self.is_rewritten[number] for number, _ in rewrites]
        redirects = [
            *(self.redirect(edge, true, copies) for edge in self.space.edges),
            *self.clone_redirects(true, copies),
        ]
        changes = {*literals, *(literal for options in self.rewritten.values() for _, literal in options)}
        cost = sum(weight for weight, literal in self.terms if literal in true & changes) // CHANGES_COUNT
        total = sum(weight // CHANGES_COUNT for weight, literal in self.terms if literal in true)
        repair = Repair(
            tuple(copies.values()), tuple(item for item in redirects if item is not None), tuple(rewrites),
            cost, total, answer.status == "optimal",
        )  # fmt: skip
        return repair, literals

    def definition(self, value: int, true: frozenset[int]) -> str:
        return next(layout for layout, literal in self.defined[value].items() if literal in true)

    def redirect(self, edge: Edge, true: frozenset[int], copies: dict[tuple[int, str], Copy]) -> Redirect | None:
        """The copy that an edge's use must see, None if the definition will do."""
        layout = self.used_layout(edge.kind, edge.index, edge.port, true)
        if layout == self.definition(edge.value, true):
            return None
        return Redirect(copies[edge.value, layout], edge.kind, edge.index, edge.port)

    def used_layout(self, kind: UseKind, index: int, port: int, true: frozenset[int]) -> str:
        """The layout that the chosen row (or the tie) asks of a port."""
        if kind == "tie":
            return next(layout for layout, literal in self.tied[index].items() if literal in true)
        return self.chosen_row(index, true).layouts[port]

    def chosen_row(self, number: int, true: frozenset[int]) -> Row:
        return next(row for row, literal in self.rows[number] if literal in true)

    def clone_redirects(self, true: frozenset[int], copies: dict[tuple[int, str], Copy]) -> list[Redirect]:
        """What the operands of the chosen clones see."""
        out: list[Redirect] = []
        for (value, layout), clone in self.clones.items():
            if clone.literal not in true:
                continue
            producer = self.space.producers[value]
            relation = self.problem.relations[producer.relation]
            row = next(row for row, literal in clone.rows if literal in true)
            for port, wanted in enumerate(row.layouts):
                operand = relation.values[port]
                if port == producer.port or wanted == self.definition(operand, true):
                    continue
                out.append(
                    Redirect(copies[operand, wanted], "relation", producer.relation, port, copies[value, layout])
                )
        return out
