"""What operations do besides computing their results, as far as fusion must know it: a closed table.

What is not listed, and is not an operation that only computes, may do anything.
Source: fusion spec 4.5 (`F3`), ISA documents for the direction of the copies.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.graph.model import OpNode
from layoutsolver.ops.spec import Effect


class Copy(NamedTuple):
    """A copy by another unit: the operand it reads and the operand it writes, and the spaces of both."""

    source: str
    target: str


COPIES: dict[str, Copy] = {
    "pto.mte_gm_ub": Copy("gm", "ub"),
    "pto.mte_ub_gm": Copy("ub", "gm"),
    "pto.mte_ub_ub": Copy("ub", "ub"),
    "pto.mte_ub_l1": Copy("ub", "l1"),
    "pto.mte_l1_ub": Copy("l1", "ub"),
    "pto.mte_l0c_ub": Copy("l0c", "ub"),
    "pto.copy_gm_to_ubuf": Copy("gm", "ub"),
    "pto.copy_ubuf_to_gm": Copy("ub", "gm"),
    "pto.copy_ubuf_to_ubuf": Copy("ub", "ub"),
    "pto.copy_ubuf_to_cbuf": Copy("ub", "l1"),
    "pto.copy_cbuf_to_ubuf": Copy("l1", "ub"),
    "pto.copy_matrix_cc_to_ub": Copy("l0c", "ub"),
}
"""Copies that touch the unified buffer; operand 0 is the source, operand 1 the destination."""

SYNCHRONISATION = frozenset({
    "pto.set_flag", "pto.wait_flag", "pto.set_flag_dyn", "pto.wait_flag_dyn", "pto.mem_bar", "pto.barrier",
    "pto.pipe_barrier", "pto.barrier_sync", "pto.dsb", "pto.dcci", "pto.get_buf", "pto.rls_buf", "pto.get_buf_dyn",
    "pto.rls_buf_dyn", "pto.sync_set", "pto.sync_wait", "pto.set_cross_core", "pto.wait_cross_core",
    "pto.set_intra_core", "pto.wait_intra_core", "pto.set_ffts", "pto.wait_flag_dev",
})  # fmt: skip
"""Operations that order the work of several units; another unit may read or write memory behind them."""

SCOPES = frozenset({"pto.vecscope", "pto.strict_vecscope"})

_COMPUTING = ("arith.", "math.", "index.", "affine.apply", "affine.min", "affine.max")
_ADDRESSES = frozenset({
    "pto.pointer_cast", "pto.castptr", "pto.addptr", "memref.cast", "memref.subview", "memref.memory_space_cast",
    "memref.reinterpret_cast", "memref.dim", "builtin.unrealized_conversion_cast", "pto.get_block_idx",
    "pto.get_subblock_idx", "pto.get_block_num", "pto.get_subblock_num",
})  # fmt: skip
_CLONED = ("arith.", "math.", "index.")
_CLONED_OPS = frozenset({
    "pto.pointer_cast", "pto.castptr", "pto.addptr", "memref.cast", "memref.subview", "pto.vmi.create_mask",
    "pto.vmi.constant_mask", "pto.vmi.create_group_mask", "pto.vmi.pset", "pto.vmi.pge", "pto.vmi.mask_and",
    "pto.vmi.mask_or", "pto.vmi.mask_xor", "pto.vmi.mask_not", "pto.vmi.vbrc", "pto.vmi.constant", "pto.vmi.vci",
    "pto.vmi.broadcast", "pto.vmi.iota",
})  # fmt: skip


def is_pure(node: OpNode) -> bool:
    """Whether an operation does nothing but compute its results from its operands."""
    if node.op.regions:
        return False
    name = node.name
    if name in COPIES or name in SYNCHRONISATION:
        return False
    if name.startswith(_COMPUTING) or name in _ADDRESSES:
        return True
    return name.startswith("pto.vmi.") and node.spec is not None and node.spec.effect is Effect.PURE


def is_free(node: OpNode) -> bool:
    """Whether an operation computes addresses, numbers, masks or constants: what common-subexpression elimination
    merges, and what may be made again where it is needed.
    """
    return is_pure(node) and (node.name.startswith(_CLONED) or node.name in _CLONED_OPS)


def is_terminator(node: OpNode) -> bool:
    """Whether an operation ends a block."""
    return node.name in (
        "pto.yield", "scf.yield", "scf.condition", "func.return", "cf.br", "cf.cond_br", "cf.switch",
    )  # fmt: skip
