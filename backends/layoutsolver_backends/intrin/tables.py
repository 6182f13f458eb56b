"""Which intrinsic an operation becomes, by mnemonic and element type; numbers of enumerators; type suffixes.

Every row has its source. `release` is the released compiler, version 1.2.0, checked by running it; `HIVMAVEToAVEIntrin`
and `RegbaseUtils` are the source files of its conversion.
"""

from __future__ import annotations

from dataclasses import dataclass

from layoutsolver_models.hardware.encoding import BARRIERS as BARRIERS
from layoutsolver_models.hardware.encoding import LOAD_DISTS as LOAD_DISTS
from layoutsolver_models.hardware.encoding import PGE_PATTERNS as PGE_PATTERNS
from layoutsolver_models.hardware.encoding import ROUNDS as ROUNDS
from layoutsolver_models.hardware.encoding import STORE_DISTS as STORE_DISTS

SUFFIXES = {
    "i64": "v32s64", "si64": "v32s64", "ui64": "v32u64",
    "i32": "v64s32", "si32": "v64s32", "ui32": "v64u32",
    "i16": "v128s16", "si16": "v128s16", "ui16": "v128u16",
    "i8": "v256s8", "si8": "v256s8", "ui8": "v256u8",
    "f32": "v64f32", "f16": "v128f16", "bf16": "v128bf16", "f8E4M3FN": "v256f8e4m3", "f8E5M2": "v256f8e5m2",
}  # fmt: skip
"""The suffix of loads and stores. Source: release, HIVMAVEToAVEIntrin#HIVMLoadOpLowering."""

STREAM_SUFFIXES = {
    "i64": "s64", "si64": "s64", "i32": "s32", "si32": "s32", "ui32": "u32", "i16": "s16", "si16": "s16",
    "ui16": "u16", "i8": "s8", "si8": "s8", "ui8": "u8", "f32": "f32", "f16": "f16", "bf16": "bf16",
    "f8E4M3FN": "f8e4m3", "f8E5M2": "f8e5m2",
}  # fmt: skip
"""The suffix of unaligned loads and stores. Source: release, RegbaseUtils#buildVldusPostOp, #buildVstusPostOp."""

ALIGNED_BROADCASTS = frozenset({"BRC_B8", "BRC_B16", "BRC_B32"})
"""Loads that may be unaligned as they are. Source: HIVMAVEToAVEIntrin#isBRCDist."""

ONE_POINT = frozenset({"ONEPT_B8", "ONEPT_B16", "ONEPT_B32", "ONEPT_B64"})
"""Stores that may be unaligned as they are. Source: HIVMAVEToAVEIntrin#isONEPTDist."""

LANE_PATTERNS = {
    256: "ALL", 0: "ALLF", 1: "VL1", 2: "VL2", 3: "VL3", 4: "VL4", 8: "VL8", 16: "VL16", 32: "VL32", 64: "VL64",
    128: "VL128",
}  # fmt: skip
"""The pattern that governs so many lanes. Source: HIVMAVE Utils#getPgePatternAttr."""

PREDICATE_WIDTHS = {"pb8": 8, "pb16": 16, "pb32": 32}
"""The granularity that a functionType gives a predicate. Source: HIVMAVE Utils#getBitWidthFromAttr."""

PARTS = {"part_even": 0, "part_odd": 1}
PLACES = {"pp0": 0, "pp1": 1, "pp2": 2, "pp3": 3}
FLAGS = {"false": 0, "true": 1}
MODES: dict[str, dict[str, int]] = {"part": PARTS, "pp": PLACES, "rnd": ROUNDS, "sat": FLAGS}
"""The numbers of the modes of a conversion. Source: HIVMAVEAttrs.td, HIVMAttrs.td#RoundMode."""

