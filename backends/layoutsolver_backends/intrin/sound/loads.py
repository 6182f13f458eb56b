"""Loads and gathers, with the distribution that the functionType asks for."""

from __future__ import annotations

from layoutsolver.mlir.types import MemRefType
from layoutsolver_backends.intrin import tables
from layoutsolver_backends.intrin.memory import address as byte_address
from layoutsolver_backends.intrin.memory import strides_of
from layoutsolver_backends.intrin.normalise import UNALIGNED
from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound.code import ALIGN, POINTER, REGISTER_BYTES, WORDS, Code, Pair, bits_of, missing
from layoutsolver_backends.intrin.sound.moves import spreading
from layoutsolver_backends.intrin.tables import LOAD_DISTS, STREAM_SUFFIXES, SUFFIXES
from layoutsolver_backends.intrin.writer import PREDICATE, NotLoweredError, Ref, Writer, enumerator, register_type

_SPREAD = {
    ("norm", 0): ("NORM", 0),
    ("pk", 8): ("UNPK_B8", 1),
    ("pk", 16): ("UNPK_B16", 1),
    ("pk4", 8): ("UNPK4_B8", 2),
}
"""The distribution of a load, and how often it doubles the room of elements, by functionType and element width."""

_UNPACKED = {"UNPK_B8": (8, 1), "UNPK_B16": (16, 1), "UNPK4_B8": (8, 2)}
"""The width of elements that a distribution spreads, and how often it doubles their room."""

GRANULES = {"pb8": 0, "pb16": 1, "pb32": 2}
"""How often the granularity of a predicate is doubled, by functionType."""

_WIDTHS = {"BRC_B8": 8, "BRC_B16": 16, "BRC_B32": 32, "BRC_B64": 64}


def address(writer: Writer, step: Step) -> Ref:
    """The pointer to the element that an access names; bits are addressed by the byte that they are in."""
    memref = writer.program.types[step.role("base")]
    if not isinstance(memref, MemRefType) or memref.element.text != "i1":
        return byte_address(writer, step)
    code = Code(writer)
    strides = strides_of(memref)
    from layoutsolver_backends.intrin.memory import descriptor_type

    descriptor = writer.cast(writer.value(step.role("base")), descriptor_type(len(memref.shape)))
    pointer = writer.extract(descriptor, 1, POINTER)
    total = writer.extract(descriptor, 2, "i64") if strides.offset is None else writer.constant(strides.offset, "i64")
    indices = [value for role, value in zip(step.roles, step.operands, strict=True) if role == "indices"]
    for place, (value, stride) in enumerate(zip(indices, strides.strides, strict=False)):
        part = writer.index(value)
        if stride is None:
            by = writer.line(f"llvm.extractvalue {descriptor.name}[4, {place}] : {descriptor.type}", "i64")
            part = code.arith("muli", part, by)
        elif stride != 1:
            part = code.arith("muli", part, writer.constant(stride, "i64"))
        total = code.arith("addi", total, part)
    bytes_ = code.arith("floordivsi", total, writer.constant(8, "i64"))
    text = f"llvm.getelementptr {pointer.name}[{bytes_.name}] : ({POINTER}, i64) -> {POINTER}, i8"
    return writer.line(text, POINTER)


def behind(writer: Writer, pointer: Ref, size: int) -> Ref:
    """The pointer a number of bytes further on."""
    by = writer.constant(size, "i64")
    text = f"llvm.getelementptr {pointer.name}[{by.name}] : ({POINTER}, i64) -> {POINTER}, i8"
    return writer.line(text, POINTER)


def is_unaligned(step: Step) -> bool:
    """Whether an access may begin anywhere."""
    return UNALIGNED in step.attrs or step.name == "unaligned.masked.store"


def load(writer: Writer, step: Step) -> None:
    """`vldsx1`, `vldsx2`, for unaligned addresses `vldas` and `vldus.post`, for predicates `plds`."""
    result, dist = step.results[0], step.attrs.get("dist", "NORM")
    element = writer.program.element(result)
    code, pointer = Code(writer), address(writer, step)
    if element == "i1":
        writer.give(result, _bits(code, step, pointer))
    elif bits_of(element) == 64:
        _load_longs(code, step, pointer)
    elif len(step.results) > 1:
        _load_two(code, step, pointer, element)
    elif dist == "NORM":
        writer.give(result, _elements(code, step, pointer, element))
    else:
        if dist in _WIDTHS and _WIDTHS[dist] != bits_of(element):
            raise missing(step, element, f"`{dist}` repeats what has {_WIDTHS[dist]} bits")
        if is_unaligned(step) and _UNPACKED.get(dist, (0, 0))[0] == bits_of(element):
            writer.give(result, code.spread(stream(code, pointer, element), _UNPACKED[dist][1]))
            return
        if is_unaligned(step) and dist not in _WIDTHS:
            raise missing(step, element, f"`{dist}` needs an aligned address")
        number = enumerator(step, "dist", LOAD_DISTS)
        writer.give(result, one(code, pointer, element, number))


