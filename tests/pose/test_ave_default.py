"""The default mode: what a register holds, boundaries, and operations for which the analyzer has no rule."""

from __future__ import annotations

import pytest

from layoutsolver.api import SolveOptions, solve
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import check_solution, compare_programs
from layoutsolver.verify.program import plain_program, solved_program
from layoutsolver_models.vecmem import LAYOUTS, VECMEM_TYPES
from tests.support.solving import codes, function_types, layouts_by_name, solve_text


def function(body: str, arguments: str = "") -> str:
    """A function around operations; `%c0` is index 0, memrefs of each width are `%b8` … `%b32`."""
    memrefs = "%p1: memref<64xi1>, %b8: memref<64xi8>, %b16: memref<64xf16>, %b32: memref<64xf32>"
    extra = f", {arguments}" if arguments else ""
    return (
        f"func.func @f({memrefs}{extra}) attributes {{hivm.vector_function}} {{\n"
        f"  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n{body}\n  return\n}}\n"
    )


def vec(lanes: int, element: str, layout: str = "") -> str:
    """A vector type, with its layout if one is given."""
    tail = f", #ave.vector_layout<{{mem = #ave.vec_mem_type<{layout}>}}>" if layout else ""
    return f"vector<{lanes}x{element}{tail}>"


def feasible(body: str, arguments: str = "") -> bool:
    result = solve_text(function(body, arguments))
    assert [code for code in codes(result) if code != "LS0101"] == []
    return result.ok


# -- operations that the analyzer refuses -------------------------------------------------------------------------


@pytest.mark.parametrize("index", ["b32"])
@pytest.mark.parametrize(("element", "accepted"), [("f16", {"b16_2vl"}), ("f32", {"b32"})])
def test_scatter_accepts_data_in_32_bit_slots(element: str, accepted: set[str], index: str) -> None:
    bits = int(element[1:])
    for layout in LAYOUTS:
        if VECMEM_TYPES[layout].bits != bits:
            continue
        body = "  %m = ave.hir.pge <ALL> : vector<64xi1>\n" + (
            f"  ave.hir.vscatter %b{bits}[%c0] [%i], %m, %v : "
            f"memref<64x{element}>, vector<64xindex>, vector<64xi1>, {vec(64, element, layout)}"
        )
        arguments = f"%i: vector<64xindex>, %v: {vec(64, element, layout)}"
        assert feasible(body, arguments) == (layout in accepted), layout


def test_scatter_mask_has_the_granularity_of_the_slots() -> None:
    body = (
        "  ave.hir.vscatter %b32[%c0] [%i], %m, %v : "
        f"memref<64xf32>, vector<64xindex>, {vec(64, 'i1', 'b16')}, {vec(64, 'f32')}"
    )
    assert not feasible(body, f"%i: vector<64xindex>, %m: {vec(64, 'i1', 'b16')}, %v: {vec(64, 'f32')}")


def test_scatter_of_bytes_has_no_rule() -> None:
    body = "  ave.hir.vscatter %b8[%c0] [%i], %m, %v : memref<64xi8>, vector<64xindex>, vector<64xi1>, vector<64xi8>"
    result = solve_text(function(body, "%i: vector<64xindex>, %m: vector<64xi1>, %v: vector<64xi8>"))
    assert not result.ok


@pytest.mark.parametrize("layout", ["b8", "b8_2vl", "b8_4vl"])
def test_unaligned_store_packs_by_extra_deinterleaves(layout: str) -> None:
    body = f"""  %m = ave.hir.pge <ALL> : vector<64xi1>
  ave.hir.unaligned.masked.store %b8[%c0], %m, %v : memref<64xi8>, vector<64xi1>, {vec(64, "i8", layout)}"""
    result = solve_text(function(body, f"%v: {vec(64, 'i8', layout)}"), chip="ascend950")
    assert result.solution is not None
    steps = {"b8": 0, "b8_2vl": 1, "b8_4vl": 2}[layout]
    assert result.solution.cost == 2 * steps  # once at the boundary, once before the store


