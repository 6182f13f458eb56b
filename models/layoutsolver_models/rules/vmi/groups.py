"""Operations on groups in memory: one row, or one scalar, for each group.

What goes depends on the size class of a group, its size against a 32-byte block (B lanes) and a register (lp lanes).
"""

from __future__ import annotations

from layoutsolver_models.rules.vmi.group_classes import group_rule as _rule
from layoutsolver_models.rules.vmi.row import (
    OCCUPIED,
    UNLISTED,
    Lowering,
    VmiRule,
    fails,
    ours,
    steps,
    upstream,
    wrong,
)

_ANY = "misaligned"
_BY_ELEMENT = "W // 8"
_APART = "misaligned or stride * W % 256 != 0"
"""Whether rows, or single scalars, do not all begin at a block."""

_EVEN = "stride > 0 and stride * W % 256 == 0"
_UNEVEN = "stride * W % 256 != 0"
_BLOCKS = "addptr * A(result); vsldb * A(result)"
_ROWS = "W == 32 and stride > 0 and stride % 8 == 0 and G % 8 == 0 and pointer"


def _near(per: str, reached: str) -> str:
    """Several rows, or scalars, of groups in `per` lanes, so near to each other that an index reaches all of them.

    `reached` is what is known of the stride besides.
    """
    return f"2 * S <= {per} and {reached} and (W == 32 or ({per} // S + 1) * stride < 65536)"


def _phases(role: str, per: str) -> str:
    """How many places of a row registers of `per` elements begin at."""
    return f"min(A({role}), S // gcd(S, {per}))"


def _quotients(role: str, per: str) -> str:
    """The number of its group for each lane of a register, for each place at which registers begin.

    (lane * m) >> k is lane // S; where S is a power of 2, m is 1.
    """
    phases = _phases(role, per)
    return f"~vci * {phases}; ~vmuls * ({per} % S != 0) * {phases}; ~vshrs * {phases}"


def _places(role: str, per: str = "lp") -> str:
    """The places of the elements of a register, from its first row on: lane + lane // S * (stride - S)."""
    phases = _phases(role, per)
    return f"{_quotients(role, per)}; ~vmuls * {phases}; ~vadd * {phases}"


_BEGINNING = "ceil(G, lp // gcd(S, lp))"
"""How many rows begin where a register does."""
_PIECES = f"(G + R - {_BEGINNING})"
"""How many pieces of rows registers hold: a row ends, or a register."""
_TURNS = "~vci * (min(G, lp // gcd(S, lp)) - 1)"
"""The indices by which rows go to their places in a register, or from them to the first lanes."""
_MERGES = f"vsel * ({_PIECES} - A(result))"
_MISSED = "S % lp != 0"
"""Groups that are not of whole registers."""
_IN_STEP = "stride >= S and (stride - S) % B == 0"
"""Rows that lie in memory as they do in registers, as far as blocks go."""

