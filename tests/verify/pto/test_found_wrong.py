"""Lowered programs that are valid text and wrong: each must be rejected, and what is right beside it accepted."""

from __future__ import annotations

import pytest

from tests.verify.pto.pairs import (
    ALL,
    PAIRS,
    binary,
    cast,
    interleave,
    load_pair,
    ptr,
    reg,
    store_pair,
    vcvt,
    vec,
    vlds,
    vload,
    vstore,
    vsts,
)
from tests.verify.pto.texts import codes, compare, function, notes, pointers

SAT = 'part = "{}", sat = "SAT"'


def narrowed(first: str, second: str, third: str, fourth: str) -> str:
    """256 words to half words from registers in this order; a, b, c, d are even, odd, even, odd words of two halves."""
    return function(
        pointers(p="si32", q="si16"), ALL[32], ALL[16], load_pair("a", "b", "si32", "DINTLV_B32"),
        load_pair("c", "d", "si32", "DINTLV_B32", 128),
        *(vcvt(f"n{at}", name, "si32", "si16", SAT.format("EVEN" if at % 2 == 0 else "ODD"))
          for at, name in enumerate((first, second, third, fourth))),
        binary("vor", "r", "n0", "n1", "si16"), binary("vor", "s", "n2", "n3", "si16"),
        vsts("r", "si16", "m16"), vsts("s", "si16", "m16", 128),
    )  # fmt: skip


def test_parts_are_combined_from_registers_of_the_same_chunk() -> None:
    vmi = cast(256, "si32", "si16", 'saturate = "SAT"')
    assert compare(vmi, narrowed("a", "b", "c", "d")).ok
    assert codes(compare(vmi, narrowed("a", "c", "b", "d")))[0] == "LS0707"


def ramp(stride: int) -> tuple[str, str]:
    """x + lane number of 64 half words in every second lane, the lane numbers counted with a stride."""
    vmi = function(
        pointers(p="si16", q="si16"), "%z = arith.constant 0 : i16", vload("x", 64, "si16"),
        f"%i = pto.vmi.vci %z : i16 -> {vec(64, 'si16')}",
        f"%r = pto.vmi.vadd %x, %i : {vec(64, 'si16')}, {vec(64, 'si16')} -> {vec(64, 'si16')}",
        vstore("r", 64, "si16"),
    )  # fmt: skip
    halved = (f"%j = pto.vshrs %i, %one, %m16 : {reg('si16')}, i16, !pto.mask<b16> -> {reg('si16')}",) * (stride == 2)
    lanes = "j" if stride == 2 else "i"
    return vmi, function(
        pointers(p="si16", q="si16"), ALL[16], ALL[32], "%z = arith.constant 0 : i16", "%one = arith.constant 1 : i16",
        vlds("x", "si16", 0, "UNPK_B16"), f"%i = pto.vci %z : i16 -> {reg('si16')}", *halved,
        binary("vadd", "r", "x", lanes, "si16"), vsts("r", "si16", "m32", 0, "PK_B32"),
    )  # fmt: skip


def test_lane_numbers_of_spread_lanes_count_elements() -> None:
    assert compare(*ramp(2)).ok
    found = compare(*ramp(1))
    assert codes(found) == ["LS0707"]
    assert any(note.startswith("element 1 of `%q`") for note in notes(found))


@pytest.mark.parametrize(("count", "right"), [(64, True), (32, False)])
def test_interleaving_a_register_that_is_not_full_reads_padding(count: int, right: bool) -> None:
    kind = vec(count, "f32")
    vmi = function(
        pointers(p="f32", q="f32"), vload("a", count, "f32"),
        f'%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<{count}xpred>',
        f"%l, %h = pto.vmi.vintlv %a, %a, %m : {kind}, {kind}, !pto.vmi.mask<{count}xpred> -> {kind}, {kind}",
        vstore("h", count, "f32"),
    )  # fmt: skip
    vpto = function(
        pointers(p="f32", q="f32"), ALL[32], f'%t32 = pto.pset_b32 "PAT_VL{count}" : !pto.mask<b32>', vlds("a", "f32"),
        interleave("vintlv", "l", "h", "a", "a", "f32"), vsts("h", "f32", "t32"),
    )  # fmt: skip
    assert compare(vmi, vpto).ok is right


