"""The released compiler's layouts, conversions and verdicts, against what it really made of many programs."""

from __future__ import annotations

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.upstream.assign import UpstreamVmi
from layoutsolver.pose.vmi.upstream.compat import upstream_of
from layoutsolver.pose.vmi.upstream.seeds import text_of
from layoutsolver.pose.vmi.upstream.verdict import ENSURES
from layoutsolver.source import SourceFile
from tests.pose.vmi.facts import FACTS, graph_of, named, ordered

NAMES = sorted(FACTS)
NAMED = [name for name in NAMES if FACTS[name]["layouts"] and not next(iter(FACTS[name]["layouts"]))[0].isdigit()]
INLINED = [name for name in NAMES if FACTS[name]["layouts"] and next(iter(FACTS[name]["layouts"]))[0].isdigit()]
"""Programs with calls: behind inlining, values go by the place and the name of their operation."""


def test_the_facts_are_many() -> None:
    assert (len(NAMES), len(NAMED), len(INLINED)) == (265, 240, 8)


@pytest.mark.parametrize("name", NAMES)
def test_verdict_and_the_line_that_it_names(name: str) -> None:
    graph, fact = graph_of(name), FACTS[name]
    verdict = upstream_of(graph).verdict
    assert (verdict.ok, verdict.kind) == (fact["verdict"] == "ok", fact["message_kind"] or "")
    if verdict.origin >= 0:
        line, _ = graph.module.source.line_column(graph.ops[verdict.origin].span.start)
        assert line == fact["message_line"]
    elif not verdict.ok:
        assert fact["message_line"] == 2  # the module: no operation is named


@pytest.mark.parametrize("name", [*NAMED, *INLINED])
def test_conversions_before_and_behind_the_clean_up(name: str) -> None:
    found, fact = upstream_of(graph_of(name)), FACTS[name]
    assert found.assigned is not None
    assert found.final is not None
    assert (found.assigned.ensures, found.final.ensures) == (fact["ensures"], fact["ensures_final"])


@pytest.mark.parametrize("name", NAMED)
def test_layouts_of_every_name(name: str) -> None:
    graph, fact = graph_of(name), FACTS[name]
    found = upstream_of(graph)
    assert found.assigned is not None
    assert found.final is not None
    first, last = named(graph, found.assigned), named(graph, found.final)
    expected = ordered(fact["layouts"])
    assert {key: first.get(key) for key in expected} == expected
    expected |= ordered(fact["layouts_final"])
    assert {key: last.get(key, expected[key]) for key in expected} == expected
    assert {key: last.get(key) for key in fact["layouts_final"]} == ordered(fact["layouts_final"])


@pytest.mark.parametrize("name", INLINED)
def test_layouts_of_a_program_whose_calls_are_inlined(name: str) -> None:
    found, fact = upstream_of(graph_of(name)), FACTS[name]
    assert found.assigned is not None
    assert list(found.operations) == [f"{key.partition(':')[2]}: {layout}" for key, layout in fact["layouts"].items()]


def decided(text: str, narrowing: bool = True) -> tuple[UpstreamVmi, dict[str, str]]:
    graph, diagnostics = build_graph(read(SourceFile("t.pto", text)))
    assert not diagnostics
    found = upstream_of(graph, narrowing)
    assert found.final is not None
    return found, named(graph, found.final)


ROUND_TRIP = """
func.func @k(%p: !pto.ptr<f16, ub>, %q: !pto.ptr<f32, ub>, %o: index) {
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f16, ub> -> !pto.vmi.vreg<128xf16>
  %n = pto.vmi.vcvt %x {saturate = "SAT"} : !pto.vmi.vreg<128xf16> -> !pto.vmi.vreg<128xf8E4M3FN>
  %w = pto.vmi.vcvt %n : !pto.vmi.vreg<128xf8E4M3FN> -> !pto.vmi.vreg<128xf32>
  pto.vmi.vstore %w, %q[%o] : !pto.vmi.vreg<128xf32>, !pto.ptr<f32, ub>
  return
}
"""


def test_the_preference_for_lane_strides_decides_whether_a_round_trip_compiles() -> None:
    found, layouts = decided(ROUND_TRIP)
    assert (found.verdict.kind, layouts["%n"]) == ("VMI-RESIDUAL-OP", "contiguous, lane_stride = 2")
    found, layouts = decided(ROUND_TRIP, narrowing=False)
    assert (found.verdict.ok, layouts["%n"]) == (True, "contiguous")


def test_layouts_in_the_text_are_refused_as_the_driver_does() -> None:
    text = ROUND_TRIP.replace("!pto.vmi.vreg<128xf16>", "!pto.vmi.vreg<128xf16, #pto.vmi.layout<contiguous>>")
    graph, _ = build_graph(read(SourceFile("t.pto", text)))
    assert upstream_of(graph).verdict.kind == "VMI-PASS-INVARIANT"


def test_of_two_casts_the_later_one_decides() -> None:
    text = """
func.func @k(%p: !pto.ptr<ui8, ub>, %q: !pto.ptr<ui16, ub>, %r: !pto.ptr<ui32, ub>, %o: index) {
  %x = pto.vmi.vload %p[%o] : !pto.ptr<ui8, ub> -> !pto.vmi.vreg<64xui8>
  %a = pto.vmi.vcvt %x : !pto.vmi.vreg<64xui8> -> !pto.vmi.vreg<64xui16>
  pto.vmi.vstore %a, %q[%o] : !pto.vmi.vreg<64xui16>, !pto.ptr<ui16, ub>
  %b = pto.vmi.vcvt %x : !pto.vmi.vreg<64xui8> -> !pto.vmi.vreg<64xui32>
  pto.vmi.vstore %b, %r[%o] : !pto.vmi.vreg<64xui32>, !pto.ptr<ui32, ub>
  return
}
"""
    found, layouts = decided(text)
    assert layouts["%x"] == "contiguous, lane_stride = 4"
    assert found.verdict.kind == "VMI-LAYOUT-CONTRACT"
    assert found.verdict.message.startswith("pto.vmi.extui operand #0 has type !pto.vmi.vreg<64xui8, ")


