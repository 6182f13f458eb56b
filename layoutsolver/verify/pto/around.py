"""What stands around vector code: pointers, copies between global memory and the unified buffer, synchronisation.

A run is sequential, so synchronisation has nothing to do. One core runs, block and subblock 0.
"""

from __future__ import annotations

import numpy as np

from layoutsolver.mlir.pto_types import PointerType
from layoutsolver.mlir.types import MemRefType, ScalarType
from layoutsolver.ops.assembly import skip_bracket
from layoutsolver.verify.operation import Operation
from layoutsolver.verify.pto.ram import Ram
from layoutsolver.verify.pto.values import Get, Pointer, PtoValue
from layoutsolver.verify.values import Scalar, integer
from layoutsolver_models.hardware.ub import BLOCK

SYNCHRONISATION = frozenset({
    "set_flag", "wait_flag", "set_flag_dyn", "wait_flag_dyn", "get_buf", "rls_buf", "get_buf_dyn", "rls_buf_dyn",
    "barrier", "mem_bar", "pipe_barrier",
})  # fmt: skip
"""The operations that order others, and do nothing in a run of one after the other."""

_QUERIES = {
    "get_block_idx": 0, "get_subblock_idx": 0, "get_block_num": 1, "get_subblock_num": 1,
}  # fmt: skip

_SPACE = 1 << 40
"""An address as a number is the allocation times this plus the offset; allocation 0 is the unified buffer."""


def run_around(op: Operation, get: Get, ram: Ram) -> list[PtoValue] | None:
    """The results of an operation around vector code, None if it is none. Raises CannotRunError and HardwareFault."""
    if not op.node.name.startswith("pto."):
        return None
    if op.name in SYNCHRONISATION:
        return []
    if op.name in _QUERIES:
        return [integer(_result(op), _QUERIES[op.name])]
    if op.name == "castptr":
        return [_cast(op, get(op.value("input")))]
    if op.name == "pointer_cast":
        return [_tile(op, get(op.node.operands[0]) if op.node.operands else None)]
    if op.name == "addptr":
        return [pointer(op, get, "ptr").moved(defined(op, get(op.value("offset"))))]
    if op.name in ("mte_gm_ub", "mte_ub_gm"):
        _copy(op, get, ram)
        return []
    if op.name == "mte_ub_ub":
        _copy_blocks(op, get, ram)
        return []
    return None


def pointer(op: Operation, get: Get, role: str) -> Pointer:
    """The pointer in a role. Raises CannotRunError for anything else."""
    found = get(op.value(role))
    if not isinstance(found, Pointer):
        raise op.fail(f"has no pointer as `{role}`")
    return found


def defined(op: Operation, value: PtoValue) -> int:
    """The number of a scalar. Raises CannotRunError where it is not defined."""
    if not isinstance(value, Scalar) or not value.defined:
        raise op.fail("depends on a number that is not defined")
    return value.signed


def _result(op: Operation) -> ScalarType:
    type_ = op.type(op.node.results[0])
    return type_ if isinstance(type_, ScalarType) else ScalarType("i64", 64)


def _cast(op: Operation, value: PtoValue) -> PtoValue:
    """A pointer from a number, a number from a pointer, or a pointer to another type."""
    type_ = op.type(op.node.results[0])
    if isinstance(type_, PointerType) and isinstance(type_.element, ScalarType):
        if isinstance(value, Pointer):
            return Pointer(value.allocation, value.offset, type_.element)
        allocation, offset = divmod(defined(op, value), _SPACE)
        return Pointer(allocation, offset, type_.element)
    if isinstance(type_, ScalarType) and isinstance(value, Pointer):
        return integer(type_, value.allocation * _SPACE + value.offset)
    raise op.fail("is not known for these types")


def _tile(op: Operation, address: PtoValue) -> PtoValue:
    """The start of a tile at an address in the unified buffer; its shape bounds nothing here."""
    type_ = op.type(op.node.results[0]) if op.node.results else None
    if not isinstance(type_, MemRefType) or not isinstance(type_.element, ScalarType):
        raise op.fail("makes no memref of known elements")
    if not any(f"<{space}>" in type_.rest.replace(" ", "") for space in ("vec", "ub")):
        raise op.fail("is known of tiles in the unified buffer only")
    return Pointer(0, defined(op, address), type_.element)


