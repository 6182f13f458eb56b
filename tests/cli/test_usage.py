from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from layoutsolver import __version__
from layoutsolver.cli import main as command
from layoutsolver.cli.parser import LARGEST, build_parser
from layoutsolver.cli.parser import VERBS as PARSED
from tests.cli.running import INFEASIBLE, PROGRAM, Run, write

VERBS = tuple(PARSED)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nonsense",),
        ("solve",),
        ("solve", "a", "b"),
        ("solve", "{file}", "--nonsense"),
        ("solve", "{file}", "--lay"),
        ("solve", "{file}", "--rounds", "2"),
        ("solve", "{file}", "--repair", "--rounds", "2"),
        ("solve", "{file}", "--format", "yaml"),
        ("solve", "{file}", "--compat", "downstream"),
        ("solve", "{file}", "--color", "blue"),
        ("solve", "{file}", "--target", "buckyball"),
        ("solve", "{file}", "--target", "ave:"),
        ("solve", "{file}", "--target", "ave:ascend1"),
        ("solve", "{file}", "--target", "auto:ascend950"),
        ("space", "{file}", "--target", "buckyball"),
        ("solve", "{file}", "--time-limit", "0"),
        ("solve", "{file}", "--time-limit", "-1"),
        ("solve", "{file}", "--time-limit", "nan"),
        ("solve", "{file}", "--time-limit", "inf"),
        ("solve", "{file}", "--time-limit", "soon"),
        ("solve", "{file}", "--seed", "-1"),
        ("solve", "{file}", "--seed", "1.5"),
        ("solve", "{file}", "--seed", "²"),
        ("solve", "{file}", "--seed", str(LARGEST + 1)),
        ("solve", "{file}", "--workers", "0"),
        ("solve", "{file}", "--max-bytes", "0"),
        ("solve", "{file}", "--max-bytes", "1" + "0" * 5000),
        ("solve", "{file}", "--assume-trip-count", "0"),
        ("space", "{file}", "--list", "-1"),
        ("solve", "{file}", "-o"),
        ("ops", "--target", "gemmini"),
        ("ops", "--format", "yaml"),
        ("schema", "nonsense"),
        ("schema", "layout-problem", "layout-solution"),
        ("explain",),
        ("explain", "LS9999"),
    ],
)
def test_a_usage_error_has_status_2_and_a_message(arguments: tuple[str, ...], tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", PROGRAM)
    outcome = run(*[argument.format(file=file) for argument in arguments])
    assert (outcome.status, outcome.out) == (2, "")
    last = outcome.err.splitlines()[-1]
    assert re.match(r"layoutsolver( \w+)?: error: .", last)


def test_usage_errors_name_what_there_is(run: Run) -> None:
    assert "layout-problem, layout-solution, solve-report" in run("schema", "nonsense").err
    assert "ascend310b4, ascend950" in run("solve", "x", "--target", "ave:foo").err
    assert "LS0101, " in run("explain", "LS9999").err
    assert "ave, vmi, vpto, buckyball, structural" in run("ops", "--target", "foo").err


def test_the_largest_numbers_are_taken(tmp_path: Path, run: Run) -> None:
    file = write(tmp_path / "in.mlir", PROGRAM)
    flags = [item for name in ("--seed", "--max-bytes", "--assume-trip-count") for item in (name, LARGEST)]
    assert run("solve", file, *flags, "--time-limit", "1e8").status == 0


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_a_help_text(verb: str, flag: str, run: Run) -> None:
    outcome = run(verb, flag)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"usage: layoutsolver {verb} ")
    assert "--debug" in outcome.out


def test_the_help_text(run: Run, monkeypatch: pytest.MonkeyPatch, golden: Callable[[str, str], None]) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    outcome = run("--help")
    assert (outcome.status, outcome.err) == (0, "")
    assert [verb for verb in VERBS if f"\n    {verb} " not in outcome.out] == []
    for status in (command.EXIT_PROGRAM, command.EXIT_USAGE, command.EXIT_INPUT, command.EXIT_LIMIT):
        assert f" {status} " in outcome.out
    golden("cli/help.txt", outcome.out)


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_the_version(flag: str, run: Run) -> None:
    assert run(flag).out == f"layoutsolver {__version__}\n"


