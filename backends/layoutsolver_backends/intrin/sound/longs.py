"""Lane-by-lane operations on 64-bit elements."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound import long_division, pairs
from layoutsolver_backends.intrin.sound.code import Code, Pair, missing, sign_of

_SCALAR_NAMES = {
    "vadds": "vadd", "vmuls": "vmul", "vmaxs": "vmax", "vmins": "vmin", "vsmaxs": "vsmax", "vsmins": "vsmin",
    "vumaxs": "vumax", "vumins": "vumin",
}  # fmt: skip


def elementwise(code: Code, step: Step) -> None:
    """The intrinsics of an operation on vectors, or on vectors and a scalar."""
    element = code.writer.program.element(step.results[0])
    name = _SCALAR_NAMES.get(step.name, step.name)
    made_of = _OPERATIONS.get(name)
    if made_of is None:
        raise missing(step, element)
    sources = [
        code.pair(value) if role != "scalar" else pairs.splat(code, value)
        for role, value in zip(step.roles, step.operands, strict=True)
        if role not in ("mask", "sign")
    ]
    unsigned = step.attrs.get("cast") == "cast_unsigned" and name == "vdiv"
    sign = "u" if unsigned else _SIGNS.get(name, sign_of(element))
    made = made_of(code, sources, sign)
    if name == "vmula":
        made = pairs.select(code, code.writer.mask(step.role("mask")), made, sources[0])
    code.give_pair(step.results[0], made)


def plane_by_plane(name: str) -> _Operation:
    """An operation that does the same to every word."""

    def write(code: Code, sources: list[Pair], sign: str) -> Pair:
        low = code.lanes(name, *[source.low for source in sources])
        return Pair(low, code.lanes(name, *[source.high for source in sources]))

    return write


def _distance(code: Code, sources: list[Pair], sign: str) -> Pair:
    left, right = sources
    return pairs.subtract(code, pairs.larger(code, left, right, sign), pairs.smaller(code, left, right, sign))


def _saturated(code: Code, sources: list[Pair], adds: bool) -> Pair:
    """A sum or difference, replaced by the end of the range that it passes."""
    left, right = sources
    total = pairs.add(code, left, right) if adds else pairs.subtract(code, left, right)
    other = code.other_bits(right.high, total.high) if adds else code.other_bits(left.high, right.high)
    over = code.both_bits(code.other_bits(left.high, total.high), other)
    wrapped = code.compare("lt", over, code.number(0, "i32"))
    inverse = code.shifted(left.high, -31)
    end = Pair(code.other_bits(inverse, code.number(-1, "i32")),
               code.other_bits(inverse, code.number(0x7FFFFFFF, "i32")))  # fmt: skip
    return pairs.select(code, wrapped, end, total)


_Operation = Callable[[Code, list[Pair], str], Pair]

_SIGNS = {"vsmax": "s", "vsmin": "s", "vumax": "u", "vumin": "u", "vdivf": "u", "vmodui": "u"}

_OPERATIONS: dict[str, _Operation] = {
    **{name: plane_by_plane(name) for name in ("vand", "vor", "vxor", "vnot")},
    "vadd": lambda code, sources, sign: pairs.add(code, *sources),
    "vsub": lambda code, sources, sign: pairs.subtract(code, *sources),
    "vmul": lambda code, sources, sign: pairs.multiply(code, *sources),
    "vmula": lambda code, sources, sign: pairs.add(code, sources[0], pairs.multiply(code, *sources[1:])),
    **dict.fromkeys(("vmax", "vsmax", "vumax"), lambda code, both, sign: pairs.larger(code, both[0], both[1], sign)),
    **dict.fromkeys(("vmin", "vsmin", "vumin"), lambda code, both, sign: pairs.smaller(code, both[0], both[1], sign)),
    "vneg": lambda code, sources, sign: pairs.negated(code, sources[0]),
    "vabs": lambda code, sources, sign: pairs.absolute(code, sources[0]), "vabs_diff": _distance,
    "vrelu": lambda code, sources, sign: pairs.larger(code, sources[0], pairs.number(code, 0, 0), "s"),
    "vdiv": long_division.quotient, "vdivf": long_division.quotient, "vmod": long_division.remainder,
    "vmodui": long_division.remainder, "vrnd": long_division.rounded_right,
    "vsadd": lambda code, sources, sign: _saturated(code, sources, True),
    "vssub": lambda code, sources, sign: _saturated(code, sources, False),
}  # fmt: skip
