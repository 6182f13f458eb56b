"""What types of an operation say against each other: every row of the verifier, and text that it takes."""

from __future__ import annotations

import pytest

from layoutsolver.api_vmi import annotate, solve
from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from layoutsolver.ops.registry import pto_specs
from layoutsolver.ops.spec import Kind
from layoutsolver.pose.vmi.upstream.compat import input_verdict
from layoutsolver.source import SourceFile
from layoutsolver.vmi.agreement import layout_faults, width_faults
from layoutsolver.vmi.check import check_types
from layoutsolver.vmi.stated import choice_as_stated
from layoutsolver_models.rules.vmi.agreement import AGREEMENTS, Agreement
from layoutsolver_models.solve.layout import Limits
from tests.cli.test_vmi_stated import read_posed
from tests.support.vmi_programs import random_kernel
from tests.support.vmi_wide import wide_kernel

C, D2, LS2 = "contiguous", "deinterleaved = 2", "contiguous, lane_stride = 2"
GS8 = "num_groups = 128, slots = 8"


def v(layout: str, element: str = "f32", lanes: int = 128) -> str:
    return f"!pto.vmi.vreg<{lanes}x{element}{f', #pto.vmi.layout<{layout}>' if layout else ''}>"


def m(layout: str, bits: int = 32, lanes: int = 128) -> str:
    return f"!pto.vmi.mask<{lanes}xb{bits}{f', #pto.vmi.layout<{layout}>' if layout else ''}>"


def graph_of(*lines: str) -> Graph:
    text = "\n".join(f"  {line}" for line in lines)
    graph, found = build_graph(read(SourceFile("t.pto", f"func.func @f() {{\n{text}\n  return\n}}\n")))
    assert found == []
    return graph


def operation(op: str, types: dict[str, str], attrs: str = "") -> Graph:
    """An operation in its generic form, its roles having these types; what is no vector comes from elsewhere."""
    spec = pto_specs()[f"pto.vmi.{op}"]
    taken = [role.name for role in spec.operands if role.name in types or not role.optional]
    made = [role.name for role in spec.results if role.name in types or not (role.optional or role.variadic)]
    types = {**{role.name: m("") if role.kind is Kind.MASK else v("") for role in spec.results}, **types}
    lines, operands = [], []
    for name in taken:
        pointer = name == "destination" or (name == "source" and op == "vload")
        known = types.get(name, "!pto.ptr<f32, ub>" if pointer else "index")
        lines.append(f'%{name} = "t.v"() : () -> {known}')
        operands.append((f"%{name}", known))
    names = ", ".join(f"%r{place}" for place in range(len(made)))
    if op in ("vload", "vstore"):
        return graph_of(*lines, _memory(op, names, types, attrs))
    call = f'"pto.vmi.{op}"({", ".join(name for name, _ in operands)}) {attrs} : ({", ".join(t for _, t in operands)})'
    lines.append(f"{names}{' = ' if made else ''}{call} -> ({', '.join(types[name] for name in made)})")
    return graph_of(*lines)


def _memory(op: str, names: str, types: dict[str, str], attrs: str) -> str:
    """A load or store in its custom form, which alone says which operands it has."""
    if op == "vload":
        made = ", ".join(types[role] for role in ("result", "high") if role in types)
        return f"{names} = pto.vmi.vload %source[%offset] {attrs} : !pto.ptr<f32, ub> -> {made}"
    stored = [role for role in ("value", "high") if role in types]
    mask, of_mask = (", %mask", f", {types['mask']}") if "mask" in types else ("", "")
    data = ", ".join(types[role] for role in stored)
    values = ", ".join(f"%{role}" for role in stored)
    return f"pto.vmi.vstore {values}, %destination[%offset]{mask} {attrs} : {data}, !pto.ptr<f32, ub>{of_mask}"


def said(graph: Graph) -> list[str]:
    node = next(node for node in graph.ops if node.name.startswith("pto.vmi."))
    return [*width_faults(graph, node), *layout_faults(graph, node)]


