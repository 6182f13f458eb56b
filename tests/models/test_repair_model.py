"""Repairs against an oracle that tries every set of up to three changes with every assignment of layouts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from layoutsolver_models.cp.repair import _RepairModel, cheapest_repairs
from layoutsolver_models.problems.layout import LayoutProblem, LayoutValue, Relation, Row, Table, Tie
from layoutsolver_models.problems.repair import Conversion, Copy, Edge, Producer, Repair, RepairSpace, UseKind
from layoutsolver_models.solve.layout import Limits
from tests.support.solving import UNIVERSE, brute_force, random_problem

NO_LIMIT = Limits()
MOST = 3
Change = tuple[str, int, object]
"""`convert` with a value and a conversion, `clone` with a value and a layout, `rewrite` with a relation and a row."""


def random_space(rng: random.Random, problem: LayoutProblem) -> RepairSpace:
    """Random changes; an operation whose other values come before one of its own can be cloned."""
    edges = []
    for index, relation in enumerate(problem.relations):
        for port, value in enumerate(relation.values):
            if rng.random() < 0.6:
                edges.append(Edge(value, "relation", index, port, tuple(x for x in UNIVERSE if rng.random() < 0.9)))
    for index, tie in enumerate(problem.ties):
        for port, value in enumerate(tie.values):
            if rng.random() < 0.6:
                edges.append(Edge(value, "tie", index, port, UNIVERSE))
    conversions = {
        value: tuple(
            Conversion(before, after, rng.randint(1, 2))
            for before, after in itertools.permutations(UNIVERSE, 2)
            if rng.random() < 0.3
        )
        for value in range(len(problem.values))
    }
    producers = {}
    for index, relation in enumerate(problem.relations):
        last = max(relation.values)
        if relation.values.count(last) == 1 and last not in producers and rng.random() < 0.7:
            producers[last] = Producer(index, relation.values.index(last), rng.randint(1, 2))
    rewrites = {}
    for index, relation in enumerate(problem.relations):
        if rng.random() < 0.3:
            ports = range(len(relation.values))
            rows = [Row(f"W{n}", tuple(rng.choice(UNIVERSE) for _ in ports), rng.randint(1, 2)) for n in range(2)]
            rewrites[index] = tuple(rows)
    runs = {value: rng.randint(0, 3) for value in range(len(problem.values)) if rng.random() < 0.5}
    return RepairSpace(tuple(edges), conversions, producers, rewrites, runs)


def infeasible_problems(count: int, start: int = 0) -> Iterator[tuple[int, LayoutProblem, RepairSpace]]:
    """Problems without a solution, each with changes that may help."""
    for seed in itertools.count(start):
        rng = random.Random(seed)
        problem = random_problem(rng, rng.randint(2, 4), rng.randint(2, 4), pins=False)
        if brute_force(problem).cost is None:
            yield seed, problem, random_space(rng, problem)
            count -= 1
        if count == 0:
            return


@dataclass(frozen=True, slots=True)
class Oracle:
    """What can be done to one problem."""

    problem: LayoutProblem
    space: RepairSpace

    def changes(self) -> list[Change]:
        used = {edge.value for edge in self.space.edges}
        wanted = {(edge.value, layout) for edge in self.space.edges for layout in edge.domain}
        out: list[Change] = [
            ("convert", value, way)
            for value in used
            for way in self.space.conversions.get(value, ())
            if (value, way.after) in wanted
        ]
        out += [("clone", value, layout) for value, layout in sorted(wanted) if value in self.space.producers]
        out += [("rewrite", index, row) for index, rows in self.space.rewrites.items() for row in rows]
        return out

    def least(self) -> int | None:
        """The least total over all sets of up to three changes."""
        totals = [
            total
            for size in range(MOST + 1)
            for chosen in itertools.combinations(self.changes(), size)
            for defined in itertools.product(*(value.domain for value in self.problem.values))
            if (total := self.total(chosen, defined)) is not None
        ]
        return min(totals, default=None)

    def total(self, chosen: tuple[Change, ...], defined: tuple[str, ...]) -> int | None:
        """What the program costs with these changes and these layouts of definitions, None if it cannot be."""
        to_have = [{layout} for layout in defined]
        total = 0
        for kind, value, what in chosen:
            if kind == "convert":
                assert isinstance(what, Conversion)
                if defined[value] != what.before:
                    return None
                to_have[value].add(what.after)
                total += what.instructions * self.runs(value)
        for _, value, what in sorted((c for c in chosen if c[0] == "clone"), key=lambda change: change[1]):
            producer = self.space.producers[value]
            relation = self.problem.relations[producer.relation]
            costs = [
                row.cost
                for row in self.problem.tables[relation.table].rows
                if row.layouts[producer.port] == what
                and all(
                    layout in to_have[operand]
                    for port, (operand, layout) in enumerate(zip(relation.values, row.layouts, strict=True))
                    if port != producer.port
                )
            ]
            if not costs:
                return None
            assert isinstance(what, str)
            to_have[value].add(what)
            total += (producer.instructions + min(costs)) * self.runs(value)
        edges = {(edge.kind, edge.index, edge.port): edge for edge in self.space.edges}

        def sees(kind: UseKind, index: int, port: int, value: int, layout: str) -> bool:
            edge = edges.get((kind, index, port))
            return layout == defined[value] if edge is None else layout in to_have[value] and layout in edge.domain

        for index, relation in enumerate(self.problem.relations):
            forced = [what for kind, at, what in chosen if kind == "rewrite" and at == index]
            rows = forced or list(self.problem.tables[relation.table].rows)
            weight = max(1, relation.weight) if forced else relation.weight
            costs = [
                row.cost * weight
                for row in rows
                if isinstance(row, Row)
                and all(sees("relation", index, p, v, row.layouts[p]) for p, v in enumerate(relation.values))
            ]
            if not costs or len(forced) > 1:
                return None
            total += min(costs)
        for index, tie in enumerate(self.problem.ties):
            if not any(all(sees("tie", index, p, v, layout) for p, v in enumerate(tie.values)) for layout in UNIVERSE):
                return None
        return total

    def runs(self, value: int) -> int:
        return max(1, self.space.runs.get(value, 1))


def works(problem: LayoutProblem, space: RepairSpace, repair: Repair) -> bool:
    """Whether layouts exist once every redirected use sees its copy and all others what is defined."""
    seen = {(item.kind, item.index, item.port): item.copy.layout for item in repair.redirects if item.clone is None}
    inside = {(item.clone, item.port): item.copy.layout for item in repair.redirects if item.clone is not None}
    rewritten = dict(repair.rewrites)

    def clone_works(copy: Copy, defined: tuple[str, ...]) -> bool:
        producer = space.producers[copy.value]
        relation = problem.relations[producer.relation]
        wanted = tuple(
            copy.layout if port == producer.port else inside.get((copy, port), defined[value])
            for port, value in enumerate(relation.values)
        )
        return any(row.layouts == wanted for row in problem.tables[relation.table].rows)

    def fits(defined: tuple[str, ...]) -> bool:
        for copy in repair.copies:
            if copy.before and defined[copy.value] != copy.before:
                return False
            if not copy.before and not clone_works(copy, defined):
                return False
        for index, relation in enumerate(problem.relations):
            ports = tuple(seen.get(("relation", index, p), defined[v]) for p, v in enumerate(relation.values))
            rows = [rewritten[index]] if index in rewritten else problem.tables[relation.table].rows
            if all(row.layouts != ports for row in rows):
                return False
        return all(
            len({seen.get(("tie", index, p), defined[v]) for p, v in enumerate(tie.values)}) == 1
            for index, tie in enumerate(problem.ties)
        )

    return any(fits(defined) for defined in itertools.product(*(value.domain for value in problem.values)))


PROBLEMS = list(infeasible_problems(80))


@pytest.mark.parametrize(("seed", "problem", "space"), PROBLEMS, ids=[str(seed) for seed, _, _ in PROBLEMS])
def test_no_set_of_three_changes_costs_less(seed: int, problem: LayoutProblem, space: RepairSpace) -> None:
    least = Oracle(problem, space).least()
    found = cheapest_repairs(problem, space, 1, NO_LIMIT)
    if not found:
        assert least is None
        return
    [repair] = found
    assert repair.proved
    assert works(problem, space, repair)
    if repair.changes <= MOST:
        assert repair.total == least
    else:
        assert least is None or repair.total <= least


def test_the_random_problems_are_of_all_kinds() -> None:
    repairs = [cheapest_repairs(problem, space, 1, NO_LIMIT) for _, problem, space in PROBLEMS]
    found = [repair for [repair] in filter(None, repairs)]
    assert 20 < len(found) < len(PROBLEMS) - 5
    assert any(copy.before for repair in found for copy in repair.copies)
    assert any(not copy.before for repair in found for copy in repair.copies)
    assert any(repair.rewrites for repair in found)
    assert any(item.clone is not None for repair in found for item in repair.redirects)
    assert any(item.kind == "tie" for repair in found for item in repair.redirects)
    assert {1, 2, 3} <= {repair.changes for repair in found}


def changes_of(repair: Repair) -> frozenset[object]:
    return frozenset({*repair.copies, *(("rewrite", relation) for relation, _ in repair.rewrites)})


@pytest.mark.parametrize("start", range(0, 2000, 100))
def test_repairs_are_ranked_and_none_repeats_an_earlier_one(start: int) -> None:
    for _, problem, space in infeasible_problems(4, start):
        found = cheapest_repairs(problem, space, 6, NO_LIMIT)
        totals = [repair.total for repair in found]
        assert totals == sorted(totals)
        assert all(repair.cost <= repair.total for repair in found)
        assert all(works(problem, space, repair) for repair in found)
        changes = [changes_of(repair) for repair in found]
        assert all(not earlier <= later for earlier, later in itertools.combinations(changes, 2))


def test_of_equal_costs_the_repair_with_fewer_changes_comes_first() -> None:
    """One conversion of two instructions, or two clones of one each."""
    values = tuple(LayoutValue(f"v{n}", 8, 1, ("a",)) for n in range(2))
    any_row = Table(("x",), (Row("A", ("a",)), Row("B", ("b",))))
    needs = Table(("x",), (Row("B", ("b",)),))
    pair = Table(("x", "y"), (Row("BB", ("b", "b")),))
    problem = LayoutProblem(
        ("a", "b"), values, (any_row, needs, pair),
        (Relation("make", 0, (0,)), Relation("make", 0, (1,)), Relation("need", 2, (0, 1))),
    )  # fmt: skip
    edges = tuple(Edge(port, "relation", 2, port, ("a", "b")) for port in range(2))
    clones = {value: Producer(value, 0) for value in range(2)}
    space = RepairSpace(edges, {}, clones, {2: (Row("W", ("a", "a"), 2),)})
    first, second = cheapest_repairs(problem, space, 2, NO_LIMIT)
    assert (first.cost, first.changes, second.cost, second.changes) == (2, 1, 2, 2)


def test_an_operation_is_offered_to_be_rewritten_once_whatever_the_row() -> None:
    values = (LayoutValue("v", 8, 1, ("a", "b")),)
    problem = LayoutProblem(("a", "b"), values, (Table(("x",), ()),), (Relation("op", 0, (0,)),))
    space = RepairSpace((), {}, {}, {0: (Row("A", ("a",), 1), Row("B", ("b",), 1))})
    [repair] = cheapest_repairs(problem, space, 5, NO_LIMIT)
    assert len(repair.rewrites) == 1
    assert repair.cost == 1


def test_a_tie_whose_every_use_may_see_a_copy_is_repaired() -> None:
    values = tuple(LayoutValue(f"v{n}", 8, 1, domain) for n, domain in enumerate([("a",), ("b",)]))
    problem = LayoutProblem(("a", "b"), values, (), (), (Tie((0, 1), "tied"),))
    edges = tuple(Edge(port, "tie", 0, port, ("a", "b")) for port in range(2))
    space = RepairSpace(edges, {0: (Conversion("a", "b", 1),)})
    [repair] = cheapest_repairs(problem, space, 1, NO_LIMIT)
    assert [(item.copy, item.port) for item in repair.redirects] == [(Copy(0, "b", "a"), 0)]
    assert works(problem, space, repair)


def test_edges_of_one_use_see_one_copy() -> None:
    """Two requirements on one operand: a copy serves both or none."""
    tables = tuple(Table(("x",), tuple(Row(x, (x,)) for x in allowed)) for allowed in ("bc", "b", "c"))
    values = (LayoutValue("v", 8, 1, ("a",)),)
    ways: dict[int, tuple[Conversion, ...]] = {0: (Conversion("a", "b", 1), Conversion("a", "c", 1))}
    for second, shared, changes in ((1, 5, [1]), (2, 5, []), (2, -1, [2])):
        relations = (Relation("op", 1, (0,)), Relation("op", second, (0,)))
        problem = LayoutProblem(("a", "b", "c"), values, tables, relations)
        edges = tuple(Edge(0, "relation", index, 0, ("a", "b", "c"), shared) for index in range(2))
        found = cheapest_repairs(problem, RepairSpace(edges, ways), 1, NO_LIMIT)
        assert [repair.changes for repair in found] == changes
        assert all(len(repair.redirects) == 2 for repair in found)


def test_changes_cost_what_the_place_runs() -> None:
    problem, edge = one_conversion()
    for runs, cost in ((1, 1), (16, 16), (0, 1)):
        space = RepairSpace((edge,), {0: (Conversion("a", "b", 1),)}, runs={0: runs})
        [repair] = cheapest_repairs(problem, space, 1, NO_LIMIT)
        assert (repair.cost, repair.total) == (cost, cost)


def one_conversion() -> tuple[LayoutProblem, Edge]:
    values = (LayoutValue("v", 8, 1, ("a",)),)
    problem = LayoutProblem(("a", "b"), values, (Table(("x",), (Row("B", ("b",)),)),), (Relation("op", 0, (0,)),))
    return problem, Edge(0, "relation", 0, 0, ("a", "b"))


def test_costs_of_layouts_do_not_count_where_the_objective_leaves_them_out() -> None:
    values = (LayoutValue("v", 8, 1, ("a",)),)
    table = Table(("x",), (Row("B", ("b",), 5),))
    problem = LayoutProblem(("a", "b"), values, (table,), (Relation("op", 0, (0,)),))
    edge = Edge(0, "relation", 0, 0, ("a", "b"))
    space = RepairSpace((edge,), {0: (Conversion("a", "b", 1),)})
    for posed, total in ((problem, 6), (problem._replace(objective=("preference",)), 1)):
        [repair] = cheapest_repairs(posed, space, 1, NO_LIMIT)
        assert (repair.cost, repair.total) == (1, total)


def test_what_no_change_helps_has_no_repair() -> None:
    problem, edge = one_conversion()
    assert cheapest_repairs(problem, RepairSpace((edge,)), 3, NO_LIMIT) == []
    assert cheapest_repairs(problem, RepairSpace((), {0: (Conversion("a", "b", 1),)}), 3, NO_LIMIT) == []


def test_a_feasible_problem_is_repaired_by_nothing() -> None:
    values = (LayoutValue("v", 8, 1, ("a",)),)
    problem = LayoutProblem(("a",), values, (), ())
    assert cheapest_repairs(problem, RepairSpace(()), 3, NO_LIMIT) == [Repair((), (), (), 0, 0)]


@pytest.mark.parametrize(("seed", "problem", "space"), PROBLEMS[:20], ids=[str(seed) for seed, _, _ in PROBLEMS[:20]])
def test_every_constraint_of_the_repair_model_has_a_group(
    seed: int, problem: LayoutProblem, space: RepairSpace
) -> None:
    model = _RepairModel(problem, space).model
    assert len(model.groups) == model.constraint_count() > 0
    assert all(model.groups)


def test_repeated_runs_find_the_same_repairs() -> None:
    for _, problem, space in PROBLEMS[:10]:
        assert len({repr(cheapest_repairs(problem, space, 4, NO_LIMIT)) for _ in range(3)}) == 1
