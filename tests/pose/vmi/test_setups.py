"""Setups that several operations need are counted once, exactly where the written text has them once."""

from __future__ import annotations

from collections import Counter

import pytest

from layoutsolver_backends.vpto.lower import prepare
from layoutsolver_models.problems.selection import paid_once
from layoutsolver_models.solve.selection import solve_selection
from tests.pose.vmi.kernels import kernel, pointer, posed, vreg

ROWS = vreg(128, "f32")
ARGUMENTS = ", ".join(f"%p{number}: {pointer('f32')}" for number in range(3))


def store(value: str, stride: int, to: str) -> str:
    """Rows of sixteen words, so far apart."""
    return f"pto.vmi.vstore {value}, %{to}[%c0], %c{stride} {{group = 8}} : {ROWS}, {pointer('f32')}"


TWO = kernel(
    ARGUMENTS,
    "%c0 = arith.constant 0 : index", "%c40 = arith.constant 41 : index", "%c50 = arith.constant 50 : index",
    f"%v = pto.vmi.vload %p0[%c0] : {pointer('f32')} -> {ROWS}",
    f"%w = pto.vmi.vload %p1[%c0] : {pointer('f32')} -> {ROWS}",
    store("%v", 40, "p1"), store("%w", 50, "p2"),
)  # fmt: skip
BRANCHES = kernel(
    ARGUMENTS,
    "%c0 = arith.constant 0 : index", "%c40 = arith.constant 41 : index",
    "%flag = arith.constant true",
    f"%v = pto.vmi.vload %p0[%c0] : {pointer('f32')} -> {ROWS}",
    "scf.if %flag {", store("%v", 40, "p1"), "} else {", store("%v", 40, "p2"), "}",
)  # fmt: skip


@pytest.mark.parametrize(("text", "instructions"), [(TWO, 3 + 2 * 6), (BRANCHES, 2 * (3 + 6))])
def test_setups_are_counted_as_often_as_they_are_written(text: str, instructions: int) -> None:
    made = posed(text)
    solution = solve_selection(made.problem)
    ready = prepare(made, solution)
    written = Counter(one.pipe for _, one in ready.emission.build.code.all() if one.counted)
    assert not ready.diagnostics
    assert solution.load[1] == written["execute"] == instructions


def test_what_is_set_up_is_all_that_is_paid_once() -> None:
    op = next(op for op in posed(TWO).problem.ops if len(op.operands) == 1)
    scattered, moved = (one for one in op.variants if one.setups)
    assert (scattered.once, moved.once) == ((), ())
    assert [setup.name.partition(" ")[0] for setup in scattered.setups] == ["vci", "vshrs", "vmuls", "vadd"]
    assert (paid_once(scattered)[1], paid_once(moved)[1]) == (4, 3)


def test_branches_beside_each_other_and_other_strides_have_setups_of_their_own() -> None:
    for text, alike in ((TWO, {"vci", "vshrs"}), (BRANCHES, set())):
        one, other = ({setup.name for variant in op.variants for setup in variant.setups if len(variant.setups) == 4}
                      for op in posed(text).problem.ops if len(op.operands) == 1)  # fmt: skip
        assert {name.partition(" ")[0] for name in one & other} == alike
