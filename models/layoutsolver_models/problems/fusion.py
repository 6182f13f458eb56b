"""Which loops of a region share a body: what each turn computes, loads and stores, and what keeps loops apart.

A problem speaks of one list of items that run one after the other. Loops are numbered in that order; a cluster is a set
of loops that become one, whose bodies then follow each other in that order. What stands between loops shows only in
`orders`: how loops depend on each other, directly or through it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from layoutsolver_models.problems.layout import Status, Where
from layoutsolver_models.problems.record import as_json_object


@as_json_object
class FusionWeights(NamedTuple):
    """What one of each costs, in half cycles: a vector load or store, a turn of a loop, a loop, a memory barrier."""

    load: int = 1
    store: int = 2
    turn: int = 2
    loop: int = 20
    barrier: int = 18


@as_json_object
class FusionLimits(NamedTuple):
    """What the body of one loop may take: vector registers, predicate registers, parameters; None without a limit."""

    registers: int | None = 32
    predicates: int | None = 8
    parameters: int | None = 32


@as_json_object
class FusionValue(NamedTuple):
    """A vector or mask: the vector registers and the predicate registers that it takes."""

    id: str
    registers: int
    predicates: int = 0


@as_json_object
class FusionStep(NamedTuple):
    """One operation of a body: the values it uses and makes, by number."""

    uses: tuple[int, ...]
    makes: tuple[int, ...]


@as_json_object
class FusionCarried(NamedTuple):
    """A value that a loop carries: the block argument, and the value that the body yields."""

    argument: int
    yielded: int


@as_json_object
class FusionLoop(NamedTuple):
    """A loop: `header` tells which loops run alike, `turns` how often one run turns, `runs` how often it is run.

    `parameters` are what the loop takes besides vectors: parts of memory and numbers, by name.
    """

    id: str
    header: int
    turns: int
    steps: tuple[FusionStep, ...]
    carried: tuple[FusionCarried, ...] = ()
    parameters: tuple[str, ...] = ()
    runs: int = 1
    where: Where | None = None


@as_json_object
class FusionSource(NamedTuple):
    """Where a load may take its value from: an earlier store, or an earlier load if `is_load`, of the same bytes.

    `blockers` are the stores between them that lose the value, if their loop is in the cluster.
    """

    access: int
    is_load: bool = False
    blockers: tuple[int, ...] = ()


@as_json_object
class FusionLoad(NamedTuple):
    """A load: its loop (-1: it stands between loops) and step, the value it makes, the registers it fills (0: it is not
    counted).

    It is needed if `needed` is set, if a store in `feeds` is kept, or if something that takes its value is needed.
    """

    loop: int
    step: int
    value: int
    registers: int
    sources: tuple[FusionSource, ...] = ()
    feeds: tuple[int, ...] = ()
    needed: bool = False
    where: Where | None = None


@as_json_object
class FusionCover(NamedTuple):
    """A later store that overwrites all of a store; `observers` are the loads between them that may read it."""

    by: int
    observers: tuple[int, ...] = ()


@as_json_object
class FusionStore(NamedTuple):
    """A store: its loop and step, the value it stores (-1: several or none), the registers it writes.

    It may go if no reader is left: `readers` are the loads that may read it before it is overwritten, `escapes` says
    who else may (empty: nobody); or if one of `covers` is in its cluster and nothing observes it before; or if memory
    has its value already (`repeats`).
    """

    loop: int
    step: int
    value: int
    registers: int
    readers: tuple[int, ...] = ()
    escapes: str = ""
    covers: tuple[FusionCover, ...] = ()
    repeats: tuple[FusionSource, ...] = ()
    where: Where | None = None


@as_json_object
class FusionHazard(NamedTuple):
    """A store and a later access to its bytes, in the same or a later turn: in one loop both need a barrier each turn.

    `load` is the later access, or `store` the later store; the other one is -1.
    """

    earlier: int
    load: int = -1
    store: int = -1


@as_json_object
class FusionOrder(NamedTuple):
    """Loop `before` comes first. `strict`: something that is no loop comes between them, so they cannot be one.

    `barrier`: apart, they need a memory barrier between them.
    """

    before: int
    after: int
    strict: bool = False
    barrier: bool = False


@as_json_object
class FusionApart(NamedTuple):
    """Two loops that cannot be one, and the rule that says so."""

    first: int
    second: int
    rule: str


@as_json_object
class FusionProblem(NamedTuple):
    """The whole question; `runs` is how often the items run."""

    loops: tuple[FusionLoop, ...]
    values: tuple[FusionValue, ...] = ()
    loads: tuple[FusionLoad, ...] = ()
    stores: tuple[FusionStore, ...] = ()
    hazards: tuple[FusionHazard, ...] = ()
    orders: tuple[FusionOrder, ...] = ()
    apart: tuple[FusionApart, ...] = ()
    weights: FusionWeights = FusionWeights()
    limits: FusionLimits = FusionLimits()
    runs: int = 1
    schema: Literal["layoutsolver/fusion-problem/1"] = "layoutsolver/fusion-problem/1"


@as_json_object
class FusionCost(NamedTuple):
    """What a plan comes to each time the region runs: loads, stores, turns of loops, loops, barriers, and their sum."""

    loads: int = 0
    stores: int = 0
    turns: int = 0
    loops: int = 0
    barriers: int = 0
    total: int = 0


@as_json_object
class FusionSolution(NamedTuple):
    """The answer: clusters of loops in an order in which they can run, loads that are to stay though they need not.

    `bound` is a proved lower bound of the cost. Empty unless `status` is `optimal` or `feasible`.
    """

    status: Status
    clusters: tuple[tuple[int, ...], ...] = ()
    keep: tuple[int, ...] = ()
    cost: FusionCost = FusionCost()
    bound: int = 0
    schema: Literal["layoutsolver/fusion-solution/1"] = "layoutsolver/fusion-solution/1"
