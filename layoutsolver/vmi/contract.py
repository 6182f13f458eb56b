"""What an operation of VMI asks of its attributes, of the types of its memory, and of how its vectors fit together.

Source: section 1.3, and what the verifier says of each operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import ScalarType, Type
from layoutsolver.vmi.canonical import kind_of
from layoutsolver_models.rules.vmi.layouts import arity, layout_of, name_of

Types = Sequence[Type]
_DENSE = re.compile(r"^(?:dense|sparse)<(.*)>\s*:\s*(?:tensor|vector)<(\d+)x([^>]*)>$", re.DOTALL)
_ELEMENTWISE = frozenset({"vand", "vor", "vxor", "vnot"})
_WITHOUT_MERGE = frozenset({"vstore", "vsstb", "vmull"})
_CONVERSIONS = frozenset({"ensure_layout", "ensure_mask_layout", "ensure_mask_granularity"})


def contract_faults(graph: Graph, node: OpNode, name: str, attrs: dict[str, str]) -> Iterator[str]:
    """What is wrong with an operation, one sentence without a subject for each fault."""
    yield from _choices(node, attrs)
    if attrs.get("pmode") == "merge" and name in _WITHOUT_MERGE:
        yield "keeps nothing of what was there before: it takes `pmode` zero alone"
    operands = [graph.values[value].type for value in node.operands]
    results = [graph.values[value].type for value in node.results]
    by_role = dict(zip(node.roles, operands, strict=True))
    data = [known for known in chain(operands, results) if isinstance(known, VmiVectorType)]
    if name in ("constant", "constant_mask"):
        yield from _constant(attrs.get("value", ""), results)
    elif name in _ELEMENTWISE and any(kind_of(known.element.text) == "float" for known in data):
        yield "takes integers and masks alone"
    elif name in ("vinterpret_cast", "bitcast") and len({known.lanes * (known.bits or 0) for known in data}) > 1:
        yield "keeps all bits, and source and result have not as many"
    elif name in ("vbrc", "broadcast"):
        yield from _broadcast(operands, results)
    elif name == "shuffle":
        yield from _indices(node, attrs, operands, results)
    elif name == "vmull" and data:
        if data[0].lanes not in (64, 128, 256) or data[0].element.text not in ("i32", "ui32"):
            yield f"multiplies 64, 128 or 256 words without a sign, not {data[0].lanes} of {data[0].element.text}"
    elif name == "vselr" and len(data) == 3:
        yield from _selection(*data)
    elif name in ("channel_split", "channel_merge"):
        yield from _channels(operands if name == "channel_merge" else results, data, name)
    elif name in ("pack", "unpack"):
        yield from _registers(operands, results, name)
    elif name in ("vshls", "vshrs") and isinstance(scalar := by_role.get("scalar"), ScalarType):
        if scalar.text != "i16":
            yield f"shifts by a number of type i16, not {scalar.text}"
    elif name in ("vcadd", "group_reduce_addf", "reduce_addf") and data and "reassoc" not in attrs:
        if kind_of(data[0].element.text) == "float":
            yield "sums floats in any order, which must be said by `reassoc`"
    elif name == "active_prefix_index" and any(kind_of(known.element.text) != "i" for known in data):
        yield "counts in integers without a sign"
    elif name in _CONVERSIONS:
        yield from _stated(name, [one for one in chain(operands, results)
                                  if isinstance(one, VmiVectorType | VmiMaskType)])  # fmt: skip


def _stated(name: str, ends: Sequence[VmiVectorType | VmiMaskType]) -> Iterator[str]:
    """What the types at both ends of a conversion must say."""
    if name == "ensure_mask_granularity" and any(one.bits is None for one in ends):
        yield "is between masks whose types say what width they govern"
    elif name == "ensure_mask_granularity" and len({one.layout is None for one in ends}) > 1:
        yield "is between masks whose types both say how they lie, or neither"
    elif name != "ensure_mask_granularity" and any(one.layout is None for one in ends):
        yield "is between types that both state a layout"


def type_fault(known: Type) -> str:
    """What is wrong with the type of a value, empty if nothing is."""
    if isinstance(known, VmiVectorType) and (known.bits or 0) not in (8, 16, 32):
        return f"has elements of type {known.element.text}, and vectors have those of 8, 16 or 32 bits"
    if isinstance(known, VmiVectorType | VmiMaskType) and known.lanes <= 0:
        return f"has {known.lanes} elements"
    if isinstance(known, VmiMaskType) and known.bits is None and known.layout is not None:
        return "has a layout, and leaves open what width the mask governs"
    if known.text.startswith("!pto.vmi.") and not isinstance(known, VmiVectorType | VmiMaskType):
        return f"has the type {known.text}, which is none of a vector or mask"
    return ""


def _choices(node: OpNode, attrs: dict[str, str]) -> Iterator[str]:
    """Attributes that must be there, or be one of a few words."""
    assert node.spec is not None
    for row in node.spec.attributes:
        if row.required and row.name not in attrs:
            yield f"needs `{row.name}`"
        if row.values and row.name in attrs and attrs[row.name] not in row.values:
            yield f"has `{row.name}` {attrs[row.name]}, which must be one of {', '.join(row.values)}"


def _indices(node: OpNode, attrs: dict[str, str], operands: Types, results: Types) -> Iterator[str]:
    """One index for each element of a shuffle's result, of an element that the source has."""
    text = attrs.get("indices") or node.op.stream.range_text(node.op.name_token + 1, node.op.last)
    text = text.removeprefix("array<i64") if "indices" in attrs else text.partition("[[")[2].partition("]]")[0]
    indices = [int(part) for part in re.findall(r"-?\d+", text)]
    source, result = operands[0], results[0]
    if isinstance(result, VmiVectorType) and len(indices) != result.lanes:
        yield f"has {len(indices)} indices for {result.lanes} elements"
    if isinstance(source, VmiVectorType) and any(not 0 <= index < source.lanes for index in indices):
        yield f"takes an element that its source of {source.lanes} does not have"


