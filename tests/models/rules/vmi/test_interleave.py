"""Interleaving: what only gets other names, and what one instruction does on a single register."""

from __future__ import annotations

from itertools import product

import pytest

from layoutsolver_models.lanes.instruction import vdintlv, vintlv
from layoutsolver_models.lanes.lanemap import Register
from layoutsolver_models.lanes.layout import data_map
from layoutsolver_models.rules.expression import holds
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.rules.vmi.rearrange import INTERLEAVE, zero_copy
from layoutsolver_models.rules.vmi.row import Cost, Shape, VmiRule, cost, facts
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
        if rule.is_listed(found):
            limit = rule.limit(found)
            assert is_right(rule, bits, lanes) == (limit is None), (lanes, bits)
            verdicts.add(limit is None)
    assert True in verdicts, "a row that is right nowhere would serve nobody"


@pytest.mark.parametrize("rule", [rule for rule in INTERLEAVE if rule.layouts["lhs"] != rule.layouts["low"]],
                         ids=lambda rule: rule.id)  # fmt: skip
def test_other_names_are_right_for_more_registers_than_upstream_has(rule: VmiRule) -> None:
    parts = 4 if "d4" in rule.layouts.values() else 2
    for bits, more in product((8, 16, 32), (1, 2, 3, 5)):
        lanes = more * parts * 2048 // bits
        found = facts(rule, dict.fromkeys(rule.layouts, Shape(lanes, bits)))
        assert rule.allows(found)
        assert is_right(rule, bits, lanes), (lanes, bits)
        assert rule.is_listed(found) == (more * parts in ((2, 4) if parts == 2 else (4,)))
        assert not rule.allows(facts(rule, dict.fromkeys(rule.layouts, Shape(lanes + 2048 // bits, bits))))


@pytest.mark.parametrize(
    ("op", "lanes", "executed", "once"),
    [("VINTLV", 1, 0, 0), ("VINTLV", 24, 2, 1), ("VINTLV", 32, 2, 1),
     ("VINTLV", 96, 5, 3), ("VINTLV", 48, 3, 3), ("VINTLV", 47, 4, 3), ("VINTLV", 64, 1, 0),
     ("VINTLV", 80, 5, 3), ("VINTLV", 100, 7, 3), ("VINTLV", 192, 3, 0), ("VDINTLV", 1, 0, 0), ("VDINTLV", 24, 3, 1),
     ("VDINTLV", 47, 3, 3), ("VDINTLV", 80, 6, 3), ("VDINTLV", 320, 5, 0)],
)  # fmt: skip
def test_words_are_moved_by_so_many_instructions(op: str, lanes: int, executed: int, once: int) -> None:
    rule = next(rule for rule in INTERLEAVE if rule.id == f"VMI.{op[1:]}.C")
    known = facts(rule, dict.fromkeys(rule.layouts, Shape(lanes, 32)))
    way = rule.lowering(known)
    assert way is not None
    assert cost(way, known) == Cost(execute=executed, setup=once)


@pytest.mark.parametrize("op", ["vintlv", "vdintlv"])
def test_every_length_has_one_row_of_contiguous_registers_or_names(op: str) -> None:
    rows = [rule for rule in INTERLEAVE if rule.family == op and "c" in rule.layouts.values()]
    for bits, lanes in product((8, 16, 32), range(1, 600)):
        found = [facts(rule, dict.fromkeys(rule.layouts, Shape(lanes, bits))) for rule in rows]
        usable = [rule.lowering(known) for rule, known in zip(rows, found, strict=True) if rule.allows(known)]
        assert [way for way in usable if way is not None], (lanes, bits)
        contiguous = next(rule for rule in rows if rule.id.endswith(".C"))
        known = found[rows.index(contiguous)]
        ways = [way for way in contiguous.lowerings if holds(way.when, known)]
        assert len(ways) == 1 or not contiguous.allows(known), (lanes, bits)


def test_other_registers_than_those_of_the_row_are_wrong() -> None:
    rule = next(rule for rule in INTERLEAVE if rule.id == "VMI.INTLV.C_D2")
    changed = rule._replace(family="vdintlv")
    assert is_right(rule, 32, 128)
    assert not is_right(changed, 32, 128)
    four = next(rule for rule in INTERLEAVE if rule.id == "VMI.DINTLV.D4_D2")
    assert is_right(four, 8, 1024)
    assert not is_right(four._replace(family="vintlv"), 8, 1024)
