"""The granularity of masks as the released compiler decides it, and copies of what makes values of any layout.

Source: sections 1.5 and 2.3; the rows are those of `layoutsolver_models.rules.vmi.masks`.
"""

from __future__ import annotations

from layoutsolver.pose.vmi.upstream.net import Net, Node, Use, Val, value_at
from layoutsolver.pose.vmi.upstream.relations import FREE
from layoutsolver.pose.vmi.upstream.seeds import ConflictError
from layoutsolver_models.rules.vmi.masks import CAST, JOINED, MADE, REMADE, UNASKED, MaskWidth, asked_width


def assign_granularity(net: Net) -> None:
    """Give every mask a granularity and every use the one that it asks for. Raises `ConflictError`."""
    widths = _Widths()
    asked: list[tuple[Use, int]] = []
    masks: list[Val] = []
    for node in net.walk():
        masks += [value for value in node.results if value.is_mask]
        masks += [value for body in node.bodies for value in body.arguments if value.is_mask]
        for left, right in node.ties:
            widths.unite(value_at(left), value_at(right), node)
        joined = JOINED.get(node.name)
        if joined is not None:
            for value in (*(use.value for use in node.uses[1:]), *node.results):
                widths.unite(node.uses[0].value, value, node)
        for row in MADE:
            if node.name in row.ops:
                widths.fix(node.result(row.role), _bits(row, node), node)
        for use in node.uses:
            wanted = asked_width(node.name, use.role) if use.value.is_mask else None
            if wanted is not None:
                asked.append((use, _bits(wanted, node)))
    for value in masks:
        value.bits = widths.of(value) or UNASKED
    for use, bits in asked:
        if use.value.bits != bits:
            _recast(use, bits)


def _bits(row: MaskWidth, node: Node) -> int:
    if row.bits:
        return row.bits
    use = node.use(row.like)
    return use.value.bits if use is not None else node.result(row.like).bits


def _recast(use: Use, bits: int) -> None:
    """Let a use have a mask of another granularity."""
    made = use.value.node
    if made is not None and made.name in REMADE:
        cast = made.copy()
    else:
        cast = Node(CAST, use.node.origin)
        cast.add_use("source", use.value)
        cast.add_result("result", use.value.like()).graph_value = -1
    cast.origin = use.node.origin
    cast.results[0].bits = bits
    cast.results[0].given = use.value.given
    cast.put_before(use.node)
    use.set(cast.results[0])


class _Widths:
    """Masks that have one granularity, and those that are known."""

    def __init__(self) -> None:
        self.parent: dict[Val, Val] = {}
        self.known: dict[Val, int] = {}

    def root(self, value: Val) -> Val:
        while value in self.parent:
            value = self.parent[value]
        return value

    def of(self, value: Val) -> int:
        root = self.root(value)
        return self.known.get(root, root.bits)

    def unite(self, left: Val, right: Val, node: Node) -> None:
        left, right = self.root(left), self.root(right)
        if left is right or not (left.is_mask and right.is_mask):
            return
        one, other = self.of(left), self.of(right)
        if one and other and one != other:
            raise ConflictError(node, f"conflicting mask granularities b{one} and b{other}")
        self.parent[right] = left
        self.known[left] = one or other

    def fix(self, value: Val, bits: int, node: Node) -> None:
        known = self.of(value)
        if known and known != bits:
            raise ConflictError(node, f"conflicting mask granularities b{known} and b{bits}")
        self.known[self.root(value)] = bits


def copy_weak_producers(net: Net) -> None:
    """A splat, ramp or constant mask with several users once for each: none decides for the others."""
    for node in [node for node in net.walk() if node.name in FREE and len(node.results) == 1]:
        by_user: dict[Node, list[Use]] = {}
        for use in node.results[0].uses:
            by_user.setdefault(use.node, []).append(use)
        for user, uses in list(by_user.items())[1:]:
            made = node.copy()
            made.results[0].given = node.results[0].given
            made.put_before(user)
            for use in uses:
                use.set(made.results[0])
