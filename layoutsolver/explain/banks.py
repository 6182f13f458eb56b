"""Why the banks of a program do not fit at a level: where the peak is, who lives there, what kind of fault, what helps.

Every statement is solved: the peak is the least that the level can have, and the level that helps is the first one at
which a placement exists. Source: buckyball 8.5.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.banks.answer import solved_problem
from layoutsolver_models.banks.floor import capacity_floor
from layoutsolver_models.banks.solve import height, powers_of, solve_banks
from layoutsolver_models.banks.split import cut, too_deep, ways
from layoutsolver_models.banks.uses import uses_of
from layoutsolver_models.cp.banks import BankModel
from layoutsolver_models.cp.timed import Search
from layoutsolver_models.problems.banks import LEVELS, Bank, BankOp, BankProblem, BankSolution, Level, Split
from layoutsolver_models.problems.layout import Where
from layoutsolver_models.solve.layout import Limits

HELPFUL: tuple[Level, ...] = ("placement", "liveness", "reorder", "coalesce", "spill", "split")
"""The levels that can make a program fit that did not."""


class Peak(NamedTuple):
    """The operation at which most banks are live at the least, who lives there, and how many banks they take."""

    op: int
    live: tuple[int, ...]
    load: int


def refusal(source: SourceFile, name: str, problem: BankProblem, level: Level, limits: Limits) -> Diagnostic:
    """LS1030: that a function does not fit at a level, why, and the cheapest level at which it does."""
    if too_deep(problem):
        found = ways(problem) if level == "split" else []
        if not found:
            return _deep_refusal(source, name, problem, level, limits)
        problem = cut(problem, found[0])
    floor = capacity_floor(problem, powers_of(level).in_place)
    if floor.size > problem.bank_num:
        op = problem.ops[floor.op]
        peak = Peak(floor.op, tuple(sorted({*op.reads, *op.writes})), floor.size)
    else:
        peak = least_peak(problem, level, limits)
    fix = cheapest_level(problem, level, limits)
    kind, reason = _kind(problem, level, peak, limits)
    banks = f"{problem.bank_num} banks"
    message = f"`{name}` does not fit into {banks} at `{level}`: {kind}"
    labels = [_label(source, problem.banks[bank].where, _about(problem, bank)) for bank in peak.live]
    primary = _label(source, problem.ops[peak.op].where if peak.op >= 0 else None, f"{peak.load} banks are live here")
    demand = " + ".join(str(problem.banks[bank].size) for bank in peak.live)
    notes = [f"live at the peak: {demand}, {banks} are there", reason]
    notes.append("no level makes it fit" if fix is None else _fix_text(problem, fix))
    return Diagnostic("LS1030", "error", message, primary, tuple(label for label in labels if label.text), tuple(notes))


def _deep_refusal(
    source: SourceFile, name: str, problem: BankProblem, level: Level, limits: Limits
) -> Diagnostic:  # fmt: skip
    """LS1030 where a bank would need more rows than there are."""
    deep = too_deep(problem)
    deepest = max(deep, key=lambda bank: problem.banks[bank].rows)
    rows, entries = problem.banks[deepest].rows, problem.bank_entries
    user = next(iter(uses_of(problem)[deepest]))
    labels = [_label(source, problem.banks[bank].where, f"{_about(problem, bank)}: {problem.banks[bank].rows} rows")
              for bank in deep]  # fmt: skip
    notes = [f"a bank has {entries} rows"]
    if not ways(problem):
        notes.append("no level makes it fit: not all that uses these banks can be done in parts of fewer rows")
    else:
        fix = solve_banks(problem, "split", limits)
        notes.append(_fix_text(problem, fix) if fix.order else "no level makes it fit")
    message = f"`{name}` does not fit into banks of {entries} rows at `{level}`: capacity floor"
    primary = _label(source, problem.ops[user].where, f"{rows} rows are needed here")
    return Diagnostic("LS1030", "error", message, primary, tuple(labels), tuple(notes))


def least_peak(problem: BankProblem, level: Level, limits: Limits) -> Peak:
    """The peak of the best order and lives that a level can have, were there as many banks as wanted."""
    wide = problem._replace(
        bank_num=sum(bank.size for bank in problem.banks) or 1, largest_id=sum(bank.size for bank in problem.banks),
        model="hw_mapped",
    )  # fmt: skip
    found = solve_banks(wide, level, limits)
    if not found.order:
        return Peak(-1, (), 0)
    lives = _lives(problem, found)
    best = Peak(-1, (), 0)
    for position, op in enumerate(found.order):
        point = problem.places[op] if level in ("first_fit", "placement") else position
        live = tuple(bank for bank, (start, end) in enumerate(lives) if start <= point < end)
        load = sum(problem.banks[bank].size for bank in live)
        if load > best.load:
            best = Peak(op, live, load)
    return best


def _lives(problem: BankProblem, found: BankSolution) -> list[tuple[int, int]]:
    if found.level in ("first_fit", "placement"):
        return [(bank.alloc, bank.release) for bank in problem.banks]
    into = dict(found.shared)
    spans = zip(found.first, found.last, strict=True)
    return [(start, end if bank in into else end + 1) for bank, (start, end) in enumerate(spans)]


def cheapest_level(problem: BankProblem, level: Level, limits: Limits) -> BankSolution | None:
    """The answer of the first level above this one at which the program fits; None if none does."""
    for other in HELPFUL:
        if LEVELS.index(other) <= LEVELS.index(level):
            continue
        if other in ("reorder", "coalesce"):
            found = nearest_order(problem, other, limits)
        else:
            found = solve_banks(problem, other, limits)
        if found.order:
            return found
    return None


def nearest_order(problem: BankProblem, level: Level, limits: Limits) -> BankSolution:
    """The order that fits and in which operations are moved as few places as possible, with its own peak."""
    model = BankModel(problem, powers_of(level), problem.bank_num)
    distances = []
    for place, time in enumerate(model.times):
        distance = model.model.new_integer_between(f"moved {place}", 0, len(model.times))
        model.model.linear("moved", [(1, distance), (-1, time)], low=-place)
        model.model.linear("moved", [(1, distance), (1, time)], low=place)
        distances.append((len(problem.banks) * 16, distance))
    model.model.minimize_total([*distances, (1, model.peak)])
    answer, places = model.solve(Search(limits.seed, limits.workers, limits.seconds, probing=False))
    if places is None:
        return BankSolution(answer.status, level)
    order = tuple(sorted(range(len(problem.ops)), key=lambda op: places.times[op]))
    peak = height(problem, places.ids, places)
    return BankSolution(answer.status, level, order, places.ids, peak=peak, shared=places.shared)


def _kind(problem: BankProblem, level: Level, peak: Peak, limits: Limits) -> tuple[str, str]:
    """The class of the fault, and its reason in words."""
    floor = capacity_floor(problem, powers_of(level).in_place)
    if floor.size > problem.bank_num:
        op = problem.ops[floor.op]
        return "capacity floor", f"{_op(problem, floor.op)} alone needs {floor.size} banks: {_operands(problem, op)}"
    lifted = problem._replace(largest_id=max(problem.bank_num, len(problem.banks)))
    if problem.largest_id < lifted.largest_id and solve_banks(lifted, level, limits).order:
        return "id bound", f"instructions reach bank {problem.largest_id} only"
    if peak.load <= problem.bank_num:
        return "fragmentation", "there are enough banks at every point, but not beside each other"
    exact = solve_banks(problem, "liveness", limits) if LEVELS.index(level) < LEVELS.index("liveness") else None
    if exact is not None and exact.order:
        return "live range", "banks are allocated before they are written, or released after their last use"
    return "order", "with the orders and lives of this level, too many live at once"


def _operands(problem: BankProblem, op: BankOp) -> str:
    banks = dict.fromkeys((*op.reads, *op.writes))
    return ", ".join(f"`%{problem.banks[bank].name}` {problem.banks[bank].size}" for bank in banks)


def _fix_text(problem: BankProblem, found: BankSolution) -> str:
    """The cheapest change that helps, in words."""
    changes = []
    if found.level == "placement":
        changes.append("the same lives, placed elsewhere")
    elif found.level == "liveness":
        changes.append("allocate before the first write, release after the last use")
    elif found.level == "split":
        changes += [_cut_text(problem, split) for split in found.splits]
    else:
        changes += moves(problem, found)
    problem = solved_problem(problem, found)
    names = problem.banks
    if found.level != "split":
        changes += [f"`%{names[into].name}` takes the bank of `%{names[bank].name}`" for bank, into in found.shared]
    for spill in found.spills:
        way = "is loaded again" if spill.reload >= 0 else "goes to memory and back"
        changes.append(f"`%{names[spill.bank].name}` {way} before {_op(problem, spill.before)}")
    return f"feasible with {found.level}: {'; '.join(changes) or 'release earlier'}, peak {found.peak}"


def _cut_text(problem: BankProblem, split: Split) -> str:
    chain = problem.chains[split.chain]
    parts = " + ".join(str(part) for part in split.parts)
    return f"{chain.rows} rows as {parts}, from {_op(problem, chain.ops[0])} to {_op(problem, chain.ops[-1])}"


def moves(problem: BankProblem, found: BankSolution) -> list[str]:
    """The fewest operations whose moves turn the text's order into the new one, each behind which other."""
    order = [op for op in found.order if op < len(problem.ops)]
    stay = _longest_rising(order)
    said = []
    for place, op in enumerate(order):
        if op not in stay:
            behind = f"after {_op(problem, order[place - 1])}" if place else "to the front"
            said.append(f"move {_op(problem, op)} {behind}")
    return said


