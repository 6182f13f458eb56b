"""Instructions as operations -> two registers each. Source: buckyball 2.4, 3."""

from __future__ import annotations

from layoutsolver.buckyball.ir import Op, Value, shape_of
from layoutsolver.buckyball.passes.bank_ops import need_units
from layoutsolver.buckyball.passes.builder import I64, INDEX, Builder, LowerError, Rewriter
from layoutsolver.buckyball.roles import mnemonic, operands_by_role
from layoutsolver.ops.buckyball import INTRINSIC
from layoutsolver_models.buckyball.encoding import BANK_FIELDS, INT8_MODE, RS1, RS2, Field
from layoutsolver_models.buckyball.instructions import INSTRUCTIONS
from layoutsolver_models.targets.bank_chip import BankChip

BASE = ("mset", "mvin", "mvout", "fence")
"""The instructions that keep an intrinsic of their own in every dialect."""

INTRINSIC_NAMES = {"mul_warp16": "mul.warp16", "matrix": "bbfp.mul", "int32_to_int8": "int2fp"}
"""The intrinsics whose name is not the mnemonic."""

_COUNT = ("iter", "depth")


def to_intrinsics(function: Op, chip: BankChip) -> None:
    """Rewrite a function in place. Raises `LowerError` for an instruction that the chip does not have."""
    names = {op.name for op in function.walk() if mnemonic(op) and not op.name.startswith(INTRINSIC)}

    def lower(op: Op, build: Builder) -> None:
        _Registers(op, build, chip).emit()

    def raw(op: Op, build: Builder) -> None:
        build.op(f"{INTRINSIC}custom", op.operands, attrs={"funct7": op.number("funct7")})

    Rewriter(function, {**dict.fromkeys(names, lower), "buckyball.inst": raw}).run()


class _Registers:
    """The two registers of an instruction, computed where they are not known."""

    def __init__(self, op: Op, build: Builder, chip: BankChip) -> None:
        self.op, self.build, self.chip = op, build, chip
        self.name = mnemonic(op)
        self.known = 0
        self.parts: list[Value] = []

    def emit(self) -> None:
        need_units(self.op, self.chip, (self.name,))
        roles = {} if self.name in ("fence", "barrier") else operands_by_role(self.op)
        first = self.first(roles)
        self.known, self.parts = 0, []
        second = self.second(roles)
        if self.chip.dialect == "new" and self.name not in BASE:
            funct7 = INSTRUCTIONS[self.name].funct7
            self.build.op(f"{INTRINSIC}custom", [first, second], attrs={"funct7": funct7})
            return
        if self.name == "barrier":
            self.build.op(f"{INTRINSIC}custom", [first, second], attrs={"funct7": INSTRUCTIONS["barrier"].funct7})
            return
        self.build.op(f"{INTRINSIC}{INTRINSIC_NAMES.get(self.name, self.name)}", [first, second])

    def first(self, roles: dict[str, Value]) -> Value:
        if self.name in ("fence", "barrier"):
            return self.register()
        if self.name == "mset":
            self.put(RS1["bank0"], roles["bank"])
            return self.register()
        for role, value in roles.items():
            field = BANK_FIELDS.get(role)
            if field is not None:
                self.put(RS1[field], value)
            elif role in _COUNT:
                self.put(RS1["iter"], value)
        if self.name == "matrix" and self.chip.revision == "ERA":
            raise LowerError(
                "LS1003", f"`{self.op.name}`: no document says how the older unit is configured", self.op.span
            )
        return self.register()

    def second(self, roles: dict[str, Value]) -> Value:
        name = self.name
        if name == "mset":
            fields = RS2["mset"]
            if self.op.attrs.get("alloc", True):
                self.known |= fields["alloc"].put(1) | fields["row"].put(self.op.number("row", 1))
                self.known |= fields["col"].put(self.op.number("col", 1))
                self.known |= fields["clear"].put(int(bool(self.op.attrs.get("clear", False))))
        elif name in ("mvin", "mvout"):
            self.put(RS2[name]["address"], self.address(roles["memref"]))
            self.put(RS2[name]["stride"], roles["stride"])
        elif name in ("fp2int", "int2fp", "int32_to_int8"):
            self.put(RS2["fp2int"]["scale"], roles["scale"])
            self.known |= INT8_MODE if name == "int32_to_int8" else 0
        elif name == "matrix":
            return roles["config"]
        elif name == "im2col":
            form = "im2col" if "krow" in roles else "im2col_square"
            for role, field in RS2[form].items():
                self.put(field, roles[role])
        elif name in ("transpose", "mul_warp16"):
            return roles["mode"]
        elif name == "relu":
            return roles["stride"]
        return self.register()

    def address(self, memref: Value) -> Value:
        """The address of a memref's first element."""
        build = self.build
        shape = shape_of(memref.type)
        if shape is None:
            raise LowerError("LS1002", f"`%{memref.name}` is `{memref.type}`, no memref", self.op.span)
        pointer = build.op("memref.extract_aligned_pointer_as_index", [memref], INDEX, wish="pointer")
        if shape.offset != 0:
            element = f"memref<{shape.element}>"
            results = [Value(element, "base"), Value(INDEX, "offset")]
            results += [Value(INDEX, "size") for _ in shape.dims] + [Value(INDEX, "stride") for _ in shape.dims]
            build.add(Op("memref.extract_strided_metadata", [memref], results))
            scale = build.constant(shape.element_bytes)
            pointer = build.binary("addi", pointer, build.binary("muli", results[1], scale, "bytes"), "start")
        return build.op("arith.index_cast", [pointer], I64, wish="address")

    def put(self, field: Field, value: Value) -> None:
        """Put a value into a field of the register."""
        number = self.build.known(value)
        if number is not None:
            self.known |= field.put(number)
            return
        build = self.build
        if field.bits < 64 - field.low or (field.low == 0 and field.bits < 64):
            value = build.binary("andi", value, build.constant((1 << field.bits) - 1, I64), "field")
        if field.low:
            value = build.binary("shli", value, build.constant(field.low, I64), "shifted")
        self.parts.append(value)

    def register(self) -> Value:
        """The register of everything that was put."""
        signed = self.known - (1 << 64) if self.known >> 63 else self.known
        value = self.build.constant(signed, I64)
        if self.parts:
            out = self.parts[0]
            for part in self.parts[1:]:
                out = self.build.binary("ori", out, part, "joined")
            value = self.build.binary("ori", out, value, "register") if signed else out
        return value
