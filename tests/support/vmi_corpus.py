"""How many files of a folder of VMI tests are read, solved, lowered and verified: `python -m` this module FOLDER.

Files count that say how they are run (`RUN:`) and what is expected (`CHECK`), in parts where their command splits them.
A part is to be refused if it says so by `expected-error`, or if its file is named `*_invalid` and no other part of
it says so; of every refused part the first message is printed beside what its file expects. All others must be read,
solved, lowered, and do on the hardware model what they say.

A part that is to be refused may have a solution nevertheless, or be fault of the form that one pass asks for and no
program's. Then it must be solved, lowered and verified, and the released compiler's passes that its command names must
refuse it as they are modelled here (`--compat upstream`): such parts are listed with that message, and the kind of it
must be the one that is expected. `explain --compat upstream --passes` says it on the command line.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

from layoutsolver.api import LowerOptions, lower
from layoutsolver.api_vmi import VmiOptions, solve
from layoutsolver.cli.inputs import split_parts
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.upstream.passes import PASSES, passes_verdict
from layoutsolver.pose.vmi.upstream.verdict import Verdict
from layoutsolver.source import SourceFile
from layoutsolver.verify.pto.run import verify_files
from layoutsolver_models.solve.layout import Limits

STAGES = ("read", "posed", "solved", "lowered", "verified")
"""What a valid part passes, in order."""

SOLVED = "it has a solution here, which is verified"
REASONS: dict[tuple[str, str], str] = {
    ("VMI-LAYOUT-CONTRACT", "VMI-UNSUPPORTED"):
        "no row has the layouts that the types state, which is known before anything is lowered; others would do",
    ("VMI-UNSUPPORTED", "VMI-LAYOUT-CONTRACT"):
        "there are no layouts at all that would do: it is not these that are wrong",
    ("VMI-LAYOUT-CONTRACT", "VERIFIER"): "layouts that a text states are wishes, which rules alone can refuse",
    ("VMI-UNSUPPORTED", "VERIFIER"):
        "the verifier's message is of an instruction that the compiler made, and there is none to be made",
    ("VMI-PASS-INVARIANT", "VMI-RESIDUAL-OP"):
        "it is said of what stands in the text, not of what a last pass leaves over",
    ("VMI-LAYOUT-CONTRACT", "VMI-PASS-INVARIANT"):
        "types without layouts are what layouts are asked for; that nobody sees the body is what is wrong",
}  # fmt: skip
"""Why a message of ours has another kind than that of a pass: by our kind and by that of the pass."""

EXPECTED = re.compile(r"expected-error")
UNQUOTED = "VMI-"
_KIND = re.compile(r"VMI-[A-Z]+(?:-[A-Z]+)*")
_OF_A_PASS = re.compile(r"CHECK[A-Z-]*:\s*(?:pto\.vmi\.\w+ [a-z]|VMI [a-z])")
_CHECKED = re.compile(r"//.*(?:CHECK|expected-error).*")
_SAID = re.compile(
    r"//\s*[A-Z0-9-]*CHECK[A-Z-]*:\s*(.*(?:error|VMI-|fail|requires|must|expect).*)|expected-error\S*\s*(.*)"
)


class Outcome(NamedTuple):
    """What came of a part: the last stage passed (empty: none), why not the next, what was compared, what is expected.

    `said` is `error`, `warning` or empty: the worst that was said of it. `released` is what the released compiler's
    passes say. `kind` is the kind of message that is expected.
    """

    name: str
    refused: bool
    stage: str
    reason: str = ""
    said: str = ""
    compared: int = 0
    expected: str = ""
    released: str = ""
    kind: str = ""


def files_of(folder: Path) -> list[Path]:
    """The files that say how they are run and what is expected."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.pto"))}
    return [path for path, text in texts.items() if "RUN:" in text and "CHECK" in text]


def parts_of(path: Path) -> list[tuple[SourceFile, bool, str, str]]:
    """The parts of a file, whether each is to be refused, what the file says of it, and of what kind that is."""
    whole = SourceFile(path.name, path.read_text(encoding="utf-8"))
    splits = "-split-input-file" in whole.text
    sources = split_parts(whole).sources if splits else [whole]
    marked = EXPECTED.search(whole.text) is not None
    invalid = path.stem.endswith("_invalid")
    out = []
    for source in sources:
        said = "; ".join(found for one in _SAID.finditer(source.text) if (found := (one[1] or one[2]).strip()))
        refused = EXPECTED.search(source.text) is not None if marked else invalid
        kind = kind_of(" ".join(_CHECKED.findall(source.text)))
        out.append((source, refused, said if kind in said else f"{kind} {said}".strip(), kind))
    return out


