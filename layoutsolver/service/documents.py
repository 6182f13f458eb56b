"""What can be looked up: the schemas of all documents, and the targets."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from layoutsolver.cli.schema import documents
from layoutsolver.ops.registry import QUESTIONS
from layoutsolver.service.answers import Answer, ProblemDetails
from layoutsolver.service.requests import VERBS
from layoutsolver_models.problems.json import adapter
from layoutsolver_models.targets.chip import chip_names


def _all() -> dict[str, Any]:
    requests = {f"{verb}-request": kind for verb, kind in VERBS.items()}
    return {**documents(), **requests, "answer": Answer, "problem-details": ProblemDetails}


def schema_names() -> list[str]:
    """The names of all documents: problems, solutions, reports, requests and answers."""
    return list(_all())


@lru_cache
def schema_of(name: str) -> dict[str, Any] | None:
    """The JSON schema (2020-12) of a document, None if there is none of that name."""
    kind = _all().get(name)
    return None if kind is None else adapter(kind).json_schema()


def targets() -> list[str]:
    """What `target` may be in a request."""
    return ["auto", *QUESTIONS, *(f"ave:{chip}" for chip in chip_names())]
