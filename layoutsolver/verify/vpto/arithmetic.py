"""Arithmetic, comparisons, selections, reductions and conversions of VPTO. Inactive lanes become zero.

A signless integer is a signed one. Where a scalar operand is not defined, so is every active lane.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutsolver.verify.pto.values import PAIRS, PtoValue
from layoutsolver.verify.vpto.convert import CONTRACTS, PARTS, ROUNDINGS, UNDOCUMENTED, element_name
from layoutsolver.verify.vpto.operands import Call
from layoutsolver_models.hardware import arithmetic as hw
from layoutsolver_models.hardware import carry, group_reduce, hifloat, histogram, reduce
from layoutsolver_models.hardware import compare as hw_compare
from layoutsolver_models.hardware import convert as hw_convert
from layoutsolver_models.hardware import rearrange as hw_rearrange
from layoutsolver_models.hardware.formats import F16, F32, F64, FORMATS, Format, is_nan
from layoutsolver_models.hardware.lanewise import place
from layoutsolver_models.hardware.rounding import convert
from layoutsolver_models.hardware.state import PReg, VReg

_UNARY: dict[str, Callable[..., VReg]] = {
    "vabs": hw.vabs, "vneg": hw.vneg, "vexp": hw.vexp, "vln": hw.vln, "vsqrt": hw.vsqrt, "vrelu": hw.vrelu,
    "vnot": hw.vnot,
}  # fmt: skip
_BINARY: dict[str, Callable[..., VReg]] = {
    "vadd": hw.vadd, "vsub": hw.vsub, "vmul": hw.vmul, "vdiv": hw.vdiv, "vmax": hw.vmax, "vmin": hw.vmin,
    "vand": hw.vand, "vor": hw.vor, "vxor": hw.vxor, "vshl": hw.vshl, "vshr": hw.vshr, "vprelu": hw.vprelu,
}  # fmt: skip
_WITH_SCALAR: dict[str, Callable[..., VReg]] = {
    "vadds": hw.vadds, "vmuls": hw.vmuls, "vmaxs": hw.vmaxs, "vmins": hw.vmins, "vshls": hw.vshls, "vshrs": hw.vshrs,
    "vlrelu": hw.vlrelu,
}  # fmt: skip
_REDUCE: dict[str, Callable[..., VReg]] = {
    "vcadd": reduce.vcadd, "vcmax": reduce.vcmax, "vcmin": reduce.vcmin, "vcgadd": group_reduce.vcgadd,
    "vcgmax": group_reduce.vcgmax, "vcgmin": group_reduce.vcgmin, "vcpadd": group_reduce.vcpadd,
}  # fmt: skip
_SUMS = {"vcadd": 1, "vcgadd": 8}
"""The reductions that add, and how many sums they make."""

_ANY_GRANULARITY = frozenset({"vneg", "vcgadd", "vcgmax", "vcgmin", "vcpadd", *_WITH_SCALAR})
"""The instructions of which nobody checks that the predicate is as fine as the elements; it is read at the element."""


def _mask(call: Call, width: int) -> PReg:
    return call.mask() if call.name in _ANY_GRANULARITY else call.governed(width)


def _unary(call: Call) -> list[PtoValue]:
    fmt = call.bits_format("input") if call.name == "vnot" else call.format(call.element_of("input"))
    return [_UNARY[call.name](fmt, call.vector("input"), _mask(call, fmt.width), "z")]


def _binary(call: Call) -> list[PtoValue]:
    bitwise = call.name in ("vand", "vor", "vxor")
    fmt = call.bits_format("lhs") if bitwise else call.format(call.element_of("lhs"))
    return [_BINARY[call.name](fmt, call.vector("lhs"), call.vector("rhs"), _mask(call, fmt.width), "z")]


def _undefined(fmt: Format, mask: PReg, sources: tuple[VReg, ...] = ()) -> VReg:
    """The register of which every active lane is poison."""
    return place(np.zeros(fmt.lanes, fmt.storage), fmt.width, mask, sources, "z", np.ones(fmt.lanes, np.bool_))


def _with_scalar(call: Call) -> list[PtoValue]:
    fmt = call.format(call.element_of("input"))
    mask, scalar = _mask(call, fmt.width), call.scalar("scalar")
    if scalar is None:
        return [_undefined(fmt, mask)]
    return [_WITH_SCALAR[call.name](fmt, call.vector("input"), scalar, mask, "z")]


def _reduce(call: Call) -> list[PtoValue]:
    fmt = call.format(call.element_of("input"))
    src, mask = call.vector("input"), _mask(call, fmt.width)
    made = _REDUCE[call.name](fmt, src, mask)
    groups = _SUMS.get(call.name)
    return [made if groups is None or not fmt.is_float else _reordered(call, fmt, made, src, mask, groups)]


def _reordered(call: Call, fmt: Format, made: VReg, src: VReg, mask: PReg, groups: int) -> VReg:
    """The sums as the run makes them: in which order the hardware adds is not documented."""
    rows = src.view(fmt).reshape(groups, -1), mask.lanes(fmt.width).reshape(groups, -1)
    sums = [call.unit.sums.of(fmt, lanes[on]) for lanes, on in zip(*rows, strict=True)]
    data, poison = made.data.copy(), made.poison.copy()
    for group, (bits, known) in enumerate(sums):
        cut = slice(group * fmt.width, (group + 1) * fmt.width)
        data[cut] = bits.view(np.uint8)
        poison[cut] |= call.unit.sums.is_expected and not known
    return VReg(data, poison, made.birth)


def _fused(call: Call) -> list[PtoValue]:
    """vmula: acc + lhs * rhs; vmadd: lhs * acc + rhs."""
    fmt = call.format(call.element_of("acc"))
    acc, lhs, rhs = call.vector("acc"), call.vector("lhs"), call.vector("rhs")
    mask = call.governed(fmt.width) if call.name == "vmula" else call.mask()
    if call.name == "vmadd":
        return [hw.vmula(fmt, rhs, lhs, acc, mask, "z")]
    return [hw.vmula(fmt, acc, lhs, rhs, mask, "z")]


def _axpy(call: Call) -> list[PtoValue]:
    """Alpha * src0 + src1, rounded once."""
    fmt = call.format(call.element_of("src0"))
    scalar = call.scalar("alpha")
    if scalar is None:
        return [_undefined(fmt, call.mask())]
    return [hw.vmula(fmt, call.vector("src1"), hw.splat(fmt, scalar), call.vector("src0"), call.mask(), "z")]


def _expdif(call: Call) -> list[PtoValue]:
    fmt = call.format(call.element_of("input"))
    part = PARTS[2].get(call.attr("part"))
    if part is None:
        raise call.op.fail(f"has the part `{call.attr('part')}`, not EVEN or ODD")
    return [hw.vexpdif(fmt, call.vector("input"), call.vector("max"), call.mask(), part, "z")]


def _muls_convert(call: Call) -> list[PtoValue]:
    """The products with a scalar, rounded once to 16 bits in the even or odd lanes."""
    if call.format(call.element_of("input")) is not F32 or call.format(call.result) is not F16:
        raise call.op.fail("is documented from f32 to f16 only")
    scalar, part = call.scalar("scalar"), PARTS[2].get(call.attr("part"))
    rounding = ROUNDINGS.get(call.attr("rnd"))
    if part is None or rounding is None:
        raise call.op.fail(
            f"rounds by `{call.attr('rnd')}` into the part `{call.attr('part')}`, which is not documented"
        )
    if scalar is None:
        return [_undefined(F16, call.mask())]
    src = call.vector("input")
    with np.errstate(all="ignore"):
        exact = src.view(F32).astype(np.float64) * np.float64(np.float32(scalar))
    halves = convert(F64, F16, exact.view(np.uint64), rounding)
    wide = place(halves.astype(np.uint32), 4, call.mask(), (src,), "z")
    if not part:
        return [wide]
    return [hw_rearrange.vintlv(2, VReg.zeros(), hw_rearrange.vpack(4, wide))[0]]


def _mull(call: Call) -> list[PtoValue]:
    fmt = call.format(call.element_of("lhs"))
    low, high = hw.vmull(fmt, call.vector("lhs"), call.vector("rhs"), call.governed(fmt.width), "z")
    return [low, high]


def _carrying(call: Call) -> list[PtoValue]:
    fmt = call.format(call.element_of("lhs"))
    run = carry.vaddc if call.name.startswith("vadd") else carry.vsubc
    taken = call.governed(fmt.width, "carry_in") if call.has("carry_in") else None
    total, over = run(fmt, call.vector("lhs"), call.vector("rhs"), call.governed(fmt.width), taken)
    return [total, over]


def _compare(call: Call) -> list[PtoValue]:
    mode = call.attr("cmp_mode")
    if mode not in hw_compare.COMPARISONS:
        raise call.op.fail(f"has the comparison `{mode}`, which there is not")
    comparison = mode
    if call.name == "vcmp":
        fmt = call.format(call.element_of("src0"))
        seed = call.governed(fmt.width)
        return [hw_compare.vcmp(fmt, comparison, call.vector("src0"), call.vector("src1"), seed)]
    fmt = call.format(call.element_of("src"))
    scalar, seed = call.scalar("scalar"), call.governed(fmt.width)
    if scalar is None:
        return [PReg(seed.bits, seed.bits | seed.poison)]
    return [hw_compare.vcmps(fmt, comparison, call.vector("src"), scalar, seed)]


def _select(call: Call) -> list[PtoValue]:
    width = call.width("src0")
    return [hw_compare.vsel(width, call.vector("src0"), call.vector("src1"), call.governed(width))]


def _duplicate(call: Call) -> list[PtoValue]:
    """A scalar, or the lowest or highest lane of a register, in every active lane."""
    source = call.get(call.op.value("input"))
    element = call.result
    width = (element.bits or 0) // 8
    if isinstance(source, VReg):
        if call.attr("position", "LOWEST") == "HIGHEST":
            return [hw_rearrange.vdupm(width, source, call.mask(), "z")]
        return [hw_rearrange.vdup(width, source, call.mask(), "z")]
    fmt, scalar = call.format(element), call.scalar("input")
    return [_undefined(fmt, call.mask()) if scalar is None else hw_rearrange.vdups(fmt, scalar, call.mask(), "z")]


def _broadcast(call: Call) -> list[PtoValue]:
    fmt, scalar = call.format(call.result), call.scalar("value")
    return [VReg.poisoned() if scalar is None else hw_rearrange.vbr(fmt, scalar)]


def _ramp(call: Call) -> list[PtoValue]:
    fmt, base = call.format(call.result), call.scalar("index")
    if base is None:
        return [VReg.poisoned()]
    return [hw_rearrange.vci(fmt, base, "DECREASE" if call.attr("order", "ASC") == "DESC" else "INCREASE")]


def _truncate(call: Call) -> list[PtoValue]:
    fmt = call.format(call.element_of("input"))
    rounding = ROUNDINGS.get(call.attr("round_mode"))
    if rounding is None:
        raise call.op.fail(f"rounds by `{call.attr('round_mode')}`, which is not documented")
    return [hw_convert.vtrc(fmt, call.vector("input"), rounding, call.mask(), "z")]


def _convert(call: Call) -> list[PtoValue]:
    source, target = call.element_of("input"), call.result
    for element in (source, target):
        if element.text in UNDOCUMENTED:
            raise call.op.fail(f"converts `{element.text}`, whose bits no document describes")
    contract = CONTRACTS.get((element_name(source.text), element_name(target.text)))
    if contract is None:
        raise call.op.fail(f"has no form from `{source.text}` to `{target.text}`")
    letter, saturation, part = call.attr("rnd"), call.attr("sat"), call.attr("part")
    for name, given, wanted in (("rnd", letter, bool(contract.letters)), ("sat", saturation, contract.saturates),
                                ("part", part, contract.parts > 1)):  # fmt: skip
        if bool(given) != wanted:
            raise call.op.fail(f"from `{source.text}` to `{target.text}` {'needs' if wanted else 'takes no'} `{name}`")
    if letter and (letter not in contract.letters or letter not in ROUNDINGS):
        raise call.op.fail(f"from `{source.text}` to `{target.text}` rounds by `{letter}`, which is not documented")
    number = PARTS[contract.parts].get(part) if contract.parts > 1 else 0
    if number is None:
        raise call.op.fail(f"has the part `{part}`, not one of {', '.join(PARTS[contract.parts])}")
    register, mask = call.vector("input"), call.mask()
    if target.text == "!pto.hif8":
        return [hifloat.vcvt_to_hif8(call.format(source), register, mask, number)]
    if source.text == "!pto.hif8":
        return [hifloat.vcvt_from_hif8(register, mask, number)]
    before, after = _converted_format(source.text), _converted_format(target.text)
    saturates = saturation == "SAT"
    if saturates and before.is_float and after.is_float:
        register = _without_nan(before, register)
    return [
        hw_convert.vcvt(
            before, after, register, mask, part=number, rounding=ROUNDINGS.get(letter, "rint"), saturate=saturates,
            inactive="z",
        )
    ]  # fmt: skip


def _without_nan(fmt: Format, src: VReg) -> VReg:
    """The register with +0 for NaN, which a saturating conversion makes of it. Source: PTOAS' conversion tests."""
    nan = is_nan(fmt, src.lanes(fmt.width))
    return VReg(np.where(nan, fmt.storage.type(0), src.lanes(fmt.width)).view(np.uint8), src.poison, src.birth)


