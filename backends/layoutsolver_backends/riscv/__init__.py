"""Programs of Buckyball as LLVM text and as RISC-V assembly."""

from __future__ import annotations

from layoutsolver.buckyball.ir import Code
from layoutsolver.buckyball.llvm.module import Module


class RiscvBackend:
    """Writes what the path ends in: LLVM text of a program at stage `intr`, assembly of LLVM text."""

    name = "riscv"

    def llvm(self, code: Code) -> Module:
        """The LLVM module of a program at stage `intr`. Raises `LowerError`."""
        from layoutsolver_backends.riscv.to_llvm import to_llvm

        return to_llvm(code)

    def assembly(self, module: Module) -> str:
        """The assembly of a module. Raises `LlvmError` for what has no form in it."""
        from layoutsolver_backends.riscv.assembly import assemble

        return assemble(module)
