"""Code -> text: what was not moved or changed is printed as it was read, comments and spacing included."""

from __future__ import annotations

from itertools import pairwise

from layoutsolver.fusion.attributes import common_attributes
from layoutsolver.fusion.code import Code, Item, Loop, Scope, Straight, inside, nodes_of
from layoutsolver.fusion.names import names_of, present
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.tree import Op

STEP = 2
"""So many columns a block is indented where the text shows no other."""


def write(code: Code) -> str:
    r"""The text of a program; that of its file where nothing was changed.

    >>> from layoutsolver.fusion.code import code_of
    >>> from layoutsolver.graph.build import build_graph
    >>> from layoutsolver.mlir.reader import read
    >>> text = "func.func @f() {  // nothing\\n    return\\n}\\n"
    >>> write(code_of(build_graph(read(text))[0])) == text
    True
    """
    return _Writer(code).text()


class _Writer:
    def __init__(self, code: Code) -> None:
        self.graph: Graph = code.graph
        self.items = code.items
        self.stream = code.graph.module.stream
        self.names = names_of(code.graph, code.items)
        self.present = present(code.items)
        self.renamed = self._definitions()
        self.comments = self._moved_comments()

    def text(self) -> str:
        ops = self.graph.module.ops
        if not ops or not self.items:
            return str(self.graph.module)
        stream = self.stream
        head = "".join(stream.pieces[: stream.piece_index[ops[0].first]])
        tail = "".join(stream.pieces[stream.piece_index[ops[-1].last - 1] + 1 :])
        between = [self.item(self.items[0], 0)]
        for before, item in pairwise(self.items):
            between += [self.between(before, item, 0), self.item(item, 0)]
        return head + "".join(between) + tail

    # -- preparation ------------------------------------------------------------------------------------------

    def _definitions(self) -> dict[int, str]:
        """The new names of block arguments and results, by the offset where they are defined."""
        out: dict[int, str] = {}
        for value in self.graph.values:
            base = self.names[value.index].partition("#")[0]
            if base != value.name.partition("#")[0]:
                out[value.span.start] = base
        return out

    def _moved_comments(self) -> dict[int, list[str]]:
        """For each operation that is still there, the comments before regions and loops that are not."""
        out: dict[int, list[str]] = {}
        pending: list[str] = []
        for node in self.graph.ops:
            if node.index in self.present:
                if pending:
                    out[node.index] = pending
                    pending = []
            elif node.op.regions:
                pending += _comment_lines(self.lead(node.op))
        return out

    # -- trivia -----------------------------------------------------------------------------------------------

    def trivia_before(self, token: int) -> str:
        """What stands between a token and the one before it."""
        stream = self.stream
        start = stream.piece_index[token - 1] + 1 if token else 0
        return "".join(stream.pieces[start : stream.piece_index[token]])

    def lead(self, op: Op) -> str:
        """What stands before an operation from the first line that is its own."""
        trivia = self.trivia_before(op.first)
        return trivia[trivia.index("\n") + 1 :] if "\n" in trivia else ""

    def trail(self, op: Op) -> str:
        """What stands behind an operation on its last line, a comment as a rule."""
        trivia = self.trivia_before(op.last)
        line = trivia.partition("\n")[0]
        return line if "//" in line else ""

    def indent(self, op: Op) -> int:
        """The column of an operation's line."""
        stream = self.stream
        token = op.first
        while token > 0 and not stream.line_first[token]:
            token -= 1
        return len(self.trivia_before(token).rpartition("\n")[2])

    def between(self, before: Item, item: Item, indent: int) -> str:
        """What stands between two items of a block that is indented so far."""
        last, first = nodes_of(before)[-1].op, nodes_of(item)[0].op
        if first.first == last.last and len(nodes_of(before)) == 1 and item.node.index not in self.comments:
            return self._shifted(self.trivia_before(first.first), indent - self.indent(first))
        return f"{self.trail(last)}\n{self.leading(item, indent)}"

    def leading(self, item: Item, indent: int) -> str:
        """The comments before an item, and its indentation."""
        lines = [*self.comments.get(item.node.index, []), *_comment_lines(self.lead(item.node.op))]
        return "".join(f"{' ' * indent}{line}\n" for line in lines) + " " * indent

    # -- items ------------------------------------------------------------------------------------------------

    def item(self, item: Item, delta: int) -> str:
        """The text of an item, its lines moved by so many columns."""
        if isinstance(item, Loop) and (len(item.nodes) > 1 or len(item.carried) != len(item.node.results)):
            return self.new_loop(item, delta)
        if isinstance(item, Scope) and item.others and any(node.results for node in (item.node, *item.others)):
            return self.new_region(item, delta)
        op = item.node.op
        blocks = inside(item)
        substitutes = self.substitutes(item.node, item.operands)
        out: list[str] = []
        at, number = op.first, 0
        for region in op.regions:
            for block in region.blocks:
                out.append(self.tokens(at, block.body, substitutes, delta))
                ops = list(block.ops)
                items = blocks[number]
                if isinstance(item, Loop):
                    items = (*items, *self.loop_ending(item, block.ops))
                number += 1
                inner = self.inner_indent(item.node, block.ops) + delta
                out.append(self.block(items, ops, inner))
                at = block.last
                out.append(self._closing(ops, items, block.body, at, delta))
        out.append(self.tokens(at, op.last, substitutes, delta))
        return "".join(out)

    def loop_ending(self, loop: Loop, ops: list[Op]) -> tuple[Item, ...]:
        """The terminator of a loop as an item, if its text has one."""
        ending = next((node for node in reversed(self.graph.ops) if ops and node.op is ops[-1]), None)
        if ending is None or ending.name != "scf.yield":
            return ()
        return (Straight(ending, tuple(one.yielded for one in loop.carried)),)

    def inner_indent(self, node: OpNode, ops: list[Op]) -> int:
        """How far the block of an operation is indented in the text."""
        own = next((op for op in ops if self.stream.line_first[op.first]), None)
        return self.indent(node.op) + STEP if own is None else self.indent(own)

    def block(self, items: tuple[Item, ...], ops: list[Op], indent: int) -> str:
        """The items of a block with what stands between them, from the end of its opening on."""
        out: list[str] = []
        before: Item | None = None
        for item in items:
            first = nodes_of(item)[0].op
            moved = indent - self.indent(first)
            if before is not None:
                out.append(self.between(before, item, indent))
            elif ops and first is ops[0] and item.node.index not in self.comments:
                out.append(self._shifted(self.trivia_before(first.first), moved))
            else:
                out.append(f"\n{self.leading(item, indent)}")
            out.append(self.item(item, moved))
            before = item
        return "".join(out)

    def _closing(self, ops: list[Op], items: tuple[Item, ...], body: int, last: int, delta: int) -> str:
        """What stands between the last item of a block and its end."""
        trivia = self.trivia_before(last) if last > body or not ops else ""
        if not items:
            return self._shifted(trivia, delta) if not ops else "\n" + " " * 0 + self._last_line(trivia, delta)
        ending = nodes_of(items[-1])[-1].op
        if ops and ending is ops[-1]:
            return self._shifted(trivia, delta)
        return f"{self.trail(ending)}\n{self._last_line(trivia, delta)}"

    def _last_line(self, trivia: str, delta: int) -> str:
        return self._shifted("\n" + trivia.rpartition("\n")[2], delta)[1:]

    def substitutes(self, node: OpNode, operands: tuple[int, ...]) -> dict[int, str]:
        """The tokens of an operation's operands with the names of what they are now."""
        pairs = zip(node.operand_tokens, operands, strict=True)
        return {token: self.use(value, self.stream.texts[token]) for token, value in pairs}

    def use(self, value: int, written: str) -> str:
        """How a value is named at a use: as it is written where that means it."""
        name = self.names[value]
        return written if written == name.removesuffix("#0") and name.endswith("#0") else name

    def tokens(self, first: int, last: int, substitutes: dict[int, str], delta: int) -> str:
        """The text of tokens `[first, last)` with what is between them, names replaced, lines moved."""
        stream = self.stream
        out: list[str] = []
        for token in range(first, last):
            if token > first:
                out.append(self._shifted(self.trivia_before(token), delta))
            text = substitutes.get(token)
            if text is None:
                text = self.renamed.get(stream.starts[token], stream.texts[token])
            out.append(text)
        if last > first and not out[-1]:
            out.pop()
        return "".join(out)

    @staticmethod
    def _shifted(trivia: str, delta: int) -> str:
        """Trivia with every line but the first moved by so many columns."""
        if not delta or "\n" not in trivia:
            return trivia
        first, *lines = trivia.split("\n")
        return "\n".join([first, *(_moved(line, delta, at == len(lines) - 1) for at, line in enumerate(lines))])

    # -- what is printed anew ---------------------------------------------------------------------------------

    def results(self, nodes: tuple[OpNode, ...]) -> str:
        """The names of the results of operations that became one, with ` = `; empty without any."""
        out: list[str] = []
        for node in nodes:
            at = 0
            for name in node.op.results:
                base = self.names[node.results[at]].partition("#")[0]
                out.append(base if name.count == 1 else f"{base}:{name.count}")
                at += name.count
            out += [self.names[value] for value in node.results[at:]]
        return f"{', '.join(out)} = " if out else ""

    def type(self, value: int) -> str:
        """The text of a value's type."""
        return self.graph.values[value].type.text

    def new_loop(self, loop: Loop, delta: int) -> str:
        """The text of a loop that several loops of the text became."""
        op = loop.node.op
        outer = self.indent(op) + delta
        inner = self.inner_indent(loop.node, op.regions[0].blocks[0].ops) + delta
        names = self.names
        lower, upper, step = (names[value] for value in loop.bounds)
        head = f"{self.results(loop.nodes)}scf.for {names[loop.induction]} = {lower} to {upper} step {step}"
        types = ", ".join(self.type(one.argument) for one in loop.carried)
        if loop.carried:
            inits = ", ".join(f"{names[one.argument]} = {names[one.init]}" for one in loop.carried)
            head += f" iter_args({inits}) -> ({types})"
        if self.type(loop.induction) not in ("index", ""):
            head += f" : {self.type(loop.induction)}"
        body = self.block(loop.body, [], inner)
        if loop.body:
            body += self.trail(nodes_of(loop.body[-1])[-1].op)
        if loop.carried:
            yields = ", ".join(names[one.yielded] for one in loop.carried)
            body += f"\n{' ' * inner}scf.yield {yields} : {types}"
        return f"{head} {{{body}\n{' ' * outer}}}{_dictionary(common_attributes(loop.nodes))}"

    def new_region(self, region: Scope, delta: int) -> str:
        """The text of a fusion region that several regions with results became."""
        nodes = (region.node, *region.others)
        op = region.node.op
        outer = self.indent(op) + delta
        inner = self.inner_indent(region.node, op.regions[0].blocks[0].ops) + delta
        *items, ending = region.blocks[0]
        body = self.block(tuple(items), [], inner)
        values = ending.operands
        types = ", ".join(self.type(value) for value in values)
        named = ", ".join(self.names[value] for value in values)
        body += f"\n{' ' * inner}pto.yield({named}) : ({types}) -> ()"
        attributes = _dictionary(common_attributes(nodes))
        return f"{self.results(nodes)}pto.fusion_region {{{body}\n{' ' * outer}}}{attributes} : {types}"


def _dictionary(attributes: list[str]) -> str:
    return f" {{{', '.join(attributes)}}}" if attributes else ""


def _comment_lines(lead: str) -> list[str]:
    """The comments of a piece of trivia, a line each."""
    return [line.strip() for line in lead.split("\n") if line.strip().startswith("//")]


def _moved(line: str, delta: int, is_last: bool) -> str:
    """A line moved; empty lines stay empty, but for the last, which indents what follows."""
    if not line.strip() and not is_last:
        return line
    if delta > 0:
        return " " * delta + line
    blank = len(line) - len(line.lstrip(" "))
    return line[min(blank, -delta) :]
