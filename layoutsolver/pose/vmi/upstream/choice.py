"""The released compiler's layouts as a choice of the selection problem, so that both are paid in the same coin."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.ops.spec import Effect
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.pose.vmi.upstream.merge import effect
from layoutsolver.pose.vmi.upstream.net import Net, Node, Val
from layoutsolver.pose.vmi.upstream.rows import layout_name
from layoutsolver.pose.vmi.upstream.verdict import ENSURES
from layoutsolver.vmi.predicated import PREDICATED
from layoutsolver.vmi.program import VmiOp, VmiValue
from layoutsolver_models.problems.selection import faults


class Choice(NamedTuple):
    """The variants of every operation and the conversions, or why the layouts are no choice of the problem."""

    variants: tuple[tuple[int, ...], ...] = ()
    conversions: tuple[int, ...] = ()
    missing: str = ""


def choice_of(posed: PosedVmi, net: Net) -> Choice:
    """The choice that a net stands for."""
    reader = _Reader(posed)
    return reader.read(net)


class _Reader:
    def __init__(self, posed: PosedVmi) -> None:
        self.posed = posed
        self.program = posed.program
        self.makers: dict[int, int] = {}
        self.place: dict[int, int] = {number: place for place, number in enumerate(posed.op_of) if number >= 0}
        self.by_origin: dict[tuple[int, str], VmiOp] = {}
        self.named: dict[str, list[VmiOp]] = {}
        for op in self.program.ops:
            self.named.setdefault(op.op, []).append(op)
            for value in op.results.values():
                self.makers[value.number] = op.number
            if not op.results:
                self.by_origin[op.origin, op.op] = op
        self.known: dict[int, int] = {}
        self.layouts: dict[int, str] = {}
        self.chosen: list[dict[int, None]] = [{} for _ in posed.problem.ops]
        self.taken: dict[int, None] = {}
        self.governing: list[tuple[int, str]] = []
        self.ways: dict[tuple[int, str, str], int] = {}
        for number, way in enumerate(posed.problem.conversions):
            self.ways.setdefault((way.value, way.before, way.after), number)

    def read(self, net: Net) -> Choice:
        nodes = net.walk()
        for node in nodes:
            missing = self.take(node)
            if missing:
                return Choice(missing=missing)
        for node in nodes:
            missing = self.convert(node)
            if missing:
                return Choice(missing=missing)
        missing = self.govern() or self.join()
        variants = tuple(tuple(chosen) for chosen in self.chosen)
        found = Choice(variants, tuple(self.taken), missing)
        wrong = faults(self.posed.problem, found.variants, found.conversions)
        return found._replace(missing=found.missing or (wrong[0] if wrong else ""))

    def value(self, val: Val) -> int:
        """The problem's value that one of the net stands for, -1 if there is none."""
        number = val.number
        if number in self.known:
            return self.known[number]
        if number in self.makers:
            return number
        if val.graph_value >= 0:
            return self.program.by_graph_value.get(val.graph_value, -1)
        return -1

    def take(self, node: Node) -> str:
        """Take the variants of an operation; why that cannot be, empty if it can."""
        for val in (*(one for body in node.bodies for one in body.arguments), *node.results):
            if "." in node.name or node.bodies:
                self.layouts.setdefault(self.value(val), layout_name(val))
        if "." in node.name or node.name in ENSURES or not (node.uses or node.results):
            return ""
        op = self.op(node)
        if op is None:
            return "" if effect(node) is Effect.PURE else f"{node.name} is no operation of the problem"
        place = self.place.get(op.number)
        if place is None:
            return f"{node.name} has no variants"
        ports = [*(use.value for use in node.uses), *node.results]
        mask = _given_back(op, node)
        at = list(op.vectors()).index("mask") if mask is not None else len(ports)
        has = tuple(layout_name(value) for value in ports[: len(op.vectors()) + len(op.results) - (mask is not None)])
        variants = self.posed.problem.ops[place].variants
        shown = [variant.layouts[:at] + variant.layouts[at + 1 :] for variant in variants]
        number = next((number for number, layouts in enumerate(shown) if layouts == has), None)
        if number is None:
            return f"{self.posed.problem.ops[place].id} has no variant {', '.join(has)}"
        self.chosen[place].setdefault(number)
        if mask is not None:
            self.governing.append((mask.number, variants[number].layouts[at]))
        return ""

    def govern(self) -> str:
        """Take what makes masks that the compiler drops, in the layouts of what they govern."""
        for value, layout in self.governing:
            place = self.place.get(self.makers.get(value, -1))
            if place is not None and self.posed.problem.ops[place].operands == ():
                variants = self.posed.problem.ops[place].variants
                number = next((at for at, variant in enumerate(variants) if variant.layouts[-1] == layout), None)
                if number is None:
                    return f"{self.posed.problem.ops[place].id} has no variant {layout}"
                self.chosen[place].setdefault(number)
                continue
            before = self.made(value) or self.layouts.get(value, "")
            way = self.ways.get((value, before, layout))
            if before != layout and way is None:
                return f"there is no conversion from {before} to {layout}"
            if way is not None:
                self.taken.setdefault(way)
        return ""

    def op(self, node: Node) -> VmiOp | None:
        """The program's operation that one of the net stands for."""
        if not node.results:
            full = "store" if node.name == "masked_store" else node.name
            return self.by_origin.get((node.origin, node.name)) or self.by_origin.get((node.origin, full))
        number = self.value(node.results[0])
        if number in self.makers and self.program.ops[self.makers[number]].op == node.name:
            return self.program.ops[self.makers[number]]
        same = (op for op in self.named.get(node.name, ()) if self.is_same(op, node))
        found = next(same, None)
        if found is not None:
            for value, made in zip(node.results, found.results.values(), strict=True):
                self.known[value.number] = made.number
        return found

    def is_same(self, op: VmiOp, node: Node) -> bool:
        """Whether an operation computes what one of the net does, which has been made one with it."""
        scalars = {role: value for role, value in op.operands.items() if role not in op.vectors()}
        mask = _given_back(op, node)
        taken = [value.number for role, value in op.vectors().items() if mask is None or role != "mask"]
        shapes = [(value.lanes, value.element) for value in op.results.values()]
        return (
            scalars == node.scalars
            and taken == [self.value(use.value) for use in node.uses]
            and shapes == [(value.lanes, value.element) for value in node.results]
        )

    def convert(self, node: Node) -> str:
        """Take the conversion that an operation of the net makes, from a layout in which something makes the value."""
        if node.name not in ENSURES:
            return ""
        source = node.uses[0].value
        while source.node is not None and source.node.name in ENSURES:
            source = source.node.uses[0].value
        before, after = layout_name(source), layout_name(node.results[0])
        value = self.value(source)
        number = self.ways.get((value, before, after))
        if number is None and value < 0:
            return ""
        if number is None:
            return f"there is no conversion from {before} to {after}"
        self.taken.setdefault(number)
        return ""

    def join(self) -> str:
        """Take the variants of control flow and of what callers bring and take."""
        for place, op in enumerate(self.posed.problem.ops):
            if self.posed.op_of[place] >= 0:
                continue
            value = (op.results or op.operands)[0]
            layout = self.layouts.get(value, "")
            if not layout:
                ends = (*op.operands, *op.results)
                layout = next((found for found in map(self.made, ends) if found), "")
            number = next((number for number, one in enumerate(op.variants) if one.layouts[0] == layout), None)
            if number is None:
                return f"{op.id} has no variant {layout or '(none)'}"
            self.chosen[place].setdefault(number)
        return ""

    def made(self, value: int) -> str:
        """A layout in which an operation makes a value."""
        number = self.makers.get(value)
        if number is None:
            return ""
        place = self.place[number]
        op = self.posed.problem.ops[place]
        port = len(op.operands) + op.results.index(value)
        return next((op.variants[variant].layouts[port] for variant in self.chosen[place]), "")


def _given_back(op: VmiOp, node: Node) -> VmiValue | None:
    """The mask of an operation that the compiler drops."""
    mask = op.operands.get("mask")
    dropped = op.op in PREDICATED and isinstance(mask, VmiValue) and node.use("mask") is None
    return mask if dropped and isinstance(mask, VmiValue) else None
