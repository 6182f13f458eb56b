"""Elements reached by indices: as wide as these, in whole registers or not; what the released compiler takes of it."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, lower
from layoutsolver.api_vmi import VmiOptions, solve
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files
from tests.pose.vmi.kernels import kernel


def program(op: str, element: str, index: str, lanes: int) -> SourceFile:
    """A gather, or a scatter, of so many elements under a mask that is not known."""
    memory, data = f"!pto.ptr<{element}, ub>", f"!pto.vmi.vreg<{lanes}x{element}>"
    places, mask = f"!pto.vmi.vreg<{lanes}x{index}>", f"!pto.vmi.mask<{lanes}xpred>"
    lines = [
        f"%i = pto.vmi.vload %x[%o] : !pto.ptr<{index}, ub> -> {places}",
        f"%m = pto.vmi.create_mask %k : index -> {mask}",
    ]
    if op == "gather":
        lines += [f"%g = pto.vmi.vgather %p, %i, %m : {memory}, {places}, {mask} -> {data}",
                  f"pto.vmi.vstore %g, %q[%o] : {data}, {memory}"]  # fmt: skip
    else:
        lines += [f"%g = pto.vmi.vload %p[%o] : {memory} -> {data}",
                  f"pto.vmi.vscatter %g, %q, %i, %m : {data}, {memory}, {places}, {mask}"]  # fmt: skip
    arguments = f"%p: {memory}, %x: !pto.ptr<{index}, ub>, %q: {memory}, %o: index, %k: index"
    return SourceFile("kernel.pto", kernel(arguments, *lines))


@pytest.mark.parametrize(
    ("op", "element", "index", "lanes", "taken"),
    [
        ("gather", "f32", "i32", 128, True),
        ("gather", "f32", "i32", 100, False),
        ("gather", "f16", "ui16", 100, True),
        ("gather", "f16", "ui16", 256, False),
        ("gather", "f16", "i16", 128, False),
        ("scatter", "f32", "ui32", 64, True),
        ("scatter", "f32", "ui32", 32, False),
        ("scatter", "ui16", "i16", 128, True),
        ("scatter", "ui16", "i16", 100, False),
    ],
)
def test_elements_are_reached_by_indices_of_their_width(
    op: str, element: str, index: str, lanes: int, taken: bool
) -> None:
    source = program(op, element, index, lanes)
    lowered = lower(source, LowerOptions("vpto"))
    assert lowered.text is not None
    said, found = verify_files(source, SourceFile("lowered.vpto", lowered.text), 2, 1, lowered.borders)
    assert said == []
    assert found is not None
    assert found.ok, [item.message for item in found.diagnostics]
    released = solve(source, VmiOptions(compat="upstream")).diagnostics
    assert [item.code for item in released] == ([] if taken else ["LS0803"])
    assert all(f"VMI-UNSUPPORTED: pto.vmi.{op}: needs a pointer" in item.message for item in released)


@pytest.mark.parametrize("op", ["gather", "scatter"])
@pytest.mark.parametrize(("element", "index"), [("f16", "i32"), ("f32", "ui16"), ("ui8", "ui16"), ("ui8", "i32")])
def test_elements_of_another_width_than_their_indices_have_no_layout(op: str, element: str, index: str) -> None:
    (item,) = solve(program(op, element, index, 128)).diagnostics
    assert (item.code, item.severity) == ("LS0802", "error")
    assert item.message == f"VMI-UNSUPPORTED: no layout serves `{op}` here"
    assert any("indices as wide as elements" in note for note in item.notes)
