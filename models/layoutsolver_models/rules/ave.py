"""Layout rules of HIVMAVE: which layouts each family of `ave.hir` operations accepts, and what that makes of it.

Each table restates one `solveProblem` function of AnalyzeVectorLayout.cpp as measured on the released analyzer 1.2.0;
where the dialect's layout document says otherwise, the code decides. Rows stand in the order in which the analyzer
tries them, which is its order of preference.
"""

from __future__ import annotations

from layoutsolver_models.rules.row import LayoutRule, table

_CODE = "AnalyzeVectorLayout.cpp#solveProblem"

PREDICATE = table("AVE.PRED", "predicate", f"{_CODE}(VFPgeOp, VFPltOp)", "pres", [
    (0, "b8", "pb8"), (0, "b16", "pb16"), (0, "b32", "pb32"),
])  # fmt: skip

LOAD = table("AVE.LOAD", "load", f"{_CODE}(VFLoadOp)", "res", [
    (1, "b8", "pb8"), (1, "b16", "pb16"), (1, "b32", "pb32"),
    (8, "b8", "norm"), (8, "b8_2vl", "pk"), (8, "b8_4vl", "pk4"),
    (16, "b16", "norm"), (16, "b16_2vl", "pk"),
    (32, "b32", "norm"),
])  # fmt: skip

STORE = table("AVE.STORE", "store", f"{_CODE}(VFMaskedStoreOp)", "val mask", [
    (1, "b8 b8", "pb8"), (1, "b16 b16", "pb16"), (1, "b32 b32", "pb32"),
    (8, "b8 b8", "norm"), (8, "b8_2vl b16", "pk"), (8, "b8_4vl b32", "pk4"),
    (16, "b16 b16", "norm"), (16, "b16_2vl b32", "pk"),
    (32, "b32 b32", "norm"),
])  # fmt: skip

STRIDED_STORE = table("AVE.VSSTB", "strided_store", f"{_CODE}(VFStoreWithStrideOp)", "val mask", [
    (8, "b8 b8", "norm"), (8, "b8_2vl b8", "dintlv2"), (8, "b8_4vl b8", "dintlv4"),
    (16, "b16 b16", "norm"), (16, "b16_2vl b16", "dintlv2"),
    (32, "b32 b32", "norm"),
])  # fmt: skip

BROADCAST = table("AVE.BRC", "broadcast", f"{_CODE}(VFBroadcastScalarOp)", "res mask", [
    (8, "b8 b8", "none"), (8, "b8_2vl b16", "none"), (8, "b8_4vl b32", "none"),
    (16, "b16 b16", "none"), (16, "b16_2vl b32", "none"),
    (32, "b32 b32", "none"),
])  # fmt: skip

SPLAT = table("AVE.SPLAT", "splat", f"{_CODE}(VFScalarBroadcastOp)", "res", [
    (1, "b8", "none"), (1, "b16", "none"), (1, "b32", "none"),
    (8, "b8", "none"), (8, "b8_2vl", "none"), (8, "b8_4vl", "none"),
    (16, "b16", "none"), (16, "b16_2vl", "none"),
    (32, "b32", "none"),
])  # fmt: skip

RAMP = table("AVE.VCI", "ramp", f"{_CODE}(VFVciOp)", "res", [
    (8, "b8", "none"), (8, "b8_2vl", "intlv2"), (8, "b8_4vl", "intlv4"),
    (16, "b16", "none"), (16, "b16_2vl", "intlv2"),
    (32, "b32", "none"),
])  # fmt: skip

ELEMENTWISE = table("AVE.ELT", "elementwise", "AnalyzeVectorLayout.cpp#solveMaskProblem", "data mask", [
    (1, "b8 b8", "none"), (1, "b16 b16", "none"), (1, "b32 b32", "none"),
    (8, "b8 b8", "none"), (8, "b8_2vl b16", "none"), (8, "b8_4vl b32", "none"),
    (16, "b16 b16", "none"), (16, "b16_2vl b32", "none"),
    (32, "b32 b32", "none"),
])  # fmt: skip

COMPARE = table("AVE.VCMP", "compare", f"{_CODE}(VFCmpOp)", "pres data mask", [
    (32, "b32 b32 b32", "none"),
    (16, "b32 b16_2vl b32", "none"), (16, "b16 b16 b16", "none"),
    (8, "b32 b8_4vl b32", "none"), (8, "b16 b8_2vl b16", "none"), (8, "b8 b8 b8", "none"),
])  # fmt: skip

COMPARE_SCALAR = table(
    "AVE.VCMPS", "compare_scalar", "AnalyzeVectorLayout.cpp#solveMaskProblem", "pres data mask", [
    (8, "b8 b8 b8", "none"), (16, "b16 b16 b16", "none"), (32, "b32 b32 b32", "none"),
])  # fmt: skip

TRUNCATE = table("AVE.TRUNC", "truncate", "AnalyzeVectorLayout.cpp#solveTruncProblem", "res src mask", [
    (32, "b32 b32 b32", "even"), (32, "b16_2vl b32 b32", "even"), (32, "b8_4vl b32 b32", "even"),
    (16, "b8_2vl b16 b16", "even"), (16, "b8_4vl b16_2vl b32", "even"),
])  # fmt: skip

