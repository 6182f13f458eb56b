"""What some of the released compiler's passes say of a text, asked alone as its test driver asks them.

The driver of that compiler runs all of them, with general ones between. Its tests run a few at a time, so that a text
may be refused by one which in the driver another comes before, or which takes nothing that is unused.
"""

from __future__ import annotations

from collections.abc import Collection

from layoutsolver.graph.model import Graph
from layoutsolver.pose.vmi.upstream.assign import assign_upstream
from layoutsolver.pose.vmi.upstream.compat import (
    assignable_verdict,
    boundary_verdict,
    input_verdict,
    replaced_verdict,
)
from layoutsolver.pose.vmi.upstream.stated import stated_verdicts
from layoutsolver.pose.vmi.upstream.verdict import OK, Verdict
from layoutsolver.vmi.canonical import as_canonical

BOUNDARY, REPLACE, GRANULARITY, ASSIGN, VALIDATE, LOWER = PASSES = (
    "pto-validate-vmi-ir", "vmi-lower-unified-to-legacy", "vmi-mask-granularity-assignment", "vmi-layout-assignment",
    "pto-validate-vmi-layout-ir", "vmi-to-vpto",
)  # fmt: skip
"""The passes by their names there, in the order of the driver."""


def passes_verdict(graph: Graph, passes: Collection[str]) -> Verdict:
    """The verdict of those passes, and of the reader and the verifier, which come before any.

    Raises `ValueError` for a pass of another name.
    """
    unknown = sorted(set(passes) - set(PASSES))
    if unknown:
        raise ValueError(f"no pass `{unknown[0]}`: there are {', '.join(PASSES)}")
    refused = input_verdict(graph)
    if not refused.ok:
        return refused
    program, _ = as_canonical(graph)
    if BOUNDARY in passes:
        refused = boundary_verdict(program)
    if refused.ok and REPLACE in passes:
        refused = replaced_verdict(program)
    if not refused.ok:
        return refused
    if ASSIGN in passes:
        refused = assignable_verdict(program)
        return assign_upstream(program, general=False, lowers=LOWER in passes).verdict if refused.ok else refused
    if not {VALIDATE, LOWER} & set(passes):
        return OK
    stated = stated_verdicts(graph)
    if VALIDATE in passes and (LOWER not in passes or not stated.validation.ok):
        return stated.validation
    return stated.lowering
