"""Writes layouts into AVE text: `functionType` attributes and, on request, vector types that carry their layout.

Only what changes is touched; comments, names and spacing of the file stay. Source: what the released analyzer
prints (attributes in alphabetical order), and its treatment of loops and calls when it retypes.
"""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.types import VectorType, parse_type, with_layout
from layoutsolver.ops.assembly import attribute_entries, scan_type
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span
from layoutsolver_models.problems.layout import LayoutSolution


class AveBackend:
    """The emitter for AscendNPU-IR's HIVMAVE dialect."""

    name = "ave"

    def annotate(self, posed: Posed, solution: LayoutSolution, layouts: bool = False) -> list[Edit]:
        """The edits that write a solution into the program's text.

        With `layouts`, vector types carry their VecMemType and calls are wrapped in layout casts; without, only
        `functionType` is written, which is what the released tools can read.
        """
        return _Annotation(posed, solution).edits(layouts)


class _Annotation:
    def __init__(self, posed: Posed, solution: LayoutSolution) -> None:
        self.posed = posed
        self.graph = posed.graph
        self.stream = posed.graph.module.stream
        self.layout_of = {
            value: solution.layouts[number] for value, number in posed.number.items() if solution.layouts
        }
        self.dists: dict[int, str] = {}
        for relation, row in enumerate(solution.rows):
            table = posed.problem.tables[posed.problem.relations[relation].table]
            dist = table.rows[row].attrs.get("functionType")
            if dist is not None:
                self.dists[posed.op_of_relation[relation]] = dist

    def edits(self, layouts: bool) -> list[Edit]:
        out: list[Edit] = []
        for node in self.graph.ops:
            if node.name.startswith("ave.hir."):
                out.extend(self.function_type(node))
            if layouts:
                out.extend(self.types(node))
        return out

    # -- functionType -----------------------------------------------------------------------------------------

    def function_type(self, node: OpNode) -> list[Edit]:
        """Set, replace or remove the operation's functionType."""
        dist = self.dists.get(node.index)
        entries = attribute_entries(node.op, node.attrs) if node.attrs is not None else {}
        present = entries.get("functionType")
        if dist is None:
            return [] if present is None or node.attrs is None else [self.remove(node.attrs, entries)]
        text = f"functionType = #ave.func_dist_type<{dist}>"
        if present is not None:
            span = self.span(*present)
            return [] if self.posed.graph.module.source.slice(span) == text else [Edit(span, text)]
        if node.attrs is None:
            return [self.new_dictionary(node, text)]
        if not entries:
            return [Edit(self.span(*node.attrs), f"{{{text}}}")]
        for name, (first, _) in entries.items():
            if name > "functionType":
                start = self.stream.starts[first]
                return [Edit(Span(start, start), f"{text}, ")]
        end = self.stream.end(node.attrs[1] - 2)
        return [Edit(Span(end, end), f", {text}")]

    def new_dictionary(self, node: OpNode, text: str) -> Edit:
        before = node.attrs_at - 1
        start, end = self.stream.end(before), self.stream.starts[node.attrs_at]
        at = start if end > start else end
        return Edit(Span(at, at), f" {{{text}}}" if end > start else f" {{{text}}} ")

    def remove(self, attrs: tuple[int, int], entries: dict[str, tuple[int, int]]) -> Edit:
        """Take functionType out of a dictionary, and the dictionary with it if nothing else is in it."""
        first, last = entries["functionType"]
        if len(entries) == 1:
            return Edit(Span(self.stream.end(attrs[0] - 1), self.stream.end(attrs[1] - 1)), "")
        if self.stream.texts[last] == ",":
            return Edit(Span(self.stream.starts[first], self.stream.starts[last + 1]), "")
        return Edit(Span(self.stream.starts[first - 1], self.stream.end(last - 1)), "")

    def span(self, first: int, last: int) -> Span:
        return Span(self.stream.starts[first], self.stream.end(last - 1))

    # -- types ------------------------------------------------------------------------------------------------

    def types(self, node: OpNode) -> list[Edit]:
        """Rewrite the vector types that the operation prints."""
        if node.name == "func.call":
            return self.wrap_call(node)
        if node.name == "func.func":
            return self.signature(node)
        out: list[Edit] = []
        spec = node.spec
        if spec is not None and node.types and not node.op.is_generic:
            owner = dict(zip(reversed(node.roles), reversed(node.operands), strict=True))
            owner.update(
                (role.name, value) for role, value in zip(spec.results, node.results, strict=False)
            )
            for role, text in node.types.items():
                out.extend(self.retype(owner.get(role), text.first, text.last))
            return out
        operand_types = node.operand_type_texts or []
        pairs = list(zip(node.operands, operand_types, strict=False))
        pairs += [
            (value, text)
            for value, text in zip(node.results, node.result_type_texts, strict=False)
            if text is not None
        ]
        done: set[int] = set()
        for value, text in pairs:
            if text.first not in done:
                done.add(text.first)
                out.extend(self.retype(value, text.first, text.last))
        out.extend(self.block_arguments(node, done))
        return out

    def block_arguments(self, node: OpNode, done: set[int]) -> list[Edit]:
        """The types of block arguments written in the generic form."""
        loop = self.graph.loops.get(node.index)
        if loop is None or not node.op.regions or not node.op.regions[0].blocks:
            return []
        out: list[Edit] = []
        values = [loop.induction, *(iter_arg for _, iter_arg, _, _ in loop.carried)]
        for value, argument in zip(values, node.op.regions[0].blocks[0].arguments, strict=False):
            if argument.type_text and argument.type_first not in done:
                out.extend(self.retype(value, argument.type_first, argument.type_last))
        return out

    def signature(self, node: OpNode) -> list[Edit]:
        """The argument types of a function, and its result types."""
        function = next(function for function in self.graph.functions if function.op == node.index)
        out: list[Edit] = []
        texts = self.stream.texts
        for value in function.arguments:
            span = self.graph.values[value].span
            token = next(t for t in node.op.uses if self.stream.starts[t] == span.start) if span else -1
            if texts[token + 1] == ":":
                end = scan_type(texts, token + 2, node.op.last)
                out.extend(self.retype(value, token + 2, end or token + 2))
        if function.returns:
            returned = self.graph.ops[function.returns[0]].operands
            for value, (first, last) in zip(returned, self.result_types(node), strict=False):
                out.extend(self.retype(value, first, last))
        return out

    def result_types(self, node: OpNode) -> list[tuple[int, int]]:
        """Token ranges of the result types behind the arrow of a function's header."""
        texts = self.stream.texts
        last = node.op.regions[0].first if node.op.regions else node.op.last
        arrow = next((t for t in range(node.op.name_token, last) if texts[t] == "->"), None)
        if arrow is None:
            return []
        ranges: list[tuple[int, int]] = []
        at = arrow + 2 if texts[arrow + 1] == "(" else arrow + 1
        single = texts[arrow + 1] != "("
        while at < last and texts[at] not in (")", "attributes", "{"):
            if texts[at] == ",":
                at += 1
                continue
            end = scan_type(texts, at, last)
            if end is None:
                break
            ranges.append((at, end))
            at = end
            if single:
                break
        return ranges

    def retype(self, value: int | None, first: int, last: int) -> list[Edit]:
        if value is None or value < 0:
            return []
        layout = self.layout_of.get(value)
        vector = parse_type(self.stream.range_text(first, last))
        if layout is None or not isinstance(vector, VectorType) or vector.layout == layout:
            return []
        return [Edit(self.span(first, last), with_layout(vector, layout))]

    def wrap_call(self, node: OpNode) -> list[Edit]:
        """Casts to plain vectors before a call and back behind it; uses of its results move to the casts."""
        source = self.graph.module.source
        start = self.stream.starts[node.op.first]
        end = self.stream.end(node.op.last - 1)
        line = source.position(start)
        indent = source.line_text(line.line)[: line.column - 1]
        indent = indent if not indent.strip() else " " * (line.column - 1)
        out: list[Edit] = []
        before, after = "", ""
        for number, (value, token) in enumerate(zip(node.operands, node.operand_tokens, strict=True)):
            vector = self.graph.values[value].vector if value >= 0 else None
            layout = self.layout_of.get(value)
            if vector is None or layout is None:
                continue
            name = f"%plain_{node.index}_{number}"
            plain = _plain(vector)
            before += f"{name} = ave.hir.vector.layout_cast {self.stream.texts[token]} : {with_layout(vector, layout)} -> {plain}\n{indent}"
            out.append(Edit(self.span(token, token + 1), name))
        for number, value in enumerate(node.results):
            vector = self.graph.values[value].vector
            layout = self.layout_of.get(value)
            if vector is None or layout is None:
                continue
            name = f"%held_{node.index}_{number}"
            after += f"\n{indent}{name} = ave.hir.vector.layout_cast {self.graph.values[value].name} : {_plain(vector)} -> {with_layout(vector, layout)}"
            for user, operand in self.graph.users[value]:
                token = self.graph.ops[user].operand_tokens[operand]
                if self.graph.ops[user].name != "func.call":
                    out.append(Edit(self.span(token, token + 1), name))
        if before:
            out.append(Edit(Span(start, start), before))
        if after:
            out.append(Edit(Span(end, end), after))
        return out


def _plain(vector: VectorType) -> str:
    dims = "".join(f"{dim}x" for dim in vector.shape)
    return f"vector<{dims}{vector.element.text}>"
