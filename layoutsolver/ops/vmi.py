"""The `pto.vmi` operations of PTOAS: those that kernels are written in, and those that the layout question is put on.

The unified operations (`v…`) are the surface; `layoutsolver.ops.vmi_canonical` says which of the others each of them
stands for. `rule` names the rule family (`layoutsolver_models.rules.vmi`), `-` where an operation is never asked
about because another one takes its place.
"""

from __future__ import annotations

from layoutsolver.ops.forms import GENERIC, Form, form, spec
from layoutsolver.ops.spec import Effect, Kind, OpSpec, Role

_SOURCE = "VMIOps.td"
_READ, _WRITE = Effect.READ, Effect.WRITE
_MEMORY = {"source": Kind.POINTER}
_SCALAR = {"value": Kind.ANY, "base": Kind.SCALAR}
_MASKS = {"lhs": Kind.MASK, "rhs": Kind.MASK, "source": Kind.MASK, "result": Kind.MASK}
_ANY = {"lhs": Kind.ANY, "rhs": Kind.ANY, "source": Kind.ANY, "result": Kind.ANY, "parts": Kind.ANY}

_PMODE = "pmode:zero|merge"
_CVT = "rounding:R|A|F|C|Z|O|H saturate:SAT|NOSAT"
_COMPARE = "eq|ne|lt|le|gt|ge|oeq|one|olt|ole|ogt|oge"

_LOAD = Form(
    (Role("source", Kind.POINTER), Role("offset", Kind.INDEX), Role("stride", Kind.INDEX, optional=True),
     Role("block_stride", Kind.SCALAR, optional=True), Role("repeat_stride", Kind.SCALAR, optional=True)),
    (Role("result", Kind.VECTOR), Role("high", Kind.VECTOR, optional=True)),
    " | ".join(
        f"$source [ $offset ]{behind} attrs : type(source) -> type(result) [: , type(high) :]"
        for behind in ("", " , $stride", " , $block_stride , $repeat_stride")
    ),
)  # fmt: skip
_STORE = Form(
    (Role("value", Kind.VECTOR), Role("high", Kind.VECTOR, optional=True), Role("destination", Kind.POINTER),
     Role("offset", Kind.INDEX), Role("stride", Kind.INDEX, optional=True),
     Role("block_stride", Kind.SCALAR, optional=True), Role("repeat_stride", Kind.SCALAR, optional=True),
     Role("mask", Kind.MASK, optional=True)),
    (),
    " | ".join(
        f"$value {high}, $destination [ $offset ] {behind}attrs : type(value) {high_type}, type(destination){mask_type}"
        for high, high_type in (("", ""), (", $high ", ", type(high) "))
        for behind, mask_type in (
            ("", ""), (", $mask ", " , type(mask)"), (", $stride ", ""), (", $stride , $mask ", " , type(mask)"),
            (", $block_stride , $repeat_stride ", ""),
            (", $block_stride , $repeat_stride , $mask ", " , type(mask)"),
        )
    ),
)  # fmt: skip
"""Which operand stands behind the brackets is told by how many types there are: strides print none."""


def _generic(operands: str, results: str, kinds: dict[str, Kind] | None = None) -> Form:
    """The roles of an operation that has no custom form."""
    return form(operands, results, kinds)._replace(assembly=GENERIC)


def _op(mnemonic: str, shape: Form, rule: str, effect: Effect = Effect.PURE, attrs: str = "", same: str = "") -> OpSpec:
    return spec(f"pto.vmi.{mnemonic}", shape, rule, effect, attrs, same, f"{_SOURCE}#{mnemonic}")


_BINARY = (
    "addf", "addi", "subf", "subi", "mulf", "muli", "divf", "minf", "maxf", "mini", "maxi", "andi", "ori",
    "xori", "shli", "shrui", "shrsi",
)  # fmt: skip
_UNARY = ("negf", "negi", "absf", "absi", "sqrt", "exp", "ln", "relu", "not")

_CREATE = (
    _op("constant", _generic("", "result"), "free", attrs="value:any!"),
    _op("broadcast", form("value", "result", _SCALAR), "free"),
    _op("iota", form("base", "result", _SCALAR), "iota", attrs="order:ASC|DESC"),
    _op("group_iota", form("base", "result", _SCALAR), "contiguous", attrs="group:int! order:ASC|DESC"),
    _op("create_mask", form("active_lanes", "result", _MASKS), "free_mask"),
    _op("create_group_mask", form("active_elems_per_group", "result", _MASKS), "free_mask",
        attrs="num_groups:int! group_size:int!"),
    _op("constant_mask", _generic("", "result", _MASKS), "free_mask", attrs="value:any!"),
)  # fmt: skip

