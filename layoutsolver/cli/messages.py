"""Printing diagnostics on standard error, in colour where that is wanted."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from layoutsolver.cli.errors import UsageError

if TYPE_CHECKING:
    from layoutsolver.diagnostics.diagnostic import Diagnostic
    from layoutsolver.diagnostics.text import Style

SHOWN = 50
"""So many diagnostics of one file are printed; the rest are counted."""


def style_for(options: argparse.Namespace) -> Style:
    """Colours on a terminal unless NO_COLOR is set; plain ASCII where the encoding has no more."""
    from layoutsolver.diagnostics.text import Style

    stream = sys.stderr
    wanted = stream.isatty() and not os.environ.get("NO_COLOR")
    color = wanted if options.color == "auto" else options.color == "always"
    encoding = (stream.encoding or "ascii").lower()
    return Style(color, ascii_only=not encoding.startswith("utf"))


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics as they are shown: errors before warnings, each kind by place; equal places as they came.

    A string that is never closed comes first, since what is said of brackets may follow from it.
    """

    def key(item: Diagnostic) -> tuple[int, bool, int]:
        place = item.primary.span.start if item.primary is not None else 0
        return ("error", "warning", "note").index(item.severity), item.code != "LS0007", place

    return sorted(diagnostics, key=key)


def print_diagnostics(options: argparse.Namespace, diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics on standard error, errors before warnings; in a session, keep them there."""
    items = in_order(diagnostics)
    if options.session is not None:
        options.session.said += items
        return
    if not items:
        return
    from layoutsolver.diagnostics.text import render

    style = style_for(options)
    sys.stderr.write(render(items[:SHOWN], style))
    if len(items) > SHOWN:
        sys.stderr.write(f"... and {len(items) - SHOWN} more\n")


def refuse_several(options: argparse.Namespace) -> None:
    """Raises `UsageError` for options that each want another answer."""
    forms = {
        "--table": getattr(options, "table", False),
        f"--format {options.format}": options.format != "text",
        "--verify-diagnostics": options.verify_diagnostics,
        "--upstream-report": options.upstream_report and options.verb == "explain",
    }
    wanted = [name for name, given in forms.items() if given]
    if len(wanted) > 1:
        raise UsageError(f"{' and '.join(wanted)} are different answers: one at a time")


def messages_instead(
    options: argparse.Namespace, said: Sequence[Diagnostic], expected: bool | None, status: int
) -> int | None:
    """Deliver the messages where they are the answer; the exit status, None where the answer is another one.

    `expected` is whether the messages were the ones that comments of the program expect, None for verbs that do not
    compare them.
    """
    if expected is not None and options.verify_diagnostics:
        return 0 if expected else 1
    if options.format not in ("sarif", "github"):
        return None
    from layoutsolver.cli.documents import messages_document
    from layoutsolver.cli.output import deliver

    return deliver(options.output, messages_document(options.format, list(said)), status)
