"""The predicate registers that masks take. Source: fusion spec 5.2.

A predicate register governs one vector register. A mask of known lanes takes one for each different pattern among the
registers of the vectors that it governs, and equal patterns are one register whatever masks they belong to; any other
mask takes one for each register. Operations and stores without a mask run under one of all their lanes.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from layoutsolver.fusion.code import Item, Straight
from layoutsolver.fusion.elision.demand import CASTS, LANEWISE, REDUCTIONS, Demands
from layoutsolver.fusion.lanes import Lanes, every
from layoutsolver.graph.model import OpNode
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver_models.vecmem import REGISTER_BYTES

_BITS = 8 * REGISTER_BYTES
_WIDEST = 32
_GOVERNED = LANEWISE | CASTS | REDUCTIONS | {"vstore", "store"}
"""Operations that run under a predicate though their text has none."""


class Pattern(NamedTuple):
    """The predicate register of some lanes: equal for equal keys."""

    key: Hashable
    name: str


class Predicates:
    """The predicates of a program."""

    __slots__ = ("_widths", "demands", "values")

    def __init__(self, demands: Demands) -> None:
        self.demands = demands
        self.values = demands.code.graph.values
        self._widths: dict[int, int] = {}

    def registers(self, mask: int) -> int:
        """The predicate registers of a mask by itself."""
        lanes = self._lanes(mask)
        width = self._width(mask)
        return len(_patterns(lanes, width)) if lanes.is_known else -(-lanes.count * width // _BITS)

    def patterns(self, mask: int) -> tuple[Pattern, ...]:
        """The registers of a mask of known lanes; empty where they are not known."""
        lanes = self._lanes(mask)
        if not lanes.is_known:
            return ()
        return tuple(Pattern(key, self.values[mask].name) for key in _patterns(lanes, self._width(mask)))

    def implied(self, item: Item) -> tuple[Pattern, ...]:
        """The registers that an operation without a mask runs under."""
        name = item.node.name.removeprefix("pto.vmi.")
        if not isinstance(item, Straight) or name == item.node.name or name not in _GOVERNED:
            return ()
        if item.role("mask") is not None:
            return ()
        vectors = self._vectors(item.node)
        if not vectors:
            return ()
        widest = max(vectors, key=lambda type_: type_.lanes * type_.bits)
        return tuple(Pattern(key, "all lanes") for key in _patterns(every(widest.lanes), widest.bits))

    def _lanes(self, mask: int) -> Lanes:
        type_ = self.values[mask].type
        assert isinstance(type_, VmiMaskType)
        return self.demands.masks.lanes(mask, type_.lanes)

    def _vectors(self, node: OpNode) -> list[VmiVectorType]:
        types = (self.values[value].type for value in (*node.operands, *node.results))
        return [type_ for type_ in types if isinstance(type_, VmiVectorType)]

    def _width(self, mask: int) -> int:
        """The bits of the widest elements that a mask governs, by itself or through masks that are made of it."""
        known = self._widths.get(mask)
        if known is None:
            type_ = self.values[mask].type
            assert isinstance(type_, VmiMaskType)
            known = self._widths[mask] = type_.bits or self._governed(mask, type_.lanes) or _WIDEST
        return known

    def _governed(self, mask: int, lanes: int) -> int:
        """The bits of the widest elements of vectors at operations that make or take the mask; 0 without any."""
        ops = self.demands.code.graph.ops
        seen, stack, widest = {mask}, [mask], 0
        while stack:
            one = stack.pop()
            users = [item.node for item, _ in self.demands.users.get(one, ())]
            maker = self.values[one].op
            for node in users if maker < 0 else [*users, ops[maker]]:
                widest = max([widest, *(type_.bits for type_ in self._vectors(node) if type_.lanes == lanes)])
            made = {value for node in users for value in node.results} - seen
            made = {value for value in made if isinstance(self.values[value].type, VmiMaskType)}
            seen |= made
            stack += made
        return widest


def _patterns(lanes: Lanes, width: int) -> tuple[Hashable, ...]:
    """The different patterns of lanes in registers of elements of so many bits; all and none are the same for each.

    >>> _patterns(Lanes(128, (1 << 96) - 1), 32), _patterns(Lanes(512, (1 << 512) - 1), 32)
    (('all', (64, 4294967295)), ('all',))
    """
    each = max(1, _BITS // width)
    whole = (1 << each) - 1
    chunks = [lanes.bits >> at & whole for at in range(0, lanes.count, each)]
    names: dict[int, Hashable] = {whole: "all", 0: "none"}
    return tuple(dict.fromkeys(names.get(chunk, (each, chunk)) for chunk in chunks))
