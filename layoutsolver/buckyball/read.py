"""Text -> Code: the graph's operations with their attributes, each known to a table or named as an error."""

from __future__ import annotations

from layoutsolver.buckyball.check import wrong_in
from layoutsolver.buckyball.ir import Attr, Block, Code, Op, Value
from layoutsolver.buckyball.surround import FORMS
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.build import same_type
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.lexer import is_number
from layoutsolver.mlir.tree import Region
from layoutsolver.mlir.types import parse_type
from layoutsolver.ops.assembly import attribute_entries, scan_type, skip_bracket
from layoutsolver.ops.buckyball import LATER_OPS
from layoutsolver.source import Span

_OPEN = frozenset("([{<")


class ReadError(Exception):
    """An operation that cannot be read: a message and the token span that it is about."""

    def __init__(self, message: str, span: Span, code: str = "LS1001") -> None:
        super().__init__(message)
        self.span = span
        self.code = code


def read_code(graph: Graph) -> tuple[Code | None, list[Diagnostic]]:
    """The program of a graph, None with the reasons if something in it is not known here."""
    reader = _Reader(graph)
    functions = reader.top_level()
    wrapped = any(node.name == "builtin.module" for node in graph.ops)
    if reader.diagnostics:
        return None, reader.diagnostics
    return Code(graph.module.source, functions, wrapped), []


