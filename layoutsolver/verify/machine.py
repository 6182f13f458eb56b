"""Runs functions: blocks, loops, branches, calls and scalars, which layouts do not touch.

What happens to vectors is left to a unit, of which there are two: `logical.Logical` and `physical.Physical`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from layoutsolver.graph.model import Function, Graph, OpNode
from layoutsolver.mlir.tree import Block
from layoutsolver.mlir.types import ScalarType, VectorType
from layoutsolver.verify.buffers import run_buffer
from layoutsolver.verify.constants import dense_constant
from layoutsolver.verify.llvm import AGGREGATES
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.memory import outside_results
from layoutsolver.verify.operation import INTRINSIC, CannotRunError, Get, Operation, Run, decode
from layoutsolver.verify.scalars import run_scalar
from layoutsolver.verify.turns import turns_of
from layoutsolver.verify.values import Elements, Scalar, Value, integer, resized
from layoutsolver_models.hardware.html import facts_html

MOST_STEPS = 1_000_000
"""Operations that a run executes at most."""

_IGNORED = frozenset({"annotation.mark", "vector.print", "memref.dealloc", "gpu.barrier"})
_RESHAPES = frozenset({"builtin.unrealized_conversion_cast", "vector.shape_cast", "vector.bitcast", "llvm.bitcast"})
_CONSTANTS = frozenset({"arith.constant", "llvm.mlir.constant"})


class Unit(Protocol):
    """What runs vector operations on one representation of vectors."""

    ram: LogicalMemory

    def prepare(self, op: Operation) -> Run:
        """What runs a vector operation."""

    def enter(self, value: int, elements: Elements) -> Value:
        """What holds these elements as the graph value `value`."""

    def leave(self, value: int, held: Value, type_: VectorType) -> Elements:
        """The elements that the graph value `value` holds."""

    def reshape(self, op: Operation, source: Value) -> Value:
        """The result of a cast between vectors that moves no data."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A vector that leaves the program: an argument of an unknown function, or what the entry function returns."""

    node: int
    value: int
    elements: Elements


@dataclass(slots=True)
class _Step:
    """An operation of a block: what runs it, once it is decoded, or what runs its regions."""

    node: OpNode
    results: list[int]
    control: Callable[[OpNode, dict[int, Value]], None] | None
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    """A block: the operations before its terminator, and that."""

    steps: list[_Step]
    ending: OpNode | None


