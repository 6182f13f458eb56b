"""From a minimal conflict to one diagnostic: the value on which requirements meet, and who requires what.

The conflict is cut at one value: what remains falls into parts, each of which allows that value some layouts. The
value whose removal leaves the most parts is the one to talk about.
"""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span
from layoutsolver_models.problems.layout import LayoutSolution, Pin, Where
from layoutsolver_models.solve.compiled import compile_problem
from layoutsolver_models.solve.conflict import Group, restrict
from layoutsolver_models.solve.propagate import propagate
from layoutsolver_models.vecmem import VECMEM_TYPES


@dataclass(frozen=True, slots=True)
class Part:
    """Groups of a conflict that hang together without the pivot, and the layouts that they allow it."""

    groups: tuple[Group, ...]
    allowed: tuple[str, ...]


def conflict_diagnostic(posed: Posed, solution: LayoutSolution) -> Diagnostic:
    """The diagnostic for an infeasible problem: values, required layouts, and all places."""
    groups = list(solution.conflict)
    domains = [index for kind, index in groups if kind == "domain"]
    rest = [group for group in groups if group[0] != "domain"]
    pivot, parts = _cut(posed, rest, frozenset(domains))
    if any(not part.allowed for part in parts):
        single = _one_value(posed, rest)
        if single is None:
            return _joint(posed, rest, domains, solution.minimal)
        pivot, parts = single
    value = posed.problem.values[pivot]
    labels: list[Label] = []
    notes: list[str] = []
    for part in parts:
        labels.append(_part_label(posed, pivot, part))
        notes.extend(_part_notes(posed, part))
    if pivot in domains:
        labels.append(_domain_label(posed, pivot))
    others = [index for index in domains if index != pivot]
    notes += [_domain_note(posed, index) for index in others]
    known = posed.graph.values[posed.value_of[pivot]]
    if all(label.span != known.span for label in labels):
        labels.append(Label(posed.graph.module.source, known.span, f"`{value.id}` is defined here"))
    notes.append(_closing(len(groups), solution.minimal))
    needs = [_names(part.allowed) for part in parts]
    if pivot in domains:
        needs.append(_names(value.domain))
    what = "predicate" if value.bits == 1 else "vector"
    message = f"no layout of {what} `{value.id}` suits everything that touches it: {_against(needs)}"
    return Diagnostic("LS0101", "error", message, labels[0], tuple(labels[1:]), tuple(notes), (), solution.minimal)


def _against(needs: list[str]) -> str:
    """What the places want, one after the other.

    >>> _against(["b16", "b32"])
    'needed in b16 and in b32'
    """
    return f"needed in {' and in '.join(dict.fromkeys(needs))}"


def _closing(count: int, minimal: bool) -> str:
    if count == 1:
        return "this one requirement cannot be met"
    text = f"these {count} requirements contradict each other"
    return f"{text}; without any one of them there is a layout" if minimal else text


def _joint(posed: Posed, rest: list[Group], domains: list[int], minimal: bool) -> Diagnostic:
    """A conflict in which requirements meet on several values at once: what each operation allows them together."""
    shared = [
        value
        for value in dict.fromkeys(value for group in rest for value in _values(posed, group))
        if sum(value in _values(posed, group) for group in rest) > 1
    ]
    labels: list[Label] = []
    notes: list[str] = []
    for group in sorted(rest, key=lambda group: -(where.start if (where := _where(posed, group)) else 0)):
        labels.append(Label(posed.graph.module.source, _span(_where(posed, group)), _together(posed, group, shared)))
        notes += _part_notes(posed, Part((group,), ()))
    notes += [_domain_note(posed, index) for index in domains]
    notes.append(_closing(len(rest) + len(domains), minimal))
    names = ", ".join(f"`{posed.problem.values[value].id}`" for value in shared) or "the values of this operation"
    message = f"no layouts of {names} suit everything that touches them"
    return Diagnostic("LS0101", "error", message, labels[0], tuple(labels[1:]), tuple(notes), (), minimal)


def _together(posed: Posed, group: Group, shared: list[int]) -> str:
    """The combinations of layouts that a group allows the shared values (or all of its own, if it shares none)."""
    kind, index = group
    if kind != "relation":
        return posed.problem.ties[index].reason if kind == "tie" else "its type gives the layout"
    relation = posed.problem.relations[index]
    places = [place for place, value in enumerate(relation.values) if value in shared or not shared]
    combinations = dict.fromkeys(
        " ".join(f"{posed.problem.values[relation.values[place]].id}:{row.layouts[place]}" for place in places)
        for row in posed.problem.tables[relation.table].rows
    )
    if not combinations:
        return f"`{relation.op}` has no rule for these element widths"
    shown = list(combinations)[:4]
    more = "" if len(combinations) <= 4 else f", or {len(combinations) - 4} more"
    return f"`{relation.op}` takes {' or '.join(shown)}{more}"


def _names(layouts: tuple[str, ...]) -> str:
    return " or ".join(layouts) if layouts else "none at all"


def _span(where: Where | None) -> Span:
    return Span(where.start, where.end) if where is not None else Span(0, 0)


