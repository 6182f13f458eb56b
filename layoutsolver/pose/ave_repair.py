"""What may be changed in an AVE program whose layouts contradict each other.

Data can be spread or made dense by interleaves, whatever one operation defines can be cloned (predicates are always
cloned, never converted), and `vtrc` between two widths can be written as a conversion and a `vtrc` of one width.
"""

from __future__ import annotations

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.ops.spec import Effect
from layoutsolver.pose.ave_tables import rules_by_family
from layoutsolver.pose.ave_values import lanes_of_use, needed_lanes
from layoutsolver.pose.posed import Posed
from layoutsolver_models.problems.layout import Row
from layoutsolver_models.problems.repair import Conversion, Edge, Producer, RepairSpace, UseKind
from layoutsolver_models.rules.conversions import CONVERSIONS
from layoutsolver_models.vecmem import DOMAINS, VECMEM_TYPES, holds

_CLONABLE = frozenset({Effect.PURE, Effect.READ})
_NOT_CLONED = frozenset({"interleave", "layout_cast", "loop", "branch", "reshape", "bitcast"})


def repair_space(posed: Posed, near: set[int] | None = None) -> RepairSpace:
    """The changes that are possible; with `near`, only copies of these problem values are considered."""
    graph = posed.graph
    needed = needed_lanes(graph)
    edges: list[Edge] = []
    for index, op in enumerate(posed.op_of_relation):
        places, scope = posed.operands_of_relation[index], posed.problem.relations[index].values
        edges += _edges(posed, graph.ops[op], "relation", index, list(zip(scope, places, strict=True)), needed)
    for index, (op, places) in enumerate(zip(posed.op_of_tie, tie_places(posed), strict=True)):
        scope = posed.problem.ties[index].values
        edges += _edges(posed, graph.ops[op], "tie", index, list(zip(scope, places, strict=True)), needed)
    if near is not None:
        edges = [edge for edge in edges if edge.value in near]
    values = {edge.value for edge in edges}
    conversions: dict[int, tuple[Conversion, ...]] = {}
    producers: dict[int, Producer] = {}
    runs: dict[int, int] = {}
    for value in sorted(values):
        known = graph.values[posed.value_of[value]]
        if known.vector is None:
            continue
        bits = posed.problem.values[value].bits
        conversions[value] = _conversions(bits) if known.vector.layout is None else ()
        runs[value] = _runs(graph, posed.value_of[value])
    _add_producers(posed, producers)
    return RepairSpace(tuple(edges), conversions, producers, _rewrites(posed), runs)


def _conversions(bits: int) -> tuple[Conversion, ...]:
    """The conversions of data of one element width."""
    rows = (row for row in CONVERSIONS if row.before in DOMAINS.get(bits, ()))
    return tuple(Conversion(row.before, row.after, len(row.steps)) for row in rows)


def tie_places(posed: Posed) -> list[tuple[int, ...]]:
    """Tie by tie, which operand of its operation each port is (-1: none).

    Where an operation takes one value several times, and ties it every time, the n-th tie is about the n-th of them.
    """
    taken: dict[tuple[int, int], int] = {}
    out: list[tuple[int, ...]] = []
    for op, known in zip(posed.op_of_tie, posed.operands_of_tie, strict=True):
        operands = posed.graph.ops[op].operands
        places = []
        for place in known:
            if place >= 0:
                value = operands[place]
                occurrences = [at for at, other in enumerate(operands) if other == value]
                number = taken.get((op, value), 0)
                taken[op, value] = number + 1
                place = occurrences[min(number, len(occurrences) - 1)]
            places.append(place)
        out.append(tuple(places))
    return out


