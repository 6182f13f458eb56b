"""What a rule says, by the id that messages and tables print: the layouts it allows, what it costs, where it is from.

A whole table answers to what its ids begin with, such as `AVE.GATHER` or `VMI.CAST`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from layoutsolver.explain.layout_words import WORDS
from layoutsolver.ops.coverage import RULE_FAMILIES
from layoutsolver.ops.registry import TABLES
from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.ave_lanes import LANE_RULES
from layoutsolver_models.rules.conversions import CONVERSIONS
from layoutsolver_models.rules.row import LayoutRule
from layoutsolver_models.targets.chip import DISTS, chip_names, load_chip
from layoutsolver_models.vecmem import VECMEM_TYPES

MADE: dict[str, str] = {
    "AVE.BOUNDARY": "a vector that is an argument or a result of a function may lie in any layout that has room for "
    "it; the released compiler hands vectors over in the one that the id names",
    "AVE.CALL": "a vector that is passed to a call, or comes from one, lies in the layout that the id names on both "
    "sides",
    "AVE.PCAST": "`ave.hir.preg.cast` turns masks of one granularity into those of another one, as the mode that the "
    "id names says",
    "VMI.TIE": "what flows into a loop, a branch or a region and out of it has one layout on all ways",
    "VMI.CANON": "an operation is taken for those that the released compiler puts in its place before it decides "
    "layouts",
}
"""Rules without rows of their own, by how their ids begin."""


def rule_page(name: str) -> str | None:
    """The page of a rule or of a whole table of rules, None if there is no such rule.

    >>> rule_page("ave.ext.16.b32").splitlines()[0]
    '# AVE.EXT.16.B32: a layout rule'
    """
    name = name.upper()
    lane = LANE_RULES.get(name)
    if lane is not None:
        helps = f"\nWhat helps: {lane.help}.\n" if lane.help else ""
        what = paragraph(
            "A layout that the tables allow is no choice for an operation, since the hardware would not do what the "
            "operation means. What messages say of it, with the braces filled in:"
        )
        return f"# {name}: why a layout is left out\n\n{what}\n\n    {lane.why}\n{helps}"
    if name.startswith("VMI."):
        from layoutsolver.explain.vmi_rules import vmi_page

        page = vmi_page(name)
        if page is not None:
            return page
    if name.startswith("AVE."):
        page = _ave_page(name)
        if page is not None:
            return page
    for head, said in MADE.items():
        if name == head or name.startswith(f"{head}."):
            text = paragraph(f"{said[0].upper()}{said[1:]}.")
            return f"# {name}: a rule without a table\n\n{text}\n"
    return None


def like(name: str) -> list[str]:
    """The rules whose ids are most like a name."""
    from difflib import get_close_matches

    from layoutsolver_models.rules.vmi.table import RULES

    known = [*(rule.id for rule in AVE_RULES), *LANE_RULES, *(row.id for row in CONVERSIONS), *RULES]
    return get_close_matches(name.upper(), known, 3, 0.6)


def _ave_page(name: str) -> str | None:
    way = next((row for row in CONVERSIONS if row.id == name), None)
    if way is not None:
        steps = ", then ".join(f"`ave.hir.{op}` with `layout_change` {change}" for op, change in way.steps)
        ends = [f"- `{layout}`: {WORDS[layout]}" for layout in (way.before, way.after)]
        head = f"# {name}: a conversion from `{way.before}` to `{way.after}`"
        return "\n\n".join((head, "\n".join(ends), f"It takes {steps}.")) + "\n"
    table = [rule for rule in AVE_RULES if rule.table == name]
    rule = next((rule for rule in AVE_RULES if rule.id == name), None)
    if table:
        what = paragraph(
            f"The table for {operations(name, 'ave')}: each row is a combination of layouts that one can run in."
        )
        return (
            f"# {name}: a table of layout rules\n\n{what}\n\n"
            f"{_rows(table)}\n\n{_naming(table)}\n\nSource: {_source(table[0])}\n"
        )
    if rule is None:
        return None
    table = [other for other in AVE_RULES if other.table == rule.table]
    lies = [[f"`{role}`", f"`{layout}`", _words(role, layout)] for role, layout in rule.layouts.items()]
    parts = [
        f"# {rule.id}: a layout rule",
        paragraph(f"A row of the table for {operations(rule.table, 'ave')}. Operands and results lie in"),
        markdown(["", "layout", "what that means"], lies),
        _dist_words(rule),
        *([f"The hardware does not do what the operation means: {rule.refuted}. `--compat upstream` alone takes it."]
          if rule.refuted else []),
        f"{_naming(table)}\nAll rows of the table:",
        _rows(table),
        f"Source: {_source(rule)}",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _naming(table: Sequence[LayoutRule]) -> str:
    """How the ids of a table are composed."""
    first, keyed = next(iter(table[0].layouts)), _keyed(table)
    width = f", then the bits of an element of `{keyed}`" if keyed else ""
    return paragraph(
        f"The name of a rule: its table `{table[0].table}`{width}, then the layout of `{first}`, then a number where "
        "several rows would have that name."
    )


def _keyed(table: Sequence[LayoutRule]) -> str:
    """The role whose element width stands in the ids of a table; empty if none does."""
    rows = [rule for rule in table if rule.width > 1]
    return next(
        (role for role in table[0].layouts if rows and role != "mask"
         and all(VECMEM_TYPES[rule.layouts[role]].bits == rule.width for rule in rows)), "",
    )  # fmt: skip


def _words(role: str, layout: str) -> str:
    """What a layout of an operand means; that of a mask is the size of the slots that it governs."""
    return f"a mask of slots of {VECMEM_TYPES[layout].bits} bits" if role in MASKS else WORDS[layout]


MASKS = ("mask", "pres")
"""The roles that only masks have."""


def _dist_words(rule: LayoutRule) -> str:
    """The functionType of a rule and what it costs on each chip."""
    if rule.dist not in DISTS:
        return "The operation needs no functionType, and no extra instruction."
    chips = {name: load_chip(name) for name in chip_names()}
    counts = {name: (chip.cost(rule.family, rule.dist, True), chip.cost(rule.family, rule.dist, False))
              for name, chip in chips.items()}  # fmt: skip
    if not any(map(any, counts.values())):
        return f"Its functionType is then `{rule.dist}`, which takes no extra instruction."
    told = [
        f"{aligned} on {name}" if aligned == unaligned
        else f"{aligned} on {name}, {unaligned} at addresses that are not aligned"
        for name, (aligned, unaligned) in counts.items()
    ]  # fmt: skip
    return f"Its functionType is then `{rule.dist}`; extra instructions: {'; '.join(told)}."


def _rows(table: Sequence[LayoutRule]) -> str:
    cells = [[f"`{rule.id}`", *rule.layouts.values(), rule.dist if rule.dist in DISTS else ""] for rule in table]
    return markdown(["rule", *(f"`{role}`" for role in table[0].layouts), "functionType"], cells)


def _source(rule: LayoutRule) -> str:
    return f"AscendNPU-IR, {rule.source}" if ".cpp" in rule.source else rule.source


def operations(head: str, target: str) -> str:
    """The operations of a target that have rules whose ids begin so, some of many."""
    families = RULE_FAMILIES[target]
    named = [
        f"`{spec.name}`"
        for spec in TABLES[target]()
        if any(head == one or head.startswith(f"{one}.") for one in families.get(spec.rule, "").split())
    ]
    return listed(named, 6) or "conversions"


def listed(names: Sequence[str], most: int) -> str:
    """Names with commas, the rest of many counted."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def paragraph(text: str) -> str:
    """A text in lines of the width of pages."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as code pages have them, its columns aligned."""
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])
