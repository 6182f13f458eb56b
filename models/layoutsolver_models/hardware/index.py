"""The instructions of the model by name, each with its function and the document that says what it does.

Names are those of the intrinsics, or of `ave.hir` operations where these differ. An operation that differs only in
the sign of its integers shares the function, which takes the format. Not here, as no document says what they compute:
vdivf (16-bit fixed-point division), channel split loads and channel merge stores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from layoutsolver_models.hardware import (
    arithmetic,
    carry,
    compact,
    compare,
    convert,
    gather,
    group_reduce,
    histogram,
    memory,
    predicate,
    predicate_memory,
    rearrange,
    reduce,
    streams,
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: the pure function from states to states, and where its meaning is documented."""

    function: Callable[..., Any]
    source: str


_MEMORY = "PTO ISA document, 3. vector load/store"
_PREDICATE_MEMORY = "PTO ISA document, 4. predicate load/store"
_PREDICATE = "PTO ISA document, 5. materialization and predicate operations"
_UNARY = "PTO ISA document, 6. unary vector operations"
_BINARY = "PTO ISA document, 7. binary vector operations"
_SCALAR = "PTO ISA document, 8. vector-scalar operations"
_CONVERT = "PTO ISA document, 9. conversion operations"
_REDUCE = "PTO ISA document, 10. reduction operations"
_COMPARE = "PTO ISA document, 11. compare and select"
_REARRANGE = "PTO ISA document, 12. data rearrangement"
_SPECIAL = "PTO ISA document, 13. DSA/SFU operations"
_INTRINSICS = "HIVMRegbaseIntrins.td"
_OPERATIONS = "HIVMAVEOps.td"

