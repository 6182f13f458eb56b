"""A verb that runs on texts in memory says and writes what it would on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.main import main
from layoutsolver.cli.parser import build_parser
from layoutsolver.cli.session import Session

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "quantised_softmax.mlir"


def run(session: Session, *arguments: str) -> int:
    options = build_parser().parse_args(arguments)
    options.session = options.output = session
    return int(options.run(options))


def test_an_answer_is_the_one_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session({"a.mlir": EXAMPLE.read_text(encoding="utf-8")})
    assert run(session, "solve", "a.mlir", "--layouts") == 0
    assert main(["solve", str(EXAMPLE), "--layouts"]) == 0
    assert session.written == capsys.readouterr().out
    assert capsys.readouterr().err == ""


def test_diagnostics_are_kept_and_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session({"a.mlir": "func.func @f( {"})
    assert run(session, "solve", "a.mlir") == 3
    assert {item.code for item in session.said} == {"LS0003"}
    assert session.written is None
    assert capsys.readouterr() == ("", "")


def test_a_second_file_comes_from_the_session_too() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    session = Session({"a.mlir": text, "b.mlir": text})
    assert run(session, "verify", "a.mlir", "b.mlir", "--rounds", "1") == 0
    assert session.written is not None
    assert session.written.startswith("a.mlir and b.mlir: agree")


def test_a_usage_error_is_raised() -> None:
    session = Session({"a.mlir": EXAMPLE.read_text(encoding="utf-8")})
    with pytest.raises(UsageError, match="no vector `%nothing`"):
        run(session, "why", "a.mlir", "%nothing")
