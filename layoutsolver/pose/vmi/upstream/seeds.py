"""The layouts that the released compiler writes first, phase by phase (section 4.1).

A seed gives a layout to a value; a demand asks for one in an operand. What operations of a kind always say stands in
tables; the rest depends on types, groups and strides.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.pose.vmi.upstream.net import Net, Node, Use, Val, value_at
from layoutsolver.pose.vmi.upstream.relations import CASTS, SLOT_MEMORY, Relations
from layoutsolver_models.rules.expression import holds
from layoutsolver_models.rules.vmi.layouts import arity, layout_of, register_lanes
from layoutsolver_models.rules.vmi.preference import (
    GENERAL,
    HIGH,
    LANE_STRIDE_NARROWING,
    PHASES,
    STORE,
    CastPreference,
)


class Fixed(NamedTuple):
    """What operations of some kinds always say: operands and results that are contiguous, and in which phase."""

    ops: tuple[str, ...]
    operands: tuple[str, ...]
    results: tuple[str, ...]
    phase: str = "other"
    mask_phase: str = "other"


_REDUCTIONS = tuple(f"reduce_{name}" for name in ("addi", "addf", "maxf", "minf", "maxi", "mini"))

FIXED: tuple[Fixed, ...] = (
    Fixed(("group_iota", "active_prefix_index"), (), ("result",)),
    Fixed(("compress",), ("source",), ("result",)),
    Fixed(_REDUCTIONS, ("source", "mask"), ("result",), "reduce"),
    Fixed(("vdhist", "vchist"), ("acc", "source", "mask"), ("result",), "reduce", "reduce"),
    Fixed(("masked_load", "expand_load"), ("passthru",), ("result",)),
    Fixed(("gather",), ("indices", "passthru", "mask"), ("result",)),
    Fixed(("stride_load",), ("mask",), ("result",)),
    Fixed(("interleave_store",), ("low", "high"), ()),
    Fixed(("stride_store", "compress_store"), ("value", "mask"), ()),
    Fixed(("scatter",), ("value", "indices", "mask"), ()),
)  # fmt: skip
"""Operations that say the same whatever their types are; their masks follow in a phase of their own."""


class ConflictError(Exception):
    """Two layouts are written on values that are one."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node


