"""Graph to problem: the variants of every operation, the joins of control flow, and the conversions of every value."""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph
from layoutsolver.ops.registry import pto_specs
from layoutsolver.ops.spec import Effect
from layoutsolver.pose.vmi.conversions import conversions_of, layout_names
from layoutsolver.pose.vmi.ports import split_mask_layout
from layoutsolver.pose.vmi.reasons import reasons_of
from layoutsolver.pose.vmi.savings import savings_of
from layoutsolver.pose.vmi.setups import Setups
from layoutsolver.pose.vmi.slotted import slotted
from layoutsolver.pose.vmi.unneeded import unneeded_faults
from layoutsolver.pose.vmi.variants import BOUNDED, PIPES, Found, Refusal, variants_of
from layoutsolver.source import Span
from layoutsolver.vmi.attribute_types import attribute_type_faults
from layoutsolver.vmi.canonical import PREFIX, canonical_program
from layoutsolver.vmi.check import check_types, kind_of_message, replaced_faults
from layoutsolver.vmi.memory_contract import extent_faults
from layoutsolver.vmi.program import VmiOp, VmiProgram, VmiValue
from layoutsolver.vmi.runs import calls_of
from layoutsolver.vmi.simplify import needed
from layoutsolver_models.problems.layout import Where
from layoutsolver_models.problems.selection import (
    OBJECTIVES,
    SelectionOp,
    SelectionProblem,
    SelectionValue,
    ValueConversion,
    Variant,
)
from layoutsolver_models.rules.vmi.flow import BOUNDARY
from layoutsolver_models.rules.vmi.layouts import arity, layout_of
from layoutsolver_models.targets.chip import RegisterLimits

if TYPE_CHECKING:
    from layoutsolver.pose.vmi.capacity import RegisterPoints

NUMBERS = frozenset({"constant", "broadcast", "create_mask", "create_group_mask", "constant_mask"})
"""Operations that make a value of numbers: what layout it is asked for in does not bind others that use it."""


class PosedVmi(NamedTuple):
    """A selection problem with its program.

    Operations of the problem are those of the program (`op_of[k]` its number), then joins (`join_of[k]`), then what
    callers bring and take; -1 where operation k is none. `refused[k]` are the rules that operation k cannot use.
    `registers` are those that the answer must keep within, None if any number will do; `points` are then those at which
    they are live.
    """

    program: VmiProgram
    problem: SelectionProblem
    op_of: list[int]
    join_of: list[int]
    refused: list[tuple[Refusal, ...]]
    diagnostics: list[Diagnostic]
    registers: RegisterLimits | None = None
    points: RegisterPoints | None = None


def pose_vmi(graph: Graph, objective: str = "pipes", released: bool = False) -> PosedVmi:
    """The problem of a program, with a diagnostic for every operation that has no variant at all.

    With `released`, what the released compiler can carry out, by its own instructions.
    """
    refused = [*check_types(graph), *attribute_type_faults(graph), *extent_faults(graph)]
    if any(item.code == "LS0807" or kind_of_message(item.message) == "VERIFIER" for item in refused):
        nothing = SelectionProblem(PIPES, BOUNDED, (), ())  # what operations lack would follow from the faults
        return PosedVmi(VmiProgram(graph, [], [], [], [], [], {}), nothing, [], [], [], refused)
    program, diagnostics = canonical_program(graph, released)
    refused += _others(replaced_faults(program), refused)
    whole, program = program, needed(program)
    diagnostics = [*refused, *diagnostics, *unneeded_faults(whole, program, released)]
    poser = _Poser(program, diagnostics, released)
    poser.pose()
    values = tuple(poser.value(value) for value in program.values)
    problem = SelectionProblem(
        PIPES, BOUNDED, values, tuple(poser.ops), tuple(poser.conversions()), poser.pins(), (), OBJECTIVES[objective],
        savings=() if released else savings_of(program, poser.ops, poser.op_of),
    )  # fmt: skip
    said = [*refused, *_others(diagnostics[len(refused) :], refused)]
    return PosedVmi(program, problem, poser.op_of, poser.join_of, poser.refused, said)


def _others(found: list[Diagnostic], said: list[Diagnostic]) -> list[Diagnostic]:
    """Those of some messages that are of operations of which nothing has been said."""
    blamed = {item.primary.span for item in said if item.primary is not None}
    return [item for item in found if item.primary is None or item.primary.span not in blamed]


