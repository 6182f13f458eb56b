"""The fields of Buckyball's instructions: the word, the two source registers.

Source: buckyball 3. A value wider than its field is cut off, as the production headers do.

>>> hex(word(33, 10, 11)), hex(rs1(8, bank2=10, iterations=64))
('0x42b5307b', '0x1000a00008')
"""

from __future__ import annotations

from typing import NamedTuple

OPCODE, FUNCT3 = 0x7B, 3
BANK_BITS, ITER_BITS = 10, 34
ADDRESS_BITS, STRIDE_BITS = 39, 19
INT8_MODE = 1 << 32
"""The mode bit of `int2fp` that makes it write bytes."""

MASK = (1 << 64) - 1
"""All bits of a register."""


class Field(NamedTuple):
    """A field of a register: its lowest bit and how many it has."""

    low: int
    bits: int

    def put(self, value: int) -> int:
        """The register's bits for a value."""
        return (value & ((1 << self.bits) - 1)) << self.low

    def get(self, register: int) -> int:
        """The value that a register has in the field."""
        return (register >> self.low) & ((1 << self.bits) - 1)


BANK_FIELDS: dict[str, str] = {
    "bank": "bank0", "in": "bank0", "op1": "bank0", "op2": "bank1", "out": "bank2", "wr": "bank2",
}  # fmt: skip
"""The field of the first register that names the bank of a role."""

RS1: dict[str, Field] = {
    "bank0": Field(0, BANK_BITS), "bank1": Field(10, BANK_BITS), "bank2": Field(20, BANK_BITS),
    "iter": Field(30, ITER_BITS),
}  # fmt: skip
"""The first register of every instruction but `matrix`, which has three rows where others have the count."""

MATRIX_RS1: dict[str, Field] = {
    "bank0": Field(0, BANK_BITS), "bank1": Field(10, BANK_BITS), "bank2": Field(20, BANK_BITS),
    "op1_base": Field(30, 7), "op2_base": Field(37, 7), "wr_base": Field(44, 7), "reserved": Field(51, 13),
}  # fmt: skip

RS2: dict[str, dict[str, Field]] = {
    "mset": {"row": Field(0, 5), "col": Field(5, 5), "alloc": Field(10, 1), "clear": Field(11, 1)},
    "mvin": {"address": Field(0, ADDRESS_BITS), "stride": Field(ADDRESS_BITS, STRIDE_BITS)},
    "mvout": {"address": Field(0, ADDRESS_BITS), "stride": Field(ADDRESS_BITS, STRIDE_BITS)},
    "fp2int": {"scale": Field(0, 32)},
    "int2fp": {"scale": Field(0, 32), "mode": Field(32, 2)},
    "transpose": {"mode": Field(0, 64)},
    "relu": {"stride": Field(0, 64)},
    "mul_warp16": {"mode": Field(0, 64)},
    "im2col": {
        "kcol": Field(0, 8), "krow": Field(8, 8), "incol": Field(16, 8), "inrow": Field(24, 8),
        "startcol": Field(32, 8), "startrow": Field(40, 8), "colStep": Field(48, 8),
    },
    "im2col_square": {"ksize": Field(0, 8), "stride": Field(8, 8), "padding": Field(16, 8)},
    "matrix": {
        "m": Field(0, 12), "n": Field(12, 12), "k": Field(24, 12), "mode": Field(36, 1), "reserved": Field(37, 27),
    },
}  # fmt: skip
"""The second register by instruction; what is not listed is 0."""


def word(funct7: int, register1: int, register2: int) -> int:
    """The instruction word for registers x`register1` and x`register2`."""
    return funct7 << 25 | register2 << 20 | register1 << 15 | FUNCT3 << 12 | OPCODE


def fields_of(instruction: int) -> tuple[int, int, int] | None:
    """funct7 and the numbers of both registers of a word, None if it is no instruction of Buckyball.

    >>> fields_of(0x42B5307B), fields_of(0x13)
    ((33, 10, 11), None)
    """
    if instruction & 0x7F != OPCODE or (instruction >> 12) & 7 != FUNCT3 or (instruction >> 7) & 31:
        return None
    return instruction >> 25, (instruction >> 15) & 31, (instruction >> 20) & 31


def rs1(bank0: int = 0, bank1: int = 0, bank2: int = 0, iterations: int = 0) -> int:
    """The first register."""
    values = {"bank0": bank0, "bank1": bank1, "bank2": bank2, "iter": iterations}
    return sum(RS1[name].put(value) for name, value in values.items())


def rs2(instruction: str, **fields: int) -> int:
    """The second register of an instruction.

    >>> hex(rs2("mset", row=1, col=4, alloc=1)), hex(rs2("mvin", address=0x80001000, stride=1))
    ('0x481', '0x8080001000')
    """
    return sum(RS2[instruction][name].put(value) for name, value in fields.items())


def decode(layout: dict[str, Field], register: int) -> dict[str, int]:
    """All fields of a register.

    >>> decode(RS2["mset"], 0x481)
    {'row': 1, 'col': 4, 'alloc': 1, 'clear': 0}
    """
    return {name: field.get(register) for name, field in layout.items()}


def registers(name: str, values: dict[str, int]) -> tuple[int, int]:
    """Both registers of an instruction from its operands by role, as the operation tables name them.

    `mset` takes `bank`, `alloc`, `row`, `col` and `clear`; moves take `address` beside their operands.

    >>> [hex(one) for one in registers("fp2int", {"in": 0, "out": 8, "iter": 64, "scale": 0x42FE0000})]
    ['0x1000800000', '0x42fe0000']
    """
    if name in ("fence", "barrier"):
        return 0, 0
    if name == "mset":
        fields = {key: values.get(key, 0) for key in RS2["mset"]} if values.get("alloc") else {}
        return rs1(values["bank"]), rs2("mset", **fields)
    if name in ("mvin", "mvout"):
        return rs1(values["bank"], iterations=values["depth"]), rs2(
            name, address=values["address"], stride=values["stride"]
        )
    if name == "mul_warp16":
        return rs1(values["op1"], values["op2"], values["wr"], values["iter"]), values["mode"] & MASK
    if name == "matrix":
        return rs1(values["op1"], values["op2"], values["wr"]), values["config"] & MASK
    if name == "im2col":
        form = "im2col" if "krow" in values else "im2col_square"
        first = rs1(values["in"], bank2=values["out"], iterations=values.get("iter", 0))
        return first, rs2(form, **{key: values[key] for key in RS2[form]})
    count = values["depth"] if name == "relu" else values["iter"]
    first = rs1(values["in"], bank2=values["out"], iterations=count)
    if name in ("fp2int", "int2fp", "int32_to_int8"):
        return first, rs2("fp2int", scale=values["scale"]) | INT8_MODE * (name == "int32_to_int8")
    return first, values["stride" if name == "relu" else "mode"] & MASK
