"""Module -> Graph: names are resolved, operands get their roles, values their types, loops and calls their ties."""

from __future__ import annotations

import re

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.aggregates import member_path, member_type
from layoutsolver.graph.counts import count_faults
from layoutsolver.graph.loops import ForHeader, read_for, trip_count
from layoutsolver.graph.model import Function, Graph, Loop, OpNode, Value
from layoutsolver.graph.names import unknown_name, with_definition
from layoutsolver.mlir.lexer import is_number
from layoutsolver.mlir.syntax import full_name
from layoutsolver.mlir.tree import Argument, Block, Module, Op, Region
from layoutsolver.mlir.types import OtherType, ScalarType, Type, VectorType, parse_type
from layoutsolver.ops.assembly import Mismatch, bind, skip_bracket
from layoutsolver.ops.dialects import Unknown, unknown_operation
from layoutsolver.ops.loose import bind_loose
from layoutsolver.ops.registry import ON_DEMAND, all_specs, find_spec
from layoutsolver.ops.spec import OpSpec
from layoutsolver.source import Span

MOST_RUNS = 10**9
"""Operations that run more often count as running so often: costs stay within what solvers compute exactly."""

ASSUMED_TRIP_COUNT = 16
"""How often a loop with unknown bounds is taken to run, where the caller does not say."""

_ALIAS = re.compile(r"[#!](?:[A-Za-z_$][\w$.\-]*|[0-9]+)")
_ALIAS_DEPTH = 16
_LONGEST_TYPE = 10_000
_LONGEST_NUMBER = 20

_ISOLATED = frozenset({"func.func", "builtin.module", "llvm.func", "gpu.func", "gpu.module"})


def build_graph(module: Module, assumed_trip_count: int = ASSUMED_TRIP_COUNT) -> tuple[Graph, list[Diagnostic]]:
    """The dataflow graph of a module, and what is wrong with its names and types.

    An operation whose text departs from its form is reported and bound loosely, so that the rest can be analysed.
    """
    builder = _Builder(module, assumed_trip_count)
    builder.enter_ops(module.ops, -1, -1, 1)
    builder.check_names()
    builder.diagnostics += count_faults(builder.graph)
    builder.explain_undefined()
    return builder.graph, builder.diagnostics


