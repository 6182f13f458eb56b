"""How the predicates of a mask that is known are made: by prefixes of lanes, or of every run of lanes.

A prefix is a pattern or a count. Bits that turn a few times are prefixes put together by `pxor`: lane q is set if an
odd number of them end behind it. Bits that repeat are a ramp, its number inside of a run compared with a limit.

>>> known_patterns("c", 32, tuple(lane < 25 for lane in range(96)))
(Pattern(turns=(25,), period=0, lanes=25), Pattern(turns=(), period=0, lanes=0))
>>> known_patterns("d2", 16, tuple(lane % 32 < 20 for lane in range(256)))
(Pattern(turns=(10,), period=16, lanes=128),)
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from layoutsolver_models.lanes.lanemap import POSITIONS
from layoutsolver_models.lanes.layout import carrier, mask_map
from layoutsolver_models.rules.vmi.layouts import layout_of

FEW = 4
"""Bits that turn so often at most are put together of prefixes."""


class Pattern(NamedTuple):
    """The bits of a register: where they turn, in a run of `period` lanes if that is not 0, of so many lanes in all."""

    turns: tuple[int, ...]
    period: int
    lanes: int


class Made(NamedTuple):
    """The instructions for some patterns: prefixes, what puts them together, and comparisons of a ramp."""

    prefixes: int
    joins: int
    ramps: int


@lru_cache(maxsize=1024)
def register_patterns(name: str, bits: int, on: tuple[bool, ...]) -> tuple[Pattern, ...]:
    """The pattern of every register of a mask over elements of so many bits."""
    layout = layout_of(name, len(on))
    wide = carrier(layout, bits)
    if wide is None:
        raise ValueError(f"a mask of {bits}-bit elements in the layout `{name}` has no register")
    step = wide // 8
    out = []
    for register in mask_map(layout, len(on), bits).registers:
        held = [register[at] for at in range(0, POSITIONS, step)]
        last = max((at + 1 for at, number in enumerate(held) if number is not None), default=0)
        out.append(pattern_of([number is not None and on[number] for number in held[:last]]))
    return tuple(out)


def known_patterns(name: str, bits: int, on: tuple[bool, ...]) -> tuple[Pattern, ...]:
    """The different patterns among the registers of a mask."""
    return tuple(dict.fromkeys(register_patterns(name, bits, on)))


def have_equal_parts(name: str, bits: int, on: tuple[bool, ...], all_of_them: bool = False) -> bool:
    """Whether the registers of a mask that a reduction brings together are equal: those of all parts, or all of them.

    >>> have_equal_parts("d2", 32, tuple(lane % 16 < 10 for lane in range(128)))
    True
    >>> have_equal_parts("d2", 32, (True,) * 13 + (False,) * 115)
    False
    """
    patterns = register_patterns(name, bits, on)
    parts = int(name[-1]) if name in ("d2", "d4", "bd2", "bd4") else 1
    if all_of_them or len(patterns) % parts:
        return len(set(patterns)) == 1
    chunks = len(patterns) // parts  # of one part, each register is a sum of its own
    return all(len(set(patterns[chunk::chunks])) == 1 for chunk in range(chunks))


def made(patterns: tuple[Pattern, ...]) -> Made:
    """What different patterns take."""
    prefixes = [max(1, sum(turn > 0 for turn in one.turns)) for one in patterns if not one.period]
    ramps = sum(one.period > 0 for one in patterns)
    return Made(sum(prefixes), sum(count - 1 for count in prefixes), ramps)


def pattern_of(lit: list[bool]) -> Pattern:
    """The pattern of the bits of a register, the last of which may be followed by anything."""
    framed = [False, *lit, False]
    turns = tuple(at for at in range(len(lit) + 1) if framed[at] != framed[at + 1])
    if len(turns) > FEW:
        for period in (2 << power for power in range(8)):
            run = lit[:period]
            if period < len(lit) and False in run and all(bit == run[at % period] for at, bit in enumerate(lit)):
                count = run.index(False)
                if not any(run[count:]):
                    return Pattern((count,), period, len(lit))
                break
    return Pattern(tuple(turn for turn in turns if turn), 0, turns[-1] if turns else 0)
