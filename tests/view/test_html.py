"""What notebooks show of modules, problems, solutions and registers."""

from __future__ import annotations

import numpy as np

from layoutsolver.api import read_source, solve
from layoutsolver.service.examples import PROGRAM
from layoutsolver.source import SourceFile
from layoutsolver_models.hardware.state import VReg
from layoutsolver_models.problems.html import SHOWN, record_html
from layoutsolver_models.problems.layout import LayoutSolution


def test_a_module_shows_its_text_and_what_is_wrong_in_it() -> None:
    html = read_source(SourceFile("a.mlir", "func.func @f( {\n"))._repr_html_()
    assert "LS0003" in html
    assert "func.func @f( {" in html


def test_a_problem_and_its_solution_are_tables() -> None:
    result = solve(SourceFile("a.mlir", PROGRAM))
    assert result.posed is not None
    assert result.solution is not None
    problem = result.posed.problem._repr_html_()  # type: ignore[attr-defined]  # a decorator gives it
    assert "<td>%x</td>" in problem
    assert "ave.hir.vload" in problem
    assert "optimal" in result.solution._repr_html_()  # type: ignore[attr-defined]  # a decorator gives it


def test_a_long_list_is_cut_and_its_length_told() -> None:
    html = record_html(LayoutSolution("optimal", tuple(f"b{number}" for number in range(SHOWN + 5))))
    assert f"({SHOWN + 5} in all)" in html
    assert f"b{SHOWN}," not in html


def test_a_register_shows_its_bytes_and_what_is_not_determined() -> None:
    poison = np.zeros(256, dtype=bool)
    poison[3] = True
    html = VReg(np.arange(256, dtype=np.uint8), poison)._repr_html_()
    assert "<s>03</s>" in html
    assert "<td>ff</td>" in html
    assert html.count("<tr>") == 8
