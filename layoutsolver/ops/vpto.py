"""The VPTO operations of PTOAS: one vector instruction each, and what stands around them.

`rule` is the pipe that an instruction goes to; nothing of it is a layout question any more.
"""

from __future__ import annotations

from layoutsolver.ops.forms import Form, form, spec
from layoutsolver.ops.spec import Effect, Kind, OpSpec, Role

_SOURCE = "VPTOOps.td"
_READ, _WRITE, _ORDER = Effect.READ, Effect.WRITE, Effect.ORDER
_MEMORY = {"source": Kind.POINTER}
_MASKS = dict.fromkeys(("input", "result", "src0", "src1", "lhs", "rhs", "low", "high", "value"), Kind.MASK)
_ALIGN = {"result": Kind.ANY, "value": Kind.ANY}
_SCALAR = {"value": Kind.SCALAR, "index": Kind.SCALAR}
_BASE = {"result": Kind.ANY, "input": Kind.ANY}

LOAD_DISTS = (
    "NORM", "BRC_B8", "BRC_B16", "BRC_B32", "BRC_BLK", "UNPK_B8", "UNPK_B16", "UNPK_B32", "UNPK4", "US_B8", "US_B16",
    "DS_B8", "DS_B16", "E2B_B16", "E2B_B32", "SPLT4CHN", "SPLT2CHN_B8", "SPLT2CHN_B16",
)  # fmt: skip
PAIR_LOAD_DISTS = ("DINTLV_B8", "DINTLV_B16", "DINTLV_B32", "BDINTLV")
STORE_DISTS = (
    "NORM_B8", "NORM_B16", "NORM_B32", "1PT_B8", "1PT_B16", "1PT_B32", "PK_B16", "PK_B32", "PK_B64", "PK4_B32",
    "MRG4CHN_B8", "MRG2CHN_B8", "MRG2CHN_B16",
)  # fmt: skip
PAIR_STORE_DISTS = ("INTLV_B8", "INTLV_B16", "INTLV_B32")
PATTERNS = (
    "PAT_ALL", "PAT_ALLF", "PAT_VL1", "PAT_VL2", "PAT_VL3", "PAT_VL4", "PAT_VL8", "PAT_VL16", "PAT_VL32", "PAT_VL64",
    "PAT_VL128", "PAT_H", "PAT_Q", "PAT_M3", "PAT_M4",
)  # fmt: skip
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
BARRIERS = (
    "VV_ALL", "VST_VLD", "VLD_VST", "VST_VST", "VS_ALL", "VST_LD", "VLD_ST", "VST_ST", "SV_ALL", "ST_VLD", "LD_VST",
    "ST_VST",
)  # fmt: skip

STRINGS: dict[tuple[str, str], tuple[str, ...]] = {
    **{("vldsx2", "dist"): PAIR_LOAD_DISTS, ("vstsx2", "dist"): PAIR_STORE_DISTS},
    **{(name, "dist"): ("NORM", "US", "DS") for name in ("plds", "pldi")},
    **{(name, "dist"): ("NORM", "PK") for name in ("psts", "psti")},
    **{(f"{name}_{width}", "pattern"): PATTERNS for name in ("pset", "pge") for width in ("b8", "b16", "b32")},
    **{(name, "part"): ("LOWER", "HIGHER") for name in ("ppack", "punpack", "vpack")},
    **{(name, "cmp_mode"): COMPARISONS for name in ("vcmp", "vcmps")},
    ("vexpdif", "part"): ("EVEN", "ODD"),
    ("vtrc", "round_mode"): ("R", "A", "F", "C", "Z"),
    ("mem_bar", "kind"): BARRIERS,
}
"""The values of the inline strings, by mnemonic and kind."""

_B_WIDTHS = ("b8", "b16", "b32")


def _op(mnemonic: str, shape: Form, pipe: str, effect: Effect = Effect.PURE, attrs: str = "", same: str = "") -> OpSpec:
    return spec(f"pto.{mnemonic}", shape, pipe, effect, attrs, same, f"{_SOURCE}#{mnemonic}")


def _store(operands: str, kinds: dict[str, Kind] | None = None) -> Form:
    """A store, whose updated base stands behind `->` if it is asked for."""
    return form(operands, "updated_base?", kinds)


def _by_shape(mnemonic: str, effect: Effect, operands: bool = True, results: bool = False) -> OpSpec:
    """An operation that is bound by its shape: its text follows no form, or is nothing to us."""
    many = (Role("operands", Kind.ANY, variadic=True),) if operands else ()
    out = (Role("results", Kind.ANY, variadic=True),) if results else ()
    return spec(f"pto.{mnemonic}", Form(many, out, ""), "around", effect, source="PTOOps.td")


