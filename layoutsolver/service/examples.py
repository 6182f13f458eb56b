"""One request for each verb, as the OpenAPI document shows them."""

from __future__ import annotations

from typing import Any

_MEMORY = "memref<64xf32, #hivm.address_space<ub>>"
_HEAD = f"""\
func.func @scale(%src: {_MEMORY}, %dst: {_MEMORY}) {{
  %c0 = arith.constant 0 : index
  %all = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%c0] : {_MEMORY} into vector<64xf32>
"""
_TAIL = f"""\
  ave.hir.masked_store <NORM_B32> %dst[%c0], %all, %x : {_MEMORY}, vector<64xi1>, vector<64xf32>
  return
}}
"""

PROGRAM = _HEAD + _TAIL
"""A program that has layouts."""

_ROWS = "memref<4x16xf16, #hivm.address_space<ub>>"
CONFLICT = f"""\
func.func @narrow(%src: {_MEMORY}, %dst: {_ROWS}) {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %all = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%c0] : {_MEMORY} into vector<64xf32>
  %h = ave.hir.vtruncf %x, <rint>, false, <part_even>, %all : vector<64xf32>, vector<64xf16>, vector<64xi1>
  ave.hir.store_with_stride %dst[%c0, %c0], %c16, %all, %h : {_ROWS}, vector<64xi1>, vector<64xf16>
  return
}}
"""
"""A program that has none: one mask for a conversion of 32-bit data and a strided store of 16-bit data."""

PACKED = """\
// Packed 4-bit floats to pairs of bf16, 128 pairs at a time.
module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {
  func.func @widen() attributes {pto.kernel} {
    %in = arith.constant 0 : i64
    %out = arith.constant 2048 : i64
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %codes = pto.castptr %in : i64 -> !pto.ptr<!pto.f4E2M1x2, ub>
    %pairs = pto.castptr %out : i64 -> !pto.ptr<!pto.bf16x2, ub>
    scf.for %at = %c0 to %c1024 step %c128 {
      %q = pto.vmi.vload %codes[%at] : !pto.ptr<!pto.f4E2M1x2, ub> -> !pto.vmi.vreg<128x!pto.f4E2M1x2>
      %x = pto.vmi.vcvt %q : !pto.vmi.vreg<128x!pto.f4E2M1x2> -> !pto.vmi.vreg<128x!pto.bf16x2>
      pto.vmi.vstore %x, %pairs[%at] : !pto.vmi.vreg<128x!pto.bf16x2>, !pto.ptr<!pto.bf16x2, ub>
    }
    return
  }
}
"""
"""A program of VMI in which layouts save instructions."""

_ROW = "!pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.vmi.mask<64xpred>"


def _template(number: int, op: str) -> str:
    """A vector function that reads rows from the unified buffer, changes them, and writes them back."""
    return f"""\
    pto.fusion_region {{
      %x{number} = pto.castptr %at : i64 -> !pto.ptr<f32, ub>
      %all{number} = pto.vmi.create_mask %c64 : index -> !pto.vmi.mask<64xpred>
      scf.for %i{number} = %c0 to %c128 step %c1 {{
        %o{number} = arith.muli %i{number}, %c64 : index
        %v{number} = pto.vmi.vload %x{number}[%o{number}] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>
        %r{number} = {op.format(n=number)}
        pto.vmi.vstore %r{number}, %x{number}[%o{number}], %all{number} : {_ROW}
      }}
      pto.yield() : () -> ()
    }}
"""


TEMPLATES = (
    """\
module attributes {pto.target_arch = "a5"} {
  func.func @scaled_exponential(%scale: f32) {
    %at = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
"""
    + _template(
        1,
        "pto.vmi.vmuls %v{n}, %scale, %all{n} : "
        "!pto.vmi.vreg<64xf32>, f32, !pto.vmi.mask<64xpred> -> !pto.vmi.vreg<64xf32>",
    )
    + _template(
        2, "pto.vmi.vexp %v{n}, %all{n} : !pto.vmi.vreg<64xf32>, !pto.vmi.mask<64xpred> -> !pto.vmi.vreg<64xf32>"
    )
    + """\
    return
  }
}
"""
)
"""Two vector functions whose loops become one."""

