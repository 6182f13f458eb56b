"""Seeded generator of random valid `ave.hir` programs, about half of which have a layout."""

from __future__ import annotations

import random
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator

from tests.support import ave_families as families
from tests.support import ave_regions as regions
from tests.support.ave_builder import ELEMENTS, Builder
from tests.support.ave_shrink import shrink
from tests.support.ave_wide import WideBuilder
from tests.support.ave_wide_families import WIDE

__all__ = ["random_program", "sampled", "sampling", "shrink"]

_LANES = (64,) * 8 + (128, 128, 256, 1, 32)
_EFFECTIVE = {128: ("b16", "b16", "b8", "b32"), 256: ("b8", "b8", "b8", "b16")}
_PALETTE = (("i32", "f32"), ("f16", "i16", "bf16"), ("i8", "i8", "f8E4M3FN", "f8E5M2"), ELEMENTS)
_WEIGHTS: tuple[tuple[int, Callable[[Builder], None]], ...] = (
    (10, families.binary),
    (5, families.unary),
    (5, families.vector_scalar),
    (2, families.shift),
    (2, families.vmula),
    (2, families.mull),
    (2, families.reduction),
    (3, families.vector_broadcast),
    (4, families.vsel),
    (4, families.vcmp),
    (3, families.vcmps),
    (5, families.extend),
    (5, families.truncate),
    (3, families.convert),
    (2, families.vtrc),
    (3, families.interleave),
    (3, families.gather),
    (2, families.strided_store),
    (2, families.permute),
    (3, families.predicate),
    (2, families.bitcast),
    (2, families.reshape),
    (1, families.membar),
    (2, families.call),
    (6, families.store),
    (4, regions.loop),
)
_FAMILIES = tuple(family for weight, family in _WEIGHTS for _ in range(weight))
_CLASHING = (
    *_FAMILIES,
    *(families.strided_store, families.vcmps, families.vcmp, families.vsel, families.extend) * 3,
    *(families.truncate, families.interleave, families.gather, families.convert) * 2,
)
_WIDE = (*_FAMILIES, *(family for weight, family in WIDE for _ in range(weight)))
_RARE: tuple[Callable[[Builder], None], ...] = (
    regions.unaligned_store,
    regions.unaligned_store,
    regions.scatter,
    regions.scatter,
    regions.constant,
    regions.bare_layout_cast,
    regions.bare_layout_cast,
    regions.scalar_hop,
    regions.vector_argument,
    regions.vector_argument,
    regions.vector_argument,
    regions.call_helper,
)


def random_program(rng: random.Random, size: int = 12, *, feasible_bias: float = 0.5, wide: bool = False) -> str:
    """Return the text of a module of one or several functions which the op verifiers accept.

    About `size` op groups are drawn; operands that have to exist first add to that. `feasible_bias` is
    roughly the share of programs that have a layout: its square is the share of programs whose ops follow one
    consistent plan of layouts, the others pick operands by type alone now and then. Unless the bias is 1, a
    few programs hold an op that no layout serves or that the analyzer cannot take. With `wide`, programs leave the
    subset that the analyzer takes in every respect that matters on the hardware model.
    """
    count = 2 if size > 1 and rng.randrange(1000) >= 930 else 1
    parts = [_function(rng, f"f{at}", max(1, size // count), feasible_bias, count, wide) for at in range(count)]
    declared = [line for lines, _ in parts for line in lines]
    body = "\n".join([*dict.fromkeys(declared), *(text for _, text in parts)])
    return f"module {{\n{body}\n}}\n" if rng.randrange(1000) >= 700 else f"{body}\n"


def sampling(description: str | None, count: int, size: int, bias: float) -> ArgumentParser:
    """The options of a command about random programs, with these defaults."""
    parser = ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=size)
    parser.add_argument("--bias", type=float, default=bias)
    return parser


def sampled(options: Namespace, wide: bool = False) -> Iterator[tuple[int, str]]:
    """The programs that such options ask for, each with its seed."""
    for seed in range(options.seed, options.seed + options.count):
        yield seed, random_program(random.Random(seed), options.size, feasible_bias=options.bias, wide=wide)


def _function(
    rng: random.Random, name: str, size: int, feasible_bias: float, count: int, wide: bool
) -> tuple[list[str], str]:
    """Return (declarations and helpers, text) of one function."""
    lanes = rng.choice(_LANES)
    effective = rng.choice(_EFFECTIVE.get(lanes, ("b32", "b32", "b32", "b16", "b16", "b8")))
    noise = 0.0
    if rng.randrange(1000) >= 1000 * feasible_bias ** (2 / count):
        noise = rng.choice((0.2, 0.5, 0.8, 1.0))
    menu = _WIDE if wide else _CLASHING if noise else _FAMILIES
    palette = frozenset(rng.choice(kinds) for kinds in _PALETTE)
    builder = (WideBuilder if wide else Builder)(rng, lanes, effective, noise, menu, palette)
    rare = feasible_bias < 1 and builder.chance(0.12)
    at = rng.randrange(size) if rare else -1
    for step in range(rng.randint(1 + size // 2, size)):
        if step == at:
            rng.choice(_RARE)(builder)
        rng.choice(menu)(builder)
    builder.close()
    if rare and builder.chance(0.1):
        return builder.declarations, builder.text(name, regions.newest(builder))
    return builder.declarations, builder.text(name)