_PREDICATES = (
    *(_op(f"{name}_{width}", form('"pattern"', "result", _MASKS), "predicate")
      for name in ("pset", "pge") for width in _B_WIDTHS),
    *(_op(f"plt_{width}", form("scalar", "mask scalar_out"), "predicate") for width in _B_WIDTHS),
    *(_op(f"pltm_{width}", form("loop bound", "mask"), "predicate") for width in _B_WIDTHS),
    *(_op(name, form('input "part"', "result", _MASKS), "predicate") for name in ("ppack", "punpack")),
    *(_op(f"{name}_{width}", form("lhs rhs", "low high", _MASKS), "predicate", same="lhs rhs low high")
      for name in ("pintlv", "pdintlv") for width in _B_WIDTHS),
    *(_op(name, form("src0 src1 mask", "result", _MASKS), "predicate", same="src0 src1 result")
      for name in ("pand", "por", "pxor", "psel")),
    _op("pnot", form("input mask", "result", _MASKS), "predicate", same="input result"),
    _op("pbitcast", form("input", "result", _MASKS), "free"),
    *(_op(name, form('source [offset] "dist"', "result updated_base?", {**_MASKS, **_MEMORY}), "load", _READ)
      for name in ("plds", "pldi")),
    *(_op(name, _store('value destination [offset] "dist"', _MASKS), "store", _WRITE) for name in ("psts", "psti")),
    _op("pstu", form("align_in value base", "align_out base_out", _MASKS), "store", _WRITE),
)  # fmt: skip

_LOADS = (
    _op("vlds", form("source [offset.]", "result updated_base?", _MEMORY), "load", _READ,
        f"dist:{'|'.join(LOAD_DISTS)}"),
    _op("vldsx2", form('source [offset] "dist"', "low high updated_base?", _MEMORY), "load", _READ, same="low high"),
    _op("vsldb", form("source block_stride repeat_stride mask", "result updated_base?", _MEMORY), "load", _READ),
    _op("vldas", form("source", "result", {**_MEMORY, **_ALIGN}), "load", _READ),
    _op("vldus", form("source align increment?", "result updated_align updated_base?", _MEMORY), "load", _READ),
    _op("uvld", form("source [offset.]", "result", _MEMORY), "load", _READ),
    *(_op(name, form("source offsets mask", "result", _MEMORY), "load", _READ)
      for name in ("vgather2", "vgatherb", "vgather2_bc")),
)  # fmt: skip

_STORES = (
    _op("vsts", _store("value destination [offset.] mask"), "store", _WRITE, f"dist:{'|'.join(STORE_DISTS)}"),
    _op("vstsx2", form('low high destination [offset] "dist" mask', ""), "store", _WRITE, same="low high"),
    _op("vsstb", _store("value destination block_stride repeat_stride mask"), "store", _WRITE),
    _op("vscatter", form("value destination offsets mask", ""), "store", _WRITE),
    _op("init_align", form("", "result", _ALIGN), "free"),
    _op("vstus", form("align_in offset value base", "align_out base_out?"), "store", _WRITE),
    _op("vstur", form('align_in value base "mode"', "align_out"), "store", _WRITE),
    _op("vstas", _store("value destination offset", _ALIGN), "store", _WRITE),
    _op("vstar", form("value destination", "", _ALIGN), "store", _WRITE),
    _op("sprclr", form('"spr"', ""), "store", _ORDER),
    *(_op(name, _store('"spr" destination [offset]'), "store", _WRITE) for name in ("sprsti", "sprsts")),
)  # fmt: skip

_REARRANGE = (
    *(_op(name, form("lhs rhs", "low high"), "execute", same="lhs rhs low high") for name in ("vintlv", "vdintlv")),
    _op("vselr", form("src0 src1", "result", {"src1": Kind.INDEX_VECTOR}), "execute", same="src0 result"),
    _op("vpack", form('src "part"', "result"), "execute"),
    *(_op(name, form("src part.", "result"), "execute") for name in ("vzunpack", "vsunpack")),
    _op("vselrv2", form("src0 src1", "result"), "execute"),
    *(_op(name, form('lhs rhs "part"', "result"), "execute", same="lhs rhs result")
      for name in ("vintlvv2", "vdintlvv2")),
    _op("vbitcast", form("input", "result"), "free"),
    _op("vsqz", form("input mask", "result"), "execute", same="input result"),
    _op("vusqz", form("src mask", "result"), "execute", same="src result"),
)  # fmt: skip

_UNARY = ("vabs", "vneg", "vexp", "vln", "vsqrt", "vrelu", "vnot")
_REDUCE = ("vcadd", "vcmax", "vcmin", "vcgadd", "vcgmax", "vcgmin", "vcpadd")
_BINARY = ("vadd", "vsub", "vmul", "vdiv", "vmax", "vmin", "vand", "vor", "vxor", "vshl", "vshr", "vprelu")
_WITH_SCALAR = ("vadds", "vmuls", "vmaxs", "vmins", "vshls", "vshrs", "vlrelu")

