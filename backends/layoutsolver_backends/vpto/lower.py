"""VPTO text of a solved VMI program: what is no VMI operation stays as it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Edit
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.pose.vmi.pose import PosedVmi
from layoutsolver.source import Span
from layoutsolver.vmi.arch import registers_of
from layoutsolver.vmi.peak import RegisterPeak
from layoutsolver_backends.vpto.build import UnsupportedError
from layoutsolver_backends.vpto.control import rewritten
from layoutsolver_backends.vpto.emission import Emission, emit
from layoutsolver_backends.vpto.passes.conversions import simplify_conversions
from layoutsolver_backends.vpto.passes.dead import drop_dead
from layoutsolver_backends.vpto.passes.hoisting import hoist
from layoutsolver_backends.vpto.passes.numbering import number_values
from layoutsolver_backends.vpto.passes.patterns import remake_patterns
from layoutsolver_backends.vpto.passes.reductions import combine_reductions
from layoutsolver_backends.vpto.places import VMI, Places
from layoutsolver_backends.vpto.pressure import peaks
from layoutsolver_backends.vpto.scope_repair import Repair, repair
from layoutsolver_backends.vpto.scopes import Point, Scope, Surroundings, find_scopes, needs_scope
from layoutsolver_backends.vpto.text import Names, text_of
from layoutsolver_models.problems.selection import SelectionSolution

OPEN, CLOSE = "\x00{", "\x00}"
"""Lines between which the text is a scope, before it is set."""


@dataclass(slots=True)
class Lowered:
    """A program as edits that lower it, and what is to be said of it; errors mean that the edits are not to be used."""

    edits: list[Edit]
    diagnostics: list[Diagnostic]


class Prepared(NamedTuple):
    """A program's instructions as they are written, with their scopes; errors mean that they are not to be used.

    `peaks` are those of these instructions, None if they have not been counted.
    """

    emission: Emission
    places: Places
    scopes: list[Scope]
    repaired: Repair
    diagnostics: list[Diagnostic]
    peaks: tuple[RegisterPeak, ...] | None = None


def prepare(posed: PosedVmi, solution: SelectionSolution) -> Prepared:
    """The instructions of a program with the variants and conversions of a solution."""
    emission = emit(posed, solution)
    places = Places(posed.program.graph)
    if emission.diagnostics:
        return Prepared(emission, places, [], Repair({}, []), emission.diagnostics)
    optimise(emission, places)
    code = emission.build.code
    scopes = find_scopes(code, places, emission.made)
    repaired = repair(scopes, code, places, emission.build, emission.made)
    drop_dead(code)
    limits = posed.registers or registers_of(posed.program.graph)
    found = None
    if limits is not None:
        found = peaks(code, posed.program, emission.made)
        if any(peak.registers > limits.predicate for peak in found if peak.kind == "predicate"):
            remake_patterns(emission.build)
            drop_dead(code)
            found = None
    return Prepared(emission, places, scopes, repaired, repaired.diagnostics, found)


def register_peaks(posed: PosedVmi, solution: SelectionSolution) -> tuple[RegisterPeak, ...] | None:
    """The most registers of each kind that are live in the lowered program, None if it cannot be written."""
    ready = prepare(posed, solution)
    if ready.diagnostics:
        return None
    return ready.peaks or peaks(ready.emission.build.code, posed.program, ready.emission.made)


def lower_vmi(posed: PosedVmi, solution: SelectionSolution) -> Lowered:
    """The edits that lower a program with the variants and conversions of a solution."""
    ready = prepare(posed, solution)
    if ready.diagnostics:
        return Lowered([], ready.diagnostics)
    around = Surroundings(ready.emission.build.code, ready.places, ready.emission.made)
    empty = {number for number, scope in enumerate(ready.scopes) if not needs_scope(around, scope)}
    writer = _Writer(ready.emission, ready.places, ready.scopes, ready.repaired, empty)
    source = posed.program.graph.module.source
    try:
        text = indented(apply_edits(source.text, writer.edits()))
    except UnsupportedError as error:
        from layoutsolver.diagnostics.diagnostic import Label

        return Lowered([], [Diagnostic("LS0607", "error", str(error), Label(source, writer.at))])
    return Lowered([Edit(Span(0, len(source.text)), text)], [])


def optimise(emission: Emission, places: Places) -> None:
    """Take away what is there twice or for nobody, and what a loop need not repeat."""
    code = emission.build.code
    around = Surroundings(code, places, emission.made)
    drop_dead(code)
    for _ in range(2):
        number_values(code, places)
        combine_reductions(emission.build)
        drop_dead(code)
        simplify_conversions(code)
        homes = places.homes(code, emission.made, emission.build.outside)
        hoist(code, places, homes, lambda loop: not around.has_ends(loop))
    number_values(code, places)
    drop_dead(code)


def indented(text: str) -> str:
    r"""The text with its scopes set: what is in one stands two columns further in.

    >>> indented(f"  {OPEN}\n  a\n  {CLOSE}\n").split("\n")
    ['  pto.vecscope {', '    a', '  }', '']
    """
    out: list[str] = []
    deeper = 0
    for line in text.split("\n"):
        body = line.strip()
        if body == CLOSE:
            deeper -= 1
        shown = line.replace(OPEN, "pto.vecscope {").replace(CLOSE, "}")
        out.append("  " * deeper + shown if shown.strip() else shown)
        if body == OPEN:
            deeper += 1
    return "\n".join(out)


class _Writer:
    """The edits of a program: instructions for VMI operations, scopes around them, other headers rewritten."""

    def __init__(
        self, emission: Emission, places: Places, scopes: list[Scope], repaired: Repair, empty: set[int]
    ) -> None:
        self.emission, self.places = emission, places
        self.graph = places.graph
        self.source = self.graph.module.source
        self.code = emission.build.code
        taken = {text.partition("#")[0] for text in self.graph.module.stream.texts if text[:1] == "%"}
        self.names = Names(taken | set(emission.build.renamed.values()))
        self.moved = repaired.moved
        self.before: dict[Point, list[str]] = {}
        self.behind: dict[Point, list[str]] = {}
        for number, scope in enumerate(scopes):
            front = [self.statement(op) for op, to in sorted(repaired.moved.items()) if to == number]
            self.before.setdefault(scope.first, []).extend(front if number in empty else [*front, OPEN])
            if number in empty:
                continue
            self.behind.setdefault(scope.last, []).append(CLOSE)
        self.at = Span(0, 0)

    def statement(self, op: int) -> str:
        """The text of an operation that moves."""
        span = self.graph.ops[op].op.span
        return self.source.text[span.start : span.end]

    def edits(self) -> list[Edit]:
        out: list[Edit] = []
        for node in self.graph.ops:
            self.at = node.span
            here, itself = (node.index, 0), (node.index, 1)
            lines = list(self.before.get(here, []))
            lines += [text_of(one, self.names) for one in self.code.places.get(node.index, [])]
            lines += self.behind.get(here, [])
            goes = node.name.startswith(VMI) or node.index in self.moved
            lines += self.before.get(itself, [])
            after = self.behind.get(itself, [])
            if goes:
                lines += after
            else:
                out += rewritten(
                    node, self.emission.flow, self.code, self.emission.made, self.emission.build.renamed, self.names
                )
            out += self._placed(node.op.span, lines, goes)
            if after and not goes:
                indent = self._indent(node.op.span.start)
                text = "".join(f"\n{indent}{line}" for line in after)
                end = self._behind_comment(node.op.span.end)
                out.append(Edit(Span(end, end), text))
        return out

    def _indent(self, at: int) -> str:
        """The white space in front of an operation on its line."""
        start = self.source.text.rfind("\n", 0, at) + 1
        line = self.source.text[start:at]
        return line[: len(line) - len(line.lstrip())]

    def _behind_comment(self, at: int) -> int:
        """Where the line that ends at a place ends with its comment."""
        text = self.source.text
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        rest = text[at:end].strip()
        return end if rest.startswith("//") else at

    def _placed(self, span: Span, lines: list[str], goes: bool) -> list[Edit]:
        """Lines in front of an operation, or for it; a line on which nothing is left goes as well."""
        text = self.source.text
        indent = self._indent(span.start)
        if lines:
            joined = f"\n{indent}".join(lines)
            if goes:
                return [Edit(span, joined)]
            return [Edit(Span(span.start, span.start), f"{joined}\n{indent}")]
        if not goes:
            return []
        start = text.rfind("\n", 0, span.start) + 1
        end = text.find("\n", span.end)
        end = len(text) if end < 0 else end + 1
        if not text[start : span.start].strip() and not text[span.end : end].strip():
            return [Edit(Span(start, end), "")]
        return [Edit(span, "")]
