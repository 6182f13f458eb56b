"""Calls of functions with a body in one block, put in place of the call, as the released compiler does it first."""

from __future__ import annotations

from layoutsolver.graph.model import Graph
from layoutsolver.pose.vmi.upstream.net import Body, Net, Node, Use, Val


def inlined(net: Net, graph: Graph) -> None:
    """Replace calls, those of callees first, and take away private functions that nobody calls any more."""
    functions = {graph.ops[function.op].index: function for function in graph.functions}
    node_of = {functions[node.origin].symbol: node for node in net.walk() if node.origin in functions and node.bodies}
    private = {function.symbol for function in graph.functions if function.is_private}
    done: set[str] = set()

    def settle(symbol: str, around: tuple[str, ...]) -> None:
        if symbol in done:
            return
        for call in _calls(node_of[symbol], graph):
            callee = graph.calls[call.origin]
            if callee not in node_of or callee in (*around, symbol) or len(node_of[callee].bodies) != 1:
                continue
            settle(callee, (*around, symbol))
            _put_in_place(call, node_of[callee])
        done.add(symbol)

    for symbol in node_of:
        settle(symbol, ())
    called = {graph.calls[call.origin] for node in node_of.values() for call in _calls(node, graph)}
    for symbol, node in node_of.items():
        if symbol in private and symbol not in called:
            for inner in reversed(_inside(node)):
                inner.erase()
            node.erase()


def _inside(node: Node) -> list[Node]:
    out: list[Node] = []
    for body in node.bodies:
        for inner in body.nodes:
            out += [*_inside(inner), inner]
    return out


def _calls(node: Node, graph: Graph) -> list[Node]:
    return [inner for inner in _inside(node) if inner.origin in graph.calls and inner.name.endswith("call")]


def _put_in_place(call: Node, callee: Node) -> None:
    """The operations of a function in front of a call of it, whose results become what the function returns."""
    known: dict[Val, Val] = {}
    given = iter(call.uses)
    for argument in callee.bodies[0].arguments:
        known[argument] = next(given).value
    uses: dict[Use, Use] = {}
    returned: list[Val] = []
    for node in callee.bodies[0].nodes:
        if node.name in ("func.return", "return"):
            returned = [known.get(use.value, use.value) for use in node.uses]
            continue
        _copied(node, known, uses).put_before(call)
    for result, value in zip(call.results, returned, strict=True):
        result.replace_by(value)
    call.erase()


def _copied(node: Node, known: dict[Val, Val], uses: dict[Use, Use]) -> Node:
    """A copy of an operation with all that is nested in it."""
    made = Node(node.name, node.origin, dict(node.attrs))
    made.scalars = dict(node.scalars)
    for use in node.uses:
        uses[use] = made.add_use(use.role, known.get(use.value, use.value))
    for role, value in zip(node.roles, node.results, strict=True):
        known[value] = made.add_result(role, _fresh(value))
    for body in node.bodies:
        inner = Body(made, body.region)
        made.bodies.append(inner)
        for argument in body.arguments:
            known[argument] = _fresh(argument)
            inner.arguments.append(known[argument])
        for nested in body.nodes:
            copy = _copied(nested, known, uses)
            copy.body = inner
            inner.nodes.append(copy)
    for left, right in node.ties:
        made.ties.append((_side(left, known, uses), _side(right, known, uses)))
    return made


def _side(side: Use | Val, known: dict[Val, Val], uses: dict[Use, Use]) -> Use | Val:
    return uses[side] if isinstance(side, Use) else known.get(side, side)


def _fresh(value: Val) -> Val:
    made = value.like()
    made.given = made.layout = value.given
    return made
