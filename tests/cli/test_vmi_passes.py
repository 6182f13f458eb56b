"""`layoutsolver explain --passes`: single passes of the released compiler on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.pose.vmi.upstream.passes import ASSIGN, LOWER
from tests.cli.running import Run, write
from tests.pose.vmi.test_passes import SLOTS


def test_the_command_line_asks_passes(tmp_path: Path, run: Run) -> None:
    path = write(tmp_path / "k.pto", SLOTS)
    found = run("explain", path, "--compat", "upstream", f"--passes=-{ASSIGN},{LOWER}")
    assert found.status == 1
    assert "VMI-UNSUPPORTED: pto.vmi.group_slot_load: needs a constant stride" in found.out
    assert ":2:8" in found.out
    found = run("explain", path, "--compat", "upstream", "--passes", ASSIGN)
    assert (found.status, found.out) == (0, "the passes take the program\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--passes", LOWER), "it goes with --compat upstream"),
        (("--compat", "upstream", "--passes", "nothing"), "no pass `nothing`: there are"),
        (("--compat", "upstream", "--passes", LOWER, "--format", "json"), "--passes has messages for an answer"),
    ],
)
def test_passes_that_are_none_are_a_wrong_call(arguments: tuple[str, ...], said: str, tmp_path: Path, run: Run) -> None:
    found = run("explain", write(tmp_path / "k.pto", SLOTS), *arguments)
    assert found.status == 2
    assert said in found.err


def test_passes_are_asked_of_vectors_alone(tmp_path: Path, run: Run) -> None:
    found = run("explain", write(tmp_path / "k.mlir", "func.func @f() {\n  return\n}\n"), "--target", "ave",
                "--compat", "upstream", "--passes", LOWER)  # fmt: skip
    assert found.status == 2
    assert "--passes is for programs of pto.vmi" in found.err