class _Builder:
    def __init__(self, module: Module, assumed_trip_count: int) -> None:
        self.module = module
        self.source = module.source
        self.texts = module.stream.texts
        self.graph = Graph(module)
        self.assumed = assumed_trip_count
        self.diagnostics: list[Diagnostic] = []
        self.unresolved: list[tuple[int, str]] = []
        self.names: dict[str, int] = {}
        self.pending: list[list[tuple[int, int, str]]] = []
        self.specs = all_specs()
        self.aliases = module.aliases
        self.resolved: dict[str, str] = {}
        self.doubts: dict[str, Unknown | None] = {}

    # -- messages ---------------------------------------------------------------------------------------------

    def report(self, code: str, message: str, span: Span, *related: tuple[Span, str]) -> None:
        labels = tuple(Label(self.source, other, text) for other, text in related)
        self.diagnostics.append(Diagnostic(code, "error", message, Label(self.source, span), labels))

    def check_names(self) -> None:
        """Report operations that their dialects do not have, or seem not to have."""
        for node in self.graph.ops:
            unknown = self.unknown(node)
            if unknown is not None:
                self.diagnostics.append(unknown_name(self.source, node, unknown))

    def unknown(self, node: OpNode) -> Unknown | None:
        """What is wrong with the name of an operation."""
        if node.spec is not None and node.spec.assembly:
            return None
        if node.name not in self.doubts:
            self.doubts[node.name] = unknown_operation(node.name)
        return self.doubts[node.name]

    # -- values -----------------------------------------------------------------------------------------------

    def type_of(self, text: str) -> Type:
        return parse_type(self.without_aliases(text) if self.aliases and ("#" in text or "!" in text) else text)

    def without_aliases(self, text: str) -> str:
        """The text with its aliases replaced by what they stand for; unchanged where they refer to each other."""
        known = self.resolved.get(text)
        if known is not None:
            return known
        aliases, out = self.aliases, text
        for _ in range(_ALIAS_DEPTH):
            before = out
            out = _ALIAS.sub(lambda match: aliases.get(match.group(), match.group()), before)
            if out == before:
                self.resolved[text] = out
                return out
            if len(out) > _LONGEST_TYPE:
                break
        self.resolved[text] = text
        return text

    def define(self, name: str, type_: Type, span: Span, op: int, number: int = 0) -> int:
        graph = self.graph
        index = len(graph.values)
        graph.values.append(Value(index, name, type_, span, op, number))
        graph.users.append([])
        return index

    def bind_name(self, name: str, index: int, scope: list[str]) -> bool:
        """Let a name stand for a value up to the end of the scope; False, and a message, if it is taken."""
        earlier = self.names.get(name)
        if earlier is not None:
            self.report(
                "LS0202", f"redefinition of `{name}`", self.graph.values[index].span,
                (self.graph.values[earlier].span, "first defined here"),
            )  # fmt: skip
            return False
        self.names[name] = index
        scope.append(name)
        return True

    # -- structure --------------------------------------------------------------------------------------------

    def enter_ops(self, ops: list[Op], parent: int, function: int, weight: int, scope: list[str] | None = None) -> None:
        own = scope is None
        names: list[str] = [] if scope is None else scope
        for op in ops:
            self.enter_op(op, parent, function, weight, names)
        if own:
            self.leave(names)

    def leave(self, names: list[str]) -> None:
        for name in names:
            del self.names[name]

    def enter_op(self, op: Op, parent: int, function: int, weight: int, scope: list[str]) -> None:
        graph = self.graph
        name = full_name(op.name)
        spec = self.specs.get(name) or (find_spec(name) if name.startswith(ON_DEMAND) else None)
        node = OpNode(len(graph.ops), op, name, spec, parent, function, weight)
        graph.ops.append(node)
        header = read_for(op) if name == "scf.for" else None
        arguments = self.bind_operands(node, header)
        self.define_results(node, scope)
        if name == "func.func":
            self.enter_function(node)
        elif header is not None:
            self.enter_for(node, header, arguments)
        elif op.regions:
            saved = self.isolate(name)
            for region in op.regions:
                self.enter_region(node, region, function, weight, arguments if region is op.regions[0] else [])
            if saved is not None:
                self.names = saved
        elif name == "func.call":
            self.note_call(node)
        elif name == "arith.constant":
            self.note_constant(node)
        if name in ("func.return", "return") and function >= 0:
            graph.functions[function].returns.append(node.index)
        if name == "scf.yield" and parent >= 0 and graph.ops[parent].name == "scf.if":
            graph.branches.setdefault(parent, []).append(node.index)

    def isolate(self, name: str) -> dict[str, int] | None:
        if name not in _ISOLATED:
            return None
        saved, self.names = self.names, {}
        return saved

    def enter_region(
        self, node: OpNode, region: Region, function: int, weight: int, arguments: list[Argument]
    ) -> list[int]:
        """Enter a region's blocks; the values of `arguments`, which the operation's header introduces."""
        scope: list[str] = []
        values = [self.define_argument(argument, scope) for argument in arguments]
        if node.name == "scf.while":
            for value, operand in zip(values, node.operands, strict=False):
                self.graph.values[value].type = self.graph.values[operand].type if operand >= 0 else OtherType("")
        several = len(region.blocks) > 1
        if several:
            self.pending.append([])
        # What a loop has behind its first block belongs to its first region.
        number = next((place for place, other in enumerate(node.op.regions) if other is region), 0)
        for block in region.blocks:
            named = [self.define_argument(argument, scope) for argument in block.arguments]
            own = [*values, *named] if block is region.blocks[0] else named
            if own:
                self.graph.arguments.setdefault(node.index, []).append((number, block.label, own))
            values.extend(named)
            self.enter_ops(block.ops, node.index, function, weight, scope)
        if several:
            for op, operand, name in self.pending.pop():
                self.resolve_late(op, operand, name)
        self.leave(scope)
        return values

    def define_argument(self, argument: Argument, scope: list[str]) -> int:
        token = argument.name.token
        span = Span(self.module.stream.starts[token], self.module.stream.end(token))
        index = self.define(argument.name.text, self.type_of(argument.type_text), span, -1)
        self.bind_name(argument.name.text, index, scope)
        return index

    def enter_function(self, node: OpNode) -> None:
        op = node.op
        symbol = self.first_symbol(op)
        private = self.texts[op.name_token + 1] == "private"
        if op.is_generic:
            symbol = plain_symbol("@" + _generic_string(op, "sym_name")) or symbol
            private = _generic_string(op, "sym_visibility") == '"private"'
        has_body = any(block.ops or block.arguments for region in op.regions for block in region.blocks)
        function = Function(node.index, symbol, [], has_body or (bool(op.regions) and not op.is_generic), private)
        number = len(self.graph.functions)
        self.graph.functions.append(function)
        saved, self.names = self.names, {}
        arguments = [] if op.is_generic else bind_loose(op).arguments
        for region in op.regions[:1]:
            values = self.enter_region(node, region, number, node.weight, arguments)
            entry = region.blocks[0].arguments if region.blocks else []
            function.arguments = values[: len(arguments) + len(entry)]
        for region in op.regions[1:]:
            self.enter_region(node, region, number, node.weight, [])
        self.names = saved

    def enter_for(self, node: OpNode, header: ForHeader, arguments: list[Argument]) -> None:
        op, graph = node.op, self.graph
        bounds = tuple(node.operands[:3])
        count = trip_count([graph.constants.get(bound) for bound in bounds])
        weight = min(node.weight * (self.assumed if count is None else count), MOST_RUNS)
        values: list[int] = []
        if op.regions:
            scope: list[str] = []
            block = op.regions[0].blocks[0] if op.regions[0].blocks else Block(0, "")
            inits = node.operands[3:]
            for position, argument in enumerate([*arguments, *block.arguments]):
                index = self.define_argument(argument, scope)
                if not argument.type_text and position == 0:
                    lower = bounds[0] if bounds else -1
                    graph.values[index].type = graph.values[lower].type if lower >= 0 else parse_type("index")
                elif not argument.type_text and position <= len(inits):
                    graph.values[index].type = self.carried_type(node, position - 1, inits[position - 1])
                values.append(index)
            self.enter_ops(block.ops, node.index, node.function, weight, scope)
            self.leave(scope)
            self.tie_loop(node, header, values, bounds, count)
            for other in _other_regions(op):
                self.enter_region(node, other, node.function, weight, [])
            return
        self.tie_loop(node, header, values, bounds, count)

    def carried_type(self, node: OpNode, number: int, init: int) -> Type:
        if number < len(node.results):
            return self.graph.values[node.results[number]].type
        return self.graph.values[init].type if init >= 0 else OtherType("")

    def tie_loop(
        self, node: OpNode, header: ForHeader, values: list[int], bounds: tuple[int, ...], count: int | None
    ) -> None:
        graph = self.graph
        if len(bounds) != 3:
            has = f"{len(bounds)} of its 3 bounds: a lower bound, an upper bound and a step"
            self.report("LS0205", f"`scf.for` has {has}", node.span)
        for bound in bounds:
            known = graph.values[bound].type if bound >= 0 else OtherType("")
            if not isinstance(known, ScalarType | OtherType):
                self.report("LS0203", f"`scf.for` has a bound of type `{known.text}`, which is no number", node.span)
        step = graph.constants.get(bounds[2]) if len(bounds) == 3 else None
        if step is not None and step <= 0:
            self.report_step(node, bounds[2], step)
        inits, iter_args = node.operands[3:], values[1:]
        last = next((op for op in reversed(graph.ops[node.index + 1 :]) if op.parent == node.index), None)
        ending = last if last is not None and last.name == "scf.yield" else None
        yielded = ending.operands if ending is not None else []
        for what, found in (
            ("iter_args", len(iter_args)),
            ("results", len(node.results)),
            ("yielded values", len(yielded)),
        ):
            if found != len(inits):
                self.report("LS0205", f"`scf.for` has {len(inits)} initial values but {found} {what}", node.span)
        if ending is None:
            yielded = [-1] * len(inits)
        carried = list(zip(inits, iter_args, yielded, node.results, strict=False))
        for init, iter_arg, value, _ in carried:
            for other, what in ((init, "initial value"), (value, "yielded value")):
                self.check_same(other, iter_arg, node, what)
        graph.loops[node.index] = Loop(node.index, values[0] if values else -1, bounds, carried, count)

    def report_step(self, node: OpNode, bound: int, step: int) -> None:
        """Report a loop that does not step upwards."""
        value = self.graph.values[bound]
        what = "never ends" if not step else "steps upwards alone"
        self.report(
            "LS0210", f"`scf.for` has the step {step}, and a loop that steps by {step} {what}",
            node.op.token_span(node.operand_tokens[2]), (value.span, f"`{value.name}` is {step}"),
        )  # fmt: skip

    def check_same(self, value: int, carried: int, node: OpNode, what: str) -> None:
        if value < 0:
            return
        mine, theirs = self.graph.values[value].type, self.graph.values[carried].type
        if mine.text and theirs.text and not same_type(mine, theirs):
            self.report(
                "LS0203", f"the {what} of `{self.graph.values[carried].name}` has type `{mine.text}`, "
                f"but the loop carries `{theirs.text}`", node.span,
                (self.graph.values[value].span, f"`{self.graph.values[value].name}` is defined here"),
            )  # fmt: skip

    # -- operands and results ---------------------------------------------------------------------------------

    def bind_operands(self, node: OpNode, header: ForHeader | None) -> list[Argument]:
        """Fill in operands, roles and types; the arguments that the header introduces."""
        op, spec, departs = node.op, node.spec, False
        if node.name == "func.func" and not op.is_generic:
            return []
        if header is not None:
            node.result_type_texts = list(header.result_types)
            self.use_all(node, header.operands, "operands")
            return header.arguments
        if spec is not None and spec.assembly:
            bound = bind(op, spec)
            departs = isinstance(bound, Mismatch)
            if isinstance(bound, Mismatch):
                self.report_mismatch(node, bound)
            else:
                node.types, node.enums = bound.types, bound.enums
                node.attrs, node.attrs_at = bound.attrs, bound.attrs_at
                if op.is_generic:
                    node.operand_type_texts, node.result_type_texts = bound.operand_types, list(bound.result_types)
                for role, token in bound.operands:
                    self.use(node, token, role)
                self.check_operand_types(node)
                return []
        loose = bind_loose(op)
        unknown = self.unknown(node)
        if unknown is not None and unknown.is_error:  # what its types mean is not known either
            self.use_all(node, loose.operands, "operands")
            return loose.arguments
        node.result_type_texts = loose.result_types
        node.operand_type_texts = loose.operand_types
        if loose.mismatch is not None and not departs:
            self.report_mismatch(node, loose.mismatch)
        used = [argument for argument in loose.arguments if self.is_use(node, argument)]
        self.use_all(node, sorted([*loose.operands, *(argument.name.token for argument in used)]), "operands")
        if loose.operand_types is not None and not departs:
            for number, type_text in enumerate(loose.operand_types[: len(node.operands)]):
                self.check_type(node, number, type_text.text)
        return [argument for argument in loose.arguments if argument not in used]

    def is_use(self, node: OpNode, argument: Argument) -> bool:
        """Whether `(%a: type` in front of a region is a use: it is if the name is visible, for nothing may hide it."""
        return bool(argument.type_text) and node.name not in _ISOLATED and self.lookup(argument.name.text) is not None

    def use_all(self, node: OpNode, tokens: list[int], role: str) -> None:
        for token in tokens:
            self.use(node, token, role)

    def report_mismatch(self, node: OpNode, mismatch: Mismatch) -> None:
        stream = self.module.stream
        token = mismatch.token
        if token >= node.op.last:
            end = stream.end(node.op.last - 1)
            span, found = Span(max(end - 1, 0), end), "the operation ends"
        else:
            span, found = Span(stream.starts[token], stream.end(token)), f"found `{self.texts[token]}`"
        code = "LS0005" if token >= node.op.last else "LS0004"
        self.report(
            code,
            f"`{node.name}`: expected {mismatch.expected}, {found}",
            span,
            (node.span, "in this operation"),
        )

    def use(self, node: OpNode, token: int, role: str) -> None:
        text = self.texts[token]
        value = self.lookup(text)
        operand = len(node.operands)
        if value is None:
            if self.pending:
                self.pending[-1].append((node.index, operand, text))
            else:
                self.undefined(text, token)
            value = -1
        else:
            self.graph.users[value].append((node.index, operand))
        node.operands.append(value)
        node.operand_tokens.append(token)
        node.roles.append(role)

    def lookup(self, text: str) -> int | None:
        value = self.names.get(text)
        if value is None and text.endswith("#0"):
            return self.names.get(text[:-2])
        return value

    def undefined(self, text: str, token: int) -> None:
        span = Span(self.module.stream.starts[token], self.module.stream.end(token))
        self.unresolved.append((len(self.diagnostics), text))
        self.report("LS0201", f"`{text}` is used but not defined", span)

    def explain_undefined(self) -> None:
        """Add to each undefined name where a value of that name, or of a similar one, is defined after all."""
        values = {value.name: value for value in reversed(self.graph.values) if value.name} if self.unresolved else {}
        for index, name in self.unresolved:
            self.diagnostics[index] = with_definition(self.diagnostics[index], self.source, name, values)

    def resolve_late(self, op: int, operand: int, name: str) -> None:
        node = self.graph.ops[op]
        value = self.lookup(name)
        if value is not None:
            node.operands[operand] = value
            self.graph.users[value].append((op, operand))
        elif self.pending:
            self.pending[-1].append((op, operand, name))
        else:
            self.undefined(name, node.operand_tokens[operand])

    def check_operand_types(self, node: OpNode) -> None:
        for number, role in enumerate(node.roles):
            printed = node.operand_type_texts[number] if node.operand_type_texts is not None else node.types.get(role)
            if printed is not None:
                self.check_type(node, number, printed.text)

    def check_type(self, node: OpNode, number: int, text: str) -> None:
        """Report operand `number` if its value has another type than the text says."""
        value = node.operands[number]
        if value < 0:
            return
        known = self.graph.values[value]
        if not known.type.text:
            known.type = self.type_of(text)  # its own operation does not tell: the first use does
            return
        if known.type.text == text or "<" in (text[0], known.type.text[0]):
            return
        if not same_type(self.type_of(text), known.type):
            token = node.operand_tokens[number]
            span = Span(self.module.stream.starts[token], self.module.stream.end(token))
            self.report(
                "LS0203", f"`{known.name}` is used as `{text}` but has type `{known.type.text}`", span,
                (known.span, "defined here"),
            )  # fmt: skip

    def define_results(self, node: OpNode, scope: list[str]) -> None:
        op = node.op
        number = 0
        for name in op.results:
            span = op.token_span(name.token)
            fresh = True
            for part in range(name.count):
                text = name.text if name.count == 1 else f"{name.text}#{part}"
                index = self.define(text, self.result_type(node, number), span, node.index, number)
                node.results.append(index)
                number += 1
                if part == 0:
                    fresh = self.bind_name(name.text, index, scope)
                if name.count > 1 and fresh:
                    self.names[text] = index
                    scope.append(text)
        for part in range(number, self.result_count(node)):
            node.results.append(self.define("", self.result_type(node, part), node.span, node.index, part))
        self.check_result_count(node, number)

    def check_result_count(self, node: OpNode, named: int) -> None:
        """Report results that the operation does not have, or that its text does not name."""
        spec = node.spec
        if node.op.is_generic and node.operand_type_texts is not None and spec is not None and spec.assembly:
            typed, needed = len(node.result_type_texts), sum(1 for role in spec.results if not role.optional)
            if not _any_number(spec) and not needed <= typed <= len(spec.results):
                has = f"{needed} result{'s' * (needed != 1)}"
                self.report("LS0205", f"`{node.name}` has {has}, its type has {typed}", node.span)
                return
        if not named:
            return
        fewest, most = named, named
        if spec is not None and spec.assembly and node.types and not _any_number(spec):
            fewest, most = sum(1 for role in spec.results if not role.optional), len(spec.results)
        elif spec is not None and not spec.assembly and not spec.results:
            fewest = most = 0
        elif node.op.is_generic and node.operand_type_texts is not None:
            fewest = most = len(node.result_type_texts)
        if not fewest <= named <= most:
            has = f"{fewest} result{'s' * (fewest != 1)}"
            first, last = node.op.results[0].token, node.op.results[-1].token
            span = Span(self.module.stream.starts[first], self.module.stream.end(last))
            self.report("LS0205", f"`{node.name}` has {has}, {named} {'is' if named == 1 else 'are'} named", span)

    def result_count(self, node: OpNode) -> int:
        """How many results the operation has, named or not, as far as its text tells."""
        spec = node.spec
        if spec is not None and spec.assembly and not _any_number(spec):
            return sum(1 for role in spec.results if not role.optional or role.name in node.types)
        if node.name == "scf.for" or node.op.is_generic:
            return len(node.result_type_texts)
        return 0

    def result_type(self, node: OpNode, number: int) -> Type:
        spec = node.spec
        if spec is not None and spec.assembly and not _any_number(spec) and number < len(spec.results):
            role = spec.results[number].name
            printed = node.types.get(role)
            if printed is None and role in spec.result_types:
                source = spec.result_types[role]
                printed = node.types.get(source)
            if printed is not None:
                return self.type_of(printed.text)
            return parse_type("index") if role == "new_true_shape" else OtherType("")
        if number < len(node.result_type_texts):
            text = node.result_type_texts[number]
            if text is not None and node.name == "llvm.extractvalue":
                return parse_type(member_type(self.without_aliases(text.text), member_path(node.op)))
            if text is not None:
                return _adjust(node.name, self.type_of(text.text))
        return OtherType("")

    # -- calls and constants ----------------------------------------------------------------------------------

    def note_call(self, node: OpNode) -> None:
        self.graph.calls[node.index] = self.first_symbol(node.op)

    def first_symbol(self, op: Op) -> str:
        return plain_symbol(next((self.texts[token] for token in op.body_tokens() if self.texts[token][0] == "@"), ""))

    def note_constant(self, node: OpNode) -> None:
        op, texts = node.op, self.texts
        if not node.results:
            return
        at = op.name_token + 1
        if op.is_generic:
            at = next((index + 2 for index in op.body_tokens() if texts[index].strip('"') == "value"), op.last)
        elif texts[at] == "{":
            at = skip_bracket(texts, at, op.last)
        sign = 1
        if at < op.last and texts[at] == "-":
            sign, at = -1, at + 1
        if at < op.last and is_number(texts[at]) and len(texts[at]) <= _LONGEST_NUMBER:
            self.graph.constants[node.results[0]] = sign * int(texts[at])
        elif at < op.last and texts[at] in ("true", "false"):
            value = self.graph.values[node.results[0]]
            value.type = value.type if value.type.text else parse_type("i1")


