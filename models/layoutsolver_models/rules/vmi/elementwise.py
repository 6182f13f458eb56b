"""Operations that leave elements where they are, and those that make them: any one layout, for all roles the same."""

from __future__ import annotations

from layoutsolver_models.rules.vmi.layouts import DENSE_NAMES, LAYOUT_NAMES, SLOT_NAMES
from layoutsolver_models.rules.vmi.row import UNLISTED, Limit, Lowering, VmiRule, fails, ours, rejected, upstream, wrong

INSTRUCTIONS: dict[str, str] = {
    "addf": "vadd", "addi": "vadd", "subf": "vsub", "subi": "vsub", "mulf": "vmul", "muli": "vmul", "divf": "vdiv",
    "minf": "vmin", "mini": "vmin", "maxf": "vmax", "maxi": "vmax", "negf": "vneg", "negi": "vneg", "absf": "vabs",
    "absi": "vabs", "sqrt": "vsqrt", "exp": "vexp", "ln": "vln", "relu": "vrelu", "andi": "vand", "ori": "vor",
    "xori": "vxor", "shli": "vshl", "shrui": "vshr", "shrsi": "vshr", "not": "vnot", "fma": "vmula", "cmpf": "vcmp",
    "cmpi": "vcmp", "select": "vsel", "mask_and": "pand", "mask_or": "por", "mask_xor": "pxor", "mask_not": "pnot",
    "vaddc": "vaddc", "vaddcs": "vaddcs", "vadds": "vadds", "vmuls": "vmuls", "vmaxs": "vmaxs", "vmins": "vmins",
    "vshls": "vshls", "vshrs": "vshrs", "vmull": "vmull", "vexpdif": "vexpdif", "fptosi": "vcvt", "sitofp": "vcvt",
}  # fmt: skip
"""The instruction of every operation whose roles share a layout, one for each register."""

_LOGIC = "op in ('mask_and', 'mask_or', 'mask_xor', 'mask_not')"
_EACH: tuple[Lowering, ...] = (
    upstream("pand * A(data)", _LOGIC), upstream("each * A(data)", f"not ({_LOGIC})"),
)  # fmt: skip


def _parts(name: str, role: str = "N") -> str:
    return f"{role} >= {name[-1]}" if name in ("d2", "d4") else ""


def _same(name: str) -> VmiRule:
    limits: tuple[Limit, ...] = ()
    if name in ("ls2", "ls4"):
        limits = (rejected("op in ('cmpf', 'cmpi', 'select')"),)
    listed = "" if name in ("c", "d2", "d4") else "op != 'vmull'"
    return VmiRule(f"VMI.SAME.{name.upper()}", "same", {"data": name, "mask": name}, _parts(name), _EACH, "3.1", limits,
                   listed=listed)  # fmt: skip


SAME: tuple[VmiRule, ...] = tuple(_same(name) for name in LAYOUT_NAMES)
"""All data operands, results and the mask share one layout; any will do."""

_VECTOR = (upstream("~vdup * 1"),)
_MASK: tuple[Lowering, ...] = (
    upstream("vci * A(result); vshrs * A(result); vshls * A(result); vsub * A(result); vmuls * A(result); "
             "vcmps * A(result)", "op == 'create_group_mask' and dynamic"),
    ours("~vci * 1; ~vdup * 1; ~vand * 1; vcmps * A(result)", "op == 'create_group_mask' and dynamic"),
    upstream("plt * A(result)", "op == 'create_mask' and dynamic"),
    upstream("~pset * prefixes; ~pxor * joins; ~vci * min(ramps, 1); ~vdup * ramps; ~vand * ramps; ~vcmps * ramps",
             "not dynamic"),
)  # fmt: skip
_BLOCKS = {"bd2": "not dynamic or N > B", "bd4": "not dynamic or N > 3 * B"}

FREE: tuple[VmiRule, ...] = (
    *(VmiRule(f"VMI.FREE.{name.upper()}", "free", {"result": name}, _parts(name), _VECTOR, "3.2")
      for name in LAYOUT_NAMES),
    *(VmiRule(f"VMI.FREE.MASK.{name.upper()}", "free_mask", {"result": name}, _BLOCKS.get(name, _parts(name)), _MASK,
              "3.2") for name in LAYOUT_NAMES),
    VmiRule("VMI.FREE.MASK.UNEVEN.C", "free_mask", {"result": "c"}, "op == 'create_group_mask' and dynamic",
            (ours("plt * R + ranges; pxor * 2 * ranges"),), "2.3, 5.2", listed=UNLISTED),
)  # fmt: skip
"""Splats and masks made of numbers: any layout. Splats have one register, which all parts share.

Groups that do not begin anew in equal turns have a prefix each, without the lanes before them.
"""