def spread(layout: str) -> tuple[str, str]:
    """Eight scales, each for 32 elements, by one load that fills two registers: as halves or by turns."""
    vmi, by_turns = PAIRS["scales spread by a load, one register for both parts"]
    if layout == "by turns":
        return vmi, by_turns
    return vmi, function(
        pointers(p="bf16", q="bf16"), ALL[16], vlds("s", "bf16", 0, "E2B_B16"), vsts("s", "bf16", "m16"),
        vsts("s", "bf16", "m16", 128),
    )  # fmt: skip


def test_one_spreading_load_is_right_by_turns_only() -> None:
    assert compare(*spread("by turns")).ok
    assert codes(compare(*spread("as halves")))[0] == "LS0707"


@pytest.mark.parametrize("moved", ["low, high = lhs, rhs by halves", "low, high = lhs, rhs"])
def test_interleaving_by_names_alone(moved: str) -> None:
    """Registers of the first halves, taken as even and odd parts, are the low result."""
    kind, count = vec(128, "f32"), 128
    vmi = function(
        pointers(p="f32", q="f32"), vload("a", count, "f32"),
        f"%b = pto.vmi.vload %p[%c128] : {ptr('f32')} -> {kind}",
        f'%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<{count}xpred>',
        f"%l, %h = pto.vmi.vintlv %a, %b, %m : {kind}, {kind}, !pto.vmi.mask<{count}xpred> -> {kind}, {kind}",
        vstore("l", count, "f32"),
    )  # fmt: skip
    odd = "b0" if moved.endswith("halves") else "a1"
    vpto = function(
        pointers(p="f32", q="f32"), ALL[32], vlds("a0", "f32"), vlds("a1", "f32", 64), vlds("b0", "f32", 128),
        store_pair("a0", odd, "f32", "INTLV_B32", 32),
    )  # fmt: skip
    assert compare(vmi, vpto).ok is moved.endswith("halves")


def test_a_predicate_that_is_too_coarse_for_its_elements_is_refused() -> None:
    vmi = function(pointers(p="f16", q="f16"), vload("x", 128, "f16"), vstore("x", 128, "f16"))
    vpto = function(
        pointers(p="f16", q="f16"), ALL[16], ALL[32], vlds("x", "f16"),
        f'%c = pto.vcmp %x, %x, %m32, "lt" : {reg("f16")}, {reg("f16")}, !pto.mask<b32> -> !pto.mask<b32>',
        vsts("x", "f16", "m16"),
    )  # fmt: skip
    found = compare(vmi, vpto)
    assert codes(found) == ["LS0703"]
    assert "granularity b32" in found.diagnostics[0].message


def total(*registers: str) -> str:
    """The sum of 256 floats from these of their four registers, one after the other."""
    sums = []
    last = registers[0]
    for at, name in enumerate(registers[1:]):
        sums.append(binary("vadd", f"s{at}", last, name, "f32"))
        last = f"s{at}"
    return function(
        pointers(p="f32", q="f32"), ALL[32], *(vlds(f"x{at}", "f32", 64 * at) for at in range(4)), *sums,
        f"%s = pto.vcadd %{last}, %m32 : {reg('f32')}, !pto.mask<b32> -> {reg('f32')}",
        vsts("s", "f32", "m32", 0, "1PT_B32"),
    )  # fmt: skip


SUM = function(
    pointers(p="f32", q="f32"), vload("x", 256, "f32"), '%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<256xpred>',
    f"%s = pto.vmi.vcadd %x, %m {{reassoc}} : {vec(256, 'f32')}, !pto.vmi.mask<256xpred> -> {vec(1, 'f32')}",
    f"pto.vmi.vstore %s, %q[%c0], %c1 {{group = 1}} : {vec(1, 'f32')}, {ptr('f32')}",
)  # fmt: skip


@pytest.mark.parametrize("order", [("x0", "x1", "x2", "x3"), ("x3", "x1", "x0", "x2")])
def test_sums_may_be_made_in_any_order(order: tuple[str, ...]) -> None:
    found = compare(SUM, total(*order), rounds=8)
    assert found.ok, found.diagnostics


@pytest.mark.parametrize("taken", [("x0", "x1", "x2"), ("x0", "x1", "x2", "x2")])
def test_sums_of_other_elements_are_not_right(taken: tuple[str, ...]) -> None:
    assert codes(compare(SUM, total(*taken)))[0] == "LS0707"