def test_an_equal_operation_is_made_once_and_a_dead_one_never() -> None:
    text = """
func.func @k(%p: !pto.ptr<f32, ub>, %o: index) {
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>
  %a = pto.vmi.vabs %x : !pto.vmi.vreg<64xf32> -> !pto.vmi.vreg<64xf32>
  %b = pto.vmi.vabs %x : !pto.vmi.vreg<64xf32> -> !pto.vmi.vreg<64xf32>
  %dead = pto.vmi.vsqrt %x : !pto.vmi.vreg<64xf32> -> !pto.vmi.vreg<64xf32>
  %s = pto.vmi.vadd %a, %b : !pto.vmi.vreg<64xf32>, !pto.vmi.vreg<64xf32> -> !pto.vmi.vreg<64xf32>
  pto.vmi.vstore %s, %p[%o] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>
  return
}
"""
    found, layouts = decided(text)
    assert set(layouts) == {"%x", "%a", "%s"}
    assert not any(node.name in ENSURES for node in found.net.walk())


def test_a_layout_without_slots_is_spelled_as_the_attribute() -> None:
    assert text_of("gs", 4) == "num_groups = 4"


def test_scalars_between_two_loads_do_not_keep_them_apart_and_a_store_does() -> None:
    load = "pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>"
    text = f"""
func.func @k(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index, %c: index) {{
  %x = {load}
  %at = arith.addi %o, %c : index
  %y = {load}
  %s = pto.vmi.vadd %x, %y : !pto.vmi.vreg<64xf32>, !pto.vmi.vreg<64xf32> -> !pto.vmi.vreg<64xf32>
  pto.vmi.vstore %s, %q[%at] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>
  return
}}
"""
    assert set(decided(text)[1]) == {"%x", "%s"}
    store = "pto.vmi.vstore %x, %q[%o] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>"
    assert set(decided(text.replace("  %y", f"  {store}\n  %y"))[1]) == {"%x", "%y", "%s"}


REDUCED = """
func.func @k(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index) {
  %m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<LANESxpred>
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<LANESxf32>
  %s = pto.vmi.vcmax %x, %m {group = 4} :
    !pto.vmi.vreg<LANESxf32>, !pto.vmi.mask<LANESxpred> -> !pto.vmi.vreg<4xf32>
  %w = pto.vmi.vbrc %s {group = 4} : !pto.vmi.vreg<4xf32> -> !pto.vmi.vreg<LANESxf32>
  %e = pto.vmi.vexp %w : !pto.vmi.vreg<LANESxf32> -> !pto.vmi.vreg<LANESxf32>
  pto.vmi.vstore %e, %q[%o] : !pto.vmi.vreg<LANESxf32>, !pto.ptr<f32, ub>
  return
}
"""


@pytest.mark.parametrize(("lanes", "layout"), [(32, "contiguous, lane_stride = 2"), (64, "contiguous")])
def test_groups_of_a_block_are_spread_where_they_leave_a_part_of_the_register_empty(lanes: int, layout: str) -> None:
    found, layouts = decided(REDUCED.replace("LANES", str(lanes)))
    assert (found.verdict.ok, layouts["%w"]) == (True, layout)


RAMP = """
func.func @k(%q: !pto.ptr<si32, ub>, %r: !pto.ptr<si16, ub>, %o: index, %b: si16) {
  %m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<64xpred>
  %d = pto.vmi.vload %r[%o] : !pto.ptr<si16, ub> -> !pto.vmi.vreg<64xsi16>
  %x = pto.vmi.vci %b {group = 8} : si16 -> !pto.vmi.vreg<64xsi16>
  USE
  %w = pto.vmi.vcvt %x : !pto.vmi.vreg<64xsi16> -> !pto.vmi.vreg<64xsi32>
  pto.vmi.vstore %w, %q[%o] : !pto.vmi.vreg<64xsi32>, !pto.ptr<si32, ub>
  return
}
"""


@pytest.mark.parametrize(
    ("use", "wanted", "ramps"),
    [
        ("%t = pto.vmi.vselr %d, %x : !pto.vmi.vreg<64xsi16>, !pto.vmi.vreg<64xsi16> -> !pto.vmi.vreg<64xsi16>\n"
         "  pto.vmi.vstore %t, %r[%o] : !pto.vmi.vreg<64xsi16>, !pto.ptr<si16, ub>", "contiguous", 2),
        ("%t = pto.vmi.vcmax %x, %m : !pto.vmi.vreg<64xsi16>, !pto.vmi.mask<64xpred> -> !pto.vmi.vreg<1xsi16>\n"
         "  pto.vmi.vstore %t, %r[%o] : !pto.vmi.vreg<1xsi16>, !pto.ptr<si16, ub>", "deinterleaved = 4", 1),
    ],
)  # fmt: skip
def test_a_ramp_in_groups_is_made_again_only_if_its_elements_stay_in_a_row(use: str, wanted: str, ramps: int) -> None:
    found, _ = decided(RAMP.replace("USE", use))
    assert found.assigned is not None
    assert found.final is not None
    conversions = {f"64xsi16: contiguous, lane_stride = 2 -> {wanted}": 1}
    assert found.assigned.ensures == conversions
    assert found.final.ensures == ({} if ramps == 2 else conversions)
    assert sum(node.name == "group_iota" for node in found.net.walk()) == ramps
