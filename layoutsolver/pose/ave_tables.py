"""The rows of each operation of an AVE program: from the rule tables, the element widths and the chip's costs.

Operations of one kind share one table: the key says all that the rows depend on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from layoutsolver_models.problems.layout import Refusal, Row, Table
from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.row import LayoutRule
from layoutsolver_models.targets.chip import Chip
from layoutsolver_models.vecmem import DENSE, LAYOUTS, VECMEM_TYPES, layout_width

TableKey = tuple[str | int | bool, ...]


@lru_cache(maxsize=1)
def rules_by_family() -> dict[str, tuple[LayoutRule, ...]]:
    """The AVE rules by family, in the order of preference."""
    return group_by_family(AVE_RULES)


def group_by_family(rules: tuple[LayoutRule, ...]) -> dict[str, tuple[LayoutRule, ...]]:
    """Rules by family, in the order given."""
    families: dict[str, list[LayoutRule]] = {}
    for rule in rules:
        families.setdefault(rule.family, []).append(rule)
    return {family: tuple(rules) for family, rules in families.items()}


@lru_cache(maxsize=1)
def refuted_rules() -> dict[str, dict[str, str]]:
    """The AVE rules that the hardware refutes, by family and id, with the reason."""
    return group_refuted(AVE_RULES)


def group_refuted(rules: tuple[LayoutRule, ...]) -> dict[str, dict[str, str]]:
    """The refuted ones of some rules, by family and id."""
    found: dict[str, dict[str, str]] = {}
    for rule in rules:
        if rule.refuted:
            found.setdefault(rule.family, {})[rule.id] = rule.refuted
    return found


def family_widths(family: str) -> str:
    """The element widths for which a family has rules, for messages.

    >>> family_widths("broadcast")
    '8, 16 and 32'
    """
    widths = [str(width) for width in sorted({rule.width for rule in rules_by_family()[family]})]
    return " and ".join([", ".join(widths[:-1]), widths[-1]] if len(widths) > 1 else widths)


LOAD_DISTS = {"UNPK_B8": "b8_2vl", "UNPK_B16": "b16_2vl", "UNPK4_B8": "b8_4vl"}
"""Load distributions that fix the layout of what they load."""

STORE_DISTS = {"PK_B16": "b8_2vl", "PK_B32": "b16_2vl", "PK4_B32": "b8_4vl"}
"""Store distributions that fix the layout of what they store."""

PREDICATE_CASTS = {
    "UNPK_B8": ("b8", "b16"), "UNPK_B16": ("b16", "b32"), "UNPK4_B8": ("b8", "b32"),
    "PK_B16": ("b16", "b8"), "PK_B32": ("b32", "b16"), "PK4_B32": ("b32", "b8"),
}  # fmt: skip
"""What each mode of `preg.cast` makes of the granularity of a predicate: from, to."""


class AveTables:
    """Makes and remembers the tables of one problem."""

    def __init__(self, chip: Chip, rules: tuple[LayoutRule, ...] | None = None) -> None:
        self.chip = chip
        self._restricted: dict[tuple[int, tuple[Refusal, ...], tuple[int, ...]], int] = {}
        self.families = rules_by_family() if rules is None else group_by_family(rules)
        self.refuted = refuted_rules() if rules is None else group_refuted(rules)
        self.tables: list[Table] = []
        self._index: dict[TableKey, int] = {}
        self._makers: dict[str, Callable[..., Table]] = {
            "ports": self._ports,
            "elementwise": self._elementwise,
            "same": self._same,
            "boundary": self._boundary,
            "call_mask": self._call_mask,
            "exit_cast": self._exit_cast,
            "domain": self._domain,
            "predicate_cast": self._predicate_cast,
        }

    def table(self, maker: str, *key: str | int | bool) -> int:
        """The number of the table that `maker` makes of `key`; made once."""
        whole = (maker, *key)
        number = self._index.get(whole)
        if number is None:
            number = self._index[whole] = len(self.tables)
            self.tables.append(self._makers[maker](*key))
        return number

    def restricted(self, number: int, refused: tuple[Refusal, ...], foreign: tuple[int, ...]) -> int:
        """The number of the table that is another one without some rows, given as refusals and places; made once."""
        made = self._restricted.get((number, refused, foreign))
        if made is None:
            made = self._restricted[number, refused, foreign] = len(self.tables)
            gone = {(refusal.rule, refusal.layouts) for refusal in refused}
            whole = self.tables[number]
            kept = tuple(row for place, row in enumerate(whole.rows)
                         if place not in foreign and (row.rule, row.layouts) not in gone)  # fmt: skip
            self.tables.append(Table(whole.roles, kept, refused))
        return made

    def _row(self, rule: LayoutRule, layouts: list[str], aligned: bool = True, used_results: int = 1) -> Row:
        cost = self.chip.cost(rule.family, rule.dist, aligned, used_results)
        attrs = {} if rule.dist == "none" else {"functionType": rule.dist}
        return Row(rule.id, tuple(layouts), cost, attrs)

    def _ports(self, family: str, width: int, roles: str, aligned: bool, used_results: int, fixed: str = "") -> Table:
        """Rows of `family` for a key width; a port named `data2` or `res1` takes the layout of its plain role."""
        names = roles.split()
        rows = []
        for rule in self.families[family]:
            if rule.width not in (0, width):
                continue
            layouts = [rule.layouts[name.rstrip("0123456789")] for name in names]
            if fixed and layouts[0] != fixed:
                continue
            rows.append(self._row(rule, layouts, aligned, used_results))
        return Table(tuple(names), tuple(rows))

    def _elementwise(self, widths: str, masks: int, results: int) -> Table:
        """Data operands of these widths and the results in one layout, masks at its granularity."""
        sizes = [int(width) for width in widths.split()]
        rules = {(rule.width, rule.layouts["data"]): rule for rule in self.families["elementwise"]}
        rows = []
        for layout in LAYOUTS:
            if not all((size, layout) in rules for size in sizes):
                continue
            fitting = (
                rule for (size, data), rule in rules.items() if data == layout and (not sizes or size == sizes[0])
            )
            rule = next(fitting, None)
            if rule is None:
                continue
            mask = rule.layouts["mask"]
            rows.append(self._row(rule, [layout] * len(sizes) + [mask] * masks + [layout] * results))
        names = [f"data{place}" for place in range(len(sizes))]
        names += ["mask"] * masks + [f"res{place}" for place in range(results)]
        return Table(tuple(names), tuple(rows))

    def _same(self, count: int) -> Table:
        """All ports in one layout."""
        rows = [self._row(rule, [rule.layouts["value"]] * count) for rule in self.families["same"]]
        return Table(tuple(f"value{place}" for place in range(count)), tuple(rows))

    def _boundary(self, width: int) -> Table:
        """Any layout of the width; one that is not dense costs the interleaves that the other side must spend."""
        dense = DENSE.get(width, "b32")
        rows = []
        for layout in LAYOUTS:
            spread = VECMEM_TYPES[layout].slot_bytes // VECMEM_TYPES[dense].slot_bytes
            cost = 0 if width == 1 else max(0, spread.bit_length() - 1)
            rows.append(Row(f"AVE.BOUNDARY.{layout.upper()}", (layout,), cost))
        return Table(("value",), tuple(rows))

    def _call_mask(self) -> Table:
        """A predicate beside data in a call: at another granularity than the data's it costs a conversion."""
        rows = []
        for mask in DENSE_MASKS:
            for data in LAYOUTS:
                fits = VECMEM_TYPES[data].mask == mask
                rows.append(Row(f"AVE.CALL.{mask.upper()}", (mask, data), int(not fits)))
        return Table(("mask", "data"), tuple(rows))

    def _exit_cast(self, source: str) -> Table:
        """A layout cast whose source layout is given: the result may have any layout."""
        rows = [
            self._row(rule, [rule.layouts["res"], rule.layouts["src"]])
            for rule in self.families["layout_cast"]
            if rule.layouts["src"] == source
        ]
        return Table(("res", "src"), tuple(rows))

    def _domain(self, width: int) -> Table:
        """The layouts of an element width, preferred ones first."""
        from layoutsolver_models.vecmem import DOMAINS

        names = DOMAINS.get(layout_width(width), ())
        return Table(("value",), tuple(Row(f"AVE.CALL.{name.upper()}", (name,)) for name in names))

    def _predicate_cast(self, mode: str) -> Table:
        """What a `preg.cast` does to the granularity of a predicate."""
        source, result = PREDICATE_CASTS[mode]
        return Table(("res", "src"), (Row(f"AVE.PCAST.{mode}", (result, source)),))


DENSE_MASKS = ("b8", "b16", "b32")
"""The granularities of a predicate."""
