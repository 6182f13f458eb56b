"""The program as the released compiler's passes see it: operations in blocks, values with an ordered list of uses.

That compiler visits the uses of a value in the order of its list, the one that was added last first, and lets whoever
comes first decide. So the order is kept here as its passes leave it.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutsolver.vmi.program import Operand


class Net:
    """A program: its top-level block. `order` is counted up to number nodes."""

    __slots__ = ("body", "order")

    def __init__(self) -> None:
        self.body = Body(None)
        self.order = 0

    def walk(self) -> list[Node]:
        """All operations, those nested in one before it."""
        return list(_walk(self.body))


def _walk(body: Body) -> Iterator[Node]:
    for node in body.nodes:
        for inner in node.bodies:
            yield from _walk(inner)
        yield node


class Body:
    """A block: the operation that holds it, its arguments and operations."""

    __slots__ = ("arguments", "nodes", "owner", "region")

    def __init__(self, owner: Node | None, region: int = 0) -> None:
        self.owner = owner
        self.region = region
        self.arguments: list[Val] = []
        self.nodes: list[Node] = []


class Val:
    """A vector or mask: its shape, its layout once it has one, its uses, the one that was added last first.

    `number` is that of the program's value of which this is one form. `bits` is the width of an element; of a mask, of
    the elements that it governs, 0 while that is open. `given` is the layout that the text states. `graph_value` is the
    value of the text that it stands for, -1 if there is none.
    """

    __slots__ = ("bits", "element", "given", "graph_value", "is_mask", "lanes", "layout", "node", "number", "uses")

    def __init__(self, number: int, is_mask: bool, lanes: int, element: str, bits: int, given: str = "",
                 graph_value: int = -1) -> None:  # fmt: skip
        self.number = number
        self.is_mask = is_mask
        self.lanes = lanes
        self.element = element
        self.bits = bits
        self.given = given
        self.layout = given
        self.graph_value = graph_value
        self.node: Node | None = None
        self.uses: list[Use] = []

    def replace_by(self, other: Val) -> None:
        """Let all uses be of another value; they change one by one, so that their order turns round."""
        for use in list(self.uses):
            use.set(other)

    def like(self) -> Val:
        """A new value that stands for the same one of the program."""
        return Val(self.number, self.is_mask, self.lanes, self.element, self.bits, "", self.graph_value)


class Use:
    """An operand that is a vector or mask."""

    __slots__ = ("node", "number", "role", "value")

    def __init__(self, node: Node, number: int, role: str, value: Val) -> None:
        self.node = node
        self.number = number
        self.role = role
        self.value = value
        value.uses.insert(0, self)

    def set(self, value: Val) -> None:
        """Let the operand be another value."""
        self.value.uses.remove(self)
        self.value = value
        value.uses.insert(0, self)


def value_at(side: Use | Val) -> Val:
    """The value of one side of a tie."""
    return side.value if isinstance(side, Use) else side


class Node:
    """An operation: its mnemonic (with its dialect if it is none of VMI), uses, results by role, scalars, attributes.

    `origin` is the operation of the graph that it comes from. `ties` are pairs that control flow makes one, each side a
    use or a value.
    """

    __slots__ = ("attrs", "bodies", "body", "name", "origin", "results", "roles", "scalars", "ties", "uses")

    def __init__(self, name: str, origin: int, attrs: dict[str, int | str] | None = None) -> None:
        self.name = name
        self.origin = origin
        self.attrs: dict[str, int | str] = {} if attrs is None else attrs
        self.uses: list[Use] = []
        self.results: list[Val] = []
        self.roles: list[str] = []
        self.scalars: dict[str, Operand] = {}
        self.bodies: list[Body] = []
        self.body: Body | None = None
        self.ties: list[tuple[Use | Val, Use | Val]] = []

    def use(self, role: str) -> Use | None:
        """The operand of a role, None if there is none that is a vector or mask."""
        return next((use for use in self.uses if use.role == role), None)

    def result(self, role: str = "result") -> Val:
        """The result of a role. Raises `ValueError` if there is none."""
        return self.results[self.roles.index(role)]

    def add_use(self, role: str, value: Val) -> Use:
        """A further operand."""
        made = Use(self, len(self.uses), role, value)
        self.uses.append(made)
        return made

    def add_result(self, role: str, value: Val) -> Val:
        """A further result."""
        value.node = self
        self.results.append(value)
        self.roles.append(role)
        return value

    def put_before(self, other: Node) -> None:
        """Put the operation in front of another."""
        assert other.body is not None
        self.body = other.body
        other.body.nodes.insert(other.body.nodes.index(other), self)

    def put_behind(self, other: Node) -> None:
        """Put the operation behind another."""
        assert other.body is not None
        self.body = other.body
        other.body.nodes.insert(other.body.nodes.index(other) + 1, self)

    def erase(self) -> None:
        """Take the operation out of the program."""
        for use in self.uses:
            use.value.uses.remove(use)
        self.uses = []
        if self.body is not None:
            self.body.nodes.remove(self)
            self.body = None

    def copy(self) -> Node:
        """The same operation once more, on the same operands, with results of its own."""
        made = Node(self.name, self.origin, dict(self.attrs))
        made.scalars = dict(self.scalars)
        for use in self.uses:
            made.add_use(use.role, use.value)
        for role, value in zip(self.roles, self.results, strict=True):
            new = made.add_result(role, value.like())
            new.layout = value.layout
        return made
