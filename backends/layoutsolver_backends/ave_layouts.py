"""Writes VecMemTypes into the vector types of AVE text, and layout casts around calls to the outside.

Where a call and its callee are both in sight, they carry the layout in their types. A call to a function without a
body keeps plain types, as the released analyzer does it: a cast before it for each vector it takes, and a cast
behind it for each vector it returns.
"""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.types import VectorType, parse_type, with_layout
from layoutsolver.ops.assembly import scan_type
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span


def layout_edits(posed: Posed, layout_of: dict[int, str]) -> list[Edit]:
    """The edits that make every printed vector type carry its layout; `layout_of` is by graph value."""
    return _Layouts(posed, layout_of).edits()


class _Layouts:
    def __init__(self, posed: Posed, layout_of: dict[int, str]) -> None:
        self.posed = posed
        self.graph = posed.graph
        self.stream = posed.graph.module.stream
        self.layout_of = layout_of
        self.taken = {token for token in self.stream.texts if token[:1] == "%"}
        self.held: dict[int, str] = {}

    def edits(self) -> list[Edit]:
        outside = [node for node in self.graph.ops if node.name == "func.call" and self.is_outside(node)]
        skipped = {node.index for node in outside}
        for node in outside:
            for number, value in enumerate(node.results):
                if self.graph.values[value].vector is not None and value in self.layout_of:
                    self.held[value] = self.fresh(f"%held_{node.index}_{number}")
        out = [edit for node in self.graph.ops if node.index not in skipped for edit in self.types(node)]
        for node in outside:
            out.extend(self.wrap_call(node))
        for value, name in self.held.items():
            for user, operand in self.graph.users[value]:
                if user not in skipped:
                    token = self.graph.ops[user].operand_tokens[operand]
                    out.append(Edit(self.span(token, token + 1), name))
        return out

    def is_outside(self, node: OpNode) -> bool:
        callee = self.graph.function_by_symbol().get(self.graph.calls[node.index])
        return self.posed.compat or callee is None or not callee.has_body

    def fresh(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def span(self, first: int, last: int) -> Span:
        return Span(self.stream.starts[first], self.stream.end(last - 1))

    def types(self, node: OpNode) -> list[Edit]:
        """Rewrite the vector types that the operation prints."""
        if node.name == "func.func":
            return [] if self.posed.compat else self.signature(node)
        spec = node.spec
        if spec is not None and node.types and not node.op.is_generic:
            owner = dict(zip(reversed(node.roles), reversed(node.operands), strict=True))
            owner.update((role.name, value) for role, value in zip(spec.results, node.results, strict=False))
            pairs = [(owner.get(role), text.first, text.last) for role, text in node.types.items()]
        else:
            operand_types = node.operand_type_texts or []
            pairs = [
                (value, text.first, text.last)
                for value, text in [
                    *zip(node.operands, operand_types, strict=False),
                    *zip(node.results, node.result_type_texts, strict=False),
                ]
                if text is not None
            ]
        pairs += self.block_arguments(node)
        out: dict[int, Edit] = {}
        for value, first, last in pairs:
            edit = self.retype(value, first, last)
            if edit is not None:
                out.setdefault(first, edit)
        return list(out.values())

    def block_arguments(self, node: OpNode) -> list[tuple[int | None, int, int]]:
        """The types of a loop's block arguments, where the generic form writes them."""
        loop = self.graph.loops.get(node.index)
        if loop is None or not node.op.regions or not node.op.regions[0].blocks:
            return []
        values = [loop.induction, *(iter_arg for _, iter_arg, _, _ in loop.carried)]
        arguments = node.op.regions[0].blocks[0].arguments
        return [
            (value, argument.type_first, argument.type_last)
            for value, argument in zip(values, arguments, strict=False)
            if argument.type_text
        ]

    def signature(self, node: OpNode) -> list[Edit]:
        """The argument types of a function, and its result types."""
        function = next(function for function in self.graph.functions if function.op == node.index)
        by_start = {self.stream.starts[token]: token for token in node.op.uses}
        pairs: list[tuple[int | None, int, int]] = []
        for value in function.arguments:
            token = by_start.get(self.graph.values[value].span.start, -1)
            if token >= 0 and self.stream.texts[token + 1] == ":":
                end = scan_type(self.stream.texts, token + 2, node.op.last)
                pairs.append((value, token + 2, end or token + 2))
        if function.returns:
            returned = self.graph.ops[function.returns[0]].operands
            pairs += [
                (value, first, last) for value, (first, last) in zip(returned, self.result_types(node), strict=False)
            ]
        edits = [self.retype(*pair) for pair in pairs]
        return [edit for edit in edits if edit is not None]

    def result_types(self, node: OpNode) -> list[tuple[int, int]]:
        """Token ranges of the result types behind the arrow of a function's header."""
        texts = self.stream.texts
        last = node.op.regions[0].first if node.op.regions else node.op.last
        arrow = next((token for token in range(node.op.name_token, last) if texts[token] == "->"), None)
        if arrow is None:
            return []
        listed = texts[arrow + 1] == "("
        at = arrow + 1 + listed
        ranges: list[tuple[int, int]] = []
        while at < last and texts[at] not in (")", "attributes", "{"):
            end = at + 1 if texts[at] == "," else scan_type(texts, at, last)
            if end is None:
                break
            if texts[at] != ",":
                ranges.append((at, end))
            at = end
            if not listed:
                break
        return ranges

    def retype(self, value: int | None, first: int, last: int) -> Edit | None:
        if value is None or value < 0 or last <= first:
            return None
        layout = self.layout_of.get(value)
        vector = parse_type(self.stream.range_text(first, last))
        if layout is None or not isinstance(vector, VectorType) or vector.layout == layout:
            return None
        return Edit(self.span(first, last), with_layout(vector, layout))

    def wrap_call(self, node: OpNode) -> list[Edit]:
        """Casts to plain vectors before a call, and back to their layouts behind it."""
        source = self.graph.module.source
        start, end = self.stream.starts[node.op.first], self.stream.end(node.op.last - 1)
        line, column = source.line_column(start)
        indent = source.line_text(line)[: column - 1]
        indent = " " * (column - 1) if indent.strip() else indent
        out: list[Edit] = []
        before = after = ""
        for number, (value, token) in enumerate(zip(node.operands, node.operand_tokens, strict=True)):
            vector = self.graph.values[value].vector if value >= 0 else None
            if vector is None or value not in self.layout_of:
                continue
            name = self.fresh(f"%plain_{node.index}_{number}")
            held = self.held.get(value, self.stream.texts[token])
            before += f"{_cast(name, held, with_layout(vector, self.layout_of[value]), _plain(vector))}\n{indent}"
            out.append(Edit(self.span(token, token + 1), name))
        for value in node.results:
            vector = self.graph.values[value].vector
            if vector is not None and value in self.held:
                typed = with_layout(vector, self.layout_of[value])
                after += f"\n{indent}{_cast(self.held[value], self.graph.values[value].name, _plain(vector), typed)}"
        if before:
            out.append(Edit(Span(start, start), before))
        if after:
            out.append(Edit(Span(end, end), after))
        return out


def _cast(result: str, source: str, before: str, after: str) -> str:
    return f"{result} = ave.hir.vector.layout_cast {source} : {before} -> {after}"


def _plain(vector: VectorType) -> str:
    dims = "".join(f"{dim}x" for dim in vector.shape)
    return f"vector<{dims}{vector.element.text}>"
