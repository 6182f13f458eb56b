"""What the schema of selection problems cannot say: numbers in range, layouts known, one entry for each port."""

from __future__ import annotations

from collections.abc import Iterator

from layoutsolver_models.problems.capacity import CONVERSION, Together
from layoutsolver_models.problems.selection import Cost, Saving, SelectionOp, SelectionProblem

Fault = tuple[str, str]
"""A place in the document and what is wrong there."""


def check_selection(problem: SelectionProblem) -> list[Fault]:
    """The faults of a problem, in the order of the document."""
    return [
        *_pipes(problem), *_values(problem), *_ops(problem), *_conversions(problem), *_wishes(problem),
        *_capacities(problem), *_start(problem), *_savings(problem),
    ]  # fmt: skip


def _pipes(problem: SelectionProblem) -> Iterator[Fault]:
    if len(set(problem.pipes)) < len(problem.pipes):
        yield "/pipes", "a pipe is listed twice"
    for number, pipe in enumerate(problem.bounded):
        if pipe not in problem.pipes:
            yield f"/bounded/{number}", f"no such pipe: {pipe}"
    if len(set(problem.objective)) < len(problem.objective) or not problem.objective:
        yield "/objective", "each objective is named once, and at least one"


def _values(problem: SelectionProblem) -> Iterator[Fault]:
    for number, value in enumerate(problem.values):
        if len(set(value.layouts)) < len(value.layouts):
            yield f"/values/{number}/layouts", "a layout is listed twice"
        if len(value.registers) != len(value.layouts):
            yield f"/values/{number}/registers", "one number for each layout is needed"
        if any(count < 0 for count in value.registers):
            yield f"/values/{number}/registers", "must not be negative"


def _ops(problem: SelectionProblem) -> Iterator[Fault]:
    count = len(problem.values)
    made: dict[int, int] = {}
    once: dict[str, Cost] = {}
    for number, op in enumerate(problem.ops):
        place = f"/ops/{number}"
        if op.weight < 0:
            yield f"{place}/weight", "must not be negative"
        wrong = False
        for role, numbers in (("operands", op.operands), ("results", op.results)):
            for at, value in enumerate(numbers):
                if not 0 <= value < count:
                    wrong = True
                    yield f"{place}/{role}/{at}", f"no such value: there are {count}"
        for at, value in enumerate(op.results):
            if value in made:
                yield f"{place}/results/{at}", f"operation {made[value]} makes this value as well"
            made.setdefault(value, number)
        if not wrong:
            yield from _variants(problem, op, place, once)
    for number, op in enumerate(problem.ops):
        for at, value in enumerate(op.operands):
            if 0 <= value < count and value not in made:
                yield f"/ops/{number}/operands/{at}", "no operation makes this value"


def _variants(problem: SelectionProblem, op: SelectionOp, place: str, once: dict[str, Cost]) -> Iterator[Fault]:
    ports = (*op.operands, *op.results)
    for number, variant in enumerate(op.variants):
        here = f"{place}/variants/{number}"
        if len(variant.layouts) != len(ports):
            yield f"{here}/layouts", f"one layout for each of {len(ports)} operands and results is needed"
            continue
        for at, (value, layout) in enumerate(zip(ports, variant.layouts, strict=True)):
            if layout not in problem.values[value].layouts:
                yield f"{here}/layouts/{at}", f"{problem.values[value].id} has no layout {layout}"
        yield from _cost(problem, variant.cost, f"{here}/cost")
        if variant.once:
            yield from _cost(problem, variant.once, f"{here}/once")
        for at, setup in enumerate(variant.setups):
            yield from _cost(problem, setup.cost, f"{here}/setups/{at}/cost")
            if once.setdefault(setup.name, setup.cost) != setup.cost:
                yield f"{here}/setups/{at}/cost", f"what `{setup.name}` names costs something else elsewhere"


def _cost(problem: SelectionProblem, cost: Cost, place: str) -> Iterator[Fault]:
    if len(cost) != len(problem.pipes):
        yield place, f"one number for each of {len(problem.pipes)} pipes is needed"
    elif any(one < 0 for one in cost):
        yield place, "must not be negative"


def _hands_over(problem: SelectionProblem, saving: Saving, variant: int) -> bool:
    """Whether a variant of the maker makes a value in the layout in which the variant that saves takes it."""
    user, maker = problem.ops[saving.op], problem.ops[saving.maker]
    made = zip(maker.results, maker.variants[variant].layouts[len(maker.operands) :], strict=False)
    return not set(made).isdisjoint(zip(user.operands, user.variants[saving.variant].layouts, strict=False))


