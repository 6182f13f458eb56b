from __future__ import annotations

import pytest

from layoutsolver.diagnostics.codes import CODES
from tests.cli.running import Run


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_a_page_under_its_title(code: str, run: Run) -> None:
    outcome = run("explain", code)
    assert (outcome.status, outcome.err) == (0, "")
    title, blank, *rest = outcome.out.splitlines()
    assert (title, blank) == (f"# {code}: {CODES[code].title}", "")
    assert any(line.strip() for line in rest)


def test_a_code_may_be_written_in_lower_case(run: Run) -> None:
    assert run("explain", "ls0101").out == run("explain", "LS0101").out
