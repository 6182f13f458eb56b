"""Elements in a register: put where a layout says, found there, and moved from one layout to another."""

from __future__ import annotations

import numpy as np

from layoutsolver.verify.elements import all_of_rows
from layoutsolver.verify.values import Elements, resized
from layoutsolver_models.hardware.formats import Format
from layoutsolver_models.hardware.predicate import pintlv, ppack
from layoutsolver_models.hardware.rearrange import vdintlv, vintlv
from layoutsolver_models.hardware.state import CLEAN, PReg, VReg
from layoutsolver_models.vecmem import REGISTER_BYTES, VECMEM_TYPES


def slots(layout: str) -> int:
    """How many elements a register holds in a layout."""
    return VECMEM_TYPES[layout].lanes


def place(elements: Elements, layout: str, clear: bool = False) -> VReg | PReg:
    """The register that holds elements in a layout; everything else in it is poison, elements without a slot are lost.

    With `clear`, the bits of a predicate that hold no element are clear, as those that instructions make.

    >>> place(Elements(None, np.array([True, False]), np.array([True, True])), "b32").lanes(4)[:2].tolist()
    [True, False]
    """
    step = VECMEM_TYPES[layout].slot_bytes
    whole = resized(elements, slots(layout))
    poison = np.full(REGISTER_BYTES, not (clear and elements.format is None))
    if elements.format is None:
        bits = np.zeros(REGISTER_BYTES, np.bool_)
        bits[::step] = whole.bits
        poison[::step] = ~whole.defined
        return PReg(bits, poison)
    data = np.zeros(REGISTER_BYTES, np.uint8)
    raw = np.ascontiguousarray(whole.bits).view(np.uint8).reshape(whole.count, -1)
    for byte in range(min(elements.format.width, step)):
        data[byte::step] = raw[:, byte]
        poison[byte::step] = ~whole.defined
    return VReg(data, poison if poison.any() else CLEAN)


def find(fmt: Format | None, held: VReg | PReg, layout: str, count: int) -> Elements:
    """The elements that a register holds in a layout; undefined where a byte is poison or there is no slot."""
    step = VECMEM_TYPES[layout].slot_bytes
    if fmt is None:
        assert isinstance(held, PReg)
        return resized(Elements(None, held.bits[::step].copy(), ~held.poison[::step]), count)
    assert isinstance(held, VReg)
    width = min(fmt.width, step)
    raw = held.data.reshape(-1, step)[:, :width]
    bits = np.ascontiguousarray(raw).view(f"u{width}").ravel().astype(fmt.storage)
    known = all_of_rows(~held.poison.reshape(-1, step)[:, :width])
    return resized(Elements(fmt, bits, known), count)


def sparsified(width: int, held: VReg, times: int) -> VReg:
    """The register in which each element has twice the room, `times` times: interleaved with itself."""
    for _ in range(times):
        held = vintlv(width, held, held)[0]
    return held


def densified(width: int, held: VReg, times: int) -> VReg:
    """The register in which each element has half the room, `times` times: deinterleaved with itself."""
    for _ in range(times):
        held = vdintlv(width, held, held)[0]
    return held


def spread_mask(mask: PReg, times: int) -> PReg:
    """The predicate at twice the granularity, `times` times: interleaved with an all-true one, as the compiler does."""
    for _ in range(times):
        mask = pintlv(1, mask, PReg.full())[0]
    return mask


def packed_mask(mask: PReg, times: int) -> PReg:
    """The predicate at half the granularity, `times` times."""
    for _ in range(times):
        mask = ppack(mask)
    return mask


def recast(held: VReg | PReg, width: int, dist: str) -> VReg | PReg:
    """A register moved as the functionType of a layout cast says; `width` is the element size in bytes.

    There, `intlv` brings elements together and `dintlv` gives them more room, the reverse of what it says elsewhere.
    Raises KeyError for another functionType.

    >>> recast(PReg.from_lanes([True, True], 1), 1, "dintlv4").lanes(4)[:3].tolist()
    [True, True, False]
    """
    times, apart = _CASTS[dist]
    if isinstance(held, PReg):
        return spread_mask(held, times) if apart else packed_mask(held, times)
    return sparsified(width, held, times) if apart else densified(width, held, times)


_CASTS = {
    "": (0, True), "none": (0, True), "dintlv2": (1, True), "dintlv4": (2, True), "intlv2": (1, False),
    "intlv4": (2, False),
}  # fmt: skip
