"""Why loops stay apart: every rule, with what shows it, and that every pair of loops gets a reason."""

from __future__ import annotations

import pytest

from layoutsolver.api_fusion import FuseOptions, FuseResult, fuse
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.explain.fusion import explanation, loops_apart, stores_kept
from layoutsolver.fusion.apart import Apart
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.fusion import FusionLimits
from tests.support.fusion_programs import random_program
from tests.support.fusion_text import binary, kernel, load, loop, region, scaled, store

F32 = "!pto.vmi.vreg<64xf32>"


def fused(*lines: str, arguments: str = "", out: str = "e") -> FuseResult:
    text = kernel(region(*lines), arguments=arguments, out=out)
    found = fuse(SourceFile("k.pto", text))
    assert found.ok, found.diagnostics
    return found


def reasons(found: FuseResult) -> list[Apart]:
    (block,) = found.blocks
    return loops_apart(block.posed, block.solution)


def shown(found: FuseResult, one: Apart) -> list[str]:
    """The lines of the text that a reason points at, in its order."""
    source = found.module.source
    return [source.line_text(source.line_column(node.span.start)[0]).strip() for node, _ in one.shown]


def copy(induction: str, source: str, target: str, shift: int = 0, header: str = "%c0 to %c8 step %c1") -> str:
    """A loop that doubles rows of one tile into another; the row read is so many rows on."""
    at = f"%o{induction}"
    lines = []
    if shift:
        lines.append(f"%p{induction} = arith.addi %o{induction}, %c64 : index")
        at = f"%p{induction}"
    body = (load(f"%v{induction}", f"%{source}", at), scaled(f"%w{induction}", f"%v{induction}"),
            store(f"%w{induction}", f"%{target}", f"%o{induction}", "%all"))  # fmt: skip
    return loop(induction, *lines, *body, header=header)


def carry(induction: str, source: str, result: str) -> str:
    """A loop that adds up the rows of a tile."""
    body = (load(f"%v{induction}", f"%{source}", f"%o{induction}"),
            binary(f"%s{induction}", "vadd", f"%a{induction}", f"%v{induction}"),
            f"scf.yield %s{induction} : {F32}")  # fmt: skip
    init = f"%z{induction} = pto.vmi.vbrc %two : f32 -> {F32}"
    return "\n".join([init, loop(induction, *body, carry=(result, f"%a{induction}", f"%z{induction}"))])


def test_the_next_row_is_read_before_it_is_written() -> None:
    found = fused(copy("i", "a", "b"), copy("j", "b", "e", 1))
    (one,) = reasons(found)
    assert (one.rule, one.text) == ("FP", "turn 0 of the second loop reads what turn 1 of the first one writes")
    assert one.notes == ("witness: t = 1, u = 0",)
    assert [line.split()[0] for line in shown(found, one)] == ["pto.vmi.vstore", "%vj"]


def test_what_is_read_must_not_be_overwritten_before() -> None:
    shifted = loop("i", "%p = arith.subi %oi, %c64 : index", "%u = arith.addi %p, %c64 : index",
                   load("%v", "%b", "%p"), store("%v", "%c", "%oi"), header="%c1 to %c8 step %c1")  # fmt: skip
    found = fused(shifted, copy("j", "a", "b", header="%c1 to %c8 step %c1"), out="ce")
    (one,) = reasons(found)
    assert (one.rule, one.notes) == ("FP", ("witness: t = 1, u = 0",))
    assert "overwrites what turn 1 of the first one reads" in one.text


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("%c0 to %c9 step %c1", "upper bounds"),
        ("%c1 to %c8 step %c1", "lower bounds"),
        ("%c0 to %c8 step %c2", "steps"),
    ],
)
def test_headers_must_be_equal(header: str, what: str) -> None:
    (one,) = reasons(fused(copy("i", "a", "b"), copy("j", "c", "e", header=header), out="be"))
    assert (one.rule, one.text) == ("HEADER", f"the loops have different {what}")


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [("{unroll = 2 : i64}", "{unroll = 4 : i64}", True), ("{unroll = 2 : i64}", "", True),
     ("{unroll = 2 : i64}", "{unroll = 2 : i64}", False),
     ("{pto.vmi.fusion.tileop = 1 : i64}", "{pto.vmi.fusion.tileop = 2 : i64}", False)],
)  # fmt: skip
def test_attributes_belong_to_the_header_unless_they_say_where_a_loop_comes_from(
    first: str, second: str, apart: bool
) -> None:
    found = fused(f"{copy('i', 'a', 'b')} {first}", f"{copy('j', 'c', 'e')} {second}", out="be")
    expected = [("HEADER", "the loops have different attributes")] if apart else []
    assert [(one.rule, one.text) for one in reasons(found)] == expected