def test_reading_past_the_end_of_an_allocation_is_a_fault() -> None:
    vmi = function(pointers(p="f32", q="f32"), vload("x", 32, "f32"), vstore("x", 32, "f32"))
    vpto = function(pointers(p="f32", q="f32"), '%t32 = pto.pset_b32 "PAT_VL32" : !pto.mask<b32>', vlds("x", "f32"),
                    vsts("x", "f32", "t32"))  # fmt: skip
    assert compare(vmi, vpto).ok
    assert compare(vmi, vpto, sizes={"%p": 256, "%q": 128}).ok
    found = compare(vmi, vpto, sizes={"%p": 128, "%q": 128})
    assert codes(found) == ["LS0702"]
    assert "out of range" in found.diagnostics[0].message


def test_a_store_beside_the_result_is_seen() -> None:
    vmi, vpto = PAIRS["widening of spread lanes"]
    line = vsts("b", "f32", "m32", 128)
    found = compare(vmi, vpto.replace("  return", f"  %c128 = arith.constant 128 : index\n  {line}\n  return"))
    assert codes(found) == ["LS0707"]


def test_two_lowered_programs_are_compared() -> None:
    first, second = (PAIRS[name][1] for name in (
        "widening by parts and an interleaving store", "widening of spread lanes"))  # fmt: skip
    assert compare(first, second).ok
    assert not compare(first, second.replace("UNPK_B16", "BRC_B16")).ok


def test_functions_that_are_missing_or_take_other_arguments_are_named() -> None:
    vmi, vpto = PAIRS["widening of spread lanes"]
    assert codes(compare(vmi, vpto.replace("@k", "@other"))) == ["LS0704"]
    found = compare(vmi, vpto.replace("ub>) {", "ub>, %n: index) {", 1))
    assert codes(found) == ["LS0703"]
    assert "takes 3 arguments" in found.diagnostics[0].message


def test_vectors_that_a_function_returns_are_compared() -> None:
    kind, register = vec(128, "f16"), reg("f16")
    vmi = (
        f"func.func @k(%x: {kind}) -> {kind} {{\n  %r = pto.vmi.vneg %x : {kind} -> {kind}\n  return %r : {kind}\n}}\n"
    )
    vpto = (f"func.func @k(%x: {register}) -> {register} {{\n  {ALL[16]}\n  %r = pto.vneg %x, %m16 : {register}, "
            f"!pto.mask<b16> -> {register}\n  return %r : {register}\n}}\n")  # fmt: skip
    found = compare(vmi, vpto)
    assert found.ok
    assert found.vectors_compared == 4
    wrong = compare(vmi, vpto.replace("vneg", "vabs"))
    assert codes(wrong) == ["LS0707"]
    assert "128 elements differ" in next(iter(notes(wrong)))


def test_the_same_elements_in_another_order_are_told_so() -> None:
    vmi, vpto = PAIRS["widening by parts and an interleaving store"]
    swapped = vpto.replace("pto.vstsx2 %e, %o", "pto.vstsx2 %o, %e")
    assert "the same elements are there in another order: 0 is found at 1" in notes(compare(vmi, swapped))


def test_the_operation_that_makes_a_foreign_number_is_marked() -> None:
    arguments = pointers(p="f32", q="f32")
    vmi = function(
        arguments, vload("x", 64, "f32"), *(f"%{new} = pto.vmi.{op} %{old}, %x : {vec(64, 'f32')}, {vec(64, 'f32')} "
        f"-> {vec(64, 'f32')}" for new, op, old in (("y", "vadd", "x"), ("z", "vmul", "y"))), vstore("z", 64, "f32"),
    )  # fmt: skip
    vpto = function(arguments, ALL[32], vlds("x", "f32"), binary("vadd", "y", "x", "x", "f32"),
                    binary("vmul", "z", "y", "x", "f32"), vsts("z", "f32", "m32"))  # fmt: skip
    assert compare(vmi, vpto).ok
    wrong = compare(vmi, vpto.replace("pto.vadd %x, %x", "pto.vmul %x, %x"))
    marked = [label for label in wrong.diagnostics[0].secondary if "never computed" in label.text]
    assert [label.source.text[label.span.start : label.span.end] for label in marked] == ["pto.vmul"]


