from __future__ import annotations

import json

import pytest

from layoutsolver.ops.registry import TABLES
from tests.cli.running import Run


@pytest.mark.parametrize("target", TABLES)
def test_every_operation_of_the_target_has_a_row_in_order(target: str, run: Run) -> None:
    outcome = run("ops", "--target", target, "--format", "json")
    assert (outcome.status, outcome.err) == (0, "")
    records = json.loads(outcome.out)
    assert [record["operation"] for record in records] == [spec.name for spec in TABLES[target]()]
    assert all(list(record) == ["operation", "syntax", "rule", "effect", "missing"] for record in records)


def test_the_table_shows_the_same_as_the_json(run: Run) -> None:
    records = json.loads(run("ops", "--format", "json").out)
    lines = run("ops").out.splitlines()
    assert lines[0].split() == ["operation", "syntax", "rule", "effect", "missing"]
    cells = [
        " ".join([record["operation"], record["syntax"], record["rule"], record["effect"], *record["missing"]]).split()
        for record in records
    ]
    assert [line.split() for line in lines[1:-2]] == cells
    assert lines[-2:] == ["", f"{len(records)} of {len(records)} operations have syntax, rule and effect"]


def test_the_default_target_is_ave(run: Run) -> None:
    assert run("ops").out == run("ops", "--target", "ave").out != run("ops", "--target", "structural").out


def test_what_an_operation_lacks_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from layoutsolver.ops import coverage

    monkeypatch.delitem(coverage.RULE_FAMILIES["ave"], "slide")
    out = run("ops").out
    row = next(line for line in out.splitlines() if line.startswith("ave.hir.vslide"))
    assert row.split()[-1] == "rule"
    total = len(TABLES["ave"]())
    assert f"{total - 1} of {total} operations" in out


@pytest.mark.parametrize(("target", "count"), [("vmi", 145), ("vpto", 143)])
def test_the_operations_of_pto_are_listed_and_complete(target: str, count: int, run: Run) -> None:
    lines = run("ops", "--target", target).out.splitlines()
    assert lines[-1] == f"{count} of {count} operations have syntax, rule and effect"


def test_a_surface_operation_shows_what_stands_for_it(run: Run) -> None:
    records = {
        record["operation"]: record for record in json.loads(run("ops", "--target", "vmi", "--format", "json").out)
    }
    assert records["pto.vmi.vcvt"]["rule"].startswith("as extf, truncf, fptoui")
    assert records["pto.vmi.extf"]["rule"] == "VMI.CAST"
