"""What the verifier of VMI refuses in an operation, whatever layouts are chosen: shapes, types, attributes, memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.ops.attributes import attributes
from layoutsolver.ops.spec import Kind
from layoutsolver.vmi.agreement import width_faults
from layoutsolver.vmi.canonical import PREFIX, kind_of
from layoutsolver.vmi.contract import contract_faults, type_fault
from layoutsolver.vmi.layout_attributes import layout_faults
from layoutsolver.vmi.memory_contract import memory_faults
from layoutsolver.vmi.program import VmiProgram
from layoutsolver_models.rules.vmi.types import converts, elements_of, must_saturate, takes

_CASTS = frozenset({"vcvt", "truncf", "trunci", "fptosi", "fptoui", "extf", "extsi", "extui", "sitofp"})

_SIGNS = {"extsi": {"si"}, "extui": {"ui", "i"}}
"""The kinds of integers that an extension takes and makes."""

_ROUNDED = {"fptosi": {"si"}, "fptoui": {"ui", "i"}}
"""The kinds of integers that are made of floats."""

UNSUPPORTED, CONTRACT, INVARIANT = "VMI-UNSUPPORTED", "VMI-LAYOUT-CONTRACT", "VMI-PASS-INVARIANT"
"""What a message begins with that is none of the verifier's: nobody lowers it, layouts do not fit, it is no program."""

_OPAQUE: dict[str, str] = {
    "func.call_indirect": f"{CONTRACT}: `func.call_indirect` says nothing of the layouts of its vectors",
    "builtin.unrealized_conversion_cast":
        f"{INVARIANT}: `builtin.unrealized_conversion_cast` says nothing of what it does with vectors",
}  # fmt: skip
"""Operations behind which nobody knows what becomes of vectors, and what is said of them."""

_KIND = re.compile(r"^(VMI-[A-Z-]+): ")


def kind_of_message(message: str) -> str:
    """What a message begins with, `VERIFIER` where it is one of the verifier's.

    >>> kind_of_message("VMI-UNSUPPORTED: no layout serves `load` here"), kind_of_message("`pto.vmi.load` has ...")
    ('VMI-UNSUPPORTED', 'VERIFIER')
    """
    found = _KIND.match(message)
    return found[1] if found else "VERIFIER"


def check_types(graph: Graph) -> list[Diagnostic]:
    """One message for every operation of VMI that is refused, about the first thing that is wrong with it.

    A message that does not begin with a kind is one of the verifier's.
    """
    found: list[Diagnostic] = []
    source = graph.module.source
    for node in graph.ops:
        if node.name.startswith(PREFIX) and node.spec is not None:
            reasons = list(_faults(graph, node))
            reason = next((one for one in reasons if _KIND.match(one) is None), next(iter(reasons), None))
            if reason is not None:
                kind = _KIND.match(reason)
                lead = "" if kind is None else kind[0]
                message = f"{lead}`{node.name}` {reason.removeprefix(lead)}"
                found.append(Diagnostic("LS0801", "error", message, Label(source, node.span)))
    for node in graph.ops:
        if node.name in _OPAQUE and any(
            isinstance(graph.values[value].type, VmiVectorType | VmiMaskType)
            for value in (*node.operands, *node.results)
        ):
            found.append(Diagnostic("LS0801", "error", _OPAQUE[node.name], Label(source, node.span)))
    faults, wrong = layout_faults(graph)
    found += faults
    for value in graph.values:
        reason = type_fault(value.type)
        if reason and value.index not in wrong:
            found.append(Diagnostic("LS0801", "error", f"`{value.name}` {reason}", Label(source, value.span)))
    for function in graph.functions:
        node = graph.ops[function.op]
        if not function.has_body and "!pto.vmi." in source.text[node.op.span.start : node.op.span.end]:
            message = f"{CONTRACT}: a function without a body says nothing of the layouts of its vectors"
            found.append(Diagnostic("LS0801", "error", message, Label(source, node.span)))
    return found


