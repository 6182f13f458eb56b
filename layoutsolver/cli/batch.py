"""`layoutsolver batch`: one question about many files, with a line of JSON for each."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.main import EXIT_DEFECT, EXIT_LIMIT, EXIT_OK

if TYPE_CHECKING:
    from collections import Counter

    from layoutsolver.batch.cluster import ClusterWorkers
    from layoutsolver.batch.local import LocalWorkers


def run(options: argparse.Namespace) -> int:
    """Answer for all files; 0 if each has its answer, 4 if a limit cut one, 70 if one failed. Raises `UsageError`."""
    from tqdm import tqdm

    from layoutsolver.batch.files import find_files, programs
    from layoutsolver.batch.results import BusyError, Results
    from layoutsolver.batch.run import run as run_batch

    fields = _fields(options)
    if Path(options.output).is_dir():
        raise UsageError(f"cannot write {options.output}: it is a folder")
    try:
        files = find_files(options.file, options.suffix or [".mlir", ".pto"])
        results = Results(Path(options.output))
    except BusyError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"cannot use {error.filename}: {error.strerror}") from None
    with results:
        found = list(programs(files, fields, options.split_input_file, options.max_bytes))
        workers = _workers(options)
        try:
            with tqdm(total=len(found), unit="program", disable=None, file=sys.stderr) as bar:
                outcomes = run_batch(options.verb_asked, found, workers, results, bar.update)
        except KeyboardInterrupt:
            print(f"interrupted: the same command goes on with {results.partial}", file=sys.stderr)
            raise
        finally:
            workers.close()
    print(f"{len(found)} programs of {len(files)} files: {_counted(outcomes)}; in {options.output}", file=sys.stderr)
    return EXIT_DEFECT if outcomes["failed"] else EXIT_LIMIT if outcomes["limit"] else EXIT_OK


def _fields(options: argparse.Namespace) -> dict[str, Any]:
    """The fields that all requests have. Raises `UsageError` for what the verb does not take."""
    from pydantic import ValidationError

    from layoutsolver.service.faults import of_validation
    from layoutsolver.service.requests import parse_request

    fields: dict[str, Any] = {"time_limit": options.time_limit}
    for text in options.set or []:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"`{text}` is not NAME=VALUE")
        try:
            fields[name] = json.loads(value)
        except json.JSONDecodeError:
            fields[name] = value
    try:
        parse_request(options.verb_asked, json.dumps({**fields, "text": ""}))
    except ValidationError as error:
        refusal = of_validation(error)
        said = "; ".join(_fault(place.lstrip("/"), text) for place, text in refusal.faults)
        raise UsageError(f"`{options.verb_asked}` cannot be asked so: {said or refusal.detail}") from None
    return fields


def _fault(field: str, text: str) -> str:
    """A fault of a field in the words of the command line.

    >>> _fault("value", "Field required"), _fault("foo", "Extra inputs are not permitted")
    ('it needs --set value=...', 'it has no field `foo`')
    """
    said = {
        "Field required": f"it needs --set {field}=...",
        "Extra inputs are not permitted": f"it has no field `{field}`",
    }
    return said.get(text, f"`{field}`: {text}")


def _workers(options: argparse.Namespace) -> LocalWorkers | ClusterWorkers:
    if options.cluster is not None:
        from layoutsolver.batch.cluster import ClusterError, ClusterWorkers

        try:
            return ClusterWorkers(options.cluster)
        except ClusterError as error:
            raise UsageError(str(error)) from None
        except ModuleNotFoundError as error:
            message = f"`{error.name}` is not installed: clusters need `pip install layoutsolver[cluster]`"
            raise UsageError(message) from None
    from layoutsolver.batch.local import LocalWorkers
    from layoutsolver.service.limits import ServiceLimits

    jobs = options.jobs or os.cpu_count() or 1
    limits = ServiceLimits(
        workers=jobs, ops=options.max_ops, seconds=options.time_limit, memory=options.memory << 20
    )  # fmt: skip
    return LocalWorkers(limits)


def _counted(outcomes: Counter[str]) -> str:
    """How often each outcome came, those that did not left out.

    >>> from collections import Counter
    >>> _counted(Counter(done=3, limit=1))
    '3 done, 1 limit'
    """
    order = ("done", "refused", "unreadable", "impossible", "limit", "failed", "kept")
    return ", ".join(f"{outcomes[name]} {name}" for name in order if outcomes[name]) or "nothing to do"