FREE_LANE: tuple[VmiRule, ...] = tuple(
    VmiRule(f"VMI.FREE.LANE.{prefix}{name.upper()}", "free_lane", {"value": source, "result": name}, when,
            (upstream("vdup * 1"),), "3.2")
    for source, prefix, when in (("c", "", "N == 1"), ("gs1", "GS1_", "A(value) == 1")) for name in LAYOUT_NAMES
)  # fmt: skip
"""A vector of one element, repeated: it is in the lowest lane, as one of a vector or as that of its only group."""

_IOTA: dict[str, tuple[Lowering, ...]] = {
    "c": (upstream("~vci * A(result)"),),
    "d2": (upstream("~vci * 1; ~vmuls * 1; ~vadds * max(A(result), 2)"),),
    "d4": (upstream("~vci * 1; ~vmuls * 1; ~vadds * max(A(result), 4)"),),
}


def _iota(name: str) -> VmiRule:
    limits: tuple[Limit, ...] = ()
    if name in SLOT_NAMES:
        limits = (fails(),)
    elif name not in _IOTA:
        limits = (wrong(),)
    when = _parts(name)
    return VmiRule(f"VMI.IOTA.{name.upper()}", "iota", {"result": name}, when, _IOTA.get(name, ()), "3.2", limits)


_SHARING = "S > 1 and S < lp and lp % S == 0"
_WHOLE = "(to not in ('f16', 'f32'))"

IOTA: tuple[VmiRule, ...] = (
    *(_iota(name) for name in (*DENSE_NAMES, *SLOT_NAMES)),
    VmiRule(
        "VMI.IOTA.GROUP.C",
        "contiguous",
        {"result": "c"},
        "S % lp == 0 or lp % S == 0",
        (
            upstream("~vci * A(result)", "S % lp == 0"),
            ours("~vci * S // lp", "S % lp == 0"),
            upstream("~vdup * 1", "S == 1"),
            upstream("~vci * 1; ~vdup * 1; ~vand * 1; ~vadds * 1", f"{_SHARING} and {_WHOLE} and order != 'DESC'"),
            ours("~vci * 1; ~vdup * 2; ~vand * 1; ~vsub * 1", f"{_SHARING} and {_WHOLE} and order == 'DESC'"),
            ours(
                "~vci * 1; ~vdup * 1; ~vand * 1; ~vcvt * 1; ~vadds * 1",
                f"{_SHARING} and not {_WHOLE} and order != 'DESC'",
            ),
            ours(
                "~vci * 1; ~vdup * 2; ~vand * 1; ~vcvt * 1; ~vsub * 1; ~vadds * 1",
                f"{_SHARING} and not {_WHOLE} and order == 'DESC'",
            ),
        ),
        "3.11",
    ),
)
"""Ramps; upstream makes them wrongly where elements are apart or in blocks.

A ramp of groups that share registers is the number of the lane inside of its group, added to the base or taken off.
"""

EXPDIF_32: tuple[VmiRule, ...] = tuple(
    VmiRule(f"VMI.EXPDIF.32.{name.upper()}", "vexpdif", {"x": name, "max": name, "mask": name, "result": name},
            " and ".join(part for part in ("W == 32", _parts(name)) if part), (upstream("vexpdif * A(result)"),), "3.1")
    for name in LAYOUT_NAMES
)  # fmt: skip
"""`vexpdif` of 32-bit elements."""

BITCAST: tuple[VmiRule, ...] = (
    *(VmiRule(f"VMI.BITCAST.{name.upper()}", "bitcast", {"source": name, "result": name},
              " and ".join(part for part in ("W == W_to", _parts(name)) if part), (upstream("vbitcast * A(source)"),),
              "3.11") for name in LAYOUT_NAMES),
    VmiRule("VMI.BITCAST.C.WIDTH", "bitcast", {"source": "c", "result": "c"}, "W != W_to and A(source) == A(result)",
            (upstream("vbitcast * A(source)"),), "3.11"),
)  # fmt: skip
"""Bits read as another type: the width may change only where elements are dense."""