INSTRUCTIONS: dict[str, Instruction] = {
    "vld": Instruction(memory.vld, _MEMORY),
    "vldx2": Instruction(memory.vldx2, _MEMORY),
    "vsldb": Instruction(memory.vsldb, _MEMORY),
    "vldas": Instruction(streams.vldas, _MEMORY),
    "vldus": Instruction(streams.vldus, _MEMORY),
    "vst": Instruction(memory.vst, _MEMORY),
    "vstx2": Instruction(memory.vstx2, _MEMORY),
    "vsstb": Instruction(memory.vsstb, _MEMORY),
    "init_align": Instruction(streams.init_align, _MEMORY),
    "vstus": Instruction(streams.vstus, _MEMORY),
    "vstas": Instruction(streams.vstas, _MEMORY),
    "vgather2": Instruction(gather.vgather2, _MEMORY),
    "vscatter": Instruction(gather.vscatter, _MEMORY),
    "plds": Instruction(predicate_memory.plds, _PREDICATE_MEMORY),
    "psts": Instruction(predicate_memory.psts, _PREDICATE_MEMORY),
    "pstu": Instruction(predicate_memory.pstu, _PREDICATE_MEMORY),
    "pge": Instruction(predicate.pge, _PREDICATE),
    "plt": Instruction(predicate.plt, _PREDICATE),
    "pltm": Instruction(predicate.pltm, _PREDICATE),
    "pand": Instruction(predicate.pand, _PREDICATE),
    "por": Instruction(predicate.por, _PREDICATE),
    "pxor": Instruction(predicate.pxor, _PREDICATE),
    "pnot": Instruction(predicate.pnot, _PREDICATE),
    "psel": Instruction(predicate.psel, _PREDICATE),
    "ppack": Instruction(predicate.ppack, _PREDICATE),
    "punpack": Instruction(predicate.punpack, _PREDICATE),
    "pintlv": Instruction(predicate.pintlv, _PREDICATE),
    "pdintlv": Instruction(predicate.pdintlv, _PREDICATE),
    "movvp": Instruction(predicate.movvp, _INTRINSICS),
    "vbr": Instruction(rearrange.vbr, _PREDICATE),
    "vdups": Instruction(rearrange.vdups, _PREDICATE),
    "vdup": Instruction(rearrange.vdup, _PREDICATE),
    "vdupm": Instruction(rearrange.vdupm, _PREDICATE),
    "vci": Instruction(rearrange.vci, _SPECIAL),
    "vabs": Instruction(arithmetic.vabs, _UNARY),
    "vneg": Instruction(arithmetic.vneg, _UNARY),
    "vnot": Instruction(arithmetic.vnot, _UNARY),
    "vrelu": Instruction(arithmetic.vrelu, _INTRINSICS),
    "vexp": Instruction(arithmetic.vexp, _UNARY),
    "vln": Instruction(arithmetic.vln, _UNARY),
    "vsqrt": Instruction(arithmetic.vsqrt, _UNARY),
    "vrsqrt": Instruction(arithmetic.vrsqrt, _OPERATIONS),
    "vadd": Instruction(arithmetic.vadd, _BINARY),
    "vsub": Instruction(arithmetic.vsub, _BINARY),
    "vmul": Instruction(arithmetic.vmul, _BINARY),
    "vdiv": Instruction(arithmetic.vdiv, _BINARY),
    "vdivfhp": Instruction(arithmetic.vdivfhp, _OPERATIONS),
    "vmod": Instruction(arithmetic.vmod, _OPERATIONS),
    "vmodui": Instruction(arithmetic.vmod, _OPERATIONS),
    "vmax": Instruction(arithmetic.vmax, _BINARY),
    "vmin": Instruction(arithmetic.vmin, _BINARY),
    "vsmax": Instruction(arithmetic.vmax, _BINARY),
    "vsmin": Instruction(arithmetic.vmin, _BINARY),
    "vumax": Instruction(arithmetic.vmax, _BINARY),
    "vumin": Instruction(arithmetic.vmin, _BINARY),
    "vand": Instruction(arithmetic.vand, _BINARY),
    "vor": Instruction(arithmetic.vor, _BINARY),
    "vxor": Instruction(arithmetic.vxor, _BINARY),
    "vshl": Instruction(arithmetic.vshl, _INTRINSICS),
    "vshr": Instruction(arithmetic.vshr, _INTRINSICS),
    "vrnd": Instruction(arithmetic.vrnd, _INTRINSICS),
    "vabs_diff": Instruction(arithmetic.vabs_diff, _INTRINSICS),
    "vsadd": Instruction(arithmetic.vsadd, _INTRINSICS),
    "vssub": Instruction(arithmetic.vssub, _INTRINSICS),
    "vprelu": Instruction(arithmetic.vprelu, _SPECIAL),
    "vexpdif": Instruction(arithmetic.vexpdif, _SPECIAL),
    "vmula": Instruction(arithmetic.vmula, _SPECIAL),
    "mull": Instruction(arithmetic.vmull, _INTRINSICS),
    "vadds": Instruction(arithmetic.vadds, _SCALAR),
    "vmuls": Instruction(arithmetic.vmuls, _SCALAR),
    "vmaxs": Instruction(arithmetic.vmaxs, _SCALAR),
    "vmins": Instruction(arithmetic.vmins, _SCALAR),
    "vsmaxs": Instruction(arithmetic.vmaxs, _SCALAR),
    "vsmins": Instruction(arithmetic.vmins, _SCALAR),
    "vumaxs": Instruction(arithmetic.vmaxs, _SCALAR),
    "vumins": Instruction(arithmetic.vmins, _SCALAR),
    "vlrelus": Instruction(arithmetic.vlrelu, _SCALAR),
    "vshls": Instruction(arithmetic.vshls, _SCALAR),
    "vshrs": Instruction(arithmetic.vshrs, _SCALAR),
    "vcmp": Instruction(compare.vcmp, _COMPARE),
    "vcmps": Instruction(compare.vcmps, _COMPARE),
    "vsel": Instruction(compare.vsel, _COMPARE),
    "vcvt": Instruction(convert.vcvt, _CONVERT),
    "vtrc": Instruction(convert.vtrc, _CONVERT),
    "vintlv": Instruction(rearrange.vintlv, _REARRANGE),
    "vdintlv": Instruction(rearrange.vdintlv, _REARRANGE),
    "vpack": Instruction(rearrange.vpack, _REARRANGE),
    "vunpack": Instruction(rearrange.vzunpack, _REARRANGE),
    "vslide": Instruction(rearrange.vslide, _OPERATIONS),
    "vcadd": Instruction(reduce.vcadd, _REDUCE),
    "vcmax": Instruction(reduce.vcmax, _REDUCE),
    "vcmin": Instruction(reduce.vcmin, _REDUCE),
    "vcgadd": Instruction(group_reduce.vcgadd, _REDUCE),
    "vcgmax": Instruction(group_reduce.vcgmax, _REDUCE),
    "vcgmin": Instruction(group_reduce.vcgmin, _REDUCE),
    "vcpadd": Instruction(group_reduce.vcpadd, _REDUCE),
    "dhistv2": Instruction(histogram.dhist, _REDUCE),
    "chistv2": Instruction(histogram.chist, _REDUCE),
    "vaddc": Instruction(carry.vaddc, _BINARY),
    "vsubc": Instruction(carry.vsubc, _BINARY),
    "vaddcs": Instruction(carry.vaddc, _SCALAR),
    "vsubcs": Instruction(carry.vsubc, _SCALAR),
    "vselr": Instruction(rearrange.vselr, _REARRANGE),
    "vsunpack": Instruction(rearrange.vsunpack, _REARRANGE),
    "vsqz": Instruction(compact.vsqz, _REARRANGE),
    "vusqz": Instruction(compact.vusqz, _REARRANGE),
    "vgatherb": Instruction(gather.vgatherb, _MEMORY),
    **{
        name: Instruction(convert.vcvt, _CONVERT)
        for name in ("vextf", "vextsi", "vextui", "vtruncf", "vtrunci", "vfptosi", "vfptoui", "vsitofp", "vuitofp")
    },
}
"""Every instruction by name."""
