"""Two forms of a program on the same memory: every byte of every argument, and what is returned."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from layoutsolver.buckyball.ir import Code, Op
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver.verify.buckyball.inputs import KINDS, argument_bytes, make_arguments
from layoutsolver.verify.buckyball.interpreter import Interpreter, Stopped
from layoutsolver.verify.buckyball.memory import Array, Memory, MemRef
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver.verify.result import Verification
from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.hardware.buckyball.dram import BASE
from layoutsolver_models.targets.bank_chip import BankChip

SHOWN = 3
"""So many elements that differ are shown."""


class Outcome(NamedTuple):
    """What a run left: the bytes behind each argument that is memory (None for numbers), and what was returned."""

    memory: list[Array | None]
    returned: list[Any]


def compare_codes(expected: Code, found: Code, chip: BankChip, rounds: int, seed: int) -> Verification:
    """Run every function of both on the same arguments and compare what they leave."""
    done = Verification()
    others = {op.text("symbol"): op for op in found.functions if op.blocks}
    for function in expected.functions:
        if not function.blocks:
            continue
        other = others.get(function.text("symbol"))
        if other is None:
            message = f"`{function.text('symbol')}` is in one of the programs only"
            done.diagnostics.append(_at("LS0704", message, expected.source, function))
            continue
        types = [[value.type for value in op.blocks[0].arguments] for op in (function, other)]
        if types[0] != types[1]:
            message = f"`{function.text('symbol')}` has other arguments in both programs"
            done.diagnostics.append(_at("LS0704", message, found.source, other))
            continue
        for number in range(rounds):
            if not _round(done, (expected, function), (found, other), chip, seed + number, KINDS[number % len(KINDS)]):
                break
    return done


def run_function(code: Code, function: Op, chip: BankChip, seed: int, kind: str) -> Outcome:
    """Run a function on arguments of a seed. Raises `Stopped`, and `Unsupported` where there are no such arguments."""
    memory = Memory(argument_bytes(function), seed)
    arguments = make_arguments(function, memory, seed, kind)
    run = Interpreter(code, chip, memory)
    returned = run.call(function.text("symbol"), arguments)
    run.finish()
    run.at = function
    left: list[Array | None] = []
    for value in arguments:
        if not isinstance(value, MemRef):
            left.append(None)
            continue
        first, last = value.base, value.base + memory.live[value.base]
        try:
            memory.dram.touch(first, last, writes=False)
        except Fault as fault:
            raise Stopped(f"when it returns, {fault}", function, fault.kind) from None
        part = slice(first - BASE, last - BASE)
        known = memory.dram.known[part]
        if not known.all():
            at = int(np.argmin(known))
            raise Stopped(f"byte {at} of an argument is left undetermined", function, "undefined")
        left.append(memory.dram.data[part].copy())
    return Outcome(left, returned)


def _round(
    done: Verification, expected: tuple[Code, Op], found: tuple[Code, Op], chip: BankChip, seed: int, kind: str
) -> bool:
    """One run of both; whether they agree."""
    outcomes: list[Outcome] = []
    for code, function in (expected, found):
        try:
            outcomes.append(run_function(code, function, chip, seed, kind))
        except Stopped as stopped:
            code_name = "LS0703" if stopped.kind == "unsupported" else "LS1006"
            message = str(stopped) if code_name == "LS1006" else f"{stopped} is not run on the hardware model"
            done.diagnostics.append(_at(code_name, message, code.source, stopped.op))
            return False
        except Unsupported as error:
            done.diagnostics.append(_at("LS0703", f"{error}: not run on the hardware model", code.source, function))
            return False
    done.runs += 1
    difference = _difference(outcomes[0], outcomes[1], found[1], expected[0].source.name)
    done.bytes_compared += sum(one.size for one in outcomes[0].memory if one is not None)
    if difference is not None:
        message, notes = difference
        done.diagnostics.append(_at("LS0707", message, found[0].source, found[1], notes))
    return difference is None


def _difference(expected: Outcome, found: Outcome, function: Op, name: str) -> tuple[str, tuple[str, ...]] | None:
    """The first argument or result that differs, in words."""
    for value, left, right in zip(function.blocks[0].arguments, expected.memory, found.memory, strict=True):
        if left is None or right is None or np.array_equal(left, right):
            continue
        wide = left.size % 4 == 0 and "f32" in value.type
        elements = [one.view(np.float32) if wide else one for one in (left, right)]
        raw = [one.view(np.uint32) if wide else one for one in (left, right)]
        places = np.flatnonzero(raw[0] != raw[1])
        notes = tuple(
            f"element {at} of `%{value.name}`: expected {elements[0][at]!r}, found {elements[1][at]!r}".replace(
                "np.float32", ""
            )
            for at in places[:SHOWN]
        )
        more = (f"... and {places.size - SHOWN} more",) if places.size > SHOWN else ()
        message = f"`%{value.name}` of `{function.text('symbol')}` is left otherwise than by `{name}`"
        return f"{message}: {places.size} of {raw[0].size} elements differ", (*notes, *more)
    for number, (left, right) in enumerate(zip(expected.returned, found.returned, strict=True)):
        if not isinstance(left, MemRef) and np.asarray(left).tobytes() != np.asarray(right).tobytes():
            return f"result {number} of `{function.text('symbol')}` is {right!r} instead of {left!r}", ()
    return None


def _at(code: str, message: str, source: SourceFile, op: Op, notes: tuple[str, ...] = ()) -> Diagnostic:
    span = op.span if op.span.end <= len(source.text) else Span(0, 0)
    return Diagnostic(code, "error", message, Label(source, span), notes=notes)
