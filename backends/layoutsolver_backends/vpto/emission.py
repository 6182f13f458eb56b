"""From a solved program to its instructions: every operation in its variants, every conversion where its value is made.

Control flow that joins vectors makes registers and takes registers; which ones is told here, its text is rewritten in
`layoutsolver_backends.vpto.control`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.vmi.program import VmiOp, VmiValue
from layoutsolver.vmi.runs import calls_of
from layoutsolver_backends.vpto.build import Builder, UnsupportedError, vector_type
from layoutsolver_backends.vpto.code import Ssa, mask_type
from layoutsolver_backends.vpto.control import Flow
from layoutsolver_backends.vpto.convert import emit_conversion
from layoutsolver_backends.vpto.families import EMISSIONS
from layoutsolver_backends.vpto.site import Held, Site, carrier_bits, shape_of, split_mask
from layoutsolver_models.problems.selection import SelectionSolution, Variant, paid_once
from layoutsolver_models.rules.vmi.row import VmiRule
from layoutsolver_models.rules.vmi.table import RULES

UNPACK = "pto.vmi.unpack"


@dataclass(slots=True)
class Emission:
    """A program's instructions, the registers of what control flow makes, and what could not be emitted.

    `made` are the registers of values of the text; `predicted` are the owners with what the solution says they cost.
    """

    build: Builder
    flow: Flow
    made: dict[int, tuple[Ssa, ...]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    predicted: dict[str, tuple[int, ...]] = field(default_factory=dict)


def emit(posed: PosedVmi, solution: SelectionSolution) -> Emission:
    """The instructions of a solved program, nothing taken away yet."""
    emitter = _Emitter(posed, solution)
    emitter.run()
    return emitter.emission


class _Emitter:
    def __init__(self, posed: PosedVmi, solution: SelectionSolution) -> None:
        self.posed, self.solution = posed, solution
        self.program = posed.program
        self.graph: Graph = posed.program.graph
        self.build = Builder(self.program)
        self.held: Held = {}
        self.times = [*calls_of(self.graph), 1]
        made: dict[int, str] = {}
        boundary: dict[int, str] = {}
        self.chosen: dict[int, list[Variant]] = {}
        for number, (op, taken) in enumerate(zip(posed.problem.ops, solution.variants, strict=True)):
            if posed.op_of[number] >= 0:
                self.chosen[posed.op_of[number]] = [op.variants[place] for place in taken]
                continue
            layout = op.variants[taken[0]].layouts[0]
            for value in op.results:
                made[value] = layout
            if posed.join_of[number] < 0:
                boundary.update(dict.fromkeys(op.operands, layout))
        self.conversions: dict[tuple[int, str], list[int]] = {}
        for number in solution.conversions:
            way = posed.problem.conversions[number]
            self.conversions.setdefault((way.value, way.before), []).append(number)
        self.emission = Emission(self.build, Flow(self.program, made, boundary))

    # -- places -----------------------------------------------------------------------------------------------

    def run(self) -> None:
        self._rename()
        self._control()
        for op in self.program.ops:
            self._op(op)
        self._taken()

    def _rename(self) -> None:
        """Names for the scalars that operations with vectors among their results make."""
        known = self.program.by_graph_value
        taken = {value.name for value in self.graph.values}
        for node in self.graph.ops:
            if node.name.startswith("pto.vmi.") or not any(value in known for value in node.results):
                continue
            for value in node.results:
                name = self.graph.values[value].name
                if value not in known and "#" in name:
                    fresh = name.replace("#", "_s")
                    while fresh in taken:
                        fresh += "_"
                    taken.add(fresh)
                    self.build.renamed[value] = fresh

    def _control(self) -> None:
        """Registers for what control flow makes, with the conversions right behind."""
        graph = self.graph
        for node in graph.ops:
            if node.name.startswith("pto.vmi."):
                continue
            behind = self._behind(node.index)
            for value in node.results:
                self._make(value, behind, node.index)
            loop = graph.loops.get(node.index)
            if loop is not None:
                inside = self._first_in(node.index, 0, "")
                for _, iter_arg, _, _ in loop.carried:
                    self._make(iter_arg, inside, node.index)
            for region, label, arguments in graph.arguments.get(node.index, []):
                for argument in arguments:
                    self._make(argument, self._first_in(node.index, region, label), node.index)

    def _make(self, value: int, place: int, origin: int) -> None:
        number = self.program.by_graph_value.get(value)
        layout = self.emission.flow.of(value)
        if number is None or layout is None or self.program.values[number].graph_value != value:
            return
        logical = self.program.values[number]
        registers = tuple(self.build.value(type_, logical.name) for type_ in types_of(logical, layout))
        self.emission.made[value] = registers
        self.held[number, layout] = registers
        self.build.place = place
        self._convert(number, layout, origin)

    def _behind(self, index: int) -> int:
        """The place behind an operation: before the next one of its block."""
        node = self.graph.ops[index]
        for other in self.graph.ops[index + 1 :]:
            if other.parent == node.parent:
                return other.index
            if other.parent < node.parent:
                break
        return index

    def _first_in(self, parent: int, region: int, label: str) -> int:
        """The first operation of a block."""
        op = self.graph.ops[parent].op
        blocks = op.regions[region].blocks if region < len(op.regions) else []
        block = next((one for one in blocks if one.label == label), None)
        if block is None or not block.ops:
            return parent
        start = block.ops[0].first
        return next(node.index for node in self.graph.ops[parent:] if node.op.first == start)

    # -- operations -------------------------------------------------------------------------------------------

    def _op(self, op: VmiOp) -> None:
        self.build.place = op.before
        try:
            if op.op == "prefix":
                emit_prefix(self.build, op)
                return
            for number, variant in enumerate(self.chosen.get(op.number, [])):
                self._variant(op, variant, f"{op.number}.{number}")
        except UnsupportedError as error:
            self._refuse(op.origin, op.op, str(error))
        except KeyError:
            if not self.emission.diagnostics:  # otherwise what is missing has just been refused
                raise

    def _variant(self, op: VmiOp, variant: Variant, owner: str) -> None:
        rule = RULES[variant.rule]
        roles = [*op.vectors(), *op.results]
        layout = dict(zip(roles, variant.layouts, strict=True))
        site = Site(self.build, op, rule, rule.lowerings[int(variant.attrs["lowering"])], layout, self.held)
        shown = next(iter(op.results.values()), None)
        self.build.owner = owner
        self.build.hint = shown.name if shown is not None and shown.name.startswith("%") else "%t"
        times = self.times[self.graph.ops[op.origin].function]
        once = tuple(one // times for one in paid_once(variant) or (0,) * len(variant.cost))
        self.emission.predicted[owner] = tuple(a + b for a, b in zip(variant.cost, once, strict=True))
        EMISSIONS[rule.family](site)
        for role, value in op.results.items():
            self._convert(value.number, layout[role], op.origin)

    def _convert(self, number: int, layout: str, origin: int) -> None:
        """The conversions of a value that start from a layout in which it has just been made."""
        for conversion in self.conversions.pop((number, layout), []):
            way = self.posed.problem.conversions[conversion]
            value = self.program.values[number]
            owner = self.build.owner
            self.build.owner = f"conversion {conversion}"
            self.build.hint = value.name if value.name.startswith("%") else "%t"
            self.emission.predicted[self.build.owner] = way.cost
            rules: list[VmiRule] = [RULES[name] for name in way.rule.split()]
            try:
                made = emit_conversion(self.build, value, self.held[number, layout], rules, layout)
                self.held.setdefault((number, way.after), made)
            except UnsupportedError as error:
                self._refuse(origin, "conversion", str(error))
            self.build.owner = owner

    # -- what control flow takes ------------------------------------------------------------------------------

    def _taken(self) -> None:
        known = self.program.by_graph_value
        for node in self.graph.ops:
            if node.name.startswith("pto.vmi."):
                continue
            for number, value in enumerate(node.operands):
                if value not in known:
                    register = self._unpacked(value)
                    if register is not None:
                        self.build.code.taken[node.index, number] = (register,)
                    continue
                try:
                    layout = self.emission.flow.layout(node, number)
                    self.build.code.taken[node.index, number] = self.held[known[value], layout]
                except UnsupportedError as error:
                    self._refuse(node.index, node.name, str(error))
                except KeyError:
                    if not self.emission.diagnostics:
                        raise

    def _unpacked(self, value: int) -> Ssa | None:
        """The register that a value of the text is, if it was taken out of a vector."""
        op = self.graph.values[value].op
        return self.build.outside.get(value) if op >= 0 and self.graph.ops[op].name == UNPACK else None

    def _refuse(self, index: int, name: str, reason: str) -> None:
        node = self.graph.ops[index]
        label = Label(self.graph.module.source, node.span)
        message = f"`{name}` cannot be written as VPTO: {reason}"
        self.emission.diagnostics.append(Diagnostic("LS0607", "error", message, label))


def emit_prefix(build: Builder, op: VmiOp) -> None:
    """The scalars of `plt`: how many lanes are on, and how many are left for the next ones."""
    build.owner, build.hint = f"{op.number}.0", "%n"
    scalar = build.scalar(next(iter(op.operands.values())), "i32")
    build.scalars[op.number, "held"] = scalar
    lanes = build.constant(int(op.attrs["lanes"]), scalar.type)
    left = build.arith("subi", scalar, lanes)
    zero = build.constant(0, scalar.type)
    graph = build.program.graph
    node = graph.ops[op.origin]
    value = node.results[1] if len(node.results) > 1 else -1
    made = build.arith("maxsi", left, zero)
    if value >= 0:
        made = build.named(made, graph.values[value].name)
        build.outside[value] = made
    build.scalars[op.number, "scalar_out"] = made


def types_of(value: VmiValue, layout: str) -> list[str]:
    """The types of the registers of a value in a layout."""
    if value.is_mask:
        bits, name = split_mask(layout)
        return [mask_type(carrier_bits(layout))] * sum(shape_of(name, bits, value.lanes).chunks)
    return [vector_type(value)] * sum(shape_of(layout, value.bits, value.lanes).chunks)