def replaced_faults(program: VmiProgram) -> list[Diagnostic]:
    """A message for each operation whose replacement does not take its elements.

    The program must have operations as their rows say: `layoutsolver.vmi.canonical`.
    """
    found: dict[int, Diagnostic] = {}
    for op in program.ops:
        node = program.graph.ops[op.origin]
        for role, value in op.vectors().items():
            if not op.row or value.is_mask or takes(op.op, value.element) or op.origin in found:
                continue
            message = (
                f"`{node.name}` stands for `{op.op}`, which takes as its {role.replace('_', ' ')} no elements "
                f"of type {value.element}, only {', '.join(elements_of(op.op))}"
            )
            label = Label(program.graph.module.source, node.span)
            found[op.origin] = Diagnostic("LS0801", "error", message, label)
    return list(found.values())


def _faults(graph: Graph, node: OpNode) -> Iterator[str]:
    name = node.name.removeprefix(PREFIX)
    attrs = {key: text.strip('"') for key, text in attributes(node).items()}
    yield from _kinds(graph, node)
    yield from memory_faults(graph, node, name, attrs)
    vectors = _vectors(graph, node)
    yield from _shapes(graph, node)
    if name in ("vand", "vor", "vxor", "vnot") and not any(isinstance(known, VmiVectorType) for _, known in vectors):
        yield from _mask_logic(node, attrs)
        return
    for role, known in vectors:
        if isinstance(known, VmiVectorType) and not takes(name, known.element.text) and role != "result":
            yield f"takes no elements of type {known.element.text}, only {', '.join(elements_of(name))}"
    if name in _CASTS:
        yield from _cast(graph, node, name, attrs)
    yield from _groups(vectors, name, attrs)
    yield from width_faults(graph, node)
    yield from contract_faults(graph, node, name, attrs)


def _vectors(graph: Graph, node: OpNode) -> list[tuple[str, VmiVectorType | VmiMaskType]]:
    """The vectors and masks of an operation by role, operands first."""
    out: list[tuple[str, VmiVectorType | VmiMaskType]] = []
    for role, value in zip(node.roles, node.operands, strict=True):
        known = graph.values[value].type
        if isinstance(known, VmiVectorType | VmiMaskType):
            out.append((role, known))
    for value in node.results:
        known = graph.values[value].type
        if isinstance(known, VmiVectorType | VmiMaskType):
            out.append(("result", known))
    return out


def _kinds(graph: Graph, node: OpNode) -> Iterator[str]:
    assert node.spec is not None
    kinds = {role.name: role.kind for role in node.spec.operands}
    for role, value in zip(node.roles, node.operands, strict=True):
        known = graph.values[value].type
        if node.name == f"{PREFIX}create_mask" and isinstance(known, VmiVectorType | VmiMaskType):
            yield "counts its active lanes by an index"
        if kinds.get(role) in (Kind.INDEX, Kind.MASK, Kind.POINTER) and isinstance(known, VmiVectorType):
            yield f"takes no vector as its {role.replace('_', ' ')}"
    for made, value in zip(node.spec.results, node.results, strict=False):
        known = graph.values[value].type
        if made.kind in (Kind.VECTOR, Kind.MASK) and not known.text.startswith("!pto.vmi."):
            yield f"makes a {made.kind.value}, and its {made.name.replace('_', ' ')} has the type {known.text}"


def _shapes(graph: Graph, node: OpNode) -> Iterator[str]:
    """Roles that share a type, and masks with as many bits as there are elements."""
    assert node.spec is not None
    same = set(node.spec.same_type)
    histogram = node.name.endswith("hist")
    named = [(role, graph.values[value].type) for role, value in zip(node.roles, node.operands, strict=True)]
    places = [role.name for role in node.spec.results]
    named += [
        (places[min(place, len(places) - 1)], graph.values[value].type) for place, value in enumerate(node.results)
    ]
    first: VmiVectorType | None = None
    for role, known in named:
        if role not in same or not isinstance(known, VmiVectorType):
            continue
        if first is None:
            first = known
        elif known.lanes != first.lanes:
            yield f"has operands and results of {first.lanes} and {known.lanes} elements"
        elif known.element.text.lstrip("u") != first.element.text.lstrip("u") or not (
            histogram or known.element.text == first.element.text
        ):
            yield f"has operands and results of {first.element.text} and {known.element.text}"
    if first is None and not any(isinstance(known, VmiVectorType) for _, known in named):
        masks = [known for _, known in named if isinstance(known, VmiMaskType)]
        yield from _masks(masks, node.name != f"{PREFIX}ensure_mask_granularity")
    governed = [
        known for role, known in named if isinstance(known, VmiVectorType) and (role == "source" or not histogram)
    ]
    data = next(iter(governed), None)
    for role, known in named:
        masked = role in ("mask", "seed", "carry", "carry_in") and isinstance(known, VmiMaskType)
        if masked and data is not None and isinstance(known, VmiMaskType) and known.lanes != data.lanes:
            yield f"has a mask of {known.lanes} bits for {data.lanes} elements"


