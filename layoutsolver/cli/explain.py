"""`layoutsolver explain`: why a program has no layouts and what would help, or the page of a code or of a rule."""

from __future__ import annotations

import argparse
import re

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.messages import in_order, messages_instead, refuse_several
from layoutsolver.cli.output import deliver
from layoutsolver.diagnostics.codes import CODES, page


def run(options: argparse.Namespace) -> int:
    """Print the page of a code or of a rule, or the explanation of a program, on standard output."""
    if re.fullmatch(r"[A-Za-z]{2}\d{4}", options.file):
        text = page(options.file)
        if text is None:
            raise UsageError(f"no code `{options.file}`: there are {', '.join(CODES)}")
        return deliver(options.output, text)
    if re.fullmatch(r"(?:AVE|VMI)(?:\.\w+)+", options.file):
        return deliver(options.output, _page_of_rule(options.file))
    return _explain(options)


def _page_of_rule(name: str) -> str:
    """The page of a rule. Raises `UsageError`."""
    from layoutsolver.explain.rules import like, rule_page

    text = rule_page(name)
    if text is None:
        near = " or ".join(f"`{one}`" for one in like(name))
        raise UsageError(
            f"no rule `{name}`" + (f": is {near} meant?" if near else "; `layoutsolver ops` names their tables")
        )
    return text


def _explain(options: argparse.Namespace) -> int:
    from layoutsolver.api import solve
    from layoutsolver.cli.documents import check_expected, json_document, report_block
    from layoutsolver.cli.inputs import asks_for_vmi, read_inputs, solve_options
    from layoutsolver.cli.main import EXIT_OK, worst
    from layoutsolver.cli.messages import style_for
    from layoutsolver.cli.solve import exit_status
    from layoutsolver.diagnostics.text import render

    refuse_several(options)
    solver_options = solve_options(options)
    inputs = read_inputs(options)
    if asks_for_vmi(options, inputs, solver_options.target):
        from layoutsolver.cli.vmi.explain import run as run_vmi

        return run_vmi(options, inputs, solver_options)
    if options.passes is not None:
        raise UsageError("--passes is for programs of pto.vmi")
    status = EXIT_OK
    said = []
    answers: list[str] = []
    expected = True
    for source in inputs.sources:
        result = solve(source, solver_options)
        status = worst(status, exit_status(result))
        said += in_order(result.diagnostics)
        if options.verify_diagnostics:
            expected &= check_expected(source, result.diagnostics)
        if options.format == "json":
            answers.append(json_document(result, layouts=False))
        if options.upstream_report:
            answers.append(report_block(result))
    done = messages_instead(options, said, expected, status)
    if done is not None:
        return done
    if options.format == "json" or options.upstream_report:
        return deliver(options.output, "".join(answers), status)
    text = render(said, style_for(options)) if said else "nothing contradicts: every vector has a layout\n"
    return deliver(options.output, text, status)
