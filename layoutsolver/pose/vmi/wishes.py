"""Layouts that users fix or wish for: on the command line, by value, or in the text, by `layoutsolver.hint`."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.ops.attributes import attributes
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver_models.problems.selection import SelectionProblem
from layoutsolver_models.rules.vmi.layouts import LAYOUT_NAMES

HINT = "layoutsolver.hint"
"""The attribute by which an operation says in which layout its results are wished for: `"d2"`, or `"d2:3"`, where any
other one may cost three instructions more; `"d2!"` fixes it."""

MASK_WIDTHS = ("b8", "b16", "b32")


class Wish(NamedTuple):
    """A value by its name (`%x`, or `%x@12` for the one of line 12), a layout, and what another one may cost."""

    value: str
    layout: str
    weight: int = 1


class Wished(NamedTuple):
    """A wish for a value of the problem: the layout as users name it, and as the problem does; fixed, or preferred."""

    value: int
    layout: str
    layouts: tuple[str, ...]
    fixed: bool


class WishError(Exception):
    """A wish for a value or a layout that does not exist."""


def parse_wish(text: str, weighted: bool = False) -> Wish:
    """The wish that an argument spells: `VALUE=LAYOUT`, with `:WEIGHT` behind it if that may be. Raises `WishError`.

    >>> parse_wish("%x=d2"), parse_wish("m=b16 c:5", weighted=True)
    (Wish(value='%x', layout='d2', weight=1), Wish(value='%m', layout='b16 c', weight=5))
    """
    name, equals, rest = text.partition("=")
    layout, colon, weight = rest.partition(":") if weighted else (rest, "", "")
    layout = " ".join(layout.split())
    bare = layout.rpartition(" ")
    if not name.strip() or not equals or bare[2] not in LAYOUT_NAMES or bare[0] not in ("", *MASK_WIDTHS):
        form = "VALUE=LAYOUT[:WEIGHT]" if weighted else "VALUE=LAYOUT"
        raise WishError(
            f"`{text}` is not {form}: layouts are {', '.join(LAYOUT_NAMES)}, "
            "of masks with the width of their slots before, as in `%m=b32 d2`"
        )
    if colon and not (weight.isdecimal() and 0 < int(weight) < 2**31):
        raise WishError(f"`{weight}` is no weight: it is how many instructions any other layout costs, from 1 on")
    name = name.strip()
    return Wish(name if name.startswith("%") else f"%{name}", layout, int(weight) if colon else 1)


def values_named(posed: PosedVmi, name: str) -> list[int]:
    """The values of a name, with or without its `%`, optionally `name@line` for one of several."""
    wanted, _, line = name.partition("@")
    wanted = wanted if wanted.startswith("%") else f"%{wanted}"
    graph = posed.program.graph
    found: dict[int, None] = {}
    for value, number in posed.program.by_graph_value.items():
        known = graph.values[value]
        if known.name == wanted and (not line or str(graph.module.source.line_column(known.span.start)[0]) == line):
            found[number] = None
    return list(found)


def wished(
    posed: PosedVmi, pins: tuple[Wish, ...], preferences: tuple[Wish, ...]
) -> tuple[SelectionProblem, list[Wished]]:
    """The problem with the pins and preferences of users, and these.

    Raises `WishError`, also where two pins fix one value to different layouts.
    """
    problem = posed.problem
    fixed = dict(problem.pins)
    asked: dict[int, str] = {}
    found: list[Wished] = []
    for wish in pins:
        for number in _values(posed, wish):
            fixed[number] = _layout(posed, number, wish)
            if asked.setdefault(number, fixed[number]) != fixed[number]:
                name = problem.values[number].id
                raise WishError(f"{name} is fixed twice: to {asked[number]} and to {fixed[number]}")
            found.append(Wished(number, wish.layout, (fixed[number],), True))
    penalties = list(problem.penalties)
    for wish in preferences:
        for number in _values(posed, wish):
            penalties += _others(posed, number, wish)
            found.append(Wished(number, wish.layout, _meant(posed, number, wish), False))
    return problem._replace(pins=tuple(sorted(fixed.items())), penalties=tuple(penalties)), found


def hinted(posed: PosedVmi) -> tuple[SelectionProblem, list[Wished], list[Diagnostic]]:
    """The problem with what operations of the text wish for, these wishes, and a message for each hint that is none."""
    graph = posed.program.graph
    penalties = list(posed.problem.penalties)
    fixed = dict(posed.problem.pins)
    found: list[Wished] = []
    wrong: list[Diagnostic] = []
    for node in graph.ops:
        text = attributes(node).get(HINT, "").strip('"')
        if not text:
            continue
        try:
            pinned = text.endswith("!")
            wish = parse_wish(f"%={text.rstrip('!')}", weighted=not pinned)
            for value in node.results:
                number = posed.program.by_graph_value.get(value)
                if number is None:
                    continue
                if pinned:
                    fixed[number] = _layout(posed, number, wish._replace(value=graph.values[value].name))
                    found.append(Wished(number, wish.layout, (fixed[number],), True))
                else:
                    penalties += _others(posed, number, wish)
                    found.append(Wished(number, wish.layout, _meant(posed, number, wish), False))
        except WishError as error:
            message = f"the hint of `{node.name}` is no wish for a layout: {str(error).replace('`%=', '`')}"
            wrong.append(Diagnostic("LS0806", "error", message, Label(graph.module.source, node.span)))
    pins = tuple(sorted(fixed.items()))
    return posed.problem._replace(pins=pins, penalties=tuple(penalties)), found, wrong


def _values(posed: PosedVmi, wish: Wish) -> list[int]:
    found = values_named(posed, wish.value)
    if not found:
        names = dict.fromkeys(value.id for value in posed.problem.values)
        raise WishError(f"no vector `{wish.value}`: there are {', '.join(names) or 'none'}")
    return found


def _layout(posed: PosedVmi, number: int, wish: Wish) -> str:
    """The layout of a wish as the problem names it."""
    known = posed.problem.values[number].layouts
    if wish.layout in known:
        return wish.layout
    fitting = [layout for layout in known if layout.endswith(f" {wish.layout}")]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise WishError(f"`{wish.layout}` of the mask {wish.value} may be {' or '.join(fitting)}")
    raise WishError(f"{wish.value} cannot lie in {wish.layout}: its layouts are {', '.join(known)}")


def _meant(posed: PosedVmi, number: int, wish: Wish) -> tuple[str, ...]:
    """The layouts of the problem that a wish names. Raises `WishError` if there is none."""
    known = posed.problem.values[number].layouts
    wanted = tuple(layout for layout in known if layout == wish.layout or layout.endswith(f" {wish.layout}"))
    if not wanted:
        raise WishError(
            f"{posed.problem.values[number].id} cannot lie in {wish.layout}: its layouts are {', '.join(known)}"
        )
    return wanted


def _others(posed: PosedVmi, number: int, wish: Wish) -> list[tuple[int, str, int]]:
    """The cost of every other layout."""
    wanted = _meant(posed, number, wish)
    known = posed.problem.values[number].layouts
    return [(number, layout, wish.weight) for layout in known if layout not in wanted]
