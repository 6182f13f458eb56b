"""`layoutsolver ops`: what is covered, operation by operation."""

from __future__ import annotations

import argparse
import json

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.output import deliver
from layoutsolver.cli.table import render_table
from layoutsolver.ops.coverage import Coverage, coverage
from layoutsolver.ops.registry import TABLES


def run(options: argparse.Namespace) -> int:
    """Print a row for each operation of the target."""
    if options.target not in TABLES:
        raise UsageError(f"no target `{options.target}`: there are {', '.join(TABLES)}")
    rows = coverage(options.target)
    if options.format == "json":
        return deliver("-", json.dumps([_record(row) for row in rows], indent=2) + "\n")
    cells = [[row.name, row.syntax, row.rule, row.effect, ", ".join(row.missing)] for row in rows]
    table = render_table(["operation", "syntax", "rule", "effect", "missing"], cells)
    complete = sum(1 for row in rows if not row.missing)
    return deliver("-", f"{table}\n{complete} of {len(rows)} operations have syntax, rule and effect\n")


def _record(row: Coverage) -> dict[str, object]:
    return {
        "operation": row.name, "syntax": row.syntax, "rule": row.rule, "effect": row.effect,
        "missing": list(row.missing),
    }  # fmt: skip