def _groups(op: Operation, get: Get) -> tuple[list[PtoValue], dict[str, list[list[PtoValue]]]]:
    """The operands before the first group, and those of each group by its name, in order."""
    texts, inner = op.node.op.stream.texts, op.node.op
    by_token = dict(zip(op.node.operand_tokens, op.node.operands, strict=True))
    plain: list[PtoValue] = []
    groups: dict[str, list[list[PtoValue]]] = {}
    at = inner.name_token + 1
    while at < inner.last and texts[at] != ":":
        if texts[at] == "(":
            end = skip_bracket(texts, at, inner.last)
            given = [get(by_token[token]) for token in range(at, end) if token in by_token]
            groups.setdefault(texts[at - 1], []).append(given)
            at = end
            continue
        if at in by_token:
            plain.append(get(by_token[at]))
        at += 1
    return plain, groups


def _triple(op: Operation, values: list[PtoValue], name: str) -> tuple[int, int, int]:
    if len(values) != 3:
        raise op.fail(f"has a group `{name}` of {len(values)} operands, not three")
    first, second, third = (defined(op, value) for value in values)
    return first, second, third


def _copy(op: Operation, get: Get, ram: Ram) -> None:
    """Copy bursts of bytes, padded up to the stride of the destination if a `pad` group says with what.

    Source: PTO ISA document, DMA copy.
    """
    plain, groups = _groups(op, get)
    to_ub = op.name == "mte_gm_ub"
    if len(plain) != (4 if to_ub else 3) or len(groups.get("nburst", [])) != 1:
        raise op.fail("is not known in this form")
    source, target = plain[0], plain[1]
    if not isinstance(source, Pointer) or not isinstance(target, Pointer):
        raise op.fail("copies between pointers only")
    length = defined(op, plain[3 if to_ub else 2])
    loops = [_triple(op, values, "loop") for values in groups.get("loop", [])]
    pad = groups.get("pad", [None])[0]
    fill = None if pad is None else _fill(op, pad)
    in_ub = target if to_ub else source
    ram.of(in_ub).check(in_ub.offset, 0, BLOCK)
    bursts = [(0, 0)]
    for count, source_stride, target_stride in [_triple(op, groups["nburst"][0], "nburst"), *loops]:
        bursts = [(s + k * source_stride, t + k * target_stride) for k in range(count) for s, t in bursts]
    stride = defined(op, groups["nburst"][0][2])
    for source_at, target_at in bursts:
        data, poison, birth = ram.of(source).read(source.offset + source_at, length)
        place = Pointer(target.allocation, target.offset + target_at, target.element)
        ram.write(op.node.index, place, data, poison, birth)
        ram.inherit(place, source, source.offset + source_at, length)
        rest = stride - length
        if fill is not None and rest > 0:
            behind = Pointer(target.allocation, place.offset + length, target.element)
            ram.write(op.node.index, behind, np.resize(fill, rest), np.zeros(rest, np.bool_))


def _fill(op: Operation, pad: list[PtoValue]) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """The bytes of the padding value. Raises CannotRunError for padding on the left, which is not documented enough."""
    value = pad[0]
    if not isinstance(value, Scalar) or not value.defined:
        raise op.fail("pads with a value that is not defined")
    if len(pad) > 1 and defined(op, pad[1]):
        raise op.fail("pads on the left, of which no document says where the data goes")
    return np.frombuffer(value.bits.to_bytes(max(1, value.width // 8), "little"), np.uint8)


def _copy_blocks(op: Operation, get: Get, ram: Ram) -> None:
    """Copy bursts of 32-byte blocks with gaps between them. Source: PTO ISA document, pto.mte_ub_ub."""
    plain, groups = _groups(op, get)
    if len(plain) != 3 or len(groups.get("nburst", [])) != 1:
        raise op.fail("is not known in this form")
    source, target = plain[0], plain[1]
    if not isinstance(source, Pointer) or not isinstance(target, Pointer):
        raise op.fail("copies between pointers only")
    length = defined(op, plain[2])
    count, source_gap, target_gap = _triple(op, groups["nburst"][0], "nburst")
    for burst in range(count):
        start = source.offset + burst * (length + source_gap) * BLOCK
        place = Pointer(target.allocation, target.offset + burst * (length + target_gap) * BLOCK, target.element)
        ram.of(place).check(place.offset, 0, BLOCK)
        data, poison, birth = ram.of(source).read(start, length * BLOCK, BLOCK)
        ram.write(op.node.index, place, data, poison, birth)
