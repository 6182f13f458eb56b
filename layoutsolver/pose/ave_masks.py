"""Which bits of a predicate may be set that are no element of its vector, in each granularity.

A predicate register has 256 bits. Those behind the last element and those between elements are clear only where the
instruction that made it clears them; what comes from memory, from a caller or from a splat may have them set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.ops.attributes import attributes
from layoutsolver.pose.ave_right import KNOWN_PATTERNS
from layoutsolver.pose.ave_tables import PREDICATE_CASTS
from layoutsolver_models.vecmem import VECMEM_TYPES

ODD, TWO = 1, 2
"""Bits between elements: the odd ones, and of a b32 predicate those two behind an element."""

GRANULES = {"b8": 0, "b16": 1, "b32": 2}
"""The granularities of a predicate, and their places in a `State`."""

SLOTS = (256, 128, 64)
"""How many elements a predicate has room for, by granularity."""


class Bits(NamedTuple):
    """In one granularity, no slot from `extent` on is set, and none between elements but those of `between`."""

    extent: int
    between: int


State = tuple[Bits, Bits, Bits]
"""What may be set, by granularity."""

ANYTHING: State = (Bits(256, 0), Bits(128, ODD), Bits(64, ODD | TWO))
NOTHING: State = (Bits(0, 0), Bits(0, 0), Bits(0, 0))

_PARTS = {"H": 2, "Q": 4}


def pattern_slots(name: str, lanes: int, slots: int) -> int:
    """How many slots a pattern of `pge` counts; all of a vector for which there is a pattern are its elements.

    >>> pattern_slots("ALL", 64, 128), pattern_slots("ALL", 20, 64), pattern_slots("H", 32, 64)
    (64, 64, 32)
    """
    if name == "ALL":
        return lanes if lanes < slots and lanes in KNOWN_PATTERNS else slots
    if name in _PARTS:
        return slots // _PARTS[name]
    if name == "ALLF":
        return 0
    return min(int(name[2:]), slots) if name[:2] == "VL" else slots


def mask_states(graph: Graph) -> dict[int, State]:
    """What may be set in the predicates of a program; those that are left out may have anything set.

    Forwards, until loops change nothing any more.
    """
    states: dict[int, State] = {}
    while _pass(graph, states):
        pass
    return states


def _pass(graph: Graph, states: dict[int, State]) -> bool:
    """Go through all operations once; whether what a loop carries grew, so that its body must be gone through again."""
    grown = False
    for node in graph.ops:
        maker = _MAKERS.get(node.name)
        if maker is not None:
            maker(graph, node, states)
        elif node.name == "scf.for":
            _enter(graph, node, states)
        elif node.name == "scf.yield" and node.operands:
            grown |= _leave(graph, node, states)
    return grown


def _is_mask(graph: Graph, value: int) -> bool:
    vector = graph.values[value].vector if value >= 0 else None
    return vector is not None and vector.bits == 1


def _enter(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    """What a loop carries begins as its initial value; what an earlier pass found stays."""
    loop = graph.loops.get(node.index)
    for init, argument, _, result in loop.carried if loop is not None else ():
        if init >= 0 and _is_mask(graph, argument):
            state = states.get(init, ANYTHING)
            for value in (argument, result):
                states[value] = _either(states.get(value, NOTHING), state)


def _leave(graph: Graph, node: OpNode, states: dict[int, State]) -> bool:
    """Join what a yield hands over into the results around it; whether a loop's next round begins with more."""
    loop = graph.loops.get(node.parent)
    if loop is None:
        parent = graph.ops[node.parent]
        for result, value in zip(parent.results, node.operands, strict=False):
            if _is_mask(graph, result):
                states[result] = _either(states.get(result, NOTHING), states.get(value, ANYTHING))
        return False
    grown = False
    for _, argument, yielded, result in loop.carried:
        if yielded >= 0 and _is_mask(graph, argument):
            before = states.get(argument, NOTHING)
            after = _either(before, states.get(yielded, ANYTHING))
            states[argument] = states[result] = after
            grown |= after != before
    return grown


def _either(left: State, right: State) -> State:
    return _each(lambda a, b: Bits(max(a.extent, b.extent), a.between | b.between), left, right)


def _both(left: State, right: State) -> State:
    return _each(lambda a, b: Bits(min(a.extent, b.extent), a.between & b.between), left, right)


def _each(join: Callable[[Bits, Bits], Bits], left: State, right: State) -> State:
    return join(left[0], right[0]), join(left[1], right[1]), join(left[2], right[2])


def _prefix(extents: list[int]) -> State:
    return Bits(extents[0], 0), Bits(extents[1], 0), Bits(extents[2], 0)


def _of(states: dict[int, State], node: OpNode, role: str) -> State:
    value = node.role(role)
    return states.get(value, ANYTHING) if value is not None else ANYTHING


# -- what each operation makes ------------------------------------------------------------------------------------


