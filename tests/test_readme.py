"""Everything that the README shows is what the tool prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from layoutsolver.api import annotate, solve
from layoutsolver.cli.main import main
from layoutsolver.source import SourceFile
from tests.support.serving import COMMAND, serving

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"<!-- (run|excerpt): layoutsolver (.*?) -->\n```\n(.*?)\n```", README, re.DOTALL)

PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    main(shlex.split(command))
    captured = capsys.readouterr()
    return [line.rstrip() for line in (captured.out + captured.err).rstrip().splitlines()]


@pytest.mark.parametrize(("kind", "command", "block"), SHOWN)
def test_shown_output_is_what_is_printed(
    kind: str, command: str, block: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    lines, shown = printed(command, capsys), block.splitlines()
    if kind == "run":
        assert shown == lines
        return
    at = 0
    for line in shown:
        assert line in lines[at:], line
        at = lines.index(line, at) + 1


def test_every_shown_output_says_how_it_was_made() -> None:
    """All fenced blocks but the first, which lists the two make targets, and the Python ones."""
    fences = re.findall(r"^(.*)\n```(\w*)\n", README, re.MULTILINE)
    opening = [before for before, _ in fences if before.startswith("<!--")]
    assert len(opening) == len(SHOWN) >= 6
    assert README.count("\n```") == 2 * (len(SHOWN) + 1 + len(PYTHON))


def test_python_example_runs() -> None:
    text = (ROOT / "examples" / "quantised_softmax.mlir").read_text(encoding="utf-8")
    exec(compile(PYTHON[0], "README.md", "exec"), {"text": text})
    assert "b8_4vl" in annotate(solve(SourceFile("kernel.mlir", text)), layouts=True)


def test_python_client_solves_explains_and_repairs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(PYTHON[1].splitlines()) == 10
    monkeypatch.chdir(ROOT)
    with serving("--store", "off") as (client, _):
        code = PYTHON[1].replace("http://127.0.0.1:8470", str(client.base_url))
        assert code != PYTHON[1]
        exec(compile(code, "README.md", "exec"), {})
    assert_repaired(capsys.readouterr().out)


def test_python_client_of_standard_input_explains_and_repairs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    command = str([*COMMAND, "serve", "--stdio", "--store", "off"])
    code = PYTHON[2].replace('["layoutsolver", "serve", "--stdio"]', command)
    assert code != PYTHON[2]
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    names["service"].communicate(timeout=30)
    assert_repaired(capsys.readouterr().out)


def assert_repaired(out: str) -> None:
    said, _, text = out.partition("\n")
    assert "no layout of mask `%mask` suits everything that touches it" in said
    assert solve(SourceFile("repaired.mlir", text)).ok


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:`|^)make (\w+)", README, re.MULTILINE))
    assert {"demo", "test"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_files_and_folders_of_the_readme_exist() -> None:
    for path in re.findall(r"`((?:layoutsolver|models|examples)/[\w/.]*)`", README):
        assert (ROOT / path).exists(), path