def test_dense_constants_are_solved() -> None:
    body = """  %k = arith.constant dense<1.0> : vector<64xf32>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  ave.hir.masked_store <NORM_B32> %b32[%c0], %m, %k : memref<64xf32>, vector<64xi1>, vector<64xf32>"""
    assert layouts_by_name(solve_text(function(body)))["%k"] == "b32"


def test_returned_vectors_are_solved_and_prefer_dense() -> None:
    text = """func.func @f(%b: memref<64xi8>) -> vector<64xi8> attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %b[%c0] : memref<64xi8> into vector<64xi8>
  return %x : vector<64xi8>
}
"""
    result = solve_text(text)
    assert result.ok
    assert layouts_by_name(result)["%x"] == "b8"


# -- lanes that move --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_slide_takes_dense_lanes_only(layout: str) -> None:
    element = {8: "i8", 16: "f16", 32: "f32"}[VECMEM_TYPES[layout].bits]
    typed = vec(VECMEM_TYPES[layout].lanes, element, layout)
    body = f"  %r = ave.hir.vslide %v, %v, %s : {typed}, i16 -> {typed}\n  func.call @use(%r) : ({typed}) -> ()"
    assert feasible(body, f"%v: {typed}, %s: i16") == (VECMEM_TYPES[layout].slot_bytes * 8 == VECMEM_TYPES[layout].bits)


@pytest.mark.parametrize(
    ("mode", "before", "after"),
    [
        ("UNPK_B8", "b8", "b16"),
        ("UNPK_B16", "b16", "b32"),
        ("UNPK4_B8", "b8", "b32"),
        ("PK_B16", "b16", "b8"),
        ("PK_B32", "b32", "b16"),
        ("PK4_B32", "b32", "b8"),
    ],
)
def test_predicate_cast_changes_granularity_as_the_hardware_does(mode: str, before: str, after: str) -> None:
    for source in ("b8", "b16", "b32"):
        for result in ("b8", "b16", "b32"):
            typed = vec(64, "i1", source), vec(64, "i1", result)
            body = f"  %r = ave.hir.preg.cast %p <{mode}> : {typed[0]} -> {typed[1]}"
            assert feasible(body, f"%p: {typed[0]}") == ((source, result) == (before, after))


def test_bitcast_between_widths_keeps_bytes_in_place() -> None:
    for source, fits in (("b8", True), ("b8_2vl", False)):
        typed = vec(64, "i8", source)
        body = f"  %r = vector.bitcast %v : {typed} to {vec(32, 'f16', 'b16')}"
        assert feasible(body, f"%v: {typed}") == fits


def test_layout_cast_with_both_layouts_given_names_the_change() -> None:
    typed = vec(64, "i1", "b8")
    body = f"""  %r = ave.hir.vector.layout_cast %p : {typed} -> vector<64xi1>
  %x = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  ave.hir.masked_store <NORM_B32> %b32[%c0], %r, %x : memref<64xf32>, vector<64xi1>, vector<64xf32>"""
    result = solve_text(function(body, f"%p: {typed}"))
    assert result.solution is not None
    assert dict(function_types(result))["ave.hir.masked_store"] == "norm"
    assert layouts_by_name(result)["%r"] == "b32"
    assert result.solution.cost == 2
    assert "intlv" in str(result.posed.problem.tables) if result.posed else False


# -- room -------------------------------------------------------------------------------------------------------


def test_layout_must_hold_all_elements() -> None:
    """A mask of 128 elements governs 32-bit slots, of which a register has 64."""
    body = """  %m = ave.hir.pge <ALL> : vector<128xi1>
  %w = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  %y = ave.hir.vexp %w, %m : vector<64xf32>, vector<128xi1>
  %h = ave.hir.vload <NORM> %b16[%c0] : memref<64xf16> into vector<128xf16>
  ave.hir.masked_store <NORM_B16> %b16[%c0], %m, %h : memref<64xf16>, vector<128xi1>, vector<128xf16>"""
    default, upstream = solve_text(function(body)), solve_text(function(body), compat="upstream")
    assert codes(default) == ["LS0101"]
    assert "128 elements of 16 bits" in str(default.diagnostics[0]) or "128 elements of 1 bit" in str(
        default.diagnostics[0]
    )
    assert upstream.verdict == "solved"
    assert set(codes(upstream)) == {"LS0104"}


