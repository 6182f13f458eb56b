"""The released compiler's verdict on a program whose layouts are assigned, stage by stage.

Its checks run one behind the other, each over all operations, nested ones first: types and rows behind the assignment,
conversions and rows behind the clean-up, what lowering asks for, what lowering leaves, and the validator of the result.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.ops.registry import pto_specs
from layoutsolver.pose.vmi.upstream.net import Net, Node, Val
from layoutsolver.pose.vmi.upstream.relations import SLOT_MEMORY, Relations, cast_rows, dense_rows, ensured, is_ensured
from layoutsolver.pose.vmi.upstream.rows import NO_PAIR, UNMET, Row, row_of
from layoutsolver.vmi.canonical import PREFIX
from layoutsolver.vmi.check import CONTRACT, INVARIANT, UNSUPPORTED, check_types, kind_of_message
from layoutsolver.vmi.program import VmiProgram
from layoutsolver_models.rules.vmi.layouts import arity, layout_of
from layoutsolver_models.rules.vmi.row import Shape, facts
from layoutsolver_models.rules.vmi.table import family

GATED: frozenset[str] = frozenset({
    "group_broadcast", "vdhist", "vchist", "deinterleave_load", "stride_load", "group_load", "group_slot_load",
    "group_broadcast_load", "masked_load", "gather", "expand_load", "store", "interleave_store", "group_store",
    "masked_store", "stride_store", "scatter", "vaddc", "vaddcs", "vmull", "relu", "vselr", "active_prefix_index",
    "compress", "compress_store", "shuffle", "channel_split", "channel_merge", "reduce_addi", "reduce_addf",
    "reduce_maxf", "reduce_minf", "reduce_maxi", "reduce_mini", "constant_mask",
})  # fmt: skip
"""Operations that lowering looks at before it begins, and names when it cannot take them; others are left over."""

ROW_GATED: frozenset[str] = frozenset({
    "extf", "extsi", "extui", "truncf", "trunci", "fptosi", "fptoui", "sitofp", "bitcast", "vadds", "vmuls", "vmaxs",
    "vmins", "vshls", "vshrs",
})  # fmt: skip
"""Operations of which it looks at the layouts alone: those of a listed row that nothing carries out are left."""

VEC_SCALAR: frozenset[str] = frozenset({"vadds", "vmuls", "vmaxs", "vmins", "vshls", "vshrs"})
"""Operations whose `pmode` nothing has replaced."""

NO_ROW = "no row has these layouts"
MERGES = "keeps nothing of what was there before"

ENSURES = ("ensure_layout", "ensure_mask_layout", "ensure_mask_granularity")


class Verdict(NamedTuple):
    """Empty `kind`: the program is taken. Else the kind of message, its text, and the operation of the graph that it
    names, -1 if none.
    """

    kind: str
    message: str = ""
    origin: int = -1

    @property
    def ok(self) -> bool:
        """Whether the program is taken."""
        return not self.kind

    @classmethod
    def of(cls, kind: str, message: str, node: Node | None) -> Verdict:
        """A rejection at an operation."""
        return cls(kind, message, -1 if node is None else node.origin)


OK = Verdict("")
RESIDUAL, VERIFIER = "VMI-RESIDUAL-OP", "VERIFIER"


def check_assigned(net: Net, relations: Relations, helpers: bool) -> Verdict:
    """The check behind the assignment, and with `helpers` the one behind the clean-up."""
    for node in net.walk():
        values = (*(use.value for use in node.uses), *node.results, *(one for body in node.bodies
                                                                      for one in body.arguments))  # fmt: skip
        if any(not value.layout or not value.bits for value in values):
            message = "layout-assigned VMI IR requires every vector and mask to have a layout"
            return Verdict.of(INVARIANT, message, node)
        if helpers and node.name in ENSURES[:2]:
            found = _helper(node)
            if found is not None:
                return found
        reason = _unlisted(node, relations)
        if reason:
            return Verdict.of(CONTRACT, f"pto.vmi.{node.name} has no registered {reason}", node)
    return OK


def _helper(node: Node) -> Verdict | None:
    """What is said of a conversion that is not listed: it is the operation that asks for it which is named."""
    source, result = node.uses[0].value, node.results[0]
    if ensured(source, source.layout, result.layout):
        return None
    reason = f"pto.vmi.{node.name} has no registered materialization support"
    if len(result.uses) == 1:
        use = result.uses[0]
        name = use.node.name if "." in use.node.name else f"pto.vmi.{use.node.name}"
        place = _place(use.node, use.number)
        message = f"{name} operand #{place} has type {_typed(source)} but requires {_typed(result)}; {reason}"
        return Verdict.of(CONTRACT, message, use.node)
    return Verdict.of(CONTRACT, reason, node)


def _place(node: Node, number: int) -> int:
    """The place of an operand among all, memory operands included."""
    roles = [use.role for use in node.uses]
    ahead = {"masked_store": {"mask": 3}, "stride_store": {"mask": 5}, "gather": {"indices": 1, "mask": 2,
             "passthru": 3}, "stride_load": {"mask": 4}}.get(node.name, {})  # fmt: skip
    return ahead.get(roles[number], number)


def _typed(value: Val) -> str:
    shown = str(layout_of(value.layout, value.lanes)) if value.layout != "gs" else f"num_groups = {value.lanes}"
    what = f"mask<{value.lanes}xb{value.bits}" if value.is_mask else f"vreg<{value.lanes}x{value.element}"
    return f"!pto.vmi.{what}, #pto.vmi.layout<{shown}>>"


def _unlisted(node: Node, relations: Relations) -> str:
    """Which support the tables do not list for an operation's layouts, empty if they do."""
    name = node.name
    if name == "store":
        layout = node.uses[0].value.layout
        known = layout in ("c", "ls2", "ls4") or layout in dense_rows("store", node.uses[0].value.bits)
        return "" if known else "contiguous-memory layout support"
    if name in ("group_load", "group_slot_load", "group_broadcast_load"):
        found = relations.of(node, node.results[0], node.results[0].layout)
        return "" if found else "layout support"
    if name == "group_store":
        value = node.uses[0].value
        known = value.layout in SLOT_MEMORY and node.attrs["num_groups"] == value.lanes
        return "" if value.layout[:2] != "gs" or known else "group_slots layout support"
    if name.startswith("group_reduce_") and node.results[0].layout[:2] == "gs":
        return "" if _listed(node, relations, "group_reduce") else "group_slots layout support"
    if name == "group_broadcast" and node.uses[0].value.layout in ("gs1", "gs2", "gs4", "gs8", "gs8.2", "gs8.4"):
        return "" if _listed(node, relations, "group_broadcast") else "layout support"
    if name in ("truncf", "extf"):
        source, result = node.uses[0].value, node.results[0]
        return "" if (source.layout, result.layout) in cast_rows(source.bits, result.bits) else "layout support"
    if name == "bitcast":
        return _unlisted_bitcast(node)
    return ""


