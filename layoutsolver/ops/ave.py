"""The `ave.hir` operations of AscendNPU-IR's HIVMAVE dialect.

Syntax and verifier facts: the dialect's operation definitions and the released analyzer, version 1.2.0. Every row
names the layout rule family that decides it (`layoutsolver_models.rules.ave`).
"""

from __future__ import annotations

from layoutsolver.ops.spec import Effect, Kind, OpSpec, Role

_KINDS = {
    "base": Kind.MEMREF, "indices": Kind.INDEX, "stride": Kind.INDEX, "offset": Kind.INDEX, "ub": Kind.INDEX,
    "true_shape": Kind.INDEX, "new_true_shape": Kind.INDEX, "mask": Kind.MASK, "scalar": Kind.SCALAR,
    "sign": Kind.SCALAR, "slide": Kind.SCALAR, "barrier": Kind.SCALAR, "index_vec": Kind.INDEX_VECTOR,
    "pred": Kind.MASK, "plhs": Kind.MASK, "prhs": Kind.MASK, "pres": Kind.MASK,
}  # fmt: skip

_SOURCE = "HIVMAVEOps.td"

_ROUNDINGS = ("rint", "round", "floor", "ceil", "trunc", "odd", "truncwithoverflow")
_PARTS = ("part_even", "part_odd")

ENUMERATORS: dict[tuple[str, str], tuple[str, ...]] = {
    ("vload", "dist"): (
        "NORM", "BRC_B8", "BRC_B16", "BRC_B32", "US_B8", "US_B16", "DS_B8", "DS_B16", "BDINTLV", "DINTLV_B8",
        "DINTLV_B16", "UNPK_B8", "UNPK_B16", "BLK", "E2B_B16", "E2B_B32", "UNPK_B32", "DINTLV_B32", "UNPK4_B8",
        "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16", "US", "DS", "PK", "BRC_B64",
    ),
    ("masked_store", "dist"): (
        "NORM_B8", "NORM_B16", "NORM_B32", "ONEPT_B8", "ONEPT_B16", "ONEPT_B32", "PK_B16", "PK_B32", "INTLV_B8",
        "INTLV_B16", "PK_B64", "INTLV_B32", "PK4_B32", "MRG4CHN_B8", "MRG2CHN_B8", "MRG2CHN_B16", "NORM_B64",
        "ONEPT_B64",
    ),
    ("pge", "pattern"): (
        "ALL", "VL1", "VL2", "VL3", "VL4", "VL8", "VL16", "VL32", "VL64", "VL128", "M3", "M4", "H", "Q", "ALLF",
    ),
    **{(f"preg.{op}", "width"): ("b8", "b16", "b32", "undef") for op in ("not", "and", "or", "xor")},
    ("preg.cast", "mode"): ("UNPK_B8", "UNPK_B16", "UNPK4_B8", "PK_B16", "PK_B32", "PK4_B32"),
    ("vci", "order"): ("INCREASE", "DECREASE"),
    **{(op, "predicate"): ("EQ", "NE", "GT", "GE", "LT", "LE", "ULE", "UGE", "ULT", "UGT") for op in ("vcmp", "vcmps")},
    ("reduction", "kind"): ("add", "min", "max", "xori", "umin", "umax"),
    **{(op, "rnd"): _ROUNDINGS for op in ("vtruncf", "vfptosi", "vfptoui", "vtrc")},
    **{(op, "part"): _PARTS for op in ("vextf", "vtruncf", "vfptoui", "vuitofp")},
}  # fmt: skip
"""The enumerators that stand in angle brackets, by mnemonic and kind. Source: HIVMAVEAttrs.td."""


def _role(name: str) -> Role:
    plain = name.rstrip("*?")
    return Role(plain, _KINDS.get(plain, Kind.VECTOR), name.endswith("*"), name.endswith("?"))


def _row(
    mnemonic: str,
    operands: str,
    results: str,
    assembly: str,
    rule: str,
    effect: Effect = Effect.PURE,
    same: str = "",
    types: str = "",
) -> OpSpec:
    """A table row; `types` reads `result=operand` for results whose type the text does not print."""
    return OpSpec(
        f"ave.hir.{mnemonic}",
        tuple(_role(name) for name in operands.split()),
        tuple(_role(name) for name in results.split()),
        assembly,
        rule,
        effect,
        tuple(same.split()),
        dict(pair.split("=") for pair in types.split()),
        f"{_SOURCE}#{mnemonic}",
    )


