"""Layouts that users fix or wish for: on the command line, by value, or in the text, by `layoutsolver.hint`."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.ops.attributes import attributes
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver_models.problems.selection import SelectionProblem
from layoutsolver_models.rules.vmi.layouts import LAYOUT_NAMES

HINT = "layoutsolver.hint"
"""The attribute by which an operation says in which layout its results are wished for: `"d2"`, or `"d2:3"`."""

MASK_WIDTHS = ("b8", "b16", "b32")


class Wish(NamedTuple):
    """A value by its name (`%x`, or `%x@12` for the one of line 12), a layout, and what another one may cost."""

    value: str
    layout: str
    weight: int = 1


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
            f"`{text}` is not {form}: layouts are {', '.join(LAYOUT_NAMES)}, of masks with their width before"
        )
    if colon and not (weight.isdecimal() and 0 < int(weight) < 2**31):
        raise WishError(f"`{weight}` is no weight: a number of instructions is")
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


def wished(posed: PosedVmi, pins: tuple[Wish, ...], preferences: tuple[Wish, ...]) -> SelectionProblem:
    """The problem with the pins and preferences of users. Raises `WishError`."""
    problem = posed.problem
    fixed = dict(problem.pins)
    for wish in pins:
        for number in _values(posed, wish):
            fixed[number] = _layout(posed, number, wish)
    penalties = list(problem.penalties)
    for wish in preferences:
        for number in _values(posed, wish):
            penalties += _others(posed, number, wish)
    return problem._replace(pins=tuple(sorted(fixed.items())), penalties=tuple(penalties))


def hinted(posed: PosedVmi) -> tuple[SelectionProblem, list[Diagnostic]]:
    """The problem with what operations of the text wish for, and a message for each hint that is none."""
    graph = posed.program.graph
    penalties = list(posed.problem.penalties)
    wrong: list[Diagnostic] = []
    for node in graph.ops:
        text = attributes(node).get(HINT, "").strip('"')
        if not text:
            continue
        try:
            wish = parse_wish(f"%={text}", weighted=True)
            for value in node.results:
                if value in posed.program.by_graph_value:
                    penalties += _others(posed, posed.program.by_graph_value[value], wish)
        except WishError as error:
            message = f"the hint of `{node.name}` is no wish for a layout: {str(error).replace('`%=', '`')}"
            wrong.append(Diagnostic("LS0806", "error", message, Label(graph.module.source, node.span)))
    return posed.problem._replace(penalties=tuple(penalties)), wrong


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


def _others(posed: PosedVmi, number: int, wish: Wish) -> list[tuple[int, str, int]]:
    """The cost of every other layout."""
    known = posed.problem.values[number].layouts
    wanted = {layout for layout in known if layout == wish.layout or layout.endswith(f" {wish.layout}")}
    if not wanted:
        raise WishError(
            f"{posed.problem.values[number].id} cannot lie in {wish.layout}: its layouts are {', '.join(known)}"
        )
    return [(number, layout, wish.weight) for layout in known if layout not in wanted]
