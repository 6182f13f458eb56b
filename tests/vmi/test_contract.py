"""What single operations ask of their attributes, their memory and their types; what is said of dead ones."""

from __future__ import annotations

import pytest

from tests.pose.vmi.kernels import kernel, posed
from tests.support.fuzz_vmi import prove

POINTER = "%p: !pto.ptr<f32, ub>, %o: index, %w: i32"
V, M = "!pto.vmi.vreg<64xf32>", "!pto.vmi.mask<64xpred>"
W = "!pto.vmi.vreg<64xi32>"

REFUSED = {
    "a constant without a dense value": (
        f'%x = "pto.vmi.constant"() {{value = 1.0 : f32}} : () -> {V}', "has a dense attribute"),
    "a constant of other length": (
        f'%x = "pto.vmi.constant"() {{value = dense<1.0> : tensor<32xf32>}} : () -> {V}', "of 32 elements for 64"),
    "a constant of another type": (
        f'%x = "pto.vmi.constant"() {{value = dense<1> : tensor<64xi32>}} : () -> {V}', "its elements are f32"),
    "a splat of another type": (f"%x = pto.vmi.vbrc %w : i32 -> {V}", "fills elements of type f32 with i32"),
    "a load of other elements": (
        "%x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf16>", "type f16 in memory of f32"),
    "a word that is none of the order's": (
        '%x = pto.vmi.vci %w {order = "UP"} : i32 -> !pto.vmi.vreg<64xi32>', "one of ASC, DESC"),
    "elements of sixty-four bits": (
        '%x = pto.vmi.vci %w {order = "ASC"} : i32 -> !pto.vmi.vreg<64xi64>', "none of a vector or mask"),
    "sums in any order": (
        f'%m = pto.vmi.pset "PAT_ALL" : {M}\n    %a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n'
        f"    %x = pto.vmi.vcadd %a, %m : {V}, {M} -> !pto.vmi.vreg<1xf32>", "said by `reassoc`"),
    "a shift by a number of other width": (
        f'%m = pto.vmi.pset "PAT_ALL" : {M}\n    %a = pto.vmi.vci %w : i32 -> {W}\n'
        f"    %x = pto.vmi.vshls %a, %w, %m : {W}, i32, {M} -> {W}", "type i16, not i32"),
    "registers that are too many": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f'    %x, %y = "pto.vmi.unpack"(%a) : ({V}) -> (!pto.vreg<64xf32>, !pto.vreg<64xf32>)',
        "has 2 registers, and the vector takes 1"),
    "a sum of narrow integers": (
        '%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<128xpred>\n'
        '    %a = "pto.vmi.constant"() {value = dense<1> : tensor<128xi16>} : () -> !pto.vmi.vreg<128xi16>\n'
        "    %x = pto.vmi.reduce_addi %a, %m : !pto.vmi.vreg<128xi16>, !pto.vmi.mask<128xpred> -> "
        "!pto.vmi.vreg<1xi16>", "takes no elements of type i16, only i32"),
    "numbers of lanes with a sign": (
        f'%m = pto.vmi.pset "PAT_ALL" : {M}\n'
        f"    %x = pto.vmi.active_prefix_index %m : {M} -> !pto.vmi.vreg<64xsi32>",
        "counts in integers without a sign"),
    "a granularity of a mask that has none": (
        f'%m = pto.vmi.pset "PAT_ALL" : {M}\n'
        f"    %x = pto.vmi.ensure_mask_granularity %m : {M} -> !pto.vmi.mask<64xb16>",
        "between masks whose types say what width they govern"),
    "bits read as fewer": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f"    %x = pto.vmi.vinterpret_cast %a : {V} -> !pto.vmi.vreg<64xf16>", "keeps all bits"),
    "logic on bits of floats": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f"    %x = pto.vmi.vxor %a, %a : {V}, {V} -> {V}", "takes integers and masks alone"),
    "logic on masks of two lengths": (
        f'%m = pto.vmi.pset "PAT_ALL" : {M}\n    %n = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<32xpred>\n'
        f"    %x = pto.vmi.vand %m, %n : {M}, !pto.vmi.mask<32xpred> -> {M}", "masks of 64 and 32 bits"),
    "logic on masks of two widths": (
        '%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<64xb32>\n    '
        '%n = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<64xb16>\n    %x = pto.vmi.mask_or %m, %n : '
        "!pto.vmi.mask<64xb32>, !pto.vmi.mask<64xb16> -> !pto.vmi.mask<64xb32>", "elements of 32 and 16 bits"),
    "too few indices": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f"    %x = pto.vmi.shuffle %a[[1, 0, 2]] : {V} -> !pto.vmi.vreg<4xf32>", "has 3 indices for 4 elements"),
    "an index behind the end": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f"    %x = pto.vmi.shuffle %a[[1, 64]] : {V} -> !pto.vmi.vreg<2xf32>", "source of 64 does not have"),
    "products of signed words": (
        f'%m = pto.vmi.pset "PAT_ALL" : {M}\n    %a = pto.vmi.vci %w : i32 -> !pto.vmi.vreg<64xsi32>\n'
        f"    %x, %y = pto.vmi.vmull %a, %a, %m : !pto.vmi.vreg<64xsi32>, !pto.vmi.vreg<64xsi32>, {M} -> "
        "!pto.vmi.vreg<64xsi32>, !pto.vmi.vreg<64xsi32>", "words without a sign"),
    "a selection by wider indices": (
        "%a = pto.vmi.vci %w : i32 -> !pto.vmi.vreg<64xi32>\n"
        '    %b = "pto.vmi.constant"() {value = dense<1.0> : tensor<64xf16>} : () -> !pto.vmi.vreg<64xf16>\n'
        "    %x = pto.vmi.vselr %b, %a : !pto.vmi.vreg<64xf16>, !pto.vmi.vreg<64xi32> -> !pto.vmi.vreg<64xf16>",
        "indices as wide as its elements"),
    "an extension of the other sign": (
        '%a = "pto.vmi.constant"() {value = dense<1> : tensor<64xi16>} : () -> !pto.vmi.vreg<64xui16>\n'
        "    %x = pto.vmi.extsi %a : !pto.vmi.vreg<64xui16> -> !pto.vmi.vreg<64xsi32>", "widens si alone"),
    "elements apart in memory": (
        "%q = \"other.view\"() : () -> memref<64xf32, strided<[2], offset: 0>, #pto.address_space<vec>>\n"
        "    %x = pto.vmi.load %q[%o] : memref<64xf32, strided<[2], offset: 0>, #pto.address_space<vec>> -> "
        f"{V}", "elements that lie in a row"),
    "rows with gaps in memory": (
        "%q = \"other.view\"() : () -> memref<4x64xf32, strided<[72, 1], offset: 0>, #pto.address_space<vec>>\n"
        "    %x = pto.vmi.load %q[%o] : memref<4x64xf32, strided<[72, 1], offset: 0>, #pto.address_space<vec>> -> "
        f"{V}", "elements that lie in a row"),
    "elements from somewhere on": (
        "%q = \"other.view\"() : () -> memref<64xf32, strided<[1], offset: ?>, #pto.address_space<vec>>\n"
        "    %x = pto.vmi.load %q[%o] : memref<64xf32, strided<[1], offset: ?>, #pto.address_space<vec>> -> "
        f"{V}", "begin somewhere behind it"),
    "rows of other elements": (
        "%x = pto.vmi.vload %p[%o], %o {group = 4} : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf16>",
        "type f16 in memory of f32"),
    "rows of words stored as half words": (
        f"%h = \"other.view\"() : () -> !pto.ptr<i16, ub>\n    %a = pto.vmi.vci %w : i32 -> {W}\n"
        f"    pto.vmi.vstore %a, %h[%o], %o {{group = 64}} : {W}, !pto.ptr<i16, ub>", "type i32 in memory of i16"),
    "a conversion from nowhere": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f"    %x = pto.vmi.ensure_layout %a : {V} -> !pto.vmi.vreg<64xf32, #pto.vmi.layout<contiguous>>",
        "is between types that both state a layout"),
    "a conversion of a mask from nowhere": (
        '%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<64xb16>\n    %n = pto.vmi.ensure_mask_granularity %m : '
        "!pto.vmi.mask<64xb16> -> !pto.vmi.mask<64xb32, #pto.vmi.layout<contiguous>>",
        "whose types both say how they lie, or neither"),
    "logic on masks under a mask": (
        f'%m = pto.vmi.pset "PAT_ALL" : {M}\n    %n = pto.vmi.vand %m, %m, %m : {M}, {M}, {M} -> {M}',
        "no mask beside them says where"),
    "logic on masks that keeps what was there": (
        f'%m = pto.vmi.pset "PAT_ALL" : {M}\n    %n = pto.vmi.vnot %m {{pmode = "zero"}} : {M} -> {M}',
        "takes no `pmode`"),
    "a store that keeps what was there": (
        f'%m = pto.vmi.pset "PAT_ALL" : {M}\n    %a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n'
        f'    pto.vmi.vstore %a, %p[%o], %m {{pmode = "merge"}} : {V}, !pto.ptr<f32, ub>, {M}',
        "takes `pmode` zero alone"),
    "half floats of the other kind": (
        "%h = \"other.view\"() : () -> !pto.vmi.vreg<64xf16>\n"
        '    %x = pto.vmi.vcvt %h {saturate = "SAT"} : !pto.vmi.vreg<64xf16> -> !pto.vmi.vreg<64xbf16>',
        "makes no bf16 of f16"),
    "a packed pair of single floats": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f'    %x = pto.vmi.vcvt %a {{saturate = "SAT"}} : {V} -> !pto.vmi.vreg<64x!pto.f4E2M1x2>',
        "makes no !pto.f4E2M1x2 of f32"),
    "groups farther apart than there is memory": (
        f"%far = arith.constant 40000 : index\n    %x = pto.vmi.vload %p[%o], %far {{group = 4}} : "
        f"!pto.ptr<f32, ub> -> {V}", "reaches over 480000 bytes"),
    "a type in an attribute": (
        f"%one = arith.constant {{of = [{{a = {V}}}]}} 1 : index", "in the attribute `of` of `arith.constant`"),
    "a mask of another width": (
        f'%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<64xb16>\n'
        f"    %a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f"    pto.vmi.vstore %a, %p[%o], %m : {V}, !pto.ptr<f32, ub>, !pto.vmi.mask<64xb16>",
        "has elements of 32 bits and a mask of granularity b16"),
    "a single channel": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f'    %x = "pto.vmi.channel_split"(%a) : ({V}) -> {V}', "has 1 channels, and there are at least two"),
    "a selection of other elements": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n    %i = pto.vmi.vci %w : i32 -> {W}\n"
        f"    %x = pto.vmi.vselr %a, %i : {V}, {W} -> {W}", "selects elements of f32 as i32"),
    "a selection by too few indices": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        "    %i = pto.vmi.vci %w : i32 -> !pto.vmi.vreg<32xi32>\n"
        f"    %x = pto.vmi.vselr %a, %i : {V}, !pto.vmi.vreg<32xi32> -> {V}", "has 32 indices for 64 elements"),
    "a signed integer as one without sign": (
        '%h = "other.view"() : () -> !pto.vmi.vreg<128xf16>\n'
        '    %x = pto.vmi.fptoui %h {saturate = "SAT"} : !pto.vmi.vreg<128xf16> -> !pto.vmi.vreg<128xsi8>',
        "makes i and ui alone of floats, not si8"),
    "an integer without sign as a signed one": (
        '%h = "other.view"() : () -> !pto.vmi.vreg<128xf16>\n'
        '    %x = pto.vmi.fptosi %h {saturate = "SAT"} : !pto.vmi.vreg<128xf16> -> !pto.vmi.vreg<128xui8>',
        "makes si alone of floats, not ui8"),
    "products and sums of small floats": (
        '%b = "other.view"() : () -> !pto.vmi.vreg<64xf8E4M3FN>\n    %x = pto.vmi.vmula %b, %b, %b : '
        "!pto.vmi.vreg<64xf8E4M3FN>, !pto.vmi.vreg<64xf8E4M3FN>, !pto.vmi.vreg<64xf8E4M3FN> -> "
        "!pto.vmi.vreg<64xf8E4M3FN>", "takes no elements of type f8E4M3FN"),
    "half words summed to one that lies somewhere": (
        '%h = "other.view"() : () -> !pto.vmi.vreg<128xi16>\n    %m = pto.vmi.pset "PAT_ALL" : '
        "!pto.vmi.mask<128xpred>\n    %x = pto.vmi.vcadd %h, %m : !pto.vmi.vreg<128xi16>, !pto.vmi.mask<128xpred> -> "
        "!pto.vmi.vreg<1xi16, #pto.vmi.layout<contiguous>>",
        "stands for `reduce_addi`, which takes as its source no elements of type i16, only i32"),
    "rows of nobody knows how many": (
        f"%one = arith.constant 1 : index\n    %x = pto.vmi.group_load %p[%o], %one : !pto.ptr<f32, ub> -> {V}",
        "`pto.vmi.group_load` needs `num_groups`"),
    "no groups at all": (
        f"%one = arith.constant 1 : index\n    %x = pto.vmi.group_load %p[%o], %one {{num_groups = 0}} : "
        f"!pto.ptr<f32, ub> -> {V}", "has 0 groups"),
    "a comparison that makes a number": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        '    %m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<64xpred>\n'
        f'    %x = pto.vmi.vcmp %a, %a, %m {{cmp = "lt"}} : {V}, {V}, !pto.vmi.mask<64xpred> -> index',
        "makes a mask, and its result has the type index"),
    "groups that lie too far below each other": (
        f"%far = arith.constant -21846 : index\n    %x = pto.vmi.vload %p[%o], %far {{group = 4}} : "
        f"!pto.ptr<f32, ub> -> {V}", "reaches over 262152 bytes"),
}  # fmt: skip


