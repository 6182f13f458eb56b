"""The stages of the path, and how a program goes from one to a later one."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.buckyball.ir import Code, Op
from layoutsolver.buckyball.passes.assign import assign, without_double_fences
from layoutsolver.buckyball.passes.builder import LowerError
from layoutsolver.buckyball.passes.from_tile import from_tile
from layoutsolver.buckyball.passes.to_banks import to_banks, to_deep_banks
from layoutsolver.buckyball.passes.to_intrinsics import to_intrinsics
from layoutsolver.buckyball.passes.to_tile import to_tile
from layoutsolver.buckyball.passes.to_wrappers import to_wrappers
from layoutsolver.buckyball.stages import STAGES
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.ops.buckyball import BANK, INSTRUCTION_OPS, INTRINSIC
from layoutsolver_models.targets.bank_chip import BankChip

_WRAPPERS = frozenset(spec.name for spec in INSTRUCTION_OPS if spec.name not in ("buckyball.mset", "buckyball.inst"))
_MATRICES = frozenset({"buckyball.matmul", "buckyball.matrix_matmul", "buckyball.mem_transpose",
                       "buckyball.im2col_matmul"})  # fmt: skip

_OPEN = frozenset({"tile.tile_transpose", "tile.tile_conv2d"})


def _assigned(function: Op, chip: BankChip) -> None:
    assign(function, chip)
    for block in function.blocks:
        without_double_fences(block)


PASSES: tuple[tuple[str, Callable[[Op, BankChip], None]], ...] = (
    ("tile", to_tile),
    ("buckyball", from_tile),
    ("bank-ssa", to_banks),
    ("bank-ids", _assigned),
    ("wrapper", to_wrappers),
    ("intr", to_intrinsics),
)
"""What each pass makes, and the pass."""


def stage_of(code: Code) -> str:
    r"""The stage at which a program stands: that of its most abstract operation on tiles or banks, else `linalg`.

    >>> from layoutsolver.buckyball.program import read_program
    >>> from layoutsolver.source import SourceFile
    >>> stage_of(read_program(SourceFile("a", "func.func @f() {\\n  buckyball.fence\\n  return\\n}")).code)
    'linalg'
    """
    found = {_stage(op) for op in code.walk()} - {""}
    if "buckyball" in found and is_open(code):
        found.discard("tile")
    return min(found, key=STAGES.index, default="linalg")


def is_open(code: Code) -> bool:
    """Whether all tiles of a program are such as stay for the pass that makes banks."""
    return all(op.name in _OPEN for op in code.walk() if _stage(op) == "tile")


def _stage(op: Op) -> str:
    name = op.name
    if name.startswith("linalg.") and name.split(".")[1].startswith(("matmul", "batch_matmul", "conv")):
        return "linalg"
    if name.startswith("tile."):
        return "tile"
    if name in _MATRICES:
        return "buckyball"
    if name in ("buckyball.bank_alloc", "buckyball.bank_release"):
        return "bank-ssa"
    if name.startswith(BANK):
        return "bank-ids"
    if name in _WRAPPERS:
        return "wrapper"
    if name.startswith(INTRINSIC) or name == "buckyball.inst":
        return "intr"
    return ""


def lower_code(code: Code, chip: BankChip, start: str, end: str, deep: bool = False) -> list[Diagnostic]:
    """Lower a program in place from one stage to another; what keeps it from being lowered.

    With `deep`, banks as SSA values may have more rows than those of the chip: whoever places them cuts them.
    """
    said: list[Diagnostic] = []
    for stage, usual in PASSES:
        run = to_deep_banks if deep and stage == "bank-ssa" else usual
        if not STAGES.index(start) < STAGES.index(stage) <= STAGES.index(end) or said:
            continue
        for function in code.functions:
            try:
                run(function, chip)
            except LowerError as error:
                place = Label(code.source, error.span)
                said.append(Diagnostic(error.code, "error", str(error), place, notes=error.notes))
    return said
