"""LLVM text and assembly do what the program at stage `intr` does, bit by bit."""

from __future__ import annotations

from typing import Any

import pytest

from layoutsolver.buckyball.assembly import AssemblyReadError, read_assembly
from layoutsolver.buckyball.llvm.module import print_module
from layoutsolver.buckyball.llvm.read import LlvmError, read_module
from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.source import SourceFile
from layoutsolver.verify.buckyball.compare import compare_forms
from layoutsolver.verify.buckyball.files import verify_banks
from layoutsolver.verify.buckyball.forms import Form, read_form
from layoutsolver.verify.buckyball.inputs import argument_bytes, make_arguments
from layoutsolver.verify.buckyball.interpreter import Interpreter
from layoutsolver.verify.buckyball.llvm_run import LlvmRun
from layoutsolver.verify.buckyball.memory import Memory
from layoutsolver.verify.buckyball.raw import Processor, descriptor
from layoutsolver.verify.buckyball.riscv_run import RiscvRun
from layoutsolver_models.buckyball.instructions import INSTRUCTIONS
from layoutsolver_models.targets.bank_chip import BankChip
from tests.buckyball.support import ERA_RTL, SEED, TOY, code_of, lowered, product
from tests.buckyball.test_path import convolution
from tests.buckyball.test_read_write import PROGRAMS

SCALARS = (PROGRAMS / "scalars.mlir").read_text(encoding="utf-8")


def form(text: str) -> Form:
    read = read_form(SourceFile("test", text))
    assert read.form is not None, read.diagnostics
    return read.form


def agrees(expected: str, found: str, chip: BankChip = SEED, rounds: int = 1) -> None:
    done = compare_forms(form(expected), form(found), chip, rounds, 1)
    assert [(item.message, item.notes) for item in done.diagnostics] == []
    assert done.runs >= rounds


@pytest.mark.parametrize("end", ["llvm", "riscv"])
@pytest.mark.parametrize("chip", [SEED, TOY, ERA_RTL], ids=lambda chip: str(chip.name))
def test_products_are_the_same_behind_mlir(chip: BankChip, end: str) -> None:
    text = product(5, 16, 20)
    agrees(text, lowered(text, end, chip), chip)


def test_steps_of_k_and_convolutions_are_the_same_in_llvm() -> None:
    for text, chip in ((product(16, 16, 144), ERA_RTL), (convolution(size=4, channels=8, inner=4), SEED)):
        agrees(text, lowered(text, "llvm", chip), chip)


@pytest.mark.parametrize("end", ["llvm", "riscv"])
def test_numbers_memory_branches_and_calls_are_the_same(end: str) -> None:
    agrees(SCALARS, lowered(SCALARS, end), rounds=4)


def test_llvm_is_printed_as_it_was_read_and_is_a_way_to_assembly() -> None:
    for text in (SCALARS, product(16, 16, 16)):
        llvm = lowered(text, "llvm")
        assert print_module(read_module(llvm)) == llvm
        assert lowered(llvm, "riscv") == lowered(text, "riscv")


def test_instructions_have_the_same_registers_at_every_stage_that_has_some() -> None:
    text = product(16, 32, 16, op="buckyball")
    code = code_of(lowered(text, "intr"))
    function = code.functions[0]
    traces: list[list[tuple[int, int, int]]] = []
    for end in ("intr", "llvm", "riscv"):
        memory = Memory(argument_bytes(function), 3)
        arguments = make_arguments(function, memory, 3, "spread")
        passed = [part for one in arguments for part in descriptor(one)]
        if end == "intr":
            run = Interpreter(code, SEED, memory, traced=True)
            run.call("@product", arguments)
            assert run.trace is not None
            traces.append([(INSTRUCTIONS[name].funct7, left, right) for name, left, right in run.trace])
            continue
        processor = Processor(memory, SEED)
        processor.trace = []
        written: Any = lowered(text, end)
        if end == "llvm":
            LlvmRun(read_module(written), processor).call("@product", passed)
        else:
            RiscvRun(read_assembly(written), processor).call("@product", passed)
        traces.append(processor.trace)
    assert len(traces[0]) == 46
    assert traces[0] == traces[1] == traces[2]


def test_the_spelling_of_the_newer_compiler_has_one_intrinsic_for_all_units() -> None:
    llvm = lowered(product(16, 16, 16), "llvm", TOY)
    assert "call void @llvm.riscv.buckyball.custom(i64 " in llvm
    assert "i32 64)" in llvm
    assert "@llvm.riscv.bb.mvin" in llvm
    assert "@llvm.riscv.bb.fp2int" not in llvm
    assert "@llvm.riscv.bb.mul.warp16" in lowered(product(16, 16, 16), "llvm")