def test_vector_of_more_elements_than_a_register_holds_is_refused_by_name() -> None:
    body = """  %x = ave.hir.vload <NORM> %b8[%c0] : memref<64xi8> into vector<300xi8>"""
    result = solve_text(function(body))
    assert codes(result) == ["LS0304"]
    assert "`%x` has 300 elements of 8 bits; a register holds 256" in result.diagnostics[0].message


def test_elements_that_nobody_reads_need_no_room() -> None:
    body = """  %m = ave.hir.pge <ALL> : vector<128xi1>
  %x = ave.hir.vload <NORM> %b16[%c0] : memref<64xf16> into vector<128xf16>
  %w = ave.hir.vextf %x, <part_even>, %m : vector<128xf16>, vector<64xf32>, vector<128xi1>
  %s = ave.hir.pge <ALL> : vector<64xi1>
  ave.hir.masked_store <NORM_B32> %b32[%c0], %s, %w : memref<64xf32>, vector<64xi1>, vector<64xf32>"""
    assert layouts_by_name(solve_text(function(body)))["%x"] == "b16_2vl"


def test_two_half_filled_registers_fill_one_when_made_dense() -> None:
    body = """  %x = ave.hir.scalar_broadcast %s : f16 -> vector<128xf16>
  %a, %b = ave.hir.vdintlv %x, %x {layout_change = #ave<layout_change DENSE>} : vector<128xf16>, vector<128xf16>
  %m = ave.hir.pge <ALL> : vector<128xi1>
  ave.hir.masked_store <NORM_B16> %b16[%c0], %m, %a : memref<64xf16>, vector<128xi1>, vector<128xf16>"""
    names = layouts_by_name(solve_text(function(body, "%s: f16")))
    assert (names["%x"], names["%a"]) == ("b16_2vl", "b16")


def test_whole_predicate_registers_cross_calls_at_any_granularity() -> None:
    text = """func.func private @lib(vector<256xi1>, vector<64xf32>)
func.func @f(%b: memref<64xf32>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %w = builtin.unrealized_conversion_cast %m : vector<64xi1> to vector<256xi1>
  %x = ave.hir.vload <NORM> %b[%c0] : memref<64xf32> into vector<64xf32>
  func.call @lib(%w, %x) : (vector<256xi1>, vector<64xf32>) -> ()
  return
}
"""
    result = solve_text(text)
    assert result.ok
    assert layouts_by_name(result)["%w"] == "b32"  # the granularity of the data beside it


# -- boundaries -------------------------------------------------------------------------------------------------


def test_call_and_callee_agree_and_a_disagreement_names_the_call() -> None:
    text = """func.func @widen(%a: vector<64xf16>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %w = ave.hir.vextf %a, <part_even>, %m : vector<64xf16>, vector<64xf32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %o[%c0], %m, %w : memref<64xf32>, vector<64xi1>, vector<64xf32>
  return
}
func.func @f(%b: memref<64xf16>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %b[%c0] : memref<64xf16> into vector<64xf16>
  func.call @widen(%x, %o) : (vector<64xf16>, memref<64xf32>) -> ()
  return
}
"""
    result = solve_text(text)
    names = layouts_by_name(result)
    assert (names["%a"], names["%x"]) == ("b16_2vl", "b16_2vl")
    clash = text.replace(
        "  func.call", "  %y, %z = ave.hir.vdintlv %x, %x : vector<64xf16>, vector<64xf16>\n  func.call"
    )
    failed = solve_text(clash)
    assert codes(failed) == ["LS0101"]
    assert "passed to @widen" in " ".join(failed.diagnostics[0].notes)


