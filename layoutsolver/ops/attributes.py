"""All attributes of an operation by name, whether its text is in the custom or in the generic form."""

from __future__ import annotations

from layoutsolver.graph.model import OpNode
from layoutsolver.ops.assembly import attribute_entries, skip_bracket

_INLINE_BOOL = {"sat": "bool", "low": "bool"}
_GENERIC_NAMES = {
    "vload": {"pattern": "dist"}, "masked_store": {"pattern": "dist"}, "vcmp": {"cmp": "predicate"},
    "vcmps": {"cmp": "predicate"}, "vci": {"increase_p": "order"}, "preg.cast": {"preg_cast_mode": "mode"},
    "vector_broadcast": _INLINE_BOOL, "vtrunci": _INLINE_BOOL, "vtruncf": _INLINE_BOOL, "vfptoui": _INLINE_BOOL,
    "vpack": {"part": "int"}, "vunpack": {"part": "int"},
}  # fmt: skip
"""What the generic form calls an inline attribute, and what the custom form's table calls it."""


def attributes(node: OpNode) -> dict[str, str]:
    """All attributes of an operation, enumerators by their bare names, unit attributes as `unit`.

    Those that the custom form prints inline are under the names of the operation tables: `dist`, `pattern`, `part`,
    `rnd`, `bool`, `int`, `kind` and so on. The generic form's properties are under the same names.
    """
    out = dict(node.enums)
    op, texts = node.op, node.op.stream.texts
    ranges = [] if node.attrs is None else [node.attrs]
    generic = _GENERIC_NAMES.get(node.name.removeprefix("ave.hir."), {})
    if op.is_generic:
        at = skip_bracket(texts, op.name_token + 1, op.last)
        if at + 1 < op.last and texts[at] == "<" and texts[at + 1] == "{":
            ranges.append((at + 1, skip_bracket(texts, at + 1, op.last)))
    elif node.name in ("ave.hir.vpack", "ave.hir.vunpack"):
        comma = next((at for at in range(op.name_token, op.last) if texts[at] == ","), -1)
        if comma >= 0:
            out["int"] = texts[comma + 1]
    for token_range in ranges:
        for name, (first, last) in attribute_entries(op, token_range).items():
            text = op.stream.range_text(first + 2, last) if last > first + 2 else "unit"
            out[generic.get(name, name) if op.is_generic else name] = _bare(text)
    return out


def _bare(text: str) -> str:
    text = text.strip()
    if text.startswith("#") and text.endswith(">"):
        inside = text[:-1].partition("<")[2].split()
        return inside[-1] if inside else text
    return text.partition(":")[0].strip() if text[:1].isdigit() else text