def _converted_format(text: str) -> Format:
    name = PAIRS.get(text, element_name(text))
    return FORMATS[name.removeprefix("s") if name.startswith("si") else name]


def _histogram(call: Call) -> list[PtoValue]:
    half = call.number("bin")
    if half not in (0, 1):
        raise call.op.fail(f"updates the half {half} of the bins, of which there are two")
    run = histogram.dhist if call.name == "dhistv2" else histogram.chist
    return [run(call.vector("acc"), call.vector("source"), call.governed(1), half)]


ARITHMETIC: dict[str, Callable[[Call], list[PtoValue]]] = {
    **dict.fromkeys(_UNARY, _unary), **dict.fromkeys(_BINARY, _binary), **dict.fromkeys(_WITH_SCALAR, _with_scalar),
    **dict.fromkeys(_REDUCE, _reduce), "vmula": _fused, "vmadd": _fused, "vaxpy": _axpy, "vexpdif": _expdif,
    "vmulscvt": _muls_convert, "vmull": _mull, "vaddc": _carrying, "vsubc": _carrying, "vaddcs": _carrying,
    "vsubcs": _carrying, "vcmp": _compare, "vcmps": _compare, "vsel": _select, "vdup": _duplicate,
    "vbr": _broadcast, "vci": _ramp, "vtrc": _truncate, "vcvt": _convert, "chistv2": _histogram,
    "dhistv2": _histogram,
}  # fmt: skip
"""The instructions of this file by their names."""
