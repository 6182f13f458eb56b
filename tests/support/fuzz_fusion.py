"""Random programs of fusion regions, fused and run against what they say, in both readings of a clear mask.

Run as `python -m tests.support.fuzz_fusion --count 5000`. A byte that the sound mode changes fails, a plan of loops
that is not the best of all, and a count of zero programs that the first version of the production compiler changes:
then nothing would be shown.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from layoutsolver.api_fusion import fuse, fuse_as_seed
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.elements import wrong_bytes
from layoutsolver.verify.pto.inputs import make_inputs
from layoutsolver.verify.pto.program import Options, Program, Run, StoppedError, load_program
from layoutsolver.verify.vmi.readings import READINGS
from layoutsolver_models.solve.fusion_all import best_by_enumeration
from tests.support.fusion_programs import random_program, shrink

SIZES = {"%src": 65536, "%dst": 65536, "%outside": 16384}
"""Bytes behind pointers, enough for every tile."""

_BOTH = (READINGS[0], READINGS[-1])


def sound(source: SourceFile) -> str:
    """All stages of the sound mode. Raises ValueError if no program comes out, or another plan of loops is better."""
    result = fuse(source)
    if not result.ok or result.text is None or result.limited:
        raise ValueError(result.diagnostics[0].message if result.diagnostics else "not proved")
    for block in result.blocks:
        best, found = best_by_enumeration(block.posed.problem), block.solution
        if best.cost.total != found.cost.total:
            raise ValueError(f"the best plan costs {best.cost.total}, not {found.cost.total}")
    return result.text


def seed_era(source: SourceFile) -> str:
    """All passes of the first version of the production compiler. Raises ValueError where its verifier would stop."""
    said, text = fuse_as_seed(source)
    if text is None:
        raise ValueError(said[-1].message)
    return text


MODES: dict[str, Callable[[SourceFile], str]] = {"sound": sound, "seed": seed_era}
"""What makes another program of one."""


class Outcome(NamedTuple):
    """What came of a program in a mode: agrees, differs, refused (no program came out) or stopped (it does not run);
    how many bytes differ; the text that came out.
    """

    verdict: str
    wrong: int = 0
    said: str = ""
    text: str = ""


def outcomes(text: str, modes: Sequence[str], rounds: int = 1) -> dict[str, Outcome]:
    """What comes of a program in each mode. Raises ValueError for a text that is no program or does not run."""
    before = load_program(SourceFile("kernel.pto", text))
    if before.diagnostics:
        raise ValueError(before.diagnostics[0].message)
    made: dict[str, Program] = {}
    out: dict[str, Outcome] = {}
    for mode in modes:
        try:
            after = MODES[mode](before.source)
        except ValueError as error:
            out[mode] = Outcome("refused", said=str(error))
            continue
        program = load_program(SourceFile("fused.pto", after))
        out[mode] = Outcome("agrees", text=after)
        if program.diagnostics:
            out[mode] = Outcome("refused", 0, program.diagnostics[0].message, after)
        else:
            made[mode] = program
    function = before.graph.functions[0]
    for number in range(rounds):
        inputs = make_inputs(before.graph, function, 1, number, sizes=SIZES)
        for reading in _BOTH:
            try:
                mine = before.run(function, inputs, Options(is_expected=True, reading=reading))
            except StoppedError as stopped:
                raise ValueError(stopped.diagnostic.message) from None
            for mode, program in made.items():
                if out[mode].verdict != "agrees":
                    continue
                try:
                    theirs = program.run(program.graph.functions[0], inputs, Options(reading=reading))
                except StoppedError as stopped:
                    out[mode] = out[mode]._replace(verdict="stopped", said=stopped.diagnostic.message)
                    continue
                wrong = _wrong(mine, theirs, inputs.compared)
                if wrong:
                    out[mode] = out[mode]._replace(verdict="differs", wrong=wrong, said=reading.text)
            if not (mine.masks.open_stores or mine.masks.open_lanes):
                break
    return out


def _wrong(mine: Run, theirs: Run, compared: Sequence[bool]) -> int:
    """How many live bytes differ."""
    return sum(int(wrong_bytes(mine, theirs, at).sum()) for at, is_live in enumerate(compared) if is_live)


def differs(text: str, mode: str, rounds: int = 1) -> bool:
    """Whether a program runs and comes out of a mode as something else."""
    try:
        return outcomes(text, [mode], rounds)[mode].verdict in ("differs", "stopped")
    except ValueError:
        return False


def _told(verdicts: Counter[tuple[str, str]]) -> str:
    return ", ".join(f"{mode} {verdict}: {number}" for (mode, verdict), number in sorted(verdicts.items()))


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0, or 1 if the sound mode changed a byte or made no program, or the other mode never changed one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--loops", type=int, default=5)
    parser.add_argument("--shrink", metavar="MODE", choices=MODES, help="print the smallest program that MODE changes")
    options = parser.parse_args(argv)
    verdicts: Counter[tuple[str, str]] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        if seed > options.seed and (seed - options.seed) % 100 == 0:
            print(f"{seed - options.seed}: {_told(verdicts)}", file=sys.stderr, flush=True)
        program = random_program(seed, options.loops)
        for mode, outcome in outcomes(str(program), list(MODES)).items():
            verdicts[mode, outcome.verdict] += 1
            if outcome.verdict == "agrees":
                continue
            if mode == "sound":
                print(f"// seed {seed}: {outcome.verdict}: {outcome.wrong} bytes, {outcome.said}", flush=True)
            if mode == options.shrink and outcome.verdict != "refused":
                small = str(shrink(program, partial(differs, mode=mode)))
                print(small, outcomes(small, [mode])[mode].text, sep="\n")
                return 1
    print(_told(verdicts))
    sound_is_right = verdicts["sound", "agrees"] == options.count
    return int(not sound_is_right or not verdicts["seed", "differs"])


if __name__ == "__main__":
    sys.exit(main())
