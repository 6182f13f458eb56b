"""Operations that make and combine predicates as intrinsics, and barriers."""

from __future__ import annotations

from layoutsolver_backends.intrin import tables
from layoutsolver_backends.intrin.normalise import REGISTER_BITS, RELEASE
from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.writer import PREDICATE, NotLoweredError, Ref, Writer, enumerator


def granularity(writer: Writer, step: Step) -> int:
    """The element width that a predicate is made for: that of the functionType, else the one that fills a register."""
    lanes = writer.program.vector(step.results[0]).lanes
    width = tables.PREDICATE_WIDTHS.get(step.attrs.get("functionType", ""), REGISTER_BITS // max(lanes, 1))
    if width not in (8, 16, 32):
        raise NotLoweredError(
            "LS0602", f"a mask of {lanes} lanes without a granularity cannot be made",
            "its functionType has to be pb8, pb16 or pb32",
        )  # fmt: skip
    return width


def _marks(step: Step, width: int) -> str:
    """The attributes that a predicate carries on."""
    index = step.attrs.get("mask_op_idx")
    return f"mask_bit_width = {width} : i32" + (f", mask_op_idx = {index} : i32" if index is not None else "")


def pge(writer: Writer, step: Step) -> None:
    """`pge.b*` with the number of its pattern; the release names all lanes of a narrow predicate by their number."""
    vector = writer.lanes_of(step.results[0])
    if not vector.shape:
        raise NotLoweredError("LS0602", f"no mask of type `{vector.text}` can be made")
    number = enumerator(step, "pattern", tables.PGE_PATTERNS)
    if step.attrs["pattern"] == "ALL" and writer.dialect == RELEASE:
        if vector.lanes not in tables.LANE_PATTERNS:
            raise NotLoweredError("LS0602", f"there is no pattern for {vector.lanes} lanes")
        number = tables.PGE_PATTERNS[tables.LANE_PATTERNS[vector.lanes]]
    width = granularity(writer, step)
    operands = [writer.constant(number), writer.constant(0)]
    writer.give(step.results[0], writer.intrinsic(f"pge.b{width}", operands, PREDICATE, _marks(step, width)))


def plt(writer: Writer, step: Step) -> None:
    """`plt.b*.v300`: the first lanes, and how many remain."""
    width = granularity(writer, step)
    count = writer.narrow_index(step.role("true_shape"))
    both = writer.intrinsic(f"plt.b{width}.v300", [count], f"!llvm.struct<({PREDICATE}, i32)>")
    writer.member(step.results[0], both, 0, PREDICATE, _marks(step, width))
    writer.member(step.results[1], both, 1, "i32")


def pltm(writer: Writer, step: Step) -> None:
    """`pltm.b*.v300`; the intrinsic counts its offset in registers."""
    width = granularity(writer, step)
    lanes = REGISTER_BITS // width
    wide, by = writer.index(step.role("offset")), writer.constant(lanes, "i64")
    quotient = writer.line(f"llvm.sdiv {wide.name}, {by.name} : i64", "i64")
    offset = writer.line(f"llvm.trunc {quotient.name} : i64 to i16", "i16")
    bound = writer.narrow_index(step.role("ub"))
    attrs = f"mask_bit_width = {width} : i32"
    writer.give(step.results[0], writer.intrinsic(f"pltm.b{width}.v300", [offset, bound], PREDICATE, attrs))


_LOGIC = {"preg.and": "pand.z", "preg.or": "por.z", "preg.xor": "pxor.z", "preg.not": "pnot.z"}


def logic(writer: Writer, step: Step) -> None:
    """`pand.z`, `por.z`, `pxor.z`, `pnot.z`."""
    operands = [writer.mask(value) for value in step.operands]
    writer.give(step.results[0], writer.intrinsic(_LOGIC[step.name], operands, PREDICATE))


def cast(writer: Writer, step: Step) -> None:
    """`ppack.z` or `punpack`, once or twice."""
    name, times = enumerator(step, "mode", tables.PREDICATE_PACKS)
    bits = writer.mask(step.operands[0])
    part = writer.constant(0)
    for _ in range(times):
        bits = writer.intrinsic(name, [bits, part], PREDICATE)
    writer.give(step.results[0], bits)


def compare(writer: Writer, step: Step) -> None:
    """`vcmp.*`, in the release spread behind it where its functionType says so."""
    left = step.role("lhs")
    element = writer.lanes_of(left).element.text
    order, predicate = enumerator(step, "predicate", tables.COMPARES), step.attrs["predicate"]
    sign = tables.COMPARED.pick(element)
    if predicate.startswith("U"):
        sign = "u" if element in ("i8", "i16", "i32") else None
    if sign is None:
        raise NotLoweredError("LS0602", f"there is no comparison `{predicate}` of elements of type `{element}`")
    operands = [writer.register(left), writer.register(step.role("rhs")), writer.mask(step.role("mask"))]
    bits = writer.intrinsic(f"vcmp.{order}.{sign}.z", operands, PREDICATE)
    times = {"dintlv2": 1, "dintlv4": 2}.get(step.attrs.get("functionType", ""), 0)
    if times and writer.dialect == RELEASE:
        bits = _unpacked(writer, step, bits, times)
    writer.give(step.results[0], bits)


def _unpacked(writer: Writer, step: Step, bits: Ref, times: int) -> Ref:
    """What the release makes of a comparison whose functionType came from a layout cast."""
    if writer.program.types[step.results[0]].text != PREDICATE:
        raise NotLoweredError("LS0602", f"only `{PREDICATE}` can be spread after a comparison")
    part = writer.constant(0)
    for _ in range(times):
        bits = writer.intrinsic("punpack", [bits, part], PREDICATE)
    return bits


def barrier(writer: Writer, step: Step) -> None:
    """`mem.bar.*`; the release takes a number that is not constant for 0."""
    number = writer.integer(step.operands[0])
    if number is None:
        writer.warn(
            step, "LS0605", "the kind of a barrier that is not constant is taken for 0, `vv.all`",
            "write the number as an `arith.constant`",
        )  # fmt: skip
        number = 0
    if not 0 <= number < len(tables.BARRIERS):
        raise NotLoweredError("LS0602", f"there is no barrier number {number}")
    writer.effect(f"mem.bar.{tables.BARRIERS[number]}", [])
