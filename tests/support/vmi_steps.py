"""Steps of random kernels on vectors of any size: arithmetic under masks, sums, slots, indices, channels, memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.support.vmi_masks import (
    BITS,
    FLOATS,
    INTEGERS,
    SCALARS,
    any_mask,
    is_number,
    like,
    mask_type,
    pointer,
    result_of,
)
from tests.support.vmi_programs import Vector, Writer, mask_of

_LANES = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 64, 96, 100, 128, 128, 192, 256, 256, 320, 512)


Operand = Vector | tuple[str, str]
"""A value of a kernel, or a name with its type."""


def _masked(writer: Writer, lanes: int) -> tuple[str, str]:
    """A mask with its type."""
    return any_mask(writer, lanes), mask_type(lanes)


def _apply(
    writer: Writer, op: str, operands: Sequence[Operand], *made: Vector | tuple[str, str], attrs: str = ""
) -> int:
    """An operation whose types stand in the order of its operands; vectors that it makes come into scope."""
    named, results = (
        [(one.name, one.type) if isinstance(one, Vector) else one for one in some] for some in (operands, made)
    )
    shown, types = (", ".join(part) for part in zip(*named, strict=True))
    makes, of = (", ".join(part) for part in zip(*results, strict=True))
    writer.put(f"{makes} = pto.vmi.{op} {shown}{f' {{{attrs}}}' * bool(attrs)} : {types} -> {of}")
    for one in made:
        if isinstance(one, Vector):
            writer.add(one)
    return 1


def _odd_load(writer: Writer) -> int:
    element = writer.rng.choice(tuple(BITS))
    vector = Vector(writer.fresh(), writer.rng.choice(_LANES), element)
    at = writer.rng.choice(("%c0", "%c0", "%c64", "%row", "%c8"))
    writer.put(f"{vector.name} = pto.vmi.vload {writer.buffer(element)}[{at}] : {pointer(element)} -> {vector.type}")
    writer.add(vector)
    return 1


def _store_again(writer: Writer) -> int:
    """A value stored where something is read from, then read again."""
    source = writer.pick()
    if source is None or writer.depth > 4:
        return 0
    buffer, at = writer.buffer(source.element), writer.rng.choice(("%c0", "%c64", "%c8"))
    type_ = pointer(source.element)
    if writer.rng.random() < 0.5:
        writer.put(f"pto.vmi.vstore {source.name}, {buffer}[{at}] : {source.type}, {type_}")
    else:
        mask = any_mask(writer, source.lanes)
        writer.put(f"pto.vmi.vstore {source.name}, {buffer}[{at}], {mask} : {source.type}, {type_}, "
                   f"{mask_type(source.lanes)}")  # fmt: skip
    again = result_of(writer, source)
    writer.put(f"{again.name} = pto.vmi.vload {buffer}[%c0] : {type_} -> {again.type}")
    writer.add(again)
    return 2


def _masked_store(writer: Writer) -> int:
    source = writer.pick()
    if source is None:
        return 0
    mask, target = any_mask(writer, source.lanes), writer.buffer(source.element, fresh=True)
    writer.put(f"pto.vmi.vstore {source.name}, {target}[%c0], {mask} : {source.type}, {pointer(source.element)}, "
               f"{mask_type(source.lanes)}")  # fmt: skip
    return 1


def _select(writer: Writer) -> int:
    chosen = writer.pick(is_number)
    if chosen is None:
        return 0
    mask, other = _masked(writer, chosen.lanes), like(writer, chosen)
    return _apply(writer, "vsel", (mask, chosen, other), result_of(writer, chosen))


def _by_scalar(writer: Writer) -> int:
    """Arithmetic with a scalar, which zeroes elements under its mask."""
    source = writer.pick(is_number)
    if source is None:
        return 0
    ops = ["vadds", "vmaxs", "vmins", "vmuls"] + (["vshls", "vshrs"] if source.element in INTEGERS else [])
    op = writer.rng.choice(ops)
    shift = op in ("vshls", "vshrs")
    scalar = "%shift" if shift else SCALARS[source.element]
    type_ = "i16" if shift else source.element.replace("ui", "i").replace("si", "i")
    mask = _masked(writer, source.lanes)
    return _apply(writer, op, (source, (scalar, type_), mask), result_of(writer, source))


def _unary(writer: Writer) -> int:
    source = writer.pick(is_number)
    if source is None:
        return 0
    ops = ["vrelu", "vneg", "vabs", "vexp", "vsqrt"] if source.element in FLOATS else ["vnot"]
    if source.element in ("si16", "si32"):
        ops.append("vabs")
    op, result = writer.rng.choice(ops), result_of(writer, source)
    if writer.rng.random() < 0.4:
        return _apply(writer, op, (source, _masked(writer, source.lanes)), result, attrs='pmode = "zero"')
    return _apply(writer, op, (source,), result)


def _bits(writer: Writer) -> int:
    source = writer.pick(lambda vector: vector.element in (*INTEGERS, "ui8"))
    if source is None:
        return 0
    op, result, other = writer.rng.choice(("vand", "vor", "vxor")), result_of(writer, source), like(writer, source)
    return _apply(writer, op, (source, other), result)


def _fused(writer: Writer) -> int:
    source = writer.pick(lambda vector: vector.element in FLOATS)
    if source is None:
        return 0
    a, b, result = like(writer, source), like(writer, source), result_of(writer, source)
    mask = any_mask(writer, source.lanes)
    type_, number = mask_type(source.lanes), SCALARS[source.element]
    t = source.type
    kind = writer.rng.randrange(5)
    if kind == 0:
        _apply(writer, "vmula", (source, a, b), result)
    elif kind == 1:
        writer.put(f'{result.name} = "pto.vmi.vaxpy"({source.name}, {a.name}, {number}, {mask}) : '
                   f"({t}, {t}, {source.element}, {type_}) -> {t}")  # fmt: skip
    elif kind == 2:
        writer.put(f'{result.name} = "pto.vmi.vlrelu"({source.name}, {number}, {mask}) : '
                   f"({t}, {source.element}, {type_}) -> {t}")  # fmt: skip
    elif kind == 3:
        _apply(writer, "vprelu", (source, a, (mask, type_)), result)
    else:
        _apply(writer, "vexpdif", (source, a, (mask, type_)), Vector(result.name, result.lanes, "f32"))
    if kind in (1, 2):
        writer.add(result)
    return 2


def _wide_integers(writer: Writer) -> int:
    """Products of words in two halves, sums with carries."""
    source = writer.pick(lambda vector: vector.element in ("i32", "ui32") and vector.lanes in (64, 128, 256))
    if source is None:
        return 0
    other, mask = like(writer, source), _masked(writer, source.lanes)
    low, high = result_of(writer, source), result_of(writer, source)
    if writer.rng.random() < 0.5:
        _apply(writer, "vmull", (source, other, mask), low, high)
    else:
        carry, last = ((writer.fresh("carry"), mask[1]) for _ in range(2))
        _apply(writer, "vaddc", (source, other, mask), low, carry)
        _apply(writer, "vaddcs", (other, source, carry, mask), high, last)
    return 2


def _reduce(writer: Writer) -> int:
    """Sums and extremes of groups of every class, spread again, stored, widened or computed on."""
    source = writer.pick(lambda vector: vector.element in (*FLOATS, "si32", "ui32", "si16") and vector.lanes >= 8)
    if source is None:
        return 0
    counts = [count for count in (1, 2, 4, 8, 16, 32) if source.lanes % count == 0 and source.lanes > count]
    count = writer.rng.choice(counts)
    ops = ["vcmax", "vcmin"] + (["vcadd"] if source.element in ("f32", "f16", "si32", "ui32") else [])
    op, mask = writer.rng.choice(ops), any_mask(writer, source.lanes)
    small = Vector(writer.fresh("g"), count, source.element)
    attrs = [f"group = {count}"] * (count > 1) + ["reassoc"] * (op == "vcadd" and source.element in FLOATS)
    shown = f" {{{', '.join(attrs)}}}" if attrs else ""
    writer.put(f"{small.name} = pto.vmi.{op} {source.name}, {mask}{shown} : {source.type}, {mask_type(source.lanes)} "
               f"-> {small.type}")  # fmt: skip
    if writer.rng.random() < 0.5 and count > 1:
        scaled = result_of(writer, small)
        writer.put(
            f"{scaled.name} = pto.vmi.vmax {small.name}, {small.name} : {small.type}, {small.type} -> {small.type}"
        )
        small = scaled
    if writer.rng.random() < 0.6:
        result = result_of(writer, source)
        attrs_text = f" {{group = {count}}}" if count > 1 or writer.rng.random() < 0.5 else ""
        writer.put(f"{result.name} = pto.vmi.vbrc {small.name}{attrs_text} : {small.type} -> {result.type}")
        writer.add(result)
    if writer.rng.random() < 0.6:
        target, stride = writer.buffer(source.element, fresh=True), writer.rng.choice(("%c1", "%c1", "%c8", "%c40"))
        writer.put(f"pto.vmi.vstore {small.name}, {target}[%c0], {stride} {{group = {count}}} : {small.type}, "
                   f"{pointer(source.element)}")  # fmt: skip
    return 3


def _scales(writer: Writer) -> int:
    """A scalar of memory for each group, times a vector."""
    source = writer.pick(lambda vector: vector.element in FLOATS and vector.lanes >= 8)
    if source is None:
        return 0
    counts = [count for count in (1, 2, 4, 8, 16) if source.lanes % count == 0]
    count, rng = writer.rng.choice(counts), writer.rng
    spread, result, type_ = result_of(writer, source), result_of(writer, source), pointer(source.element)
    at, stride = rng.choice(("%c0", "%c8", "%c4", "%c40")), rng.choice(("%c1", "%c1", "%c2", "%c16"))
    if count == 1 and rng.random() < 0.5:
        writer.put(f"{spread.name} = pto.vmi.vload {writer.buffer(source.element)}[{at}] "
                   f'{{dist_mode = "brc"}} : {type_} -> {spread.type}')  # fmt: skip
    else:
        writer.put(f'{spread.name} = pto.vmi.vload {writer.buffer(source.element)}[{at}], {stride} '
                   f'{{dist_mode = "brc", group = {count}}} : {type_} -> {spread.type}')  # fmt: skip
    writer.put(
        f"{result.name} = pto.vmi.vmul {source.name}, {spread.name} : {source.type}, {source.type} -> {source.type}"
    )
    writer.add(result)
    return 2


def _slots(writer: Writer) -> int:
    """One element for each group, cast and stored."""
    element, to = writer.rng.choice((("f32", "f16"), ("f32", "bf16"), ("ui8", "ui32"), ("si16", "si32"), ("f16", "f32"),
                                     ("si32", "si16"), ("f32", "f8E4M3FN"), ("f32", "")))  # fmt: skip
    count, stride = writer.rng.choice((1, 2, 4, 8, 16, 32)), writer.rng.choice(("%c1", "%c1", "%c8", "%c40", "%n"))
    small = Vector(writer.fresh("g"), count, element)
    writer.put(f"{small.name} = pto.vmi.vload {writer.buffer(element)}[%c0], {stride} {{group = {count}}} : "
               f"{pointer(element)} -> {small.type}")  # fmt: skip
    if to:
        narrow = BITS[to] < BITS[element]
        made = Vector(writer.fresh("g"), count, to)
        attrs = ' {saturate = "SAT"}' if narrow else ""
        writer.put(f"{made.name} = pto.vmi.vcvt {small.name}{attrs} : {small.type} -> {made.type}")
        small = made
    target, stride = writer.buffer(small.element, fresh=True), writer.rng.choice(("%c1", "%c32", "%c40"))
    writer.put(f"pto.vmi.vstore {small.name}, {target}[%c0], {stride} {{group = {count}}} : {small.type}, "
               f"{pointer(small.element)}")  # fmt: skip
    writer.add(small)
    return 3


def _interleave(writer: Writer) -> int:
    source = writer.pick(lambda vector: vector.element in BITS)
    if source is None:
        return 0
    other, mask = like(writer, source), mask_of(writer, source.lanes, full=True)
    low, high = result_of(writer, source), result_of(writer, source)
    return _apply(writer, writer.rng.choice(("vintlv", "vdintlv")), (source, other, mask), low, high)


def _reinterpret(writer: Writer) -> int:
    source = writer.pick(lambda vector: vector.element in BITS)
    if source is None:
        return 0
    bits = BITS[source.element] * source.lanes
    kinds = [element for element in ("ui8", "si16", "f16", "f32", "ui32", "i16") if bits % BITS[element] == 0]
    element = writer.rng.choice(kinds)
    result = Vector(writer.fresh(), bits // BITS[element], element)
    if result.lanes > 512:
        return 0
    return _apply(writer, "vinterpret_cast", (source,), result)


def _indexed(writer: Writer) -> int:
    """Elements from computed places, and to distinct places."""
    element = writer.rng.choice(("f32", "si32", "ui16", "f16"))
    index, number = ("i32", "%zero32") if BITS[element] == 32 else ("i16", "%zero16")
    vector = Vector(writer.fresh(), writer.rng.choice((16, 64, 128, 192)), element)
    places = Vector(writer.fresh("at"), vector.lanes, index)
    mask, type_, order = any_mask(writer, vector.lanes), pointer(element), writer.rng.choice(("ASC", "ASC"))
    writer.put(f'{places.name} = pto.vmi.vci {number} {{order = "{order}"}} : {index} -> {places.type}')
    twice = result_of(writer, places)
    writer.put(
        f"{twice.name} = pto.vmi.vadd {places.name}, {places.name} : {places.type}, {places.type} -> {places.type}"
    )
    m = mask_type(vector.lanes)
    writer.put(f"{vector.name} = pto.vmi.vgather {writer.buffer(element)}, {twice.name}, {mask} : "
               f"{type_}, {places.type}, {m} -> {vector.type}")  # fmt: skip
    if writer.rng.random() < 0.5:
        writer.put(f"pto.vmi.vscatter {vector.name}, {writer.buffer(element, fresh=True)}, {twice.name}, {mask} : "
                   f"{vector.type}, {type_}, {places.type}, {m}")  # fmt: skip
    writer.add(vector)
    return 3


def _channels(writer: Writer) -> int:
    source = writer.pick(lambda vector: vector.element in BITS and vector.lanes % 4 == 0)
    if source is None:
        return 0
    count = writer.rng.choice((2, 4))
    parts = [Vector(writer.fresh(), source.lanes // count, source.element) for _ in range(count)]
    types = ", ".join(part.type for part in parts)
    names = ", ".join(part.name for part in parts)
    writer.put(f'{names} = "pto.vmi.channel_split"({source.name}) : ({source.type}) -> ({types})')
    writer.scope += parts
    result, order = result_of(writer, source), list(parts)
    writer.rng.shuffle(order)
    writer.put(
        f'{result.name} = "pto.vmi.channel_merge"({", ".join(part.name for part in order)}) : '
        f"({types}) -> {result.type}"
    )
    writer.add(result)
    return 2


def _blocks(writer: Writer) -> int:
    """Blocks of 32 bytes that lie apart."""
    element = writer.rng.choice(("f32", "f16", "ui8", "si16"))
    lanes = 2048 // BITS[element] // writer.rng.choice((1, 1, 2))
    vector, type_ = Vector(writer.fresh(), lanes, element), pointer(element)
    writer.put(
        f"{vector.name} = pto.vmi.vload {writer.buffer(element)}[%c0], %blocks, %none : {type_} -> {vector.type}"
    )
    mask = mask_of(writer, lanes, full=writer.rng.random() < 0.7)
    writer.put(f"pto.vmi.vsstb {vector.name}, {writer.buffer(element, fresh=True)}[%c0], %blocks, {mask[0]} : "
               f"{vector.type}, {type_}, {mask[1]}")  # fmt: skip
    writer.add(vector)
    return 2


def _compressing(writer: Writer) -> int:
    """Elements that a mask picks, counted, brought together, stored one behind the other and loaded so; by indices."""
    source = writer.pick(lambda vector: vector.element in BITS and vector.lanes * BITS[vector.element] <= 4096 * 2)
    if source is None or (BITS[source.element] == 8 and source.lanes > 512):
        return 0
    mask, m, t = any_mask(writer, source.lanes), mask_type(source.lanes), source.type
    result, memory = result_of(writer, source), pointer(source.element)
    kind = writer.rng.randrange(4 if BITS[source.element] > 8 else 3)
    if kind == 0:
        _apply(writer, "compress", (source, (mask, m)), result)
    elif kind == 3:
        counts = Vector(writer.fresh("n"), source.lanes, f"i{BITS[source.element]}")
        _apply(writer, "active_prefix_index", ((mask, m),), counts)
        _apply(writer, "vselr", (source, counts), result)
    elif kind == 1:
        writer.put(f"{result.name} = pto.vmi.expand_load {writer.buffer(source.element)}[%c0], {mask}, {source.name} : "
                   f"{memory}, {m}, {t} -> {t}")  # fmt: skip
    else:
        writer.put(f"pto.vmi.compress_store {source.name}, {writer.buffer(source.element, fresh=True)}[%c0], {mask} : "
                   f"{t}, {memory}, {m}")  # fmt: skip
    if kind == 1:
        writer.add(result)
    return 2


def _masked_load(writer: Writer) -> int:
    source = writer.pick(is_number)
    if source is None:
        return 0
    mask, result, memory = any_mask(writer, source.lanes), result_of(writer, source), pointer(source.element)
    writer.put(f"{result.name} = pto.vmi.masked_load {writer.buffer(source.element)}[%c0], {mask}, {source.name} : "
               f"{memory}, {mask_type(source.lanes)}, {source.type} -> {source.type}")  # fmt: skip
    writer.add(result)
    return 1


PLAIN: tuple[Callable[[Writer], int], ...] = (_by_scalar, _select, _unary, _bits, _fused)
"""Steps that stand anywhere."""

SIZED: tuple[Callable[[Writer], int], ...] = (
    _odd_load, _odd_load, _store_again, _masked_store, _by_scalar, *PLAIN, _wide_integers, _reduce, _reduce, _scales,
    _slots, _interleave, _reinterpret, _indexed, _channels, _blocks, _compressing, _masked_load,
)  # fmt: skip
"""All steps, as often as they stand here."""
