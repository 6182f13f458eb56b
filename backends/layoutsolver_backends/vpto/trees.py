"""Registers taken apart into parts and put together again, by interleaving instructions in one or two levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa

Pair = Callable[[Ssa, Ssa], tuple[Ssa, Ssa]]
"""An instruction that takes two registers and makes two."""


def data_pairs(build: Builder) -> tuple[Pair, Pair]:
    """Interleaving and deinterleaving of vector registers at their elements."""
    return (lambda a, b: build.pair("vintlv", a, b)), (lambda a, b: build.pair("vdintlv", a, b))


def mask_pairs(build: Builder, bits: int = 0) -> tuple[Pair, Pair]:
    """Interleaving and deinterleaving of predicates at a granularity, their own if that is 0."""
    return (lambda a, b: build.mask_pair("pintlv", a, b, bits)), (lambda a, b: build.mask_pair("pdintlv", a, b, bits))


def split(pair: Pair, registers: Sequence[Ssa], parts: int) -> list[list[Ssa]]:
    """The parts of contiguous registers by `pair`, which deinterleaves: the chunks of each part.

    A register that is missing for a pair stands for anything. It takes ceil(R / 2) instructions for two parts, and
    twice ceil(R / 4) more for four.
    """
    halves: list[list[Ssa]] = [[], []]
    for at in range(0, len(registers), 2):
        first = registers[at]
        even, odd = pair(first, registers[at + 1] if at + 1 < len(registers) else first)
        halves[0].append(even)
        halves[1].append(odd)
    if parts == 2:
        return halves
    evens, odds = split(pair, halves[0], 2), split(pair, halves[1], 2)
    return [evens[0], odds[0], evens[1], odds[1]]


def join(pair: Pair, parts: list[list[Ssa]], count: int) -> list[Ssa]:
    """The first `count` contiguous registers made of parts by `pair`, which interleaves, or all that there are."""
    if len(parts) == 4:
        half = -(-count // 2)
        parts = [join(pair, [parts[0], parts[2]], half), join(pair, [parts[1], parts[3]], half)]
    made: list[Ssa] = []
    for at in range(-(-count // 2)):
        if at >= len(parts[1]):
            made += parts[0][at : at + 1]
            continue
        low, high = pair(parts[0][at], parts[1][at])
        made += [low, high]
    return made[:count]


def chunked(registers: Sequence[Ssa], chunks: tuple[int, ...]) -> list[list[Ssa]]:
    """Registers in a row, part by part."""
    out: list[list[Ssa]] = []
    at = 0
    for count in chunks:
        out.append(list(registers[at : at + count]))
        at += count
    return out


def flattened(parts: list[list[Ssa]], chunks: tuple[int, ...]) -> list[Ssa]:
    """The registers of parts in a row, as many of each as there are to be."""
    return [value for part, count in zip(parts, chunks, strict=True) for value in part[:count]]
