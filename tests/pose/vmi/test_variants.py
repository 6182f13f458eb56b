"""The layouts that a single operation may have."""

from __future__ import annotations

import pytest

from tests.pose.vmi.kernels import kernel, posed

APART = {"ls2", "ls4", "gs8.2", "gs8.4"}
"""Layouts in which an element has a slot wider than itself."""

LINES = {
    "cmpi": '%c = pto.vmi.vcmp %v, %w, %m {cmp = "le"} : V, V, M -> M',
    "select": "%c = pto.vmi.vsel %m, %v, %w : M, V, V -> V",
    "addi": "%c = pto.vmi.vadd %v, %w, %m : V, V, M -> V",
}


@pytest.mark.parametrize("element", ["si8", "si16"])
@pytest.mark.parametrize("name", LINES)
def test_only_what_has_no_mask_of_its_own_width_works_on_elements_that_are_apart(name: str, element: str) -> None:
    """The mask of such elements is of the width of their slots, which no comparison makes and no selection takes."""
    vector, mask = f"!pto.vmi.vreg<2x{element}>", "!pto.vmi.mask<2xpred>"
    made = posed(kernel(
        f"%p: !pto.ptr<{element}, ub>, %o: index, %k: i32",
        f"%v = pto.vmi.vload %p[%o] : !pto.ptr<{element}, ub> -> {vector}",
        f"%w = pto.vmi.vneg %v : {vector} -> {vector}",
        f"%m, %left = pto.vmi.plt %k : i32 -> {mask}, i32",
        LINES[name].replace("V", vector).replace("M", mask),
        f"%r = pto.vmi.vsel {'%c' if name == 'cmpi' else '%m'}, {'%v' if name == 'cmpi' else '%c'}, %w : "
        f"{mask}, {vector}, {vector} -> {vector}",
        f"pto.vmi.vstore %r, %p[%o] : {vector}, !pto.ptr<{element}, ub>",
    ))  # fmt: skip
    number = next(number for number, op in enumerate(made.program.ops) if op.op == name)
    variants = made.problem.ops[made.op_of.index(number)].variants
    assert len(variants) > 1
    assert any(APART & set(variant.layouts) for variant in variants) == (name == "addi")