def test_spread_layouts_at_outer_boundaries_cost_their_interleaves() -> None:
    body = """  %m = ave.hir.pge <ALL> : vector<64xi1>
  %w = ave.hir.vextf %a, <part_even>, %m : vector<64xf16>, vector<64xf32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %b32[%c0], %m, %w : memref<64xf32>, vector<64xi1>, vector<64xf32>"""
    result = solve_text(function(body, "%a: vector<64xf16>"))
    assert result.solution is not None
    assert (layouts_by_name(result)["%a"], result.solution.cost) == ("b16_2vl", 1)


def test_layout_in_a_type_is_kept() -> None:
    typed = vec(64, "i8", "b8_4vl")
    body = f"""  %m = ave.hir.pge <ALL> : vector<64xi1>
  ave.hir.masked_store <NORM_B8> %b8[%c0], %m, %a : memref<64xi8>, vector<64xi1>, {typed}"""
    names = layouts_by_name(solve_text(function(body, f"%a: {typed}")))
    assert (names["%a"], names["%m"]) == ("b8_4vl", "b32")


# -- loops and branches -----------------------------------------------------------------------------------------


def test_costs_count_as_often_as_the_loop_runs() -> None:
    """The interleave goes out of the loop: 1 instead of 256."""
    body = """  %z = arith.constant 0 : i16
  %n = arith.constant 256 : index
  %i = ave.hir.vci %z, <INCREASE> : i16, vector<64xi16>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  scf.for %k = %c0 to %n step %c1 {
    %q = ave.hir.pge <ALL> : vector<64xi1>
    %g = ave.hir.vgather %b16[%c0] [%i], %q : memref<64xf16>, vector<64xi16>, vector<64xi1> into vector<64xf16>
    %w = ave.hir.vextf %g, <part_even>, %m : vector<64xf16>, vector<64xf32>, vector<64xi1>
    ave.hir.masked_store <NORM_B32> %b32[%c0], %m, %w : memref<64xf32>, vector<64xi1>, vector<64xf32>
  }"""
    default, upstream = solve_text(function(body)), solve_text(function(body), compat="upstream")
    assert default.solution is not None
    assert upstream.solution is not None
    assert (default.solution.cost, upstream.solution.cost) == (1, 256)


def test_branches_agree_on_what_they_yield() -> None:
    body = """  %x = scf.if %t -> (vector<64xf16>) {
    %a = ave.hir.vload <NORM> %b16[%c0] : memref<64xf16> into vector<64xf16>
    scf.yield %a : vector<64xf16>
  } else {
    %b = ave.hir.scalar_broadcast %s : f16 -> vector<64xf16>
    scf.yield %b : vector<64xf16>
  }
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %w = ave.hir.vextf %x, <part_even>, %m : vector<64xf16>, vector<64xf32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %b32[%c0], %m, %w : memref<64xf32>, vector<64xi1>, vector<64xf32>"""
    names = layouts_by_name(solve_text(function(body, "%t: i1, %s: f16")))
    assert {names["%x"], names["%a"], names["%b"]} == {"b16_2vl"}


def test_loop_carried_values_have_one_layout() -> None:
    body = """  %n = arith.constant 4 : index
  %i = ave.hir.vload <NORM> %b16[%c0] : memref<64xf16> into vector<64xf16>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %i) -> (vector<64xf16>) {
    %m = ave.hir.pge <ALL> : vector<64xi1>
    %w = ave.hir.vextf %v, <part_even>, %m : vector<64xf16>, vector<64xf32>, vector<64xi1>
    %y = ave.hir.vtruncf %w, <rint>, false, <part_even>, %m : vector<64xf32>, vector<64xf16>, vector<64xi1>
    scf.yield %y : vector<64xf16>
  }
  %a, %b = ave.hir.vdintlv %r, %r : vector<64xf16>, vector<64xf16>"""
    result = solve_text(function(body))
    assert codes(result) == ["LS0101"]
    assert "loop" in " ".join(result.diagnostics[0].notes)
    fine = solve_text(function(body.rsplit("\n", 1)[0]))
    names = layouts_by_name(fine)
    assert {names["%i"], names["%v"], names["%y"], names["%r"]} == {"b16_2vl"}


