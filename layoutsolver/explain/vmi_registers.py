"""What is said of the registers that are live: more than there are, or no layouts that keep within them."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.explain.selection_words import MANY
from layoutsolver.explain.vmi_words import operation_words
from layoutsolver.pose.vmi.capacity import KINDS
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.source import SourceFile, Span
from layoutsolver.vmi.peak import RegisterPeak
from layoutsolver_models.problems.capacity import CONVERSION, Capacity, Held, Pick, RegisterKind, Together
from layoutsolver_models.problems.selection import SelectionProblem
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import narrow
from layoutsolver_models.solve.selection_conflict import Suspects, contradicts
from layoutsolver_models.targets.chip import RegisterLimits


def exceeded(posed: PosedVmi, peaks: tuple[RegisterPeak, ...], there: RegisterLimits) -> list[Diagnostic]:
    """A warning for each kind of which more are live than there are."""
    graph = posed.program.graph
    limit = dict(zip(KINDS, there, strict=True))
    out: list[Diagnostic] = []
    for peak in peaks:
        if peak.registers <= limit[peak.kind]:
            continue
        node = graph.ops[peak.op]
        message = (
            f"{counted(peak.registers, peak.kind)} are live at once in the program as it is lowered here, and there "
            f"are {limit[peak.kind]}"
        )
        label = Label(graph.module.source, node.span, "here")
        notes = (f"live are {peak_words(peak)}", "`--limit-registers chip` looks for layouts that keep within them")
        out.append(Diagnostic("LS0810", "warning", message, label, (), notes))
    return out


def counted(number: int, kind: RegisterKind) -> str:
    """A number of registers.

    >>> counted(1, "vector"), counted(8, "predicate")
    ('1 vector register', '8 predicate registers')
    """
    return f"{number} {kind} register{'s' * (number != 1)}"


def peak_words(peak: RegisterPeak) -> str:
    """What is live at a peak, in how many registers each."""
    shown = [f"{name} in {count}" for name, count in peak.live]
    return ", ".join(shown[:MANY]) + (f" and {len(shown) - MANY} more" if len(shown) > MANY else "")


PROVED = (
    "proved of the order in which the text has its operations and of the instructions that are written for them here; "
    "a register that several values share counts once"
)
"""What stands behind it that no layouts keep within some registers."""


def capacity_conflict(posed: PosedVmi, core: Suspects, minimal: bool, limits: Limits) -> Diagnostic:
    """That no layouts keep within the registers: the point, what is live there, and what asks for it."""
    problem = posed.problem
    source = posed.program.graph.module.source
    points = [problem.capacities[number] for number in sorted(core.capacities)]
    labels = [_point_label(source, problem, point) for point in points]
    ops = [_op_label(posed, number) for number in sorted(core.ops)]
    pins = [_pin_label(posed, number) for number in sorted(core.pins)]
    kinds: tuple[RegisterKind, ...] = tuple(dict.fromkeys(point.kind for point in points))
    allowed = " and ".join(counted(point.limit, point.kind) for point in {one.kind: one for one in points}.values())
    notes = [note for point in points for note in _live_notes(problem, point)]
    for kind in kinds:
        enough = fewest(problem, kind, limits)
        told = posed.points is None or posed.points.told
        if enough is not None and told:
            notes.append(f"with {counted(enough, kind)} there are layouts, with fewer there are none")
        elif enough is not None:
            notes.append(f"with fewer than {counted(enough, kind)} there are no layouts; other places may need more")
    notes.append(PROVED)
    message = f"no layouts keep within {allowed}"
    secondary = tuple(dict.fromkeys((*labels[1:], *ops, *pins)))
    return Diagnostic("LS0811", "error", message, labels[0], secondary, tuple(dict.fromkeys(notes)), (), minimal)


def not_found(source: SourceFile, there: RegisterLimits) -> Diagnostic:
    """That instruction sequences need more than layouts show, and no choice was found for which there is room."""
    allowed = f"{counted(there.vector, 'vector')} and {counted(there.predicate, 'predicate')}"
    message = f"no layouts were found that keep within {allowed}"
    note = (
        "instructions need more registers than points tell, of which it is not known: that none would do is not proved"
    )
    return Diagnostic("LS0811", "error", message, Label(source, Span(0, 0)), notes=(note,))


def fewest(problem: SelectionProblem, kind: RegisterKind, limits: Limits) -> int | None:
    """The least number of registers of a kind with which there is a solution; None if no number will do."""
    high = max(sum(held.registers for held in point.held) for point in problem.capacities if point.kind == kind)
    low = min(point.limit for point in problem.capacities if point.kind == kind) + 1
    if contradicts(_limited(problem, kind, high), limits):
        return None
    while low < high:
        middle = (low + high) // 2
        if contradicts(_limited(problem, kind, middle), limits):
            low = middle + 1
        else:
            high = middle
    return low


def _limited(problem: SelectionProblem, kind: RegisterKind, limit: int) -> SelectionProblem:
    points = tuple(point._replace(limit=limit) if point.kind == kind else point for point in problem.capacities)
    return problem._replace(capacities=points, penalties=(), objective=("registers",))


def _point_label(source: SourceFile, problem: SelectionProblem, point: Capacity) -> Label:
    span = Span(0, 0) if point.where is None else Span(point.where.start, point.where.end)
    place = point.id.partition(" registers ")[2]
    return Label(source, span, f"{place}, more than {counted(point.limit, point.kind)} are live")


def _op_label(posed: PosedVmi, number: int) -> Label:
    where = posed.problem.ops[number].where
    span = Span(0, 0) if where is None else Span(where.start, where.end)
    return Label(posed.program.graph.module.source, span, operation_words(posed, number))


def _pin_label(posed: PosedVmi, number: int) -> Label:
    value, layout = posed.problem.pins[number]
    known = posed.problem.values[value]
    span = Span(0, 0) if known.where is None else Span(known.where.start, known.where.end)
    return Label(posed.program.graph.module.source, span, f"{known.id} is fixed to {layout}")


def _live_notes(problem: SelectionProblem, point: Capacity) -> list[str]:
    """What is live at a point, with the fewest registers that each value takes there in any choice."""
    left = narrow(problem)
    of_value: dict[int, list[Held]] = {}
    for held in point.held:
        of_value.setdefault(held.value, []).append(held)
    shown: list[tuple[int, str]] = []
    for value, some in of_value.items():
        least, most = _counts(some, left.variants)
        if most:
            name = problem.values[value].id if value >= 0 else "what instructions need in between"
            shown.append((least, f"{name} in {least}" + " or more" * (least < most)))
    shown.sort(key=lambda pair: -pair[0])
    listed = ", ".join(text for _, text in shown[: 2 * MANY])
    more = f" and {len(shown) - 2 * MANY} more values" if len(shown) > 2 * MANY else ""
    place = point.id.partition(" registers ")[2]
    return [f"live {place} are {listed}{more}"]


def _counts(some: list[Held], variants: list[list[int]]) -> tuple[int, int]:
    """The fewest and the most registers that a value takes: those that it always takes, and those for its users."""
    always = sum(held.registers for held in some if () in held.by)
    users = {pick.number for held in some for one in held.by for pick in one if pick.variant != CONVERSION}
    least, most = always, always
    for user in users:
        counts = [always + _taken_by(some, Pick(user, variant)) for variant in variants[user]]
        least, most = max(least, min(counts)), max(most, *counts)
    return least, most


def _taken_by(some: list[Held], pick: Pick) -> int:
    """The fewest registers that a pick holds, beside whatever others."""
    beside: dict[Together, int] = {}
    for held in some:
        ways = {tuple(one for one in way if one != pick) for way in held.by if pick in way}
        for way in {()} if () in ways else ways:
            beside[way] = beside.get(way, 0) + held.registers
    alone = beside.pop((), 0)
    return alone + min(beside.values(), default=0)
