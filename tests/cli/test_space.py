from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from layoutsolver.api import SolveOptions, pose, solve
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.json import problem_from_json
from layoutsolver_models.solve.check import cost_of
from layoutsolver_models.solve.layout import solve_layout
from tests.cli.running import FREE, INFEASIBLE, PROGRAM, UB, Run, entangled, write
from tests.support.ave_programs import random_program

TWO_PARTS = FREE.replace("  return\n", "").replace("}\n", "") + "\n".join([
    "  %n = ave.hir.pge <ALL> : vector<64xi1>",
    f"  %y = ave.hir.vload <NORM> %a[%c0] : memref<64xi8, {UB}> into vector<64xi8>",
    f"  ave.hir.masked_store <NORM_B8> %a[%c0], %n, %y : memref<64xi8, {UB}>, vector<64xi1>, vector<64xi8>",
    "  return", "}", "",
])  # fmt: skip


def test_what_is_printed(tmp_path: Path, run: Run, golden: Callable[[str, str], None]) -> None:
    file = write(tmp_path / "in.mlir", f"{PROGRAM}// -----\n{TWO_PARTS}")
    outcome = run("space", file, "--split-input-file", "--list", 10)
    assert (outcome.status, outcome.err) == (0, "")
    golden("cli/space.txt", outcome.out)


def test_a_program_without_a_solution_has_none_and_status_1(tmp_path: Path, run: Run) -> None:
    target = tmp_path / "out.txt"
    outcome = run("space", write(tmp_path / "in.mlir", INFEASIBLE), "--list", 3, "-o", target)
    assert (outcome.status, outcome.out) == (1, "")
    assert target.read_text() == "0 solutions for 5 vectors, 0 open parts\n"


def test_the_number_of_solutions_of_a_large_program_is_exact(tmp_path: Path, run: Run) -> None:
    # With dense indices each of the 40 gathers may spread its result or not; with spread ones all must.
    outcome = run("space", write(tmp_path / "in.mlir", entangled(40)))
    assert outcome.out == f"{2**40 + 1} solutions for 82 vectors, 1 open part\n"


def test_nothing_is_written_if_one_part_has_no_answer(tmp_path: Path, run: Run) -> None:
    target = tmp_path / "out.txt"
    for bad, status in (("test.op (\n", 3), ("test.use %m\n", 1)):
        for parts in ((FREE, bad), (bad, FREE), (bad, INFEASIBLE)):
            file = write(tmp_path / "in.mlir", "// -----\n".join(parts))
            for flags in ((), ("--json",)):
                outcome = run("space", file, "--split-input-file", "-o", target, *flags)
                assert (outcome.status, outcome.out) == (status, "")
                assert not target.exists()


@pytest.mark.usefixtures("no_time")
def test_solutions_that_a_time_limit_cuts_off_are_counted(tmp_path: Path, run: Run) -> None:
    outcome = run("space", write(tmp_path / "in.mlir", entangled()), "--list", 3, "--time-limit", 1)
    assert (outcome.status, outcome.found) == (4, [("LS0402", "")])
    assert "3 of the solutions asked for" in outcome.err
    assert outcome.out == f"{2**40 + 1} solutions for 82 vectors, 1 open part\n"


def test_a_space_that_cannot_be_counted_is_a_limit(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from layoutsolver_models.solve import bucket

    monkeypatch.setattr(bucket, "TABLE_LIMIT", 1)
    outcome = run("space", write(tmp_path / "in.mlir", entangled()))
    assert (outcome.status, outcome.found, outcome.out) == (4, [("LS0403", "")], "")


# -- against every assignment -------------------------------------------------------------------------------------


def tiny_programs(count: int, compat: str) -> list[str]:
    """Programs whose assignments can be tried one by one, at least a third of them with several solutions."""
    found: list[str] = []
    seed = 0
    while len(found) < count:
        seed += 1
        text = random_program(random.Random(seed), 2, feasible_bias=0.8)
        posed = pose(SourceFile("a", text), SolveOptions(compat)).posed
        if posed is None or not posed.problem.values:
            continue
        size = 1
        for value in posed.problem.values:
            size *= len(value.domain)
        if size <= 3000:
            found.append(text)
    return found


def listed(out: str) -> list[tuple[int, dict[str, str]]]:
    """Cost and shown layouts of each listed solution."""
    lines = re.findall(r"^#\d+  cost (\d+) *(.*)$", out, re.MULTILINE)
    return [(int(cost), dict(pair.rsplit(":", 1) for pair in shown.split())) for cost, shown in lines]


@pytest.mark.parametrize("compat", ["", "upstream"])
def test_count_and_list_agree_with_every_assignment_tried(compat: str, tmp_path: Path, run: Run) -> None:
    flags = ("--compat", compat) if compat else ()
    several = 0
    for number, text in enumerate(tiny_programs(40, compat)):
        file = write(tmp_path / f"{number}.mlir", text)
        problem = problem_from_json(run("space", file, "--json", *flags).out)
        every = itertools.product(*(value.domain for value in problem.values))
        costs = sorted(cost for layouts in every if (cost := cost_of(problem, layouts)) is not None)
        outcome = run("space", file, "--list", 10_000, *flags)
        several += len(costs) > 1
        assert int(outcome.out.split()[0]) == len(costs), text
        if compat:
            assert len(listed(outcome.out)) == len(costs), text
        else:
            assert [cost for cost, _ in listed(outcome.out)] == costs, text
        assert outcome.status == (0 if costs else 1)
    assert several >= 10


def test_the_first_listed_solution_is_the_one_that_solve_chooses(tmp_path: Path, run: Run) -> None:
    compared = 0
    for seed in range(60):
        text = random_program(random.Random(seed), 6, feasible_bias=0.9)
        result = solve(SourceFile("a", text))
        if result.solution is None or result.solution.status != "optimal" or result.posed is None:
            continue
        outcome = run("space", write(tmp_path / "in.mlir", text), "--list", 5)
        cost, shown = listed(outcome.out)[0]
        names = [value.id for value in result.posed.problem.values]
        chosen = dict(zip(names, result.solution.layouts, strict=True))
        assert cost == result.solution.cost
        unique = {name: layout for name, layout in shown.items() if names.count(name) == 1}
        assert unique == {name: chosen[name] for name in unique}, text
        compared += len(unique)
        costs = [cost for cost, _ in listed(outcome.out)]
        assert costs == sorted(costs)
    assert compared > 50


@pytest.mark.parametrize("compat", ["", "upstream"])
def test_the_printed_problem_has_the_solution_of_the_program(compat: str, tmp_path: Path, run: Run) -> None:
    flags = ("--compat", compat) if compat else ()
    for seed in range(30):
        text = random_program(random.Random(seed), 8)
        result = solve(SourceFile("a", text), SolveOptions(compat))
        if result.solution is None:
            continue
        outcome = run("space", write(tmp_path / "in.mlir", text), "--json", *flags)
        assert outcome.status == 0
        assert solve_layout(problem_from_json(outcome.out)) == result.solution


def test_the_printed_problems_are_one_a_line_with_places_of_the_whole_file(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", f"{PROGRAM}// -----\n{FREE}")
    lines = run("space", file, "--json", "--split-input-file").out.splitlines()
    first, second = (problem_from_json(line) for line in lines)
    assert [value.id for value in first.values] == ["%m", "%x", "%e"]
    assert [value.where.line for value in second.values if value.where] == [13, 14]
    assert json.loads(lines[0])["schema"] == "layoutsolver/layout-problem/1"
