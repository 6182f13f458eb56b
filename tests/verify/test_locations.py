"""Locations that a lowered program prints, and the operations of the program that they lead to."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from layoutsolver.verify.locations import made_of

PROGRAM = """\
func.func @f(%a: i32) -> i32 {
  %x = arith.addi %a, %a : i32
  %y = arith.muli %x, %x : i32
  return %y : i32
}
"""


def graph_of(name: str, text: str) -> Graph:
    graph, found = build_graph(read(SourceFile(name, text)))
    assert not [item for item in found if item.severity == "error"]
    return graph


def named(locations: list[str], aliases: str = "", name: str = "a.mlir") -> list[str]:
    """The names of what the operations of a lowered program were made of, empty where that is not known."""
    lines = [f"  %{k} = llvm.add %a, %a : i32 {loc}" for k, loc in enumerate(locations)]
    text = "func.func @f(%a: i32) {\n" + "\n".join(lines) + f"\n  return\n}}\n{aliases}"
    lowered, program = graph_of("b.mlir", text), graph_of(name, PROGRAM)
    found = made_of(lowered, program)
    adds = [node.index for node in lowered.ops if node.name == "llvm.add"]
    return [program.ops[found[index]].name if index in found else "" for index in adds]


def test_without_locations_nothing_is_known() -> None:
    assert named(["", ""]) == ["", ""]


@pytest.mark.parametrize("file", ["-", "<stdin>", "a.mlir", "some/where/a.mlir"])
def test_a_location_in_place_is_found(file: str) -> None:
    assert named([f'loc("{file}":3:8)', f'loc("{file}":2:8)']) == ["arith.muli", "arith.addi"]


def test_an_alias_is_followed_wherever_it_is_defined() -> None:
    aliases = '#loc1 = loc("a.mlir":2:8)\n#loc2 = loc(fused[#loc1, #loc3])\n#loc3 = loc("a.mlir":3:8)\n'
    assert named(["loc(#loc1)", "loc(#loc2)", "loc(#loc3)"], aliases) == ["arith.addi", "arith.addi", "arith.muli"]


@pytest.mark.parametrize(
    "location",
    ['loc("b.mlir":2:8)', 'loc("a.mlir":2:3)', 'loc("a.mlir":9:8)', "loc(unknown)", "loc(#loc9)"],
    ids=["another file", "between names", "behind the end", "unknown", "an alias that is not defined"],
)
def test_what_leads_nowhere_is_left_out(location: str) -> None:
    assert named([location]) == [""]


def test_aliases_that_go_round_lead_nowhere() -> None:
    assert named(["loc(#loc1)"], "#loc1 = loc(fused[#loc2])\n#loc2 = loc(fused[#loc1])\n") == [""]
