"""The program as the normalisation works on it: operations that can be put in, taken out and rewired.

One step stands for each operation of the text, AVE or not, so that a value can be replaced wherever it is used. The
uses of a value are kept in the order in which they came about, since the compiler looks at the latest one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.types import Type, VectorType, parse_type
from layoutsolver.ops.assembly import attribute_entries, skip_bracket
from layoutsolver.ops.spec import Kind
from layoutsolver_backends.intrin.tables import GENERIC_NAMES

PREFIX = "ave.hir."

_EFFECTS = frozenset({"masked_store", "store_with_stride", "unaligned.masked.store", "vscatter", "membar"})

_PURE_DIALECTS = ("arith.", "math.", "affine.apply", "affine.min", "affine.max", "llvm.mlir.", "llvm.bitcast")
_PURE = frozenset(
    {
        "builtin.unrealized_conversion_cast", "vector.bitcast", "vector.shape_cast", "memref.subview", "memref.cast",
        "memref.reinterpret_cast", "memref.extract_strided_metadata", "memref.load", "memref.dim",
        "memref.collapse_shape", "memref.expand_shape", "scf.for", "scf.if", "scf.yield",
    }
)  # fmt: skip


@dataclass(slots=True, eq=False)
class Step:
    """An operation: `name` without the AVE dialect's prefix, attributes by name, inline ones among them.

    `node` is the operation of the text at whose place it stands. `before` and `after` hold steps put in next to it;
    one that is `gone` was replaced.
    """

    name: str
    operands: list[int]
    roles: tuple[str, ...]
    results: list[int]
    attrs: dict[str, str]
    node: int
    is_ave: bool
    before: list[Step] = field(default_factory=list)
    after: list[Step] = field(default_factory=list)
    gone: bool = False

    def role(self, name: str) -> int:
        """The value of the first operand in that role, -1 if there is none."""
        return self.operands[self.roles.index(name)] if name in self.roles else -1

    def around(self) -> Iterator[Step]:
        """The steps before it, itself, and those behind it, in order."""
        for step in self.before:
            yield from step.around()
        if not self.gone:
            yield self
        for step in self.after:
            yield from step.around()


@dataclass(slots=True, eq=False)
class Program:
    """All steps by the operation of the text, the type of every value, its defining step and its uses.

    `layout_of` tells the layout of a value where it is known; `is_950` whether the chip is an Ascend950;
    `casts_at_calls` whether vectors pass through casts on their way into calls.
    """

    graph: Graph
    is_950: bool
    layout_of: dict[int, str]
    casts_at_calls: bool
    steps: list[Step] = field(default_factory=list)
    types: list[Type] = field(default_factory=list)
    definition: dict[int, Step] = field(default_factory=dict)
    uses: list[list[tuple[Step, int]]] = field(default_factory=list)

    def vector(self, value: int) -> VectorType:
        """The type of a value that is a vector."""
        type_ = self.types[value]
        assert isinstance(type_, VectorType), type_.text
        return type_

    def element(self, value: int) -> str:
        """The element type of a vector."""
        return self.vector(value).element.text

    def new_value(self, type_: Type) -> int:
        """A value that nothing defines yet."""
        self.types.append(type_)
        self.uses.append([])
        return len(self.types) - 1

    def make(
        self, name: str, operands: list[int], roles: str, types: list[Type], node: int, attrs: dict[str, str]
    ) -> Step:
        """A step with new results; where it stands is up to the caller."""
        results = [self.new_value(type_) for type_ in types]
        step = Step(name, operands, tuple(roles.split()), results, attrs, node, True)
        self._enter(step)
        return step

    def _enter(self, step: Step) -> None:
        for value in step.results:
            self.definition[value] = step
        for operand, value in enumerate(step.operands):
            if value >= 0:
                self.uses[value].append((step, operand))

    def set_operand(self, step: Step, operand: int, value: int) -> None:
        """Let an operand be another value."""
        self.uses[step.operands[operand]].remove((step, operand))
        step.operands[operand] = value
        self.uses[value].append((step, operand))

    def redirect(self, uses: list[tuple[Step, int]], value: int) -> None:
        """Let these uses use another value."""
        for step, operand in uses:
            self.set_operand(step, operand, value)

    def replace(self, step: Step, values: list[int]) -> None:
        """Let others stand for the results of a step, and drop it."""
        for result, value in zip(step.results, values, strict=True):
            self.redirect(list(self.uses[result]), value)
        self.drop(step)

    def drop(self, step: Step) -> None:
        """Take a step away whose results nobody uses."""
        step.gone = True
        for operand, value in enumerate(step.operands):
            if value >= 0:
                self.uses[value].remove((step, operand))

    def ordered(self) -> Iterator[Step]:
        """All steps in the order of the program."""
        for step in self.steps:
            yield from step.around()


def build_program(graph: Graph, dists: dict[int, str] | None, layout_of: dict[int, str], is_950: bool) -> Program:
    """The program of a graph, unused operations without effects dropped.

    `dists` are the functionTypes by operation, None to keep those of the text.
    """
    program = Program(graph, is_950, layout_of, dists is not None)
    program.types = [plain_type(value.type) for value in graph.values]
    program.uses = [[] for _ in graph.values]
    for node in graph.ops:
        is_ave = node.name.startswith(PREFIX)
        attrs = attributes(graph, node) if is_ave else {}
        if is_ave and dists is not None:
            attrs.pop("functionType", None)
            if node.index in dists:
                attrs["functionType"] = dists[node.index]
        name = node.name.removeprefix(PREFIX) if is_ave else node.name
        step = Step(name, list(node.operands), tuple(node.roles), list(node.results), attrs, node.index, is_ave)
        program.steps.append(step)
        program._enter(step)
        if is_ave:
            _type_operands(program, node)
    _drop_dead(program)
    return program


def _type_operands(program: Program, node: OpNode) -> None:
    """Give operands whose own operation does not tell their types those that this one prints or demands."""
    kinds = {role.name: role.kind for role in node.spec.operands} if node.spec is not None else {}
    for role, value in zip(node.roles, node.operands, strict=True):
        if value >= 0 and not program.types[value].text:
            printed = node.types.get(role)
            if printed is not None:
                program.types[value] = plain_type(parse_type(printed.text))
            elif kinds.get(role) is Kind.INDEX:
                program.types[value] = parse_type("index")
            elif role == "sign":
                program.types[value] = parse_type("i1")


def plain_type(type_: Type) -> Type:
    """The type without the layout that a vector type carries.

    >>> plain_type(parse_type("vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>")).text
    'vector<64xi8>'
    """
    if not isinstance(type_, VectorType):
        return type_
    dims = "".join(f"{dim}x" for dim in type_.shape)
    return parse_type(f"vector<{dims}{type_.element.text}>")


def attributes(graph: Graph, node: OpNode) -> dict[str, str]:
    """The attributes of an AVE operation, enumerators by their bare names.

    Those of the dictionary, those of the generic form's properties, and those that the custom form prints inline.
    """
    out = dict(node.enums)
    op, texts = node.op, graph.module.stream.texts
    ranges = [node.attrs] if node.attrs is not None else []
    mnemonic = node.name.removeprefix(PREFIX)
    if op.is_generic:
        at = skip_bracket(texts, op.name_token + 1, op.last)
        if at + 1 < op.last and texts[at] == "<" and texts[at + 1] == "{":
            ranges.append((at + 1, skip_bracket(texts, at + 1, op.last)))
    elif mnemonic in ("vpack", "vunpack"):
        token = next(at for at in range(op.name_token, op.last) if texts[at] == ",")
        out["int"] = texts[token + 1]
    for token_range in ranges:
        for name, (first, last) in attribute_entries(op, token_range).items():
            text = op.stream.range_text(first + 2, last) if last > first + 2 else "unit"
            out[GENERIC_NAMES.get(mnemonic, {}).get(name, name) if op.is_generic else name] = bare(text)
    return out


def bare(text: str) -> str:
    """An enumerator's name, or an integer without its type.

    >>> bare("#ave.vcvt_part_type<part_even>"), bare("#ave<layout_change DENSE>"), bare("1 : i32"), bare("true")
    ('part_even', 'DENSE', '1', 'true')
    """
    text = text.strip()
    if text.startswith("#") and text.endswith(">"):
        return text[text.index("<") + 1 : -1].split()[-1]
    return text.partition(":")[0].strip() if text[:1].isdigit() else text


def _is_pure(step: Step) -> bool:
    """Whether a step may be dropped if nobody uses its results and nothing in it has an effect."""
    if step.is_ave:
        return step.name not in _EFFECTS
    return step.name in _PURE or step.name.startswith(_PURE_DIALECTS)


def _drop_dead(program: Program) -> None:
    """Drop AVE operations without effects that nobody uses, and what uses or holds nothing but them."""
    live = _live(program)
    dead = [step for step in program.steps if step.node not in live]
    doomed = {step.node for step in dead if step.is_ave}
    size = -1
    while size != len(doomed):
        size = len(doomed)
        for step in dead:
            owners = [program.definition.get(value) for value in step.operands if value >= 0]
            parent = program.graph.ops[step.node].parent
            if parent in doomed or any(owner is not None and owner.node in doomed for owner in owners):
                doomed.add(step.node)
            if step.node in doomed and parent >= 0 and parent not in live:
                doomed.add(parent)
    for step in reversed(dead):
        if step.node in doomed:
            program.drop(step)


def _live(program: Program) -> set[int]:
    """Operations with an effect, those that hold them, and all whose results these need."""
    graph = program.graph
    holder = {loop.induction: loop.op for loop in graph.loops.values()}
    holder.update({carried[1]: loop.op for loop in graph.loops.values() for carried in loop.carried})
    yields: dict[int, list[Step]] = {}
    for step in program.steps:
        if step.name == "scf.yield":
            yields.setdefault(graph.ops[step.node].parent, []).append(step)
    live: set[int] = set()
    work = [step for step in program.steps if not _is_pure(step)]
    while work:
        step = work.pop()
        if step.node in live:
            continue
        live.add(step.node)
        parent = graph.ops[step.node].parent
        if parent >= 0:
            work.append(program.steps[parent])
        work.extend(yields.get(step.node, ()))
        for value in step.operands:
            owner = program.definition.get(value)
            if owner is not None:
                work.append(owner)
            elif value in holder:
                work.append(program.steps[holder[value]])
    return live
