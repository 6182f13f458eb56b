"""Diagnostics as SARIF 2.1.0, for code scanning in CI; fixes come along as replacements.

Columns count code points and say so, since SARIF's default is UTF-16 units.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from layoutsolver import __version__
from layoutsolver.diagnostics.codes import CODES
from layoutsolver.diagnostics.diagnostic import Diagnostic, Fix, Label
from layoutsolver.source import SourceFile, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(diagnostics: Iterable[Diagnostic]) -> str:
    """One SARIF log with one run, as indented JSON text that ends in a line break."""
    items = list(diagnostics)
    codes = sorted({item.code for item in items})
    driver = {
        "name": "layoutsolver",
        "version": __version__,
        "rules": [_rule(code) for code in codes],
    }
    results = [_result(item, codes.index(item.code)) for item in items]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> dict[str, Any]:
    known = CODES[code]
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in re.sub(r"[^\w\s]", "", known.title).split()),
        "shortDescription": {"text": known.title},
    }


def _result(item: Diagnostic, rule: int) -> dict[str, Any]:
    text = "\n".join([item.message, *item.notes])
    result: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": rule,
        "level": item.severity,
        "message": {"text": text},
    }
    if item.primary is not None:
        result["locations"] = [_location(item.primary)]
        result["partialFingerprints"] = {"place/v1": f"{item.code}:{_line_text(item.primary)}"}
    if item.secondary:
        result["relatedLocations"] = [
            {"id": number, **_location(label)} for number, label in enumerate(item.secondary, 1)
        ]
    if item.primary is not None and any(fix.edits for fix in item.fixes):
        source = item.primary.source
        result["fixes"] = [_fix(source, fix) for fix in item.fixes if fix.edits]
    return result


def _line_text(label: Label) -> str:
    line, _ = label.source.line_column(label.span.start)
    return label.source.line_text(line).strip()


def _location(label: Label) -> dict[str, Any]:
    place: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(label.source)},
            "region": _region(label.source, label.span),
        }
    }
    if label.text:
        place["message"] = {"text": label.text}
    return place


def _uri(source: SourceFile) -> str:
    from urllib.parse import quote

    return quote(source.name)


def _region(source: SourceFile, span: Span) -> dict[str, int]:
    line, column = source.line_column(span.start)
    end_line, end_column = source.line_column(span.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _fix(source: SourceFile, fix: Fix) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.new_text}} for edit in fix.edits
    ]
    change = {"artifactLocation": {"uri": _uri(source)}, "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}
