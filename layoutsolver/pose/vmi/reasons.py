"""Why rules do not serve an operation, in plain English, those left out that are for operations of other widths."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from layoutsolver.pose.vmi.variants import Refusal
from layoutsolver.vmi.program import VmiOp

_CLASSES = "S in (B, 2 * B, 4 * B) or W < 32 and 2 * S == B or W == 8 and 4 * S == B"

_ONE_REGISTER = "blocks of one register: no document says where the blocks of a second one lie"

_WORDS: tuple[tuple[str, str], ...] = (
    ("op == 'stride_load' and N <= lp", _ONE_REGISTER), ("op == 'stride_store' and N <= lp", _ONE_REGISTER),
    ("(S <= B or S <= 2 * B and S % 2 == 0 or S <= 4 * B and S % 4 == 0 or S < lp and S % 8 == 0)",
     "groups that halves of halves of fit a block"),
    (f"(G == 1 and S > B or not ({_CLASSES}))", "groups of no size class, or one alone"),
    (f"not ({_CLASSES})", "groups of no size class"),
    ("B % S == 0 and (W == 32 and S < B or W == 16 and 2 * S < B or W == 8 and 4 * S < B)",
     "groups of a power of two less than any class"),
    ("not (S in (B, 2 * B, 4 * B) or G <= 8 and (2 * S == B or 4 * S == B))",
     "groups of no size class, or more than 8 of less than a block"),
    ("not (S >= lp and S % lp == 0)", "groups that are not whole registers"),
    ("S not in (2 * B, 4 * B)", "groups of other than two or four blocks"), ("G <= 8", "at most 8 groups"),
    ("S >= 4 * lp and S % (4 * lp) == 0", "groups of four whole registers each, or multiples"),
    ("S >= 2 * lp and S % (2 * lp) == 0", "groups of two whole registers each, or multiples"),
    ("S >= lp and S % lp == 0", "groups of whole registers"), ("4 * S == B", "groups of a quarter of a block"),
    ("2 * S == B", "groups of half a block"), ("S == 2 * B", "groups of two blocks"),
    ("S == 4 * B", "groups of four blocks"), ("S == B", "groups of one block"),
    ("stride * W % 256 == 0", "a stride of whole blocks"), ("stride % B == 0", "a stride of whole blocks"),
    ("stride % 8 == 0", "a stride of whole blocks"), ("stride > 0", "a constant stride"),
    ("stride == 1", "a stride of 1"), ("stride == S", "rows without gaps"),
    ("A(value) == 2 * ceil(N // 2, lp)", "as many registers in each part"),
    ("A(value) == 4 * ceil(N // 4, lp)", "as many registers in each part"),
    ("op != 'vmull'", "another operation than vmull"), ("op != 'other'", "an order that one instruction makes"),
    ("W == W_idx", "indices as wide as elements"),
    ("N_to == N", "as many elements in the result"), ("W_to == ", "a result of so many bits: "),
    ("W == ", "so many bits: "), ("W in ", "so many bits: "),
    ("N % lp == 0", "full registers"), ("N == lp", "one full register"), ("N <= lp", "one register"),
    ("N == G", "one element for each group"), ("N == ", "so many elements: "), ("N in ", "so many elements: "),
    ("N >= ", "elements, at least "), ("N * 1 <= lp", "one register"), ("G % 8 == 0", "a multiple of 8 groups"),
    ("G == 1", "one group"), (" and ", ", "), ("pointer", "a pointer"),
)  # fmt: skip
"""What stands for the facts of conditions; longer texts before those that they contain."""

_WIDTHS = re.compile(r"W == (\d+)(?: and W_to == (\d+))?")


def condition_words(reason: str) -> str:
    """The reason of a refusal, its condition spelled out as far as there are words.

    >>> condition_words("needs S == 2 * B and stride == 1")
    'needs groups of two blocks, a stride of 1'
    """
    for text, words in _WORDS:
        reason = reason.replace(text, words)
    return reason


def reasons_of(op: VmiOp, refused: Iterable[Refusal]) -> dict[str, list[str]]:
    """The rules that do not serve an operation by the reason, in words."""
    data = [value.bits for value in (*op.vectors().values(), *op.results.values()) if not value.is_mask]
    out: dict[str, dict[str, None]] = defaultdict(dict)
    for item in refused:
        widths = _WIDTHS.search(item.reason)
        if widths is not None and data and item.rule.startswith(("VMI.CAST.", "VMI.EXPDIF.")):
            wanted = [int(width) for width in widths.groups() if width]
            if wanted != [data[0], data[-1]][: len(wanted)]:
                continue
        out[condition_words(item.reason)][item.rule] = None
    return {reason: list(rules) for reason, rules in out.items()}
