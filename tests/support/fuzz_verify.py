"""Solve random programs and run them before and after layout on the hardware model.

Run as `python -m tests.support.fuzz_verify --count 2000 [--compat upstream] [--plain-parts] [--repairs]
[--lower DIALECT]`. By default nothing may mismatch. The released analyzer's layouts may where a warning says so: at
operations that depend on one that a warning names. With `--repairs`, programs without layouts are repaired in every way
that is found, and each repaired program is compared. With `--lower`, what is run are the intrinsics that the solved or
repaired program is lowered to, against the program as it was; every other one is lowered for an Ascend950.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from layoutsolver.api import SolveOptions, SolveResult, decide, solve
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import check_solution, compare_programs
from layoutsolver.verify.program import plain_program
from layoutsolver.verify.result import Verification
from tests.support.ave_programs import random_program
from tests.support.lowered import Lowered, lower_and_verify
from tests.support.warned import reached_by_warnings

_LOOP = re.compile(r"(scf\.for %\S+ = %c0 to )(%\S+)( step )%c(?:1|64)\b")
_OTHER_LOOP = re.compile(r"(scf\.for %\S+ = )%s_i32 to %s_i32 step %s_i32\b")
_FIRST_CONSTANT = re.compile(r"^(func\.func @f\d.*\{)$", re.MULTILINE)


def runnable_program(
    seed: int, size: int = 12, bias: float = 0.8, plain_parts: bool = False, wide: bool = False
) -> str:
    """A random program whose accesses are aligned and in bounds.

    Loops go in steps of 256 elements, so that every access in them is aligned. With `plain_parts`, conversions that do
    not change layouts name the first part and broadcasts take the first element, so that more programs have layouts.
    """
    text = random_program(random.Random(seed), size, feasible_bias=bias, wide=wide)
    lines = []
    for line in text.split("\n"):
        if plain_parts and "layout_change" not in line:
            line = re.sub(r"\bpp[123]\b", "pp0", line.replace("part_odd", "part_even"))
        if plain_parts and "vector_broadcast" in line:
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
    """What came of one program: `verdict` is ok, unsolved, warned, mismatch, or begins with `stopped`."""

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


def verify_repairs(text: str, rounds: int = 3, seed: int = 1) -> list[Outcome]:
    """Every repair that is found of a program without layouts, compared; one that has layouts gives none."""
    result = solve(SourceFile("random.mlir", text), SolveOptions())
    return [verify_program(repair.text, "", rounds, seed) for repair in result.repairs]


def lower_repairs(text: str, dialect: str, rounds: int, chip: str) -> list[Lowered]:
    """What comes of lowering every repair that is found of a program without layouts."""
    result = solve(SourceFile("random.mlir", text), SolveOptions(chip=chip))
    if not result.repairs or result.posed is None:
        return []
    plain = plain_program(result.posed.graph)
    if any(item.code == "LS0703" for item in compare_programs(plain, plain, 1).diagnostics):
        return []  # an operation has no meaning, so that there is nothing to hold a repair against
    return [lower_and_verify(repair.text, dialect, "", rounds, chip, against=text) for repair in result.repairs]


def lowered_outcomes(text: str, options: argparse.Namespace, chip: str) -> list[Outcome]:
    """What comes of lowering a program, or its repairs."""
    if options.repairs:
        found = lower_repairs(text, options.lower, options.rounds, chip)
    else:
        found = [lower_and_verify(text, options.lower, options.compat, options.rounds, chip)]
    return [Outcome(one.verdict, one.lowered or one.text, list(one.diagnostics)) for one in found]


def classify(result: SolveResult, found: Verification) -> str:
    """The verdict on a comparison."""
    if found.ok:
        return "ok"
    if all(item.code != "LS0701" for item in found.diagnostics):
        message = re.sub(r"[0-9]+", "N", found.diagnostics[0].message)
        return f"stopped: {found.diagnostics[0].code} {message[:70]}"
    return "warned" if result.verdict and all_are_warned_of(result, found) else "mismatch"


def all_are_warned_of(result: SolveResult, found: Verification) -> bool:
    """Whether all that differs depends on an operation that a warning names."""
    reached = reached_by_warnings(result)
    differing = [item.primary.span.start for item in found.diagnostics if item.code == "LS0701" and item.primary]
    return all(start in reached for start in differing)


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0, or 1 if a program mismatches for no known reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compat", default="")
    parser.add_argument("--plain-parts", action="store_true", help="only first parts and first elements")
    parser.add_argument("--wide", action="store_true", help="programs beyond what the released analyzer takes")
    parser.add_argument("--repairs", action="store_true", help="compare repaired programs")
    parser.add_argument("--lower", default="", metavar="DIALECT", help="run what it is lowered to")
    parser.add_argument("--show", default="", help="print the first program whose verdict begins so")
    options = parser.parse_args(argv)
    verdicts: Counter[str] = Counter()
    shown = False
    for seed in range(options.seed, options.seed + options.count):
        text = runnable_program(seed, options.size, plain_parts=options.plain_parts, wide=options.wide)
        if options.lower:
            outcomes = lowered_outcomes(text, options, "ascend950" if seed % 2 else "")
        elif options.repairs:
            outcomes = verify_repairs(text, options.rounds)
        else:
            outcomes = [verify_program(text, options.compat, options.rounds)]
        for outcome in outcomes:
            verdicts[outcome.verdict] += 1
            wanted = bool(options.show) and outcome.verdict.startswith(options.show) and not shown
            if outcome.verdict == "mismatch" or wanted:
                shown = shown or wanted
                _print(seed, outcome)
    if options.lower:
        print_shares(verdicts)
    total = max(1, verdicts.total())
    for verdict, number in verdicts.most_common():
        print(f"{number:6} {100 * number / total:5.1f} % {verdict}")
    stopped = sum(number for verdict, number in verdicts.items() if verdict.startswith("stopped"))
    return 1 if verdicts["mismatch"] or (options.lower and stopped) else 0


def print_shares(verdicts: Counter[str]) -> None:
    """Print how many of the programs with layouts were lowered, of all and of those whose operations have a meaning."""
    refused = {verdict: number for verdict, number in verdicts.items() if verdict.startswith("refused")}
    without = sum(number for verdict, number in refused.items() if verdict.startswith("refused what"))
    solved = verdicts.total() - verdicts["unsolved"]
    lowered = solved - sum(refused.values())
    print(f"{solved} with layouts, {lowered} lowered ({100 * lowered / max(1, solved):.1f} %)")
    known = solved - without
    print(
        f"{known} of these with operations that the hardware model knows alone: {100 * lowered / max(1, known):.1f} %"
    )


def _print(seed: int, outcome: Outcome) -> None:
    print(f"// seed {seed}: {outcome.verdict}\n{outcome.text}")
    for item in outcome.diagnostics:
        place = item.primary
        line = place.source.line_column(place.span.start)[0] if place else 0
        birth = [label.source.line_column(label.span.start)[0] for label in item.secondary]
        print(f"//   {item.code} line {line} {birth} {item.message} {item.notes}")


if __name__ == "__main__":
    sys.exit(main())
