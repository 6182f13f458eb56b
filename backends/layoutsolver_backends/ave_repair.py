"""Writes a repair into AVE text: copies of values behind their definitions, and the uses that see them."""

from __future__ import annotations

from dataclasses import dataclass, field

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.types import VectorType
from layoutsolver.pose.ave_check import VECTOR_BITS
from layoutsolver.pose.ave_repair import tie_places
from layoutsolver.pose.posed import Posed
from layoutsolver.source import Span
from layoutsolver_models.problems.repair import Copy, Redirect, Repair
from layoutsolver_models.rules.conversions import CONVERSION


@dataclass(frozen=True, slots=True)
class RepairText:
    """A repair as text: its edits, and one sentence for each change."""

    edits: list[Edit]
    sentences: list[str]


def write_repair(posed: Posed, repair: Repair) -> RepairText:
    """The edits that make a repair, and what they do in words."""
    return _Writer(posed, repair).write()


@dataclass(slots=True)
class _Writer:
    posed: Posed
    repair: Repair
    names: dict[Copy, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    places: list[tuple[int, ...]] = field(default_factory=list)

    def write(self) -> RepairText:
        self.places = tie_places(self.posed)
        stream = self.posed.graph.module.stream
        self.taken = {token.partition("#")[0] for token in stream.texts if token[:1] == "%"}
        for copy in self.repair.copies:
            base, pound, number = self.value_name(copy.value).partition("#")
            if copy.before:
                self.names[copy] = self.fresh(self.value_name(copy.value), copy.layout)
            else:
                self.names[copy] = self.fresh(base, copy.layout) + pound + number
        rewritten = {self.posed.op_of_relation[index]: row.attrs["rewrite"] for index, row in self.repair.rewrites}
        edits = [self.insert(copy) for copy in self.repair.copies]
        renamed: dict[int, dict[int, str]] = {}
        for redirect in self.repair.redirects:
            if redirect.clone is None:
                op, token = self.token_of(redirect)
                renamed.setdefault(op, {})[token] = self.names[redirect.copy]
        for op, tokens in renamed.items():
            if op not in rewritten:
                edits += [Edit(self.span(token), name) for token, name in tokens.items()]
        for op, family in rewritten.items():
            edits.append(self.rewrite(self.posed.graph.ops[op], family, renamed.get(op, {})))
        sentences = [self.sentence(copy) for copy in self.repair.copies]
        sentences += [self.rewrite_sentence(self.posed.graph.ops[op]) for op in rewritten]
        return RepairText(edits, sentences)

    # -- names and places -------------------------------------------------------------------------------------

    def value_name(self, value: int) -> str:
        return self.posed.graph.values[self.posed.value_of[value]].name

    def fresh(self, name: str, suffix: str) -> str:
        """A name that the program does not have; a numbered value gets a letter in front."""
        plain = name.lstrip("%").replace("#", "_")
        chosen = f"%{'v' if plain[:1].isdigit() else ''}{plain}_{suffix}"
        while chosen in self.taken:
            chosen += "_"
        self.taken.add(chosen)
        return chosen

    def span(self, token: int) -> Span:
        stream = self.posed.graph.module.stream
        return Span(stream.starts[token], stream.end(token))

    def token_of(self, redirect: Redirect) -> tuple[int, int]:
        """The operation and the token of a redirected use."""
        if redirect.kind == "relation":
            op = self.posed.op_of_relation[redirect.index]
            operand = self.posed.operands_of_relation[redirect.index][redirect.port]
        else:
            op = self.posed.op_of_tie[redirect.index]
            operand = self.places[redirect.index][redirect.port]
        return op, self.posed.graph.ops[op].operand_tokens[operand]

    # -- copies -----------------------------------------------------------------------------------------------

    def insert(self, copy: Copy) -> Edit:
        """The copy's operations, behind the definition of its value (a block argument's: before the first one)."""
        graph = self.posed.graph
        value = graph.values[self.posed.value_of[copy.value]]
        lines = self.conversion(copy) if copy.before else [self.clone(copy)]
        if value.op >= 0:
            at, indent = self.behind(graph.ops[value.op])
            return Edit(Span(at, at), "".join(f"\n{indent}{line}" for line in lines))
        first = self.first_inside(value.index)
        start = graph.module.stream.starts[first.op.first]
        indent = self.indent(start)
        return Edit(Span(start, start), "".join(f"{line}\n{indent}" for line in lines))

    def first_inside(self, argument: int) -> OpNode:
        """The first operation of the block that a block argument belongs to."""
        graph = self.posed.graph
        for loop in graph.loops.values():
            if any(iter_arg == argument for _, iter_arg, _, _ in loop.carried):
                return next(node for node in graph.ops if node.parent == loop.op)
        owner = next(function for function in graph.functions if argument in function.arguments)
        return next(node for node in graph.ops if node.parent == owner.op)

    def behind(self, node: OpNode) -> tuple[int, str]:
        """The place behind an operation and a comment on its line, and the operation's indentation."""
        source, stream = self.posed.graph.module.source, self.posed.graph.module.stream
        end = stream.end(node.op.last - 1)
        line_end = source.text.find("\n", end)
        line_end = len(source.text) if line_end < 0 else line_end
        rest = source.text[end:line_end].strip()
        at = line_end if rest.startswith("//") else end
        return at, self.indent(stream.starts[node.op.first])

    def indent(self, start: int) -> str:
        source = self.posed.graph.module.source
        line, column = source.line_column(start)
        head = source.line_text(line)[: column - 1]
        return head if not head.strip() else " " * (column - 1)

    def conversion(self, copy: Copy) -> list[str]:
        """Interleaves that change nothing but the room of each element.

        SPARSE keeps the elements of the first half of a source's type, DENSE puts those of one source behind those of
        the other: a type of twice the elements makes all of them take part. Casts to and from it move no data.
        """
        value = self.posed.graph.values[self.posed.value_of[copy.value]]
        vector = value.vector
        assert vector is not None
        text = _plain(vector)
        wide = _flat(vector, min(2 * vector.lanes, VECTOR_BITS // (vector.bits or 1)))
        lines: list[str] = []
        source = value.name
        steps = CONVERSION[copy.before, copy.layout].steps
        for number, (op, change) in enumerate(steps):
            last = number == len(steps) - 1
            result = self.names[copy] if last else self.fresh(value.name, "step")
            rest = self.fresh(value.name, "rest")
            if change == "SPARSE":
                given = self.cast(lines, value.name, source, text, wide)
                flat = _flat(vector, vector.lanes)
                made = result if flat == text else self.fresh(value.name, "flat")
                lines.append(_interleave(op, made, rest, given, change, wide, flat))
            else:
                flat = _flat(vector, vector.lanes)
                given = self.cast(lines, value.name, source, text, flat)
                flat = wide
                made = result if flat == text else self.fresh(value.name, "wide")
                lines.append(_interleave(op, made, rest, given, change, _flat(vector, vector.lanes), flat))
            if made != result:
                lines.append(f"{result} = builtin.unrealized_conversion_cast {made} : {flat} to {text}")
            source = result
        return lines

    def cast(self, lines: list[str], base: str, source: str, before: str, after: str) -> str:
        """The name of a value under another type; the cast is added to the lines if there is anything to cast."""
        if before == after:
            return source
        name = self.fresh(base, "wide")
        lines.append(f"{name} = builtin.unrealized_conversion_cast {source} : {before} to {after}")
        return name

    def clone(self, copy: Copy) -> str:
        """The text of the defining operation with other results, and with copies of operands where it sees them."""
        graph = self.posed.graph
        value = graph.values[self.posed.value_of[copy.value]]
        node = graph.ops[value.op]
        names: dict[int, str] = {}
        for redirect in self.repair.redirects:
            if redirect.clone == copy:
                names[self.token_of(redirect)[1]] = self.names[redirect.copy]
        for result in node.op.results:
            held = result.text == value.name or result.text == value.name.partition("#")[0]
            names[result.token] = self.names[copy].partition("#")[0] if held else self.fresh(result.text, "rest")
        return self.text_of(node, names)

    def text_of(self, node: OpNode, names: dict[int, str]) -> str:
        """An operation's own text in one line, some of its tokens being replaced."""
        stream = self.posed.graph.module.stream
        first, last = stream.piece_index[node.op.first], stream.piece_index[node.op.last - 1] + 1
        by_piece = {stream.piece_index[token]: name for token, name in names.items()}
        pieces = []
        for index in range(first, last):
            piece = by_piece.get(index, stream.pieces[index])
            if piece.startswith("//"):
                continue
            pieces.append(" " if piece.isspace() and "\n" in piece else piece)
        return "".join(pieces)

    # -- rewrites ---------------------------------------------------------------------------------------------

    def rewrite(self, node: OpNode, family: str, names: dict[int, str]) -> Edit:
        """The operation written in another way, operands seen through copies where they are."""
        stream = self.posed.graph.module.stream
        seen = {
            role: names.get(token, stream.texts[token])
            for role, token in zip(node.roles, node.operand_tokens, strict=True)
        }
        types = {role: text.text for role, text in node.types.items()}
        result = self.posed.graph.values[node.results[0]].name
        step = self.fresh(result, "step")
        mask, pred = seen["mask"], types["mask"]
        if family == "compare":
            lines = [
                f"{step} = ave.hir.broadcast {seen['scalar']}, {mask} : {types['scalar']}, {pred} -> {types['vec']}",
                f"{result} = ave.hir.vcmp <{node.enums['predicate']}> {seen['vec']}, {step}, {mask} : "
                f"{types['vec']}, {pred} -> {types['pres']}",
            ]
        elif family == "truncate":
            before, after = types["src"], types["res"]
            lines = [
                f"{step} = ave.hir.vtrc {seen['src']}, <{node.enums['rnd']}>, {mask} : {before}, {pred}, {before}",
                f"{result} = ave.hir.vtruncf {step}, <rint>, false, <part_even>, {mask} : {before}, {after}, {pred}",
            ]
        else:
            before, after = types["src"], types["res"]
            lines = [
                f"{step} = ave.hir.vextf {seen['src']}, <part_even>, {mask} : {before}, {after}, {pred}",
                f"{result} = ave.hir.vtrc {step}, <{node.enums['rnd']}>, {mask} : {after}, {pred}, {after}",
            ]
        start, end = stream.starts[node.op.first], stream.end(node.op.last - 1)
        first, last = stream.piece_index[node.op.first], stream.piece_index[node.op.last - 1]
        lines[:0] = [piece.rstrip() for piece in stream.pieces[first:last] if piece.startswith("//")]
        return Edit(Span(start, end), f"\n{self.indent(start)}".join(lines))

    # -- words ------------------------------------------------------------------------------------------------

    def sentence(self, copy: Copy) -> str:
        name, new = self.value_name(copy.value), self.names[copy]
        if copy.before:
            return f"convert `{name}` from {copy.before} to {copy.layout} as `{new}`"
        value = self.posed.graph.values[self.posed.value_of[copy.value]]
        what = "make the mask" if self.posed.problem.values[copy.value].bits == 1 else "compute"
        return f"{what} `{name}` once more, in {copy.layout}, as `{new}` (`{self.posed.graph.ops[value.op].name}`)"

    def rewrite_sentence(self, node: OpNode) -> str:
        name = self.posed.graph.values[node.results[0]].name
        if node.name == "ave.hir.vcmps":
            return f"compute `{name}` by `ave.hir.broadcast` and `ave.hir.vcmp`, which takes spread data"
        return f"write `{name}` as a conversion and an `ave.hir.vtrc` of one element width"


def _plain(vector: VectorType) -> str:
    dims = "".join(f"{dim}x" for dim in vector.shape)
    return f"vector<{dims}{vector.element.text}>"


def _flat(vector: VectorType, lanes: int) -> str:
    return f"vector<{lanes}x{vector.element.text}>"


def _interleave(op: str, result: str, rest: str, source: str, change: str, before: str, after: str) -> str:
    attribute = f"{{layout_change = #ave<layout_change {change}>}}"
    return f"{result}, {rest} = ave.hir.{op} {source}, {source} {attribute} : {before}, {after}"
