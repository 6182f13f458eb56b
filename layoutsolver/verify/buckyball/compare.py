"""Two forms of a program on the same memory: every byte of every argument, and what is returned."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from layoutsolver.buckyball.ir import Code, Op
from layoutsolver.buckyball.llvm.module import Module
from layoutsolver.buckyball.lowering import line_label
from layoutsolver.buckyball.passes.pipeline import stage_of
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver.verify.buckyball.forms import Form
from layoutsolver.verify.buckyball.inputs import KINDS, argument_bytes, make_arguments
from layoutsolver.verify.buckyball.interpreter import Interpreter, Stopped
from layoutsolver.verify.buckyball.llvm_run import LlvmRun
from layoutsolver.verify.buckyball.memory import Array, Memory, MemRef
from layoutsolver.verify.buckyball.raw import Argument, Processor, descriptor
from layoutsolver.verify.buckyball.riscv_run import RiscvRun
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
    left, right = (Form(one.source, stage_of(one), one) for one in (expected, found))
    return compare_forms(left, right, chip, rounds, seed)


def compare_forms(expected: Form, found: Form, chip: BankChip, rounds: int, seed: int) -> Verification:
    """Run every function of a program at an MLIR stage, and the same one of another form, on the same arguments."""
    done = Verification()
    others = found.functions()
    for symbol, function in expected.functions().items():
        if function is None:
            message = "neither program says what the arguments of its functions are: compare with one at an MLIR stage"
            done.diagnostics.append(Diagnostic("LS0704", "error", message, Label(found.source, Span(0, 0))))
            break
        if symbol not in others:
            message = f"`{symbol}` is in one of the programs only"
            done.diagnostics.append(_at("LS0704", message, expected.source, function))
            continue
        other = others[symbol]
        types = [[value.type for value in op.blocks[0].arguments] for op in (function, other or function)]
        if types[0] != types[1]:
            message = f"`{symbol}` has other arguments in both programs"
            done.diagnostics.append(_at("LS0704", message, found.source, other or function))
            continue
        for number in range(rounds):
            if not _round(done, expected, found, function, chip, seed + number, KINDS[number % len(KINDS)]):
                break
    return done


def run_form(form: Form, function: Op, chip: BankChip, seed: int, kind: str) -> Outcome:
    """Run a function of a form on arguments of a seed, with the types of `function`. Raises as `run_function` does."""
    symbol = function.text("symbol")
    if isinstance(form.program, Code):
        own = form.functions()[symbol]
        assert own is not None
        return run_function(form.program, own, chip, seed, kind)
    memory = Memory(argument_bytes(function), seed)
    arguments = make_arguments(function, memory, seed, kind)
    processor = Processor(memory, chip)
    passed: list[Argument] = []
    for value, given in zip(function.blocks[0].arguments, arguments, strict=True):
        passed += descriptor(given) if isinstance(given, MemRef) else [_passed(given, value.type)]
    try:
        if isinstance(form.program, Module):
            LlvmRun(form.program, processor).call(symbol, passed)
        else:
            RiscvRun(form.program, processor).call(symbol, passed)
        left = sorted(processor.machine.banks.groups)
        if left:
            raise Fault("leaked", f"the program ends with banks that are not freed: {left}")
        return Outcome(_left(memory, arguments), [])
    except (Fault, Unsupported) as error:
        kind = error.kind if isinstance(error, Fault) else "unsupported"
        place = line_label(form.source, processor.line).span
        raise Stopped(str(error), Op("", span=place), kind) from None


def _passed(value: Any, kind: str) -> Argument:
    """A number as it is passed."""
    array = np.asarray(value)
    if kind in ("f32", "f64"):
        return Argument("float" if kind == "f32" else "double", int.from_bytes(array.tobytes(), "little"))
    return Argument("i64" if kind == "index" else kind, int(value))


def run_function(code: Code, function: Op, chip: BankChip, seed: int, kind: str) -> Outcome:
    """Run a function on arguments of a seed. Raises `Stopped`, and `Unsupported` where there are no such arguments."""
    memory = Memory(argument_bytes(function), seed)
    arguments = make_arguments(function, memory, seed, kind)
    run = Interpreter(code, chip, memory)
    returned = run.call(function.text("symbol"), arguments)
    run.finish()
    run.at = function
    try:
        return Outcome(_left(memory, arguments), returned)
    except Fault as fault:
        raise Stopped(str(fault), function, fault.kind) from None


def _left(memory: Memory, arguments: list[Any]) -> list[Array | None]:
    """The bytes behind each argument as its caller finds them. Raises `Fault` where they are not there yet."""
    left: list[Array | None] = []
    for value in arguments:
        if not isinstance(value, MemRef):
            left.append(None)
            continue
        first, last = value.base, value.base + memory.live[value.base]
        try:
            memory.dram.touch(first, last, writes=False)
        except Fault as fault:
            raise Fault(fault.kind, f"when it returns, {fault}") from None
        part = slice(first - BASE, last - BASE)
        known = memory.dram.known[part]
        if not known.all():
            raise Fault("undefined", f"byte {int(np.argmin(known))} of an argument is left undetermined")
        left.append(memory.dram.data[part].copy())
    return left


def _round(done: Verification, expected: Form, found: Form, function: Op, chip: BankChip, seed: int, kind: str) -> bool:
    """One run of both; whether they agree."""
    outcomes: list[Outcome] = []
    for form in (expected, found):
        try:
            outcomes.append(run_form(form, function, chip, seed, kind))
        except Stopped as stopped:
            code_name = "LS0703" if stopped.kind == "unsupported" else "LS1006"
            message = str(stopped) if code_name == "LS1006" else f"{stopped} is not run on the hardware model"
            done.diagnostics.append(_at(code_name, message, form.source, stopped.op))
            return False
        except (Unsupported, Fault) as error:
            message = f"{error}: not run on the hardware model"
            done.diagnostics.append(_at("LS0703", message, expected.source, function))
            return False
    done.runs += 1
    difference = _difference(outcomes[0], outcomes[1], function, expected.source.name)
    done.bytes_compared += sum(one.size for one in outcomes[0].memory if one is not None)
    if difference is not None:
        message, notes = difference
        own = found.functions()[function.text("symbol")]
        done.diagnostics.append(_at("LS0707", message, found.source, own or Op("", span=Span(0, 0)), notes))
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
    for number, (left, right) in enumerate(zip(expected.returned, found.returned, strict=False)):
        if not isinstance(left, MemRef) and np.asarray(left).tobytes() != np.asarray(right).tobytes():
            return f"result {number} of `{function.text('symbol')}` is {right!r} instead of {left!r}", ()
    return None


def _at(code: str, message: str, source: SourceFile, op: Op, notes: tuple[str, ...] = ()) -> Diagnostic:
    span = op.span if op.span.end <= len(source.text) else Span(0, 0)
    return Diagnostic(code, "error", message, Label(source, span), notes=notes)
