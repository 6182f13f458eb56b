"""What a user waits for: the command line must not import what it does not need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import PROGRAM, entangled

HEAVY = ("ortools", "numpy", "networkx", "pandas", "pydantic", "fastapi", "rich")

SLOW = ("dataclasses", "inspect", "pathlib", "shutil", "tomllib")
"""Modules of the standard library that take longer to import than a small solve takes."""

SCRIPT = f"""
import json, sys
from layoutsolver.cli.main import main
status = main(sys.argv[1:])
print(json.dumps([status, [name for name in {(*HEAVY, *SLOW)!r} if name in sys.modules]]))
"""


def imported(*arguments: str) -> tuple[int, list[str]]:
    """The status of a run in a process of its own, and the heavy modules that it imported."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, check=True, text=True, timeout=60
    )
    status, names = json.loads(done.stdout.splitlines()[-1])
    return status, names


def heavy(names: list[str]) -> list[str]:
    return [name for name in names if name in HEAVY]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["solve", "--help"],
        ["ops"],
        ["explain", "LS0101"],
        ["solve", "{small}"],
        ["solve", "{small}", "--layouts"],
        ["solve", "{small}", "--table"],
        ["solve", "{small}", "--compat", "upstream"],
        ["verify", "--help"],
        ["space", "{small}", "--list", "3"],
    ],
)
def test_nothing_heavy_is_imported(arguments: list[str], tmp_path: Path) -> None:
    small = tmp_path / "small.mlir"
    small.write_text(PROGRAM)
    status, names = imported(*[argument.format(small=small) for argument in arguments])
    assert (status, heavy(names)) == (0, [])


@pytest.mark.parametrize("options", [[], ["--layouts"], ["--compat", "upstream"]])
def test_a_solve_imports_nothing_slow(options: list[str], tmp_path: Path) -> None:
    small = tmp_path / "small.mlir"
    small.write_text(PROGRAM)
    assert imported("solve", str(small), *options) == (0, [])


def test_the_check_sees_what_is_imported(tmp_path: Path) -> None:
    (tmp_path / "large").write_text(entangled(8))
    status, names = imported("solve", str(tmp_path / "large"))
    assert (status, "ortools" in names) == (0, True)
    status, names = imported("schema", "solve-report")
    assert (status, heavy(names), "dataclasses" in names) == (0, ["pydantic"], True)


PTO_MODULES = ("layoutsolver.ops.vmi", "layoutsolver.ops.vpto", "layoutsolver.mlir.pto_types")


def test_the_tables_of_pto_are_read_only_for_a_program_of_pto(tmp_path: Path) -> None:
    script = (
        "import sys; from layoutsolver.cli.main import main; main(sys.argv[1:]); "
        f"print(*(name in sys.modules for name in {PTO_MODULES!r}))"
    )
    for name, text, loaded in (
        ("small.mlir", PROGRAM, "False False False"),
        ("small.pto", '%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<64xpred>\n', "True True True"),
    ):
        (tmp_path / name).write_text(text)
        done = subprocess.run(
            [sys.executable, "-c", script, "solve", str(tmp_path / name)], capture_output=True, check=True, text=True
        )
        assert done.stdout.splitlines()[-1] == loaded
