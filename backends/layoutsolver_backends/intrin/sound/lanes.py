"""Lane-by-lane operations on elements of up to 32 bits: one intrinsic, or several that come to the same.

Elements that have no arithmetic are widened by parts: every second or fourth lane goes into a register of wider ones,
and what comes of it back to its place. Where floats are widened, the result is rounded twice; that is the same as
rounding once for sums, products, quotients and roots of formats with half the digits of float32 or less
(S. A. Figueroa, When is double rounding innocuous?, 1995), and checked for all operands of functions of one operand. A
quotient of such formats is further from a tie than any error of float32 division in the last place.
"""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver_backends.intrin import tables
from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound import float_division, longs, pairs
from layoutsolver_backends.intrin.sound.code import Code, bits_of, is_float, missing, sign_of
from layoutsolver_backends.intrin.sound.parts import by_parts, is_vector
from layoutsolver_backends.intrin.writer import Ref, Writer, enumerator, register_type

_NARROW_FLOATS = ("bf16", "f8E4M3FN", "f8E5M2")
_FLOATS = ("f16", "f32")

_WITH_SCALAR = {
    "vadds": "vadd", "vmuls": "vmul", "vmaxs": "vmax", "vmins": "vmin", "vsmaxs": "vsmax", "vsmins": "vsmin",
    "vumaxs": "vumax", "vumins": "vumin", "vlrelus": "vprelu", "vshls": "vshl", "vshrs": "vshr",
}  # fmt: skip
"""Operations with a scalar, by the operation that has a vector in its place."""

_SCALAR_INTRINSICS = {"vadd": "vadds", "vmul": "vmuls", "vmax": "vmaxs", "vmin": "vmins"}
_DATA = ("src", "lhs", "rhs", "vec", "scalar", "src1", "src2", "src3")
_SIGNED = {"vsmax": "s", "vsmin": "s", "vumax": "u", "vumin": "u", "vdivf": "u", "vmodui": "u"}
_PLAIN = {"vsmax": "vmax", "vsmin": "vmin", "vumax": "vmax", "vumin": "vmin", "vdivf": "vdiv", "vmodui": "vmod"}

WIDENED_FLOATS = frozenset({
    "vabs", "vneg", "vrelu", "vexp", "vln", "vsqrt", "vrsqrt", "vadd", "vsub", "vmul", "vdiv", "vmax", "vmin",
    "vabs_diff", "vprelu",
})  # fmt: skip
"""Operations on floats that come to the same when they are computed in float32 and rounded."""

_ONE_INTRINSIC: dict[str, frozenset[str]] = {
    **dict.fromkeys(("vabs", "vneg"), frozenset(("i8", "i16", "i32", *_FLOATS))),
    **dict.fromkeys(("vexp", "vln", "vsqrt", "vrsqrt"), frozenset(_FLOATS)),
    "vrelu": frozenset(("i32", *_FLOATS)), "vprelu": frozenset(_FLOATS), "vrnd": frozenset(("i8", "i16", "i32")),
}  # fmt: skip
"""Intrinsics without a sign in their names, and the element types that they take. Source: release, by its registry."""


def elementwise(writer: Writer, step: Step) -> None:
    """The intrinsics of an operation on vectors, or on vectors and a scalar."""
    code, result = Code(writer), step.results[0]
    program = writer.program
    element = program.element(result)
    if bits_of(element) == 64:
        longs.elementwise(code, step)
        return
    name = _WITH_SCALAR.get(step.name, step.name)
    data = [value for role, value in zip(step.roles, step.operands, strict=True) if role in _DATA]
    if any(not is_vector(program, value) for value in data[:1]):
        raise missing(step, element)
    if element == "i1":
        writer.give(result, _of_predicates(code, step, name))
        return
    mask = writer.mask(step.role("mask")) if "mask" in step.roles else code.full
    if name in ("vshl", "vshr"):
        writer.give(result, _shift(code, step, name, mask))
        return
    if "scalar" in step.roles:
        single = _with_scalar(code, step, name, element, mask)
        if single is not None:
            writer.give(result, single)
            return
    sources = [
        code.register(value) if is_vector(program, value) else code.splat(code.scalar(value, element)) for value in data
    ]
    writer.give(result, compute(code, step, name, element, sources, mask))


