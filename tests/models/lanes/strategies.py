"""Random lane maps and random named layouts."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from layoutsolver_models.lanes.lanemap import POSITIONS, LaneMap, split_registers
from layoutsolver_models.lanes.layout import Dense, Groups, Layout, VecMem
from layoutsolver_models.vecmem import VECMEM_TYPES


def scattered(units: int, arity: int, repeats: bool) -> st.SearchStrategy[LaneMap]:
    """Maps of byte-sized elements that lie anywhere, or nowhere; in several places only with `repeats`."""
    positions = POSITIONS * arity

    def build(seed: int) -> LaneMap:
        random = Random(seed)
        flat: list[int | None]
        if repeats:
            flat = [random.randrange(units) if random.random() < 0.7 else None for _ in range(positions)]
        else:
            flat = [number if number < units else None for number in random.sample(range(2 * positions), positions)]
        return LaneMap("byte", 1, units, split_registers(flat))

    return st.integers(0, 1 << 32).map(build)


def layouts() -> st.SearchStrategy[Layout]:
    """Every kind of named layout."""
    numbers = st.integers(1, 16)
    return st.one_of(
        st.sampled_from([VecMem(name) for name in VECMEM_TYPES]),
        st.builds(Dense, st.sampled_from([1, 2, 4]), st.integers(1, 4)),
        st.builds(Dense, st.sampled_from([2, 4]), st.just(1), st.just(True)),
        st.builds(Groups, numbers, st.integers(0, 8), st.integers(1, 4)),
    )