def outcome_of(source: SourceFile, refused: bool, expected: str) -> Outcome:
    """What comes of a part."""
    said = solve(source, VmiOptions(limits=Limits(60.0)))
    errors = [item for item in said.diagnostics if item.severity == "error"]
    worst = "error" if errors else "warning" if said.diagnostics else ""
    name = source.name if source.first_line == 1 else f"{source.name}:{source.first_line}"

    def ended(stage: str, found: Sequence[Diagnostic], how: str) -> Outcome:
        reason = "; ".join(_shown(item) for item in found[:1]) or "nothing is said"
        return Outcome(name, refused, stage, reason, how, 0, expected)

    if said.unreadable or said.graph is None:
        return ended("", errors, worst)
    if said.posed is None:
        return ended("read", errors, worst)
    if not said.ok:
        return ended("posed", errors, worst)
    if not any(function.has_body for function in said.graph.functions):
        return Outcome(name, refused, "verified", "", worst, 0, expected)
    lowered = lower(source, LowerOptions("vpto"))
    if lowered.text is None:
        return ended("solved", [item for item in lowered.diagnostics if item.severity == "error"], worst or "error")
    messages, found = verify_files(source, SourceFile("lowered.vpto", lowered.text), 2, 1, lowered.borders)
    found_wrong = [*messages, *(found.diagnostics if found is not None else ())]
    wrong = [item for item in found_wrong if item.severity == "error"]
    if wrong or found is None:
        return ended("lowered", wrong, worst)
    compared = found.bytes_compared + found.vectors_compared
    reason = _shown(said.diagnostics[0]) if said.diagnostics else ""
    return Outcome(name, refused, "verified", reason, worst, compared, expected)


def kind_of(text: str) -> str:
    """The kind of a message: its prefix; `VERIFIER` where it has none.

    A file may quote a message without its prefix. One that begins with an operation's bare name is not the verifier's,
    which puts names into quotes, nor is one whose subject is the program: which prefix it has is `UNQUOTED`.

    >>> kind_of("VMI{{-}}UNSUPPORTED{{:}} pto.vmi.store"), kind_of("'pto.vmi.vand' op requires")
    ('VMI-UNSUPPORTED', 'VERIFIER')
    >>> kind_of("// CHECK: pto.vmi.load lowers through"), kind_of("// CHECK: VMI boundary asks for")
    ('VMI-', 'VMI-')
    """
    found = _KIND.search(text.replace("{{-}}", "-").replace("VMI{{.*}}", "VMI-UNSUPPORTED"))
    if found:
        return found[0]
    return UNQUOTED if _OF_A_PASS.search(text) else "VERIFIER"


def is_of_kind(message: str, expected: str) -> bool:
    """Whether a message is of a kind."""
    kind = kind_of(message)
    return kind == expected or (expected == UNQUOTED and kind.startswith(UNQUOTED))


def passes_in(command: str) -> list[str]:
    """The released compiler's passes that a command names."""
    return [name for name in PASSES if re.search(rf"\s-{name}(?:\s|$)", command)]


def released(source: SourceFile, command: str) -> Verdict:
    """What the passes that a command names say of a part."""
    graph, _ = build_graph(read(source))
    return passes_verdict(graph, passes_in(command))


def _beside(one: Outcome, source: SourceFile, command: str) -> Outcome:
    """A part that is to be refused, with what the released compiler's passes say of it."""
    verdict = released(source, command)
    lead = "" if verdict.message.startswith("VMI-") else f"{verdict.kind}: "
    return one._replace(released="" if verdict.ok else f"{lead}{verdict.message}")


def _shown(item: Diagnostic) -> str:
    notes = f" ({item.notes[0]})" if item.notes else ""
    at = ""
    if item.primary is not None:
        place = item.primary.source.position(item.primary.span.start)
        at = f"{place.line}:{place.column} "
    return f"{at}{item.severity}[{item.code}] {item.message}{notes}"


