"""Which layouts of an operation's operands and results go together, as the released compiler's propagation asks.

A relation gives a layout to some of the operation's uses and results. The rows are those of the rules, looked up by
width and size class alone: what only carrying them out needs is not asked here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from layoutsolver.mlir.types import MemRefType
from layoutsolver.pose.vmi.memory import STRIDES
from layoutsolver.pose.vmi.upstream.net import Node, Use, Val
from layoutsolver.vmi.masks import constant_of
from layoutsolver.vmi.program import Outside, VmiProgram
from layoutsolver_models.rules.expression import Fact, holds
from layoutsolver_models.rules.vmi.row import Shape, VmiRule, facts
from layoutsolver_models.rules.vmi.table import family

Target = Use | Val
Relation = tuple[tuple[Target, str], ...]
"""Uses and values with the layout that each is to have, in the order in which they are asked for."""

SAME: frozenset[str] = frozenset({
    "addf", "addi", "subf", "subi", "mulf", "muli", "vaddc", "vaddcs", "vadds", "vmuls", "vmaxs", "vmins", "vshls",
    "vshrs", "vmull", "fma", "divf", "minf", "mini", "maxf", "maxi", "negf", "absf", "absi", "sqrt", "exp", "ln",
    "relu", "andi", "ori", "xori", "shli", "shrui", "shrsi", "not", "cmpf", "cmpi", "select", "mask_and", "mask_or",
    "mask_xor", "mask_not", "active_prefix_index", "compress", "expand_load",
})  # fmt: skip
"""Operations all of whose roles share a layout; `negi` is missing, through which nothing is propagated."""

FREE = frozenset({"constant", "broadcast", "iota", "create_mask", "create_group_mask", "constant_mask"})
CASTS = frozenset({"extf", "extsi", "extui", "truncf", "trunci", "fptosi", "fptoui", "sitofp"})
_MANY = 1 << 24
"""More elements than any vector has: rows are looked up without the conditions that ask for some."""


@lru_cache(maxsize=512)
def cast_rows(source: int, result: int, granularity: bool = False) -> tuple[tuple[str, str], ...]:
    """The source and result layouts of casts between two widths, or of masks for them."""
    known: dict[str, Fact] = {"N": _MANY, "W": source, "W_to": result}
    rules = family("granularity" if granularity else "cast")
    return tuple((rule.layouts["source"], rule.layouts["result"]) for rule in rules if holds(rule.when, known))


@lru_cache(maxsize=512)
def dense_rows(name: str, bits: int) -> tuple[str, ...]:
    """The layouts of a load, a store or a masked store."""
    role = "result" if name == "load" else "value"
    known: dict[str, Fact] = {"N": _MANY, "W": bits}
    return tuple(rule.layouts[role] for rule in family(name) if holds(rule.when, known))


class Relations:
    """The relations of the operations of one program."""

    def __init__(self, program: VmiProgram) -> None:
        self.program = program

    def of(self, node: Node, value: Val, layout: str, use: Use | None = None) -> list[Relation] | None:
        """The relations that hold with a layout of one operand or result; None if the operation has none at all."""
        name = node.name
        if name in FREE:
            return [((value, layout),)] if value.node is node else []
        if name == "group_iota":
            fits = value.node is node and layout in ("c", "ls2", "ls4")
            return [((value, layout),)] if fits else []
        if name in CASTS and self._keeps_width(node):
            return [_all(node, layout)]
        if name in SAME:
            return [_all(node, layout)]
        if name in CASTS:
            return self._cast(node, value, layout, cast_rows(node.uses[0].value.bits, node.results[0].bits))
        if name == "ensure_mask_granularity":
            rows = cast_rows(node.uses[0].value.bits, node.results[0].bits, granularity=True)
            return self._cast(node, value, layout, rows)
        found = getattr(self, f"_{name}", None) if name in _BY_NAME else None
        if found is not None:
            made: list[Relation] = found(node, value, layout, use)
            return made
        if name.startswith("group_reduce_"):
            return self._rows(node, value, layout, use, "group_reduce")
        return None

    # -- one operation each -----------------------------------------------------------------------------------

    def _load(self, node: Node, value: Val, layout: str, _: Use | None) -> list[Relation]:
        fits = value.node is node and layout in dense_rows("load", value.bits)
        return [((value, layout),)] if fits else []

    def _bitcast(self, node: Node, value: Val, layout: str, _: Use | None) -> list[Relation]:
        if node.uses[0].value.bits != node.results[0].bits and layout != "c":
            return []
        return [_all(node, layout)]

    def _vexpdif(self, node: Node, value: Val, layout: str, use: Use | None) -> list[Relation]:
        x, result = node.uses[0].value, node.result()
        if x.bits == 32:
            return [_all(node, layout)]
        wanted = [
            row for row in cast_rows(x.bits, result.bits) if row[1 if value is result and use is None else 0] == layout
        ]
        relations: list[Relation] = []
        for source, made in wanted:
            relations.append((*((one, source) for one in node.uses), (result, made)))
        return relations

    def _gather(self, node: Node, value: Val, layout: str, _: Use | None) -> list[Relation]:
        return [_all(node, layout)] if layout == "c" else []

    def _masked_load(self, node: Node, value: Val, layout: str, _: Use | None) -> list[Relation]:
        if layout != "c":
            return []
        return [((node.result(), "c"), *((use, "c") for use in node.uses))]

    def _store(self, node: Node, value: Val, layout: str, _: Use | None) -> list[Relation]:
        use = node.uses[0]
        return [((use, layout if layout in dense_rows("store", value.bits) else "c"),)]

    def _masked_store(self, node: Node, value: Val, layout: str, _: Use | None) -> list[Relation]:
        bits = node.uses[0].value.bits
        fits = layout in dense_rows("masked_store", bits)
        return [tuple((use, layout if fits else "c") for use in node.uses)]

    def _deinterleave_load(self, node: Node, value: Val, layout: str, use: Use | None) -> list[Relation]:
        return self._rows(node, value, layout, use, "deinterleave_load")

    def _vintlv(self, node: Node, value: Val, layout: str, use: Use | None) -> list[Relation]:
        return self._rows(node, value, layout, use, "vintlv")

    def _vdintlv(self, node: Node, value: Val, layout: str, use: Use | None) -> list[Relation]:
        return self._rows(node, value, layout, use, "vdintlv")

    def _group_broadcast(self, node: Node, value: Val, layout: str, use: Use | None) -> list[Relation]:
        return self._rows(node, value, layout, use, "group_broadcast")

    def _group_load(self, node: Node, value: Val, layout: str, use: Use | None) -> list[Relation]:
        rows = self._rows(node, value, layout, use, "group_load")
        return rows[:1]

    def _group_broadcast_load(self, node: Node, value: Val, layout: str, use: Use | None) -> list[Relation]:
        return self._rows(node, value, layout, use, "group_broadcast_load")[:1]

    def _group_slot_load(self, node: Node, value: Val, layout: str, _: Use | None) -> list[Relation]:
        return [((value, layout),)] if layout in SLOT_MEMORY else []

    def _group_store(self, node: Node, value: Val, layout: str, _: Use | None) -> list[Relation]:
        use = node.uses[0]
        rows = self.group_store_rows(node)
        if layout in rows or (layout in SLOT_MEMORY and value.lanes == int(node.attrs["num_groups"])):
            return [((use, layout),)]
        return [((use, row),) for row in rows if ensured(value, layout, row)]

    # -- rows -------------------------------------------------------------------------------------------------

    def _cast(self, node: Node, value: Val, layout: str, rows: Iterable[tuple[str, str]]) -> list[Relation]:
        use, result = node.uses[0], node.results[0]
        port = 0 if value is use.value else 1
        return [((use, row[0]), (result, row[1])) for row in rows if row[port] == layout]

    def _rows(self, node: Node, value: Val, layout: str, use: Use | None, name: str) -> list[Relation]:
        """The relations of the rows of a family that give the layout to the role of a use or value."""
        role = use.role if use is not None else self._role(node, value)
        out: list[Relation] = []
        for rule in self.allowed(node, name):
            if rule.layouts.get(role) == layout:
                ports: list[tuple[Target, str]] = [(one, rule.layouts[one.role]) for one in node.uses]
                ports += [(made, rule.layouts[what]) for what, made in zip(node.roles, node.results, strict=True)]
                out.append(tuple(ports))
        return out

    def _role(self, node: Node, value: Val) -> str:
        found = next((use.role for use in node.uses if use.value is value), None)
        return found if found is not None else node.roles[node.results.index(value)]

    def allowed(self, node: Node, name: str) -> list[VmiRule]:
        """The rules of a family whose width, size class and stride are those of an operation."""
        return [rule for rule in family(name) if rule.is_listed(self.facts(node, rule))]

    def group_store_rows(self, node: Node) -> list[str]:
        """The layouts of a dense value in which its groups can be stored."""
        rules = [rule for rule in self.allowed(node, "group_store") if rule.layouts["value"] not in SLOT_MEMORY]
        return list(dict.fromkeys(rule.layouts["value"] for rule in rules))

    def facts(self, node: Node, rule: VmiRule) -> dict[str, Fact]:
        """What conditions ask for, as the released compiler's tables do."""
        shapes: dict[str, Shape] = {}
        for one in node.uses:
            shapes[one.role] = Shape(one.value.lanes, one.value.bits)
        for role, made in zip(node.roles, node.results, strict=True):
            shapes[role] = Shape(made.lanes, made.bits)
        shapes = {role: shape for role, shape in shapes.items() if role in rule.layouts}
        groups = int(node.attrs.get("num_groups", 1))
        known = facts(rule, shapes, G=groups, stride=self.stride(node), op=node.name, pointer=self.is_pointer(node))
        if rule.family == "group_load":
            known["G"], known["pointer"] = 8, True
        elif rule.family == "deinterleave_load":
            known["N"] = 0
        return known

    def stride(self, node: Node) -> int | None:
        """The stride between groups, None if there is none or it is no constant."""
        role = next((role for role in STRIDES if role in node.scalars), None)
        return None if role is None else constant_of(self.program, node.scalars[role])

    def is_pointer(self, node: Node) -> bool:
        """Whether memory is given as a pointer and not as a memref."""
        base = node.scalars.get("source", node.scalars.get("destination"))
        return not isinstance(base, Outside) or not isinstance(self.program.graph.values[base.value].type, MemRefType)

    def _keeps_width(self, node: Node) -> bool:
        """Whether a cast between floats and integers keeps the width; which of PTO's own types never counts for."""
        source, result = node.uses[0].value, node.results[0]
        own = any(value.element.startswith("!pto") for value in (source, result))
        return node.name in ("fptosi", "fptoui", "sitofp") and source.bits == result.bits and not own


