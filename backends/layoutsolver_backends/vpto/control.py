"""Operations of the text that pass vectors on: their operands, results and types become those of the registers.

Values stand in an operation's header in an order: operands, then results, each type in the place of its value. What
is defined there stands before `=` or `:`, with what it is given or its type.
"""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.tree import Op
from layoutsolver.source import Span
from layoutsolver.vmi.program import VmiProgram
from layoutsolver_backends.vpto.build import UnsupportedError
from layoutsolver_backends.vpto.code import Code, Ssa
from layoutsolver_backends.vpto.text import Names

NO_OPERAND_TYPES = frozenset({"scf.for"})
"""Operations that do not print the types of the vectors that they take."""

SELECT = "arith.select"

_TYPE = "!pto.vmi."


class Flow:
    """Which layout control flow asks of every vector that it takes, and gives to each that it makes."""

    def __init__(self, program: VmiProgram, made: dict[int, str], boundary: dict[int, str]) -> None:
        self.program = program
        self.graph: Graph = program.graph
        self.made = made
        self.boundary = boundary
        self.calls: dict[str, list[OpNode]] = {}
        for index, symbol in self.graph.calls.items():
            self.calls.setdefault(symbol, []).append(self.graph.ops[index])

    def number(self, value: int) -> int | None:
        """The vector that a value of the text is."""
        return self.program.by_graph_value.get(value)

    def of(self, value: int) -> str | None:
        """The layout of what control flow makes."""
        number = self.number(value)
        return None if number is None else self.made.get(number)

    def target(self, node: OpNode, operand: int) -> int | None:
        """The value of the text that an operand flows into, None if it leaves the function."""
        graph, name = self.graph, node.name
        parent = graph.ops[node.parent] if node.parent >= 0 else None
        if name == "scf.for":
            return graph.loops[node.index].carried[operand - 3][1]
        if name == "scf.while":
            return self._argument(node.index, 0, operand)
        if name == "scf.condition" and parent is not None:
            return self._argument(parent.index, 1, operand - 1)
        if name == "scf.yield" and parent is not None:
            if parent.name == "scf.for":
                return graph.loops[parent.index].carried[operand][1]
            if parent.name == "scf.while":
                return self._argument(parent.index, 0, operand)
            return parent.results[operand]
        if name == SELECT:
            return node.results[0]
        if name == "func.call":
            callee = graph.function_by_symbol().get(graph.calls[node.index])
            return None if callee is None else callee.arguments[operand]
        if name in ("func.return", "return") and node.function >= 0:
            calls = self.calls.get(graph.functions[node.function].symbol)
            return calls[0].results[operand] if calls else None
        if name.startswith("cf."):
            return self._passed(node, operand)
        raise UnsupportedError(f"`{name}` takes a vector")

    def layout(self, node: OpNode, operand: int) -> str:
        """The layout in which an operation of the text takes an operand."""
        target = self.target(node, operand)
        number = self.number(node.operands[operand])
        assert number is not None
        found = self.boundary.get(number) if target is None else self.of(target)
        if found is None:
            raise UnsupportedError(f"`{node.name}` takes a vector whose layout nothing decides")
        return found

    def _argument(self, op: int, region: int, number: int) -> int:
        arguments = next(values for place, _, values in self.graph.arguments[op] if place == region)
        return arguments[number]

    def _passed(self, node: OpNode, operand: int) -> int:
        """The block argument that a branch passes an operand to."""
        labels = {label: values for _, label, values in self.graph.arguments.get(node.parent, []) if label}
        texts, label, count = node.op.stream.texts, "", 0
        wanted = node.operand_tokens[operand]
        for token in node.op.body_tokens():
            if texts[token].startswith("^"):
                label, count = texts[token], 0
            elif token == wanted and label:
                return labels[label][count]
            elif token in node.operand_tokens and label:
                count += 1
        raise UnsupportedError(f"`{node.name}` takes a vector")


