"""The OpenAPI document: FastAPI's own one, with the request bodies that the dispatcher reads itself."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from layoutsolver.service.answers import Answer, ProblemDetails
from layoutsolver.service.examples import EXAMPLES
from layoutsolver.service.jobs import JobStatus
from layoutsolver.service.requests import VERBS

REF = "#/components/schemas/{model}"
NDJSON_LINES: dict[str, Any] = {
    "schema": {"type": "string", "description": "a JSON document a line: progress, then the result or the problem"}
}


def _content(model: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": REF.format(model=model)}}}


STREAMED: dict[str, Any] = {
    "description": "The answer; with `stream=true`, events and then the answer.",
    "content": {**_content("Answer"), "application/x-ndjson": NDJSON_LINES},
}
JOB: dict[str, Any] = {"description": "How far the job is.", "content": _content("JobStatus")}


def _problem(description: str) -> dict[str, Any]:
    schema = {"$ref": REF.format(model="ProblemDetails")}
    return {"description": description, "content": {"application/problem+json": {"schema": schema}}}


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: _problem("The body is not JSON."),
    404: _problem("There is no such thing."),
    413: _problem("The body or its program is too large."),
    415: _problem("The body is not application/json."),
    422: _problem("The body does not follow its schema, or asks for what the program does not have."),
    429: _problem("All workers are busy and the queue is full; Retry-After says when to try again."),
    500: _problem("A worker died, or a defect of layoutsolver."),
}


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI 3.1 document of the application, made once."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title, version=app.version, openapi_version=app.openapi_version, routes=app.routes,
            description="Decides vector layouts of NPU compiler IR, explains what contradicts, and proves the answers.",
        )  # fmt: skip
        schemas = found.setdefault("components", {}).setdefault("schemas", {})
        for kind in (Answer, ProblemDetails, JobStatus):
            _define(schemas, TypeAdapter(kind).json_schema(ref_template=REF, mode="serialization"), kind.__name__)
        for verb, request in VERBS.items():
            name = f"{verb.capitalize()}Body"
            _define(schemas, TypeAdapter(request).json_schema(ref_template=REF), name)
            _take(found["paths"][f"/v1/{verb}"]["post"], name, EXAMPLES.get(verb, {}))
        _define(schemas, _job_schema(), "JobBody")
        _take(found["paths"]["/v1/jobs"]["post"], "JobBody", {"start": EXAMPLES["solve"]["solve"]}, verb="solve")
        app.openapi_schema = found
    return app.openapi_schema


def _define(schemas: dict[str, Any], schema: dict[str, Any], name: str) -> None:
    schemas.update(schema.pop("$defs", {}))
    schemas[name] = schema


def _take(operation: dict[str, Any], name: str, examples: dict[str, Any], verb: str = "") -> None:
    shown = {key: {"value": {"verb": verb, "request": value} if verb else value} for key, value in examples.items()}
    content = {"schema": {"$ref": REF.format(model=name)}, **({"examples": shown} if shown else {})}
    operation["requestBody"] = {"required": True, "content": {"application/json": content}}


def _job_schema() -> dict[str, Any]:
    """A verb with its own request."""
    forms = [
        {
            "type": "object", "title": verb, "additionalProperties": False, "required": ["verb", "request"],
            "properties": {"verb": {"const": verb}, "request": {"$ref": REF.format(model=f"{verb.capitalize()}Body")}},
        }
        for verb in VERBS
    ]  # fmt: skip
    return {"oneOf": forms}
