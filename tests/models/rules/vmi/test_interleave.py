"""Interleaving: what only gets other names, and what one instruction does on a single register."""

from __future__ import annotations

import pytest

from layoutsolver_models.lanes.instruction import vdintlv, vintlv
from layoutsolver_models.lanes.lanemap import Register
from layoutsolver_models.lanes.layout import data_map
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.rules.vmi.rearrange import INTERLEAVE, zero_copy
from layoutsolver_models.rules.vmi.row import VmiRule
from tests.models.rules.vmi.shapes import cases

Units = tuple[Register, ...]


def operands(name: str, bits: int, lanes: int) -> Units:
    """The registers of lhs and then of rhs, the bytes of rhs numbered behind those of lhs."""
    lhs = data_map(layout_of(name), bits, lanes).registers
    behind = lanes * bits // 8
    return lhs + tuple(tuple(None if unit is None else unit + behind for unit in register) for register in lhs)


def wanted(rule: VmiRule, bits: int, lanes: int) -> Units:
    """The registers of low and then of high, filled with what interleaving (or the reverse) puts there."""
    size = bits // 8
    both = list(range(2 * lanes))
    if rule.family == "vintlv":
        order = [element for i in range(lanes) for element in (i, i + lanes)]
    else:
        order = both[::2] + both[1::2]
    registers = data_map(layout_of(rule.layouts["low"]), bits, lanes).registers
    out: list[Register] = []
    for half in (order[:lanes], order[lanes:]):
        out += [
            tuple(None if unit is None else half[unit // size] * size + unit % size for unit in register)
            for register in registers
        ]
    return tuple(out)


def produced(rule: VmiRule, bits: int, lanes: int) -> Units:
    """The registers that the row's lowering gives."""
    held = operands(rule.layouts["lhs"], bits, lanes)
    if rule.layouts["lhs"] != rule.layouts["low"]:
        low, high = zero_copy(len(held) // 2, "d4" in rule.layouts.values())
        return tuple(held[number] for number in (*low, *high))
    stride = {"c": 1, "ls2": 2, "ls4": 4}[rule.layouts["lhs"]]
    instruction = (vintlv if rule.family == "vintlv" else vdintlv)(bits * stride)
    flat = held[0] + held[1]
    return tuple(tuple(None if at is None else flat[at] for at in row) for row in instruction.results.registers)


def is_right(rule: VmiRule, bits: int, lanes: int) -> bool:
    return all(
        unit is None or unit == there
        for want, have in zip(wanted(rule, bits, lanes), produced(rule, bits, lanes), strict=True)
        for unit, there in zip(want, have, strict=True)
    )


@pytest.mark.parametrize("rule", INTERLEAVE, ids=[rule.id for rule in INTERLEAVE])
def test_a_row_is_right_exactly_where_upstream_is(rule: VmiRule) -> None:
    verdicts = set()
    for lanes, bits, _, _, found in cases(rule):
        limit = rule.limit(found)
        assert is_right(rule, bits, lanes) == (limit is None), (lanes, bits)
        verdicts.add(limit is None)
    assert True in verdicts, "a row that is right nowhere would serve nobody"


def test_other_registers_than_those_of_the_row_are_wrong() -> None:
    rule = next(rule for rule in INTERLEAVE if rule.id == "VMI.INTLV.C_D2")
    changed = rule._replace(family="vdintlv")
    assert is_right(rule, 32, 128)
    assert not is_right(changed, 32, 128)
    four = next(rule for rule in INTERLEAVE if rule.id == "VMI.DINTLV.D4_D2")
    assert is_right(four, 8, 1024)
    assert not is_right(four._replace(family="vintlv"), 8, 1024)
