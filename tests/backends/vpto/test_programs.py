"""Every program that has layouts is lowered: its text is read back, costs what was predicted, does what it means.

No program that the released compiler accepts keeps its busiest pipe busier than that compiler does.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver.vmi.runs import calls_of
from layoutsolver_backends.vpto.emission import emit
from layoutsolver_backends.vpto.lower import lower_vmi, prepare
from layoutsolver_models.problems.selection import SelectionSolution
from layoutsolver_models.solve.selection import solve_selection
from tests.pose.vmi.facts import FACTS, FOLDER
from tests.support.compare_vmi import accepted, compare, row_of
from tests.support.vpto_counts import BOUNDED, PIPES, busiest

EACH = pytest.mark.parametrize("name", sorted(FACTS), scope="module")
"""Each program, all tests of one behind each other: it is solved and lowered once."""

LISTED = Path(__file__).parents[3] / "docs" / "vmi-better.md"
BETTER = {
    name: tuple(int(number) for number in numbers.split("|"))
    for name, numbers in re.findall(
        r"^\| (\S+\.pto) \| ([\d |]+) \|$", LISTED.read_text(encoding="utf-8"), re.MULTILINE
    )
}
"""What the list has: loads, computation, stores and the busiest of them, ours and the compiler's."""


@lru_cache(maxsize=2)
def solved(name: str) -> tuple[PosedVmi, SelectionSolution] | None:
    """A program with its layouts, None if it has none."""
    source = SourceFile(name, (FOLDER / name).read_text(encoding="utf-8"))
    graph, found = build_graph(read(source))
    if any(item.severity == "error" for item in found):
        return None
    posed = pose_vmi(graph)
    if any(item.severity == "error" for item in posed.diagnostics):
        return None
    solution = solve_selection(posed.problem)
    return (posed, solution) if solution.status == "optimal" else None


@lru_cache(maxsize=2)
def written(name: str) -> str:
    """The text that a program with layouts is lowered to."""
    known = solved(name)
    assert known is not None
    lowered = lower_vmi(*known)
    assert not lowered.diagnostics
    return apply_edits(known[0].program.graph.module.source.text, lowered.edits)


@EACH
def test_instructions_are_those_that_were_predicted(name: str) -> None:
    known = solved(name)
    if known is None:
        return
    emission = emit(*known)
    assert not emission.diagnostics
    found = {owner: Counter(dict.fromkeys(PIPES, 0)) for owner in emission.predicted}
    for _, instruction in emission.build.code.all():
        if instruction.counted and instruction.pipe in PIPES:
            found[instruction.owner][instruction.pipe] += instruction.occupies
    wrong = {
        owner: (tuple(found[owner][pipe] for pipe in PIPES), cost)
        for owner, cost in emission.predicted.items()
        if tuple(found[owner][pipe] for pipe in PIPES) != cost
    }
    assert not wrong


LESS = {
    "048-strided-rows-s32-e4m3.pto": "registers that are all the same are interleaved once",
    "057-e2b-two-widths.pto": "registers that are all the same are interleaved once",
    "093-bcast-three-consumers.pto": "registers that are all the same are interleaved once",
    "155-chain.pto": "what lies between zeros is had by a conversion",
    "159-lace.pto": "two operations load the same",
    "166-lace.pto": "two operations load the same",
    "172-group.pto": "masks are found to be equal once they are written",
    "248-group.pto": "registers that are all the same are interleaved once",
}
"""Programs of which fewer instructions are written than the best choice is said to cost, and why."""


@EACH
def test_what_a_choice_is_said_to_cost_is_what_is_written(name: str) -> None:
    known = solved(name)
    if known is None:
        return
    ready = prepare(*known)
    graph = known[0].program.graph
    times = [*calls_of(graph), 1]
    found: Counter[str] = Counter()
    for place, one in ready.emission.build.code.all():
        if one.counted:
            node = graph.ops[place]
            found[one.pipe] += one.occupies * node.weight * times[node.function]
    written, counted = tuple(found[pipe] for pipe in BOUNDED), known[1].load[: len(BOUNDED)]
    assert all(less <= more for less, more in zip(written, counted, strict=True))
    assert (written != counted) == (name in LESS)


@EACH
def test_the_text_is_read_back_and_does_what_the_program_means(name: str) -> None:
    known = solved(name)
    if known is None:
        assert FACTS[name]["verdict"] != "ok"
        return
    source, text = known[0].program.graph.module.source, written(name)
    assert "pto.vmi." not in text
    again = SourceFile("lowered", text)
    graph, found = build_graph(read(again))
    assert not [*graph.module.diagnostics, *found]
    assert [node.name for node in graph.ops if node.name.startswith("pto.") and node.spec is None] == []
    result = verify_pto(source, again, rounds=1)
    assert not [item for item in result.diagnostics if item.severity == "error"]


@EACH
def test_the_busiest_pipe_is_never_busier_and_listed_if_it_is_less_busy(name: str) -> None:
    known = solved(name)
    if FACTS[name]["verdict"] != "ok" or known is None:
        assert name not in BETTER
        return
    row = compare(name) if known[0].program.graph.calls else row_of(name, written(name))  # what is called is inlined
    assert row.ours is not None
    assert busiest(row.ours) <= busiest(row.theirs)
    counts = [number for one in (row.ours, row.theirs) for number in (*(one[pipe] for pipe in BOUNDED), busiest(one))]
    assert BETTER.get(name) == (tuple(counts) if busiest(row.ours) < busiest(row.theirs) else None)


def test_a_quarter_of_the_programs_is_listed() -> None:
    assert 4 * len(BETTER) > len(accepted())