TRUNCATE_C2C = table("AVE.C2C", "truncate_c2c", "AnalyzeVectorLayout.cpp#solveTruncProblem", "res src mask", [
    (0, "b16 b32 b32", "c2c"), (0, "b8 b16 b16", "c2c"),
])  # fmt: skip

EXTEND = table("AVE.EXT", "extend", "AnalyzeVectorLayout.cpp#solveExtProblem", "res src mask", [
    (8, "b16 b8_2vl b16", "even"), (8, "b16_2vl b8_4vl b32", "even"), (8, "b32 b8_4vl b32", "even"),
    (16, "b32 b16_2vl b32", "even"),
    (32, "b32 b32 b32", "even"),
])  # fmt: skip

GATHER = table("AVE.GATHER", "gather", f"{_CODE}(VFGatherOp)", "res index_vec mask", [
    (16, "b8_2vl b16 b8", "none"), (16, "b8_2vl b16 b16", "none"),
    (16, "b16 b16 b16", "none"),
    (16, "b16_2vl b16 b16", "intlv2"), (16, "b16_2vl b16_2vl b32", "none"),
    (32, "b16_2vl b32 b32", "none"),
    (32, "b32 b32 b32", "none"),
], {
    "AVE.GATHER.16.B8_2VL": "request r is governed by bit 2r of the mask, where a b8 mask has element 2r",
})  # fmt: skip

SCATTER = table("AVE.SCATTER", "scatter", "mirror of AVE.GATHER for stores", "val index_vec mask", [
    (32, "b16_2vl b32 b32", "none"),
    (32, "b32 b32 b32", "none"),
])  # fmt: skip

_INTLV = "AnalyzeVectorLayout.cpp#solveLayoutChangeProblem"

INTERLEAVE = table("AVE.INTLV", "interleave", _INTLV, "res src", [
    (8, "b8 b8", "none"), (16, "b16 b16", "none"), (32, "b32 b32", "none"),
    (8, "b8_2vl b8", "intlv2"), (8, "b8_4vl b8", "intlv4"), (16, "b16_2vl b16", "intlv2"),
])  # fmt: skip

INTERLEAVE_DENSE = table("AVE.INTLV.DENSE", "interleave_dense", _INTLV, "res src", [
    (0, "b16 b16_2vl", "none"), (0, "b8_2vl b8_4vl", "none"), (0, "b8 b8_2vl", "none"),
])  # fmt: skip

INTERLEAVE_SPARSE = table("AVE.INTLV.SPARSE", "interleave_sparse", _INTLV, "res src", [
    (0, "b16_2vl b16", "none"), (0, "b8_2vl b8", "none"), (0, "b8_4vl b8_2vl", "none"),
])  # fmt: skip

SAME = table("AVE.SAME", "same", "AnalyzeVectorLayout.cpp#solveProblemDefault", "value", [
    (0, layout, "none") for layout in ("b8", "b8_2vl", "b8_4vl", "b16", "b16_2vl", "b32")
])  # fmt: skip

BITCAST = table("AVE.BITCAST", "bitcast", "bytes keep their places when the element width changes", "res src", [
    (0, a + " " + b, "none") for a in ("b8", "b16", "b32") for b in ("b8", "b16", "b32") if a != b
])  # fmt: skip

_EXIT = (
    ("dintlv2", "b16:b8 b8_2vl:b8 b32:b16 b8_4vl:b16 b16_2vl:b16 b8_2vl:b16 b16_2vl:b32"),
    ("dintlv4", "b32:b8 b8_4vl:b8 b16_2vl:b8 b8_4vl:b32"),
    ("intlv2", "b8:b8_2vl b8:b16 b16:b32 b8_2vl:b32 b16:b8_4vl b8_2vl:b8_4vl b16:b16_2vl b8_2vl:b16_2vl "
               "b16:b8_2vl b32:b16_2vl"),
    ("intlv4", "b8:b32 b8:b8_4vl b8:b16_2vl b32:b8_4vl"),
)  # fmt: skip


def _exit_rows() -> list[tuple[int, str, str]]:
    """Result and source layouts of the exit cast: first pair listed wins, every other pair changes nothing."""
    known: dict[str, str] = {}
    for dist, listed in _EXIT:
        for pair in listed.split():
            known.setdefault(pair, dist)
    names = ("b8", "b8_2vl", "b8_4vl", "b16", "b16_2vl", "b32")
    pairs = [f"{res}:{src}" for src in names for res in names]
    return [(0, pair.replace(":", " "), known.get(pair, "none")) for pair in pairs]


LAYOUT_CAST = table(
    "AVE.LCAST", "layout_cast", f"{_CODE}(VectorLayoutCastOp)", "res src", _exit_rows(), {
        "AVE.LCAST.B8_4VL.2": "nothing gives the elements the room that the layout of the result says they have",
})  # fmt: skip

AVE_RULES: tuple[LayoutRule, ...] = (
    *PREDICATE, *LOAD, *STORE, *STRIDED_STORE, *BROADCAST, *SPLAT, *RAMP, *ELEMENTWISE, *COMPARE,
    *COMPARE_SCALAR, *TRUNCATE, *TRUNCATE_C2C, *EXTEND, *GATHER, *SCATTER, *INTERLEAVE, *INTERLEAVE_DENSE,
    *INTERLEAVE_SPARSE, *SAME, *BITCAST, *LAYOUT_CAST,
)  # fmt: skip
"""All rules, table by table."""