GENERIC_NAMES = {
    "vload": {"pattern": "dist"}, "masked_store": {"pattern": "dist"}, "vcmp": {"cmp": "predicate"},
    "vcmps": {"cmp": "predicate"}, "vci": {"increase_p": "order"}, "preg.cast": {"preg_cast_mode": "mode"},
    "vector_broadcast": {"low": "bool"}, "vtrunci": {"sat": "bool"}, "vtruncf": {"sat": "bool"},
    "vfptoui": {"sat": "bool"}, "vpack": {"part": "int"}, "vunpack": {"part": "int"},
}  # fmt: skip
"""What the generic form calls an inline attribute, and what our table of the custom form calls it."""


@dataclass(frozen=True, slots=True)
class Elementwise:
    """The intrinsics of an operation: one for floats and signed or signless integers, one for unsigned ones.

    `signed_types` and `unsigned_types` list float types and integer widths; a signless integer goes with the signed
    intrinsic if its width is listed there, else with the unsigned one.
    """

    signed: str
    signed_types: frozenset[str]
    unsigned: str = ""
    unsigned_types: frozenset[str] = frozenset()
    source: str = "release, HIVMAVEToAVEIntrin#BinaryRegistry"

    def pick(self, element: str) -> str | None:
        """The intrinsic for an element type, None if there is none."""
        width = element.lstrip("sui")
        if not width.isdigit():
            return self.signed if element in self.signed_types else None
        if element[0] != "u" and width in self.signed_types:
            return self.signed
        if element[0] != "s" and width in self.unsigned_types:
            return self.unsigned
        return None


def _types(text: str) -> frozenset[str]:
    return frozenset(text.split())


_INTEGERS = _types("8 16 32")
_ALL = _types("8 16 32 f16 f32 bf16")
_NO_BF16 = _types("8 16 32 f16 f32")
_UNARY = "release, HIVMAVEToAVEIntrin#UnaryRegistry"
_SCALAR = "release, HIVMAVEToAVEIntrin#BinaryVectorScalarRegistry"


def _both(name: str, signed: frozenset[str] = _ALL, source: str = "") -> Elementwise:
    row = Elementwise(f"{name}.s.x", signed, f"{name}.u.x", _INTEGERS)
    return row if not source else Elementwise(row.signed, signed, row.unsigned, _INTEGERS, source)


ELEMENTWISE: dict[str, Elementwise] = {
    **{name: Elementwise(f"{name}.x", _NO_BF16, source=_UNARY) for name in ("vabs", "vneg", "vnot")},
    **{name: Elementwise(f"{name}.x", _types("f16 f32"), source=_UNARY) for name in ("vsqrt", "vexp", "vln")},
    "vrelu": Elementwise("vrelu.x", _types("f16 f32 32"), source=_UNARY),
    **{name: _both(name) for name in ("vadd", "vsub", "vmul", "vmax", "vmin")},
    "vsmax": Elementwise("vmax.s.x", _INTEGERS),
    "vsmin": Elementwise("vmin.s.x", _INTEGERS),
    "vumax": Elementwise("", frozenset(), "vmax.u.x", _INTEGERS),
    "vumin": Elementwise("", frozenset(), "vmin.u.x", _INTEGERS),
    "vdiv": Elementwise("vdiv.s.x", _types("16 32 f16 f32"), "vdiv.u.x", _types("16 32")),
    "vdivf": Elementwise("", frozenset(), "vdivf.v128u16.x", _types("16")),
    **{name: Elementwise(f"{name}.x", _ALL, f"{name}.x", _INTEGERS) for name in ("vand", "vor", "vxor")},
    "vabs_diff": Elementwise("vabsdif.s.x", _types("f16 f32")),
    "vsadd": Elementwise("vsadd.v128s16.x", _types("16")),
    "vssub": Elementwise("vssub.v128s16.x", _types("16")),
    "vprelu": Elementwise("vprelu.x", _types("f16 f32")),
    "vshl": Elementwise("vshl.s.x", _INTEGERS, "vshl.u.x", _INTEGERS),
    "vmula": Elementwise("vmula.s.m", _types("16 32 f16 f32 bf16"), "vmula.u.m", _types("16 32"),
                         "release, HIVMAVEToAVEIntrin#TenaryRegistry"),
    **{name: _both(name, _NO_BF16, _SCALAR) for name in ("vadds", "vmuls", "vmaxs", "vmins")},
    "vsmaxs": Elementwise("vmaxs.s.x", _INTEGERS, source=_SCALAR),
    "vsmins": Elementwise("vmins.s.x", _INTEGERS, source=_SCALAR),
    "vumaxs": Elementwise("", frozenset(), "vmaxs.u.x", _INTEGERS, _SCALAR),
    "vumins": Elementwise("", frozenset(), "vmins.u.x", _INTEGERS, _SCALAR),
    "vlrelus": Elementwise("vlrelu.x", _types("f16 f32"), source=_SCALAR),
}  # fmt: skip
"""Operations whose intrinsic takes their vectors, their scalar and their mask in this order."""

