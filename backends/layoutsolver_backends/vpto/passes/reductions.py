"""Reductions of registers under one mask, brought together afterwards: brought together first, they are one reduction.

Elements are added in another order then, as a reduction may.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Code, Instruction, Ssa, element_bits, mask_type

COMBINED: dict[str, tuple[str, str]] = {
    "pto.vadd": ("pto.vcgadd", "pto.vcadd"), "pto.vmax": ("pto.vcgmax", "pto.vcmax"),
    "pto.vmin": ("pto.vcgmin", "pto.vcmin"),
}  # fmt: skip
"""What brings the results of which reductions together."""


def combine_reductions(build: Builder) -> None:
    """Reduce once what is reduced under one mask and then brought together."""
    code = build.code
    while _combine(code, build):
        pass


def _combine(code: Code, build: Builder) -> bool:
    makers = {value: one for _, one in code.all() for value in one.results}
    uses: Counter[Ssa] = Counter(operand for _, one in code.all() for operand in one.operands)
    uses.update(value for values in code.taken.values() for value in values)
    for some in code.places.values():
        for at, one in enumerate(some):
            parts = [makers.get(operand) for operand in one.operands[:2]]
            left, right = (parts[0], parts[1]) if len(parts) == 2 else (None, None)
            if left is None or right is None or left is right or left.name not in COMBINED.get(one.name, ()):
                continue
            alone = uses[one.operands[0]] == uses[one.operands[1]] == 1
            same = left.name == right.name and left.operands[1] == right.operands[1]
            if alone and same and left.operands[0].type == left.results[0].type == one.results[0].type:
                some[at : at + 1] = _together(build, one, left, right)
                return True
    return False


def _together(build: Builder, one: Instruction, left: Instruction, right: Instruction) -> list[Instruction]:
    """The registers brought together, and reduced; what reduced them apart is dead then."""
    bits = element_bits(one.results[0].type)
    everywhere = build.value(mask_type(bits), "%m")
    total = build.value(one.results[0].type, one.results[0].hint)
    mask = Instruction(f"pto.pset_b{bits}", (), (everywhere,), ("PAT_ALL",), owner=one.owner, counted=False)
    combined = replace(one, operands=(left.operands[0], right.operands[0], everywhere), results=(total,))
    return [mask, combined, replace(left, operands=(total, left.operands[1]), results=one.results)]
