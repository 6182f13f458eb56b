"""What a `pto` function is run on: memory for its pointers, and scalars and vectors that keep accesses in bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from layoutsolver.graph.model import Function, Graph
from layoutsolver.mlir.pto_types import PointerType, PredicateType, RegisterType, VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import MemRefType, OtherType, ScalarType, Type
from layoutsolver.verify.memory import KINDS, Kind, numbers
from layoutsolver.verify.operation import CannotRunError
from layoutsolver.verify.pto.ram import Allocation
from layoutsolver.verify.pto.values import PAIRS, Mask, Pointer, PtoValue, Vector, format_named
from layoutsolver.verify.values import Scalar, integer
from layoutsolver_models.hardware.formats import FORMATS, Lanes
from layoutsolver_models.hardware.state import PReg, VReg
from layoutsolver_models.hardware.ub import Memory
from layoutsolver_models.rules.vmi.memory import UNIFIED_BUFFER_BYTES

UB_ALLOCATION = 64 * 1024
"""Bytes behind a pointer into the unified buffer."""

GM_ALLOCATION = 1024 * 1024
"""Bytes behind a pointer into global memory."""

_CASTS = frozenset({"pto.castptr", "pto.pointer_cast"})
ROOM = 256 * 1024
"""Bytes in front of and behind them, for programs that go further."""

_OFFSETS = frozenset({"offset", "increment"})
_STRIDES = frozenset({"row_stride", "source_group_stride", "stride"})
_BLOCKS = frozenset({"block_stride", "repeat_stride"})
_GLOBAL = "#pto.address_space<gm>"
_IN_ROWS = ("#pto.address_space<vec>", "#pto.address_space<ub>", _GLOBAL)
_SAME = frozenset({"arith.index_cast", "arith.index_castui", "arith.extui", "arith.extsi", "arith.trunci"})
"""Operations that give the number that they take."""

_COUNTS = (0, 1, 3, 8, 16, 17, 31, 63, 64, 65, 100, 128, 200, 256)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The memory of a run, the arguments of its function, and which allocations are compared afterwards.

    `border` are the types with their layouts of those arguments that are logical vectors, for a program in which they
    are registers.
    """

    allocations: tuple[Allocation, ...]
    arguments: tuple[PtoValue, ...]
    compared: tuple[bool, ...]
    border: tuple[VmiVectorType | VmiMaskType | None, ...] = ()


def make_inputs(
    graph: Graph, function: Function, seed: int, number: int, tame: bool = False,
    sizes: dict[str, int] | None = None, roomy: bool = False,
) -> Inputs:  # fmt: skip
    """The inputs of a run: the same for the same seed and number.

    With `tame`, integers in memory are small, so that they lead nowhere outside when they are taken for places. `sizes`
    says how many bytes are behind the pointers of these names. With `roomy`, there is more of it, and some in front of
    where they point to, and scalars that lead there are small. Raises CannotRunError for an argument that cannot be
    made up.
    """
    rng = np.random.default_rng([seed, number, function.op])
    uses, steps = _uses(graph), _steps(graph)
    names = {node.name for node in graph.ops}
    allocations = [_unified_buffer(rng, graph, number, tame, bool(names & {"pto.mte_gm_ub"}))]
    compared = ["pto.mte_ub_gm" not in names]
    arguments: list[PtoValue] = []
    for value in function.arguments:
        known = graph.values[value]
        type_ = known.type
        if _is_memory(type_) and isinstance(type_.element, ScalarType):
            is_global = type_.space == "gm" if isinstance(type_, PointerType) else _GLOBAL in type_.rest
            size = (sizes or {}).get(known.name, GM_ALLOCATION if is_global else UB_ALLOCATION)
            start = ROOM if roomy else 0
            content = _content(rng, type_.element, start + (ROOM if roomy else 0) + size, number, tame)
            arguments.append(Pointer(len(allocations), start, type_.element))
            allocations.append(Allocation(known.name, is_global, Memory.from_bytes(content), start))
            compared.append(True)
        elif isinstance(type_, ScalarType):
            arguments.append(_scalar(rng, type_, uses.get(value, set()), number, steps.get(value, 0), roomy))
        else:
            arguments.append(_vector(rng, function, known.name, type_, number))
    return Inputs(tuple(allocations), tuple(arguments), tuple(compared))


def _is_memory(type_: Type) -> TypeGuard[PointerType | MemRefType]:
    """Whether a value is an address: a pointer, or a memref whose elements lie in a row."""
    return isinstance(type_, PointerType) or (isinstance(type_, MemRefType) and type_.rest.strip(", ") in _IN_ROWS)


def _unified_buffer(
    rng: np.random.Generator, graph: Graph, number: int, tame: bool, filled_by_copies: bool
) -> Allocation:
    """The memory behind addresses that are numbers: nothing if the program copies into it, else numbers of the types
    that it is cast to, from each constant address on.
    """
    if filled_by_copies:
        return Allocation("unified buffer", False, Memory.poisoned(UNIFIED_BUFFER_BYTES))
    starts: dict[int, ScalarType] = {}
    for node in graph.ops:
        if node.name in _CASTS and node.operands and node.results and node.operands[0] in graph.constants:
            type_ = graph.values[node.results[0]].type
            if isinstance(type_, PointerType | MemRefType) and isinstance(type_.element, ScalarType):
                starts.setdefault(graph.constants[node.operands[0]], type_.element)
    content = np.zeros(UNIFIED_BUFFER_BYTES, np.uint8)
    ends = [*sorted(starts)[1:], UNIFIED_BUFFER_BYTES]
    for start, end in zip(sorted(starts), ends, strict=False):
        if 0 <= start < end <= UNIFIED_BUFFER_BYTES:
            content[start:end] = _content(rng, starts[start], end - start, number, tame)
    return Allocation("unified buffer", False, Memory.from_bytes(content))


