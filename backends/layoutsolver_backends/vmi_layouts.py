"""Layouts written into the text of a VMI program: in the types of vectors, with copies and conversions as operations.

A value that is needed in another layout than that in which its operation makes it gets a second name: for a copy of the
operation where that is what was chosen, else for an `ensure_…` behind the definition.
"""

from __future__ import annotations

import re
from collections import defaultdict

from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.mlir.pto_types import VmiMaskType
from layoutsolver.mlir.tree import Argument, Block
from layoutsolver.ops.assembly import TypeText
from layoutsolver.ops.loose import bind_loose
from layoutsolver.pose.vmi.ports import mask_layout, split_mask_layout
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.written import governed, written
from layoutsolver.source import Span
from layoutsolver_models.problems.selection import SelectionSolution, ValueConversion
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.rules.vmi.table import RULES

_LOGICAL = re.compile(r"!pto\.vmi\.(?:vreg|mask)<(?:[^<>]|<[^<>]*>)*>")
Asked = dict[int, str]
"""The layout of each value that an operation takes or makes."""


def annotate(posed: PosedVmi, solution: SelectionSolution) -> list[Edit]:
    """The edits that write a solution into the program's text."""
    return _Writer(*written(posed, solution)).edits()


class _Writer:
    def __init__(self, posed: PosedVmi, solution: SelectionSolution) -> None:
        self.posed = posed
        self.program = posed.program
        self.graph = posed.program.graph
        self.stream = self.graph.module.stream
        self.numbers = self.program.by_graph_value
        self.names = {value.name for value in self.graph.values}
        self.first: dict[int, str] = {}
        self.forms: dict[int, list[Asked]] = {}
        self.maker: dict[int, int] = {}
        self.by_origin: dict[int, list[int]] = defaultdict(list)
        self.ties: dict[int, Asked] = {}
        self.second: dict[tuple[int, str], str] = {}
        self.converted: dict[int, list[ValueConversion]] = defaultdict(list)
        for place, (op, chosen) in enumerate(zip(posed.problem.ops, solution.variants, strict=True)):
            ports = (*op.operands, *op.results)
            forms = [dict(zip(ports, op.variants[number].layouts, strict=True)) for number in chosen]
            for value in op.results:
                self.first.setdefault(value, forms[0][value])
            number = posed.op_of[place]
            if number >= 0:
                self.forms[number] = forms
                self.by_origin[self.program.ops[number].origin].append(number)
                self.maker.update(dict.fromkeys(op.results, number))
            elif posed.join_of[place] >= 0:
                origin = self.program.joins[posed.join_of[place]].origin
                self.ties.setdefault(origin, {}).update(forms[0])
        for number in solution.conversions:
            way = posed.problem.conversions[number]
            self.converted[way.value].append(way)
        self.by_start = {value.span.start: index for index, value in enumerate(self.graph.values)}
        self.joined = {value: layout for asked in self.ties.values() for value, layout in asked.items()}

    def edits(self) -> list[Edit]:
        out: list[Edit] = []
        for node in self.graph.ops:
            for value in node.results:
                self._name_second(value)
        for index in range(len(self.graph.values)):
            self._name_second(index)
        for node in self.graph.ops:
            forms = self._forms(node)
            own = self._form_edits(node, forms[0])
            behind = [self._copy(node, form) for form in forms[1:]]
            behind += [text for value in node.results for text in self._conversions(value)]
            if behind:
                at = Span(self.stream.end(node.op.last - 1), self.stream.end(node.op.last - 1))
                lead = "\n" + self._indent(node)
                own.append(Edit(at, "".join(lead + text for text in behind)))
            out += own
            out += self._nested(node)
        return out

    # -- layouts ----------------------------------------------------------------------------------------------

    def _forms(self, node: OpNode) -> list[Asked]:
        """What an operation of the text takes and makes, in each of its variants."""
        numbers = list(self.by_origin.get(node.index, ()))
        for value in node.results:
            made = self.maker.get(self.numbers.get(value, -1))
            if made is not None and made not in numbers:
                numbers.append(made)
        whole: Asked = {}
        more: list[Asked] = []
        for number in reversed(numbers):
            forms = self.forms[number]
            whole.update(forms[0])
            more += forms[1:]
        if not numbers:
            for value in (*node.operands, *node.results):
                number = self.numbers.get(value, -1)
                if number in self.joined:
                    whole[number] = self.joined[number]
        shown = {self.numbers.get(value, -1) for value in node.results}
        return [whole, *(form for form in more if shown & set(form))]

    def _layout(self, value: int, asked: Asked) -> str:
        number = self.numbers.get(value, -1)
        return asked.get(number) or self.first.get(number, "")

    def _operand_layout(self, node: OpNode, value: int, asked: Asked) -> str:
        """The layout of an operand; of a mask that no instruction uses, that of the elements which it governs."""
        agreed = governed(self.posed, node, asked) if self._is_dropped(node, value, asked) else ""
        return agreed or self._layout(value, asked)

    def _is_dropped(self, node: OpNode, value: int, asked: Asked) -> bool:
        """Whether an operand is a mask that no instruction of the operation uses."""
        return isinstance(self.graph.values[value].type, VmiMaskType) and self.numbers[value] not in asked

    def _without(self, node: OpNode, place: int, agreed: str) -> list[Edit]:
        """The edits that leave out a mask that no instruction uses and nothing makes agree, or put a full one."""
        token, printed = node.operand_tokens[place], self._operand_type(node, place)
        assert node.spec is not None
        if printed is None:
            return []
        if any(role.name == node.roles[place] and role.optional for role in node.spec.operands):
            return [Edit(self._span(token - 1, token + 1), ""), Edit(self._span(printed.first - 1, printed.last), "")]
        name, start = (
            self._fresh(f"{self.graph.values[node.operands[place]].name}_all"),
            self.stream.starts[node.op.first],
        )
        full = f'{name} = pto.vmi.pset "PAT_ALL" : {agreed}\n{self._indent(node)}'
        return [
            Edit(Span(start, start), full), Edit(self._span(token, token + 1), name),
            Edit(self._span(printed.first, printed.last), agreed),
        ]  # fmt: skip

    def _name_second(self, value: int) -> None:
        """Names for a value in the layouts in which it is needed besides its first one."""
        number = self.numbers.get(value, -1)
        if number < 0:
            return
        known = self.graph.values[value]
        more = [form[number] for form in self.forms.get(self.maker.get(number, -1), [])[1:] if number in form]
        more += [way.after for way in self.converted.get(number, ())]
        for layout in more:
            if (value, layout) in self.second or layout == self.first.get(number):
                continue
            self.second[value, layout] = self._fresh(f"{known.name}_{layout.replace(' ', '_').replace('.', '_')}")

    def _type(self, value: int, layout: str) -> str:
        """The type of a value with a layout."""
        number = self.numbers[value]
        known = self.program.values[number]
        if not layout:
            return self.graph.values[value].type.text
        if known.is_mask:
            bits, name = split_mask_layout(layout)
            return f"!pto.vmi.mask<{known.lanes}xb{bits}, #pto.vmi.layout<{layout_of(name, known.lanes)}>>"
        return f"!pto.vmi.vreg<{known.lanes}x{known.element}, #pto.vmi.layout<{layout_of(layout, known.lanes)}>>"

    # -- text -------------------------------------------------------------------------------------------------

    def _form_edits(self, node: OpNode, asked: Asked) -> list[Edit]:
        """The edits of an operation's own text: operands and types."""
        out: list[Edit] = []
        for place, (value, token) in enumerate(zip(node.operands, node.operand_tokens, strict=True)):
            if value not in self.numbers:
                continue
            layout = self._operand_layout(node, value, asked)
            name = self.second.get((value, layout))
            printed = self._operand_type(node, place)
            if layout == self.first.get(self.numbers[value], layout):
                pass
            elif name is not None:
                out.append(Edit(self._span(token, token + 1), name))
            elif self._is_dropped(node, value, asked):
                out += self._without(node, place, self._type(value, layout))
                continue
            else:
                layout = self.first[self.numbers[value]]
            if printed is not None:
                out.append(Edit(self._span(printed.first, printed.last), self._type(value, layout)))
        for place, value in enumerate(node.results):
            if value not in self.numbers:
                continue
            layout = self._layout(value, asked)
            printed = self._result_type(node, place)
            if printed is not None:
                out.append(Edit(self._span(printed.first, printed.last), self._type(value, layout)))
        return list({edit.span: edit for edit in out}.values())

    def _operand_type(self, node: OpNode, place: int) -> TypeText | None:
        if node.operand_type_texts is not None:
            return node.operand_type_texts[place] if place < len(node.operand_type_texts) else None
        return node.types.get(node.roles[place])

    def _result_type(self, node: OpNode, place: int) -> TypeText | None:
        if place < len(node.result_type_texts):
            return node.result_type_texts[place]
        if node.spec is None or not node.spec.results:
            return None
        return node.types.get(node.spec.results[min(place, len(node.spec.results) - 1)].name)

    def _copy(self, node: OpNode, asked: Asked) -> str:
        """The text of an operation once more, for other layouts and under other names."""
        start = self.stream.starts[node.op.first]
        text = self.graph.module.source.text[start : self.stream.end(node.op.last - 1)]
        edits = [
            Edit(Span(edit.span.start - start, edit.span.end - start), edit.new_text)
            for edit in self._form_edits(node, asked)
        ]
        for place, value in enumerate(node.results):
            token = node.op.results[place].token
            known = self.graph.values[value].name
            beside = known if value in self.numbers else self._fresh(f"{known}_")
            name = self.second.get((value, self._layout(value, asked)), beside)
            span = self._span(token, token + 1)
            edits.append(Edit(Span(span.start - start, span.end - start), name))
        return apply_edits(text, edits)

    def _conversions(self, value: int) -> list[str]:
        """The operations that convert a value, to be put behind its definition."""
        number = self.numbers.get(value, -1)
        out: list[str] = []
        for way in self.converted.get(number, ()):
            source = self.second.get((value, way.before), self.graph.values[value].name)
            last = self.second.get((value, way.after))
            if last is None:
                continue
            before = way.before
            steps = self._steps(number, way)
            for place, after in enumerate(steps):
                name = last if place == len(steps) - 1 else self._fresh(f"{last}_{place}")
                out.append(self._ensure(value, source, name, before, after))
                source, before = name, after
        return out

    def _steps(self, number: int, way: ValueConversion) -> list[str]:
        """The layouts that a conversion goes through, its last one included."""
        out: list[str] = []
        is_mask = self.program.values[number].is_mask
        bits = split_mask_layout(way.before)[0] if is_mask else 0
        for rule in (RULES[name] for name in way.rule.split()):
            if rule.family == "granularity":
                bits = int(rule.id.split(".")[2].split("_")[1])
            out.append(mask_layout(bits, rule.layouts["result"]) if is_mask else rule.layouts["result"])
        return out

    def _ensure(self, value: int, source: str, name: str, before: str, after: str) -> str:
        is_mask = self.program.values[self.numbers[value]].is_mask
        wider = is_mask and split_mask_layout(before)[0] != split_mask_layout(after)[0]
        op = "ensure_mask_granularity" if wider else "ensure_mask_layout" if is_mask else "ensure_layout"
        types = f"{self._type(value, before)} -> {self._type(value, after)}"
        return f"{name} = pto.vmi.{op} {source} : {types}"

    def _fresh(self, name: str) -> str:
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name

    def _nested(self, node: OpNode) -> list[Edit]:
        """The edits of what an operation with regions introduces: arguments, and the results of functions."""
        loose = bind_loose(node.op) if node.op.regions and not node.op.is_generic else None
        out: list[Edit] = []
        for number, region in enumerate(node.op.regions):
            for place, block in enumerate(region.blocks):
                first = number == 0 and place == 0 and loose is not None
                out += self._block(block, loose.arguments if first and loose is not None else [])
        return out + self._signature(node)

    def _signature(self, node: OpNode) -> list[Edit]:
        """The result types of a function, in its header behind the arrow."""
        function = next((one for one in self.graph.functions if one.op == node.index), None)
        if function is None or not function.returns or node.op.is_generic or not node.op.regions:
            return []
        ends = [value for value in self.graph.ops[function.returns[0]].operands if value in self.numbers]
        texts = self.stream.texts
        arrow = next((at for at in range(node.op.first, node.op.regions[0].first) if texts[at] == "->"), -1)
        if arrow < 0:
            return []
        start, end = self.stream.starts[arrow], self.stream.starts[node.op.regions[0].first]
        header = self.graph.module.source.text[start:end]
        out = []
        for printed, value in zip(_LOGICAL.finditer(header), ends, strict=False):
            layout = self.joined.get(self.numbers[value]) or self.first.get(self.numbers[value], "")
            out.append(Edit(Span(start + printed.start(), start + printed.end()), self._type(value, layout)))
        return out

    def _block(self, block: Block, arguments: list[Argument]) -> list[Edit]:
        """The types of a block's arguments, and conversions of them at its head; `arguments` are those of a header."""
        out: list[Edit] = []
        behind: list[str] = []
        for argument in (*arguments, *block.arguments):
            value = self.by_start.get(self.stream.starts[argument.name.token], -1)
            if value not in self.numbers:
                continue
            layout = self.first.get(self.numbers[value], "")
            if argument.type_text:
                span = self._span(argument.type_first, argument.type_last)
                out.append(Edit(span, self._type(value, layout)))
            behind += self._conversions(value)
        if behind and block.ops:
            start = self.stream.starts[block.ops[0].first]
            line = self.graph.module.source.text.rfind("\n", 0, start) + 1
            indent = self.graph.module.source.text[line:start]
            out.append(Edit(Span(start, start), "".join(f"{text}\n{indent}" for text in behind)))
        return out

    def _span(self, first: int, last: int) -> Span:
        return Span(self.stream.starts[first], self.stream.end(last - 1))

    def _indent(self, node: OpNode) -> str:
        start = self.stream.starts[node.op.first]
        line = self.graph.module.source.text[self.graph.module.source.text.rfind("\n", 0, start) + 1 : start]
        return line if not line.strip() else ""
