"""The operations of the Buckyball path: tiles, whole matrices, banks as SSA values, and single instructions.

Operands of tiles, of banks and of `mvin` and `mvout` are separated by blanks, those of the other instructions by
commas. An operation on banks results in the bank that it wrote (`mvout`: that it read), under another name.
`layoutsolver_models.buckyball.instructions` says which banks an instruction reads and writes, by role. `rule` names
what an operation is: a tile, a matrix, the management of banks, a bank operation, an instruction, an intrinsic.
"""

from __future__ import annotations

from layoutsolver.ops.spec import Attribute, Effect, Kind, OpSpec, Role

BUCKYBALL = "buckyball."
TILE = "tile."
BANK = "buckyball.bank_"
INTRINSIC = "buckyball.intr."

_READ, _WRITE, _ORDER = Effect.READ, Effect.WRITE, Effect.ORDER
_MEMORY = frozenset({"memref", "a", "b", "c", "input", "filter", "output"})


def _roles(names: str) -> tuple[Role, ...]:
    return tuple(
        Role(name.rstrip("?"), Kind.MEMREF if name in _MEMORY else Kind.SCALAR, False, name.endswith("?"))
        for name in names.split()
    )


def _spaced(names: str) -> str:
    """Operands separated by blanks, all types printed."""
    roles = names.split()
    return " ".join([*(f"${role}" for role in roles), "attrs", ":", *(f"type({role})" for role in roles)])


def _listed(names: str) -> str:
    """Operands separated by commas, one type for all."""
    roles = names.split()
    return " , ".join(f"${role}" for role in roles) + f" attrs : type({roles[0]})"


def _op(
    name: str,
    roles: str,
    assembly: str,
    rule: str,
    effect: Effect,
    result: str = "",
    attrs: tuple[Attribute, ...] = (),
    source: str = "",
) -> OpSpec:
    results = (Role("result", Kind.SCALAR),) if result else ()
    types = {"result": result} if result else {}
    return OpSpec(name, _roles(roles), results, assembly, rule, effect, (), types, f"buckyball {source}", attrs)


_SIZE = (Attribute("row", "int"), Attribute("col", "int"))

CONVERSIONS = ("fp2int", "int2fp", "int32_to_int8")
_CONVERT = "in out iter scale"
_TRANSPOSE = "in out iter mode"
_MUL = "op1 op2 wr iter mode"
_MATRIX = "op1 op2 wr config"
_IM2COL = "in out krow kcol inrow incol startrow startcol colStep"
_SQUARE = "in out iter ksize stride padding"
_ANY_IM2COL = "in out krow? kcol? inrow? incol? startrow? startcol? colStep? iter? ksize? stride? padding?"
_MOVE = "memref bank depth stride"
_RELU = "in out depth stride"

TILE_OPS: tuple[OpSpec, ...] = (
    _op("tile.tile_matmul", "a b c", _spaced("a b c"), "tile", _WRITE, source="2.1"),
    _op("tile.tile_transpose", "a b", _spaced("a b"), "tile", _WRITE, source="2.1"),
    _op("tile.tile_conv2d", "input filter output", _spaced("input filter output"), "tile", _WRITE, source="2.1"),
)

MATRIX_OPS: tuple[OpSpec, ...] = (
    _op("buckyball.matmul", "a b c", _spaced("a b c"), "matrix", _WRITE, source="2.2"),
    _op("buckyball.matrix_matmul", "a b c", _spaced("a b c"), "matrix", _WRITE, attrs=(Attribute("ws", "any"),),
        source="2.2"),
    _op("buckyball.mem_transpose", "a b", _spaced("a b"), "matrix", _WRITE, source="2.2"),
    _op("buckyball.im2col_matmul", "input filter output", _spaced("input filter output"), "matrix", _WRITE,
        attrs=tuple(Attribute(name, "int") for name in ("inSize", "ksize", "n", "stride", "padding")), source="2.2"),
    _op("buckyball.print_memref", "memref", _spaced("memref"), "debug", _ORDER, source="2.2"),
    _op("buckyball.print_scalar", "scalar", _spaced("scalar"), "debug", _ORDER, source="2.2"),
    _op("buckyball.counter_start", "", "attrs", "debug", _ORDER, source="2.2"),
    _op("buckyball.counter_stop", "", "attrs", "debug", _ORDER, source="2.2"),
)  # fmt: skip

