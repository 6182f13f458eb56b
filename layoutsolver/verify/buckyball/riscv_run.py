"""Runs RISC-V assembly: the integer and float instructions that code of this path is made of, and Buckyball's."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.buckyball.assembly import Assembly
from layoutsolver.verify.buckyball.raw import MASK, MOST_STEPS, Argument, Processor
from layoutsolver.verify.buckyball.riscv_trace import trace_text
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver.verify.buckyball.traces import made, namespace

STACK = 1 << 16
"""The bytes of the stack."""

RETURN = -1
"""The address that `ra` has when the outermost function is called."""


def signed(value: int, bits: int = 64) -> int:
    """The low bits of a number as a signed one."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class RiscvRun:
    """Assembly on a processor: registers as unsigned numbers, floats as their bits."""

    def __init__(self, assembly: Assembly, processor: Processor) -> None:
        self.assembly, self.processor = assembly, processor
        self.x = [0] * 32
        self.f = [0] * 32
        self.stack = processor.allocate(STACK)
        self.known = {**namespace(processor), "signed": signed, "divided": divided}
        self.traces: dict[int, Callable[..., int]] = {}

    def call(self, symbol: str, arguments: list[Argument]) -> None:
        """Run a function: eight arguments of each kind in registers, the rest on the stack."""
        at = self.assembly.labels.get(symbol.removeprefix("@"))
        if at is None:
            raise Unsupported(f"`{symbol}`, which has no label")
        used = {False: 0, True: 0}
        later: list[int] = []
        for one in arguments:
            floats = one.kind in ("float", "double") and used[True] < 8
            if used[floats] < 8:
                file = self.f if floats else self.x
                file[10 + used[floats]] = one.value & MASK
                used[floats] += 1
            else:
                later.append(one.value)
        self.x[2] = self.stack + STACK - -(-8 * len(later) // 16) * 16
        for number, value in enumerate(later):
            self.processor.store(self.x[2] + 8 * number, 8, value)
        self.x[1] = RETURN & MASK
        top = self.x[2]
        self.run(at)
        if self.x[2] != top:
            raise Unsupported("code that does not give its stack back")
        self.processor.free(self.stack)

    def run(self, at: int) -> None:
        """Run from an instruction on until the outermost function returns."""
        x, f, traces, processor, windows = self.x, self.f, self.traces, self.processor, self.processor.windows
        while at != RETURN:
            trace = traces.get(at)
            if trace is None:
                trace = traces[at] = self.trace(at)
            at = trace(x, f, windows)
            if processor.steps > MOST_STEPS:
                raise Unsupported(f"more than {MOST_STEPS} instructions")

    def trace(self, at: int) -> Callable[..., int]:
        """The code from an instruction on as a function."""
        if not 0 <= at < len(self.assembly.lines):
            raise Unsupported("code that runs past its end")
        return made(trace_text(self.assembly, at), self.known)


def divided(name: str, left: int, right: int) -> int:
    """Quotients and remainders of 64 bits: towards zero, and what the standard says of a divisor of 0.

    >>> divided("div", MASK, 0) == MASK, divided("rem", 7, MASK - 1), divided("divu", MASK, 2) == MASK >> 1
    (True, 1, True)
    """
    if name in ("divu", "remu"):
        return (left // right if right else MASK) if name == "divu" else (left % right if right else left)
    a, b = signed(left), signed(right)
    if b == 0:
        return MASK if name == "div" else left
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return (quotient if name == "div" else a - b * quotient) & MASK