def _pge(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    vector = graph.values[node.results[0]].vector if node.results else None
    name = pattern_of(node)
    if vector is not None and name:
        states[node.results[0]] = _prefix([pattern_slots(name, vector.lanes, slots) for slots in SLOTS])


def pattern_of(node: OpNode) -> str:
    """The pattern of a `pge`, empty if its text does not tell."""
    return attributes(node).get("pattern", "") if node.op.is_generic else node.enums.get("pattern", "")


def _plt(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    if node.results:
        states[node.results[0]] = _counted(graph.constants.get(node.operands[0]) if node.operands else None)


def _pltm(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    known = [graph.constants.get(value) for value in node.operands[:2]]
    if node.results and len(known) == 2:
        low, high = known
        states[node.results[0]] = _counted(None if low is None or high is None else high - low)


def _counted(count: int | None) -> State:
    return _prefix([slots if count is None else min(max(count, 0), slots) for slots in SLOTS])


def _load(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    if not node.results or not _is_mask(graph, node.results[0]):
        return
    if is_unaligned(node):
        states[node.results[0]] = (Bits(128, 0), *ANYTHING[1:])


def is_unaligned(node: OpNode) -> bool:
    """Whether an access is said not to be aligned."""
    if node.op.is_generic:
        return "ave.unaligned_ub_access" in attributes(node)
    return node.attrs is not None and any("unaligned_ub_access" in text for text in _attribute_texts(node))


def _attribute_texts(node: OpNode) -> list[str]:
    return node.op.stream.texts[node.attrs[0] : node.attrs[1]] if node.attrs is not None else []


def _splat(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    if not node.results or not node.operands or not _is_mask(graph, node.results[0]):
        return
    source = graph.values[node.operands[0]]
    made = graph.ops[source.op] if source.op >= 0 else None
    zero = graph.constants.get(source.index, 1) % 2 == 0
    if zero or (made is not None and made.name == "arith.constant" and "false" in _texts(made)):
        states[node.results[0]] = NOTHING


def _texts(node: OpNode) -> list[str]:
    return node.op.stream.texts[node.op.first : node.op.last]


def _compare(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    """A comparison sets bits of its mask alone, and those of its lanes alone: none between elements of full width."""
    source = node.role("lhs") if node.name == "ave.hir.vcmp" else node.role("vec")
    vector = graph.values[source].vector if source is not None else None
    if vector is None or not node.results:
        return
    mask = _of(states, node, "mask")
    bits = vector.bits or 32
    if bits == 64:  # a library makes it, which sets elements alone
        lanes = vector.lanes
        states[node.results[0]] = _prefix([min(lanes, slots) for slots in SLOTS])
        return
    kept = {8: ODD | TWO, 16: TWO}.get(bits, 0)
    b8, b16, b32 = mask
    own = Bits(b16.extent, b16.between & kept if bits == 8 else 0)
    states[node.results[0]] = (b8, own, Bits(b32.extent, b32.between & kept))


def _not(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    if node.results and _is_mask(graph, node.results[0]):
        states[node.results[0]] = _of(states, node, "mask")


def _and(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    if node.results and _is_mask(graph, node.results[0]):
        left, right = _sources(states, node)
        states[node.results[0]] = _both(_both(left, right), _of(states, node, "mask"))


def _or(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    if node.results and _is_mask(graph, node.results[0]):
        left, right = _sources(states, node)
        states[node.results[0]] = _both(_either(left, right), _of(states, node, "mask"))


def _sources(states: dict[int, State], node: OpNode) -> tuple[State, State]:
    names = ("plhs", "prhs") if node.name.startswith("ave.hir.preg.") else ("lhs", "rhs")
    return _of(states, node, names[0]), _of(states, node, names[1])


def _select(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    if node.results and _is_mask(graph, node.results[0]):
        states[node.results[0]] = _either(_of(states, node, "true_value"), _of(states, node, "false_value"))


def _predicate_cast(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    """Packing keeps the even bits, unpacking puts clear ones between them; only one granularity can result."""
    known = PREDICATE_CASTS.get(attributes(node).get("mode", ""))
    if known is None or not node.results:
        return
    before, after = GRANULES[known[0]], GRANULES[known[1]]
    bits = states.get(node.operands[0], ANYTHING)[before]
    between = 0
    if (before, after) == (1, 2):
        between = TWO if bits.between & ODD else 0
    elif (before, after) == (2, 1):
        between = ODD if bits.between & TWO else 0
    state = list(ANYTHING)
    state[after] = Bits(min(bits.extent, SLOTS[after]), between)
    states[node.results[0]] = state[0], state[1], state[2]


def _cast(graph: Graph, node: OpNode, states: dict[int, State]) -> None:
    """A cast hands the register on; where a layout cast has other layouts on its sides, an interleave is between."""
    if len(node.operands) != 1 or len(node.results) != 1:
        return
    source, result = node.operands[0], node.results[0]
    if not _is_mask(graph, source) or not _is_mask(graph, result):
        return
    given = graph.values[source].vector
    layout = given.layout if given is not None and node.name == "ave.hir.vector.layout_cast" else None
    state = states.get(source, ANYTHING)
    if layout not in GRANULES:
        states[result] = state
        return
    bits = state[GRANULES[layout]]
    made = []
    for name, place in GRANULES.items():
        step, own = VECMEM_TYPES[layout].slot_bytes, VECMEM_TYPES[name].slot_bytes
        between = bits.between if step == own else ANYTHING[place].between if own > step else ODD * (own == 2)
        made.append(Bits(min(bits.extent, SLOTS[place]), between))
    states[result] = made[0], made[1], made[2]


_MAKERS: dict[str, Callable[[Graph, OpNode, dict[int, State]], None]] = {
    "ave.hir.pge": _pge, "ave.hir.plt": _plt, "ave.hir.pltm": _pltm, "ave.hir.vload": _load,
    "ave.hir.scalar_broadcast": _splat, "ave.hir.vcmp": _compare, "ave.hir.vcmps": _compare,
    "ave.hir.preg.not": _not, "ave.hir.vnot": _not, "ave.hir.preg.and": _and, "ave.hir.vand": _and,
    "ave.hir.preg.or": _or, "ave.hir.vor": _or, "ave.hir.preg.xor": _or, "ave.hir.vxor": _or,
    "ave.hir.vsel": _select, "ave.hir.preg.cast": _predicate_cast, "ave.hir.vector.layout_cast": _cast,
    "builtin.unrealized_conversion_cast": _cast, "vector.shape_cast": _cast,
}  # fmt: skip