SHIFTS = ("vshr", "vshls", "vshrs")
"""Shifts whose signedness is the operand `sign`. Source: release, HIVMAVEToAVEIntrin#HIVMVShiftOpLowering."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The intrinsic of a conversion between two element types; `modes` are its trailing operands, in order.

    `uni` is the unsigned mode that the operation must have, empty for any.
    """

    mnemonic: str
    source: str
    target: str
    intrinsic: str
    modes: tuple[str, ...]
    uni: str = ""


def _conversions(mnemonic: str, prefix: str, rows: str) -> tuple[Conversion, ...]:
    """Rows `source>target[:uni]=name/modes`, separated by blanks."""
    out = []
    for row in rows.split():
        types, _, rest = row.partition("=")
        pair, _, uni = types.partition(":")
        source, _, target = pair.partition(">")
        name, _, modes = rest.partition("/")
        out.append(Conversion(mnemonic, source, target, f"{prefix}.{name}.x", tuple(modes.split(",")), uni))
    return tuple(out)


CONVERSIONS: tuple[Conversion, ...] = (
    *_conversions("vextf", "vcvtff", "bf16>f32=bf162f32/part f8E4M3FN>f32=f8e4m32f32/part f8E5M2>f32=f8e5m22f32/part "
                  "f16>f32=f162f32/part"),
    *_conversions("vextsi", "vcvtii", "i8>i32=s82s32/pp i8>i16=s82s16/part i16>i32=s162s32/part i32>i64=s322s64/part"),
    *_conversions("vextui", "vcvtii", "i8>i32=u82u32/pp i8>i16=u82u16/part i16>i32=u162u32/part"),
    *_conversions("vtrunci", "vcvtii",
                  "i64>i32=s642s32/sat,part i32>i16:si2ui=s322u16/sat,part i32>i16:ui2si=u322s16/sat,part "
                  "i32>i16:ui2ui=u322u16/sat,part i32>i16=s322s16/sat,part i16>i8:ui2ui=u162u8/sat,part "
                  "i16>i8=s162u8/sat,part i32>i8:ui2ui=u322u8/sat,pp i32>i8=s322u8/sat,pp"),
    *_conversions("vtruncf", "vcvtff", "f32>bf16=f322bf16/rnd,sat,part f32>f16=f322f16/rnd,sat,part "
                  "f32>f8E4M3FN=f322f8e4m3/rnd,sat,part f32>f8E5M2=f322f8e5m2/rnd,sat,part"),
    *_conversions("vfptosi", "vcvtfi", "f32>i64=f322s64/rnd,sat,part f32>i32=f322s32/rnd,sat "
                  "f32>i16=f322s16/rnd,sat,part f16>i32=f162s32/rnd,part f16>i16=f162s16/rnd,sat "
                  "f16>i8=f162s8/rnd,sat,part bf16>i32=bf162s32/rnd,sat,part"),
    *_conversions("vfptoui", "vcvtfi", "f16>i8=f162u8/rnd,sat,part"),
    *_conversions("vsitofp", "vcvtif", "i8>f16=s82f16/part i16>f16=s162f16/rnd i16>f32=s162f32/part "
                  "i32>f32=s322f32/rnd i64>f32=s642f32/rnd,part"),
    *_conversions("vuitofp", "vcvtif", "i8>f16=u82f16/part"),
)  # fmt: skip
"""All conversions; the first row that fits counts. Source: release, HIVMAVEToAVEIntrin#HIVMTypeConvertionOpLowering."""

