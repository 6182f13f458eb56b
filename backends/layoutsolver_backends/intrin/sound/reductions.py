"""Reductions: of the active lanes, into the first one."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound import pairs
from layoutsolver_backends.intrin.sound.code import WORDS, Code, Pair, bits_of, is_float, missing, sign_of
from layoutsolver_backends.intrin.sound.float_division import BIAS, FRACTION_BITS, INFINITY, SIGN
from layoutsolver_backends.intrin.sound.lanes import rounded_to_odd
from layoutsolver_backends.intrin.sound.masks import first_lanes
from layoutsolver_backends.intrin.sound.moves import LONG_LANES
from layoutsolver_backends.intrin.sound.parts import WIDER, parts_in_use
from layoutsolver_backends.intrin.tables import ROUNDS
from layoutsolver_backends.intrin.writer import PREDICATE, NotLoweredError, Ref, Writer, register_type

_LARGEST = {"add": ("f16", "f32"), "max": ("f16", "f32", "bf16"), "min": ("f16", "f32", "bf16")}
"""The floats that there are reductions of."""

_SMALLEST_BITS = 16
"""What 8-bit floats are whole multiples of is at least two to the power of minus this."""


def reduce(writer: Writer, step: Step) -> None:
    """`vcadd`, `vcmax`, `vcmin`; exclusive ors and 64-bit elements are folded in halves.

    Layouts of 64-bit elements are no matter of lane rules: bits of their masks behind the elements are cleared here.

    The sum of narrow integers is made of twice the bits: its low half is the sum in the first lane.
    """
    source, result, kind = step.role("vector"), step.results[0], step.attrs.get("kind", "")
    element = writer.program.element(source)
    code, mask = Code(writer), writer.mask(step.role("mask"))
    if kind not in ("add", "max", "min", "umax", "umin", "xori"):
        raise NotLoweredError("LS0602", f"there is no reduction `{kind}`")
    if bits_of(element) == 64:
        lanes = writer.program.vector(source).lanes
        if lanes < LONG_LANES:
            mask = code.logic("pand", mask, first_lanes(code, 32, lanes))
        code.give_pair(result, _of_longs(code, kind, code.pair(source), mask))
        return
    data = code.register(source)
    if kind == "xori":
        writer.give(result, code.as_type(_folded(code, code.bits(data), mask), element))
        return
    plain = kind.removeprefix("u")
    if element.startswith("f8") and plain != "add":
        writer.give(result, _extreme_of_bytes(code, step, plain, data, mask))
        return
    if element.startswith("f8"):
        writer.give(result, _sum_of_bytes(code, step, data, mask))
        return
    if is_float(element) and element not in _LARGEST[plain]:
        note = f"`vcadd` adds lanes of integers, f16 and f32; a sum of {element} made in f32 would be rounded twice"
        raise missing(
            step, element, note, "where that is meant, `ave.hir.vextf` before and `ave.hir.vtruncf` behind say it"
        )
    sign = "u" if kind.startswith("u") and not is_float(element) else sign_of(element)
    wide = f"i{2 * bits_of(element)}" if kind == "add" and not is_float(element) and bits_of(element) < 32 else element
    made = code.call(f"vc{plain}.{sign}.x", [data, mask], register_type(wide))
    writer.give(result, code.as_type(made, element))


def _extreme_of_bytes(code: Code, step: Step, kind: str, data: Ref, mask: Ref) -> Ref:
    """The largest or smallest of 8-bit floats: that of each part in float32, and of these the first of the best.

    Zeros of both signs are equal, and the first one counts; an extreme comes with the number of its lane. What no
    element decides is an infinity, which in a format without one is its largest number.
    """
    element = code.element(data)
    there, wide, back = WIDER[element]
    order = "gt" if kind == "max" else "lt"
    best: tuple[Ref, Ref] | None = None
    for part in parts_in_use(code, step, element, 4):
        own = code.call(there, [data, code.full, part], register_type(wide))
        found = code.call(f"vc{kind}.s.x", [own, shifted_mask(code, mask, part)], register_type(wide))
        lane = code.call("vslide", [code.bits(found), code.bits(found), code.writer.constant(1, "i16")], WORDS)
        if best is None:
            best = found, lane
            continue
        first = code.logic("pand", code.compare("eq", best[0], found), code.compare("le", best[1], lane, "u"))
        kept = code.logic("por", first, code.compare(order, best[0], found))
        best = code.select(kept, best[0], found), code.select(kept, best[1], lane)
    assert best is not None
    saturates = int(element == "f8E4M3FN")
    return code.call(back, [best[0], code.full, 0, saturates, 0], register_type(element))


def _sum_of_bytes(code: Code, step: Step, data: Ref, mask: Ref) -> Ref:
    """The sum of 8-bit floats, rounded once: that of their whole parts, and that of what is left of these in 2^-16.

    Both are sums of integers, of 24 bits at most. What is infinite or no number shows in a sum of float32.
    """
    element = code.element(data)
    there, wide, back = WIDER[element]
    unit = code.as_type(code.number((BIAS - _SMALLEST_BITS) << FRACTION_BITS, "i32"), wide)
    many = code.as_type(code.number((BIAS + _SMALLEST_BITS) << FRACTION_BITS, "i32"), wide)
    totals: list[Ref] = []
    for part in parts_in_use(code, step, element, 4):
        own = code.call(there, [data, code.full, part], register_type(wide))
        active = shifted_mask(code, mask, part)
        whole = code.call(f"vtrc.{wide}.x", [own, ROUNDS["trunc"], code.full], own.type)
        left = code.mul(code.sub(own, whole), many)
        words = [code.call("vcvtfi.f322s32.x", [half, code.full, ROUNDS["trunc"], 0], WORDS) for half in (whole, left)]
        sums = [code.call("vcadd.s.x", [register, active], register.type) for register in (*words, own)]
        totals = [code.add(one, other) for one, other in zip(totals, sums, strict=True)] if totals else sums
    whole, left = (code.call("vcvtif.s322f32.x", [total, code.full, 0], register_type(wide)) for total in totals[:2])
    magnitude = code.both_bits(code.bits(totals[2]), code.number(~SIGN, "i32"))
    finite = code.compare("lt", magnitude, code.number(INFINITY, "i32"), "u")
    total = code.select(finite, rounded_to_odd(code, whole, left, unit), totals[2])
    return code.call(back, [total, code.full, 0, 0, 0], register_type(element))


def shifted_mask(code: Code, mask: Ref, part: int) -> Ref:
    """The predicate of words that has, for each, what another one has for a byte of it."""
    if part & 1:
        mask = code.two("pdintlv.b8", [mask, mask], PREDICATE)[1]
        mask = code.call("punpack", [mask, 0], PREDICATE)
    if part & 2:
        mask = code.two("pdintlv.b16", [mask, mask], PREDICATE)[1]
        mask = code.call("punpack", [mask, 0], PREDICATE)
    return mask


def _folded(code: Code, data: Ref, mask: Ref) -> Ref:
    """The exclusive or of the active lanes: the even and the odd lanes, put together until one is left."""
    zero = code.number(0, code.element(data))
    data = code.select(mask, data, zero)
    lanes = 2048 // bits_of(code.element(data))
    while lanes > 1:
        data = code.other_bits(*code.deinterleaved(data, zero))
        lanes //= 2
    return data


_Fold = Callable[[Code, Pair, Pair], Pair]


def _of_longs(code: Code, kind: str, data: Pair, mask: Ref) -> Pair:
    neutral, fold = _FOLDS[kind]
    rest = pairs.number(code, *neutral)
    data = pairs.select(code, mask, data, rest)
    lanes = LONG_LANES
    while lanes > 1:
        low, high = code.deinterleaved(data.low, rest.low), code.deinterleaved(data.high, rest.high)
        data = fold(code, Pair(low[0], high[0]), Pair(low[1], high[1]))
        lanes //= 2
    return data


_FOLDS: dict[str, tuple[tuple[int, int], _Fold]] = {
    "add": ((0, 0), pairs.add),
    "xori": ((0, 0), lambda code, a, b: Pair(code.other_bits(a.low, b.low), code.other_bits(a.high, b.high))),
    "max": ((0, -(1 << 31)), lambda code, a, b: pairs.larger(code, a, b, "s")),
    "min": ((-1, 0x7FFFFFFF), lambda code, a, b: pairs.smaller(code, a, b, "s")),
    "umax": ((0, 0), lambda code, a, b: pairs.larger(code, a, b, "u")),
    "umin": ((-1, -1), lambda code, a, b: pairs.smaller(code, a, b, "u")),
}  # fmt: skip
"""What an inactive element counts as, by its words, and how two elements become one."""