def _longest_rising(order: list[int]) -> set[int]:
    """The members of a longest rising subsequence."""
    tails: list[int] = []
    ends: list[int] = []
    back: dict[int, int | None] = {}
    for value in order:
        at = bisect_left(tails, value)
        back[value] = ends[at - 1] if at else None
        tails[at : at + 1] = [value]
        ends[at : at + 1] = [value]
    found: set[int] = set()
    at_end: int | None = ends[-1] if ends else None
    while at_end is not None:
        found.add(at_end)
        at_end = back[at_end]
    return found


def _op(problem: BankProblem, number: int) -> str:
    op = problem.ops[number]
    line = "" if op.where is None else f" (line {op.where.line})"
    return f"`{op.name.removeprefix('buckyball.')}`{line}"


def _about(problem: BankProblem, number: int) -> str:
    """Name, columns, first writer and last use of a bank."""
    bank: Bank = problem.banks[number]
    users = uses_of(problem)[number]
    writer = next((user for user in users if number in problem.ops[user].writes), None)
    text = f"`%{bank.name}`, {bank.size} bank{'s' * (bank.size > 1)}"
    if writer is not None:
        text += f", written by {_op(problem, writer)}"
    return text + (f", last used by {_op(problem, users[-1])}" if users else ", never used")


def _label(source: SourceFile, where: Where | None, text: str) -> Label:
    return Label(source, Span(0, 0) if where is None else Span(where.start, where.end), text)
