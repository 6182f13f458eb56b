"""Verify a file: solved first where it states no layouts, as it stands where it does, or against another file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from layoutsolver.api import SolveOptions, SolveResult, solve
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.source import SourceFile, Span
from layoutsolver.verify.compare import Progress, compare_programs
from layoutsolver.verify.levels import border_layouts, has_border, read_program
from layoutsolver.verify.program import LEVELS, Program, plain_program, solved_program
from layoutsolver.verify.result import Verification
from layoutsolver_models.targets.bank_chip import BankChip

ROUNDS = 4
"""How often every function is run where the caller does not say: once with each kind of numbers."""

_STATES_LAYOUTS = ("functionType", "#ave.vector_layout", "hivm_regbaseintrins", "llvm.")


def is_pto(text: str) -> bool:
    """Whether a text is a program of PTO; what else there is has no such types."""
    return "!pto." in text or "pto.vecscope" in text


@dataclass(slots=True)
class VerifyResult:
    """Programs compared; `verification` is None where there is nothing to run, `solving` where nothing was solved.

    `how` says in words which layouts were run.
    """

    said: list[Diagnostic] = field(default_factory=list)
    verification: Verification | None = None
    solving: SolveResult | None = None
    unreadable: bool = False
    how: str = ""

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All that is to be said: of reading and solving, then of comparing."""
        found = [] if self.verification is None else self.verification.diagnostics
        solved = [] if self.solving is None else self.solving.diagnostics
        return [*self.said, *solved, *found]

    @property
    def ok(self) -> bool:
        """Whether there was something to run and nothing differed."""
        ran = self.verification is not None and self.verification.ok
        return ran and not any(item.severity == "error" for item in self.diagnostics)


def verify(
    source: SourceFile,
    options: SolveOptions | None = None,
    rounds: int = ROUNDS,
    seed: int = 1,
    other: SourceFile | None = None,
    progress: Progress | None = None,
    banks: BankChip | None = None,
) -> VerifyResult:
    """Run a file with the layouts that it states, or with those that are solved, or another file, and compare.

    With `banks` the file is a program of tiles or banks for that chip.
    """
    chosen = options or SolveOptions()
    if banks is not None:
        from layoutsolver.verify.buckyball.files import verify_banks

        compared = verify_banks(source, other, banks, rounds, seed)
        return VerifyResult(compared.said, compared.done, unreadable=compared.unreadable, how=compared.how)
    if is_pto(source.text) or (other is not None and is_pto(other.text)):
        from layoutsolver.verify.pto.run import verify_files

        if other is None and "pto.vmi." in source.text:
            return _verify_lowered(source, chosen, rounds, seed)
        said, done = verify_files(source, other, rounds, seed)
        return VerifyResult(said, done, unreadable=done is None and any(one.code < "LS01" for one in said))
    if other is not None:
        return _verify_two(source, other, chosen, rounds, seed, progress)
    if not any(word in source.text for word in _STATES_LAYOUTS):
        return verify_result(solve(source, chosen), rounds, seed, progress)
    written = read_program(source, chosen)
    result = VerifyResult(written.diagnostics, unreadable=written.unreadable)
    program = written.program
    if program is None:
        return result
    if program.level == "plain":
        return verify_result(solve(source, chosen), rounds, seed, progress)
    if program.level == "intrinsics":
        message = "a file of intrinsics states nothing that it could be compared with"
        note = "name the program that it was made of as well: `layoutsolver verify PROGRAM INTRINSICS`"
        result.said.append(Diagnostic("LS0704", "error", message, Label(source, Span(0, 0)), notes=(note,)))
        return result
    result.how = "with its layouts as written"
    result.verification = compare_programs(plain_program(program.graph), program, rounds, seed, progress=progress)
    return result


