"""What the production compiler makes of a program, read back and run: where it does what the program says."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from layoutsolver.api import SolveOptions, SolveResult, decide
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.source import SourceFile
from layoutsolver.verify.compare import compare_programs
from layoutsolver.verify.levels import border_layouts, read_program
from layoutsolver.verify.program import Program, plain_program, solved_program
from tests.support.peer import own_pipeline

DEVICE = "Ascend950PR_9589"


@dataclass(frozen=True, slots=True)
class Finding:
    """A way in which the compiler's output departs from the program: patterns of the program and of its output.

    `aligned` and `is_950` say with which passes and for which chips (None: any).
    """

    name: str
    program: str
    output: str = ""
    aligned: bool | None = None
    is_950: bool | None = None

    def fits(self, annotated: str, printed: str, aligned: bool, is_950: bool) -> bool:
        """Whether a program and its output are of this kind."""
        kind = self.aligned in (None, aligned) and self.is_950 in (None, is_950)
        return kind and bool(re.search(self.program, annotated, re.MULTILINE) and re.search(self.output, printed))


_DIST = r"functionType = #ave\.func_dist_type"
FINDINGS = (
    Finding("predicate store", rf"masked_store[^\n]*{_DIST}<pb(16|32)>", r"psts\.b8"),
    Finding("dense data", rf"{_DIST}<(pk4?|d?intlv[24])>", aligned=False),
    Finding("spread broadcast", r"(broadcast|vgather) [^\n]*xi8>[^\n]*\n(.*\n)*[^\n]*vext", r"vintlv", aligned=False),
    Finding("packed mask", rf"masked_store[^\n]*{_DIST}<pk4>", r"vdintlv", aligned=True, is_950=False),
    Finding("gathered elements", r"vgather[^\n]* into vector<\d+x\w*(8|16)"),
    Finding("64-bit elements", r"x[us]?i64>"),
    Finding("unaligned length", r"masked_store[^\n]*unaligned_ub_access", r"vstus\.post"),
    Finding("unaligned predicate store", r"masked_store[^\n]*unaligned_ub_access[^\n]*xi1>$", r"punpack", is_950=False),
    Finding("unaligned predicate load", r"vload[^\n]*unaligned_ub_access[^\n]*xi1>", r"ppack", is_950=False),
    Finding("converted mask", r"vfptoui [^\n]*xf16>[^\n]*xi16>$"),
    Finding("unsigned division", r"vdiv [^\n]*cast_unsigned", r"vdiv\.s"),
    Finding("call result", r"func\.call [^\n]*-> \(?vector"),
    Finding("sign of a shift", r"vsh[rl]s? [^\n]*%s_i1", r"vsh[rl]s?\.u"),
)  # fmt: skip
"""What is known, most particular first; `examples/upstream-findings` has a program for each."""


@dataclass(frozen=True, slots=True)
class Readback:
    """What came of one program and one pipeline.

    `verdict` is `agrees`, a finding's name, `differs` where none explains it, or why nothing was compared, in brackets;
    `against` says what it was compared with: the program, or only the analyzer's own layouts of it.
    """

    verdict: str
    against: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def compared(self) -> bool:
        """Whether anything was run."""
        return not self.verdict.startswith("(")


def read_back(text: str, is_950: bool, aligned: bool, rounds: int = 2) -> Readback:
    """Send a program through the compiler's passes and run what comes out against it.

    Where the layouts that the analyzer chose already differ from the program, the intrinsics are held against these.
    """
    options = SolveOptions(compat="upstream", chip="ascend950" if is_950 else "")
    result = decide(SourceFile("program.mlir", text), options)
    if result.verdict != "solved" or not result.ok or result.posed is None or result.solution is None:
        return Readback("(no layouts)")
    code, printed, _ = own_pipeline(text, target=DEVICE if is_950 else None, aligned=aligned)
    if code != 0:
        return Readback(f"(the compiler ends with {code})")
    laid_out = solved_program(result.posed, result.solution)
    expected = plain_program(result.posed.graph)
    against = "the program"
    if not compare_programs(expected, laid_out, rounds, lenient=True).ok:
        expected, against = laid_out, "the layouts"
    return _run(result, printed, expected, laid_out, against, aligned, is_950, rounds)


def _run(
    result: SolveResult, printed: str, expected: Program, laid_out: Program, against: str, aligned: bool, is_950: bool,
    rounds: int,
) -> Readback:  # fmt: skip
    options = SolveOptions(compat="upstream", chip="ascend950" if is_950 else "")
    written = read_program(SourceFile("printed.mlir", printed), options)
    if written.program is None:
        return Readback("differs", against, tuple(written.diagnostics))
    border = border_layouts(written.program.graph, laid_out.graph, laid_out.layouts)
    found = replace(written.program, layouts={**written.program.layouts, **border})
    done = compare_programs(expected, found, rounds, lenient=True)
    if done.ok:
        return Readback("agrees", against)
    codes = {item.code for item in done.diagnostics}
    if "LS0703" in codes:
        return Readback(f"(cannot run: {_kind(done.diagnostics)})")
    annotated = annotated_text(result)
    for finding in FINDINGS:
        if finding.fits(annotated, printed, aligned, is_950):
            return Readback(finding.name, against, tuple(done.diagnostics))
    return Readback("differs", against, tuple(done.diagnostics))


def _kind(diagnostics: list[Diagnostic]) -> str:
    message = next(item.message for item in diagnostics if item.code == "LS0703")
    return re.sub(r"\d+", "N", message)


def annotated_text(result: SolveResult) -> str:
    """The program with its functionTypes."""
    from layoutsolver.api import annotate

    return annotate(result)