def one(code: Code, pointer: Ref, element: str, dist: int) -> Ref:
    """`vldsx1` of one register."""
    if element not in SUFFIXES:
        raise NotLoweredError("LS0602", f"there is no load for elements of type `{element}`")
    return code.call(f"vldsx1.{SUFFIXES[element]}", [pointer, 0, dist, 0], register_type(element))


def stream(code: Code, pointer: Ref, element: str) -> Ref:
    """A register from any address."""
    suffix = STREAM_SUFFIXES.get(element)
    if suffix is None:
        raise NotLoweredError("LS0602", f"there is no unaligned load for elements of type `{element}`")
    own = register_type(element)
    align = code.call("vldas", [pointer], ALIGN)
    loaded = code.call(f"vldus.post.{suffix}", [pointer, align, 0], f"!llvm.struct<({own}, {ALIGN}, ptr<6>)>")
    return code.writer.extract(loaded, 0, own)


def _elements(code: Code, step: Step, pointer: Ref, element: str) -> Ref:
    given = step.attrs.get("functionType", "norm")
    given = "norm" if given == "none" else given
    known = _SPREAD.get((given, 0 if given == "norm" else bits_of(element)))
    if known is None:
        raise missing(step, element, f"its functionType is `{given}`")
    dist, times = known
    if is_unaligned(step):
        return code.spread(stream(code, pointer, element), times)
    if dist == "UNPK4_B8" and not code.writer.program.is_950:
        return code.spread(one(code, pointer, element, LOAD_DISTS["NORM"]), times)
    return one(code, pointer, element, LOAD_DISTS[dist])


def _bits(code: Code, step: Step, pointer: Ref) -> Ref:
    """Packed bits as a predicate at the granularity of the functionType.

    Without alignment they go through a data register, of which 128 bits become a predicate: no layouts need more.
    """
    times = GRANULES.get(step.attrs.get("functionType", ""))
    if times is None:
        raise missing(step, "i1", "its functionType has to be pb8, pb16 or pb32")
    if not is_unaligned(step):
        return code.spread_mask(code.call("plds.b8", [pointer, 0, 0, 0], PREDICATE), times)
    if times == 0:
        bits = code.call("movvp", [stream(code, pointer, "i16"), 0], PREDICATE)
        return code.call("ppack.z", [bits, 0], PREDICATE)
    return code.call("movvp", [stream(code, pointer, f"i{16 * times}"), 0], PREDICATE)


def _load_two(code: Code, step: Step, pointer: Ref, element: str) -> None:
    """A load of alternate elements into two registers."""
    dist = step.attrs.get("dist", "")
    if dist not in ("DINTLV_B8", "DINTLV_B16", "DINTLV_B32") or dist != f"DINTLV_B{bits_of(element)}":
        raise missing(step, element, f"no intrinsic loads `{dist}` into {len(step.results)} vectors")
    integer = f"i{bits_of(element)}"
    if is_unaligned(step):
        both = _streamed_by_turns(code, pointer, integer)
    else:
        both = code.two(f"vldsx2.{SUFFIXES[integer]}", [pointer, 0, LOAD_DISTS[dist], 0], register_type(integer))
    for result, half in zip(step.results, both, strict=True):
        code.writer.give(result, code.as_type(half, element))


def _streamed_by_turns(code: Code, pointer: Ref, element: str) -> tuple[Ref, Ref]:
    """The even and the odd elements from any address on."""
    first = stream(code, pointer, element)
    return code.deinterleaved(first, stream(code, behind(code.writer, pointer, REGISTER_BYTES), element))


def _load_longs(code: Code, step: Step, pointer: Ref) -> None:
    """64-bit elements: alternate words into the register of the low ones and that of the high ones."""
    dist = step.attrs.get("dist", "NORM")
    if len(step.results) > 1 or dist not in ("NORM", "BRC_B64"):
        raise missing(step, "i64", f"its distribution is `{dist}`")
    if dist == "BRC_B64":
        words = code.bits(code.writer.bitcast(one(code, pointer, "i64", LOAD_DISTS[dist]), WORDS))
        halves = code.deinterleaved(words, words)
    elif is_unaligned(step):
        halves = _streamed_by_turns(code, pointer, "i32")
    else:
        halves = code.two("vldsx2.v64s32", [pointer, 0, LOAD_DISTS["DINTLV_B32"], 0], WORDS)
    code.give_pair(step.results[0], Pair(*halves))


def gather(writer: Writer, step: Step) -> None:
    """`vgather2_v300`; its indices are always 64 words, narrower ones are reinterpreted."""
    result, index = step.results[0], step.role("index_vec")
    element = writer.program.element(result)
    if element not in tables.GATHERED:
        raise missing(step, element)
    pointer = address(writer, step)
    code, mask = Code(writer), writer.mask(step.role("mask"))
    words = writer.bitcast(writer.register(index), WORDS)
    narrow = bits_of(element) == 8
    own = register_type(element)
    got = code.call(
        f"vgather2_v300.{SUFFIXES[element]}", [pointer, words, mask], register_type("i16") if narrow else own
    )
    made = writer.bitcast(got, own) if narrow else got
    writer.give(result, code.as_type(code.spread(code.bits(made), spreading(step)), element))