def _listed(node: Node, relations: Relations, name: str) -> bool:
    has = {use.role: use.value.layout for use in node.uses}
    has.update({role: value.layout for role, value in zip(node.roles, node.results, strict=True)})
    return any(rule.layouts == has for rule in relations.allowed(node, name))


def _unlisted_bitcast(node: Node) -> str:
    source, result = node.uses[0].value, node.results[0]
    if source.layout != result.layout or (source.bits != result.bits and source.layout != "c"):
        return "layout support"
    counts = {arity(layout_of(value.layout, value.lanes), value.bits, value.lanes) for value in (source, result)
              if value.layout != "gs"}  # fmt: skip
    return "" if len(counts) <= 1 else "layout support"


def check_lowering(net: Net, program: VmiProgram) -> Verdict:
    """What lowering asks for before it begins, what it leaves over, and what the validator says of its result."""
    rows = [(node, row_of(program, node)) for node in net.walk() if "." not in node.name and _is_lowered(node)]
    refused = _refused(program)
    for node, row in rows:
        reason = _reason(node, row)
        if node.origin in refused:
            return Verdict.of(UNSUPPORTED, refused[node.origin], node)
        if reason and _is_gated(node, row, reason):
            return Verdict.of(UNSUPPORTED, f"pto.vmi.{node.name}: {reason}", node)
    for node, row in rows:
        reason = _reason(node, row)
        if reason and node.name == "trunci" and row is not None and row.missing.startswith(NO_PAIR):
            return Verdict.of(VERIFIER, f"'pto.vcvt' op has no such pair of types: {reason}", node)
        if reason:
            named = _left_over(node, row, [one for one, _ in rows])
            message = f"failed to convert all VMI ops/types to VPTO (pto.vmi.{node.name}: {reason})"
            return Verdict.of(RESIDUAL, message, named)
    for node, row in rows:
        limit = row.rule.limit(row.facts) if row is not None else None
        if limit is not None and limit.kind == "rejected":
            mask = next(value for value in (*(use.value for use in node.uses), *node.results) if value.is_mask)
            carrier = mask.bits * {"ls2": 2, "ls4": 4}.get(mask.layout, 1)
            shown = "pto.vsel" if node.name == "select" else "pto.vcmp"
            message = f"'{shown}' op mask type '!pto.mask<b{carrier}>' does not match; expected !pto.mask<b{mask.bits}>"
            return Verdict.of(VERIFIER, message, node)
    return OK


