"""Registers as HTML, for notebooks: 32 bytes a row, what is not determined struck out."""

from __future__ import annotations

from collections.abc import Sequence

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
