"""What the released analyzer makes of a program: its verdict, and at which operation.

It visits operations in reverse pre-order, function by function, and stops at the first that no candidate survives.
A layout it looks up and does not have is an assertion; a layout it puts on a value beside one without is an error
of the verifier that runs behind it. Source: AnalyzeVectorLayout.cpp, measured on release 1.2.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.pose.posed import Posed
from layoutsolver_models.problems.layout import Choice, Group, LayoutProblem, LayoutSolution
from layoutsolver_models.solve.layout import Limits, solve_layout
from layoutsolver_models.vecmem import DENSE, layout_width

VerdictKind = Literal["solved", "no_solve", "assertion", "verifier", "crash"]

_RETYPING_BREAKS = frozenset({"arith.constant", "vector.multi_reduction"})
"""Operations whose own verifier rejects a result type with a layout."""


class Verdict(NamedTuple):
    """How the analyzer ends, the operation (graph index) at which it does, -1 if it succeeds, and why."""

    kind: VerdictKind
    op: int = -1
    reason: str = ""


def upstream_verdict(posed: Posed, solution: LayoutSolution) -> Verdict:
    """The verdict on a problem that was posed in compat mode; `solution` is its solution."""
    graph = posed.graph
    for number, function in enumerate(graph.functions):
        if not function.has_body:
            continue
        ops = [node.index for node in graph.ops if node.function == number]
        known = _unused(posed.graph, ops)
        verdict = _visit(posed, ops, solution, known)
        if verdict.kind == "solved":
            own = solution if solution.layouts else _solve_alone(posed, ops)
            verdict = _verify(posed, ops, own, known)
        if verdict.kind != "solved":
            return verdict
    return Verdict("solved")


def _solve_alone(posed: Posed, ops: list[int]) -> LayoutSolution:
    """The solution of one function where another one has none."""
    inside = set(ops)
    problem = posed.problem
    kept = [index for index, op in enumerate(posed.op_of_relation) if op in inside]
    alone = problem._replace(
        relations=tuple(problem.relations[index] for index in kept),
        ties=tuple(tie for tie, op in zip(problem.ties, posed.op_of_tie, strict=True) if op in inside),
        preference=tuple(
            Choice(choice.kind, kept.index(choice.index) if choice.kind == "relation" else choice.index)
            for choice in problem.preference
            if choice.kind == "value" or choice.index in set(kept)
        ),
    )
    return solve_layout(alone)


def _unused(graph: Graph, ops: list[int]) -> set[int]:
    """The vector results that nobody uses: the analyzer starts from their layouts."""
    return {
        value
        for op in ops
        for value in graph.ops[op].results
        if not graph.users[value] and graph.values[value].vector is not None
    }


def _visit(posed: Posed, ops: list[int], solution: LayoutSolution, known: set[int]) -> Verdict:
    """The verdict of the analysis proper on one function's operations; `known` gains the values with a layout."""
    event = next(_events(posed, ops, known), None)
    last = -1 if event is None else event.op
    if solution.status == "infeasible":
        groups = _in_order(posed, ops, last)
        failing = _first_infeasible(posed, groups)
        if failing is not None:
            return Verdict("no_solve", failing, "no combination of layouts is left")
    return event or Verdict("solved")


def _in_order(posed: Posed, ops: list[int], stop: int) -> list[tuple[int, Group]]:
    """The function's groups in the order in which the analyzer posts them, up to operation `stop`."""
    inside = set(ops)
    groups: list[tuple[int, Group]] = []
    for index, op in enumerate(posed.op_of_relation):
        if op in inside and op > stop:
            groups.append((op, ("relation", index)))
    for index, op in enumerate(posed.op_of_tie):
        if op in inside and op > stop:
            groups.append((op, ("tie", index)))
    return sorted(groups, key=lambda item: -item[0])


