"""Edits of a text: replacements at spans, applied together."""

from __future__ import annotations

from collections.abc import Iterable

from layoutsolver.diagnostics.diagnostic import Edit


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits applied; insertions at one place come in the order given.

    Raises `ValueError` where two edits overlap.

    >>> from layoutsolver.source import Span
    >>> apply_edits("abc", [Edit(Span(1, 2), "X"), Edit(Span(3, 3), "!")])
    'aXc!'
    """
    out: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < at:
            raise ValueError(f"edits overlap at offset {edit.span.start}")
        out.append(text[at : edit.span.start])
        out.append(edit.new_text)
        at = edit.span.end
    out.append(text[at:])
    return "".join(out)
