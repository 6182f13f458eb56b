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
}
"""Bodies by verb and by name."""
