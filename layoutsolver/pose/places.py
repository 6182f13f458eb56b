"""Which operand of its operation each port of a relation or tie is."""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver.graph.model import OpNode

_ROLES = {"data1": "lhs", "data2": "rhs", "data": "vec"}
"""What an operation calls the ports that the rule tables call otherwise."""


def operand_places(node: OpNode, values: list[int], roles: Sequence[str] = ()) -> tuple[int, ...]:
    """For each value, which operand of the operation it is; -1 for results and for what the operation does not use.

    Of several operands that are one value, that of the port's role is taken, else the first that is left.
    """
    operands, results = node.operands, node.results
    if len(set(operands)) == len(operands):
        return tuple([operands.index(value) if value in operands and value not in results else -1 for value in values])
    taken: set[int] = set()
    places = []
    for port, value in enumerate(values):
        left = [at for at, operand in enumerate(operands) if operand == value and at not in taken]
        if value in results or not left:
            places.append(-1)
            continue
        role = roles[port] if port < len(roles) else ""
        place = next((at for at in left if node.roles[at] == _ROLES.get(role, role)), left[0])
        taken.add(place)
        places.append(place)
    return tuple(places)
