"""Operations that compute element i of the result from elements i of the operands.

An element that the mask leaves out is zero, or as `layoutsolver.verify.vmi.readings` has it; not determined with
`pmode = "merge"`, since there is no earlier value that it could keep. A signless integer is an unsigned one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.values import Mask, PtoValue, Vector, stored_integer
from layoutsolver.verify.scalars import number_of
from layoutsolver.verify.values import Scalar
from layoutsolver.verify.vmi.operands import Call
from layoutsolver.verify.vmi.vectors import (
    from_predicates,
    from_registers,
    full_mask,
    mask_registers,
    to_registers,
)
from layoutsolver_models.hardware import arithmetic as hw
from layoutsolver_models.hardware import carry, compare
from layoutsolver_models.hardware.formats import Format, is_nan
from layoutsolver_models.hardware.lanewise import Inactive
from layoutsolver_models.hardware.state import PReg, VReg

_UNARY: dict[str, Callable[..., VReg]] = {
    **dict.fromkeys(("vneg", "negf", "negi"), hw.vneg), **dict.fromkeys(("vabs", "absf", "absi"), hw.vabs),
    "vsqrt": hw.vsqrt, "sqrt": hw.vsqrt, "vexp": hw.vexp, "exp": hw.vexp, "vln": hw.vln, "ln": hw.vln,
    "vrelu": hw.vrelu, "relu": hw.vrelu, "vnot": hw.vnot, "not": hw.vnot,
}  # fmt: skip
_BINARY: dict[str, Callable[..., VReg]] = {
    **dict.fromkeys(("vadd", "addf", "addi"), hw.vadd), **dict.fromkeys(("vsub", "subf", "subi"), hw.vsub),
    **dict.fromkeys(("vmul", "mulf", "muli"), hw.vmul), **dict.fromkeys(("vdiv", "divf"), hw.vdiv),
    **dict.fromkeys(("vmin", "minf", "mini"), hw.vmin), **dict.fromkeys(("vmax", "maxf", "maxi"), hw.vmax),
    "vand": hw.vand, "andi": hw.vand, "vor": hw.vor, "ori": hw.vor, "vxor": hw.vxor, "xori": hw.vxor,
    "vshl": hw.vshl, "shli": hw.vshl, "vshr": hw.vshr, "shrui": hw.vshr, "shrsi": hw.vshr,
}  # fmt: skip
_WITH_SCALAR: dict[str, Callable[..., VReg]] = {
    "vadds": hw.vadds, "vmuls": hw.vmuls, "vmaxs": hw.vmaxs, "vmins": hw.vmins, "vshls": hw.vshls, "vshrs": hw.vshrs,
}  # fmt: skip
_BITWISE = frozenset({"vand", "andi", "vor", "ori", "vxor", "xori", "vnot", "not"})
_MASK_LOGIC: dict[str, Callable[..., np.ndarray[tuple[int], np.dtype[np.bool_]]]] = {
    "vand": np.logical_and, "mask_and": np.logical_and, "vor": np.logical_or, "mask_or": np.logical_or,
    "vxor": np.logical_xor, "mask_xor": np.logical_xor,
}  # fmt: skip
_SIGNED = frozenset({"shrsi", "absi"})


def inactive(call: Call) -> Inactive:
    """What becomes of elements that the mask leaves out."""
    return "x" if call.attr("pmode") == "merge" else "z"


def passes(call: Call, mask: Mask) -> bool:
    """Whether an operation passes on what its mask leaves out: it says nothing of it, and the reading is that one."""
    if call.attr("pmode") or mask.bits.all():
        return False
    call.unit.masks.open_lanes = True
    return call.unit.masks.reading.passes_lanes


def governing(call: Call, count: int) -> Mask:
    """The mask of an operation, a full one where it is dropped."""
    mask = call.mask_or_full(count)
    return full_mask(count) if passes(call, mask) else mask


def lane_by_lane(
    function: Callable[..., VReg], fmt: Format, sources: list[Vector], mask: Mask, how: Inactive, element: ScalarType
) -> Vector:
    """The vector of a hardware operation on each register of the sources."""
    packed = [to_registers(source) for source in sources]
    made = [
        function(fmt, *[one[at] for one in packed], predicate, how)
        for at, predicate in enumerate(mask_registers(mask, fmt.width))
    ]
    return from_registers(made, element, mask.count)


def number(scalar: Scalar) -> float:
    """A scalar as a number."""
    return number_of(scalar) if scalar.type.is_float else scalar.signed


def _format(call: Call, vector: Vector) -> Format:
    if call.name in _BITWISE:
        return stored_integer(vector.width)
    return call.format(vector.element, call.name in _SIGNED)


def _unary(call: Call) -> list[PtoValue]:
    source = call.get(call.op.value("source"))
    if isinstance(source, Mask):
        return [Mask(~source.bits, source.poison, source.birth)]
    vector = call.vector("source")
    mask = governing(call, vector.count)
    function, fmt = _UNARY[call.name], _format(call, vector)
    if call.name == "vabs" and vector.element.text == "bf16":
        function, fmt = _without_sign, stored_integer(vector.width)
    return [lane_by_lane(function, fmt, [vector], mask, inactive(call), call.element())]


def _without_sign(fmt: Format, source: VReg, mask: PReg, how: Inactive) -> VReg:
    """All bits but the first of each element: what `vabs` is of `bf16`, for which there is no instruction."""
    kept = np.full(source.data.size // fmt.width, (1 << (fmt.bits - 1)) - 1, f"u{fmt.width}")
    return hw.vand(fmt, source, VReg.from_lanes(kept), mask, how)


def _binary(call: Call) -> list[PtoValue]:
    if isinstance(call.get(call.op.value("lhs")), Mask):
        return _mask_logic(call)
    lhs, rhs = call.vector("lhs"), call.vector("rhs")
    mask = governing(call, call.same_count(lhs, rhs))
    return [lane_by_lane(_BINARY[call.name], _format(call, lhs), [lhs, rhs], mask, inactive(call), call.element())]


def _mask_logic(call: Call) -> list[PtoValue]:
    lhs, rhs = call.mask("lhs"), call.mask("rhs")
    if call.name not in _MASK_LOGIC:
        raise call.op.fail("is not known for masks")
    birth = lhs.birth if lhs.birth is not None else rhs.birth
    return [Mask(_MASK_LOGIC[call.name](lhs.bits, rhs.bits), lhs.poison | rhs.poison, birth)]


def _mask_not(call: Call) -> list[PtoValue]:
    source = call.mask("source")
    return [Mask(~source.bits, source.poison, source.birth)]


def _with_scalar(call: Call) -> list[PtoValue]:
    source, scalar = call.vector("src"), call.scalar_in("scalar")
    mask = call.mask_or_full(source.count)
    fmt, function, passing = call.format(source.element), _WITH_SCALAR[call.name], passes(call, mask)

    def apply(own: Format, register: VReg, predicate: PReg, how: Inactive) -> VReg:
        used = register if scalar.defined else VReg.poisoned()
        return function(own, used, number(scalar), predicate, register if passing else how)

    return [lane_by_lane(apply, fmt, [source], mask, inactive(call), call.element())]


def _fused(call: Call) -> list[PtoValue]:
    """Acc + lhs * rhs, of floats rounded once; of `vaxpy` alpha * x + acc."""
    acc = call.vector("acc")
    fmt, count = call.format(acc.element), acc.count
    if call.name == "vaxpy":
        scalar = call.scalar_in("alpha")
        factor = hw.splat(fmt, number(scalar)) if scalar.defined else VReg.poisoned()
        lhs = rhs = call.vector("x")
        lhs = from_registers([factor] * len(to_registers(acc)), acc.element, count)
    else:
        lhs, rhs = call.vector("lhs"), call.vector("rhs")
    call.same_count(acc, lhs, rhs)

    def apply(own: Format, one: VReg, two: VReg, three: VReg, predicate: PReg, how: Inactive) -> VReg:
        return hw.vmula(own, one, two, three, predicate, how)

    mask = governing(call, count)
    return [lane_by_lane(apply, fmt, [acc, lhs, rhs], mask, inactive(call), call.element())]


def _leaky(call: Call) -> list[PtoValue]:
    """X where it is positive, else slope * x. Documents also write max(x, 0) + slope * min(x, 0), which is another
    number for NaN and zeros: where the two differ, the element is not determined.
    """
    x = call.vector("x")
    fmt, mask = call.format(x.element), governing(call, x.count)
    if call.name == "vlrelu":
        scalar = call.scalar_in("slope")
        register = hw.splat(fmt, number(scalar)) if scalar.defined else VReg.poisoned()
        slope = from_registers([register] * len(to_registers(x)), x.element, x.count)
    else:
        slope = call.vector("alpha")
    zero = hw.splat(fmt, 0.0)

    def apply(own: Format, source: VReg, factor: VReg, predicate: PReg, how: Inactive) -> VReg:
        chosen = hw.vprelu(own, source, factor, predicate, how)
        low = hw.vmul(own, factor, hw.vmin(own, source, zero, predicate, how), predicate, how)
        added = hw.vadd(own, hw.vmax(own, source, zero, predicate, how), low, predicate, how)
        differs = chosen.data != added.data
        if not differs.any():
            return chosen
        lanes = np.repeat(differs.reshape(-1, own.width).any(axis=1), own.width)
        return VReg(chosen.data, chosen.poison | lanes, chosen.birth)

    return [lane_by_lane(apply, fmt, [x, slope], mask, inactive(call), call.element())]


def _compare(call: Call) -> list[PtoValue]:
    """Cmpf and cmpi say signedness in their predicates; an ordered `ne` of NaN is not determined, as compilers use the
    plain one for it.
    """
    lhs = call.vector("src" if call.name == "vcmps" else "lhs")
    if call.name == "vcmps":
        scalar = call.scalar_in("scalar")
        fmt = call.format(lhs.element)
        register = hw.splat(fmt, number(scalar)) if scalar.defined else VReg.poisoned()
        rhs = from_registers([register] * len(to_registers(lhs)), lhs.element, lhs.count)
    else:
        rhs = call.vector("rhs")
    mode = call.attr("cmp") or call.attr("predicate")
    plain = mode if mode in compare.COMPARISONS else mode[1:]
    if plain not in compare.COMPARISONS or (mode != plain and mode[0] not in "osu"):
        raise call.op.fail(f"has the comparison `{mode}`, which there is not")
    comparison = plain
    fmt = call.format(lhs.element, mode[0] == "s" and mode != plain)
    seed = call.mask_or_full(lhs.count, "seed")
    packed = list(zip(to_registers(lhs), to_registers(rhs), mask_registers(seed, fmt.width), strict=True))
    made = from_predicates([compare.vcmp(fmt, comparison, *three) for three in packed], fmt.width, lhs.count)
    if mode == "one":
        nan = is_nan(fmt, lhs.bits.astype(fmt.storage)) | is_nan(fmt, rhs.bits.astype(fmt.storage))
        made = Mask(made.bits, made.poison | (nan & seed.bits), made.birth)
    return [made]


def _select(call: Call) -> list[PtoValue]:
    true, false, mask = call.vector("true_value"), call.vector("false_value"), call.mask()
    width = true.width
    packed = zip(to_registers(true), to_registers(false), mask_registers(mask, width), strict=True)
    made = [compare.vsel(width, one, two, predicate) for one, two, predicate in packed]
    return [from_registers(made, call.element(), true.count)]


def _expdif(call: Call) -> list[PtoValue]:
    """exp(x - max) in f32, of f16 operands as well."""
    x, top = call.vector("x"), call.vector("max")
    fmt, mask = call.format(x.element), governing(call, x.count)
    both = [_widened(one, fmt) for one in (x, top)]
    f32 = call.format(call.element())

    def apply(own: Format, one: VReg, two: VReg, predicate: PReg, how: Inactive) -> VReg:
        return hw.vexpdif(own, one, two, predicate, 0, how)

    return [lane_by_lane(apply, f32, both, mask, inactive(call), call.element())]


def _widened(vector: Vector, fmt: Format) -> Vector:
    if fmt.bits == 32:
        return vector
    data = vector.bits.view(fmt.dtype).astype(np.float32).view(np.uint8)
    poison = np.repeat(vector.unknown, 4)
    birth = None if vector.birth is None else np.repeat(vector.birth.reshape(-1, vector.width).max(axis=1), 4)
    return Vector(ScalarType("f32", 32, True), data, poison, birth)


def _two_halves(call: Call) -> list[PtoValue]:
    a, b = call.vector("a"), call.vector("b")
    fmt, mask = call.format(a.element, signed=a.element.text[:1] == "i"), governing(call, a.count)
    rows = [
        hw.vmull(fmt, one, two, predicate, inactive(call))
        for one, two, predicate in zip(to_registers(a), to_registers(b), mask_registers(mask, 4), strict=True)
    ]
    return [from_registers([row[half] for row in rows], call.element(half), a.count) for half in (0, 1)]


def _carrying(call: Call) -> list[PtoValue]:
    lhs, rhs = call.vector("lhs"), call.vector("rhs")
    fmt, mask = call.format(lhs.element), call.mask_or_full(lhs.count)
    taken = mask_registers(call.mask("carry_in"), 4) if call.has("carry_in") else None
    rows = [
        carry.vaddc(fmt, one, two, predicate, None if taken is None else taken[at])
        for at, (one, two, predicate) in enumerate(
            zip(to_registers(lhs), to_registers(rhs), mask_registers(mask, 4), strict=True)
        )
    ]
    return [from_registers([row[0] for row in rows], call.element(), lhs.count),
            from_predicates([row[1] for row in rows], 4, lhs.count)]  # fmt: skip


def _same(call: Call) -> list[PtoValue]:
    return [call.get(call.op.value("source"))]


ELEMENTWISE: dict[str, Callable[[Call], list[PtoValue]]] = {
    **dict.fromkeys(_UNARY, _unary), **dict.fromkeys(_BINARY, _binary), **dict.fromkeys(_WITH_SCALAR, _with_scalar),
    **dict.fromkeys(("mask_and", "mask_or", "mask_xor"), _mask_logic), "mask_not": _mask_not, "fma": _fused,
    "vmula": _fused, "vaxpy": _fused, "vlrelu": _leaky, "vprelu": _leaky, "vcmp": _compare, "vcmps": _compare,
    "cmpf": _compare, "cmpi": _compare, "vsel": _select, "select": _select, "vexpdif": _expdif,
    "vmull": _two_halves, "vaddc": _carrying, "vaddcs": _carrying, "ensure_layout": _same,
    "ensure_mask_layout": _same, "ensure_mask_granularity": _same,
}  # fmt: skip
"""The operations of this file by their names."""