# -- what goes wrong inside ---------------------------------------------------------------------------------------


def raising(error: BaseException) -> Callable[..., NoReturn]:
    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    return fail


@pytest.mark.parametrize("verb", VERBS)
def test_an_interrupt_has_status_130(verb: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module(f"layoutsolver.cli.{verb}"), "run", raising(KeyboardInterrupt()))
    needed = {
        "why": ["x", "y"],
        "lower": ["x", "--to", "vpto"],
        "batch": ["x", "-o", "y"],
        "ops": [],
        "schema": [],
        "notebook": [],
    }
    outcome = run(verb, *needed.get(verb, [] if verb in ("serve", "notebook") else ["x"]))
    assert (outcome.status, outcome.out, outcome.err) == (130, "", "interrupted\n")


def reproducer(err: str) -> Path:
    match = re.fullmatch(r"layoutsolver: this is a defect of layoutsolver \(.*\); a reproducer is in (.*)\n", err)
    assert match is not None
    return Path(match.group(1))


@pytest.mark.parametrize("error", [ValueError("oh"), RecursionError("deep"), AssertionError(), MemoryError()])
def test_a_defect_has_status_70_and_leaves_a_reproducer(
    error: Exception, tmp_path: Path, run: Run, defects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from layoutsolver.cli import solve

    file, target = write(tmp_path / "in.mlir", PROGRAM), write(tmp_path / "out.mlir", "old")
    monkeypatch.setattr(solve, "solve", raising(error))
    outcome = run("solve", file, "--layouts", "-o", target)
    assert (outcome.status, outcome.out) == (70, "")
    path = reproducer(outcome.err)
    assert path.parent == defects
    document = json.loads(path.read_text())
    assert document["input"] == PROGRAM
    assert document["arguments"] == ["solve", str(file), "--layouts", "-o", str(target)]
    assert document["version"] == __version__
    assert document["traceback"].startswith("Traceback (most recent call last):\n")
    assert type(error).__name__ in document["traceback"]
    assert target.read_text() == "old"


def test_the_reproducer_holds_what_came_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    from layoutsolver.cli import space

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("// ü\n".encode() + PROGRAM.encode())))
    monkeypatch.setattr(space, "pose", raising(ValueError()))
    document = json.loads(reproducer(run("space", "-").err).read_text())
    assert document["input"] == "// ü\n" + PROGRAM


def test_a_defect_whose_reproducer_cannot_be_written(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    from layoutsolver.cli import solve

    file = write(tmp_path / "in.mlir", PROGRAM)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    monkeypatch.setattr(solve, "solve", raising(ValueError()))
    outcome = run("solve", file)
    assert outcome.status == 70
    assert "no reproducer could be written (No such file or directory), `--debug` shows" in outcome.err


@pytest.mark.parametrize("arguments", [["solve", "{}", "--debug"], ["solve", "--debug", "{}"]])
def test_debug_lets_a_defect_through(
    arguments: list[str], tmp_path: Path, defects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from layoutsolver.cli import solve

    monkeypatch.setattr(solve, "solve", raising(ZeroDivisionError("mine")))
    file = write(tmp_path / "in.mlir", PROGRAM)
    with pytest.raises(ZeroDivisionError, match="mine"):
        command.main([argument.format(file) for argument in arguments])
    assert not list(defects.iterdir())


def test_debug_changes_nothing_else(tmp_path: Path, run: Run) -> None:
    for text in (PROGRAM, INFEASIBLE, ""):
        file = write(tmp_path / "in.mlir", text)
        assert run("solve", file, "--debug") == run("solve", file)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve", "a.mlir", "--tabel"], "unexpected argument `--tabel`: is `--table` meant?"),
        (["solve", "a.mlir", "b.mlir"], "unexpected argument `b.mlir`"),
        (["solve"], "the following arguments are required: FILE"),
        (["lower", "a.mlir", "--to", "vtpo"], "argument --to: invalid choice: 'vtpo'"),
    ],
)
def test_a_usage_error_is_one_line_that_says_where_help_is(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(arguments)
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert err.startswith(f"layoutsolver: error: {said}")
    assert err.endswith(f"(`layoutsolver {arguments[0]} --help` says what there is)\n")
    assert err.count("\n") == 1
