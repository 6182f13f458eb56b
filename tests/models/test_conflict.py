"""Conflicts against an oracle that tries every subset, and what must hold however they are found."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterable, Sequence

import pytest

from layoutsolver_models.cp import core as core_module
from layoutsolver_models.cp.layout import LayoutModel
from layoutsolver_models.cp.model import GroupedModel
from layoutsolver_models.problems.layout import Group, LayoutProblem, LayoutValue, Pin, Relation, Row, Table, Tie
from layoutsolver_models.solve import conflict as conflict_module
from layoutsolver_models.solve.compiled import Compiled, compile_problem
from layoutsolver_models.solve.components import split
from layoutsolver_models.solve.conflict import Conflict, find_conflict, find_conflicts, is_feasible, quickxplain
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.propagate import propagate
from tests.support.explaining import all_groups, fault_of, overlap, satisfiable
from tests.support.solving import random_problem

NO_LIMIT = Limits()


def small(seed: int) -> LayoutProblem:
    """At most nine relations, ties and pins over at most five values."""
    rng = random.Random(seed)
    return random_problem(rng, rng.randint(2, 5), rng.randint(2, 6))


def minimal_conflicts(problem: LayoutProblem) -> set[frozenset[Group]]:
    """Every minimal conflict, by trying all subsets from the smallest up."""
    found: list[frozenset[Group]] = []
    groups = all_groups(problem)
    for size in range(1, len(groups) + 1):
        for chosen in itertools.combinations(groups, size):
            candidate = frozenset(chosen)
            if not any(known <= candidate for known in found) and not satisfiable(problem, chosen):
                found.append(candidate)
    return set(found)


@pytest.mark.parametrize("seed", range(60))
def test_a_conflict_is_one_of_the_minimal_ones_that_trying_all_subsets_finds(seed: int) -> None:
    rng = random.Random(seed)
    problem = random_problem(rng, rng.randint(2, 4), rng.randint(2, 4))
    expected = minimal_conflicts(problem)
    found = find_conflicts(problem, 1, NO_LIMIT)
    if not expected:
        assert found == []
        return
    [conflict] = found
    assert frozenset(conflict.groups) in expected
    assert conflict.minimal


@pytest.mark.parametrize("seed", range(60))
def test_domains_are_blamed_only_where_operations_alone_hold_together(seed: int) -> None:
    problem = small(seed)
    operations = [group for group in all_groups(problem) if group[0] != "domain"]
    for conflict in find_conflicts(problem, 1, NO_LIMIT):
        blamed = any(kind == "domain" for kind, _ in conflict.groups)
        assert blamed == satisfiable(problem, operations)


def without(problem: LayoutProblem, conflicts: Sequence[Conflict]) -> list[Group]:
    gone = {group for conflict in conflicts for group in conflict.groups if group[0] != "domain"}
    return [group for group in all_groups(problem) if group not in gone]


def check_all(problem: LayoutProblem, most: int, limits: Limits = NO_LIMIT) -> list[Conflict]:
    found = find_conflicts(problem, most, limits)
    assert [fault_of(problem, conflict) for conflict in found] == [None] * len(found)
    assert all(conflict.minimal for conflict in found)
    assert not overlap(found)
    assert len(found) <= most
    if len(found) < most:
        assert satisfiable(problem, without(problem, found))
    return found


@pytest.mark.parametrize("most", [1, 2, 9])
def test_conflicts_are_disjoint_and_minimal_and_nothing_is_left_where_there_are_few(most: int) -> None:
    numbers = [len(check_all(small(seed), most)) for seed in range(300)]
    assert numbers.count(0) > 50
    assert max(numbers) == min(most, max(numbers))
    assert numbers.count(min(most, 2)) > 20


def test_removed_ties_and_pins_leave_the_next_conflict_to_be_found() -> None:
    """Two ties and two pins clash by themselves; behind them, two relations do."""
    values = tuple(LayoutValue(f"v{n}", 8, 1, ("a", "b")) for n in range(4))
    table = Table(("x",), (Row("A", ("a",)),))
    other = Table(("x",), (Row("B", ("b",)),))
    problem = LayoutProblem(
        ("a", "b"), values, (table, other), (Relation("one", 0, (0,)), Relation("two", 1, (0,))),
        (Tie((1, 2), "tied"),), (Pin(1, "a"), Pin(2, "b"), Pin(3, "a"), Pin(3, "b")),
    )  # fmt: skip
    found = check_all(problem, 9)
    assert {frozenset(conflict.groups) for conflict in found} == {
        frozenset({("relation", 0), ("relation", 1)}),
        frozenset({("tie", 0), ("pin", 0), ("pin", 1)}),
        frozenset({("pin", 2), ("pin", 3)}),
    }


def test_values_without_any_layout_are_conflicts_of_their_own() -> None:
    values = tuple(LayoutValue(f"v{n}", 8, 1, domain) for n, domain in enumerate([("a",), (), ()]))
    problem = LayoutProblem(("a",), values, (), ())
    assert find_conflicts(problem, 5, NO_LIMIT) == [Conflict((("domain", 1),)), Conflict((("domain", 2),))]
    assert find_conflicts(problem, 1, NO_LIMIT) == [Conflict((("domain", 1),))]


def cliques(count: int, size: int = 4) -> LayoutProblem:
    """Several sets of values, all different from each other with one layout too few: only search tells."""
    layouts = tuple("abcdefgh"[: size - 1])
    values, relations = [], []
    for part in range(count):
        values += [LayoutValue(f"v{part}_{n}", 8, 1, layouts) for n in range(size)]
        pairs = itertools.combinations(range(part * size, part * size + size), 2)
        relations += [Relation("apart", 0, pair) for pair in pairs]
    rows = tuple(Row(f"{x}{y}", (x, y)) for x in layouts for y in layouts if x != y)
    return LayoutProblem(layouts, tuple(values), (Table(("x", "y"), rows),), tuple(relations))


Core = Callable[[LayoutProblem, Sequence[tuple[str, int]], Limits], "list[tuple[str, int]] | None"]


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[list[Group]]:
    """Everything goes to CP-SAT instead of a search; collects the cores that it names."""
    named: list[list[Group]] = []
    original = core_module.core_by_cp_sat

    def recording(problem: LayoutProblem, groups: Sequence[Group], limits: Limits) -> object:
        answer = original(problem, groups, limits)
        assert answer is not None
        named.append(answer)
        return answer

    monkeypatch.setattr(core_module, "core_by_cp_sat", recording)
    monkeypatch.setattr(conflict_module, "SEARCH_NODES", 1)
    return named


def test_what_propagation_does_not_find_comes_from_a_core_that_is_solved_again(
    cores: list[list[Group]],
) -> None:
    problem = cliques(3)
    found = check_all(problem, 9)
    assert len(found) == 3
    assert all(len(conflict.groups) == 6 for conflict in found)
    assert len(cores) == 3
    assert all(not satisfiable(problem, core) for core in cores)


def blind(compiled: Compiled, state: list[int], queue: Iterable[int], *reasons: object) -> int:
    """Propagation that finds nothing where it is asked for reasons."""
    return -1 if reasons else propagate(compiled, state, queue)


@pytest.mark.parametrize("seed", range(80))
def test_cores_lead_to_minimal_conflicts_too(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflict_module, "SEARCH_NODES", 1)
    monkeypatch.setattr(conflict_module, "propagate", blind)
    check_all(small(seed), 4)


@pytest.mark.parametrize(
    "nonsense", [None, [], [("relation", 0)], [("relation", 7), ("relation", 13)], [("tie", 99)], [("pin", 5)]]
)
def test_a_wrong_core_is_not_believed(nonsense: list[tuple[str, int]] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def lie(*_: object) -> list[tuple[str, int]] | None:
        asked.append(1)
        return nonsense

    monkeypatch.setattr(core_module, "core_by_cp_sat", lie)
    assert len(check_all(cliques(2), 9)) == 2
    assert asked


def test_a_core_of_a_feasible_problem_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_module, "core_by_cp_sat", lambda *_: pytest.fail("there is no conflict"))
    values = tuple(LayoutValue(f"v{n}", 8, 1, ("a", "b", "c")) for n in range(3))
    rows = tuple(Row(x + y, (x, y)) for x in "abc" for y in "abc" if x != y)
    pairs = tuple(Relation("apart", 0, pair) for pair in ((0, 1), (1, 2), (0, 2)))
    problem = LayoutProblem(("a", "b", "c"), values, (Table(("x", "y"), rows),), pairs)
    assert find_conflicts(problem, 3, NO_LIMIT) == []
    assert find_conflict(problem, NO_LIMIT).status == "unknown"


class Clock:
    """A clock that moves on by one second at each look."""

    def __init__(self) -> None:
        self.now = time.monotonic()

    def monotonic(self) -> float:
        self.now += 1.0
        return self.now


@pytest.mark.parametrize("seconds", range(1, 40, 3))
def test_a_budget_that_ends_gives_no_wrong_claim(seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflict_module, "time", Clock())
    problem = cliques(2)
    for conflict in find_conflicts(problem, 9, Limits(seconds=float(seconds))):
        assert fault_of(problem, conflict) is None


def test_a_budget_that_ends_halfway_leaves_a_conflict_that_is_not_called_minimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = cliques(1)
    kinds = set()
    for seconds in range(1, 60):
        monkeypatch.setattr(conflict_module, "time", Clock())
        found = find_conflict(problem, Limits(seconds=float(seconds)))
        kinds.add((found.status, found.minimal))
        assert found.status == "unknown" or not satisfiable(problem, found.conflict)
    assert kinds == {("infeasible", False), ("infeasible", True)}


@pytest.mark.parametrize("seed", range(60))
def test_a_budget_that_ends_halfway_blames_the_domains_that_it_may_need(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = small(seed)
    for seconds in range(1, 25, 2):
        monkeypatch.setattr(conflict_module, "time", Clock())
        found = find_conflicts(problem, 9, Limits(seconds=float(seconds)))
        assert [fault_of(problem, conflict) for conflict in found] == [None] * len(found)


@pytest.mark.parametrize("seed", range(150))
def test_a_solver_that_gives_up_now_and_then_never_makes_a_conflict_look_smaller(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = small(seed)
    rng = random.Random(seed)

    def moody(asked: LayoutProblem, limits: Limits) -> bool | None:
        return None if rng.random() < 0.3 else is_feasible(asked, limits)

    monkeypatch.setattr(conflict_module, "is_feasible", moody)
    found = find_conflicts(problem, 3, NO_LIMIT)
    assert [fault_of(problem, conflict) for conflict in found] == [None] * len(found)


def test_a_solver_that_gives_up_leaves_the_answer_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    from layoutsolver_models.cp import layout

    monkeypatch.setattr(conflict_module, "SEARCH_NODES", 1)
    monkeypatch.setattr(layout, "best_by_cp_sat", lambda *_, **__: layout.ComponentAnswer("unknown"))
    assert find_conflicts(cliques(2), 3, NO_LIMIT) == []
    assert find_conflict(cliques(2), NO_LIMIT).status == "unknown"


@pytest.mark.parametrize("seed", range(10))
def test_repeated_runs_find_the_same_conflicts(seed: int) -> None:
    problem = small(seed)
    answers = {tuple(find_conflicts(problem, 9, NO_LIMIT)) for _ in range(5)}
    assert len(answers) == 1


def test_repeated_runs_find_the_same_conflicts_through_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflict_module, "SEARCH_NODES", 1)
    assert len({tuple(find_conflicts(cliques(3), 9, NO_LIMIT)) for _ in range(5)}) == 1


@pytest.mark.parametrize("seed", range(200))
def test_quickxplain_keeps_what_is_needed_and_nothing_else(seed: int) -> None:
    """Against a random family of conflicts that has nothing to do with layouts."""
    rng = random.Random(seed)
    groups: list[Group] = [("relation", n) for n in range(9)]
    cores = [frozenset(rng.sample(groups, rng.randint(1, 5))) for _ in range(rng.randint(1, 4))]
    minimal = {core for core in cores if not any(other < core for other in cores)}
    found = quickxplain(lambda chosen: any(core <= set(chosen) for core in cores), groups)
    assert frozenset(found) in minimal
    assert len(found) == len(set(found))


def test_quickxplain_prefers_earlier_groups() -> None:
    groups: list[Group] = [("relation", n) for n in range(8)]
    found = quickxplain(lambda chosen: len(chosen) >= 3, groups)
    assert found == groups[:3]
    assert quickxplain(lambda _: True, []) == []


def posted(model: GroupedModel) -> None:
    assert model.constraint_count() > 0
    assert len(model.groups) == model.constraint_count()
    assert all(model.groups)


@pytest.mark.parametrize("seed", range(20))
def test_every_constraint_of_the_layout_model_has_a_group(seed: int) -> None:
    problem = random_problem(random.Random(seed), 5, 3)._replace(pins=())
    compiled = compile_problem(problem)
    for component in split(compiled, compiled.start):
        built = LayoutModel(problem, compiled, component, compiled.start)
        posted(built.model)
        named = {f"relation {number}" for number in component.relations}
        assert named | {f"class {index}" for index in component.classes} == set(built.model.groups)


@pytest.mark.parametrize("seed", range(20))
def test_every_constraint_of_the_core_model_has_a_group(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    models: list[GroupedModel] = []

    class Kept(GroupedModel):
        def __init__(self) -> None:
            super().__init__()
            models.append(self)

    monkeypatch.setattr(core_module, "GroupedModel", Kept)
    problem = small(seed)
    groups = [group for group in all_groups(problem) if group[0] != "domain"]
    answer = core_module.core_by_cp_sat(problem, groups, NO_LIMIT)
    assert (answer is None) == satisfiable(problem, all_groups(problem))
    [model] = models
    posted(model)
    assert {f"{kind} {index}" for kind, index in groups} <= set(model.groups)
