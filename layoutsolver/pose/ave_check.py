"""Whether the operands and results of an `ave.hir` operation are of the kinds that it takes."""

from __future__ import annotations

from functools import lru_cache

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label, Severity
from layoutsolver.graph.build import same_type
from layoutsolver.graph.model import Graph, OpNode, Value
from layoutsolver.mlir.types import MemRefType, OtherType, ScalarType, VectorType, parse_type
from layoutsolver.ops.attributes import attributes
from layoutsolver.ops.ave_attributes import PREFIX, nodes_of, space_out_of_reach, wrong_address_space, wrong_attributes
from layoutsolver.ops.ave_verifier import CONVERSIONS, Refusal, refusals
from layoutsolver.ops.registry import all_specs
from layoutsolver.ops.spec import Kind
from layoutsolver.source import Span

ELEMENT_WIDTHS = frozenset({1, 8, 16, 32, 64})
"""Element widths in bits that `ave.hir` operations take."""

ELEMENT_TYPES = "the hardware does not have: there are i1, i8, i16, i32, i64, fp8, f16, bf16 and f32"
"""How messages end that name a foreign element type."""

VECTOR_BITS = 2048
"""Bits of a vector; 64-bit elements may take two registers."""

Fault = tuple[str, str]
"""A code, and the end of a sentence about a value."""


def check_op(graph: Graph, node: OpNode, compat: bool = False) -> list[Diagnostic]:
    """What is wrong with the types of an operation's values; empty if nothing is.

    With `compat`, what the released analyzer does not look at is a warning.
    """
    values = graph.values
    operands = tuple([values[value].type.text if value >= 0 else "" for value in node.operands])
    results = tuple([values[value].type.text for value in node.results])
    roles = tuple(node.roles)
    faults = _faults(node.name, roles, operands, results)
    unseen = frozenset({"LS0310"} if compat else ())
    found = _attribute_faults(graph, node) + _index_faults(graph, node)
    if all(fault[0] in unseen for _, fault in faults) and all(item.severity != "error" for item in found):
        names = tuple(attributes(node)) if node.name.removeprefix(PREFIX) in CONVERSIONS else ()
        label = Label(graph.module.source, node.span)
        refused = _refusals(node.name, roles, operands, results, names)
        found += [Diagnostic("LS0209", "error", one.message, label, notes=(one.note,)) for one in refused]
    for place, fault in faults:
        if place < len(operands):
            span = node.op.token_span(node.operand_tokens[place])
            value, label = values[node.operands[place]], Label(graph.module.source, span)
        else:
            value = values[node.results[place - len(operands)]]
            label = Label(graph.module.source, value.span)
        found.append(_report(graph, node, value, fault, label, is_error=fault[0] not in unseen))
    return found


def attribute_faults(graph: Graph) -> list[Diagnostic]:
    """What is wrong with the attributes of all operations of a program."""
    return [found for node in nodes_of(graph) for found in _attribute_faults(graph, node)]


def operation_faults(graph: Graph, compat: bool = False) -> list[Diagnostic]:
    """What is wrong with all operations of a program whose text follows their forms: types, indices, attributes."""
    return [
        found
        for node in nodes_of(graph)
        for found in (
            check_op(graph, node, compat) if node.types and -1 not in node.operands else _attribute_faults(graph, node)
        )
    ]


def _attribute_faults(graph: Graph, node: OpNode) -> list[Diagnostic]:
    """Attributes that an operation does not have, and values that do not exist, with the nearest that do."""
    source = graph.module.source
    return [
        Diagnostic(
            one.code, "error" if one.is_error else "warning", one.message, Label(source, _place(node, one.word)),
            notes=(one.note,),
        )
        for one in wrong_attributes(node)
    ]  # fmt: skip


def _place(node: OpNode, word: str) -> Span:
    """Where the text of an operation has a word; its name where it does not stand by itself."""
    texts = node.op.stream.texts
    at = next((token for token in node.op.body_tokens() if texts[token].strip('"') == word), None)
    return node.span if at is None else node.op.token_span(at)


@lru_cache(maxsize=4096)
def _refusals(
    name: str, roles: tuple[str, ...], operands: tuple[str, ...], results: tuple[str, ...], attrs: tuple[str, ...]
) -> tuple[Refusal, ...]:
    """What the dialect's verifier refuses of an operation of known types that has attributes of these names."""
    spec, mnemonic = all_specs()[name], name.removeprefix(PREFIX)
    made = zip((role.name for role in spec.results), results, strict=False)
    types = {role: parse_type(text) for role, text in (*zip(roles, operands, strict=True), *made) if text}
    elements = {
        role: type_.element.text if isinstance(type_, VectorType) else type_.text
        for role, type_ in types.items()
        if isinstance(type_, VectorType | ScalarType)
    }
    found = list(refusals(mnemonic, elements, attrs))
    same = ("vector", "result") if mnemonic == "reduction" else spec.same_type
    alike = [types[role] for role in same if role in types]
    others = [type_ for type_ in alike if not same_type(type_, alike[0])]
    if others and not found:
        found.append(Refusal(f"`{name}` makes vectors of the type that it takes",
                             f"`{alike[0].text}` is not `{others[0].text}`"))  # fmt: skip
    return tuple(found)


