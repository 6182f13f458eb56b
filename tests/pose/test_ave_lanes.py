"""The lane rules: what masks may have set, what a glance at an operation rules out, and which rows go."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from layoutsolver.pose import ave_right
from layoutsolver.pose.ave_masks import ANYTHING, GRANULES, ODD, TWO, mask_states, pattern_slots
from layoutsolver.verify.compare import check_solution
from layoutsolver.verify.operation import Get, Operation, Run
from layoutsolver.verify.physical import Physical
from layoutsolver.verify.values import Value
from layoutsolver_models.hardware.predicate import pge
from layoutsolver_models.hardware.state import PReg
from layoutsolver_models.rules.ave import AVE_RULES
from layoutsolver_models.rules.ave_lanes import INTERLEAVED, LANE_RULES
from layoutsolver_models.solve.layout import solve_layout
from tests.support.every_layout import posed_of
from tests.support.fuzz_verify import runnable_program
from tests.support.solving import solve_text

UB = "#hivm.address_space<ub>"


@pytest.mark.parametrize("pattern", ["ALL", "H", "Q", "ALLF", "VL1", "VL3", "VL16", "VL64", "VL128"])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_pattern_of_a_full_register_counts_what_the_hardware_sets(pattern: str, width: int) -> None:
    lanes = 256 // width
    assert pattern_slots(pattern, lanes, lanes) == pge(width, pattern).lanes(width).sum()


def test_masks_have_nothing_set_that_is_said_to_be_clear() -> None:
    """Every predicate that the hardware model makes of random programs, in whatever layout, against the analysis."""
    seen: set[tuple[str, bool]] = set()
    prepare = Physical.prepare

    def looked_at(self: Physical, op: Operation) -> Run:
        run = prepare(self, op)
        states = mask_states(op.graph)

        def checked(get: Get) -> list[Value]:
            made = run(get)
            for value, held in zip(op.node.results, made, strict=False):
                place = GRANULES.get(self.layouts.get(value, ""))
                if isinstance(held, PReg) and place is not None:
                    bits = states.get(value, ANYTHING)[place]
                    maybe, step = held.bits | held.poison, 1 << place
                    assert not maybe[::step][bits.extent :].any(), op.name
                    assert bits.between & ODD or place == 0 or not maybe[1::2].any(), op.name
                    assert bits.between & TWO or place < 2 or not maybe[2::4].any(), op.name
                    seen.add((op.name, value in states))
            return made

        return checked

    with patch.object(Physical, "prepare", looked_at):
        for seed in range(160):
            posed = posed_of(runnable_program(seed, 8), sound=False)
            solution = solve_layout(posed.problem) if posed is not None else None
            if posed is not None and solution is not None and solution.layouts:
                check_solution(posed, solution, 2, lenient=True)
    made = {name for name, is_known in seen if is_known}
    assert made >= {"pge", "plt", "pltm", "vcmp", "preg.and", "preg.or", "preg.xor", "preg.not", "preg.cast"}


def test_a_glance_rules_out_nothing_that_the_lane_rules_would_refuse() -> None:
    always = {name: (lambda graph, node: True) for name in ave_right._SUSPECTS}
    refused = 0
    for seed in range(150):
        text = runnable_program(seed, 10)
        posed = posed_of(text, sound=True)
        with patch.object(ave_right, "_SUSPECTS", always):
            whole = posed_of(text, sound=True)
        if posed is None or whole is None:
            assert posed is whole
            continue
        assert posed.problem == whole.problem
        refused += sum(bool(table.refused) for table in posed.problem.tables)
    assert refused > 60


def program(*lines: str) -> str:
    arguments = f"%p: memref<1024xi1, {UB}>, %b: memref<1024xi8, {UB}>, %h: memref<1024xf16, {UB}>, %n: index"
    body = "\n".join(f"  {line}" for line in ("%c0 = arith.constant 0 : index", *lines))
    return f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"


LOAD = f"%x = ave.hir.vload <NORM> %h[%c0] : memref<1024xf16, {UB}> into vector<64xf16>"
STRIDED = (
    "%s = arith.constant 64 : index\n  ave.hir.store_with_stride %h[%c0], %s, {mask}, %x : "
    f"memref<1024xf16, {UB}>, vector<64xi1>, vector<64xf16>"
)
MASKS = {
    "%m = ave.hir.pge <VL8> : vector<64xi1>": True,
    "%m = ave.hir.pge <VL128> : vector<64xi1>": False,
    "%m, %r = ave.hir.plt %n : vector<64xi1>, index": False,
    "%k = arith.constant 64 : index\n  %m, %r = ave.hir.plt %k : vector<64xi1>, index": True,
    "%k = arith.constant 65 : index\n  %m, %r = ave.hir.plt %k : vector<64xi1>, index": False,
    f"%m = ave.hir.vload <NORM> %p[%c0] : memref<1024xi1, {UB}> into vector<64xi1>": False,
    "%t = arith.constant false\n  %m = ave.hir.scalar_broadcast %t : i1 -> vector<64xi1>": True,
    "%t = arith.constant true\n  %m = ave.hir.scalar_broadcast %t : i1 -> vector<64xi1>": False,
    "%a = ave.hir.pge <ALL> : vector<64xi1>\n  %m = ave.hir.vcmp <LT> %x, %x, %a : "
    "vector<64xf16>, vector<64xi1> -> vector<64xi1>": True,
    f"%a = ave.hir.pge <ALL> : vector<64xi1>\n  %l = ave.hir.vload <NORM> %p[%c0] : memref<1024xi1, {UB}> "
    "into vector<64xi1>\n  %m = ave.hir.preg.and <b8> %l, %l, %a : vector<64xi1>": True,
    "%a = ave.hir.pge <ALL> : vector<64xi1>\n  %l, %r = ave.hir.plt %n : vector<64xi1>, index\n"
    "  %m = ave.hir.preg.not <b8> %a, %l : vector<64xi1>": False,
}
"""Masks of 64 elements, and whether data that fill half of a register may be stored under them."""


@pytest.mark.parametrize("mask", MASKS)
def test_a_mask_may_govern_elements_alone(mask: str) -> None:
    result = solve_text(program(LOAD, mask, STRIDED.format(mask="%m")))
    assert result.ok == MASKS[mask]
    if not result.ok:
        [item] = [item for item in result.diagnostics if item.code == "LS0101"]
        assert any("(AVE.LANES.VSSTB.MASK)" in note for note in item.notes)
        assert any("preg.and" in note for note in item.notes)


def test_what_a_loop_carries_may_have_set_what_any_round_sets() -> None:
    loop = (
        "%one = arith.constant 1 : index\n  %a = ave.hir.pge <ALL> : vector<64xi1>\n"
        "  %m = scf.for %i = %c0 to %n step %one iter_args(%acc = %a) -> (vector<64xi1>) {{\n"
        "    %l, %r = ave.hir.plt %n : vector<64xi1>, index\n"
        "    %y = ave.hir.preg.or <b8> %acc, %l, {mask} : vector<64xi1>\n"
        "    scf.yield %y : vector<64xi1>\n  }}"
    )
    assert solve_text(program(LOAD, loop.format(mask="%a"), STRIDED.format(mask="%m"))).ok
    assert not solve_text(program(LOAD, loop.format(mask="%l"), STRIDED.format(mask="%m"))).ok


def test_ids_are_unique_and_every_rule_says_why() -> None:
    assert not set(LANE_RULES) & {rule.id for rule in AVE_RULES}
    assert all(rule.why for rule in LANE_RULES.values())


def test_rules_of_interleaves_come_in_pairs_one_for_each_result() -> None:
    assert set(INTERLEAVED) == {(*key[:3], result) for key in INTERLEAVED for result in (0, 1)}
    assert len(INTERLEAVED) == 24


def _copied(load: str, store: str, wide: bool) -> str:
    """Bytes are copied by such a load and store, or widened in between, for which they must lie four bytes apart."""
    bytes_, words = f"memref<1024xi8, {UB}>", f"memref<1024xi32, {UB}>"
    value, type_, lanes = ("%y", "i32", 64) if wide else ("%x", "i8", 256)
    convert = f"""%y = ave.hir.vextsi %x, %m {{pp = #ave.vcvt_pp_type<pp0>}} : {
        ", ".join(f"vector<64x{element}>" for element in ("i8", "i32", "i1"))
    }"""
    return f"""func.func @f(%a: {bytes_}, %b: {words if wide else bytes_}) {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<{lanes}xi1>
  %x = ave.hir.vload <{load}> %a[%c0] : {bytes_} into vector<{lanes}xi8>
  {convert if wide else ""}
  ave.hir.masked_store <{store}> %b[%c0], %m, {value} : {
        ", ".join((words if wide else bytes_, f"vector<{lanes}xi1>", f"vector<{lanes}x{type_}>"))
    }
  return
}}
"""


_BY_PLACES = ("BLK", "US_B8", "US_B16", "DS_B8", "DS_B16", "E2B_B16", "E2B_B32")


@pytest.mark.parametrize("dist", [*_BY_PLACES, "SPLT4CHN_B8", "SPLT2CHN_B8", "US", "DS", "PK"])
def test_a_load_that_fills_a_register_by_places_makes_what_is_dense(dist: str) -> None:
    dense, spread = (posed_of(_copied(dist, store, wide), sound=True)
                     for store, wide in (("NORM_B8", False), ("NORM_B32", True)))  # fmt: skip
    assert dense is not None
    assert spread is not None
    assert not solve_layout(spread.problem).layouts
    answer = solve_layout(dense.problem)
    assert answer.layouts
    done = check_solution(dense, answer)
    assert done.ok == (dist in _BY_PLACES)
    assert done.ok or done.diagnostics[0].code == "LS0703"


@pytest.mark.parametrize(("dist", "right"), [("NORM", True), ("BRC_B8", True), ("UNPK4_B8", True), ("UNPK_B8", False)])
def test_loads_of_elements_may_spread_them(dist: str, right: bool) -> None:
    posed = posed_of(_copied(dist, "NORM_B32", True), sound=True)
    assert posed is not None
    answer = solve_layout(posed.problem)
    assert bool(answer.layouts) == right
    assert not right or check_solution(posed, answer).ok


@pytest.mark.parametrize("dist", ["INTLV_B8", "MRG4CHN_B8", "MRG2CHN_B8", "PK_B64"])
def test_a_store_whose_places_are_unknown_takes_nothing_spread(dist: str) -> None:
    text = _copied("UNPK4_B8", dist, False).replace("256xi1", "64xi1").replace("256xi8", "64xi8")
    assert not solve_text(text).ok
