"""The normal form of VMI programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.reader import read
from layoutsolver.ops.vmi_canonical import CANONICAL
from layoutsolver.pose.vmi_normal import Constant, Operand, VmiProgram, normalise

PROGRAMS = Path(__file__).parents[1] / "ops" / "programs"

HEADER = """
%p = "t.v"() : () -> !pto.ptr<f32, ub>
%o, %s = "t.v"() : () -> (index, index)
%bs, %rs = "t.v"() : () -> (i16, i16)
%f = "t.v"() : () -> f32
%a, %b = "t.v"() : () -> (!pto.vmi.vreg<64xf32>, !pto.vmi.vreg<64xf32>)
%si, %ui, %i = "t.v"() : () -> (!pto.vmi.vreg<64xsi32>, !pto.vmi.vreg<64xui32>, !pto.vmi.vreg<64xi32>)
%h, %bf = "t.v"() : () -> (!pto.vmi.vreg<64xf16>, !pto.vmi.vreg<64xbf16>)
%one, %g8 = "t.v"() : () -> (!pto.vmi.vreg<1xf32>, !pto.vmi.vreg<8xf32>)
%m = "t.v"() : () -> !pto.vmi.mask<64xpred>
%c8, %c1 = "t.v"() : () -> (index, index)
"""
F, S, U, Z = (f"!pto.vmi.vreg<64x{name}>" for name in ("f32", "si32", "ui32", "i32"))
M = "!pto.vmi.mask<64xpred>"
P = "!pto.ptr<f32, ub>"


def program(text: str) -> VmiProgram:
    graph, diagnostics = build_graph(read(HEADER + text))
    assert [item.message for item in diagnostics] == []
    return normalise(graph)


def shown(made: VmiProgram, operand: Operand) -> str:
    if isinstance(operand, Constant):
        return str(operand.value)
    values = made.graph.values
    return values[operand].name if operand < len(values) else f"${operand - len(values)}"


def text_of(made: VmiProgram) -> str:
    """One line for each operation: results, mnemonic, operands by role, attributes, row."""
    lines = []
    for op in made.ops:
        left = ", ".join(shown(made, value) for _, value in op.results)
        right = ", ".join(f"{role} {shown(made, operand)}" for role, operand in op.operands)
        attrs = "".join(f" {name}={value}" for name, value in op.attrs.items())
        lines.append(f"{left}{' = ' if left else ''}{op.op} {right}{attrs}  [{op.row or 'as written'}]\n")
    return "".join(lines)


@pytest.mark.parametrize("name", ["vmi_surface", "vmi_legacy"])
def test_every_operation_has_a_normal_form(name: str, golden: Callable[[str, str], None]) -> None:
    graph, _ = build_graph(read((PROGRAMS / f"{name}.pto").read_text(encoding="utf-8")))
    made = normalise(graph)
    assert made.diagnostics == []
    golden(f"pose/{name}.txt", text_of(made))


CASES = {
    "VCI.GROUP": f"%r = pto.vmi.vci %f {{group = 4}} : f32 -> {F}",
    "VBRC.GROUP": f"%r = pto.vmi.vbrc %g8 {{group = 8}} : !pto.vmi.vreg<8xf32> -> {F}",
    "VSHR.SI": f"%r = pto.vmi.vshr %si, %si : {S}, {S} -> {S}",
    "VSHR.UI": f"%r = pto.vmi.vshr %ui, %ui : {U}, {U} -> {U}",
    "VSHR.I": f"%r = pto.vmi.vshr %i, %i : {Z}, {Z} -> {Z}",
    "VABS.BF16": "%r = pto.vmi.vabs %bf : !pto.vmi.vreg<64xbf16> -> !pto.vmi.vreg<64xbf16>",
    "VADD.I": f"%r = pto.vmi.vadd %i, %i : {Z}, {Z} -> {Z}",
    "VCMP.F": f'%r = pto.vmi.vcmp %a, %b, %m {{cmp = "lt"}} : {F}, {F}, {M} -> {M}',
    "VCMP.I.FULL": f'%q = pto.vmi.pset "PAT_ALL" : {M}\n'
                   f'%r = pto.vmi.vcmp %i, %i, %q {{cmp = "lt"}} : {Z}, {Z}, {M} -> {M}',
    "VCVT.EXTF": f"%r = pto.vmi.vcvt %h : !pto.vmi.vreg<64xf16> -> {F}",
    "VCVT.TRUNCF": f'%r = pto.vmi.vcvt %a {{saturate = "SAT"}} : {F} -> !pto.vmi.vreg<64xf16>',
    "VCVT.FPTOSI": f'%r = pto.vmi.vcvt %a {{saturate = "SAT"}} : {F} -> {S}',
    "VCVT.FPTOUI": '%r = pto.vmi.vcvt %h {saturate = "SAT"} : !pto.vmi.vreg<64xf16> -> !pto.vmi.vreg<64xui8>',
    "VCVT.SITOFP": f"%r = pto.vmi.vcvt %si : {S} -> {F}",
    "VCVT.TRUNCI": f'%r = pto.vmi.vcvt %ui {{saturate = "SAT"}} : {U} -> !pto.vmi.vreg<64xui8>',
    "VLOAD": f"%r = pto.vmi.vload %p[%o] : {P} -> {F}",
    "VLOAD.COMPACT": f"%r = pto.vmi.vload %p[%o] : {P} -> !pto.vmi.vreg<8xf32>",
    "VLOAD.GROUP": f"%r = pto.vmi.vload %p[%o], %s {{group = 8}} : {P} -> {F}",
    "VLOAD.GROUP.SLOT": f"%r = pto.vmi.vload %p[%o], %s {{group = 8}} : {P} -> !pto.vmi.vreg<8xf32>",
    "VLOAD.GROUP.BRC": f'%r = pto.vmi.vload %p[%o], %s {{group = 8, dist_mode = "brc"}} : {P} -> {F}',
    "VLOAD.BRC": f'%r = pto.vmi.vload %p[%o] {{dist_mode = "brc"}} : {P} -> {F}',
    "VLOAD.STRIDE": f"%r = pto.vmi.vload %p[%o], %bs, %rs : {P} -> {F}",
    "VLOAD.DINTLV": f'%r, %t = pto.vmi.vload %p[%o] {{dist_mode = "dintlv"}} : {P} -> {F}, {F}',
    "VSTORE": f"pto.vmi.vstore %a, %p[%o] : {F}, {P}",
    "VSTORE.COMPACT": f"pto.vmi.vstore %g8, %p[%o] : !pto.vmi.vreg<8xf32>, {P}",
    "VSTORE.MASK": f"pto.vmi.vstore %a, %p[%o], %m : {F}, {P}, {M}",
    "VSTORE.GROUP": f"pto.vmi.vstore %a, %p[%o], %s {{group = 8}} : {F}, {P}",
    "VSTORE.DINTLV": f'pto.vmi.vstore %a, %b, %p[%o] {{dist_mode = "dintlv"}} : {F}, {F}, {P}',
    "VCADD.F": f"%r = pto.vmi.vcadd %a, %m {{reassoc}} : {F}, {M} -> !pto.vmi.vreg<1xf32>",
    "PGE.GROUP": f'%r = pto.vmi.pge "PAT_VL5" {{group = 8}} : {M}',
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_row_that_counts_is_the_first_that_holds(case: str) -> None:
    made = program(CASES[case])
    assert made.diagnostics == []
    row = next(row for row in CANONICAL if row.id == f"VMI.CANON.{case}")
    rows = [op.row for op in made.ops if op.node == len(made.graph.ops) - 1]
    assert rows == [row.id] * len(row.steps)


def test_values_between_have_types_of_their_own() -> None:
    made = program(CASES["VABS.BF16"])
    types = [made.types[value] for op in made.ops for _, value in op.results]
    assert [type_.element.text for type_ in types if isinstance(type_, VmiVectorType)] == ["i16", "i16", "i16", "bf16"]
    made = program(CASES["VLOAD.STRIDE"])
    mask = made.types[made.ops[0].results[0][1]]
    assert isinstance(mask, VmiMaskType)
    assert (mask.lanes, mask.granularity) == (64, "b32")


def test_constants_and_attributes() -> None:
    made = program(CASES["PGE.GROUP"])
    assert made.ops[0].operands == (("active_elems_per_group", Constant(5)),)
    assert made.ops[0].attrs == {"num_groups": 8, "group_size": 8}
    assert program(CASES["VCMP.F"]).ops[0].attrs == {"predicate": "olt"}
    assert program(CASES["VCADD.F"]).ops[0].attrs == {"num_groups": 1, "reassoc": True}
    assert program(CASES["VLOAD.COMPACT"]).ops[0].operand("source_group_stride") == Constant(1)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (f"%r = pto.vmi.vdiv %i, %i : {Z}, {Z} -> {Z}", "LS0302", "in this form and with these types"),
        (f'%r = pto.vmi.vload %p[%o] {{dist_mode = "unpack"}} : {P} -> {F}', "LS0302", "in this form"),
        (f'%r = pto.vmi.vadd %a, %b {{pmode = "merge"}} : {F}, {F} -> {F}', "LS0302", 'with `pmode = "merge"`'),
        (f"%r = pto.vmi.vcvt %ui : {U} -> {F}", "LS0302", "with these types"),
        (f"%r = pto.vmi.vtwist %a : {F} -> {F}", "LS0301", "no operation that is known"),
    ],
)
def test_what_has_no_form_is_named_and_the_rest_goes_on(text: str, code: str, message: str) -> None:
    made = program(f"{text}\npto.vmi.vstore %a, %p[%o] : {F}, {P}")
    assert [item.code for item in made.diagnostics] == [code]
    assert message in made.diagnostics[0].message
    assert [op.op for op in made.ops] == ["store"]


def test_rows_without_gaps_are_one_vector() -> None:
    for stride, op in ((8, "load"), (16, "group_load")):
        made = program(
            f"%n = arith.constant {stride} : index\n%r = pto.vmi.vload %p[%o], %n {{group = 8}} : {P} -> {F}"
        )
        assert [op.op for op in made.ops] == [op]
    assert program(CASES["VLOAD.GROUP"]).ops[0].op == "group_load"


def test_scalars_loaded_only_to_be_spread_are_spread_by_the_load() -> None:
    load = f"%x = pto.vmi.vload %p[%o], %s {{group = 8}} : {P} -> !pto.vmi.vreg<8xf32>\n"
    spread = f"%r = pto.vmi.vbrc %x {{group = 8}} : !pto.vmi.vreg<8xf32> -> {F}\n"
    made = program(load + spread)
    assert [(op.op, [role for role, _ in op.operands]) for op in made.ops] == [
        ("group_broadcast_load", ["source", "offset", "source_group_stride"])
    ]
    for other in (
        f"pto.vmi.vstore %x, %p[%o], %s {{group = 8}} : !pto.vmi.vreg<8xf32>, {P}\n",
        '"t.use"(%x) : (!pto.vmi.vreg<8xf32>) -> ()\n',
    ):
        assert [op.op for op in program(load + spread + other).ops][:2] == ["group_slot_load", "group_broadcast"]
