"""Prints how many instructions our lowering takes on each pipe, and the released compiler: `python -m` this module.

Of every program in `tests/data/vmi` that the compiler accepts: instructions as often as they run, on the busiest of
the pipes for loads, execution and stores. What runs an unknown number of times is counted once.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from layoutsolver.api import LowerOptions, lower
from layoutsolver.source import SourceFile
from tests.support.vpto_counts import BOUNDED, Counts, busiest, counted, executed

DATA = Path(__file__).parents[1] / "data" / "vmi"
FACTS: dict[str, dict[str, Any]] = json.loads((DATA / "facts.json").read_text(encoding="utf-8"))


class Row(NamedTuple):
    """A program: what ours takes, None if it is not lowered, and what the compiler takes."""

    name: str
    ours: Counts | None
    theirs: Counts

    @property
    def verdict(self) -> str:
        """Whether the busiest pipe is better, equal or worse."""
        if self.ours is None:
            return "not lowered"
        mine, other = busiest(self.ours), busiest(self.theirs)
        return "better" if mine < other else "worse" if mine > other else "equal"


def accepted() -> list[str]:
    """The programs that the compiler accepts."""
    return sorted(name for name, fact in FACTS.items() if fact["verdict"] == "ok")


def compare(name: str) -> Row:
    """The counts of one program."""
    text = (DATA / name).read_text(encoding="utf-8")
    return row_of(name, lower(SourceFile(name, text), LowerOptions("vpto")).text)


def row_of(name: str, lowered: str | None) -> Row:
    """The counts of one program of which the lowered text is known, None if there is none."""
    theirs = counted(FACTS[name]["weighted"] or FACTS[name]["counts"])
    return Row(name, None if lowered is None else counted(executed(lowered)), theirs)


def main(names: list[str]) -> None:
    """Print a line for each program, and how many are better, equal and worse."""
    found: Counter[str] = Counter()
    print(f"{'program':34} {'ours: load execute store':26} {'compiler':20} busiest pipe")
    for name in names or accepted():
        row = compare(name)
        found[row.verdict] += 1
        mine = "-" if row.ours is None else " ".join(f"{row.ours[pipe]:6}" for pipe in BOUNDED)
        other = " ".join(f"{row.theirs[pipe]:6}" for pipe in BOUNDED)
        print(f"{name:34} {mine:26} {other:20} {row.verdict}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items())))


if __name__ == "__main__":
    main(sys.argv[1:])
