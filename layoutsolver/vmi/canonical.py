"""From the graph to a program in canonical form: surface operations replaced by what their rows say.

Source: the rows of `layoutsolver.ops.vmi_canonical`; the two rewrites in front of the assignment of layouts, section
1.5.
"""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import PointerType, VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import ScalarType
from layoutsolver.ops.attributes import attributes
from layoutsolver.ops.vmi_canonical import ADDED, BETWEEN, CANONICAL, DROPPING, Canonical, CanonicalStep, predicate
from layoutsolver.vmi.joins import joins_of
from layoutsolver.vmi.masks import is_full
from layoutsolver.vmi.predicated import predicated, without_idle_masks
from layoutsolver.vmi.program import Constant, Operand, Outside, StepScalar, VmiOp, VmiProgram, VmiValue
from layoutsolver.vmi.runs import runs_of
from layoutsolver.vmi.simplify import renumbered, simplified
from layoutsolver_models.rules.expression import Fact, evaluate, holds
from layoutsolver_models.rules.vmi.layouts import name_of

PREFIX = "pto.vmi."
_NUMBERS = frozenset({"num_groups", "group", "group_size"})


def kind_of(element: str) -> str:
    """What the elements of a type are: `float`, `si`, `ui` or `i` (signless).

    >>> [kind_of(name) for name in ("bf16", "!pto.f4E2M1x2", "si8", "i32")]
    ['float', 'float', 'si', 'i']
    """
    if element[:2] in ("si", "ui"):
        return element[:2]
    return "i" if element[:1] == "i" and element[1:].isdigit() else "float"


def canonical_program(graph: Graph, released: bool = False) -> tuple[VmiProgram, list[Diagnostic]]:
    """The simplified program of a graph, and a diagnostic for every operation that has no canonical form.

    With `released`, arithmetic loses its masks, as it does in the released compiler.
    """
    program, diagnostics = _replaced(graph, released)
    program = simplified(program)
    return program if released else simplified(without_idle_masks(program)), diagnostics


def unsimplified_program(graph: Graph) -> VmiProgram:
    """The program of a graph in which nothing is merged, moved or left out; values have the numbers of the other."""
    return _replaced(graph, released=False)[0]


def _replaced(graph: Graph, released: bool) -> tuple[VmiProgram, list[Diagnostic]]:
    builder = _Builder(graph, released)
    builder.build()
    program, diagnostics = builder.program, builder.diagnostics
    if released:
        return _with_narrowed(program), diagnostics
    for op in program.ops:
        if op.row in DROPPING:
            program.ops[op.number] = _with_dropped(program, op, DROPPING[op.row])
    return _with_narrowed(predicated(program)), diagnostics


def _with_dropped(program: VmiProgram, op: VmiOp, role: str) -> VmiOp:
    """An operation with the operand that its row drops."""
    node = program.graph.ops[op.origin]
    value = node.operands[node.roles.index(role)]
    return op._replace(operands={**op.operands, role: program.values[program.by_graph_value[value]]})


def _with_narrowed(program: VmiProgram) -> VmiProgram:
    """The program with a truncation in front of every store of words, one for each group, into memory of bytes."""
    if not any(_narrows(program, op) for op in program.ops):
        return program
    values, ops = list(program.values), []
    for op in program.ops:
        element = _narrows(program, op)
        if element is not None:
            wide = op.vectors()["value"]
            bits = element.bits or 0
            narrow = wide._replace(
                number=len(values), name=f"{wide.name}.low", element=element.text, bits=bits, layout="", graph_value=-1
            )
            values.append(narrow)
            ops.append(op._replace(op="trunci", operands={"source": wide}, results={"result": narrow},
                                   attrs={"saturate": "NOSAT"}, number=len(program.ops) + len(values)))  # fmt: skip
            op = op._replace(operands={**op.operands, "value": narrow})
        ops.append(op)
    return renumbered(program._replace(values=values), ops)


