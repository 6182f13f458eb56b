"""Writes VecMemTypes into the vector types of AVE text, and layout casts around calls to the outside.

Where a call and its callee are both in sight, they carry the layout in their types. A call to a function without a
body keeps plain types, as the released analyzer does it: a cast before it for each vector it takes, and a cast
behind it for each vector it returns. Where such casts are there already, they stay the only ones.
"""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.graph.model import Function, OpNode
from layoutsolver.mlir.types import VectorType, parse_type, with_layout
from layoutsolver.ops.assembly import Mismatch, bind_generic, scan_type, skip_bracket
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span

LAYOUT_CAST = "ave.hir.vector.layout_cast"


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
        self.plain: set[int] = set()

    def edits(self) -> list[Edit]:
        outside = [node for node in self.graph.ops if node.name == "func.call" and self.is_outside(node)]
        skipped = {node.index for node in outside}
        for node in outside:
            vectors = self.graph.vectors([*node.operands, *node.results])
            self.plain.update(value for value in vectors if self.is_wrapped(value, skipped))
        for node in outside:
            for number, value in enumerate(node.results):
                if self.is_to_wrap(value):
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

    def is_wrapped(self, value: int, outside: set[int]) -> bool:
        """Whether only calls to the outside and layout casts meet in a value without a layout."""
        known, users = self.graph.values[value], self.graph.users[value]
        if known.op < 0 or known.vector is None or known.vector.layout is not None:
            return False
        if known.op in outside:
            return bool(users) and all(self.graph.ops[user].name == LAYOUT_CAST for user, _ in users)
        return self.graph.ops[known.op].name == LAYOUT_CAST and all(user in outside for user, _ in users)

    def is_to_wrap(self, value: int) -> bool:
        """Whether a value that a call to the outside takes or returns needs a cast of our own."""
        return value in self.layout_of and value not in self.plain and self.graph.values[value].vector is not None

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
        if spec is not None and node.types:
            owner = dict(zip(reversed(node.roles), reversed(node.operands), strict=True))
            owner.update((role.name, value) for role, value in zip(spec.results, node.results, strict=False))
            pairs = [(owner.get(role), text.first, text.last) for role, text in node.types.items()]
        else:
            operand_types, result_types = node.operand_type_texts or [], node.result_type_texts
            if node.op.is_generic and not isinstance(bound := bind_generic(node.op, None), Mismatch):
                operand_types, result_types = bound.operand_types, list(bound.result_types)
            pairs = [
                (value, text.first, text.last)
                for value, text in [
                    *zip(node.operands, operand_types, strict=False),
                    *zip(node.results, result_types, strict=False),
                ]
                if text is not None
            ]
        loop = self.graph.loops.get(node.index)
        if loop is not None:
            pairs += self.block_arguments(node, [loop.induction, *(iter_arg for _, iter_arg, _, _ in loop.carried)])
        out: dict[int, Edit] = {}
        for value, first, last in pairs:
            edit = self.retype(value, first, last)
            if edit is not None:
                out.setdefault(first, edit)
        return list(out.values())

    def block_arguments(self, node: OpNode, values: list[int]) -> list[tuple[int | None, int, int]]:
        """The types of the arguments of a loop's or function's block, where the generic form writes them."""
        if not node.op.regions or not node.op.regions[0].blocks:
            return []
        arguments = node.op.regions[0].blocks[0].arguments
        return [
            (value, argument.type_first, argument.type_last)
            for value, argument in zip(values, arguments, strict=False)
            if argument.type_text
        ]

    def signature(self, node: OpNode) -> list[Edit]:
        """The argument types of a function, and its result types."""
        function = next(function for function in self.graph.functions if function.op == node.index)
        returned = self.graph.ops[function.returns[0]].operands if function.returns else []
        if node.op.is_generic:
            return self.generic_signature(node, function, returned)
        by_start = {self.stream.starts[token]: token for token in node.op.uses}
        pairs: list[tuple[int | None, int, int]] = []
        for value in function.arguments:
            token = by_start.get(self.graph.values[value].span.start, -1)
            if token >= 0 and self.stream.texts[token + 1] == ":":
                end = scan_type(self.stream.texts, token + 2, node.op.last)
                pairs.append((value, token + 2, end or token + 2))
        pairs += [(value, *types) for value, types in zip(returned, self.result_types(node), strict=False)]
        edits = [self.retype(*pair) for pair in pairs]
        return [edit for edit in edits if edit is not None]

    def generic_signature(self, node: OpNode, function: Function, returned: list[int]) -> list[Edit]:
        """The types in the `function_type` attribute of a function in the generic form, and of its block arguments."""
        texts = self.stream.texts
        pairs = self.block_arguments(node, function.arguments)
        at = next((token for token in node.op.body_tokens() if texts[token] == "function_type"), None)
        if at is not None and texts[at + 2] == "(":
            close = skip_bracket(texts, at + 2, node.op.last)
            end = scan_type(texts, close + 1, node.op.last) if texts[close] == "->" else None
            ranges = [self.listed_types(at + 2, close), self.listed_types(close + 1, end or close + 1)]
            for values, types in zip((function.arguments, returned), ranges, strict=True):
                pairs += [(value, *type_) for value, type_ in zip(values, types, strict=False)]
        edits = [self.retype(*pair) for pair in pairs]
        return [edit for edit in edits if edit is not None]

    def result_types(self, node: OpNode) -> list[tuple[int, int]]:
        """Token ranges of the result types behind the arrow of a function's header."""
        texts = self.stream.texts
        last = node.op.regions[0].first if node.op.regions else node.op.last
        opened = next((token for token in range(node.op.name_token, last) if texts[token] == "("), last)
        arrow = skip_bracket(texts, opened, last)
        return self.listed_types(arrow + 1, last) if arrow < last and texts[arrow] == "->" else []

    def listed_types(self, at: int, last: int) -> list[tuple[int, int]]:
        """Token ranges of the types in the parentheses at `at`, attributes left out; or of the one type there."""
        texts = self.stream.texts
        if texts[at] != "(":
            end = scan_type(texts, at, last)
            return [(at, end)] if end is not None else []
        last = skip_bracket(texts, at, last) - 1
        at += 1
        ranges: list[tuple[int, int]] = []
        while at < last:
            if texts[at] in (",", "{"):
                at = at + 1 if texts[at] == "," else skip_bracket(texts, at, last)
                continue
            end = scan_type(texts, at, last)
            if end is None:
                break
            ranges.append((at, end))
            at = end
        return ranges

    def retype(self, value: int | None, first: int, last: int) -> Edit | None:
        if value is None or value < 0 or value in self.plain or last <= first:
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
            if vector is None or not self.is_to_wrap(value):
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
    return f"{result} = {LAYOUT_CAST} {source} : {before} -> {after}"


def _plain(vector: VectorType) -> str:
    dims = "".join(f"{dim}x" for dim in vector.shape)
    return f"vector<{dims}{vector.element.text}>"