_ELEMENTWISE = (
    *(_op(name, form("lhs rhs", "result", _MASKS), "same", same="lhs rhs result")
      for name in ("mask_and", "mask_or", "mask_xor")),
    _op("mask_not", form("source", "result", _MASKS), "same", same="source result"),
    *(_op(name, form("lhs rhs", "result"), "same", same="lhs rhs result") for name in _BINARY),
    *(_op(name, form("source", "result"), "same", same="source result") for name in _UNARY),
    _op("fma", form("lhs rhs acc", "result"), "same", same="lhs rhs acc result"),
    _op("cmpf", form('"predicate" lhs rhs', "result", {"result": Kind.MASK}), "same", same="lhs rhs"),
    _op("cmpi", form('"predicate" lhs rhs', "result", {"result": Kind.MASK}), "same", same="lhs rhs"),
    _op("select", form("mask true_value false_value", "result"), "same", same="true_value false_value result"),
)  # fmt: skip

_COMPRESSING = (
    _op("active_prefix_index", form("mask", "result"), "single"),
    _op("compress", form("source mask", "result"), "single", same="source result"),
    _op("compress_store", form("value destination [offset.] mask", ""), "single", _WRITE),
    _op("expand_load", form("source [offset.] mask passthru", "result", _MEMORY), "single", _READ),
)  # fmt: skip

_REDUCTIONS = (
    *(_op(f"reduce_{name}", form("source mask", "result"), "reduce", attrs="reassoc:unit" if name == "addf" else "")
      for name in ("addi", "addf", "maxf", "minf", "maxi", "mini")),
    *(_op(f"group_reduce_{name}", form("source mask", "result"), "group_reduce",
          attrs="num_groups:int!" + " reassoc:unit" * (name == "addf"))
      for name in ("addf", "maxf", "minf", "addi", "maxi", "mini")),
    _op("group_broadcast", form("source", "result"), "group_broadcast", attrs="num_groups:int!"),
    _op("vdhist", form("acc source mask", "result"), "histogram", same="acc result"),
    _op("vchist", form("acc source mask", "result"), "histogram", same="acc result"),
)  # fmt: skip

_CASTS = (
    *(_op(name, form("source", "result"), "cast", attrs=attrs) for name, attrs in (
        ("extf", ""), ("truncf", _CVT), ("fptosi", _CVT), ("fptoui", _CVT), ("sitofp", ""), ("extsi", ""),
        ("extui", ""), ("trunci", "saturate:SAT|NOSAT"))),
    _op("bitcast", form("source", "result"), "bitcast"),
)  # fmt: skip

_MEMORY_OPS = (
    _op("load", form("source [offset.]", "result", _MEMORY), "load", _READ),
    _op("deinterleave_load", form("source [offset.]", "low high", _MEMORY), "deinterleave_load", _READ),
    _op("group_load", form("source [offset.] row_stride.", "result", _MEMORY), "group_load", _READ, "num_groups:int!"),
    _op("group_slot_load", form("source [offset.] source_group_stride.", "result", _MEMORY), "group_slot_load", _READ,
        "num_groups:int!"),
    _op("group_broadcast_load", form("source [offset.] source_group_stride.", "result", _MEMORY),
        "group_broadcast_load", _READ, "num_groups:int!"),
    _op("stride_load", form("source [offset.] block_stride repeat_stride mask", "result", _MEMORY), "stride", _READ),
    _op("masked_load", form("source [offset.] mask passthru", "result", _MEMORY), "masked_load", _READ,
        same="passthru result"),
    _op("gather", form("source [indices] mask passthru", "result", _MEMORY), "gather", _READ, same="passthru result"),
    _op("store", form("value destination [offset.]", ""), "store", _WRITE),
    _op("interleave_store", form("low high destination [offset.]", ""), "interleave_store", _WRITE, same="low high"),
    _op("group_store", form("value destination [offset.] row_stride.", ""), "group_store", _WRITE, "num_groups:int!"),
    _op("masked_store", form("value destination [offset.] mask", ""), "masked_store", _WRITE),
    _op("stride_store", form("value destination [offset.] block_stride repeat_stride mask", ""), "stride", _WRITE),
    _op("scatter", form("value destination [indices] mask", ""), "gather", _WRITE),
)  # fmt: skip

_REARRANGE = (
    _op("shuffle", Form(*form("source", "result")[:2], "$source [...] attrs : type(source) -> type(result)"),
        "shuffle", attrs="indices:any"),
    _op("channel_split", _generic("source", "results*"), "channel_split"),
    _op("channel_merge", _generic("inputs*", "result"), "channel_merge"),
)  # fmt: skip

_HELPERS = (
    _op("ensure_layout", form("source", "result"), "identity"),
    _op("ensure_mask_layout", form("source", "result", _MASKS), "identity"),
    _op("ensure_mask_granularity", form("source", "result", _MASKS), "granularity"),
    _op("unpack", _generic("source", "parts*", _ANY), "registers"),
    _op("pack", _generic("parts*", "result", _ANY), "registers"),
)  # fmt: skip