def roles_of(row: Agreement, op: str) -> dict[str, str]:
    """Types for all roles that a row speaks of, which agree."""
    spec = pto_specs()[f"pto.vmi.{op}"]
    known = [role.name for role in (*spec.operands, *spec.results)]
    lies = dict(row.lies)
    types: dict[str, str] = {"result": v(C)} if op == "vload" else {}
    for role in known:
        if role in row.masks or (role in row.each_other and not row.alike):
            types[role] = m(C)
        elif role in (*row.alike, *row.together, row.like) or role in lies:
            types[role] = v(C if "c" in lies.get(role, ("c",)) else GS8)
    return types


CASES = [(row, op) for row in AGREEMENTS for op in row.ops]
MASKED = [(row, op, role) for row, op in CASES for role in row.masks if role in roles_of(row, op)]
ALIKE = [(row, op, role) for row, op in CASES for role in row.alike[1:] if role in roles_of(row, op)]


def test_all_operations_of_rows_are_known_and_in_one_row() -> None:
    assert len(CASES) == len({op for _, op in CASES}) > 90
    specs = pto_specs()
    for row, op in CASES:
        spec = specs[f"pto.vmi.{op}"]
        roles = {role.name for role in (*spec.operands, *spec.results)}
        assert {row.like} <= roles | {""}
        assert set(row.alike) <= roles | {"high"}


def test_every_operation_with_a_mask_is_in_a_row_that_speaks_of_it() -> None:
    rows = {op: row for row, op in CASES}
    for name, spec in pto_specs().items():
        op = name.removeprefix("pto.vmi.")
        roles = {role.name for role in spec.operands if role.name in ("mask", "seed", "carry_in")}
        if name.startswith("pto.vmi.") and roles and op not in ("vdhist", "vchist"):
            assert roles <= set(rows[op].masks), op


@pytest.mark.parametrize(("row", "op"), CASES, ids=[op for _, op in CASES])
def test_types_that_agree_are_taken(row: Agreement, op: str) -> None:
    attrs = "{group = 128}" if row.grouped else ""
    assert said(operation(op, roles_of(row, op), attrs)) == []


@pytest.mark.parametrize(("row", "op", "role"), MASKED, ids=[f"{op} {role}" for _, op, role in MASKED])
def test_a_mask_of_another_width_or_layout_is_named(row: Agreement, op: str, role: str) -> None:
    types = roles_of(row, op)
    spoken = role.replace("_", " ")
    found = said(operation(op, {**types, role: m(C, 16)}))
    assert f"has elements of 32 bits and a {spoken} of granularity b16" in found
    found = said(operation(op, {**types, role: m(D2)}))
    assert any(f"has a {spoken} in another layout than its elements" in text for text in found)
    found = said(operation(op, {**types, role: m("")}))
    assert any("of which one alone states a layout" in text for text in found)


@pytest.mark.parametrize(("row", "op", "role"), ALIKE, ids=[f"{op} {role}" for _, op, role in ALIKE])
def test_vectors_in_two_layouts_are_named(row: Agreement, op: str, role: str) -> None:
    types = roles_of(row, op)
    assert any("has layouts that differ" in text for text in said(operation(op, {**types, role: v(D2)})))
    assert any("beside one that states none" in text for text in said(operation(op, {**types, role: v("")})))


@pytest.mark.parametrize(
    ("op", "types", "attrs", "fault"),
    [
        ("vand", {"lhs": m(C), "rhs": m(D2), "result": m(C)}, "", "has layouts that differ"),
        ("vintlv", {"lhs": v(C), "rhs": v(C), "mask": m(C), "low": v(D2), "high": v("")}, "", "states none"),
        ("vintlv", {"lhs": v(C), "rhs": v(C), "mask": m(C), "low": v(D2), "high": v(D2)}, "", ""),
        ("group_broadcast", {"source": v(C), "result": v(C)}, "{num_groups = 128}", "its source in a layout"),
        ("group_broadcast", {"source": v(GS8), "result": v(GS8)}, "{num_groups = 128}", "its result in a layout"),
        ("vcadd", {"source": v(C), "mask": m(C), "result": v(C)}, "{group = 128, reassoc}", "its result in a layout"),
        ("vcadd", {"source": v(C), "mask": m(C), "result": v(C, lanes=1)}, "{reassoc}", ""),
        ("vstore", {"value": v(D2), "high": v(D2)}, '{dist_mode = "dintlv"}', "its high in a layout"),
        ("deinterleave_load", {"source": "!pto.ptr<f32, ub>", "low": v(LS2), "high": v(LS2)}, "", ""),
    ],
)
def test_other_faults_of_layouts(op: str, types: dict[str, str], attrs: str, fault: str) -> None:
    found = said(operation(op, types, attrs))
    assert (found == []) == (not fault)
    assert not fault or any(fault in text for text in found), found