_UNARY = ("vabs", "vneg", "vnot", "vexp", "vsqrt", "vrsqrt", "vln", "vrelu")
_BINARY = (
    "vadd", "vsub", "vmul", "vdiv", "vdivf", "vdivfhp", "vmod", "vmodui", "vmax", "vmin", "vsmax", "vsmin",
    "vumax", "vumin", "vand", "vor", "vxor", "vabs_diff", "vsadd", "vssub", "vrnd", "vprelu", "vexpdif",
)  # fmt: skip
_SHIFT = ("vshl", "vshr")
_VECTOR_SCALAR = (
    "vadds", "vmuls", "vlrelus", "vmaxs", "vmins", "vsmaxs", "vsmins", "vumaxs", "vumins",
)  # fmt: skip
_SHIFT_SCALAR = ("vshls", "vshrs")
SCALAR_FORMS = (*_VECTOR_SCALAR, *_SHIFT_SCALAR)
"""Operations on a vector and a scalar that make such a vector."""

_MEMORY = (
    _row("vload", "base indices*", "res res1?",
         "<dist> $base [ $indices* ] attrs : type(base) into type(res) [: , type(res1) :]", "load", Effect.READ),
    _row("masked_store", "base indices* mask val", "",
         "<dist> $base [ $indices* ] , $mask , $val attrs : type(base) , type(mask) , type(val)",
         "store", Effect.WRITE),
    _row("store_with_stride", "base indices* stride mask val", "",
         "$base [ $indices* ] , $stride , $mask , $val attrs : type(base) , type(mask) , type(val)",
         "strided_store", Effect.WRITE),
    _row("unaligned.masked.store", "base indices* mask val", "",
         "$base [ $indices* ] , $mask , $val attrs : type(base) , type(mask) , type(val)",
         "unaligned_store", Effect.WRITE),
    _row("vgather", "base indices* index_vec mask", "res",
         "$base [ $indices* ] [ $index_vec ] , $mask attrs : "
         "type(base) , type(index_vec) , type(mask) into type(res)", "gather", Effect.READ),
    _row("vscatter", "base indices* index_vec mask val", "",
         "$base [ $indices* ] [ $index_vec ] , $mask , $val attrs : "
         "type(base) , type(index_vec) , type(mask) , type(val)", "scatter", Effect.WRITE),
    _row("membar", "barrier", "", "$barrier attrs [: : type(barrier) :]", "none", Effect.ORDER),
)  # fmt: skip

_MASKS = (
    _row("pge", "", "pres", "<pattern> attrs : type(pres)", "predicate"),
    _row("plt", "true_shape", "pres new_true_shape",
         "$true_shape attrs : type(pres) , type(new_true_shape)", "predicate"),
    _row("pltm", "offset ub", "pres", "$offset , $ub attrs : type(pres)", "predicate_pair"),
    _row("preg.not", "pred mask", "pres", "<width> $pred , $mask attrs : type(pred)", "elementwise",
         same="pred mask pres", types="pres=pred"),
    *(_row(name, "plhs prhs mask", "pres", "<width> $plhs , $prhs , $mask attrs : type(plhs)", "elementwise",
           same="plhs prhs mask pres", types="pres=plhs") for name in ("preg.and", "preg.or", "preg.xor")),
    _row("preg.cast", "pred", "pres", "$pred <mode> attrs : type(pred) -> type(pres)", "predicate_cast"),
)  # fmt: skip

_CREATE = (
    _row("broadcast", "scalar mask", "res", "$scalar , $mask attrs : type(scalar) , type(mask) -> type(res)",
         "broadcast"),
    _row("scalar_broadcast", "scalar", "res", "$scalar attrs : type(scalar) -> type(res)", "splat"),
    _row("vector_broadcast", "src mask", "res",
         "$src , $mask , bool attrs : type(src) , type(mask) -> type(res)", "elementwise"),
    _row("vci", "scalar", "res", "$scalar , <order> attrs : type(scalar) , type(res)", "ramp"),
)  # fmt: skip

