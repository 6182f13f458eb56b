"""The options of the verbs for programs of VMI."""

from __future__ import annotations

import argparse

from layoutsolver.api import SolveOptions
from layoutsolver.api_vmi import VmiOptions, WishError
from layoutsolver.cli.errors import UsageError
from layoutsolver.pose.vmi.wishes import parse_wish
from layoutsolver_models.targets.chip import RegisterLimits


def vmi_options(options: argparse.Namespace, known: SolveOptions) -> VmiOptions:
    """The options of a solve. Raises `UsageError` for a pin or a preference that is none."""
    try:
        pins = tuple(parse_wish(text) for text in getattr(options, "pin", None) or ())
        preferences = tuple(parse_wish(text, weighted=True) for text in getattr(options, "prefer", None) or ())
    except WishError as error:
        raise UsageError(str(error)) from None
    limit = getattr(options, "limit_registers", None)
    registers = RegisterLimits(*limit) if isinstance(limit, tuple) else limit
    return VmiOptions(
        getattr(options, "objective", None) or "pipes", pins, preferences, known.compat,
        not getattr(options, "no_lane_stride_narrowing", False), known.assumed_trip_count, known.limits, registers,
        known.conflicts,
    )  # fmt: skip
