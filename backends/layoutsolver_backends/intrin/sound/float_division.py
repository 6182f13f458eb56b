"""Quotients and remainders of float32, exactly, by division of their significands as integers.

A significand has 24 bits, so that eight more fit into a word: each turn of a long division makes eight bits of the
quotient. How `vdiv` rounds floats is not documented; that of integers rounds towards zero.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_backends.intrin.sound.code import Code
from layoutsolver_backends.intrin.writer import Ref

FRACTION_BITS = 23
HIDDEN = 1 << FRACTION_BITS
INFINITY = 0x7F800000
NAN = 0x7FC00000
SIGN = -(1 << 31)
BIAS = 127
AT_A_TIME = 8
"""Bits of a quotient that a turn makes."""

EXTRA_BITS = 2
"""Bits of a quotient behind those of a significand: the last one stands for all that follow."""

TURNS = {"f32": 32, "bf16": 32, "f16": 5, "f8E5M2": 4, "f8E4M3FN": 2}
"""Turns after which the exponents of any two finite numbers are equal, by element type."""


class Parts(NamedTuple):
    """A float32 without its sign: the bits of the magnitude, the biased exponent and the significand."""

    magnitude: Ref
    exponent: Ref
    significand: Ref


def remainder(code: Code, element: str, left: Ref, right: Ref) -> Ref:
    """The remainders of division towards zero, with the sign of the dividend; of numbers that an element type holds.

    In each turn the remainder is shifted left by as many bits as the exponents still differ, eight at most. Where the
    divisor is larger or zero, what comes of that is not taken.
    """
    a, b = (_parts(code, code.bits(source)) for source in (left, right))
    zero, most = code.number(0, "i32"), code.number(AT_A_TIME, "i32")
    apart = code.sub(a.exponent, b.exponent)

    def turn(held: list[Ref]) -> list[Ref]:
        rest, apart = held
        by = code.lanes("vmin", apart, most, sign="s")
        return [_divided(code, code.shifted_by(rest, by, left=True), b.significand)[1], code.sub(apart, by)]

    rest = code.repeated(TURNS[element], [_divided(code, a.significand, b.significand)[1], apart], turn)[0]
    scale = code.as_type(code.shifted(b.exponent, FRACTION_BITS), "f32")
    made = code.bits(code.mul(code.mul(_as_float(code, rest), _power(code, -FRACTION_BITS)), scale))
    made = code.either_bits(made, code.both_bits(code.bits(left), code.number(SIGN, "i32")))
    made = code.select(code.compare("lt", a.magnitude, b.magnitude, "u"), code.bits(left), made)
    infinity = code.number(INFINITY, "i32")
    outside = code.logic(
        "por", code.compare("ge", a.magnitude, infinity, "u"), code.compare("gt", b.magnitude, infinity, "u")
    )
    outside = code.logic("por", outside, code.compare("eq", b.magnitude, zero))
    return code.as_type(code.select(outside, code.number(NAN, "i32"), made), "f32")


def quotient(code: Code, element: str, left: Ref, right: Ref) -> Ref:
    """The quotients, rounded to nearest even; the same for every element type."""
    a, b = (_normal_parts(code, source) for source in (left, right))
    zero, one = code.number(0, "i32"), code.number(1, "i32")
    smaller = code.compare("lt", a.significand, b.significand, "u")
    rest = code.sub(code.select(smaller, code.shifted(a.significand, 1), a.significand), b.significand)
    exponent = code.add(code.sub(a.exponent, b.exponent), code.number(BIAS, "i32"))
    exponent = code.select(smaller, code.sub(exponent, one), exponent)
    digits = one
    for bits in (AT_A_TIME, AT_A_TIME, AT_A_TIME, FRACTION_BITS + EXTRA_BITS - 3 * AT_A_TIME):
        made, rest = _divided(code, code.shifted(rest, bits), b.significand)
        digits = code.either_bits(code.shifted(digits, bits), made)
    digits = _with_rest(code, digits, code.compare("ne", rest, zero))
    magnitude = _rounded(code, digits, exponent)
    infinity = code.number(INFINITY, "i32")
    a_zero, b_zero = (code.compare("eq", part.magnitude, zero) for part in (a, b))
    a_infinite, b_infinite = (code.compare("eq", part.magnitude, infinity) for part in (a, b))
    magnitude = code.select(code.logic("por", a_zero, b_infinite), zero, magnitude)
    magnitude = code.select(code.logic("por", a_infinite, b_zero), infinity, magnitude)
    sign = code.both_bits(code.other_bits(code.bits(left), code.bits(right)), code.number(SIGN, "i32"))
    undecided = code.logic("por", code.logic("pand", a_zero, b_zero), code.logic("pand", a_infinite, b_infinite))
    for part in (a, b):
        undecided = code.logic("por", undecided, code.compare("gt", part.magnitude, infinity, "u"))
    made = code.select(undecided, code.number(NAN, "i32"), code.either_bits(magnitude, sign))
    return code.as_type(made, "f32")


def _parts(code: Code, bits: Ref) -> Parts:
    """The parts of float32; those below the normal ones have the exponent of the smallest of these."""
    magnitude = code.both_bits(bits, code.number(~SIGN, "i32"))
    exponent = code.shifted(magnitude, -FRACTION_BITS, "u")
    fraction = code.both_bits(magnitude, code.number(HIDDEN - 1, "i32"))
    normal = code.compare("ne", exponent, code.number(0, "i32"))
    significand = code.select(normal, code.either_bits(fraction, code.number(HIDDEN, "i32")), fraction)
    return Parts(magnitude, code.lanes("vmax", exponent, code.number(1, "i32"), sign="u"), significand)


def _normal_parts(code: Code, source: Ref) -> Parts:
    """The parts of float32 with significands of 24 bits, the exponent of a small number being below 1."""
    magnitude = code.both_bits(code.bits(source), code.number(~SIGN, "i32"))
    small = code.compare("lt", magnitude, code.number(HIDDEN, "i32"), "u")
    scaled = code.bits(code.mul(code.as_type(magnitude, "f32"), _power(code, FRACTION_BITS + 1)))
    normal = _parts(code, code.select(small, scaled, magnitude))
    lower = code.sub(normal.exponent, code.number(FRACTION_BITS + 1, "i32"))
    significand = code.either_bits(normal.significand, code.number(HIDDEN, "i32"))
    return Parts(magnitude, code.select(small, lower, normal.exponent), significand)


def _divided(code: Code, number: Ref, by: Ref) -> tuple[Ref, Ref]:
    """Quotients and remainders of unsigned words."""
    made = code.lanes("vdiv", number, by, sign="u")
    return made, code.sub(number, code.mul(made, by))


def _with_rest(code: Code, digits: Ref, rest: Ref) -> Ref:
    """Numbers with their last bit set where something is left of what follows."""
    return code.either_bits(digits, code.select(rest, code.number(1, "i32"), code.number(0, "i32")))


def _rounded(code: Code, digits: Ref, exponent: Ref) -> Ref:
    """The float32 magnitude of numbers between 1 and 2, times a power of two, with extra bits to be rounded off."""
    one = code.number(1, "i32")
    by = code.lanes("vmax", code.sub(one, exponent), code.number(0, "i32"), sign="s")
    by = code.lanes("vmin", by, code.number(31, "i32"), sign="s")
    shifted = code.shifted_by(digits, by)
    lost = code.compare("ne", code.shifted_by(shifted, by, left=True), digits)
    digits = _with_rest(code, shifted, lost)
    even = code.both_bits(code.shifted(digits, -EXTRA_BITS, "u"), one)
    half = code.number((1 << (EXTRA_BITS - 1)) - 1, "i32")
    significand = code.shifted(code.add(code.add(digits, half), even), -EXTRA_BITS, "u")
    above = code.sub(code.lanes("vmax", exponent, one, sign="s"), one)
    made = code.add(code.shifted(above, FRACTION_BITS), significand)
    too_large = code.compare("ge", exponent, code.number(INFINITY >> FRACTION_BITS, "i32"))
    return code.select(too_large, code.number(INFINITY, "i32"), made)


def _as_float(code: Code, number: Ref) -> Ref:
    """Integers of 24 bits as float32, which holds them."""
    return code.call("vcvtif.s322f32.x", [number, code.full, 0], "vector<64xf32>")


def _power(code: Code, exponent: int) -> Ref:
    """A power of two in all lanes."""
    return code.as_type(code.number((BIAS + exponent) << FRACTION_BITS, "i32"), "f32")
