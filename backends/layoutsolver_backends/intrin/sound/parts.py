"""Narrow elements by parts: every second or fourth lane as a register of wider ones, and back to its place."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver.mlir.types import VectorType
from layoutsolver_backends.intrin.program import Program, Step
from layoutsolver_backends.intrin.sound.code import Code, bits_of, is_float
from layoutsolver_backends.intrin.writer import Ref, register_type


def is_vector(program: Program, value: int) -> bool:
    """Whether a value is a vector."""
    return isinstance(program.types[value], VectorType)


WIDER = {
    "bf16": ("vcvtff.bf162f32.x", "f32", "vcvtff.f322bf16.x"),
    "f16": ("vcvtff.f162f32.x", "f32", "vcvtff.f322f16.x"),
    "f8E4M3FN": ("vcvtff.f8e4m32f32.x", "f32", "vcvtff.f322f8e4m3.x"),
    "f8E5M2": ("vcvtff.f8e5m22f32.x", "f32", "vcvtff.f322f8e5m2.x"),
    "i8": ("vcvtii.s82s16.x", "i16", "vcvtii.s162u8.x"),
    "ui8": ("vcvtii.u82u16.x", "i16", "vcvtii.s162u8.x"),
}  # fmt: skip
"""By element type: the conversion to a wider one, that, and the way back; integers come back as their low bits."""

_STEPS = {"b8": 1, "b8_2vl": 2, "b8_4vl": 4, "b16": 1, "b16_2vl": 2, "b32": 1}
"""How many lanes of their own width elements lie apart in a layout."""


def parts_in_use(code: Code, step: Step, element: str, ratio: int) -> range:
    """The parts of a register that hold elements of a vector: all, where its layout is not known."""
    values = (*step.operands, *step.results)
    program = code.writer.program
    for value in values:
        layout = program.layout_of.get(value)
        if layout in _STEPS and is_vector(program, value) and bits_of(program.element(value)) == bits_of(element):
            return range(0, ratio, min(ratio, _STEPS[layout]))
    return range(ratio)


def by_parts(
    code: Code, step: Step, element: str, sources: list[Ref], compute_wide: Callable[[list[Ref]], Ref], sign: str = "s"
) -> Ref:
    """What a computation on wider elements makes of each part, in its place again."""
    key = element if is_float(element) else "ui8" if sign == "u" else "i8"
    there, wide, back = WIDER[key]
    made: list[Ref] = []
    for part in parts_in_use(code, step, element, bits_of(wide) // bits_of(element)):
        taken = [code.call(there, [source, code.full, part], register_type(wide)) for source in sources]
        result = compute_wide(taken)
        modes: list[Ref | int] = [0, 0, part] if is_float(element) else [0, part]
        made.append(code.call(back, [result, code.full, *modes], register_type(element)))
    return joined(code, made)


def joined(code: Code, parts: list[Ref]) -> Ref:
    """Registers of which each has other lanes that are not zero, as one."""
    element = code.element(parts[0])
    total = parts[0]
    for part in parts[1:]:
        total = code.as_type(code.either_bits(code.bits(total), code.bits(part)), element)
    return total
