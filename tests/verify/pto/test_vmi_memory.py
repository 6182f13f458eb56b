"""VMI's masked, strided and compressed accesses and its rearrangements, element by element, against numpy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from layoutsolver_models.hardware.state import Bytes
from tests.verify.pto.pairs import ptr, vec
from tests.verify.pto.texts import function, leave, pointers

RNG = np.random.default_rng(6)
DATA: npt.NDArray[Any] = RNG.permutation(512).astype(np.float32)
OTHER: npt.NDArray[Any] = RNG.permutation(512).astype(np.float32)
KIND, MASK, P = vec(64, "f32"), "!pto.vmi.mask<64xpred>", ptr("f32")
ON = (np.arange(64) // 3) % 2 == 0
BITS = ", ".join("true" if bit else "false" for bit in ON)
GIVEN = (
    f"%a = pto.vmi.vload %p[%c0] : {P} -> {KIND}", f"%b = pto.vmi.vload %o[%c0] : {P} -> {KIND}",
    f'%m = "pto.vmi.constant_mask"() {{value = dense<[{BITS}]> : vector<64xi1>}} : () -> {MASK}',
    '%all = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<64xpred>', "%two = arith.constant 2 : i16",
    "%one = arith.constant 1 : i16",
)  # fmt: skip


def run(*lines: str) -> npt.NDArray[Any]:
    """What lines leave behind the pointer `%q`."""
    short = {"V": KIND, "M": MASK, "P": P}
    texts = [re.sub(r"\b([VMP])\b", lambda match: short[match[1]], line) for line in lines]
    text = function(pointers(p="f32", o="f32", q="f32"), *GIVEN, *texts)
    empty: Bytes = np.zeros(2048, np.uint8)
    return leave(text, DATA.view(np.uint8), OTHER.view(np.uint8), empty)[2].view(np.float32)


def stored(line: str) -> npt.NDArray[Any]:
    """The vector `%r` that a line makes."""
    return run(line, f"pto.vmi.vstore %r, %q[%c0] : {KIND}, {P}")[:64]


A, B = DATA[:64], OTHER[:64]
PREFIX = np.concatenate([[0], np.cumsum(ON)[:-1]])


@pytest.mark.parametrize(
    ("line", "wanted"),
    [("%r = pto.vmi.masked_load %p[%c5], %m, %b : P, M, V -> V", np.where(ON, DATA[5:69], B)),
     ("%r = pto.vmi.expand_load %p[%c5], %m, %b : P, M, V -> V", np.where(ON, DATA[5 + PREFIX], B)),
     ("%r = pto.vmi.stride_load %p[%c0], %two, %one, %all : P, i16, i16, M -> V",
      DATA.reshape(-1, 8)[1:17:2].ravel()),
     ("%r = pto.vmi.vload %p[%c0], %two, %one : P -> V", DATA.reshape(-1, 8)[1:17:2].ravel()),
     ("%x, %y = pto.vmi.deinterleave_load %p[%c0] : P -> V, V\n  %r = pto.vmi.subf %x, %y : V, V -> V",
      DATA[0:128:2] - DATA[1:128:2]),
     ("%r = pto.vmi.group_load %p[%c1], %c20 {num_groups = 4} : P -> V",
      np.concatenate([DATA[1 + 20 * k : 17 + 20 * k] for k in range(4)])),
     ("%r = pto.vmi.group_broadcast_load %p[%c1], %c3 {num_groups = 8} : P -> V", np.repeat(DATA[1:25:3], 8)),
     ('%x, %y = "pto.vmi.channel_split"(%a) : (V) -> (!pto.vmi.vreg<32xf32>, !pto.vmi.vreg<32xf32>)\n'
      '  %r = "pto.vmi.channel_merge"(%y, %x) : (!pto.vmi.vreg<32xf32>, !pto.vmi.vreg<32xf32>) -> V',
      A.reshape(-1, 2)[:, ::-1].ravel()),
     ("%z = arith.constant 3 : i32\n  %i = pto.vmi.group_iota %z {group = 8, order = \"DESC\"} : i32 -> "
      "!pto.vmi.vreg<64xi32>\n  %k = pto.vmi.pge \"PAT_VL4\" {group = 8} : M\n"
      "  %g = pto.vmi.gather %p[%i], %k, %b : P, !pto.vmi.vreg<64xi32>, M, V -> V\n  %r = pto.vmi.absf %g : V -> V",
      np.where(np.arange(64) % 8 < 4, DATA[np.maximum(3 - np.arange(64) % 8, 0)], B)),
     ('%v:4 = "pto.vmi.unpack"(%d) : (T) -> (V0, V0, V0, V0)\n  %w = "pto.vmi.pack"(%v#1, %v#0, %v#2, %v#3) '
      ": (V0, V0, V0, V0) -> T".replace("T", vec(128, "f32")[:-1] + ", #pto.vmi.layout<deinterleaved = 4>>"), None)],
)  # fmt: skip
def test_loads_and_rearrangements(line: str, wanted: npt.NDArray[Any] | None) -> None:
    if wanted is None:
        quarter = "!pto.vreg<64xf32>"
        kind = vec(128, "f32")[:-1] + ", #pto.vmi.layout<deinterleaved = 4>>"
        text = line.replace("V0", quarter).replace("%d", "%wide")
        found = run(
            f"%wide = pto.vmi.load %p[%c0] : {P} -> {kind}", text, f"pto.vmi.store %w, %q[%c0] : {kind}, {P}"
        )  # fmt: skip
        expected = DATA[:128].reshape(-1, 4)[:, [1, 0, 2, 3]].ravel()
        assert found[:128].tolist() == expected.tolist()
        return
    assert stored(line).tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("line", "place"),
    [("pto.vmi.masked_store %a, %q[%c7], %m : V, P, M", lambda q: q.__setitem__(7 + np.flatnonzero(ON), A[ON])),
     ("pto.vmi.compress_store %a, %q[%c7], %m : V, P, M", lambda q: q.__setitem__(slice(7, 7 + ON.sum()), A[ON])),
     ("pto.vmi.interleave_store %a, %b, %q[%c4] : V, V, P",
      lambda q: q.__setitem__(slice(4, 132), np.stack([A, B], 1).ravel())),
     ("pto.vmi.group_store %a, %q[%c2], %c30 {num_groups = 4} : V, P",
      lambda q: [q.__setitem__(slice(2 + 30 * k, 18 + 30 * k), A[16 * k : 16 * k + 16]) for k in range(4)]),
     ("pto.vmi.stride_store %a, %q[%c0], %two, %one, %all : V, P, i16, i16, M",
      lambda q: q.reshape(-1, 8).__setitem__(slice(1, 17, 2), A.reshape(-1, 8))),
     ("pto.vmi.vsstb %a, %q[%c8], %two, %all : V, P, M",
      lambda q: q[8:].reshape(-1, 8).__setitem__(slice(0, 16, 2), A.reshape(-1, 8))),
     ('pto.vmi.vstore %a, %b, %q[%c0] {dist_mode = "dintlv"} : V, V, P',
      lambda q: q.__setitem__(slice(0, 128), np.stack([A, B], 1).ravel()))],
)  # fmt: skip
def test_stores(line: str, place: Callable[[npt.NDArray[Any]], object]) -> None:
    wanted = np.zeros(512, np.float32)
    place(wanted)
    assert run(line).tolist() == wanted.tolist()


def test_compression_leaves_the_rest_open() -> None:
    found = stored("%r = pto.vmi.compress %a, %m : V, M -> V")
    count = int(ON.sum())
    assert found[:count].tolist() == A[ON].tolist()
    assert set(found[count:].view(np.uint8).tolist()) == {0xEE}


def test_counts_of_active_elements() -> None:
    text = function(pointers(p="f32", o="f32", q="si32"), *GIVEN,
                    f"%r = pto.vmi.active_prefix_index %m : {MASK} -> {vec(64, 'si32')}",
                    f"pto.vmi.vstore %r, %q[%c0] : {vec(64, 'si32')}, {ptr('si32')}")  # fmt: skip
    found = leave(text, DATA.view(np.uint8), OTHER.view(np.uint8), np.zeros(256, np.uint8))[2].view(np.int32)
    assert found.tolist() == PREFIX.tolist()


def test_numbers_of_two_words() -> None:
    kind, mask = vec(64, "ui32"), "!pto.vmi.mask<64xpred>"
    lines = (
        f"%a = pto.vmi.vload %p[%c0] : {ptr('ui32')} -> {kind}",
        f"%b = pto.vmi.vload %o[%c0] : {ptr('ui32')} -> {kind}",
        f'%m = pto.vmi.pset "PAT_ALL" : {mask}',
        f"%l, %h = pto.vmi.vmull %a, %b, %m : {kind}, {kind}, {mask} -> {kind}, {kind}",
        f"%s, %c = pto.vmi.vaddc %l, %a, %m : {kind}, {kind}, {mask} -> {kind}, {mask}",
        f"%t, %d = pto.vmi.vaddcs %h, %b, %c, %m : {kind}, {kind}, {mask}, {mask} -> {kind}, {mask}",
        f"pto.vmi.vstore %s, %q[%c0] : {kind}, {ptr('ui32')}", f"pto.vmi.vstore %t, %q[%c64] : {kind}, {ptr('ui32')}",
    )  # fmt: skip
    a, b = (RNG.integers(2**32, size=64, dtype=np.uint64) for _ in range(2))
    text = function(pointers(p="ui32", o="ui32", q="ui32"), *lines)
    given = [values.astype(np.uint32).view(np.uint8) for values in (a, b)]
    found = leave(text, *given, np.zeros(512, np.uint8))[2].view(np.uint32).astype(object)
    wanted = a.astype(object) * b.astype(object) + a.astype(object) + (b.astype(object) << 32)
    assert [low + (high << 32) for low, high in zip(found[:64], found[64:], strict=True)] == (wanted % 2**64).tolist()


def test_histograms_of_many_samples() -> None:
    samples = RNG.integers(256, size=300, dtype=np.uint8)
    kinds = vec(256, "ui16"), vec(300, "ui8"), "!pto.vmi.mask<300xpred>"
    text = function(
        pointers(p="ui8", o="ui16", q="ui16"), f"%x = pto.vmi.vload %p[%c0] : {ptr('ui8')} -> {kinds[1]}",
        f"%a = pto.vmi.vload %o[%c0] : {ptr('ui16')} -> {kinds[0]}",
        f"%m = pto.vmi.create_mask %c290 : index -> {kinds[2]}",
        f"%r = pto.vmi.vchist %a, %x, %m : {', '.join(kinds)} -> {kinds[0]}",
        f"pto.vmi.vstore %r, %q[%c0] : {kinds[0]}, {ptr('ui16')}",
    )  # fmt: skip
    start = RNG.integers(1000, size=256).astype(np.uint16)
    found = leave(text, samples, start.view(np.uint8), np.zeros(512, np.uint8))[2].view(np.uint16)
    assert found.tolist() == (start + np.cumsum(np.bincount(samples[:290], minlength=256))).tolist()
