"""Problems and solutions as HTML, for notebooks: their fields as a table, long lists cut with their length told."""

from __future__ import annotations

from html import escape
from typing import Any

from layoutsolver_models.problems.layout import Where

SHOWN = 20
"""So many entries of a list are shown."""


def record_html(record: Any, depth: int = 0) -> str:
    """A record as a table of its fields; lists of records become tables with a row for each.

    >>> from layoutsolver_models.problems.layout import Where
    >>> record_html(Where(1, 2, 3, 4)).count("<tr>")
    4
    """
    fields = [(escape(name), _value(value, depth + 1)) for name, value in record._asdict().items()]
    rows = "".join(f"<tr><th>{name}</th><td style='text-align:left'>{value}</td></tr>" for name, value in fields)
    return f"<table>{rows}</table>"


def _value(value: Any, depth: int) -> str:
    if isinstance(value, Where) and depth > 1:
        return f"{value.line}:{value.column}"
    if isinstance(value, dict):
        return escape(", ".join(f"{name} = {one}" for name, one in value.items()))
    if hasattr(value, "_asdict"):
        return record_html(value, depth) if depth < 2 else escape(str(tuple(value)))
    if isinstance(value, tuple | list) and value and hasattr(value[0], "_asdict"):
        return _table(value)
    if isinstance(value, tuple | list):
        more = f", … ({len(value)} in all)" if len(value) > SHOWN else ""
        return escape(", ".join(map(str, value[:SHOWN])) + more)
    return escape(str(value))


def _table(records: Any) -> str:
    """Records of one kind side by side, and how many there are if not all are shown."""
    head = "".join(f"<th>{escape(name)}</th>" for name in records[0]._fields)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_value(value, 2)}</td>" for value in one) + "</tr>" for one in records[:SHOWN]
    )
    more = f"<p>{len(records)} in all</p>" if len(records) > SHOWN else ""
    return f"<table><tr>{head}</tr>{rows}</table>{more}"
