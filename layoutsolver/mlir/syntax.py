"""What the structural reader must know of names: the few that MLIR lets stand without a dialect, and region ops."""

from __future__ import annotations

UNDOTTED_OPS = frozenset(
    {
        "module", "unrealized_conversion_cast", "func", "return", "call", "call_indirect", "constant",
        "br", "cond_br", "switch", "yield",
    }
)  # fmt: skip
"""Operations of default dialects, which the custom form prints without their dialect's name."""

FULL_NAMES = {
    "module": "builtin.module",
    "unrealized_conversion_cast": "builtin.unrealized_conversion_cast",
    "func": "func.func",
    "return": "func.return",
    "call": "func.call",
    "call_indirect": "func.call_indirect",
    "constant": "func.constant",
    "br": "cf.br",
    "cond_br": "cf.cond_br",
    "switch": "cf.switch",
    "yield": "scf.yield",
}
"""The full name of each undotted operation."""

REGION_OPS = frozenset(
    {
        "module", "builtin.module", "func.func", "func", "scf.for", "scf.if", "scf.while", "scf.parallel",
        "scf.forall", "scf.execute_region", "scf.index_switch", "affine.for", "affine.if", "affine.parallel",
        "linalg.generic", "linalg.map", "linalg.reduce", "llvm.func", "gpu.module", "gpu.func", "tensor.generate",
        "pto.vecscope", "pto.strict_vecscope", "pto.fusion_region", "pto.section.vector", "pto.section.cube",
        "memref.alloca_scope", "async.execute", "vector.mask",
    }
)  # fmt: skip
"""Operations whose empty or one-word braces are a region; anything else in braces is told apart by its content."""

CONTINUES = frozenset({",", "=", ":", "->", "(", "[", "{", "<"})
"""Behind one of these tokens, a line break does not end an operation."""


def full_name(name: str) -> str:
    """The name with its dialect: `call` becomes `func.call`; other names stay as they are."""
    return FULL_NAMES.get(name, name)
