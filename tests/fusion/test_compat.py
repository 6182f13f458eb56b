"""The passes of the first version of the production compiler, rule by rule: where each acts, and where it does not."""

from __future__ import annotations

import pytest

from layoutsolver.fusion.code import Code, Loop, code_of, walk
from layoutsolver.fusion.compat.elide import elide
from layoutsolver.fusion.compat.fuse import fuse
from layoutsolver.fusion.compat.plan import plan
from layoutsolver.fusion.compat.run import STAGES, run_seed
from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph
from layoutsolver.mlir.reader import read
from tests.support.fusion_text import (
    F32,
    LARGEST,
    MASK,
    PTR,
    TILE,
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
)  # fmt: skip

MERGE = ' {pmode = "merge"}'


def code(text: str) -> Code:
    graph, found = build_graph(read(text))
    assert not found, found
    return code_of(graph)


def regions(text: str) -> int:
    return sum(item.node.name == "pto.fusion_region" for item in walk(plan(code(text)).items))


def loops(text: str) -> list[int]:
    """Of how many loops each loop is made that is left."""
    return [len(item.nodes) for item in walk(fuse(code(text)).items) if isinstance(item, Loop)]


def name(graph: Graph, node: int) -> str:
    op = graph.ops[node]
    if op.results:
        return graph.values[op.results[0]].name
    return " ".join(graph.values[value].name for value in op.operands[:2])


def elided(*lines: str, arguments: str = "") -> tuple[list[str], list[str]]:
    """The loads that are handed a value, and the stores that are dropped."""
    found = elide(code(kernel(region(*lines), arguments=arguments)))
    graph = found.code.graph
    return [name(graph, one.index) for one in found.forwards], [name(graph, one.index) for one in found.dead]


# -- plan ---------------------------------------------------------------------------------------------------------

TWO = (region(through("i", "%a", "%b")), region(through("j", "%b", "%c")))


def test_neighbouring_regions_are_merged_whatever_is_between() -> None:
    assert regions(kernel(*TWO)) == 1
    assert regions(kernel(TWO[0], "pto.barrier #pto.pipe<PIPE_ALL>", TWO[1])) == 1
    assert regions(kernel("scf.for %k = %c0 to %c2 step %c1 {", *TWO, "}")) == 2  # only the entry block is looked at


@pytest.mark.parametrize(("inside", "count"), [
    ('pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]', 3), ("pto.barrier #pto.pipe<PIPE_ALL>", 1),
    ("scf.if %yes {\n}", 1), ("pto.vecscope {\n}", 3), ("func.call @k(%yes) : (i1) -> ()", 3),
])  # fmt: skip
def test_what_closes_a_group(inside: str, count: int) -> None:
    assert regions(kernel(TWO[0], region(inside), TWO[1], arguments="%yes: i1")) == count


def test_a_region_that_yields_is_not_merged() -> None:
    yielding = f"%y = pto.fusion_region {{\n{load('%x', '%a')}\npto.yield(%x) : ({F32}) -> ()\n}} : {F32}"
    assert regions(kernel(TWO[0], yielding, TWO[1], store("%y", "%d"))) == 3


@pytest.mark.parametrize(("start", "type_", "count"), [
    (2048, "memref<16x128xbf16, #pto.address_space<vec>>", 2), (2048, TILE, 1), (2304, TILE, 1)])  # fmt: skip
def test_only_tiles_of_other_types_at_one_address_are_refused(start: int, type_: str, count: int) -> None:
    at, own = f"%at = arith.constant {start} : i64", f"%own = pto.pointer_cast(%at_b) : {TILE}"
    cast = f"%t = pto.pointer_cast(%at) : {type_}\n%q = pto.castptr %t : {type_} -> {PTR}"
    assert regions(kernel(at, region(own, through("i", "%a", "%b")), region(cast, through("j", "%q", "%c")))) == count


# -- loops --------------------------------------------------------------------------------------------------------


def test_loops_are_fused_one_after_the_other_until_one_does_not_fit() -> None:
    short = "%c0 to %c7 step %c1"
    parts = [through("i", "%a", "%b"), through("j", "%b", "%c"), through("k", "%c", "%d", header=short),
             through("l", "%d", "%e")]  # fmt: skip
    assert loops(kernel(region(*parts))) == [2, 1, 1]
    assert loops(kernel(region(*parts[:2], parts[3]))) == [3]


def test_headers_are_equal_but_for_added_constants_and_their_attributes() -> None:
    sums = "%n1 = arith.addi %n, %c1 : index\n%n2 = arith.addi %c2, %n : index\n%m1 = arith.addi %m, %c1 : index"

    def of(first: str, second: str, attrs: str = "") -> list[int]:
        one = through("i", "%a", "%b", header=f"%c0 to {first} step %c1") + attrs
        return loops(kernel(sums, region(one, through("j", "%b", "%c", header=f"%c0 to {second} step %c1")),
                            arguments="%n: index, %m: index"))  # fmt: skip

    assert of("%n1", "%n2") == [2]
    assert of("%n", "%n1") == [2]
    assert of("%n1", "%m1") == [1, 1]
    assert of("%c8", "%c7") == [1, 1]
    assert of("%n1", "%n1", ' {pto.tilelib.impl = "vmi"}') == [1, 1]