# -- what has no rule -------------------------------------------------------------------------------------------


def test_unknown_operation_on_vectors_is_named_with_its_vectors() -> None:
    result = solve_text(function('  %x = ave.hir.pge <ALL> : vector<64xi1>\n  "test.sink"(%x) : (vector<64xi1>) -> ()'))
    assert codes(result) == ["LS0301"]
    assert "`test.sink`, which touches `%x`" in result.diagnostics[0].message


def test_unlowered_arithmetic_is_taken_lane_by_lane_with_a_warning() -> None:
    body = """  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  %y = arith.mulf %x, %x : vector<64xf32>
  ave.hir.masked_store <NORM_B32> %b32[%c0], %m, %y : memref<64xf32>, vector<64xi1>, vector<64xf32>"""
    result = solve_text(function(body))
    assert result.ok
    assert codes(result) == ["LS0303"]


def test_unlowered_conversion_is_an_error() -> None:
    body = """  %x = ave.hir.vload <NORM> %b16[%c0] : memref<64xf16> into vector<64xf16>
  %y = arith.extf %x : vector<64xf16> to vector<64xf32>"""
    assert codes(solve_text(function(body))) == ["LS0301"]


@pytest.mark.parametrize("op", ["annotation.mark", "vector.print"])
def test_marks_and_prints_ask_for_nothing(op: str) -> None:
    body = f"""  %x = ave.hir.vload <NORM> %b8[%c0] : memref<64xi8> into vector<64xi8>
  {op} %x : vector<64xi8>"""
    assert solve_text(function(body)).ok


# -- distributions given in the text ----------------------------------------------------------------------------


def test_load_that_unpacks_fixes_its_layout() -> None:
    body = "  %x = ave.hir.vload <UNPK4_B8> %b8[%c0] : memref<64xi8> into vector<64xi8>"
    assert layouts_by_name(solve_text(function(body)))["%x"] == "b8_4vl"


def test_broadcast_load_costs_nothing_in_any_layout() -> None:
    body = """  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <BRC_B8> %b8[%c0] {{UNALIGNED}} : memref<64xi8> into vector<64xi8>
  %w = ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>"""
    body = body.replace("{UNALIGNED}", "ave.unaligned_ub_access = #ave.unaligned_ub_access")
    result = solve_text(function(body), chip="ascend950")
    assert result.solution is not None
    assert result.solution.cost == 0
    plain = solve_text(function(body.replace("BRC_B8", "NORM")), chip="ascend950")
    assert plain.solution is not None
    assert plain.solution.cost == 2


def test_device_of_the_file_sets_the_costs() -> None:
    body = """  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %b8[%c0] : memref<64xi8> into vector<64xi8>
  %w = ave.hir.vextsi %x, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>"""
    for device, cost in (("Ascend950PR_957c", 0), ("Ascend910_9589", 0), ("Ascend310B4", 2)):
        text = f'module attributes {{hacc.target = #hacc.target<"{device}">}} {{\n{function(body)}}}\n'
        result = solve_text(text)
        assert result.solution is not None
        assert result.solution.cost == cost, device


@pytest.mark.parametrize("type_", ["vector<[64]xf32>", "vector<0xf32>", "vector<64xf32,>"])
def test_a_vector_without_a_fixed_number_of_elements_is_refused(type_: str) -> None:
    body = f"""  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into {type_}
  %y = ave.hir.vabs %x, %m : {type_}, vector<64xi1>"""
    assert "LS0203" in codes(solve_text(function(body)))


