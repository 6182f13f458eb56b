"""What the released verifier asks of the types of an operation beside each other, where these state layouts.

Vectors of an operation state layouts together or none of them does; some must state one and the same. A mask agrees
with the vector that it governs: both state a layout, and the same one, or neither does, and a mask that says what width
it governs says that of the elements, whatever becomes of it when the operation is replaced. Source: `VMI.cpp`, the
verifier of each operation.

>>> agreement_of("vmula").masks, agreement_of("vmula").like, agreement_of("vselr").masks
(('mask',), 'result', ())
"""

from __future__ import annotations

from typing import NamedTuple


class Agreement(NamedTuple):
    """What the roles of some operations must have in common.

    Vectors in the roles `alike` state one layout, those in `together` state one each or none does. Masks in `masks`
    agree with the vector in the role `like`, those in `each_other` are of one width and layout. `lies` are the layouts
    that a role may state, `dG` for as many parts as there are channels; with `grouped`, where there are groups.
    """

    ops: tuple[str, ...]
    alike: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    like: str = ""
    each_other: tuple[str, ...] = ()
    lies: tuple[tuple[str, tuple[str, ...]], ...] = ()
    grouped: bool = False


_MASK = ("mask",)
_C = ("c", "ls2", "ls4")
_DENSE = (*_C, "d2", "d4", "bd2", "bd4")
_SLOTS = ("gs", "gs1", "gs2", "gs4", "gs8", "gs8.2", "gs8.4")
_SUMS = tuple(f"reduce_{name}" for name in ("addi", "addf", "maxf", "minf", "maxi", "mini"))

AGREEMENTS: tuple[Agreement, ...] = (
    Agreement(("vadd", "vsub", "vmul", "vdiv", "vmin", "vmax", "vand", "vor", "vxor", "vshl", "vshr"),
              ("lhs", "rhs", "result"), masks=_MASK, like="result", each_other=("lhs", "rhs", "result")),
    Agreement(("vneg", "vabs", "vsqrt", "vexp", "vln", "vrelu", "vnot"), ("source", "result"), masks=_MASK,
              like="result", each_other=("source", "result")),
    Agreement(("addf", "addi", "subf", "subi", "mulf", "muli", "divf", "minf", "maxf", "mini", "maxi", "andi", "ori",
               "xori", "shli", "shrui", "shrsi"), ("lhs", "rhs", "result")),
    Agreement(("negf", "negi", "absf", "absi", "sqrt", "exp", "ln", "relu", "not", "bitcast"), ("source", "result")),
    Agreement(("mask_and", "mask_or", "mask_xor"), each_other=("lhs", "rhs", "result")),
    Agreement(("mask_not",), each_other=("source", "result")),
    Agreement(("vmula",), ("acc", "lhs", "rhs", "result"), masks=_MASK, like="result"),
    Agreement(("fma",), ("lhs", "rhs", "acc", "result")),
    Agreement(("vaxpy",), ("x", "acc", "result"), masks=_MASK, like="result"),
    Agreement(("vlrelu",), ("x", "result"), masks=_MASK, like="result"),
    Agreement(("vprelu",), ("x", "alpha", "result"), masks=_MASK, like="result"),
    Agreement(("vexpdif",), masks=_MASK, like="x"),
    Agreement(("vadds", "vmuls", "vmaxs", "vmins", "vshls", "vshrs"), ("src", "result"), masks=_MASK, like="result"),
    Agreement(("vaddc", "vaddcs"), ("lhs", "rhs", "result"), masks=("mask", "carry", "carry_in"), like="lhs",
              each_other=("mask", "carry", "carry_in")),
    Agreement(("vmull",), ("a", "b", "low", "high"), masks=_MASK, like="a"),
    Agreement(("vcmp",), ("lhs", "rhs"), masks=("seed",), like="lhs"),
    Agreement(("vcmps",), masks=("seed",), like="src"),
    Agreement(("cmpf", "cmpi"), ("lhs", "rhs"), masks=("result",), like="lhs"),
    Agreement(("vsel", "select"), ("true_value", "false_value", "result"), masks=_MASK, like="result"),
    Agreement(_SUMS, masks=_MASK, like="source"),
    Agreement(("vcadd", "vcmax", "vcmin"), masks=_MASK, like="source", lies=(("result", _SLOTS),), grouped=True),
    Agreement(tuple(f"group_{name}" for name in _SUMS), masks=_MASK, like="source",
              lies=(("source", _DENSE), ("result", _SLOTS))),
    Agreement(("group_slot_load",), lies=(("result", _SLOTS),)),
    Agreement(("group_broadcast_load",), lies=(("result", _DENSE),)),
    Agreement(("group_broadcast",), lies=(("source", _SLOTS), ("result", _DENSE))),
    Agreement(("group_iota",), lies=(("result", _C),)),
    Agreement(("vdhist", "vchist"), ("acc", "result"),
              lies=(("acc", _C), ("source", _C), ("result", _C), ("mask", _C))),
    Agreement(("vgather",), ("offsets", "result"), masks=_MASK, like="result"),
    Agreement(("vgatherb",), masks=_MASK, like="result"),
    Agreement(("vscatter",), ("value", "offsets"), masks=_MASK, like="value"),
    Agreement(("gather",), ("indices", "passthru", "result"), masks=_MASK, like="result"),
    Agreement(("scatter",), ("value", "indices"), masks=_MASK, like="value"),
    Agreement(("vload",), lies=(("high", _C),)),
    Agreement(("vstore",), ("value", "high"), masks=_MASK, like="value", lies=(("high", _C),)),
    Agreement(("vsstb", "masked_store", "stride_store", "compress_store"), masks=_MASK, like="value"),
    Agreement(("stride_load", "active_prefix_index"), masks=_MASK, like="result"),
    Agreement(("masked_load", "expand_load"), ("passthru", "result"), masks=_MASK, like="result"),
    Agreement(("compress",), ("source", "result"), masks=_MASK, like="source"),
    Agreement(("deinterleave_load", "interleave_store"), ("low", "high"), lies=(("low", _C), ("high", _C))),
    Agreement(("vintlv", "vdintlv"), together=("lhs", "rhs", "low", "high"), masks=_MASK, like="lhs"),
    Agreement(("vselr", "shuffle"), together=("source", "result")),
    Agreement(("channel_split",), together=("source", "results"), lies=(("results", _C), ("source", (*_C, "dG")))),
    Agreement(("channel_merge",), together=("inputs", "result"), lies=(("inputs", _C), ("result", (*_C, "dG")))),
)  # fmt: skip
"""Rows; an operation without one leaves its types free."""

_ROWS = {op: row for row in AGREEMENTS for op in row.ops}


def agreement_of(op: str) -> Agreement:
    """What the verifier asks of the types of an operation."""
    return _ROWS.get(op, Agreement((op,)))
