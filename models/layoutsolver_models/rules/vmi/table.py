"""All layout rules of VMI, by id and by family."""

from __future__ import annotations

from layoutsolver_models.rules.vmi.cast import CAST, EXPDIF
from layoutsolver_models.rules.vmi.convert import CONVERT, CONVERT_MASK, GRANULARITY
from layoutsolver_models.rules.vmi.convert_slots import CONVERT_SLOTS
from layoutsolver_models.rules.vmi.elementwise import BITCAST, EXPDIF_32, FREE, FREE_LANE, IOTA, SAME
from layoutsolver_models.rules.vmi.flow import IDENTITY, REGISTERS
from layoutsolver_models.rules.vmi.group_values import GROUP_VALUES
from layoutsolver_models.rules.vmi.groups import GROUP_MEMORY
from layoutsolver_models.rules.vmi.memory import MEMORY
from layoutsolver_models.rules.vmi.rearrange import REARRANGE
from layoutsolver_models.rules.vmi.row import VmiRule

VMI_RULES: tuple[VmiRule, ...] = (
    *SAME, *FREE, *FREE_LANE, *IOTA, *CAST, *EXPDIF, *EXPDIF_32, *BITCAST, *MEMORY, *GROUP_MEMORY, *GROUP_VALUES,
    *REARRANGE, *CONVERT, *CONVERT_SLOTS, *CONVERT_MASK, *GRANULARITY, *IDENTITY, *REGISTERS,
)  # fmt: skip
"""All rows, in the order of preference inside a family."""

RULES: dict[str, VmiRule] = {rule.id: rule for rule in VMI_RULES}
"""All rows by id."""


def family(name: str) -> tuple[VmiRule, ...]:
    """The rules of a family, as operation tables name it.

    >>> [rule.id for rule in family("deinterleave_load")]
    ['VMI.DLOAD.C']
    """
    return tuple(rule for rule in VMI_RULES if rule.family == name)
