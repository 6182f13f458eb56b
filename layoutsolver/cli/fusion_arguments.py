"""The arguments of `layoutsolver fuse`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def add_arguments(
    parser: argparse.ArgumentParser,
    natural: Callable[[str], int],
    positive: Callable[[str], int],
    seconds: Callable[[str], float],
) -> None:
    """Add the arguments of `layoutsolver fuse`; the functions read numbers as all verbs do."""
    from layoutsolver_models.targets.fusion import DEFAULT_FUSION_CHIP, fusion_chips

    parser.add_argument("file", metavar="FILE", help="a program of fusion regions, or a request; `-`: standard input")
    parser.add_argument(
        "-o", "--output", default="-", metavar="OUT", help="where to write the answer (default: stdout)"
    )
    parser.add_argument(
        "--stop-after", default="flatten", metavar="STAGE",
        help="the last stage: plan, fuse, cse, elide or flatten (default: flatten)",
    )  # fmt: skip
    parser.add_argument(
        "--compat", choices=["seed"], default="",
        help="what the first version of the production compiler's fusion does, defects included",
    )  # fmt: skip
    parser.add_argument(
        "--tiles", action="store_true", help="plan operations on tiles: write which of them share a loop as attributes"
    )
    parser.add_argument("--table", action="store_true", help="print counts of each stage and costs of plans instead")
    parser.add_argument(
        "--explain", action="store_true", help="say instead why loops stayed apart and who may read which store"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="json: one document a file")
    parser.add_argument(
        "--keep-unread", action="store_true", help="keep stores that nobody reads, unless they are overwritten"
    )
    parser.add_argument(
        "--trust-zero", action="store_true", help='believe `pmode = "zero"`: other lanes of a result are zero'
    )
    parser.add_argument("--joint", action="store_true", help="of plans of equal cost, the one whose layouts cost least")
    parser.add_argument(
        "--plans", type=positive, default=8, metavar="N", help="so many plans --joint looks at (default: 8)"
    )
    chips = ", ".join(fusion_chips())
    parser.add_argument(
        "--chip", default=DEFAULT_FUSION_CHIP, metavar="CHIP",
        help=f"weights and limits: {chips} (default: {DEFAULT_FUSION_CHIP})",
    )  # fmt: skip
    parser.add_argument(
        "--assume-trip-count", type=positive, default=16, metavar="N",
        help="how often a loop with unknown bounds runs (default: 16)",
    )  # fmt: skip
    parser.add_argument(
        "--split-input-file", action="store_true", help="treat the parts between `// -----` lines as files"
    )
    parser.add_argument("--max-bytes", type=positive, default=32 << 20, metavar="N", help="largest input (32 MiB)")
    parser.add_argument("--time-limit", type=seconds, default=None, metavar="S", help="seconds to solve for")
    parser.add_argument("--seed", type=natural, default=1, metavar="N", help="seed of the solver (default: 1)")
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="solver threads (default: 1)")
    parser.add_argument("--color", choices=["auto", "always", "never"], default="auto")