CONVERTS = frozenset(row.mnemonic for row in CONVERSIONS)
"""The conversions, which the normalisation of the release surrounds with interleaves."""

COMPARES = {
    "EQ": "eq", "NE": "ne", "GT": "gt", "GE": "ge", "LT": "lt", "LE": "le", "ULE": "le", "UGE": "ge", "ULT": "lt",
    "UGT": "gt",
}  # fmt: skip
"""The intrinsic `vcmp.*` of a predicate; those of unsigned order take signless integers only. Source: release."""

COMPARED = Elementwise("s", _ALL, "u", _INTEGERS, "release, HIVMAVEToAVEIntrin#cmpLowerToIntrin")
"""The signedness of a comparison by element type."""

REDUCED_WIDER = {
    "i8": ("vcadd.s.x", "i16", "vcvtii.s162u8.x"), "si8": ("vcadd.s.x", "i16", "vcvtii.s162u8.x"),
    "ui8": ("vcadd.u.x", "i16", "vcvtii.u162u8.x"), "i16": ("vcadd.s.x", "i32", "vcvtii.s322s16.x"),
    "si16": ("vcadd.s.x", "i32", "vcvtii.s322s16.x"), "ui16": ("vcadd.u.x", "i32", "vcvtii.u322u16.x"),
}  # fmt: skip
"""Sums of narrow integers: the sum, its element type, the way back. Source: HIVMAVEToAVEIntrin#matchAndRewriteVcadd."""

REDUCED = {
    "add": Elementwise("vcadd.s.x", _types("32 f16 f32"), "vcadd.u.x", _types("32")),
    "max": Elementwise("vcmax.s.x", _ALL), "min": Elementwise("vcmin.s.x", _ALL),
    "umax": Elementwise("vcmax.s.x", _types("f16 f32 bf16"), "vcmax.u.x", _INTEGERS),
    "umin": Elementwise("vcmin.s.x", _types("f16 f32 bf16"), "vcmin.u.x", _INTEGERS),
}  # fmt: skip
"""Reductions by kind; unsigned types of a `max` count as signed ones. Source: HIVMAVEToAVEIntrin#buildVcMinMaxOp."""

GATHERED = frozenset(SUFFIXES) - {"i64", "si64", "ui64"}
"""The element types of a gather; 8-bit ones arrive in 16-bit slots. Source: HIVMAVEToAVEIntrin#dispatchGatherOp."""

REGISTER_TYPES = frozenset(SUFFIXES) - {"i64", "si64", "ui64"}
"""Element types that broadcasts, selects and interleaves of registers take. Source: release."""

SLID = _types("i8 i16 i32 si8 si16 si32 ui8 ui16 ui32 f16 f32")
"""Element types of a slide. Source: release, HIVMAVEToAVEIntrin#HIVMVSlideOpLowering."""

PREDICATE_PACKS = {
    "PK_B16": ("ppack.z", 1), "PK_B32": ("ppack.z", 1), "PK4_B32": ("ppack.z", 2),
    "UNPK_B8": ("punpack", 1), "UNPK_B16": ("punpack", 1), "UNPK4_B8": ("punpack", 2),
}  # fmt: skip
"""The intrinsic of a `preg.cast`, and how often. Source: release, HIVMAVEToAVEIntrin#HIVMPregCastOpLowering."""

NEVER_LOWERED = {
    "vcmps": "", "vscatter": "", "unaligned.masked.store": "", "vrsqrt": "", "vrnd": "",
    "vmod": "the compiler calls a library function for it", "vmodui": "the compiler calls a library function for it",
    "vdivfhp": "the compiler calls a library function for it",
}  # fmt: skip
"""Operations without an intrinsic, and what is to be said of them. Source: release."""
