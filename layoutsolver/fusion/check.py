"""What a fusion region must be. Source: fusion spec 1.3 (the compiler's own verifier)."""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.fusion.code import REGION, YIELD, Code, Item, Scope, inside, walk
from layoutsolver.graph.build import same_type
from layoutsolver.graph.model import OpNode


def check_regions(code: Code) -> list[Diagnostic]:
    """A message for each region that is not one block without arguments that ends in `pto.yield`, or that yields other
    values than it has results; and for each `pto.yield` elsewhere.
    """
    checker = _Checker(code)
    endings: set[int] = set()
    for item in walk(code.items):
        if item.node.name == REGION:
            ending = checker.region(item)
            if ending is not None:
                endings.add(ending.index)
    for item in walk(code.items):
        if item.node.name == YIELD and item.node.index not in endings:
            checker.say(item.node, "`pto.yield` ends a fusion region, and stands nowhere else")
    return checker.found


class _Checker:
    def __init__(self, code: Code) -> None:
        self.graph = code.graph
        self.found: list[Diagnostic] = []

    def say(self, node: OpNode, message: str) -> None:
        """Add a message about an operation."""
        self.found.append(Diagnostic("LS0907", "error", message, Label(self.graph.module.source, node.span)))

    def region(self, item: Item) -> OpNode | None:
        """Check a region; its terminator."""
        node = item.node
        blocks = inside(item) if isinstance(item, Scope) else ()
        if len(blocks) != 1 or len(node.op.regions) != 1:
            self.say(node, f"a fusion region has one block, not {len(blocks)}")
            return None
        if self.graph.arguments.get(node.index):
            self.say(node, "a fusion region takes no arguments: it uses what is visible")
        ending = blocks[0][-1].node if blocks[0] else None
        if ending is None or ending.name != YIELD:
            self.say(node, "a fusion region ends in `pto.yield`")
            return None
        if len(ending.operands) != len(node.results):
            message = f"the region has {len(node.results)} results, but yields {len(ending.operands)} values"
            self.say(ending, message)
            return ending
        for number, (value, result) in enumerate(zip(ending.operands, node.results, strict=True)):
            mine, theirs = self.graph.values[value].type, self.graph.values[result].type
            if mine.text and theirs.text and not same_type(mine, theirs):
                self.say(ending, f"value {number} is a `{mine.text}`, the region's result a `{theirs.text}`")
        return ending
