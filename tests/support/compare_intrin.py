"""One annotated program through the compiler's later passes and through our lowering: what differs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from layoutsolver.api import LowerOptions, LowerResult, SolveOptions, graph_of, lower, read_source
from layoutsolver.diagnostics.diagnostic import Edit
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.edits import apply_edits
from layoutsolver.source import SourceFile, Span
from tests.support.peer import LAYOUT_CAST, later_passes, own_pipeline, run

INTRINSIC = "hivm_regbaseintrins.intr.hivm."
DEVICE = "Ascend950PR_9589"
CHIPS = {"": "", "ascend950": DEVICE}
Verdict = Literal["equal", "different", "both refuse", "only we refuse", "only they refuse"]

_TRANSPARENT = frozenset(
    {
        "builtin.unrealized_conversion_cast", "llvm.sext", "llvm.zext", "llvm.trunc", "arith.index_cast",
        "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci",
    }
)  # fmt: skip
_ARITH = {
    "addf": "fadd", "subf": "fsub", "mulf": "fmul", "divf": "fdiv", "addi": "add", "subi": "sub", "muli": "mul",
    "divsi": "sdiv", "divui": "udiv", "remsi": "srem", "remui": "urem", "andi": "and", "ori": "or", "xori": "xor",
    "shli": "shl", "shrsi": "ashr", "shrui": "lshr", "minsi": "intr.smin", "maxsi": "intr.smax",
    "minui": "intr.umin", "maxui": "intr.umax", "cmpi": "icmp", "cmpf": "fcmp", "select": "select", "negf": "fneg",
    "extf": "fpext", "truncf": "fptrunc", "sitofp": "sitofp", "uitofp": "uitofp", "fptosi": "fptosi",
    "fptoui": "fptoui",
}  # fmt: skip
_SAME_AS = {f"arith.{before}": f"llvm.{after}" for before, after in _ARITH.items()}
"""The compiler's pass converts arithmetic as well, which we leave as it is written."""

_ORDERED = ("func.call", "scf.for", "scf.yield", "func.return", "ave.hir.")
_CONSTANT = re.compile(r"(?:arith\.constant|llvm\.mlir\.constant\()\s*(?:\{[^}]*\}\s*)?([^\s:)]+)")
_FUNCTION_TYPE = re.compile(
    r", functionType = #ave\.func_dist_type<\w+>|functionType = #ave\.func_dist_type<\w+>(?:, )?"
)


@dataclass(frozen=True, slots=True)
class Item:
    """An operation whose place in the sequence counts: what it is, what it is given, and its types."""

    name: str
    operands: tuple[object, ...]
    shape: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """How both tools took a program, and the first difference or refusal."""

    verdict: Verdict
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Exemption:
    """A difference that has its reason in the compiler: what the verdict is, and patterns of program and detail."""

    name: str
    verdict: Verdict
    program: str
    chip: str
    detail: str
    reason: str


_NAME = r"%[\w.$#-]+"
EXEMPTIONS = (
    Exemption(
        "strided store into one dimension", "only they refuse",
        rf"store_with_stride {_NAME}\[{_NAME}\],", "", "bug report|Casting",
        "the release reads the stride from operand 3, which is the mask if there is one index, and crashes",
    ),
    Exemption(
        "strided store with three indices or more", "different",
        rf"store_with_stride {_NAME}\[[^\],]*,[^\],]*,", "", "vsstb",
        "the release reads the stride from operand 3, which is the third index",
    ),
    Exemption(
        "unaligned store under a count that is an argument", "only they refuse",
        r"ave\.hir\.plt ", "ascend950", "non-existent value",
        "the release asks a block argument for its operation, and an assertion fails",
    ),
    Exemption(
        "unaligned store of predicates into two dimensions", "different",
        rf"masked_store <NORM_B8> {_NAME}\[[^\]]*,[^\]]*\],[^:]*unaligned_ub_access[^:]*: memref<[\dx]+i1,",
        "", "",
        "the release puts the repacked data into operand 3, which is the mask if there are two indices; what made the "
        "mask may be dropped then",
    ),
    Exemption(
        "load of two vectors of which a call or a loop takes one", "only they refuse",
        rf"({_NAME}), ({_NAME}) = ave\.hir\.vload <DINTLV_B\d+>[^\n]*\n(?:.*\n)*"
        r".*(?:call @\w+\(|iter_args\()[^)]*(?:\1|\2)[,)]",
        "", r"ave\.hir\.vload",
        "the release leaves the load as it is where a call or a loop takes one of its results",
    ),
)  # fmt: skip


