"""Runs vector operations before layout: a vector is its elements, and nothing else.

Element i of a result is computed from elements i of the operands, with the very instructions that run after layout,
on registers in which the elements stand side by side. What no document determines is undefined: inactive elements of
arithmetic, all but the first element of a reduction, elements behind those that an operand has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from layoutsolver.mlir.types import VectorType
from layoutsolver.verify import lanes as ln
from layoutsolver.verify.elements import (
    all_of_rows,
    as_mask,
    combined,
    from_registers,
    mask_registers,
    of_scalar,
    pattern,
    prefix,
    to_registers,
)
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.operation import CannotRunError, Operation, Run
from layoutsolver.verify.values import Elements, Scalar, Value, format_of, integer, resized, undefined
from layoutsolver_models.hardware import compare, rearrange, reduce
from layoutsolver_models.hardware.formats import Flags, Format, Lanes
from layoutsolver_models.hardware.rounding import convert as convert_numbers
from layoutsolver_models.hardware.state import PReg, VReg

Get = Callable[[int], Value]

_LOGIC: dict[str, Callable[[Flags, Flags], Flags]] = {
    "preg.and": np.logical_and, "preg.or": np.logical_or, "preg.xor": np.logical_xor,
}  # fmt: skip


@dataclass(slots=True)
class Logical:
    """The interpreter before layout. `lenient` lets operations without a form run as functions of their lanes."""

    ram: LogicalMemory
    lenient: bool = False
    handlers: dict[str, Callable[[Operation, Get], list[Value]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ram = self.ram
        self.handlers = {
            "vload": ram.load, "masked_store": ram.store, "unaligned.masked.store": ram.store,
            "store_with_stride": ram.store_strided, "vgather": ram.gather, "vscatter": ram.scatter,
            "membar": self._nothing, "pge": self._pge, "plt": self._plt, "pltm": self._pltm,
            "preg.not": self._logic, "preg.and": self._logic, "preg.or": self._logic, "preg.xor": self._logic,
            "preg.cast": self._same, "broadcast": self._broadcast, "scalar_broadcast": self._splat,
            "vector_broadcast": self._vector_broadcast, "vci": self._ramp, "reduction": self._reduction,
            "vsel": self._select, "vcmp": self._compare, "vcmps": self._compare, "vintlv": self._interleave,
            "vdintlv": self._interleave, "vpack": self._repack, "vunpack": self._repack, "vslide": self._slide,
            "vector.layout_cast": self._same,
        }  # fmt: skip

    def prepare(self, op: Operation) -> Run:
        """What runs a vector operation. Raises CannotRunError for one that is not known."""
        known = ln.handler_of(op, self.handlers, self._convert, self._elementwise, "elements")
        return lambda get: known(op, get)

    def enter(self, value: int, elements: Elements) -> Value:
        """The value that holds these elements: themselves."""
        return elements

    def leave(self, value: int, held: Value, type_: VectorType) -> Elements:
        """The elements that a value holds."""
        return held if isinstance(held, Elements) else undefined(type_)

    def reshape(self, op: Operation, source: Value) -> Value:
        """The same elements under another type: more (undefined) or fewer of them, or other widths of the same bits."""
        type_ = op.vector(op.node.results[0])
        assert isinstance(source, Elements)
        return reshaped(source, type_)

    # -- predicates -------------------------------------------------------------------------------------------

    def _nothing(self, op: Operation, get: Get) -> list[Value]:
        return []

    def _same(self, op: Operation, get: Get) -> list[Value]:
        source = get(op.node.operands[0])
        assert isinstance(source, Elements)
        return [resized(source, op.vector(op.node.results[0]).lanes)]

    def _pge(self, op: Operation, get: Get) -> list[Value]:
        found = pattern(op.attrs.get("pattern", ""), op.vector(op.node.results[0]).lanes)
        if found is None:
            raise op.fail(f"has the unknown pattern `{op.attrs.get('pattern', '')}`")
        return [found]

    def _plt(self, op: Operation, get: Get) -> list[Value]:
        count = _scalar(get(op.value("true_shape")))
        lanes = op.vector(op.node.results[0]).lanes
        left: list[Value] = []
        if len(op.node.results) > 1:
            left = [integer(op.scalar(op.node.results[1]), max(0, count.signed - lanes), count.defined)]
        return [prefix(count.signed, lanes, count.defined), *left]

    def _pltm(self, op: Operation, get: Get) -> list[Value]:
        offset, bound = _scalar(get(op.value("offset"))), _scalar(get(op.value("ub")))
        lanes = op.vector(op.node.results[0]).lanes
        return [prefix(bound.signed - offset.signed, lanes, offset.defined and bound.defined)]

    def _logic(self, op: Operation, get: Get) -> list[Value]:
        if op.name == "preg.not":
            data = [_elements(get(op.value("pred")))]
        else:
            data = [_elements(get(op.value("plhs"))), _elements(get(op.value("prhs")))]
        return [self._logical(op, op.name, data, _elements(get(op.value("mask"))))]

    def _logical(self, op: Operation, name: str, data: list[Elements], mask: Elements) -> Elements:
        """Logic on predicates: inactive elements are false."""
        count = op.vector(op.node.results[0]).lanes
        data, mask = [resized(source, count) for source in data], resized(mask, count)
        known = np.logical_and.reduce([source.defined for source in data])
        bits = ~data[0].bits if name == "preg.not" else _LOGIC[name](data[0].bits, data[1].bits)
        return Elements(None, bits & mask.bits, mask.defined & (known | ~mask.bits))

    # -- elementwise ------------------------------------------------------------------------------------------

    def _elementwise(self, op: Operation, get: Get) -> list[Value]:
        name = ln.RAW.get(op.name, op.name)
        result = op.vector(op.node.results[0])
        mask_value = op.node.role("mask")
        mask = _elements(get(mask_value)) if mask_value is not None else prefix(result.lanes, result.lanes)
        inputs, fmt = op.once("inputs", lambda: elementwise_inputs(op))
        signed = "sign" not in op.roles or bool(_scalar(get(op.value("sign"))).bits)
        if fmt is None:
            logic = {"vand": "preg.and", "vor": "preg.or", "vxor": "preg.xor", "vnot": "preg.not"}.get(name)
            if logic is None:
                raise op.fail("is not known for masks")
            return [self._logical(op, logic, [_elements(get(value)) for value in inputs], mask)]
        sources = [_data(get(value), fmt, result.lanes) for value in inputs]
        return list(self.lane_by_lane(op, name, fmt, sources, mask, signed, result.lanes))

    def lane_by_lane(
        self, op: Operation, name: str, fmt: Format, sources: list[Elements], mask: Elements, signed: bool, count: int
    ) -> list[Elements]:
        """The results of an elementwise operation on elements."""
        packed = [to_registers(fmt, source, count) for source in sources]
        masks = mask_registers(mask, count, fmt.width)
        rows: list[list[VReg]] = []
        for at, one in enumerate(masks):
            given = [registers[at] for registers in packed]
            try:
                rows.append(ln.elementwise(op, name, fmt, given, one, signed))
            except CannotRunError:
                if not self.lenient:
                    raise
                made = len(op.node.results)
                rows.append([ln.uninterpreted(f"{name}{k}", fmt.width, given, one) for k in range(made)])
        return [from_registers(fmt, [row[k] for row in rows], count) for k in range(len(rows[0]))]

    def _broadcast(self, op: Operation, get: Get) -> list[Value]:
        fmt, count = op.data_format(op.node.results[0]), op.vector(op.node.results[0]).lanes
        source = of_scalar(_scalar(get(op.value("scalar"))), fmt, count)
        mask = resized(_elements(get(op.value("mask"))), count)
        return [Elements(fmt, np.where(mask.bits, source.bits, fmt.storage.type(0)),
                         mask.defined & (source.defined | ~mask.bits))]  # fmt: skip

    def _splat(self, op: Operation, get: Get) -> list[Value]:
        result = op.node.results[0]
        return [of_scalar(_scalar(get(op.value("scalar"))), op.format(result), op.vector(result).lanes)]

    def _vector_broadcast(self, op: Operation, get: Get) -> list[Value]:
        fmt, count = op.data_format(op.node.results[0]), op.vector(op.node.results[0]).lanes
        source, mask = _elements(get(op.value("src"))), resized(_elements(get(op.value("mask"))), count)
        at = 0 if op.attrs.get("bool", "true") == "true" else source.count - 1
        bits = np.where(mask.bits, source.bits[at], fmt.storage.type(0))
        return [Elements(fmt, bits, mask.defined & (source.defined[at] | ~mask.bits))]

    def _ramp(self, op: Operation, get: Get) -> list[Value]:
        fmt, count = op.data_format(op.node.results[0]), op.vector(op.node.results[0]).lanes
        return [ramp(fmt, count, _scalar(get(op.value("scalar"))), op.attrs.get("order", "INCREASE") == "INCREASE")]

    def _reduction(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.data_format(op.value("vector"))
        source, mask = _elements(get(op.value("vector"))), _elements(get(op.value("mask")))
        return [reduced(op, fmt, source, mask, op.vector(op.node.results[0]).lanes)]

    def _select(self, op: Operation, get: Get) -> list[Value]:
        true, false = _elements(get(op.value("true_value"))), _elements(get(op.value("false_value")))
        chosen = resized(_elements(get(op.value("pred"))), true.count)
        bits = np.where(chosen.bits, true.bits, false.bits)
        return [Elements(true.format, bits, chosen.defined & np.where(chosen.bits, true.defined, false.defined))]

    def _compare(self, op: Operation, get: Get) -> list[Value]:
        roles = ("lhs", "rhs") if op.name == "vcmp" else ("vec", "scalar")
        first, second = op.value(roles[0]), op.value(roles[1])
        fmt = op.data_format(first)
        count = op.vector(op.node.results[0]).lanes
        left, right = _data(get(first), fmt, count), _data(get(second), fmt, count)
        kind = ln.COMPARISONS.get(op.attrs.get("predicate", ""))
        if kind is None:
            raise op.fail(f"has the unknown comparison `{op.attrs.get('predicate', '')}`")
        seen = ln.with_signedness(fmt, kind[1])
        registers = zip(
            to_registers(fmt, left, count), to_registers(fmt, right, count),
            mask_registers(_elements(get(op.value("mask"))), count, fmt.width), strict=True,
        )  # fmt: skip
        made = [compare.vcmp(seen, kind[0], a, b, m) for a, b, m in registers]
        return [as_mask(made, fmt.width, count)]

    # -- conversions ------------------------------------------------------------------------------------------

    def _convert(self, op: Operation, get: Get) -> list[Value]:
        """Element i from element i; with `layout_change`, element j to place 2j or 2j + 1, zero in between."""
        before, after = ln.conversion_formats(op)
        source, mask = _elements(get(op.value("src"))), _elements(get(op.value("mask")))
        mask = resized(mask, source.count)
        count = op.vector(op.node.results[0]).lanes
        if ln.has_conversion(before, after):
            bits = convert_numbers(before, after, source.bits, ln.rounding_of(op), ln.saturates(op))
            if not before.is_float and not after.is_float and not ln.saturates(op):
                bits = source.bits.astype(after.storage) if after.bits <= before.bits else bits
        elif self.lenient:
            bits = ln.uninterpreted_conversion(op.name, source.bits, after)
        else:
            raise op.fail(f"has no form from {before} to {after}")
        known = source.defined & mask.bits & mask.defined
        if op.name in ln.NARROWING and "layout_change" in op.attrs:
            part = ln.part_of(op)
            wide, flags = np.zeros(2 * source.count, after.storage), np.repeat(known, 2)
            wide[part::2] = bits
            return [resized(Elements(op.data_format(op.node.results[0]), wide, flags), count)]
        return [resized(Elements(op.data_format(op.node.results[0]), bits, known), count)]

    # -- rearrangement ----------------------------------------------------------------------------------------

    def _interleave(self, op: Operation, get: Get) -> list[Value]:
        first, second = _elements(get(op.value("src1"))), _elements(get(op.value("src2")))
        counts = [op.vector(result).lanes for result in op.node.results]
        change = op.attrs.get("layout_change", "")
        n = first.count
        both = [np.arange(n), np.arange(n) + n]
        if change == "DENSE" and op.name == "vdintlv":
            half = counts[0] // 2
            orders = [np.concatenate([both[0][:half], both[1][:half]]), np.zeros(0, np.int64)]
        elif change == "SPARSE" and op.name == "vintlv":
            orders = [both[0][: (n + 1) // 2], both[0][(n + 1) // 2 :]]
        elif op.name == "vintlv":
            mixed = np.stack(both, axis=1).ravel()
            orders = [mixed[: counts[0]], mixed[counts[0] :]]
        else:
            stream = np.concatenate(both)
            orders = [stream[::2], stream[1::2]]
        whole = combined(first, second)
        return [
            resized(Elements(whole.format, whole.bits[order], whole.defined[order]), count)
            for order, count in zip(orders, counts, strict=False)
        ]

    def _repack(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.data_format(op.node.results[0])
        source = _elements(get(op.value("src")))
        made = [repacked(op, fmt, one, self.lenient) for one in to_registers(fmt, source, source.count)]
        return [from_registers(fmt, made, source.count)]

    def _slide(self, op: Operation, get: Get) -> list[Value]:
        whole = combined(_elements(get(op.value("src1"))), _elements(get(op.value("src2"))))
        by = _scalar(get(op.value("slide")))
        count = op.vector(op.node.results[0]).lanes
        places = np.arange(count) + by.signed
        inside = (places >= 0) & (places < whole.count)
        at = np.where(inside, places, 0)
        return [Elements(whole.format, whole.bits[at], whole.defined[at] & inside & by.defined)]


def elementwise_inputs(op: Operation) -> tuple[list[int], Format | None]:
    """The operands that a lane-by-lane operation computes with, and the format of their elements.

    Raises CannotRunError where these have different widths.
    """
    inputs = [value for value, role in zip(op.node.operands, op.node.roles, strict=True)
              if role not in ("mask", "sign")]  # fmt: skip
    formats = [op.format(value) for value in inputs if isinstance(op.type(value), VectorType)]
    if not formats:
        raise op.fail("has no vector operand")
    if len({None if fmt is None else fmt.bits for fmt in formats}) > 1:
        names = " and ".join(sorted({"i1" if fmt is None else fmt.name for fmt in formats}))
        raise op.fail(f"takes elements of one width, not {names}")
    return inputs, formats[0]


def repacked(op: Operation, fmt: Format, source: VReg, lenient: bool) -> VReg:
    """The register that a `vpack` or `vunpack` makes."""
    if (op.name == "vpack" and fmt.width == 1) or fmt.width == 8:
        if lenient:
            return ln.uninterpreted(op.name, fmt.width, [source], PReg.full())
        raise op.fail(f"has no form for {fmt}")
    move = rearrange.vpack if op.name == "vpack" else rearrange.vzunpack
    return move(fmt.width, source, 1 if op.attrs.get("int") == "1" else 0)


def reshaped(source: Elements, type_: VectorType) -> Elements:
    """Elements under another vector type; where the width differs, the same bytes are cut differently."""
    fmt = format_of(type_)
    if fmt is None or source.format is None or fmt.bits == source.format.bits:
        return Elements(fmt, *_pair(resized(source, type_.lanes)))
    raw = np.ascontiguousarray(source.bits).view(np.uint8)
    known = np.repeat(source.defined, source.format.width)
    size = raw.size // fmt.width * fmt.width
    bits = raw[:size].view(fmt.storage)
    defined = all_of_rows(known[:size].reshape(-1, fmt.width))
    return resized(Elements(fmt, bits, defined), type_.lanes)


def _pair(elements: Elements) -> tuple[Lanes, Flags]:
    return elements.bits, elements.defined


def ramp(fmt: Format, count: int, base: Scalar, up: bool) -> Elements:
    """The elements `base + i`, or `base - i`."""
    number = of_scalar(base, fmt, 1)
    made = rearrange.vci(fmt, number.bits.view(fmt.dtype)[0].item() if fmt.dtype is not None else 0.0,
                         "INCREASE" if up else "DECREASE")  # fmt: skip
    if count > fmt.lanes:
        steps = np.arange(count) if up else -np.arange(count)
        bits = number.bits[0] + steps.astype(fmt.storage)
        return Elements(fmt, bits, np.full(count, base.defined and not fmt.is_float))
    return Elements(fmt, made.lanes(fmt.width)[:count], np.full(count, base.defined))


def reduced(op: Operation, fmt: Format, source: Elements, mask: Elements, count: int) -> Elements:
    """The reduction in element 0, the others undefined."""
    registers = to_registers(fmt, source, source.count)
    masks = mask_registers(mask, source.count, fmt.width)
    parts = [reduce_register(op, fmt, one, own) for one, own in zip(registers, masks, strict=True)]
    out = from_registers(fmt, parts[:1], count)
    if len(parts) > 1:
        firsts = [from_registers(fmt, [part], 1) for part in parts]
        bits, known = np.concatenate([one.bits for one in firsts]), np.concatenate([one.defined for one in firsts])
        whole = Elements(fmt, bits, known)
        return reduced(op, fmt, whole, prefix(len(parts), len(parts)), count)
    first = np.zeros(count, np.bool_)
    first[0] = True
    return Elements(fmt, out.bits, out.defined & first)


def reduce_register(op: Operation, fmt: Format, source: VReg, mask: PReg) -> VReg:
    """The register whose lane 0 is the reduction of the active lanes; sums of narrow integers keep their low bits."""
    kind = op.attrs.get("kind", "")
    if kind == "add":
        return reduce.vcadd(fmt, source, mask)
    if kind in ("max", "min"):
        return (reduce.vcmax if kind == "max" else reduce.vcmin)(fmt, source, mask)
    if kind in ("umax", "umin"):
        seen = ln.with_signedness(fmt, "unsigned")
        return (reduce.vcmax if kind == "umax" else reduce.vcmin)(seen, source, mask)
    if kind == "xori":
        return ln.xor_of_lanes(fmt.width, source, mask)
    raise op.fail(f"has no form for the kind `{kind}`")


def _scalar(value: Value) -> Scalar:
    assert isinstance(value, Scalar)
    return value


def _elements(value: Value) -> Elements:
    assert isinstance(value, Elements)
    return value


def _data(value: Value, fmt: Format, count: int) -> Elements:
    return of_scalar(value, fmt, count) if isinstance(value, Scalar) else _elements(value)