def _savings(problem: SelectionProblem) -> Iterator[Fault]:
    known: set[tuple[int, int]] = set()
    for number, saving in enumerate(problem.savings):
        place = f"/savings/{number}"
        wrong = [role for role in ("op", "maker") if not 0 <= getattr(saving, role) < len(problem.ops)]
        if wrong:
            yield f"{place}/{wrong[0]}", f"no such operation: there are {len(problem.ops)}"
            continue
        variants = problem.ops[saving.op].variants
        if not 0 <= saving.variant < len(variants):
            yield f"{place}/variant", f"no such variant: there are {len(variants)}"
            continue
        if not all(0 <= one < len(problem.ops[saving.maker].variants) for one in saving.variants):
            yield f"{place}/variants", f"no such variant: there are {len(problem.ops[saving.maker].variants)}"
        elif not all(_hands_over(problem, saving, one) for one in saving.variants):
            yield f"{place}/variants", "makes nothing that this variant takes, in the layout that it takes it in"
        if (saving.op, saving.variant) in known:
            yield place, "this variant saves something already"
        known.add((saving.op, saving.variant))
        yield from _cost(problem, saving.cost, f"{place}/cost")
        if any(one > most for one, most in zip(saving.cost, variants[saving.variant].cost, strict=False)):
            yield f"{place}/cost", "more than the variant costs"


def _conversions(problem: SelectionProblem) -> Iterator[Fault]:
    for number, way in enumerate(problem.conversions):
        place = f"/conversions/{number}"
        if not 0 <= way.value < len(problem.values):
            yield f"{place}/value", f"no such value: there are {len(problem.values)}"
            continue
        known = problem.values[way.value]
        for field, layout in (("before", way.before), ("after", way.after)):
            if layout not in known.layouts:
                yield f"{place}/{field}", f"{known.id} has no layout {layout}"
        if way.weight < 0:
            yield f"{place}/weight", "must not be negative"
        yield from _cost(problem, way.cost, f"{place}/cost")


def _wishes(problem: SelectionProblem) -> Iterator[Fault]:
    fixed: dict[int, int] = {}
    for number, (value, layout) in enumerate(problem.pins):
        yield from _wish(problem, value, layout, f"/pins/{number}")
        if value in fixed:
            yield f"/pins/{number}", f"pin {fixed[value]} fixes this value as well"
        fixed.setdefault(value, number)
    for number, (value, layout, cost) in enumerate(problem.penalties):
        yield from _wish(problem, value, layout, f"/penalties/{number}")
        if cost < 0:
            yield f"/penalties/{number}/2", "must not be negative"


def _wish(problem: SelectionProblem, value: int, layout: str, place: str) -> Iterator[Fault]:
    if not 0 <= value < len(problem.values):
        yield f"{place}/0", f"no such value: there are {len(problem.values)}"
    elif layout not in problem.values[value].layouts:
        yield f"{place}/1", f"{problem.values[value].id} has no layout {layout}"


def _capacities(problem: SelectionProblem) -> Iterator[Fault]:
    for number, capacity in enumerate(problem.capacities):
        if capacity.limit < 0:
            yield f"/capacities/{number}/limit", "must not be negative"
        yield from _picks(problem, capacity.when, f"/capacities/{number}/when")
        for at, held in enumerate(capacity.held):
            place = f"/capacities/{number}/held/{at}"
            if not -1 <= held.value < len(problem.values):
                yield f"{place}/value", f"no such value: there are {len(problem.values)}"
            if held.registers < 0:
                yield f"{place}/registers", "must not be negative"
            for way, together in enumerate(held.by):
                yield from _picks(problem, together, f"{place}/by/{way}")


def _picks(problem: SelectionProblem, together: Together, place: str) -> Iterator[Fault]:
    for at, pick in enumerate(together):
        converts = pick.variant == CONVERSION
        many = len(problem.conversions if converts else problem.ops)
        if not 0 <= pick.number < many:
            yield f"{place}/{at}/number", f"no such {'conversion' if converts else 'operation'}: there are {many}"
        elif not converts and not 0 <= pick.variant < len(problem.ops[pick.number].variants):
            yield f"{place}/{at}/variant", f"no such variant: there are {len(problem.ops[pick.number].variants)}"


def _start(problem: SelectionProblem) -> Iterator[Fault]:
    if problem.start is None:
        return
    if len(problem.start.variants) != len(problem.ops):
        yield "/start/variants", f"one entry for each of {len(problem.ops)} operations is needed"
        return
    for number, (op, taken) in enumerate(zip(problem.ops, problem.start.variants, strict=True)):
        if any(not 0 <= variant < len(op.variants) for variant in taken):
            yield f"/start/variants/{number}", f"no such variant: there are {len(op.variants)}"
    for number, way in enumerate(problem.start.conversions):
        if not 0 <= way < len(problem.conversions):
            yield f"/start/conversions/{number}", f"no such conversion: there are {len(problem.conversions)}"
