"""The canonical form of VMI programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.ops.vmi_canonical import CANONICAL
from layoutsolver.source import SourceFile
from layoutsolver.vmi.canonical import as_canonical, canonical_program
from layoutsolver.vmi.program import Constant, Operand, Outside, StepScalar, VmiOp, VmiProgram, VmiValue

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


def program(text: str, simple: bool = False) -> tuple[VmiProgram, list[Diagnostic]]:
    graph, diagnostics = build_graph(read(SourceFile("t", HEADER + text)))
    assert [item.message for item in diagnostics] == []
    return canonical_program(graph) if simple else as_canonical(graph)


def shown(made: VmiProgram, operand: Operand) -> str:
    if isinstance(operand, VmiValue):
        return operand.name if operand.graph_value >= 0 else f"{operand.name}.{operand.number}"
    if isinstance(operand, Outside):
        return made.graph.values[operand.value].name
    if isinstance(operand, StepScalar):
        return f"{operand.result} of {operand.op}"
    return str(operand.value)


def text_of(made: VmiProgram) -> str:
    """One line for each operation: results, mnemonic, operands by role, attributes, row."""
    lines = []
    for op in made.ops:
        left = ", ".join(shown(made, value) for value in op.results.values())
        right = ", ".join(f"{role} {shown(made, operand)}" for role, operand in op.operands.items())
        attrs = "".join(f" {name}={value}" for name, value in op.attrs.items())
        lines.append(f"{left}{' = ' if left else ''}{op.op} {right}{attrs}  [{op.row or 'as written'}]\n")
    return "".join(lines)


@pytest.mark.parametrize("name", ["vmi_surface", "vmi_legacy"])
def test_every_operation_has_a_normal_form(name: str, golden: Callable[[str, str], None]) -> None:
    text = (PROGRAMS / f"{name}.pto").read_text(encoding="utf-8")
    graph, _ = build_graph(read(SourceFile(name, text)))
    made, diagnostics = as_canonical(graph)
    assert diagnostics == []
    golden(f"vmi/{name.removeprefix('vmi_')}.txt", text_of(made))


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
    made, diagnostics = program(CASES[case])
    assert diagnostics == []
    row = next(row for row in CANONICAL if row.id == f"VMI.CANON.{case}")
    rows = [op.row for op in made.ops if op.origin == len(made.graph.ops) - 1]
    assert rows == [row.id] * len(row.steps)


def test_values_between_have_types_of_their_own() -> None:
    made, _ = program(CASES["VABS.BF16"])
    assert [value.element for op in made.ops for value in op.results.values()] == ["i16", "i16", "i16", "bf16"]
    made, _ = program(CASES["VLOAD.STRIDE"])
    mask = made.ops[0].results["result"]
    assert (mask.is_mask, mask.lanes, mask.bits) == (True, 64, 0)


def test_constants_and_attributes() -> None:
    def first(case: str) -> VmiOp:
        return program(CASES[case])[0].ops[0]

    assert first("PGE.GROUP").operands == {"active_elems_per_group": Constant(5)}
    assert first("PGE.GROUP").attrs == {"num_groups": 8, "group_size": 8}
    assert first("VCMP.F").attrs == {"predicate": "olt"}
    assert first("VCADD.F").attrs == {"num_groups": 1, "reassoc": "unit"}
    assert first("VLOAD.COMPACT").operands["source_group_stride"] == Constant(1)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (f"%r = pto.vmi.vdiv %i, %i : {Z}, {Z} -> {Z}", "LS0302", "in this form and with these types"),
        (f'%r = pto.vmi.vload %p[%o] {{dist_mode = "unpack"}} : {P} -> {F}', "LS0302", "in this form"),
        (f'%r = pto.vmi.vadd %a, %b {{pmode = "merge"}} : {F}, {F} -> {F}', "LS0302", 'with `pmode = "merge"`'),
        (f"%r = pto.vmi.vcvt %ui : {U} -> {F}", "LS0302", "with these types"),
    ],
)
def test_what_has_no_form_is_named_and_the_rest_goes_on(text: str, code: str, message: str) -> None:
    made, diagnostics = program(f"{text}\npto.vmi.vstore %a, %p[%o] : {F}, {P}")
    assert [item.code for item in diagnostics] == [code]
    assert message in diagnostics[0].message
    assert diagnostics[0].message.startswith("VMI-UNSUPPORTED: ")
    assert [op.op for op in made.ops] == ["store"]


def test_rows_without_gaps_are_one_vector() -> None:
    for stride, op in ((8, "load"), (16, "group_load")):
        text = f"%n = arith.constant {stride} : index\n%r = pto.vmi.vload %p[%o], %n {{group = 8}} : {P} -> {F}"
        assert [known.op for known in program(text, simple=True)[0].ops] == [op]
    assert program(CASES["VLOAD.GROUP"], simple=True)[0].ops[0].op == "group_load"


def test_scalars_loaded_only_to_be_spread_are_spread_by_the_load() -> None:
    load = f"%x = pto.vmi.vload %p[%o], %s {{group = 8}} : {P} -> !pto.vmi.vreg<8xf32>\n"
    spread = f"%r = pto.vmi.vbrc %x {{group = 8}} : !pto.vmi.vreg<8xf32> -> {F}\n"
    made, _ = program(load + spread, simple=True)
    assert [(op.op, list(op.operands)) for op in made.ops] == [
        ("group_broadcast_load", ["source", "offset", "source_group_stride"])
    ]
    other = f"pto.vmi.vstore %x, %p[%o], %s {{group = 8}} : !pto.vmi.vreg<8xf32>, {P}\n"
    made, _ = program(load + spread + other, simple=True)
    assert [op.op for op in made.ops][:2] == ["group_slot_load", "group_broadcast"]


def names(made: VmiProgram) -> list[str]:
    return [op.op for op in made.ops]


LOOP = f"""
func.func @f(%p: {P}, %o: index, %s: index, %a: {F}, %f: f32) {{
  scf.for %i = %o to %s step %o {{
    %b = pto.vmi.vbrc %f : f32 -> {F}
    %x = pto.vmi.vload %p[%i] : {P} -> {F}
    %y = pto.vmi.vadd %x, %b : {F}, {F} -> {F}
    %z = pto.vmi.vmul %a, %b : {F}, {F} -> {F}
    %w = pto.vmi.vadd %y, %z : {F}, {F} -> {F}
    pto.vmi.vstore %w, %p[%i] : {F}, {P}
  }}
  return
}}
"""


def in_function(text: str) -> VmiProgram:
    graph, diagnostics = build_graph(read(SourceFile("t", text)))
    assert diagnostics == []
    return canonical_program(graph)[0]


def test_what_a_loop_does_not_change_runs_once() -> None:
    made = in_function(LOOP)
    assert [(op.op, op.weight) for op in made.ops] == [
        ("broadcast", 1), ("mulf", 1), ("load", 16), ("addf", 16), ("addf", 16), ("store", 16)
    ]  # fmt: skip
    assert all(made.graph.ops[op.before].name == "scf.for" for op in made.ops[:2])
    assert [value.weight for value in made.values if value.name in ("%b", "%x")] == [1, 16]


def test_what_is_computed_twice_is_computed_once() -> None:
    twice = f"""