def exemption(text: str, chip: str, found: Comparison) -> Exemption | None:
    """The row that explains a difference, None if nothing does."""
    for row in EXEMPTIONS:
        fits = row.verdict == found.verdict and row.chip in ("", chip)
        if fits and re.search(row.detail, found.detail) and re.search(row.program, text):
            return row
    return None


def compare_annotated(text: str, chip: str = "", dialect: str = "1.2.0") -> Comparison:
    """Compare both on a program whose functionTypes are given."""
    code, printed, errors = later_passes(text, target=CHIPS[chip] or None)
    mine = lower(SourceFile("p.mlir", text), _options(chip, dialect, solved=True))
    return _compare(mine, printed if code == 0 else None, errors)


def compare_solved(text: str, chip: str = "") -> Comparison:
    """Compare our solving and lowering in compat mode with all passes of the compiler in one process.

    Layout casts are taken out before: those without layouts state nothing that the compiler can apply. So are
    functionTypes: the compiler keeps one where its own choice is none.
    """
    text = re.sub(r" \{\}", "", _FUNCTION_TYPE.sub("", without_layout_casts(text)))
    code, printed, errors = own_pipeline(text, target=CHIPS[chip] or None)
    mine = lower(SourceFile("p.mlir", text), _options(chip, "1.2.0", solved=False))
    return _compare(mine, printed if code == 0 else None, errors)


def _options(chip: str, dialect: str, solved: bool) -> LowerOptions:
    return LowerOptions(dialect=dialect, solved=solved, solving=SolveOptions(compat="upstream", chip=chip))


def refused(printed: str | None) -> bool:
    """Whether the compiler's output is none, or still holds operations that it could not lower."""
    return printed is None or "ave.hir." in printed or "op.unsupported" in printed


def _compare(mine: LowerResult, printed: str | None, errors: str) -> Comparison:
    said = next((item.message for item in mine.diagnostics if item.severity == "error"), "")
    if mine.text is None:
        return Comparison("both refuse" if refused(printed) else "only we refuse", said)
    if refused(printed):
        left = re.search(r"ave\.hir\.[\w.]+|\w+op\.unsupported", printed or "")
        return Comparison("only they refuse", left.group() if left else _last_error(errors))
    assert printed is not None
    code, ours, wrong = run(mine.text)
    if code != 0:
        return Comparison("different", f"our text is not valid: {wrong[:300]}")
    found = first_difference(items(ours), items(printed))
    return Comparison("equal") if found is None else Comparison("different", found)


def _last_error(errors: str) -> str:
    for line in errors.splitlines():
        if "Assertion" in line or "error:" in line or "UNREACHABLE" in line:
            return line[-200:]
    return errors[:200]


def first_difference(ours: list[Item], theirs: list[Item]) -> str | None:
    """The first place where two sequences depart from each other."""
    for place, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
        if mine != other:
            return f"at {place}: ours {_short(mine, other)}\n    theirs {_short(other, mine)}"
    if len(ours) != len(theirs):
        longer = ours if len(ours) > len(theirs) else theirs
        extra = longer[min(len(ours), len(theirs))]
        return f"{'we' if longer is ours else 'they'} have {extra.name} in addition"
    return None


def _short(item: Item, other: Item) -> str:
    if item.name != other.name or item.shape != other.shape:
        return f"{item.name} {item.shape}"
    pairs = zip(item.operands, other.operands, strict=False)
    place = next((at for at, pair in enumerate(pairs) if pair[0] != pair[1]), -1)
    return f"{item.name} operand {place}: {item.operands[place] if place >= 0 else item.operands}"


def items(text: str) -> list[Item]:
    """The operations of a printed program whose order counts, operands by what computes them."""
    module = read_source(SourceFile("p.mlir", text))
    graph, _ = graph_of(module)
    return _Reading(graph).items