CHANNELS = """func.func @f(%a: {one}, %b: {two}) {{
  %x = "pto.vmi.channel_merge"(%a, %b) : ({one}, {two}) -> {made}
  return
}}
"""


@pytest.mark.parametrize(
    ("one", "made", "kind"), [(C, D2, ""), (D2, D2, "VERIFIER"), (C, "deinterleaved = 4", "VERIFIER"), (C, C, "")]
)
def test_channels_lie_one_behind_the_other_or_by_turns(one: str, made: str, kind: str) -> None:
    text = CHANNELS.format(one=v(one, lanes=64), two=v(C, lanes=64), made=v(made))
    graph, _ = build_graph(read(SourceFile("t.pto", text)))
    assert input_verdict(graph).kind == kind


# -- what is written ----------------------------------------------------------------------------------------------


def faults_of(text: str) -> list[str]:
    """What the verifier says of a text, and what it leaves open."""
    graph, found = build_graph(read(SourceFile("t.pto", text)))
    assert [item.message for item in found if item.severity == "error"] == []
    out = [item.message for item in check_types(graph)]
    for node in graph.ops:
        if node.name.startswith("pto.vmi."):
            out += [f"{node.name} {reason}" for reason in layout_faults(graph, node)]
    return out


F, H, B, MASK = (f"!pto.vmi.{shape}" for shape in ("vreg<128xf32>", "vreg<128xf16>", "vreg<128xi8>", "mask<128xpred>"))
HEAD = f"""func.func @f(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f16, ub>, %o: index, %k: i32, %i: index, %s: f32, %a: {F},
    %h: {H}, %b: {B}, %m: {MASK}) -> ({F}, {H}) {{
"""
TAIL = f"  return %x, %y : {F}, {H}\n}}\n"
USED = f"  %y = pto.vmi.vsel %m, %h, %h : {MASK}, {H}, {H} -> {H}\n"
DROPPING = {
    "an elementwise operation": f"  %x = pto.vmi.vadd %a, %a, %m : {F}, {F}, {MASK} -> {F}\n",
    "a unary operation": f"  %x = pto.vmi.vexp %a, %m : {F}, {MASK} -> {F}\n",
    "a fused operation": f"  %x = pto.vmi.vmula %a, %a, %a, %m : {F}, {F}, {F}, {MASK} -> {F}\n",
    "a scaled sum": f'  %x = "pto.vmi.vaxpy"(%a, %a, %s, %m) : ({F}, {F}, f32, {MASK}) -> {F}\n',
    "a leaky operation": f'  %x = "pto.vmi.vlrelu"(%a, %s, %m) : ({F}, f32, {MASK}) -> {F}\n',
    "a leaky operation by lanes": f"  %x = pto.vmi.vprelu %a, %a, %m : {F}, {F}, {MASK} -> {F}\n",
    "the second of two that compute the same": (
        f'  %all = pto.vmi.pset "PAT_ALL" : {MASK}\n  %z = pto.vmi.vadd %a, %a : {F}, {F} -> {F}\n'
        f"  %x = pto.vmi.vadd %a, %a, %all : {F}, {F}, {MASK} -> {F}\n"
        f"  %g = pto.vmi.vadd %h, %h, %all : {H}, {H}, {MASK} -> {H}\n"
        f"  pto.vmi.vstore %z, %p[%o] : {F}, !pto.ptr<f32, ub>\n  pto.vmi.vstore %g, %q[%o] : {H}, !pto.ptr<f16, ub>\n"
    ),
    "a full seed": (
        f'  %all = pto.vmi.pset "PAT_ALL" : {MASK}\n'
        f'  %c = pto.vmi.vcmp %a, %a, %all {{cmp = "lt"}} : {F}, {F}, {MASK} -> {MASK}\n'
        f"  %x = pto.vmi.vsel %c, %a, %a : {MASK}, {F}, {F} -> {F}\n"
        f'  %d = pto.vmi.vcmp %h, %h, %all {{cmp = "lt"}} : {H}, {H}, {MASK} -> {MASK}\n'
        f"  %z = pto.vmi.vsel %d, %h, %h : {MASK}, {H}, {H} -> {H}\n"
        f"  pto.vmi.vstore %z, %q[%o] : {H}, !pto.ptr<f16, ub>\n"
    ),
    "a full mask of a store": (
        f'  %all = pto.vmi.pset "PAT_ALL" : {MASK}\n'
        f"  pto.vmi.vstore %a, %p[%o], %all : {F}, !pto.ptr<f32, ub>, {MASK}\n"
        f"  pto.vmi.vstore %h, %q[%o], %all : {H}, !pto.ptr<f16, ub>, {MASK}\n"
        f"  %x = pto.vmi.vabs %a : {F} -> {F}\n"
    ),
    "a prefix whose rest is used": (
        f"  %t, %rest = pto.vmi.plt %k : i32 -> {MASK}, i32\n  %u, %last = pto.vmi.plt %rest : i32 -> {MASK}, i32\n"
        f"  %v = pto.vmi.vneg %a, %t : {F}, {MASK} -> {F}\n  %w = pto.vmi.vneg %h, %t : {H}, {MASK} -> {H}\n"
        f"  %x = pto.vmi.vsel %u, %v, %a : {MASK}, {F}, {F} -> {F}\n"
        f"  pto.vmi.vstore %w, %q[%o] : {H}, !pto.ptr<f16, ub>\n"
    ),
    "what nobody takes": (
        f"  %dead = pto.vmi.vadd %a, %a, %m : {F}, {F}, {MASK} -> {F}\n  %x = pto.vmi.vabs %a : {F} -> {F}\n"
        f'  %n = pto.vmi.vcvt %dead {{saturate = "SAT"}} : {F} -> {H}\n'
    ),
}  # fmt: skip


