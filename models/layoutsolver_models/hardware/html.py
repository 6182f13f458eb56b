"""Registers and machines as HTML, for notebooks: 32 bytes a row, what is not determined struck out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

ROW = 32


def register_html(cells: Sequence[str], poison: Sequence[bool]) -> str:
    """A register of 256 positions as a table.

    >>> register_html(["ff"] * 256, [False] * 255 + [True]).count("<s>")
    1
    """
    rows = []
    for start in range(0, len(cells), ROW):
        shown = zip(cells[start : start + ROW], poison[start : start + ROW], strict=True)
        row = "".join(f"<td>{f'<s>{cell}</s>' if bad else cell}</td>" for cell, bad in shown)
        rows.append(f"<tr><th>{start}</th>{row}</tr>")
    return f"<table style='font-family:monospace'>{''.join(rows)}</table>"


def facts_html(facts: Mapping[str, object]) -> str:
    """What there is to say of a machine, a row for each.

    >>> facts_html({"operations run": 3})
    '<table><tr><th>operations run</th><td>3</td></tr></table>'
    """
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in facts.items())
    return f"<table>{rows}</table>"
