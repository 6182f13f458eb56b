"""The search against sequences that are known: made at random, or all that there are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutsolver_models.lanes.bound import Demands, chains_of, demand
from layoutsolver_models.lanes.instruction import Instruction, instructions, vdintlv, vintlv, vpack
from layoutsolver_models.lanes.lanemap import POSITIONS, Register
from layoutsolver_models.lanes.search import SearchTooLong, find_sequence, instruction_bound, setting

PAIRS = instructions("byte")[:6]


def sources(count: int) -> list[Register]:
    return [tuple(range(POSITIONS * number, POSITIONS * (number + 1))) for number in range(count)]


def run(instruction: Instruction, operands: tuple[Register, ...]) -> list[Register]:
    flat = [home for operand in operands for home in operand]
    return [tuple(None if at is None else flat[at] for at in row) for row in instruction.results.registers]


def demands_of(register: Register, positions: range | list[int] | None = None) -> Demands:
    wanted = range(POSITIONS) if positions is None else positions
    return frozenset(demand(position, home) for position in wanted if (home := register[position]) is not None)


@settings(max_examples=40)
@given(st.integers(0, 1 << 32), st.integers(1, 3), st.integers(1, 4))
def test_what_some_instructions_made_is_found_with_no_more(seed: int, count: int, length: int) -> None:
    random = Random(seed)
    registers = sources(count)
    for _ in range(length):
        registers += run(random.choice(PAIRS), tuple(random.choices(registers, k=2)))
    kept = random.choice([list(range(POSITIONS)), list(range(64)), sorted(random.sample(range(POSITIONS), 40))])
    targets = tuple(demands_of(register, kept) for register in random.sample(registers[count:], k=min(length, 2)))
    found = find_sequence(count, targets, PAIRS, length, 50_000)
    assert found is not None
    assert len(found) <= length
    chains = chains_of(PAIRS)
    assert all(chains.depth(target) <= length for target in targets)
    assert instruction_bound([(chains.depth(target), target) for target in targets if target]) <= length


def all_made(count: int, usable: tuple[Instruction, ...], length: int) -> Iterator[tuple[Register, ...]]:
    """The registers after every sequence of so many instructions."""
    reached = [tuple(sources(count))]
    for _ in range(length):
        reached = [
            (*registers, *run(instruction, operands))
            for registers in reached
            for instruction in usable
            for operands in product(registers, repeat=2)
        ]
    yield from reached


@pytest.mark.parametrize("count", [1, 2])
def test_no_shorter_sequence_does_what_a_found_one_does(count: int) -> None:
    usable = (vintlv(8), vdintlv(8), vdintlv(32))
    reachable = [{register for made in all_made(count, usable, length) for register in made} for length in (1, 2)]
    random = Random(5)
    registers = sources(count)
    for _ in range(3):
        registers += run(random.choice(usable), tuple(random.choices(registers, k=2)))
    candidates = sorted({*random.sample(sorted(reachable[1]), 60), *registers})
    for register in candidates:
        for positions in (list(range(POSITIONS)), [0, 1, 2, 200], list(range(0, POSITIONS, 4))):
            wanted = demands_of(register, positions)
            shortest = next(
                (
                    length
                    for length, made in enumerate([set(sources(count)), *reachable])
                    if any(all(other[at] == register[at] for at in positions) for other in made)
                ),
                3,
            )
            found = find_sequence(count, (wanted,), usable, 3, 50_000)
            assert found is not None
            assert len(found) == shortest


def test_what_no_instruction_brings_together_takes_more_than_two() -> None:
    """Each of two bytes in two instructions, but every instruction leaves one half of its result without bytes."""
    known = setting(1, (vpack(16, "LOWER"), vpack(16, "HIGHER")))
    lower, upper = demand(1, 2), demand(130, 4)
    assert [known.effort(frozenset(demands)) for demands in ({lower}, {upper}, {lower, upper})] == [1, 1, 3]
    assert find_sequence(1, (frozenset({lower, upper}),), known.instructions, 4, 1000) is None


@pytest.mark.parametrize("places", [((241, 194), (253, 230)), ((204, 152), (138, 40))])
def test_bytes_that_no_one_instruction_makes_for_another_take_more_than_two(
    places: tuple[tuple[int, int], ...],
) -> None:
    """Each byte comes about in two instructions, but the first of them is not the same one for both."""
    known = setting(1, (vpack(16, "LOWER"), vpack(16, "HIGHER"), vpack(8, "LOWER")))
    demands = frozenset(demand(position, home) for position, home in places)
    assert known.effort(demands) == 3
    assert find_sequence(1, (demands,), known.instructions, 2, 10_000) is None


def test_a_search_that_is_given_up_says_so() -> None:
    blocks = [block for odd in (0, 1) for block in range(odd, 16, 2)]
    first = tuple(32 * block + inner for block in blocks[:8] for inner in range(32))
    with pytest.raises(SearchTooLong, match="not all were tried"):
        find_sequence(2, (demands_of(first),), PAIRS, 8, 10)


def test_what_is_there_needs_nothing() -> None:
    assert find_sequence(2, tuple(map(demands_of, sources(2))), PAIRS, 0, 1) == ()
    assert find_sequence(1, (frozenset(),), PAIRS, 0, 1) == ()