def rewritten(
    node: OpNode, flow: Flow, code: Code, made: dict[int, tuple[Ssa, ...]], renamed: dict[int, str], names: Names
) -> list[Edit]:
    """The edits of one operation of the text; `made` are the registers of what it defines."""
    return _Header(node, flow, code, made, renamed, names).edits()


class _Header:
    def __init__(
        self, node: OpNode, flow: Flow, code: Code, made: dict[int, tuple[Ssa, ...]], renamed: dict[int, str],
        names: Names,
    ) -> None:  # fmt: skip
        self.node, self.flow, self.code, self.made = node, flow, code, made
        self.renamed, self.names = renamed, names
        self.op: Op = node.op
        self.stream = node.op.stream
        self.graph = flow.graph
        self.out: list[Edit] = []

    def edits(self) -> list[Edit]:
        if self.node.name == SELECT and self.node.results[0] in self.made:
            return [Edit(self.op.span, self._selection())]
        self._results()
        self._operands_and_types()
        return self.out

    def replace(self, first: int, last: int, text: str) -> None:
        """Put a text for tokens first to last."""
        self.out.append(Edit(Span(self.stream.starts[first], self.stream.end(last)), text))

    def listed(self, registers: tuple[Ssa, ...]) -> str:
        return ", ".join(self.names.of(one) for one in registers)

    def types(self, registers: tuple[Ssa, ...]) -> str:
        return ", ".join(one.type for one in registers)

    def _selection(self) -> str:
        """A choice between vectors as a branch, which passes on as many registers as there are."""
        node, made = self.node, self.made[self.node.results[0]]
        condition = self.renamed.get(node.operands[0], self.graph.values[node.operands[0]].name)
        start = self.op.span.start
        line = self.flow.graph.module.source.text[:start].rpartition("\n")[2]
        indent = line[: len(line) - len(line.lstrip())]
        sides = []
        for operand in (1, 2):
            taken = self.code.taken[node.index, operand]
            sides.append(f"{indent}  scf.yield {self.listed(taken)} : {self.types(taken)}\n{indent}}}")
        head = f"{self.listed(made)} = scf.if {condition} -> ({self.types(made)}) {{"
        return f"{head}\n{sides[0]} else {{\n{sides[1]}"

    # -- results ----------------------------------------------------------------------------------------------

    def _results(self) -> None:
        node = self.node
        if not any(value in self.made for value in node.results) or not self.op.results:
            return
        shown = [
            self.listed(self.made[value]) if value in self.made
            else self.renamed.get(value, self.graph.values[value].name)
            for value in node.results
        ]  # fmt: skip
        first = self.op.results[0].token
        last = self.op.name_token - 1
        while self.stream.texts[last] != "=":
            last -= 1
        self.replace(first, last - 1, ", ".join(shown))

    # -- operands, definitions and types ----------------------------------------------------------------------

    def _operands_and_types(self) -> None:
        uses = dict(zip(self.node.operand_tokens, range(len(self.node.operands)), strict=True))
        arguments = self._arguments()
        values = self._typed()
        tokens = list(self._tokens())
        position = 0
        while position < len(tokens):
            token = tokens[position]
            text = self.stream.texts[token]
            if token in arguments:
                position = self._definition(tokens, position, arguments[token], uses)
            elif token in uses:
                self._use(token, uses[token])
                position += 1
            elif self._starts_type(token):
                end = self._type_end(tokens, position)
                registers = values.pop(0) if values else None
                if registers is None:
                    raise UnsupportedError(f"`{self.node.name}` has more vector types than vectors")
                self._type(tokens, position, end, registers)
                position = end + 1
            else:
                position += 1
            del text
        if values:
            raise UnsupportedError(f"`{self.node.name}` does not print the types of all its vectors")

    def _tokens(self) -> list[int]:
        """The tokens of the header, and those of the headers of blocks."""
        out = [token for token in self.op.body_tokens() if token > self.op.name_token]
        for region in self.op.regions:
            for block in region.blocks:
                if block.label:
                    out += range(block.first, block.body)
        return sorted(set(out))

    def _arguments(self) -> dict[int, int]:
        """The tokens that define vectors, with the values."""
        found: dict[int, int] = {}
        starts = {self.stream.starts[token]: token for token in self._tokens()}
        listed = [value for _, _, some in self.graph.arguments.get(self.node.index, []) for value in some]
        loop = self.graph.loops.get(self.node.index)
        if loop is not None:
            listed += [iter_arg for _, iter_arg, _, _ in loop.carried]
        for value in listed:
            token = starts.get(self.graph.values[value].span.start)
            if value in self.made and token is not None:
                found[token] = value
        return found

    def _typed(self) -> list[tuple[Ssa, ...]]:
        """The registers of the vectors whose types the header prints, in order, definitions apart."""
        node = self.node
        out: list[tuple[Ssa, ...]] = []
        if node.name not in NO_OPERAND_TYPES:
            out += [
                self.code.taken[node.index, number]
                for number, value in enumerate(node.operands)
                if (node.index, number) in self.code.taken and self.flow.number(value) is not None
            ]  # fmt: skip
        out += [self.made[value] for value in node.results if value in self.made]
        if node.name == "func.func":
            function = next(one for one in self.graph.functions if one.op == node.index)
            if function.returns:
                end = self.graph.ops[function.returns[0]]
                out += [
                    self.code.taken[end.index, number]
                    for number, value in enumerate(end.operands)
                    if (end.index, number) in self.code.taken and self.flow.number(value) is not None
                ]  # fmt: skip
        return out

    def _use(self, token: int, operand: int) -> None:
        registers = self.code.taken.get((self.node.index, operand))
        if registers is not None:
            self.replace(token, token, self.listed(registers))
            return
        renamed = self.renamed.get(self.node.operands[operand])
        if renamed is not None:
            self.replace(token, token, renamed)

    def _definition(self, tokens: list[int], position: int, value: int, uses: dict[int, int]) -> int:
        """A definition with what stands behind it; the position behind that."""
        token, after = tokens[position], self.stream.texts[tokens[position + 1]] if position + 1 < len(tokens) else ""
        registers = self.made[value]
        if after == "=":
            given = tokens[position + 2]
            inits = self.code.taken[self.node.index, uses[given]]
            pairs = zip(registers, inits, strict=True)
            text = ", ".join(f"{self.names.of(one)} = {self.names.of(init)}" for one, init in pairs)
            self.replace(token, given, text)
            return position + 3
        if after == ":":
            end = self._type_end(tokens, position + 2)
            text = ", ".join(f"{self.names.of(one)}: {one.type}" for one in registers)
            self.replace(token, tokens[end], text)
            return end + 1
        self.replace(token, token, self.listed(registers))
        return position + 1

    def _starts_type(self, token: int) -> bool:
        text = self.stream.texts[token]
        if not text.startswith("!"):
            return False
        whole = self.flow.graph.module.aliases.get(text, text)
        return whole.startswith((_TYPE + "vreg", _TYPE + "mask"))

    def _type_end(self, tokens: list[int], position: int) -> int:
        """The position of the last token of a type."""
        depth, at = 0, position
        while at + 1 < len(tokens):
            following = self.stream.texts[tokens[at + 1]]
            if depth == 0 and following != "<":
                return at
            at += 1
            depth += {"<": 1, ">": -1}.get(following, 0)
            if depth == 0:
                return at
        return at

    def _type(self, tokens: list[int], first: int, last: int, registers: tuple[Ssa, ...]) -> None:
        before = self.stream.texts[tokens[first - 1]] if first else ""
        text = self.types(registers)
        if before == "->" and len(registers) != 1:
            text = f"({text})"
        self.replace(tokens[first], tokens[last], text)