def _index_faults(graph: Graph, node: OpNode) -> list[Diagnostic]:
    """A number of indices that is not the rank of the memref; the dialect checks it for loads alone."""
    if node.name != "ave.hir.vload":
        return []
    base = node.role("base")
    memref = graph.values[base].type if base is not None and base >= 0 else None
    if not isinstance(memref, MemRefType):
        return []
    count, rank = node.roles.count("indices"), len(memref.shape)
    if count == rank:
        return []
    label = Label(graph.module.source, node.span)
    has = f"{count} {'index' if count == 1 else 'indices'}"
    message = f"`{node.name}`: `{graph.values[base or 0].name}` has {rank} dimension{'s' * (rank != 1)}, {has} given"
    return [Diagnostic("LS0205", "error", message, label)]


def _report(graph: Graph, node: OpNode, value: Value, fault: Fault, label: Label, is_error: bool) -> Diagnostic:
    code, text = fault
    severity: Severity = "error" if is_error else "warning"
    secondary = (Label(graph.module.source, node.span, "in this operation"),) if label.span != node.span else ()
    return Diagnostic(code, severity, f"`{node.name}`: `{value.name or 'result'}` {text}", label, secondary)


@lru_cache(maxsize=4096)
def _faults(
    name: str, roles: tuple[str, ...], operands: tuple[str, ...], results: tuple[str, ...]
) -> tuple[tuple[int, Fault], ...]:
    """Faults by place: operands first, then results."""
    spec = all_specs()[name]
    kinds = {role.name: role.kind for role in (*spec.operands, *spec.results)}
    pairs = [(kinds.get(role, Kind.ANY), text) for role, text in zip(roles, operands, strict=True)]
    pairs += [(role.kind, text) for role, text in zip(spec.results, results, strict=False)]
    found = [(place, _fault(text, kind)) for place, (kind, text) in enumerate(pairs)]
    return tuple((place, fault) for place, fault in found if fault is not None)


def _fault(text: str, kind: Kind) -> Fault | None:
    """What is wrong with a value of this type in a role of this kind; None if nothing, or if nothing is known."""
    type_ = parse_type(text)
    if kind is Kind.ANY or (isinstance(type_, OtherType) and not text):
        return None
    if kind in (Kind.VECTOR, Kind.MASK, Kind.INDEX_VECTOR):
        if not isinstance(type_, VectorType):
            wanted = "a vector of a fixed number of elements" if text.startswith("vector") else "a vector"
            return "LS0203", f"has type `{text}`, expected {wanted}"
        return _vector_fault(type_, kind)
    if kind is Kind.MEMREF:
        if not isinstance(type_, MemRefType) or text.startswith("memref<*"):
            return "LS0203", f"has type `{text}`, expected a memref{' of known rank' * text.startswith('memref<')}"
        wrong = wrong_address_space(text)
        if wrong:
            return "LS0206", wrong
        space = space_out_of_reach(type_)
        return ("LS0310", f"lies in `{space}`, and vector operations reach `ub` alone") if space else None
    if kind is Kind.INDEX and text != "index":
        return "LS0203", f"has type `{text}`, expected `index`"
    if kind is Kind.SCALAR and not isinstance(type_, ScalarType):
        return "LS0203", f"has type `{text}`, expected a scalar"
    return None


def _vector_fault(vector: VectorType, kind: Kind) -> Fault | None:
    if len(vector.shape) > 1:
        return "LS0305", f"has type `{vector.text}`: an `ave.hir` vector has one dimension at most"
    if kind is Kind.INDEX_VECTOR:
        if vector.element.text == "index":
            return None
        if vector.element.text[:1] in "fb":
            return "LS0203", f"has type `{vector.text}`, expected a vector of integers"
    bits = vector.bits
    if bits is None or bits not in ELEMENT_WIDTHS or vector.element.text == "f64":
        return (
            "LS0306",
            f"has elements of type `{vector.element.text}`, which {ELEMENT_TYPES}",
        )
    if kind is Kind.MASK and bits != 1:
        return "LS0203", f"has type `{vector.text}`, expected a vector of i1"
    if vector.lanes * bits > VECTOR_BITS * (2 if bits == 64 else 1):
        room = VECTOR_BITS // bits
        return "LS0304", f"has {vector.lanes} elements of {bits} bit{'s' * (bits != 1)}; a register holds {room}"
    return None