func.func @f(%p: {P}, %o: index, %a: {F}) {{
  %x = pto.vmi.vload %p[%o] : {P} -> {F}
  %y = pto.vmi.vload %p[%o] : {P} -> {F}
  %u = pto.vmi.vadd %x, %a : {F}, {F} -> {F}
  %v = pto.vmi.vadd %y, %a : {F}, {F} -> {F}
  MIDDLE
  %z = pto.vmi.vload %p[%o] : {P} -> {F}
  %w = pto.vmi.vadd %z, %u : {F}, {F} -> {F}
  pto.vmi.vstore %w, %p[%o] : {F}, {P}
  return
}}
"""
    assert names(in_function(twice.replace("MIDDLE", ""))) == ["load", "addf", "addf", "store"]
    write = f"pto.vmi.vstore %v, %p[%o] : {F}, {P}"
    for middle in (write, '"t.unknown"() : () -> ()', 'pto.mem_bar "VST_VLD"'):
        made = names(in_function(twice.replace("MIDDLE", middle)))
        assert made == ["load", "addf", *(["store"] if middle == write else []), "load", "addf", "store"]


def test_what_runs_in_one_branch_does_not_serve_the_other() -> None:
    made = in_function(f"""
func.func @f(%p: {P}, %o: index, %a: {F}, %c: i1) {{
  scf.if %c {{
    %x = pto.vmi.vexp %a : {F} -> {F}
    pto.vmi.vstore %x, %p[%o] : {F}, {P}
  }} else {{
    %y = pto.vmi.vexp %a : {F} -> {F}
    pto.vmi.vstore %y, %p[%o] : {F}, {P}
  }}
  %z = pto.vmi.vexp %a : {F} -> {F}
  pto.vmi.vstore %z, %p[%o] : {F}, {P}
  return
}}
""")
    assert names(made) == ["exp", "store"] * 3


def test_zeroing_of_a_unary_operation_is_a_selection() -> None:
    made, _ = program(f'%r = pto.vmi.vexp %a, %m {{pmode = "zero"}} : {F}, {M} -> {F}')
    assert names(made) == ["exp", "constant", "select"]
    assert made.ops[2].results["result"].name == "%r"
    assert made.ops[2].operands["true_value"] == made.ops[0].results["result"]


def test_a_store_under_a_full_mask_needs_none() -> None:
    for lanes, op in ((64, "store"), (63, "masked_store")):
        text = f"%n = arith.constant {lanes} : index\n%k = pto.vmi.create_mask %n : index -> {M}\n"
        made, _ = program(f"{text}pto.vmi.vstore %a, %p[%o], %k : {F}, {P}, {M}", simple=True)
        assert names(made) == ["create_mask", op]
