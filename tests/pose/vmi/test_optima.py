"""Programs whose optimum is known: the fewest vector instructions, and how they are spread over the pipes."""

from __future__ import annotations

import pytest

from tests.pose.vmi.kernels import chain, kernel, layouts, pointer, solved, vreg
from tests.support.fuzz_vmi import prove
from tests.support.vpto_counts import counted, executed

F8, FP4, PAIR = "f8E4M3FN", "!pto.f4E2M1x2", "!pto.bf16x2"

CHAINS = {
    "f32 x 256 to f8": (chain(256, "f32", F8), 10),
    "f32 x 128 to f8": (chain(128, "f32", F8), 5),
    "f32 x 128 to f16": (chain(128, "f32", "f16"), 5),
    "f32 x 256 to f16": (chain(256, "f32", "f16"), 10),
    "f16 x 128 to f8": (chain(128, "f16", F8), 3),
    "f16 x 256 to f8": (chain(256, "f16", F8), 5),
    "f16 x 64 to f32": (chain(64, "f16", "f32"), 3),
    "f16 x 128 to f32": (chain(128, "f16", "f32"), 4),
    "f16 x 256 to f32": (chain(256, "f16", "f32"), 8),
    "f8 x 128 to f32": (chain(128, F8, "f32"), 4),
    "fp4 pairs x 128": (chain(128, FP4, PAIR), 4),
    "fp4 pairs x 256": (chain(256, FP4, PAIR), 8),
}
"""Name: program, vector instructions of the optimum. Source: section 4.5 of the facts of VMI."""


@pytest.mark.parametrize("name", CHAINS)
def test_the_fewest_instructions(name: str) -> None:
    text, total = CHAINS[name]
    _, solution = solved(text, "total")
    assert solution.total == total


@pytest.mark.parametrize("name", CHAINS)
def test_the_busiest_pipe_is_never_busier_for_fewer_instructions(name: str) -> None:
    text, total = CHAINS[name]
    _, solution = solved(text)
    assert solution.busiest <= solved(text, "total")[1].busiest
    assert solution.total >= total


@pytest.mark.parametrize("name", CHAINS)
def test_what_is_lowered_takes_as_many_and_does_what_the_program_means(name: str) -> None:
    text, total = CHAINS[name]
    outcome = prove(text, "total")
    assert outcome.verdict == "ok", outcome.said
    counts = counted(executed(outcome.lowered))
    assert sum(counts[pipe] for pipe in ("load", "execute", "store")) == total


def test_lane_stride_of_two_is_widened_by_four_without_what_lies_between() -> None:
    made, solution = solved(CHAINS["fp4 pairs x 128"][0])
    assert layouts(made, solution) == {"%v0": ("ls2",), "%v1": ("d2",)}
    assert solution.load[:3] == (1, 2, 1)


def test_pairs_that_must_be_dense() -> None:
    lines = (
        f"%x = pto.vmi.vload %src[%off] : {pointer(FP4)} -> {vreg(128, FP4)}",
        f"%p = pto.vmi.vcvt %x : {vreg(128, FP4)} -> {vreg(128, PAIR)}",
        f"%b = pto.vmi.vinterpret_cast %p : {vreg(128, PAIR)} -> {vreg(256, 'bf16')}",
        f"pto.vmi.vstore %b, %dst[%off] : {vreg(256, 'bf16')}, {pointer('bf16')}",
    )
    _, solution = solved(kernel(f"%src: {pointer(FP4)}, %dst: {pointer('bf16')}, %off: index", *lines), "total")
    assert solution.total - 2 == 4  # two stores of a register each


def test_computing_on_eight_bits_and_back() -> None:
    lines = (
        f"%x = pto.vmi.vload %src[%off] : {pointer(F8)} -> {vreg(256, F8)}",
        f"%w = pto.vmi.vcvt %x : {vreg(256, F8)} -> {vreg(256, 'f32')}",
        f"%s = pto.vmi.vbrc %f : f32 -> {vreg(256, 'f32')}",
        f"%m = pto.vmi.vmul %w, %s : {vreg(256, 'f32')}, {vreg(256, 'f32')} -> {vreg(256, 'f32')}",
        f'%n = pto.vmi.vcvt %m {{saturate = "SAT"}} : {vreg(256, "f32")} -> {vreg(256, F8)}',
        f"pto.vmi.vstore %n, %dst[%off] : {vreg(256, F8)}, {pointer(F8)}",
    )
    text = kernel(f"%src: {pointer(F8)}, %dst: {pointer(F8)}, %off: index, %f: f32", *lines)
    made, solution = solved(text, "total")
    assert solution.total == 18
    assert layouts(made, solution)["%w"] == ("d4",)
    _, by_pipes = solved(text)
    assert by_pipes.busiest <= 13  # what lane strides reach, with more loads and stores