def compute(code: Code, step: Step, name: str, element: str, sources: list[Ref], mask: Ref) -> Ref:
    """The register that an operation makes of registers."""
    if name == "vmula":
        return _multiply_add(code, step, element, sources, mask)
    unsigned = step.attrs.get("cast") == "cast_unsigned" and name == "vdiv"
    sign = "u" if unsigned and not is_float(element) else _SIGNED.get(name, sign_of(element))
    plain = _PLAIN.get(name, name)
    if name in ("vand", "vor", "vxor", "vnot"):
        made = code.lanes(name, *[code.bits(source) for source in sources], mask=mask)
        return code.as_type(made, element)
    if plain == "vmod" and is_float(element):
        return _in_words(code, step, element, sources, float_division.remainder)
    if name == "vdivfhp" and is_float(element):
        return _in_words(code, step, element, sources, float_division.quotient)
    if is_float(element):
        return _of_floats(code, step, plain, element, sources, mask)
    made_of = _OF_INTEGERS.get(plain)
    if made_of is None:
        raise missing(step, element)
    return made_of(code, step, sources, sign, mask)


def _of_floats(code: Code, step: Step, name: str, element: str, sources: list[Ref], mask: Ref) -> Ref:
    known = tables.ELEMENTWISE.get(name)
    if name == "vabs_diff" and element in _FLOATS:
        return code.lanes("vabsdif", *sources, sign="s", mask=mask)
    if element in _ONE_INTRINSIC.get(name, ()):
        return code.lanes(name, *sources, mask=mask)
    if name in ("vadd", "vsub", "vmul", "vdiv", "vmax", "vmin") and known is not None and known.pick(element):
        return code.lanes(name, *sources, sign="s", mask=mask)
    if name in WIDENED_FLOATS and element in _NARROW_FLOATS:
        return by_parts(code, step, element, sources, lambda wide: _of_floats(code, step, name, "f32", wide, code.full))
    raise missing(step, element)


def _in_words(
    code: Code, step: Step, element: str, sources: list[Ref], made_of: Callable[[Code, str, Ref, Ref], Ref]
) -> Ref:
    """What is computed of float32, or of narrower floats as such."""
    if element == "f32":
        return made_of(code, element, *sources)
    return by_parts(code, step, element, sources, lambda wide: made_of(code, element, *wide))


# -- integers ---------------------------------------------------------------------------------------------------------

_OfIntegers = Callable[[Code, Step, list[Ref], str, Ref], Ref]


def _single(name: str) -> _OfIntegers:
    def write(code: Code, step: Step, sources: list[Ref], sign: str, mask: Ref) -> Ref:
        return code.lanes(name, *sources, sign=sign, mask=mask)

    return write


def _unsigned_name(name: str) -> _OfIntegers:
    def write(code: Code, step: Step, sources: list[Ref], sign: str, mask: Ref) -> Ref:
        if code.element(sources[0]).lstrip("su") not in _ONE_INTRINSIC[name]:
            raise missing(step, code.element(sources[0]))
        return code.lanes(name, *sources, mask=mask)

    return write


def _relu(code: Code, step: Step, sources: list[Ref], sign: str, mask: Ref) -> Ref:
    """The larger of a number and zero."""
    if code.element(sources[0]) in _ONE_INTRINSIC["vrelu"]:
        return code.lanes("vrelu", sources[0], mask=mask)
    return code.lanes("vmax", sources[0], code.number(0, code.element(sources[0])), sign=sign, mask=mask)


def _distance(code: Code, step: Step, sources: list[Ref], sign: str, mask: Ref) -> Ref:
    """The larger less the smaller."""
    larger, smaller = (code.lanes(name, *sources, sign=sign) for name in ("vmax", "vmin"))
    return code.lanes("vsub", larger, smaller, sign=sign, mask=mask)


def _quotient(code: Code, step: Step, sources: list[Ref], sign: str, mask: Ref) -> Ref:
    element = code.element(sources[0])
    if bits_of(element) == 8:
        return by_parts(code, step, element, sources, lambda wide: _quotient(code, step, wide, sign, code.full), sign)
    if bits_of(element) == 16 and step.name == "vdivf":
        return code.call("vdivf.v128u16.x", [*sources, mask], sources[0].type)
    return code.lanes("vdiv", *sources, sign=sign, mask=mask)


def _remainder(code: Code, step: Step, sources: list[Ref], sign: str, mask: Ref) -> Ref:
    """What a quotient leaves."""
    element = code.element(sources[0])
    if bits_of(element) == 8:
        return by_parts(code, step, element, sources, lambda wide: _remainder(code, step, wide, sign, code.full), sign)
    quotient = code.lanes("vdiv", *sources, sign=sign, mask=mask)
    return code.lanes("vsub", sources[0], code.mul(quotient, sources[1]), sign=sign, mask=mask)


