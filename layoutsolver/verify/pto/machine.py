"""Runs functions of `pto` programs: blocks, branches, loops, calls and scalars; vectors are left to a unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, cast

from layoutsolver.graph.model import Function, Graph, OpNode
from layoutsolver.mlir.tree import Block, Region
from layoutsolver.ops.assembly import skip_bracket
from layoutsolver.ops.loose import bind_loose
from layoutsolver.verify.operation import CannotRunError, Operation, decode
from layoutsolver.verify.pto.around import run_around
from layoutsolver.verify.pto.ram import Ram
from layoutsolver.verify.pto.unknown import run_unknown_cast
from layoutsolver.verify.pto.values import Get, PtoValue
from layoutsolver.verify.pto.views import run_view
from layoutsolver.verify.scalars import run_scalar
from layoutsolver.verify.turns import turns_of
from layoutsolver.verify.values import Scalar, Value, integer
from layoutsolver_models.hardware.html import facts_html

MOST_STEPS = 200_000
"""Operations that a run executes at most."""

_TERMINATORS = frozenset({
    "func.return", "return", "scf.yield", "scf.condition", "cf.br", "cf.cond_br", "cf.switch", "pto.yield",
})  # fmt: skip
_SCOPES = frozenset({
    "pto.vecscope", "pto.strict_vecscope", "scf.execute_region", "pto.section.vector", "pto.fusion_region",
})  # fmt: skip


class PtoUnit(Protocol):
    """What runs vector operations on one representation of vectors."""

    ram: Ram

    def run(self, op: Operation, get: Get) -> list[PtoValue]:
        """The results of an operation. Raises CannotRunError for one that is not known, and HardwareFault."""


@dataclass(slots=True)
class Ending:
    """How a block ended: its last operation, and the values that it hands on."""

    node: OpNode
    values: list[PtoValue]


@dataclass(slots=True)
class Machine:
    """A run of a program: `current` is the operation that runs; `watch` is told of every operation that has run."""

    graph: Graph
    unit: PtoUnit
    watch: Callable[[OpNode, Get, list[PtoValue]], None] | None = None
    steps: int = 0
    current: int = -1
    nodes: dict[int, OpNode] = field(default_factory=dict)
    decoded: dict[int, Operation] = field(default_factory=dict)
    defined_at: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.nodes = {id(node.op): node for node in self.graph.ops}
        self.defined_at = {value.span.start: value.index for value in self.graph.values if value.op < 0}

    def _repr_html_(self) -> str:
        """What notebooks show: how far the run is."""
        at = self.graph.ops[self.current].name if self.current >= 0 else "nothing has run"
        return facts_html({"operations run": self.steps, "at": at})

    def run_function(self, function: Function, arguments: list[PtoValue]) -> list[PtoValue]:
        """What a function returns. Raises CannotRunError and HardwareFault."""
        node = self.graph.ops[function.op]
        env: dict[int, PtoValue] = dict(zip(function.arguments, arguments, strict=True))
        ending = self.run_region(node, node.op.regions[0], env, [])
        return [] if ending is None else ending.values

    # -- regions ----------------------------------------------------------------------------------------------

    def run_region(
        self, node: OpNode, region: Region, env: dict[int, PtoValue], arguments: list[PtoValue]
    ) -> Ending | None:
        """Run the blocks of a region from its first on, whose arguments (those in the region's text) are given."""
        if not region.blocks:
            return None
        labels = {block.label: block for block in region.blocks if block.label}
        block: Block = region.blocks[0]
        self.enter(block, env, arguments)
        while True:
            ending = self.run_block(block, env)
            if ending is None or ending.node.name not in ("cf.br", "cf.cond_br", "cf.switch"):
                return ending
            label, given = self.successor(ending.node, env)
            if label not in labels:
                raise CannotRunError(ending.node.index, f"`{ending.node.name}` leads to `{label}`, which is not here")
            block = labels[label]
            self.enter(block, env, given)

    def enter(self, block: Block, env: dict[int, PtoValue], given: list[PtoValue]) -> None:
        """Give the arguments of a block their values."""
        for argument, value in zip(block.arguments, given, strict=False):
            env[self.argument(argument.name.token)] = value

    def argument(self, token: int) -> int:
        """The graph value that a block argument's token defines."""
        return self.defined_at[self.graph.module.stream.starts[token]]

    def run_block(self, block: Block, env: dict[int, PtoValue]) -> Ending | None:
        """Run the operations of a block; how it ended, None without a terminator."""
        for op in block.ops:
            node = self.nodes[id(op)]
            if node.name in _TERMINATORS:
                self.count(node)
                handed = node.operands if node.name != "scf.condition" else node.operands[1:]
                return Ending(node, [self.value(node, env, value) for value in handed])
            self.step(node, env)
        return None

    def value(self, node: OpNode, env: dict[int, PtoValue], value: int) -> PtoValue:
        """What a value holds. Raises CannotRunError where it was never made."""
        if value not in env:
            raise CannotRunError(node.index, f"`{node.name}` reads a value that no operation has made")
        return env[value]

    def count(self, node: OpNode) -> None:
        """Count an operation. Raises CannotRunError for one too many."""
        self.steps += 1
        self.current = node.index
        if self.steps > MOST_STEPS:
            raise CannotRunError(node.index, f"the program runs more than {MOST_STEPS} operations")

    def step(self, node: OpNode, env: dict[int, PtoValue]) -> None:
        """Run one operation and note its results."""
        self.count(node)
        control = _CONTROL.get(node.name)
        if control is not None:
            control(self, node, env)
            return
        if node.name in _SCOPES:
            given = [self.value(node, env, value) for value in node.operands]
            self.note(node, env, self.run_region(node, node.op.regions[0], env, given) if node.op.regions else None)
            return
        if node.name in ("func.call", "call"):
            results = self.call(node, env)
        else:
            op = self.decoded.get(node.index)
            if op is None:
                op = self.decoded[node.index] = _decoded(self.graph, node)
            results = self.results(op, lambda value: self.value(node, env, value))
        for value, result in zip(node.results, results, strict=False):
            env[value] = result
        if self.watch is not None:
            self.watch(node, lambda value: self.value(node, env, value), results)

    def results(self, op: Operation, get: Get) -> list[PtoValue]:
        """The results of an operation without regions."""
        found = run_around(op, get, self.unit.ram)
        if found is not None:
            return found
        found = run_view(op, get)
        if found is None:
            found = run_unknown_cast(op, get)
        if found is not None:
            return found
        if op.node.name.startswith("pto."):
            return self.unit.run(op, get)
        if op.node.name == "arith.select" and len(op.node.operands) == 3:
            condition = get(op.node.operands[0])
            if isinstance(condition, Scalar) and condition.defined:
                return [get(op.node.operands[1 if condition.bits else 2])]
        scalar = run_scalar(op, cast(Callable[[int], Value], get))
        if scalar is None:
            raise CannotRunError(op.node.index, f"what `{op.node.name}` does is not known here")
        return cast(list[PtoValue], scalar)

    # -- control flow -----------------------------------------------------------------------------------------

    def note(self, node: OpNode, env: dict[int, PtoValue], ending: Ending | None) -> None:
        """Take what a region yields as the results of its operation."""
        if ending is not None:
            for result, value in zip(node.results, ending.values, strict=False):
                env[result] = value

    def number(self, node: OpNode, env: dict[int, PtoValue], value: int) -> int:
        """The number that control flow depends on. Raises CannotRunError where it is not defined."""
        held = self.value(node, env, value)
        if not isinstance(held, Scalar) or not held.defined:
            raise CannotRunError(node.index, f"`{node.name}` depends on a value that is not defined")
        return held.signed

    def loop(self, node: OpNode, env: dict[int, PtoValue]) -> None:
        """Run an `scf.for`."""
        loop, type_, numbers = turns_of(self.graph, node, lambda bound: self.number(node, env, bound))
        held = [self.value(node, env, init) for init, _, _, _ in loop.carried]
        for number in numbers:
            env[loop.induction] = integer(type_, number)
            for (_, argument, _, _), value in zip(loop.carried, held, strict=True):
                env[argument] = value
            ending = self.run_region(node, node.op.regions[0], env, [])
            if ending is not None:
                held = ending.values
        for (_, _, _, result), value in zip(loop.carried, held, strict=True):
            env[result] = value

    def branch(self, node: OpNode, env: dict[int, PtoValue]) -> None:
        """Run one side of an `scf.if`."""
        taken = 0 if self.number(node, env, node.operands[0]) else 1
        if taken < len(node.op.regions):
            self.note(node, env, self.run_region(node, node.op.regions[taken], env, []))

    def repeat(self, node: OpNode, env: dict[int, PtoValue]) -> None:
        """Run an `scf.while`: the first region tells whether to go on, the second makes the next values."""
        if len(node.op.regions) != 2:
            raise CannotRunError(node.index, f"`scf.while` has {len(node.op.regions)} regions, not two")
        held = [self.value(node, env, value) for value in node.operands]
        first = [self.argument(argument.name.token) for argument in bind_loose(node.op).arguments]
        while True:
            self.count(node)
            env.update(zip(first, held, strict=False))
            ending = self.run_region(node, node.op.regions[0], env, held)
            if ending is None or ending.node.name != "scf.condition":
                raise CannotRunError(node.index, "the first region of this loop does not end in `scf.condition`")
            if not self.number(ending.node, env, ending.node.operands[0]):
                self.note(node, env, ending)
                return
            after = self.run_region(node, node.op.regions[1], env, ending.values)
            held = [] if after is None else after.values

    def switch(self, node: OpNode, env: dict[int, PtoValue]) -> None:
        """Run the region of an `scf.index_switch` that its number selects."""
        texts = node.op.stream.texts
        number = self.number(node, env, node.operands[0])
        cases: list[int] = []
        for token in node.op.body_tokens():
            if texts[token] == "case":
                negative = texts[token + 1] == "-"
                cases.append(int(texts[token + 1 + negative]) * (-1 if negative else 1))
        regions = node.op.regions
        if len(regions) != len(cases) + 1:
            raise CannotRunError(node.index, f"`scf.index_switch` has {len(cases)} cases and {len(regions)} regions")
        taken = cases.index(number) if number in cases else len(cases)
        self.note(node, env, self.run_region(node, regions[taken], env, []))

    def successor(self, node: OpNode, env: dict[int, PtoValue]) -> tuple[str, list[PtoValue]]:
        """The label that a branch goes to, and the values that it hands on."""
        texts, last = node.op.stream.texts, node.op.last
        by_token = dict(zip(node.operand_tokens, node.operands, strict=True))
        found: list[tuple[str, list[PtoValue]]] = []
        cases: list[int | None] = []
        for at in range(node.op.name_token + 1, last):
            if texts[at][:1] != "^":
                continue
            end = skip_bracket(texts, at + 1, last) if at + 1 < last and texts[at + 1] == "(" else at + 1
            given = [self.value(node, env, by_token[k]) for k in range(at + 1, end) if k in by_token]
            found.append((texts[at], given))
            word = texts[at - 2] if texts[at - 1] == ":" else ""
            cases.append(int(word) * (-1 if texts[at - 3] == "-" else 1) if word.isdigit() else None)
        if node.name == "cf.br" and len(found) == 1:
            return found[0]
        if node.name == "cf.cond_br" and len(found) == 2:
            return found[0 if self.number(node, env, node.operands[0]) else 1]
        if node.name == "cf.switch" and found:
            number = self.number(node, env, node.operands[0])
            return found[cases.index(number) if number in cases else cases.index(None)]
        raise CannotRunError(node.index, f"`{node.name}` has {len(found)} successors")

    def call(self, node: OpNode, env: dict[int, PtoValue]) -> list[PtoValue]:
        """Run a function of the module. Raises CannotRunError for another one."""
        symbol = self.graph.calls.get(node.index, "")
        function = self.graph.function_by_symbol().get(symbol)
        if function is None or not function.has_body:
            raise CannotRunError(node.index, f"`{symbol}` has no body in this file, so what it does is not known")
        return self.run_function(function, [self.value(node, env, value) for value in node.operands])


_CONTROL: dict[str, Callable[[Machine, OpNode, dict[int, PtoValue]], None]] = {
    "scf.for": Machine.loop, "scf.if": Machine.branch, "scf.while": Machine.repeat, "scf.index_switch": Machine.switch,
}  # fmt: skip


def _decoded(graph: Graph, node: OpNode) -> Operation:
    """An operation under its plain name, the strings among its attributes without their quotes."""
    made = decode(graph, node)
    attrs = {name: text.strip('"') for name, text in made.attrs.items()}
    return Operation(graph, node, node.name.removeprefix("pto.").removeprefix("vmi."), attrs, made.roles)
