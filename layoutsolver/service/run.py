"""One request answered in this process, by the command line's own verbs: the answers are the same, byte for byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from layoutsolver.cli.errors import InputError, UsageError
from layoutsolver.cli.parser import build_parser
from layoutsolver.cli.session import Session
from layoutsolver.report import OUTCOMES, Outcome, report_diagnostic
from layoutsolver.service.answers import Answer
from layoutsolver.service.requests import parse_request

if TYPE_CHECKING:
    from layoutsolver_models.solve.observe import Observer


class Worked(NamedTuple):
    """An answer as JSON; it is `lasting` if no limit had a part in it, so that it may be kept."""

    body: bytes
    lasting: bool


class RefusedError(Exception):
    """A request that asks for what cannot be done, such as a pin of a value that the program does not have."""


class TooManyOpsError(Exception):
    """A program with more operations than are taken; `count` of them."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


SHORTEST_OP = 4
"""No operation is written in fewer characters than `a.b` and a separator."""


def answer(verb: str, request: bytes, max_ops: int | None = None, observe: Observer | None = None) -> bytes:
    """The answer to a request, as JSON; a request that was answered once gets the same bytes again.

    Raises as `answered` does.
    """
    return answered(verb, request, max_ops, observe).body


def answered(verb: str, request: bytes, max_ops: int | None = None, observe: Observer | None = None) -> Worked:
    """The answer to a request, and whether it may be kept.

    Raises `RefusedError`, `TooManyOpsError`, and pydantic's `ValidationError` for a request that is none.
    """
    command = parse_request(verb, request).command(verb)
    if max_ops is not None:
        for given in command.files.values():
            _check_size(given, max_ops)
    session = Session(command.files, observe)
    options = build_parser().parse_args(list(command.arguments))
    options.session = options.output = session
    try:
        outcome: Outcome = OUTCOMES[int(options.run(options))]
    except UsageError as error:
        raise RefusedError(str(error)) from None
    except InputError as error:
        session.said.append(error.diagnostic)
        outcome = "unreadable"
    text = session.written or None
    report = None
    diagnostics = tuple(map(report_diagnostic, session.said))
    if text is not None and getattr(options, "json", getattr(options, "format", "") == "json"):
        report = json.loads(text)
        text = report.get("text")
    if report is not None and "diagnostics" in report:
        diagnostics = report["diagnostics"]
    found = Answer(verb=verb, outcome=outcome, text=text, report=report, diagnostics=diagnostics)
    return Worked(found.model_dump_json(by_alias=True).encode(), outcome != "limit")


def _check_size(text: str, limit: int) -> None:
    """Raises `TooManyOpsError` for a program of more operations; short texts need not be read for that."""
    if len(text) < SHORTEST_OP * limit or text.lstrip().startswith("{"):
        return
    from layoutsolver.mlir.reader import read
    from layoutsolver.source import SourceFile

    count = sum(1 for _ in read(SourceFile("", text)).walk())
    if count > limit:
        raise TooManyOpsError(count)