def test_added_constants_belong_to_the_header() -> None:
    """Bounds are compared as sums: `n + 1` and `1 + n` are one, `n + 2` is another."""
    bounds = [
        "%n1 = arith.addi %n, %c1 : index",
        "%n2 = arith.addi %n, %c2 : index",
        "%n3 = arith.addi %c1, %n : index",
    ]
    loops = (("i", "b", 1), ("j", "c", 2), ("k", "e", 3))
    copies = [copy(i, "a", tile, header=f"%c0 to %n{number} step %c1") for i, tile, number in loops]
    found = fused(*bounds, *copies, arguments="%n: index", out="bce")
    assert [(one.rule, one.text) for one in reasons(found)] == [("HEADER", "the loops have different upper bounds")] * 2
    assert found.blocks[0].solution.clusters == ((0, 2), (1,))


def test_a_result_of_the_first_loop_keeps_the_second_behind_it() -> None:
    second = loop("j", load("%x", "%a", "%oj"), binary("%y", "vsub", "%x", "%r"), store("%y", "%e", "%oj"))
    found = fused(carry("i", "a", "%r"), second)
    (one,) = reasons(found)
    assert one.rule == "SSA_RESULT"
    assert shown(found, one) == ["%y = pto.vmi.vsub %x, %r, %all : " + f"{F32}, {F32}, !pto.vmi.mask<64xpred> -> {F32}"]


def test_a_chain_of_operations_is_stuck_between_two_loops() -> None:
    second = loop("j", load("%x", "%a", "%oj"), binary("%y", "vsub", "%x", "%m"), store("%y", "%e", "%oj"))
    found = fused(carry("i", "a", "%r"), store("%r", "%b", "%c0"), load("%m", "%b", "%c0"), second)
    (one,) = reasons(found)
    assert one.rule == "STUCK"
    assert [line.split()[0] for line in shown(found, one)] == ["pto.vmi.vstore", "%m"]
    assert one.notes == ("the second loop comes after `pto.vmi.vload`: it uses its result",)


def test_a_shared_mask_does_not_hold_a_store_back() -> None:
    """The mask goes before both loops, the store that uses it behind both."""
    mask = "%k = pto.vmi.create_mask %c32 : index -> !pto.vmi.mask<64xpred>"
    second = loop("j", load("%x", "%c", "%oj"), scaled("%y", "%x", "%k"), store("%y", "%e", "%oj", "%k"))
    found = fused(carry("i", "a", "%r"), mask, store("%r", "%b", "%c0", "%k"), second, out="be")
    assert reasons(found) == []


def test_what_orders_units_is_not_crossed() -> None:
    wait = 'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]'
    found = fused(copy("i", "a", "b"), wait, copy("j", "c", "e"), out="be")
    (one,) = reasons(found)
    assert (one.rule, one.text) == ("F3", "`pto.wait_flag` between the loops must not be crossed")
    assert shown(found, one) == [wait]


def test_a_body_that_may_do_anything_is_by_itself() -> None:
    odd = loop("i", 'pto.barrier "PIPE_V"', load("%v", "%a", "%oi"), store("%v", "%b", "%oi"))
    found = fused(odd, copy("j", "c", "e"), out="be")
    (one,) = reasons(found)
    assert (one.rule, shown(found, one)) == ("BODY_EFFECT", ['pto.barrier "PIPE_V"'])