def _constant(text: str, results: Types) -> Iterator[str]:
    found = _DENSE.match(text.strip())
    result = results[0] if results else None
    if found is None:
        yield "has a dense attribute with its type as its value"
        return
    lanes, element = int(found[2]), found[3].strip()
    if isinstance(result, VmiVectorType | VmiMaskType) and lanes != result.lanes:
        yield f"has a value of {lanes} elements for {result.lanes}"
    wanted = (
        "i1" if isinstance(result, VmiMaskType) else result.element.text if isinstance(result, VmiVectorType) else ""
    )
    if wanted and element.lstrip("su") != wanted.lstrip("su"):
        yield f"has a value of {element}, and its elements are {wanted}"
    if isinstance(result, VmiVectorType) and len(set(re.findall(r"[^\s,\[\]]+", found[1]))) > 1:
        yield "VMI-UNSUPPORTED: has elements that differ, and registers are filled with one number"


def _broadcast(operands: Types, results: Types) -> Iterator[str]:
    source, result = operands[0], results[0]
    element = source.element if isinstance(source, VmiVectorType) else source
    if not isinstance(result, VmiVectorType) or not isinstance(element, ScalarType):
        return
    if element.text.lstrip("su") != result.element.text.lstrip("su"):
        yield f"fills elements of type {result.element.text} with {element.text}"


def _channels(channels: Types, data: list[VmiVectorType], name: str) -> Iterator[str]:
    whole = data[0] if name == "channel_split" else data[-1]
    parts = [known for known in channels if isinstance(known, VmiVectorType)]
    if len(parts) < 2:
        yield f"has {len(parts)} channels, and there are at least two"
    elif len({(part.lanes, part.element.text) for part in parts}) > 1:
        yield "has channels of different types"
    elif sum(part.lanes for part in parts) != whole.lanes or parts[0].element.text != whole.element.text:
        shown = f"{parts[0].lanes} {parts[0].element.text}"
        yield f"has {len(parts)} channels of {shown} for {whole.lanes} {whole.element.text}"
    elif len(parts) not in (2, 4):
        yield f"VMI-UNSUPPORTED: has {len(parts)} channels, and instructions take 2 or 4 apart"


def _selection(source: VmiVectorType, index: VmiVectorType, result: VmiVectorType) -> Iterator[str]:
    if source.element.text != result.element.text:
        yield f"selects elements of {source.element.text} as {result.element.text}"
    if index.lanes != result.lanes:
        yield f"has {index.lanes} indices for {result.lanes} elements"
    if index.bits != source.bits:
        yield "selects by indices as wide as its elements"


def _registers(operands: Types, results: Types, name: str) -> Iterator[str]:
    whole, parts = (operands[0], len(results)) if name == "unpack" else (results[0], len(operands))
    if not isinstance(whole, VmiVectorType | VmiMaskType):
        return
    short = name_of(whole.layout) if whole.layout is not None else "c"
    width = whole.bits or 0
    if short is None or not width:
        return
    try:
        count = arity(layout_of(short, whole.lanes), width, whole.lanes)
    except ValueError:
        return
    if count != parts:
        yield f"has {parts} registers, and the vector takes {count}"