_UNIFIED_CREATE = (
    _op("vbrc", form("value", "result", _SCALAR), "-", attrs="group:int"),
    _op("vci", form("base", "result", _SCALAR), "-", attrs="order:ASC|DESC group:int"),
    _op("pset", form('"pattern"', "result", _MASKS), "-", attrs="group:int"),
    _op("pge", form('"pattern"', "result", _MASKS), "-", attrs="group:int"),
    _op("plt", form("scalar", "mask scalar_out"), "-"),
)  # fmt: skip

_UNIFIED_ELEMENTWISE = (
    *(_op(name, form("lhs rhs mask?", "result"), "-", attrs=_PMODE, same="lhs rhs result")
      for name in ("vadd", "vsub", "vmul", "vdiv", "vmin", "vmax", "vshl", "vshr")),
    *(_op(name, form("source mask?", "result"), "-", attrs=_PMODE, same="source result")
      for name in ("vneg", "vabs", "vsqrt", "vexp", "vln", "vrelu")),
    *(_op(name, form("lhs rhs mask?", "result", _ANY), "-", attrs=_PMODE, same="lhs rhs result")
      for name in ("vand", "vor", "vxor")),
    _op("vnot", form("source mask?", "result", _ANY), "-", attrs=_PMODE, same="source result"),
    _op("vaddc", form("lhs rhs mask", "result carry"), "same", same="lhs rhs result"),
    _op("vaddcs", form("lhs rhs carry_in mask", "result carry"), "same", same="lhs rhs result"),
    _op("vcmp", form("lhs rhs seed", "result", {"result": Kind.MASK}), "-", attrs=f"cmp:{_COMPARE}! {_PMODE}",
        same="lhs rhs"),
    _op("vcmps", form("src scalar seed", "result", {"result": Kind.MASK}), "-", attrs=f"cmp:{_COMPARE}! {_PMODE}"),
    *(_op(name, form("src scalar mask", "result"), "same", attrs=_PMODE, same="src result")
      for name in ("vadds", "vmuls", "vmaxs", "vmins", "vshls", "vshrs")),
    _op("vsel", form("mask true_value false_value", "result"), "-", attrs=_PMODE,
        same="true_value false_value result"),
    _op("vexpdif", form("x max mask", "result"), "vexpdif", attrs=_PMODE, same="x max"),
    _op("vaxpy", _generic("x acc alpha mask", "result"), "-", attrs=_PMODE, same="x acc result"),
    _op("vlrelu", _generic("x slope mask", "result"), "-", attrs=_PMODE, same="x result"),
    _op("vprelu", form("x alpha mask", "result", {"alpha": Kind.VECTOR}), "-", attrs=_PMODE, same="x alpha result"),
    _op("vmula", form("acc lhs rhs mask?", "result"), "-", attrs=_PMODE, same="acc lhs rhs result"),
    _op("vmull", form("a b mask", "low high"), "same", attrs=_PMODE, same="a b low high"),
)  # fmt: skip

_UNIFIED_OTHER = (
    _op("vcadd", form("source mask", "result"), "-", attrs=f"group:int reassoc:unit {_PMODE}"),
    _op("vcmax", form("source mask", "result"), "-", attrs=f"group:int {_PMODE}"),
    _op("vcmin", form("source mask", "result"), "-", attrs=f"group:int {_PMODE}"),
    _op("vcvt", form("source", "result"), "-", attrs=f"{_CVT} {_PMODE}"),
    _op("vinterpret_cast", form("source", "result"), "-"),
    _op("vselr", form("source index", "result"), "vselr"),
    _op("vintlv", form("lhs rhs mask", "low high"), "vintlv", attrs=_PMODE, same="lhs rhs low high"),
    _op("vdintlv", form("lhs rhs mask", "low high"), "vdintlv", attrs=_PMODE, same="lhs rhs low high"),
    _op("vload", _LOAD, "-", _READ, f"dist_mode:continuous|dintlv|unpack|brc group:int {_PMODE}"),
    _op("vstore", _STORE, "-", _WRITE, f"dist_mode:continuous|dintlv group:int {_PMODE}"),
    _op("vsstb", form("value destination [offset.] block_stride. mask", ""), "-", _WRITE, _PMODE),
    _op("vgather", form("source offsets mask", "result", _MEMORY), "-", _READ, _PMODE),
    _op("vgatherb", form("source offsets mask", "result", _MEMORY), "gather", _READ, _PMODE),
    _op("vscatter", form("value destination offsets mask", ""), "-", _WRITE, _PMODE),
)  # fmt: skip

VMI_OPS: tuple[OpSpec, ...] = (
    *_CREATE, *_ELEMENTWISE, *_COMPRESSING, *_REDUCTIONS, *_CASTS, *_MEMORY_OPS, *_REARRANGE, *_HELPERS,
    *_UNIFIED_CREATE, *_UNIFIED_ELEMENTWISE, *_UNIFIED_OTHER,
)  # fmt: skip
"""All operations of the dialect."""
