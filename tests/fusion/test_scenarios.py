"""The scenarios of the specification, section 11, in their order: what is fused, what is handed on, what is kept.

Every program is run against what becomes of it.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from layoutsolver.api_fusion import FuseOptions, FuseResult, fuse, fuse_as_seed
from layoutsolver.fusion.apart import Apart
from layoutsolver.fusion.code import Loop, walk
from layoutsolver.fusion.measure import Measure, measure
from layoutsolver.pose.fusion.pose import Posed
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files
from layoutsolver_models.solve.fusion_all import best_by_enumeration
from layoutsolver_models.solve.fusion_plan import settle
from layoutsolver_models.solve.fusion_search import greedy
from tests.support.fusion_text import (
    F32,
    LARGEST,
    MASK,
    PTR,
    binary,
    copy_out,
    kernel,
    largest,
    load,
    loop,
    region,
    scaled,
    store,
    through,
    unary,
)  # fmt: skip

MERGE = ' {pmode = "merge"}'
SHORT = "%c0 to %c7 step %c1"
"""Seven turns: the row behind the last one is still in its tile."""


class Fused(NamedTuple):
    """What came of a program: the numbers of the loops that became one, what it has before it is flattened, why pairs
    of loops are apart, and everything else.
    """

    clusters: set[tuple[int, ...]]
    counts: Measure
    rules: dict[tuple[int, int], str]
    result: FuseResult


def fused(text: str, exit_dse: bool = True, run: bool = True) -> Fused:
    """Fuse a program and run it against what becomes of it."""
    source = SourceFile("kernel.pto", text)
    result = fuse(source, FuseOptions(exit_dse=exit_dse))
    assert result.ok, result.diagnostics
    assert not result.limited
    if run:
        assert agrees(source, result.text)
    numbers: dict[int, int] = {}
    for node in result.code.graph.ops if result.code else []:
        if node.name == "scf.for":
            numbers[node.index] = len(numbers)
    elided = result.stages["elide"]
    loops = [item for item in walk(elided.items) if isinstance(item, Loop)]
    clusters = {tuple(sorted(numbers[node.index] for node in item.nodes)) for item in loops}
    rules: dict[tuple[int, int], str] = {}
    for block in result.blocks:
        for first, second, one in pairs_apart(block.posed):
            nodes = (block.posed.block.loop(number).node.index for number in (first, second))
            rules[numbers[next(nodes)], numbers[next(nodes)]] = one.rule
    return Fused(clusters, measure(elided, 16), rules, result)


def pairs_apart(posed: Posed) -> list[tuple[int, int, Apart]]:
    """The pairs of loops of a block that cannot be one, and why."""
    count = len(posed.problem.loops)
    pairs = [(first, second, posed.block.apart(first, second)) for second in range(count) for first in range(second)]
    return [(first, second, one) for first, second, one in pairs if one is not None]


def agrees(source: SourceFile, text: str | None) -> bool:
    assert text is not None
    said, done = verify_files(source, SourceFile("fused.pto", text), 2, 1)
    assert said == []
    assert done is not None
    return done.ok


def seed_is_right(text: str) -> bool:
    """Whether the first version of the production compiler leaves a program what it was."""
    source = SourceFile("kernel.pto", text)
    said, made = fuse_as_seed(source)
    assert made is not None, said
    return agrees(source, made)


def witness(found: Fused, pair: tuple[int, int]) -> str:
    """All that is said of a pair that is apart."""
    for block in found.result.blocks:
        for first, second, one in pairs_apart(block.posed):
            if (first, second) == pair:
                return " ".join([one.text, *one.notes, *(text for _, text in one.shown)])
    raise AssertionError(pair)


CHAIN = region(through("i", "%a", "%b"), through("j", "%b", "%c"))


def test_2_a_row_is_handed_on_within_one_loop() -> None:
    dead, kept = fused(kernel(CHAIN, out="c")), fused(kernel(CHAIN, out="c"), exit_dse=False)
    assert dead.clusters == kept.clusters == {(0, 1)}
    assert (dead.counts.loads, dead.counts.stores) == (1, 1)
    assert (kept.counts.loads, kept.counts.stores) == (1, 2)


def test_3_what_is_copied_out_is_stored_though_it_is_handed_on() -> None:
    found = fused(kernel(CHAIN, out="bc"))
    assert found.clusters == {(0, 1)}
    assert (found.counts.loads, found.counts.stores) == (1, 2)


def shifted(first: str, second: str) -> str:
    """Two loops on one tile: what the first does to row i, the second to a later one or the other way round."""
    return kernel(region(first, second))


def later(induction: str) -> str:
    return f"%p{induction} = arith.addi %o{induction}, %c64 : index"


def test_4_a_row_that_is_written_later() -> None:
    text = shifted(
        through("i", "%a", "%b", header=SHORT), through("j", "%b", "%c", header=SHORT, of="%pj", before=later("j"))
    )
    found = fused(text)
    assert found.clusters == {(0,), (1,)}
    assert found.rules == {(0, 1): "FP"}
    assert "turn 0 of the second loop reads what turn 1 of the first one writes" in witness(found, (0, 1))
    assert not seed_is_right(text)


def test_5_a_row_that_was_written_before() -> None:
    found = fused(
        shifted(
            through("i", "%a", "%b", header=SHORT, to="%pi", before=later("i")), through("j", "%b", "%c", header=SHORT)
        )
    )
    assert found.rules == {}
    assert found.clusters in ({(0, 1)}, {(0,), (1,)})
    assert found.counts.loads == 2


def test_6_a_row_that_was_read_before_and_one_that_is_read_later() -> None:
    before = shifted(
        through("i", "%b", "%c", header=SHORT), through("j", "%a", "%b", header=SHORT, to="%pj", before=later("j"))
    )
    found = fused(before)
    assert found.clusters == {(0,), (1,)}
    assert found.rules == {(0, 1): "FP"}
    assert "turn 0 of the second loop overwrites what turn 1 of the first one reads" in witness(found, (0, 1))
    after = fused(
        shifted(
            through("i", "%b", "%c", header=SHORT, of="%pi", before=later("i")), through("j", "%a", "%b", header=SHORT)
        )
    )
    assert after.clusters == {(0, 1)}


def test_7_two_loops_that_write_one_tile() -> None:
    text = shifted(
        through("i", "%a", "%c", header=SHORT), through("j", "%b", "%c", header=SHORT, to="%pj", before=later("j"))
    )
    assert fused(text).rules == {(0, 1): "FP"}
    same = fused(kernel(region(through("i", "%a", "%c"), through("j", "%b", "%c"))))
    assert same.clusters == {(0, 1)}
    assert same.counts.stores == 1
    read = fused(
        kernel(
            region(
                through("i", "%a", "%c"),
                loop(
                    "j",
                    load("%u", "%c", "%oj"),
                    load("%v", "%b", "%oj"),
                    store("%v", "%c", "%oj"),
                    store("%u", "%d", "%oj"),
                ),
            )
        )
    )
    assert read.clusters == {(0, 1)}
    assert (read.counts.loads, read.counts.stores) == (2, 2)


@pytest.mark.parametrize(("header", "expected"), [
    ("%c0 to %c8 step %c1", {(0,), (1,)}), ("%c0 to %c1 step %c1", {(0, 1)})])  # fmt: skip
def test_8_one_place_that_every_turn_stores_to(header: str, expected: set[tuple[int, ...]]) -> None:
    found = fused(
        shifted(through("i", "%a", "%b", header=header, to="%c0"), through("j", "%b", "%c", header=header, of="%c0"))
    )
    assert found.clusters == expected
    assert found.rules == ({} if len(expected) == 1 else {(0, 1): "FP"})


def test_9_rows_that_overlap() -> None:
    found = fused(shifted(through("i", "%a", "%b", to="%i"), through("j", "%b", "%c", of="%j")))
    assert found.clusters == {(0,), (1,)}
    assert found.rules == {(0, 1): "FP"}


SUNK = [LARGEST, largest("i", "%r", "%a"), store("%r", "%d")]
READS = loop("k", load("%z", "%b", "%ok"), load("%u", "%d"), binary("%w", "vsub", "%z", "%u"), store("%w", "%c", "%ok"))
TAKES = loop("k", load("%z", "%b", "%ok"), binary("%w", "vsub", "%z", "%u"), store("%w", "%c", "%ok"))


@pytest.mark.parametrize("rest", [[READS], [load("%u", "%d"), TAKES]])
def test_10_and_11_a_store_between_loops_that_is_read_later(rest: list[str]) -> None:
    text = kernel(region(*SUNK, through("j", "%b", "%b", op="vexp"), *rest), out="c")
    found = fused(text)
    assert found.clusters in ({(0,), (1, 2)}, {(0, 1), (2,)})
    assert (0, 2) in found.rules
    block = found.result.blocks[0]
    assert block.solution.cost.total == best_by_enumeration(block.posed.problem).cost.total
    assert not seed_is_right(text)


ONE_MORE = "%n1 = arith.addi %n, %c1 : index\n%n2 = arith.addi %n, %c2 : index\n%n1_ = arith.addi %n, %c1 : index"
NARROW = "%s0 = arith.constant 0 : i16\n%s8 = arith.constant 8 : i16\n%s1 = arith.constant 1 : i16"


@pytest.mark.parametrize(("first", "second", "same"), [
    ("%c0 to %n1 step %c1", "%c0 to %n2 step %c1", False), ("%c0 to %n1 step %c1", "%c0 to %n1_ step %c1", True),
    ("%c0 to %c8 step %c1", "%c0 to %c8 step %c2", False), ("%c0 to %c8 step %c1", "%c1 to %c8 step %c1", False),
])  # fmt: skip
def test_12_headers(first: str, second: str, same: bool) -> None:
    text = kernel(ONE_MORE, region(through("i", "%a", "%b", header=first), through("j", "%a", "%c", header=second)),
                  arguments="%n: index", rows=264)  # fmt: skip
    found = fused(text, run=same)
    assert found.clusters == ({(0, 1)} if same else {(0,), (1,)})
    assert found.rules == ({} if same else {(0, 1): "HEADER"})


def test_12_an_induction_variable_of_another_type() -> None:
    row = load("%x", "%a", "%oj") + "\n" + store("%x", "%c", "%oj")
    narrow = "\n".join([
        "scf.for %j = %s0 to %s8 step %s1 : i16 {", "%jj = arith.index_cast %j : i16 to index",
        "%oj = arith.muli %jj, %c64 : index", row, "}"])  # fmt: skip
    found = fused(kernel(NARROW, region(through("i", "%a", "%b"), narrow)))
    assert found.clusters == {(0,), (1,)}
    assert found.rules == {(0, 1): "HEADER"}


def test_13_a_result_of_one_loop_that_another_begins_with() -> None:
    second = largest("j", "%q", "%b").replace("= %start)", "= %r)")
    found = fused(kernel(LARGEST, region(largest("i", "%r", "%a"), second, store("%q", "%c"))))
    assert found.clusters == {(0,), (1,)}
    assert found.rules == {(0, 1): "SSA_RESULT"}


CALLED = "func.func private @other(%p: !pto.ptr<f32, ub>) {\n  return\n}\n"


@pytest.mark.parametrize("between", [
    'pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]', "pto.barrier #pto.pipe<PIPE_ALL>",
    f"func.call @other(%a) : ({PTR}) -> ()",
])  # fmt: skip
def test_14_synchronisation_and_calls(between: str) -> None:
    lone = fused(CALLED + kernel(region(through("i", "%a", "%b"), between, through("j", "%b", "%c"))))
    assert lone.clusters == {(0,), (1,)}
    assert lone.rules == {(0, 1): "F3"}
    three = kernel(region(through("i", "%a", "%b")), region(between), region(through("j", "%b", "%c")))
    found = fused(CALLED + three)
    assert found.counts.regions == 3
    assert found.clusters == {(0,), (1,)}


def test_15_one_side_for_a_mask_and_the_other_for_a_store() -> None:
    body = region(
        LARGEST, largest("i", "%r", "%a"), f"%m = pto.vmi.create_mask %c16 : index -> {MASK}",
        store("%r", "%d", mask="%m"),
        loop("j", load("%x", "%b", "%oj"), unary("%y", "vexp", "%x", "%m"), store("%y", "%c", "%oj", "%m", MERGE)),
    )  # fmt: skip
    text = kernel(body)
    assert fused(text).clusters == {(0, 1)}
    _, made = fuse_as_seed(SourceFile("kernel.pto", text))
    assert made is not None
    assert made.count("scf.for") == 2


def test_16_half_a_row_that_is_stored() -> None:
    def left(*consumer: str) -> int:
        body = region(load("%x", "%a"), store("%x", "%b", mask="%half"), load("%y", "%b"), *consumer)
        return fused(kernel("%q = pto.castptr %at_e : i64 -> !pto.ptr<bf16, ub>", body)).counts.loads

    wide = f'%h = pto.vmi.vcvt %y {{rounding = "R", saturate = "NOSAT"}} : {F32} -> !pto.vmi.vreg<64xbf16>'
    assert left(wide, "pto.vmi.vstore %h, %q[%c0] : !pto.vmi.vreg<64xbf16>, !pto.ptr<bf16, ub>") == 2
    assert left(scaled("%h", "%y", "%half"), store("%h", "%d", mask="%half")) == 1
    assert left(scaled("%h", "%y", "%half"), store("%h", "%d")) == 2


@pytest.mark.parametrize("attrs", ["", MERGE])
def test_17_half_a_row_that_is_stored_again(attrs: str) -> None:
    def left(mask: str) -> tuple[int, int]:
        found = fused(kernel(region(
            load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"), store("%y", "%b", mask="%half", attrs=attrs),
            load("%z", "%b"), store("%z", "%c", mask=mask))))  # fmt: skip
        return found.counts.loads, found.counts.stores

    assert left("") == (2, 3)
    assert left("%half") == (1, 3)


def test_18_a_loop_that_reads_between_two_stores() -> None:
    text = kernel(region(load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b"),
                         loop("i", load("%z", "%b"), unary("%w", "vabs", "%z"), store("%w", "%c", "%oi")),
                         store("%y", "%b")))  # fmt: skip
    assert fused(text).counts.stores == 3
    assert not seed_is_right(text)


def tiles(start: int) -> tuple[str, str]:
    """Two regions on tiles of 128 rows, the second from an address on."""
    type_ = "memref<128x64xf32, #pto.address_space<vec>>"
    first = [f"%t = pto.pointer_cast(%at_a) : {type_}", f"%p = pto.castptr %t : {type_} -> {PTR}"]
    second = [f"%u = pto.pointer_cast(%from) : {type_}", f"%q = pto.castptr %u : {type_} -> {PTR}"]
    return region(*first, through("i", "%p", "%p")), region(*second, through("j", "%q", "%q"))


@pytest.mark.parametrize(("start", "regions"), [(16384, 2), (32768, 1)])
def test_19_tiles_that_overlap(start: int, regions: int) -> None:
    found = fused(kernel(f"%from = arith.constant {start} : i64", *tiles(start)))
    assert found.counts.regions == regions
    assert [one.rule for one in found.result.plan_apart] == (["PARTIAL_OVERLAP"] if regions == 2 else [])


def test_19_regions_that_yield_are_merged_with_their_results() -> None:
    def yielding(number: int, base: str) -> str:
        body = [LARGEST.replace("%", f"%n{number}"), load(f"%u{number}", base), through(f"i{number}", base, "%d"),
                f"pto.yield(%u{number}) : ({F32}) -> ()"]  # fmt: skip
        return "\n".join([f"%y{number} = pto.fusion_region {{", *body, f"}} : {F32}"])

    found = fused(kernel(yielding(1, "%a"), yielding(2, "%b"), binary("%s", "vadd", "%y1", "%y2"), store("%s", "%e")))
    assert found.counts.regions == 1
    assert found.clusters == {(0, 1)}


def test_19_a_copy_between_regions() -> None:
    text = kernel(region(through("i", "%a", "%b")), *copy_out("b"), region(through("j", "%c", "%b")), out="c")
    found = fused(text)
    assert found.counts.regions == 2
    assert len(found.result.plan_apart) == 1
    assert not seed_is_right(text)


def test_21_another_tile_at_the_same_address() -> None:
    again = (
        "%again = arith.constant 2048 : i64\n%t = pto.pointer_cast(%again) : memref<8x64xf32, #pto.address_space<vec>>"
    )
    cast = f"%q = pto.castptr %t : memref<8x64xf32, #pto.address_space<vec>> -> {PTR}"
    found = fused(kernel(again, cast, region(load("%x", "%a"), store("%x", "%b"), load("%y", "%q"), store("%y", "%c"))))
    assert found.counts.loads == 1


@pytest.mark.parametrize(
    ("group", "stride", "loads"), [("8", "%c1", 1), ("8", "%c2", 2), ("4", "%c2", 2), ("8", "%n", 2)]
)
def test_22_groups(group: str, stride: str, loads: int) -> None:
    small = "!pto.vmi.vreg<8xf32>"
    found = fused(kernel(region(
        f"%x = pto.vmi.vload %a[%c0], %c1 {{group = 8}} : {PTR} -> {small}",
        f"pto.vmi.vstore %x, %b[%c0], %c1 {{group = 8}} : {small}, {PTR}",
        f"%y = pto.vmi.vload %b[%c0], {stride} {{group = {group}}} : {PTR} -> {small}",
        f"pto.vmi.vstore %y, %c[%c0] : {small}, {PTR}"), arguments="%n: index"))  # fmt: skip
    assert (found.counts.loads, found.counts.stores) == (loads, 2)


@pytest.mark.parametrize(
    "text", [kernel(CHAIN, out="c"), kernel(CHAIN), kernel(region(*SUNK, through("j", "%b", "%b"), READS), out="c")]
)
def test_23_a_second_time_nothing_changes(text: str) -> None:
    once = fused(text).result.text
    assert once is not None
    again = fuse(SourceFile("again.pto", once))
    assert again.text == once
    assert [item.code for item in again.diagnostics] == ["LS0902"]


# -- 20: greedy plans and the best ones ---------------------------------------------------------------------------


def costs(text: str, run: bool = True) -> tuple[Fused, int, set[tuple[int, ...]]]:
    """What is best, proved by looking at all plans, and what the greedy plan is and costs."""
    found = fused(text, run=run)
    (block,) = found.result.blocks
    problem = block.posed.problem
    assert block.solution.cost.total == best_by_enumeration(problem).cost.total
    plan = greedy(problem)
    return found, settle(problem, plan).cost.total, set(plan)


def test_20_an_unrelated_loop_between_two() -> None:
    turns, half = "%c0 to %c128 step %c1", "%c0 to %c64 step %c1"
    body = region(through("i", "%a", "%b", header=turns), through("j", "%d", "%e", header=half),
                  through("k", "%b", "%c", header=turns))  # fmt: skip
    found, cost, plan = costs(kernel(body, out="ce", rows=128))
    assert found.clusters == {(0, 2), (1,)}
    assert plan == {(0,), (1,), (2,)}
    assert (found.counts.run_loads, found.counts.run_stores, found.counts.turns) == (192, 192, 192)
    assert (cost, found.result.blocks[0].solution.cost.total) == (1678, 1000)


def test_20_a_neighbour_that_is_the_wrong_one() -> None:
    turns = "%c0 to %c128 step %c1"
    third = loop("k", load("%z", "%c", "%ok"), load("%u", "%d"), binary("%w", "vsub", "%z", "%u"),
                 store("%w", "%e", "%ok"), header=turns)  # fmt: skip
    body = region(LARGEST, largest("i", "%r", "%a", turns), store("%r", "%d"),
                  through("j", "%b", "%c", op="vexp", header=turns), third)  # fmt: skip
    found, cost, plan = costs(kernel(body, out="de", rows=128))
    assert found.clusters == {(0,), (1, 2)}
    assert plan == {(0, 1), (2,)}
    assert (found.counts.run_loads, found.counts.run_stores) == (384, 129)
    assert cost > found.result.blocks[0].solution.cost.total


WIDE = "!pto.vmi.vreg<512xf32>"


def wide(turns: int) -> str:
    """Three loops over rows of eight registers, which fit into the register file two by two only."""

    def moved(kind: str, value: str, base: str, number: str) -> str:
        if kind == "load":
            return f"{value} = pto.vmi.vload {base}[%o{number}] : {PTR} -> {WIDE}"
        return f"pto.vmi.vstore {value}, {base}[%o{number}] : {WIDE}, {PTR}"

    def two(value: str, op: str, left: str, right: str) -> str:
        return f"{value} = pto.vmi.{op} {left}, {right} : {WIDE}, {WIDE} -> {WIDE}"

    def rows(number: str, *lines: str, carry: str = "") -> str:
        init = f" iter_args(%s{number} = %start) -> ({WIDE})" if carry else ""
        result = f"%r{number} = " if carry else ""
        end = [f"scf.yield {carry} : {WIDE}"] if carry else []
        return "\n".join([f"{result}scf.for %{number} = %c0 to %turns step %c1{init} {{",
                          f"%o{number} = arith.muli %{number}, %c512 : index", *lines, *end, "}"])  # fmt: skip

    body = region(
        "%none = arith.constant 0.0 : f32", f"%start = pto.vmi.vbrc %none : f32 -> {WIDE}",
        rows("i", moved("load", "%x", "%a", "i"), two("%t", "vadd", "%x", "%x"), two("%n1", "vadd", "%si", "%t"),
             moved("store", "%t", "%b", "i"), carry="%n1"),
        rows("j", moved("load", "%y", "%b", "j"), f"%p = pto.vmi.vexp %y : {WIDE} -> {WIDE}",
             two("%q", "vmul", "%y", "%y"), moved("store", "%p", "%c", "j"), moved("store", "%q", "%d", "j")),
        rows("k", moved("load", "%v", "%c", "k"), moved("load", "%w", "%d", "k"), two("%z", "vmul", "%v", "%w"),
             two("%n3", "vadd", "%sk", "%z"), moved("store", "%z", "%e", "k"), carry="%n3"),
        f"pto.vmi.vstore %ri, %out[%c0] : {WIDE}, {PTR}", f"pto.vmi.vstore %rk, %out[%c512] : {WIDE}, {PTR}",
    )  # fmt: skip
    return kernel(f"%turns = arith.constant {turns} : index", body, arguments=f"%out: {PTR}", out="e", rows=8 * turns)


def test_20_three_loops_that_do_not_fit_together() -> None:
    found, cost, plan = costs(wide(64), run=False)
    assert found.clusters == {(0,), (1, 2)}
    assert plan == {(0, 1), (2,)}
    assert cost > found.result.blocks[0].solution.cost.total
    assert found.counts.run_loads == 64 * 8 * 2
    assert fused(wide(8)).clusters == {(0,), (1, 2)}
