"""Random kernels: read, posed, solved to a proved optimum."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.selection import faults
from layoutsolver_models.solve.selection import solve_selection
from tests.support.vmi_programs import random_kernel, shrink

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_kernel_has_a_proved_optimum(seed: int) -> None:
    graph, diagnostics = build_graph(read(SourceFile("random.pto", random_kernel(seed))))
    assert [item.message for item in diagnostics] == []
    made = pose_vmi(graph)
    assert [item.message for item in made.diagnostics] == []
    solution = solve_selection(made.problem)
    if solution.status == "infeasible":
        return
    assert solution.status == "optimal"
    assert solution.proved == made.problem.objective
    assert faults(made.problem, solution.variants, solution.conversions) == []


def test_the_generator_uses_what_it_can() -> None:
    text = "".join(random_kernel(seed) for seed in range(60))
    for what in ("scf.for", "scf.if", "vcvt", "vcmp", "vsel", "vcmax", "vcmin", "vbrc", "group = 8", "f4E2M1x2",
                 "f8E5M2", "%c40 :", "vmul", "xf16>"):  # fmt: skip
        assert what in text, what
    assert random_kernel(3) == random_kernel(3) != random_kernel(4)


def test_a_failing_kernel_shrinks() -> None:
    text = next(text for seed in range(99) if "vcmax" in (text := random_kernel(seed)))

    def fails(tried: str) -> bool:
        return "vcmax" in tried and not build_graph(read(SourceFile("t", tried)))[1]

    small = shrink(text, fails)
    assert fails(small)
    assert len(small.split("\n")) < len(text.split("\n")) / 2
