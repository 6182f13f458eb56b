"""Runs LLVM as `layoutsolver.buckyball.llvm` reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from layoutsolver.buckyball.llvm.module import Function, Module
from layoutsolver.verify.buckyball.llvm_trace import FLOATS, RESULT, Layout, trace_text, wrap
from layoutsolver.verify.buckyball.raw import MOST_STEPS, Argument, Processor
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver.verify.buckyball.traces import made, namespace

DEEPEST = 64
"""Calls within calls after which a run is given up."""


class LlvmRun:
    """A module on a processor. Integers are signed and fit their type, pointers are not negative, floats are bits."""

    def __init__(self, module: Module, processor: Processor) -> None:
        self.functions = module.defined()
        self.processor = processor
        self.known = {**namespace(processor), "wrap": wrap, "integer": integer, "called": self.called}
        self.layouts: dict[str, Layout] = {}
        self.traces: dict[tuple[str, int], Callable[..., int]] = {}
        self.depth = 0

    def call(self, symbol: str, arguments: list[Argument]) -> None:
        """Run a function."""
        function = self.functions.get(symbol)
        if function is None:
            raise Unsupported(f"`{symbol}`, which is not defined")
        if [kind for kind, _ in function.parameters] != [one.kind for one in arguments]:
            raise Unsupported(f"`{symbol}` with these parameters")
        self.function(function, [typed(one.value, one.kind) for one in arguments])

    def called(self, symbol: str, values: list[Any]) -> Any:
        """Run a function that code calls; what it returns."""
        function = self.functions.get(symbol)
        if function is None:
            raise Unsupported(f"a call of `{symbol}`")
        if len(values) != len(function.parameters):
            raise Unsupported(f"`{symbol}` with {len(values)} arguments")
        return self.function(function, values)

    def function(self, function: Function, values: list[Any]) -> Any:
        """Run the blocks of a function; what it returns."""
        if self.depth == DEEPEST:
            raise Unsupported(f"more than {DEEPEST} calls within each other")
        layout = self.layouts.get(function.symbol)
        if layout is None:
            layout = self.layouts[function.symbol] = Layout(function)
        places: list[Any] = [None, *values, *[None] * (len(layout.places) - len(values))]
        stack: list[int] = []
        block, processor, windows = 0, self.processor, self.processor.windows
        self.depth += 1
        while block >= 0:
            trace = self.traces.get((function.symbol, block))
            if trace is None:
                trace = self.traces[(function.symbol, block)] = made(trace_text(layout, block), self.known)
            block = trace(places, stack, windows)
            if processor.steps > MOST_STEPS:
                raise Unsupported(f"more than {MOST_STEPS} instructions")
        self.depth -= 1
        for address in stack:
            processor.free(address)
        return places[RESULT]


def typed(bits: int, kind: str) -> int:
    """A value from its bits."""
    return bits & ((1 << 8 * FLOATS[kind]) - 1) if kind in FLOATS else wrap(bits, kind)


def integer(name: str, a: int, b: int, bits: int) -> int:
    """Shifts, quotients and remainders of signed numbers of a width.

    >>> integer("lshr", -1, 60, 64), integer("sdiv", -7, 2, 64), integer("urem", -1, 10, 8)
    (15, -3, 5)
    """
    mask = (1 << bits) - 1
    if name == "shl":
        return a << b if 0 <= b < bits else 0
    if name in ("lshr", "ashr"):
        amount = b & mask if name == "lshr" else min(b & mask, bits - 1)
        return (a & mask) >> amount if name == "lshr" else a >> amount
    if b == 0:
        raise Unsupported("a division by 0")
    if name in ("udiv", "urem"):
        a, b = a & mask, b & mask
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if name in ("sdiv", "udiv") else a - b * quotient