def test_what_is_between_goes_to_one_side_as_a_whole() -> None:
    reduced = [LARGEST, largest("i", "%r", "%a")]
    sunk = [*reduced, store("%r", "%d"), through("j", "%b", "%c")]
    assert loops(kernel(region(*sunk))) == [2]
    read = [*reduced, store("%r", "%b"), through("j", "%b", "%c")]
    assert loops(kernel(region(*read))) == [1, 1]
    mask = f"%m = pto.vmi.create_mask %c16 : index -> {MASK}"
    shared = loop("j", load("%x", "%b", "%oj"), store("%x", "%c", "%oj", "%m", MERGE))
    assert loops(kernel(region(*reduced, mask, store("%r", "%d", mask="%m"), shared))) == [1, 1]
    assert loops(kernel(region(*reduced, mask, store("%r", "%d"), shared))) == [2]


def test_a_load_is_not_hoisted_over_a_loop_that_writes_its_tile() -> None:
    used = loop("j", load("%x", "%c", "%oj"), binary("%y", "vadd", "%x", "%u"), store("%y", "%d", "%oj"))
    assert loops(kernel(region(through("i", "%a", "%b"), load("%u", "%b"), used))) == [1, 1]
    assert loops(kernel(region(through("i", "%a", "%b"), load("%u", "%e"), used))) == [2]


# -- loads and stores ---------------------------------------------------------------------------------------------


def test_a_load_is_handed_on_for_the_lanes_of_its_users_masks() -> None:
    def of(*users: str, mask: str = "%half") -> list[str]:
        return elided(load("%x", "%a"), store("%x", "%b", mask=mask, attrs=MERGE), load("%y", "%b"), *users)[0]

    assert of(store("%y", "%c", mask="%half")) == ["%y"]
    assert of(store("%y", "%c", mask="%all")) == []
    assert of(store("%y", "%c", mask="%all"), mask="%all") == ["%y"]
    assert of(store("%y", "%c")) == ["%y"]  # a user without a mask adds nothing
    assert of(store("%y", "%c", mask="%half"), store("%y", "%d", mask="%eight")) == []
    assert of() == []


def test_a_store_is_dropped_for_a_later_one_of_at_least_its_lanes() -> None:
    def of(first: str, second: str, attrs: str, between: str = "") -> list[str]:
        return elided(load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b", mask=first, attrs=MERGE), between,
                      store("%y", "%b", mask=second, attrs=attrs))[1]  # fmt: skip

    assert of("%half", "%all", MERGE) == ["%x %b"]
    assert of("%half", "%half", MERGE) == ["%x %b"]
    assert of("%half", "%eight", MERGE) == []
    assert of("%half", "%eight", "") == ["%x %b"]  # the others are zero now, it thinks
    assert of("%half", "%all", MERGE, "pto.barrier #pto.pipe<PIPE_ALL>") == ["%x %b"]


def test_what_is_copied_out_escapes_and_what_is_copied_in_is_forgotten() -> None:
    lines = [load("%x", "%a"), scaled("%y", "%x"), store("%x", "%b")]
    out = [*copy_out("b"), store("%y", "%b")]
    assert elided(*lines, *out, arguments="%dst: !pto.ptr<f32, gm>")[1] == []
    within = f"pto.mte_ub_ub %b, %c, %once nburst(%once, %once, %once) : {PTR}, {PTR}, i64, i64, i64, i64"
    assert elided(*lines, within, store("%y", "%b"))[1] == ["%x %b"]
    filled = (f"pto.mte_gm_ub %src, %b, %once, %bytes nburst(%once, %bytes, %bytes) : "
              f"!pto.ptr<f32, gm>, {PTR}, i64, i64, i64, i64, i64")  # fmt: skip
    again = [load("%z", "%b"), store("%z", "%c")]
    assert elided(*lines, filled, *again, arguments="%src: !pto.ptr<f32, gm>")[0] == []
    assert elided(*lines, *again)[0] == ["%z"]


def test_a_loop_lets_values_be_forgotten_and_has_a_range_of_its_own() -> None:
    lines = [load("%x", "%a"), store("%x", "%b")]
    assert elided(*lines, through("i", "%c", "%d"), load("%y", "%b"), store("%y", "%c"))[0] == []
    assert elided(loop("i", *lines, load("%y", "%b"), store("%y", "%c", "%oi")))[0] == ["%y"]


def test_loads_are_handed_on_to_loads() -> None:
    assert elided(load("%x", "%a"), load("%y", "%a"), store("%x", "%b"), store("%y", "%c"))[0] == ["%y"]
    assert elided(load("%x", "%a"), load("%y", "%a", "%c64"), store("%x", "%b"), store("%y", "%c"))[0] == []


def test_the_passes_are_run_up_to_the_one_that_is_named() -> None:
    text = kernel(*TWO, out="c")
    found = [[item.node.name for item in walk(run_seed(code(text), stage).items)] for stage in STAGES]
    assert [names.count("pto.fusion_region") for names in found] == [1, 1, 1, 1, 0]
    assert [names.count("scf.for") for names in found] == [2, 1, 1, 1, 1]
    assert [names.count("pto.vmi.vload") for names in found] == [2, 2, 2, 1, 1]
    with pytest.raises(ValueError, match="no pass `later`"):
        run_seed(code(text), "later")