def test_lowered_sums_may_be_made_in_any_order_too() -> None:
    first, second = total("x0", "x1", "x2", "x3"), total("x3", "x0", "x2", "x1")
    assert compare(first, second, rounds=8).ok
    assert not compare(first, total("x0", "x1", "x2")).ok


def test_an_index_selects_from_the_register_of_the_load() -> None:
    vmi, vpto = PAIRS["scales spread by index"]
    assert not compare(vmi, vpto.replace("pto.vselr %s, %k", "pto.vselr %a, %k")).ok


def test_a_block_load_from_steps_of_sixteen_bytes_is_a_fault() -> None:
    vmi, vpto = PAIRS["scales spread by index"]
    moved = vpto.replace("  %s = pto.vsldb %p,", "  %c8 = arith.constant 8 : index\n  %p8 = pto.addptr %p, %c8 : "
                         "!pto.ptr<bf16, ub> -> !pto.ptr<bf16, ub>\n  %s = pto.vsldb %p8,")  # fmt: skip
    found = compare(vmi, moved)
    assert codes(found) == ["LS0702"]
    assert "misaligned" in found.diagnostics[0].message


B8, B16, B32 = (f"!pto.mask<b{bits}>" for bits in (8, 16, 32))


@pytest.mark.parametrize(
    ("line", "right"),
    [
        (f'%n = pto.pset_b32 "PAT_ALL" : {B32}', True),
        (f'%n = pto.pset_b16 "PAT_ALL" : {B32}', False),
        (f"%n, %r = pto.plt_b32 %i : i32 -> {B32}, i32", True),
        (f"%n, %r = pto.plt_b16 %i : i32 -> {B32}, i32", False),
        (f"%n, %r = pto.pintlv_b32 %m, %m : {B32}, {B32} -> {B32}, {B32}", True),
        (f"%n, %r = pto.pintlv_b16 %m, %m : {B32}, {B32} -> {B32}, {B32}", False),
        (f"%n = pto.pnot %m, %m : {B32}, {B32} -> {B32}", True),
        (f"%n = pto.pnot %m, %h : {B32}, {B16} -> {B32}", False),
        (f"%n = pto.pand %m, %h, %m : {B32}, {B16}, {B32} -> {B32}", False),
        (f'%n = pto.punpack %h, "LOWER" : {B16} -> {B32}', True),
        (f'%n = pto.punpack %m, "LOWER" : {B32} -> {B16}', False),
        (f'%n = pto.ppack %m, "LOWER" : {B32} -> {B16}', True),
        (f'%n = pto.ppack %m, "LOWER" : {B32} -> {B8}', False),
        (f'%n = pto.ppack %h, "LOWER" : {B16} -> {B32}', False),
    ],
)
def test_predicates_are_of_the_granularity_that_their_instruction_names(line: str, right: bool) -> None:
    text = function(
        pointers(out="f32"), "%i = arith.constant 3 : i32", f'%m = pto.pset_b32 "PAT_ALL" : {B32}',
        f'%h = pto.pset_b16 "PAT_ALL" : {B16}', line,
    )  # fmt: skip
    found = compare(text, text, 1)
    assert codes(found) == ([] if right else ["LS0703"])
    assert right or "granularity" in found.diagnostics[0].message


@pytest.mark.parametrize(
    ("element", "result", "right"),
    [("ui8", "128xui16", True), ("i8", "128xi16", True), ("ui8", "256xui8", False), ("f8E4M3FN", "128xui16", False)],
)
def test_bytes_are_gathered_as_integers_into_lanes_of_16_bits(element: str, result: str, right: bool) -> None:
    text = function(
        pointers(inp=element), "%z = arith.constant 0 : i16", "%at = pto.vci %z : i16 -> !pto.vreg<128xi16>",
        f'%m = pto.pset_b16 "PAT_ALL" : {B16}',
        f"%x = pto.vgather2 %inp, %at, %m : !pto.ptr<{element}, ub>, !pto.vreg<128xi16>, {B16} -> !pto.vreg<{result}>",
    )  # fmt: skip
    found = compare(text, text, 1)
    assert codes(found) == ([] if right else ["LS0703"])
    assert right or "gathers bytes, integers, each into a lane of 16 bits, not" in found.diagnostics[0].message
