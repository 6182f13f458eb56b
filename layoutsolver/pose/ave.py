"""Graph -> LayoutProblem for HIVMAVE programs.

Two modes. The default one also constrains what a register can hold, treats function boundaries, returns, constants
and scatters as a user expects, and prices every row for the chip. `compat` states the released analyzer's own
constraints, and nothing else, so that its verdict and its choice come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.types import VectorType
from layoutsolver.ops.assembly import attribute_entries
from layoutsolver.pose.ave_check import ELEMENT_TYPES, check_op
from layoutsolver.pose.ave_right import right_rows
from layoutsolver.pose.ave_tables import LOAD_DISTS, PREDICATE_CASTS, STORE_DISTS, AveTables, family_widths
from layoutsolver.pose.ave_values import in_cast_chain, layout_change, needed_lanes
from layoutsolver.pose.posed import Posed, operand_places
from layoutsolver.source import Span
from layoutsolver_models.problems.layout import (
    Choice,
    LayoutProblem,
    LayoutValue,
    Pin,
    Relation,
    Tie,
    Where,
)
from layoutsolver_models.rules.row import LayoutRule
from layoutsolver_models.targets.chip import chip_names, chip_of_device, device_is_known, load_chip
from layoutsolver_models.vecmem import DOMAINS, LAYOUTS, VECMEM_TYPES, holds, layout_width

if TYPE_CHECKING:
    from layoutsolver.pose.ave_lanes import LaneJudge

RAW_OPS = ("arith.", "math.")
"""Dialects whose operations on vectors are taken lane by lane where they were not lowered, with a warning."""


class PoseOptions(NamedTuple):
    """`compat` poses the released analyzer's constraints; `chip` overrides the device that the file names.

    `rules` replaces the AVE rules, for what-if questions and tests; unless `sound`, rows are then taken as they are,
    whether the hardware does what they say or not.
    """

    compat: bool = False
    chip: str = ""
    rules: tuple[LayoutRule, ...] | None = None
    sound: bool = True


def pose_ave(graph: Graph, options: PoseOptions | None = None) -> Posed:
    """The layout problem of a program, with a diagnostic for every operation that has no rule."""
    poser = _Poser(graph, options or PoseOptions())
    return poser.pose()


class _Poser:
    def __init__(self, graph: Graph, options: PoseOptions) -> None:
        self.graph = graph
        self.source = graph.module.source
        self.texts = graph.module.stream.texts
        self.compat = options.compat
        self.chosen = options.chip
        self.chip = options.chip or chip_of_device(_device(graph))
        self.tables = AveTables(load_chip(self.chip), options.rules)
        self.number: dict[int, int] = {}
        self.value_of: list[int] = []
        self.values: list[LayoutValue] = []
        self.relations: list[Relation] = []
        self.relation_ops: list[int] = []
        self.relation_operands: list[tuple[int, ...]] = []
        self.tie_operands: list[tuple[int, ...]] = []
        self.ties: list[Tie] = []
        self.tie_ops: list[int] = []
        self.pins: list[Pin] = []
        self.branching: list[Choice] = []
        self.late: list[Choice] = []
        self.diagnostics: list[Diagnostic] = []
        self.hopeless: set[int] = set()
        self.sound = options.sound and not options.compat

    def pose(self) -> Posed:
        self.add_values()
        for node in self.graph.ops:
            if node.name.startswith("ave.hir."):
                self.pose_ave_op(node)
            elif node.name == "scf.for":
                self.pose_loop(node)
            else:
                self.pose_other(node)
        if not self.compat:
            from layoutsolver.pose.ave_boundary import pose_boundaries

            pose_boundaries(self)
        self.warn_of_defaults()
        problem = LayoutProblem(
            LAYOUTS, tuple(self.values), tuple(self.tables.tables), tuple(self.relations), tuple(self.ties),
            tuple(self.pins), self.preference(), ("preference",) if self.compat else ("instructions", "preference"),
        )  # fmt: skip
        return Posed(
            self.graph, problem, self.value_of, self.number, self.relation_ops, self.tie_ops,
            self.relation_operands, self.tie_operands, self.diagnostics,
            self.compat, self.chip,
        )  # fmt: skip

    def warn_of_defaults(self) -> None:
        """Say where nothing is decided, and where the costs are those of another chip than the file's."""
        start = Label(self.source, Span(0, 0))
        if not any(value.vector is not None for value in self.graph.values):
            message = "the program has no vector: nothing was decided"
            self.diagnostics.append(Diagnostic("LS0307", "warning", message, start))
        device = _device(self.graph)
        if device and not self.chosen and not device_is_known(device):
            known = ", ".join(chip_names())
            message = f"the device `{device}` is not known: costs are those of {self.chip}"
            note = f"`--target ave:CHIP` names another one; there are {known}"
            self.diagnostics.append(Diagnostic("LS0308", "warning", message, start, notes=(note,)))

    # -- values -----------------------------------------------------------------------------------------------

    def add_values(self) -> None:
        lanes = {} if self.compat else needed_lanes(self.graph)
        chained = in_cast_chain(self.graph)
        for value in self.graph.values:
            vector = value.vector
            if vector is None and value.index not in chained:
                continue
            self.number[value.index] = len(self.values)
            self.value_of.append(value.index)
            bits = 0 if vector is None else self.width_of(vector)
            count = lanes.get(value.index, 1 if vector is None else vector.lanes)
            if vector is None or (self.compat and (value.op < 0 or self.graph.users[value.index])):
                domain = LAYOUTS
            elif self.compat:
                domain = DOMAINS.get(bits, ())
            else:
                domain = tuple(name for name in DOMAINS.get(bits, ()) if holds(name, count))
            where = self.where(value.span.start, value.span.end)
            self.values.append(LayoutValue(value.name or "(unnamed)", bits, count, domain, where))
            if vector is not None and not self.compat and vector.layout in LAYOUTS:
                self.pins.append(Pin(self.number[value.index], vector.layout, where))
            if vector is not None and not domain and not self.compat:
                self.no_layout(value.index, bits, count)

    def width_of(self, vector: VectorType) -> int:
        """The element width that keys the rules; vectors of `index` count as 32-bit."""
        bits = vector.bits
        if bits is None:
            return 32 if vector.element.text == "index" else 0
        return layout_width(bits)

    def where(self, start: int, end: int) -> Where:
        return Where(start, end, *self.source.line_column(start))

    # -- messages ---------------------------------------------------------------------------------------------

    def report(self, node: OpNode, code: str, message: str, *notes: str, warning: bool = False) -> None:
        severity: Literal["warning", "error"] = "warning" if warning else "error"
        self.diagnostics.append(Diagnostic(code, severity, message, Label(self.source, node.span), notes=tuple(notes)))

    def no_layout(self, value: int, bits: int, lanes: int) -> None:
        """Say that no layout exists for a vector, whatever is done with it."""
        self.hopeless.add(value)
        known = self.graph.values[value]
        name = known.name or "result"
        label = Label(self.source, known.span, f"`{known.type.text}`")
        if bits not in DOMAINS:
            element = known.vector.element.text if known.vector is not None else ""
            message = f"`{name}` has elements of type `{element}`, which {ELEMENT_TYPES}"
            self.diagnostics.append(Diagnostic("LS0306", "error", message, label))
            return
        densest = DOMAINS[bits][0]
        room = VECMEM_TYPES[densest].lanes
        own = known.vector.bits if known.vector is not None else bits
        message = f"`{name}` has {lanes} elements of {own} bit{'s' * (own != 1)}; a register holds {room}"
        note = f"that is in the densest layout, {densest}"
        self.diagnostics.append(Diagnostic("LS0304", "error", message, label, notes=(note,)))

    # -- relations --------------------------------------------------------------------------------------------

    def relate(self, node: OpNode, table: int, values: list[int], roles: Sequence[str] = ()) -> int:
        """Post a relation between graph values, which have these roles; its number."""
        number = self.number
        span = node.span
        if self.sound:
            table = right_rows(self, node, table, values)
        self.relations.append(Relation(
            node.name, table, tuple([number[value] for value in values]), max(node.weight, 0),
            self.where(span.start, span.end),
        ))  # fmt: skip
        self.relation_ops.append(node.index)
        self.relation_operands.append(operand_places(node, values, roles))
        return len(self.relations) - 1

    def tie(self, node: OpNode, values: list[int], reason: str) -> None:
        """Post that graph values have one layout."""
        span = node.span
        self.ties.append(Tie(tuple(self.number[value] for value in values), reason, self.where(span.start, span.end)))
        self.tie_ops.append(node.index)
        self.tie_operands.append(operand_places(node, values))

    @cached_property
    def judge(self) -> LaneJudge:
        """What knows the lane rules."""
        from layoutsolver.pose.ave_lanes import LaneJudge

        return LaneJudge(self.graph)

    def width(self, value: int) -> int:
        """The element width of a graph value that keys the rules (0 for what is no vector)."""
        return self.values[self.number[value]].bits if value in self.number else 0

    def attribute(self, node: OpNode, name: str) -> str | None:
        """The text of an attribute (empty for a unit attribute), None if the operation has none of that name."""
        if node.attrs is None:
            return None
        entry = attribute_entries(node.op, node.attrs).get(name)
        if entry is None:
            return None
        return node.op.stream.range_text(entry[0] + 2, entry[1])

    def used_results(self, node: OpNode) -> int:
        return sum(1 for value in node.results if self.graph.users[value])

    # -- ave.hir ----------------------------------------------------------------------------------------------

    def pose_ave_op(self, node: OpNode) -> None:
        spec = node.spec
        if spec is None:
            self.pose_unknown(node)
            return
        if not node.types and spec.rule != "none":
            return  # its text departs from its form, which was reported
        if not self.check(node):
            return
        rule = "same" if self.compat and spec.rule in COMPAT_DEFAULTS else spec.rule
        getattr(self, f"pose_{rule}")(node)

    def check(self, node: OpNode) -> bool:
        """Whether the operation's values are such that its rules can be looked up; reports where not."""
        if not self.hopeless.isdisjoint([*node.operands, *node.results]):
            return False
        problems = check_op(self.graph, node, self.compat)
        self.diagnostics.extend(problems)
        return -1 not in node.operands and all(item.severity != "error" for item in problems)

    def ports(self, node: OpNode, family: str, key: int, names: str, values: list[int | None], fixed: str = "") -> int:
        """Post a relation from the table of `family`, the values standing in the ports of these names."""
        present = [(name, value) for name, value in zip(names.split(), values, strict=True) if value is not None]
        unaligned = self.attribute(node, "ave.unaligned_ub_access") is not None
        table = self.tables.table(
            "ports", family, self.width(key) if key >= 0 else 0, " ".join(name for name, _ in present),
            not unaligned, max(1, self.used_results(node)), fixed,
        )  # fmt: skip
        if not self.tables.tables[table].rows and not self.compat:
            width = self.width(key)
            message = f"`{node.name}` has no layout rule for elements of {width} bit{'s' * (width != 1)}"
            hint = ("compare masks with `preg.xor` or `preg.not`",) if width == 1 and family == "compare" else ()
            self.report(node, "LS0302", message, f"it has rules for {family_widths(family)} bits", *hint)
        held = [value for _, value in present]
        twice = len(held) > 1 and held[0] == held[-1]
        return self.relate(node, table, held, [name for name, _ in present] if twice else ())

    def pose_predicate(self, node: OpNode) -> None:
        self.ports(node, "predicate", -1, "pres", [node.results[0]])

    def pose_predicate_pair(self, node: OpNode) -> None:
        self.ports(node, "predicate", -1, "pres", [node.results[0]])

    def pose_load(self, node: OpNode) -> None:
        first = node.results[0]
        dist = node.enums.get("dist", "NORM")
        second = node.results[1] if len(node.results) > 1 and not self.compat else None
        fixed = "" if self.compat else LOAD_DISTS.get(dist, "")
        if not self.compat and dist.startswith("BRC") and self.width(first) != 1:
            table = self.tables.table("ports", "load", self.width(first), "res", True, 1, "")
            self.relate(node, table, [first])
        else:
            self.ports(node, "load", first, "res res1", [first, second], fixed)
        if len(node.results) > 1:
            self.late.append(Choice("value", self.number[node.results[1]]))

    def pose_store(self, node: OpNode) -> None:
        value, mask = node.role("val"), node.role("mask")
        assert value is not None
        dist = node.enums.get("dist", "")
        fixed = "" if self.compat else STORE_DISTS.get(dist, "")
        if not self.compat and dist.startswith("ONEPT"):
            table = self.tables.table("ports", "store", self.width(value), "val mask", True, 1, "")
            number = self.relate(node, table, [value, mask] if mask is not None else [value], ("val", "mask"))
        else:
            number = self.ports(node, "store", value, "val mask", [value, mask], fixed)
        self.branching.append(Choice("relation", number))

    def pose_strided_store(self, node: OpNode) -> None:
        value, mask = node.role("val"), node.role("mask")
        assert value is not None
        self.branching.append(Choice("relation", self.ports(node, "strided_store", value, "val mask", [value, mask])))

    def pose_unaligned_store(self, node: OpNode) -> None:
        if self.compat:
            self.no_rule(node)
            return
        value, mask = node.role("val"), node.role("mask")
        assert value is not None
        table = self.tables.table("ports", "store", self.width(value), "val mask", False, 1, "")
        number = self.relate(node, table, [value, mask] if mask is not None else [value], ("val", "mask"))
        self.branching.append(Choice("relation", number))

    def pose_gather(self, node: OpNode) -> None:
        index, mask = node.role("index_vec"), node.role("mask")
        assert index is not None
        number = self.ports(node, "gather", index, "res index_vec mask", [node.results[0], index, mask])
        self.branching.append(Choice("relation", number))

    def pose_scatter(self, node: OpNode) -> None:
        if self.compat:
            self.no_rule(node)
            return
        value, index, mask = node.role("val"), node.role("index_vec"), node.role("mask")
        assert index is not None
        number = self.ports(node, "scatter", index, "val index_vec mask", [value, index, mask])
        self.late.append(Choice("relation", number))

    def pose_broadcast(self, node: OpNode) -> None:
        self.ports(node, "broadcast", node.results[0], "res mask", [node.results[0], node.role("mask")])

    def pose_splat(self, node: OpNode) -> None:
        self.ports(node, "splat", node.results[0], "res", [node.results[0]])

    def pose_ramp(self, node: OpNode) -> None:
        self.ports(node, "ramp", node.results[0], "res", [node.results[0]])

    def pose_elementwise(self, node: OpNode, mask_role: str = "mask") -> None:
        """Data operands and result in one layout, the mask at its granularity."""
        mask = node.role(mask_role)
        values = self.graph.values
        data = [
            value
            for value, role in zip(node.operands, node.roles, strict=True)
            if role != mask_role and values[value].vector is not None and not (self.compat and value == mask)
        ]
        results = node.results[:1] if self.compat else node.results
        widths = " ".join(str(self.width(value)) for value in data)
        masks = [] if mask is None else [mask]
        table = self.tables.table("elementwise", widths, len(masks), len(results))
        twice = mask is not None and node.operands.count(mask) > 1
        roles = ["data"] * len(data) + [mask_role] if twice else ()
        self.relate(node, table, data + masks + results, roles)

    def pose_select(self, node: OpNode) -> None:
        self.pose_elementwise(node, "pred")

    def pose_compare(self, node: OpNode) -> None:
        lhs, rhs = node.role("lhs"), node.role("rhs")
        assert lhs is not None
        self.ports(node, "compare", lhs, "pres data1 data2 mask", [node.results[0], lhs, rhs, node.role("mask")])

    def pose_compare_scalar(self, node: OpNode) -> None:
        if self.compat:
            self.pose_elementwise(node)
            return
        vector = node.role("vec")
        assert vector is not None
        self.ports(node, "compare_scalar", vector, "pres data mask", [node.results[0], vector, node.role("mask")])

    def pose_convert(self, node: OpNode) -> None:
        source = node.role("src")
        assert source is not None
        before, after = self.width(source), self.width(node.results[0])
        is_extension = node.name in ("ave.hir.vextf", "ave.hir.vextsi", "ave.hir.vextui")
        if before == after and not is_extension:
            self.pose_elementwise(node)
        elif is_extension or before < after:
            self.ports(node, "extend", source, "res src mask", [node.results[0], source, node.role("mask")])
        else:
            self.pose_truncate(node)

    def pose_truncate(self, node: OpNode) -> None:
        source = node.role("src")
        assert source is not None
        column = self.attribute(node, "layout_change") is not None
        family = "truncate_c2c" if column else "truncate"
        self.ports(node, family, source, "res src mask", [node.results[0], source, node.role("mask")])

    def pose_interleave(self, node: OpNode) -> None:
        change = layout_change(node)
        first, second = node.role("src1"), node.role("src2")
        assert first is not None
        if change == "UNCHANGED":
            self.pose_same(node, extra=node.results[1:])
            return
        family = f"interleave_{change.lower()}" if change else "interleave"
        values: list[int | None] = [*node.results[:2], first, second]
        self.ports(node, family, first, "res1 res2 src1 src2", values)

    def pose_repack(self, node: OpNode) -> None:
        self.pose_same(node)

    def pose_slide(self, node: OpNode) -> None:
        self.pose_same(node)

    def pose_predicate_cast(self, node: OpNode) -> None:
        mode = node.enums.get("mode", "")
        if mode not in PREDICATE_CASTS:
            known = ", ".join(PREDICATE_CASTS)
            self.report(node, "LS0302", f"`ave.hir.preg.cast` has no mode `{mode}`", f"its modes are {known}")
            return
        self.relate(node, self.tables.table("predicate_cast", mode), [node.results[0], node.operands[0]])

    def pose_layout_cast(self, node: OpNode) -> None:
        result, source = node.results[0], node.operands[0]
        known = self.graph.values
        given = known[result].vector, known[source].vector
        if given[0] is not None and given[0].layout in LAYOUTS:
            if not (given[1] is not None and given[1].layout in LAYOUTS):
                self.tie(node, [source, result], "entry of a layout cast")
            else:
                self.relate(node, self.tables.table("exit_cast", given[1].layout), [result, source])
        elif given[1] is not None and given[1].layout in LAYOUTS:
            self.relate(node, self.tables.table("exit_cast", given[1].layout), [result, source])
        elif not self.compat:
            self.tie(node, [source, result], "a layout cast without layouts")

    def pose_none(self, node: OpNode) -> None:
        """Nothing to decide."""

    def pose_same(self, node: OpNode, extra: list[int] | None = None) -> None:
        """All vector operands in the layout of the first vector result."""
        vectors = self.graph.vectors(node.operands)
        results = self.graph.vectors(node.results)
        if not results:
            self.no_rule(node)
            return
        values = [results[0], *(extra or []), *vectors]
        if len(values) > 1:
            self.relate(node, self.tables.table("same", len(values)), values)

    # -- everything else --------------------------------------------------------------------------------------

    def pose_loop(self, node: OpNode) -> None:
        loop = self.graph.loops.get(node.index)
        if loop is None:
            return
        ending = next((self.graph.ops[user] for value in loop.carried for user, _ in self.graph.users[value[2]]
                       if value[2] >= 0 and self.graph.ops[user].name == "scf.yield"), node)  # fmt: skip
        for init, iter_arg, yielded, result in loop.carried:
            if self.graph.values[iter_arg].vector is None and not self.compat:
                continue
            values = [value for value in (init, iter_arg, result) if value >= 0 and value in self.number]
            if len(values) > 1:
                self.tie(node, values, "carried around a loop")
            if yielded >= 0 and yielded in self.number and result in self.number:
                self.tie(ending, [result, yielded], "yielded to the next round of a loop")

    def pose_other(self, node: OpNode) -> None:
        graph = self.graph
        if -1 in node.operands or (not graph.vectors(node.operands) and not graph.vectors(node.results)):
            return
        rule = node.spec.rule if node.spec is not None else ""
        if rule in ("yield", "none"):
            return
        if rule == "call" and self.compat:
            self.pose_compat_call(node)
        elif rule == "reshape":
            self.pose_reshape(node)
        elif self.compat:
            self.pose_same(node)
        elif rule == "branch":
            self.pose_branch(node)
        elif rule == "bitcast":
            self.pose_bitcast(node)
        elif rule == "constant":
            self.late += [Choice("value", self.number[value]) for value in self.graph.vectors(node.results)]
        elif rule not in ("call", "return", "annotation", "print"):
            self.pose_unknown(node)

    def pose_compat_call(self, node: OpNode) -> None:
        if self.graph.vectors(node.results):
            self.pose_same(node)
            return
        for value in self.graph.vectors(node.operands):
            number = self.relate(node, self.tables.table("domain", self.width(value)), [value])
            self.branching.append(Choice("relation", number))

    def pose_reshape(self, node: OpNode) -> None:
        """A cast that moves no data: the first operand and the first result have one layout."""
        if not node.operands or not node.results:
            return
        source, result = node.operands[0], node.results[0]
        if source not in self.number or result not in self.number:
            return
        before, after = self.width(source), self.width(result)
        if not self.compat and before and after and before != after:
            self.pose_bitcast(node)
            return
        self.tie(node, [result, source], "a cast that moves no data")

    def pose_bitcast(self, node: OpNode) -> None:
        source, result = node.operands[0], node.results[0]
        if self.width(source) == self.width(result):
            self.tie(node, [result, source], "a bitcast of one element width")
            return
        table = self.tables.table("ports", "bitcast", 0, "res src", True, 1, "")
        self.relate(node, table, [result, source])

    def pose_branch(self, node: OpNode) -> None:
        for ending in self.graph.branches.get(node.index, []):
            for result, value in zip(node.results, self.graph.ops[ending].operands, strict=False):
                if result in self.number and value in self.number:
                    self.tie(node, [result, value], "carried out of a branch")

    def pose_unknown(self, node: OpNode) -> None:
        vectors = self.graph.vectors([*node.operands, *node.results])
        widths = {self.width(value) for value in vectors}
        lanes = {known.lanes for value in vectors if (known := self.graph.values[value].vector) is not None}
        if node.name.startswith(RAW_OPS) and node.results and len(widths) == 1 and len(lanes) == 1:
            self.report(
                node, "LS0303", f"`{node.name}` on vectors is not lowered to `ave.hir`",
                "it is taken lane by lane, all its vectors in one layout", warning=True,
            )  # fmt: skip
            self.pose_same(node, extra=self.graph.vectors(node.results)[1:])
            return
        self.no_rule(node)

    def no_rule(self, node: OpNode) -> None:
        """Say that nothing is known of how the operation treats layouts."""
        if self.compat:
            return
        touched = dict.fromkeys(self.graph.vectors([*node.operands, *node.results]))
        vectors = [f"`{self.graph.values[value].name or 'an unnamed result'}`" for value in touched]
        known = node.name.split(".")[0] in LOWERED_BEFORE
        note = (
            "lower it to `ave.hir` operations before layouts are decided"
            if known
            else "only `ave.hir` operations, loops, calls, casts and constants may touch vectors here"
        )
        self.report(node, "LS0301", f"no layout rule for `{node.name}`, which touches {', '.join(vectors)}", note)

    # -- order of preference ----------------------------------------------------------------------------------

    def preference(self) -> tuple[Choice, ...]:
        """Unused results first, the last one being the weightiest; then choices from the last operation up."""
        graph = self.graph
        dangling = [
            Choice("value", self.number[value])
            for op in graph.post_order()
            for value in graph.ops[op].results
            if not graph.users[value] and graph.values[value].vector is not None
        ]
        return (*reversed(dangling), *reversed(self.branching), *self.late)


COMPAT_DEFAULTS = frozenset({"predicate_pair", "predicate_cast", "repack", "slide"})
"""Rule families for which the released analyzer has no rule of its own: it takes all vectors in one layout."""

LOWERED_BEFORE = frozenset({"vector", "arith", "math", "tensor", "linalg", "hivm", "hfusion"})
"""Dialects that earlier passes lower to `ave.hir`."""


def _device(graph: Graph) -> str:
    """The device that the module's `hacc.target` attribute names, empty if none."""
    texts = graph.module.stream.texts
    for at, token in enumerate(texts):
        if token == "#hacc.target" and texts[at + 1] == "<":
            return texts[at + 2].strip('"')
    return ""
