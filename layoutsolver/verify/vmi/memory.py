"""Loads and stores of logical vectors: offsets and strides count elements of the pointer, blocks are 32 bytes.

Exactly the elements of the vector are read and written. Only active elements of a store are, and of a gather.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutsolver.mlir.types import ScalarType
from layoutsolver.verify.pto.values import Mask, Pointer, PtoValue, Vector, clean
from layoutsolver.verify.vmi.operands import Call
from layoutsolver.verify.vmi.vectors import full_mask, joined, taken
from layoutsolver_models.hardware.formats import Flags
from layoutsolver_models.hardware.ub import BLOCK
from layoutsolver_models.vecmem import REGISTER_BYTES


def _at(call: Call, role: str) -> Pointer:
    return call.pointer(role).moved(call.number("offset") if call.has("offset") else 0)


def _read(call: Call, at: Pointer, element: ScalarType, count: int) -> Vector:
    size = count * (element.bits or 0) // 8
    data, poison, birth = call.unit.ram.read(call.node, at, size)
    return Vector(element, data, poison, birth)


def _write(call: Call, at: Pointer, value: Vector, active: Flags | None = None, undecided: Flags | None = None) -> None:
    where = None if active is None else np.repeat(active, value.width)
    poison = value.poison
    if undecided is not None and undecided.any():
        flags = np.repeat(undecided, value.width)
        where = flags if where is None else where | flags
        poison = poison | flags
    call.unit.ram.write(call.node, at, value.data, poison, value.birth, where)


def _rows(call: Call, at: Pointer, count: int, stride: int, row: int) -> list[PtoValue]:
    """`count` rows of `row` elements, each so many elements behind the one before."""
    element = call.element()
    return [joined([_read(call, at.moved(number * stride), element, row) for number in range(count)])]


# -- loads ------------------------------------------------------------------------------------------------------


def _vload(call: Call) -> list[PtoValue]:
    at, lanes = _at(call, "source"), call.result_type().lanes
    mode, group = call.attr("dist_mode", "continuous"), call.count_attr("group", 0)
    stride = call.number("stride") if call.has("stride") else 0
    if group:
        if lanes % group:
            raise call.op.fail(f"loads {lanes} elements in {group} groups")
        if mode == "brc":
            found = _rows(call, at, group, stride, 1)[0]
            assert isinstance(found, Vector)
            return [taken(found, np.arange(lanes) // (lanes // group))]
        return _rows(call, at, group, stride, lanes // group)
    if call.has("block_stride"):
        return _blocks(call, at, call.number("block_stride"), call.number("repeat_stride"), full_mask(lanes))
    if call.has("stride"):
        return _blocks(call, at, stride, 0, full_mask(lanes))
    if mode == "dintlv":
        return _load_pair(call)
    if mode == "brc":
        return [taken(_read(call, at, call.element(), 1), np.zeros(lanes, np.int64))]
    if mode != "continuous":
        raise call.op.fail(f"with the mode `{mode}` is not known")
    return [_read(call, at, call.element(), lanes)]


def _load(call: Call) -> list[PtoValue]:
    return [_read(call, _at(call, "source"), call.element(), call.result_type().lanes)]


def _load_pair(call: Call) -> list[PtoValue]:
    lanes = call.result_type().lanes
    both = _read(call, _at(call, "source"), call.element(), 2 * lanes)
    return [taken(both, np.arange(half, 2 * lanes, 2)) for half in (0, 1)]


def _group_load(call: Call) -> list[PtoValue]:
    groups, lanes = call.count_attr("num_groups", 1), call.result_type().lanes
    stride = call.number("row_stride" if call.has("row_stride") else "source_group_stride")
    if lanes % groups:
        raise call.op.fail(f"loads {lanes} elements in {groups} groups")
    row = 1 if call.name == "group_broadcast_load" else lanes // groups
    found = _rows(call, _at(call, "source"), groups, stride, row)[0]
    assert isinstance(found, Vector)
    return [taken(found, np.arange(lanes) // (lanes // groups))] if call.name == "group_broadcast_load" else [found]


def _stride_load(call: Call) -> list[PtoValue]:
    strides = call.number("block_stride"), call.number("repeat_stride")
    return _blocks(call, _at(call, "source"), *strides, call.mask())


def _blocks(call: Call, at: Pointer, stride: int, repeat: int, mask: Mask) -> list[PtoValue]:
    """Blocks with a stride. Documents let the mask decide about elements, or about blocks by its first bits: an element
    of which they do not say the same is not determined; one that is left out is zero.
    """
    element, lanes = call.element(), call.result_type().lanes
    active, unsure = _by_element_and_block(call, mask, (element.bits or 0) // 8, lanes)
    per = BLOCK * 8 // (element.bits or 8)
    parts = []
    for block in range(-(-lanes // per)):
        cut = slice(block * per, min((block + 1) * per, lanes))
        count = cut.stop - cut.start
        if active[cut].any():
            place = Pointer(at.allocation, at.offset + BLOCK * (repeat + block * stride), at.element)
            parts.append(_read(call, place, element, count))
        else:
            size = count * (element.bits or 0) // 8
            parts.append(Vector(element, np.zeros(size, np.uint8), clean(size)))
    whole = joined(parts)
    keep = np.repeat(active, whole.width)
    data = np.where(keep, whole.data, np.uint8(0))
    poison = (whole.poison & keep) | np.repeat(unsure, whole.width)
    return [Vector(element, data, poison, whole.birth)]


def _by_element_and_block(call: Call, mask: Mask, width: int, lanes: int) -> tuple[Flags, Flags]:
    """Which elements are certainly active, and of which that is not certain."""
    if lanes * width > REGISTER_BYTES or mask.count != lanes:
        raise call.op.fail(f"moves the blocks of one register, not {lanes} elements under {mask.count} bits")
    bits = np.zeros(REGISTER_BYTES, np.bool_)
    bits[: lanes * width : width] = mask.bits
    by_block = np.repeat(bits[::4][:8], BLOCK)[: lanes * width : width]
    return mask.bits & by_block, (mask.bits != by_block) | mask.poison


def _masked_load(call: Call) -> list[PtoValue]:
    at, lanes, mask, passed = _at(call, "source"), call.result_type().lanes, call.mask(), call.vector("passthru")
    places = np.arange(lanes) * (call.element().bits or 0) // 8
    return [_picked(call, at, places, mask, passed)]


def _expand_load(call: Call) -> list[PtoValue]:
    """The elements from the address on go to the active places, in order."""
    at, mask, passed = _at(call, "source"), call.mask(), call.vector("passthru")
    before = np.concatenate([[0], np.cumsum(mask.bits)[:-1]])
    if mask.poison.any():
        return [Vector(passed.element, passed.data, np.ones(passed.data.size, np.bool_), passed.birth)]
    return [_picked(call, at, before * passed.width, mask, passed)]


def _picked(call: Call, at: Pointer, places: np.ndarray[tuple[int], np.dtype[np.int64]], mask: Mask,
            passed: Vector) -> Vector:  # fmt: skip
    """For each active element, what stands so many bytes behind the address; else the element that is passed."""
    element = call.element()
    none = Vector(element, np.zeros(passed.width, np.uint8), np.ones(passed.width, np.bool_))
    rows: list[Vector] = []
    for lane, place in enumerate(places.tolist()):
        if mask.poison[lane]:
            rows.append(none)
        elif mask.bits[lane]:
            rows.append(_read(call, Pointer(at.allocation, at.offset + place, at.element), element, 1))
        else:
            rows.append(taken(passed, np.array([lane]), element))
    return joined(rows)


def _gather(call: Call) -> list[PtoValue]:
    at, mask = call.pointer("source"), call.mask()
    index = call.vector("indices" if call.has("indices") else "offsets")
    element, lanes = call.element(), call.result_type().lanes
    width = (element.bits or 0) // 8
    zero = Vector(element, np.zeros(lanes * width, np.uint8), clean(lanes * width))
    passed = call.vector("passthru") if call.has("passthru") else zero
    known = Mask(mask.bits, mask.poison | (index.unknown & mask.bits), mask.birth)
    return [_picked(call, at, call.indices(index) * at.width, known, passed)]


# -- stores -----------------------------------------------------------------------------------------------------


def _vstore(call: Call) -> list[PtoValue]:
    value, at = call.vector("value"), _at(call, "destination")
    mode, group = call.attr("dist_mode", "continuous"), call.count_attr("group", 0)
    mask = call.mask_or_full(value.count)
    if group:
        return _store_rows(call, value, at, group, call.number("stride"))
    if call.has("block_stride"):
        return _store_blocks(call, value, at, call.number("block_stride"), call.number("repeat_stride"), mask)
    if call.has("stride"):
        return _store_blocks(call, value, at, call.number("stride"), 0, mask)
    if mode == "dintlv":
        both = joined([value, call.vector("high")])
        order = np.arange(both.count).reshape(2, -1).T.ravel()
        twice = Mask(np.repeat(mask.bits, 2), np.repeat(mask.poison, 2), mask.birth)
        _write_unified(call, at, taken(both, order), twice)
        return []
    if mode != "continuous":
        raise call.op.fail(f"with the mode `{mode}` is not known")
    _write_unified(call, at, value, mask)
    return []


def _write_unified(call: Call, at: Pointer, value: Vector, mask: Mask) -> None:
    """Write active elements; the others are zero afterwards in the reading in which stores write zeros."""
    masks = call.unit.masks
    if call.attr("pmode") != "merge" and not mask.bits.all():
        masks.open_stores = True
        if masks.reading.stores_zeros:
            clear = np.repeat(~mask.bits & ~mask.poison, value.width)
            zeros = np.zeros(value.data.size, np.uint8)
            call.unit.ram.write(call.node, at, zeros, zeros.astype(np.bool_), None, clear)
    _write(call, at, value, mask.bits, mask.poison)


def _store(call: Call) -> list[PtoValue]:
    value = call.vector("value")
    mask = call.mask_or_full(value.count)
    _write(call, _at(call, "destination"), value, mask.bits, mask.poison)
    return []


def _store_pair(call: Call) -> list[PtoValue]:
    both = joined([call.vector("low"), call.vector("high")])
    order = np.arange(both.count).reshape(2, -1).T.ravel()
    _write(call, _at(call, "destination"), taken(both, order))
    return []


def _group_store(call: Call) -> list[PtoValue]:
    value, groups = call.vector("value"), call.count_attr("num_groups", 1)
    return _store_rows(call, value, _at(call, "destination"), groups, call.number("row_stride"))


def _store_rows(call: Call, value: Vector, at: Pointer, groups: int, stride: int) -> list[PtoValue]:
    if value.count % groups:
        raise call.op.fail(f"stores {value.count} elements in {groups} groups")
    row = value.count // groups
    if row == 1 and value.width > at.width:
        value = _low_bytes(value, at)
    for group in range(groups):
        _write(call, at.moved(group * stride), taken(value, np.arange(group * row, (group + 1) * row)))
    return []


def _low_bytes(value: Vector, at: Pointer) -> Vector:
    """The lowest bytes of words, as many as an element of memory has."""
    kept = (np.arange(value.count)[:, None] * value.width + np.arange(at.width)).ravel()
    birth = None if value.birth is None else value.birth[kept]
    return Vector(at.element, value.data[kept], value.poison[kept], birth)


def _stride_store(call: Call) -> list[PtoValue]:
    value, repeat = call.vector("value"), call.number("repeat_stride") if call.has("repeat_stride") else 0
    return _store_blocks(call, value, _at(call, "destination"), call.number("block_stride"), repeat, call.mask())


def _store_blocks(call: Call, value: Vector, at: Pointer, stride: int, repeat: int, mask: Mask) -> list[PtoValue]:
    active, unsure = _by_element_and_block(call, mask, value.width, value.count)
    per = BLOCK // value.width
    for block in range(-(-value.count // per)):
        cut = np.arange(block * per, min((block + 1) * per, value.count))
        place = Pointer(at.allocation, at.offset + BLOCK * (repeat + block * stride), at.element)
        _write(call, place, taken(value, cut), active[cut], unsure[cut])
    return []


def _compress_store(call: Call) -> list[PtoValue]:
    value, mask = call.vector("value"), call.mask()
    if mask.poison.any():
        raise call.op.fail("stores by a mask that is not determined")
    _write(call, _at(call, "destination"), taken(value, np.flatnonzero(mask.bits)))
    return []


def _scatter(call: Call) -> list[PtoValue]:
    """Where two active elements meet, nothing is determined afterwards."""
    value, at, mask = call.vector("value"), call.pointer("destination"), call.mask()
    index = call.vector("indices" if call.has("indices") else "offsets")
    if (mask.poison | (mask.bits & index.unknown)).any():
        raise call.op.fail("scatters to places that are not determined")
    places = call.indices(index)
    seen: set[int] = set()
    for lane in np.flatnonzero(mask.bits).tolist():
        one, place = taken(value, np.array([lane])), int(places[lane])
        poison = np.ones(one.width, np.bool_) if place in seen else one.poison
        seen.add(place)
        call.unit.ram.write(call.node, at.moved(place), one.data, poison, one.birth)
    return []


MEMORY: dict[str, Callable[[Call], list[PtoValue]]] = {
    "vload": _vload, "load": _load, "deinterleave_load": _load_pair, "group_load": _group_load,
    "group_slot_load": _group_load, "group_broadcast_load": _group_load, "stride_load": _stride_load,
    "masked_load": _masked_load, "expand_load": _expand_load, "gather": _gather, "vgather": _gather,
    "vstore": _vstore, "store": _store, "masked_store": _store, "interleave_store": _store_pair,
    "group_store": _group_store, "stride_store": _stride_store, "vsstb": _stride_store,
    "compress_store": _compress_store, "scatter": _scatter, "vscatter": _scatter,
}  # fmt: skip
"""The operations of this file by their names."""
