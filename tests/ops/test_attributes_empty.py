"""Attributes with nothing inside are answered, not tripped over."""

from __future__ import annotations

import pytest

from layoutsolver.api import solve
from layoutsolver.source import SourceFile

PROGRAM = """\
func.func @f(%a: memref<64xi32, #hivm.address_space<ub>>) {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> {} : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi32, #hivm.address_space<ub>> into vector<64xi32>
  ave.hir.masked_store <NORM_B32> %a[%c0], %m, %x : memref<64xi32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi32>
  return
}}
"""  # noqa: E501


@pytest.mark.parametrize("value", ["#ave.func_dist_type<>", "#ave.func_dist_type< >", "#a", "#>", "<>"])
def test_an_attribute_with_nothing_inside_has_an_answer(value: str) -> None:
    result = solve(SourceFile("a.mlir", PROGRAM.format(f"{{functionType = {value}}}")))
    assert result.ok or result.diagnostics
