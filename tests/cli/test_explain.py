from __future__ import annotations

import pytest

from layoutsolver.diagnostics.codes import CODES
from layoutsolver.explain.rules import rule_page
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


@pytest.mark.parametrize("name", ["AVE.GATHER.16.B16_2VL.2", "VMI.LOAD", "AVE.LANES.PGE"])
def test_a_rule_has_a_page(name: str, run: Run) -> None:
    outcome = run("explain", name)
    assert (outcome.status, outcome.out, outcome.err) == (0, rule_page(name), "")


def test_a_rule_that_is_none_is_named_with_those_like_it(run: Run) -> None:
    outcome = run("explain", "AVE.GATHER.16.B17")
    assert (outcome.status, outcome.out) == (2, "")
    assert "no rule `AVE.GATHER.16.B17`: is `AVE.GATHER.16.B16`" in outcome.err
