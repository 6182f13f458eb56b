"""Elements into registers and back: side by side, so that instructions can compute on them."""

from __future__ import annotations

import numpy as np

from layoutsolver.verify.values import Elements, Scalar, resized
from layoutsolver_models.hardware.formats import FORMATS, Flags, Format
from layoutsolver_models.hardware.predicate import pge
from layoutsolver_models.hardware.rounding import convert
from layoutsolver_models.hardware.state import CLEAN, PReg, VReg
from layoutsolver_models.vecmem import REGISTER_BYTES


def to_registers(fmt: Format, elements: Elements, count: int) -> list[VReg]:
    """Registers that hold `count` elements side by side; undefined ones are poison, as is what fills the last one."""
    width = fmt.width
    known_ones = elements.registers.get((width, count))
    if known_ones is not None:
        return known_ones
    lanes = REGISTER_BYTES // width
    whole = resized(elements, -(-count // lanes) * lanes)
    out = elements.registers[width, count] = []
    for at in range(0, whole.count, lanes):
        data = np.ascontiguousarray(whole.bits[at : at + lanes]).view(np.uint8).copy()
        known = whole.defined[at : at + lanes]
        out.append(VReg(data, CLEAN if known.all() else np.repeat(~known, width)))
    return out


def mask_registers(mask: Elements, count: int, width: int) -> list[PReg]:
    """Predicates for `count` elements that stand side by side in lanes of `width` bytes; clear behind the last one."""
    known = mask.masks.get((width, count))
    if known is not None:
        return known
    lanes = REGISTER_BYTES // width
    whole = resized(mask, count)
    out = mask.masks[width, count] = []
    for at in range(0, count, lanes):
        bits, poison = np.zeros(REGISTER_BYTES, np.bool_), np.zeros(REGISTER_BYTES, np.bool_)
        part = whole.bits[at : at + lanes]
        bits[: part.size * width : width] = part
        poison[: part.size * width : width] = ~whole.defined[at : at + lanes]
        out.append(PReg(bits, poison if poison.any() else CLEAN))
    return out


def from_registers(fmt: Format, registers: list[VReg], count: int) -> Elements:
    """The first `count` elements that stand side by side in registers; undefined where a byte is poison."""
    if len(registers) == 1 and count == fmt.lanes:
        only = registers[0]
        return Elements(fmt, only.lanes(fmt.width), ~only.lane_poison(fmt.width), {(fmt.width, count): registers})
    bits = np.concatenate([register.lanes(fmt.width) for register in registers])[:count]
    known = np.concatenate([~register.lane_poison(fmt.width) for register in registers])[:count]
    return resized(Elements(fmt, bits, known), count)


def as_mask(registers: list[PReg], width: int, count: int) -> Elements:
    """The first `count` elements of predicates whose elements govern lanes of `width` bytes."""
    bits = np.concatenate([register.lanes(width) for register in registers])[:count]
    known = np.concatenate([~register.lane_poison(width) for register in registers])[:count]
    return resized(Elements(None, bits, known), count)


def of_scalar(scalar: object, fmt: Format | None, count: int) -> Elements:
    """A vector that holds a scalar in every element.

    A wider integer for narrower elements loses its high bits; a wider float is rounded.
    """
    assert isinstance(scalar, Scalar)
    known = np.full(count, scalar.defined)
    if fmt is None:
        return Elements(None, np.full(count, bool(scalar.bits & 1)), known)
    bits = scalar.bits
    given = FORMATS.get(scalar.type.text)
    if fmt.is_float and given is not None and given.is_float and given is not fmt:
        bits = int(convert(given, fmt, np.array([bits], given.storage))[0])
    elif scalar.type.bits is None or scalar.width < fmt.bits:
        bits = scalar.signed
    return Elements(fmt, np.full(count, bits & ((1 << fmt.bits) - 1), fmt.storage), known)


def prefix(number: int, count: int, defined: bool = True) -> Elements:
    """The predicate of which the first `number` elements are true."""
    return Elements(None, np.arange(count) < number, np.full(count, defined))


def pattern(name: str, count: int) -> Elements | None:
    """The predicate that a pattern makes of `count` elements: halves and quarters are those of the vector.

    None for a name that is no pattern.

    >>> int(pattern("H", 8).bits.sum()), int(pattern("VL3", 8).bits.sum())
    (4, 3)
    """
    places = np.arange(count)
    known = np.ones(count, np.bool_)
    if name == "ALL":
        return Elements(None, known, known)
    if name in ("H", "Q"):
        return prefix(count // (2 if name == "H" else 4), count)
    try:
        made = pge(1, name).bits
    except KeyError:
        return None
    bits = np.zeros(count, np.bool_)
    common = min(count, REGISTER_BYTES)
    bits[:common] = made[:common]
    if name in ("M3", "M4"):
        bits = places % int(name[1]) == 0
    return Elements(None, bits, known)


def combined(first: Elements, second: Elements) -> Elements:
    """The elements of two vectors, one after the other."""
    return Elements(
        first.format,
        np.concatenate([first.bits, second.bits]),
        np.concatenate([first.defined, second.defined]),
    )


def all_of_rows(flags: Flags) -> Flags:
    """For each row of a two-dimensional array, whether all its flags are set."""
    out: Flags = np.logical_and.reduce(flags, axis=1)
    return out
