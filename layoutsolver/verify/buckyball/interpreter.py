"""Runs a function at any MLIR stage: the processor's part here, instructions on the hardware model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from layoutsolver.buckyball.ir import Block, Code, Op, Value, shape_of
from layoutsolver.buckyball.roles import instruction_of, mnemonic, operands_by_role
from layoutsolver.buckyball.surround import FORMS
from layoutsolver.ops.buckyball import BANK, INTRINSIC
from layoutsolver.verify.buckyball import reference, scalars
from layoutsolver.verify.buckyball.linear import copy_elements, run_generic, run_named
from layoutsolver.verify.buckyball.memory import DTYPES, Memory, MemRef
from layoutsolver.verify.buckyball.planes import convolution, plane_product
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver_models.buckyball.encoding import registers
from layoutsolver_models.buckyball.instructions import ALIASES, INSTRUCTIONS
from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.hardware.buckyball.machine import Machine
from layoutsolver_models.targets.bank_chip import LARGEST_ID, BankChip

MOST_STEPS = 20_000_000
"""Operations after which a run is given up."""


MOST_ROWS = 1 << 14
"""Rows that a bank has at most, as long as it is no bank of the chip."""


class Stopped(Exception):
    """A run that could not go on: a fault or something that is not run here, and the operation."""

    def __init__(self, message: str, op: Op, kind: str) -> None:
        super().__init__(message)
        self.op = op
        self.kind = kind


class Interpreter:
    """A program on a memory.

    Banks that are still SSA values get ids of their own on a machine with as many banks as ids, each with as many rows
    as the program asks for; numbered ones run on the chip. `trace` has the mnemonic and registers of each instruction,
    if it is kept.
    """

    def __init__(self, code: Code, chip: BankChip, memory: Memory, traced: bool = False) -> None:
        self.code, self.chip, self.memory = code, chip, memory
        virtual = any(op.name == f"{BANK}alloc" for op in code.walk())
        rows = max(chip.bank_entries, _most_rows(code))
        wide = chip._replace(bank_num=LARGEST_ID + 1, vbank_upper=LARGEST_ID, bank_entries=rows) if virtual else chip
        self.machine = Machine(wide, memory.dram)
        self.trace: list[tuple[str, int, int]] | None = [] if traced else None
        self.functions = {op.text("symbol"): op for op in code.functions}
        self.steps = 0
        self.at: Op = code.functions[0]

    def call(self, symbol: str, arguments: list[Any]) -> list[Any]:
        """Run a function; what it returns. Raises `Stopped`."""
        try:
            found = self.function(self.functions[symbol], arguments)
        except (Fault, Unsupported) as error:
            kind = error.kind if isinstance(error, Fault) else "unsupported"
            raise Stopped(str(error), self.at, kind) from None
        return found

    def finish(self) -> None:
        """Refuse what a program must not leave behind: banks that it has not freed."""
        left = sorted(self.machine.banks.groups)
        if left:
            listed = ", ".join(str(bank) for bank in left)
            raise Stopped(f"the program ends with banks that are not freed: {listed}", self.at, "leaked")

    def function(self, op: Op, arguments: list[Any]) -> list[Any]:
        """Run the body of a function."""
        if not op.blocks:
            raise Unsupported(f"`{op.text('symbol')}`, which has no body")
        block = op.blocks[0]
        if len(block.arguments) != len(arguments):
            raise Unsupported(f"`{op.text('symbol')}` with {len(arguments)} arguments")
        return self.block(block, arguments, {})

    def block(self, block: Block, arguments: list[Any], env: dict[Value, Any]) -> list[Any]:
        """Run a block; the operands of the operation that ends it."""
        env.update(zip(block.arguments, arguments, strict=True))
        for op in block.ops:
            self.steps += 1
            self.at = op
            if self.steps > MOST_STEPS:
                raise Unsupported(f"more than {MOST_STEPS} operations in one run")
            values = [env[operand] for operand in op.operands]
            if FORMS.get(op.name) == "return":
                return values
            results = self.run(op, values, env)
            env.update(zip(op.results, results, strict=True))
        return []

    def run(self, op: Op, values: list[Any], env: dict[Value, Any]) -> list[Any]:
        """Run an operation; its results."""
        name = op.name
        if name.startswith(("buckyball.", "tile.")):
            return self.table_op(op, values)
        form = FORMS[name]
        if form == "for":
            return self.loop(op, values, env)
        if form == "if":
            taken = op.blocks[0] if values[0] else op.blocks[1] if len(op.blocks) > 1 else None
            return [] if taken is None else self.block(taken, [], env)
        if form == "call":
            callee = self.functions.get(op.text("callee"))
            if callee is None:
                raise Unsupported(f"a call of `{op.text('callee')}`, which is not here")
            return self.function(callee, values)
        if form == "generic":
            run_generic(op, values, self.memory, env)
            return []
        return _RUN[form](self, op, values)

    def loop(self, op: Op, values: list[Any], env: dict[Value, Any]) -> list[Any]:
        """Run an `scf.for`."""
        lower, upper, step = (int(value) for value in values[:3])
        carried = values[3:]
        if step <= 0:
            raise Unsupported(f"a loop with step {step}")
        kind = op.blocks[0].arguments[0].type
        for index in range(lower, upper, step):
            carried = self.block(op.blocks[0], [scalars.wrapped(index, kind or "index"), *carried], env)
            if not op.results:
                carried = []
        return carried

    # -- tiles, matrices, banks, instructions -----------------------------------------------------------------

    def table_op(self, op: Op, values: list[Any]) -> list[Any]:
        """Run an operation of the Buckyball tables."""
        name = op.name
        if name == "buckyball.im2col_matmul":
            _plane(self, op, values)
            return []
        if name in _MATRICES:
            _MATRICES[name](self, values)
            return []
        if name == f"{BANK}alloc":
            return [self.allocate(op)]
        if name == f"{BANK}release":
            self.execute("mset", {"bank": int(values[0]), "alloc": 0})
            return []
        if name.startswith(INTRINSIC) or name == "buckyball.inst":
            self.raw(op, values)
            return []
        row = instruction_of(op)
        if row is None:
            raise Unsupported(f"`{name}`")
        fields = self.fields(op, values)
        self.execute(row.mnemonic, fields)
        if not op.results:
            return []
        return [np.int64(fields[(row.writes or row.reads)[0]])]

    def fields(self, op: Op, values: list[Any]) -> dict[str, int]:
        """The operands by role as numbers; a memref is its address."""
        by_role = operands_by_role(op)
        given = dict(zip(by_role, values, strict=True))
        fields = {role: int(value) for role, value in given.items() if not isinstance(value, MemRef)}
        if "memref" in given:
            fields["address"] = given["memref"].address
        if mnemonic(op) == "mset":
            fields.update({key: int(value) for key, value in op.attrs.items() if isinstance(value, int)})
            fields.setdefault("alloc", 1)
            fields.setdefault("col", 1)
        return fields

    def allocate(self, op: Op) -> Any:
        """A bank under the lowest id that is free."""
        groups = self.machine.banks.groups
        free = next((one for one in range(LARGEST_ID + 1) if one not in groups), None)
        if free is None:
            raise Unsupported(f"more than {LARGEST_ID + 1} banks")
        col = op.number("col", 1)
        clear = self.chip.accumulator == "mset_clear_bit"
        self.execute("mset", {"bank": free, "alloc": 1, "row": 1, "col": col, "clear": int(clear)})
        return np.int64(free)

    def raw(self, op: Op, values: list[Any]) -> None:
        """Run an instruction given by its registers."""
        name = op.name.removeprefix(INTRINSIC)
        named = INSTRUCTIONS.get(ALIASES.get(name, name))
        funct7 = op.number("funct7") if named is None else named.funct7
        self.issue(funct7, *(int(value) & 0xFFFFFFFFFFFFFFFF for value in values))

    def execute(self, name: str, fields: dict[str, int]) -> None:
        """Run an instruction given by its operands."""
        self.issue(INSTRUCTIONS[name].funct7, *registers(name, fields))

    def issue(self, funct7: int, register1: int, register2: int) -> None:
        """Run an instruction on the machine."""
        if self.trace is not None:
            name = next(name for name, row in INSTRUCTIONS.items() if row.funct7 == funct7)
            self.trace.append((name, register1, register2))
        self.machine.execute(funct7, register1, register2)

    # -- memory -----------------------------------------------------------------------------------------------

    def fresh(self, op: Op, values: list[Any]) -> list[Any]:
        """Allocate memory."""
        shape = shape_of(op.result.type)
        if shape is None or not shape.is_static or shape.offset != 0 or shape.element not in DTYPES:
            raise Unsupported(f"memory of type `{op.result.type}`")
        return [self.memory.allocate(tuple(int(dim or 0) for dim in shape.dims), shape.element)]

    def subview(self, op: Op, values: list[Any]) -> list[Any]:
        """A part of a memref."""
        source: MemRef = values[0]
        dynamic = iter(values[1:])
        lists = [
            [int(next(dynamic)) if one is None else one for one in op.listed(part)]
            for part in ("offsets", "sizes", "strides")
        ]
        shape = shape_of(op.result.type)
        assert shape is not None
        offset = source.offset + sum(at * step for at, step in zip(lists[0], source.strides, strict=True))
        strides = [step * every for step, every in zip(source.strides, lists[2], strict=True)]
        kept = _kept(lists[1], len(shape.dims))
        view = MemRef(
            source.base, offset, tuple(lists[1][at] for at in kept), tuple(strides[at] for at in kept), source.element
        )
        if not view.is_empty():
            self.memory.check(view)
        return [view]

    def collapse(self, op: Op, values: list[Any]) -> list[Any]:
        """A memref with dimensions joined."""
        source: MemRef = values[0]
        groups = [[int(one) for one in part.split(",")] for part in op.text("groups").strip("[]").split("],[")]
        dims, strides = [], []
        for group in groups:
            size = 1
            for at in group:
                size *= source.dims[at]
            dims.append(size)
            strides.append(source.strides[group[-1]])
        return [MemRef(source.base, source.offset, tuple(dims), tuple(strides), source.element)]

    def metadata(self, op: Op, values: list[Any]) -> list[Any]:
        """Address, offset, sizes and strides of a memref."""
        memref: MemRef = values[0]
        if op.name == "memref.extract_aligned_pointer_as_index":
            return [np.int64(memref.base)]
        base = MemRef(memref.base, 0, (), (), memref.element)
        return [base, *(np.int64(one) for one in (memref.offset, *memref.dims, *memref.strides))]

    def load(self, op: Op, values: list[Any]) -> list[Any]:
        """Read an element."""
        return [self.memory.read(self.element(values[0], values[1:]))[()]]

    def store(self, op: Op, values: list[Any]) -> list[Any]:
        """Write an element."""
        self.memory.write(self.element(values[1], values[2:]), np.asarray(values[0]))
        return []

    @staticmethod
    def element(memref: MemRef, indices: list[Any]) -> MemRef:
        """One element."""
        for index, dim in zip(indices, memref.dims, strict=True):
            if not 0 <= int(index) < dim:
                raise Fault("memory", f"index {int(index)} of a dimension of {dim}")
        offset = memref.offset + sum(int(at) * step for at, step in zip(indices, memref.strides, strict=True))
        return MemRef(memref.base, offset, (), (), memref.element)

    def named(self, op: Op, values: list[Any]) -> list[Any]:
        """Run a named operation of `linalg`."""
        run_named(op, values, self.memory, self.chip)
        return []

    def unary(self, op: Op, values: list[Any]) -> list[Any]:
        """Run an operation of one operand."""
        if op.name == "memref.dealloc":
            self.memory.release(values[0])
            return []
        return [scalars.unary(op.name, values[0])]

    def cast(self, op: Op, values: list[Any]) -> list[Any]:
        """Run a conversion, or a copy."""
        if op.name == "memref.copy":
            copy_elements(values[0], values[1], self.memory)
            return []
        if op.name == "memref.cast":
            return [values[0]]
        return [scalars.cast(op.name, values[0], op.operands[0].type, op.result.type)]


def _most_rows(code: Code) -> int:
    """The largest constant count of an operation on banks, at most `MOST_ROWS`."""
    constants = {op.result: op.text("value") for op in code.walk() if op.name == "arith.constant"}
    counts = [0]
    for op in code.walk():
        if op.name.startswith(BANK) and instruction_of(op) is not None:
            roles = operands_by_role(op)
            text = constants.get(roles.get("depth") or roles.get("iter") or op.operands[0], "")
            counts.append(int(text) if text.isdecimal() else 0)
    return min(max(counts), MOST_ROWS)


def _kept(sizes: list[int], rank: int) -> list[int]:
    """The dimensions that remain where some of one element are dropped, the first such ones."""
    dropped = len(sizes) - rank
    kept: list[int] = []
    for at, size in enumerate(sizes):
        if dropped and size == 1:
            dropped -= 1
        else:
            kept.append(at)
    return kept


_Runner = Callable[[Interpreter, Op, list[Any]], list[Any]]

_RUN: dict[str, _Runner] = {
    "constant": lambda _, op, __: [scalars.constant(op.text("value"), op.result.type)],
    "binary": lambda _, op, values: [scalars.binary(op.name, values[0], values[1], op.result.type)],
    "compare": lambda _, op, values: [scalars.compare(op.text("predicate"), values[0], values[1])],
    "select": lambda _, op, values: [values[1] if values[0] else values[2]],
    "unary": Interpreter.unary,
    "cast": Interpreter.cast,
    "alloc": Interpreter.fresh,
    "load": Interpreter.load,
    "store": Interpreter.store,
    "subview": Interpreter.subview,
    "collapse": Interpreter.collapse,
    "metadata": Interpreter.metadata,
    "named": Interpreter.named,
}


def _product(run: Interpreter, values: list[Any]) -> None:
    left, right = (run.memory.read(value) for value in values[:2])
    run.memory.write(values[2], reference.product(left, right, run.chip))


def _added_product(run: Interpreter, values: list[Any]) -> None:
    left, right, before = (run.memory.read(value) for value in values)
    run.memory.write(values[2], before + reference.product(left, right, run.chip))


def _tile(run: Interpreter, values: list[Any]) -> None:
    left, right = (run.memory.read(value) for value in values[:2])
    run.memory.write(values[2], reference.tiled(left, right, run.chip))


def _transpose(run: Interpreter, values: list[Any]) -> None:
    run.memory.write(values[1], run.memory.read(values[0]).T)


def _conv(run: Interpreter, values: list[Any]) -> None:
    source, kernel = (run.memory.read(value) for value in values[:2])
    run.memory.write(values[2], convolution(source, kernel, run.chip))


def _plane(run: Interpreter, op: Op, values: list[Any]) -> None:
    plane, kernel = (run.memory.read(value) for value in values[:2])
    side, stride, padding = op.number("inSize"), op.number("stride", 1), op.number("padding", 0)
    if not 0 < side <= min(plane.shape) or kernel.shape[0] != op.number("ksize") ** 2:
        raise Unsupported(f"`{op.name}` of these sizes")
    run.memory.write(values[2], plane_product(plane[:side, :side], kernel, stride, padding, run.chip))


_MATRICES: dict[str, Callable[[Interpreter, list[Any]], None]] = {
    "buckyball.matmul": _product,
    "buckyball.matrix_matmul": _added_product,
    "buckyball.mem_transpose": _transpose,
    "tile.tile_matmul": _tile,
    "tile.tile_transpose": _transpose,
    "tile.tile_conv2d": _conv,
}
