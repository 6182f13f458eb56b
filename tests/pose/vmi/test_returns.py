"""What several returns of one function give lies in one layout, as its type is one."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, lower
from layoutsolver.api_vmi import VmiOptions, solve
from layoutsolver.pose.vmi.wishes import Wish
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files


def sums(first: int, second: int) -> SourceFile:
    """A function that returns 16 sums, of groups of one size or another."""
    blocks = []
    for name, size in (("one", first), ("two", second)):
        lanes = 16 * size
        vector, mask = f"!pto.vmi.vreg<{lanes}xf32>", f"!pto.vmi.mask<{lanes}xpred>"
        blocks.append(
            f"^{name}:\n"
            f"  %x{name} = pto.vmi.vload %p[%c0] : !pto.ptr<f32, ub> -> {vector}\n"
            f'  %m{name} = pto.vmi.pset "PAT_ALL" : {mask}\n'
            f"  %s{name} = pto.vmi.vcadd %x{name}, %m{name} {{group = 16, reassoc}} : {vector}, {mask} -> "
            "!pto.vmi.vreg<16xf32>\n"
            f"  return %s{name} : !pto.vmi.vreg<16xf32>\n"
        )
    head = "func.func @k(%p: !pto.ptr<f32, ub>, %first: i1) -> !pto.vmi.vreg<16xf32> {\n"
    return SourceFile("k.pto", f"{head}  %c0 = arith.constant 0 : index\n  cf.cond_br %first, ^one, ^two\n"
                      + "".join(blocks) + "}\n")  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [(8, 8), (8, 16), (16, 32), (64, 64), (8, 64), (3, 48)])
def test_returns_in_one_layout_do_what_the_program_says(first: int, second: int) -> None:
    source = sums(first, second)
    lowered = lower(source, LowerOptions("vpto"))
    assert lowered.text is not None
    said, found = verify_files(source, SourceFile("lowered.vpto", lowered.text), 2, 1, lowered.borders)
    assert said == []
    assert found is not None
    assert found.ok, [item.message for item in found.diagnostics]


def test_returns_that_have_no_layout_in_common_contradict_each_other() -> None:
    """Words with gaps between them are loaded so or not at all: nothing leads there, or from there."""
    vector = "!pto.vmi.vreg<128xf32>"
    blocks = [
        f"^{name}:\n  %s{name} = pto.vmi.vload %p[%c0] : !pto.ptr<f32, ub> -> {vector}\n  return %s{name} : {vector}\n"
        for name in ("one", "two")
    ]
    head = f"func.func @k(%p: !pto.ptr<f32, ub>, %first: i1) -> {vector} {{\n  %c0 = arith.constant 0 : index\n"
    source = SourceFile("k.pto", f"{head}  cf.cond_br %first, ^one, ^two\n{''.join(blocks)}}}\n")
    assert solve(source).ok
    result = solve(source, VmiOptions(pins=(Wish("%sone", "ls2"), Wish("%stwo", "c"))))
    assert not result.ok
    (found,) = result.diagnostics
    assert (found.code, found.minimal) == ("LS0805", True)
    shown = [label.text for label in (found.primary, *found.secondary) if label is not None]
    assert "%sone and %stwo are what the returns of one function give" in shown
