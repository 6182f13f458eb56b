"""Solve random programs and run them before and after layout on the hardware model.

Run as `python -m tests.support.fuzz_verify --count 2000 [--compat upstream]`. A mismatch that belongs to none of the
known findings fails; the findings are what the layout rules leave open, each with a name that says what.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from layoutsolver.api import SolveOptions, SolveResult, decide
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.types import VectorType
from layoutsolver.pose.ave_values import layout_change
from layoutsolver.pose.capacity import overfull
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import check_solution
from layoutsolver.verify.result import Verification
from layoutsolver_models.vecmem import VECMEM_TYPES
from tests.support.ave_programs import random_program

_LOOP = re.compile(r"(scf\.for %\S+ = %c0 to )(%\S+)( step )%c(?:1|64)\b")
_OTHER_LOOP = re.compile(r"(scf\.for %\S+ = )%s_i32 to %s_i32 step %s_i32\b")
_FIRST_CONSTANT = re.compile(r"^(func\.func @f\d.*\{)$", re.MULTILINE)


def runnable_program(seed: int, size: int = 12, bias: float = 0.8) -> str:
    """A random program whose accesses are aligned and in bounds, and whose conversions take the part they are given.

    Loops go in steps of 256 elements, so that every access in them is aligned; parts of conversions that do not change
    layouts are the first ones, since the rules place elements there.
    """
    text = random_program(random.Random(seed), size, feasible_bias=bias)
    lines = []
    for line in text.split("\n"):
        if "layout_change" not in line:
            line = re.sub(r"\bpp[123]\b", "pp0", line.replace("part_odd", "part_even"))
        if "vector_broadcast" in line:
            line = line.replace(", false :", ", true :")
        line = _OTHER_LOOP.sub(r"\1%low to %high step %two", line)
        lines.append(_LOOP.sub(r"\1%far\3%step", line))
    text = "\n".join(lines)
    if "%step" in text:
        made = "\n  %step = arith.constant 256 : index\n  %far = arith.constant 512 : index"
        text = _FIRST_CONSTANT.sub(lambda match: match.group(1) + made, text)
    if "%two" in text:
        made = "".join(f"\n  %{name} = arith.constant {n} : i32" for name, n in (("low", 3), ("high", 6), ("two", 2)))
        text = _FIRST_CONSTANT.sub(lambda match: match.group(1) + made, text)
    return text


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one program: `verdict` is ok, unsolved, stopped, mismatch or the name of a known finding."""

    verdict: str
    text: str
    diagnostics: list[Diagnostic]


def verify_program(text: str, compat: str = "", rounds: int = 3, seed: int = 1) -> Outcome:
    """Solve a program and compare."""
    result = decide(SourceFile("random.mlir", text), SolveOptions(compat))
    if result.posed is None or result.solution is None or not result.solution.layouts:
        return Outcome("unsolved", text, result.diagnostics)
    if compat and result.verdict != "solved":
        return Outcome("unsolved", text, result.diagnostics)
    found = check_solution(result.posed, result.solution, rounds, seed, lenient=True)
    return Outcome(classify(result, found), text, found.diagnostics)


def classify(result: SolveResult, found: Verification) -> str:
    """The verdict on a comparison."""
    posed, solution = result.posed, result.solution
    assert posed is not None
    assert solution is not None
    if found.ok:
        return "ok"
    if all(item.code != "LS0701" for item in found.diagnostics):
        return f"stopped: {found.diagnostics[0].code} {found.diagnostics[0].message[:60]}"
    if overfull(posed, solution):
        return "finding: the layout does not hold the vector"
    if all(any("are set in masks" in note for note in item.notes) for item in found.diagnostics):
        return "finding: a mask is set behind or between the elements of its vector"
    layouts = {value: solution.layouts[number] for value, number in posed.number.items()}
    for node in posed.graph.ops:
        name = _finding(result, node, layouts)
        if name:
            return f"finding: {name}"
    return "mismatch"


