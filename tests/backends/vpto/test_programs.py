"""Every program that has layouts is lowered: its text is read back, costs what was predicted, does what it means."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver_backends.vpto.emission import emit
from layoutsolver_backends.vpto.lower import lower_vmi
from layoutsolver_models.problems.selection import SelectionSolution
from layoutsolver_models.solve.selection import solve_selection
from tests.pose.vmi.facts import FACTS, FOLDER
from tests.support.vpto_counts import PIPES

NAMES = sorted(FACTS)


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


@pytest.mark.parametrize("name", NAMES)
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


@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_read_back_and_does_what_the_program_means(name: str) -> None:
    known = solved(name)
    if known is None:
        assert FACTS[name]["verdict"] != "ok"
        return
    posed, solution = known
    lowered = lower_vmi(posed, solution)
    assert not lowered.diagnostics
    source = posed.program.graph.module.source
    text = apply_edits(source.text, lowered.edits)
    assert "pto.vmi." not in text
    again = SourceFile("lowered", text)
    graph, found = build_graph(read(again))
    assert not [*graph.module.diagnostics, *found]
    assert [node.name for node in graph.ops if node.name.startswith("pto.") and node.spec is None] == []
    result = verify_pto(source, again, rounds=1)
    assert not [item for item in result.diagnostics if item.severity == "error"]
