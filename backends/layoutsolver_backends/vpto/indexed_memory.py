"""Elements and blocks at addresses of their own."""

from __future__ import annotations

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa, mask_bits, register_type
from layoutsolver_backends.vpto.memory import gather, within
from layoutsolver_backends.vpto.site import Site, data_shape
from layoutsolver_backends.vpto.streams import moved

WORD = 32
"""Bits of what indices of 32 bits reach."""

PAGE = 1 << 16
"""So many elements an index of 16 bits reaches."""


def emit_gather(site: Site) -> None:
    """Elements or blocks at addresses of their own."""
    build, op = site.build, site.op.op
    if op == "vgatherb":
        source, type_ = build.scalar(site.operand("source")), site.type("result")
        pairs = zip(site.registers("offsets"), site.registers("mask"), strict=True)
        site.put("result", [build.one("vgatherb", (source, at, mask), type_) for at, mask in pairs])
    elif op == "scatter":
        _scatter(site)
    else:
        _gather(site)


def _masks(site: Site, role: str) -> list[Ssa]:
    """The predicates of registers, nothing behind the last element let through."""
    shape = data_shape(site.vector(role), site.layout[role])
    live = [len(shape.live(part, chunk)) for part, chunk in shape.registers]
    return [within(site.build, mask, count) for mask, count in zip(site.registers("mask"), live, strict=True)]


def _gather(site: Site) -> None:
    """Elements by indices as wide as a request, or those of the words that hold them."""
    build, type_, bits = site.build, site.type("result"), site.vector("result").bits
    words = site.uses("vshr")
    source = _as_words(build, build.scalar(site.operand("source"))) if words else build.scalar(site.operand("source"))
    masks, made = _masks(site, "result"), []
    for at, mask, other in zip(_indices(site, len(masks)), masks, site.registers("passthru"), strict=True):
        found = _picked(build, source, at, mask, bits) if words else gather(build, source, at, mask, type_)
        width = mask_bits(mask.type)
        chosen = (build.as_lanes(found, width), build.as_lanes(other, width), mask)
        made.append(build.as_type(build.one("vsel", chosen, chosen[1].type), type_))
    site.put("result", made)


def _indices(site: Site, count: int) -> list[Ssa]:
    """The indices of so many registers, those of words as wide as words."""
    found = list(site.registers("indices"))
    if not site.uses("vzunpack"):
        return found
    build, wide = site.build, register_type("ui32", WORD)
    narrow = [build.as_element(one, "ui16") for one in found]
    return [
        build.one("vzunpack", (narrow[number // 2], build.constant(number % 2)), wide) for number in range(count)
    ]  # fmt: skip


def _as_words(build: Builder, pointer: Ssa) -> Ssa:
    """An address as one of words."""
    return build.one("castptr", (pointer,), "!pto.ptr<ui32, ub>", hint="%p")


def _picked(build: Builder, source: Ssa, index: Ssa, mask: Ssa, bits: int) -> Ssa:
    """The words that hold elements of so many bits, moved so that these are the lowest bits."""
    per, index = WORD // bits, build.as_element(index, "ui32")
    word = build.with_scalar("vshrs", index, per.bit_length() - 1)
    word = build.one("vgather2_bc", (source, word, mask), index.type)
    inside = build.binary("vand", index, build.splat(build.constant(per - 1, "i32"), index.type))
    by = build.with_scalar("vshls", inside, bits.bit_length() - 1)
    return build.binary("vshr", word, build.as_element(by, "si32"))


def _scatter(site: Site) -> None:
    build, destination = site.build, site.build.scalar(site.operand("destination"))
    masks, values = _masks(site, "value"), site.registers("value")
    if not site.uses("vdintlv"):
        for value, at, mask in zip(values, _indices(site, len(masks)), masks, strict=True):
            build.emit("vscatter", (value, destination, at, mask))
        return
    bits, words = site.vector("value").bits, site.registers("indices")
    pages = [moved(build, destination, build.constant(page * PAGE)) if page else destination
             for page in range(WORD // bits)]  # fmt: skip
    for number, (value, mask) in enumerate(zip(values, masks, strict=True)):
        pair = [build.as_lanes(words[min(2 * number + half, len(words) - 1)], 16) for half in (0, 1)]
        low, high = build.pair("vdintlv", pair[0], pair[1])
        for page, pointer in enumerate(pages):
            operands = (high, build.constant(page, "i16"), mask)
            inside = build.one("vcmps", operands, mask.type, ("eq",), hint="%m")
            build.emit("vscatter", (value, pointer, low, inside))
