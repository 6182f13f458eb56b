"""Why there is no answer, in a form that every transport can say: problem details (RFC 9457)."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import ValidationError

from layoutsolver.service.answers import Fault, ProblemDetails

TITLES = {
    "invalid-request": "the request does not follow its schema",
    "malformed-json": "the request is not JSON",
    "refused-request": "the request asks for what the program does not have",
    "over-limit": "the request asks for more than is given here",
    "unknown-verb": "there is no such verb",
    "not-found": "there is no such thing",
    "method-not-allowed": "this method is not allowed here",
    "unsupported-media-type": "the request is not application/json",
    "too-large": "the request is too large",
    "busy": "the service is busy",
    "worker-died": "a worker process died",
    "defect": "a defect of layoutsolver",
    "cancelled": "the request was cancelled",
}
"""The kinds of problems, as their type URIs name them behind `urn:layoutsolver:problem:`."""


class Refusal(NamedTuple):
    """A status as of HTTP, a kind of `TITLES`, and a sentence.

    `faults` are `(JSON pointer, what is wrong)`; `retry` seconds are to be waited before another try; `incident` names
    what the service wrote down.
    """

    status: int
    kind: str
    detail: str
    faults: tuple[tuple[str, str], ...] = ()
    retry: int | None = None
    incident: str | None = None

    def details(self) -> ProblemDetails:
        """The document that says it."""
        errors = tuple(Fault(pointer=pointer, detail=text) for pointer, text in self.faults) or None
        instance = None if self.incident is None else f"urn:layoutsolver:incident:{self.incident}"
        return ProblemDetails(
            type=f"urn:layoutsolver:problem:{self.kind}", title=TITLES[self.kind], status=self.status,
            detail=self.detail, instance=instance, errors=errors,
        )  # fmt: skip


class RefusalError(Exception):
    """There is no answer; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


def of_validation(error: ValidationError) -> Refusal:
    """What is wrong with a request, place by place; JSON that cannot be read at all has status 400."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    if found[0]["type"] == "json_invalid":
        return Refusal(400, "malformed-json", str(found[0]["msg"]))
    faults = tuple((pointer_of(item["loc"]), str(item["msg"])) for item in found)
    return Refusal(422, "invalid-request", f"{len(faults)} fault{'s' * (len(faults) != 1)} in the request", faults)


def pointer_of(place: tuple[int | str, ...]) -> str:
    """A place as a JSON pointer; which of two forms a request was taken for is not part of it.

    >>> pointer_of(("program", "pin", 0)), pointer_of(("a/b",))
    ('/pin/0', '/a~1b')
    """
    steps = place[1:] if place[:1] in (("program",), ("problem",)) and len(place) > 1 else place
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
