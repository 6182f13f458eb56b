"""The loads of VPTO. `dist` must fit the width of the elements, which the reader of VPTO does not check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutsolver.verify.pto.values import Pointer, PtoValue
from layoutsolver.verify.vpto.blocks import block_mask
from layoutsolver.verify.vpto.operands import Call
from layoutsolver_models.hardware import gather, memory, streams
from layoutsolver_models.hardware.state import VReg

DISTS: dict[str, tuple[str, int]] = {
    "NORM": ("NORM", 0), "BRC_BLK": ("BLK", 0), "UNPK4": ("UNPK4_B8", 1),
    **{f"{kind}_B{8 * width}": (f"{kind}_B{8 * width}", width) for kind, widths in
       (("BRC", (1, 2, 4)), ("UNPK", (1, 2, 4)), ("US", (1, 2)), ("E2B", (2, 4))) for width in widths},
}  # fmt: skip
"""The distributions of vlds: what the model calls them, and the bytes of an element (0: any)."""

DOWNSAMPLED: dict[str, int] = {"DS_B8": 1, "DS_B16": 2}
"""The distributions that keep every second element; how many they fill is not documented beyond the half that 256
bytes give."""

PAIR_DISTS: dict[str, int] = {"DINTLV_B8": 1, "DINTLV_B16": 2, "DINTLV_B32": 4, "BDINTLV": 0}
"""The distributions of vldsx2, with the bytes of an element (0: any)."""


def fits(call: Call, dist: str, width: int, element: int) -> None:
    """Return if a distribution is for elements of so many bytes. Raises CannotRunError otherwise."""
    if width not in (0, element):
        raise call.op.fail(f"with distribution `{dist}` is for elements of {8 * width} bits, not {8 * element}")


def effective(call: Call, role: str, results: int, offset: str = "offset") -> tuple[Pointer, list[PtoValue]]:
    """Where an access goes, and the updated base if the operation has that many results: then the base itself."""
    base = call.pointer(role)
    moved = base.moved(call.number(offset))
    return (base, [moved]) if len(call.op.node.results) > results else (moved, [])


def _load(call: Call) -> list[PtoValue]:
    at, updated = effective(call, "source", 1)
    dist, element = call.attr("dist", "NORM"), (call.result.bits or 0) // 8
    ram = call.unit.ram
    if dist in DOWNSAMPLED:
        fits(call, dist, DOWNSAMPLED[dist], element)
        return [_downsampled(call, at, DOWNSAMPLED[dist]), *updated]
    if dist not in DISTS:
        raise call.op.fail(f"with distribution `{dist}` cannot be run: its lane order is not documented")
    name, width = DISTS[dist]
    fits(call, dist, width, element)
    padding = "poison" if call.unit.padding else "zero"
    return [memory.vld(ram.of(at), at.offset, name, "poison" if padding == "poison" else "zero"), *updated]


def _downsampled(call: Call, at: Pointer, width: int) -> VReg:
    """The even elements of 256 bytes in the lower half of a register, the upper half poison."""
    found = memory.vld(call.unit.ram.of(at), at.offset, "NORM")
    keep = np.arange(256).reshape(-1, 2, width)[:, 0].ravel()
    data, poison = np.zeros(256, np.uint8), np.ones(256, np.bool_)
    data[:128], poison[:128] = found.data[keep], found.poison[keep]
    birth = None
    if found.birth is not None:
        birth = np.full(256, -1, np.int32)
        birth[:128] = found.birth[keep]
    return VReg(data, poison, birth)


def _load_pair(call: Call) -> list[PtoValue]:
    at, updated = effective(call, "source", 2)
    dist = call.attr("dist")
    if dist not in PAIR_DISTS:
        raise call.op.fail(f"with distribution `{dist}` is not known")
    fits(call, dist, PAIR_DISTS[dist], (call.result.bits or 0) // 8)
    low, high = memory.vldx2(call.unit.ram.of(at), at.offset, dist)
    return [low, high, *updated]


def _load_blocks(call: Call) -> list[PtoValue]:
    """Eight 32-byte blocks with a stride. With an updated base the access itself starts at the base."""
    base = call.pointer("source")
    stride, repeat = call.number("block_stride"), call.number("repeat_stride")
    width = (call.result.bits or 0) // 8
    mask = call.governed(width)
    updates = len(call.op.node.results) > 1
    at = base.offset + (0 if updates else 32 * repeat)
    ram = call.unit.ram.of(base)
    everywhere, unsure = block_mask(mask, width)
    found = memory.vsldb(ram, at, everywhere, stride)
    if unsure.any():
        found = VReg(np.where(unsure, np.uint8(0), found.data), found.poison | unsure, found.birth)
    moved = Pointer(base.allocation, base.offset + 32 * repeat, base.element)
    return [found, moved] if updates else [found]


def _prime(call: Call) -> list[PtoValue]:
    at = call.pointer("source")
    return [streams.vldas(call.unit.ram.of(at), at.offset)]


def _load_unaligned(call: Call) -> list[PtoValue]:
    at = call.pointer("source")
    found, align, _ = streams.vldus(call.unit.ram.of(at), at.offset, call.align("align"))
    if len(call.op.node.results) > 2:
        return [found, align, at.moved(call.number("increment"))]
    return [found, align]


def _gather(call: Call) -> list[PtoValue]:
    at = call.pointer("source")
    ram, offsets = call.unit.ram.of(at), call.vector("offsets")
    if call.name == "vgatherb":
        return [gather.vgatherb(ram, at.offset, offsets, call.mask())]
    width = at.width
    index_width = call.width("offsets")
    if width not in (1, 2, 4) or index_width != max(width, 2):
        raise call.op.fail(f"gathers elements of {8 * width} bits by indices of {8 * index_width}")
    if width == 1 and (call.result.bits != 16 or at.element.text.lstrip("su") != "i8"):
        found = f"{at.element.text} into {call.result.text}"
        raise call.op.fail(f"gathers bytes, integers, each into a lane of 16 bits, not {found}")
    mask = call.mask() if call.name == "vgather2" else call.governed(index_width)
    return [gather.vgather2(ram, at.offset, offsets, mask, 1 if width == 1 else 2 if width == 2 else 4)]


LOADS: dict[str, Callable[[Call], list[PtoValue]]] = {
    "vlds": _load, "vldsx2": _load_pair, "vsldb": _load_blocks, "vldas": _prime, "vldus": _load_unaligned,
    "vgather2": _gather, "vgatherb": _gather, "vgather2_bc": _gather,
}  # fmt: skip
"""The instructions of this file by their names."""
