"""What `layoutsolver why` found in each file, delivered as text, as documents, or as messages alone."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.main import EXIT_OK, worst
from layoutsolver.cli.messages import messages_instead, print_diagnostics
from layoutsolver.cli.output import deliver

if TYPE_CHECKING:
    from layoutsolver.diagnostics.diagnostic import Diagnostic
    from layoutsolver.report import Outcome


class WhyAnswer(NamedTuple):
    """The answer about one file, `written` in the format that was asked for, and how many values have the name."""

    written: str
    values: int
    said: list[Diagnostic]
    status: int


Found = TypeVar("Found")


def answer_of(
    options: argparse.Namespace, found: Sequence[Found], said: list[Diagnostic], status: int,
    text: Callable[[Found], str], document: Callable[[Outcome], object],
) -> WhyAnswer:  # fmt: skip
    """What was found in a file: what `text` says of each value, or the `document` of an outcome as JSON."""
    if options.format != "json":
        return WhyAnswer("\n".join(map(text, found)), len(found), said, status)
    from layoutsolver.report import OUTCOMES
    from layoutsolver_models.problems.json import to_json

    return WhyAnswer(to_json(document(OUTCOMES[status])) + "\n", len(found), said, status)


def deliver_answers(options: argparse.Namespace, names: Iterable[str], answers: list[WhyAnswer]) -> int:
    """Deliver the answers about all files; `names` are those that there are.

    Raises `UsageError` where no file has a value of the name that was asked for.
    """
    status = EXIT_OK
    for one in answers:
        status = worst(status, one.status)
        if options.format == "text":
            print_diagnostics(options, one.said)
    if status == EXIT_OK and not any(one.values for one in answers):
        raise UsageError(f"no vector `{options.value}`: there are {', '.join(names) or 'none'}")
    done = messages_instead(options, [item for one in answers for item in one.said], None, status)
    if done is not None:
        return done
    between = "" if options.format == "json" else "\n"
    return deliver(options.output, between.join(one.written for one in answers if one.written), status)
