"""The stores of VPTO."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutsolver.verify.pto.values import Pointer, PtoValue
from layoutsolver.verify.vpto.blocks import block_mask
from layoutsolver.verify.vpto.loads import effective, fits
from layoutsolver.verify.vpto.operands import Call
from layoutsolver_models.hardware import gather, memory, streams
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.ub import BLOCK, Memory

DISTS: dict[str, tuple[str, int, int]] = {
    **{f"NORM_B{8 * width}": (f"NORM_B{8 * width}", width, width) for width in (1, 2, 4)},
    **{f"1PT_B{8 * width}": (f"ONEPT_B{8 * width}", width, width) for width in (1, 2, 4)},
    "PK_B16": ("PK_B16", 0, 2), "PK_B32": ("PK_B32", 0, 4), "PK_B64": ("PK_B64", 0, 4),
    "PK4_B32": ("PK4_B32", 0, 4),
}  # fmt: skip
"""The distributions of vsts: names in the model, the bytes of an element (0: any), those that the predicate governs."""

PAIR_DISTS: dict[str, int] = {"INTLV_B8": 1, "INTLV_B16": 2, "INTLV_B32": 4}
"""The distributions of vstsx2, with the bytes of an element."""


def _store(call: Call) -> list[PtoValue]:
    at, updated = effective(call, "destination", 0)
    width = call.width("value")
    dist = call.attr("dist", f"NORM_B{8 * width}")
    if width == 8 and dist == "NORM_B64":
        name, element, governed = "NORM_B64", 8, 4
    elif dist in DISTS:
        name, element, governed = DISTS[dist]
    else:
        raise call.op.fail(f"with distribution `{dist}` cannot be run: its lane order is not documented")
    fits(call, dist, element, width)
    mask = call.governed(governed)
    if name == "PK_B64":
        mask = _of_pairs(mask)
    _to_memory(call, at, lambda ram, value: memory.vst(ram, at.offset, value, mask, name), call.vector("value"))
    return [*updated]


def _of_pairs(mask: PReg) -> PReg:
    """The predicate of 64-bit lanes that a b32 one means, poison where its lanes 2i and i, either of which may be
    what counts for lane i, differ.
    """
    double, single = mask.lanes(8), mask.lanes(4)[:32]
    bits, poison = np.zeros(256, np.bool_), np.zeros(256, np.bool_)
    bits[::8] = double
    poison[::8] = (double != single) | mask.lane_poison(8) | mask.lane_poison(4)[:32]
    return PReg(bits, poison)


def _to_memory(call: Call, at: Pointer, instruction: Callable[[Memory, VReg], Memory], value: VReg) -> None:
    call.unit.ram.store(call.node, at, instruction, value)


def _store_pair(call: Call) -> list[PtoValue]:
    at, _ = effective(call, "destination", 0)
    dist = call.attr("dist")
    if dist not in PAIR_DISTS:
        raise call.op.fail(f"with distribution `{dist}` is not known")
    fits(call, dist, PAIR_DISTS[dist], call.width("low"))
    high = call.vector("high")

    def write(ram: Memory, value: VReg) -> Memory:
        return memory.vstx2(ram, at.offset, value, high if value is low else value, dist)

    low = call.vector("low")
    _to_memory(call, at, write, low)
    return []


def _store_blocks(call: Call) -> list[PtoValue]:
    """Eight 32-byte blocks with a stride; a byte that may or may not be stored is poison afterwards."""
    base = call.pointer("destination")
    stride, repeat = call.number("block_stride"), call.number("repeat_stride")
    width = call.width("value")
    mask = call.governed(width)
    updates = bool(call.op.node.results)
    at = base.offset + (0 if updates else BLOCK * repeat)
    touched, unsure = block_mask(mask, width)

    def write(ram: Memory, value: VReg) -> Memory:
        ram = memory.vsstb(ram, at, value, touched, stride)
        if unsure.any():
            flags = PReg(unsure)
            ram = memory.vsstb(ram, at, VReg(value.data, np.ones(256, np.bool_)), flags, stride, 0, 1)
        return ram

    _to_memory(call, base, write, call.vector("value"))
    moved = Pointer(base.allocation, base.offset + BLOCK * repeat, base.element)
    return [moved] if updates else []


def _stream(call: Call) -> list[PtoValue]:
    """Add the first elements of a register to a store stream."""
    at, count = call.pointer("base"), call.number("offset")
    ram = call.unit.ram
    made, align, _ = streams.vstus(
        ram.of(at), at.offset, call.vector("value"), count * at.width, call.align("align_in")
    )
    ram.replaced(call.node, at, made)
    return [align, at.moved(count)] if len(call.op.node.results) > 1 else [align]


def _squeezed_stream(call: Call) -> list[PtoValue]:
    """Add what the last vsqz has kept to a store stream, which starts at the base."""
    at, unit = call.pointer("base"), call.unit
    if unit.squeezed is None:
        raise call.op.fail("stores as many bytes as the last `vsqz` has kept, and there was none")
    place = at.offset + unit.stored
    made, align, _ = streams.vstus(unit.ram.of(at), place, call.vector("value"), unit.squeezed, call.align("align_in"))
    unit.ram.replaced(call.node, at, made)
    if call.attr("mode") == "POST_UPDATE":
        unit.stored += unit.squeezed
    return [align]


def _flush(call: Call) -> list[PtoValue]:
    """Write what a store stream still holds; the stream must stand where the operands say."""
    base = at = call.pointer("destination")
    updates = bool(call.op.node.results)
    if call.name == "vstas" and not updates:
        at = at.moved(call.number("offset"))
    align, ram = call.align("value"), call.unit.ram
    place = at.offset
    if call.name == "vstar" and call.unit.stored and align.end == at.offset + call.unit.stored:
        place = align.end
    ram.replaced(call.node, at, streams.vstas(ram.of(at), place, align))
    return [base.moved(call.number("offset"))] if updates else []


def _scatter(call: Call) -> list[PtoValue]:
    at = call.pointer("destination")
    width = at.width
    if width not in (1, 2, 4) or call.width("offsets") != max(width, 2):
        raise call.op.fail(f"scatters elements of {8 * width} bits by indices of {8 * call.width('offsets')}")
    offsets, mask = call.vector("offsets"), call.mask()

    def write(ram: Memory, value: VReg) -> Memory:
        return gather.vscatter(ram, at.offset, value, offsets, mask, 1 if width == 1 else 2 if width == 2 else 4)

    _to_memory(call, at, write, call.vector("value"))
    return []


def _init_align(call: Call) -> list[PtoValue]:
    return [streams.init_align()]


def _clear(call: Call) -> list[PtoValue]:
    call.unit.stored = 0
    return []


STORES: dict[str, Callable[[Call], list[PtoValue]]] = {
    "vsts": _store, "vstsx2": _store_pair, "vsstb": _store_blocks, "vstus": _stream, "vstur": _squeezed_stream,
    "vstas": _flush, "vstar": _flush, "vscatter": _scatter, "init_align": _init_align,
    "sprclr": _clear,
}  # fmt: skip
"""The instructions of this file by their names."""
