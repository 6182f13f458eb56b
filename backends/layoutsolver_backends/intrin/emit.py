"""Lowers a program: each AVE operation of its text gives way to intrinsics, everything else stays as it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from layoutsolver.diagnostics.diagnostic import Diagnostic, Edit
from layoutsolver.mlir.types import VectorType
from layoutsolver.ops.assembly import skip_bracket
from layoutsolver.ops.spec import Kind
from layoutsolver.pose.posed import Posed
from layoutsolver.pose.stated import stated_solution, written_functiontypes, written_layouts
from layoutsolver.source import Span
from layoutsolver_backends.ave import COMMENT
from layoutsolver_backends.intrin import memory, predicates, tables, vectors
from layoutsolver_backends.intrin.defects import Written, defects_of
from layoutsolver_backends.intrin.fuse import fuse_boolean_loads
from layoutsolver_backends.intrin.normalise import DIALECTS, MASTER, RELEASE, normalise
from layoutsolver_backends.intrin.program import Program, Step, build_program
from layoutsolver_backends.intrin.sound.table import OTHERS, SOUND
from layoutsolver_backends.intrin.writer import NotLoweredError, Writer
from layoutsolver_models.problems.layout import LayoutSolution
from layoutsolver_models.solve.layout import Limits

Lowering = Callable[[Writer, Step], None]

LOWERINGS: dict[str, Lowering] = {
    "vload": memory.load, "masked_store": memory.store, "store_with_stride": memory.store_with_stride,
    "vgather": memory.gather, "pge": predicates.pge, "plt": predicates.plt, "pltm": predicates.pltm,
    **{f"preg.{name}": predicates.logic for name in ("and", "or", "xor", "not")}, "preg.cast": predicates.cast,
    "vcmp": predicates.compare, "membar": predicates.barrier,
    **dict.fromkeys(tables.ELEMENTWISE, vectors.elementwise), **dict.fromkeys(tables.SHIFTS, vectors.shift),
    **dict.fromkeys(tables.CONVERTS, vectors.convert), "vexpdif": vectors.exponential_of_difference,
    "vtrc": vectors.round_to_whole, "vsel": vectors.select, "mull": vectors.multiply_long,
    "reduction": vectors.reduce, "broadcast": vectors.broadcast, "scalar_broadcast": vectors.splat,
    "vector_broadcast": vectors.duplicate, "vci": vectors.ramp, "vintlv": vectors.interleave,
    "vdintlv": vectors.interleave, "vpack": vectors.pack, "vunpack": vectors.pack, "vslide": vectors.slide,
    "vector.bitcast": vectors.bitcast, "register.bitcast": vectors.bitcast, "register.halves": vectors.split_halves,
    "register.join": vectors.join_halves, "register.load_bits": memory.load_bits,
    "register.mask_bits": memory.mask_bits,
}  # fmt: skip
"""How each operation is lowered; `register.*` are steps that the normalisation puts in."""

_OTHER_LOWERED = frozenset({"vector.bitcast"})
_CARRIES = frozenset({"builtin.unrealized_conversion_cast", "vector.shape_cast", "call", "return"})
_CARRYING = ("scf.", "func.", "builtin.module")
"""Operations that hand vectors on, whatever registers they take."""

_VECTORS = (Kind.VECTOR, Kind.MASK, Kind.INDEX_VECTOR)


@dataclass(slots=True)
class Emitted:
    """The edits that lower a program, and what is to be said; errors mean that the edits are not to be used."""

    edits: list[Edit]
    diagnostics: list[Diagnostic]


class IntrinBackend:
    """The emitter of register intrinsics; its dialects are the generations of the compiler."""

    name = "ave-intrin"
    dialects = DIALECTS

    def lower(
        self, posed: Posed, solution: LayoutSolution | None, dialect: str, own_layouts: bool, as_upstream: bool = False
    ) -> Emitted:
        """The edits that lower a program, with the functionTypes of a solution, or with its own where that is None.

        With `own_layouts` the layouts that the program's vector types carry count as known. Intrinsics do what the
        program means; with `as_upstream` they are those that the compiler writes, right or wrong. The compiler notes
        layouts in the types of vectors, but not in those of a function's arguments.
        """
        layout_of: dict[int, str] = {}
        dists: dict[int, str] | None = None
        if solution is not None:
            layout_of = {value: solution.layouts[number] for value, number in posed.number.items()}
            dists = _function_types(posed, solution)
        elif own_layouts:
            vectors_of = ((value.index, value.vector) for value in posed.graph.values)
            layout_of = {index: vector.layout for index, vector in vectors_of if vector is not None and vector.layout}
        known = noted = layout_of
        if as_upstream and solution is not None:
            arguments = {value for function in posed.graph.functions for value in function.arguments}
            noted = {value: layout for value, layout in layout_of.items() if value not in arguments}
        program = build_program(posed.graph, dists, noted, posed.chip == "ascend950")
        if as_upstream and solution is None:
            known = _stated_layouts(posed)
        emission = _Emission(program, dialect, as_upstream, known)
        wrong = emission.not_vectors()
        if wrong:
            return Emitted([], wrong)
        if as_upstream:
            normalise(program, dialect)
            if dialect == MASTER:
                fuse_boolean_loads(program)
        return emission.emit()


def _stated_layouts(posed: Posed) -> dict[int, str]:
    """The layouts that a program states, none where these contradict each other."""
    graph = posed.graph
    dists, layouts = written_functiontypes(graph), written_layouts(graph)
    stated = stated_solution(graph, dists, layouts, posed.chip, Limits())
    return layouts if stated is None else {**stated.layouts, **layouts}


def _function_types(posed: Posed, solution: LayoutSolution) -> dict[int, str]:
    dists: dict[int, str] = {}
    for relation, row in enumerate(solution.rows):
        table = posed.problem.tables[posed.problem.relations[relation].table]
        dist = table.rows[row].attrs.get("functionType")
        if dist is not None:
            dists[posed.op_of_relation[relation]] = dist
    return dists


class _Emission:
    def __init__(self, program: Program, dialect: str, as_upstream: bool, layouts: Mapping[int, str]) -> None:
        self.program = program
        self.layouts = layouts
        self.original = {step.node: dict(step.attrs) for step in program.steps}
        self.as_upstream = as_upstream
        self.lowerings = LOWERINGS if as_upstream else SOUND
        self.others = _OTHER_LOWERED if as_upstream else OTHERS
        self.graph = program.graph
        self.stream = program.graph.module.stream
        self.source = program.graph.module.source
        self.writer = Writer(program, dialect)
        self.diagnostics: list[Diagnostic] = []

    def not_vectors(self) -> list[Diagnostic]:
        """A message for each operation with another type where intrinsics have a vector."""
        out = []
        for step in self.program.steps:
            spec = self.graph.ops[step.node].spec
            if not step.is_ave or step.gone:
                continue
            if spec is None:
                out.append(self.writer.diagnostic(step, "LS0601", f"`ave.hir.{step.name}` has no intrinsic", ()))
                continue
            kinds = {role.name: role.kind for role in (*spec.operands, *spec.results)}
            roles = [*zip(step.roles, step.operands, strict=True)]
            roles += [(role.name, value) for role, value in zip(spec.results, step.results, strict=False)]
            for role, value in roles:
                type_ = self.program.types[value]
                if kinds.get(role) in _VECTORS and not isinstance(type_, VectorType):
                    message = f"the {role} of `ave.hir.{step.name}` has the type `{type_.text}`, not a vector type"
                    out.append(self.writer.diagnostic(step, "LS0602", message, ()))
        return out

    def emit(self) -> Emitted:
        edits: list[Edit] = []
        erased: list[Span] = []
        for step in self.program.steps:
            span = self.graph.ops[step.node].op.span
            if erased and span.end <= erased[-1].end:
                continue
            lines = self.lines_of(step)
            if self.as_upstream and not self.diagnostics:
                self.warn_of_defects(step, lines)
            if self.gives_way(step) or step.gone:
                edit = self.replacement(span, lines)
                edits.append(edit)
                erased.append(edit.span)
        for step in self.program.steps:
            if not step.gone and not self.gives_way(step):
                edits.extend(self.renames(step))
        edits.extend(self.without_layouts(edits))
        return Emitted(edits, self.diagnostics + self.writer.diagnostics)

    def warn_of_defects(self, step: Step, lines: list[str]) -> None:
        """Say of an operation in which known ways the compiler's intrinsics for it are wrong."""
        node = self.graph.ops[step.node]
        if not lines and step.is_ave:
            return
        written = Written(self.graph, node, self.original[step.node], self.layouts, "\n".join(lines))
        for defect in defects_of(written, self.writer.dialect == RELEASE):
            self.writer.warn(
                step, "LS0606", f"the intrinsics of `{node.name}` do something else than it means: {defect.why}",
                f"`examples/upstream-findings/{defect.id}.mlir` shows it, with the bytes",
                "without `--compat upstream` it is lowered to what it means",
            )  # fmt: skip

    def gives_way(self, step: Step) -> bool:
        """Whether intrinsics stand for an operation."""
        if step.is_ave:
            return True
        types = [self.program.types[value] for value in step.results]
        return step.name in self.others and any(isinstance(type_, VectorType) for type_ in types)

    def check_wide(self, step: Step) -> None:
        """Report an operation of another dialect on vectors of 64-bit elements, which take two registers."""
        if self.as_upstream or step.gone or step.name in _CARRIES or step.name.startswith(_CARRYING):
            return
        values = [value for value in (*step.operands, *step.results) if value >= 0]
        types = [self.program.types[value] for value in values]
        if any(isinstance(type_, VectorType) and type_.bits == 64 for type_ in types):
            message = f"`{step.name}` has no intrinsic for 64-bit elements, which take two registers"
            self.diagnostics.append(self.writer.diagnostic(step, "LS0601", message, ()))

    def lines_of(self, step: Step) -> list[str]:
        """The lines that stand for an operation of the text and for what was put in around it."""
        lines: list[str] = []
        for inner in step.around():
            if not self.gives_way(inner):
                self.check_wide(inner)
                continue
            self.writer.begin()
            try:
                self.lowering(inner)(self.writer, inner)
            except NotLoweredError as error:
                self.diagnostics.append(self.writer.diagnostic(inner, error.code, str(error), error.notes))
            lines += self.writer.lines
        return lines

    def lowering(self, step: Step) -> Lowering:
        known = self.lowerings.get(step.name)
        if known is not None:
            return known
        note = tables.NEVER_LOWERED.get(step.name, "")
        raise NotLoweredError("LS0601", f"`ave.hir.{step.name}` has no intrinsic", *([note] if note else []))

    # -- text -------------------------------------------------------------------------------------------------

    def replacement(self, span: Span, lines: list[str]) -> Edit:
        """Put lines where an operation stood; its comments stay, and no empty line is left."""
        text = self.source.text
        comments = [line.strip() for line in COMMENT.findall(self.source.slice(span))]
        begin = text.rfind("\n", 0, span.start) + 1
        lead = text[begin : span.start]
        indent = lead if not lead.strip() else " " * len(lead)
        all_lines = [*comments, *lines]
        if all_lines:
            return Edit(span, f"\n{indent}".join(all_lines))
        end = text.find("\n", span.end)
        end = len(text) if end < 0 else end + 1
        if lead.strip() or text[span.end : end].strip():
            return Edit(span, "")
        return Edit(Span(begin, end), "")

    def renames(self, step: Step) -> list[Edit]:
        """Let an operation that stays use the values under their new names."""
        out = []
        for value, token in zip(step.operands, self.graph.ops[step.node].operand_tokens, strict=True):
            text = self.stream.texts[token]
            name = self.writer.names.get(value, text) if value >= 0 else text
            if name and name != text and f"{name}#0" != text and name != f"{text}#0":
                start = self.stream.starts[token]
                out.append(Edit(Span(start, start + len(text)), name))
        return out

    def without_layouts(self, edits: list[Edit]) -> list[Edit]:
        """Take the layouts out of the vector types of what stays."""
        texts, out = self.stream.texts, []
        spans = sorted((edit.span.start, edit.span.end) for edit in edits)
        place = 0
        for token, text in enumerate(texts):
            if text != "#ave.vector_layout" or texts[token - 1] != ",":
                continue
            end = self.stream.end(skip_bracket(texts, token + 1, len(texts) - 1) - 1)
            start = self.stream.end(token - 2)
            while place < len(spans) and spans[place][1] <= start:
                place += 1
            if place == len(spans) or spans[place][0] >= end:
                out.append(Edit(Span(start, end), ""))
        return out
