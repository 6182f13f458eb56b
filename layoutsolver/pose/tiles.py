"""A group of tile operations -> FusionProblem: each operation is one loop over the rows of its tiles.

Values with one id are one tile, read and written row by row; what is reduced over all rows is there at the end only.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.problems.fusion import (
    FusionCarried,
    FusionCover,
    FusionLimits,
    FusionLoad,
    FusionLoop,
    FusionOrder,
    FusionProblem,
    FusionSource,
    FusionStep,
    FusionStore,
    FusionValue,
)
from layoutsolver_models.problems.planner import FusionGroupInfo, PlannerOptions, TileOpInfo, ValueInfo
from layoutsolver_models.rules.tiles import TILE_OPS, TileOp

REGISTER_BITS = 2048


class Domain(NamedTuple):
    """The rows that an operation goes through, and the registers of one."""

    rows: int
    registers: int


class Touch(NamedTuple):
    """A row-by-row access of an operation to a tile."""

    op: int
    tile: str
    rows: int
    registers: int
    is_write: bool
    value: int


def unplannable(group: FusionGroupInfo) -> list[str]:
    """The ids of operations that are not in the table, or whose tiles have no rows and columns."""
    return [
        op.opId for op in group.ops
        if op.opName.removeprefix("pto.") not in TILE_OPS or domain_of(op) is None
    ]  # fmt: skip


def _main(op: TileOpInfo) -> ValueInfo | None:
    """The tile whose rows an operation goes through."""
    walk = TILE_OPS[op.opName.removeprefix("pto.")].walk
    values = op.inputs if walk in ("row_reduce", "col_reduce") else op.outputs
    return next((value for value in values if value.kind == "vector"), None)


def domain_of(op: TileOpInfo) -> Domain | None:
    """What an operation goes through; None where that is not told."""
    tiles = [value for value in (*op.inputs, *op.outputs) if value.kind == "vector"]
    main = _main(op)
    if main is None or any(_size(value) is None for value in tiles):
        return None
    size = _size(main)
    assert size is not None
    return Domain(size[0], -(-size[1] * _bits(main) // REGISTER_BITS))


def _size(value: ValueInfo) -> tuple[int, int] | None:
    """Rows and columns of what is computed on."""
    if value.shape is None:
        return None
    size = value.shape.validShape or value.shape.shape
    if len(size) != 2 or min(size) < 1 or value.shape.layout != "row_major":
        return None
    return size[0], size[1]


def _bits(value: ValueInfo) -> int:
    return int(value.dtype.lstrip("biuf"))


def pose_tiles(group: FusionGroupInfo, options: PlannerOptions) -> FusionProblem:
    """The problem of a group, all of whose operations can be planned; loop k is operation k."""
    return _Poser(group, options).pose()


class _Poser:
    def __init__(self, group: FusionGroupInfo, options: PlannerOptions) -> None:
        self.group = group
        self.options = options
        self.kinds: list[TileOp] = [TILE_OPS[op.opName.removeprefix("pto.")] for op in group.ops]
        self.domains = [domain_of(op) or Domain(1, 1) for op in group.ops]
        self.headers = {domain: number for number, domain in enumerate(dict.fromkeys(self.domains))}
        self.values: list[FusionValue] = []
        self.masks: dict[str, int] = {}
        self.touches: list[Touch] = []
        self.whole: list[list[str]] = []
        self.loops = [self._loop(number, op) for number, op in enumerate(group.ops)]

    def value(self, name: str, registers: int) -> int:
        """The number of a new value."""
        self.values.append(FusionValue(name, registers))
        return len(self.values) - 1

    def _masks(self, op: TileOpInfo) -> tuple[int, ...]:
        """The predicates that an operation runs under: one of all lanes, one of those of a last register in part."""
        main = _main(op)
        size = None if main is None else _size(main)
        if main is None or size is None:
            return ()
        lanes = REGISTER_BITS // _bits(main)
        last = [f"{size[1] % lanes} of {lanes} lanes"] * (size[1] % lanes > 0)
        names = ["all lanes"] * (size[1] >= lanes) + last
        for name in names:
            if name not in self.masks:
                self.masks[name] = len(self.values)
                self.values.append(FusionValue(name, 0, 1))
        return tuple(self.masks[name] for name in names)

    def _loop(self, number: int, op: TileOpInfo) -> FusionLoop:
        kind, domain = self.kinds[number], self.domains[number]
        steps: list[FusionStep] = []
        carried: tuple[FusionCarried, ...] = ()
        operands = list(masks := self._masks(op))
        whole: list[str] = []
        tiles = [value for value in op.inputs if value.kind == "vector"]
        for place, tile in enumerate(tiles):
            registers = domain.registers
            if kind.walk == "col_expand" and place == len(tiles) - 1 and place:
                operands.append(self.value(tile.valueId, registers))  # loaded once, before the loop
                whole.append(tile.valueId)
                continue
            if kind.walk == "row_expand" and place == len(tiles) - 1 and place:
                registers = 1
            value = self.value(tile.valueId, registers)
            self.touches.append(Touch(number, tile.valueId, domain.rows, registers, False, value))
            steps.append(FusionStep((), (value,)))
            operands.append(value)
        result = self.value(op.opId, 1 if kind.walk == "row_reduce" else domain.registers)
        if kind.walk == "col_reduce":
            argument = self.value(f"{op.opId} so far", domain.registers)
            carried = (FusionCarried(argument, result),)
            operands.append(argument)
        steps.append(FusionStep(tuple(operands), (result,)))
        outputs = [value for value in op.outputs if value.kind == "vector"]
        if kind.walk == "col_reduce":
            whole += [value.valueId for value in outputs]
        else:
            for tile in outputs:
                registers = 1 if kind.walk == "row_reduce" else domain.registers
                self.touches.append(Touch(number, tile.valueId, domain.rows, registers, True, result))
                steps.append(FusionStep((result, *masks), ()))
        self.whole.append(whole)
        names = {value.valueId for value in (*op.inputs, *op.outputs) if value.kind != "constant"}
        return FusionLoop(op.opId, self.headers[domain], domain.rows, tuple(steps), carried, tuple(sorted(names)))

    def pose(self) -> FusionProblem:
        loads = [number for number, touch in enumerate(self.touches) if not touch.is_write]
        stores = [number for number, touch in enumerate(self.touches) if touch.is_write]
        self.load_number = {touch: number for number, touch in enumerate(loads)}
        self.store_number = {touch: number for number, touch in enumerate(stores)}
        limits = FusionLimits(self.options.vregLimit, self.options.maskLimit, self.options.vfParamLimit)
        return FusionProblem(
            tuple(self.loops), tuple(self.values), tuple(self._load(touch) for touch in loads),
            tuple(self._store(touch) for touch in stores), (), tuple(self._orders()), (), self.options.weights, limits,
        )  # fmt: skip

    def _step(self, number: int) -> int:
        """The step of an access: loads come first, stores last."""
        touch = self.touches[number]
        own = [other for other, one in enumerate(self.touches) if one.op == touch.op and one.is_write == touch.is_write]
        steps = self.loops[touch.op].steps
        place = own.index(number)
        return len(steps) - len(own) + place if touch.is_write else place

    def _load(self, number: int) -> FusionLoad:
        touch = self.touches[number]
        sources: list[FusionSource] = []
        lost: list[int] = []
        for earlier in range(number - 1, -1, -1):
            other = self.touches[earlier]
            if other.tile != touch.tile:
                continue
            same = (other.rows, other.registers) == (touch.rows, touch.registers)
            if same and not any(self.touches[one].op in (touch.op, other.op) for one in lost):
                place = self.store_number[earlier] if other.is_write else self.load_number[earlier]
                blockers = tuple(self.store_number[one] for one in lost)
                sources.append(FusionSource(place, not other.is_write, blockers))
            if other.is_write:
                lost.append(earlier)
        own = tuple(
            self.store_number[one] for one, other in enumerate(self.touches) if other.is_write and other.op == touch.op
        )
        needed = self.kinds[touch.op].walk == "col_reduce"
        return FusionLoad(
            touch.op, self._step(number), touch.value, touch.registers, tuple(sources), own, needed
        )  # fmt: skip

    def _store(self, number: int) -> FusionStore:
        touch = self.touches[number]
        readers: list[int] = []
        covers: list[FusionCover] = []
        last = len(self.group.ops)
        for later in range(number + 1, len(self.touches)):
            other = self.touches[later]
            if other.tile != touch.tile:
                continue
            if not other.is_write:
                readers.append(self.load_number[later])
            elif (other.rows, other.registers) == (touch.rows, touch.registers):
                covers.append(FusionCover(self.store_number[later], tuple(readers)))
                last = other.op
                break
        ops = self.group.ops
        whole = next((op for op in range(touch.op + 1, last) if touch.tile in self.whole[op]), -1)
        escapes = f"{ops[whole].opId} reads it as a whole" if whole >= 0 else ""
        outer = any(one.externalOutput and one.valueId == touch.tile for op in ops for one in op.outputs)
        if last == len(ops) and outer:
            escapes = "it is needed after the group"
        return FusionStore(
            touch.op, self._step(number), touch.value, touch.registers, tuple(readers), escapes, tuple(covers)
        )  # fmt: skip

    def _orders(self) -> list[FusionOrder]:
        """Which operation comes before which: row by row in one loop, or only behind the other's loop (`strict`)."""
        out: list[FusionOrder] = []
        ops = self.group.ops
        for later, op in enumerate(ops):
            for earlier in range(later):
                before = ops[earlier]
                writes = [{value.valueId for value in one.outputs} for one in (before, op)]
                reads = [{value.valueId for value in one.inputs} for one in (before, op)]
                raw_or_waw = writes[0] & (reads[1] | writes[1])
                if not raw_or_waw and not reads[0] & writes[1]:
                    continue
                shared = raw_or_waw | (reads[0] & writes[1])
                strict = bool(shared & ({*self.whole[earlier]} | {*self.whole[later]}))
                strict = strict or self._rows_differ(earlier, later, shared)
                out.append(FusionOrder(earlier, later, strict, bool(raw_or_waw) and not strict))
        return out

    def _rows_differ(self, earlier: int, later: int, shared: set[str]) -> bool:
        """Whether both go through a shared tile with rows of different lengths."""
        sizes: dict[str, set[int]] = {}
        for touch in self.touches:
            if touch.op in (earlier, later) and touch.tile in shared:
                sizes.setdefault(touch.tile, set()).add(touch.registers)
        return any(len(each) > 1 for each in sizes.values())
