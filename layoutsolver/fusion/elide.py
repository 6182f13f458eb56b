"""Elision of a whole program, again and again until nothing more is found. Source: fusion spec 6.

Ranges are the items of each fusion region, and the bodies of the loops and vector scopes in it. What is outside of
regions stays as it is, unless a function has none: then its own items are a range.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.fusion.access import LOAD, Facts
from layoutsolver.fusion.code import Code, Item, Loop, Scope, Straight, inside, results_of, walk
from layoutsolver.fusion.elision.demand import Demands
from layoutsolver.fusion.elision.places import Transfers
from layoutsolver.fusion.elision.scan import Dropped, Forward, scan
from layoutsolver.fusion.lanes import Masks
from layoutsolver.fusion.liveness import Reader, readers
from layoutsolver.fusion.policy import SCOPES, is_pure
from layoutsolver.fusion.rewrite import rewritten
from layoutsolver.graph.model import OpNode


class ElideOptions(NamedTuple):
    """How values are handed on.

    `exit_dse` also drops stores that nobody reads to the end of the function; `trust_zero` believes operations that
    say `pmode = "zero"`; `keep` are the loads (indices of operations) that are to stay.
    """

    exit_dse: bool = True
    trust_zero: bool = False
    keep: frozenset[int] = frozenset()


DEFAULT = ElideOptions()


class Kept(NamedTuple):
    """A store that is kept, and everybody who may read it."""

    store: OpNode
    readers: tuple[Reader, ...]


class Elided(NamedTuple):
    """The program afterwards, which loads were handed their values, which stores dropped and which kept, and why."""

    code: Code
    forwards: tuple[Forward, ...]
    dead: tuple[Dropped, ...]
    kept: tuple[Kept, ...]


def elide(code: Code, options: ElideOptions = DEFAULT) -> Elided:
    """Hand on values between loads and stores in the regions of a program, drop stores that nobody reads, and what is
    then computed for nobody.
    """
    before = unused(code)
    forwards: list[Forward] = []
    dropped: list[Dropped] = []
    while True:
        found = _scanned(code, options)
        if found.forwards or found.dead:
            code = _without(code, found)
            forwards += found.forwards
            dropped += found.dead
        stores = _stores(code)
        unread = tuple(Dropped(one.store, "not read", None) for one in stores if options.exit_dse and not one.readers)
        if unread:
            code = _without(code, Elided(code, (), unread, ()))
            dropped += unread
        smaller = without_unused(code, before)
        if smaller is code and not found.forwards and not found.dead and not unread:
            return Elided(code, tuple(forwards), tuple(dropped), stores)
        code = smaller


def ranges(items: tuple[Item, ...], within: bool = False) -> list[tuple[Item, ...]]:
    """The lists of items that each are one range."""
    out: list[tuple[Item, ...]] = []
    for item in items:
        opens = isinstance(item, Scope) and _opens(item)
        is_range = opens or (within and (isinstance(item, Loop) or item.node.name in SCOPES))
        for block in inside(item):
            if is_range:
                out.append(block)
            out += ranges(block, within or opens)
    return out


def _opens(scope: Scope) -> bool:
    """Whether elision takes place within: in regions, and in functions that have none."""
    if scope.is_region:
        return True
    return scope.node.name == "func.func" and not any(
        isinstance(one, Scope) and one.is_region for one in walk((scope,))
    )


def _scanned(code: Code, options: ElideOptions) -> Elided:
    facts = Facts(code)
    masks = Masks(facts.numbers)
    transfers, demands = Transfers(facts, masks), Demands(code, masks, options.trust_zero)
    found = [scan(items, facts, transfers, demands, options.keep) for items in ranges(code.items)]
    forwards = tuple(one for part in found for one in part.forwards)
    return Elided(code, forwards, tuple(one for part in found for one in part.dropped), ())


def _without(code: Code, found: Elided) -> Code:
    """The program with values handed on, without these loads and stores."""
    gone = frozenset(one.load.index for one in found.forwards) | frozenset(one.store.index for one in found.dead)
    return rewritten(code, gone, {one.load.results[0]: one.value for one in found.forwards})


def _stores(code: Code) -> tuple[Kept, ...]:
    """The stores in ranges that are understood, and who may read them."""
    found = readers(code, Facts(code))
    inner = {one.node.index for items in ranges(code.items) for one in items}
    return tuple(Kept(code.graph.ops[index], them) for index, them in found.items() if index in inner)


def without_unused(code: Code, before: frozenset[int]) -> Code:
    """The program without operations in its ranges that only compute or load what nobody uses, those apart that compute
    values in `before`; the same object if there are none.
    """
    idle = unused(code) - before
    gone: set[int] = set()
    for items in ranges(code.items):
        for item in items:
            simple = isinstance(item, Straight) and (is_pure(item.node) or item.node.name == LOAD)
            if simple and item.node.results and idle.issuperset(results_of(item)):
                gone.add(item.node.index)
    return rewritten(code, frozenset(gone), {})


def unused(code: Code) -> frozenset[int]:
    """The results of operations that nobody uses."""
    used: set[int] = set()
    made: set[int] = set()
    for item in walk(code.items):
        used.update(item.operands)
        made.update(results_of(item))
        if isinstance(item, Loop):
            used.update(carried.yielded for carried in item.carried)
    return frozenset(made - used)
