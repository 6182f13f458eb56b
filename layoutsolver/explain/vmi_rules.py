"""What a rule of VMI says: the layouts of its operands, where it applies, and the instructions that it takes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from layoutsolver.explain.layout_words import WORDS
from layoutsolver.explain.rules import markdown, operations, paragraph
from layoutsolver_models.rules.vmi.row import Lowering, VmiRule
from layoutsolver_models.rules.vmi.table import VMI_RULES

FACTS: dict[str, str] = {
    "N": "elements of the vector", "W": "bits of an element", "W_to": "bits of an element of the result",
    "W_idx": "bits of an index by which elements are reached, 0 without", "lp": "elements that a register holds",
    "B": "elements of a block of 32 bytes", "R": "registers that the vector takes side by side",
    "G": "groups", "S": "elements of a group", "A": "registers of an operand or result in its layout here",
    "op": "the operation", "element": "the element type of the source", "to": "that of the result",
    "stride": "elements from a group to the next, where constant",
    "align": "what the address is a multiple of, in bytes",
    "masked": "whether there is a mask", "misaligned": "whether the address may be no multiple of a block",
    "pointer": "whether memory is given as a pointer", "saturate": "the attribute", "order": "the attribute",
    "reach": "bytes that are accessed", "picks": "selections by index", "merges": "what joins their results",
    "indexing": "what makes indices", "made": "what makes indices, by name",
    "pairs": "what takes even and odd elements apart", "sums": "what joins them",
    "blocks": "1 where groups do not fill blocks", "reduces": "reductions of registers",
    "partial": "groups' parts of registers", "ranges": "runs of lanes behind the first one",
    "dynamic": "whether the mask is made of a number that is not constant",
    "zero_gap": "whether what lies between the elements is zero", "stated": "the layout that the type states",
    "same_masks": "whether all registers of the mask are alike", "full": "whether all bits of the mask are set",
    "prefixes": "what the mask's registers take",
    "joins": "what puts parts together", "ramps": "what the mask's registers take",
}  # fmt: skip
"""What the facts in conditions and counts are."""

LIMITS = {
    "fails": "takes this rule and then has no instructions for it",
    "wrong": "takes this rule and writes something else than it means",
    "rejected": "takes this rule, and its own checks refuse what it writes",
}

SOURCE = "PTOAS, lib/PTO/Transforms/VMILayoutSupport.cpp, and the compiler's answers"


def vmi_page(name: str) -> str | None:
    """The page of a rule of VMI, or of all whose ids begin with a name; None if there is none."""
    rule = next((rule for rule in VMI_RULES if rule.id == name), None)
    if rule is not None:
        return _rule(rule)
    table = [rule for rule in VMI_RULES if rule.id.startswith(f"{name}.")]
    if not table:
        return None
    what = paragraph(
        f"The table for {operations(name, 'vmi')}: each row is a combination of layouts that one can run in."
    )
    return f"# {name}: a table of layout rules\n\n{what}\n\n{_NAMING}\n\n{_rows(table)}\n\nSource: {SOURCE}\n"


_NAMING = paragraph(
    "The name of a rule: its table, then widths in bits or a case where these matter, then the layouts of its operands "
    "and results that tell it from others."
)


def _rule(rule: VmiRule) -> str:
    lies = [[f"`{role}`", f"`{layout}`", WORDS.get(layout, "")] for role, layout in rule.layouts.items()]
    parts = [
        f"# {rule.id}: a layout rule",
        paragraph(f"A row of the table for {operations(rule.id, 'vmi')}. Operands and results lie in"),
        markdown(["", "layout", "what that means"], lies),
    ]
    if rule.when:
        parts.append(f"where `{rule.when}`.")
    if rule.lowerings:
        cells = [[_steps(way), _pipes(way), _by(way), f"`{way.when}`" if way.when else ""] for way in rule.lowerings]
        parts.append(markdown(["instructions", "pipes", "written by", "where"], cells))
    parts += [
        f"The released compiler {LIMITS[limit.kind]}{f' where `{limit.when}`' if limit.when else ''}."
        for limit in rule.limits
    ]
    texts = (rule.when, *(text for way in rule.lowerings for text in (way.when, *(step.times for step in way.steps))))
    used = {
        word for text in (*texts, *(limit.when for limit in rule.limits)) for word in re.findall(r"[A-Za-z_]+", text)
    }
    known = [f"- `{fact}`: {words}" for fact, words in FACTS.items() if fact in used]
    if known:
        parts.append("\n".join(known))
    parts += [_NAMING, f"Source: {_source(rule)}"]
    return "\n\n".join(parts) + "\n"


def _steps(way: Lowering) -> str:
    said = [f"`{step.instruction}` x {step.times}{' before the loop' if step.setup else ''}" for step in way.steps]
    return "; ".join(said) or "none"


def _pipes(way: Lowering) -> str:
    return ", ".join(dict.fromkeys(step.pipe for step in way.steps if step.pipe != "free"))


def _by(way: Lowering) -> str:
    return "both" if way.by == "upstream" else "this tool"


def _source(rule: VmiRule) -> str:
    theirs = any(way.by == "upstream" for way in rule.lowerings) or (not rule.lowerings and rule.listed != "0")
    return (
        SOURCE if theirs else "the instruction formulas of the hardware model; the released compiler has no such rule"
    )


def _rows(table: Sequence[VmiRule]) -> str:
    roles = list(dict.fromkeys(role for rule in table for role in rule.layouts))
    cells = [[f"`{rule.id}`", *(rule.layouts.get(role, "") for role in roles), rule.when] for rule in table]
    return markdown(["rule", *(f"`{role}`" for role in roles), "where"], cells)
