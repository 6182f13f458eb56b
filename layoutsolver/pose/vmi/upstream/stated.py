"""A text whose types state all layouts, as the released compiler's passes behind the assignment take it.

Its check of assigned programs looks at the types first, then at conversions and rows; its lowering looks at what each
operation asks for. Neither changes a layout, and nothing is left out because nobody needs it.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.graph.model import Graph
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.pose.vmi.ports import governed_bits
from layoutsolver.pose.vmi.upstream.build import read_net
from layoutsolver.pose.vmi.upstream.compat import hidden_type, input_verdict
from layoutsolver.pose.vmi.upstream.net import Net, Node, Val
from layoutsolver.pose.vmi.upstream.relations import Relations
from layoutsolver.pose.vmi.upstream.rows import as_op
from layoutsolver.pose.vmi.upstream.verdict import (
    INVARIANT,
    RESIDUAL,
    Verdict,
    check_assigned,
    check_lowering,
)
from layoutsolver.vmi.canonical import as_canonical


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
    hidden = hidden_type(graph)
    if hidden >= 0:
        message = "VMI type appears in a non-signature attribute"
        left = Verdict(RESIDUAL, "failed to convert all VMI ops/types to VPTO", hidden)
        return StatedVerdicts(Verdict(INVARIANT, message, hidden), left)
    open_type = _open_type(graph)
    if open_type >= 0:
        message = "layout-assigned VMI IR requires every vector and mask to have a layout, and every mask a granularity"
        refused = Verdict(INVARIANT, message, open_type)
        return StatedVerdicts(refused, refused)
    program, _ = as_canonical(graph)
    net = read_net(program)
    _fill(net)
    return StatedVerdicts(check_assigned(net, Relations(program), helpers=True), check_lowering(net, program))


def _open_type(graph: Graph) -> int:
    """The operation at which a vector or mask is met whose type leaves something open, -1 if there is none."""
    owners = {argument: function.op for function in graph.functions for argument in function.arguments}
    for index, blocks in graph.arguments.items():
        owners.update((argument, index) for _, _, arguments in blocks for argument in arguments)
    for number, value in enumerate(graph.values):
        known = value.type
        if isinstance(known, VmiMaskType) and known.bits is None:
            return value.op if value.op >= 0 else owners.get(number, 0)
        if isinstance(known, VmiVectorType | VmiMaskType) and known.layout is None:
            return value.op if value.op >= 0 else owners.get(number, 0)
    return -1


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