# -- what goes wrong ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("fadd.s ft2, ft0, ft1", "fsub.s ft2, ft0, ft1", ""),
        ("fdiv.s ft0, ft0, ft1", "fmul.s ft0, ft0, ft1", "LS0707"),
        ("feq.s t0, ft0, ft0", "flt.s t0, ft0, ft0", "LS0707"),
        (".insn r 0x7b, 3, 16, x0", ".insn r 0x7b, 3, 33, x0", "LS0707"),
        (".insn r 0x7b, 3, 49, x0", ".insn r 0x7b, 3, 51, x0", "LS0707"),
        (".insn r 0x7b, 3, 0, x0, t0, t1", "li t0, 0", "LS1006"),
        (".insn r 0x7b, 3, 64, x0", ".insn r 0x7b, 3, 66, x0", "LS1006"),
        ("addi sp, sp, 0", "addi sp, sp, 0", ""),
        ("    ret", "    wfi", "LS0703"),
    ],
)
def test_a_change_of_the_assembly_is_found(old: str, new: str, code: str) -> None:
    text = product(16, 16, 16)
    written = lowered(text, "riscv")
    done = compare_forms(form(text), form(written.replace(old, new, 1) if old in written else written), SEED, 1, 1)
    assert [item.code for item in done.diagnostics] == [code] * bool(code)


def test_a_fault_in_assembly_is_named_with_its_line() -> None:
    text = product(16, 16, 16)
    written = lowered(text, "riscv").replace("3, 64, x0", "3, 66, x0")
    (found,) = compare_forms(form(text), form(written), SEED, 1, 1).diagnostics
    assert "no instruction with funct7 66" in found.message
    assert found.primary is not None
    span = found.primary.span
    assert written[span.start : span.end].startswith(".insn r 0x7b, 3, 66")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%a = fptrunc double 1.0 to float", "is not read here"),
        ("%a = add i64 %b, 1", "`%b` is used but not defined"),
        ("%x = add i64 1, 1", "`%x` is defined twice"),
        ("br label %nowhere", "no such label"),
        ("%a = phi i64 [ 0, %entry ]", "is not read here"),
        ("%a = getelementptr i64, ptr %p, i64 1", "is not read here"),
        ("%a = load <4 x float>, ptr %p", "of type `<4 x float>` are not read"),
        ("%a = add i64 1.0, 2", "`1.0` is no constant of type `i64`"),
        ("%a = fadd float 1, 2", "`1` is no constant of type `float`"),
        ("%a = add float 1.0, 2.0", "`add` of type `float`"),
        ("%a = add i7 1, 2", "of type `i7` are not read"),
        ("store i64 1, ptr 17", "`17` is no constant of type `ptr`"),
    ],
)
def test_llvm_that_is_not_read_is_named_with_its_line(line: str, message: str) -> None:
    text = f"define void @f(ptr %p, i64 %x) {{\nentry:\n  {line}\n  ret void\n}}\n"
    with pytest.raises(LlvmError, match=message) as found:
        read_module(text)
    assert found.value.line == 3
    lowered_ = lower_text(SourceFile("a.ll", text), SEED, "riscv")
    assert [item.code for item in lowered_.diagnostics] == ["LS1010"]
    assert lowered_.unreadable


@pytest.mark.parametrize("line", ["%a = lshr i32 1, 2", "%a = fcmp ueq float 1.0, 2.0", "%a = uitofp i64 1 to float"])
def test_llvm_without_a_form_in_assembly_is_named_with_its_line(line: str) -> None:
    text = f"define void @f(ptr %p) {{\nentry:\n  {line}\n  ret void\n}}\n"
    (found,) = lower_text(SourceFile("a.ll", text), SEED, "riscv").diagnostics
    assert "has no form in assembly here" in found.message
    assert found.primary is not None
    assert text[found.primary.span.start : found.primary.span.end] == line


def test_blocks_must_end_and_functions_must_close() -> None:
    with pytest.raises(LlvmError, match="does not end in"):
        read_module("define void @f() {\nentry:\n  %a = add i64 1, 1\n}\n")
    with pytest.raises(LlvmError, match="is never closed"):
        read_module("define void @f() {\nentry:\n  ret void\n")
    with pytest.raises(AssemblyReadError, match="a second time"):
        read_assembly("a:\n  ret\na:\n  ret\n")


def test_programs_that_say_nothing_of_their_arguments_are_not_compared() -> None:
    text = product(16, 16, 16)
    llvm, assembly = (SourceFile(end, lowered(text, end)) for end in ("llvm", "riscv"))
    for pair in ((llvm, assembly), (assembly, llvm)):
        done = verify_banks(*pair, SEED, 1, 1).done
        assert done is not None
        assert [item.code for item in done.diagnostics] == ["LS0704"]
    assert [item.code for item in verify_banks(llvm, None, SEED, 1, 1).said] == ["LS0704"]
