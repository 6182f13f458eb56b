"""The stages on the way from linear algebra to the instructions of Buckyball, by name and in order."""

from __future__ import annotations

STAGES = ("linalg", "tile", "buckyball", "bank-ssa", "bank-ids", "wrapper", "intr")
"""The stages that are MLIR."""

TEXT_STAGES = ("llvm", "riscv")
"""What comes behind them: LLVM text and assembly, which a backend writes."""

ALL_STAGES = (*STAGES, *TEXT_STAGES)
"""All stages."""