@dataclass(slots=True)
class Machine:
    """Runs of a program: `passed` are the vectors that left it, in order, `current` is the operation that runs.

    `operations` may be shared by the runs of one program; `watch` is told the results of every operation.
    """

    graph: Graph
    unit: Unit
    seed: int
    passed: list[Passed] = field(default_factory=list)
    steps: int = 0
    current: int = -1
    calls: int = 0
    nodes: dict[int, OpNode] = field(default_factory=dict)
    plans: dict[int, _Plan] = field(default_factory=dict)
    operations: dict[int, Operation] = field(default_factory=dict)
    watch: Callable[[int, list[Value]], None] | None = None

    def __post_init__(self) -> None:
        self.nodes = {id(node.op): node for node in self.graph.ops}

    def begin(self) -> None:
        """Start another run, with what is known of the operations from earlier ones."""
        self.passed, self.steps, self.current, self.calls = [], 0, -1, 0

    def _repr_html_(self) -> str:
        """What notebooks show: how far the run is, and the vectors that left it."""
        at = self.graph.ops[self.current].name if self.current >= 0 else "nothing has run"
        passed = [self.graph.values[one.value].name for one in self.passed if one.value >= 0]
        return facts_html({"operations run": self.steps, "at": at, "vectors that left": ", ".join(passed) or "none"})

    def run_function(self, function: Function, arguments: list[Value]) -> list[tuple[int, Value]]:
        """Run a function; what it returns, with the graph values. Raises CannotRunError and HardwareFault."""
        node = self.graph.ops[function.op]
        blocks = [block for region in node.op.regions for block in region.blocks]
        if len(blocks) != 1:
            raise CannotRunError(node.index, f"`{function.symbol}` has {len(blocks)} blocks; one can be run")
        env: dict[int, Value] = dict(zip(function.arguments, arguments, strict=True))
        ending = self.run_block(blocks[0], env)
        if ending is None:
            return []
        return [(value, env[value]) for value in ending.operands]

    def run_block(self, block: Block, env: dict[int, Value]) -> OpNode | None:
        """Run the operations of a block; its terminator, None if it has none."""
        plan = self.plans.get(id(block))
        if plan is None:
            plan = self.plans[id(block)] = self.plan(block)
        get = env.__getitem__
        for step in plan.steps:
            self.steps += 1
            self.current = step.node.index
            if self.steps > MOST_STEPS:
                raise CannotRunError(step.node.index, f"the program runs more than {MOST_STEPS} operations")
            if step.control is not None:
                step.control(step.node, env)
                continue
            if step.run is None:
                step.run = self.decode(self.operation(step.node), step.node)
            made = step.run(get)
            if self.watch is not None:
                self.watch(step.node.index, made)
            if len(made) == len(step.results) == 1:
                env[step.results[0]] = made[0]
            else:
                env.update(zip(step.results, made, strict=False))
        return plan.ending

    def plan(self, block: Block) -> _Plan:
        """The operations of a block up to its terminator; each is decoded when it first runs."""
        steps: list[_Step] = []
        for op in block.ops:
            node = self.nodes[id(op)]
            if node.name in ("func.return", "return", "scf.yield"):
                return _Plan(steps, node)
            control = {"scf.for": self.loop, "scf.if": self.branch}.get(node.name)
            steps.append(_Step(node, node.results, control))
        return _Plan(steps, None)

    def operation(self, node: OpNode) -> Operation:
        """An operation with its attributes, which are told from its text once."""
        known = self.operations.get(node.index)
        if known is None:
            known = self.operations[node.index] = decode(self.graph, node)
        return known

    def decode(self, op: Operation, node: OpNode) -> Run:
        """What runs an operation without regions. Raises CannotRunError for one that is not known."""
        if node.name.startswith(("ave.hir.", INTRINSIC)):
            return self.unit.prepare(op)
        if node.name in ("func.call", "call"):
            return lambda get: self.call(node, get)
        if node.name in _IGNORED:
            return lambda get: []
        if node.name in AGGREGATES:
            return AGGREGATES[node.name](op)
        if node.name in _RESHAPES:
            return lambda get: self.cast(op, node, get)
        if node.name in _CONSTANTS and isinstance(op.type(node.results[0]), VectorType):
            elements = dense_constant(op)
            return lambda get: [self.unit.enter(node.results[0], elements)]
        if any(isinstance(op.type(value), VectorType) for value in (*node.operands, *node.results) if value >= 0):
            return self.unit.prepare(op)

        def other(get: Get) -> list[Value]:
            found = run_scalar(op, get)
            if found is None:
                found = run_buffer(op, get, self.unit.ram)
            if found is None:
                raise CannotRunError(node.index, f"what `{node.name}` does is not known here")
            return found

        if node.name in _CONSTANTS:
            made = other(_nothing)
            return lambda get: made
        return other

    def cast(self, op: Operation, node: OpNode, get: Get) -> list[Value]:
        """A cast that moves no data: between vectors, between a scalar and element 0, between memrefs."""
        if len(node.results) != 1 or len(node.operands) != 1:
            raise CannotRunError(node.index, f"`{node.name}` casts one value to one, not to {len(node.results)}")
        source, result = node.operands[0], node.results[0]
        before, after = op.type(source), op.type(result)
        held = get(source)
        if isinstance(before, VectorType) and isinstance(after, VectorType):
            return [self.unit.reshape(op, held)]
        if isinstance(before, VectorType) and isinstance(after, ScalarType):
            first = self.unit.leave(source, held, before)
            return [integer(after, int(first.bits[0]), bool(first.defined[0]))]
        if isinstance(after, VectorType) and isinstance(held, Scalar):
            from layoutsolver.verify.elements import of_scalar

            one = of_scalar(held, op.format(result), 1)
            return [self.unit.enter(result, resized(one, after.lanes))]
        if isinstance(held, Scalar) and isinstance(after, ScalarType):
            return [integer(after, held.signed, held.defined)]
        return [held]

    def loop(self, node: OpNode, env: dict[int, Value]) -> None:
        """Run an `scf.for`."""
        loop, type_, numbers = turns_of(self.graph, node, lambda bound: self.number(node, env, bound))
        for init, argument, _, _ in loop.carried:
            env[argument] = env[init]
        for number in numbers:
            env[loop.induction] = integer(type_, number)
            self.run_block(node.op.regions[0].blocks[0], env)
            following = [env[yielded] for _, _, yielded, _ in loop.carried]
            for (_, argument, _, _), value in zip(loop.carried, following, strict=True):
                env[argument] = value
        for _, argument, _, result in loop.carried:
            env[result] = env[argument]

    def number(self, node: OpNode, env: dict[int, Value], value: int) -> int:
        """The number that control flow depends on. Raises CannotRunError where it is not defined."""
        held = env[value]
        if not isinstance(held, Scalar) or not held.defined:
            raise CannotRunError(node.index, f"`{node.name}` depends on a value that is not defined")
        return held.signed

    def branch(self, node: OpNode, env: dict[int, Value]) -> None:
        """Run one side of an `scf.if`."""
        taken = 0 if self.number(node, env, node.operands[0]) else 1
        if taken >= len(node.op.regions) or not node.op.regions[taken].blocks:
            return
        ending = self.run_block(node.op.regions[taken].blocks[0], env)
        if ending is not None:
            for result, value in zip(node.results, ending.operands, strict=False):
                env[result] = env[value]

    def call(self, node: OpNode, get: Get) -> list[Value]:
        """Run a function of the module; of another one, note its vector arguments and make up its results.

        A vector is handed over as it lies, whatever layout the other side has for it.
        """
        symbol = self.graph.calls.get(node.index, "")
        function = self.graph.function_by_symbol().get(symbol)
        arguments = [get(value) for value in node.operands]
        if function is not None and function.has_body:
            return [held for _, held in self.run_function(function, arguments)]
        self.calls += 1
        for value in node.operands:
            type_ = self.graph.values[value].type
            if isinstance(type_, VectorType):
                self.passed.append(Passed(node.index, value, self.unit.leave(value, get(value), type_)))
        out: list[Value] = []
        for number, value in enumerate(node.results):
            made = outside_results(self.graph.values[value].type, self.seed, self.calls, number)
            if made is None:
                raise CannotRunError(node.index, f"`{symbol}` returns what cannot be made up")
            out.append(self.unit.enter(value, made) if isinstance(made, Elements) else made)
        return out


def _nothing(value: int) -> Value:
    raise KeyError(value)


def vectors_returned(machine: Machine, returned: list[tuple[int, Value]], node: int) -> list[Passed]:
    """The vectors among what a function returned."""
    out = []
    for value, held in returned:
        type_ = machine.graph.values[value].type
        if isinstance(type_, VectorType):
            out.append(Passed(node, value, machine.unit.leave(value, held, type_)))
    return out