class _Reading:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.items: list[Item] = []
        self.known: dict[int, object] = {}
        for number, function in enumerate(graph.functions):
            for place, value in enumerate(function.arguments):
                self.known[value] = ("argument", number, place)
        idle = _idle_loops(graph)
        for number, loop in enumerate(loop for loop in graph.loops.values() if loop.op not in idle):
            self.known[loop.induction] = ("induction", number)
            for place, carried in enumerate(loop.carried):
                self.known[carried[1]] = ("carried", number, place)
        for node in graph.ops:
            if node.index in idle:
                self.enter_idle(node)
            elif node.parent not in idle:
                self.enter(node)

    def enter_idle(self, node: OpNode) -> None:
        """A loop that has no place in the sequence: its results by their initial values."""
        for init, iter_arg, _, result in self.graph.loops[node.index].carried:
            self.known[iter_arg] = self.known[result] = ("idle loop", self.known.get(init))

    def enter(self, node: OpNode) -> None:
        name = node.name.strip('"')
        operands = tuple(self.known.get(value, ("unknown", value)) for value in node.operands)
        if name.startswith((INTRINSIC, *_ORDERED)):
            shape = "" if name == "scf.for" else self.shape(node)
            self.items.append(Item(name, operands, shape))
            number = len(self.items) - 1
            for place, value in enumerate(node.results):
                self.known[value] = ("item", number, place)
            return
        if name in _TRANSPARENT and len(operands) == len(node.results) == 1:
            self.known[node.results[0]] = operands[0]
            return
        if name in ("arith.constant", "llvm.mlir.constant"):
            found = _CONSTANT.search(self.text(node))
            self.known[node.results[0]] = ("constant", found.group(1) if found else self.text(node))
            return
        if name in ("llvm.bitcast", "vector.bitcast", "arith.bitcast"):
            self.known[node.results[0]] = self.bitcast(node, operands[0])
            return
        for place, value in enumerate(node.results):
            shape = self.shape(node) if name.startswith("llvm.") and name not in _SAME_AS.values() else ""
            self.known[value] = (_SAME_AS.get(name, name), shape, operands, place)

    def bitcast(self, node: OpNode, operand: object) -> object:
        """A bitcast to the type that the value has already, or had before another bitcast, is that value."""
        before, _, after = self.text(node).rpartition(" : ")[2].partition(" to ")
        if before == after:
            return operand
        if isinstance(operand, tuple) and operand[0] == "bitcast" and operand[2] == after:
            return operand[1]
        return ("bitcast", operand, before, after)

    def text(self, node: OpNode) -> str:
        op = node.op
        return op.stream.range_text(op.name_token, op.regions[0].first if op.regions else op.last)

    def shape(self, node: OpNode) -> str:
        """The text of an operation without the names of values."""
        return re.sub(r"\s+", " ", re.sub(r"%[\w$.-]+(?:#\d+)?", "%", self.text(node))).replace("% :", "%:").strip()


def _idle_loops(graph: Graph) -> set[int]:
    """Loops without an intrinsic or a call in them; the compiler drops those whose results are not used."""
    busy: set[int] = set()
    for node in graph.ops:
        if node.name.strip('"').startswith((INTRINSIC, "func.call")):
            parent = node.parent
            while parent >= 0:
                busy.add(parent)
                parent = graph.ops[parent].parent
    return set(graph.loops) - busy


def without(text: str, spans: list[Span]) -> str:
    """The program with the operations at these spans replaced by casts of their first vector operand."""
    module = read_source(SourceFile("p.mlir", text))
    graph, _ = graph_of(module)
    places = {span.start for span in spans}
    edits = [_stand_in(graph, node) for node in graph.ops if node.span.start in places]
    return apply_edits(text, edits)


def without_layout_casts(text: str) -> str:
    """The program with plain casts in the place of its layout casts."""
    graph, _ = graph_of(read_source(SourceFile("p.mlir", text)))
    return without(text, [node.span for node in graph.ops if node.name == LAYOUT_CAST])


def _stand_in(graph: Graph, node: OpNode) -> Edit:
    source = next((value for value in node.operands if value >= 0 and graph.values[value].vector is not None), None)
    lines = []
    for number, value in enumerate(node.results):
        name, type_ = graph.values[value].name, graph.values[value].type.text
        given = source
        if given is None:
            lines.append(f"{name} = llvm.mlir.undef : {type_}")
            continue
        from_name, from_type = graph.values[given].name, graph.values[given].type.text
        lines.append(f"{name} = builtin.unrealized_conversion_cast {from_name} : {from_type} to {type_} // {number}")
    return Edit(node.op.span, "\n".join(lines))


@cache
def lowerable(text: str, chip: str) -> str:
    """The annotated program with everything replaced that we refuse; each round may show more."""
    for _ in range(20):
        result = lower(SourceFile("p.mlir", text), _options(chip, "1.2.0", solved=True))
        spans = [item.primary.span for item in result.diagnostics if item.severity == "error" and item.primary]
        if not spans:
            return text
        text = without(text, spans)
    return text
