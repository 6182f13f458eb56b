"""Addresses, loads, stores and gathers as intrinsics.

An address is computed from the memref's descriptor as the compiler prints it: the aligned pointer, its offset if it
has one, and the indices times the strides that are not one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from layoutsolver.mlir.types import MemRefType, ScalarType, parse_type
from layoutsolver_backends.intrin import tables
from layoutsolver_backends.intrin.normalise import CONTINUOUS, MASTER, UNALIGNED
from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.writer import (
    PREDICATE,
    NotLoweredError,
    Ref,
    Writer,
    enumerator,
    pair_of,
    register_type,
)

POINTER = "!llvm.ptr<6>"
ALIGN = "vector<32xi8>"
BLOCK_BITS = 256
REGISTER_BYTES = 256

_SPACE = re.compile(r"#hivm\.address_space<\s*ub\s*>|6(?:\s*:\s*i\d+)?")
_STRIDED = re.compile(r"strided<\s*\[([^\]]*)\]\s*(?:,\s*offset:\s*(\?|-?\d+)\s*)?>")
_AFFINE = re.compile(r"affine_map<\s*\(([^)]*)\)\s*(?:\[([^\]]*)\])?\s*->\s*\(([^()]*)\)\s*>")
_TERM = re.compile(r"(d\d+)(?:\s*\*\s*(s\d+|\d+))?|(s\d+)|(\d+)")


@dataclass(frozen=True, slots=True)
class Strides:
    """The strides and the offset of a memref in elements; None for those that only its descriptor knows."""

    strides: tuple[int | None, ...]
    offset: int | None


def strides_of(memref: MemRefType) -> Strides:
    """The strides of a memref in the unified buffer. Raises `NotLoweredError` for other memory or another layout.

    >>> from layoutsolver.mlir.types import parse_type
    >>> strides_of(parse_type("memref<?x16xf32, #hivm.address_space<ub>>"))
    Strides(strides=(16, 1), offset=0)
    >>> strides_of(parse_type("memref<8xf32, strided<[2], offset: ?>, #hivm.address_space<ub>>"))
    Strides(strides=(2,), offset=None)
    """
    parts = _split(memref.rest)
    if not parts or not _SPACE.fullmatch(parts[-1]):
        message = f"the intrinsics reach the unified buffer only, not `{memref.text}`"
        raise NotLoweredError("LS0604", message, "its memory space has to be `#hivm.address_space<ub>`")
    if len(parts) == 1:
        strides: list[int | None] = []
        running: int | None = 1
        for size in reversed(memref.shape):
            strides.insert(0, running)
            running = None if running is None or size is None else running * size
        return Strides(tuple(strides), 0)
    found = _strided(parts[0]) or _affine(parts[0], len(memref.shape))
    if found is None or len(parts) > 2:
        raise NotLoweredError("LS0604", f"the layout of `{memref.text}` is not one stride for each dimension")
    return found


def _split(rest: str) -> list[str]:
    """The layout and the memory space of a memref's type."""
    parts: list[str] = []
    depth, begin = 0, 0
    for at, char in enumerate(rest):
        if char in "<([{":
            depth += 1
        elif char in ")]}" or (char == ">" and rest[at - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(rest[begin:at].strip())
            begin = at + 1
    parts.append(rest[begin:].strip())
    return [part for part in parts if part]


def _number(text: str) -> int | None:
    return None if text.strip() == "?" else int(text)


def _strided(text: str) -> Strides | None:
    match = _STRIDED.fullmatch(text)
    if match is None:
        return None
    strides = tuple(_number(part) for part in match.group(1).split(",") if part.strip())
    return Strides(strides, _number(match.group(2) or "0"))


def _affine(text: str, rank: int) -> Strides | None:
    """The strides that an affine map of one sum gives; a symbol stands for a number that the descriptor knows."""
    match = _AFFINE.fullmatch(text)
    if match is None:
        return None
    dims = [name.strip() for name in match.group(1).split(",")]
    strides: dict[str, int | None] = dict.fromkeys(dims, 0)
    offset: int | None = 0
    for part in match.group(3).split("+"):
        term = _TERM.fullmatch(part.strip())
        if term is None:
            return None
        dim, factor, symbol, number = term.groups()
        if dim is not None:
            strides[dim] = 1 if factor is None else int(factor) if factor.isdigit() else None
        elif symbol is not None:
            offset = None
        elif offset is not None:
            offset += int(number)
    return Strides(tuple(strides.values()), offset) if len(dims) == rank else None


def descriptor_type(rank: int) -> str:
    """The type of the descriptor of a memref in the unified buffer.

    >>> descriptor_type(1)
    '!llvm.struct<(ptr<6>, ptr<6>, i64, array<1 x i64>, array<1 x i64>)>'
    """
    sizes = f", array<{rank} x i64>, array<{rank} x i64>" if rank else ""
    return f"!llvm.struct<(ptr<6>, ptr<6>, i64{sizes})>"


def address(writer: Writer, step: Step) -> Ref:
    """The pointer to the element that an access names."""
    base = step.role("base")
    memref = writer.program.types[base]
    if not isinstance(memref, MemRefType):
        raise NotLoweredError("LS0604", f"`{memref.text}` is not a memref")
    strides = strides_of(memref)
    rank = len(memref.shape)
    descriptor = writer.cast(writer.value(base), descriptor_type(rank))
    element = memref.element.text
    pointer = writer.extract(descriptor, 1, POINTER)
    if strides.offset != 0:
        if strides.offset is None:
            offset = writer.extract(descriptor, 2, "i64")
        else:
            offset = writer.constant(strides.offset, "index")
        if element == "i1":
            eight = writer.constant(8, "index")
            offset = writer.line(f"llvm.udiv {offset.name}, {eight.name} : i64", "i64")
        pointer = _step_on(writer, pointer, offset, element)
    indices = [value for role, value in zip(step.roles, step.operands, strict=True) if role == "indices"]
    total: Ref | None = None
    for place, (value, stride) in enumerate(zip(indices, strides.strides, strict=False)):
        part = writer.index(value)
        if stride is None:
            by = writer.line(f"llvm.extractvalue {descriptor.name}[4, {place}] : {descriptor.type}", "i64")
            part = writer.line(f"llvm.mul {part.name}, {by.name} : i64", "i64")
        elif stride != 1:
            by = writer.constant(stride, "index")
            part = writer.line(f"llvm.mul {part.name}, {by.name} : i64", "i64")
        total = part if total is None else writer.line(f"llvm.add {total.name}, {part.name} : i64", "i64")
    return pointer if total is None else _step_on(writer, pointer, total, element)


def _step_on(writer: Writer, pointer: Ref, by: Ref, element: str) -> Ref:
    text = f"llvm.getelementptr {pointer.name}[{by.name}] : ({POINTER}, i64) -> {POINTER}, {element}"
    return writer.line(text, POINTER)


def _memory_element(writer: Writer, step: Step) -> str:
    memref = writer.program.types[step.role("base")]
    return memref.element.text if isinstance(memref, MemRefType) else ""


def _no_type(what: str, element: str) -> NotLoweredError:
    return NotLoweredError("LS0602", f"there is no {what} for elements of type `{element}`")


# -- loads ------------------------------------------------------------------------------------------------------------


def load(writer: Writer, step: Step) -> None:
    """`vldsx1`, for unaligned addresses `vldas` and `vldus.post`, for predicates `plds` or `movvp`."""
    dist = step.attrs.get("dist", "")
    if dist == "DINTLV_B32" or len(step.results) > 1:
        _load_two(writer, step)
        return
    result = step.results[0]
    writer.lanes_of(result)
    element = _memory_element(writer, step)
    pointer = address(writer, step)
    if writer.program.is_950 and UNALIGNED in step.attrs and dist not in tables.ALIGNED_BROADCASTS:
        writer.give(result, _load_stream(writer, step, pointer, element))
        return
    zero, mode = writer.constant(0), writer.constant(0)
    if element == "i1":
        bits = writer.intrinsic("plds.b8", [pointer, zero, writer.constant(0), mode], PREDICATE)
        width = tables.PREDICATE_WIDTHS.get(step.attrs.get("functionType", ""), 0)
        if writer.dialect == MASTER and writer.program.is_950 and width in (16, 32):
            bits = spread_predicate(writer, bits, width)
        writer.give(result, bits)
        return
    if element not in tables.SUFFIXES:
        raise _no_type("load", element)
    number = writer.constant(enumerator(step, "dist", tables.LOAD_DISTS))
    own = register_type(writer.program.element(result))
    writer.give(result, writer.intrinsic(f"vldsx1.{tables.SUFFIXES[element]}", [pointer, zero, number, mode], own))


def load_bits(writer: Writer, step: Step) -> None:
    """`plds` of what a fused comparison reads, spread to the granularity of its functionType."""
    pointer = address(writer, step)
    zero, mode = writer.constant(0), writer.constant(0)
    bits = writer.intrinsic("plds.b8", [pointer, zero, writer.constant(0), mode], PREDICATE)
    width = tables.PREDICATE_WIDTHS.get(step.attrs["functionType"], 0)
    if writer.program.is_950 and width in (16, 32):
        bits = spread_predicate(writer, bits, width)
    writer.give(step.results[0], bits)


def mask_bits(writer: Writer, step: Step) -> None:
    """`pand.z` with the mask of a fused comparison, unless that governs all lanes."""
    bits = writer.mask(step.role("pred"))
    if step.attrs["all"] != "true":
        mask = writer.mask(step.role("mask"))
        bits = writer.intrinsic("pand.z", [bits, mask, all_bytes(writer)], PREDICATE)
    writer.give(step.results[0], bits)


def spread_predicate(writer: Writer, bits: Ref, width: int) -> Ref:
    """Dense predicate bits spread to the granularity of wider elements; the bits between are set."""
    full = all_bytes(writer)
    pair = pair_of(PREDICATE)
    for _ in range(width // 16):
        both = writer.intrinsic("pintlv.b8", [bits, full], pair)
        bits = writer.extract(both, 0, PREDICATE)
    return bits


def all_bytes(writer: Writer) -> Ref:
    """The predicate that governs every byte."""
    zero = writer.constant(0)
    return writer.intrinsic("pge.b8", [zero, zero], PREDICATE)


def _load_two(writer: Writer, step: Step) -> None:
    """A load of alternate words into two vectors; one intrinsic serves all types, and nothing is widened."""
    if step.attrs.get("dist") != "DINTLV_B32" or len(step.results) != 2:
        count = len(step.results)
        raise NotLoweredError("LS0602", f"no intrinsic loads `{step.attrs.get('dist')}` into {count} vectors")
    vector = writer.lanes_of(step.results[0]).text
    pointer = address(writer, step)
    zero, mode = writer.constant(0), writer.constant(0)
    operands = [pointer, zero, writer.constant(tables.LOAD_DISTS["DINTLV_B32"]), mode]
    both = writer.intrinsic("vldsx2.v64f32", operands, pair_of(vector))
    for place, result in enumerate(step.results):
        writer.member(result, both, place, vector)


def _load_stream(writer: Writer, step: Step, pointer: Ref, element: str) -> Ref:
    """An unaligned load: the first block goes into the alignment register, the rest is shifted to it."""
    if element == "i1":
        width = tables.PREDICATE_WIDTHS.get(step.attrs.get("functionType", ""), 0)
        if width not in (16, 32):
            raise NotLoweredError(
                "LS0602", "an unaligned load of predicates needs granules of 16 or 32 bits",
                "its functionType has to be pb16 or pb32",
            )  # fmt: skip
        vector = _stream(writer, pointer, f"i{width}")
        return writer.intrinsic("movvp", [vector, writer.constant(0)], PREDICATE)
    return _stream(writer, pointer, element)


def _stream(writer: Writer, pointer: Ref, element: str) -> Ref:
    suffix = tables.STREAM_SUFFIXES.get(element)
    if suffix is None:
        raise _no_type("unaligned load", element)
    # The intrinsic is declared with twice the lanes for 64-bit elements.
    own = register_type(element) if suffix != "s64" else f"vector<64x{element}>"
    align = writer.intrinsic("vldas", [pointer], ALIGN)
    triple = f"!llvm.struct<({own}, {ALIGN}, ptr<6>)>"
    loaded = writer.intrinsic(f"vldus.post.{suffix}", [pointer, align, writer.constant(0)], triple)
    return writer.extract(loaded, 0, own)


def gather(writer: Writer, step: Step) -> None:
    """`vgather2_v300`; its indices are always 64 words, narrower ones are reinterpreted."""
    result, index = step.results[0], step.role("index_vec")
    writer.lanes_of(result)
    element = _memory_element(writer, step)
    if element not in tables.GATHERED:
        raise _no_type("gather", element)
    indices = writer.lanes_of(index)
    if indices.bits is None or indices.bits > 32:
        raise NotLoweredError("LS0602", f"a gather takes indices of 8, 16 or 32 bits, not `{indices.text}`")
    pointer = address(writer, step)
    mask = writer.mask(step.role("mask"))
    words = writer.bitcast(writer.register(index), "vector<64xi32>")
    own = register_type(writer.program.element(result))
    name = f"vgather2_v300.{tables.SUFFIXES[element]}"
    narrow = tables.SUFFIXES[element].startswith("v256")
    got = writer.intrinsic(name, [pointer, words, mask], "vector<128xi16>" if narrow else own)
    writer.give(result, writer.bitcast(got, own) if narrow else got)


# -- stores -----------------------------------------------------------------------------------------------------------


def store(writer: Writer, step: Step) -> None:
    """`vstsx1`, for unaligned addresses `vstus.post` and `vstas`, for predicates `psts` or `pstu`."""
    value = step.role("val")
    element = writer.lanes_of(value).element.text
    dist = step.attrs.get("dist", "")
    one_point = dist in tables.ONE_POINT
    data = writer.register(value)
    pointer = address(writer, step)
    width = tables.PREDICATE_WIDTHS.get(step.attrs.get("functionType", ""), 0)
    is_950 = writer.program.is_950
    if is_950 and UNALIGNED in step.attrs and not one_point:
        if element == "i1":
            _store_predicate_stream(writer, data, pointer, width)
        else:
            _store_stream(writer, data, pointer, element, _bytes_stored(writer, step, element), "")
        return
    if is_950 and one_point and CONTINUOUS in step.attrs:
        size = writer.constant(_element_bytes(element))
        _store_stream(writer, data, pointer, element, size, CONTINUOUS)
        return
    if element == "i1":
        if writer.dialect == MASTER and is_950 and width in (16, 32):
            _store_predicate_stream(writer, data, pointer, width)
            return
        zero, mode = writer.constant(0), writer.constant(0)
        writer.effect("psts.b8", [data, pointer, zero, writer.constant(0), mode])
        return
    if element not in tables.SUFFIXES:
        raise _no_type("store", element)
    zero, mode = writer.constant(0), writer.constant(0)
    number = writer.constant(enumerator(step, "dist", tables.STORE_DISTS))
    mask = writer.mask(step.role("mask"))
    writer.effect(f"vstsx1.{tables.SUFFIXES[element]}", [data, pointer, zero, number, mode, mask])


def _element_bytes(element: str) -> int:
    scalar = parse_type(element)
    return (scalar.bits or 0) // 8 if isinstance(scalar, ScalarType) else 0


def _bytes_stored(writer: Writer, step: Step, element: str) -> Ref:
    """How many bytes an unaligned store writes, told from what makes its mask; a whole register where that is unknown.

    An unaligned store has no mask operand.
    """
    size = _element_bytes(element)
    owner = writer.program.definition.get(step.role("mask"))
    while owner is not None and owner.name in ("builtin.unrealized_conversion_cast", "llvm.extractvalue"):
        owner = writer.program.definition.get(owner.operands[0])
    if owner is not None and owner.is_ave and owner.name == "plt":
        count = owner.role("true_shape")
        known = writer.integer(count)
        if known is not None:
            return writer.constant(known * size)
        factor = writer.constant(size)
        lanes = writer.narrow_index(count)
        return writer.line(f"llvm.mul {lanes.name}, {factor.name} : i32", "i32")
    if owner is not None and owner.is_ave and owner.name == "pge":
        return writer.constant(_pattern_lanes(writer, step, owner) * size)
    return writer.constant(REGISTER_BYTES)


def _pattern_lanes(writer: Writer, step: Step, pge: Step) -> int:
    """The lanes that a pattern governs; the release counts -1 for those that are not a number of lanes."""
    pattern = pge.attrs.get("pattern", "")
    if pattern.startswith("VL") and pattern[2:].isdecimal():
        return int(pattern[2:])
    if pattern in ("ALL", "ALLF"):
        return writer.program.vector(pge.results[0]).lanes if pattern == "ALL" else 0
    width = tables.PREDICATE_WIDTHS.get(pge.attrs.get("functionType", ""), 0)
    if pattern == "H" and writer.dialect == MASTER and width:
        return REGISTER_BYTES * 8 // width // 2
    writer.warn(
        step, "LS0605", f"the released compiler takes the pattern `{pattern}` of the mask for -1 lanes here",
        "an unaligned store writes a number of bytes that it counts from the mask's pattern",
    )  # fmt: skip
    return -1


def _store_stream(writer: Writer, data: Ref, pointer: Ref, element: str, size: Ref, attrs: str) -> None:
    suffix = tables.STREAM_SUFFIXES.get(element)
    if suffix is None:
        raise _no_type("unaligned store", element)
    align = writer.intrinsic("init.vector.align.data", [], ALIGN)
    pair = f"!llvm.struct<({ALIGN}, ptr<6>)>"
    stored = writer.intrinsic(f"vstus.post.{suffix}", [data, pointer, size, align], pair, attrs)
    _flush(writer, stored, attrs)


def _store_predicate_stream(writer: Writer, data: Ref, pointer: Ref, width: int) -> None:
    if width not in (16, 32):
        raise NotLoweredError(
            "LS0602", "an unaligned store of predicates needs granules of 16 or 32 bits",
            "its functionType has to be pb16 or pb32",
        )  # fmt: skip
    align = writer.intrinsic("init.vector.align.data", [], ALIGN)
    stored = writer.intrinsic(f"pstu.b{width}", [data, pointer, align], f"!llvm.struct<({ALIGN}, ptr<6>)>")
    _flush(writer, stored, "")


def _flush(writer: Writer, stored: Ref, attrs: str) -> None:
    """Write out what is left in the alignment register."""
    rest = writer.extract(stored, 0, ALIGN)
    end = writer.extract(stored, 1, POINTER)
    zero = writer.constant(0)
    writer.effect("vstas", [rest, end, zero, zero], attrs)


def store_with_stride(writer: Writer, step: Step) -> None:
    """`vsstb`: blocks of 32 bytes, the distance between them in blocks in the upper half of a word."""
    value = step.role("val")
    element = writer.lanes_of(value).element.text
    if element not in tables.REGISTER_TYPES:
        raise _no_type("strided store", element)
    stride = writer.integer(step.role("stride"))
    if stride is None:
        raise NotLoweredError("LS0603", "the stride of a strided store must be an `arith.constant`")
    data = writer.register(value)
    pointer = address(writer, step)
    blocks = stride // (BLOCK_BITS // (8 * _element_bytes(element)))
    config, mode = writer.constant(blocks << 16), writer.constant(0)
    mask = writer.mask(step.role("mask"))
    writer.effect(f"vsstb.{tables.SUFFIXES[element]}", [data, pointer, config, mode, mask])
