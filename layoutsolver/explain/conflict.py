"""From a minimal conflict to one diagnostic: the value on which requirements meet, and who requires what.

The conflict is cut at one value: what remains falls into parts, each of which allows that value some layouts. The
value whose removal leaves the most parts is the one to talk about; where no value does, what each operation allows
for the values that they share is said together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from layoutsolver.diagnostics.diagnostic import Diagnostic, Fix, Label
from layoutsolver.explain.words import group_where, group_words, names, refusals, room
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span
from layoutsolver_models.problems.layout import Group, LayoutValue, Pin, Table, Where
from layoutsolver_models.solve.compiled import compile_problem
from layoutsolver_models.solve.conflict import Conflict, restrict
from layoutsolver_models.solve.propagate import propagate

SHARED = 3
"""Definitions of so many shared values are pointed at."""


@dataclass(frozen=True, slots=True)
class Part:
    """Groups of a conflict that hang together without the pivot, and the layouts that they allow it."""

    groups: tuple[Group, ...]
    allowed: tuple[str, ...]


def conflict_diagnostic(posed: Posed, conflict: Conflict, fixes: tuple[Fix, ...] = ()) -> Diagnostic:
    """The diagnostic for a conflict: values, required layouts, and all places."""
    domains = [index for kind, index in conflict.groups if kind == "domain"]
    rest = [group for group in conflict.groups if group[0] != "domain"]
    pivot, parts = _cut(posed, rest, frozenset(domains))
    if any(not part.allowed for part in parts):
        single = _one_value(posed, rest)
        if single is None:
            return _joint(posed, rest, domains, conflict, fixes)
        pivot, parts = single
    value = posed.problem.values[pivot]
    if pivot not in domains:
        parts = [replace(part, allowed=_plausible(value, part.allowed)) for part in parts]
    labels = [_part_label(posed, pivot, part) for part in parts]
    labels += [label for part in parts for label in _part_reasons(posed, pivot, part)]
    needs = [names(part.allowed) for part in parts]
    if pivot in domains:
        labels.append(Label(posed.graph.module.source, _span(value.where), room(posed, pivot)))
        needs.append(names(value.domain))
    notes = [group_words(posed, group) for part in parts for group in part.groups]
    notes += [group_words(posed, ("domain", index)) for index in domains if index != pivot]
    notes += refusals(posed, rest)
    notes.append(_closing(len(conflict.groups), conflict.minimal))
    labels += _definitions(posed, [pivot, *_shared(posed, rest)], labels)
    what = "mask" if value.bits == 1 else "vector"
    message = f"no layout of {what} `{value.id}` suits everything that touches it: {against(needs)}"
    return Diagnostic("LS0101", "error", message, labels[0], tuple(labels[1:]), tuple(notes), fixes, conflict.minimal)


def against(needs: list[str]) -> str:
    """What the places want, one after the other.

    >>> against(["b16", "b32"])
    'needed in b16 here, in b32 there'
    >>> against(["b8", "b16", "b32"])
    'needed in b8, in b16 and in b32'
    """
    different = list(dict.fromkeys(needs))
    if len(different) == 1:
        return f"needed in {different[0]}"
    if len(different) == 2:
        return f"needed in {different[0]} here, in {different[1]} there"
    return "needed in " + ", in ".join(different[:-1]) + f" and in {different[-1]}"


def _definitions(posed: Posed, values: list[int], labels: list[Label]) -> list[Label]:
    """Labels for where values are defined, those left out that a label points at already."""
    out: list[Label] = []
    for value in dict.fromkeys(values[: SHARED + 1]):
        known = posed.graph.values[posed.value_of[value]]
        if all(label.span != known.span for label in [*labels, *out]):
            out.append(
                Label(posed.graph.module.source, known.span, f"`{posed.problem.values[value].id}` is defined here")
            )
    return out


def _shared(posed: Posed, groups: list[Group]) -> list[int]:
    """The values that more than one group touches."""
    touched = dict.fromkeys(value for group in groups for value in _values(posed, group))
    return [value for value in touched if sum(value in _values(posed, group) for group in groups) > 1]


def _closing(count: int, minimal: bool) -> str:
    if count == 1:
        return "this one requirement cannot be met"
    text = f"these {count} requirements contradict each other"
    return f"{text}; without any one of them there is a layout" if minimal else text


def _joint(
    posed: Posed, rest: list[Group], domains: list[int], conflict: Conflict, fixes: tuple[Fix, ...]
) -> Diagnostic:
    """A conflict in which requirements meet on several values at once: what each operation allows them together."""
    shared = _shared(posed, rest)
    ordered = sorted(rest, key=lambda group: -_start(group_where(posed, group)))
    source = posed.graph.module.source
    labels = [Label(source, _span(group_where(posed, group)), _together(posed, group, shared)) for group in ordered]
    notes = [group_words(posed, group) for group in ordered]
    notes += [group_words(posed, ("domain", index)) for index in domains]
    notes += refusals(posed, rest)
    notes.append(_closing(len(conflict.groups), conflict.minimal))
    labels += _definitions(posed, shared, labels)
    called = ", ".join(f"`{posed.problem.values[value].id}`" for value in shared) or "the values of this operation"
    message = f"no layouts of {called} suit everything that touches them"
    if len(rest) == 1 and rest[0][0] == "relation" and _table(posed, rest[0][1]).refused:
        relation = posed.problem.relations[rest[0][1]]
        called = ", ".join(dict.fromkeys(f"`{posed.problem.values[value].id}`" for value in relation.values))
        whys = dict.fromkeys(refused.why for refused in _table(posed, rest[0][1]).refused)
        why = f": {next(iter(whys))}" if len(whys) == 1 else ""
        message = f"`{relation.op}` does what it means in no layouts of {called}{why}"
    return Diagnostic("LS0101", "error", message, labels[0], tuple(labels[1:]), tuple(notes), fixes, conflict.minimal)


def _together(posed: Posed, group: Group, shared: list[int]) -> str:
    """The combinations of layouts that a group allows the shared values (or all of its own, if it shares none)."""
    kind, index = group
    if kind != "relation":
        return posed.problem.ties[index].reason if kind == "tie" else "its type gives the layout"
    relation = posed.problem.relations[index]
    places = [place for place, value in enumerate(relation.values) if value in shared or not shared]
    values = [posed.problem.values[relation.values[place]] for place in places]
    rows = [[row.layouts[place] for place in places] for row in posed.problem.tables[relation.table].rows]
    possible = [row for row in rows if all(name in value.domain for value, name in zip(values, row, strict=True))]
    combinations = dict.fromkeys(
        " with ".join(dict.fromkeys(f"`{value.id}` in {name}" for value, name in zip(values, row, strict=True)))
        for row in possible or rows
    )
    if not combinations:
        if _table(posed, index).refused:
            return "no layout is right here"
        return f"`{relation.op}` has no rule for these element widths"
    shown = list(combinations)[:4]
    more = "" if len(combinations) <= 4 else f", or {len(combinations) - 4} more"
    return f"`{relation.op}` takes {', or '.join(shown)}{more}"


def _table(posed: Posed, relation: int) -> Table:
    return posed.problem.tables[posed.problem.relations[relation].table]


def _start(where: Where | None) -> int:
    return where.start if where is not None else 0


def _span(where: Where | None) -> Span:
    return Span(where.start, where.end) if where is not None else Span(0, 0)


def _cut(posed: Posed, groups: list[Group], relaxed: frozenset[int]) -> tuple[int, list[Part]]:
    """The value to talk about, and the parts into which the conflict falls without it."""
    touched = dict.fromkeys(value for group in groups for value in _values(posed, group))
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
        parts = [Part((group,), _allowed(posed, [group], value)) for group in groups if value in _values(posed, group)]
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
    return max((_start(group_where(posed, group)) for group in part.groups), default=0)


def _nearest(posed: Posed, pivot: int, part: Part) -> Group:
    """The group of a part that touches the pivot."""
    return next((group for group in part.groups if pivot in _values(posed, group)), part.groups[0])


def _part_label(posed: Posed, pivot: int, part: Part) -> Label:
    """Where the part touches the pivot, and the layout that it wants there."""
    nearest = _nearest(posed, pivot, part)
    name = posed.problem.values[pivot].id
    kind, index = nearest
    then = " then" if len(part.groups) > 1 else ""
    if kind == "relation":
        who = f"`{posed.problem.relations[index].op}`{then} takes `{name}` in"
    elif kind == "tie":
        who = f"{posed.problem.ties[index].reason}: `{name}` must{then} be in"
    else:
        who = f"its type gives `{name}` the layout"
    span = _span(group_where(posed, nearest))
    return Label(posed.graph.module.source, span, f"{who} {names(part.allowed)}")


def _part_reasons(posed: Posed, pivot: int, part: Part) -> list[Label]:
    """Why a part wants its layout for the pivot: what its other groups want for the values that they share."""
    nearest = _nearest(posed, pivot, part)
    labels = []
    for group in part.groups:
        if group == nearest:
            continue
        others = {value for other in part.groups if other != group for value in _values(posed, other)}
        shared = [value for value in dict.fromkeys(_values(posed, group)) if value in others]
        wants = []
        for value in shared:
            known = posed.problem.values[value]
            allowed = _plausible(known, _allowed(posed, [group], value))
            if set(allowed) < set(known.domain) or not set(allowed) & set(known.domain):
                wants.append(f"`{known.id}` in {names(allowed)}")
        called = " and ".join(f"`{posed.problem.values[value].id}`" for value in shared)
        kind, index = group
        if kind == "relation":
            who = f"`{posed.problem.relations[index].op}`"
            text = f"{who} takes {', '.join(wants)}" if wants else f"{who} links the layouts of its vectors"
        elif kind == "tie":
            text = f"{posed.problem.ties[index].reason}: {called} have one layout"
        else:
            text = f"its type gives {called} the layout {posed.problem.pins[index].layout}"
        labels.append(Label(posed.graph.module.source, _span(group_where(posed, group)), text))
    return labels


def _plausible(value: LayoutValue, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Of the layouts that an operation allows, those that exist for the vector; all if none does."""
    return tuple(name for name in allowed if name in value.domain) or allowed