def _kind(rng: np.random.Generator, number: int) -> Kind:
    return KINDS[number % len(KINDS)]


def _content(rng: np.random.Generator, element: ScalarType, size: int, number: int, tame: bool) -> Lanes:
    """The bytes of a buffer."""
    fmt = format_named(element, True)
    if fmt is None or (element.text in PAIRS and fmt.bits == 4):
        return rng.integers(256, size=size, dtype=np.uint8)
    count = -(-size // fmt.width)
    if tame and not fmt.is_float:
        return rng.integers(64, size=count).astype(fmt.storage).view(np.uint8)[:size]
    return numbers(rng, fmt, count, _kind(rng, number)).view(np.uint8)[:size]


def _steps(graph: Graph) -> dict[int, int]:
    """The steps of the loops that a value ends, the longest of several, where they are constant."""
    found: dict[int, int] = {}
    for loop in graph.loops.values():
        step = graph.constants.get(loop.bounds[2], 0)
        found[loop.bounds[1]] = max(step, found.get(loop.bounds[1], 0))
    for node in reversed(graph.ops):
        if node.name in _SAME and node.results[0] in found:
            found[node.operands[0]] = max(found[node.results[0]], found.get(node.operands[0], 0))
    return found


def _scalar(rng: np.random.Generator, type_: ScalarType, uses: set[str], number: int, step: int, small: bool) -> Scalar:
    """A scalar for its uses; of what ends a loop, so many steps that it runs up to three times."""
    fmt = None if type_.bits is None else FORMATS.get(type_.text)
    if type_.is_float:
        if fmt is None:
            raise CannotRunError(-1, f"no number of type `{type_.text}` can be made up")
        return Scalar(type_, int(numbers(rng, fmt, 1, _kind(rng, number))[0]))
    if type_.bits == 1:
        return integer(type_, 0 if "loop" in uses else number % 2)
    if step > 0:
        return integer(type_, step * int(rng.integers(4)))
    if small and uses & (_OFFSETS | _STRIDES):
        return integer(type_, 32 * int(rng.integers(1, 3)))
    if uses & _OFFSETS:
        return integer(type_, 256 * int(rng.integers(2)) if "bound" not in uses else 256)
    if uses & _STRIDES:
        return integer(type_, 64 * int(rng.integers(1, 5)))
    if uses & _BLOCKS:
        return integer(type_, int(rng.integers(1, 5)))
    if "bound" in uses:
        return integer(type_, int(rng.integers(0, 4)))
    return integer(type_, int(rng.choice(_COUNTS)))


def _vector(rng: np.random.Generator, function: Function, name: str, type_: Type, number: int) -> PtoValue:
    """A logical vector or mask, a register or a predicate."""
    if isinstance(type_, VmiMaskType):
        return Mask(rng.integers(2, size=type_.lanes).astype(np.bool_), np.zeros(type_.lanes, np.bool_))
    if isinstance(type_, PredicateType):
        width = int(type_.granularity[1:]) // 8
        return PReg.from_lanes(rng.integers(2, size=256 // width), width)
    if isinstance(type_, VmiVectorType | RegisterType) and isinstance(type_.element, ScalarType):
        element = type_.element
        size = type_.lanes * (element.bits or 0) // 8
        data = np.ascontiguousarray(_content(rng, element, size, number, element.text[:1] in "isu")).view(np.uint8)
        return VReg(data) if isinstance(type_, RegisterType) else Vector(element, data, np.zeros(size, np.bool_))
    if isinstance(type_, OtherType) and not type_.text:
        return None
    raise CannotRunError(function.op, f"no value can be made up for `{name}` of type `{type_.text}`")


def _uses(graph: Graph) -> dict[int, set[str]]:
    """The roles in which each value is used, or what is computed from it."""
    found: dict[int, set[str]] = {}
    for node in reversed(graph.ops):
        roles: dict[int, set[str]] = {}
        if node.name == "scf.for":
            loop = graph.loops.get(node.index)
            bounds = node.operands[:3]
            passed = found.get(loop.induction, set()) if loop is not None and loop.induction >= 0 else set()
            roles = {value: {"bound", *passed} for value in bounds}
        elif node.name == "scf.condition":
            roles = {node.operands[0]: {"loop"}}
        elif not node.op.regions:
            passed = set().union(*(found.get(result, set()) for result in node.results)) if node.results else set()
            plain = {value: {role} for role, value in zip(node.roles, node.operands, strict=True)}
            roles = plain if node.name.startswith("pto.") else dict.fromkeys(node.operands, passed)
        for value, names in _pairs(roles):
            found.setdefault(value, set()).update(names)
    return found


def _pairs(roles: dict[int, set[str]]) -> Iterator[tuple[int, set[str]]]:
    yield from roles.items()