class _Reader:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.source = graph.module.source
        self.texts = graph.module.stream.texts
        self.stream = graph.module.stream
        self.values: dict[int, Value] = {}
        self.children: dict[int, list[OpNode]] = {}
        self.diagnostics: list[Diagnostic] = []
        for node in graph.ops:
            self.children.setdefault(node.parent, []).append(node)

    def top_level(self) -> list[Op]:
        functions: list[Op] = []
        for node in self.graph.ops:
            outer = node.parent < 0 or self.graph.ops[node.parent].name == "builtin.module"
            if outer and node.name == "func.func":
                functions.append(self.op(node))
            elif outer and node.name != "builtin.module":
                self.report(ReadError(f"`{node.name}` stands outside of any function", node.span))
        return functions

    def report(self, error: ReadError) -> None:
        label = Label(self.source, error.span)
        self.diagnostics.append(Diagnostic(error.code, "error", str(error), label))

    def value(self, index: int) -> Value:
        known = self.values.get(index)
        if known is None:
            value = self.graph.values[index]
            known = self.values[index] = Value(value.type.text, value.name.lstrip("%").replace("#", "_"))
        return known

    def op(self, node: OpNode) -> Op:
        op = Op(node.name, [self.value(index) for index in node.operands if index >= 0], span=node.span)
        try:
            op.attrs = self.attrs_of(node)
            op.results = [self.value(index) for index in node.results]
            op.blocks = self.blocks(node)
            wrong = wrong_in(op)
            if wrong:
                raise ReadError(f"`{node.name}` {wrong}", node.span, "LS1002")
        except ReadError as error:
            self.report(error)
        return op

    # -- regions ----------------------------------------------------------------------------------------------

    def blocks(self, node: OpNode) -> list[Block]:
        """The regions of an operation, each of one block."""
        out: list[Block] = []
        inner = self.children.get(node.index, [])
        for number, region in enumerate(node.op.regions):
            if len(region.blocks) > 1:
                raise ReadError(f"`{node.name}` with a region of several blocks", node.span)
            inside = [self.op(child) for child in inner if _within(child, region)]
            out.append(Block([self.value(index) for index in self.arguments(node, number)], inside))
        return out

    def arguments(self, node: OpNode, number: int) -> list[int]:
        if node.name == "scf.for":
            loop = self.graph.loops[node.index]
            return [loop.induction, *(carried[1] for carried in loop.carried)] if number == 0 else []
        if node.name == "func.func":
            function = next(one for one in self.graph.functions if one.op == node.index)
            return function.arguments
        return [value for place, _, values in self.graph.arguments.get(node.index, []) if place == number
                for value in values]  # fmt: skip

    # -- attributes -------------------------------------------------------------------------------------------

    def attrs_of(self, node: OpNode) -> dict[str, Attr]:
        name = node.name
        if name in LATER_OPS:
            raise ReadError(f"`{name}` is of a later revision of Buckyball, which is not supported", node.span)
        if node.spec is not None and name.startswith(("buckyball.", "tile.")):
            return self.dictionary(node, node.attrs)
        form = FORMS.get(name)
        if form is None:
            raise ReadError(f"`{name}` is not known on the way to Buckyball's banks", node.span)
        if node.op.is_generic:
            raise ReadError(f"`{name}` in the generic form is not read here", node.span)
        reads = {
            "constant": self.constant, "compare": self.compare, "subview": self.subview, "named": self.named,
            "generic": self.generic, "collapse": self.collapse, "function": self.function, "call": self.call,
        }  # fmt: skip
        self.check_memref(node, form)
        read = reads.get(form)
        return read(node) if read is not None else {}

    def check_memref(self, node: OpNode, form: str) -> None:
        """Hold the type that is printed of the memref of an access against the one that it has."""
        place = {"load": 0, "store": 1, "subview": 0, "collapse": 0}.get(form)
        if place is None or len(node.operands) <= place:
            return
        colon = max((at for at in range(node.op.name_token, node.op.last) if self.texts[at] == ":" and
                     self.outside(node.op.name_token, at)), default=-1)  # fmt: skip
        if colon < 0:
            raise ReadError(f"`{node.name}` does not print the type of its memref", node.span)
        self.check_type(node, place, colon + 1, node.op.last)

    def check_type(self, node: OpNode, place: int, first: int, last: int) -> int:
        """Compare the type at a token with that of an operand; the token behind it."""
        end = scan_type(self.texts, first, last)
        if end is None:
            raise ReadError(f"`{node.name}`: expected a type", node.op.token_span(min(first, node.op.last - 1)))
        if place >= len(node.operands) or node.operands[place] < 0:
            raise ReadError(f"`{node.name}` has {len(node.operands)} operands", node.span, "LS1002")
        value = self.graph.values[node.operands[place]]
        known, printed = value.type, self.stream.range_text(first, end)
        if not same_type(parse_type(printed), known) and printed not in self.graph.module.aliases:
            message = f"`{value.name}` is used as `{printed}` but has type `{known.text}`"
            raise ReadError(message, node.op.token_span(node.operand_tokens[place]), "LS0203")
        return end

    def dictionary(self, node: OpNode, where: tuple[int, int] | None) -> dict[str, Attr]:
        """The numbers and flags of an attribute dictionary; other entries as text."""
        out: dict[str, Attr] = {}
        ranges = [] if where is None else [where]
        if node.op.is_generic:
            at = skip_bracket(self.texts, node.op.name_token + 1, node.op.last)
            if self.texts[at : at + 2] == ["<", "{"]:
                ranges.append((at + 1, skip_bracket(self.texts, at + 1, node.op.last)))
        for one in ranges:
            for name, (first, last) in attribute_entries(node.op, one).items():
                out[name] = self.attribute(first + 2, last) if last > first + 2 else True
        known = {attribute.name: attribute for attribute in node.spec.attributes} if node.spec is not None else {}
        for name, attribute in known.items():
            value = out.get(name)
            wrong = value is not None and attribute.kind == "int" and type(value) is not int
            if wrong or (attribute.required and value is None):
                raise ReadError(f"`{node.name}` needs a number `{name}`", node.span)
        unknown = [name for name in out if name not in known]
        if unknown:
            raise ReadError(f"`{node.name}` has no attribute `{unknown[0]}`", node.span)
        return out

    def attribute(self, first: int, last: int) -> Attr:
        texts = self.texts
        sign = -1 if texts[first] == "-" else 1
        at = first + (sign < 0)
        if texts[at] in ("true", "false"):
            return texts[at] == "true"
        if is_number(texts[at]) and (at + 1 == last or texts[at + 1] == ":") and len(texts[at]) < 20:
            return sign * int(texts[at])
        return self.stream.range_text(first, last)

    def constant(self, node: OpNode) -> dict[str, Attr]:
        """The value's text: a number, `true`, or what a dense constant spells."""
        first = node.op.name_token + 1
        texts = self.texts
        if texts[first] in ("true", "false"):
            return {"value": "1" if texts[first] == "true" else "0"}
        colon = next((at for at in range(first, node.op.last) if texts[at] == ":"), node.op.last)
        return {"value": "".join(self.stream.range_text(first, colon).split())}

    def compare(self, node: OpNode) -> dict[str, Attr]:
        return {"predicate": self.texts[node.op.name_token + 1]}

    def subview(self, node: OpNode) -> dict[str, Attr]:
        """Offsets, sizes, strides; dynamic ones are the operands behind the first, in this order."""
        at = node.op.name_token + 2
        out: dict[str, Attr] = {}
        for name in ("offsets", "sizes", "strides"):
            if self.texts[at] != "[":
                raise ReadError("`memref.subview` needs offsets, sizes and strides", node.span)
            last = skip_bracket(self.texts, at, node.op.last)
            out[name] = self.numbers(node, at + 1, last - 1)
            at = last
        return out

    def numbers(self, node: OpNode, first: int, last: int) -> tuple[int | None, ...]:
        out: list[int | None] = []
        at = first
        while at < last:
            token = self.texts[at]
            if is_number(token):
                out.append(int(token[:18]))
            elif token.startswith("%"):
                out.append(None)
            else:
                raise ReadError(f"`{node.name}`: expected a number, found `{token}`", node.op.token_span(at))
            at += 2
        return tuple(out)

    def named(self, node: OpNode) -> dict[str, Attr]:
        """How many operands are inputs, and for a convolution its attributes, for a transpose its permutation."""
        texts, out = self.texts, {}
        at = node.op.name_token + 1
        seen = 0
        attrs: dict[str, Attr] = {}
        while at < node.op.last:
            token = texts[at]
            if token in ("ins", "outs") and texts[at + 1] == "(":
                last = skip_bracket(texts, at + 1, node.op.last)
                out[token] = sum(1 for index in range(at, last) if texts[index].startswith("%"))
                self.check_group(node, seen, out[token], at + 2, last - 1)
                seen += out[token]
                at = last
            elif token == "{" and "ins" not in out:
                last = skip_bracket(texts, at, node.op.last)
                for name, (first, end) in attribute_entries(node.op, (at, last)).items():
                    attrs[name] = self.list_or_text(node, first + 2, end)
                at = last
            elif token == "permutation" and texts[at + 1] == "=":
                last = skip_bracket(texts, at + 2, node.op.last)
                attrs["permutation"] = self.numbers(node, at + 3, last - 1)
                at = last
            elif token == "indexing_maps":
                last = skip_bracket(texts, at + 2, node.op.last)
                attrs["indexing_maps"] = self.stream.range_text(at + 2, last)
                at = last
            else:
                at += 1
        if out.get("outs") != 1 or "ins" not in out:
            raise ReadError(f"`{node.name}` needs inputs and one output in memory", node.span)
        return {**attrs, "inputs": out["ins"]}

    def check_group(self, node: OpNode, first: int, count: int, at: int, last: int) -> None:
        """Hold the types of `ins(…)` or `outs(…)` against those of the values that stand before them."""
        colon = next((index for index in range(at, last) if self.texts[index] == ":"), last)
        at = colon + 1
        for place in range(first, first + count):
            at = self.check_type(node, place, at, last) + 1

    def list_or_text(self, node: OpNode, first: int, last: int) -> Attr:
        """`dense<1> : tensor<2xi64>` and `dense<[1, 1]> : …` as their numbers, anything else as text."""
        texts = self.texts
        if texts[first] == "dense" and texts[first + 1] == "<":
            numbers = tuple(int(texts[at][:18]) for at in range(first + 2, last) if is_number(texts[at])
                            and ":" not in texts[first:at])  # fmt: skip
            return numbers or self.stream.range_text(first, last)
        return self.stream.range_text(first, last)

    def generic(self, node: OpNode) -> dict[str, Attr]:
        """Indexing maps and iterator types as text, and how many operands are inputs."""
        attrs = self.named(node)
        texts = self.texts
        opening = next((at for at in range(node.op.name_token, node.op.last) if texts[at] == "{"), node.op.last)
        entries = attribute_entries(node.op, (opening, skip_bracket(texts, opening, node.op.last)))
        for name in ("indexing_maps", "iterator_types"):
            if name not in entries:
                raise ReadError(f"`linalg.generic` without `{name}`", node.span)
            first, last = entries[name]
            attrs[name] = "".join(self.stream.range_text(first + 2, last).split())
        return attrs

    def collapse(self, node: OpNode) -> dict[str, Attr]:
        first = node.op.name_token + 2
        last = skip_bracket(self.texts, first, node.op.last)
        return {"groups": "".join(self.stream.range_text(first, last).split())}

    def function(self, node: OpNode) -> dict[str, Attr]:
        function = next(one for one in self.graph.functions if one.op == node.index)
        texts = self.texts
        head = node.op.regions[0].first if node.op.regions else node.op.last
        arrow = next((at for at in range(node.op.name_token, head) if texts[at] == "->" and
                      self.outside(node.op.name_token, at)), head)  # fmt: skip
        last = arrow + 1
        if arrow < head:
            last = scan_type(texts, arrow + 1, head) or head
        out: dict[str, Attr] = {"symbol": function.symbol, "private": function.is_private}
        out["results"] = self.stream.range_text(arrow + 1, last) if arrow < head else ""
        if not function.has_body:
            opening = next(at for at in range(node.op.name_token, head) if texts[at] == "(")
            out["declared"] = self.stream.range_text(opening, skip_bracket(texts, opening, head))
        return out

    def outside(self, first: int, at: int) -> bool:
        depth = 0
        for token in self.texts[first:at]:
            depth += (token in _OPEN) - (token in ")]}>")
        return depth == 0

    def call(self, node: OpNode) -> dict[str, Attr]:
        return {"callee": self.graph.calls.get(node.index, "")}


def _within(node: OpNode, region: Region) -> bool:
    return region.first < node.op.first < region.last