@pytest.mark.parametrize("line", ["", "%q = ave.hir.preg.not <b8> %p, %all : vector<256xi1>"])
@pytest.mark.parametrize("extra", ["", "ave.unaligned_ub_access = #ave.unaligned_ub_access"])
def test_all_bits_of_an_argument_that_is_stored_have_room(line: str, extra: str) -> None:
    """At 16-bit granularity, which an unaligned store takes at once on an Ascend950, half of them would be lost."""
    bits, mask = "memref<256xi1, #hivm.address_space<ub>>", "vector<256xi1>"
    text = f"""func.func @f(%p: vector<256xi1>, %b: {bits}) {{
  %c0 = arith.constant 0 : index
  %all = ave.hir.pge <ALL> : vector<256xi1>
  {line}
  ave.hir.masked_store <NORM_B8> %b[%c0], %all, {"%q" if line else "%p"} {{{extra}}} : {bits}, {mask}, {mask}
  return
}}
"""
    result = solve(SourceFile("f.mlir", text), SolveOptions(chip="ascend950"))
    assert result.posed is not None
    assert result.solution is not None
    assert set(result.solution.layouts) == {"b8"}
    assert check_solution(result.posed, result.solution).ok


def test_a_store_writes_under_its_whole_mask() -> None:
    """Of half a vector the rest is not determined, but what the mask excludes of it stays as it is in memory."""
    bytes_, type_ = "memref<64xf8E4M3FN, #hivm.address_space<ub>>", "vector<64xf8E4M3FN>"
    text = f"""func.func @f(%a: {bytes_}, %b: {bytes_}) {{
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %a[%c0] : {bytes_} into {type_}
  %y, %z = ave.hir.vintlv %x, %x {{layout_change = #ave<layout_change SPARSE>}} : {type_}, {type_}
  %h = ave.hir.pge <H> : vector<64xi1>
  ave.hir.masked_store <NORM_B8> %b[%c0], %h, %y : {bytes_}, vector<64xi1>, {type_}
  return
}}
"""
    result = solve(SourceFile("f.mlir", text))
    assert result.posed is not None
    assert result.solution is not None
    assert check_solution(result.posed, result.solution).ok


@pytest.mark.parametrize("chip", ["ascend310b4", "ascend950"])
def test_a_stored_predicate_has_room_for_more_than_its_mask_governs(chip: str) -> None:
    bits, mask = "memref<256xi1, #hivm.address_space<ub>>", "vector<256xi1>"
    extra = "ave.unaligned_ub_access = #ave.unaligned_ub_access"
    text = f"""func.func @f(%b: {bits}) {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %p = ave.hir.pge <ALL> : {mask}
  %k = builtin.unrealized_conversion_cast %m : vector<64xi1> to {mask}
  ave.hir.masked_store <NORM_B8> %b[%c0], %k, %p {{{extra}}} : {bits}, {mask}, {mask}
  return
}}
"""
    result = solve(SourceFile("f.mlir", text), SolveOptions(chip=chip))
    assert result.posed is not None
    assert result.solution is not None
    assert check_solution(result.posed, result.solution).ok


@pytest.mark.parametrize("order", ["%w, %z", "%z, %w"])
def test_what_is_selected_means_something_where_one_of_both_does(order: str) -> None:
    """Half a vector of bytes that lies in every second place is no reason to lose half of the other one."""
    bytes_, type_ = "memref<512xi8, #hivm.address_space<ub>>", "vector<256xi8>"
    text = f"""func.func @f(%a: {bytes_}, %b: {bytes_}, %d: {bytes_}) {{
  %c0 = arith.constant 0 : index
  %all = ave.hir.pge <ALL> : vector<256xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : {bytes_} into {type_}
  %w = ave.hir.vload <NORM> %b[%c0] : {bytes_} into {type_}
  %y, %z = ave.hir.vintlv %x, %x {{layout_change = #ave<layout_change SPARSE>}} : {type_}, {type_}
  %s = ave.hir.vsel %all, {order} : vector<256xi1>, {type_}
  ave.hir.masked_store <NORM_B8> %d[%c0], %all, %s : {bytes_}, vector<256xi1>, {type_}
  return
}}
"""
    result = solve(SourceFile("f.mlir", text))
    assert result.posed is not None
    assert not result.ok
    assert result.repairs
    for repair in result.repairs:
        repaired = solve(SourceFile("repaired.mlir", repair.text))
        assert repaired.posed is not None
        assert repaired.solution is not None
        found = solved_program(repaired.posed, repaired.solution)
        assert compare_programs(plain_program(result.posed.graph), found, 3).ok


