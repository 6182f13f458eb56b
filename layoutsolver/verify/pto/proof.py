"""Proves a solved program of VMI: what it is lowered to runs against what it says."""

from __future__ import annotations

from layoutsolver.backends import load_vpto
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.pose.vmi.borders import borders_of
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files
from layoutsolver.verify.result import Verification
from layoutsolver_models.problems.selection import SelectionSolution


def prove(
    source: SourceFile, posed: PosedVmi, solution: SelectionSolution, rounds: int, seed: int
) -> tuple[list[Diagnostic], Verification | None]:
    """What is to be said of lowering and reading back, and the comparison: None where there is nothing to run."""
    lowered = load_vpto()(posed, solution)
    if any(item.severity == "error" for item in lowered.diagnostics):
        return list(lowered.diagnostics), None
    text = apply_edits(source.text, lowered.edits)
    other = SourceFile(f"{source.name} (lowered)", text)
    return verify_files(source, other, rounds, seed, borders_of(posed, solution))