_ARITHMETIC = (
    *(_row(name, "src mask", "res", "$src , $mask attrs : type(src) , type(mask)", "elementwise",
           same="src res", types="res=src") for name in _UNARY),
    *(_row(name, "lhs rhs mask", "out", "$lhs , $rhs , $mask attrs : type(lhs) , type(mask)", "elementwise",
           same="lhs rhs out", types="out=lhs") for name in _BINARY),
    *(_row(name, "lhs rhs mask sign", "out", "$lhs , $rhs , $mask , $sign attrs : type(lhs) , type(mask)",
           "elementwise", same="lhs rhs out", types="out=lhs") for name in _SHIFT),
    *(_row(name, "vec scalar mask", "out",
           "$vec , $scalar , $mask attrs : type(vec) , type(scalar) , type(mask)",
           "elementwise", same="vec out", types="out=vec") for name in _VECTOR_SCALAR),
    *(_row(name, "vec scalar mask sign", "out",
           "$vec , $scalar , $mask , $sign attrs : type(vec) , type(scalar) , type(mask)",
           "elementwise", same="vec out", types="out=vec") for name in _SHIFT_SCALAR),
    _row("vmula", "src1 src2 src3 mask", "out", "$src1 , $src2 , $src3 , $mask attrs : type(src1) , type(mask)",
         "elementwise", same="src1 src2 src3 out", types="out=src1"),
    _row("mull", "src1 src2 mask", "res1 res2", "$src1 , $src2 , $mask attrs : type(src1) , type(mask)",
         "elementwise", same="src1 src2 res1 res2", types="res1=src1 res2=src1"),
    _row("reduction", "vector mask", "result",
         "<kind> , $vector , $mask attrs : type(vector) , type(mask) -> type(result)", "elementwise"),
    _row("vsel", "pred true_value false_value", "res",
         "$pred , $true_value , $false_value attrs : type(pred) , type(true_value)", "select",
         same="true_value false_value res", types="res=true_value"),
    _row("vcmp", "lhs rhs mask", "pres",
         "<predicate> $lhs , $rhs , $mask attrs : type(lhs) , type(mask) -> type(pres)", "compare"),
    _row("vcmps", "vec scalar mask", "pres",
         "<predicate> $vec , $scalar , $mask attrs : type(vec) , type(scalar) , type(mask) -> type(pres)",
         "compare_scalar"),
)  # fmt: skip

_CONVERT = (
    _row("vextf", "src mask", "res",
         "$src , <part> , $mask attrs : type(src) , type(res) , type(mask)", "convert"),
    *(_row(name, "src mask", "res", "$src , $mask attrs : type(src) , type(res) , type(mask)", "convert")
      for name in ("vextsi", "vextui")),
    _row("vtrunci", "src mask", "res",
         "$src , bool , $mask attrs : type(src) , type(res) , type(mask)", "truncate"),
    _row("vtruncf", "src mask", "res",
         "$src , <rnd> , bool , <part> , $mask attrs : type(src) , type(res) , type(mask)", "truncate"),
    _row("vfptosi", "src mask", "res",
         "$src , <rnd> , $mask attrs : type(src) , type(mask) , type(res)", "convert"),
    _row("vfptoui", "src mask", "res",
         "$src , <rnd> , bool , <part> , $mask attrs : type(src) , type(mask) , type(res)", "convert"),
    _row("vsitofp", "src mask", "res", "$src , $mask attrs : type(src) , type(mask) , type(res)", "convert"),
    _row("vuitofp", "src mask", "res",
         "$src , <part> , $mask attrs : type(src) , type(mask) , type(res)", "convert"),
    _row("vtrc", "src mask", "res",
         "$src , <rnd> , $mask attrs : type(src) , type(mask) , type(res)", "elementwise"),
)  # fmt: skip

_REARRANGE = (
    *(_row(name, "src1 src2", "res1 res2", "$src1 , $src2 attrs : type(src1) , type(res1)", "interleave",
           types="res2=res1") for name in ("vintlv", "vdintlv")),
    *(_row(name, "src", "res", "$src , int attrs : type(src) -> type(res)", "repack", same="src res")
      for name in ("vpack", "vunpack")),
    _row("vslide", "src1 src2 slide", "res",
         "$src1 , $src2 , $slide attrs : type(src1) , type(slide) -> type(res)", "slide", same="src1 src2 res"),
    _row("vector.layout_cast", "src", "res", "$src attrs : type(src) -> type(res)", "layout_cast"),
)  # fmt: skip

AVE_OPS: tuple[OpSpec, ...] = (*_MEMORY, *_MASKS, *_CREATE, *_ARITHMETIC, *_CONVERT, *_REARRANGE)
"""All operations of the dialect."""
