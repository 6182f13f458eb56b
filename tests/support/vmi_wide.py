"""More of what random VMI kernels do: strange addresses, rows, shuffles, pairs by turns, registers, masks, ramps."""

from __future__ import annotations

import random

from tests.support.vmi_programs import STEPS, Vector, Writer, load_some, mask_of, module_of, store_some

_BITS = {"f32": 32, "f16": 16, "si16": 16, "si32": 32, "ui16": 16, "ui32": 32, "ui8": 8, "bf16": 16}
_ELEMENTS = tuple(_BITS)
_OFFSETS = ("%c1", "%c2", "%c40", "%c100", "%c64")


def _known(vector: Vector) -> bool:
    return vector.element in _BITS


def _stray_load(writer: Writer) -> int:
    """A load from an address that may be no multiple of a block."""
    element = writer.rng.choice(_ELEMENTS)
    vector = Vector(writer.fresh(), writer.rng.choice((64, 128, 256)), element)
    buffer, at = writer.buffer(element), writer.rng.choice(_OFFSETS)
    writer.put(f"{vector.name} = pto.vmi.vload {buffer}[{at}] : !pto.ptr<{element}, ub> -> {vector.type}")
    writer.add(vector)
    return 1


def _stray_store(writer: Writer) -> int:
    """A store to such an address, perhaps under a mask."""
    source = writer.pick(_known)
    if source is None:
        return 0
    target, at = writer.buffer(source.element, fresh=True), writer.rng.choice(_OFFSETS)
    memory = f"!pto.ptr<{source.element}, ub>"
    if source.element == "ui8" or writer.rng.random() < 0.5:
        writer.put(f"pto.vmi.vstore {source.name}, {target}[{at}] : {source.type}, {memory}")
    else:
        mask, type_ = mask_of(writer, source.lanes)
        writer.put(f"pto.vmi.vstore {source.name}, {target}[{at}], {mask} : {source.type}, {memory}, {type_}")
    return 1


def _rows(writer: Writer) -> int:
    """Rows that are apart, of which several may share a register."""
    element = writer.rng.choice(_ELEMENTS)
    size, groups = writer.rng.choice((8, 16, 32, 64)), writer.rng.choice((2, 4, 8))
    vector = Vector(writer.fresh(), size * groups, element)
    buffer, stride = writer.buffer(element), writer.rng.choice(("%c64", "%c100"))
    memory = f"!pto.ptr<{element}, ub>"
    writer.put(
        f"{vector.name} = pto.vmi.vload {buffer}[%c0], {stride} {{group = {groups}}} : {memory} -> {vector.type}"
    )
    writer.add(vector)
    if writer.rng.random() < 0.4:
        target = writer.buffer(element, fresh=True)
        writer.put(f"pto.vmi.vstore {vector.name}, {target}[%c0], %c100 {{group = {groups}}} : {vector.type}, {memory}")
    return 2