def _first_infeasible(posed: Posed, groups: list[tuple[int, Group]]) -> int | None:
    """The operation whose groups first make the prefix infeasible, None if it never is."""
    from layoutsolver_models.solve.conflict import is_feasible, restrict

    def fails(count: int) -> bool:
        chosen = [group for _, group in groups[:count]]
        return is_feasible(restrict(posed.problem, chosen), Limits()) is False

    if not groups or not fails(len(groups)):
        return None
    low, high = 1, len(groups)
    while low < high:
        middle = (low + high) // 2
        if fails(middle):
            high = middle
        else:
            low = middle + 1
    return groups[low - 1][0]


def _events(posed: Posed, ops: list[int], known: set[int]) -> Iterator[Verdict]:
    """Stops that do not depend on which layouts are chosen, in the order in which the analyzer meets them."""
    graph = posed.graph
    for op in reversed(ops):
        node = graph.ops[op]
        if node.name == "func.func" or not (graph.vectors(node.operands) or graph.vectors(node.results)):
            continue
        yield from _visit_op(graph, node, known)


def _visit_op(graph: Graph, node: OpNode, known: set[int]) -> Iterator[Verdict]:
    vectors, results = graph.vectors(node.operands), graph.vectors(node.results)
    rule = node.spec.rule if node.spec is not None else ""
    missing = Verdict("assertion", node.index, "a value has no layout")
    if node.name == "scf.for":
        for init, iter_arg, _, result in graph.loops[node.index].carried:
            if iter_arg not in known and result not in known:
                yield missing
            known.add(init)
    elif node.name == "scf.yield":
        parent = _enclosing_for(graph, node)
        if parent is None or graph.ops[node.parent].name == "scf.if":
            yield Verdict("crash", node.index, "a branch yields a vector")
            return
        for _, _, value, result in graph.loops[parent].carried:
            if graph.values[result].vector is None:
                continue
            if result not in known:
                yield missing
            known.add(value)
    elif rule == "reshape" and node.name == "builtin.unrealized_conversion_cast":
        if node.results[0] not in known:
            yield missing
        known.add(node.operands[0])
    elif rule == "layout_cast":
        if any((vector := graph.values[v].vector) and vector.layout for v in (*node.operands, *node.results)):
            known.add(node.operands[0])
    elif rule in ("store", "strided_store") or (rule == "call" and not results):
        known.update(vectors)
    elif not results:
        yield Verdict("no_solve", node.index, "the operation has no rule")
    elif node.name == "scf.if":
        yield Verdict("crash", node.index, "a branch yields a vector")
    else:
        needed = results if rule == "interleave" else results[:1]
        if any(value not in known for value in needed):
            yield missing
        index_vector = node.role("index_vec")
        if index_vector is not None and (vector := graph.values[index_vector].vector) and vector.bits is None:
            yield Verdict("assertion", node.index, "a vector of `index` has no element width")
        known.update(vectors)


def _enclosing_for(graph: Graph, node: OpNode) -> int | None:
    parent = node.parent
    while parent >= 0 and graph.ops[parent].name != "scf.for":
        parent = graph.ops[parent].parent
    return parent if parent >= 0 else None