GROUP_LOAD: tuple[VmiRule, ...] = (
    *(_rule("VMI.GLOAD", "group_load", size, "result=c", "stride == S",
            (upstream("vlds NORM * A(result)", "", "32"), ours("vldas * 1; vldus * A(result)", _ANY, _BY_ELEMENT)),
            "3.6") for size in ("1/4", "1/2", "1", "2", "4")),
    _rule("VMI.GLOAD", "group_load", "FULL", "result=c", "",
          (upstream("vlds NORM * A(result)", "", "32", _UNEVEN),
           ours("vldas * G; vldus * A(result)", _APART, _BY_ELEMENT)), "3.6"),
    _rule("VMI.GLOAD", "group_load", "2", "result=bd2", _ROWS, (upstream(_BLOCKS, "", "32"),), "3.6"),
    _rule("VMI.GLOAD", "group_load", "4", "result=bd4", _ROWS, (upstream(_BLOCKS, "", "32"),), "3.6"),
    _rule("VMI.GLOAD", "group_load", "BLOCKS", "result=c",
          "S == B and stride > 0 and stride % B == 0 and stride < 32768 * B", (ours(_BLOCKS, "", "32"),),
          "3.6", listed=UNLISTED),
    _rule("VMI.GLOAD", "group_load", "GATHER", "result=c", f"{_near('lp', 'stride > 0')} and W in (16, 32)",
          (ours(f"{_places('result')}; vgather2_bc * {OCCUPIED} * A(result)", "W == 32", "4"),
           ours(f"{_places('result')}; vgather2 * {OCCUPIED} * A(result)", "W == 16", "2")), "3.6", listed=UNLISTED),
    _rule("VMI.GLOAD", "group_load", "GATHER", "result=ls2", f"{_near('lp // 2', 'stride > 0')} and W == 8",
          (ours(f"{_places('result', 'lp // 2')}; vgather2 * {OCCUPIED} * A(result)", "", "1"),), "3.6",
          listed=UNLISTED),
    _rule("VMI.GLOAD", "group_load", "ROWS", "result=c", _MISSED,
          (ours(f"vlds NORM * {_PIECES}; {_MERGES}", _IN_STEP, "32"),
           ours(f"vldas * {_PIECES}; vldus * {_PIECES}; {_MERGES}",
                f"stride >= S and (misaligned or not ({_IN_STEP}))", _BY_ELEMENT),
           ours(f"vldas * {_PIECES}; vldus * {_PIECES}; {_TURNS}; vselr * (G - {_BEGINNING}); {_MERGES}",
                "not stride >= S", _BY_ELEMENT)), "3.6", listed=UNLISTED),
)  # fmt: skip
"""Rows of S elements, `stride` apart.

Registers may begin inside of rows: each piece of a row is loaded from where its register would begin, as nothing in
front of the first row is touched, or by itself and then turned round to its place.
"""

_MANY = "G > 8 and W < 32"
"""More slots than eight, of which a block holds more than that: every other eight are no multiple of a block."""

_MORE = "ceil(G, 8) - ceil(G, B)"
_SLOT_8 = (
    upstream("addptr * A(result); vsldb * A(result)", "", "32", _MANY),
    ours("addptr * ceil(G, B); vsldb * ceil(G, B); ~vci * min(ceil(G, 8), B // 8) - 1; "
         f"vselr * {_MORE}", _MANY, "32"),
    ours("vldas * ceil(G, 8); vldus * ceil(G, 8)", f"{_MANY} or misaligned", _BY_ELEMENT),
)  # fmt: skip
"""Eight slots at a time, or a block, whose other slots are then selected."""
_REACHED = "stride > 1 and 8 * stride < 65536"
"""Whether the scalars of eight groups are so near to each other that an index of 16 bits reaches them."""

GROUP_SLOT_LOAD: tuple[VmiRule, ...] = (
    _rule("VMI.GSLOT", "group_slot_load", "", "result=gs8", "stride == 1", _SLOT_8, "3.6"),
    _rule("VMI.GSLOT", "group_slot_load", "", "result=gs1", "",
          (upstream("addptr * G; vsldb * G", _EVEN, "32"), ours("vlds BRC_B{W} * G", "", _BY_ELEMENT)), "3.6",
          listed=_EVEN),
    _rule("VMI.GSLOT", "group_slot_load", "GATHER", "result=gs8", f"{_REACHED} and W in (16, 32)",
          (ours(f"~vci * 1; ~vmuls * 1; vgather2_bc * {OCCUPIED} * A(result)", "W == 32", "4"),
           ours(f"~vci * 1; ~vmuls * 1; vgather2 * {OCCUPIED} * A(result)", "W == 16", "2")), "3.6", listed=UNLISTED),
    _rule("VMI.GSLOT", "group_slot_load", "GATHER", "result=gs8.2", f"{_REACHED} and W == 8",
          (ours(f"~vci * 1; ~vmuls * 1; vgather2 * {OCCUPIED} * A(result)", "", "1"),), "3.6", listed=UNLISTED),
    _rule("VMI.GSLOT", "group_slot_load", "", "result=gs8.2", "stride == 1", (), "3.6", (wrong(),)),
    _rule("VMI.GSLOT", "group_slot_load", "", "result=gs8.4", "stride == 1", (), "3.6", (wrong(),)),
)  # fmt: skip
"""One scalar for each group; spread slots are loaded densely by upstream."""