def outcomes(path: Path) -> list[Outcome]:
    """What comes of the parts of a file; a defect of ours is the reason of the part that shows it."""
    out = []
    command = " ".join(line for line in path.read_text(encoding="utf-8").splitlines() if "RUN:" in line)
    for source, refused, expected, kind in parts_of(path):
        try:
            found = outcome_of(source, refused, expected)._replace(kind=kind)
            out.append(_beside(found, source, command) if refused else found)
        except Exception as error:  # a corpus is read whole, and the report names what failed
            out.append(Outcome(source.name, refused, "", f"defect: {error!r}", "defect", 0, expected, "", kind))
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Print every part that is not as it should be, and the table; 1 if there is such a part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="files whose names contain this")
    parser.add_argument("--refused", action="store_true", help="print what is said of each part that is to be refused")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(argv)
    paths = [path for path in files_of(options.folder) if options.only in path.name]
    with Pool(options.jobs) as pool:
        found = list(pool.imap(outcomes, paths))
    print(report(paths, found, options.refused), end="")
    every = [one for some in found for one in some]
    return int(any(not _as_it_should_be(one) or (one.refused and not _is_explained(one)) for one in every))


def _as_it_should_be(one: Outcome) -> bool:
    if not one.refused:
        return one.stage == "verified"
    return one.said == "error" or (one.stage == "verified" and one.released != "")


ORDER = (
    "ended by a defect of ours", "nothing said of", "only warned of", "solved and verified, refused as released",
    "refused",
)  # fmt: skip
"""What can come of a file that is to be refused, the worst first."""


def _answer(one: Outcome) -> str:
    if one.said in ("error", "defect"):
        return ORDER[-1] if one.said == "error" else ORDER[0]
    return ORDER[3] if _as_it_should_be(one) else ORDER[2 if one.said else 1]


def _says(one: Outcome) -> str:
    """Who says of a part what is expected: `ours`, else `released`, the compiler's passes; empty if nobody does."""
    if one.said == "error" and is_of_kind(one.reason, one.kind):
        return "ours"
    return "released" if one.released and is_of_kind(one.released, one.kind) else ""


def _why_other(one: Outcome) -> str:
    """Why a message of ours is of another kind than the one that is expected; empty if that is not known."""
    if one.said != "error":
        return SOLVED if one.stage == "verified" else ""
    return REASONS.get((kind_of(one.reason), kind_of(one.released)), "")


def _is_explained(one: Outcome) -> bool:
    """Whether the expected kind is said, by us or by a pass where it is known why we say another."""
    return _says(one) == "ours" or (_says(one) == "released" and bool(_why_other(one)))


def _state(one: Outcome) -> str:
    answer = _answer(one)
    return f"{answer} ({one.released})" if answer == ORDER[3] and one.reason else answer


def report(paths: Sequence[Path], found: Sequence[Sequence[Outcome]], every: bool = False) -> str:
    """The parts that are not as they should be, then files by the stage that all of their valid parts pass."""
    lines: list[str] = []
    reached: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    whys: Counter[str] = Counter()
    valid = invalid = idle = 0
    for path, some in zip(paths, found, strict=True):
        for one in some:
            wrong = not _as_it_should_be(one) or (one.refused and not _is_explained(one))
            if one.refused and (wrong or every or one.said != "error"):
                lines.append(f"{one.name}: {_state(one)}: {one.reason or one.released}")
                lines.append(f"    expected: {one.expected}")
                if _says(one) != "ours":
                    lines.append(f"    the released passes: {one.released}")
                    lines.append(f"    ours differs: {_why_other(one) or 'no reason is known'}")
            elif wrong:
                lines.append(f"{one.name}: {one.stage or 'nothing'} passed: {one.reason}")
        good = [one for one in some if not one.refused]
        bad = [one for one in some if one.refused]
        if path.stem.endswith("_invalid"):
            invalid += 1
            worst = min(bad or some, key=lambda one: ORDER.index(_answer(one)))
            refusals[_answer(worst)] += 1
            kinds[min((_says(one) for one in bad or some), key=("", "released", "ours").index)] += 1
            whys.update({_why_other(one) for one in bad if _says(one) == "released"})
        else:
            valid += 1
            last = min(
                ((STAGES.index(one.stage) if one.stage else -1) for one in good), default=len(STAGES) - 1
            )  # fmt: skip
            for stage in STAGES[: last + 1]:
                reached[stage] += 1
            idle += last == len(STAGES) - 1 and not any(one.compared for one in good)
    passed = ", ".join(f"{reached[stage]} {stage}" for stage in STAGES)
    lines.append(f"{valid} valid files: {passed} ({idle} of these compute nothing that could be compared)")
    listed = ", ".join(f"{refusals[key]} {key}" for key in ORDER)
    lines.append(f"{invalid} invalid files: {listed}")
    by = f"{kinds['ours']} in our messages, {kinds['released']} in those of the released compiler's passes"
    lines.append(f"{kinds['ours'] + kinds['released']} with messages of the expected kind: {by}")
    lines += [f"  {count} files of those: {why or 'no reason is known'}" for why, count in whys.most_common()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
