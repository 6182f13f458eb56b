"""Code -> text, in the custom forms of MLIR."""

from __future__ import annotations

import re

from layoutsolver.buckyball.ir import Attr, Block, Code, Op, Value
from layoutsolver.buckyball.surround import FORMS, RESULTLESS
from layoutsolver.ops.assembly import compile_assembly
from layoutsolver.ops.registry import find_spec


def write_code(code: Code) -> str:
    """The text of a program."""
    writer = _Writer()
    depth = int(code.wrapped)
    for function in code.functions:
        writer.function(function, depth)
    lines = ["module {", *writer.lines, "}"] if code.wrapped else writer.lines
    return "\n".join([*lines, ""])


_NUMBERED = re.compile(r"(?:_\d+)+$")
"""What an earlier writing put behind a name that was taken: another one takes its place, so that names stay short."""


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[Value, str] = {}
        self.counts: dict[str, int] = {}
        self.taken: set[str] = set()

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def name(self, value: Value) -> str:
        known = self.names.get(value)
        if known is None:
            wish = re.sub(r"[^\w$.\-]", "_", value.name) or "v"
            text, base = wish, _NUMBERED.sub("", wish) or wish
            while text in self.taken or (text.isdecimal() and not value.name):
                number = self.counts.get(base, 0)
                text, self.counts[base] = f"{base}_{number}", number + 1
            self.taken.add(text)
            known = self.names[value] = f"%{text}"
        return known

    def listed(self, values: list[Value]) -> str:
        return ", ".join(self.name(value) for value in values)

    def types(self, values: list[Value]) -> str:
        return ", ".join(value.type for value in values)

    def function(self, op: Op, depth: int) -> None:
        self.names, self.taken, self.counts = {}, set(), {}
        private = "private " if op.attrs.get("private") else ""
        results = f" -> {op.text('results')}" if op.attrs.get("results") else ""
        if not op.blocks:
            self.emit(depth, f"func.func {private}{op.text('symbol')}{op.text('declared', '()')}{results}")
            return
        block = op.blocks[0]
        arguments = ", ".join(f"{self.name(value)}: {value.type}" for value in block.arguments)
        self.emit(depth, f"func.func {private}{op.text('symbol')}({arguments}){results} {{")
        self.block(block, depth + 1)
        self.emit(depth, "}")

    def block(self, block: Block, depth: int) -> None:
        for op in block.ops:
            self.op(op, depth)

    def op(self, op: Op, depth: int) -> None:
        results = f"{self.listed(op.results)} = " if op.results else ""
        spec = find_spec(op.name) if op.name.startswith(("buckyball.", "tile.")) else None
        if spec is not None:
            self.emit(depth, results + (self.generic_form(op) if spec.assembly == "generic" else self.by_row(op)))
            return
        form = FORMS[op.name]
        if form in ("for", "if", "generic"):
            {"for": self.loop, "if": self.branch, "generic": self.linalg_generic}[form](op, depth, results)
            return
        self.emit(depth, results + self.line(op, form))

    def by_row(self, op: Op) -> str:
        """An operation as the first form of its table row that has so many operands shows it."""
        spec = find_spec(op.name)
        assert spec is not None
        forms = [compile_assembly(text) for text in spec.assembly.split(" | ")]
        items = next(form for form in forms if sum(1 for item in form if item[0] == "use") == len(op.operands))
        roles = [argument for action, argument in items if action == "use"]
        operand = dict(zip(roles, op.operands, strict=True))
        words = [op.name]
        skipping = False
        for action, argument in items:
            if action in ("optional", "end"):
                skipping = action == "optional"
            elif skipping:
                continue
            elif action == "use":
                words.append(self.name(operand[argument]))
            elif action == "type":
                words.append(operand[argument].type)
            elif action == "attrs":
                words += [dictionary(op.attrs, op.name)] * bool(dictionary(op.attrs, op.name))
            elif argument == ",":
                words[-1] += ","
            else:
                words.append(argument)
        return " ".join(words)

    def generic_form(self, op: Op) -> str:
        types = self.types(op.operands)
        return f'"{op.name}"({self.listed(op.operands)}) : ({types}) -> ()'

    def line(self, op: Op, form: str) -> str:
        """An operation without regions, behind its results."""
        operands = self.listed(op.operands)
        first = op.operands[0].type if op.operands else ""
        if form == "constant":
            return f"arith.constant {_constant(op)}"
        if form in ("binary", "unary"):
            return f"{op.name} {operands} : {first}"
        if form == "cast":
            target = op.operands[1].type if op.name in RESULTLESS else op.result.type
            return f"{op.name} {operands} : {first} to {target}"
        if form == "compare":
            return f"{op.name} {op.text('predicate')}, {operands} : {first}"
        if form == "select":
            return f"{op.name} {operands} : {op.result.type}"
        if form == "alloc":
            return f"{op.name}() : {op.result.type}"
        if form == "load":
            return f"{op.name} {self.name(op.operands[0])}[{self.listed(op.operands[1:])}] : {first}"
        if form == "store":
            value, memref, *indices = op.operands
            return f"{op.name} {self.name(value)}, {self.name(memref)}[{self.listed(indices)}] : {memref.type}"
        if form == "subview":
            return self.subview(op)
        if form == "collapse":
            return f"{op.name} {operands} {_spaced(op.text('groups'))} : {first} into {op.result.type}"
        if form == "metadata":
            return f"{op.name} {operands} : {first} -> {self.types(op.results)}"
        if form == "named":
            return self.named(op)
        if form == "call":
            to = ", ".join(value.type for value in op.results)
            shown = to if len(op.results) == 1 else f"({to})"
            return f"call {op.text('callee')}({operands}) : ({self.types(op.operands)}) -> {shown}"
        assert form == "return", form
        name = op.name.removeprefix("func.")
        return f"{name} {operands} : {self.types(op.operands)}" if op.operands else name

    def subview(self, op: Op) -> str:
        dynamic = iter(op.operands[1:])
        lists = [
            "[" + ", ".join(self.name(next(dynamic)) if one is None else str(one) for one in op.listed(part)) + "]"
            for part in ("offsets", "sizes", "strides")
        ]
        source = op.operands[0]
        return f"memref.subview {self.name(source)}{' '.join(lists)} : {source.type} to {op.result.type}"

    def named(self, op: Op) -> str:
        before = ""
        shown = [(name, value) for name, value in op.attrs.items() if name not in ("inputs", "permutation")]
        if op.name.startswith("linalg.conv") and shown:
            before = " {" + ", ".join(f"{name} = {_dense(value)}" for name, value in shown) + "}"
        elif op.attrs.get("indexing_maps"):
            before = f" indexing_maps = {op.text('indexing_maps')}"
        after = ""
        if "permutation" in op.attrs:
            after = f" permutation = [{', '.join(str(one) for one in op.listed('permutation'))}]"
        return f"{op.name}{before} {self.ins_outs(op)}{after}"

    def ins_outs(self, op: Op) -> str:
        inputs, outputs = op.operands[: op.number("inputs")], op.operands[op.number("inputs") :]
        ins = f"ins({self.listed(inputs)} : {self.types(inputs)}) " if inputs else ""
        return f"{ins}outs({self.listed(outputs)} : {self.types(outputs)})"

    # -- with regions -----------------------------------------------------------------------------------------

    def loop(self, op: Op, depth: int, results: str) -> None:
        lower, upper, step, *inits = op.operands
        block = op.blocks[0]
        induction, *carried = block.arguments
        kind = f" : {induction.type}" if induction.type not in ("", "index") else ""
        arguments = ", ".join(f"{self.name(a)} = {self.name(b)}" for a, b in zip(carried, inits, strict=True))
        iter_args = f" iter_args({arguments}) -> ({self.types(op.results)})" if carried else ""
        bounds = f"{self.name(induction)} = {self.name(lower)} to {self.name(upper)} step {self.name(step)}"
        self.emit(depth, f"{results}scf.for {bounds}{iter_args}{kind} {{")
        self.block(_without_empty_yield(block), depth + 1)
        self.emit(depth, "}")

    def branch(self, op: Op, depth: int, results: str) -> None:
        types = f" -> ({self.types(op.results)})" if op.results else ""
        self.emit(depth, f"{results}scf.if {self.name(op.operands[0])}{types} {{")
        for number, block in enumerate(op.blocks):
            if number:
                self.emit(depth, "} else {")
            self.block(_without_empty_yield(block), depth + 1)
        self.emit(depth, "}")

    def linalg_generic(self, op: Op, depth: int, results: str) -> None:
        maps, iterators = _spaced(op.text("indexing_maps")), _spaced(op.text("iterator_types"))
        head = f"linalg.generic {{indexing_maps = {maps}, iterator_types = {iterators}}}"
        self.emit(depth, f"{results}{head} {self.ins_outs(op)} {{")
        block = op.blocks[0]
        arguments = ", ".join(f"{self.name(value)}: {value.type}" for value in block.arguments)
        self.emit(depth, f"^bb0({arguments}):")
        self.block(block, depth + 1)
        self.emit(depth, "}")