_TOGETHER = "stride == 1 and align % 32 == 0"
_POINTS = (
    upstream("vdup LOWEST * G; vsel * G - ceil(G, 8); pnot * G - ceil(G, 8); pand * G - ceil(G, 8); "
             "vsts NORM_B{W} * ceil(G, 8)", _TOGETHER, "32", _MANY),
    ours("vdup LOWEST * G; vsel * G - ceil(G, 8); vsts NORM_B{W} * ceil(G, 8)", f"{_TOGETHER} and not ({_MANY})", "32"),
    upstream("vsts 1PT_B{W} * G", f"not ({_TOGETHER})", "W // 8"),
    ours("vsts 1PT_B{W} * G", _TOGETHER, "W // 8"),
)  # fmt: skip
"""Slots by themselves are stored one by one, or collected where a register can be stored at once."""

_SMALL = "G in (4, 8) and G * W < 256"
"""Whether all scalars together are less than a block."""


def _packed(halvings: int, mode: str, wide: str) -> tuple[Lowering, ...]:
    """A store of spread slots: brought together first where a block can be written, else packed by the store.

    Where elements are so `wide` that slots take 64 bits, nothing brings them together, and documents leave open what a
    predicate of 32 bits says of them.
    """
    together = f"{_SMALL} and align % 32 == 0"
    return (
        upstream(f"vpack * {halvings} * A(value); vsts NORM_B{{W}} * A(value)", together, "32", wide),
        upstream(f"vsts {mode} * A(value)", f"not ({together})", "32", f"{wide} or ({_MANY})"),
    )


GROUP_STORE: tuple[VmiRule, ...] = (
    _rule("VMI.GSTORE", "group_store", "1", "value=c", "stride > 0 and stride % B == 0 and stride < 65536 * B",
          (upstream("addptr * A(value); vsstb * A(value)", "", "32", "W != 32 and G % 8 != 0"),), "3.6"),
    _rule("VMI.GSTORE", "group_store", "FULL", "value=c", "",
          (upstream("vsts NORM_B{W} * A(value)", "", "32", _UNEVEN),
           ours("vstus * A(value); vstas * G", _APART, _BY_ELEMENT)), "3.6"),
    _rule("VMI.GSTORE", "group_store", "SCATTER", "value=c", f"{_near('lp', 'stride >= S')} and W in (16, 32)",
          (ours(f"{_places('value')}; vscatter * {OCCUPIED} * A(value)", "", _BY_ELEMENT),), "3.6", listed=UNLISTED),
    _rule("VMI.GSTORE", "group_store", "SCATTER", "value=ls2", f"{_near('lp // 2', 'stride >= S')} and W == 8",
          (ours(f"{_places('value', 'lp // 2')}; vscatter * {OCCUPIED} * A(value)", "", _BY_ELEMENT),), "3.6",
          listed=UNLISTED),
    _rule("VMI.GSTORE", "group_store", "ROWS", "value=c", _MISSED,
          (ours("vsts NORM_B{W} * A(value)", "stride == S", "32"),
           ours("vstus * A(value); vstas * 1", f"stride == S and {_ANY}", _BY_ELEMENT),
           ours(f"vsts NORM_B{{W}} * {_PIECES}; ~pxor * (min(G, lp // gcd(S, lp)) - 1)",
                f"{_IN_STEP} and stride != S", "32"),
           ours(f"{_TURNS}; vselr * (G - {_BEGINNING}); vstus * {_PIECES}; vstas * G",
                f"not stride == S and (misaligned or not ({_IN_STEP}))", _BY_ELEMENT)), "3.6",
          listed=UNLISTED),
    _rule("VMI.GSTORE", "group_store", "FULL2", "value=d2", "",
          (Lowering("ours", steps("vstsx2 INTLV_B{W} * A(value) // 2"), "", "32", _UNEVEN),), "3.6"),
    _rule("VMI.GSTORE", "group_store", "", "value=gs1", "N == G", _POINTS, "3.6"),
    _rule("VMI.GSTORE", "group_store", "SCATTER", "value=gs8", f"N == G and {_REACHED} and W in (16, 32)",
          (ours(f"~vci * 1; ~vmuls * 1; vscatter * {OCCUPIED} * A(value)", "", _BY_ELEMENT),), "3.6", listed=UNLISTED),
    _rule("VMI.GSTORE", "group_store", "SCATTER", "value=gs8.2", f"N == G and {_REACHED} and W == 8",
          (ours(f"~vci * 1; ~vmuls * 1; vscatter * {OCCUPIED} * A(value)", "", _BY_ELEMENT),), "3.6", listed=UNLISTED),
    _rule("VMI.GSTORE", "group_store", "", "value=gs8", "N == G and stride == 1",
          (upstream("vsts NORM_B{W} * A(value)", f"not ({_SMALL}) or align % 32 == 0", "32", _MANY),
           upstream("vselr * G * W // 32 - 1; vsts 1PT_B32 * G * W // 32", f"{_SMALL} and not align % 32 == 0", "4"),
           ours(f"~vci * min(ceil(G, 8), B // 8) - 1; vselr * {_MORE}; vsel * {_MORE}; "
                "vsts NORM_B{W} * ceil(G, B)", _MANY, "32"),
           ours("vstus * A(value); vstas * 1", f"{_MANY} or misaligned", _BY_ELEMENT)), "3.6"),
    _rule("VMI.GSTORE", "group_store", "", "value=gs8.2", "N == G and stride == 1",
          _packed(1, "PK_B{2W}", "W == 32"), "3.6", (fails("W == 32 and G == 4"),)),
    _rule("VMI.GSTORE", "group_store", "", "value=gs8.4", "N == G and stride == 1 and (W == 8 or G == 1)",
          _packed(2, "PK4_B32", "W != 8"), "3.6"),
)  # fmt: skip
"""Rows of a dense value, or one scalar for each group.

Where registers begin inside of rows, each piece of a row is stored under a predicate from where its register would
begin, or turned round to the first lanes and added to the stream of its row. Rows that overlap are stored in order.
"""