def _edges(
    posed: Posed, node: OpNode, kind: UseKind, index: int, ports: list[tuple[int, int]], needed: dict[int, int]
) -> list[Edge]:
    """The edges at the ports of one relation or tie that are operands; `ports` are pairs (value, operand)."""
    out: list[Edge] = []
    held = [value for value, operand in ports if operand >= 0]
    for port, (value, operand) in enumerate(ports):
        if kind == "relation" and _is_unclear(posed, node, value, held.count(value)):
            continue
        known = posed.graph.values[posed.value_of[value]]
        bits = posed.problem.values[value].bits
        if operand < 0 or known.vector is None or bits not in DOMAINS:
            continue
        domain = DOMAINS[bits]
        if not posed.compat:
            lanes = lanes_of_use(posed.graph, node, posed.value_of[value], needed)
            domain = tuple(name for name in domain if holds(name, lanes))
        out.append(Edge(value, kind, index, port, domain, node.operand_tokens[operand]))
    return out


def _is_unclear(posed: Posed, node: OpNode, value: int, ports: int) -> bool:
    """Whether an operation takes a value several times and its relation does not tell which operand a port is.

    In compat mode data that are the mask as well have no port of their own.
    """
    operands = node.operands.count(posed.value_of[value])
    if node.spec is None or operands < 2:
        return False
    return node.spec.rule in ("elementwise", "select") and operands != ports


def _runs(graph: Graph, value: int) -> int:
    """How often the place runs at which a value is defined."""
    op = graph.values[value].op
    if op >= 0:
        return graph.ops[op].weight
    for loop in graph.loops.values():
        if any(iter_arg == value for _, iter_arg, _, _ in loop.carried):
            inside = [node.weight for node in graph.ops if node.parent == loop.op]
            return max(inside, default=1)
    return 1


def _add_producers(posed: Posed, producers: dict[int, Producer]) -> None:
    graph = posed.graph
    for index, op in enumerate(posed.op_of_relation):
        node = graph.ops[op]
        spec = node.spec
        if spec is None or spec.effect not in _CLONABLE or spec.rule in _NOT_CLONED or node.op.regions:
            continue
        vectors = graph.vectors(node.results)
        if len(vectors) != 1 or not node.op.results:
            continue
        value = posed.number[vectors[0]]
        scope = posed.problem.relations[index].values
        held = [scope[port] for port, place in enumerate(posed.operands_of_relation[index]) if place >= 0]
        if any(_is_unclear(posed, node, operand, held.count(operand)) for operand in held):
            continue
        if value in scope and value not in producers:
            producers[value] = Producer(index, scope.index(value))


def _rewrites(posed: Posed) -> dict[int, tuple[Row, ...]]:
    """Further rows for operations that can be written in another way, one instruction dearer each.

    `vtrc` between two widths: convert, then round (or round, then convert). `vcmps`: broadcast the scalar, then `vcmp`,
    which compares spread data too.
    """
    out: dict[int, tuple[Row, ...]] = {}
    for index, op in enumerate(posed.op_of_relation):
        node = posed.graph.ops[op]
        if node.name not in ("ave.hir.vtrc", "ave.hir.vcmps") or not node.results or node.op.is_generic:
            continue
        source = node.role("src" if node.name == "ave.hir.vtrc" else "vec")
        if source is None:
            continue
        before, after = (posed.problem.values[posed.number[value]].bits for value in (source, node.results[0]))
        if node.name == "ave.hir.vcmps":
            family, names = "compare", {"data": "data", "mask": "mask", "pres": "pres", "res": "pres"}
        elif before != after:
            family = "truncate" if before > after else "extend"
            names = {"data": "src", "mask": "mask", "res": "res"}
        else:
            continue
        roles = [names[role.rstrip("0123456789")] for role in posed.problem.tables[_table(posed, index)].roles]
        known = {row.layouts for row in posed.problem.tables[_table(posed, index)].rows}
        rows = (
            Row(rule.id, tuple(rule.layouts[role] for role in roles), 1, {"rewrite": family})
            for rule in rules_by_family()[family]
            if rule.width == before and (family == "compare" or VECMEM_TYPES[rule.layouts["res"]].bits == after)
        )
        out[index] = tuple(row for row in rows if row.layouts not in known)
    return out


def _table(posed: Posed, relation: int) -> int:
    return posed.problem.relations[relation].table
