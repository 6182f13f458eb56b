"""Elements reached by indices: as wide as these, in whole registers or not; what the released compiler takes of it."""

from __future__ import annotations

import pytest

from layoutsolver.api import LowerOptions, lower
from layoutsolver.api_vmi import VmiOptions, solve
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
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


@pytest.mark.parametrize("lanes", [1, 100, 300])
@pytest.mark.parametrize(
    ("op", "element", "index", "instructions"),
    [
        ("gather", "f16", "i32", "castptr vgather2_bc vshr"),
        ("gather", "f32", "ui16", "vzunpack vgather2_bc"),
        ("gather", "ui8", "ui16", "vgather2"),
        ("gather", "ui8", "i32", "castptr vgather2_bc vshr"),
        ("scatter", "f16", "i32", "vdintlv vcmps vscatter"),
        ("scatter", "f32", "ui16", "vzunpack vscatter"),
        ("scatter", "ui8", "ui16", "vscatter"),
        ("scatter", "ui8", "ui32", "vdintlv vcmps vscatter"),
    ],
)
def test_so_are_elements_of_another_width_than_their_indices(
    op: str, element: str, index: str, instructions: str, lanes: int
) -> None:
    source = program(op, element, index, lanes)
    lowered = lower(source, LowerOptions("vpto"))
    assert lowered.text is not None
    for instruction in instructions.split():
        assert f"pto.{instruction} " in lowered.text
    _, found = verify_files(source, SourceFile("lowered.vpto", lowered.text), 2, 1, lowered.borders)
    assert found is not None
    assert found.ok, [item.message for item in found.diagnostics]
    assert [item.code for item in solve(source, VmiOptions(compat="upstream")).diagnostics] == ["LS0803"]


def far(element: str, memory: int) -> SourceFile:
    """A scatter of elements to places from a number on, which is all but the last one of so much memory."""
    bits = int(element.lstrip("uif"))
    data, places, mask = f"!pto.vmi.vreg<64x{element}>", "!pto.vmi.vreg<64xi32>", "!pto.vmi.mask<64xpred>"
    first = memory * 8 // bits - 64
    lines = [
        f"%n = arith.constant {first} : i32", f'%i = pto.vmi.vci %n {{order = "ASC"}} : i32 -> {places}',
        f'%m = pto.vmi.pset "PAT_ALL" : {mask}', f"%v = pto.vmi.vload %p[%o] : !pto.ptr<{element}, ub> -> {data}",
        f"pto.vmi.vscatter %v, %q, %i, %m : {data}, !pto.ptr<{element}, ub>, {places}, {mask}",
        f"%g = pto.vmi.vgather %q, %i, %m : !pto.ptr<{element}, ub>, {places}, {mask} -> {data}",
        f"pto.vmi.vstore %g, %p[%o] : {data}, !pto.ptr<{element}, ub>",
    ]  # fmt: skip
    arguments = f"%p: !pto.ptr<{element}, ub>, %q: !pto.ptr<{element}, ub>, %o: index"
    return SourceFile("kernel.pto", kernel(arguments, *lines))


@pytest.mark.parametrize(("element", "memory"), [("f16", 65536), ("f16", 200000), ("ui8", 65600), ("ui8", 250000)])
def test_places_beyond_what_16_bits_count_are_reached(element: str, memory: int) -> None:
    source = far(element, memory)
    lowered = lower(source, LowerOptions("vpto"))
    assert lowered.text is not None
    sizes = {"%q": memory}
    found = verify_pto(source, SourceFile("lowered.vpto", lowered.text), 2, 1, sizes)
    assert found.ok, [item.message for item in found.diagnostics]
    wrong = lowered.text.replace("pto.vshrs", "pto.vshls", 1)
    assert not verify_pto(source, SourceFile("lowered.vpto", wrong), 1, 1, sizes).ok
    wrong = lowered.text.replace('"eq"', '"ne"')
    assert not verify_pto(source, SourceFile("lowered.vpto", wrong), 1, 1, sizes).ok