def _mask_logic(node: OpNode, attrs: dict[str, str]) -> Iterator[str]:
    """Logic on masks, which computes every bit."""
    if "mask" in node.roles:
        yield "combines masks, and no mask beside them says where"
    if "pmode" in attrs:
        yield "combines masks, and takes no `pmode`"


def _masks(masks: list[VmiMaskType], one_width: bool) -> Iterator[str]:
    """Masks alone: all are of as many bits, and with `one_width` govern elements of one width where they say which."""
    lanes = dict.fromkeys(known.lanes for known in masks)
    widths = dict.fromkeys(known.bits for known in masks if known.bits is not None)
    if len(lanes) > 1:
        yield f"has masks of {' and '.join(map(str, lanes))} bits"
    if one_width and len(widths) > 1:
        yield f"has masks for elements of {' and '.join(map(str, widths))} bits"


def _cast(graph: Graph, node: OpNode, name: str, attrs: dict[str, str]) -> Iterator[str]:
    source, result = graph.values[node.operands[0]].type, graph.values[node.results[0]].type
    if not isinstance(source, VmiVectorType) or not isinstance(result, VmiVectorType):
        return
    before, after = source.element.text, result.element.text
    if source.lanes != result.lanes:
        yield f"makes {result.lanes} elements of {source.lanes}"
    if converts(before, source.bits, after, result.bits) is False:
        yield f"makes no {after} of {before}: between these floats there is no conversion"
    if name in _SIGNS and not {kind_of(before), kind_of(after)} <= _SIGNS[name]:
        yield f"widens {' and '.join(sorted(_SIGNS[name]))} alone, not {before} to {after}"
    if name in _ROUNDED and kind_of(after) not in _ROUNDED[name]:
        yield f"makes {' and '.join(sorted(_ROUNDED[name]))} alone of floats, not {after}"
    if kind_of(before) != "float" and kind_of(after) == "float":
        if kind_of(before) != "si":
            yield f"makes floats of signed integers alone, and {before} says no sign; spell it with `si`"
        if source.bits != 32:
            yield f"makes floats of 32-bit integers alone, not of {before}"
    needed = must_saturate(before, source.bits, after, result.bits)
    if needed and "saturate" not in attrs:
        yield f'needs {{saturate = "SAT"}} or {{saturate = "NOSAT"}} from {before} to {after}'
    if (name, before, after, attrs.get("saturate")) == ("vcvt", "si32", "si8", "SAT"):
        yield "cannot saturate from si32 to si8"
    letters = _letters(before, after, result.bits < source.bits)
    if name == "vcvt" and "rounding" in attrs and attrs["rounding"] not in letters:
        shown = f"by one of {' '.join(letters)}" if letters else "nothing"
        yield f"rounds {shown} from {before} to {after}"
    if needed is None and "saturate" in attrs and name == "vcvt":
        yield f"takes no `saturate` from {before} to {after}"


def _letters(before: str, after: str, narrows: bool) -> str:
    """How a cast may round."""
    if kind_of(before) != "float" or not (narrows or kind_of(after) != "float" or (before, after) == ("bf16", "f16")):
        return ""
    return "RAFCZ" if kind_of(after) != "float" or before == "!pto.bf16x2" else "RAHZ"


def _groups(vectors: list[tuple[str, VmiVectorType | VmiMaskType]], name: str, attrs: dict[str, str]) -> Iterator[str]:
    text = attrs.get("num_groups", attrs.get("group", ""))
    if not text.lstrip("-").isdigit() or not vectors:
        return
    groups = int(text)
    lanes = max(known.lanes for _, known in vectors)
    if groups < 0 or (groups == 0 and "num_groups" in attrs) or (groups > 0 and lanes % groups):
        yield f"has {groups} groups, which do not divide {lanes} elements"
