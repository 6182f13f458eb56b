"""Values handed on between stores and loads: what is handed on, what is dropped, what is kept and for whom."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from layoutsolver.fusion.access import LOAD, STORE, Facts
from layoutsolver.fusion.code import code_of, walk
from layoutsolver.fusion.elide import Elided, ElideOptions, elide
from layoutsolver.fusion.elision.demand import needs
from layoutsolver.fusion.lanes import Lanes, Masks, every, prefix
from layoutsolver.fusion.liveness import readers
from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.reader import read
from tests.support.fusion_text import (
    F32,
    MASK,
    PTR,
    TILE,
    binary,
    copy_out,
    kernel,
    load,
    loop,
    region,
    scaled,
    store,
    unary,
)

MERGE = ' {pmode = "merge"}'


class Told(NamedTuple):
    """What came of elision in names: forwards as (load, source), dead stores as (store, why), kept stores, and loads
    and stores that are left. A load is named by its result, a store by what it stores and where.
    """

    forwards: list[tuple[str, str]]
    dead: list[tuple[str, str]]
    kept: list[str]
    loads: int
    stores: int


def graph_of(text: str) -> Graph:
    graph, found = build_graph(read(text))
    assert not found, found
    return graph


def name(graph: Graph, node: OpNode) -> str:
    if node.results:
        return graph.values[node.results[0]].name
    return " ".join(graph.values[value].name for value in node.operands[:2])


def told(text: str, options: ElideOptions | None = None) -> Told:
    graph = graph_of(text)
    done = elide(code_of(graph), options or ElideOptions())
    again = elide(done.code, options or ElideOptions())
    assert (again.forwards, again.dead, again.code) == ((), (), done.code)
    return in_names(graph, done)


def in_names(graph: Graph, done: Elided) -> Told:
    left = [item.node.name for item in walk(done.code.items)]
    return Told(
        [(name(graph, one.load), name(graph, one.source)) for one in done.forwards],
        [(name(graph, one.store), one.why) for one in done.dead],
        [name(graph, one.store) for one in done.kept],
        left.count(LOAD), left.count(STORE),
    )  # fmt: skip


def test_a_stored_row_is_handed_on_and_its_store_dropped_if_nobody_else_reads_it() -> None:
    body = region(loop("i", load("%x", "%a", "%oi"), scaled("%y", "%x"), store("%y", "%b", "%oi"),
                       load("%z", "%b", "%oi"), unary("%w", "vexp", "%z"), store("%w", "%c", "%oi")))  # fmt: skip
    found = told(kernel(body, out="c"))
    assert found.forwards == [("%z", "%y %b")]
    assert found.dead == [("%y %b", "not read")]
    assert (found.loads, found.stores) == (1, 1)
    assert told(kernel(body, out="c"), ElideOptions(exit_dse=False)).stores == 2
    assert told(kernel(body, out="bc")).kept == ["%y %b", "%w %c"]
    assert told(kernel(body)).kept == ["%y %b", "%w %c"]


def test_a_load_that_is_to_stay_reads_its_store() -> None:
    text = kernel(region(load("%x", "%a"), store("%x", "%b"), load("%y", "%b"), store("%y", "%c")), out="c")
    graph = graph_of(text)
    kept = next(node.index for node in graph.ops if node.results and graph.values[node.results[0]].name == "%y")
    assert told(text).stores == 1
    done = in_names(graph, elide(code_of(graph), ElideOptions(keep=frozenset({kept}))))
    assert (done.forwards, done.dead, done.loads, done.stores) == ([], [], 2, 2)


def test_the_next_row_is_another_one() -> None:
    found = told(kernel(region(loop(
        "i", load("%x", "%a", "%oi"), store("%x", "%b", "%oi"), "%p = arith.addi %oi, %c64 : index",
        load("%y", "%b", "%p"), store("%y", "%c", "%oi"))), out="c"))  # fmt: skip
    assert found.forwards == []
    assert found.stores == 1  # what is read of the next row was never written by an earlier iteration


def test_a_row_that_a_later_iteration_reads_is_kept() -> None:
    found = told(kernel(region(loop(
        "i", load("%y", "%b", "%oi"), load("%x", "%a", "%oi"), "%p = arith.addi %oi, %c64 : index",
        store("%x", "%b", "%p"), store("%y", "%c", "%oi"))), out="c"))  # fmt: skip
    assert found.kept == ["%x %b", "%y %c"]


def test_a_row_that_an_earlier_iteration_read_is_not() -> None:
    found = told(kernel(region(loop(
        "i", "%p = arith.addi %oi, %c64 : index", load("%y", "%b", "%p"), load("%x", "%a", "%oi"),
        store("%x", "%b", "%oi"), store("%y", "%c", "%oi"))), out="c"))  # fmt: skip
    assert found.dead == [("%x %b", "not read")]


@pytest.mark.parametrize(("consumer", "forwarded"), [
    ([f"%h = pto.vmi.vcvt %y {{rounding = \"R\", saturate = \"NOSAT\"}} : {F32} -> !pto.vmi.vreg<64xbf16>",
      "pto.vmi.vstore %h, %q[%c0] : !pto.vmi.vreg<64xbf16>, !pto.ptr<bf16, ub>"], False),
    ([scaled("%h", "%y", "%half"), store("%h", "%d", mask="%half")], True),
    ([scaled("%h", "%y", "%half"), store("%h", "%d")], False),
    ([store("%y", "%d", mask="%half")], True),
    ([store("%y", "%d", mask="%eight"), store("%y", "%e", mask="%half", attrs=MERGE)], True),
    ([store("%y", "%d", mask="%half"), store("%y", "%e")], False),
    ([f"%h = pto.vmi.vcmax %y, %half : {F32}, {MASK} -> !pto.vmi.vreg<1xf32>",
      "pto.vmi.vstore %h, %d[%c0] : !pto.vmi.vreg<1xf32>, !pto.ptr<f32, ub>"], True),
    ([f"%h = pto.vmi.vsel %half, %y, %x : {MASK}, {F32}, {F32} -> {F32}", store("%h", "%d")], True),
    ([f"%h = pto.vmi.vsel %half, %x, %y : {MASK}, {F32}, {F32} -> {F32}", store("%h", "%d")], False),
])  # fmt: skip
def test_a_partial_store_suffices_for_what_is_demanded(consumer: list[str], forwarded: bool) -> None:
    halves = "%q = pto.castptr %at_e : i64 -> !pto.ptr<bf16, ub>"
    found = told(kernel(halves, region(load("%x", "%a"), store("%x", "%b", mask="%half"), load("%y", "%b"), *consumer)))
    assert found.forwards == ([("%y", "%x %b")] if forwarded else [])


@pytest.mark.parametrize("attrs", ["", MERGE])
def test_a_full_store_survives_a_partial_one(attrs: str) -> None:
    def text(mask: str) -> str:
        return kernel(region(
            load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"), store("%y", "%b", mask="%half", attrs=attrs),
            load("%z", "%b"), store("%z", "%c", mask=mask)), out="bc")  # fmt: skip

    whole, half = told(text("")), told(text("%half"))
    assert (whole.forwards, whole.kept) == ([], ["%x %b", "%y %b", "%z %c"])
    assert (half.forwards, half.kept) == ([("%z", "%y %b")], ["%x %b", "%y %b", "%z %c"])


def test_lanes_that_a_merging_store_leaves_alone_are_still_handed_on() -> None:
    high = f"%high = pto.vmi.mask_not %half : {MASK} -> {MASK}"

    def text(attrs: str) -> str:
        return kernel(high, region(
            load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"), store("%y", "%b", mask="%half", attrs=attrs),
            load("%z", "%b"), store("%z", "%c", mask="%high")))  # fmt: skip

    assert told(text(MERGE)).forwards == [("%z", "%x %b")]
    assert told(text("")).forwards == []


def test_zeros_are_believed_on_request_only() -> None:
    text = kernel(region(load("%x", "%a"), store("%x", "%b", mask="%half"), load("%y", "%b"),
                         scaled("%z", "%y", "%half", ' {pmode = "zero"}'), store("%z", "%c")))  # fmt: skip
    assert told(text).forwards == []
    assert told(text, ElideOptions(trust_zero=True)).forwards == [("%y", "%x %b")]


def test_a_loop_between_two_stores_reads_the_first() -> None:
    found = told(kernel(region(
        load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"),
        loop("i", load("%z", "%b"), store("%z", "%c", "%oi")), store("%y", "%b")), out="c"))  # fmt: skip
    assert found.kept == ["%x %b", "%z %c"]
    assert found.dead == [("%y %b", "not read")]


def test_an_overwritten_store_is_dropped_unless_it_was_read() -> None:
    lines = [load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"), store("%y", "%b")]
    assert told(kernel(region(*lines))).dead == [("%x %b", "overwritten")]
    between = "pto.barrier #pto.pipe<PIPE_ALL>"
    assert told(kernel(region(*lines[:3], between, lines[3])), ElideOptions(exit_dse=False)).dead == []
    elsewhere = store("%y", "%b", "%c1")
    assert told(kernel(region(*lines[:3], elsewhere))).dead == []


def test_a_load_that_stays_reads_the_store_before_it() -> None:
    lines = [load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b", mask="%half", attrs=MERGE), load("%z", "%b"),
             store("%z", "%c"), store("%y", "%b")]  # fmt: skip
    assert told(kernel(region(*lines))).dead == []
    assert told(kernel(region(*lines[:3], lines[5]))).dead == [("%x %b", "overwritten")]


def test_synchronisation_in_a_loop_lets_others_read_as_well() -> None:
    barrier = "pto.barrier #pto.pipe<PIPE_ALL>"

    def text(*inside: str) -> str:
        other = loop("i", load("%z", "%c", "%oi"), store("%z", "%d", "%oi"), *inside)
        return kernel(region(load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"), other, store("%y", "%b")))

    options = ElideOptions(exit_dse=False)
    assert told(text(), options).dead == [("%x %b", "overwritten")]
    assert told(text(barrier), options).dead == []


def test_an_overlapping_store_takes_away_what_was_known() -> None:
    found = told(kernel(region(load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"), store("%y", "%b", "%c32"),
                               load("%z", "%b"), store("%z", "%c"))))  # fmt: skip
    assert found.forwards == []
    apart = told(kernel(region(load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"), store("%y", "%b", "%c64"),
                               load("%z", "%b"), store("%z", "%c"))))  # fmt: skip
    assert apart.forwards == [("%z", "%x %b")]


def test_rows_of_unknown_distance_may_meet() -> None:
    def text(at: str) -> str:
        return kernel(region(load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b", "%n"), store("%y", "%b", at),
                             load("%z", "%b", "%n"), store("%z", "%c")), arguments="%n: index, %k: index")  # fmt: skip

    assert told(text("%k")).forwards == []
    assert told(text("%n")).forwards == [("%z", "%y %b")]


def test_a_loaded_row_is_handed_on_and_written_back_for_nothing() -> None:
    found = told(kernel(region(load("%x", "%a"), load("%y", "%a"), binary("%z", "vadd", "%x", "%y"), store("%z", "%b"),
                               store("%y", "%a"))))  # fmt: skip
    assert found.forwards == [("%y", "%x")]
    assert found.dead == [("%y %a", "redundant")]
    partial = told(kernel(region(load("%x", "%a"), store("%x", "%a", mask="%half"), store("%x", "%b"))))
    assert partial.dead == []
    merged = told(kernel(region(load("%x", "%a"), store("%x", "%a", mask="%half", attrs=MERGE), store("%x", "%b"))))
    assert merged.dead == [("%x %a", "redundant")]


def test_a_store_of_the_same_value_again_changes_nothing() -> None:
    again = [load("%x", "%a"), store("%x", "%b", mask="%half"), store("%x", "%b", mask="%half")]
    assert told(kernel(region(*again))).dead == [("%x %b", "redundant")]
    touched = [*again[:2], scaled("%y", "%x"), store("%y", "%b", "%c32", mask="%eight"), again[2]]
    assert told(kernel(region(*touched))).dead == []
    over = [load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"), store("%y", "%b", mask="%half", attrs=MERGE),
            store("%x", "%b")]  # fmt: skip
    assert told(kernel(region(*over))).dead == [("%x %b", "overwritten"), ("%y %b", "overwritten")]


def test_copies_read_and_write() -> None:
    copy = "\n".join(copy_out("b"))
    found = told(kernel(region(load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"), copy, store("%y", "%b"),
                               load("%z", "%b"), store("%z", "%c")), out="c"))  # fmt: skip
    assert found.forwards == [("%z", "%y %b")]
    assert ("%x %b", "overwritten") not in found.dead
    zero = "%zero = arith.constant 0 : i64"
    filled = (f"pto.mte_gm_ub %dst, %b, %zero, %bytes nburst(%once, %bytes, %bytes) : "
              f"!pto.ptr<f32, gm>, {PTR}, i64, i64, i64, i64, i64")  # fmt: skip
    lost = told(kernel(zero, region(load("%x", "%a"), store("%x", "%b"), filled, load("%z", "%b"), store("%z", "%c")),
                       out="c"))  # fmt: skip
    assert lost.forwards == []


def test_tiles_are_compared_by_address() -> None:
    same = ["%again = arith.constant 2048 : i64", f"%tile = pto.pointer_cast(%again) : {TILE}",
            f"%q = pto.castptr %tile : {TILE} -> {PTR}"]  # fmt: skip
    found = told(kernel(*same, region(load("%x", "%a"), store("%x", "%b"), load("%y", "%q"), store("%y", "%c"))))
    assert found.forwards == [("%y", "%x %b")]


GROUPED = "!pto.vmi.vreg<8xf32>"


@pytest.mark.parametrize(("group", "stride", "forwarded"), [
    ("8", "%c1", True), ("8", "%c2", False), ("4", "%c2", False), ("8", "%n", False)])  # fmt: skip
def test_groups_are_handed_on_if_they_are_the_same(group: str, stride: str, forwarded: bool) -> None:
    found = told(kernel(region(
        f"%x = pto.vmi.vload %a[%c0], %c1 {{group = 8}} : {PTR} -> {GROUPED}",
        f"pto.vmi.vstore %x, %b[%c0], %c1 {{group = 8}} : {GROUPED}, {PTR}",
        f"%y = pto.vmi.vload %b[%c0], {stride} {{group = {group}}} : {PTR} -> {GROUPED}",
        f"pto.vmi.vstore %y, %c[%c0] : {GROUPED}, {PTR}"), arguments="%n: index"))  # fmt: skip
    assert found.forwards == ([("%y", "%x %b")] if forwarded else [])
    assert found.stores == 2


def test_groups_that_overlap_are_not_what_was_stored() -> None:
    rows = "!pto.vmi.vreg<64xf32>"
    found = told(kernel(region(
        f"%x = pto.vmi.vload %a[%c0], %c8 {{group = 8}} : {PTR} -> {rows}",
        f"pto.vmi.vstore %x, %b[%c0], %c7 {{group = 8}} : {rows}, {PTR}",
        f"%y = pto.vmi.vload %b[%c0], %c7 {{group = 8}} : {PTR} -> {rows}", store("%y", "%c"))))  # fmt: skip
    assert found.forwards == []


def test_a_region_in_a_loop_is_read_by_the_next_iteration() -> None:
    inner = region(load("%y", "%b"), store("%y", "%c"), load("%x", "%a"), store("%x", "%b"))
    once, again = kernel(inner, out="c"), kernel("scf.for %k = %c0 to %c2 step %c1 {", inner, "}", out="c")
    assert told(once).dead == [("%x %b", "not read")]
    assert told(again).dead == []


def test_what_another_function_calls_leaves_its_results_in_the_buffer() -> None:
    text = kernel(region(load("%x", "%a"), store("%x", "%b"), store("%x", "%c")), out="c")
    called = (
        text + "func.func @m(%g: !pto.ptr<f32, gm>) {\n  func.call @k(%g) : (!pto.ptr<f32, gm>) -> ()\n  return\n}\n"
    )
    assert told(text).dead == [("%x %b", "not read")]
    assert told(called).dead == []


def test_a_pointer_from_outside_is_read_outside() -> None:
    text = kernel(region(load("%x", "%a"), store("%x", "%u"), store("%x", "%c")), arguments=f"%u: {PTR}", out="c")
    found = told(text)
    assert found.kept == ["%x %u", "%x %c"]


def test_what_is_computed_for_nothing_is_dropped_with_its_loads() -> None:
    found = told(kernel(region(load("%x", "%b"), scaled("%y", "%x"), store("%y", "%b"), load("%z", "%a"),
                               store("%z", "%c")), out="c"))  # fmt: skip
    assert found.dead == [("%y %b", "not read")]
    assert found.loads == 1


def test_a_call_may_read_and_write_everything() -> None:
    called = "func.func private @other(%p: !pto.ptr<f32, ub>) {\n  return\n}\n"
    call = f"func.call @other(%e) : ({PTR}) -> ()"
    lines = [load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b")]
    rest = [store("%y", "%b"), load("%z", "%b"), store("%z", "%c")]
    plain = told(called + kernel(region(*lines, *rest)))
    assert plain.dead == [("%x %b", "overwritten")]
    across = told(called + kernel(region(*lines, call, *rest)))
    assert across.dead == []
    lost = told(called + kernel(region(*lines, call, load("%z", "%b"), store("%z", "%c"))))
    assert lost.forwards == []


def test_blocks_that_run_again_read_again() -> None:
    def text(branch: str) -> str:
        body = region(load("%y", "%b"), store("%y", "%c"), load("%x", "%a"), store("%x", "%b"))
        return kernel("cf.br ^head", "^head:", body, branch, "^tail:", arguments="%yes: i1", out="c")

    assert told(text("cf.cond_br %yes, ^head, ^tail")).dead == []


def test_memory_from_outside_is_read_behind_the_function_though_nothing_copies_it() -> None:
    text = kernel(*copy_out("c"), region(load("%x", "%a"), store("%x", "%u"), store("%x", "%d")),
                  arguments=f"%dst: !pto.ptr<f32, gm>, %u: {PTR}")  # fmt: skip
    found = told(text)
    assert found.kept == ["%x %u"]
    assert found.dead == [("%x %d", "not read")]


def test_a_fixed_place_that_a_loop_stores_to_may_be_overwritten_behind_it() -> None:
    lines = [loop("i", load("%x", "%a", "%oi"), store("%x", "%b")), load("%y", "%c"), store("%y", "%b")]
    assert told(kernel(region(*lines))).dead == [("%x %b", "not read")]
    read = [lines[0], load("%z", "%b"), store("%z", "%d"), *lines[1:]]
    assert told(kernel(region(*read))).dead == []


def test_what_nobody_used_before_is_left_to_others() -> None:
    text = kernel(region("%k = arith.constant 7 : index", load("%x", "%a"), store("%x", "%b"), load("%y", "%b"),
                         store("%y", "%c")))  # fmt: skip
    graph = graph_of(text)
    left = {name(graph, item.node) for item in walk(elide(code_of(graph)).code.items) if item.node.results}
    assert "%k" in left
    assert "%y" not in left


def test_readers_are_named_with_their_reasons() -> None:
    graph = graph_of(kernel(region(load("%x", "%a"), store("%x", "%b"), load("%y", "%b"), store("%y", "%c")), out="b"))
    known = readers(code_of(graph), Facts(code_of(graph)))
    named = {name(graph, graph.ops[store]): [one.node and name(graph, one.node) for one in them]
             for store, them in known.items()}  # fmt: skip
    assert named == {"%x %b": ["%y", "%b %gm_b"], "%y %c": []}
    whole = graph_of(kernel(region(load("%x", "%a"), store("%x", "%b"))))
    (them,) = readers(code_of(whole), Facts(code_of(whole))).values()
    assert [one.node for one in them] == [None]
    assert "copies nothing out" in them[0].why


def test_needs_of_loads() -> None:
    graph = graph_of(kernel(region(load("%x", "%a"), store("%x", "%b", mask="%half"), load("%y", "%b"),
                                   binary("%z", "vadd", "%x", "%y", "%eight"),
                                   store("%z", "%c", mask="%eight"))))  # fmt: skip
    code = code_of(graph)
    found = {name(graph, graph.ops[index]): lanes for index, lanes in needs(code, Masks(Facts(code).numbers)).items()}
    assert found == {"%x": prefix(64, 32), "%y": prefix(64, 8)}
    assert isinstance(found["%x"], Lanes)
    assert found["%x"] != every(64)
