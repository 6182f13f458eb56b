"""Private functions that take or give vectors, put where they are called, as the released compiler does first.

What a call passes needs no common layout then, and what every call would make anew is made once. Functions of several
blocks, and those that call themselves, stay as they are. Source: section 1.5.
"""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Function, Graph, OpNode
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile, Span

DEPTH = 64
"""So often calls are replaced, each time those that take nothing from another one; what is left then stays a call."""


def inlined(source: SourceFile) -> SourceFile:
    """The text with its private functions of vectors in place of their calls; the same text if there are none.

    A text with errors is given back as it is.
    """
    made = source
    for _ in range(DEPTH):
        if "func.call" not in made.text and " call " not in made.text:
            break
        module = read(made)
        graph, errors = build_graph(module)
        edits = [] if module.diagnostics or errors else _Inliner(graph).edits()
        if not edits:
            break
        made = SourceFile(source.name, apply_edits(made.text, edits), source.first_line)
    return source if made is source else _with_constants_once(made)


def _with_constants_once(source: SourceFile) -> SourceFile:
    """The text with one constant for all equal ones behind it in a function: bodies bring the same ones along."""
    graph, _ = build_graph(read(source))
    stream = graph.module.stream
    first: dict[tuple[int, str], OpNode] = {}
    edits: list[Edit] = []
    for node in graph.ops:
        if node.name != "arith.constant" or len(node.results) != 1:
            continue
        text = stream.range_text(node.op.name_token, node.op.last)
        known = first.get((node.function, text))
        if known is None:
            if graph.ops[node.parent].name == "func.func":
                first[node.function, text] = node
            continue
        edits.append(Edit(node.op.span, ""))
        for user, number in graph.users[node.results[0]]:
            token = graph.ops[user].operand_tokens[number]
            at = stream.starts[token]
            edits.append(Edit(Span(at, at + len(stream.texts[token])), graph.values[known.results[0]].name))
    return SourceFile(source.name, apply_edits(source.text, edits), source.first_line)


class _Inliner:
    """Replaces all calls of the functions that call none of these themselves."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.stream = graph.module.stream
        self.names = {text.partition("#")[0] for text in self.stream.texts if text[:1] == "%"}
        symbols = graph.function_by_symbol()
        callees = {symbol: symbols[symbol] for symbol in graph.calls.values() if symbol in symbols}
        fitting = {symbol: callee for symbol, callee in callees.items() if self.fits(callee)}
        inner = {
            graph.functions[graph.ops[call].function].symbol for call, name in graph.calls.items() if name in fitting
        }
        self.callees = {symbol: callee for symbol, callee in fitting.items() if symbol not in inner}

    def fits(self, callee: Function) -> bool:
        """Whether a function is private, takes or gives vectors, and is one block that ends in a return."""
        graph, node = self.graph, self.graph.ops[callee.op]
        if not callee.is_private or not callee.has_body or node.op.is_generic or len(callee.returns) != 1:
            return False
        blocks = node.op.regions[0].blocks
        end = graph.ops[callee.returns[0]]
        values = (*callee.arguments, *end.operands)
        of_vectors = any(isinstance(graph.values[value].type, VmiVectorType | VmiMaskType) for value in values)
        return of_vectors and len(blocks) == 1 and end.parent == callee.op

    def edits(self) -> list[Edit]:
        """The edits: bodies for calls, values for their results, and nothing for the functions themselves."""
        graph = self.graph
        calls = {call for call, symbol in graph.calls.items() if symbol in self.callees}
        later = {call for call in calls if any(graph.values[value].op in calls for value in graph.ops[call].operands)}
        kept = {graph.calls[call] for call in later}
        out: list[Edit] = []
        for call in sorted(calls - later):
            out += self.replaced(graph.ops[call], self.callees[graph.calls[call]])
        for symbol, callee in self.callees.items():
            if symbol not in kept:
                out.append(Edit(graph.ops[callee.op].op.span, ""))
        return out

    def replaced(self, call: OpNode, callee: Function) -> list[Edit]:
        """The body in place of a call, and what it returns in place of the call's results."""
        graph, stream = self.graph, self.stream
        given = [stream.texts[token] for token in call.operand_tokens]
        known = dict(zip((graph.values[value].name for value in callee.arguments), given, strict=True))
        region = graph.ops[callee.op].op.regions[0]
        end = graph.ops[callee.returns[0]]
        ops = region.blocks[0].ops
        body = ""
        if ops[0].first < end.op.first:
            start, stop = stream.starts[ops[0].first], stream.starts[end.op.first]
            renames = []
            for token in range(ops[0].first, end.op.first):
                name, _, rest = stream.texts[token].partition("#")
                if name[:1] == "%":
                    new = known.setdefault(name, self.fresh(name)) if name not in known else known[name]
                    text = new + (f"#{rest}" if rest else "")
                    at = stream.starts[token] - start
                    renames.append(Edit(Span(at, at + len(stream.texts[token])), text))
            body = apply_edits(graph.module.source.text[start:stop], renames).rstrip()
        returned = [self.renamed(stream.texts[token], known) for token in end.operand_tokens]
        out = [Edit(call.op.span, body)]
        for result, text in zip(call.results, returned, strict=True):
            for user, number in graph.users[result]:
                token = graph.ops[user].operand_tokens[number]
                at = stream.starts[token]
                out.append(Edit(Span(at, at + len(stream.texts[token])), text))
        return out

    def renamed(self, text: str, known: dict[str, str]) -> str:
        name, _, rest = text.partition("#")
        return known.get(name, name) + (f"#{rest}" if rest else "")

    def fresh(self, name: str) -> str:
        """A name like this one that the text does not have."""
        number = 0
        while (made := f"{name}_{number}") in self.names:
            number += 1
        self.names.add(made)
        return made
