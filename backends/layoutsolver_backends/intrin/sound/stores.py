"""Stores, with the distribution that the functionType asks for.

An unaligned store is a stream of bytes and has no mask. Where the mask is a number of first elements the stream is as
long; else what is in memory is loaded, the active elements are put into it, and all of it is stored again.
"""

from __future__ import annotations

from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound.code import (
    ALIGN,
    POINTER,
    REGISTER_BYTES,
    WORDS,
    Code,
    bits_of,
    is_float,
    missing,
)
from layoutsolver_backends.intrin.sound.loads import GRANULES, address, behind, is_unaligned, stream
from layoutsolver_backends.intrin.sound.masks import Prefix, clamped, first_lanes, prefix_of
from layoutsolver_backends.intrin.tables import BARRIERS, STORE_DISTS, STREAM_SUFFIXES, SUFFIXES
from layoutsolver_backends.intrin.writer import PREDICATE, NotLoweredError, Ref, Writer, enumerator, register_type

_PACKED = {("pk", 8): ("PK_B16", 1, 16), ("pk", 16): ("PK_B32", 1, 32), ("pk4", 8): ("PK4_B32", 2, 32)}
"""The distribution of a store by functionType and element width, its halvings, and the width of its lanes."""

_HALVINGS = {dist: times for dist, times, _ in _PACKED.values()}
_DENSE = ("norm", "none", "")
_STRIDED = {"dintlv2": 1, "dintlv4": 2}
_LONG = 8
LONG_LANES = 64


def store(writer: Writer, step: Step) -> None:
    """`vstsx1`, for unaligned addresses `vstus.post` and `vstas`, for predicates `psts` or `pstu`."""
    value = step.role("val")
    element = writer.program.element(value)
    code, pointer = Code(writer), address(writer, step)
    dist = step.attrs.get("dist", "")
    if element == "i1":
        _bits(code, step, pointer)
    elif dist.startswith("ONEPT"):
        _one(code, step, pointer, element)
    elif bits_of(element) == 64:
        _longs(code, step, pointer)
    elif dist and not dist.startswith(("NORM", "PK")):
        raise missing(step, element, f"its distribution is `{dist}`")
    else:
        _elements(code, step, pointer, element)


def _put(code: Code, data: Ref, pointer: Ref, dist: int, mask: Ref) -> None:
    """`vstsx1` of one register."""
    element = code.element(data)
    if element not in SUFFIXES:
        raise NotLoweredError("LS0602", f"there is no store for elements of type `{element}`")
    code.effect(f"vstsx1.{SUFFIXES[element]}", [data, pointer, 0, dist, 0, mask])


def _elements(code: Code, step: Step, pointer: Ref, element: str) -> None:
    writer = code.writer
    data, mask = code.register(step.role("val")), writer.mask(step.role("mask"))
    given, times, wide = step.attrs.get("functionType", ""), 0, 0
    dist = step.attrs.get("dist", "")
    packed = f"NORM_B{bits_of(element)}"
    if dist.startswith("PK"):
        packed, times, wide = dist, _HALVINGS.get(dist, 0), int(dist.rpartition("B")[2])
    elif given not in _DENSE:
        known = _PACKED.get((given, bits_of(element)))
        if known is None:
            raise missing(step, element, f"its functionType is `{given}`")
        packed, times, wide = known
    if is_unaligned(step):
        if dist.startswith("PK") and wide >> times != bits_of(element):
            raise missing(step, element, f"`{dist}` needs an aligned address")
        dense = code.as_type(code.packed(code.bits(data), times), element)
        _unaligned(code, step, pointer, dense, times)
        return
    if packed == "PK4_B32" and not writer.program.is_950:
        dense = code.as_type(code.packed(code.bits(data), times), element)
        _put(code, dense, pointer, STORE_DISTS[f"NORM_B{bits_of(element)}"], code.packed_mask(mask, times))
        return
    if wide and writer.dialect != "1.2.0":
        data = code.as_type(data, f"{'f' if element[0] in 'bf' else 'i'}{wide}")
    _put(code, data, pointer, STORE_DISTS[packed], mask)


