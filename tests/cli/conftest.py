from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from layoutsolver.cli.main import main
from layoutsolver_models.cp import layout
from tests.cli.running import Outcome, Run


@pytest.fixture
def defects(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder into which reproducers of defects go."""
    folder = tmp_path_factory.mktemp("defects")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever needs CP-SAT reaches its time limit before it has an answer."""
    monkeypatch.setattr(layout, "best_by_cp_sat", lambda *_, **__: layout.ComponentAnswer("unknown"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], defects: Path) -> Run:
    """Run the command line on arguments; what it printed is of this run alone."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Outcome(status, out, err)

    return call
