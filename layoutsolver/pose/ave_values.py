"""Which values take part in the layout question, and how many of their elements a layout must hold."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.ops.assembly import attribute_entries

_CASTS = frozenset({"builtin.unrealized_conversion_cast", "vector.shape_cast"})

_LANE_BY_LANE = frozenset(
    {"elementwise", "select", "compare", "compare_scalar", "convert", "truncate", "reshape", "gather", "layout_cast",
     "broadcast"}
)  # fmt: skip
"""Rule families whose element i of the result depends on elements i of the operands alone."""

_FIRST_ONLY = frozenset({"ave.hir.vector_broadcast"})
"""Operations that read one element of their data: the first, or on demand the last."""

_ACROSS = frozenset({"ave.hir.reduction"})
"""Operations of a lane-by-lane family that read all elements of their data."""

_CLEARED = frozenset({"gather", "broadcast"})
"""Rule families whose result is zero where the mask is clear, as predicates are."""

_MERGING = frozenset({"ave.hir.vmula"})
"""Operations whose result is their first operand where the mask is clear."""


def in_cast_chain(graph: Graph) -> set[int]:
    """Scalars that only carry a vector from one cast to another: results of a cast of a vector or of such a scalar.

    The released analyzer gives them a layout, and two casts that meet in one must agree.
    """
    chained: set[int] = set()
    for node in graph.ops:
        if node.name not in _CASTS or not node.operands or not node.results:
            continue
        source, result = node.operands[0], node.results[0]
        if source < 0:
            continue
        if graph.values[source].vector is not None or source in chained:
            chained.add(result)
        elif graph.values[result].vector is not None:
            chained.add(source)
    return {value for value in chained if graph.values[value].vector is None}


def needed_lanes(graph: Graph) -> dict[int, int]:
    """Per vector value, how many elements a layout must hold: those that something put there and something reads.

    Casts and conversions between vectors of different lengths touch the common elements alone. An interleave that
    makes its result dense packs two half-filled registers into one, and the other way round. Of a mask that has more
    elements than what it governs those count that govern something.
    """
    supply = _supply(graph)
    demand = _demand(graph, supply)
    return {value: min(count, demand[value]) for value, count in supply.items()}


def _supply(graph: Graph) -> dict[int, int]:
    """How many elements of each vector mean something, from definitions to uses."""
    supply = {value.index: value.vector.lanes for value in graph.values if value.vector is not None}
    for node in graph.ops:
        if node.name == "ave.hir.vintlv" and layout_change(node) == "SPARSE" and node.operands[0] in supply:
            whole = graph.values[node.operands[0]].vector
            half = ((whole.lanes if whole is not None else 0) + 1) // 2
            for result in node.results:
                supply[result] = min(supply[result], half)
        if not _lane_by_lane(graph, node) or node.name in _FIRST_ONLY:
            continue
        found = _met(graph, node, supply)
        for result in node.results:
            if result in supply and found is not None:
                supply[result] = min(supply[result], found)
    return supply


def _met(graph: Graph, node: OpNode, supply: dict[int, int]) -> int | None:
    """How many elements of what an operation takes lane by lane can mean something together.

    A selection means something wherever its mask and the vector that it takes there do: one may end before the other.
    Where a mask excludes elements, predicates and what is gathered are clear and a sum of products is what was added
    to, so that what means nothing may stand in the other operands there.
    """
    held = [value for value in node.operands if value in supply]
    mask = node.role("mask")
    if _rule(node) == "select":
        held = [node.operands[0], max(node.operands[1:], key=lambda value: supply.get(value, 0))]
    elif mask in supply and (_rule(node) in _CLEARED or _makes_predicate(graph, node)):
        held = [mask]
    elif mask in supply and node.name in _MERGING:
        held = [mask, node.operands[0]]
    return min((supply[value] for value in held if value in supply), default=None)


def _makes_predicate(graph: Graph, node: OpNode) -> bool:
    vector = graph.values[node.results[0]].vector if node.results else None
    return vector is not None and vector.bits == 1


def read_lanes(graph: Graph, set_in: Callable[[int], int]) -> dict[int, int]:
    """How many elements of each vector are read, no element being stored that its mask excludes.

    `set_in` says how many elements of a mask may be set. This is less than a layout must hold: what lies behind may be
    lost, but is computed.
    """
    return _demand(graph, _supply(graph), set_in)


def _demand(graph: Graph, supply: dict[int, int], set_in: Callable[[int], int] | None = None) -> dict[int, int]:
    """How many elements of each vector are read, from uses to definitions."""
    demand = dict.fromkeys(supply, 1)
    for node in reversed(graph.ops):
        operands = [value for value in node.operands if value in demand]
        if not operands:
            continue
        rule = _rule(node)
        results = max((demand[value] for value in node.results if value in demand), default=1)
        if _lane_by_lane(graph, node) and node.name not in _ACROSS:
            read = results
        elif node.name == "ave.hir.vdintlv" and layout_change(node) == "DENSE":
            read = min(results, _half(graph, node))
        elif rule in ("store", "unaligned_store", "strided_store", "scatter"):
            read = 1 if takes_first(node) else _stored_lanes(graph, node, supply)
        elif node.name in _ACROSS:
            read = min(supply[value] for value in operands)
        else:
            read = 0
        for value in operands:
            wanted = read or supply[value]
            if set_in is not None:
                wanted = _seen(graph, node, value, wanted, demand, set_in)
            if node.name in _FIRST_ONLY and value == node.operands[0]:
                wanted = supply[value] if takes_last(node) else 1
            demand[value] = max(demand[value], min(wanted, supply[value]))
    return demand


def _seen(
    graph: Graph, node: OpNode, value: int, wanted: int, demand: dict[int, int], set_in: Callable[[int], int]
) -> int:
    """How many elements of an operand are read: of what is stored those under the mask, of an interleave's half.

    A store of predicates does not look at its mask. Any other one writes where its mask has elements, even such of
    which the vector has nothing.
    """
    mask = node.role("mask")
    vector = graph.values[value].vector
    stored = node.role("val")
    if value == mask and stored is not None and value != stored and not takes_first(node):
        data = graph.values[stored].vector
        if vector is not None and data is not None and data.bits != 1:
            return min(vector.lanes, data.lanes)
    if vector is not None and vector.bits == 1 and value != mask:
        mask = None
    if _rule(node) in ("store", "unaligned_store", "strided_store") and mask is not None and value != mask:
        return min(wanted, max(1, set_in(mask)))
    if node.name == "ave.hir.vintlv" and not layout_change(node) and not graph.users[node.results[1]]:
        return min(wanted, (demand.get(node.results[0], wanted) + 1) // 2)
    return wanted


def _stored_lanes(graph: Graph, node: OpNode, held: dict[int, int]) -> int:
    """How many elements a store takes of what its operands hold: of a predicate all, for its mask is not looked at."""
    value = node.role("val")
    vector = graph.values[value].vector if value is not None and value >= 0 else None
    if vector is not None and vector.bits == 1 and value in held:
        return held[value]
    return min(held[operand] for operand in node.operands if operand in held)


def lanes_of_use(graph: Graph, node: OpNode, value: int, needed: dict[int, int]) -> int:
    """How many elements of an operand one operation reads; `needed` is what `needed_lanes` says of all vectors."""
    results = max((needed[result] for result in node.results if result in needed), default=1)
    own = graph.values[value].vector
    lanes = own.lanes if own is not None else 1
    if node.name in _FIRST_ONLY and node.operands and value == node.operands[0]:
        return lanes if takes_last(node) else 1
    if _lane_by_lane(graph, node) and node.name not in _ACROSS:
        return min(lanes, results)
    if _rule(node) in ("store", "unaligned_store", "strided_store", "scatter"):
        return 1 if takes_first(node) else _stored_lanes(graph, node, needed)
    return min(lanes, needed.get(value, lanes))


def _lane_by_lane(graph: Graph, node: OpNode) -> bool:
    if _rule(node) == "bitcast":
        before, after = graph.values[node.operands[0]].vector, graph.values[node.results[0]].vector
        return before is not None and after is not None and before.lanes == after.lanes
    return _rule(node) in _LANE_BY_LANE


def takes_last(node: OpNode) -> bool:
    """Whether a `vector_broadcast` takes the last element instead of the first."""
    if not node.op.is_generic:
        return node.enums.get("bool") == "false"
    from layoutsolver.ops.attributes import attributes

    return attributes(node).get("bool", "true") == "false"


def takes_first(node: OpNode) -> bool:
    """Whether an operation is a store of element 0 alone, whatever its mask says."""
    if node.name != "ave.hir.masked_store":
        return False
    if not node.op.is_generic:
        return node.enums.get("dist", "").startswith("ONEPT")
    from layoutsolver.ops.attributes import attributes

    return attributes(node).get("dist", "").startswith("ONEPT")


def _half(graph: Graph, node: OpNode) -> int:
    """How many elements of each source a DENSE interleave takes."""
    vector = graph.values[node.results[0]].vector if node.results else None
    return vector.lanes // 2 if vector is not None else 0


def layout_change(node: OpNode) -> str:
    """The `layout_change` of an interleave: UNCHANGED, DENSE, SPARSE, or empty where it has none."""
    if node.attrs is None or _rule(node) != "interleave":
        return ""
    entry = attribute_entries(node.op, node.attrs).get("layout_change")
    if entry is None:
        return ""
    text = node.op.stream.range_text(*entry)
    return next((change for change in ("UNCHANGED", "DENSE", "SPARSE") if change in text), "")


def _rule(node: OpNode) -> str:
    return node.spec.rule if node.spec is not None else ""