def test_types_that_contradict_the_rules_are_an_error_whoever_takes_the_result() -> None:
    layout = "#pto.vmi.layout<deinterleaved = 2>"
    dense = "!pto.vmi.vreg<64xf32, #pto.vmi.layout<contiguous>>"
    lines = (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {dense}",
        f"%x = pto.vmi.ensure_layout %a : {dense} -> !pto.vmi.vreg<64xf32, {layout}>",
        f'%y = pto.vmi.truncf %x {{saturate = "SAT"}} : !pto.vmi.vreg<64xf32, {layout}> -> '
        f"!pto.vmi.vreg<64xf16, {layout}>",
    )
    found = posed(kernel(POINTER, *lines), valid=False).diagnostics
    assert [(item.code, item.severity) for item in found] == [("LS0802", "error")]
    assert found[0].message == "VMI-LAYOUT-CONTRACT: no row of `truncf` has the layouts of its types"


@pytest.mark.parametrize("name", REFUSED)
def test_an_operation_against_its_contract_is_refused(name: str) -> None:
    lines, said = REFUSED[name]
    found = posed(kernel(POINTER, lines), valid=False).diagnostics
    assert any(said in item.message for item in found if item.code == "LS0801"), [item.message for item in found]


TAKEN = {
    "words stored as their lowest bytes": (
        f'%b = "other.view"() : () -> !pto.ptr<i8, ub>\n    %a = pto.vmi.vci %w : i32 -> {W}\n'
        f"    %one = arith.constant 1 : index\n"
        f"    pto.vmi.vstore %a, %b[%o], %one {{group = 64}} : {W}, !pto.ptr<i8, ub>"),
    "a memref that says what it would be without saying": (
        '%q = "other.view"() : () -> memref<4x64xf32, strided<[64, 1]>, #pto.address_space<vec>>\n'
        "    %x = pto.vmi.load %q[%o] : memref<4x64xf32, strided<[64, 1]>, #pto.address_space<vec>> -> "
        f"{V}"),
    "groups that reach over all memory and no further": (
        f"%far = arith.constant 21845 : index\n    %x = pto.vmi.vload %p[%o], %far {{group = 4}} : "
        f"!pto.ptr<f32, ub> -> {V}"),
    "a signature in the generic form": (
        f'"func.func"() ({{\n  ^bb0(%v: {V}):\n    "func.return"() : () -> ()\n}}) '
        f'{{function_type = ({V}) -> (), sym_name = "g"}} : () -> ()'),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_what_stands_beside_a_refusal_is_taken(name: str) -> None:
    found = posed(kernel(POINTER, TAKEN[name]), valid=False).diagnostics
    assert [item.message for item in found if item.code == "LS0801"] == []


KINDS = {
    "a verifier's fault comes before what nobody lowers": (
        '%x = "pto.vmi.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> ' + V, "`pto.vmi.constant` has"),
    "a verifier's fault of a mask comes before memory that nobody reaches": (
        '%q = "other.view"() : () -> memref<64xf32, strided<[2], offset: 0>, #pto.address_space<vec>>\n'
        '    %m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<32xpred>\n'
        '    %a = "other.view"() : () -> ' + V + "\n    %x = pto.vmi.masked_load %q[%o], %m, %a : "
        "memref<64xf32, strided<[2], offset: 0>, #pto.address_space<vec>>, !pto.vmi.mask<32xpred>, "
        f"{V} -> {V}", "`pto.vmi.masked_load` has a mask of 32 bits"),
    "elements that differ": (
        '%x = "pto.vmi.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> !pto.vmi.vreg<2xf32>',
        "VMI-UNSUPPORTED: `pto.vmi.constant` has elements that differ"),
    "three channels": (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}\n"
        f'    %x = "pto.vmi.channel_merge"(%a, %a, %a) : ({V}, {V}, {V}) -> !pto.vmi.vreg<192xf32>',
        "VMI-UNSUPPORTED: `pto.vmi.channel_merge` has 3 channels"),
    "memory with gaps": (
        '%q = "other.view"() : () -> memref<64xf32, strided<[2], offset: 0>, #pto.address_space<vec>>\n'
        "    %x = pto.vmi.load %q[%o] : memref<64xf32, strided<[2], offset: 0>, #pto.address_space<vec>> -> "
        f"{V}", "VMI-UNSUPPORTED: `pto.vmi.load` reaches elements that lie in a row"),
    "groups too far apart": (
        f"%far = arith.constant 40000 : index\n    %x = pto.vmi.vload %p[%o], %far {{group = 4}} : "
        f"!pto.ptr<f32, ub> -> {V}", "VMI-UNSUPPORTED: `pto.vmi.vload` reaches over"),
    "a cast of nobody": (
        f"%x = builtin.unrealized_conversion_cast %w : i32 to {V}",
        "VMI-PASS-INVARIANT: `builtin.unrealized_conversion_cast` says nothing"),
    "words of bytes multiplied and added": (
        '%b = "other.view"() : () -> !pto.vmi.vreg<64xi8>\n    %x = pto.vmi.vmula %b, %b, %b : '
        "!pto.vmi.vreg<64xi8>, !pto.vmi.vreg<64xi8>, !pto.vmi.vreg<64xi8> -> !pto.vmi.vreg<64xi8>",
        "VMI-UNSUPPORTED: `pto.vmi.vmula` has no layout rule"),
    "bytes of floats as half floats": (
        '%b = "other.view"() : () -> !pto.vmi.vreg<64xf8E5M2>\n'
        "    %x = pto.vmi.vcvt %b : !pto.vmi.vreg<64xf8E5M2> -> !pto.vmi.vreg<64xf16>",
        "VMI-UNSUPPORTED: no layout serves `extf` here"),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_what_the_verifier_takes_and_nobody_lowers_says_so(name: str) -> None:
    lines, said = KINDS[name]
    found = posed(kernel(POINTER, lines), valid=False).diagnostics
    assert [item.severity for item in found] == ["error"]
    assert found[0].message.startswith(said)
    assert found[0].primary is not None


@pytest.mark.parametrize("masked", [False, True])
def test_integers_are_multiplied_and_added_by_two_instructions(masked: bool) -> None:
    mask, of_mask = (", %m", f", {M}") if masked else ("", "")
    text = (
        f"func.func @f(%p: !pto.ptr<i32, ub>, %o: index, %m: {M}) {{\n"
        f"  %a = pto.vmi.vload %p[%o] : !pto.ptr<i32, ub> -> {W}\n"
        f"  %x = pto.vmi.vmula %a, %a, %a{mask} : {W}, {W}, {W}{of_mask} -> {W}\n"
        f"  pto.vmi.vstore %x, %p[%o] : {W}, !pto.ptr<i32, ub>\n  return\n}}\n"
    )
    assert prove(text).verdict == "ok"
    made = prove(text).lowered
    assert "pto.vmul " in made
    assert "pto.vadd " in made


def test_an_unsupported_operation_is_an_error_whoever_takes_its_result() -> None:
    lines = (
        f"%a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {V}",
        f"%x = pto.vmi.shuffle %a[[1, 0]] : {V} -> !pto.vmi.vreg<2xf32>",
        '%i = "other.view"() : () -> !pto.vmi.vreg<64xf8E5M2>',
        "%y = pto.vmi.vcvt %i : !pto.vmi.vreg<64xf8E5M2> -> !pto.vmi.vreg<64xf16>",
        "pto.vmi.vstore %x, %p[%o] : !pto.vmi.vreg<2xf32>, !pto.ptr<f32, ub>",
    )
    found = posed(kernel(POINTER, *lines), valid=False).diagnostics
    assert [item.severity for item in found] == ["error"]
    assert found[0].message == "VMI-UNSUPPORTED: no layout serves `extf` here"