class Seeds:
    """All seeds and demands of a program in the order in which they are found, by phase."""

    def __init__(self, relations: Relations, narrowing: bool = True) -> None:
        self.relations = relations
        self.narrowing = narrowing
        self.values: list[tuple[Val, str, str]] = []
        self.uses: list[tuple[Use, str, str]] = []
        self._parent: dict[Val, Val] = {}
        self._natural: dict[Val, str] = {}
        self._preferred: dict[Val, str] = {}
        self._mask_layout: dict[Val, str] = {}

    def find(self, net: Net) -> None:
        """Look at every operation. Raises `ConflictError` where two seeds contradict each other."""
        for node in net.walk():
            for value in (*node.results, *(one for body in node.bodies for one in body.arguments)):
                if value.given and not value.is_mask:
                    self._natural.setdefault(value, value.given)
                    self.values.append((value, value.given, PHASES[0]))
                elif value.given:
                    self._mask_layout.setdefault(value, value.given)
        for node in net.walk():
            self._look(node)

    def root(self, value: Val) -> Val:
        """The value that stands for all that are one with it."""
        while value in self._parent:
            value = self._parent[value]
        return value

    # -- writing ----------------------------------------------------------------------------------------------

    def _unite(self, left: Val, right: Val, node: Node) -> None:
        left, right = self.root(left), self.root(right)
        if left is right or left.is_mask != right.is_mask:
            return
        kinds = ((self._mask_layout, "mask"),) if left.is_mask else (
            (self._natural, "natural"), (self._preferred, "preferred"))  # fmt: skip
        for written, what in kinds:
            one, other = written.get(left), written.get(right)
            if one and other and one != other:
                raise ConflictError(node, _conflict(what, left, one, other))
        self._parent[right] = left
        for written, _ in kinds:
            if left not in written and right in written:
                written[left] = written[right]

    def _write(self, written: dict[Val, str], what: str, value: Val, layout: str, node: Node, phase: str) -> None:
        root = self.root(value)
        known = written.get(root)
        if known and known != layout:
            raise ConflictError(node, _conflict(what, value, known, layout))
        written[root] = layout
        self.values.append((value, layout, phase))

    def _natural_is(self, node: Node, role: str, layout: str, phase: str = "other") -> None:
        self._write(self._natural, "natural", node.result(role), layout, node, phase)

    def _prefer(self, node: Node, layout: str, phase: str) -> None:
        self._write(self._preferred, "preferred", node.results[0], layout, node, phase)

    def _demand(self, use: Use | None, layout: str, phase: str = "other") -> None:
        if use is not None:
            self.uses.append((use, layout, phase))

    # -- what operations say ----------------------------------------------------------------------------------

    def _look(self, node: Node) -> None:
        for left, right in node.ties:
            self._unite(value_at(left), value_at(right), node)
        fixed = next((row for row in FIXED if node.name in row.ops), None)
        if fixed is not None:
            for role in fixed.operands:
                self._demand(node.use(role), "c", fixed.mask_phase if role == "mask" else fixed.phase)
            for role in fixed.results:
                self._natural_is(node, role, "c", fixed.phase)
        elif node.name in ("mask_and", "mask_or", "mask_xor", "mask_not"):
            for value in (*(use.value for use in node.uses[1:]), *node.results):
                self._unite(node.uses[0].value, value, node)
        elif node.name in CASTS or node.name == "vexpdif":
            self._cast(node)
        elif node.name.startswith("group_reduce_"):
            self._group_reduce(node)
        else:
            look = _LOOKS.get(node.name)
            if look is not None:
                look(self, node)

    def _cast(self, node: Node) -> None:
        source, result = node.uses[0].value, node.results[0]
        if node.name == "vexpdif" and source.bits == 32:
            return
        row, phase = self._preferred_cast(source, result)
        if node.name in ("fptosi", "fptoui", "sitofp"):
            phase = "cast"
        if row is not None:
            self._prefer(node, row.result, phase)
        elif node.name in ("truncf", "trunci", "fptosi", "fptoui", "sitofp"):
            self._prefer(node, "c", "cast")

    def _preferred_cast(self, source: Val, result: Val) -> tuple[CastPreference | None, str]:
        widths = (source.bits, result.bits)
        if self.narrowing or widths[0] < widths[1]:
            for row in HIGH:
                if row.widths == widths and all(
                    arity(layout_of(name), value.bits, value.lanes) == 1
                    for name, value in ((row.source, source), (row.result, result))
                ):
                    return row, "compact cast"
        tables = ((LANE_STRIDE_NARROWING, "lane-stride narrowing cast"),) if self.narrowing else ()
        for table, phase in (*tables, (GENERAL, "cast")):
            fitting = [row for row in table if row.widths == widths and row.lanes in (0, source.lanes)]
            if fitting:
                return max(fitting, key=lambda row: row.lanes), phase
        return None, "cast"

    def _group_reduce(self, node: Node) -> None:
        rules = self.relations.allowed(node, "group_reduce")
        source, mask = node.use("source"), node.use("mask")
        if not rules:
            layout, phase, made = "c", "reduce", self._slots(node.result(), int(node.attrs["num_groups"]))
        else:
            layout, made = rules[0].layouts["source"], rules[0].layouts["result"]
            same = [rule for rule in rules if rule.layouts["result"] == made]
            phase = "weak reduce" if layout == "c" and len(same) > 1 else "reduce"
        if source is not None and source.value.given and not rules:
            layout = source.value.given
        self._demand(source, layout, phase)
        self._demand(mask, layout, phase)
        self._natural_is(node, "result", made, "reduce")

    def _slots(self, value: Val, groups: int) -> str:
        """The layout of one element for each group where no row of a reduction says it."""
        if value.given in SLOT_MEMORY:
            return value.given
        size = value.lanes // groups if value.lanes % groups == 0 else 0
        full = register_lanes(value.bits)
        if size >= full and size % full == 0:
            return "gs1"
        block = full // 8
        return "gs8" if size * 4 in (block, 2 * block, 4 * block, 8 * block, 16 * block) else "gs"

    def _group_broadcast(self, node: Node) -> None:
        use, result, groups = node.uses[0], node.result(), int(node.attrs["num_groups"])
        value = use.value
        root = self.root(value)
        solved = self._natural.get(root) or self._preferred.get(root) or "c"
        if value.given[:2] == "gs":
            layout = value.given
        elif solved[:2] == "gs" and solved != "gs":
            layout = solved
        elif value.lanes == groups:
            layout = "gs8"
        else:
            layout = self._slots(value, groups)
        self._demand(use, layout, "group broadcast")
        full = register_lanes(result.bits)
        if result.given:
            self._prefer(node, result.given, "group broadcast")
        elif result.lanes < full and result.lanes % groups == 0 and result.lanes // groups == full // 8:
            self._prefer(node, "ls2", "group broadcast")

    def _group_load(self, node: Node) -> None:
        result, groups = node.result(), int(node.attrs["num_groups"])
        size = result.lanes // groups if result.lanes % groups == 0 else 0
        stride = self.relations.stride(node)
        layout = "c"
        if result.given:
            layout = result.given
        elif result.element == "f32" and size in (16, 32) and stride != size:
            if stride is None or stride <= 0 or stride % 8 != 0:
                raise ConflictError(
                    node,
                    f"pto.vmi.group_load group_size {size} requires constant positive row_stride divisible by 8 f32 "
                    "elements",
                )
            layout = "bd2" if size == 16 else "bd4"
        if layout == "c":
            self._prefer(node, layout, "other")
        else:
            self._natural_is(node, "result", layout, "group load")

    def _group_slot_load(self, node: Node) -> None:
        given = node.result().given
        layout = "gs8" if self.relations.stride(node) == 1 else "gs1"
        self._prefer(node, given if given[:2] == "gs" else layout, "group slot load")

    def _group_broadcast_load(self, node: Node) -> None:
        direct = self.direct_load(node)
        if direct is not None and direct[0] == "BRC" and int(node.attrs["num_groups"]) == 1:
            return
        layout = node.result().given or (direct[1] if direct is not None else "")
        if layout:
            self._natural_is(node, "result", layout, "group broadcast load" if direct is not None else "other")

    def direct_load(self, node: Node) -> tuple[str, str] | None:
        """By which mode one load repeats the scalars of a broadcast, and in which layout; None if none does."""
        given = node.result().given
        for kind in ("E2B", "BRC"):
            for rule in self.relations.allowed(node, "group_broadcast_load"):
                known = self.relations.facts(node, rule)
                if given and rule.layouts["result"] != given:
                    continue
                for way in rule.lowerings:
                    if way.steps[0].instruction.startswith(f"vlds {kind}") and holds(way.when, known):
                        return kind, rule.layouts["result"]
        return None

    def _store(self, node: Node) -> None:
        value = node.uses[0].value
        if self._has_seed(value):
            return
        layout = value.given or STORE.get((value.bits, value.lanes), "")
        if layout:
            self._demand(node.uses[0], layout, "store")
            if node.name == "masked_store":
                self._demand(node.use("mask"), layout, "store")

    def _has_seed(self, value: Val) -> bool:
        root = self.root(value)
        return bool(self._natural.get(root) or self._preferred.get(root))

    def _group_store(self, node: Node) -> None:
        use, groups = node.uses[0], int(node.attrs["num_groups"])
        rows = self.relations.allowed(node, "group_store")
        dense = [rule for rule in rows if rule.layouts["value"] not in SLOT_MEMORY]
        high = next((rule.layouts["value"] for rule in dense if ".ONE." in rule.id), "")
        if high:
            self._demand(use, high, "group store")
        if use.value.lanes == groups:
            preferred = "gs8" if self.relations.stride(node) == 1 and groups >= 8 else "gs1"
        else:
            preferred = high or next((rule.layouts["value"] for rule in dense if rule.id.endswith(".FULL.C")), "")
        if preferred and preferred != high:
            self._demand(use, preferred, "group store fallback")

    def _interleave(self, node: Node) -> None:
        rules = self.relations.allowed(node, node.name)
        if rules:
            for use in node.uses:
                self._demand(use, rules[0].layouts[use.role])

    def _vselr(self, node: Node) -> None:
        if self.relations.allowed(node, "vselr") and node.uses[1].value.bits == node.uses[0].value.bits:
            for use in node.uses:
                self._demand(use, "c")
            self._natural_is(node, "result", "c")

    def _deinterleave_load(self, node: Node) -> None:
        if self.relations.allowed(node, "deinterleave_load"):
            self._natural_is(node, "low", "c")
            self._natural_is(node, "high", "c")

    def _channel_split(self, node: Node) -> None:
        self._demand(node.uses[0], f"d{len(node.results)}")
        for role in node.roles:
            self._natural_is(node, role, "c")

    def _channel_merge(self, node: Node) -> None:
        for use in node.uses:
            self._demand(use, "c")
        self._natural_is(node, "result", f"d{len(node.uses)}")

    def _shuffle(self, node: Node) -> None:
        if node.uses[0].value.given or node.result().given:
            return
        self._demand(node.uses[0], "c")
        indices = str(node.attrs.get("indices", "")).strip("[] ").split(",")
        if node.uses[0].value.lanes != 1 or any(index.strip() != "0" for index in indices):
            self._natural_is(node, "result", "c")


_LOOKS = {
    "group_broadcast": Seeds._group_broadcast, "group_load": Seeds._group_load,
    "group_slot_load": Seeds._group_slot_load, "group_broadcast_load": Seeds._group_broadcast_load,
    "store": Seeds._store, "masked_store": Seeds._store, "group_store": Seeds._group_store,
    "vintlv": Seeds._interleave, "vdintlv": Seeds._interleave, "vselr": Seeds._vselr,
    "deinterleave_load": Seeds._deinterleave_load, "channel_split": Seeds._channel_split,
    "channel_merge": Seeds._channel_merge, "shuffle": Seeds._shuffle,
}  # fmt: skip


def _conflict(what: str, value: Val, one: str, other: str) -> str:
    shown = " and ".join(f"#pto.vmi.layout<{text_of(name, value.lanes)}>" for name in (one, other))
    return f"conflicting {what} layouts {shown}"


def text_of(name: str, lanes: int) -> str:
    """The layout that a short name stands for, as the attribute spells it.

    >>> text_of("gs8.2", 16)
    'num_groups = 16, slots = 8, lane_stride = 2'
    """
    return f"num_groups = {lanes}" if name == "gs" else str(layout_of(name, lanes))
