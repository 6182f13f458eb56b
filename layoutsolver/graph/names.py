"""What to say of names that stand for nothing: of operations, and of values."""

from __future__ import annotations

from collections.abc import Mapping

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label, Severity
from layoutsolver.graph.model import OpNode, Value
from layoutsolver.ops.dialects import Unknown
from layoutsolver.source import SourceFile


def unknown_name(source: SourceFile, node: OpNode, unknown: Unknown) -> Diagnostic:
    """The message about an operation whose name is none."""
    severity: Severity = "error" if unknown.is_error else "warning"
    message = f"there is no operation `{node.name}`"
    notes = (unknown.note,) if unknown.note else ()
    if not unknown.is_error:
        message = f"no operation `{node.name}` is known"
        notes = (*notes, "it is kept as it is, and taken for one that may do anything")
    return Diagnostic("LS0208", severity, message, Label(source, node.span), (), notes)


def with_definition(item: Diagnostic, source: SourceFile, name: str, values: Mapping[str, Value]) -> Diagnostic:
    """The message about an undefined name, with where a value of that name, or of a similar one, is defined after all.

    `values` are those of the program by name, the first one of several.
    """
    from difflib import get_close_matches

    known = values.get(name)
    near = [] if known is not None else get_close_matches(name, values, 1, 0.8)
    if known is not None:
        later = item.primary is not None and known.span.start > item.primary.span.start
        where = "after its use" if later else "but not visible outside of its region"
        label = Label(source, known.span, f"defined here, {where}")
    elif near:
        label = Label(source, values[near[0]].span, f"is `{near[0]}` meant?")
    else:
        return item
    return item._replace(secondary=(*item.secondary, label))
