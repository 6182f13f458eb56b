"""The numbers by which intrinsics name distributions, patterns and roundings, and the names of barriers."""

from __future__ import annotations

LOAD_DISTS = {
    "NORM": 0, "BRC_B8": 1, "BRC_B16": 2, "BRC_B32": 3, "US_B8": 6, "US_B16": 7, "DS_B8": 8, "DS_B16": 9,
    "BDINTLV": 10, "DINTLV_B8": 11, "DINTLV_B16": 12, "UNPK_B8": 13, "UNPK_B16": 14, "BLK": 15, "E2B_B16": 16,
    "E2B_B32": 17, "UNPK_B32": 18, "DINTLV_B32": 19, "UNPK4_B8": 20, "SPLT4CHN_B8": 21, "SPLT2CHN_B8": 22,
    "SPLT2CHN_B16": 23, "US": 24, "DS": 25, "PK": 26, "BRC_B64": 27,
}  # fmt: skip
"""Source: HIVMAVEAttrs.td#LoadDist."""

STORE_DISTS = {
    "NORM_B8": 0, "NORM_B16": 1, "NORM_B32": 2, "ONEPT_B8": 3, "ONEPT_B16": 4, "ONEPT_B32": 5, "PK_B16": 6,
    "PK_B32": 7, "INTLV_B8": 8, "INTLV_B16": 9, "PK_B64": 10, "INTLV_B32": 11, "PK4_B32": 12, "MRG4CHN_B8": 13,
    "MRG2CHN_B8": 14, "MRG2CHN_B16": 15, "NORM_B64": 16, "ONEPT_B64": 17,
}  # fmt: skip
"""Source: HIVMAVEAttrs.td#StoreDist."""

PGE_PATTERNS = {
    "ALL": 0, "VL1": 1, "VL2": 2, "VL3": 3, "VL4": 4, "VL8": 5, "VL16": 6, "VL32": 7, "VL64": 8, "VL128": 9,
    "M3": 10, "M4": 11, "H": 12, "Q": 13, "ALLF": 15,
}  # fmt: skip
"""Source: HIVMAVEAttrs.td#PgePattern."""

ROUNDS = {"rint": 0, "round": 1, "floor": 2, "ceil": 3, "trunc": 4, "odd": 5, "truncwithoverflow": 6}
"""Source: HIVMAttrs.td#RoundMode."""

BARRIERS = (
    "vv.all", "vst.vld", "vld.vst", "vst.vst", "vs.all", "vst.ld", "vld.st", "vst.st", "sv.all", "st.vld", "ld.vst",
    "st.vst", "ss.all", "st.ld", "ld.st", "st.st",
)  # fmt: skip
"""The barriers `mem.bar.*` by number. Source: release, HIVMAVEToAVEIntrin#HIVMMemBarOpLowering."""