def _verify(posed: Posed, ops: list[int], solution: LayoutSolution, known: set[int]) -> Verdict:
    """What the verifier says of the retyped function: values that keep their plain type meet others that do not.

    A result that never got a layout takes that of the first result that did.
    """
    graph = posed.graph
    types: dict[int, str | None] = {}

    def layout_of(value: int) -> str | None:
        return types.get(value)

    for op in ops:
        node = graph.ops[op]
        if node.name == "scf.for":
            for init, iter_arg, _, result in graph.loops[op].carried:
                types[iter_arg] = types[result] = layout_of(init)
        elif node.name == "func.call":
            for value in graph.vectors(node.results):
                vector = graph.values[value].vector
                if vector is not None and vector.bits == 64:
                    return Verdict("assertion", op, "a call returns a vector of 64-bit elements")
                width = layout_width(vector.bits or 0) if vector is not None else 0
                types[value] = DENSE.get(width)
        else:
            results = graph.vectors(node.results)
            first = next((value for value in results if value in known), None)
            for value in results:
                holder = value if value in known else first
                types[value] = None if holder is None else solution.layouts[posed.number[holder]]
    for op in ops:
        node = graph.ops[op]
        if node.name == "scf.for":
            for init, _, value, _ in graph.loops[op].carried:
                if graph.values[init].vector is not None and layout_of(init) != layout_of(value):
                    return Verdict("verifier", op, "a loop carries a value without a layout")
        if node.name in _RETYPING_BREAKS and graph.vectors(node.results):
            return Verdict("verifier", op, "its result type may not carry a layout")
        for group in _one_type_groups(graph, node):
            if len({layout_of(value) for value in group}) > 1:
                return Verdict("verifier", op, "operands with and without a layout, or with different ones, meet")
    return Verdict("solved")


def _one_type_groups(graph: Graph, node: OpNode) -> list[list[int]]:
    """Sets of values that the operation's verifier wants to have one type."""
    spec = node.spec
    if node.name == "scf.yield":
        parent = _enclosing_for(graph, node)
        if parent is None:
            return []
        carried = graph.loops[parent].carried
        return [[value, result] for _, _, value, result in carried if graph.values[result].vector is not None]
    if node.name.startswith(("arith.", "math.")):
        return [graph.vectors([*node.operands, *node.results])]
    if spec is None or not node.name.startswith("ave.hir."):
        return []
    if spec.rule == "interleave":
        return [node.operands[:2], node.results[:2]]
    if spec.rule == "compare":
        return [[value for value, role in zip(node.operands, node.roles, strict=True) if role in ("lhs", "rhs")]]
    if not spec.same_type:
        return []
    chosen = [value for value, role in zip(node.operands, node.roles, strict=True) if role in spec.same_type]
    for role, value in zip(spec.results, node.results, strict=False):
        if role.name in spec.same_type:
            chosen.append(value)
    return [chosen]


def groups_before(posed: Posed, failing: int) -> tuple[LayoutProblem, list[int]]:
    """What the analyzer has posted of one function before it visits an operation, and the values of that problem.

    The second list gives, for each value of the problem, its number in the whole one; values are those that have a
    layout by then.
    """
    graph = posed.graph
    ops = [node.index for node in graph.ops if node.function == graph.ops[failing].function]
    known = _unused(graph, ops)
    for op in reversed(ops):
        if op <= failing:
            break
        node = graph.ops[op]
        if node.name != "func.func" and (graph.vectors(node.operands) or graph.vectors(node.results)):
            list(_visit_op(graph, node, known))
    groups = [group for _, group in _in_order(posed, ops, failing)]
    problem = posed.problem
    numbers = sorted(
        {posed.number[value] for value in known if value in posed.number}
        | {value for group in groups for value in _scope(problem, group)}
    )
    place = {number: index for index, number in enumerate(numbers)}
    relations = [index for kind, index in groups if kind == "relation"]
    sub = LayoutProblem(
        problem.layouts,
        tuple(problem.values[number] for number in numbers),
        problem.tables,
        tuple(
            problem.relations[index]._replace(values=tuple(place[v] for v in problem.relations[index].values))
            for index in relations
        ),
        tuple(
            problem.ties[index]._replace(values=tuple(place[v] for v in problem.ties[index].values))
            for kind, index in groups
            if kind == "tie"
        ),
        (),
        tuple(
            Choice(choice.kind, place[choice.index] if choice.kind == "value" else relations.index(choice.index))
            for choice in problem.preference
            if (choice.index in place if choice.kind == "value" else choice.index in relations)
        ),
        ("preference",),
    )
    return sub, numbers


def _scope(problem: LayoutProblem, group: Group) -> tuple[int, ...]:
    kind, index = group
    return problem.relations[index].values if kind == "relation" else problem.ties[index].values