SLOT_MEMORY = ("gs1", "gs8", "gs8.2", "gs8.4")
"""The layouts of one scalar for each group that memory operations know."""

_BY_NAME = frozenset({
    "load", "bitcast", "vexpdif", "gather", "masked_load", "store", "masked_store", "deinterleave_load", "vintlv",
    "vdintlv", "group_broadcast", "group_load", "group_broadcast_load", "group_slot_load", "group_store",
})  # fmt: skip


def _all(node: Node, layout: str) -> Relation:
    return (*((use, layout) for use in node.uses), *((value, layout) for value in node.results))


def ensured(value: Val, before: str, after: str) -> bool:
    """Whether the released compiler lists a conversion of a value between two layouts."""
    return before == after or (before, after) in _conversions(value.is_mask, value.lanes, value.bits)


def is_ensured(rule: VmiRule, known: dict[str, Fact]) -> bool:
    """Whether the released compiler lists a conversion: of masks, some that it has no instructions for."""
    if rule.family != "convert":
        return rule.is_listed(known)
    return rule.allows(known) and any(way.by == "upstream" and holds(way.when, known) for way in rule.lowerings)


@lru_cache(maxsize=512)
def _conversions(is_mask: bool, lanes: int, bits: int) -> frozenset[tuple[str, str]]:
    shape = Shape(lanes, bits)
    out = set()
    for rule in family("convert_mask" if is_mask else "convert"):
        if is_ensured(rule, facts(rule, {"source": shape, "result": shape})):
            out.add((rule.layouts["source"], rule.layouts["result"]))
    return frozenset(out)
