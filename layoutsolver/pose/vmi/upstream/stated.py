"""A text whose types state all layouts, as the released compiler's passes behind the assignment take it.

Its check of assigned programs looks at the types first, then at conversions and rows; its lowering looks at what each
operation asks for. Neither changes a layout, and nothing is left out because nobody needs it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from layoutsolver.graph.model import Graph
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import Type
from layoutsolver.pose.vmi.ports import governed_bits
from layoutsolver.pose.vmi.upstream.build import read_net
from layoutsolver.pose.vmi.upstream.compat import FOREIGN, hidden_type, input_verdict, is_foreign, replaced_verdict
from layoutsolver.pose.vmi.upstream.net import Net, Node, Val
from layoutsolver.pose.vmi.upstream.relations import Relations
from layoutsolver.pose.vmi.upstream.rows import as_op
from layoutsolver.pose.vmi.upstream.verdict import (
    OK,
    RESIDUAL,
    Verdict,
    check_assigned,
    check_lowering,
)
from layoutsolver.vmi.canonical import PREFIX, as_canonical
from layoutsolver.vmi.check import INVARIANT

CAST = "builtin.unrealized_conversion_cast"
OPEN = "layout-assigned VMI IR requires every vector and mask to have a layout, and every mask a granularity"
_LOGICAL = re.compile(r"!pto\.vmi\.(?:vreg|mask)<(?:[^<>]|<[^<>]*>)*>")


class StatedVerdicts(NamedTuple):
    """What the check of assigned programs says of a text, and what lowering says of it, asked by itself."""

    validation: Verdict
    lowering: Verdict

    @property
    def first(self) -> Verdict:
        """What ends the compilation, if anything does."""
        return self.lowering if self.validation.ok else self.validation


def stated_verdicts(graph: Graph) -> StatedVerdicts:
    """The verdicts on a program in the layouts of its types."""
    refused = input_verdict(graph)
    if not refused.ok:
        return StatedVerdicts(refused, refused)
    program, _ = as_canonical(graph)
    refused = replaced_verdict(program)
    if not refused.ok:
        return StatedVerdicts(refused, refused)
    hidden = hidden_type(graph)
    if hidden >= 0:
        message = "VMI type appears in a non-signature attribute"
        left = Verdict(RESIDUAL, "failed to convert all VMI ops/types to VPTO", hidden)
        return StatedVerdicts(Verdict(INVARIANT, message, hidden), left)
    validation, lowering = _typed(graph)
    if not validation.ok:
        return StatedVerdicts(validation, lowering)
    helper = next((node.index for node in graph.ops if node.name.removeprefix(PREFIX) in ("pack", "unpack")), -1)
    net = read_net(program)
    _fill(net)
    validation = check_assigned(net, Relations(program), helpers=True)
    if helper >= 0 and validation.ok:
        validation = Verdict(INVARIANT, "VMI pack/unpack helper appears before VMI-to-VPTO", helper)
    return StatedVerdicts(validation, check_lowering(net, program))


def _typed(graph: Graph) -> StatedVerdicts:
    """What both say of types that leave something open, and of operations that are none of VMI and have vectors."""
    arguments = {function.op: function.arguments for function in graph.functions if function.has_body}
    declared = {function.op for function in graph.functions if not function.has_body}
    lowering = OK
    for index in graph.post_order():
        node = graph.ops[index]
        inner = [value for _, _, values in graph.arguments.get(index, []) for value in values]
        types = [
            graph.values[value].type for value in (*node.operands, *node.results, *inner, *arguments.get(index, []))
        ]
        if is_foreign(graph, node) and node.name == CAST and lowering.ok:
            lowering = Verdict(RESIDUAL, f"{CAST.partition('.')[2]} cannot carry VMI types", index)
        if any(_is_open(known) for known in types) or (index in declared and _has_open_signature(graph, index)):
            refused = Verdict(INVARIANT, OPEN, index)
            return StatedVerdicts(refused, refused if lowering.ok else lowering)
        if is_foreign(graph, node):
            left = Verdict(RESIDUAL, "failed to convert all VMI ops/types to VPTO", index)
            return StatedVerdicts(Verdict(INVARIANT, FOREIGN, index), left if lowering.ok else lowering)
    return StatedVerdicts(OK, OK)


def _has_open_signature(graph: Graph, index: int) -> bool:
    """Whether the types of a function without a body leave something open."""
    span = graph.ops[index].op.span
    header = graph.module.source.text[span.start : span.end]
    return any("#pto.vmi.layout" not in found for found in _LOGICAL.findall(header))


def _is_open(known: Type) -> bool:
    """Whether a type leaves open how a vector or mask lies, or what width a mask governs."""
    if isinstance(known, VmiMaskType) and known.bits is None:
        return True
    return isinstance(known, VmiVectorType | VmiMaskType) and known.layout is None


def _fill(net: Net) -> None:
    """Give what surface operations make on the way to their results the layout of these, and masks their width."""
    nodes = net.walk()
    for order in (nodes, nodes[::-1]):
        for node in order:
            ports = [*(use.value for use in node.uses), *node.results]
            known = next((value.layout for value in ports if value.layout), "")
            for value in ports:
                if not value.layout and value.graph_value < 0:
                    value.layout = known
                if value.is_mask and not value.bits:
                    value.bits = _width(node, value)


def _width(node: Node, mask: Val) -> int:
    """The width that an operation has a mask govern, 0 if it leaves that open."""
    beside = next((value.bits for value in node.results if value.is_mask and value.bits), 0)
    return 0 if node.results and mask in node.results else governed_bits(as_op(node)) or beside
