"""Random VMI kernels of what kernels seldom do: odd sizes, partial masks, slots, calls, states of masks, fused steps.

Besides what `vmi_wide` makes: vectors of any number of elements, masks that are computed, counted at run time, carried
by loops, negated and joined by branches; arithmetic under masks; sums, also of integers; scalars for groups from
memory and their casts; interleaving; calls of private functions with two returns; `while`, `switch`, loops of unknown
length; memory that is read again after it was written.
"""

from __future__ import annotations

import random

from tests.support.vmi_flow import FLOW
from tests.support.vmi_programs import STEPS, Writer, load_some, module_of, store_some
from tests.support.vmi_steps import SIZED
from tests.support.vmi_wide import WIDE

ARGUMENTS = "%n: index, %k: i32, %flag: i1, %which: index"

DEEP = (*SIZED, *FLOW, *WIDE[:6], *WIDE[len(STEPS) :])

_HEAD = ("%turn = arith.constant 64 : index", "%row = arith.muli %n, %turn : index",
         "%blocks = arith.constant 3 : i16", "%none = arith.constant 0 : i16", "%shift = arith.constant 3 : i16",
         "%zero32 = arith.constant 0 : i32", "%zero16 = arith.constant 0 : i16")  # fmt: skip


def deep_kernel(seed: int, size: int = 8) -> str:
    """A kernel of about `size` operations of all kinds besides its loads and stores."""
    writer = Writer(random.Random(seed))
    writer.depth = 2
    load_some(writer)
    SIZED[0](writer)
    budget = size
    while budget > 0:
        budget -= writer.rng.choice(DEEP)(writer)
    store_some(writer)
    return module_of(writer, ARGUMENTS, _HEAD)
