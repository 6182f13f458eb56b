"""What a program's vector functions do: loads, stores and turns of loops, as they stand and as often as they run."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.fusion.access import LOAD, STORE
from layoutsolver.fusion.affine import Numbers
from layoutsolver.fusion.code import Code, Item, Loop, Straight, inside, results_of
from layoutsolver.fusion.registers import registers_of


class Measure(NamedTuple):
    """Regions, loops, loads and stores in the text; loads and stores of registers and turns of loops when it runs."""

    regions: int
    loops: int
    loads: int
    stores: int
    run_loads: int
    run_stores: int
    turns: int


def measure(code: Code, assumed_turns: int) -> Measure:
    """The counts of a program; a loop with unknown bounds is taken to turn so often."""
    return _Counter(code, Numbers(code), assumed_turns).of(code.items, 1)


class _Counter(NamedTuple):
    code: Code
    numbers: Numbers
    assumed: int

    def of(self, items: tuple[Item, ...], times: int) -> Measure:
        """The counts of some items that run so often."""
        total = [0] * len(Measure._fields)
        for item in items:
            often = times
            if isinstance(item, Loop):
                length = self.numbers.turns(item).length
                often = times * (self.assumed if length is None else length)
            parts = [self.of(block, often) for block in inside(item)]
            parts.append(self.itself(item, times, often))
            for part in parts:
                total = [one + other for one, other in zip(total, part, strict=True)]
        return Measure(*total)

    def itself(self, item: Item, times: int, often: int) -> Measure:
        """The counts of an item without what is inside it."""
        name = item.node.name
        if isinstance(item, Loop):
            return Measure(0, 1, 0, 0, 0, 0, often)
        if isinstance(item, Straight) and name == LOAD:
            registers = sum(registers_of(self.code.graph, value) for value in results_of(item))
            return Measure(0, 0, 1, 0, registers * times, 0, 0)
        if isinstance(item, Straight) and name == STORE:
            stored = [item.role("value"), item.role("high")]
            registers = sum(registers_of(self.code.graph, value) for value in stored if value is not None)
            return Measure(0, 0, 0, 1, 0, registers * times, 0)
        return Measure(int(name == "pto.fusion_region"), 0, 0, 0, 0, 0, 0)
