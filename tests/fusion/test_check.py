"""Regions that are none are named, and nothing is done with the program."""

from __future__ import annotations

import random

import pytest

from layoutsolver.api_fusion import fuse, fuse_as_seed
from layoutsolver.explain.fusion import explanation
from layoutsolver.source import SourceFile
from tests.support.fusion_programs import random_program

YIELD = "pto.yield() : () -> ()"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("pto.fusion_region {\n  }", "a fusion region ends in `pto.yield`"),
        ("pto.fusion_region {\n  %x = arith.addi %n, %n : index\n  }", "a fusion region ends in `pto.yield`"),
        (f"%r = pto.fusion_region {{\n  {YIELD}\n  }} : index", "the region has 1 results, but yields 0 values"),
        ("pto.fusion_region {\n  pto.yield(%n) : (index) -> ()\n  }", "the region has 0 results, but yields 1 values"),
        ("%r = pto.fusion_region {\n  pto.yield(%n) : (index) -> ()\n  } : i32",
         "value 0 is a `index`, the region's result a `i32`"),
        (YIELD, "`pto.yield` ends a fusion region, and stands nowhere else"),
        (f"pto.fusion_region {{\n  {YIELD}\n  {YIELD}\n  }}",
         "`pto.yield` ends a fusion region, and stands nowhere else"),
        ('"pto.fusion_region"() ({\n^a(%z: index):\n  "pto.yield"() : () -> ()\n  }) : () -> ()',
         "a fusion region takes no arguments: it uses what is visible"),
        ('"pto.fusion_region"() ({\n^a:\n  "cf.br"()[^b] : () -> ()\n^b:\n  "pto.yield"() : () -> ()\n  }) : () -> ()',
         "a fusion region has one block, not 2"),
    ],
)  # fmt: skip
def test_a_region_that_is_none_is_named(body: str, said: str) -> None:
    text = f"func.func @f(%n: index) {{\n  {body}\n  return\n}}\n"
    result = fuse(SourceFile("k.pto", text))
    assert not result.ok
    assert result.text is None
    assert said in [item.message for item in result.diagnostics if item.code == "LS0907"]
    assert fuse_as_seed(SourceFile("k.pto", text))[1] is None


@pytest.mark.parametrize("seed", range(120))
def test_damaged_programs_are_refused_or_fused_and_never_break_anything(seed: int) -> None:
    rng = random.Random(seed)
    lines = str(random_program(9000 + seed % 30)).split("\n")
    for _ in range(rng.randint(1, 3)):
        at, way = rng.randrange(len(lines)), rng.random()
        if way < 0.4:
            del lines[at]
        elif way < 0.6:
            lines[at] = lines[at].replace("%c", "%x", 1)
        elif way < 0.8:
            lines.insert(at, rng.choice(lines))
        else:
            lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
    source = SourceFile("k.pto", "\n".join(lines))
    result = fuse(source)
    assert result.ok == (result.text is not None)
    assert result.ok or any(item.severity == "error" for item in result.diagnostics)
    assert all(item.primary is not None for item in [*result.diagnostics, *explanation(result)])
    fuse_as_seed(source)