_INDEX = "~vci * 1; ~vshrs * 1"


def _generic(size: int) -> tuple[Lowering, ...]:
    """A selection among what is loaded, of which `size` registers share eight slots.

    Upstream loads eight scalars at a time, of 16 bits from addresses that are no multiple of a block; a block holds B.
    """
    starts = f"min({size} * ceil(min(G, B), 8), A(result))"
    return (
        upstream(f"addptr * ceil(G, 8); vsldb * ceil(G, 8); {_INDEX}; ~vadds * min({size}, A(result)) - 1; "
                 "vselr * A(result)", "", "32", _MANY),
        ours(f"addptr * ceil(G, B); vsldb * ceil(G, B); {_INDEX}; ~vadds * {starts} - 1; vselr * A(result)", _MANY,
             "32"),
        ours(f"vldas * ceil(G, 8); vldus * ceil(G, 8); {_INDEX}; ~vadds * min({size}, A(result)) - 1; "
             "vselr * A(result)", _ANY, _BY_ELEMENT),
    )  # fmt: skip


_GENERIC = _generic(1)
_GENERIC_SHARED = (
    upstream(f"addptr * ceil(G, 8); vsldb * ceil(G, 8); {_INDEX}; vselr * ceil(G, 8)", "", "32", _MANY),
    ours(f"addptr * ceil(G, B); vsldb * ceil(G, B); {_INDEX}; ~vadds * min(ceil(G, 8), B // 8) - 1; "
         "vselr * ceil(G, 8)", _MANY, "32"),
    ours(f"vldas * ceil(G, 8); vldus * ceil(G, 8); {_INDEX}; vselr * ceil(G, 8)", _ANY, _BY_ELEMENT),
)  # fmt: skip
_E2B = upstream("vlds E2B_B{W} * 1", "G == 8 and W in (16, 32) and pointer", "W")
_BRC = upstream("vlds BRC_B{W} * G", "pointer", "W // 8")
_WHOLE = (
    upstream("addptr * ceil(G, 8); vsldb * ceil(G, 8); ~vdup * min(G, 8); vselr * G",
             "not pointer and stride == 1", "32", _MANY),
    ours("addptr * ceil(G, B); vsldb * ceil(G, B); ~vdup * min(G, B); vselr * G",
         f"not pointer and stride == 1 and {_MANY}", "32"),
    upstream("addptr * G; vsldb * G; vdup LOWEST * G",
             "not pointer and stride > 1 and stride * W % 256 == 0", "32"),
)  # fmt: skip


