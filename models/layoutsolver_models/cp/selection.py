"""A selection problem as a CP-SAT model: literals for variants, for layouts that values are made in, for conversions.

Conversions start only from layouts that a variant makes, so that none can justify another. The objectives are minimised
one after the other, each with the earlier ones fixed.
"""

from __future__ import annotations

import time
from collections import defaultdict

from layoutsolver_models.cp.capacity import add_capacities
from layoutsolver_models.cp.linear import solve_linear
from layoutsolver_models.cp.model import CpAnswer, GroupedModel
from layoutsolver_models.problems.selection import (
    Cost,
    SelectionObjective,
    SelectionProblem,
    SelectionSolution,
    faults,
)
from layoutsolver_models.solve.chosen import Chosen, better, rank, solution_of
from layoutsolver_models.solve.layout import Limits

Terms = list[tuple[int, int]]

LARGE = 400
"""Problems of more operations are proved by linear programming, which takes them in seconds."""


class SelectionModel:
    """The model, with its literals by name; `open_variants` are the variants that are still possible, by operation."""

    def __init__(
        self,
        problem: SelectionProblem,
        open_variants: list[list[int]],
        open_conversions: list[int],
        seed: Chosen | None,
    ) -> None:
        self.problem = problem
        self.model = GroupedModel()
        self.variant: list[dict[int, int]] = []
        self.made: list[dict[str, int]] = [{} for _ in problem.values]
        self.conversion: dict[int, int] = {}
        self.makers: dict[tuple[int, str], list[int]] = defaultdict(list)
        self.into: dict[tuple[int, str], list[int]] = defaultdict(list)
        self.shared: dict[str, tuple[int, list[int]]] = {}
        self.saved: list[tuple[int, int, list[int]]] = []
        self.open_conversions = open_conversions
        for number in range(len(problem.ops)):
            self._add_variants(number, open_variants[number])
        self._add_values()
        for number in range(len(problem.ops)):
            self._add_operands(number)
        for value, layout in problem.pins:
            self.model.exactly_one(f"pin of {problem.values[value].id}", [self.made[value][layout]])
            for other, literal in self.made[value].items():
                if other != layout:
                    self.model.not_all(f"pin of {problem.values[value].id}", [literal])
        self.live = add_capacities(self.model, problem, self.variant, self.conversion)
        self.terms = self._terms()
        self.busiest = self._add_busiest()
        if seed is not None:
            self.model.hint(self.literals_of(seed))

    def _add_variants(self, number: int, possible: list[int]) -> None:
        op = self.problem.ops[number]
        literals = {variant: self.model.new_bool(f"{op.id} {op.variants[variant].rule}") for variant in possible}
        self.variant.append(literals)
        if op.copies and len(literals) > 1:
            self.model.at_least_one(op.id, list(literals.values()))
        else:
            self.model.exactly_one(op.id, list(literals.values()))
        for variant, literal in literals.items():
            for value, layout in zip(op.results, op.variants[variant].layouts[len(op.operands) :], strict=True):
                self.makers[value, layout].append(literal)

    def _add_values(self) -> None:
        for (value, layout), makers in self.makers.items():
            name = self.problem.values[value].id
            if len(makers) == 1:
                self.made[value][layout] = makers[0]
                continue
            made = self.made[value][layout] = self.model.new_bool(f"{name} in {layout}")
            for maker in makers:
                self.model.implies(name, maker, made)
            self.model.at_least_one_if(name, made, makers)
        for number in self.open_conversions:
            way = self.problem.conversions[number]
            literal = self.conversion[number] = self.model.new_bool(f"conversion {number}")
            self.into[way.value, way.after].append(literal)
            self.model.implies(self.problem.values[way.value].id, literal, self.made[way.value][way.before])

    def _add_operands(self, number: int) -> None:
        op = self.problem.ops[number]
        asking: dict[tuple[int, str], set[int]] = defaultdict(set)
        for variant, literal in self.variant[number].items():
            for value, layout in zip(op.operands, op.variants[variant].layouts, strict=False):
                asking[value, layout].add(literal)
        for (value, layout), literals in asking.items():
            made = self.made[value].get(layout)
            sources = [*([] if made is None else [made]), *self.into[value, layout]]
            if op.copies:
                for literal in sorted(literals):
                    self.model.at_least_one_if(op.id, literal, sources)
            else:
                terms = [(1, literal) for literal in sorted(literals)]
                self.model.at_most(op.id, [*terms, *((-1, source) for source in sources)], 0)

    def _terms(self) -> dict[str, Terms]:
        """The weighted literals of every pipe, of the bounded ones together (`total`), of the rest, of `registers`."""
        problem = self.problem
        terms: dict[str, Terms] = {name: [] for name in (*problem.pipes, "total", "rest", "registers")}
        priced: list[tuple[int, Cost, int]] = []
        shared: dict[str, tuple[Cost, list[int]]] = {}
        for op, literals in zip(problem.ops, self.variant, strict=True):
            for number, literal in literals.items():
                variant = op.variants[number]
                priced.append((op.weight, variant.cost, literal))
                if variant.once:
                    priced.append((1, variant.once, literal))
                for setup in variant.setups:
                    shared.setdefault(setup.name, (setup.cost, []))[1].append(literal)
        for name, (once, sharing) in shared.items():
            paid = self.model.new_bool(f"once {name}") if len(sharing) > 1 else sharing[0]
            self.shared[name] = (paid, sharing)
            for literal in sharing if len(sharing) > 1 else []:
                self.model.implies(f"once {name}", literal, paid)
            priced.append((1, once, paid))
        priced += self._savings()
        ways = ((problem.conversions[number], literal) for number, literal in self.conversion.items())
        priced += [(way.weight, way.cost, literal) for way, literal in ways]
        for weight, cost, literal in priced:
            sums = {"total": 0, "rest": 0}
            for pipe, one in zip(problem.pipes, cost, strict=True):
                sums["total" if pipe in problem.bounded else "rest"] += weight * one
                if one:
                    terms[pipe].append((weight * one, literal))
            for name, paid in sums.items():
                if paid:
                    terms[name].append((paid, literal))
        for value, layout, penalty in problem.penalties:
            if layout in self.made[value]:
                terms["total"].append((penalty, self.made[value][layout]))
        for value, layouts in enumerate(self.made):
            known = problem.values[value]
            sizes = dict(zip(known.layouts, known.registers, strict=True))
            terms["registers"] += [(sizes[layout], literal) for layout, literal in layouts.items() if sizes[layout]]
        for number, literal in self.conversion.items():
            way = problem.conversions[number]
            known = problem.values[way.value]
            terms["registers"].append((known.registers[known.layouts.index(way.after)], literal))
        return terms

    def _savings(self) -> list[tuple[int, Cost, int]]:
        """What is paid less, with a literal that is true only where that is so."""
        out: list[tuple[int, Cost, int]] = []
        for number, saving in enumerate(self.problem.savings):
            literal = self.variant[saving.op].get(saving.variant)
            makers = [one for key in saving.variants if (one := self.variant[saving.maker].get(key)) is not None]
            if literal is None or not makers:
                continue
            group = f"saving {number}"
            saved = self.model.new_bool(group)
            self.model.implies(group, saved, literal)
            self.model.at_least_one_if(group, saved, makers)
            self.saved.append((saved, literal, makers))
            out.append((-self.problem.ops[saving.op].weight, saving.cost, saved))
        return out

    def _add_busiest(self) -> int:
        largest = sum(max(0, weight) for pipe in self.problem.pipes for weight, _ in self.terms[pipe])
        busiest = self.model.new_integer("busiest", largest)
        for pipe in self.problem.bounded:
            self.model.at_most_integer(f"pipe {pipe}", self.terms[pipe], 0, busiest)
        return busiest

    def literals_of(self, chosen: Chosen) -> frozenset[int]:
        """The literals that a choice makes true."""
        true = {self.conversion[number] for number in chosen.conversions if number in self.conversion}
        for literals, variants in zip(self.variant, chosen.variants, strict=True):
            true |= {literals[variant] for variant in variants}
        for (value, layout), makers in self.makers.items():
            if any(maker in true for maker in makers):
                true.add(self.made[value][layout])
        true |= {literal for literal, sharing in self.shared.values() if any(one in true for one in sharing)}
        true |= {saved for saved, one, makers in self.saved if one in true and not true.isdisjoint(makers)}
        true |= {literal for literal, ways in self.live.items() if any(true.issuperset(way) for way in ways)}
        return frozenset(true)

    def read(self, answer: CpAnswer) -> Chosen:
        """The choice that an answer stands for."""
        variants = tuple(
            tuple(variant for variant, literal in literals.items() if literal in answer.true)
            for literals in self.variant
        )
        taken = tuple(number for number, literal in self.conversion.items() if literal in answer.true)
        return Chosen(variants, taken)


