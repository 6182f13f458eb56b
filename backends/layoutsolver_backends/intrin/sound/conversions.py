"""Conversions: one intrinsic where its kinds of numbers are the right ones, else by way of wider numbers.

A conversion to narrower integers keeps the low bits, or clamps first where it is to saturate and no intrinsic has that
pair of signs. Floats go through float32, which holds all narrower ones. 64-bit elements take two registers, which their
conversions fill and read half by half.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_backends.intrin import tables
from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound import pairs
from layoutsolver_backends.intrin.sound.code import WORDS, Code, Pair, bits_of, is_float
from layoutsolver_backends.intrin.sound.lanes import rounding
from layoutsolver_backends.intrin.sound.parts import joined, parts_in_use
from layoutsolver_backends.intrin.writer import NotLoweredError, Ref, Writer, enumerator, register_type

LONGS = register_type("i64")


class Kind(NamedTuple):
    """A conversion: its element types without signs, whether each counts as signed, and its modes."""

    before: str
    after: str
    from_signed: bool
    to_signed: bool
    rnd: int
    sat: int
    part: int


def convert(writer: Writer, step: Step) -> None:
    """The intrinsics of a conversion between two element types."""
    source, result = step.role("src"), step.results[0]
    code, kind = Code(writer), _kind(writer, step)
    mask = writer.mask(step.role("mask"))
    if "i64" in (kind.before, kind.after):
        _of_longs(code, step, kind)
        return
    data = code.register(source)
    made = _direct(code, kind, data, mask)
    if made is None:
        made = _composed(code, step, kind, data, mask)
    if made is None:
        raise _unknown(step, kind)
    writer.give(result, code.as_type(made, writer.program.element(result)))


def _unknown(step: Step, kind: Kind) -> NotLoweredError:
    return NotLoweredError("LS0602", f"no intrinsics do `ave.hir.{step.name}` from `{kind.before}` to `{kind.after}`")


def _kind(writer: Writer, step: Step) -> Kind:
    elements = [writer.program.element(value) for value in (step.role("src"), step.results[0])]
    before, after = (f"i{element.lstrip('sui')}" if not is_float(element) else element for element in elements)
    from_signed, to_signed = step.name not in ("vextui", "vuitofp"), step.name not in ("vextui", "vfptoui")
    if step.name == "vtrunci":
        signs = step.attrs.get("uni", "si2si").partition("2")
        from_signed, to_signed = signs[0] != "ui", signs[2] != "ui"
    sat = enumerator(step, "sat", tables.FLAGS) if "sat" in step.attrs else 0
    sat = enumerator(step, "bool", tables.FLAGS) if "bool" in step.attrs else sat
    part = enumerator(step, "part", tables.PARTS) if "part" in step.attrs else 0
    part = enumerator(step, "pp", tables.PLACES) if "pp" in step.attrs else part
    part = part if bits_of(before) != bits_of(after) else 0
    return Kind(before, after, from_signed, to_signed, rounding(step), sat, part)


def _name(element: str, signed: bool) -> str:
    return element if is_float(element) else f"{'s' if signed else 'u'}{element[1:]}"


_SHORT = {"f8E4M3FN": "f8e4m3", "f8E5M2": "f8e5m2"}

_MODES = {
    "part": "s8>s32 s8>s16 s16>s32 u8>u32 u8>u16 u16>u32 f16>f32 bf16>f32 f8e4m3>f32 f8e5m2>f32 s8>f16 u8>f16 s16>f32",
    "sat part": "s32>s16 s32>u16 u32>s16 u32>u16 s16>u8 u16>u8 s32>u8 u32>u8",
    "rnd sat part": "f32>bf16 f32>f16 f32>f8e4m3 f32>f8e5m2 f32>s16 f16>s8 f16>u8 bf16>s32",
    "rnd sat": "f32>s32 f16>s16", "rnd": "s16>f16 s32>f32", "rnd part": "f16>s32",
}  # fmt: skip
"""The conversions that are one intrinsic, by their modes. Source: release, HIVMRegbaseIntrins."""

_INTRINSICS = {pair: modes for modes, pairs in _MODES.items() for pair in pairs.split()}


def _direct(code: Code, kind: Kind, data: Ref, mask: Ref) -> Ref | None:
    """The intrinsic for these kinds of numbers, None if there is none."""
    before, after = _name(kind.before, kind.from_signed), _name(kind.after, kind.to_signed)
    before, after = _SHORT.get(before, before), _SHORT.get(after, after)
    modes = _INTRINSICS.get(f"{before}>{after}")
    if modes is None:
        return None
    if modes == "rnd part" and kind.sat:
        return None
    return _call(code, before, after, data, mask, [getattr(kind, mode) for mode in modes.split()], kind.after)


def _call(code: Code, before: str, after: str, data: Ref, mask: Ref, modes: list[int], element: str) -> Ref:
    family = f"vcvt{'f' if 'f' in before else 'i'}{'f' if 'f' in after else 'i'}"
    return code.call(f"{family}.{before}2{after}.x", [code.bits(data) if "f" not in before else data, mask, *modes],
                     register_type(element))  # fmt: skip


def _composed(code: Code, step: Step, kind: Kind, data: Ref, mask: Ref) -> Ref | None:
    """Several intrinsics for these kinds of numbers, None if none are known."""
    narrows = bits_of(kind.before) > bits_of(kind.after)
    if not is_float(kind.before) and not is_float(kind.after) and narrows:
        number = code.bits(data)
        if kind.sat:
            number = _clamped(code, kind, number)
        low = kind._replace(from_signed=True, to_signed=bits_of(kind.after) == 16, sat=0)
        return _direct(code, low, number, mask)
    if (kind.before, kind.after) in (("f16", "i16"),) and not kind.to_signed:
        return _halves_to_words(code, step, kind, data)
    if is_float(kind.before) and is_float(kind.after):
        return _through_words(code, step, kind, data)
    if (kind.before, kind.after, kind.to_signed) == ("f32", "i32", False):
        longs = _to_longs(code, data, kind.rnd, kind.sat)
        if not kind.sat:
            return longs.low
        fitting = code.select(pairs.is_negative(code, longs), code.number(0, "i32"), code.number(-1, "i32"))
        return code.select(code.compare("eq", longs.high, code.number(0, "i32")), longs.low, fitting)
    return None


def _clamped(code: Code, kind: Kind, data: Ref) -> Ref:
    """Integers brought into the range of narrower ones."""
    bits = bits_of(kind.after)
    lowest, highest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind.to_signed else (0, (1 << bits) - 1)
    sign = "s" if kind.from_signed else "u"
    data = code.lanes("vmin", data, code.number(highest, kind.before), sign=sign)
    return code.lanes("vmax", data, code.number(lowest, kind.before), sign=sign) if kind.from_signed else data


def _through_words(code: Code, step: Step, kind: Kind, data: Ref) -> Ref | None:
    """Floats of 16 bits and less to others, by way of float32; None where float32 is one of them."""
    if "f32" in (kind.before, kind.after) or bits_of(kind.before) < bits_of(kind.after):
        return None
    made = []
    for part in parts_in_use(code, step, kind.before, 2):
        wide = _direct(code, Kind(kind.before, "f32", True, True, 0, 0, part), data, code.full)
        at = part if bits_of(kind.after) == 16 else 2 * part + kind.part
        narrow = Kind("f32", kind.after, True, True, kind.rnd, kind.sat, at)
        back = None if wide is None else _direct(code, narrow, wide, code.full)
        if back is None:
            return None
        made.append(back)
    return joined(code, made)


def _halves_to_words(code: Code, step: Step, kind: Kind, data: Ref) -> Ref:
    """float16 to unsigned 16-bit integers, by way of float32 and 32-bit integers."""
    made = []
    for part in parts_in_use(code, step, "f16", 2):
        wide = code.call("vcvtff.f162f32.x", [data, code.full, part], register_type("f32"))
        whole = code.call("vcvtfi.f322s32.x", [wide, code.full, kind.rnd, kind.sat], WORDS)
        made.append(code.call("vcvtii.s322u16.x", [whole, code.full, kind.sat, part], register_type("i16")))
    return joined(code, made)


# -- 64-bit elements --------------------------------------------------------------------------------------------------


def _of_longs(code: Code, step: Step, kind: Kind) -> None:
    source, result = step.role("src"), step.results[0]
    if "layout_change" in step.attrs:
        raise _unknown(step, kind)
    if (kind.before, kind.after) == ("i32", "i64"):
        low = code.bits(code.register(source))
        high = code.shifted(low, -31) if kind.from_signed else code.number(0, "i32")
        code.give_pair(result, Pair(low, high))
    elif (kind.before, kind.after) == ("i64", "i32"):
        code.writer.give(result, code.as_type(_to_words(code, kind, code.pair(source)),
                                              code.writer.program.element(result)))  # fmt: skip
    elif (kind.before, kind.after) == ("f32", "i64") and kind.to_signed:
        code.give_pair(result, _to_longs(code, code.register(source), kind.rnd, kind.sat))
    elif (kind.before, kind.after) == ("i64", "f32"):
        code.writer.give(result, _to_floats(code, kind, code.pair(source)))
    else:
        raise _unknown(step, kind)


def _to_words(code: Code, kind: Kind, source: Pair) -> Ref:
    """The low words, or where it is to saturate the nearest number that a word holds."""
    if not kind.sat:
        return source.low
    zero = code.number(0, "i32")
    if not kind.to_signed:
        fits = code.compare("eq", source.high, zero)
        largest = code.number(-1, "i32")
        beyond = code.select(pairs.is_negative(code, source), zero, largest) if kind.from_signed else largest
        return code.select(fits, source.low, beyond)
    largest = code.number(0x7FFFFFFF, "i32")
    if not kind.from_signed:
        positive = code.compare("ge", source.low, zero)
        fits = code.logic("pand", code.compare("eq", source.high, zero), positive)
        return code.select(fits, source.low, largest)
    fits = code.compare("eq", source.high, code.shifted(source.low, -31))
    beyond = code.other_bits(code.shifted(source.high, -31), largest)
    return code.select(fits, source.low, beyond)


def _to_longs(code: Code, source: Ref, rnd: int, sat: int) -> Pair:
    """float32 to 64-bit integers: the even lanes of a register, in which every number stands twice, at a time."""
    halves = []
    for twice in code.interleaved(source, source):
        longs = code.call("vcvtfi.f322s64.x", [twice, code.full, rnd, sat, 0], LONGS)
        halves.append(code.writer.bitcast(longs, WORDS))
    return Pair(*code.deinterleaved(*halves))


def _to_floats(code: Code, kind: Kind, source: Pair) -> Ref:
    """64-bit integers to float32; unsigned ones above the signed range are halved, their lost bit kept, and doubled."""
    if kind.from_signed:
        return _signed_to_floats(code, kind.rnd, source)
    low_bit = code.both_bits(source.low, code.number(1, "i32"))
    low = code.either_bits(code.shifted(source.low, -1, "u"), code.shifted(source.high, 31))
    half = Pair(code.either_bits(low, low_bit), code.shifted(source.high, -1, "u"))
    large = pairs.is_negative(code, source)
    made = _signed_to_floats(code, kind.rnd, pairs.select(code, large, half, source))
    return code.select(large, code.lanes("vadd", made, made, sign="s"), made)


def _signed_to_floats(code: Code, rnd: int, source: Pair) -> Ref:
    halves = []
    for words in code.interleaved(source.low, source.high):
        longs = code.writer.bitcast(words, LONGS)
        halves.append(code.call("vcvtif.s642f32.x", [longs, code.full, rnd, 0], register_type("f32")))
    return code.deinterleaved(*halves)[0]