def _loaded(size: str, result: str, when: str, *ways: Lowering) -> VmiRule:
    return _rule("VMI.GBLOAD", "group_broadcast_load", size, f"result={result}", when, ways, "3.9")


_ELSEWHERE = f"{_MISSED} and not (stride == 1 and S in (B, 2 * B, 4 * B))"
"""Groups of sizes, or at strides, for which upstream has no row that leaves them contiguous."""
_FEW = "stride == 1 and 2 * S <= lp and (W != 8 or lp % S == 0)"
_SELECTED = f"{_quotients('result', 'lp')}; vselr * A(result)"
_NUMBERED = f"{_SELECTED}; ~vadds * (A(result) - 1)"


def _repeated(per: str) -> str:
    return f"{_quotients('result', per)}; ~vmuls * {_phases('result', per)}"


GROUP_BROADCAST_LOAD: tuple[VmiRule, ...] = (
    _loaded("1/4", "ls4", "stride == 1", *_GENERIC), _loaded("1/2", "ls2", "stride == 1", *_GENERIC),
    _loaded("1", "c", "stride == 1", _E2B, *_GENERIC),
    _loaded("2", "c", "stride == 1", *_generic(2)), _loaded("2", "d2", "stride == 1", _E2B, *_GENERIC_SHARED),
    _loaded("4", "c", "stride == 1", *_generic(4)), _loaded("4", "d4", "stride == 1", _E2B, *_GENERIC_SHARED),
    _loaded("FULL", "c", "", _BRC, *_WHOLE, _BRC._replace(by="ours", when="not pointer")),
    _loaded("FULL", "d2", "G == 1", _BRC), _loaded("FULL", "d4", "G == 1", _BRC),
    _rule("VMI.GBLOAD", "group_broadcast_load", "ANY", "result=c", _ELSEWHERE,
          (ours(f"vlds BRC_B{{W}} * G; vsel * (G - {_BEGINNING})", "", _BY_ELEMENT),
           ours(f"vlds NORM * 1; {_NUMBERED}", f"{_FEW} and G <= lp", "32"),
           ours(f"vldas * 1; vldus * 1; {_NUMBERED}", f"{_FEW} and G <= lp and {_ANY}", _BY_ELEMENT),
           ours(f"vldas * A(result); vldus * A(result); {_SELECTED}", f"{_FEW} and G > lp", _BY_ELEMENT)),
          "3.9", listed=UNLISTED),
    _rule("VMI.GBLOAD", "group_broadcast_load", "GATHER", "result=c", f"{_near('lp', 'stride > 1')} and W in (16, 32)",
          (ours(f"{_repeated('lp')}; vgather2_bc * {OCCUPIED} * A(result)", "W == 32", "4"),
           ours(f"{_repeated('lp')}; vgather2 * {OCCUPIED} * A(result)", "W == 16", "2")), "3.9", listed=UNLISTED),
    _rule("VMI.GBLOAD", "group_broadcast_load", "GATHER", "result=ls2",
          f"{_near('lp // 2', 'stride > 0')} and (stride > 1 or lp % S != 0) and W == 8",
          (ours(f"{_repeated('lp // 2')}; vgather2 * {OCCUPIED} * A(result)", "", "1"),), "3.9", listed=UNLISTED),
)  # fmt: skip
"""One scalar of memory for each group, for all of its elements: by one load that repeats them, or by a selection.

`E2B` needs its base aligned to what it reads, eight elements; the selection needs a block. Registers of one group
share the register that `BRC` fills.
"""

GROUP_MEMORY: tuple[VmiRule, ...] = (*GROUP_LOAD, *GROUP_SLOT_LOAD, *GROUP_STORE, *GROUP_BROADCAST_LOAD)
"""All rows."""
