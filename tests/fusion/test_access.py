"""What items touch: numbers, roots, accesses, and whether they may meet."""

from __future__ import annotations

from layoutsolver.fusion.access import Access, Facts
from layoutsolver.fusion.code import Loop, Straight, code_of, walk
from layoutsolver.fusion.conflict import may_meet
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read

HEAD = """
func.func @f(%n: index, %u: !pto.ptr<f32, ub>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c300 = arith.constant 300 : i16
  %a0 = arith.constant 0 : i64
  %a1 = arith.constant 2048 : i64
"""


def facts(body: str) -> Facts:
    graph, found = build_graph(read(HEAD + body + "  return\n}\n"))
    assert not found
    return Facts(code_of(graph))


def accesses(known: Facts) -> list[Access]:
    """The accesses as they stand in the text."""
    straight = [item for item in walk(known.code.items) if isinstance(item, Straight)]
    return [access for item in straight for access in known.effects(item).accesses]


LOAD = "pto.vmi.vload {}[{}] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>\n"


def test_offsets_are_sums_of_induction_variable_and_symbols() -> None:
    known = facts(
        "%p = pto.castptr %a1 : i64 -> !pto.ptr<f32, ub>\n"
        "scf.for %i = %c0 to %c8 step %c1 {\n"
        "%o = arith.muli %i, %c64 : index\n%s = arith.addi %o, %n : index\n%t = arith.subi %s, %c64 : index\n"
        "%v = " + LOAD.format("%p", "%t") + "}\n"
    )
    (access,) = accesses(known)
    loop = next(item for item in walk(known.code.items) if isinstance(item, Loop))
    assert access.at is not None
    assert access.is_simple
    assert access.at.constant == 2048 - 256
    assert access.at.factor(loop.induction) == 256
    assert [factor for symbol, factor in access.at.terms if symbol != loop.induction] == [4]
    (whole,) = known.effects(loop).accesses
    assert whole.at is not None
    assert (whole.at.constant, whole.span, whole.is_simple) == (2048 - 256, 8 * 256, False)


def test_narrow_integers_that_may_wrap_are_symbols() -> None:
    body = (
        "%z = arith.constant 0 : i16\n%e = arith.constant {} : i16\n%o = arith.constant 1 : i16\n"
        "%p = pto.castptr %a1 : i64 -> !pto.ptr<f32, ub>\n"
        "scf.for %i = %z to %e step %o : i16 {{\n"
        "%m = arith.muli %i, %c300 : i16\n%x = arith.index_cast %m : i16 to index\n"
        "%v = " + LOAD.format("%p", "%x").replace("{", "{{").replace("}", "}}") + "}}\n"
    )
    fits, wraps = facts(body.format(110)), facts(body.format(111))
    (one,), (other,) = accesses(fits), accesses(wraps)
    assert one.at is not None
    assert one.at.terms[0][1] == 1200
    assert other.at is not None
    assert other.at.terms[0][1] == 4
    loop = next(item for item in walk(wraps.code.items) if isinstance(item, Loop))
    assert wraps.body_effects(loop).accesses[0].at == other.at
    assert wraps.effects(loop).accesses[0].at is None


def test_equal_addresses_of_different_values_meet() -> None:
    known = facts(
        "%b = arith.constant 2048 : i64\n%m = pto.pointer_cast(%a1) : memref<8x64xf32, #pto.address_space<vec>>\n"
        "%p = pto.castptr %m : memref<8x64xf32, #pto.address_space<vec>> -> !pto.ptr<f32, ub>\n"
        "%k = pto.pointer_cast(%b) : memref<8x128xf16, #pto.address_space<vec>>\n"
        "%q = pto.castptr %k : memref<8x128xf16, #pto.address_space<vec>> -> !pto.ptr<f32, ub>\n"
        "%z = pto.pointer_cast(%a0) : memref<8x64xf32, #pto.address_space<vec>>\n"
        "%r = pto.castptr %z : memref<8x64xf32, #pto.address_space<vec>> -> !pto.ptr<f32, ub>\n"
        "%v = " + LOAD.format("%p", "%c64") + "%w = " + LOAD.format("%q", "%c64")
        + "%x = " + LOAD.format("%r", "%n") + "%y = " + LOAD.format("%u", "%n")
    )  # fmt: skip
    first, second, low, foreign = accesses(known)
    assert may_meet(first, second)
    assert not may_meet(first, low)
    assert may_meet(first, foreign)
    assert may_meet(low, foreign)


def test_copies_and_synchronisation_are_told_from_what_may_do_anything() -> None:
    known = facts('pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]\nfunc.call @g() : () -> ()\n')
    straight = [item for item in walk(known.code.items) if isinstance(item, Straight)]
    effects = [known.effects(item) for item in straight if not known.effects(item).is_pure]
    assert [(e.order is not None, e.unknown is not None) for e in effects] == [(True, False), (False, True)]


def loops(known: Facts) -> list[Loop]:
    return [item for item in walk(known.code.items) if isinstance(item, Loop)]


def test_a_loop_that_calls_may_do_anything() -> None:
    known = facts("scf.for %i = %c0 to %c8 step %c1 {\nfunc.call @g() : () -> ()\n}\n")
    assert known.swept(loops(known)[0]).unknown is not None


ROWS = """\
%m = pto.pointer_cast(%a1) : memref<32x64xf32, #pto.address_space<vec>>
%p = pto.castptr %m : memref<32x64xf32, #pto.address_space<vec>> -> !pto.ptr<f32, ub>
scf.for %i = %c0 to %c8 step %c1 {{
%o = arith.muli %i, %c64 : index
%v = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>
}}
%from = arith.constant {0} : index
scf.for %j = %c0 to %c8 step %c1 {{
%r = arith.muli %j, %c64 : index
%s = arith.addi %r, %from : index
%w = pto.vmi.vload %p[%s] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>
}}
"""


def test_rows_of_two_loops_meet_where_they_overlap_whichever_is_asked_first() -> None:
    for start, meet in ((0, True), (256, True), (448, True), (512, False), (2048, False)):
        one, other = accesses(facts(ROWS.format(start)))
        assert (may_meet(one, other), may_meet(other, one)) == (meet, meet), start