BANK_OPS: tuple[OpSpec, ...] = (
    _op("buckyball.bank_alloc", "", "attrs [: : type(result) :]", "banks", _ORDER, "result", _SIZE, "2.3"),
    _op("buckyball.bank_release", "bank", _spaced("bank"), "banks", _ORDER, source="2.3"),
    _op("buckyball.bank_mvin", _MOVE, _spaced(_MOVE), "bank", _READ, "bank", source="2.3"),
    _op("buckyball.bank_mvout", _MOVE, _spaced(_MOVE), "bank", _WRITE, "bank", source="2.3"),
    *(_op(f"buckyball.bank_{name}", _CONVERT, _spaced(_CONVERT), "bank", _ORDER, "out", source="2.3")
      for name in (*CONVERSIONS, "quant", "dequant")),
    _op("buckyball.bank_transpose", _TRANSPOSE, _spaced(_TRANSPOSE), "bank", _ORDER, "out", source="2.3"),
    _op("buckyball.bank_relu", _RELU, _spaced(_RELU), "bank", _ORDER, "out", source="5.4"),
    _op("buckyball.bank_mul_warp16", _MUL, _spaced(_MUL), "bank", _ORDER, "wr", source="2.3"),
    _op("buckyball.bank_matrix", _MATRIX, _spaced(_MATRIX), "bank", _ORDER, "wr", source="2.3"),
    _op("buckyball.bank_im2col", _ANY_IM2COL, f"{_spaced(_IM2COL)} | {_spaced(_SQUARE)}", "bank", _ORDER, "out",
        source="2.3"),
    _op("buckyball.fence", "", "attrs", "instruction", _ORDER, source="2.3"),
    _op("buckyball.barrier", "", "attrs", "instruction", _ORDER, source="3.1"),
)  # fmt: skip

INSTRUCTION_OPS: tuple[OpSpec, ...] = (
    _op("buckyball.mset", "bank", _spaced("bank"), "banks", _ORDER,
        attrs=(Attribute("alloc", "any"), *_SIZE, Attribute("clear", "any")), source="2.4"),
    _op("buckyball.mvin", _MOVE, _spaced(_MOVE), "instruction", _READ, source="2.4"),
    _op("buckyball.mvout", _MOVE, _spaced(_MOVE), "instruction", _WRITE, source="2.4"),
    *(_op(f"buckyball.{name}", _CONVERT, _listed(_CONVERT), "instruction", _ORDER, source="2.4")
      for name in (*CONVERSIONS, "quant", "dequant")),
    _op("buckyball.transpose", _TRANSPOSE, _listed(_TRANSPOSE), "instruction", _ORDER, source="2.4"),
    _op("buckyball.relu", _RELU, _listed(_RELU), "instruction", _ORDER, source="2.4"),
    _op("buckyball.mul_warp16", _MUL, _listed(_MUL), "instruction", _ORDER, source="2.4"),
    *(_op(f"buckyball.{name}", _MATRIX, _listed(_MATRIX), "instruction", _ORDER, source="2.4")
      for name in ("matrix", "systolic", "bbfp_mul")),
    _op("buckyball.im2col", _ANY_IM2COL, f"{_listed(_IM2COL)} | {_listed(_SQUARE)}", "instruction", _ORDER,
        source="2.4"),
    _op("buckyball.inst", "rs1 rs2", "$rs1 , $rs2 attrs : type(rs1)", "intrinsic", _ORDER,
        attrs=(Attribute("funct7", "int", required=True),), source="2.2"),
)  # fmt: skip

INTRINSIC_OPS: tuple[OpSpec, ...] = (
    *(_op(f"buckyball.intr.{name}", "rs1 rs2", "generic", "intrinsic", _ORDER, source="2.4")
      for name in ("mset", "fence", "mvin", "mvout", "mul.warp16", "transpose", "im2col", "fp2int", "int2fp", "relu",
                   "bbfp.mul")),
    _op("buckyball.intr.custom", "rs1 rs2", "$rs1 , $rs2 attrs : type(rs1) , type(rs2)", "intrinsic", _ORDER,
        attrs=(Attribute("funct7", "int", required=True),), source="2.4"),
)  # fmt: skip

BUCKYBALL_OPS: tuple[OpSpec, ...] = (*TILE_OPS, *MATRIX_OPS, *BANK_OPS, *INSTRUCTION_OPS, *INTRINSIC_OPS)
"""All operations of the path, in its order."""

LATER_OPS = frozenset(
    f"buckyball.{name}" for name in (
        "smatmul", "bank_transfer", "bank_kernel", "mset_transfer", "bank_vecmat16", "vecmat16", "bank_smatmul",
    )
)  # fmt: skip
"""Operations of revisions that came later, which are known and not supported."""
