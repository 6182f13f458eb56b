"""Quotients and remainders of 64-bit elements, bit by bit, and their shift with rounding."""

from __future__ import annotations

from layoutsolver_backends.intrin.sound import pairs
from layoutsolver_backends.intrin.sound.code import Code, Pair
from layoutsolver_backends.intrin.writer import Ref

LONG_BITS = 64


def divided(code: Code, left: Pair, right: Pair) -> tuple[Pair, Pair]:
    """Quotients and remainders of unsigned numbers; of a division by zero, which has no meaning, anything.

    In each turn the highest bit of the dividend goes to the remainder, and the bit of the quotient takes its place at
    the other end. Nothing is lost when the remainder is doubled: it has as many bits as there were turns.
    """

    def turn(held: list[Ref]) -> list[Ref]:
        rest, number = Pair(held[0], held[1]), Pair(held[2], held[3])
        rest = _doubled(code, rest, code.shifted(number.high, -31, "u"))
        fits = pairs.compare(code, "ge", rest, right, "u")
        rest = pairs.select(code, fits, pairs.subtract(code, rest, right), rest)
        number = _doubled(code, number, pairs.one_or_zero(code, fits))
        return [*rest, *number]

    zero = code.number(0, "i32")
    made = code.repeated(LONG_BITS, [zero, zero, *left], turn)
    return Pair(made[2], made[3]), Pair(made[0], made[1])


def _doubled(code: Code, source: Pair, lowest: Ref) -> Pair:
    """Numbers shifted left by a bit, which another register gives."""
    high = code.either_bits(code.shifted(source.high, 1), code.shifted(source.low, -31, "u"))
    return Pair(code.either_bits(code.shifted(source.low, 1), lowest), high)


def quotient(code: Code, sources: list[Pair], sign: str) -> Pair:
    """Quotients, rounded towards zero."""
    left, right = sources
    if sign == "u":
        return divided(code, left, right)[0]
    made = divided(code, pairs.absolute(code, left), pairs.absolute(code, right))[0]
    differ = code.compare("lt", code.other_bits(left.high, right.high), code.number(0, "i32"))
    return pairs.select(code, differ, pairs.negated(code, made), made)


def remainder(code: Code, sources: list[Pair], sign: str) -> Pair:
    """Remainders, with the sign of the dividend."""
    left, right = sources
    if sign == "u":
        return divided(code, left, right)[1]
    made = divided(code, pairs.absolute(code, left), pairs.absolute(code, right))[1]
    return pairs.select(code, pairs.is_negative(code, left), pairs.negated(code, made), made)


def rounded_right(code: Code, sources: list[Pair], sign: str) -> Pair:
    """Numbers shifted right by unsigned amounts, halves rounded up; none are left of as many bits as there are.

    All bits but one are shifted out first, then that one, which is added.
    """
    source, amount = sources
    zero, one = code.number(0, "i32"), code.number(1, "i32")
    all_but_one = code.sub(code.lanes("vmax", amount.low, one, sign="u"), one)
    in_word = code.both_bits(all_but_one, code.number(31, "i32"))
    high = code.call(f"vshr.{sign}.x", [source.high, in_word, code.full], source.high.type)
    # Bits go from the high word to the low one by 32 less the amount, in two steps, each by less than a word has.
    crossing = code.shifted(code.shifted_by(source.high, code.sub(code.number(31, "i32"), in_word), left=True), 1)
    low = code.either_bits(code.shifted_by(source.low, in_word), crossing)
    sign_bits = code.shifted(source.high, -31, sign) if sign == "s" else zero
    by_words = code.compare("ge", all_but_one, code.number(32, "i32"), "u")
    kept = pairs.select(code, by_words, Pair(high, sign_bits), Pair(low, high))
    last = Pair(code.both_bits(kept.low, one), zero)
    top = code.shifted(kept.high, -1, sign)
    halved = Pair(code.either_bits(code.shifted(kept.low, -1, "u"), code.shifted(kept.high, 31)), top)
    made = pairs.add(code, halved, last)
    none = Pair(zero, zero)
    by_nothing = pairs.compare(code, "eq", amount, none, "u")
    by_less = pairs.compare(code, "lt", amount, pairs.number(code, LONG_BITS, 0), "u")
    return pairs.select(code, by_less, pairs.select(code, by_nothing, source, made), none)
