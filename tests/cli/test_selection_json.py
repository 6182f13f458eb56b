"""Selection problems as JSON: posed, solved, explained, refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from layoutsolver.api_vmi import VmiOptions, pose, solve
from layoutsolver.cli.json_places import place_of
from layoutsolver.pose.vmi.wishes import Wish
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.json import from_json, to_json
from layoutsolver_models.problems.selection import SelectionSolution
from tests.cli.running import Run, write
from tests.pose.vmi.facts import FOLDER
from tests.support.vmi_programs import random_kernel

FP4 = (FOLDER / "009-fp4-e1m2-128.pto").read_text(encoding="utf-8")
TEXTS = [
    FP4,
    *((FOLDER / name).read_text(encoding="utf-8") for name in ("004-quant-f32-e4m3.pto", "136-group.pto")),
    *(random_kernel(seed, 6) for seed in range(700, 708)),
    FP4.replace("vcvt %codes", 'vcvt %codes {layoutsolver.hint = "ls2!"}'),
]


def document(options: VmiOptions | None = None) -> dict[str, Any]:
    posed = pose(SourceFile("a.pto", FP4), options).posed
    assert posed is not None
    return dict(json.loads(to_json(posed.problem)))


@pytest.mark.parametrize("number", range(len(TEXTS)))
@pytest.mark.parametrize("objective", ["pipes", "registers"])
def test_a_posed_problem_has_the_very_solution_of_its_program(
    number: int, objective: str, tmp_path: Path, run: Run
) -> None:
    space = run("space", write(tmp_path / "a.pto", TEXTS[number]), "--json", "--objective", objective)
    outcome = run("solve", write(tmp_path / "a.json", space.out))
    solution = solve(SourceFile("a.pto", TEXTS[number]), VmiOptions(objective)).solution
    assert solution is not None
    if solution.status == "optimal":
        assert (outcome.status, outcome.err) == (0, "")
        assert outcome.out == to_json(solution) + "\n"
    else:
        found = from_json(SelectionSolution, outcome.out)
        assert (outcome.status, found.status, bool(found.conflict)) == (1, solution.status, True)


def test_most_of_these_programs_have_solutions() -> None:
    solved = [solve(SourceFile("a.pto", text)).ok for text in TEXTS]
    assert sum(solved) > 8
    assert not all(solved)


def test_a_contradiction_is_status_one_and_each_part_of_it_is_marked(tmp_path: Path, run: Run) -> None:
    whole = document(VmiOptions(pins=(Wish("%pairs", "ls2"),)))
    text = json.dumps(whole, indent=1)
    outcome = run("solve", write(tmp_path / "in.json", text))
    assert outcome.status == 1
    found = from_json(SelectionSolution, outcome.out)
    assert (found.status, found.minimal) == ("infeasible", True)
    assert [(group.kind, group.number) for group in found.conflict] == [("op", 1), ("pin", 0)]
    assert found.conflict[1].said == "%pairs is fixed to ls2"
    assert "error[LS0805]: no layouts serve these 2 together" in outcome.err
    pin, op = (text[: place_of(text, pointer)].count("\n") + 1 for pointer in ("/pins/0", "/ops/1"))
    assert f"in.json:{pin}:" in outcome.err
    assert f"\n{op} | " in outcome.err


def test_a_start_that_is_no_choice_is_passed_over(tmp_path: Path, run: Run) -> None:
    whole = document()
    expected = run("solve", write(tmp_path / "in.json", json.dumps(whole))).out
    whole["start"] = {"variants": [[0]] * len(whole["ops"]), "conversions": []}
    outcome = run("solve", write(tmp_path / "in.json", json.dumps(whole)))
    assert outcome.status == 0
    assert [json.loads(outcome.out)[key] for key in ("busiest", "total")] == [
        json.loads(expected)[key] for key in ("busiest", "total")
    ]


def test_a_limit_is_status_four(tmp_path: Path, run: Run) -> None:
    whole = changed(["capacities", 0], {"id": "p", "kind": "vector", "limit": 0, "held": [
        {"value": 0, "registers": 1, "by": [[{"number": 0, "variant": 0}], [{"number": 0, "variant": 1}]]}
    ]})  # fmt: skip
    outcome = run("solve", "--time-limit", "1e-9", write(tmp_path / "in.json", json.dumps(whole)))
    assert outcome.status == 4
    assert from_json(SelectionSolution, outcome.out).status in ("feasible", "unknown")


def changed(path: list[str | int], value: object) -> dict[str, Any]:
    """A good problem with one thing changed."""
    whole = document()
    whole["penalties"] = [[0, "c", 1]]
    whole["savings"] = [{"op": 1, "variant": 0, "maker": 0, "variants": [0], "cost": [0, 0, 0, 0]}]
    whole["capacities"] = [
        {"id": "p", "kind": "vector", "limit": 9, "when": [{"number": 1, "variant": 0}],
         "held": [{"value": 0, "registers": 1, "by": [[{"number": 0, "variant": 0}], [{"number": 0, "variant": -1}]]}]}
    ]  # fmt: skip
    at: Any = whole
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return whole


def test_the_document_that_is_changed_below_is_right(tmp_path: Path, run: Run) -> None:
    assert run("solve", write(tmp_path / "in.json", json.dumps(changed(["objective"], ["total"])))).status == 0


CHANGES: list[tuple[list[str | int], object, str]] = [
    (["pipes"], ["a", "a", "b", "c"], "/pipes: a pipe is listed twice"),
    (["bounded", 0], "none", "/bounded/0: no such pipe: none"),
    (["objective"], [], "/objective: each objective is named once"),
    (["objective"], ["total", "total"], "/objective: each objective is named once"),
    (["values", 0, "layouts", 1], "c", "/values/0/layouts: a layout is listed twice"),
    (["values", 0, "registers"], [1], "/values/0/registers: one number for each layout is needed"),
    (["values", 0, "registers", 0], -1, "/values/0/registers: must not be negative"),
    (["ops", 0, "weight"], -1, "/ops/0/weight: must not be negative"),
    (["ops", 1, "operands", 0], 99, "/ops/1/operands/0: no such value"),
    (["ops", 1, "results", 0], 0, "/ops/1/results/0: operation 0 makes this value as well"),
    (["ops", 1, "results"], [], "/ops/2/operands/0: no operation makes this value"),
    (["ops", 1, "variants", 0, "layouts"], ["c"], "/ops/1/variants/0/layouts: one layout for each of 2"),
    (["ops", 1, "variants", 0, "layouts", 1], "zz", "/ops/1/variants/0/layouts/1: %pairs has no layout zz"),
    (["ops", 1, "variants", 0, "cost"], [1], "/ops/1/variants/0/cost: one number for each of 4 pipes"),
    (["ops", 1, "variants", 0, "cost", 0], -1, "/ops/1/variants/0/cost: must not be negative"),
    (["ops", 1, "variants", 0, "once"], [1], "/ops/1/variants/0/once: one number for each of 4 pipes"),
    (
        ["ops", 1, "variants", 0, "setups"],
        [{"name": "table", "cost": [-1, 0, 0, 0]}],
        "/ops/1/variants/0/setups/0/cost: must not be negative",
    ),
    (["conversions", 0, "value"], 99, "/conversions/0/value: no such value"),
    (["conversions", 0, "after"], "zz", "/conversions/0/after: %codes has no layout zz"),
    (["conversions", 0, "weight"], -2, "/conversions/0/weight: must not be negative"),
    (["conversions", 0, "cost"], [], "/conversions/0/cost: one number for each of 4 pipes"),
    (["pins"], [[99, "c"]], "/pins/0/0: no such value"),
    (["pins"], [[0, "zz"]], "/pins/0/1: %codes has no layout zz"),
    (["pins"], [[0, "c"], [0, "d2"]], "/pins/1: pin 0 fixes this value as well"),
    (["penalties", 0, 2], -1, "/penalties/0/2: must not be negative"),
    (["penalties", 0, 0], 99, "/penalties/0/0: no such value"),
    (["capacities", 0, "limit"], -1, "/capacities/0/limit: must not be negative"),
    (["capacities", 0, "kind"], "scalar", "/capacities/0/kind: "),
    (["capacities", 0, "held", 0, "value"], 99, "/capacities/0/held/0/value: no such value"),
    (["capacities", 0, "held", 0, "value"], -2, "/capacities/0/held/0/value: no such value"),
    (["capacities", 0, "held", 0, "registers"], -1, "/capacities/0/held/0/registers: must not be negative"),
    (["capacities", 0, "held", 0, "by", 0, 0, "number"], 99, "/capacities/0/held/0/by/0/0/number: no such operation"),
    (["capacities", 0, "held", 0, "by", 0, 0, "variant"], 99, "/capacities/0/held/0/by/0/0/variant: no such variant"),
    (["capacities", 0, "held", 0, "by", 1, 0, "number"], 999, "/capacities/0/held/0/by/1/0/number: no such conversion"),
    (["capacities", 0, "when", 0, "variant"], -2, "/capacities/0/when/0/variant: no such variant"),
    (
        ["savings"],
        2 * [{"op": 1, "variant": 0, "maker": 0, "variants": [], "cost": [0, 0, 0, 0]}],
        "/savings/1: this variant saves something already",
    ),
    (["savings", 0, "op"], 99, "/savings/0/op: no such operation"),
    (["savings", 0, "maker"], -1, "/savings/0/maker: no such operation"),
    (["savings", 0, "variant"], 99, "/savings/0/variant: no such variant"),
    (["savings", 0, "variants"], [99], "/savings/0/variants: no such variant"),
    (["savings", 0, "variants"], [1], "/savings/0/variants: makes nothing that this variant takes"),
    (["savings", 0, "cost"], [0, 9, 0, 0], "/savings/0/cost: more than the variant costs"),
    (["savings", 0, "cost", 0], -1, "/savings/0/cost: must not be negative"),
    (["start", "variants"], [], "/start/variants: one entry for each of 3 operations"),
    (["start", "variants", 0], [99], "/start/variants/0: no such variant"),
    (["start", "conversions"], [999], "/start/conversions/0: no such conversion"),
    (["extra"], 1, "/extra: "),
    (["schema"], "layoutsolver/selection-problem/2", "/schema: "),
]


@pytest.mark.parametrize(("path", "value", "said"), CHANGES)
def test_what_departs_from_the_schema_is_said_with_its_place(
    path: list[str | int], value: object, said: str, tmp_path: Path, run: Run
) -> None:
    text = json.dumps(changed(path, value), indent=1)
    outcome = run("solve", write(tmp_path / "in.json", text))
    assert (outcome.status, outcome.out) == (3, "")
    assert f"error[LS0501]: {said}" in outcome.err
    line = text[: place_of(text, said.partition(":")[0])].count("\n") + 1
    assert any(place.startswith(f"{line}:") for _, place in outcome.found)


def test_what_shares_a_name_costs_the_same(tmp_path: Path, run: Run) -> None:
    whole = document()
    for number, cost in ((0, [1, 0, 0, 0]), (1, [2, 0, 0, 0])):
        whole["ops"][1]["variants"][number]["setups"] = [{"name": "table", "cost": cost}]
    outcome = run("solve", write(tmp_path / "in.json", json.dumps(whole)))
    assert "/ops/1/variants/1/setups/0/cost: what `table` names costs something else elsewhere" in outcome.err


@pytest.mark.parametrize(
    ("pointer", "part"), [("/a/0", '"x"'), ("/b~1c", "[2]"), ("/b~1c/0", "2"), ("/a/7", "["), ("", "{"), ("/no", "{")]
)
def test_places_of_pointers(pointer: str, part: str) -> None:
    text = ' {"a" : [ "x", {"k": "]"} ],\n "b/c": [2] }'
    assert text[place_of(text, pointer) :].startswith(part)


@pytest.mark.parametrize("wishes", [("--pin", "%codes=ls4"), ("--prefer", "%pairs=c:99"), ("--prefer", "%pairs=d4:1")])
def test_wishes_travel_in_the_problem_and_say_what_they_cost(wishes: tuple[str, str], tmp_path: Path, run: Run) -> None:
    space = run("space", write(tmp_path / "a.pto", FP4), "--json", *wishes)
    outcome = run("solve", write(tmp_path / "a.json", space.out))
    found = from_json(SelectionSolution, outcome.out)
    assert outcome.status == 0
    (wish,) = found.wishes
    assert wish.kind == ("pin" if wishes[0] == "--pin" else "penalty")
    text = run("solve", str(tmp_path / "a.pto"), *wishes)
    assert f"{'costs' if wish.met else 'would cost'}" in text.err
    assert (wish.total, wish.more) == ((16, (8, 0, 8, 0)) if wish.met else (0, (0, 0, 0, 0)))
