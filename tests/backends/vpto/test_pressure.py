"""The registers that are live in what is written, against a count of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count, islice

import pytest

from layoutsolver.mlir.edits import apply_edits
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.compare import verify_pto
from layoutsolver_backends.vpto.lower import lower_vmi, register_peaks
from layoutsolver_models.problems.selection import SelectionSolution
from layoutsolver_models.targets.chip import RegisterLimits
from tests.pose.vmi.kernels import solved
from tests.support.vmi_programs import random_kernel
from tests.support.vmi_wide import wide_kernel

KINDS = {"vector": "!pto.vreg<", "predicate": "!pto.mask<"}
F, M = "!pto.vmi.vreg<128xf32>", "!pto.vmi.mask<128xpred>"


def written(posed: PosedVmi, solution: SelectionSolution) -> str:
    lowered = lower_vmi(posed, solution)
    assert not lowered.diagnostics
    return apply_edits(posed.program.graph.module.source.text, lowered.edits)


def counted(text: str, kind: str) -> int:
    """The peak of a text without control flow: line by line, by the last line that names each register."""
    lines = text.split("\n")
    made: dict[str, int] = {}
    view: dict[str, str] = {}
    last: dict[str, int] = {}
    for number, line in enumerate(lines):
        results, _, rest = line.partition(" = ") if " = " in line.partition("{")[0] else ("", "", line)
        for name in re.findall(r"%[\w#]+", rest):
            last[view.get(name, name)] = number
        types = re.split("->| : ", line)[-1].split(", ")
        for name, type_ in zip(re.findall(r"%\w+", results), types, strict=False):
            if not type_.strip().startswith(KINDS[kind]):
                continue
            if re.search(r"= pto\.[vp]bitcast", line):
                source = re.findall(r"%\w+", rest)[0]
                view[name] = view.get(source, source)
            else:
                made[name] = number
    return max(
        sum(number <= at and (last.get(name, number) > at or number == at) for name, number in made.items())
        for at in range(len(lines))
    )


def straight(kernel: Callable[[int, int], str], seeds: range, size: int) -> Iterator[str]:
    """Kernels without loops and branches."""
    for seed in seeds:
        text = kernel(seed, size)
        if "scf." not in text:
            yield text


@pytest.mark.parametrize(
    "text",
    [*straight(wide_kernel, range(16), 6), *islice(straight(random_kernel, range(900, 1000), 7), 25)],
    ids=map(str, count()),
)
def test_peaks_are_those_of_a_count_of_the_text(text: str) -> None:
    posed, solution = solved(text)
    peaks = register_peaks(posed, solution)
    assert peaks is not None
    lowered = written(posed, solution)
    assert {peak.kind: peak.registers for peak in peaks} == {kind: counted(lowered, kind) for kind in KINDS}
    for peak in peaks:
        assert sum(count for _, count in peak.live) == peak.registers
        assert len(peak.spans) == peak.registers
        assert all(span.maker for span in peak.spans)


def looping(inside: str, behind: str = "%a") -> str:
    return f"""
func.func @k(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> {F}
  %b = pto.vmi.vload %p[%c4] : !pto.ptr<f32, ub> -> {F}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %b) -> ({F}) {{
    {inside}
    %y = pto.vmi.vadd %x, %x : {F}, {F} -> {F}
    scf.yield %y : {F}
  }}
  %s = pto.vmi.vadd %r, {behind} : {F}, {F} -> {F}
  pto.vmi.vstore %s, %q[%o] : {F}, !pto.ptr<f32, ub>
  return
}}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # %a is used behind the loop, %v in it.
        (looping(f"%x = pto.vmi.vexp %v : {F} -> {F}"), 4),
        # %a is used by each turn; %v and %x are never live together.
        (looping(f"%x = pto.vmi.vadd %v, %a : {F}, {F} -> {F}", "%r"), 4),
        # %v is used once more after %x is made.
        (looping(f"%w = pto.vmi.vexp %v : {F} -> {F}\n    %x = pto.vmi.vadd %v, %w : {F}, {F} -> {F}"), 6),
    ],
)
def test_loops_keep_registers(text: str, expected: int) -> None:
    posed, solution = solved(text)
    peaks = register_peaks(posed, solution)
    assert peaks is not None
    assert {peak.kind: peak.registers for peak in peaks}["vector"] == expected


def many_masks(number: int) -> str:
    """Stores under as many masks of numbers, each used again behind all others."""
    lines = [f"%k{n} = arith.constant {n + 5} : index" for n in range(number)]
    lines += [f"%m{n} = pto.vmi.create_mask %k{n} : index -> !pto.vmi.mask<64xpred>" for n in range(number)]
    lines += ["%x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>"]
    types = "!pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.vmi.mask<64xpred>"
    for turn in range(2):
        lines += [f"pto.vmi.vstore %x, %q[%s{turn}{n}], %m{n} : {types}" for n in range(number)]
    offsets = [f"%s{t}{n} = arith.constant {64 * (n + t * number)} : index" for t in range(2) for n in range(number)]
    body = "\n".join(f"  {line}" for line in (*offsets, *lines))
    return f"func.func @k(%p: !pto.ptr<f32, ub>, %q: !pto.ptr<f32, ub>, %o: index) {{\n{body}\n  return\n}}\n"


@pytest.mark.parametrize(("number", "limit", "remade"), [(6, None, False), (12, None, True), (6, 4, True)])
def test_masks_of_numbers_are_made_again_where_predicates_run_out(number: int, limit: int | None, remade: bool) -> None:
    text = many_masks(number)
    posed, solution = solved(text)
    if limit is not None:
        posed = posed._replace(registers=RegisterLimits(32, limit))
    peaks = register_peaks(posed, solution)
    assert peaks is not None
    found = {peak.kind: peak.registers for peak in peaks}["predicate"]
    made = written(posed, solution)
    assert (made.count("pto.plt_b32") + made.count("pto.pset_b32") > number + 2) == remade
    assert found <= (limit or 8)
    assert remade or found >= number
    assert verify_pto(SourceFile("k.pto", text), SourceFile("k.vpto", made), 2, 1).ok
