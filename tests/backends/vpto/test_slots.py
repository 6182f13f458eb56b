"""Slots that lie in a register each, stored one by one or brought together, as the busiest pipe has it."""

from __future__ import annotations

import pytest

from tests.support.fuzz_vmi import prove


def kernel(groups: int, stores: int) -> str:
    """One number for each group, from places that no constant tells, widened and stored so often, aligned."""
    lines = []
    for number in range(stores):
        lines += [
            f"  %a{number} = arith.constant {4096 * (number + 1)} : i64",
            f"  %q{number} = pto.castptr %a{number} : i64 -> !pto.ptr<si32, ub>",
            f"  pto.vmi.vstore %w, %q{number}[%c0], %c1 {{group = {groups}}} : !pto.vmi.vreg<{groups}xsi32>, "
            "!pto.ptr<si32, ub>",
        ]
    body = "\n".join(lines)
    narrow, wide = f"!pto.vmi.vreg<{groups}xsi16>", f"!pto.vmi.vreg<{groups}xsi32>"
    return f"""func.func @k(%n: index) attributes {{pto.kernel}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = arith.constant 0 : i64
  %p = pto.castptr %in : i64 -> !pto.ptr<si16, ub>
  %g = pto.vmi.vload %p[%c0], %n {{group = {groups}}} : !pto.ptr<si16, ub> -> {narrow}
  %w = pto.vmi.vcvt %g : {narrow} -> {wide}
{body}
  return
}}
"""


@pytest.mark.parametrize("groups", [2, 4, 8, 16])
def test_slots_are_brought_together_where_stores_are_the_busiest(groups: int) -> None:
    """A store that collects its slots is one for eight of them; the others stay one for each."""
    outcome = prove(kernel(groups, 4))
    assert outcome.verdict == "ok", outcome.said
    assert outcome.lowered.count("pto.vdup") == groups
    assert outcome.lowered.count("pto.vsts") == 3 * groups + -(-groups // 8)


@pytest.mark.parametrize("groups", [2, 8])
def test_slots_are_stored_one_by_one_where_that_is_as_cheap(groups: int) -> None:
    outcome = prove(kernel(groups, 1))
    assert (outcome.verdict, outcome.lowered.count("pto.vdup")) == ("ok", 0)
    assert outcome.lowered.count("pto.vsts") == groups


@pytest.mark.parametrize("element", ["!pto.f4E2M1x2", "!pto.f4E1M2x2"])
def test_a_pair_that_fills_its_register_is_converted_by_a_part_of_four(element: str) -> None:
    """All bytes of the register are equal, so that any part does; a pair of 4-bit elements has P0 to P3 alone."""
    narrow, wide = f"!pto.vmi.vreg<1x{element}>", "!pto.vmi.vreg<1x!pto.bf16x2>"
    outcome = prove(f"""func.func @k(%n: index) attributes {{pto.kernel}} {{
  %c0 = arith.constant 0 : index
  %in = arith.constant 0 : i64
  %out = arith.constant 4096 : i64
  %p = pto.castptr %in : i64 -> !pto.ptr<{element}, ub>
  %q = pto.castptr %out : i64 -> !pto.ptr<!pto.bf16x2, ub>
  %v = pto.vmi.vload %p[%c0] : !pto.ptr<{element}, ub> -> {narrow}
  %w = pto.vmi.vcvt %v : {narrow} -> {wide}
  pto.vmi.vstore %w, %q[%c0] : {wide}, !pto.ptr<!pto.bf16x2, ub>
  return
}}
""")
    assert outcome.verdict == "ok", outcome.said
    assert 'part = "P0"' in outcome.lowered
