"""Control flow that makes several values one: loops, branches, calls, returns.

Source: `layoutsolver_models.rules.vmi.flow`, whose rows say what must share a layout.
"""

from __future__ import annotations

from collections.abc import Iterable

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.vmi.program import Join, VmiProgram


def joins_of(program: VmiProgram) -> None:
    """Add the joins of a program, and the values that callers bring and take."""
    graph = program.graph
    for loop in graph.loops.values():
        for init, iter_arg, yielded, result in loop.carried:
            _join(program, (init, yielded), (iter_arg, result), "VMI.TIE.FOR", loop.op)
    for node in graph.ops:
        if node.name == "scf.if":
            _yields(program, node, "VMI.TIE.IF")
        elif node.name == "scf.execute_region":
            _yields(program, node, "VMI.TIE.REGION")
        elif node.name == "scf.index_switch":
            _yields(program, node, "VMI.TIE.SWITCH")
        elif node.name == "scf.while":
            _while(program, node)
        elif node.name == "arith.select":
            _join(program, node.operands, node.results, "VMI.TIE.SELECT", node.index)
    _branches(program)
    _functions(program)


def _join(program: VmiProgram, sources: Iterable[int], targets: Iterable[int], tie: str, origin: int) -> None:
    """A join of graph values, if they are vectors."""
    known = program.by_graph_value
    flows = tuple(dict.fromkeys(known[value] for value in sources if value in known))
    made = tuple(dict.fromkeys(known[value] for value in targets if value in known))
    if flows and made:
        program.joins.append(Join(flows, made, tie, origin))


def _ends(graph: Graph, parent: int, name: str) -> list[OpNode]:
    return [node for node in graph.ops if node.parent == parent and node.name == name]


def _yields(program: VmiProgram, node: OpNode, tie: str) -> None:
    ends = _ends(program.graph, node.index, "scf.yield")
    for number, result in enumerate(node.results):
        _join(program, [end.operands[number] for end in ends if number < len(end.operands)], [result], tie, node.index)


def _while(program: VmiProgram, node: OpNode) -> None:
    """The two sequences of an `scf.while`: what the condition sees, and what it passes on."""
    graph = program.graph
    blocks = graph.arguments.get(node.index, [])
    before = next((arguments for region, _, arguments in blocks if region == 0), [])
    after = next((arguments for region, _, arguments in blocks if region == 1), [])
    conditions = _ends(graph, node.index, "scf.condition")
    yields = _ends(graph, node.index, "scf.yield")
    for number, argument in enumerate(before):
        back = [end.operands[number] for end in yields if number < len(end.operands)]
        _join(program, [*node.operands[number : number + 1], *back], [argument], "VMI.TIE.WHILE.BEFORE", node.index)
    for number, argument in enumerate(after):
        passed = [end.operands[number + 1] for end in conditions if number + 1 < len(end.operands)]
        results = node.results[number : number + 1]
        _join(program, passed, [argument, *results], "VMI.TIE.WHILE.AFTER", node.index)


_TIES = {"cf.br": "VMI.TIE.BR", "cf.cond_br": "VMI.TIE.COND_BR", "cf.switch": "VMI.TIE.CF_SWITCH"}


def _branches(program: VmiProgram) -> None:
    """Block arguments, each with all operands that branches pass to it."""
    graph = program.graph
    passed: dict[int, list[int]] = {}
    tie: dict[int, tuple[str, int]] = {}
    for node in graph.ops:
        if node.name not in _TIES:
            continue
        labels = {label: values for _, label, values in graph.arguments.get(node.parent, []) if label}
        for label, operands in successors(node):
            for argument, operand in zip(labels.get(label, []), operands, strict=False):
                passed.setdefault(argument, []).append(operand)
                tie[argument] = (_TIES[node.name], node.index)
    for argument, operands in passed.items():
        _join(program, operands, [argument], *tie[argument])


def successors(node: OpNode) -> list[tuple[str, list[int]]]:
    """The labels that a branch names, each with the values that it passes there."""
    texts = node.op.stream.texts
    by_token = dict(zip(node.operand_tokens, node.operands, strict=True))
    out: list[tuple[str, list[int]]] = []
    for token in node.op.body_tokens():
        if texts[token].startswith("^"):
            out.append((texts[token], []))
        elif token in by_token and out:
            out[-1][1].append(by_token[token])
    return out


def _functions(program: VmiProgram) -> None:
    graph = program.graph
    known = program.by_graph_value
    called: set[str] = set(graph.calls.values())
    symbols = graph.function_by_symbol()
    for function in graph.functions:
        if not function.has_body:
            continue
        ends = [graph.ops[index] for index in function.returns]
        if function.symbol in called:
            continue
        program.arguments.extend(known[value] for value in function.arguments if value in known)
        for values in zip(*(end.operands for end in ends), strict=False):
            together = tuple(known[value] for value in values if value in known)
            if together:
                program.returned.append(together)
    for symbol in sorted(called):
        callee = symbols.get(symbol)
        if callee is None or not callee.has_body:
            continue
        calls = [graph.ops[index] for index, name in graph.calls.items() if name == symbol]
        for number, argument in enumerate(callee.arguments):
            flows = [call.operands[number] for call in calls if number < len(call.operands)]
            _join(program, flows, [argument], "VMI.TIE.CALL.ARGUMENT", callee.op)
        ends = [graph.ops[index] for index in callee.returns]
        count = max((len(call.results) for call in calls), default=0)
        for number in range(count):
            flows = [end.operands[number] for end in ends if number < len(end.operands)]
            results = [call.results[number] for call in calls if number < len(call.results)]
            _join(program, flows, results, "VMI.TIE.CALL.RESULT", callee.op)