def _finding(result: SolveResult, node: OpNode, layouts: dict[int, str]) -> str:
    """What is known to go wrong at an operation under these layouts, empty if nothing."""
    assert result.posed is not None
    graph = result.posed.graph
    name = node.name.removeprefix("ave.hir.")
    if name == "func.call" and result.posed.compat:
        callee = graph.function_by_symbol().get(graph.calls[node.index])
        pairs = zip(node.operands, callee.arguments, strict=True) if callee is not None and callee.has_body else ()
        return "call whose sides have different layouts" * any(layouts.get(a) != layouts.get(b) for a, b in pairs)
    if name == "pltm" and result.posed.compat:
        vector = graph.values[node.results[0]].vector
        guess = max(1, min(4, 256 // vector.lanes)) if vector is not None else 0
        return "pltm without a functionType" * (guess != VECMEM_TYPES[layouts[node.results[0]]].slot_bytes)
    if name == "vload":
        vector = graph.values[node.results[0]].vector
        text = result.module.source.text[node.op.span.start : node.op.span.end]
        large = vector is not None and vector.bits == 1 and vector.lanes > 128 and layouts[node.results[0]] == "b8"
        return "unaligned load of more than 128 predicates" if large and "unaligned" in text else ""
    if name not in ("vintlv", "vdintlv", "vslide", "vpack", "vunpack", "vector_broadcast", "preg.cast", "vgather"):
        return ""
    layout = layouts[node.results[0]]
    kind = VECMEM_TYPES[layout]
    type_ = graph.values[node.results[0]].type
    assert isinstance(type_, VectorType)
    is_spread = kind.slot_bytes * 8 > kind.bits
    is_partial = type_.lanes < kind.lanes
    text = result.module.source.text[node.op.span.start : node.op.span.end]
    if name in ("vintlv", "vdintlv"):
        change = layout_change(node)
        if (name, change) in (("vintlv", "DENSE"), ("vdintlv", "SPARSE")):
            return f"{name} {change} moves elements elsewhere"
        if change == "UNCHANGED" and is_spread:
            return "UNCHANGED interleave of a spread layout"
        return f"{name} {change} of a partly filled register".replace("  ", " ") if is_partial or is_spread else ""
    if name == "preg.cast":
        return "preg.cast keeps the granularity" if result.posed.compat else ""
    if name == "vgather":
        mask = node.role("mask")
        uneven = mask is not None and (layout, layouts[mask]) == ("b8_2vl", "b8")
        return "gather of bytes under a b8 mask" if uneven else ""
    if name == "vector_broadcast":
        return "broadcast of the last lane" if ", false" in text and (is_spread or is_partial) else ""
    return f"{name} of a spread or partly filled register" if is_spread or is_partial else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0, or 1 if a program mismatches for no known reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compat", default="")
    parser.add_argument("--show", default="", help="print the first program whose verdict begins so")
    options = parser.parse_args(argv)
    verdicts: Counter[str] = Counter()
    shown = False
    for seed in range(options.seed, options.seed + options.count):
        outcome = verify_program(runnable_program(seed, options.size), options.compat, options.rounds)
        verdicts[outcome.verdict] += 1
        wanted = bool(options.show) and outcome.verdict.startswith(options.show) and not shown
        if outcome.verdict == "mismatch" or wanted:
            shown = shown or wanted
            print(f"// seed {seed}: {outcome.verdict}\n{outcome.text}")
            for item in outcome.diagnostics:
                place = item.primary
                line = place.source.line_column(place.span.start)[0] if place else 0
                birth = [label.source.line_column(label.span.start)[0] for label in item.secondary]
                print(f"//   {item.code} line {line} {birth} {item.message} {item.notes}")
    for verdict, number in verdicts.most_common():
        print(f"{number:6} {100 * number / options.count:5.1f} % {verdict}")
    return 1 if verdicts["mismatch"] else 0


if __name__ == "__main__":
    sys.exit(main())
