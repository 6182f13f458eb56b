"""Masks of arithmetic that nobody sees are left out, and only those."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from layoutsolver.vmi.canonical import canonical_program

V, M, P = "!pto.vmi.vreg<64xf32>", "!pto.vmi.mask<64xpred>", "!pto.ptr<f32, ub>"
MASKS = (
    *(f"%m{count} = pto.vmi.create_mask %c{count} : index -> {M}" for count in (8, 16, 24)),
    f"%both = pto.vmi.vand %a, %m16 : {M}, {M} -> {M}",
    f"%within = pto.vmi.vand %m8, %both : {M}, {M} -> {M}",
    f"%either = pto.vmi.vor %m8, %a : {M}, {M} -> {M}",
)


def keeps_mask(mask: str, *lines: str) -> bool:
    """Whether a sum under a mask keeps it, whatever becomes of the sum `%s`."""
    head = [f"%c{count} = arith.constant {count} : index" for count in (8, 16, 24)]
    body = [*head, *MASKS, f'%s = pto.vmi.vadd %x, %x, {mask} {{pmode = "zero"}} : {V}, {V}, {M} -> {V}', *lines]
    text = f"func.func @f(%x: {V}, %a: {M}, %b: {M}, %p: {P}, %o: index) {{\n" + "\n".join(body) + "\nreturn\n}\n"
    graph, found = build_graph(read(SourceFile("t.pto", text)))
    assert found == []
    (added,) = [op for op in canonical_program(graph)[0].ops if op.op == "addf"]
    return "mask" in added.operands


def stored(mask: str, value: str = "%s") -> str:
    return f"pto.vmi.vstore {value}, %p[%o], {mask} : {V}, {P}, {M}"


@pytest.mark.parametrize(
    ("of_sum", "of_store", "kept"),
    [
        ("%m16", "%m16", False),
        ("%m16", "%m8", False),
        ("%m16", "%m24", True),
        ("%m16", "%both", False),
        ("%m16", "%within", False),
        ("%m24", "%within", False),
        ("%a", "%within", False),
        ("%b", "%within", True),
        ("%m8", "%both", True),
        ("%a", "%either", True),
        ("%m16", "%a", True),
    ],
)
def test_a_mask_goes_where_a_store_takes_nothing_that_it_leaves_out(of_sum: str, of_store: str, kept: bool) -> None:
    assert keeps_mask(of_sum, stored(of_store)) == kept


def test_a_mask_stays_where_one_of_several_sees_what_it_leaves_out() -> None:
    negated = f"%n = pto.vmi.vneg %s : {V} -> {V}"
    assert not keeps_mask("%m16", negated, stored("%m8", "%n"), stored("%m16"))
    assert keeps_mask("%m16", negated, stored("%m24", "%n"), stored("%m16"))
    assert keeps_mask("%m16", stored("%m16"), f"pto.vmi.vstore %s, %p[%o] : {V}, {P}")
    assert keeps_mask("%m16", f"%g = pto.vmi.vcmax %s, %m24 : {V}, {M} -> !pto.vmi.vreg<1xf32>",
                      f"pto.vmi.vstore %g, %p[%o] : !pto.vmi.vreg<1xf32>, {P}")  # fmt: skip


def test_masks_that_are_combined_again_and_again_are_looked_at_once() -> None:
    lines = []
    for step in range(40):
        first, second = ("%a", "%b") if step == 0 else (f"%x{step - 1}", f"%y{step - 1}")
        lines += [f"%x{step} = pto.vmi.vand {first}, {second} : {M}, {M} -> {M}",
                  f"%y{step} = pto.vmi.vand {second}, {first} : {M}, {M} -> {M}"]  # fmt: skip
    assert keeps_mask("%m16", *lines, stored("%x39"))
    assert not keeps_mask("%b", *lines, stored("%x39"))