class _Poser:
    def __init__(self, program: VmiProgram, diagnostics: list[Diagnostic], released: bool) -> None:
        self.program = program
        self.released = released
        self.source = program.graph.module.source
        self.diagnostics = diagnostics
        self.ops: list[SelectionOp] = []
        self.op_of: list[int] = []
        self.join_of: list[int] = []
        self.refused: list[tuple[Refusal, ...]] = []
        self.slotted = slotted(program)

    def pose(self) -> None:
        specs = pto_specs()
        known: dict[Hashable, Found] = {}
        times = [*calls_of(self.program.graph), 1]  # the last one for what stands in no function
        setups = Setups(self.program)
        for op in self.program.ops:
            spec = specs.get(PREFIX + op.op)
            vectors, results = op.vectors(), op.results
            if spec is None or not (vectors or results):
                continue
            variants, refused = variants_of(self.program, op, spec.rule, known, self.released)
            node = self.program.graph.ops[op.origin]
            variants = tuple(_set_up(setups.named(op, one), times[node.function]) for one in self.stated(op, variants))
            if not variants:
                self.no_variant(op, refused)
            copies = spec.effect in (Effect.PURE, Effect.READ) and bool(results)
            self.add(
                f"{op.op} at {self.place(op.origin)}", tuple(value.number for value in vectors.values()),
                tuple(value.number for value in results.values()), variants, op.weight, copies,
                self.where(node.span.start, node.span.end), refused, op.number, -1,
            )  # fmt: skip
        for number, join in enumerate(self.program.joins):
            first = self.program.values[join.targets[0]]
            width = len(join.sources) + len(join.targets)
            free = tuple(Variant(join.tie, (name,) * width, (0,) * len(PIPES)) for name in self.names(first))
            node = self.program.graph.ops[join.origin]
            self.add(
                f"{node.name} at {self.place(join.origin)}", join.sources, join.targets, free, 1, False,
                self.where(node.span.start, node.span.end), (), -1, number,
            )  # fmt: skip
        for value in dict.fromkeys(self.program.arguments):
            self.cross((value,), True)
        for together in _overlapping(self.program.returned):
            self.cross(together, False)

    def cross(self, values: tuple[int, ...], brought: bool) -> None:
        """Let values cross the boundary of a function, in one layout."""
        allowed = [self.at_boundary(value, brought) for value in values]
        names = max(allowed, key=len)
        for value, some in zip(values, allowed, strict=True):
            if self.program.values[value].layout:
                names = tuple(name for name in names if name in some)
        rule = "VMI.BOUNDARY" if len(values) == 1 else "VMI.TIE.RETURN"
        free = tuple(Variant(rule, (name,) * len(values), (0,) * len(PIPES)) for name in names)
        taken, made = ((), values) if brought else (values, ())
        self.add("boundary", taken, made, free, 1, False, None, (), -1, -1)

    def at_boundary(self, number: int, brought: bool) -> tuple[str, ...]:
        """The layouts that a caller may bring a value in, or get it: contiguous, unless nothing can do with that."""
        value = self.program.values[number]
        names = self.names(value)
        dense = tuple(name for name in names if name.split()[-1] == BOUNDARY)
        if value.layout or not dense:
            return tuple(name for name in names if name.split()[-1] == value.layout) or names
        ways = {(way.before, way.after) for way in conversions_of(value)}
        for op in self.ops:
            ports = op.operands if brought else op.results
            first = 0 if brought else len(op.operands)
            for place, other in enumerate(ports):
                if other != number:
                    continue
                asked = {variant.layouts[first + place] for variant in op.variants}
                reached = {pair[1 if brought else 0] for pair in ways if pair[0 if brought else 1] in dense}
                if not asked & {*dense, *reached}:
                    return names
        return dense

    def add(
        self,
        name: str,
        operands: tuple[int, ...],
        results: tuple[int, ...],
        variants: tuple[Variant, ...],
        weight: int,
        copies: bool,
        where: Where | None,
        refused: tuple[Refusal, ...],
        op: int,
        join: int,
    ) -> None:
        self.ops.append(SelectionOp(name, operands, results, variants, weight, copies, where))
        self.op_of.append(op)
        self.join_of.append(join)
        self.refused.append(refused)

    def place(self, op: int) -> str:
        line, _ = self.source.line_column(self.program.graph.ops[op].span.start)
        return f"line {line}"

    def where(self, start: int, end: int) -> Where:
        return Where(start, end, *self.source.line_column(start))

    def stated(self, op: VmiOp, variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
        """Those variants that give masks the widths that their types state."""
        values = (*op.vectors().values(), *op.results.values())
        if not any(value.is_mask and value.bits for value in values):
            return variants
        names = [self.names(value) for value in values]
        return tuple(
            variant
            for variant in variants
            if all(layout in known for layout, known in zip(variant.layouts, names, strict=True))
        )

    def no_variant(self, op: VmiOp, refused: tuple[Refusal, ...]) -> None:
        node = self.program.graph.ops[op.origin]
        notes = tuple(f"{', '.join(rules)}: {reason}" for reason, rules in reasons_of(op, refused).items())
        message = f"VMI-UNSUPPORTED: no layout serves `{op.op}` here"
        self.diagnostics.append(Diagnostic("LS0802", "error", message, Label(self.source, node.span), notes=notes[:12]))

    # -- values -----------------------------------------------------------------------------------------------

    def names(self, value: VmiValue) -> tuple[str, ...]:
        """The layouts of a value that its shape permits."""
        return shape_layouts(value.is_mask, value.lanes, value.bits)[0]

    def value(self, value: VmiValue) -> SelectionValue:
        names, registers = shape_layouts(value.is_mask, value.lanes, value.bits)
        where = None
        if value.graph_value >= 0:
            span = self.program.graph.values[value.graph_value].span
            where = self.where(span.start, span.end)
        return SelectionValue(value.name, names, registers, where)

    def conversions(self) -> list[ValueConversion]:
        tied = self.tied()
        return [
            ValueConversion(value.number, way.before, way.after, way.cost, value.weight, " ".join(way.rules))
            for value in self.program.values
            if value.number not in tied
            for way in conversions_of(value, self.released, value.number in self.slotted)
        ]

    def tied(self) -> set[int]:
        """Values on the way to the result of one operation of the text, whose types must agree."""
        graph = self.program.graph
        ways = (op for op in self.program.ops if op.row and graph.ops[op.origin].results)
        return {value.number for op in ways for value in op.results.values() if value.graph_value < 0}

    def pins(self) -> tuple[tuple[int, str], ...]:
        """The layouts that types carry."""
        made: dict[int, set[str]] = {}
        numbers: set[int] = set()
        for op, origin in zip(self.ops, self.op_of, strict=True):
            for place, value in enumerate(op.results, len(op.operands)):
                made.setdefault(value, set()).update(variant.layouts[place] for variant in op.variants)
                if origin >= 0 and self.program.ops[origin].op in NUMBERS:
                    numbers.add(value)
        out: list[tuple[int, str]] = []
        for shown in self.program.values:
            layout = f"b{shown.bits} {shown.layout}" if shown.is_mask else shown.layout
            ways = made.get(shown.number)
            if not shown.layout or not ways or shown.number in numbers:
                continue
            if layout in ways:
                out.append((shown.number, layout))
            elif not any(
                way.before in ways and way.after == layout
                for way in conversions_of(shown, slots=shown.number in self.slotted)
            ):
                self.not_made(shown)
        return tuple(out)

    def not_made(self, value: VmiValue) -> None:
        """Say that nothing makes a value in the layout that its type carries, and why."""
        graph = self.program.graph
        known = graph.values[value.graph_value] if value.graph_value >= 0 else None
        span = Span(0, 0) if known is None else graph.ops[known.op].span if known.op >= 0 else known.span
        written = f"#pto.vmi.layout<{layout_of(value.layout, value.lanes)}>"
        message = f"VMI-LAYOUT-CONTRACT: `{value.name}` is not made in the layout that its type carries, `{written}`"
        notes: list[str] = []
        for number, op in enumerate(self.ops):
            if value.number not in op.results:
                continue
            place = len(op.operands) + op.results.index(value.number)
            made = ", ".join(dict.fromkeys(variant.layouts[place] for variant in op.variants))
            notes.append(f"`{op.id.partition(' ')[0]}` makes it in {made}, and no conversion leads to {value.layout}")
            ending = f"{value.layout.upper()}"
            reasons = (
                reasons_of(self.program.ops[self.op_of[number]], self.refused[number])
                if self.op_of[number] >= 0
                else {}
            )
            notes += [
                f"not {rule}: {reason}" for reason, rules in reasons.items() for rule in rules
                if re.search(rf"[._]{re.escape(ending)}$", rule)
            ]  # fmt: skip
        self.diagnostics.append(Diagnostic("LS0802", "error", message, Label(self.source, span), notes=tuple(notes)))


def _set_up(variant: Variant, times: int) -> Variant:
    """A variant whose setup stands in a function that runs so often."""
    if times == 1:
        return variant
    setups = tuple(setup._replace(cost=tuple(times * one for one in setup.cost)) for setup in variant.setups)
    return variant._replace(once=tuple(times * one for one in variant.once), setups=setups)


def _overlapping(groups: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The groups, those that share a member made one.

    >>> _overlapping([(0, 1), (2, 3), (3, 4), (5, 5)])
    [(0, 1), (2, 3, 4), (5,)]
    """
    out: list[tuple[int, ...]] = []
    for group in groups:
        touching = [one for one in out if not set(one).isdisjoint(group)]
        out = [one for one in out if one not in touching]
        out.append(tuple(dict.fromkeys(number for one in (*touching, group) for number in one)))
    return out


@lru_cache(maxsize=1024)
def shape_layouts(is_mask: bool, lanes: int, bits: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The layouts that a shape permits, and the registers that it takes in each.

    >>> names, registers = shape_layouts(False, 128, 32)
    >>> registers[names.index("c")], registers[names.index("d4")]
    (2, 4)
    """
    counts = {name: _registers(is_mask, lanes, bits, name) for name in layout_names(is_mask, bits)}
    kept = {name: count for name, count in counts.items() if count > 0}
    return tuple(kept), tuple(kept.values())


def _registers(is_mask: bool, lanes: int, bits: int, layout: str) -> int:
    """The registers of a shape in a layout; 0 where it cannot have it."""
    width, name = split_mask_layout(layout) if is_mask else (bits, layout)
    parts = int(name[-1]) if name in ("d2", "d4") else 1
    return 0 if lanes < parts else arity(layout_of(name, lanes), width, lanes)
