"""Equal operations made one and dead ones taken away, as the general passes between the others do it."""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver.ops.registry import pto_specs
from layoutsolver.ops.spec import Effect
from layoutsolver.pose.vmi.upstream.net import Body, Net, Node
from layoutsolver.vmi.canonical import PREFIX
from layoutsolver.vmi.program import Constant, Operand, Outside, StepScalar

IMPURE: frozenset[str] = frozenset({
    "active_prefix_index", "compress", "reduce_addi", "reduce_addf", "reduce_maxf", "reduce_minf", "reduce_maxi",
    "reduce_mini", "group_reduce_addf", "group_reduce_maxf", "group_reduce_minf", "group_reduce_addi",
    "group_reduce_maxi", "group_reduce_mini", "group_broadcast", "vdhist", "vchist", "channel_split", "channel_merge",
    "vintlv", "vdintlv",
})  # fmt: skip
"""Operations that only compute, and that the released compiler nevertheless keeps once for each time they are written.

Source: VMIOps.td, the operations without the trait `Pure`.
"""

_SILENT = ("arith.", "pto.castptr", "pto.addptr", "scf.yield", "func.return", "cf.")
_SCALAR = ("arith.addi", "arith.muli", "arith.subi", "arith.index_cast", "arith.divui", "pto.castptr", "pto.addptr")


def effect(node: Node) -> Effect:
    """What an operation does, as far as merging it is concerned."""
    if node.name in IMPURE:
        return Effect.ORDER
    spec = pto_specs().get(PREFIX + node.name)
    if spec is not None and spec.rule != "-":
        return spec.effect
    return Effect.CONTROL if node.bodies else Effect.ORDER


def merged(net: Net, graph: Graph) -> None:
    """Take away what is dead and what an earlier operation has computed."""
    _sweep(net)
    _merge(net.body, {}, graph)
    _sweep(net)


def _sweep(net: Net) -> None:
    """Take away operations that nobody needs, the last ones first."""
    found = True
    while found:
        found = False
        for node in reversed(net.walk()):
            dead = bool(node.results) and not any(value.uses for value in node.results)
            if dead and effect(node) in (Effect.PURE, Effect.READ):
                node.erase()
                found = True


Key = tuple[object, ...]


def _merge(body: Body, outer: dict[Key, Node], graph: Graph) -> None:
    """Merge the operations of a block, given those that have run before it."""
    known = dict(outer)
    for node in list(body.nodes):
        kind = effect(node)
        if kind in (Effect.PURE, Effect.READ) and node.results:
            key = _key(node, graph)
            earlier = known.get(key)
            if earlier is not None and (kind is Effect.PURE or _unchanged(earlier, node)):
                for old, new in zip(node.results, earlier.results, strict=True):
                    old.replace_by(new)
                node.erase()
                continue
            known[key] = node
        alone = len({inner.region for inner in node.bodies}) == len(node.bodies)
        for inner in node.bodies:
            _merge(inner, {} if node.name == "func.func" or not alone else known, graph)


def _key(node: Node, graph: Graph) -> Key:
    """What two operations must share to compute the same."""
    vectors = tuple((use.role, id(use.value)) for use in node.uses)
    scalars = tuple(sorted((role, _scalar(value, graph)) for role, value in node.scalars.items()))
    attrs = tuple(sorted((name, str(value)) for name, value in node.attrs.items()))
    made = tuple((value.lanes, value.element, value.bits, value.is_mask, value.layout) for value in node.results)
    return node.name, vectors, scalars, attrs, made


def _scalar(operand: Operand, graph: Graph) -> str:
    """A scalar by what it computes."""
    if isinstance(operand, Constant):
        return f"#{operand.value}"
    if isinstance(operand, StepScalar):
        return f"step {operand.op} {operand.result}"
    assert isinstance(operand, Outside)
    return _computed(operand.value, graph, 16)


def _computed(value: int, graph: Graph, depth: int) -> str:
    if value in graph.constants:
        return f"#{graph.constants[value]}"
    known = graph.values[value]
    if known.op < 0 or depth == 0:
        return f"%{value}"
    node = graph.ops[known.op]
    if node.name not in _SCALAR:
        return f"%{value}"
    inner = " ".join(_computed(operand, graph, depth - 1) for operand in node.operands)
    return f"({node.name} {inner} {known.type.text})"


def _unchanged(earlier: Node, later: Node) -> bool:
    """Whether nothing between two loads of one block may write memory."""
    if earlier.body is not later.body or earlier.body is None:
        return False
    nodes = earlier.body.nodes
    return not any(_may_write(node) for node in nodes[nodes.index(earlier) + 1 : nodes.index(later)])


def _may_write(node: Node) -> bool:
    if node.bodies:
        return any(_may_write(inner) for body in node.bodies for inner in body.nodes)
    if node.name in IMPURE:
        return True
    return effect(node) not in (Effect.PURE, Effect.READ) and not node.name.startswith(_SILENT)