SHOWN = {
    "a full seed": ('vcmp %a, %a, %all {cmp = "lt"}', 'vcmp %h, %h, %all_b16_c {cmp = "lt"}'),
    "a full mask of a store": ("vstore %a, %p[%o], %all :", "vstore %h, %q[%o], %all_b16_c :"),
    "what nobody takes": ("%dead = pto.vmi.vadd %a, %a, %m_b32_c :", "ensure_mask_granularity"),
}
"""What stands in the text: masks are made again or converted, and none is left out that can be had."""


@pytest.mark.parametrize("name", DROPPING)
def test_masks_that_rows_drop_agree_with_what_they_govern(name: str) -> None:
    result = solve(SourceFile("t.pto", HEAD + DROPPING[name] + USED + TAIL))
    assert result.ok
    assert result.solution is not None
    text = annotate(result)
    assert faults_of(text) == []
    assert "xpred>" not in text
    assert all(line in text for line in SHOWN.get(name, ()))
    assert text.count("PAT_ALL") == 2 * DROPPING[name].count("PAT_ALL"), "one for each width, and no other"
    assert "xf32>" not in text.partition("{\n")[2].replace("vreg<64xf32>", "")
    found, wrong = choice_as_stated(read_posed(text), Limits())
    assert wrong == []
    assert found is not None
    assert found.load == result.solution.load


TWICE = """func.func @f(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f8E4M3FN, ub>, %o: index, %k: i32, %a: FLOATS,
    %b: BYTES) -> i32 {
  %m, %rest = pto.vmi.plt %k : i32 -> !pto.vmi.mask<256xpred>, i32
  pto.vmi.vstore %a, %p[%o], %m : FLOATS, !pto.ptr<f32, ub>, !pto.vmi.mask<256xpred>
  pto.vmi.vstore %b, %q[%o], %m : BYTES, !pto.ptr<f8E4M3FN, ub>, !pto.vmi.mask<256xpred>
  return %rest : i32
}
"""


