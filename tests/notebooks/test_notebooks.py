"""Every notebook runs from its first cell to its last and shows what it promises."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from layoutsolver.cli.main import main
from layoutsolver.cli.notebook import folder

NAMES = sorted(path.stem for path in folder().glob("*.py"))


def run(name: str, **given: Any) -> dict[str, Any]:
    """What the cells of a notebook define, with some of it given."""
    spec = importlib.util.spec_from_file_location(f"notebook_{name}", folder() / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    _, definitions = module.app.run(defs=given)
    return dict(definitions)


def test_the_tour_ends_with_a_proof() -> None:
    found = run("tour")
    assert not found["result"].ok
    assert found["after"].ok
    assert found["proof"].ok
    assert found["proof"].verification.bytes_compared > 0


def test_the_packed_floats_take_fewer_instructions_than_today() -> None:
    found = run("fp4")
    assert found["result"].solution.busiest == 16
    assert found["result"].released.issued.busiest == 56
    assert "(64 of 128) are lost: no conversion reads them." in found["lanes"].svg()


def test_the_softmax_becomes_two_loops() -> None:
    found = run("softmax_fusion")
    assert (found["rows"][0]["loops"], found["rows"][-1]["loops"]) == (6, 2)
    assert found["rows"][-1]["run_loads"] < found["rows"][0]["run_loads"]


def test_the_candidates_are_solved() -> None:
    found = run("candidates")
    assert found["free"].ok
    assert found["table"][0]["busiest"] == found["table"][1]["busiest"] == 16


class Chosen:
    """A control that somebody has set."""

    def __init__(self, value: Any) -> None:
        self.value = value


def test_the_banks_fit_when_order_and_reuse_are_decided_together() -> None:
    found = run("banks")
    peaks = {row["level"]: (row["status"], row["peak"]) for row in found["rows"]}
    assert peaks["placement"][0] == "infeasible"
    assert (peaks["reorder"], peaks["coalesce"]) == (("optimal", 8), ("optimal", 6))
    assert found["placed"]
    assert not run("banks", banks=Chosen(5), level=Chosen("elide"))["placed"]


def test_another_layout_costs_more() -> None:
    found = run("candidates", layout=Chosen("c"), weight=Chosen(0))
    assert found["table"][1]["busiest"] > found["table"][0]["busiest"]


def test_every_notebook_has_a_test() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in NAMES if f'run("{name}"' not in text] == []


def test_the_names_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notebook"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == NAMES
    assert main(["notebook", "nothing"]) == 2
    assert "no notebook `nothing`" in capsys.readouterr().err
