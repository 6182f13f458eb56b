"""Predicate instructions, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest

from layoutsolver_models.hardware import predicate as p
from layoutsolver_models.hardware.state import PReg, VReg
from tests.models.hardware import oracle

WIDTHS = (1, 2, 4)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("pattern", p.PATTERNS)
def test_patterns_set_the_first_bit_of_their_lanes(width: int, pattern: str) -> None:
    lanes = 256 // width
    member: Callable[[int], bool] = {
        "ALL": lambda j: True,
        "ALLF": lambda j: False,
        "H": lambda j: j < lanes / 2,
        "Q": lambda j: j < lanes / 4,
        "M3": lambda j: j % 3 == 0,
        "M4": lambda j: j % 4 == 0,
    }.get(pattern, lambda j: j < int(pattern[2:]))
    got = p.pge(width, pattern)
    assert oracle.bits_of(got) == [b % width == 0 and member(b // width) for b in range(256)]


def test_unknown_patterns_are_refused() -> None:
    with pytest.raises(KeyError):
        p.pge(4, "VL5")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", [-3, 0, 1, 63, 64, 65, 128, 255, 256, 1000])
def test_counts_enable_the_first_lanes_and_count_down(width: int, count: int) -> None:
    mask, left = p.plt(width, count)
    lanes = 256 // width
    assert mask.lanes(width).tolist() == [j < count for j in range(lanes)]
    assert mask.bits.sum() == min(max(count, 0), lanes)
    assert left == max(0, count - lanes)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("loop", [-1, 0, 1, 3])
def test_loop_counts_enable_the_lanes_below_the_bound(width: int, loop: int) -> None:
    lanes = 256 // width
    for bound in (0, 5, lanes, lanes + 7, 3 * lanes + 1):
        got = p.pltm(width, loop, bound).lanes(width).tolist()
        assert got == [j + loop * lanes < bound for j in range(lanes)]


def three(seed: int) -> tuple[PReg, PReg, PReg]:
    rng = np.random.default_rng(seed)
    a, b, m = (oracle.random_predicate(rng, 0.15) for _ in range(3))
    return a, b, m


def possible(bit: bool | None) -> tuple[bool, ...]:
    """What a bit can be: both where it is not determined."""
    return (False, True) if bit is None else (bit,)


def certain(values: set[bool]) -> bool | None:
    """A value that is determined, else None."""
    return values.pop() if len(values) == 1 else None


@pytest.mark.parametrize("name", ["pand", "por", "pxor", "pnot"])
def test_logic_is_bitwise_and_zero_outside_the_mask(name: str) -> None:
    a, b, m = three(1)
    got = p.pnot(a, m) if name == "pnot" else getattr(p, name)(a, b, m)
    known: dict[str, Callable[[bool, bool], bool]] = {
        "pand": lambda x, y: x and y, "por": lambda x, y: x or y, "pxor": lambda x, y: x != y,
        "pnot": lambda x, y: not x,
    }  # fmt: skip
    compute = known[name]
    for i, bit in enumerate(oracle.bits_of(got)):
        x, y, on = (possible(oracle.bits_of(r)[i]) for r in (a, b, m))
        assert bit == certain({active and compute(left, right) for left in x for right in y for active in on})


def test_selection_is_bitwise() -> None:
    a, b, m = three(2)
    for x, y, on, got in zip(*(oracle.bits_of(r) for r in (a, b, m, p.psel(a, b, m))), strict=True):
        chosen = [x if choice else y for choice in possible(on)]
        assert got == certain({value for side in chosen for value in possible(side)})


@pytest.mark.parametrize("part", ["LOWER", "HIGHER"])
def test_packing_keeps_even_bits_and_unpacking_puts_them_back(part: p.Part) -> None:
    a, _, _ = three(3)
    start = 0 if part == "LOWER" else 128
    packed, unpacked = oracle.bits_of(p.ppack(a, part)), oracle.bits_of(p.punpack(a, part))
    source = oracle.bits_of(a)
    for i in range(256):
        assert packed[i] == (source[2 * (i - start)] if start <= i < start + 128 else False)
        assert unpacked[i] == (source[start + i // 2] if i % 2 == 0 else False)
    again = p.punpack(p.ppack(a, part), part)
    assert oracle.bits_of(again) == [source[i] if i % 2 == 0 else False for i in range(256)]


@pytest.mark.parametrize("width", WIDTHS)
def test_interleaving_alternates_groups_and_is_undone(width: int) -> None:
    a, b, _ = three(4)
    low, high = p.pintlv(width, a, b)
    x, y = oracle.bits_of(a), oracle.bits_of(b)
    both = oracle.bits_of(low) + oracle.bits_of(high)
    for i in range(512):
        lane, inner = divmod(i, width)
        assert both[i] == (y if lane % 2 else x)[lane // 2 * width + inner]
    assert p.pdintlv(width, low, high) == (a, b)


def test_interleaving_with_all_makes_a_coarser_mask() -> None:
    dense = PReg.from_lanes([1, 0, 1, 1], 1)
    b16 = p.pintlv(1, dense, p.pge(1, "ALL"))[0]
    assert b16.lanes(2)[:5].tolist() == [True, False, True, True, False]
    b32 = p.pintlv(1, b16, p.pge(1, "ALL"))[0]
    assert b32.lanes(4)[:5].tolist() == [True, False, True, True, False]


@pytest.mark.parametrize("width", [2, 4])
def test_bits_of_a_register_become_a_mask(width: Literal[2, 4]) -> None:
    source = oracle.random_register(np.random.default_rng(5), 0.2)
    size = 256 // width // 8
    for part in (0, 1, 256 // size - 1):
        got = oracle.bits_of(p.movvp(width, source, part))
        for lane in range(256 // width):
            byte = part * size + lane // 8
            want = None if source.poison[byte] else bool(source.data[byte] >> lane % 8 & 1)
            assert got[lane * width] == want
            assert set(got[lane * width + 1 : (lane + 1) * width]) == {None}
    with pytest.raises(ValueError, match="no chunk"):
        p.movvp(width, VReg.zeros(), 256 // size)