def verify_result(
    result: SolveResult, rounds: int = ROUNDS, seed: int = 1, progress: Progress | None = None
) -> VerifyResult:
    """A solved program compared; one without a solution is given back as it is."""
    if not result.ok or result.posed is None or result.solution is None:
        return VerifyResult(solving=result, unreadable=result.unreadable)
    plain, solved = plain_program(result.posed.graph), solved_program(result.posed, result.solution)
    found = compare_programs(plain, solved, rounds, seed, progress=progress)
    return VerifyResult(verification=found, solving=result, how="with the layouts solved here")


def prove_repair(
    before: SolveResult, after: SolveResult, rounds: int = ROUNDS, seed: int = 1
) -> tuple[str, list[Diagnostic]]:
    """Run a repaired program with its layouts against the program that it was made of: in words, and what differs."""
    assert before.posed is not None
    assert after.posed is not None
    assert after.solution is not None
    expected, found = plain_program(before.posed.graph), solved_program(after.posed, after.solution)
    done = compare_programs(expected, found, rounds, seed)
    if not done.ok:
        return "run on the hardware model, it does not do what the program says", done.diagnostics
    counted = f"{done.runs} run{'s' * (done.runs != 1)}, {done.bytes_compared} bytes compared"
    return f"run on the hardware model, it does what the program says: {counted}", done.diagnostics


def _verify_lowered(source: SourceFile, options: SolveOptions, rounds: int, seed: int) -> VerifyResult:
    """A program of VMI against what it is lowered to here: in the layouts of its types, the best if they state none."""
    from layoutsolver.api import LowerOptions
    from layoutsolver.verify.pto.run import verify_files
    from layoutsolver.vmi.lowering import lower_to_vpto

    stated = "#pto.vmi.layout" in source.text
    lowered = lower_to_vpto(source, LowerOptions("vpto", solving=options), as_stated=stated)
    if lowered.text is None:
        return VerifyResult(lowered.diagnostics, unreadable=lowered.solving.unreadable)
    other = SourceFile(f"{source.name} (lowered)", lowered.text)
    found, done = verify_files(source, other, rounds, seed, lowered.borders)
    how = "with its layouts as written" if stated else "with what it is lowered to"
    return VerifyResult([*lowered.diagnostics, *found], done, how=how)


def _verify_two(
    source: SourceFile, other: SourceFile, options: SolveOptions, rounds: int, seed: int, progress: Progress | None
) -> VerifyResult:
    """Compare two files; the more abstract one says what is expected."""
    first, second = read_program(source, options), read_program(other, options)
    result = VerifyResult([*first.diagnostics, *second.diagnostics], unreadable=first.unreadable or second.unreadable)
    if first.program is None or second.program is None:
        return result
    expected, found = first.program, second.program
    if LEVELS.index(expected.level) > LEVELS.index(found.level):
        expected, found = found, expected
    if found.level == "intrinsics" and expected.level != "intrinsics" and has_border(expected.graph):
        found = _with_border(expected, found, options, result)
    result.verification = Verification()
    if expected.level == "layouts":
        plain = plain_program(expected.graph)
        result.verification.add(compare_programs(plain, expected, rounds, seed, progress=progress))
        expected = plain
    result.verification.add(compare_programs(expected, found, rounds, seed, progress=progress))
    return result


def _with_border(expected: Program, found: Program, options: SolveOptions, result: VerifyResult) -> Program:
    """Intrinsics with the layouts of vectors from and to the outside that the other file has, or that solving gives."""
    layouts, how = expected.layouts, f"as `{expected.name}` states it"
    if expected.level == "plain":
        solved = solve(expected.graph.module.source, options._replace(conflicts=0, repairs=0))
        if not solved.ok or solved.posed is None or solved.solution is None:
            layouts, how = {}, "side by side"
        else:
            layouts = solved_program(solved.posed, solved.solution).layouts
            how = f"as solving `{expected.name}` places them"
    message = f"intrinsics do not say how vectors lie that pass to and from the outside: here, {how}"
    label = Label(found.graph.module.source, Span(0, 0))
    result.said.append(Diagnostic("LS0705", "warning", message, label))
    borrowed = border_layouts(found.graph, expected.graph, layouts)
    return replace(found, layouts={**found.layouts, **borrowed})