def best_by_cp_sat(
    built: SelectionModel, limits: Limits, known: Chosen | None = None, bound: int = 0, done: int = 0
) -> SelectionSolution:
    """The best choice of a model, its objectives minimised in their order; `feasible` if a limit cut the proof.

    `bound` is a known bound of the first objective. `known` is a choice to fall back on where the limit comes first; so
    many of its objectives are `done`: they are known to be the least.
    """
    problem = built.problem
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    best = known
    proved: list[SelectionObjective] = []
    if known is not None:
        for name, value in zip(problem.objective[:done], rank(problem, known), strict=False):
            proved.append(name)
            _fix(built, name, value)
    for name in problem.objective[len(proved) :]:
        _minimize(built, name)
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            break
        if len(built.variant) > LARGE:
            answer = solve_linear(built.model, left)
        else:
            answer = built.model.solve(left, limits.workers, limits.seed, observe=limits.observe)
        if answer.status == "infeasible":
            return SelectionSolution("infeasible")
        if answer.status != "unknown":
            found = built.read(answer)
            if faults(problem, *found):
                break
            best = found if answer.status == "optimal" else better(problem, best, found)
            bound = bound if proved else max(bound, answer.bound)
        if answer.status != "optimal":
            break
        proved.append(name)
        built.model.hint(answer.true)
        _fix(built, name, answer.objective)
    if best is None:
        return SelectionSolution("unknown")
    return solution_of(problem, best, bound, tuple(proved))


def _minimize(built: SelectionModel, name: SelectionObjective) -> None:
    if name == "pipes":
        built.model.minimize_integer(built.busiest)
    else:
        built.model.minimize(built.terms[name])


def _fix(built: SelectionModel, name: SelectionObjective, value: int) -> None:
    if name == "pipes":
        built.model.limit_integer("objective", built.busiest, value)
    else:
        built.model.at_most("objective", built.terms[name], value)
