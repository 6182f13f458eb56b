"""Runs vector operations after layout: a vector is a register, and its layout says where its elements lie.

Every operation executes the instructions that its functionType and the layouts of its values mean. What nothing puts
into a register is poison; it may be computed with, and shows where it is stored. Elements of 64 bits have no registers
of their own, the compiler calls library functions for them: they are computed as before layout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from layoutsolver.mlir.types import VectorType
from layoutsolver.verify import lanes as ln
from layoutsolver.verify.elements import of_scalar, pattern
from layoutsolver.verify.logical import Logical, elementwise_inputs, reduce_register, repacked, reshaped
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.operation import CannotRunError, NoLayoutError, Operation, Run
from layoutsolver.verify.physical_memory import PhysicalMemory
from layoutsolver.verify.spread import find, place, recast, slots, sparsified
from layoutsolver.verify.values import Elements, Scalar, Value, format_of, integer
from layoutsolver_models.hardware import compare, predicate, rearrange
from layoutsolver_models.hardware.convert import vcvt
from layoutsolver_models.hardware.formats import Format
from layoutsolver_models.hardware.lanewise import births_of, settle
from layoutsolver_models.hardware.state import CLEAN, PReg, VReg
from layoutsolver_models.vecmem import REGISTER_BYTES, VECMEM_TYPES

Get = Callable[[int], Value]

_GRANULES = {"pb8": 1, "pb16": 2, "pb32": 4}
_SPREAD_TIMES = {"intlv2": 1, "intlv4": 2}
_PREDICATE_CASTS = {
    "UNPK_B8": (predicate.punpack, 1), "UNPK_B16": (predicate.punpack, 1), "UNPK4_B8": (predicate.punpack, 2),
    "PK_B16": (predicate.ppack, 1), "PK_B32": (predicate.ppack, 1), "PK4_B32": (predicate.ppack, 2),
}  # fmt: skip


@dataclass(slots=True)
class Physical:
    """The interpreter after layout.

    `layouts` is the layout of each graph value, `dists` the functionType of each operation. With `exact_masks` a mask
    has no bit set but those of the elements of its vector, and patterns count elements: this tells mistakes of masks
    from mistakes of layouts. With `traced` every poisoned byte knows where it became so, which takes time.
    """

    ram: LogicalMemory
    layouts: Mapping[int, str]
    dists: Mapping[int, str]
    is_950: bool
    lenient: bool = False
    exact_masks: bool = False
    traced: bool = False
    handlers: dict[str, Callable[[Operation, Get], list[Value]]] = field(default_factory=dict)
    plain: Logical = field(init=False)
    access: PhysicalMemory = field(init=False)

    def __post_init__(self) -> None:
        self.plain = Logical(self.ram, self.lenient)
        self.access = PhysicalMemory(self.ram, self.is_950)
        self.handlers = {
            "vload": self._load, "masked_store": self._store, "unaligned.masked.store": self._store,
            "store_with_stride": self._store_strided, "vgather": self._gather, "vscatter": self._scatter,
            "membar": self._nothing, "pge": self._pge, "plt": self._plt, "pltm": self._pltm,
            "preg.not": self._logic, "preg.and": self._logic, "preg.or": self._logic, "preg.xor": self._logic,
            "preg.cast": self._predicate_cast, "broadcast": self._broadcast, "scalar_broadcast": self._splat,
            "vector_broadcast": self._vector_broadcast, "vci": self._ramp, "reduction": self._reduction,
            "vsel": self._select, "vcmp": self._compare, "vcmps": self._compare, "vintlv": self._interleave,
            "vdintlv": self._interleave, "vpack": self._repack, "vunpack": self._repack, "vslide": self._slide,
            "vector.layout_cast": self._layout_cast,
        }  # fmt: skip

    def prepare(self, op: Operation) -> Run:
        """What runs a vector operation. Raises CannotRunError for one that is not known."""
        if self._is_wide(op):
            return lambda get: self._by_elements(op, get)
        known = ln.handler_of(op, self.handlers, self._convert, self._elementwise, "registers")
        if not self.traced:
            return lambda get: known(op, get)
        return lambda get: [self._born(op, value) for value in known(op, get)]

    def _born(self, op: Operation, value: Value) -> Value:
        return value.traced(op.node.index) if self.traced and isinstance(value, VReg | PReg) else value

    def enter(self, value: int, elements: Elements, clear: bool = False) -> Value:
        """The register that holds these elements in the layout of a value; `clear` as for `place`."""
        if elements.format is not None and elements.format.bits == 64:
            return elements
        return place(elements, self._layout(value), clear)

    def leave(self, value: int, held: Value, type_: VectorType) -> Elements:
        """The elements that a value holds in its layout."""
        if isinstance(held, Elements):
            return held
        assert isinstance(held, VReg | PReg)
        return find(format_of(type_), held, self._layout(value), type_.lanes)

    def _layout(self, value: int) -> str:
        known = self.layouts.get(value)
        if known is None:
            raise NoLayoutError(value)
        return known

    def reshape(self, op: Operation, source: Value) -> Value:
        """The same register under another type."""
        if isinstance(source, Elements):
            type_ = op.vector(op.node.results[0])
            made = reshaped(source, type_)
            return made if made.format is not None and made.format.bits == 64 else self.enter(op.node.results[0], made)
        result = op.node.results[0]
        fmt = op.format(result)
        if fmt is not None and fmt.bits == 64:
            before = self.leave(op.node.operands[0], source, op.vector(op.node.operands[0]))
            return reshaped(before, op.vector(result))
        return source

    # -- 64-bit elements --------------------------------------------------------------------------------------

    def _is_wide(self, op: Operation) -> bool:
        types = [op.type(value) for value in (*op.node.operands, *op.node.results)]
        return any(isinstance(type_, VectorType) and type_.bits == 64 for type_ in types)

    def _by_elements(self, op: Operation, get: Get) -> list[Value]:
        """Run as before layout, vectors being taken out of and put into registers."""
        seen: dict[int, Value] = {}
        for value in op.node.operands:
            type_ = op.type(value)
            held = get(value)
            seen[value] = self.leave(value, held, type_) if isinstance(type_, VectorType) else held
        results = self.plain.prepare(op)(seen.__getitem__)
        return [
            self._born(op, self.enter(value, held, clear=True)) if isinstance(held, Elements) else held
            for value, held in zip(op.node.results, results, strict=False)
        ]

    # -- memory -----------------------------------------------------------------------------------------------

    def _dist(self, op: Operation) -> str:
        return self.dists.get(op.node.index, "")

    def _nothing(self, op: Operation, get: Get) -> list[Value]:
        return []

    def _load(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.format(op.node.results[0])
        made = self.access.load(op, get, fmt, self._dist(op))
        return [self._limited(op, one) for one in made]

    def _store(self, op: Operation, get: Get) -> list[Value]:
        value = op.value("val")
        held = get(value)
        assert isinstance(held, VReg | PReg)
        self.access.store(op, get, op.format(value), held, self._mask(op, get), self._dist(op))
        return []

    def _store_strided(self, op: Operation, get: Get) -> list[Value]:
        value = op.value("val")
        fmt = op.data_format(value)
        self.access.store_strided(op, get, fmt, _vector(get(value)), self._mask(op, get), self._dist(op))
        return []

    def _gather(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.data_format(op.node.results[0])
        found = self.access.gather(op, get, fmt, _vector(get(op.value("index_vec"))), self._mask(op, get))
        return [self._sparsified(op, found, fmt.width)]

    def _scatter(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.data_format(op.value("val"))
        value, index = _vector(get(op.value("val"))), _vector(get(op.value("index_vec")))
        self.access.scatter(op, get, fmt, value, index, self._mask(op, get))
        return []

    # -- predicates -------------------------------------------------------------------------------------------

    def _mask(self, op: Operation, get: Get) -> PReg:
        """The mask of an operation, nothing but the elements of its vector being set if masks are to be exact."""
        mask = op.value("mask")
        made = _predicate(get(mask))
        if not self.exact_masks:
            return made
        others = [value for value in (*op.node.operands, *op.node.results) if value != mask]
        lanes = [type_.lanes for value in others if isinstance(type_ := op.type(value), VectorType)]
        return _cut(made, max(lanes, default=slots("b8")), VECMEM_TYPES[self._layout(mask)].slot_bytes)

    def _limited(self, op: Operation, made: VReg | PReg) -> VReg | PReg:
        """A mask that governs no lane behind the last element of its vector, if masks are to be exact."""
        if not self.exact_masks or isinstance(made, VReg):
            return made
        result = op.node.results[0]
        step = VECMEM_TYPES[self._layout(result)].slot_bytes
        return _cut(made, op.vector(result).lanes, step)

    def _width(self, op: Operation) -> int:
        """The granularity of a generated mask in bytes."""
        dist = self._dist(op)
        if dist in _GRANULES:
            return _GRANULES[dist]
        if not dist and op.name == "pltm":  # as the compiler guesses it, which has no functionType to go by
            return max(1, min(4, REGISTER_BYTES // op.vector(op.node.results[0]).lanes))
        raise op.fail(f"with functionType `{dist}` is not known")

    def _pge(self, op: Operation, get: Get) -> list[Value]:
        """A pattern; all of a vector that does not fill the register are its first lanes."""
        name, width = op.attrs.get("pattern", ""), self._width(op)
        count = op.vector(op.node.results[0]).lanes
        if self.exact_masks:
            exact = pattern(name, count)
            assert exact is not None
            return [PReg.from_lanes(exact.bits[: REGISTER_BYTES // width], width)]
        if name == "ALL" and count < REGISTER_BYTES // width and f"VL{count}" in predicate.PATTERNS:
            name = f"VL{count}"
        return [predicate.pge(width, name)]

    def _plt(self, op: Operation, get: Get) -> list[Value]:
        count = _scalar(get(op.value("true_shape")))
        made, left = predicate.plt(self._width(op), count.signed)
        rest: list[Value] = []
        if len(op.node.results) > 1:
            rest = [integer(op.scalar(op.node.results[1]), left, count.defined)]
        return [self._limited(op, made if count.defined else PReg.poisoned()), *rest]

    def _pltm(self, op: Operation, get: Get) -> list[Value]:
        offset, bound = _scalar(get(op.value("offset"))), _scalar(get(op.value("ub")))
        made = predicate.plt(self._width(op), bound.signed - offset.signed)[0]
        return [self._limited(op, made if offset.defined and bound.defined else PReg.poisoned())]

    def _logic(self, op: Operation, get: Get) -> list[Value]:
        if op.name == "preg.not":
            return [predicate.pnot(_predicate(get(op.value("pred"))), self._mask(op, get))]
        lhs, rhs = _predicate(get(op.value("plhs"))), _predicate(get(op.value("prhs")))
        return [_logic(op.name.removeprefix("preg."), lhs, rhs, self._mask(op, get))]

    def _predicate_cast(self, op: Operation, get: Get) -> list[Value]:
        known = _PREDICATE_CASTS.get(op.attrs.get("mode", ""))
        if known is None:
            raise op.fail(f"has the unknown mode `{op.attrs.get('mode', '')}`")
        value = _predicate(get(op.value("pred")))
        for _ in range(known[1]):
            value = known[0](value)
        return [value]

    # -- elementwise ------------------------------------------------------------------------------------------

    def _elementwise(self, op: Operation, get: Get) -> list[Value]:
        """Lanes of the element width, each governed by the mask bit at its first byte."""
        name = ln.RAW.get(op.name, op.name)
        inputs, fmt = op.once("inputs", lambda: elementwise_inputs(op))
        mask = self._mask(op, get) if "mask" in op.roles else PReg.full()
        signed = "sign" not in op.roles or bool(_scalar(get(op.value("sign"))).bits)
        if fmt is None:
            return self._elementwise_mask(op, name, [_predicate(get(value)) for value in inputs], mask)
        sources = [_register(get(value), fmt) for value in inputs]
        try:
            return list(ln.elementwise(op, name, fmt, sources, mask, signed))
        except CannotRunError:
            if not self.lenient:
                raise
        made = range(len(op.node.results))
        return [ln.uninterpreted(f"{name}{k}", fmt.width, sources, mask) for k in made]

    def _elementwise_mask(self, op: Operation, name: str, sources: list[PReg], mask: PReg) -> list[Value]:
        if name == "vnot":
            return [predicate.pnot(sources[0], mask)]
        if name not in ("vand", "vor", "vxor"):
            raise op.fail("is not known for masks")
        return [_logic(name.removeprefix("v"), sources[0], sources[1], mask)]

    def _broadcast(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.data_format(op.node.results[0])
        source = _register(get(op.value("scalar")), fmt)
        return [rearrange.vdup(fmt.width, source, self._mask(op, get))]

    def _splat(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.format(op.node.results[0])
        scalar = _scalar(get(op.value("scalar")))
        if fmt is not None:
            return [_register(scalar, fmt)]
        made = PReg.full() if scalar.bits & 1 else PReg.zeros()
        return [self._limited(op, made if scalar.defined else PReg.poisoned())]

    def _vector_broadcast(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.data_format(op.node.results[0])
        fill = rearrange.vdup if op.attrs.get("bool", "true") == "true" else rearrange.vdupm
        return [fill(fmt.width, _vector(get(op.value("src"))), self._mask(op, get))]

    def _ramp(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.data_format(op.node.results[0])
        base = _scalar(get(op.value("scalar")))
        first = of_scalar(base, fmt, 1).bits
        number = first.view(fmt.dtype)[0].item() if fmt.dtype is not None else 0.0
        made = rearrange.vci(fmt, number, "INCREASE" if op.attrs.get("order", "INCREASE") == "INCREASE" else "DECREASE")
        if not base.defined:
            made = VReg.poisoned()
        return [self._sparsified(op, made, fmt.width)]

    def _reduction(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.data_format(op.value("vector"))
        return [reduce_register(op, fmt, _vector(get(op.value("vector"))), self._mask(op, get))]

    def _select(self, op: Operation, get: Get) -> list[Value]:
        true, false = get(op.value("true_value")), get(op.value("false_value"))
        chosen = _predicate(get(op.value("pred")))
        if isinstance(true, PReg):
            return [predicate.psel(true, _predicate(false), chosen)]
        width = op.data_format(op.node.results[0]).width
        return [compare.vsel(width, _vector(true), _vector(false), chosen)]

    def _compare(self, op: Operation, get: Get) -> list[Value]:
        roles = ("lhs", "rhs") if op.name == "vcmp" else ("vec", "scalar")
        first, second = op.value(roles[0]), op.value(roles[1])
        fmt = op.data_format(first)
        kind = ln.COMPARISONS.get(op.attrs.get("predicate", ""))
        if kind is None:
            raise op.fail(f"has the unknown comparison `{op.attrs.get('predicate', '')}`")
        left, right = _vector(get(first)), _register(get(second), fmt)
        return [compare.vcmp(ln.with_signedness(fmt, kind[1]), kind[0], left, right, self._mask(op, get))]

    # -- conversions ------------------------------------------------------------------------------------------

    def _convert(self, op: Operation, get: Get) -> list[Value]:
        before, after = ln.conversion_formats(op)
        source, mask = _vector(get(op.value("src"))), self._mask(op, get)
        part, rounding, saturate = op.once("modes", lambda: (ln.part_of(op), ln.rounding_of(op), ln.saturates(op)))
        part = part if before.width != after.width else 0
        if ln.has_conversion(before, after):
            try:
                return [vcvt(before, after, source, mask, part=part, rounding=rounding, saturate=saturate)]
            except ValueError as error:
                raise op.fail("has no such part", str(error)) from None
        if not self.lenient:
            raise op.fail(f"has no form from {before} to {after}")
        return [_uninterpreted_conversion(op.name, before, after, source, mask, part)]

    # -- rearrangement ----------------------------------------------------------------------------------------

    def _sparsified(self, op: Operation, made: VReg, width: int) -> VReg:
        """A result with the room that the functionType gives it."""
        dist = self._dist(op)
        if dist not in ("", "none", "norm") and dist not in _SPREAD_TIMES:
            raise op.fail(f"with functionType `{dist}` is not known")
        return sparsified(width, made, _SPREAD_TIMES.get(dist, 0))

    def _interleave(self, op: Operation, get: Get) -> list[Value]:
        width = op.data_format(op.value("src1")).width
        first, second = _vector(get(op.value("src1"))), _vector(get(op.value("src2")))
        made = (rearrange.vintlv if op.name == "vintlv" else rearrange.vdintlv)(width, first, second)
        return [self._sparsified(op, one, width) for one in made]

    def _repack(self, op: Operation, get: Get) -> list[Value]:
        fmt = op.data_format(op.node.results[0])
        return [repacked(op, fmt, _vector(get(op.value("src"))), self.lenient)]

    def _slide(self, op: Operation, get: Get) -> list[Value]:
        width = op.data_format(op.node.results[0]).width
        by = _scalar(get(op.value("slide")))
        first, second = _vector(get(op.value("src1"))), _vector(get(op.value("src2")))
        return [rearrange.vslide(width, first, second, by.signed) if by.defined else VReg.poisoned()]

    def _layout_cast(self, op: Operation, get: Get) -> list[Value]:
        """Interleaves that bring elements from the layout of the source to that of the result."""
        held = get(op.node.operands[0])
        assert isinstance(held, VReg | PReg)
        fmt = op.format(op.node.results[0])
        try:
            return [recast(held, 1 if fmt is None else fmt.width, self._dist(op))]
        except KeyError:
            raise op.fail(f"with functionType `{self._dist(op)}` is not known") from None


def _uninterpreted_conversion(name: str, before: Format, after: Format, source: VReg, mask: PReg, part: int) -> VReg:
    """A conversion that has no instruction, by the rules of those that have one."""
    read, written = before.width, after.width
    ratio = max(read, written) // min(read, written)
    part %= ratio
    cut = slice(part, None, ratio) if written > read else slice(None)
    values = ln.uninterpreted_conversion(name, source.lanes(read)[cut], after)
    unknown, undecided, active = source.lane_poison(read)[cut], mask.lane_poison(read)[cut], mask.lanes(read)[cut]
    births = births_of((source, mask), read)
    born = None if births is None else births[cut]
    if written >= read:
        return settle(values.copy(), written, active, unknown, undecided, "x", born)
    wide = np.zeros(values.size * ratio, values.dtype)
    flags = [np.zeros(values.size * ratio, np.bool_), np.zeros(values.size * ratio, np.bool_),
             np.ones(values.size * ratio, np.bool_)]  # fmt: skip
    wide[part::ratio] = values
    for out, lanes in zip(flags, (unknown, undecided, active), strict=True):
        out[part::ratio] = lanes
    wide_births = None
    if born is not None:
        wide_births = np.full(values.size * ratio, -1, np.int32)
        wide_births[part::ratio] = born
    return settle(wide, written, flags[2], flags[0], flags[1], "x", wide_births)


def _cut(made: PReg, count: int, step: int) -> PReg:
    """The predicate with all bits clear that are not one of the first `count` elements, which are `step` bits apart."""
    places = np.arange(REGISTER_BYTES)
    keep = (places < count * step) & (places % step == 0)
    return PReg(made.bits & keep, made.poison if made.poison is CLEAN else made.poison & keep)


def _logic(name: str, lhs: PReg, rhs: PReg, mask: PReg) -> PReg:
    return {"and": predicate.pand, "or": predicate.por, "xor": predicate.pxor}[name](lhs, rhs, mask)


def _register(value: Value, fmt: Format) -> VReg:
    """A register, or a scalar in every lane of one."""
    if isinstance(value, Scalar):
        one = of_scalar(value, fmt, 1)
        return ln.splat(fmt, int(one.bits[0]), value.defined)
    return _vector(value)


def _vector(value: Value) -> VReg:
    assert isinstance(value, VReg)
    return value


def _predicate(value: Value) -> PReg:
    assert isinstance(value, PReg)
    return value


def _scalar(value: Value) -> Scalar:
    assert isinstance(value, Scalar)
    return value
