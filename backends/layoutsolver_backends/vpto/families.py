"""The emission of every rule family."""

from __future__ import annotations

from collections.abc import Callable

from layoutsolver_backends.vpto import (
    casts,
    convert,
    elementwise,
    group_memory,
    groups,
    indexed_memory,
    interleave,
    masked_memory,
    masks,
    memory,
    picked,
    rearrange,
    spread,
)
from layoutsolver_backends.vpto.site import Site

EMISSIONS: dict[str, Callable[[Site], None]] = {
    "same": elementwise.emit_same, "bitcast": elementwise.emit_bitcast, "cast": casts.emit_cast,
    "vexpdif": casts.emit_expdif, "free": spread.emit_free, "free_mask": masks.emit_free_mask,
    "iota": spread.emit_iota, "contiguous": spread.emit_group_iota, "load": memory.emit_load,
    "store": memory.emit_store, "masked_store": masked_memory.emit_masked_store,
    "masked_load": masked_memory.emit_masked_load,
    "deinterleave_load": memory.emit_deinterleave_load, "interleave_store": memory.emit_interleave_store,
    "stride": memory.emit_stride, "gather": indexed_memory.emit_gather, "single": picked.emit_single,
    "group_load": group_memory.emit_group_load, "group_slot_load": group_memory.emit_group_slot_load,
    "group_store": group_memory.emit_group_store, "group_reduce": groups.emit_group_reduce,
    "reduce": groups.emit_reduce, "histogram": groups.emit_histogram, "group_broadcast": spread.emit_group_broadcast,
    "group_broadcast_load": spread.emit_group_broadcast_load, "vintlv": interleave.emit_pair,
    "vdintlv": interleave.emit_pair, "vselr": rearrange.emit_select, "channel_split": rearrange.emit_channel_split,
    "granularity": convert.emit_explicit,
    "channel_merge": rearrange.emit_channel_merge, "shuffle": rearrange.emit_shuffle,
    "free_lane": spread.emit_free_lane, "identity": rearrange.emit_identity,
    "registers": rearrange.emit_registers,
}  # fmt: skip
"""By rule family."""