# -- streams ----------------------------------------------------------------------------------------------------------


def _unaligned(code: Code, step: Step, pointer: Ref, data: Ref, times: int) -> None:
    """Store a register of dense elements under a mask whose elements have `times` doublings more room."""
    element = code.element(data)
    size = bits_of(element) // 8
    lanes = min(code.writer.program.vector(step.role("val")).lanes, REGISTER_BYTES // size)
    first = prefix_of(code, step.role("mask"), lanes)
    if first is None:
        mask = code.packed_mask(code.writer.mask(step.role("mask")), times)
        code.effect("mem.bar.vst.vld", [])
        data = code.select(mask, data, stream(code, pointer, element))
        first = Prefix(lanes)
    _streams(code, pointer, [data], [_size(code, first, size)])


def _size(code: Code, first: Prefix, size: int) -> Ref:
    if first.known is not None:
        return code.writer.constant(first.known * size)
    assert first.count is not None
    return code.arith("muli", first.count, code.writer.constant(size))


def _streams(code: Code, pointer: Ref, registers: list[Ref], sizes: list[Ref]) -> None:
    """Store so many bytes of each register, one behind the other."""
    align = code.call("init.vector.align.data", [], ALIGN)
    for data, size in zip(registers, sizes, strict=True):
        suffix = STREAM_SUFFIXES.get(code.element(data))
        if suffix is None:
            raise NotLoweredError("LS0602", f"there is no unaligned store for elements of type `{code.element(data)}`")
        stored = code.call(f"vstus.post.{suffix}", [data, pointer, size, align], f"!llvm.struct<({ALIGN}, ptr<6>)>")
        align, pointer = code.writer.extract(stored, 0, ALIGN), code.writer.extract(stored, 1, POINTER)
    code.effect("vstas", [align, pointer, 0, 0])


# -- 64-bit elements, one element, predicates -------------------------------------------------------------------------


def _longs(code: Code, step: Step, pointer: Ref) -> None:
    """64-bit elements: low and high words by turns, in two registers; each element's mask bit governs both words."""
    writer = code.writer
    pair = code.pair(step.role("val"))
    lanes = writer.program.vector(step.role("val")).lanes
    registers = list(code.interleaved(pair.low, pair.high))
    if is_unaligned(step):
        first = prefix_of(code, step.role("mask"), lanes)
        if first is None:
            code.effect("mem.bar.vst.vld", [])
            for place, mask in enumerate(_word_masks(code, step, lanes)):
                at = pointer if place == 0 else behind(writer, pointer, REGISTER_BYTES)
                registers[place] = code.select(mask, registers[place], stream(code, at, "i32"))
            first = Prefix(lanes)
        total = _size(code, first, _LONG)
        rest = code.arith("subi", total, code.writer.constant(REGISTER_BYTES))
        _streams(code, pointer, registers, [clamped(code, part, REGISTER_BYTES) for part in (total, rest)])
        return
    for place, mask in enumerate(_word_masks(code, step, lanes)):
        if place * LONG_LANES // 2 < lanes:
            at = pointer if place == 0 else behind(writer, pointer, REGISTER_BYTES)
            _put(code, registers[place], at, STORE_DISTS["NORM_B32"], mask)


def _word_masks(code: Code, step: Step, lanes: int) -> tuple[Ref, Ref]:
    mask = code.writer.mask(step.role("mask"))
    if lanes < LONG_LANES:
        mask = code.logic("pand", mask, first_lanes(code, 32, lanes))
    return code.doubled_mask(mask)


def _one(code: Code, step: Step, pointer: Ref, element: str) -> None:
    """Store the first element, whatever the mask says."""
    if step.attrs["dist"] != f"ONEPT_B{bits_of(element)}":
        raise missing(step, element, f"`{step.attrs['dist']}` stores what has another width")
    mask = code.writer.mask(step.role("mask"))
    if bits_of(element) == 64:
        pair = code.pair(step.role("val"))
        words = code.interleaved(pair.low, pair.high)[0]
        data = code.writer.bitcast(words, register_type("i64"))
    else:
        data = code.register(step.role("val"))
    _put(code, data, pointer, enumerator(step, "dist", STORE_DISTS), mask)


def _bits(code: Code, step: Step, pointer: Ref) -> None:
    """Store a predicate as packed bits, whatever the mask says."""
    writer, given = code.writer, step.attrs.get("functionType", "")
    times = GRANULES.get(given)
    if times is None:
        raise missing(step, "i1", "its functionType has to be pb8, pb16 or pb32")
    bits = writer.mask(step.role("val"))
    lanes = writer.program.vector(step.role("val")).lanes
    if times == 0 and not is_unaligned(step):
        code.effect("psts.b8", [bits, pointer, 0, 0, 0])
        return
    masks = [bits]
    if times == 0:
        times, halves = (2, 1) if lanes <= 64 else (1, 1 if lanes <= 128 else 2)
        masks = [code.call("punpack", [bits, half], PREDICATE) for half in range(halves)]
        masks = [code.call("punpack", [mask, 0], PREDICATE) if times == 2 else mask for mask in masks]
    align = code.call("init.vector.align.data", [], ALIGN)
    for mask in masks:
        stored = code.call(f"pstu.b{16 * times}", [mask, pointer, align], f"!llvm.struct<({ALIGN}, ptr<6>)>")
        align, pointer = writer.extract(stored, 0, ALIGN), writer.extract(stored, 1, POINTER)
    code.effect("vstas", [align, pointer, 0, 0])


# -- by blocks and by indices -----------------------------------------------------------------------------------------


def store_with_stride(writer: Writer, step: Step) -> None:
    """`vsstb`: dense blocks of 32 bytes, the distance between them in blocks in the upper half of a word."""
    value = step.role("val")
    element = writer.program.element(value)
    if bits_of(element) not in (8, 16, 32):
        raise missing(step, element)
    code, pointer = Code(writer), address(writer, step)
    given = step.attrs.get("functionType", "")
    times = 0 if given in _DENSE else enumerator(step, "functionType", _STRIDED)
    data = code.register(value)
    if times:
        data = code.as_type(code.packed(code.bits(data), times), element)
    per = 256 // bits_of(element)
    stride = writer.integer(step.role("stride"))
    if stride is None:
        raise NotLoweredError("LS0603", "the stride of a strided store must be an `arith.constant`")
    if stride % per:
        message = f"a stride of {stride} elements is no multiple of the {per} of a block of 32 bytes"
        raise NotLoweredError("LS0603", message)
    blocks = (stride // per + 0x8000) % 0x10000 - 0x8000
    config = writer.constant(blocks << 16)
    code.effect(f"vsstb.{SUFFIXES[element]}", [data, pointer, config, 0, writer.mask(step.role("mask"))])


def scatter(writer: Writer, step: Step) -> None:
    """`vscatter`; its indices are always 64 words, narrower ones are reinterpreted."""
    value = step.role("val")
    element = writer.program.element(value)
    if bits_of(element) not in (8, 16, 32):
        raise missing(step, element)
    code, pointer = Code(writer), address(writer, step)
    data = code.register(value)
    if element.startswith("f8"):
        data = code.as_type(data, "i8")
    index = step.role("index_vec")
    if writer.program.element(index) == "index":
        words = writer.cast(writer.value(index), WORDS)
    else:
        words = writer.bitcast(writer.register(index), WORDS)
    suffix = "v64u32" if bits_of(element) == 32 and not is_float(element) else SUFFIXES[code.element(data)]
    code.effect(f"vscatter.{suffix}_v300", [data, pointer, words, writer.mask(step.role("mask"))])


_EVERY_BARRIER = ("vv.all", "vs.all", "sv.all", "ss.all")
"""The barriers that together order everything."""


def barrier(writer: Writer, step: Step) -> None:
    """`mem.bar.*`; where its kind is not constant, all that there are."""
    number = writer.integer(step.operands[0])
    if number is not None and not 0 <= number < len(BARRIERS):
        raise NotLoweredError("LS0602", f"there is no barrier number {number}")
    for name in _EVERY_BARRIER if number is None else (BARRIERS[number],):
        writer.effect(f"mem.bar.{name}", [])
