"""`layoutsolver schema`: the JSON schemas of documents that go in and out."""

from __future__ import annotations

import argparse
from typing import Any

from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.output import deliver


def documents() -> dict[str, type[Any]]:
    """The documents by name."""
    from layoutsolver.report import SolveReport
    from layoutsolver.report_banks import BankReport
    from layoutsolver.report_fusion import FusionReport
    from layoutsolver.report_lower import LowerReport
    from layoutsolver.report_verify import VerifyReport
    from layoutsolver.report_vmi import VmiReport
    from layoutsolver.report_why import VmiWhyReport, WhyReport
    from layoutsolver_models.problems.banks import BankProblem, BankSolution
    from layoutsolver_models.problems.fusion import FusionProblem, FusionSolution
    from layoutsolver_models.problems.layout import LayoutProblem, LayoutSolution
    from layoutsolver_models.problems.placement import PlacementProblem, PlacementSolution
    from layoutsolver_models.problems.planner import PlannerRequest, PlannerResponse
    from layoutsolver_models.problems.selection import SelectionProblem, SelectionSolution

    return {
        "layout-problem": LayoutProblem, "layout-solution": LayoutSolution, "solve-report": SolveReport,
        "selection-problem": SelectionProblem, "selection-solution": SelectionSolution, "vmi-report": VmiReport,
        "why-report": WhyReport, "vmi-why-report": VmiWhyReport,
        "verify-report": VerifyReport, "lower-report": LowerReport,
        "fusion-problem": FusionProblem, "fusion-solution": FusionSolution, "fusion-report": FusionReport,
        "planner-request": PlannerRequest, "planner-response": PlannerResponse,
        "placement-problem": PlacementProblem, "placement-solution": PlacementSolution,
        "bank-problem": BankProblem, "bank-solution": BankSolution, "bank-report": BankReport,
    }  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Print one schema, or the names of all."""
    known = documents()
    if options.name is None:
        return deliver("-", "\n".join(known) + "\n")
    if options.name not in known:
        raise UsageError(f"no document `{options.name}`: there are {', '.join(known)}")
    from layoutsolver_models.problems.json import schema

    return deliver("-", schema(known[options.name]))