def _without_empty_yield(block: Block) -> Block:
    if block.ops and block.ops[-1].name == "scf.yield" and not block.ops[-1].operands:
        return Block(block.arguments, block.ops[:-1])
    return block


def dictionary(attrs: dict[str, Attr], name: str) -> str:
    """The attribute dictionary of a table operation; what is the default of an allocation is left out.

    >>> dictionary({"row": 1, "col": 4}, "buckyball.bank_alloc")
    '{col = 4 : i64}'
    """
    kind = "i32" if "funct7" in attrs else "i64"
    entries = []
    for key, value in attrs.items():
        if name == "buckyball.bank_alloc" and key in ("row", "col") and value == 1:
            continue
        shown = (
            str(value).lower() if isinstance(value, bool) else f"{value} : {kind}" if isinstance(value, int) else value
        )
        entries.append(f"{key} = {shown}")
    return f"{{{', '.join(entries)}}}" if entries else ""


def _constant(op: Op) -> str:
    value, kind = op.text("value"), op.result.type
    if kind == "i1":
        return "true" if value in ("1", "-1") else "false"
    return f"{value} : {kind}"


def _dense(value: Attr) -> str:
    if isinstance(value, tuple):
        shown = str(value[0]) if len(set(value)) == 1 else str(list(value))
        return f"dense<{shown}> : tensor<2xi64>"
    return str(value)


def _spaced(text: str) -> str:
    """A list without white space, with blanks as MLIR prints them."""
    return re.sub(r",(?=\S)", ", ", text).replace("->", " -> ")
