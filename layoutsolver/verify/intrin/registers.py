"""Intrinsics on data registers: lane by lane, conversions, reductions, rearrangements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from layoutsolver.verify.intrin.call import SHORT_FORMATS, Call, everywhere
from layoutsolver.verify.lanes import with_signedness
from layoutsolver.verify.operation import Get, Run
from layoutsolver.verify.values import Aggregate, Value
from layoutsolver_models.hardware import arithmetic as ar
from layoutsolver_models.hardware import compare, rearrange, reduce
from layoutsolver_models.hardware.compare import Comparison
from layoutsolver_models.hardware.convert import CONVERSIONS, vcvt, vtrc
from layoutsolver_models.hardware.encoding import ROUNDS
from layoutsolver_models.hardware.formats import FORMATS, Format
from layoutsolver_models.hardware.rounding import ROUNDINGS, Rounding
from layoutsolver_models.hardware.state import PReg, VReg

_X = frozenset({"x"})
_SIGN = frozenset({"s", "u"})
_ZEROING = frozenset({"z"})

Unary = Callable[[Format, VReg, PReg], VReg]
Binary = Callable[[Format, VReg, VReg, PReg], VReg]

UNARY: dict[str, Unary] = {
    "vabs": ar.vabs, "vneg": ar.vneg, "vnot": ar.vnot, "vsqrt": ar.vsqrt, "vexp": ar.vexp, "vln": ar.vln,
    "vrelu": ar.vrelu, "vrsqrt": ar.vrsqrt,
}  # fmt: skip
"""`NAME.x(data, mask)`."""

SIGNED_BINARY: dict[str, Binary] = {
    "vadd": ar.vadd, "vsub": ar.vsub, "vmul": ar.vmul, "vmax": ar.vmax, "vmin": ar.vmin, "vdiv": ar.vdiv,
    "vabsdif": ar.vabs_diff, "vshl": ar.vshl, "vshr": ar.vshr,
}  # fmt: skip
"""`NAME.s.x(data, data, mask)` and `NAME.u.x`."""

SIGNED_SCALAR: dict[str, Binary] = {
    "vadds": ar.vadd, "vmuls": ar.vmul, "vmaxs": ar.vmax, "vmins": ar.vmin, "vshls": ar.vshl, "vshrs": ar.vshr,
}  # fmt: skip
"""`NAME.s.x(data, scalar, mask)` and `NAME.u.x`."""

PLAIN_BINARY: dict[str, Binary] = {
    "vand": ar.vand, "vor": ar.vor, "vxor": ar.vxor, "vprelu": ar.vprelu, "vrnd": ar.vrnd,
}  # fmt: skip
"""`NAME.x(data, data, mask)`."""

PLAIN_SCALAR: dict[str, Binary] = {"vlrelu": ar.vprelu}
"""`NAME.x(data, scalar, mask)`."""

TYPED_BINARY: dict[str, tuple[Binary, str]] = {
    "vsadd": (ar.vsadd, "v128s16"), "vssub": (ar.vssub, "v128s16"), "vdivf": (ar.vdiv, "v128u16"),
}  # fmt: skip
"""`NAME.TYPE.x(data, data, mask)`, for the one type there is."""

_PAIR = re.compile(f"({'|'.join(sorted(SHORT_FORMATS, key=len, reverse=True))})2({'|'.join(SHORT_FORMATS)})")
_MODES = {
    ("vcvtff", "wider"): ("part",), ("vcvtff", "narrower"): ("rnd", "sat", "part"), ("vcvtii", "wider"): ("part",),
    ("vcvtii", "narrower"): ("sat", "part"), ("vcvtif", "s16f16"): ("rnd",), ("vcvtif", "s32f32"): ("rnd",),
    ("vcvtif", "s64f32"): ("rnd", "part"), ("vcvtif", "wider"): ("part",), ("vcvtfi", "f32s64"): ("rnd", "sat", "part"),
    ("vcvtfi", "f16s32"): ("rnd", "part"), ("vcvtfi", "bf16s32"): ("rnd", "sat", "part"),
    ("vcvtfi", "same"): ("rnd", "sat"), ("vcvtfi", "narrower"): ("rnd", "sat", "part"),
}  # fmt: skip
"""The operands of a conversion behind data and mask: by the pair of formats, else by how their widths compare."""

_ROUNDINGS = {number: name for name, number in ROUNDS.items()}


def _typed(function: Callable[[], list[Value]], call: Call) -> list[Value]:
    try:
        return function()
    except (ValueError, KeyError) as error:
        raise call.fail("has no form for these operands", str(error)) from None


def unary(call: Call) -> Run:
    """One register, lane by lane."""
    call.expect(2, _X)
    function, fmt = UNARY[call.base], call.result()
    return lambda get: _typed(lambda: [function(fmt, call.data(get, 0), call.mask(get, 1))], call)


def binary(call: Call) -> Run:
    """Two registers lane by lane, or a register and a scalar."""
    name = call.base
    scalar = name in SIGNED_SCALAR or name in PLAIN_SCALAR
    if name in TYPED_BINARY:
        function, suffix = TYPED_BINARY[name]
        call.expect(3, frozenset({suffix}), _X)
        fmt = call.short(suffix)
    elif name in PLAIN_BINARY or name in PLAIN_SCALAR:
        call.expect(3, _X)
        function, fmt = (PLAIN_BINARY | PLAIN_SCALAR)[name], call.result()
    else:
        call.expect(3, _SIGN, _X)
        function, fmt = (SIGNED_BINARY | SIGNED_SCALAR)[name], _signed(call, call.result())
    other = call.op.node.operands[1]

    def run(get: Get) -> list[Value]:
        second = everywhere(call.scalar(get, 1), fmt) if scalar else get(other)
        if not isinstance(second, VReg):
            raise call.fail("has no data register for its operand 1")
        return _typed(lambda: [function(fmt, call.data(get, 0), second, call.mask(get, 2))], call)

    return run


def _signed(call: Call, fmt: Format) -> Format:
    """The format with the signedness that the first letter behind the name says."""
    return with_signedness(fmt, "signed" if call.rest[0] == "s" else "unsigned")


def multiply_add(call: Call) -> Run:
    """`vmula`, which keeps what it adds to in inactive lanes."""
    call.expect(4, _SIGN, frozenset({"m"}))
    fmt = _signed(call, call.result())

    def run(get: Get) -> list[Value]:
        sources = [call.data(get, number) for number in range(3)]
        return _typed(lambda: [ar.vmula(fmt, sources[0], sources[1], sources[2], call.mask(get, 3))], call)

    return run


def multiply_long(call: Call) -> Run:
    """`vmull`: the low and the high halves of products."""
    call.expect(3, frozenset({"v64s32", "v64u32"}))
    fmt = call.short(call.rest[0])
    return lambda get: _typed(
        lambda: [Aggregate(tuple(ar.vmull(fmt, call.data(get, 0), call.data(get, 1), call.mask(get, 2))))], call
    )


def exponential_of_difference(call: Call) -> Run:
    """`vexpdif`, which makes f32 of whatever it takes."""
    call.expect(4)
    if call.result().name != "f32":
        raise call.fail(f"makes f32, but its result is typed {call.result()}")
    fmt = call.operand(0)

    def run(get: Get) -> list[Value]:
        part = call.number(get, 3)
        return _typed(lambda: [ar.vexpdif(fmt, call.data(get, 0), call.data(get, 1), call.mask(get, 2), part)], call)

    return run


def round_to_whole(call: Call) -> Run:
    """`vtrc`, whose source and result have one format."""
    call.expect(3, frozenset({"f16", "bf16", "f32"}), _X)
    fmt = call.short(call.rest[0])
    if call.operand(0) is not fmt:
        raise call.fail(f"changes {call.operand(0)} to {fmt}, for which there is no instruction")
    return lambda get: _typed(lambda: [vtrc(fmt, call.data(get, 0), _rounding(call, get, 1), call.mask(get, 2))], call)


def _rounding(call: Call, get: Get, number: int) -> Rounding:
    name = _ROUNDINGS.get(call.number(get, number), "")
    name = "trunc" if name == "truncwithoverflow" else name
    found = next((known for known in ROUNDINGS if known == name), None)
    if found is None:
        raise call.fail(f"has the unknown rounding {call.number(get, number)}")
    return found


def convert(call: Call) -> Run:
    """`vcvt*`: between two formats, with the modes of the pair."""
    match = _PAIR.fullmatch(call.rest[0]) if len(call.rest) == 2 and call.rest[1] == "x" else None
    if match is None:
        raise call.unknown()
    before, after = (FORMATS[SHORT_FORMATS[name]] for name in match.groups())
    width = "wider" if after.bits > before.bits else "same" if after.bits == before.bits else "narrower"
    modes = _MODES.get((call.base, "".join(match.groups())), _MODES.get((call.base, width)))
    if modes is None or (before.name, after.name) not in CONVERSIONS:
        raise call.unknown()
    call.expect_operands(2 + len(modes))
    place = {mode: 2 + number for number, mode in enumerate(modes)}

    def run(get: Get) -> list[Value]:
        part = call.number(get, place["part"]) if "part" in place else 0
        rounding = _rounding(call, get, place["rnd"]) if "rnd" in place else "rint"
        saturate = bool(call.number(get, place["sat"])) if "sat" in place else False
        return _typed(
            lambda: [vcvt(before, after, call.data(get, 0), call.mask(get, 1), part=part, rounding=rounding,
                          saturate=saturate)], call
        )  # fmt: skip

    return run


def reduction(call: Call) -> Run:
    """`vcadd`, `vcmax` and `vcmin`."""
    call.expect(2, _SIGN, _X)
    fmt = _signed(call, call.operand(0))
    function = {"vcadd": reduce.vcadd, "vcmax": reduce.vcmax, "vcmin": reduce.vcmin}[call.base]
    return lambda get: _typed(lambda: [function(fmt, call.data(get, 0), call.mask(get, 1))], call)


def select(call: Call) -> Run:
    """`vsel`."""
    call.expect(3)
    width = call.result().width
    return lambda get: [compare.vsel(width, call.data(get, 0), call.data(get, 1), call.mask(get, 2))]


COMPARISONS: tuple[Comparison, ...] = ("eq", "ne", "gt", "ge", "lt", "le")


def comparison(call: Call) -> Run:
    """`vcmp` of two registers, `vcmps` of a register and a scalar."""
    call.expect(3, frozenset(COMPARISONS), _SIGN, _ZEROING)
    kind = next(known for known in COMPARISONS if known == call.rest[0])
    fmt = with_signedness(call.operand(0), "signed" if call.rest[1] == "s" else "unsigned")

    def run(get: Get) -> list[Value]:
        second = everywhere(call.scalar(get, 1), fmt) if call.base == "vcmps" else call.data(get, 1)
        return [compare.vcmp(fmt, kind, call.data(get, 0), second, call.mask(get, 2))]

    return run


def splat(call: Call) -> Run:
    """`vbr`: a scalar in every lane."""
    call.expect(1)
    fmt = call.result()
    return lambda get: [everywhere(call.scalar(get, 0), fmt)]


def broadcast(call: Call) -> Run:
    """`vdups`: a scalar in the active lanes, the others being zero."""
    call.expect(3, _ZEROING)
    fmt = call.result()
    return lambda get: [rearrange.vdup(fmt.width, everywhere(call.scalar(get, 0), fmt), call.mask(get, 1))]


def duplicate(call: Call) -> Run:
    """`vdup` and `vdupm`: the lowest or the highest lane in the active ones."""
    call.expect(3, _ZEROING)
    width = call.result().width
    fill = rearrange.vdup if call.base == "vdup" else rearrange.vdupm
    return lambda get: [fill(width, call.data(get, 0), call.mask(get, 1))]


def ramp(call: Call) -> Run:
    """`vci`: 0 counts up, 1 counts down."""
    call.expect(2)
    fmt = call.result()

    def run(get: Get) -> list[Value]:
        base, down = call.scalar(get, 0), call.number(get, 1)
        first = everywhere(base, fmt).view(fmt)[0].item()
        order: Literal["INCREASE", "DECREASE"] = "DECREASE" if down else "INCREASE"
        return [rearrange.vci(fmt, first, order) if base.defined else VReg.poisoned()]

    return run


def interleave(call: Call) -> Run:
    """`vintlv` and `vdintlv`."""
    call.expect(2)
    width = call.operand(0).width
    move = rearrange.vintlv if call.base == "vintlv" else rearrange.vdintlv
    return lambda get: [Aggregate(tuple(move(width, call.data(get, 0), call.data(get, 1))))]


def pack(call: Call) -> Run:
    """`vpack` and `vzunpack`: of or to the lower half (0) or the upper one (1)."""
    call.expect(2, *([_X] if call.base == "vpack" else []))
    width = call.operand(0).width
    if (call.base, width) in (("vpack", 1), ("vzunpack", 8)):
        raise call.fail(f"has no form for {call.operand(0)}")
    move = rearrange.vpack if call.base == "vpack" else rearrange.vzunpack
    return lambda get: [move(width, call.data(get, 0), 1 if call.number(get, 1) else 0)]


def slide(call: Call) -> Run:
    """`vslide`."""
    call.expect(3)
    width = call.operand(0).width

    def run(get: Get) -> list[Value]:
        by = call.scalar(get, 2)
        if not by.defined:
            return [VReg.poisoned()]
        return [rearrange.vslide(width, call.data(get, 0), call.data(get, 1), by.signed)]

    return run