def test_a_barrier_in_every_turn_may_cost_more_than_two_loops() -> None:
    back = loop("j", "%p = arith.subi %oj, %c64 : index", load("%v", "%b", "%p"), store("%v", "%e", "%oj"),
                header="%c1 to %c8 step %c1")  # fmt: skip
    found = fused(copy("i", "a", "b", header="%c1 to %c8 step %c1"), back)
    (one,) = reasons(found)
    assert one.rule == "COST"
    assert one.notes == ("turns -7, loops -1, barriers +6",)


def test_loops_that_are_with_others_name_the_pair_that_must_stay_apart() -> None:
    """Sum, then a loop with its own rows, then one that needs the sum: the middle one goes with the last."""
    last = loop("k", load("%x", "%c", "%ok"), load("%u", "%b", "%c0"), binary("%y", "vsub", "%x", "%u"),
                store("%y", "%e", "%ok"))  # fmt: skip
    found = fused(carry("i", "a", "%r"), store("%r", "%b", "%c0"), copy("j", "d", "c"), last, out="be")
    first, second = reasons(found)
    assert found.blocks[0].solution.clusters == ((0,), (1, 2))
    assert (first.rule, second.rule) == ("CLUSTER", "STUCK")
    assert "they are with loops that must stay apart (STUCK" in first.text


def test_pressure_names_the_operation_where_it_is_highest() -> None:
    found = fused(copy("i", "a", "b"), copy("j", "b", "e"))
    (block,) = found.blocks
    problem = block.posed.problem._replace(limits=FusionLimits(1))
    alone = block.solution._replace(clusters=((0,), (1,)))
    (one,) = loops_apart(block.posed._replace(problem=problem), alone)
    assert (one.rule, one.text) == ("PRESSURE", "one body would take 2 registers")
    assert one.notes == ("vector registers taken there, of 1: `%vi`, `%wi`",)
    assert [said for _, said in one.shown] == ["2 vector registers are taken here"]
    assert shown(found, one) == [scaled("%wi", "%vi")]


def test_pressure_of_parameters_counts_them() -> None:
    found = fused(copy("i", "a", "b"), copy("j", "b", "e"))
    (block,) = found.blocks
    problem = block.posed.problem._replace(limits=FusionLimits(parameters=2))
    alone = block.solution._replace(clusters=((0,), (1,)))
    (one,) = loops_apart(block.posed._replace(problem=problem), alone)
    assert (one.rule, one.text) == ("PRESSURE", "one body would take 3 parameters")
    assert one.notes == ("the loops take 2 + 2 parts of memory and numbers, 3 different ones, of 2",)


def test_every_store_that_stays_names_its_readers() -> None:
    found = fused(copy("i", "a", "b"), copy("j", "b", "e", 1))
    assert found.elided is not None
    assert found.start is not None
    first, second = stores_kept(found.start.graph, found.elided)
    assert [label.text for label in first.secondary] == ["it may read this memory"]
    assert "vload" in source_line(found, first)
    assert "mte_ub_gm" in source_line(found, second)


def source_line(found: FuseResult, item: Diagnostic) -> str:
    source = found.module.source
    return source.line_text(source.line_column(item.secondary[0].span.start)[0])


@pytest.mark.parametrize("seed", range(40))
def test_every_pair_of_loops_that_are_apart_has_a_reason(seed: int) -> None:
    found = fuse(SourceFile("k.pto", str(random_program(seed))), FuseOptions())
    pairs = 0
    for block in found.blocks:
        clusters = block.solution.clusters
        count = len(block.posed.problem.loops)
        inside = sum(len(cluster) * (len(cluster) - 1) // 2 for cluster in clusters)
        apart = loops_apart(block.posed, block.solution)
        assert len(apart) == count * (count - 1) // 2 - inside
        assert all(one.rule and one.text for one in apart)
        pairs += len(apart)
    assert len([item for item in explanation(found) if item.code == "LS0903"]) == pairs
