"""`layoutsolver fuse`: plan regions, fuse loops, elide loads and stores, dissolve the regions."""

from __future__ import annotations

import argparse

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.inputs import dialects, read_inputs
from layoutsolver.cli.main import EXIT_INPUT, EXIT_LIMIT, EXIT_OK, EXIT_PROGRAM, worst
from layoutsolver.cli.messages import print_diagnostics, style_for
from layoutsolver.cli.output import deliver
from layoutsolver.source import SourceFile


def run(options: argparse.Namespace) -> int:
    """Fuse each part of the input; write all answers, or none if one of them is missing."""
    from layoutsolver.api_fusion import STAGES

    if options.stop_after not in STAGES:
        raise UsageError(f"no stage `{options.stop_after}`: there are {', '.join(STAGES)}")
    forms = {"--explain": options.explain, "--table": options.table, "--format json": options.format == "json"}
    wanted = [name for name, given in forms.items() if given]
    if len(wanted) > 1:
        raise UsageError(f"{' and '.join(wanted)} are different answers: one at a time")
    inputs = read_inputs(options)
    if any(dialects(source.text) == {"ave"} for source in inputs.sources):
        raise UsageError(f"`{options.file}` is a program of ave.hir: only loops over operations of pto.vmi are fused")
    if len(inputs.sources) == 1 and inputs.sources[0].text.lstrip().startswith("{"):
        return _planner(options, inputs.sources[0])
    status = EXIT_OK
    answers: list[str] = []
    for source in inputs.sources:
        found, answer = _one(source, options)
        status = worst(status, found)
        if answer is not None:
            answers.append(answer)
    if len(answers) < len(inputs.sources):
        return status
    as_text = not (options.explain or options.table or options.format == "json")
    return deliver(options.output, inputs.joined(answers) if as_text else "".join(answers), status)


def _planner(options: argparse.Namespace, source: SourceFile) -> int:
    """Answer the request of a compiler's planner."""
    from layoutsolver.cli.json_places import place_of
    from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
    from layoutsolver.planner import answer
    from layoutsolver.source import Span
    from layoutsolver_models.problems.json import ProblemError, from_json, to_json
    from layoutsolver_models.problems.planner import PlannerRequest

    try:
        response = answer(from_json(PlannerRequest, source.text))
    except ProblemError as error:
        for place, text in error.errors:
            at = place_of(source.text, place)
            said = Diagnostic("LS0501", "error", f"{place}: {text}", Label(source, Span(at, at)))
            print_diagnostics(options, [said])
        return EXIT_INPUT
    statuses = {"optimal": EXIT_OK, "fallback": EXIT_OK, "feasible": EXIT_LIMIT, "error": EXIT_PROGRAM}
    return deliver(options.output, to_json(response) + "\n", statuses[response.status])


def _one(source: SourceFile, options: argparse.Namespace) -> tuple[int, str | None]:
    """The exit status and the answer for one program."""
    if options.tiles:
        return _tiles(source, options)
    return _compat(source, options) if options.compat else _sound(source, options)


def _tiles(source: SourceFile, options: argparse.Namespace) -> tuple[int, str | None]:
    """The program with the places of its tile operations written."""
    from layoutsolver.tile_text import plan_tiles
    from layoutsolver_models.problems.planner import PlannerOptions

    if options.explain or options.table or options.compat or options.format == "json":
        raise UsageError("--tiles writes a program: it goes without --compat, --explain, --table and --format json")
    limit = None if options.time_limit is None else max(1, round(1000 * options.time_limit))
    found = plan_tiles(source, PlannerOptions(timeLimitMs=limit))
    print_diagnostics(options, found.diagnostics)
    if found.text is None:
        broken = all(item.code.startswith("LS00") for item in found.diagnostics if item.severity == "error")
        return EXIT_INPUT if broken else EXIT_PROGRAM, None
    limited = any(answer.status == "feasible" for answer in found.answers)
    return EXIT_LIMIT if limited else EXIT_OK, found.text


def _sound(source: SourceFile, options: argparse.Namespace) -> tuple[int, str | None]:
    """The exit status and the answer for one program."""
    from layoutsolver.api_fusion import FuseOptions, fuse
    from layoutsolver_models.solve.layout import Limits
    from layoutsolver_models.targets.chip import ChipError

    limits = Limits(options.time_limit, options.workers, options.seed)
    chosen = FuseOptions(
        options.stop_after,
        not options.keep_unread,
        options.trust_zero,
        options.assume_trip_count,
        options.chip,
        limits,
        options.plans if options.joint else 0,
    )
    try:
        result = fuse(source, chosen)
    except ChipError as error:
        raise UsageError(str(error)) from None
    print_diagnostics(options, result.diagnostics)
    if any(item.severity == "error" for item in result.module.diagnostics):
        return EXIT_INPUT, None
    if not result.ok or result.text is None:
        return EXIT_PROGRAM, None
    status = EXIT_LIMIT if result.limited else EXIT_OK
    if options.format == "json":
        from layoutsolver.report_fusion import report
        from layoutsolver_models.problems.json import to_json

        return status, to_json(report(result)) + "\n"
    if options.table:
        from layoutsolver.cli.fusion_table import fusion_table

        return status, fusion_table(result)
    if options.explain:
        from layoutsolver.diagnostics.text import render
        from layoutsolver.explain.fusion import explanation

        return status, render(explanation(result), style_for(options))
    return status, result.text


def _compat(source: SourceFile, options: argparse.Namespace) -> tuple[int, str | None]:
    """As `_sound`, as the first version of the production compiler does it."""
    from layoutsolver.api_fusion import fuse_as_seed

    if options.explain or options.table or options.format == "json":
        raise UsageError("--compat seed writes a program: it goes without --explain, --table and --format json")
    diagnostics, text = fuse_as_seed(source, options.stop_after)
    print_diagnostics(options, diagnostics)
    if text is None:
        broken = all(item.code.startswith("LS00") for item in diagnostics if item.severity == "error")
        return EXIT_INPUT if broken else EXIT_PROGRAM, None
    return EXIT_OK, text
