"""The one wrapper around OR-Tools CP-SAT: every constraint is posted under a named group, every solve is bounded.

`linearization_level` 2 is what lets layout costs be proved minimal: their linear relaxation is almost integral.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from layoutsolver_models.problems.layout import Status
from layoutsolver_models.solve.observe import Event, Observer

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


@dataclass(frozen=True, slots=True)
class CpAnswer:
    """What a solve found: status, objective value and its proved bound, and the true literals by index.

    `core` are the assumed literals that the solver blames for infeasibility: to be solved again before it is believed.
    """

    status: Status
    objective: int = 0
    bound: int = 0
    true: frozenset[int] = frozenset()
    core: tuple[int, ...] = ()


class GroupedModel:
    """A Boolean model whose constraints each belong to a group.

    Literals are the indices that `new_bool` returns.
    """

    def __init__(self) -> None:
        from ortools.sat.python import cp_model

        self._api: Any = cp_model
        self._model: cp_model.CpModel = cp_model.CpModel()
        self._bools: list[Any] = []
        self._integers: list[Any] = []
        self.groups: list[str] = []

    def new_bool(self, name: str) -> int:
        """The index of a new Boolean variable."""
        self._bools.append(self._model.new_bool_var(name))
        return len(self._bools) - 1

    def exactly_one(self, group: str, literals: Sequence[int]) -> None:
        """Exactly one of the literals is true."""
        self._model.add_exactly_one([self._bools[index] for index in literals])
        self.groups.append(group)

    def at_least_one(self, group: str, literals: Sequence[int]) -> None:
        """At least one of the literals is true."""
        self._model.add_bool_or([self._bools[index] for index in literals])
        self.groups.append(group)

    def at_least_one_if(self, group: str, condition: int, literals: Sequence[int]) -> None:
        """If `condition` is true, so is at least one of the literals."""
        self._model.add_bool_or([~self._bools[condition], *(self._bools[index] for index in literals)])
        self.groups.append(group)

    def at_most_one(self, group: str, literals: Sequence[int]) -> None:
        """At most one of the literals is true."""
        self._model.add_at_most_one([self._bools[index] for index in literals])
        self.groups.append(group)

    def implies(self, group: str, cause: int, effect: int) -> None:
        """If `cause` is true, so is `effect`."""
        self._model.add_implication(self._bools[cause], self._bools[effect])
        self.groups.append(group)

    def implies_if(self, group: str, condition: int, cause: int, effects: Sequence[int]) -> None:
        """If `condition` and `cause` are true, so is at least one of the effects."""
        clause = [~self._bools[condition], ~self._bools[cause], *(self._bools[index] for index in effects)]
        self._model.add_bool_or(clause)
        self.groups.append(group)

    def clause(self, group: str, causes: Sequence[int], effects: Sequence[int]) -> None:
        """If all of the causes are true, so is at least one of the effects."""
        self._model.add_bool_or([*(~self._bools[index] for index in causes), *(self._bools[one] for one in effects)])
        self.groups.append(group)

    def not_all(self, group: str, literals: Sequence[int]) -> None:
        """Not all of the literals are true."""
        self._model.add_bool_or([~self._bools[index] for index in literals])
        self.groups.append(group)

    def equals(self, group: str, terms: Sequence[tuple[int, int]], value: int) -> None:
        """The weighted sum of the `(weight, literal)` terms is `value`."""
        self._model.add(self._sum(terms) == value)
        self.groups.append(group)

    def at_most(self, group: str, terms: Sequence[tuple[int, int]], limit: int) -> None:
        """The weighted sum of the `(weight, literal)` terms is not above `limit`."""
        self._model.add(self._sum(terms) <= limit)
        self.groups.append(group)

    def new_integer(self, name: str, largest: int) -> int:
        """The index of a new integer variable between 0 and `largest`; such indices are a series of their own."""
        self._integers.append(self._model.new_int_var(0, largest, name))
        return len(self._integers) - 1

    def at_most_integer(self, group: str, terms: Sequence[tuple[int, int]], constant: int, integer: int) -> None:
        """The weighted sum of the terms and `constant` are not above an integer variable."""
        self._model.add(self._sum(terms) + constant <= self._integers[integer])
        self.groups.append(group)

    def limit_integer(self, group: str, integer: int, limit: int) -> None:
        """An integer variable is not above `limit`."""
        self._model.add(self._integers[integer] <= limit)
        self.groups.append(group)

    def below(self, group: str, before: int, after: int, unless: int | None = None) -> None:
        """An integer variable is below another one; where the literal `unless` is true it may be equal."""
        gap = 1 if unless is None else 1 - self._bools[unless]
        self._model.add(self._integers[before] + gap <= self._integers[after])
        self.groups.append(group)

    def equal_if(self, group: str, condition: int, one: int, other: int) -> None:
        """If the literal `condition` is true, two integer variables are equal."""
        constraint = self._model.add(self._integers[one] == self._integers[other])
        constraint.only_enforce_if(self._bools[condition])
        self.groups.append(group)

    def minimize_integer(self, integer: int) -> None:
        """Minimise an integer variable."""
        self._model.minimize(self._integers[integer])

    def minimize(self, terms: Sequence[tuple[int, int]]) -> None:
        """Minimise the weighted sum of the `(weight, literal)` terms."""
        self._model.minimize(self._sum(terms))

    def hint(self, true: frozenset[int]) -> None:
        """Start from a complete feasible solution."""
        self._api.CpModel.clear_hints(self._model)
        for index, variable in enumerate(self._bools):
            self._model.add_hint(variable, index in true)

    def completed(self, known: dict[int, bool], seconds: float | None, seed: int) -> bool:
        """Start from a feasible solution of which some literals are known: a solve of its own finds the others.

        Returns whether there is one; without it nothing is hinted.
        """
        self._api.CpModel.clear_hints(self._model)
        for index, value in known.items():
            self._model.add_hint(self._bools[index], value)
        solver = self._api.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = seed
        solver.parameters.fix_variables_to_their_hinted_value = True
        if seconds is not None:
            solver.parameters.max_time_in_seconds = seconds
        code = solver.solve(self._model)
        self._api.CpModel.clear_hints(self._model)
        if code not in (self._api.OPTIMAL, self._api.FEASIBLE):
            return False
        for variable in self._bools:
            self._model.add_hint(variable, bool(solver.boolean_value(variable)))
        for variable in self._integers:
            self._model.add_hint(variable, solver.value(variable))
        return True

    def assume(self, literals: Sequence[int]) -> None:
        """Let the next solves take these literals as true; an infeasible one then names a core of them."""
        self._model.clear_assumptions()
        self._model.add_assumptions([self._bools[index] for index in literals])

    @property
    def proto(self) -> Any:
        """The model as OR-Tools holds it."""
        return self._model.proto

    def literal_indices(self) -> list[int]:
        """The index that each literal has among the variables of `proto`."""
        return [variable.index for variable in self._bools]

    def constraint_count(self) -> int:
        """The number of constraints in the model that OR-Tools holds."""
        return len(self._model.proto.constraints)

    def solve(
        self,
        seconds: float | None,
        workers: int,
        seed: int,
        presolve: bool = True,
        observe: Observer | None = None,
        linearization: int = 2,
        probing: bool = True,
    ) -> CpAnswer:
        """Solve within the limits; without an objective the objective and bound are 0, and nothing is observed.

        `linearization` is the part of the model that has a linear relaxation (0 to 2), `probing` whether presolve tries
        literals out. Cores need one worker and no presolve, which can blame literals that were never assumed (or-tools
        issue 5141).
        """
        solver = self._api.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = workers
        parameters.random_seed = seed
        parameters.linearization_level = linearization
        if not probing:
            parameters.cp_model_probing_level = 0
        parameters.cp_model_presolve = presolve
        if seconds is not None:
            parameters.max_time_in_seconds = seconds
        if observe is not None and self._model.has_objective():
            code = self._observed(solver, observe)
        else:
            code = solver.solve(self._model)
        status = self._status(code)
        if status == "infeasible":
            return CpAnswer(status, core=tuple(solver.sufficient_assumptions_for_infeasibility()))
        if status == "unknown":
            return CpAnswer(status)
        true = frozenset(index for index, variable in enumerate(self._bools) if solver.boolean_value(variable))
        if not self._model.has_objective():
            return CpAnswer("optimal", true=true)
        bound = solver.best_objective_bound
        return CpAnswer(status, round(solver.objective_value), int(-(-bound // 1)), true)

    def _status(self, code: Any) -> Status:
        """What a code of the solver means; whatever is no answer is `unknown`."""
        names: dict[Any, Status] = {
            self._api.OPTIMAL: "optimal",
            self._api.FEASIBLE: "feasible",
            self._api.INFEASIBLE: "infeasible",
        }
        return names.get(code, "unknown")

    def _observed(self, solver: cp_model.CpSolver, observe: Observer) -> Any:
        """Solve, telling `observe` of every solution and every bound."""
        from ortools.sat.python.cp_model import CpSolverSolutionCallback

        found: list[int] = []
        lock = threading.Lock()

        def bound(value: float) -> None:
            with lock:
                observe(Event("bound", found[-1] if found else None, int(-(-value // 1))))

        class Solutions(CpSolverSolutionCallback):
            def on_solution_callback(self) -> None:
                with lock:
                    found.append(round(self.objective_value))
                    observe(Event("solution", found[-1], int(-(-self.best_objective_bound // 1))))

        solver.best_bound_callback = bound
        return solver.solve(self._model, Solutions())

    def _sum(self, terms: Sequence[tuple[int, int]]) -> Any:
        weights = [weight for weight, _ in terms]
        return self._api.LinearExpr.weighted_sum([self._bools[index] for _, index in terms], weights)