def _shuffle(writer: Writer) -> int:
    """Elements anywhere."""
    source = writer.pick(_known)
    if source is None:
        return 0
    count, start = writer.rng.choice((16, 64, source.lanes)), writer.rng.randrange(source.lanes)
    step = writer.rng.choice((-1, 0, 1, 2, 3, source.lanes // 2))
    indices = [(start + at * step + at // 8) % source.lanes for at in range(count)]
    result = Vector(writer.fresh(), count, source.element)
    writer.put(f"{result.name} = pto.vmi.shuffle {source.name}[{indices}] : {source.type} -> {result.type}")
    if count >= 64:
        writer.add(result)
    else:
        target = writer.buffer(source.element, fresh=True)
        writer.put(f"pto.vmi.vstore {result.name}, {target}[%c0] : {result.type}, !pto.ptr<{source.element}, ub>")
    return 1


def _pairs(writer: Writer) -> int:
    """Two vectors loaded by turns, and stored so, perhaps under a mask."""
    element, lanes = writer.rng.choice(_ELEMENTS), writer.rng.choice((64, 128, 256))
    low, high = Vector(writer.fresh(), lanes, element), Vector(writer.fresh(), lanes, element)
    memory, at = f"!pto.ptr<{element}, ub>", writer.rng.choice(("%c0", "%c0", "%c100"))
    writer.put(
        f'{low.name}, {high.name} = pto.vmi.vload {writer.buffer(element)}[{at}] {{dist_mode = "dintlv"}} : '
        f"{memory} -> {low.type}, {low.type}"
    )
    target = writer.buffer(element, fresh=True)
    masked = writer.rng.random() < 0.5
    mask, type_ = mask_of(writer, lanes) if masked else ("", "")
    writer.put(
        f"pto.vmi.vstore {high.name}, {low.name}, {target}[%c0]{f', {mask}' * masked} "
        f'{{dist_mode = "dintlv"}} : {low.type}, {low.type}, {memory}{f", {type_}" * masked}'
    )
    writer.add(low)
    writer.add(high)
    return 3


def _registers(writer: Writer) -> int:
    """A vector taken apart into its registers and put together again."""
    source = writer.pick(_known)
    if source is None:
        return 0
    full = 2048 // _BITS[source.element]
    count = -(-source.lanes // full)
    parts = ", ".join(writer.fresh("r") for _ in range(count))
    types = ", ".join([f"!pto.vreg<{full}x{source.element}>"] * count)
    result = Vector(writer.fresh(), source.lanes, source.element)
    writer.put(f'{parts} = "pto.vmi.unpack"({source.name}) : ({source.type}) -> ({types})')
    writer.put(f'{result.name} = "pto.vmi.pack"({parts}) : ({types}) -> {result.type}')
    writer.add(result)
    return 1


def _mask_logic(writer: Writer) -> int:
    """Masks put together, by which elements of two widths are stored."""
    source = writer.pick(_known)
    if source is None:
        return 0
    first, type_ = mask_of(writer, source.lanes)
    second, _ = mask_of(writer, source.lanes)
    both, target = writer.fresh("m"), writer.buffer(source.element, fresh=True)
    op = writer.rng.choice(("vand", "vor", "vxor"))
    writer.put(f"{both} = pto.vmi.{op} {first}, {second} : {type_}, {type_} -> {type_}")
    memory = f"!pto.ptr<{source.element}, ub>"
    writer.put(f"pto.vmi.vstore {source.name}, {target}[%c0], {both} : {source.type}, {memory}, {type_}")
    return 1


def _ramp(writer: Writer) -> int:
    """Numbers that start anew in every group."""
    element, base = writer.rng.choice((("si32", "%seven"), ("ui16", "%short"), ("f32", "%half"), ("f16", "%two")))
    size, groups = writer.rng.choice((1, 8, 16, 64, 128)), writer.rng.choice((2, 4, 8))
    vector = Vector(writer.fresh(), size * groups, element)
    order = writer.rng.choice(("ASC", "DESC"))
    scalar = {"si32": "i32", "ui16": "i16"}.get(element, element)
    writer.put(
        f'{vector.name} = pto.vmi.vci {base} {{group = {groups}, order = "{order}"}} : {scalar} -> {vector.type}'
    )
    writer.add(vector)
    return 1


def _short_groups(writer: Writer) -> int:
    """The largest of every two or four words, which are less than a block."""
    size = writer.rng.choice((2, 4))
    element = writer.rng.choice(("f32", "si32", "ui32"))
    vector, small = Vector(writer.fresh(), 8 * size, element), Vector(writer.fresh("g"), 8, element)
    memory = f"!pto.ptr<{element}, ub>"
    writer.put(f"{vector.name} = pto.vmi.vload {writer.buffer(element)}[%c0] : {memory} -> {vector.type}")
    mask, type_ = mask_of(writer, vector.lanes)
    op = writer.rng.choice(("vcmax", "vcmin"))
    writer.put(
        f"{small.name} = pto.vmi.{op} {vector.name}, {mask} {{group = 8}} : {vector.type}, {type_} -> {small.type}"
    )
    target = writer.buffer(element, fresh=True)
    writer.put(f"pto.vmi.vstore {small.name}, {target}[%c0], %c1 {{group = 8}} : {small.type}, {memory}")
    return 2


WIDE = (
    *STEPS, _stray_load, _stray_store, _rows, _shuffle, _pairs, _registers, _mask_logic, _ramp, _short_groups,
)  # fmt: skip


def wide_kernel(seed: int, size: int = 8) -> str:
    """A kernel of about `size` operations of all kinds besides its loads and stores."""
    writer = Writer(random.Random(seed))
    writer.depth = 2
    load_some(writer)
    budget = size
    while budget > 0:
        budget -= writer.rng.choice(WIDE)(writer)
    store_some(writer)
    return module_of(writer)