def _saturated(code: Code, step: Step, sources: list[Ref], sign: str, mask: Ref) -> Ref:
    """A sum or difference, replaced by the end of the range that it passes."""
    left, right = sources
    element, adds = code.element(left), step.name == "vsadd"
    if element in ("i16", "si16"):
        return code.call(f"{step.name}.v128s16.x", [left, right, mask], left.type)
    total = code.add(left, right) if adds else code.sub(left, right)
    if sign == "u":
        wrapped = code.compare("lt", total, left, "u") if adds else code.compare("lt", left, right, "u")
        return code.select(wrapped, code.number(-1 if adds else 0, element), total)
    # The sign of a sum is wrong where it differs from that of both, of a difference where it is that of neither.
    other = code.other_bits(right, total) if adds else code.other_bits(left, right)
    over = code.both_bits(code.other_bits(left, total), other)
    wrapped = code.compare("lt", over, code.number(0, element))
    bits = bits_of(element)
    end = code.other_bits(code.shifted(left, -(bits - 1)), code.number((1 << (bits - 1)) - 1, element))
    return code.select(wrapped, end, total)


_OF_INTEGERS: dict[str, _OfIntegers] = {
    **{name: _single(name) for name in ("vadd", "vsub", "vmul", "vmax", "vmin")},
    **{name: _unsigned_name(name) for name in ("vabs", "vneg", "vrnd")},
    "vrelu": _relu, "vabs_diff": _distance, "vdiv": _quotient, "vmod": _remainder, "vsadd": _saturated,
    "vssub": _saturated,
}  # fmt: skip


# -- the rest ---------------------------------------------------------------------------------------------------------


def _with_scalar(code: Code, step: Step, name: str, element: str, mask: Ref) -> Ref | None:
    """The intrinsic that takes the scalar as it is, None if there is none."""
    plain, sign = _PLAIN.get(name, name), _SIGNED.get(name, sign_of(element))
    if is_float(element):
        if element not in _FLOATS:
            return None
        sign = "s"
    vector = code.register(step.role("vec"))
    if plain == "vprelu" and element in _FLOATS:
        return code.lanes("vlrelu", vector, code.scalar(step.role("scalar"), element), mask=mask)
    intrinsic = _SCALAR_INTRINSICS.get(plain)
    if intrinsic is None:
        return None
    return code.lanes(intrinsic, vector, code.scalar(step.role("scalar"), element), sign=sign, mask=mask)


def _shift(code: Code, step: Step, name: str, mask: Ref) -> Ref:
    """A shift; where its sign is not known, both kinds and a choice."""
    element = code.writer.program.element(step.results[0])
    if is_float(element):
        raise missing(step, element)
    amount = _amount(code, step, element)
    by: list[Ref | int] = [amount, mask]
    data = code.register(step.role("vec" if "scalar" in step.roles else "lhs"))
    full = f"{name}s" if amount.type == "i16" else name
    known = code.writer.integer(step.role("sign"))
    if known is not None:
        return code.call(f"{full}.{'s' if known else 'u'}.x", [data, *by], data.type)
    signed, unsigned = (code.call(f"{full}.{sign}.x", [data, *by], data.type) for sign in "su")
    return code.select(flag(code, step.role("sign")), signed, unsigned)


def _amount(code: Code, step: Step, element: str) -> Ref:
    """The bits to shift by: a register, or a scalar of 16 bits.

    More bits than an element has shift everything out, so a constant is cut to what 16 bits hold; a wider scalar that
    is not constant goes into all lanes.
    """
    if "scalar" not in step.roles:
        return code.register(step.role("rhs"))
    value = step.role("scalar")
    known = code.writer.integer(value)
    if known is not None:
        return code.writer.constant(max(-128, min(known, 127)), "i16")
    if bits_of(element) == 32:
        return code.splat(code.scalar(value, element))
    return code.scalar(value, "i16")


def flag(code: Code, value: int) -> Ref:
    """The predicate that has a truth value everywhere."""
    given = code.writer.value(value)
    byte = code.writer.line(f"arith.extui {given.name} : i1 to i8", "i8")
    return code.compare("ne", code.splat(byte), code.number(0, "i8"))


def _multiply_add(code: Code, step: Step, element: str, sources: list[Ref], mask: Ref) -> Ref:
    """A sum of a product; inactive lanes keep what is added to."""
    total, left, right = sources
    known = tables.ELEMENTWISE["vmula"].pick(element)
    if known is not None:
        return code.call(known, [*sources, mask], total.type)
    if is_float(element):
        made = by_parts(code, step, element, sources, lambda wide: rounded_to_odd(code, *wide))
        return code.select(mask, code.bits(made), code.bits(total))
    return code.select(mask, code.add(total, code.mul(left, right)), total)