def test_an_operation_that_is_written_twice_has_names_of_its_own_for_all_that_it_makes() -> None:
    shapes = {"FLOATS": "!pto.vmi.vreg<256xf32>", "BYTES": "!pto.vmi.vreg<256xf8E4M3FN>"}
    text = TWICE.replace("FLOATS", shapes["FLOATS"]).replace("BYTES", shapes["BYTES"])
    made = annotate(solve(SourceFile("t.pto", text)))
    assert made.count("pto.vmi.plt %k") == 2
    assert made.count("%rest = ") == 1
    assert faults_of(made) == []


def test_a_sum_that_lies_in_a_slot_is_read_again_as_one() -> None:
    one = "!pto.vmi.vreg<1xf32>"
    text = (
        f"func.func @f(%p: !pto.ptr<f32, ub>, %o: index, %a: {F}, %m: {MASK}) {{\n"
        f"  %s = pto.vmi.vcadd %a, %m {{reassoc}} : {F}, {MASK} -> {one}\n"
        f"  pto.vmi.vstore %s, %p[%o] : {one}, !pto.ptr<f32, ub>\n  return\n}}\n"
    )
    result = solve(SourceFile("t.pto", text))
    assert result.solution is not None
    made = annotate(result)
    assert "vreg<1xf32, #pto.vmi.layout<num_groups = 1, slots = 1>>" in made
    found, wrong = choice_as_stated(read_posed(made), Limits())
    assert wrong == []
    assert found is not None
    assert found.load == result.solution.load


BLOCKS = HEAD + (
    f"  %rows = arith.constant 64 : index\n  %one = arith.constant 1 : index\n"
    f"  %g = pto.vmi.vload %p[%o], %rows {{group = 8}} : !pto.ptr<f32, ub> -> {F}\n"
    f"  %t = pto.vmi.vadd %g, %g, %m : {F}, {F}, {MASK} -> {F}\n"
    f'  %u = "pto.vmi.vaxpy"(%t, %g, %s, %m) : ({F}, {F}, f32, {MASK}) -> {F}\n'
    f'  %w = "pto.vmi.vaxpy"(%u, %g, %s, %m) : ({F}, {F}, f32, {MASK}) -> {F}\n'
    f'  %all = pto.vmi.pset "PAT_ALL" : {MASK}\n'
    f"  %r = pto.vmi.vcadd %g, %all {{group = 8, reassoc}} : {F}, {MASK} -> !pto.vmi.vreg<8xf32>\n"
    "  pto.vmi.vstore %r, %p[%o], %one {group = 8} : !pto.vmi.vreg<8xf32>, !pto.ptr<f32, ub>\n"
    f"  %x = pto.vmi.vabs %a : {F} -> {F}\n"
)


def test_a_mask_that_nothing_brings_to_the_elements_is_left_out_or_full() -> None:
    text = annotate(solve(SourceFile("t.pto", BLOCKS + USED + TAIL)))
    assert faults_of(text) == []
    layout = "#pto.vmi.layout<block_deinterleaved = 2>"
    assert f"%t = pto.vmi.vadd %g, %g : !pto.vmi.vreg<128xf32, {layout}>, !pto.vmi.vreg<128xf32, {layout}> ->" in text
    assert f'  %m_all = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<128xb32, {layout}>\n  %u = "pto.vmi.vaxpy"' in text
    assert '  %m_all_ = pto.vmi.pset "PAT_ALL"' in text
    assert "(%u, %g, %s, %m_all_)" in text


@pytest.mark.parametrize("seed", range(4))
def test_the_verifier_takes_what_is_written_of_random_programs(seed: int) -> None:
    for text in (random_kernel(seed, 8), wide_kernel(seed + 14, 8)):  # 17 copies a load that dead code takes as well
        result = solve(SourceFile("t.pto", text))
        if result.ok:
            assert faults_of(annotate(result)) == []