def test_a_store_and_a_reduction_of_the_same_vector() -> None:
    mask = "!pto.vmi.mask<256xpred>"
    lines = (
        "%c1 = arith.constant 1 : index",
        "%c256 = arith.constant 256 : index",
        f"%x = pto.vmi.vload %src[%off] : {pointer('f32')} -> {vreg(256, 'f32')}",
        f"%m = pto.vmi.create_mask %c256 : index -> {mask}",
        f"%s = pto.vmi.vcadd %x, %m {{group = 8, reassoc}} : {vreg(256, 'f32')}, {mask} -> {vreg(8, 'f32')}",
        f"pto.vmi.vstore %s, %sums[%off], %c1 {{group = 8}} : {vreg(8, 'f32')}, {pointer('f32')}",
        f'%q = pto.vmi.vcvt %x {{saturate = "SAT"}} : {vreg(256, "f32")} -> {vreg(256, F8)}',
        f"pto.vmi.vstore %q, %dst[%off] : {vreg(256, F8)}, {pointer(F8)}",
    )
    arguments = f"%src: {pointer('f32')}, %sums: {pointer('f32')}, %dst: {pointer(F8)}, %off: index"
    _, solution = solved(kernel(arguments, *lines), "total")
    assert solution.total == 17  # the sum's store among them


def test_a_round_trip_through_eight_bits() -> None:
    mask = "!pto.vmi.mask<256xpred>"
    lines = (
        "%c256 = arith.constant 256 : index",
        f"%m = pto.vmi.create_mask %c256 : index -> {mask}",
        f"%x = pto.vmi.vload %src[%off] : {pointer('bf16')} -> {vreg(256, 'bf16')}",
        f"%w = pto.vmi.vcvt %x : {vreg(256, 'bf16')} -> {vreg(256, 'f32')}",
        f'%q = pto.vmi.vcvt %w {{saturate = "SAT"}} : {vreg(256, "f32")} -> {vreg(256, F8)}',
        f"%r = pto.vmi.vcvt %q : {vreg(256, F8)} -> {vreg(256, 'f32')}",
        f"%s = pto.vmi.vbrc %f : f32 -> {vreg(256, 'f32')}",
        f"%y = pto.vmi.vmul %r, %s : {vreg(256, 'f32')}, {vreg(256, 'f32')} -> {vreg(256, 'f32')}",
        f'%z = pto.vmi.vcvt %y {{saturate = "SAT"}} : {vreg(256, "f32")} -> {vreg(256, "bf16")}',
        f"pto.vmi.vstore %z, %dst[%off], %m : {vreg(256, 'bf16')}, {pointer('bf16')}, {mask}",
    )
    text = kernel(f"%src: {pointer('bf16')}, %dst: {pointer('bf16')}, %off: index, %f: f32", *lines)
    _, solution = solved(text, "total")
    assert solution.total - 1 == 27  # the splat apart


def test_quantising_by_the_maximum_of_groups_of_whole_registers() -> None:
    mask = "!pto.vmi.mask<256xpred>"
    full, small = vreg(256, "f32"), vreg(2, "f32")
    lines = (
        "%c8 = arith.constant 8 : index",
        "%c256 = arith.constant 256 : index",
        f"%m = pto.vmi.create_mask %c256 : index -> {mask}",
        f"%x = pto.vmi.vload %src[%off] : {pointer('f32')} -> {full}",
        f"%a = pto.vmi.vabs %x : {full} -> {full}",
        f"%t = pto.vmi.vcmax %a, %m {{group = 2}} : {full}, {mask} -> {small}",
        f"%e = pto.vmi.vbrc %f : f32 -> {small}",
        f"%u = pto.vmi.vmax %t, %e : {small}, {small} -> {small}",
        f"%g = pto.vmi.vbrc %h : f32 -> {small}",
        f"%s = pto.vmi.vdiv %u, %g : {small}, {small} -> {small}",
        f"pto.vmi.vstore %s, %scales[%off], %c8 {{group = 2}} : {small}, {pointer('f32')}",
        f"%b = pto.vmi.vbrc %s {{group = 2}} : {small} -> {full}",
        f"%q = pto.vmi.vdiv %x, %b : {full}, {full} -> {full}",
        f'%n = pto.vmi.vcvt %q {{saturate = "SAT"}} : {full} -> {vreg(256, F8)}',
        f"pto.vmi.vstore %n, %dst[%off] : {vreg(256, F8)}, {pointer(F8)}",
    )
    arguments = f"%src: {pointer('f32')}, %scales: {pointer('f32')}, %dst: {pointer(F8)}, %off: index, %f: f32, %h: f32"
    made, solution = solved(kernel(arguments, *lines), "total")
    dense = {"%x", "%q", "%n"}
    parts = [
        sum(sum(op.variants[number].cost[:3]) * op.weight for number in chosen)
        for op, chosen in zip(made.problem.ops, solution.variants, strict=True)
        if any(made.problem.values[value].id in dense for value in op.results) or op.id.startswith("store ")
    ]
    assert sum(parts) == 14
    assert layouts(made, solution)["%n"] == ("ls2",)
