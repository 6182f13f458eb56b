"""Masks of random kernels: all kinds of them, and the types that they and other steps need."""

from __future__ import annotations

from tests.support.vmi_programs import Vector, Writer, mask_of

BITS = {
    "f32": 32, "f16": 16, "bf16": 16, "si16": 16, "si32": 32, "ui16": 16, "ui32": 32, "ui8": 8, "si8": 8, "i32": 32,
    "i16": 16, "f8E4M3FN": 8, "f8E5M2": 8, "!pto.f4E2M1x2": 8,
}  # fmt: skip
FLOATS = ("f32", "f16")
INTEGERS = ("si16", "si32", "ui16", "ui32", "i32", "i16")
NUMBERS = (*FLOATS, *INTEGERS)
SCALARS = {"f32": "%half", "f16": "%two", "si32": "%seven", "i32": "%seven", "si16": "%short", "i16": "%short",
           "ui16": "%short", "ui32": "%seven"}  # fmt: skip
"""Element types, and scalars of these that kernels have."""


def pointer(element: str) -> str:
    """The type of a pointer to elements."""
    return f"!pto.ptr<{element}, ub>"


def mask_type(lanes: int) -> str:
    """The type of a mask."""
    return f"!pto.vmi.mask<{lanes}xpred>"


def is_number(vector: Vector) -> bool:
    """Whether a vector is one that most arithmetic takes."""
    return vector.element in NUMBERS


def like(writer: Writer, vector: Vector) -> Vector:
    """Another value of the same type, or the same one."""
    return writer.pick(lambda other: other.type == vector.type) or vector


def result_of(writer: Writer, like: Vector, element: str = "") -> Vector:
    """A new value of the type of another, or with other elements."""
    return Vector(writer.fresh(), like.lanes, element or like.element)


def any_mask(writer: Writer, lanes: int) -> str:
    """A mask: all, a prefix, a count of run time, a group mask, a pattern, a comparison, or one put together."""
    rng, type_, name = writer.rng, mask_type(lanes), writer.fresh("m")
    kind = rng.randrange(8)
    compared = writer.pick(lambda vector: vector.lanes == lanes and vector.element in SCALARS)
    if kind == 0:
        writer.put(f"{name} = pto.vmi.create_mask %n : index -> {type_}")
    elif kind == 1:
        writer.put(f"{name}, {writer.fresh('left')} = pto.vmi.plt %k : i32 -> {type_}, i32")
    elif kind == 2 and lanes % 8 == 0:
        writer.put(
            f"{name} = pto.vmi.create_group_mask {rng.choice(('%c2', '%n', '%c4'))} "
            f"{{num_groups = {8}, group_size = {lanes // 8}}} : index -> {type_}"
        )
    elif kind == 3 and lanes % 4 == 0:
        writer.put(f'{name} = pto.vmi.pge "PAT_VL{rng.randint(1, lanes // 4)}" {{group = 4}} : {type_}')
    elif kind == 4:
        bits = ", ".join(str(rng.random() < 0.7).lower() for _ in range(lanes))
        shown = bits if rng.random() < 0.5 else rng.choice(("true", "false"))
        value = f"[{shown}]" if "," in shown else shown
        writer.put(
            f'{name} = "pto.vmi.constant_mask"() {{value = dense<{value}> : vector<{lanes}xi1>}} : () -> {type_}'
        )
    elif kind in (5, 6) and compared is not None:
        seed, _ = mask_of(writer, lanes)
        cmp = rng.choice(("lt", "ge", "ne", "gt", "le", "eq"))
        op, with_, of = "vcmps", SCALARS[compared.element], compared.element.replace("ui", "i").replace("si", "i")
        if kind == 6:
            cmp = rng.choice(("lt", "ge", "ne", "gt", "le", "eq"))
        op, with_, of = "vcmp", like(writer, compared).name, compared.type
        writer.put(
            f"{name} = pto.vmi.{op} {compared.name}, {with_}, {seed} "
            f'{{cmp = "{cmp}"}} : {compared.type}, {of}, {type_} -> {type_}'
        )
    else:
        first, _ = mask_of(writer, lanes)
        writer.put(f"{name} = pto.vmi.vnot {first} : {type_} -> {type_}")
    if rng.random() < 0.2:
        more, both = any_mask(writer, lanes), writer.fresh("m")
        writer.put(
            f"{both} = pto.vmi.{rng.choice(('vand', 'vor', 'vxor'))} {name}, {more} : {type_}, {type_} -> {type_}"
        )
        return both
    return name
