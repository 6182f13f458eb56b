"""The instructions of VPTO that move lanes."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.verify.pto.values import PtoValue
from layoutsolver.verify.vpto.operands import Call
from layoutsolver_models.hardware import compact, rearrange


def _interleave(call: Call) -> list[PtoValue]:
    run = rearrange.vintlv if call.name == "vintlv" else rearrange.vdintlv
    low, high = run(call.width("lhs"), call.vector("lhs"), call.vector("rhs"))
    return [low, high]


def _select(call: Call) -> list[PtoValue]:
    width = call.width("src0")
    if call.width("src1") != width:
        raise call.op.fail(f"selects lanes of {8 * width} bits by indices of {8 * call.width('src1')}")
    return [rearrange.vselr(width, call.vector("src0"), call.vector("src1"))]


def _pack(call: Call) -> list[PtoValue]:
    parts = {"LOWER": 0, "HIGHER": 1}
    width, part = call.width("src"), parts.get(call.attr("part"))
    if part is None or width not in (2, 4) or 2 * (call.result.bits or 0) != 8 * width:
        raise call.op.fail("packs lanes of 32 or 16 bits to half of that, LOWER or HIGHER")
    return [rearrange.vpack(width, call.vector("src"), 1 if part else 0)]


def _unpack(call: Call) -> list[PtoValue]:
    width, part = call.width("src"), call.number("part")
    if part not in (0, 1) or width not in (1, 2) or (call.result.bits or 0) != 16 * width:
        raise call.op.fail("unpacks lanes of 8 or 16 bits to twice that, part 0 or 1")
    run = rearrange.vzunpack if call.name == "vzunpack" else rearrange.vsunpack
    return [run(width, call.vector("src"), 1 if part else 0)]


def _same(call: Call) -> list[PtoValue]:
    return [call.vector("input")]


def _squeeze(call: Call) -> list[PtoValue]:
    width = call.width("input")
    mask = call.governed(width)
    call.unit.squeezed = int(mask.lanes(width).sum()) * width if not mask.lane_poison(width).any() else None
    return [compact.vsqz(width, call.vector("input"), mask)]


def _counts(call: Call) -> list[PtoValue]:
    width = call.width("src")
    return [compact.vusqz(width, call.governed(width))]


REARRANGE: dict[str, Callable[[Call], list[PtoValue]]] = {
    "vintlv": _interleave, "vdintlv": _interleave, "vselr": _select, "vpack": _pack, "vzunpack": _unpack,
    "vsunpack": _unpack, "vbitcast": _same, "vsqz": _squeeze, "vusqz": _counts,
}  # fmt: skip
"""The instructions of this file by their names."""
