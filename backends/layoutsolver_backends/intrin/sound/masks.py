"""Operations that make and cast predicates, and how many first elements a predicate is known to have set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from layoutsolver_backends.intrin import tables
from layoutsolver_backends.intrin.normalise import REGISTER_BITS
from layoutsolver_backends.intrin.predicates import granularity
from layoutsolver_backends.intrin.program import Program, Step
from layoutsolver_backends.intrin.sound.code import Code
from layoutsolver_backends.intrin.tables import LANE_PATTERNS, PGE_PATTERNS
from layoutsolver_backends.intrin.writer import PREDICATE, Ref, Writer, enumerator

COUNTED = f"!llvm.struct<({PREDICATE}, i32)>"

WIDTHS = {"b8": 8, "b16": 16, "b32": 32}
"""The element width that a layout of a predicate is for."""


def width_of(writer: Writer, step: Step) -> int:
    """The element width that a predicate is made for: that of its functionType, of its layout, or of its lanes."""
    layout = writer.program.layout_of.get(step.results[0], "")
    if "functionType" not in step.attrs and layout in WIDTHS:
        return WIDTHS[layout]
    return granularity(writer, step)


def pattern(writer: Writer, step: Step) -> None:
    """`pge.b*`; all of a vector that does not fill the register are its first lanes, by `plt.b*` if need be."""
    lanes = writer.program.vector(step.results[0]).lanes
    width = width_of(writer, step)
    code = Code(writer)
    enumerator(step, "pattern", PGE_PATTERNS)
    name = step.attrs["pattern"]
    marks = _marks(step, width)
    if name == "ALL" and lanes < REGISTER_BITS // width:
        known = LANE_PATTERNS.get(lanes)
        if known is None:
            writer.give(step.results[0], first_lanes(code, width, lanes))
            return
        name = known
    operands = [writer.constant(PGE_PATTERNS[name]), writer.constant(0)]
    writer.give(step.results[0], writer.intrinsic(f"pge.b{width}", operands, PREDICATE, marks))


def _marks(step: Step, width: int) -> str:
    index = step.attrs.get("mask_op_idx")
    return f"mask_bit_width = {width} : i32" + (f", mask_op_idx = {index} : i32" if index is not None else "")


def first_lanes(code: Code, width: int, count: int) -> Ref:
    """The predicate of a number of first lanes."""
    known = "ALLF" if count == 0 else LANE_PATTERNS.get(count)
    if known is not None and known not in ("ALL",) and count <= REGISTER_BITS // width:
        return code.pattern(width, known)
    both = code.call(f"plt.b{width}.v300", [count], COUNTED)
    return code.writer.extract(both, 0, PREDICATE)


def counted_lanes(writer: Writer, step: Step) -> None:
    """`plt.b*.v300` of as many lanes as the vector has, and what remains of the count behind its last element.

    The intrinsic counts in 32 bits and whole registers; an index has 64 bits, and a vector may end before its register.
    """
    mask, rest = step.results
    code, count = Code(writer), step.role("true_shape")
    if writer.program.uses[mask]:
        _give_counted(code, step, writer.integer(count), lambda: writer.index(count))
    if writer.program.uses[rest]:
        lanes = writer.constant(writer.program.vector(mask).lanes, "i64")
        left = code.arith("subi", writer.index(count), lanes)
        writer.give(rest, code.arith("maxsi", left, writer.constant(0, "i64")))


def offset_lanes(writer: Writer, step: Step) -> None:
    """`plt.b*.v300` of the lanes between an offset and its bound: `pltm.b*` counts offsets in whole registers."""
    code, low, high = Code(writer), step.role("offset"), step.role("ub")
    start, end = writer.integer(low), writer.integer(high)
    known = None if start is None or end is None else end - start
    _give_counted(code, step, known, lambda: code.arith("subi", writer.index(high), writer.index(low)))


def _give_counted(code: Code, step: Step, known: int | None, count: Callable[[], Ref]) -> None:
    """Make the predicate of a number of first lanes, of those of the vector at most."""
    width, lanes = width_of(code.writer, step), code.writer.program.vector(step.results[0]).lanes
    shown = clamped(code, count(), lanes) if known is None else code.writer.constant(max(0, min(known, lanes)))
    both = code.call(f"plt.b{width}.v300", [shown], COUNTED)
    code.writer.give(step.results[0], code.writer.extract(both, 0, PREDICATE, _marks(step, width)))


def clamped(code: Code, count: Ref, most: int) -> Ref:
    """A number as a 32-bit one between 0 and the largest that there may be."""
    low, high = (code.writer.constant(number, count.type) for number in (0, most))
    kept = code.arith("minsi", code.arith("maxsi", count, low), high)
    if kept.type == "i32":
        return kept
    return code.writer.line(f"arith.trunci {kept.name} : {kept.type} to i32", "i32")


def repack(writer: Writer, step: Step) -> None:
    """`ppack.z` or `punpack`, once or twice."""
    name, times = enumerator(step, "mode", tables.PREDICATE_PACKS)
    bits, code = writer.mask(step.operands[0]), Code(writer)
    for _ in range(times):
        bits = code.call(name, [bits, 0], PREDICATE)
    writer.give(step.results[0], bits)


@dataclass(frozen=True, slots=True)
class Prefix:
    """A number of first elements, known or as a 32-bit scalar."""

    known: int | None = None
    count: Ref | None = None


def prefix_of(code: Code, mask: int, lanes: int) -> Prefix | None:
    """How many first elements a mask has, None where it is not known to be such."""
    program = code.writer.program
    owner = maker(program, mask)
    if owner is None or not owner.is_ave:
        return None
    if owner.name == "plt":
        count = owner.role("true_shape")
        number = code.writer.integer(count)
        if number is not None:
            return Prefix(max(0, min(number, lanes)))
        return Prefix(None, clamped(code, code.writer.index(count), lanes))
    if owner.name == "pge":
        number = pattern_lanes(code.writer, owner)
        return None if number is None else Prefix(min(number, lanes))
    return None


def maker(program: Program, value: int) -> Step | None:
    """The operation that a predicate comes from, through casts."""
    owner = program.definition.get(value)
    while owner is not None and owner.name == "builtin.unrealized_conversion_cast" and len(owner.operands) == 1:
        owner = program.definition.get(owner.operands[0])
    return owner


def pattern_lanes(writer: Writer, step: Step) -> int | None:
    """The lanes that a pattern governs, None where they are not the first ones."""
    lanes, width = writer.program.vector(step.results[0]).lanes, width_of(writer, step)
    slots = REGISTER_BITS // width
    name = step.attrs.get("pattern", "")
    if name.startswith("VL") and name[2:].isdecimal():
        return min(int(name[2:]), slots)
    return {"ALL": min(lanes, slots), "ALLF": 0, "H": slots // 2, "Q": slots // 4}.get(name)
