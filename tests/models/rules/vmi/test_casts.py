"""Every cast moves its elements to where the result layout wants them, and with other parts it does not."""

from __future__ import annotations

import itertools

import pytest

from layoutsolver_models.lanes.layout import data_map
from layoutsolver_models.rules.vmi.cast import CAST, EXPDIF
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.rules.vmi.row import VmiRule
from tests.models.rules.vmi.shapes import cases

Lanes = list[int | None]
NUMBERS = {"EVEN": 0, "ODD": 1, "P0": 0, "P1": 1, "P2": 2, "P3": 3}
WITH_PARTS = [rule for rule in (*CAST, *EXPDIF) if rule.parts]


def held(name: str, bits: int, lanes: int, groups: int) -> list[Lanes]:
    """The element that starts at each lane of each register."""
    found = data_map(layout_of(name, groups), bits, lanes)
    size = bits // 8
    return [[None if byte is None else byte // size for byte in register[::size]] for register in found.registers]


def widened(source: list[Lanes], parts: tuple[str, ...], ratio: int) -> list[Lanes]:
    """Register j A + k of the result is part j of register k of the source."""
    return [register[NUMBERS[part] :: ratio] for part in parts for register in source]


def narrowed(source: list[Lanes], parts: tuple[str, ...], ratio: int, results: int) -> list[Lanes] | None:
    """Register k of the result has part j from register j A + k of the source; nothing if two parts collide."""
    out: list[Lanes] = [[None] * (len(source[0]) * ratio) for _ in range(results)]
    for number, part in enumerate(parts):
        for k in range(results):
            if number * results + k >= len(source):
                return None
            for lane, element in enumerate(source[number * results + k]):
                if element is not None:
                    out[k][ratio * lane + NUMBERS[part]] = element
    return out


def moved(rule: VmiRule, parts: tuple[str, ...], bits: int, wide: int, lanes: int) -> bool:
    """Whether the result has every element where its layout says."""
    widens = wide > bits
    ratio = wide // bits if widens else bits // wide
    sources = held(rule.layouts.get("source") or rule.layouts["x"], bits, lanes, lanes)
    wanted = held(rule.layouts["result"], wide, lanes, lanes)
    found = widened(sources, parts, ratio) if widens else narrowed(sources, parts, ratio, len(wanted))
    if found is None or len(found) < len(wanted):
        return False
    return all(
        element is None or element == there
        for want, have in zip(wanted, found, strict=False)
        for element, there in zip(want, have, strict=True)
    )


def shapes(rule: VmiRule) -> list[tuple[int, int, int]]:
    if rule.family == "vexpdif":
        return [(16, 32, lanes) for lanes in (4, 8, 32, 64, 96, 128, 256, 512)]
    return [(bits, wide, lanes) for lanes, bits, wide, _, _ in cases(rule)]


@pytest.mark.parametrize("rule", WITH_PARTS, ids=[rule.id for rule in WITH_PARTS])
def test_the_parts_of_a_row_bring_every_element_to_its_place(rule: VmiRule) -> None:
    assert shapes(rule)
    for bits, wide, lanes in shapes(rule):
        assert moved(rule, rule.parts, bits, wide, lanes), (bits, wide, lanes)


@pytest.mark.parametrize("rule", WITH_PARTS, ids=[rule.id for rule in WITH_PARTS])
def test_no_other_parts_do(rule: VmiRule) -> None:
    bits, wide, lanes = shapes(rule)[-1]
    names = ("EVEN", "ODD") if max(bits, wide) // min(bits, wide) == 2 else ("P0", "P1", "P2", "P3")
    for parts in itertools.product(names, repeat=len(rule.parts)):
        assert moved(rule, parts, bits, wide, lanes) == (parts == rule.parts), parts


@pytest.mark.parametrize("rule", WITH_PARTS, ids=[rule.id for rule in WITH_PARTS])
def test_no_other_layout_of_the_result_fits(rule: VmiRule) -> None:
    bits, wide, lanes = next(case for case in reversed(shapes(rule)) if case[2] >= 8)
    for name in ("c", "ls2", "d2", "d4", "bd2"):
        if name != rule.layouts["result"] and not rule.layouts["result"].startswith("gs"):
            changed = rule._replace(layouts={**rule.layouts, "result": name})
            assert not moved(changed, rule.parts, bits, wide, lanes), name


def test_the_parts_of_a_spread_source_are_not_the_first_ones() -> None:
    """The case of the FP4 kernel: every second byte is empty, so that half of what P0 and P1 read is."""
    rule = next(rule for rule in CAST if rule.id == "VMI.CAST.8_32.LS2_D2")
    assert moved(rule, ("P0", "P2"), 8, 32, 128)
    assert not moved(rule, ("P0", "P1"), 8, 32, 128)