_ARITHMETIC = (
    *(_op(name, form("input mask", "result"), "execute", same="input result") for name in _UNARY),
    *(_op(name, form("input mask", "result"), "execute") for name in _REDUCE),
    *(_op(name, form("input mask", "value predicate"), "execute", same="input value") for name in ("vcbmax", "vcbmin")),
    *(_op(name, form("lhs rhs mask", "result"), "execute", same="lhs result") for name in _BINARY),
    *(_op(name, form("input scalar mask", "result"), "execute", same="input result") for name in _WITH_SCALAR),
    *(_op(name, form("acc lhs rhs mask", "result"), "execute", same="acc lhs rhs result")
      for name in ("vmula", "vmadd")),
    *(_op(name, form("lhs rhs", "result"), "execute") for name in ("vaddreluconv", "vmulconv")),
    _op("vaxpy", form("src0 src1 alpha mask", "result"), "execute", same="src0 src1 result"),
    _op("vmulscvt", form('input scalar mask "rnd" "part"', "result"), "execute"),
    _op("vmull", form("lhs rhs mask", "low high"), "execute", same="lhs rhs low high"),
    *(_op(name, form("lhs rhs mask", "result carry"), "execute", same="lhs rhs result") for name in ("vaddc", "vsubc")),
    *(_op(name, form("lhs rhs carry_in mask", "result carry"), "execute", same="lhs rhs result")
      for name in ("vaddcs", "vsubcs")),
    _op("vsel", form("src0 src1 mask", "result"), "execute", same="src0 src1 result"),
    _op("vcmp", form('src0 src1 mask "cmp_mode"', "result", {"result": Kind.MASK}), "execute", same="src0 src1"),
    _op("vcmps", form('src scalar mask "cmp_mode"', "result", {"result": Kind.MASK}), "execute"),
    _op("vdup", form("input mask", "result", {"input": Kind.ANY}), "execute", attrs="position:LOWEST|HIGHEST"),
    _op("vbr", form("value", "result", _SCALAR), "execute"),
    _op("vci", form("index", "result", _SCALAR), "execute", attrs="order:ASC|DESC"),
    _op("vexpdif", form('input max mask "part"', "result"), "execute", same="input max"),
    _op("vcvt", form("input mask", "result"), "execute",
        attrs="part:EVEN|ODD|P0|P1|P2|P3 rnd:R|A|F|C|Z|O|H sat:SAT|NOSAT"),
    _op("vtrc", form('input mask "round_mode"', "result"), "execute", same="input result"),
    *(_op(name, form("acc source mask bin", "result"), "execute", same="acc result")
      for name in ("chistv2", "dhistv2")),
)  # fmt: skip

_SORT = (
    _op("vbitsort", form("destination source indices repeat_times", "",
                         {**_MEMORY, "indices": Kind.POINTER, "repeat_times": Kind.INDEX}), "store", _WRITE),
    _op("vmrgsort4", form("destination source0 source1 source2 source3 count config", "",
                          {**{f"source{number}": Kind.POINTER for number in range(4)},
                           "count": Kind.SCALAR, "config": Kind.SCALAR}), "store", _WRITE),
)  # fmt: skip

_AROUND = (
    _op("castptr", form("input", "result", _BASE), "scalar"),
    _op("addptr", form("ptr offset.", "result", {"result": Kind.POINTER}), "scalar"),
    _op("mem_bar", Form((), (), '"kind" attrs | <kind> attrs'), "around", _ORDER),
    _by_shape("vecscope", Effect.CONTROL, operands=False),
    _by_shape("strict_vecscope", Effect.CONTROL),
    _by_shape("fusion_region", Effect.CONTROL, operands=False, results=True),
    _by_shape("yield", Effect.CONTROL),
    _by_shape("pointer_cast", Effect.PURE, results=True),
    *(_by_shape(name, _ORDER) for name in (
        "set_flag", "wait_flag", "set_flag_dyn", "wait_flag_dyn", "get_buf", "rls_buf", "get_buf_dyn", "rls_buf_dyn",
        "barrier")),
    *(_by_shape(name, _ORDER) for name in ("mte_gm_ub", "mte_ub_gm", "mte_ub_ub")),
)  # fmt: skip

VPTO_OPS: tuple[OpSpec, ...] = (*_PREDICATES, *_LOADS, *_STORES, *_REARRANGE, *_ARITHMETIC, *_SORT, *_AROUND)
"""All instructions that the vector code of a kernel is made of, and the operations that they stand among."""
