"""What notebooks show of modules, problems, solutions and registers."""

from __future__ import annotations

from typing import Any

import numpy as np

from layoutsolver.api import graph_of, read_source, solve
from layoutsolver.service.examples import PROGRAM
from layoutsolver.source import SourceFile
from layoutsolver.verify.machine import Machine
from layoutsolver.verify.pto.machine import Machine as PtoMachine
from layoutsolver_models.hardware.buckyball.dram import Dram
from layoutsolver_models.hardware.buckyball.machine import Machine as BankMachine
from layoutsolver_models.hardware.state import VReg
from layoutsolver_models.problems.html import SHOWN, record_html
from layoutsolver_models.problems.layout import LayoutSolution
from layoutsolver_models.targets.bank_chip import load_bank_chip


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
    assert "<td>4:3</td>" in problem, "the place of %x, as messages give it"
    assert "functionType = pb32" in problem
    assert "{" not in problem
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


def test_a_machine_shows_how_far_it_is() -> None:
    graph, _ = graph_of(read_source(SourceFile("a.mlir", PROGRAM)))
    nothing: Any = None
    machine, other = Machine(graph, nothing, 1), PtoMachine(graph, nothing)
    assert "nothing has run" in machine._repr_html_()
    machine.steps, machine.current = 3, next(node.index for node in graph.ops if node.name == "ave.hir.vload")
    assert "<td>3</td>" in machine._repr_html_()
    assert "ave.hir.vload" in machine._repr_html_()
    assert "nothing has run" in other._repr_html_()
    assert "<th>cycles</th><td>0</td>" in BankMachine(load_bank_chip("seed"), Dram(64))._repr_html_()
