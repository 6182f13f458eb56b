"""The bytes that copies touch: on either side, in bursts and loops, with padding, and against the model."""

from __future__ import annotations

import numpy as np
import pytest

from layoutsolver.fusion.access import Facts
from layoutsolver.fusion.code import Straight, code_of, walk
from layoutsolver.fusion.conflict import may_meet
from layoutsolver.fusion.policy import COPIES
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.inputs import make_inputs
from layoutsolver.verify.pto.program import load_program
from tests.support.fusion_text import PTR

NUMBERS = (0, 1, 2, 3, 4, 64, 96, 128, 256, 512, 2048)
HEAD = "".join(f"  %k{number} = arith.constant {number} : i64\n" for number in NUMBERS)
GM = "!pto.ptr<f32, gm>"


def program(copy: str) -> str:
    start = f"  %u = pto.castptr %k2048 : i64 -> {PTR}\n  %w = pto.castptr %k256 : i64 -> {PTR}\n"
    return f"func.func @f(%g: {GM}, %n: i64) {{\n{HEAD}{start}  {copy}\n  return\n}}\n"


def to_ub(rest: str, count: int) -> str:
    return f"pto.mte_gm_ub %g, %u, %k0, %k64 {rest} : {GM}, {PTR}{', i64' * (count + 2)}"


def spans(text: str) -> list[tuple[int | None, int | None]]:
    """Where each side of the copy begins and how many bytes it has."""
    graph, found = build_graph(read(text))
    assert not found
    code = code_of(graph)
    facts = Facts(code)
    copies = [item for item in walk(code.items) if isinstance(item, Straight) and item.node.name in COPIES]
    (item,) = copies
    return [(one.at.constant if one.at else None, one.span) for one in facts.effects(item).accesses]


CASES = [
    (to_ub("nburst(%k3, %k128, %k256)", 3), [(0, 320), (2048, 576)]),
    (to_ub("nburst(%k3, %k128, %k256) pad(%k0)", 4), [(0, 320), (2048, 768)]),
    (to_ub("nburst(%k2, %k64, %k64) loop(%k2, %k512, %k256)", 6), [(0, 640), (2048, 384)]),
    (f"pto.mte_ub_gm %u, %g, %k64 nburst(%k2, %k96, %k256) : {PTR}, {GM}, i64, i64, i64, i64", [(2048, 160), (0, 320)]),
    (f"pto.mte_ub_ub %u, %w, %k2 nburst(%k3, %k1, %k0) : {PTR}, {PTR}, i64, i64, i64, i64", [(2048, 256), (256, 192)]),
    (to_ub("nburst(%k0, %k64, %k64)", 3), [(0, 0), (2048, 0)]),
]


@pytest.mark.parametrize(("copy", "expected"), CASES)
def test_bytes_of_both_sides(copy: str, expected: list[tuple[int, int]]) -> None:
    assert spans(program(copy)) == expected


@pytest.mark.parametrize("copy", [to_ub("nburst(%n, %k64, %k64)", 3), to_ub("nburst(%k2, %n, %k64)", 3),
                                  "pto.copy_gm_to_ubuf %g, %u, %n : " + GM + ", " + PTR + ", i64"])  # fmt: skip
def test_what_is_no_number_is_not_known(copy: str) -> None:
    assert [span for _, span in spans(program(copy))] == [None, None]


@pytest.mark.parametrize(("copy", "expected"), [case for case in CASES if "%u, %g" not in case[0]])
def test_the_model_writes_within_these_bytes_and_at_both_ends(copy: str, expected: list[tuple[int, int]]) -> None:
    loaded = load_program(SourceFile("f.pto", program(copy)))
    run = loaded.run(loaded.graph.functions[0], make_inputs(loaded.graph, loaded.graph.functions[0], 1, 0))
    written = np.flatnonzero(run.ram.writers[0] >= 0)
    start, size = expected[1]
    assert written.size or not size
    assert written.tolist()[:1] == [start][: min(size, 1)]
    assert written.tolist()[-1:] == [start + size - 1][: min(size, 1)]


def test_copies_of_different_bytes_are_apart() -> None:
    one = to_ub("nburst(%k3, %k128, %k256)", 3)
    graph, _ = build_graph(read(program(one + "\n  " + one.replace("%u", "%w"))))
    facts = Facts(code_of(graph))
    copies = [item for item in walk(facts.code.items) if item.node.name == "pto.mte_gm_ub"]
    (first, second) = (facts.effects(item).accesses for item in copies)
    assert not may_meet(first[1], second[1])
    assert may_meet(first[0], second[0])
