"""`layoutsolver explain`: the page of a message's code."""

from __future__ import annotations

import argparse

from layoutsolver.cli.messages import usage_error
from layoutsolver.cli.output import deliver
from layoutsolver.diagnostics.codes import CODES, page


def run(options: argparse.Namespace) -> int:
    """Print the page of a code."""
    text = page(options.code)
    if text is None:
        return usage_error(f"no code `{options.code}`: there are {', '.join(CODES)}")
    return deliver("-", text)
