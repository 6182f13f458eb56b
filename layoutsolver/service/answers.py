"""What is answered, as JSON: the same document for every verb."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from layoutsolver.report import Outcome, ReportDiagnostic


class Answer(BaseModel):
    """What the command line would have said.

    `outcome` is `done`, `refused` (no solution, or errors in the program), `unreadable`, or `limit` (a limit was
    reached). `text` is what was written, None if nothing was: an annotated or lowered program, or sentences.
    `report` is the verb's own document, if it has one; its schema is named in it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: Annotated[Literal["layoutsolver/answer/1"], Field(alias="schema")] = "layoutsolver/answer/1"
    verb: str
    outcome: Outcome
    text: str | None
    report: dict[str, JsonValue] | None
    diagnostics: tuple[ReportDiagnostic, ...]


class Fault(BaseModel):
    """One place in a request and what is wrong with it; `pointer` is a JSON pointer (RFC 6901)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pointer: str
    detail: str


class ProblemDetails(BaseModel):
    """Why there is no answer (RFC 9457)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: tuple[Fault, ...] | None = None