BUFFERS = "id,lower,upper,size\nweights,0,8,4096\ninput,0,3,2048\nscaled,2,6,1024\noutput,5,8,2048\n"
"""Buffers to be placed."""

TILE = """\
func.func @tile(%A: memref<16x64xf32>, %B: memref<64x16xf32>, %C: memref<16x16xf32>, %sa: i64, %sb: i64, %sc: i64) {
  %c64 = arith.constant 64 : i64
  %c16 = arith.constant 16 : i64
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %aFp32 = buckyball.bank_alloc {col = 4 : i64}
  %bFp32 = buckyball.bank_alloc {col = 4 : i64}
  %aI8 = buckyball.bank_alloc
  %bI8 = buckyball.bank_alloc
  %aI8T = buckyball.bank_alloc
  %cI32 = buckyball.bank_alloc {col = 4 : i64}
  %cFp32 = buckyball.bank_alloc {col = 4 : i64}
  %a0 = buckyball.bank_mvin %A %aFp32 %c64 %c1 : memref<16x64xf32> i64 i64 i64
  %b0 = buckyball.bank_mvin %B %bFp32 %c64 %c1 : memref<64x16xf32> i64 i64 i64
  %a1 = buckyball.bank_fp2int %a0 %aI8 %c64 %sa : i64 i64 i64 i64
  %b1 = buckyball.bank_fp2int %b0 %bI8 %c64 %sb : i64 i64 i64 i64
  %a2 = buckyball.bank_transpose %a1 %aI8T %c64 %c0 : i64 i64 i64 i64
  %c = buckyball.bank_mul_warp16 %a2 %b1 %cI32 %c64 %c0 : i64 i64 i64 i64 i64
  %d = buckyball.bank_int2fp %c %cFp32 %c16 %sc : i64 i64 i64 i64
  %e = buckyball.bank_mvout %C %d %c16 %c1 : memref<16x16xf32> i64 i64 i64
  buckyball.fence
  buckyball.bank_release %a0 : i64
  buckyball.bank_release %b0 : i64
  buckyball.bank_release %a1 : i64
  buckyball.bank_release %b1 : i64
  buckyball.bank_release %a2 : i64
  buckyball.bank_release %c : i64
  buckyball.bank_release %e : i64
  return
}
"""
"""One tile of a matrix product: every bank is allocated first and released last."""

PROGRAMS = {
    "one mask for two widths": ("solve", CONFLICT),
    "packed 4-bit floats": ("solve", PACKED),
    "load and store": ("solve", PROGRAM),
    "two vector functions": ("fuse", TEMPLATES),
    "a tile of a matrix product": ("banks", TILE),
    "a table of buffers": ("place buffers", BUFFERS),
}
"""What the page offers to begin with: what is asked of each, and its text."""

EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "solve": {
        "solve": {"text": PROGRAM, "name": "scale.mlir"},
        "repair": {"text": CONFLICT, "name": "scale.mlir", "repair": True},
    },
    "explain": {"explain": {"text": CONFLICT, "name": "scale.mlir"}},
    "why": {"why": {"text": PROGRAM, "name": "scale.mlir", "value": "%x"}},
    "space": {"space": {"text": PROGRAM, "name": "scale.mlir", "list": 3}},
    "lower": {"lower": {"text": PROGRAM, "name": "scale.mlir", "to": "ave-intrin"}},
    "verify": {"verify": {"text": PROGRAM, "name": "scale.mlir"}},
    "fuse": {"fuse": {"text": TEMPLATES, "name": "templates.pto"}},
    "banks": {
        "banks": {"text": TILE, "name": "tile.mlir", "level": "reorder"},
        "buffers": {"text": BUFFERS, "name": "buffers.csv", "placement": True, "capacity": 8192},
    },
    "view": {"view": {"text": PACKED, "name": "widen.pto", "show": "space"}},
    "report": {"report": {"text": CONFLICT, "name": "narrow.mlir"}},
}
"""Bodies by verb and by name."""
