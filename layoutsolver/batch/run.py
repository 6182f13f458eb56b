"""Runs a batch: what is answered already is left alone, the rest goes to workers as they become free."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Protocol

from layoutsolver.batch.files import Program
from layoutsolver.batch.results import Results
from layoutsolver.report import report_diagnostic
from layoutsolver.service.answers import Answer
from layoutsolver.service.run import RefusedError, TooManyOpsError, Worked
from layoutsolver.service.store import code_hash

AHEAD = 4
"""So many requests for each worker are under way at a time."""


class Workers(Protocol):
    """What answers requests; a future raises what `problem` makes words of."""

    count: int

    def submit(self, verb: str, request: bytes) -> Future[Worked]:
        """The answer to come."""
        ...


def run(
    verb: str,
    programs: Iterable[Program],
    workers: Workers,
    results: Results,
    advance: Callable[[], object] = lambda: None,
) -> Counter[str]:
    """How often each outcome came; the results are complete behind it, in the order of the programs.

    `advance` is called for each program that is done. Outcomes are those of answers, `impossible` for what the verb
    cannot do with a program, and `failed`.
    """
    code = code_hash()
    outcomes: Counter[str] = Counter()
    keys: list[str] = []
    running: dict[Future[Worked], tuple[str, Program]] = {}

    def settle(done: Iterable[Future[Worked]]) -> None:
        for future in done:
            key, program = running.pop(future)
            line = _line(program, future)
            results.add(key, line)
            outcomes[_outcome(line)] += 1
            advance()

    for program in programs:
        key = key_of(code, verb, program)
        keys.append(key)
        if key in results.kept:
            outcomes["kept"] += 1
            advance()
            continue
        if program.unreadable is not None:
            results.add(key, _unreadable(verb, program))
            outcomes["unreadable"] += 1
            advance()
            continue
        running[workers.submit(verb, program.request)] = (key, program)
        if len(running) >= AHEAD * workers.count:
            settle(wait(running, return_when=FIRST_COMPLETED).done)
    while running:
        settle(wait(running, return_when=FIRST_COMPLETED).done)
    results.finish(keys)
    return outcomes


def key_of(code: bytes, verb: str, program: Program) -> str:
    """What makes a result the one of a program: the code, the verb, the file, the part and the request."""
    parts = (
        code,
        verb.encode(),
        program.file.encode("utf-8", "surrogateescape"),
        b"%d" % program.part,
        program.request,
    )
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).hexdigest()


def _line(program: Program, future: Future[Worked]) -> dict[str, Any]:
    place = {"file": program.file, "part": program.part}
    error = future.exception()
    if error is None:
        return {**place, "answer": json.loads(future.result().body)}
    if isinstance(error, RefusedError | TooManyOpsError):
        return {**place, "refused": str(error)}
    return {**place, "problem": f"{type(error).__name__}: {error}"}


def _unreadable(verb: str, program: Program) -> dict[str, Any]:
    assert program.unreadable is not None
    said = (report_diagnostic(program.unreadable),)
    answer = Answer(verb=verb, outcome="unreadable", text=None, report=None, diagnostics=said)
    return {"file": program.file, "part": program.part, "answer": answer.model_dump(mode="json", by_alias=True)}


def _outcome(line: dict[str, Any]) -> str:
    if "answer" in line:
        return str(line["answer"]["outcome"])
    return "impossible" if "refused" in line else "failed"