def rounded_to_odd(code: Code, total: Ref, left: Ref, right: Ref) -> Ref:
    """Sums of exact products in float32, rounded to the odd neighbour, which rounding once more makes the nearest.

    The error of a sum is exact in the same format (Knuth, The Art of Computer Programming 2, 4.2.2); where there is
    one and the last bit of the sum is even, the next number towards the error takes its place (S. Boldo,
    G. Melquiond, Emulation of FMA and correctly rounded sums, 2008).
    """
    product = code.mul(left, right)
    rounded = code.add(product, total)
    back = code.sub(rounded, product)
    error = code.add(code.sub(product, code.sub(rounded, back)), code.sub(total, back))
    zero = code.as_type(code.number(0, "i32"), "f32")
    bits, one = code.bits(rounded), code.number(1, "i32")
    above, below = code.compare("gt", error, zero), code.compare("lt", error, zero)
    positive = code.compare("gt", rounded, zero)
    even = code.compare("eq", code.both_bits(bits, one), code.number(0, "i32"))
    inexact = code.logic("pand", code.logic("por", above, below), even)
    outward = code.logic("pnot", code.logic("pxor", above, positive))
    moved = code.select(outward, code.add(bits, one), code.sub(bits, one))
    return code.as_type(code.select(inexact, moved, bits), "f32")


def _of_predicates(code: Code, step: Step, name: str) -> Ref:
    """Logic on predicates; what the mask leaves out is clear."""
    known = {"vand": "pand", "vor": "por", "vxor": "pxor", "vnot": "pnot"}.get(name)
    if known is None:
        raise missing(step, "i1")
    data = [value for role, value in zip(step.roles, step.operands, strict=True) if role in _DATA]
    masks = [code.writer.mask(value) for value in data]
    return code.call(f"{known}.z", [*masks, code.writer.mask(step.role("mask"))], masks[0].type)


def multiply_long(writer: Writer, step: Step) -> None:
    """`vmull`: the low and the high halves of products of 32-bit integers."""
    element = writer.program.element(step.results[0])
    if element.lstrip("su") != "i32":
        raise missing(step, element)
    code = Code(writer)
    sign = "u" if step.attrs.get("cast") == "cast_unsigned" else sign_of(element)
    sources: list[Ref | int] = [code.register(step.role(role)) for role in ("src1", "src2")]
    both = code.two(f"vmull.v64{sign}32", [*sources, writer.mask(step.role("mask"))], register_type(element))
    for result, half in zip(step.results, both, strict=True):
        writer.give(result, half)


def exponential_of_difference(writer: Writer, step: Step) -> None:
    """`vexpdif`, which makes float32 of what it takes."""
    element = writer.program.element(step.results[0])
    if element != "f32":
        raise missing(step, element, "the intrinsic makes f32, but the result is typed as the operands are")
    code = Code(writer)
    sources: list[Ref | int] = [code.register(step.role("lhs")), code.register(step.role("rhs"))]
    made = code.call("vexpdif", [*sources, writer.mask(step.role("mask")), 0], register_type(element))
    writer.give(step.results[0], made)


def round_to_whole(writer: Writer, step: Step) -> None:
    """`vtrc`, which keeps the element type."""
    source, result = step.role("src"), step.results[0]
    element = writer.program.element(result)
    if element not in ("f16", "bf16", "f32") or writer.program.element(source) != element:
        raise missing(step, element)
    code = Code(writer)
    made = code.call(f"vtrc.{element}.x", [code.register(source), rounding(step), writer.mask(step.role("mask"))],
                     register_type(element))  # fmt: skip
    writer.give(result, made)


def rounding(step: Step) -> int:
    """The number of an operation's rounding; to nearest even where it has none."""
    if "rnd" not in step.attrs:
        return tables.ROUNDS["rint"]
    if step.attrs["rnd"] == "truncwithoverflow":
        return tables.ROUNDS["trunc"]
    return enumerator(step, "rnd", tables.ROUNDS)


def select(writer: Writer, step: Step) -> None:
    """`vsel`; of predicates, what is in both the one and the mask, or in the other and not in the mask."""
    result = step.results[0]
    element = writer.program.element(result)
    code, mask = Code(writer), writer.mask(step.role("pred"))
    yes, no = step.role("true_value"), step.role("false_value")
    if element == "i1":
        taken = code.logic("pand", writer.mask(yes), mask)
        left = code.logic("pand", writer.mask(no), code.logic("pnot", mask))
        writer.give(result, code.logic("por", taken, left))
    elif bits_of(element) == 64:
        first, second = code.pair(yes), code.pair(no)
        code.give_pair(result, pairs.select(code, mask, first, second))
    else:
        writer.give(result, code.select(mask, code.register(yes), code.register(no)))
