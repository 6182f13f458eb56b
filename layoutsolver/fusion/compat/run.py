"""The passes of the compiler one behind the other. Source: fusion spec 1.1."""

from __future__ import annotations

from layoutsolver.fusion.code import Code
from layoutsolver.fusion.compat.elide import elide
from layoutsolver.fusion.compat.fuse import fuse
from layoutsolver.fusion.compat.plan import plan
from layoutsolver.fusion.cse import eliminate_common
from layoutsolver.fusion.flatten import flatten

STAGES = ("plan", "fuse", "cse", "elide", "flatten")
"""The passes in their order."""


def run_seed(code: Code, last: str = "flatten") -> Code:
    """The program as the compiler leaves it after a pass.

    It may refer to values before they are defined, where the compiler moves what uses them: such programs its own
    verifier refuses. Raises ValueError for a pass that there is not.
    """
    if last not in STAGES:
        raise ValueError(f"there is no pass `{last}`")
    passes = {
        "plan": plan,
        "fuse": fuse,
        "cse": eliminate_common,
        "elide": lambda it: elide(it).code,
        "flatten": flatten,
    }
    for stage in STAGES[: STAGES.index(last) + 1]:
        code = passes[stage](code)
    return code
