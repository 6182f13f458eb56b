"""The types of PTO: what is one, what is not, and what it says."""

from __future__ import annotations

import pytest

from layoutsolver.mlir.pto_types import (
    PTO_SCALARS,
    PointerType,
    PredicateType,
    RegisterType,
    VmiMaskType,
    VmiVectorType,
    parse_pto_type,
)
from layoutsolver.mlir.types import OtherType, ScalarType, parse_type
from layoutsolver_models.lanes.layout import Dense, Groups


@pytest.mark.parametrize(
    ("text", "lanes", "bits", "layout"),
    [
        ("!pto.vmi.vreg<64xf32>", 64, 32, None),
        ("!pto.vmi.vreg<12xsi8>", 12, 8, None),
        ("!pto.vmi.vreg<256x!pto.f4E2M1x2>", 256, 8, None),
        ("!pto.vmi.vreg<128x!pto.bf16x2, #pto.vmi.layout<contiguous>>", 128, 32, Dense()),
        ("!pto.vmi.vreg<256xf8E4M3FN, #pto.vmi.layout<contiguous, lane_stride = 4>>", 256, 8, Dense(1, 4)),
        ("!pto.vmi.vreg<256xf32,#pto.vmi.layout<block_deinterleaved=4>>", 256, 32, Dense(4, 1, True)),
        ("!pto.vmi.vreg<8xf16, #pto.vmi.layout<num_groups = 8, slots = 8, lane_stride = 2>>", 8, 16, Groups(8, 8, 2)),
        ("!pto.vmi.vreg<8xf16, #pto.vmi.layout<slots = 1, num_groups = 8>>", 8, 16, Groups(8, 1)),
    ],
)
def test_a_logical_vector(text: str, lanes: int, bits: int, layout: Dense | Groups | None) -> None:
    found = parse_type(text)
    assert isinstance(found, VmiVectorType)
    assert (found.text, found.lanes, found.bits, found.layout) == (text, lanes, bits, layout)


@pytest.mark.parametrize(
    ("text", "granularity", "bits", "layout"),
    [
        ("!pto.vmi.mask<64xpred>", "pred", None, None),
        ("!pto.vmi.mask<64xb16>", "b16", 16, None),
        ("!pto.vmi.mask<64xb32, #pto.vmi.layout<deinterleaved = 2>>", "b32", 32, Dense(2)),
    ],
)
def test_a_logical_mask(text: str, granularity: str, bits: int | None, layout: Dense | None) -> None:
    found = parse_type(text)
    assert isinstance(found, VmiMaskType)
    assert (found.lanes, found.granularity, found.bits, found.layout) == (64, granularity, bits, layout)


def test_registers_predicates_and_pointers() -> None:
    register = parse_type("!pto.vreg<128xbf16>")
    assert isinstance(register, RegisterType)
    assert (register.lanes, register.element.text) == (128, "bf16")
    assert isinstance(parse_type("!pto.vreg<32xsi64>"), RegisterType)
    assert parse_type("!pto.mask<b8>") == PredicateType("!pto.mask<b8>", "b8")
    for text, element, space in (
        ("!pto.ptr<f32, ub>", "f32", "ub"),
        ("!pto.ptr<f32>", "f32", "gm"),
        ("!pto.ptr<!pto.f4E1M2x2, vec>", "!pto.f4E1M2x2", "ub"),
        ("!pto.ptr<vector<2xf16>, gm>", "vector<2xf16>", "gm"),
        ("<ui16, ub>", "ui16", "ub"),
    ):
        pointer = parse_type(text)
        assert isinstance(pointer, PointerType)
        assert (pointer.element.text, pointer.space) == (element, space)


@pytest.mark.parametrize("text", PTO_SCALARS)
def test_elements_of_its_own_have_the_width_that_they_are_stored_in(text: str) -> None:
    assert parse_type(text) == ScalarType(text, PTO_SCALARS[text], True)


@pytest.mark.parametrize(
    "text",
    [
        "!pto.vmi.vreg<0xf32>",
        "!pto.vmi.vreg<64xf64>",
        "!pto.vmi.vreg<64xindex>",
        "!pto.vmi.vreg<64xi1>",
        "!pto.vmi.vreg<64>",
        "!pto.vmi.vreg<64xf32, contiguous>",
        "!pto.vmi.vreg<64xf32, #pto.vmi.layout<deinterleaved = 3>>",
        "!pto.vmi.vreg<64xf32, #pto.vmi.layout<num_groups = 8, slots = 8>>",
        "!pto.vmi.vreg<64xf32, #pto.vmi.layout<b32>>",
        "!pto.vmi.mask<64>",
        "!pto.vmi.mask<64xb64>",
        "!pto.vmi.mask<64xpred, #pto.vmi.layout<contiguous>>",
        "!pto.vreg<64xf16>",
        "!pto.vreg<64xf32, ub>",
        "!pto.mask<pred>",
        "!pto.ptr<f32, moon>",
        "!pto.ptr<>",
        "!pto.align",
        "<NORM, a, b>",
    ],
)
def test_what_is_not_well_formed_is_no_type_of_pto(text: str) -> None:
    assert parse_pto_type(text) is None
    assert parse_type(text) == OtherType(text)
