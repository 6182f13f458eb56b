"""Models with integers and intervals: when operations run, where buffers lie. The same groups, the same wrapper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from layoutsolver_models.cp.model import GroupedModel
from layoutsolver_models.problems.layout import Status

UNLIMITED_LENGTH = 1 << 20
"""No interval is longer."""


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """What a solve found: the values of all integers and the true literals; objective and bound if there is one."""

    status: Status
    values: tuple[int, ...] = ()
    true: frozenset[int] = frozenset()
    objective: int = 0
    bound: int = 0


@dataclass(frozen=True, slots=True)
class Search:
    """How a solve goes about it. `turns` bounds it in units of work that are the same in every run, not in seconds.

    `probing` is turned off where rectangles have ends that literals decide: with it, OR-Tools 9.15 sometimes ends the
    process over a presolved solution that it finds wrong itself.
    """

    seed: int = 1
    workers: int = 1
    seconds: float | None = None
    turns: float | None = None
    fixed: bool = False
    symmetry: int | None = None
    linearization: int = 1
    probing: bool = True


class TimedModel(GroupedModel):
    """A `GroupedModel` with integers between any bounds, and intervals over them; indices of intervals are a series."""

    def __init__(self) -> None:
        super().__init__()
        self._intervals: list[Any] = []
        self._solver: Any = None
        self._stopped = False

    def new_integer_between(self, name: str, low: int, high: int, step: int = 1) -> int:
        """The index of a new integer variable between `low` and `high`, a multiple of `step`."""
        first, last = -(-low // step), high // step
        if step == 1 or last < first:
            self._integers.append(self._model.new_int_var(low, max(high, low), name))
            if last < first:
                self._model.add_bool_or([])
                self.groups.append(name)
        else:
            domain = self._api.Domain.from_values([value * step for value in range(first, last + 1)])
            self._integers.append(self._model.new_int_var_from_domain(domain, name))
        return len(self._integers) - 1

    def linear(
        self,
        group: str,
        integers: Sequence[tuple[int, int]],
        low: int | None = None,
        high: int | None = None,
        bools: Sequence[tuple[int, int]] = (),
        condition: Sequence[int] = (),
    ) -> None:
        """The weighted sum of integers and literals is within its bounds, where all literals of `condition` hold.

        One of the bounds must be given.
        """
        total = self._total(integers, bools)
        if low is None or high is None:
            constraint = self._model.add(total >= low if high is None else total <= high)
        else:
            constraint = self._model.add_linear_constraint(total, low, high)
        if condition:
            constraint.only_enforce_if([self._bools[index] for index in condition])
        self.groups.append(group)

    def new_interval(self, name: str, start: int, size: int, shift: int = 0, present: int | None = None) -> int:
        """The interval of a constant size that begins `shift` behind an integer; optional if `present` is a literal."""
        begin = self._integers[start] + shift
        if present is None:
            self._intervals.append(self._model.new_fixed_size_interval_var(begin, size, name))
        else:
            literal = self._bools[present]
            self._intervals.append(self._model.new_optional_fixed_size_interval_var(begin, size, literal, name))
        return len(self._intervals) - 1

    def new_interval_until(self, name: str, start: int, end: int, present: int | None = None) -> int:
        """The interval between two integers; optional if `present` is a literal."""
        begin, stop = self._integers[start], self._integers[end]
        length = self._model.new_int_var(0, UNLIMITED_LENGTH, f"length of {name}")
        if present is None:
            self._intervals.append(self._model.new_interval_var(begin, length, stop, name))
        else:
            literal = self._bools[present]
            self._intervals.append(self._model.new_optional_interval_var(begin, length, stop, literal, name))
        return len(self._intervals) - 1

    def no_overlap(self, group: str, intervals: Sequence[int]) -> None:
        """No two of the intervals overlap."""
        self._model.add_no_overlap([self._intervals[index] for index in intervals])
        self.groups.append(group)

    def no_overlap_2d(self, group: str, across: Sequence[int], along: Sequence[int]) -> None:
        """No two of the rectangles overlap, each given by an interval across and one along."""
        self._model.add_no_overlap_2d(
            [self._intervals[index] for index in across], [self._intervals[index] for index in along]
        )
        self.groups.append(group)

    def cumulative(self, group: str, intervals: Sequence[int], demands: Sequence[int], capacity: int) -> None:
        """At no point do the demands of the intervals that run exceed `capacity`, an integer variable."""
        chosen = [self._intervals[index] for index in intervals]
        self._model.add_cumulative(chosen, list(demands), self._integers[capacity])
        self.groups.append(group)

    def all_different(self, group: str, integers: Sequence[int]) -> None:
        """No two of the integers are equal."""
        self._model.add_all_different([self._integers[index] for index in integers])
        self.groups.append(group)

    def largest(self, group: str, integers: Sequence[int], shifts: Sequence[int], target: int) -> None:
        """The target is the largest of the integers, each shifted by a constant."""
        terms = [self._integers[index] + shift for index, shift in zip(integers, shifts, strict=True)]
        self._model.add_max_equality(self._integers[target], terms)
        self.groups.append(group)

    def smallest(self, group: str, integers: Sequence[int], target: int) -> None:
        """The target is the smallest of the integers."""
        self._model.add_min_equality(self._integers[target], [self._integers[index] for index in integers])
        self.groups.append(group)

    def minimize_total(self, integers: Sequence[tuple[int, int]], bools: Sequence[tuple[int, int]] = ()) -> None:
        """Minimise a weighted sum of integers and literals."""
        self._model.minimize(self._total(integers, bools))

    def lowest_first(self, integers: Sequence[int]) -> None:
        """A fixed search would branch on the integer that can be lowest, and try its lowest value first."""
        self._model.add_decision_strategy(
            [self._integers[index] for index in integers], self._api.CHOOSE_LOWEST_MIN, self._api.SELECT_MIN_VALUE
        )

    def hint_values(self, values: Sequence[int], true: frozenset[int] = frozenset()) -> None:
        """Start from a complete feasible solution."""
        self.hint(true)
        for variable, value in zip(self._integers, values, strict=True):
            self._model.add_hint(variable, value)

    def solve_timed(self, search: Search) -> TimedAnswer:
        """Solve within the limits. `stop`, from another thread, ends it."""
        solver = self._solver = self._api.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = search.workers
        parameters.random_seed = search.seed
        parameters.linearization_level = search.linearization
        if search.seconds is not None:
            parameters.max_time_in_seconds = max(search.seconds, 0.001)
        if search.turns is not None:
            parameters.max_deterministic_time = search.turns
        if not search.probing:
            parameters.cp_model_probing_level = 0
        if search.symmetry is not None:
            parameters.symmetry_level = search.symmetry
        if search.fixed:
            parameters.search_branching = self._api.FIXED_SEARCH
        if self._stopped:
            return TimedAnswer("unknown")
        status = self._status(solver.solve(self._model))
        if status in ("infeasible", "unknown"):
            return TimedAnswer(status)
        values = tuple(solver.value(variable) for variable in self._integers)
        true = frozenset(index for index, variable in enumerate(self._bools) if solver.boolean_value(variable))
        if not self._model.has_objective():
            return TimedAnswer("optimal", values, true)
        bound = solver.best_objective_bound
        return TimedAnswer(status, values, true, round(solver.objective_value), int(-(-bound // 1)))

    def stop(self) -> None:
        """End a solve that runs in another thread, and any later one."""
        self._stopped = True
        if self._solver is not None:
            self._solver.stop_search()

    def _total(self, integers: Sequence[tuple[int, int]], bools: Sequence[tuple[int, int]]) -> Any:
        variables = [self._integers[index] for _, index in integers] + [self._bools[index] for _, index in bools]
        weights = [weight for weight, _ in integers] + [weight for weight, _ in bools]
        return self._api.LinearExpr.weighted_sum(variables, weights)
