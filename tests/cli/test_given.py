"""Options that do nothing are said to do nothing, and those that do something are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.cli.given import Options, idle_options
from layoutsolver.cli.main import main
from layoutsolver.cli.parser import build_parser

EXAMPLES = Path(__file__).parents[2] / "examples"
FP4, AVE, BANKS = "fp4_dequant.pto", "shared_mask.mlir", "one_tile.mlir"
BUFFERS, FUSION = "buffers.csv", "column_softmax.pto"


@pytest.fixture(autouse=True)
def there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)


@pytest.mark.parametrize(
    ("command", "idle"),
    [
        (["view", FP4, "--line", "13"], "--line"),
        (["view", FP4, "--show", "space", "--line", "13"], "--line"),
        (["view", BUFFERS, "--show", "memory", "--compat", "upstream", "--line", "2"], "--compat, --line"),
        (["view", FUSION, "--show", "fusion", "--compat", "upstream"], "--compat"),
        (["solve", FP4, "--layouts"], "--layouts"),
        (["explain", "LS0101", "--repairs", "1", "--format", "json"], "--format, --repairs"),
        (["space", FP4, "--json", "--list", "2"], "--list"),
        (["lower", BANKS, "--to", "wrapper", "--objective", "total"], "--objective"),
        (["fuse", FUSION, "--plans", "4"], "--plans"),
        (["fuse", FUSION, "--compat", "seed", "--joint", "--seed", "3"], "--joint, --seed"),
    ],
)
def test_an_option_that_does_nothing_is_named(
    command: list[str], idle: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(command)
    said = capsys.readouterr().err.splitlines()[-1]
    assert (status, said) == (0, f"layoutsolver: warning: no effect here: {idle}")


@pytest.mark.parametrize(
    "command",
    [
        ["view", FP4, "--show", "lanes", "--line", "13"],
        ["solve", FP4, "--pin", "%x=d2", "--table", "--seed", "2", "--time-limit", "60", "--color", "never"],
        ["lower", BANKS, "--to", "wrapper", "--from", "buckyball", "--target", "buckyball:goban"],
        ["fuse", FUSION, "--joint", "--plans", "4"],
        ["space", FP4, "--list", "2", "--max-bytes", "10000"],
        ["ops", "--target", "vmi", "--format", "json"],
    ],
)
def test_an_option_that_does_something_is_not_named(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 0
    assert "no effect" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["solve", FP4, "--format", "sarif", "--table"], "--table and --format sarif are different answers"),
        (["solve", FP4, "--verify-diagnostics", "--format", "json"], "--format json and --verify-diagnostics are"),
        (["explain", AVE, "--upstream-report", "--format", "github"], "--format github and --upstream-report are"),
        (["explain", FP4, "--upstream-report"], "--upstream-report is for programs of ave.hir"),
    ],
)
def test_two_answers_at_once_are_a_usage_error(
    command: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert (out, err.startswith(f"layoutsolver: error: {message}")) == ("", True)


def test_messages_of_a_problem_are_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = tmp_path / "problem.json"
    assert main(["space", FP4, "--json", "-o", str(problem)]) == 0
    assert main(["solve", str(problem), "--format", "sarif"]) == 2
    assert main(["solve", str(problem), "--format", "json", "--table"]) == 2
    assert "are different answers" in capsys.readouterr().err
    assert main(["solve", str(problem), "--compat", "upstream"]) == 2
    assert "--compat and --upstream-report are for programs" in capsys.readouterr().err
    assert main(["solve", str(problem), "--pin", "%x=d2", "--verify"]) == 0
    assert capsys.readouterr().err.splitlines()[-1].endswith("no effect here: --pin, --verify")


def test_what_is_given_as_it_is_by_default_is_not_named() -> None:
    parser = build_parser()
    options = parser.parse_args(["solve", "a", "--seed", "1", "--repairs", "2", "--workers", "2"], Options())
    assert options.workers == 2
    assert idle_options(parser.verbs["solve"], options) == ["--repairs"]
