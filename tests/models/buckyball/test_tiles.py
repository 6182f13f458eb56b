"""Tile sizes against those of the production passes, and against a search by their definition."""

from __future__ import annotations

import random
from typing import Any

import pytest

from layoutsolver_models.buckyball.tiles import LANE, padded, tile_sizes
from tests.models.hardware.buckyball.golden import golden

TABLE = {
    (16, 16, 16): ((16, 16, 16), (16, 16, 16)),
    (16, 16, 64): ((16, 16, 64), (16, 16, 64)),
    (64, 64, 16): ((64, 64, 16), (16, 16, 16)),
    (1, 96, 128): ((16, 96, 128), (16, 16, 128)),
    (127, 127, 17): ((32, 128, 32), (16, 16, 32)),
    (1024, 1024, 16): ((16, 256, 16), (16, 16, 16)),
    (16, 16, 2048): ((16, 16, 1024), (16, 16, 1024)),
    (128, 128, 128): ((32, 128, 128), (16, 16, 128)),
    (1, 10, 84): ((16, 16, 96), (16, 16, 96)),
    (5, 768, 3072): ((16, 16, 1024), (16, 16, 1024)),
    (1, 1000, 1024): ((16, 16, 1024), (16, 16, 1024)),
    (1, 120, 256): ((16, 64, 256), (16, 16, 256)),
    (256, 256, 256): ((64, 64, 256), (16, 16, 256)),
    (512, 512, 512): ((32, 32, 512), (16, 16, 512)),
}


@pytest.mark.parametrize("row", golden()["tile_sizes"], ids=lambda row: f"{row['M']}-{row['N']}-{row['K']}")
def test_tiles_are_those_of_both_revisions(row: dict[str, Any]) -> None:
    sizes, depth = (row["M"], row["N"], row["K"]), row["bank_depth"]
    assert [padded(size) for size in sizes] == row["padded"]
    assert list(tile_sizes(*sizes, depth)) == row["era"] == row["new_i8"]
    assert list(tile_sizes(*sizes, depth, narrow=True)) == row["new_f32"]


@pytest.mark.parametrize("sizes", TABLE)
@pytest.mark.parametrize("depth", [1024, 4096])
def test_the_table_holds_for_both_depths(sizes: tuple[int, int, int], depth: int) -> None:
    assert (tile_sizes(*sizes, depth), tile_sizes(*sizes, depth, narrow=True)) == TABLE[sizes]


def test_the_tile_of_a_shallow_bank_is_that_of_the_recorded_contract() -> None:
    assert tile_sizes(16, 16, 2048, 128) == (16, 16, 1024)


def searched(sizes: tuple[int, int, int], depth: int) -> tuple[int, int, int]:
    """By definition: dimension by dimension, the candidates before the first that breaks a limit."""
    m, n, k = (padded(size) // LANE for size in sizes)

    def best(count: int, fits: Any) -> int:
        allowed = 1
        while allowed < count and fits(allowed + 1):
            allowed += 1
        return max(c for c in range(1, allowed + 1) if count % c == 0)

    kt = best(k, lambda c: 2 * c <= depth and 16 * c <= 1024)
    nt = best(n, lambda c: kt + kt * c <= depth and 16 * c <= 256 and 16 * kt * c <= 1024)
    mt = best(m, lambda c: c * kt + kt * nt <= depth and 16 * c * nt <= 256 and 16 * c * kt <= 1024)
    return mt * LANE, nt * LANE, kt * LANE


def test_random_tiles_are_those_of_the_definition() -> None:
    choose = random.Random(7)
    for _ in range(2000):
        sizes = tuple(choose.randint(1, 2000) for _ in range(3))
        depth = choose.choice([16, 64, 128, 1024, 4096])
        m, n, k = sizes
        found = tile_sizes(m, n, k, depth)
        assert found == searched((m, n, k), depth)
        assert all(padded(size) % part == 0 for size, part in zip(sizes, found, strict=True))
