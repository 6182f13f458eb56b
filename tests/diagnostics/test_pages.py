"""Every code has a page, every page a code, and what a page shows is what really happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from layoutsolver import diagnostics
from layoutsolver.api import solve
from layoutsolver.cli.main import main
from layoutsolver.diagnostics.codes import CODES, page
from layoutsolver.source import SourceFile

ROOT = Path(__file__).parents[2]
PAGES = Path(diagnostics.__file__).parent / "pages"

CODES_TABLE = ROOT / "layoutsolver" / "diagnostics" / "codes.py"
CODE = re.compile(r'"(LS\d{4})"')
EXAMPLE = re.compile(r"^```mlir\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^command: layoutsolver (.*)$", re.MULTILINE)
SECTIONS = ("What is printed", "Why", "What to do")


def read_page(code: str) -> str:
    return (PAGES / f"{code}.md").read_text(encoding="utf-8")


def codes_in_source() -> set[str]:
    used: set[str] = set()
    for folder in ("layoutsolver", "models", "backends"):
        for path in (ROOT / folder).rglob("*.py"):
            if path != CODES_TABLE:
                used.update(CODE.findall(path.read_text(encoding="utf-8")))
    return used


WITH_EXAMPLE = [code for code in CODES if (PAGES / f"{code}.md").is_file() and EXAMPLE.search(read_page(code))]


@pytest.mark.parametrize("code", CODES)
def test_code_has_a_page(code: str) -> None:
    text = page(code)
    assert text is not None
    assert text.startswith(f"# {code}: {CODES[code].title}\n\n")


def test_page_is_found_for_a_code_in_lower_case() -> None:
    assert page("ls0201") == page("LS0201")


def test_unknown_code_has_no_page() -> None:
    assert page("LS9999") is None


def test_every_page_belongs_to_a_code() -> None:
    assert {path.stem for path in PAGES.iterdir()} == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_page_says_what_it_means_what_is_printed_why_and_what_to_do(code: str) -> None:
    text = read_page(code)
    assert not text.startswith("#")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] in ("Example", "How it comes about")
    assert tuple(headings[1:]) == SECTIONS
    assert 20 <= len(text.splitlines()) <= 90


def test_every_code_in_the_source_is_in_the_table() -> None:
    assert codes_in_source() <= set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_every_code_in_the_table_is_used_in_the_source(code: str) -> None:
    assert code in codes_in_source()


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_example_of_a_page_produces_its_code(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = read_page(code)
    example = _only(EXAMPLE, text)
    command = COMMAND.search(text)
    if command is None:
        assert code in {item.code for item in solve(SourceFile("kernel.mlir", example)).diagnostics}
        return
    printed = run_example(command[1], example, tmp_path, monkeypatch, capsys)
    assert f"[{code}]" in printed


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_page_shows_what_its_example_prints(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    update_golden: bool,
) -> None:
    text = read_page(code)
    command = COMMAND.search(text)
    printed = run_example(
        command[1] if command else "solve FILE", _only(EXAMPLE, text), tmp_path, monkeypatch, capsys
    ).rstrip("\n")
    assert printed.startswith((f"error[{code}]", f"warning[{code}]", f"note[{code}]"))
    wanted = f"```text\n{printed}\n```"
    if update_golden:
        (PAGES / f"{code}.md").write_text(PRINTED.sub(lambda _: wanted, text, count=1), encoding="utf-8", newline="")
        text = read_page(code)
    assert wanted == f"```text\n{_only(PRINTED, text)}```"


def run_example(
    command: str, example: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """What the command says of an example that is saved as `kernel.mlir`: on standard error, or as its answer."""
    (folder / "kernel.mlir").write_text(example, encoding="utf-8")
    monkeypatch.chdir(folder)
    main(["kernel.mlir" if word == "FILE" else word for word in command.split()])
    captured = capsys.readouterr()
    return captured.err or captured.out


def _only(pattern: re.Pattern[str], text: str) -> str:
    found: list[str] = pattern.findall(text)
    assert len(found) == 1
    return found[0]
