"""Instructions of the processor as traces do them, against numpy's arithmetic of the same width."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from layoutsolver.buckyball.assembly import read_assembly
from layoutsolver.buckyball.llvm.read import read_module
from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.source import SourceFile
from layoutsolver.verify.buckyball.llvm_run import LlvmRun
from layoutsolver.verify.buckyball.memory import Memory
from layoutsolver.verify.buckyball.raw import Argument, Processor
from layoutsolver.verify.buckyball.riscv_run import RiscvRun
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver_models.hardware.buckyball.banks import Fault
from tests.buckyball.support import SEED

INTEGERS = [0, 1, 2, 5, 63, 64, -1, -2, -64, 2**31 - 1, -(2**31), 2**31, 2**62, 2**63 - 1, -(2**63), 0x123456789ABCDEF]
FLOATS = [0.0, -0.0, 1.0, -1.0, 1.5, 127.0, 3.4e38, -3.4e38, 1e-45, float("inf"), float("-inf"), float("nan")]


def shifted(a: Any, b: Any, how: Callable[[Any, Any], Any]) -> Any:
    return how(a, b & 63)


BINARY: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "add": ("add", lambda a, b: a + b), "sub": ("sub", lambda a, b: a - b), "mul": ("mul", lambda a, b: a * b),
    "and": ("and", lambda a, b: a & b), "or": ("or", lambda a, b: a | b), "xor": ("xor", lambda a, b: a ^ b),
    "sll": ("", lambda a, b: a << (b & 63)), "sra": ("", lambda a, b: a >> (b & 63)),
    "srl": ("", lambda a, b: (a.view(np.uint64) >> np.uint64(b & 63)).view(np.int64)),
    "slt": ("icmp slt", lambda a, b: np.int64(a < b)),
    "sltu": ("icmp ult", lambda a, b: np.int64(a.view(np.uint64) < b.view(np.uint64))),
}  # fmt: skip


def processor() -> tuple[Processor, int]:
    memory = Memory(1 << 18, 1)
    return Processor(memory, SEED), memory.allocate((64,), "i64").base


def run_riscv(body: str, arguments: list[Argument]) -> tuple[Processor, int]:
    machine, base = processor()
    RiscvRun(read_assembly(f"f:\n{body}\n    ret\n"), machine).call("@f", [Argument("ptr", base), *arguments])
    return machine, base


def run_llvm(body: str, arguments: list[Argument], parameters: str) -> tuple[Processor, int]:
    machine, base = processor()
    text = f"define void @f(ptr %p{parameters}) {{\nentry:\n{body}\n  ret void\n}}\n"
    LlvmRun(read_module(text), machine).call("@f", [Argument("ptr", base), *arguments])
    return machine, base


@pytest.mark.parametrize("name", BINARY)
def test_integers_of_64_bits_wrap_as_those_of_numpy(name: str) -> None:
    opcode, expected = BINARY[name]
    choose = random.Random(1)
    pairs = [(choose.choice(INTEGERS), choose.choice(INTEGERS)) for _ in range(40)]
    for a, b in pairs:
        with np.errstate(all="ignore"):
            wanted = int(expected(np.int64(a), np.int64(b)))
        found, base = run_riscv(f"    {name} t0, a1, a2\n    sd t0, 0(a0)", [Argument("i64", a), Argument("i64", b)])
        assert found.load(base, 8) == wanted & (2**64 - 1), (a, b)
        if -2048 <= b < 2048 and name not in ("sub", "mul", "sll", "srl", "sra", "sltu"):
            found, base = run_riscv(f"    {name}i t0, a1, {b}\n    sd t0, 0(a0)", [Argument("i64", a)])
            assert found.load(base, 8) == wanted & (2**64 - 1), (a, b)
        if opcode:
            result = "%r = zext i1 %c to i64" if "icmp" in opcode else "%r = add i64 %c, 0"
            body = f"  %c = {opcode} i64 %a, %b\n  {result}\n  store i64 %r, ptr %p"
            found, base = run_llvm(body, [Argument("i64", a), Argument("i64", b)], ", i64 %a, i64 %b")
            assert found.load(base, 8) == wanted & (2**64 - 1), (a, b)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_floats_compare_and_choose_as_those_of_numpy(kind: str) -> None:
    size, suffix, dtype = (4, "s", np.float32) if kind == "float" else (8, "d", np.float64)
    unsigned = np.uint32 if size == 4 else np.uint64
    width = f"f{8 * size}"
    with np.errstate(all="ignore"):
        numbers = [dtype(value) for value in FLOATS]
    for a in numbers:
        for b in numbers:
            given = [Argument(kind, int(value.view(unsigned))) for value in (a, b)]
            body = "".join(f"    {op}.{suffix} t0, fa0, fa1\n    sb t0, {at}(a0)\n"
                           for at, op in enumerate(("feq", "flt", "fle")))  # fmt: skip
            body += f"    fmax.{suffix} ft0, fa0, fa1\n    fs{'w' if size == 4 else 'd'} ft0, 8(a0)\n"
            found, base = run_riscv(body, given)
            relations = [a == b, a < b, a <= b]
            assert [found.load(base + at, 1) for at in range(3)] == relations, (a, b)
            larger = np.uint64(found.load(base + 8, size)).astype(unsigned).view(dtype)
            assert larger == np.fmax(a, b) or (np.isnan(a) and np.isnan(b) and np.isnan(larger))
            compared = "".join(f"  %c{at} = fcmp {op} {kind} %a, %b\n  %q{at} = getelementptr i8, ptr %p, i64 {at}\n"
                               f"  store i1 %c{at}, ptr %q{at}\n" for at, op in enumerate(("oeq", "olt", "ole", "ogt",
                                                                                          "oge")))  # fmt: skip
            compared += f"  %m = call {kind} @llvm.maximum.{width}({kind} %a, {kind} %b)\n"
            compared += f"  %q = getelementptr i8, ptr %p, i64 8\n  store {kind} %m, ptr %q"
            found, base = run_llvm(compared, given, f", {kind} %a, {kind} %b")
            assert [found.load(base + at, 1) for at in range(5)] == [*relations, a > b, a >= b], (a, b)
            larger = np.uint64(found.load(base + 8, size)).astype(unsigned).view(dtype)
            assert larger == np.maximum(a, b) or (np.isnan(a + b) and np.isnan(larger))


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_what_nothing_has_written_is_not_read_and_what_is_not_aligned_is(size: int) -> None:
    load, store = (f"{kind}{'bhwd'[size.bit_length() - 1]}" for kind in "ls")
    found, base = run_riscv(f"    li t0, -2\n    {store} t0, 1(a0)\n    {load} t1, 1(a0)\n    sd t1, 16(a0)", [])
    assert found.load(base + 16, 8) == 2**64 - 2
    assert found.load(base + 1, size) == 2 ** (8 * size) - 2
    for where in (0, 2, 8):
        with pytest.raises(Fault, match="nothing has written"):
            run_riscv(f"    li t0, 1\n    {store} t0, 1(a0)\n    {load} t1, {where + size + (size == 1)}(a0)", [])
    frame = f"    addi sp, sp, -64\n    {store} sp, 8(sp)\n    {load} t1, {8 + size}(sp)\n    addi sp, sp, 64"
    with pytest.raises(Fault, match="nothing has written"):
        run_riscv(frame, [])
    with pytest.raises(Fault, match="not in DRAM"):
        run_riscv(f"    {store} t0, -512(zero)", [])
    with pytest.raises(Fault, match="not in DRAM"):
        run_riscv(f"    li t0, {2**31 + 2**20}\n    {load} t0, 0(t0)", [])


def test_values_hold_from_block_to_block_and_calls_may_grow_memory() -> None:
    text = (
        "define i64 @twice(i64 %x) {\nentry:\n  %q = call ptr @malloc(i64 1000000)\n  store i64 %x, ptr %q\n"
        "  %y = load i64, ptr %q\n  call void @free(ptr %q)\n  %z = add i64 %y, %y\n  ret i64 %z\n}\n"
        "define void @f(ptr %p) {\nentry:\n  %i = alloca i64\n  store i64 1, ptr %i\n  br label %head\nhead:\n"
        "  %n = load i64, ptr %i\n  %c = icmp slt i64 %n, 1000\n  br i1 %c, label %body, label %end\nbody:\n"
        "  %t = call i64 @twice(i64 %n)\n  store i64 %t, ptr %i\n  br label %head\nend:\n  store i64 %n, ptr %p\n"
        "  ret void\n}\n"
    )
    machine, base = processor()
    LlvmRun(read_module(text), machine).call("@f", [Argument("ptr", base)])
    assert machine.load(base, 8) == 1024
    wrong = text.replace("store i64 %n, ptr %p", "store i64 %t, ptr %p").replace("i64 %n, 1000", "i64 %n, 0")
    machine, base = processor()
    with pytest.raises(Unsupported, match="`%t`, which is used on a way that does not define it"):
        LlvmRun(read_module(wrong), machine).call("@f", [Argument("ptr", base)])
    assert machine.line == wrong[: wrong.index("store i64 %t, ptr %p")].count("\n") + 1


# -- memory that instructions in flight still move -----------------------------------------------------------------

BANK = "    li t1, 0x421\n    .insn r 0x7b, 3, 32, x0, zero, t1\n    li t0, 0x40000000\n    li t2, 0x8000000000\n"
"""A bank of one column is allocated; t0 says one row of it, t2 that rows lie behind each other."""


@pytest.mark.parametrize("where", ["a0", "sp"])
@pytest.mark.parametrize(("move", "access"), [(16, "ld t4, 8({})"), (33, "sd t4, 8({})"), (16, "sd t4, 8({})")])
def test_what_is_in_flight_is_not_touched_before_a_fence(where: str, move: int, access: str) -> None:
    ready = f"    sd zero, 0({where})\n    sd zero, 8({where})\n" if move == 33 else ""
    moved = f"    or t3, t2, {where}\n    .insn r 0x7b, 3, {move}, x0, t0, t3\n"
    fence = "    .insn r 0x7b, 3, 0, x0, zero, zero\n"
    line = f"    {access.format(where)}\n"
    outer = "    mv s2, ra\n    addi sp, sp, -64\n    call g\n    addi sp, sp, 64\n    mv ra, s2\n    ret\n"
    frame = f"{outer}g:\n    mv s1, ra\n"
    back = "    mv ra, s1"
    run_riscv(f"{frame}{ready}{BANK}{moved}{fence}{line}{back}", [])
    with pytest.raises(Fault, match="there is no fence between them"):
        run_riscv(f"{frame}{ready}{BANK}{moved}{line}{fence}{back}", [])


def test_a_frame_that_leaves_memory_is_named() -> None:
    machine, base = processor()
    text = "f:\n    sd zero, 8(a1)\n    mv sp, a1\n    call g\ng:\n    ld t0, 8(sp)\n    ld t0, 16(sp)\n    ret\n"
    run = RiscvRun(read_assembly(text), machine)
    last = machine.memory.dram.base + machine.memory.dram.data.size - 16
    with pytest.raises(Fault, match="not in DRAM"):
        run.call("@f", [Argument("ptr", base), Argument("ptr", last)])
    assert machine.line == 7


# -- registers of lowered code -------------------------------------------------------------------------------------


def from_llvm(text: str) -> tuple[Processor, int]:
    """A module as assembly, run on fresh memory."""
    written = lower_text(SourceFile("a.ll", text), SEED, "riscv")
    assert written.text is not None, written.diagnostics
    machine, base = processor()
    RiscvRun(read_assembly(written.text), machine).call("@f", [Argument("ptr", base)])
    return machine, base


def test_a_call_leaves_no_value_in_a_register() -> None:
    text = (
        "define void @g(i64 %a) {\nentry:\n  %b = mul i64 %a, 3\n  %c = add i64 %b, 5\n  ret void\n}\n"
        "define void @f(ptr %p) {\nentry:\n  %x = add i64 20, 1\n  call void @g(i64 7)\n  %y = add i64 %x, 21\n"
        "  store i64 %y, ptr %p\n  ret void\n}\n"
    )
    machine, base = from_llvm(text)
    assert machine.load(base, 8) == 42


def test_memory_may_be_read_as_another_type() -> None:
    text = (
        "define void @f(ptr %p) {\nentry:\n  %s = alloca i64\n  store i64 4294967303, ptr %s\n"
        "  %low = load i32, ptr %s\n  %wide = sext i32 %low to i64\n  store i64 %wide, ptr %p\n  ret void\n}\n"
    )
    machine, base = from_llvm(text)
    assert machine.load(base, 8) == 7
