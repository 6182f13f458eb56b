"""How each operation is lowered to intrinsics that do what it means."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver_backends.intrin import predicates
from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound import compares, conversions, lanes, loads, masks, moves, reductions, stores
from layoutsolver_backends.intrin.tables import CONVERTS, ELEMENTWISE, SHIFTS
from layoutsolver_backends.intrin.writer import Writer

Lowering = Callable[[Writer, Step], None]

SOUND: dict[str, Lowering] = {
    "vload": loads.load, "masked_store": stores.store, "unaligned.masked.store": stores.store,
    "store_with_stride": stores.store_with_stride, "vgather": loads.gather, "vscatter": stores.scatter,
    "pge": masks.pattern, "plt": masks.counted_lanes, "pltm": masks.offset_lanes, "preg.cast": masks.repack,
    **{f"preg.{name}": predicates.logic for name in ("and", "or", "xor", "not")},
    **dict.fromkeys(("vcmp", "vcmps"), compares.compare), "membar": stores.barrier,
    **dict.fromkeys((*ELEMENTWISE, *SHIFTS), lanes.elementwise),
    **dict.fromkeys(("vrsqrt", "vrnd", "vmod", "vmodui", "vdivfhp"), lanes.elementwise),
    **dict.fromkeys(CONVERTS, conversions.convert), "vexpdif": lanes.exponential_of_difference,
    "vtrc": lanes.round_to_whole, "vsel": lanes.select, "mull": lanes.multiply_long, "reduction": reductions.reduce,
    "broadcast": moves.broadcast, "scalar_broadcast": moves.splat, "vector_broadcast": moves.duplicate,
    "vci": moves.ramp, "vintlv": moves.interleave, "vdintlv": moves.interleave, "vpack": moves.pack,
    "vunpack": moves.pack, "vslide": moves.slide, "vector.layout_cast": moves.layout_cast,
    "vector.bitcast": moves.bitcast, "arith.constant": moves.constant,
}  # fmt: skip
"""The lowering of each operation, those of other dialects that make or cast vectors among them."""

OTHERS = frozenset({"vector.bitcast", "arith.constant"})
"""Operations of other dialects that are lowered where they make a vector."""