def _narrows(program: VmiProgram, op: VmiOp) -> ScalarType | None:
    """The type of the bytes into which an operation stores the lowest ones of its words, None if it does not."""
    value, base = op.operands.get("value"), op.operands.get("destination")
    if op.op != "group_store" or not isinstance(value, VmiValue) or not isinstance(base, Outside):
        return None
    type_ = program.graph.values[base.value].type
    element = type_.element if isinstance(type_, PointerType) else None
    whole = isinstance(element, ScalarType) and not element.is_float and kind_of(value.element) != "float"
    return element if isinstance(element, ScalarType) and whole and (element.bits, value.bits) == (8, 32) else None


def as_canonical(graph: Graph) -> tuple[VmiProgram, list[Diagnostic]]:
    """The program of a graph operation by operation, as the rows of the released compiler have it."""
    builder = _Builder(graph, released=True)
    builder.build()
    return builder.program, builder.diagnostics


class _Builder:
    def __init__(self, graph: Graph, released: bool) -> None:
        self.graph = graph
        self.runs = runs_of(graph)
        self.released = released
        self.program = VmiProgram(graph, [], [], [], [], [], {})
        self.diagnostics: list[Diagnostic] = []
        self.rows: dict[str, list[Canonical]] = {}
        for row in CANONICAL if released else (*CANONICAL, *ADDED):
            self.rows.setdefault(row.surface, []).append(row)

    def build(self) -> None:
        weights = self._weights()
        for number, value in enumerate(self.graph.values):
            if isinstance(value.type, VmiVectorType | VmiMaskType):
                self._enter(number, weights[number])
        for node in self.graph.ops:
            if node.name.startswith(PREFIX):
                self._add(node)
        joins_of(self.program)

    def _weights(self) -> list[int]:
        """How often the place of every value runs."""
        graph = self.graph
        out = [self.runs[value.op] if value.op >= 0 else 1 for value in graph.values]
        inside: dict[int, int] = {}
        for node in graph.ops:
            inside[node.parent] = max(inside.get(node.parent, 0), self.runs[node.index])
        for index, blocks in graph.arguments.items():
            for _, _, arguments in blocks:
                for argument in arguments:
                    out[argument] = inside.get(index, self.runs[index])
        for loop in graph.loops.values():
            for _, iter_arg, _, _ in loop.carried:
                out[iter_arg] = inside.get(loop.op, 1)
        return out

    def _enter(self, index: int, weight: int) -> VmiValue:
        value = self.graph.values[index]
        type_ = value.type
        assert isinstance(type_, VmiVectorType | VmiMaskType)
        is_mask = isinstance(type_, VmiMaskType)
        element = "" if isinstance(type_, VmiMaskType) else type_.element.text
        layout = "" if type_.layout is None else name_of(type_.layout) or str(type_.layout)
        made = VmiValue(
            len(self.program.values), value.name, is_mask, type_.lanes, element, type_.bits or 0, layout, -1, weight,
            index,
        )  # fmt: skip
        self.program.values.append(made)
        self.program.by_graph_value[index] = made.number
        return made

    # -- operations -------------------------------------------------------------------------------------------

    def _add(self, node: OpNode) -> None:
        name = node.name.removeprefix(PREFIX)
        if node.spec is None:
            return  # said where names are checked
        operands = self._operands(node)
        results = self._results(node)
        attrs = {key: text.strip('"') for key, text in attributes(node).items()}
        if name == "shuffle" and "indices" not in attrs:
            text = node.op.stream.range_text(node.op.name_token + 1, node.op.last)
            attrs["indices"] = text.partition("[[")[2].partition("]]")[0]
        canonical = node.spec.rule != "-"
        if attrs.get("pmode") == "merge" and not (canonical and self.released):
            self._refuse(node, "LS0302", f'VMI-UNSUPPORTED: `{node.name}` has no layout rule with `pmode = "merge"`')
            return
        if canonical:
            self._put(name, operands, dict(results), _typed(attrs), node, "")
            return
        facts = self._facts(node, operands, results, attrs)
        row = next((row for row in self.rows.get(name, []) if holds(row.when, facts)), None)
        if row is None:
            message = f"VMI-UNSUPPORTED: `{node.name}` has no layout rule in this form and with these types"
            self._refuse(node, "LS0302", message)
            return
        between: dict[str, Operand] = {}
        for step in row.steps:
            self._step(step, row, node, operands, results, between, facts)
        if attrs.get("pmode") == "zero" and "mask" in operands and "source" in operands and "result" in results:
            self._zero(node, operands, results["result"])

    def _operands(self, node: OpNode) -> dict[str, Operand]:
        out: dict[str, Operand] = {}
        for number, (role, value) in enumerate(zip(node.roles, node.operands, strict=True)):
            name = role if role not in out else f"{role}.{number}"
            known = self.program.by_graph_value.get(value)
            out[name] = Outside(value) if known is None else self.program.values[known]
        return out

    def _results(self, node: OpNode) -> dict[str, VmiValue]:
        assert node.spec is not None
        roles = [role.name for role in node.spec.results]
        out: dict[str, VmiValue] = {}
        for number, value in enumerate(node.results):
            known = self.program.by_graph_value.get(value)
            role = roles[min(number, len(roles) - 1)]
            if known is not None:
                out[role if role not in out else f"{role}.{number}"] = self.program.values[known]
        return out

    def _facts(
        self, node: OpNode, operands: dict[str, Operand], results: dict[str, VmiValue], attrs: dict[str, str]
    ) -> dict[str, Fact]:
        vectors = [operand for operand in operands.values() if isinstance(operand, VmiValue)]
        data = [value for value in vectors if not value.is_mask]
        made = next(iter(results.values()), None)
        source = data[0] if data else made
        shown = made if made is not None and not made.is_mask else source
        main = made or source
        mask = operands.get("seed") or operands.get("mask")
        element = source.element if source is not None else ""
        to = shown.element if shown is not None else ""
        return {
            "N": main.lanes if main is not None else 0,
            "N_src": source.lanes if source is not None else 0,
            "kind": kind_of(element), "to": kind_of(to),
            "W": source.bits if source is not None else 0, "W_to": shown.bits if shown is not None else 0,
            "element": to, "dist": attrs.get("dist_mode", "continuous"), "group": int(attrs.get("group", "0")),
            "pmode": attrs.get("pmode", ""),
            "strides": sum(role.startswith(("stride", "block_stride", "repeat_stride")) for role in operands),
            "masked": "mask" in operands, "on_masks": bool(vectors) and not data,
            "slots": isinstance(operands.get("value"), VmiValue),
            "lies": made is not None and made.layout != "" and (self.released or made.layout[:2] != "gs"),
            "full_seed": isinstance(mask, VmiValue) and is_full(self.program, mask),
            "pattern": attrs.get("pattern", ""), "order": attrs.get("order", ""),
            "rounding": attrs.get("rounding", ""), "saturate": attrs.get("saturate", ""),
            "reassoc": "unit" if "reassoc" in attrs else "",
            "predicate": predicate(attrs["cmp"], kind_of(element)) if "cmp" in attrs else "",
        }  # fmt: skip

    def _step(
        self,
        step: CanonicalStep,
        row: Canonical,
        node: OpNode,
        operands: dict[str, Operand],
        results: dict[str, VmiValue],
        between: dict[str, Operand],
        facts: dict[str, Fact],
    ) -> None:
        spec = self.step_roles(step.op)
        taken: dict[str, Operand] = {}
        for number, name in enumerate(step.operands):
            operand = self._operand(name, operands, between, facts)
            if operand is not None:
                taken[spec[0][number] if number < len(spec[0]) else f"operand.{number}"] = operand
        made: dict[str, VmiValue] = {}
        scalars: list[str] = []
        for number, name in enumerate(step.results):
            role = spec[1][number] if number < len(spec[1]) else name
            if name in results:
                made[role] = results[name]
            elif BETWEEN.get(name) == "index" or name not in BETWEEN:
                scalars.append(name)
            else:
                made[role] = self._between(name, node, operands, results, facts)
                between[name] = made[role]
        attrs: dict[str, int | str] = {}
        for name, text in step.attrs:
            value = evaluate(text, facts)
            if isinstance(value, int | str) and value != "":
                attrs[name] = value
        op = self._put(step.op, taken, made, attrs, node, row.id)
        for name in scalars:
            between[name] = StepScalar(op.number, name)
        for name, value in made.items():
            known = next((key for key, result in results.items() if result.number == value.number), None)
            if known is not None:
                results[known] = self.program.values[value.number]
            elif name in between:
                between[name] = self.program.values[value.number]

    def step_roles(self, op: str) -> tuple[list[str], list[str]]:
        """The roles of a canonical operation, operands first."""
        from layoutsolver.ops.registry import pto_specs

        spec = pto_specs().get(PREFIX + op)
        if spec is None:
            return [], []
        return [role.name for role in spec.operands], [role.name for role in spec.results]

    def _operand(
        self, name: str, operands: dict[str, Operand], between: dict[str, Operand], facts: dict[str, Fact]
    ) -> Operand | None:
        if name == "#lanes":
            return Constant(int(str(facts["N"])))
        if name == "#pattern":
            return Constant(int(str(facts["pattern"]).removeprefix("PAT_VL")))
        if name.startswith("#"):
            return Constant(int(name[1:]))
        return between.get(name) or operands.get(name)

    def _between(
        self,
        name: str,
        node: OpNode,
        operands: dict[str, Operand],
        results: dict[str, VmiValue],
        facts: dict[str, Fact],
    ) -> VmiValue:
        """A value that the text does not name, of the type that `BETWEEN` says."""
        what = BETWEEN[name]
        number = len(self.program.values)
        lanes = int(str(facts["N"]))
        if what == "mask of N":
            made = VmiValue(number, f"%{name}", True, lanes, "", 0, "", -1, self.runs[node.index], -1)
        else:
            data = [value for value in operands.values() if isinstance(value, VmiValue) and not value.is_mask]
            like = data[0] if what == "source" else next(iter(results.values()))
            element = like.element
            if what == "unsigned result":
                element = f"ui{like.bits}"
            elif what == "i16 result":
                element = "i16"
            bits = 0 if like.is_mask else like.bits
            runs = self.runs[node.index]
            made = VmiValue(number, f"%{name}", like.is_mask, like.lanes, element, bits, "", -1, runs, -1)
        self.program.values.append(made)
        return made

    def _zero(self, node: OpNode, operands: dict[str, Operand], result: VmiValue) -> None:
        """Zeroing of a unary operation: what it makes is selected against zeros."""
        last = self.program.ops[result.op]
        raw = result._replace(number=len(self.program.values), name=f"{result.name}.all", graph_value=-1)
        zero = raw._replace(number=raw.number + 1, name="%zero")
        self.program.values.extend((raw, zero))
        self.program.ops[result.op] = last._replace(results={**last.results, "result": raw})
        self._put("constant", {}, {"result": zero}, {"value": 0}, node, "VMI.CANON.ZERO")
        taken: dict[str, Operand] = {"mask": operands["mask"], "true_value": raw, "false_value": zero}
        self._put("select", taken, {"result": result}, {}, node, "VMI.CANON.ZERO")

    def _put(
        self,
        op: str,
        operands: dict[str, Operand],
        results: dict[str, VmiValue],
        attrs: dict[str, int | str],
        node: OpNode,
        row: str,
    ) -> VmiOp:
        number = len(self.program.ops)
        made = {role: value._replace(op=number) for role, value in results.items()}
        for value in made.values():
            self.program.values[value.number] = value
        held = {
            role: self.program.values[operand.number] if isinstance(operand, VmiValue) else operand
            for role, operand in operands.items()
        }
        added = VmiOp(number, op, held, made, attrs, node.index, self.runs[node.index], row, node.index)
        self.program.ops.append(added)
        return added

    def _refuse(self, node: OpNode, code: str, message: str) -> None:
        self.diagnostics.append(Diagnostic(code, "error", message, Label(self.graph.module.source, node.span)))


def _typed(attrs: dict[str, str]) -> dict[str, int | str]:
    """Attributes with their numbers as numbers."""
    return {
        name: int(text) if name in _NUMBERS and text.lstrip("-").isdigit() else text for name, text in attrs.items()
    }