def _any_number(spec: OpSpec) -> bool:
    """Whether an operation has as many results as its types say."""
    return any(role.variadic for role in spec.results)


def _other_regions(op: Op) -> list[Region]:
    """What a loop has besides the first block of its first region, which only broken text does."""
    first = op.regions[0]
    rest = [Region(first.first, first.blocks[1:], first.last)] if len(first.blocks) > 1 else []
    return rest + op.regions[1:]


def _generic_string(op: Op, attribute: str) -> str:
    """The string, quotes included, that an attribute of an operation in the generic form has; empty without it."""
    texts = op.stream.texts
    for token in op.body_tokens():
        if texts[token].strip('"') == attribute and texts[token + 1] == "=":
            return texts[token + 2]
    return ""


def plain_symbol(symbol: str) -> str:
    """A symbol without the quotes that it does not need; empty for a lone `@`.

    >>> plain_symbol('@"f"'), plain_symbol('@"a b"'), plain_symbol("@g")
    ('@f', '@"a b"', '@g')
    """
    quoted = re.fullmatch(r'@"([A-Za-z_][\w$.]*)"', symbol)
    return f"@{quoted.group(1)}" if quoted else symbol.removesuffix("@") if len(symbol) < 2 else symbol


def _adjust(name: str, type_: Type) -> Type:
    """The result type of the few operations that print an operand's type instead."""
    if name in ("arith.cmpi", "arith.cmpf", "llvm.icmp", "llvm.fcmp"):
        if isinstance(type_, VectorType):
            dims = "".join(f"{dim}x" for dim in type_.shape)
            return parse_type(f"vector<{dims}i1>")
        return parse_type("i1")
    if name in ("memref.load", "affine.load", "memref.dim") and type_.text.startswith("memref"):
        element = getattr(type_, "element", None)
        return element if name != "memref.dim" and element is not None else parse_type("index")
    return type_


def same_type(left: Type, right: Type) -> bool:
    """Whether two types are equal but for white space and the layout of a vector."""
    if left.text == right.text or "<" in (left.text[:1], right.text[:1]):
        return True
    if isinstance(left, VectorType) and isinstance(right, VectorType):
        return left.shape == right.shape and left.element.text == right.element.text
    return "".join(left.text.split()) == "".join(right.text.split())
