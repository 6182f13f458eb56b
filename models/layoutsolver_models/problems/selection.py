"""Choosing layouts where values may be converted: operations with variants, values available in several layouts.

An operation runs in one of its variants, or in several where copies of it are allowed; each variant asks for its
operands in certain layouts and makes its results available in certain layouts. A value is available in a layout that a
variant of its operation makes, or that a conversion makes from such a one. Control flow that joins values is an
operation without cost, with one variant for each layout.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from layoutsolver_models.problems.capacity import Capacity, demand
from layoutsolver_models.problems.layout import Status, Where
from layoutsolver_models.problems.record import as_json_object

SelectionObjective = Literal["pipes", "total", "rest", "registers"]
OBJECTIVES: dict[str, tuple[SelectionObjective, ...]] = {
    "pipes": ("pipes", "total", "rest", "registers"),
    "total": ("total", "pipes", "rest", "registers"),
    "registers": ("registers", "pipes", "total", "rest"),
}
"""What is minimised first, second and so on.

`pipes` is the busiest of the bounded pipes, `total` the instructions of all of those, `rest` the instructions of the
other pipes, `registers` the registers that are written.
"""

Cost = tuple[int, ...]
"""Instructions on each pipe of the problem."""


@as_json_object
class SelectionValue(NamedTuple):
    """A value: what it is called, its layouts (by name), and the registers that it takes in each of them."""

    id: str
    layouts: tuple[str, ...]
    registers: tuple[int, ...]
    where: Where | None = None


@as_json_object
class Setup(NamedTuple):
    """What is made once for all variants that name it, however often they run, and its cost."""

    name: str
    cost: Cost


@as_json_object
class Variant(NamedTuple):
    """One way to run an operation: the layout of each port (operands, then results), and its cost.

    `once` is the cost of what does not depend on the loops around, paid once however often the operation runs; `setups`
    are such things that other operations may share. `attrs` tell the emitter what the rule chose besides layouts.
    """

    rule: str
    layouts: tuple[str, ...]
    cost: Cost
    once: Cost = ()
    setups: tuple[Setup, ...] = ()
    attrs: dict[str, str] = {}  # noqa: RUF012 (nobody changes it)


@as_json_object
class SelectionOp(NamedTuple):
    """An operation: its values, its variants, how often it runs, and whether several variants may run side by side."""

    id: str
    operands: tuple[int, ...]
    results: tuple[int, ...]
    variants: tuple[Variant, ...]
    weight: int = 1
    copies: bool = False
    where: Where | None = None


@as_json_object
class ValueConversion(NamedTuple):
    """A way to have a value that is made in `before` in `after` as well; it runs as often as the value is defined."""

    value: int
    before: str
    after: str
    cost: Cost
    weight: int = 1
    rule: str = ""


@as_json_object
class Saving(NamedTuple):
    """So much less of each run of operation `op` in `variant`, where operation `maker` runs in one of `variants`.

    Each of these makes an operand in the layout in which `variant` takes it: the operand is theirs, and not converted.
    """

    op: int
    variant: int
    maker: int
    variants: tuple[int, ...]
    cost: Cost


@as_json_object
class KnownChoice(NamedTuple):
    """A choice to start from: the variants of each operation, and the conversions, by number."""

    variants: tuple[tuple[int, ...], ...]
    conversions: tuple[int, ...]


@as_json_object
class SelectionProblem(NamedTuple):
    """The whole question: `pipes` names the entries of costs; `bounded` those of which the busiest counts.

    `pins` are layouts in which values must be made, by value; `penalties` are costs of making a value in a layout, as
    users ask for, in instructions of no pipe. `capacities` bound the registers that are live at points of the program.
    `start` is a choice to begin with; where it is none, it is passed over. Of each variant there is one saving at most.
    """

    pipes: tuple[str, ...]
    bounded: tuple[str, ...]
    values: tuple[SelectionValue, ...]
    ops: tuple[SelectionOp, ...]
    conversions: tuple[ValueConversion, ...] = ()
    pins: tuple[tuple[int, str], ...] = ()
    penalties: tuple[tuple[int, str, int], ...] = ()
    objective: tuple[SelectionObjective, ...] = OBJECTIVES["pipes"]
    capacities: tuple[Capacity, ...] = ()
    start: KnownChoice | None = None
    savings: tuple[Saving, ...] = ()
    schema: Literal["layoutsolver/selection-problem/1"] = "layoutsolver/selection-problem/1"


@as_json_object
class SelectionGroup(NamedTuple):
    """An operation, pin or capacity by its number, and what it asks for in words."""

    kind: Literal["op", "pin", "capacity"]
    number: int
    said: str


@as_json_object
class SelectionWish(NamedTuple):
    """What a pin of a value, or all its penalties, cost: the difference to the best choice without it.

    `more` are instructions by pipe; the others are differences of the objectives, penalties not counted. `met` says
    whether the value is in no layout that has a penalty. Not `proved` are differences to what is not proved the best,
    and nothing is known where `more` is empty then.
    """

    kind: Literal["pin", "penalty"]
    value: int
    met: bool
    more: Cost = ()
    busiest: int = 0
    total: int = 0
    registers: int = 0
    proved: bool = True


@as_json_object
class SelectionSolution(NamedTuple):
    """The answer: the variants that run of each operation, and the conversions that are made (by number).

    `load` is the cost of each pipe; `busiest`, `total`, `rest` and `registers` are the objectives' values, of which the
    first that is minimised is proved to be at least `bound`; `proved` are the objectives of which the least value is
    proved, each given the ones before it. Empty unless `status` is `optimal` (all are proved) or `feasible`. Where it
    is `infeasible`, `conflict` may list what cannot hold together; `minimal` says that each of that is needed for it.
    `wishes` are what pins and penalties cost, if there are few.
    """

    status: Status
    variants: tuple[tuple[int, ...], ...] = ()
    conversions: tuple[int, ...] = ()
    load: Cost = ()
    busiest: int = 0
    total: int = 0
    rest: int = 0
    registers: int = 0
    bound: int = 0
    proved: tuple[SelectionObjective, ...] = ()
    conflict: tuple[SelectionGroup, ...] = ()
    minimal: bool = True
    wishes: tuple[SelectionWish, ...] = ()
    schema: Literal["layoutsolver/selection-solution/1"] = "layoutsolver/selection-solution/1"


class Value(NamedTuple):
    """What a choice comes to: the cost of each pipe, and the values of the objectives (penalties are in `total`)."""

    load: Cost
    busiest: int
    total: int
    rest: int
    registers: int

    def of(self, objective: SelectionObjective) -> int:
        """The value of one objective."""
        return self.busiest if objective == "pipes" else int(getattr(self, objective))


def bounded_sum(problem: SelectionProblem, load: Cost) -> int:
    """The instructions of all bounded pipes together, no penalties among them."""
    return sum(cost for pipe, cost in zip(problem.pipes, load, strict=True) if pipe in problem.bounded)


def paid_once(variant: Variant) -> Cost:
    """All that a variant pays once if nobody shares it; empty if there is nothing.

    >>> paid_once(Variant("r", (), (1, 0), (1, 0), (Setup("ramp", (0, 1)), Setup("rows", (0, 2)))))
    (1, 3)
    """
    every = [cost for cost in (variant.once, *(setup.cost for setup in variant.setups)) if cost]
    return tuple(map(sum, zip(*every, strict=True)))


def with_some_variants(problem: SelectionProblem, ops: tuple[SelectionOp, ...]) -> tuple[Saving, ...]:
    """The savings where operations have only some of their variants, `ops` being those operations, by new numbers."""
    new = [
        {number: some.variants.index(variant) for number, variant in enumerate(op.variants) if variant in some.variants}
        for op, some in zip(problem.ops, ops, strict=False)
    ]
    found = (
        saving._replace(
            variant=new[saving.op].get(saving.variant, -1),
            variants=tuple(new[saving.maker][one] for one in saving.variants if one in new[saving.maker]),
        )
        for saving in problem.savings
    )
    return tuple(saving for saving in found if saving.variant >= 0 and saving.variants)


def paid_each(problem: SelectionProblem, variants: tuple[tuple[int, ...], ...]) -> dict[tuple[int, int], Cost]:
    """What a run of each chosen variant costs, by operation and variant: less where it saves."""
    paid = {(op, number): problem.ops[op].variants[number].cost for op, some in enumerate(variants) for number in some}
    for saving in problem.savings:
        cost = paid.get((saving.op, saving.variant))
        if cost is not None and not set(saving.variants).isdisjoint(variants[saving.maker]):
            paid[saving.op, saving.variant] = tuple(one - less for one, less in zip(cost, saving.cost, strict=True))
    return paid


def evaluate(problem: SelectionProblem, variants: tuple[tuple[int, ...], ...], conversions: tuple[int, ...]) -> Value:
    """What a choice costs."""
    load = [0] * len(problem.pipes)
    registers = extra = 0
    made: list[set[str]] = [set() for _ in problem.values]
    shared: set[str] = set()

    def pay(cost: Cost, times: int) -> None:
        for place, one in enumerate(cost):
            load[place] += times * one

    def make(value: int, layout: str) -> int:
        if layout in made[value]:
            return 0
        made[value].add(layout)
        known = problem.values[value]
        return known.registers[known.layouts.index(layout)]

    paid = paid_each(problem, variants)
    for place, (op, chosen) in enumerate(zip(problem.ops, variants, strict=True)):
        for number in chosen:
            variant = op.variants[number]
            pay(paid[place, number], op.weight)
            pay(variant.once, 1)
            for setup in variant.setups:
                if setup.name not in shared:
                    pay(setup.cost, 1)
                    shared.add(setup.name)
            for value, layout in zip(op.results, variant.layouts[len(op.operands) :], strict=True):
                registers += make(value, layout)
    for value, layout, cost in problem.penalties:
        extra += cost * (layout in made[value])
    for number in conversions:
        way = problem.conversions[number]
        pay(way.cost, way.weight)
        registers += make(way.value, way.after)
    bounded = [cost for pipe, cost in zip(problem.pipes, load, strict=True) if pipe in problem.bounded]
    rest = sum(load) - sum(bounded)
    return Value(tuple(load), max(bounded, default=0), sum(bounded) + extra, rest, registers)


def faults(problem: SelectionProblem, variants: tuple[tuple[int, ...], ...], conversions: tuple[int, ...]) -> list[str]:
    """What is wrong with a choice: empty if every operand is available where it is asked for."""
    found: list[str] = []
    made: list[set[str]] = [set() for _ in problem.values]
    for op, chosen in zip(problem.ops, variants, strict=True):
        if not chosen or (len(chosen) > 1 and not op.copies):
            found.append(f"{op.id} runs in {len(chosen)} variants")
        for number in chosen:
            for value, layout in zip(op.results, op.variants[number].layouts[len(op.operands) :], strict=True):
                made[value].add(layout)
    available = [set(layouts) for layouts in made]
    for number in conversions:
        way = problem.conversions[number]
        if way.before not in made[way.value]:
            found.append(f"{problem.values[way.value].id} is converted from {way.before}, in which nothing makes it")
        available[way.value].add(way.after)
    for op, chosen in zip(problem.ops, variants, strict=True):
        for number in chosen:
            for value, layout in zip(op.operands, op.variants[number].layouts, strict=False):
                if layout not in available[value]:
                    found.append(f"{op.id} needs {problem.values[value].id} in {layout}")
    for value, layout in problem.pins:
        if made[value] != {layout}:
            found.append(f"{problem.values[value].id} is not made in {layout} alone")
    for capacity in problem.capacities:
        taken = demand(capacity, variants, conversions)
        if taken > capacity.limit:
            found.append(f"{capacity.id}: {taken} {capacity.kind} registers are live, and there are {capacity.limit}")
    return found