def _cut(posed: Posed, groups: list[Group], relaxed: frozenset[int]) -> tuple[int, list[Part]]:
    """The value to talk about, and the parts into which the conflict falls without it."""
    touched: dict[int, int] = {}
    for group in groups:
        for value in set(_values(posed, group)):
            touched[value] = touched.get(value, 0) + 1
    best: tuple[tuple[int, int, int], int, list[list[Group]]] | None = None
    for value in touched:
        pieces = _pieces(posed, groups, value)
        key = (len(pieces) + (value in relaxed), -max(map(len, pieces)), -value)
        if best is None or key > best[0]:
            best = (key, value, pieces)
    assert best is not None
    _, pivot, pieces = best
    parts = [Part(tuple(piece), _allowed(posed, piece, pivot)) for piece in pieces]
    parts.sort(key=lambda part: -_first_place(posed, part))
    return pivot, parts


def _one_value(posed: Posed, groups: list[Group]) -> tuple[int, list[Part]] | None:
    """A value for which the groups that touch it leave no layout, each group being taken by itself."""
    for value in dict.fromkeys(value for group in groups for value in _values(posed, group)):
        parts = [
            Part((group,), _allowed(posed, [group], value)) for group in groups if value in _values(posed, group)
        ]
        common = set.intersection(*(set(part.allowed) for part in parts))
        if len(parts) == len(groups) and not common and all(part.allowed for part in parts):
            return value, sorted(parts, key=lambda part: -_first_place(posed, part))
    return None


def _values(posed: Posed, group: Group) -> tuple[int, ...]:
    kind, index = group
    problem = posed.problem
    if kind == "relation":
        return problem.relations[index].values
    if kind == "tie":
        return problem.ties[index].values
    return (problem.pins[index].value if kind == "pin" else index,)


def _pieces(posed: Posed, groups: list[Group], pivot: int) -> list[list[Group]]:
    """The groups, those together that share a value other than the pivot."""
    pieces: list[tuple[set[int], list[Group]]] = []
    for group in groups:
        mine = set(_values(posed, group)) - {pivot}
        together = [group]
        apart = []
        for values, members in pieces:
            if values & mine:
                mine |= values
                together = members + together
            else:
                apart.append((values, members))
        pieces = [*apart, (mine, together)]
    return [members for _, members in pieces]


def _allowed(posed: Posed, groups: list[Group], pivot: int) -> tuple[str, ...]:
    """The layouts that these groups alone allow the pivot."""
    sub = restrict(posed.problem, groups, frozenset({pivot}))
    order = list(dict.fromkeys(value for group in _restrict_order(groups) for value in _values(posed, group)))
    number = order.index(pivot)
    allowed = []
    for layout in posed.problem.layouts:
        pinned = type(sub)(
            sub.layouts, sub.values, sub.tables, sub.relations, sub.ties, (*sub.pins, Pin(number, layout))
        )
        compiled = compile_problem(pinned)
        state = list(compiled.start)
        if 0 not in state and propagate(compiled, state, range(len(compiled.scopes))) < 0:
            allowed.append(layout)
    return tuple(allowed)


def _restrict_order(groups: list[Group]) -> list[Group]:
    """The groups in the order in which `restrict` numbers their values."""
    return sorted(groups, key=lambda group: ("relation", "tie", "pin", "domain").index(group[0]))


def _first_place(posed: Posed, part: Part) -> int:
    places = [where.start for group in part.groups if (where := _where(posed, group)) is not None]
    return max(places, default=0)


def _where(posed: Posed, group: Group) -> Where | None:
    kind, index = group
    problem = posed.problem
    if kind == "relation":
        return problem.relations[index].where
    if kind == "tie":
        return problem.ties[index].where
    return problem.pins[index].where if kind == "pin" else problem.values[index].where


def _part_label(posed: Posed, pivot: int, part: Part) -> Label:
    """Where the part touches the pivot, and the layout that it wants there."""
    nearest = next((group for group in part.groups if pivot in _values(posed, group)), part.groups[0])
    name = posed.problem.values[pivot].id
    kind, index = nearest
    if kind == "relation":
        who = f"`{posed.problem.relations[index].op}` takes"
    elif kind == "tie":
        who = f"{posed.problem.ties[index].reason}, it takes"
    else:
        who = "its type gives"
    return Label(posed.graph.module.source, _span(_where(posed, nearest)), f"{who} `{name}` in {_names(part.allowed)}")


def _part_notes(posed: Posed, part: Part) -> list[str]:
    source = posed.graph.module.source
    notes = []
    for kind, index in part.groups:
        where = _where(posed, (kind, index))
        place = f"{where.line}:{where.column}" if where is not None else source.name
        if kind == "relation":
            relation = posed.problem.relations[index]
            rows = posed.problem.tables[relation.table].rows
            ids = ", ".join(dict.fromkeys(row.rule for row in rows)) or "none"
            notes.append(f"{place} `{relation.op}`: rules {ids}")
        elif kind == "tie":
            tie = posed.problem.ties[index]
            names = ", ".join(f"`{posed.problem.values[value].id}`" for value in tie.values)
            notes.append(f"{place} {names} have one layout: {tie.reason}")
    return notes


def _domain_label(posed: Posed, index: int) -> Label:
    value = posed.problem.values[index]
    return Label(posed.graph.module.source, _span(value.where), _room(posed, index))


def _room(posed: Posed, index: int) -> str:
    value = posed.problem.values[index]
    lanes = max((VECMEM_TYPES[name].lanes for name in value.domain), default=0)
    text = f"{value.lanes} elements of {value.bits} bit{'s' * (value.bits != 1)} go in {_names(value.domain)} only"
    return text if value.lanes <= lanes else f"{text}, which hold {lanes}"


def _domain_note(posed: Posed, index: int) -> str:
    value = posed.problem.values[index]
    place = f"{value.where.line}:{value.where.column} " if value.where is not None else ""
    return f"{place}`{value.id}`: {_room(posed, index)}"