def _refused(program: VmiProgram) -> dict[int, str]:
    """What nobody lowers in any layout, by the operation of the graph."""
    at = {node.span: node.index for node in program.graph.ops}
    said = [item for item in check_types(program.graph) if kind_of_message(item.message) == UNSUPPORTED]
    return {
        at[item.primary.span]: item.message.removeprefix(f"{UNSUPPORTED}: ").replace("`", "'")
        for item in said
        if item.primary is not None and item.primary.span in at
    }


def _is_gated(node: Node, row: Row | None, reason: str) -> bool:
    """Whether lowering says before it begins that it cannot take an operation."""
    if node.name in GATED or (reason == NO_ROW and _is_canonical(node)):
        return True
    return node.name in ROW_GATED and (reason == MERGES or (row is not None and row.missing.startswith(UNMET)))


def _is_canonical(node: Node) -> bool:
    """Whether lowering knows an operation at all; surface ones that nothing has replaced it leaves over."""
    spec = pto_specs().get(PREFIX + node.name)
    return spec is not None and spec.rule != "-"


def _left_over(node: Node, row: Row | None, order: list[Node]) -> Node | None:
    """The operation that is named when something is left over: the first that still has a logical type, if any.

    Where a rule is listed without instructions the whole conversion fails, and nothing is named.
    """
    if row is None and node.name not in ENSURES:
        makers = [use.value.node for use in node.uses if use.value.node in order]
        return min((one for one in makers if one is not None), key=order.index, default=node)
    return node if row is not None and row.rule.family == "free_mask" else None


def _is_lowered(node: Node) -> bool:
    return bool(node.uses or node.results)


def _reason(node: Node, row: Row | None) -> str:
    """Why an operation cannot be lowered, empty if it can."""
    if node.name in VEC_SCALAR and node.attrs.get("pmode") == "merge":
        return MERGES
    if row is not None and node.name not in ENSURES:
        return row.missing
    return _conversion(node) if node.name in ENSURES else NO_ROW


def _conversion(node: Node) -> str:
    """Why a listed conversion cannot be carried out."""
    source, result = node.uses[0].value, node.results[0]
    if source.layout == result.layout:
        return ""
    shapes = {role: Shape(value.lanes, value.bits) for role, value in (("source", source), ("result", result))}
    name = "granularity" if node.name == ENSURES[2] else "convert_mask" if source.is_mask else "convert"
    reason = NO_ROW
    for rule in family(name):
        if (rule.layouts["source"], rule.layouts["result"]) != (source.layout, result.layout):
            continue
        known = facts(rule, shapes)
        limit = rule.limit(known)
        if not is_ensured(rule, known):
            continue
        if limit is None or limit.kind != "fails":
            return ""
        reason = "is listed without instructions"
    return reason
