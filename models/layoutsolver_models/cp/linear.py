"""A model of clauses and linear sums as a mixed integer program, for models too large for CP-SAT to prove.

Layout costs have a nearly integral linear relaxation: HiGHS proves in seconds what CP-SAT does not in minutes. It
computes in floating point; whoever reads an answer checks it against the question in integers. Hints are not passed on:
HiGHS of OR-Tools 9.15 dies of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from layoutsolver_models.cp.model import CpAnswer, GroupedModel

_UNBOUNDED = 1 << 60
_ROUNDING = 1e-6
"""A bound may be off by so much, relative to itself."""


def solve_linear(model: GroupedModel, seconds: float | None) -> CpAnswer:
    """The answer of HiGHS to what the model minimises now.

    Raises `ValueError` for a constraint that is neither a clause nor a linear sum.
    """
    from ortools.linear_solver.python import model_builder

    proto = model.proto
    program: Any = model_builder.Model()  # type: ignore[no-untyped-call]  # OR-Tools leaves it without types
    variables = [
        program.new_int_var(*_ends(variable.domain), f"x{number}") for number, variable in enumerate(proto.variables)
    ]
    for constraint in proto.constraints:
        _add(program, variables, constraint)
    if proto.has_objective():
        objective = proto.objective
        program.minimize(_sum(variables, list(zip(objective.coeffs, objective.vars, strict=True))))
    solver = model_builder.Solver("highs")
    solver.set_solver_specific_parameters("output_flag=false\nmip_rel_gap=0\nmip_abs_gap=0.5")
    if seconds is not None:
        solver.set_time_limit_in_seconds(seconds)
    status = solver.solve(program)
    names = model_builder.SolveStatus
    if status == names.INFEASIBLE:
        return CpAnswer("infeasible")
    if status not in (names.OPTIMAL, names.FEASIBLE):
        return CpAnswer("unknown")
    values = [round(solver.value(variable)) for variable in variables]
    true = frozenset(number for number, index in enumerate(model.literal_indices()) if values[index])
    if not proto.has_objective():
        return CpAnswer("optimal", true=true)
    terms = zip(proto.objective.coeffs, proto.objective.vars, strict=True)
    value = sum(weight * values[index] for weight, index in terms)
    found = solver.best_objective_bound
    bound = min(value, math.ceil(found - _ROUNDING * max(1.0, abs(found))))
    return CpAnswer("optimal" if status == names.OPTIMAL and bound == value else "feasible", value, bound, true)


def _add(program: Any, variables: list[Any], constraint: Any) -> None:
    """Post one constraint of a CP-SAT model."""
    guards = [(-1, literal) for literal in constraint.enforcement_literal]
    if constraint.has_linear():
        if guards:
            raise ValueError("a linear sum under a condition has no linear form")
        linear = constraint.linear
        total = _sum(variables, list(zip(linear.coeffs, linear.vars, strict=True)))
        low, high = _ends(linear.domain)
        if low > -_UNBOUNDED:
            program.add(total >= low)
        if high < _UNBOUNDED:
            program.add(total <= high)
    elif constraint.has_bool_or():
        literals = constraint.bool_or.literals
        program.add(_literals(variables, [*((1, literal) for literal in literals), *guards]) >= 1 - len(guards))
    elif constraint.has_bool_and():
        for literal in constraint.bool_and.literals:
            program.add(_literals(variables, [(1, literal), *guards]) >= 1 - len(guards))
    elif constraint.has_exactly_one() and not guards:
        program.add(_literals(variables, [(1, literal) for literal in constraint.exactly_one.literals]) == 1)
    else:
        raise ValueError(f"a constraint without a linear form: {constraint}")


def _ends(domain: Any) -> tuple[int, int]:
    """The least and the largest value of a domain; OR-Tools' own sequences do not count from behind."""
    numbers = list(domain)
    return numbers[0], numbers[-1]


def _sum(variables: list[Any], terms: Sequence[tuple[int, int]]) -> Any:
    """The weighted sum of variables by number."""
    from ortools.linear_solver.python import model_builder

    return model_builder.LinearExpr.weighted_sum(
        [variables[number] for _, number in terms], [weight for weight, _ in terms]
    )


def _literals(variables: list[Any], terms: Sequence[tuple[int, int]]) -> Any:
    """The weighted sum of literals, of which the negated ones are below 0."""
    constant = sum(weight for weight, literal in terms if literal < 0)
    signed = [(weight, literal) if literal >= 0 else (-weight, -literal - 1) for weight, literal in terms]
    return _sum(variables, signed) + constant
