"""The predicate instructions of VPTO. Their widths are in the names, or in the types."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from layoutsolver.mlir.pto_types import PredicateType
from layoutsolver.verify.pto.values import Pointer, PtoValue
from layoutsolver.verify.vpto.operands import Call
from layoutsolver_models.hardware import predicate, predicate_memory
from layoutsolver_models.hardware.state import PReg

_WIDTHS = {"b8": 1, "b16": 2, "b32": 4}
_UNSURE = ("PAT_H", "PAT_Q")
_IMMEDIATE_UNITS = {"NORM": 32, "US": 16, "DS": 32, "PK": 16}
"""Bytes of a step of the offset of pldi and psti."""
_LOADED: dict[str, predicate_memory.LoadDist] = {"NORM": "NORM", "US": "US", "DS": "DS"}
_STORED: dict[str, predicate_memory.StoreDist] = {"NORM": "NORM", "PK": "PK"}


def _width(call: Call) -> int:
    """Bytes of a lane as the name of an instruction has it, which its predicates must have as well."""
    named = call.name.rpartition("_")[2]
    wrong = next((one for one in _granularities(call) if one != named), None)
    if wrong is not None:
        raise call.op.fail(f"works on predicates of granularity {named}, not {wrong}")
    return _WIDTHS[named]


def _granularities(call: Call) -> list[str]:
    """The granularities of the predicates that an instruction takes and makes, in their order."""
    types = map(call.op.type, (*call.op.node.operands, *call.op.node.results))
    return [type_.granularity for type_ in types if isinstance(type_, PredicateType)]


def _pattern(call: Call) -> list[PtoValue]:
    name = call.attr("pattern")
    if name in _UNSURE:
        raise call.op.fail(f"has the pattern `{name}`: documents disagree on which lanes that are")
    if name.removeprefix("PAT_") not in predicate.PATTERNS:
        raise call.op.fail(f"has the pattern `{name}`, which there is not")
    return [predicate.pge(_width(call), name.removeprefix("PAT_"))]


def _count(call: Call) -> list[PtoValue]:
    from layoutsolver.mlir.types import ScalarType
    from layoutsolver.verify.values import Scalar, integer

    given = call.get(call.op.value("scalar"))
    if not isinstance(given, Scalar):
        raise call.op.fail("counts no scalar")
    made, left = predicate.plt(_width(call), given.signed)
    type_ = call.op.type(call.op.node.results[1]) if len(call.op.node.results) > 1 else given.type
    rest = integer(type_ if isinstance(type_, ScalarType) else given.type, left, given.defined)
    return [made if given.defined else PReg.poisoned(), rest]


def _count_from(call: Call) -> list[PtoValue]:
    return [predicate.pltm(_width(call), call.number("loop"), call.number("bound"))]


def _logic(call: Call) -> list[PtoValue]:
    if len(set(_granularities(call))) > 1:
        raise call.op.fail(f"has predicates of granularity {' and '.join(dict.fromkeys(_granularities(call)))}")
    mask = call.mask()
    if call.name == "pnot":
        return [predicate.pnot(call.mask("input"), mask)]
    lhs, rhs = call.mask("src0"), call.mask("src1")
    run = {"pand": predicate.pand, "por": predicate.por, "pxor": predicate.pxor, "psel": predicate.psel}[call.name]
    return [run(lhs, rhs, mask)]


def _repack(call: Call) -> list[PtoValue]:
    part = call.attr("part")
    if part not in ("LOWER", "HIGHER"):
        raise call.op.fail(f"has the part `{part}`, not LOWER or HIGHER")
    steps = [list(_WIDTHS).index(one) for one in _granularities(call)]
    if steps[1] - steps[0] not in ((0, -1) if call.name == "ppack" else (0, 1)):
        raise call.op.fail(f"leads from granularity {' to '.join(_granularities(call))}")
    run = predicate.ppack if call.name == "ppack" else predicate.punpack
    return [run(call.mask("input"), cast(predicate.Part, part))]


def _interleave(call: Call) -> list[PtoValue]:
    run = predicate.pintlv if call.name.startswith("pintlv") else predicate.pdintlv
    low, high = run(_width(call), call.mask("lhs"), call.mask("rhs"))
    return [low, high]


def _same(call: Call) -> list[PtoValue]:
    return [call.mask("input")]


def _place(call: Call, role: str, results: int) -> tuple[Pointer, list[PtoValue]]:
    """Where a predicate is loaded or stored: offsets are bytes, or steps of the distribution."""
    base = call.pointer(role)
    unit = _IMMEDIATE_UNITS.get(call.attr("dist"), 1) if call.name.endswith("i") else 1
    moved = Pointer(base.allocation, base.offset + unit * call.number("offset"), base.element)
    return (base, [moved]) if len(call.op.node.results) > results else (moved, [])


def _load(call: Call) -> list[PtoValue]:
    at, updated = _place(call, "source", 1)
    dist = _LOADED.get(call.attr("dist", "NORM"))
    if dist is None:
        raise call.op.fail(f"with distribution `{call.attr('dist')}` is not known")
    return [predicate_memory.plds(call.unit.ram.of(at), at.offset, dist), *updated]


def _store(call: Call) -> list[PtoValue]:
    at, updated = _place(call, "destination", 0)
    dist = _STORED.get(call.attr("dist", "NORM"))
    if dist is None:
        raise call.op.fail(f"with distribution `{call.attr('dist')}` is not known")
    ram = call.unit.ram
    made = predicate_memory.psts(ram.of(at), at.offset, call.mask("value"), dist)
    ram.replaced(call.node, at, made)
    return [*updated]


def _stream(call: Call) -> list[PtoValue]:
    """Add the bits of a b16 or b32 predicate to a store stream."""
    at, width = call.pointer("base"), call.granularity("value")
    if width not in (2, 4):
        raise call.op.fail("adds masks of granularity b16 and b32 only")
    ram = call.unit.ram
    made, align, end = predicate_memory.pstu(
        ram.of(at), at.offset, call.mask("value"), 2 if width == 2 else 4, call.align("align_in")
    )
    ram.replaced(call.node, at, made)
    return [align, Pointer(at.allocation, end, at.element)]


PREDICATES: dict[str, Callable[[Call], list[PtoValue]]] = {
    **{f"{name}_{width}": run for width in _WIDTHS for name, run in (
        ("pset", _pattern), ("pge", _pattern), ("plt", _count), ("pltm", _count_from), ("pintlv", _interleave),
        ("pdintlv", _interleave))},
    "pand": _logic, "por": _logic, "pxor": _logic, "psel": _logic, "pnot": _logic, "ppack": _repack,
    "punpack": _repack, "pbitcast": _same, "plds": _load, "pldi": _load, "psts": _store, "psti": _store,
    "pstu": _stream,
}  # fmt: skip
"""The instructions of this file by their names."""
