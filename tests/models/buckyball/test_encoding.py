"""Instruction words and registers against those of the production headers and of GNU as."""

from __future__ import annotations

import re
from typing import Any

import pytest

from layoutsolver_models.buckyball.encoding import INT8_MODE, MATRIX_RS1, RS1, RS2, decode, fields_of, rs1, rs2, word
from layoutsolver_models.buckyball.instructions import BY_FUNCT7, INSTRUCTIONS
from tests.models.hardware.buckyball.golden import golden

NOT_MODELLED = ("bb_mmio_set", "bb_mvin_mmio", "bb_mxfp2int")
CALLS = [row for row in golden()["encodings"] if not row["call"].startswith(NOT_MODELLED)]
REGISTERS = {"x0": 0, "zero": 0, "a0": 10, "a1": 11, "t0": 5, "s11": 27, "x31": 31, "x30": 30}


def encode(name: str, values: list[int]) -> tuple[int, int]:
    """Both registers of a call of the production headers."""
    if name in ("fence", "barrier"):
        return 0, 0
    if name in ("mset", "mset_clear"):
        bank, *rest = values
        alloc, row, col = rest if name == "mset" else [1, *rest]
        return rs1(bank), rs2("mset", alloc=alloc, row=row, col=col, clear=int(name == "mset_clear"))
    if name in ("mvin", "mvout"):
        address, bank, depth, stride = values
        return rs1(bank, iterations=depth), rs2(name, address=address, stride=stride)
    if name == "mul_warp16":
        op1, op2, wr, iterations, mode = values
        return rs1(op1, op2, wr, iterations), rs2("mul_warp16", mode=mode)
    if name == "im2col" and len(values) == 9:
        source, target, *rest = values
        names = ("krow", "kcol", "inrow", "incol", "startrow", "startcol", "colStep")
        return rs1(source, bank2=target), rs2("im2col", **dict(zip(names, rest, strict=True)))
    if name == "im2col":
        source, target, side, size, stride, padding = values
        register = rs2("im2col_square", ksize=size, stride=stride, padding=padding)
        return rs1(source, bank2=target, iterations=side), register
    if name.startswith("matrix"):
        op1, op2, wr, n = values
        return rs1(op1, op2, wr), rs2("matrix", m=n, n=n, k=n, mode=int(name == "matrix_ws"))
    source, target, iterations, *rest = values
    register = rest[0] if rest else 0
    return rs1(source, bank2=target, iterations=iterations), register | INT8_MODE * (name == "int32_to_int8")


@pytest.mark.parametrize("row", CALLS, ids=lambda row: f"{row['rev']}-{row['call']}")
def test_registers_are_those_of_the_production_headers(row: dict[str, Any]) -> None:
    match = re.fullmatch(r"bb_(\w+)\((.*)\)", row["call"])
    assert match is not None
    values = [int(one, 0) for one in match[2].split(",") if one]
    assert encode(match[1], values) == (int(row["rs1"], 16), int(row["rs2"], 16))
    name = {"mset_clear": "mset", "matrix_os": "matrix", "matrix_ws": "matrix"}.get(match[1], match[1])
    assert INSTRUCTIONS[name].funct7 == row["funct7"]


@pytest.mark.parametrize("row", golden()["words"], ids=lambda row: str(row["text"]))
def test_words_are_those_of_the_assembler(row: dict[str, str]) -> None:
    opcode, funct3, funct7, _, left, right = (one.strip() for one in row["text"].removeprefix(".insn r").split(","))
    assert (opcode, funct3) == ("0x7b", "3")
    found = word(int(funct7), REGISTERS[left], REGISTERS[right])
    assert found == int(row["word"], 16)
    assert fields_of(found) == (int(funct7), REGISTERS[left], REGISTERS[right])


def test_other_words_are_no_instructions() -> None:
    assert [fields_of(one) for one in (0x00000013, 0x42B5207B, 0x42B530FB)] == [None, None, None]


@pytest.mark.parametrize("layout", [RS1, MATRIX_RS1, *RS2.values()])
def test_fields_do_not_overlap_and_come_back(layout: dict[str, Any]) -> None:
    bits = [field.put(-1) for field in layout.values()]
    assert sum(bits) == sum(bits[:0]) | bits[0] if len(bits) == 1 else sum(bits) < 1 << 64
    for name, field in layout.items():
        assert decode(layout, field.put((1 << field.bits) - 1)) == {
            other: (1 << field.bits) - 1 if other == name else 0 for other in layout
        }


def test_every_funct7_has_the_instruction_that_hardware_runs() -> None:
    assert {code: BY_FUNCT7[code] for code in (0, 1, 16, 32, 33, 48, 49, 50, 51, 52, 64, 65)} == {
        0: "fence", 1: "barrier", 16: "mvout", 32: "mset", 33: "mvin", 48: "im2col", 49: "transpose", 50: "relu",
        51: "fp2int", 52: "int2fp", 64: "mul_warp16", 65: "matrix",
    }  # fmt: skip


@pytest.mark.parametrize(
    "layout", [RS1, MATRIX_RS1, RS2["matrix"], RS2["im2col"], RS2["mset"], RS2["mvin"]], ids=str
)  # fmt: skip
def test_fields_lie_behind_each_other_and_come_back_at_their_extremes(layout: dict[str, Any]) -> None:
    end = 0
    for name, field in layout.items():
        assert field.low == end
        end = field.low + field.bits
        largest = {other: (1 << field.bits) - 1 if other == name else 0 for other in layout}
        assert decode(layout, sum(layout[one].put(value) for one, value in largest.items())) == largest
    assert end == {"alloc": 12, "address": 58, "kcol": 56}.get(next((one for one in layout if one in
                  ("alloc", "address", "kcol")), ""), 64)  # fmt: skip