def selected(mask: str) -> str:
    """A vector that a mask selects is stored: under `%all` if the mask comes of half a vector, else under it."""
    bytes_, type_ = "memref<512xi8, #hivm.address_space<ub>>", "vector<256xi8>"
    return f"""func.func @f(%p: vector<256xi1>, %a: {bytes_}, %b: {bytes_}, %d: {bytes_}) {{
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %a[%c0] : {bytes_} into {type_}
  %w = ave.hir.vload <NORM> %b[%c0] : {bytes_} into {type_}
  %y, %z = ave.hir.vintlv %x, %x {{layout_change = #ave<layout_change SPARSE>}} : {type_}, {type_}
  %all = ave.hir.pge <ALL> : vector<256xi1>
  %half = ave.hir.pge <ALL> : vector<128xi1>
  %h = builtin.unrealized_conversion_cast %half : vector<128xi1> to vector<256xi1>
  %m = ave.hir.vcmp <EQ> %z, %y, %h : {type_}, vector<256xi1> -> vector<256xi1>
  %s = ave.hir.vsel {mask}, %w, {"%w" if mask == "%m" else "%z"} : vector<256xi1>, {type_}
  ave.hir.masked_store <NORM_B8> %d[%c0], {"%all" if mask == "%m" else mask}, %s : {bytes_}, vector<256xi1>, {type_}
  return
}}
"""


def test_what_is_selected_means_nothing_behind_its_mask() -> None:
    result = solve(SourceFile("f.mlir", selected("%m")))
    assert result.posed is not None
    assert result.solution is not None
    assert layouts_by_name(result)["%s"] == "b8_2vl"
    assert check_solution(result.posed, result.solution).ok


def test_a_mask_that_is_an_argument_selects_in_all_its_lanes() -> None:
    """In 16-bit granularity, half of them would be lost."""
    assert not solve(SourceFile("f.mlir", selected("%p"))).ok


def test_what_two_endings_return_has_one_layout_and_scalars_beside_it_have_none() -> None:
    text = """func.func @f(%c: i1, %a: memref<64xf16, #hivm.address_space<ub>>, %n: index) -> (index, vector<64xf16>) {
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xf16, #hivm.address_space<ub>> into vector<64xf16>
  cf.cond_br %c, ^one, ^two
^one:
  return %n, %x : index, vector<64xf16>
^two:
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %y = ave.hir.vabs %x, %m : vector<64xf16>, vector<64xi1>
  return %c0, %y : index, vector<64xf16>
}
"""
    result = solve_text(text)
    assert result.ok
    assert result.posed is not None
    values = result.posed.problem.values
    (tie,) = result.posed.problem.ties
    assert ([values[number].id for number in tie.values], tie.reason) == (["%x", "%y"], "returned from @f")


@pytest.mark.parametrize("compat", ["", "upstream"])
def test_an_extension_that_widens_nothing_follows_the_rules_of_extensions(compat: str) -> None:
    text = """func.func @f(%a: memref<64xf16, #hivm.address_space<ub>>) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xf16, #hivm.address_space<ub>> into vector<64xf16>
  %y = ave.hir.vextf %x, <part_even>, %m : vector<64xf16>, vector<64xbf16>, vector<64xi1>
  %z = ave.hir.vtrc %x, <rint>, %m : vector<64xf16>, vector<64xi1>, vector<64xf16>
  return
}
"""
    result = solve_text(text, compat)
    assert result.posed is not None
    problem = result.posed.problem
    rules = {
        relation.op: {row.rule.split(".")[1] for row in problem.tables[relation.table].rows}
        for relation in problem.relations
    }
    assert (rules["ave.hir.vextf"], rules["ave.hir.vtrc"]) == ({"EXT"}, {"ELT"})
