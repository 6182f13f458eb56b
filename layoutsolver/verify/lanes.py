"""What each lane-by-lane operation does to registers: one table for both interpreters, so that both round alike.

The interpreter before layout puts elements side by side into registers, the one after layout has them where their
layout says; the instruction is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal, TypeAlias, cast, get_args

import numpy as np

from layoutsolver.verify.operation import CannotRunError, Get, Operation
from layoutsolver.verify.values import Value
from layoutsolver_models.hardware import arithmetic as ar
from layoutsolver_models.hardware.compare import Comparison
from layoutsolver_models.hardware.convert import CONVERSIONS
from layoutsolver_models.hardware.formats import INTEGERS, Format, Lanes
from layoutsolver_models.hardware.lanewise import births_of, place
from layoutsolver_models.hardware.rounding import Rounding
from layoutsolver_models.hardware.state import UNSIGNED, PReg, VReg

Signedness: TypeAlias = Literal["own", "signed", "unsigned"]

_UNARY: dict[str, Callable[[Format, VReg, PReg], VReg]] = {
    "vabs": ar.vabs, "vneg": ar.vneg, "vnot": ar.vnot, "vexp": ar.vexp, "vsqrt": ar.vsqrt, "vrsqrt": ar.vrsqrt,
    "vln": ar.vln, "vrelu": ar.vrelu,
}  # fmt: skip

_BINARY: dict[str, tuple[Callable[[Format, VReg, VReg, PReg], VReg], Signedness]] = {
    "vadd": (ar.vadd, "own"), "vsub": (ar.vsub, "own"), "vmul": (ar.vmul, "own"), "vdiv": (ar.vdiv, "own"),
    "vdivf": (ar.vdiv, "unsigned"), "vdivfhp": (ar.vdivfhp, "own"), "vmod": (ar.vmod, "own"),
    "vmodui": (ar.vmod, "unsigned"), "vmax": (ar.vmax, "own"), "vmin": (ar.vmin, "own"),
    "vsmax": (ar.vmax, "signed"), "vsmin": (ar.vmin, "signed"), "vumax": (ar.vmax, "unsigned"),
    "vumin": (ar.vmin, "unsigned"), "vand": (ar.vand, "own"), "vor": (ar.vor, "own"), "vxor": (ar.vxor, "own"),
    "vabs_diff": (ar.vabs_diff, "own"), "vsadd": (ar.vsadd, "own"), "vssub": (ar.vssub, "own"),
    "vrnd": (ar.vrnd, "own"), "vprelu": (ar.vprelu, "own"), "vshl": (ar.vshl, "own"), "vshr": (ar.vshr, "own"),
}  # fmt: skip

_WITH_SCALAR = {
    "vadds": "vadd", "vmuls": "vmul", "vmaxs": "vmax", "vmins": "vmin", "vsmaxs": "vsmax", "vsmins": "vsmin",
    "vumaxs": "vumax", "vumins": "vumin", "vlrelus": "vprelu", "vshls": "vshl", "vshrs": "vshr",
}  # fmt: skip
"""Operations with a scalar, by the operation that has a vector in its place."""

COMPARISONS: dict[str, tuple[Comparison, Signedness]] = {
    "EQ": ("eq", "own"), "NE": ("ne", "own"), "GT": ("gt", "own"), "GE": ("ge", "own"), "LT": ("lt", "own"),
    "LE": ("le", "own"), "ULE": ("le", "unsigned"), "UGE": ("ge", "unsigned"), "ULT": ("lt", "unsigned"),
    "UGT": ("gt", "unsigned"),
}  # fmt: skip
"""The comparisons of CmpType: which one, and whether integers count as unsigned."""

ELEMENTWISE = frozenset({*_UNARY, *_BINARY, *_WITH_SCALAR, "vmula", "mull", "vtrc", "vexpdif"})
"""Operations that `elementwise` runs."""

CONVERTING = frozenset({"vextf", "vextsi", "vextui", "vtrunci", "vtruncf", "vfptosi", "vfptoui", "vsitofp", "vuitofp"})
"""Operations that change the number format."""

RAW = {
    "arith.addf": "vadd", "arith.addi": "vadd", "arith.subf": "vsub", "arith.subi": "vsub", "arith.mulf": "vmul",
    "arith.muli": "vmul", "arith.divf": "vdiv", "arith.divsi": "vdiv", "arith.negf": "vneg", "arith.andi": "vand",
    "arith.ori": "vor", "arith.xori": "vxor", "arith.maxsi": "vsmax", "arith.minsi": "vsmin", "arith.maxui": "vumax",
    "arith.minui": "vumin", "math.exp": "vexp", "math.sqrt": "vsqrt", "math.rsqrt": "vrsqrt", "math.log": "vln",
    "math.absf": "vabs", "math.absi": "vabs",
}  # fmt: skip
"""Operations of other dialects that are taken lane by lane, by the one that they are lowered to."""


Handler = Callable[[Operation, Get], list[Value]]
"""What runs an operation of one kind."""


def handler_of(
    op: Operation, named: Mapping[str, Handler], converts: Handler, lane_by_lane: Handler, what: str
) -> Handler:
    """What runs an operation: by its name, or as a conversion, or lane by lane.

    Raises CannotRunError where none does; `what` is what the operation is done to.
    """
    found = named.get(op.name)
    if found is not None:
        return found
    name = RAW.get(op.name, op.name)
    if name in CONVERTING:
        return converts
    if name in ELEMENTWISE:
        return lane_by_lane
    raise CannotRunError(op.node.index, f"what `{op.node.name}` does to {what} is not known here")


def with_signedness(fmt: Format, how: Signedness) -> Format:
    """The format with integers read as signed or unsigned; floats stay what they are."""
    if how == "own" or fmt.is_float:
        return fmt
    return INTEGERS[fmt.bits, how == "signed"]


@lru_cache(maxsize=1024)
def splat(fmt: Format, bits: int, defined: bool = True) -> VReg:
    """The register that holds a bit pattern in every lane."""
    lanes = np.full(fmt.lanes, bits & ((1 << fmt.bits) - 1), fmt.storage)
    return VReg(lanes.view(np.uint8)) if defined else VReg(lanes.view(np.uint8), np.ones(256, np.bool_))


def elementwise(op: Operation, name: str, fmt: Format, sources: list[VReg], mask: PReg, signed: bool) -> list[VReg]:
    """The registers that a lane-by-lane operation makes; `sources` are its data operands, scalars in every lane.

    `signed` is what a shift's sign operand says. Raises CannotRunError where the operation has no form for `fmt`.
    """
    name = _WITH_SCALAR.get(name, name)
    try:
        if name in _UNARY:
            return [_UNARY[name](fmt, sources[0], mask)]
        if name == "vmula":
            return [ar.vmula(fmt, sources[0], sources[1], sources[2], mask)]
        if name == "mull":
            unsigned = op.attrs.get("cast") == "cast_unsigned"
            seen = with_signedness(fmt, "unsigned" if unsigned else "own")
            return list(ar.vmull(seen, sources[0], sources[1], mask))
        if name == "vtrc":
            return [_round_to_whole(op, fmt, sources[0], mask)]
        if name == "vexpdif":
            return [_exp_of_difference(op, fmt, sources, mask)]
        function, how = _BINARY[name]
        if name == "vdiv" and op.attrs.get("cast") == "cast_unsigned":
            how = "unsigned"
        if name in ("vshl", "vshr"):
            how = "signed" if signed else "unsigned"
        return [function(with_signedness(fmt, how), sources[0], sources[1], mask)]
    except (ValueError, KeyError) as error:
        raise op.fail(f"has no form for {fmt}", str(error)) from None


def _exp_of_difference(op: Operation, fmt: Format, sources: list[VReg], mask: PReg) -> VReg:
    if fmt.bits != 32:
        raise op.fail(f"makes f32 of {fmt}, but its result is typed as its operands are")
    return ar.vexpdif(fmt, sources[0], sources[1], mask)


def _round_to_whole(op: Operation, fmt: Format, source: VReg, mask: PReg) -> VReg:
    from layoutsolver_models.hardware.convert import vtrc

    if op.data_format(op.node.results[0]) is not fmt:
        raise op.fail("changes the number format, for which there is no instruction")
    return vtrc(fmt, source, rounding_of(op), mask)


def uninterpreted(name: str, width: int, sources: list[VReg], mask: PReg) -> VReg:
    """A register of which each lane depends on the name and on that lane of every source, but nothing else.

    It stands for an operation without a form for its format: layouts can be checked without knowing what it does.
    """
    dtype = UNSIGNED[width]
    seed = sum((at + 1) * ord(char) for at, char in enumerate(name))
    total = np.full(256 // width, seed & ((1 << (8 * width)) - 1), dtype)
    for at, source in enumerate(sources):
        lanes = source.lanes(width)
        total = total * dtype.type(31) + (lanes ^ (lanes >> dtype.type(3))) * dtype.type(2 * at + 1)
    return place(total, width, mask, tuple(sources))


def rounding_of(op: Operation) -> Rounding:
    """The rounding that an operation names, to nearest even where it names none."""
    given = op.attrs.get("rnd", "rint")
    if given == "truncwithoverflow":
        return "trunc"
    if given not in get_args(Rounding):
        raise op.fail(f"has the unknown rounding `{given}`")
    return cast(Rounding, given)


def saturates(op: Operation) -> bool:
    """Whether an operation clamps what is out of range."""
    return op.attrs.get("sat", op.attrs.get("bool", "false")) in ("true", "unit")


def part_of(op: Operation) -> int:
    """The part that a conversion names: 0 or 1 for even and odd, 0 to 3 for quarters; 0 where it names none."""
    if "pp" in op.attrs:
        return int(op.attrs["pp"].removeprefix("pp"))
    return 1 if op.attrs.get("part") == "part_odd" else 0


def conversion_formats(op: Operation) -> tuple[Format, Format]:
    """The formats between which an operation converts, with the signedness that its name and `uni` give them."""
    return op.once("formats", lambda: _conversion_formats(op))


def _conversion_formats(op: Operation) -> tuple[Format, Format]:
    source, target = op.data_format(op.value("src")), op.data_format(op.node.results[0])
    ways = {"vextsi": ("signed", "signed"), "vextui": ("unsigned", "unsigned"), "vfptosi": ("own", "signed"),
            "vfptoui": ("own", "unsigned"), "vsitofp": ("signed", "own"), "vuitofp": ("unsigned", "own")}  # fmt: skip
    how: tuple[str, str] = ways.get(op.name, ("own", "own"))
    if op.name == "vtrunci":
        before, _, after = op.attrs.get("uni", "si2si").partition("2")
        how = ("unsigned" if before == "ui" else "signed", "unsigned" if after == "ui" else "signed")
    return with_signedness(source, cast(Signedness, how[0])), with_signedness(target, cast(Signedness, how[1]))


def has_conversion(source: Format, target: Format) -> bool:
    """Whether there is an instruction that converts between two formats."""
    return (source.name, target.name) in CONVERSIONS


NARROWING = frozenset({"vtrunci", "vtruncf", "vfptosi", "vfptoui", "vsitofp", "vuitofp"})
"""Conversions that may carry a `layout_change`."""


def uninterpreted_conversion(name: str, bits: Lanes, target: Format) -> Lanes:
    """Bit patterns of the target that depend on the name and the bits alone: for pairs that have no instruction."""
    seed = np.uint64(sum((at + 1) * ord(char) for at, char in enumerate(name)))
    wide = bits.astype(np.uint64)
    return ((wide ^ (wide >> np.uint64(5))) + seed).astype(target.storage)


def xor_of_lanes(width: int, source: VReg, mask: PReg) -> VReg:
    """The register whose lane 0 is the exclusive or of the active lanes, the others being zero."""
    lanes = source.lanes(width)
    active = mask.lanes(width)
    out = np.zeros(lanes.size, lanes.dtype)
    out[0] = np.bitwise_xor.reduce(lanes[active]) if active.any() else 0
    unknown = bool(((source.lane_poison(width) & active) | mask.lane_poison(width)).any())
    poison = np.zeros(256, np.bool_)
    poison[:width] = unknown
    births = births_of((source, mask), width)
    if births is None or not unknown:
        return VReg(out.view(np.uint8), poison)
    birth = np.full(256, -1, np.int32)
    birth[:width] = births.max()
    return VReg(out.view(np.uint8), poison, birth)
