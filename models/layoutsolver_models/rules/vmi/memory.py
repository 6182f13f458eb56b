"""Loads and stores of whole vectors: which layouts they read and write, with which distribution modes.

Register k of a contiguous load takes elements from k lp on. With a lane stride the load spreads elements (`UNPK`)
and the store packs them (`PK`), half or a quarter of a register at a time. Two parts come from one pair of registers
that is loaded by turns (`DINTLV`), or are stored so (`INTLV`).

These want addresses that are multiples of a block. At others a stream loads and stores registers one behind the other;
where a mask says which elements are stored, they are scattered.
"""

from __future__ import annotations

from layoutsolver_models.rules.vmi.row import OCCUPIED, UNLISTED, Lowering, VmiRule, fails, ours, upstream

UNIFIED_BUFFER_BYTES = 256 * 1024
"""The size of the memory from which vectors are loaded. Source: section 7."""

_SOURCE = "3.4"
_ALIGNED = "32"
_ANY = "misaligned"
_BY_ELEMENT = "W // 8"
"""What a stream, or an access to single elements, wants of its address."""

_JOINED = "ceil(R, 2) + 2 * ceil(R, 4)"
"""What it takes to take registers apart into four parts."""

_PART = [f"ceil(N - {part}, 4 * lp)" for part in range(4)]
_MIXED = f"(min(ceil(R, 4), {_PART[2]}) + min(ceil(R, 4), {_PART[3]}) + min(ceil(R, 2), {_PART[1]} + {_PART[3]}))"
"""What it takes to put four parts together, of which the first ones may be longer."""

_TWO_PARTS, _FOUR_PARTS = "N >= 2", "N >= 4"

_LOADED: dict[str, tuple[str, tuple[Lowering, ...]]] = {
    "c": ("", (upstream("vlds NORM * A(result)", "", _ALIGNED),
               ours("vldas * 1; vldus * A(result)", _ANY, _BY_ELEMENT))),
    "ls2": ("", (upstream("vlds UNPK_B{W} * A(result)", "", _ALIGNED),)),
    "ls4": ("W == 8", (upstream("vlds UNPK4 * A(result)", "", _ALIGNED),)),
    "d2": (_TWO_PARTS, (
        upstream("vldsx2 DINTLV_B{W} * A(result) // 2", "A(result) <= R and A(result) % 2 == 0", _ALIGNED),
        upstream("vlds NORM * R; vdintlv * ceil(A(result), 2)", "A(result) > R or A(result) % 2 != 0", _ALIGNED),
        ours("vldas * 1; vldus * R; vdintlv * ceil(A(result), 2)", _ANY, _BY_ELEMENT))),
    "d4": (_FOUR_PARTS, (
        upstream("vldsx2 DINTLV_B{W} * A(result) // 2; vdintlv * A(result) // 2",
                 "A(result) <= R and A(result) % 4 == 0", _ALIGNED),
        upstream("vlds NORM * R; vdintlv * A(result) - (R == 1)", "A(result) > R or A(result) % 4 != 0", _ALIGNED,
                 "A(result) != 4 * ceil(N - 3, 4 * lp)"),
        ours(f"vlds NORM * R; vdintlv * {_JOINED}", "A(result) > R or A(result) % 4 != 0", _ALIGNED),
        ours(f"vldas * 1; vldus * R; vdintlv * {_JOINED}", _ANY, _BY_ELEMENT))),
}  # fmt: skip
"""By layout: the condition, and the sequences of a load."""

_STORED: dict[str, tuple[str, tuple[Lowering, ...]]] = {
    "c": ("", (upstream("vsts NORM_B{W} * A(value)", "", _ALIGNED),
               ours("vstus * A(value); vstas * 1", _ANY, _BY_ELEMENT))),
    "ls2": ("", (upstream("vsts PK_B{2W} * A(value)", "", _ALIGNED, "W == 32 and N % (lp // 2) != 0"),)),
    "ls4": ("W == 8", (upstream("vsts PK4_B32 * A(value)", "", _ALIGNED),)),
    "d2": (_TWO_PARTS, (
        upstream("vstsx2 INTLV_B{W} * A(value) // 2", "N % (2 * lp) == 0", _ALIGNED),
        upstream("vintlv * A(value) // 2; vsts NORM_B{W} * R", "N % (2 * lp) != 0", _ALIGNED),
        ours("vintlv * A(value) // 2; vstus * R; vstas * 1", _ANY, _BY_ELEMENT))),
    "d4": (_FOUR_PARTS, (
        upstream(f"vintlv * {_MIXED}; vsts NORM_B{{W}} * R", "", _ALIGNED),
        ours("vintlv * A(value) // 2; vstsx2 INTLV_B{W} * A(value) // 2", "N % (4 * lp) == 0", _ALIGNED),
        ours(f"vintlv * {_MIXED}; vstus * R; vstas * 1", _ANY, _BY_ELEMENT))),
}  # fmt: skip
"""By layout: the condition, and the sequences of a store."""


def _tail(stride: int = 1) -> str:
    """The last register's mask, if that is not full of elements."""
    last = f"N % (lp // {stride}) != 0" if stride > 1 else "N % lp != 0"
    return f"; plt * ({last}); pand * ({last})"


_MASKED: dict[str, tuple[str, tuple[Lowering, ...]]] = {
    "c": ("", (upstream(f"vsts NORM_B{{W}} * A(value){_tail()}", "", _ALIGNED),
               ours(f"~vci * 1; vscatter * {OCCUPIED} * A(value){_tail()}", f"{_ANY} and W != 8", _BY_ELEMENT))),
    "ls2": ("W in (8, 16)", (upstream(f"vsts PK_B{{2W}} * A(value){_tail(2)}", "", _ALIGNED),
                             ours(f"~vci * 1; vscatter * {OCCUPIED} * A(value){_tail(2)}", f"{_ANY} and W == 8",
                                  _BY_ELEMENT))),
    "ls4": ("W == 8", (upstream(f"vsts PK4_B32 * A(value){_tail(4)}", "", _ALIGNED),)),
    "d2": (_TWO_PARTS, (
        upstream(f"vintlv * A(value) // 2; pintlv * A(value) // 2; vsts NORM_B{{W}} * R{_tail()}", "", _ALIGNED),)),
    "d4": (_FOUR_PARTS, (
        upstream(f"vintlv * {_MIXED}; pintlv * {_MIXED}; vsts NORM_B{{W}} * R{_tail()}", "", _ALIGNED),)),
}  # fmt: skip
"""By layout, the same for value and mask; stores by turns take no mask."""

_EVEN_PARTS = {
    "d2": "A(value) == 2 * ceil(N // 2, lp)", "d4": "A(value) == 4 * ceil(N // 4, lp)",
}  # fmt: skip
"""Upstream stores parts that take as many registers as each other, the shortest as many as the longest."""

LOAD: tuple[VmiRule, ...] = tuple(
    VmiRule(f"VMI.LOAD.{name.upper()}", "load", {"result": name}, when, ways, _SOURCE)
    for name, (when, ways) in _LOADED.items()
)
STORE: tuple[VmiRule, ...] = tuple(
    VmiRule(f"VMI.STORE.{name.upper()}", "store", {"value": name}, when, ways, _SOURCE,
            listed=_EVEN_PARTS.get(name, ""))
    for name, (when, ways) in _STORED.items()
)  # fmt: skip
MASKED_STORE: tuple[VmiRule, ...] = tuple(
    VmiRule(f"VMI.MSTORE.{name.upper()}", "masked_store", {"value": name, "mask": name}, when, ways, _SOURCE,
            listed=_EVEN_PARTS.get(name, ""))
    for name, (when, ways) in _MASKED.items()
)  # fmt: skip

_FULL = "N % lp == 0"
_BLOCKS_ONLY = "N * W % 256 == 0"
_PARTIAL = f"not ({_FULL}) and (misaligned or not {_BLOCKS_ONLY})"
"""A last register that is not full and that no load of blocks fills."""

_LAST = "~vci * 1; vselr * 1; vsel * R"
"""The last register, loaded so that it ends with the last element, is turned round."""

MASKED_LOAD = (
    VmiRule("VMI.MLOAD.C", "masked_load", {"result": "c", "mask": "c", "passthru": "c"}, f"{_FULL} or not pointer",
            (upstream("vlds NORM * A(result); vsel * A(result)", "", _ALIGNED),
             ours("vldas * 1; vldus * A(result); vsel * A(result)", _ANY, _BY_ELEMENT)), _SOURCE),
    VmiRule("VMI.MLOAD.TAIL.C", "masked_load", {"result": "c", "mask": "c", "passthru": "c"},
            f"not ({_FULL}) and pointer",
            (ours("vlds NORM * R - 1; addptr * 1; vsldb * 1; vsel * R", _BLOCKS_ONLY, _ALIGNED),
             ours(f"vlds NORM * R - 1; vldas * 1; vldus * 1; {_LAST}", f"N > lp and not {_BLOCKS_ONLY}", _ALIGNED),
             ours(f"vldas * 2; vldus * R; {_LAST}", "N > lp and misaligned", _BY_ELEMENT),
             ours(f"~vci * 1; vgather2_bc * {OCCUPIED}; vsel * 1", f"N < lp and W == 32 and {_PARTIAL}", _BY_ELEMENT),
             ours(f"~vci * 1; vgather2 * {OCCUPIED}; vsel * 1", f"N < lp and W == 16 and {_PARTIAL}", _BY_ELEMENT),
             ours(f"~vci * 1; vgather2 * {OCCUPIED}; vpack * 1; vsel * 1",
                  f"2 * N <= lp and W == 8 and {_PARTIAL}", _BY_ELEMENT),
             ours(f"~vci * 1; vgather2 * {OCCUPIED} * 2; vdintlv * 1; vsel * 1",
                  f"2 * N > lp and N < lp and W == 8 and {_PARTIAL}", _BY_ELEMENT)),
            _SOURCE, listed=UNLISTED),
)  # fmt: skip
"""All elements are loaded, and those that the mask leaves out replaced.

As upstream has it, each element of the vector may be read, and nothing behind the last one: what the last register
lacks is there in whole blocks, or loaded once more with elements of the register before, or gathered.
"""

PAIRS = (
    VmiRule("VMI.DLOAD.C", "deinterleave_load", {"low": "c", "high": "c"}, "",
            (upstream("vldsx2 DINTLV_B{W} * A(low)", _FULL, _ALIGNED),
             ours("vlds NORM * ceil(2 * N, lp); vdintlv * A(low)", f"not ({_FULL})", _ALIGNED),
             ours("vldas * 1; vldus * ceil(2 * N, lp); vdintlv * A(low)", _ANY, _BY_ELEMENT)), _SOURCE, listed=_FULL),
    VmiRule("VMI.ISTORE.C", "interleave_store", {"low": "c", "high": "c"}, "",
            (upstream("vstsx2 INTLV_B{W} * A(low)", _FULL, _ALIGNED),
             ours("vintlv * A(low); vsts NORM_B{W} * ceil(2 * N, lp)", f"not ({_FULL})", _ALIGNED),
             ours("vintlv * A(low); vstus * ceil(2 * N, lp); vstas * 1", _ANY, _BY_ELEMENT)), _SOURCE,
            (fails(f"not ({_FULL})"),)),
    VmiRule("VMI.ISTORE.MASK.C", "interleave_store", {"low": "c", "high": "c", "mask": "c"}, "masked",
            (ours("vintlv * A(low); pintlv * A(low); vsts NORM_B{W} * ceil(2 * N, lp); "
                  "plt * (2 * N % lp != 0); pand * (2 * N % lp != 0)", "", _ALIGNED),), _SOURCE, listed=UNLISTED),
)  # fmt: skip
_BLOCKS = "ceil(N, B)"
STRIDED = (
    VmiRule("VMI.STRIDE.LOAD.C", "stride", {"result": "c", "mask": "c"}, "op == 'stride_load' and N <= lp",
            (upstream("addptr * 1; vsldb * 1", "", _ALIGNED),), _SOURCE),
    VmiRule("VMI.STRIDE.STORE.C", "stride", {"value": "c", "mask": "c"},
            "op == 'stride_store' and N <= lp",
            (upstream("addptr * 1; vsstb * 1", "", _ALIGNED, "N < lp"),
             ours(f"vsts NORM_B{{W}} * {_BLOCKS}; plt * {_BLOCKS}; pxor * {_BLOCKS} - 1; pand * {_BLOCKS}", "N < lp",
                  _ALIGNED)), _SOURCE, listed="N <= lp"),
)  # fmt: skip
"""Blocks apart. A predicate that ends inside of a register says of elements what it does not say of blocks (section 5.3
leaves open which counts), so such blocks are stored one by one, each where it stands in its register.
"""
_INDEXED = "W == W_idx and W in (16, 32)"
"""Elements reached by indices are as wide as these."""


def _chosen(stride: int = 1) -> str:
    """The elements of inactive requests, and the mask of the last register."""
    return f"; vsel * A(result){_tail(stride)}"


_PICKED = ("vshrs * A(result); vgather2_bc * A(result); ~vdup * 1; vand * A(result); vshls * A(result); "
           "vshr * A(result)")  # fmt: skip
"""Words that hold elements, moved so that these are their lowest bits."""


def _paged(pages: int) -> str:
    """Stores of elements to so many pages, by the lower halves of indices where the upper ones name the page."""
    return f"vdintlv * A(value); vcmps * {pages} * A(value); vscatter * {pages} * A(value)"


def _gathered(name: str, layout: str, when: str, text: str, align: str = "") -> VmiRule:
    layouts = {"result": layout, "indices": "c", "mask": layout, "passthru": layout}
    return VmiRule(f"VMI.GATHER.LOAD.{name}", "gather", layouts, f"op == 'gather' and {when}", (ours(text, "", align),),
                   _SOURCE, listed=UNLISTED)  # fmt: skip


def _scattered(name: str, layout: str, when: str, text: str) -> VmiRule:
    layouts = {"value": layout, "indices": "c", "mask": layout}
    return VmiRule(f"VMI.GATHER.STORE.{name}", "gather", layouts, f"op == 'scatter' and {when}", (ours(text),),
                   _SOURCE, listed=UNLISTED)  # fmt: skip


GATHER = (
    VmiRule("VMI.GATHER.LOAD.C", "gather", {"result": "c", "indices": "c", "mask": "c", "passthru": "c"},
            f"op == 'gather' and {_INDEXED}",
            (upstream("vgather2_bc * A(result); vsel * A(result)", f"W == 32 and {_FULL}"),
             upstream("vgather2 * A(result); vsel * A(result)", "element == 'ui16' and A(result) == 1", "", "N < lp"),
             ours(f"vgather2_bc * A(result); vsel * A(result){_tail()}", f"W == 32 and not ({_FULL})"),
             ours(f"vgather2 * A(result); vsel * A(result){_tail()}",
                  "W == 16 and (element != 'ui16' or A(result) > 1 or N < lp)")),
            _SOURCE, listed=f"pointer and ((W == 32 and {_FULL}) or (element == 'ui16' and A(result) == 1))"),
    VmiRule("VMI.GATHER.BLOCK.C", "gather", {"result": "c", "offsets": "c", "mask": "c"}, "op == 'vgatherb'",
            (upstream("vgatherb * A(result)", "", _ALIGNED),), _SOURCE),
    VmiRule("VMI.GATHER.STORE.C", "gather", {"value": "c", "indices": "c", "mask": "c"},
            f"op == 'scatter' and {_INDEXED}",
            (upstream("vscatter * A(value)", _FULL), ours(f"vscatter * A(value){_tail()}", f"not ({_FULL})")),
            _SOURCE, listed=f"pointer and {_FULL}"),
    _gathered("WIDE.C", "c", "W == 32 and W_idx == 16", f"vzunpack * A(result); vgather2_bc * A(result){_chosen()}"),
    _gathered("NARROW.LS2", "ls2", "W == 8 and W_idx == 16", f"vgather2 * A(result){_chosen(2)}"),
    _gathered("WORDS.LS2", "ls2", "W == 16 and W_idx == 32", f"{_PICKED}{_chosen(2)}", "4"),
    _gathered("WORDS.LS4", "ls4", "W == 8 and W_idx == 32", f"{_PICKED}{_chosen(4)}", "4"),
    _scattered("WIDE.C", "c", "W == 32 and W_idx == 16", f"vzunpack * A(value); vscatter * A(value){_tail()}"),
    _scattered("NARROW.LS2", "ls2", "W == 8 and W_idx == 16", f"vscatter * A(value){_tail(2)}"),
    _scattered("PAGES.C", "c", "W == 16 and W_idx == 32", f"{_paged(2)}{_tail()}"),
    _scattered("PAGES.LS2", "ls2", "W == 8 and W_idx == 32", f"{_paged(4)}{_tail(2)}"),
)  # fmt: skip
"""Elements at indices. A request has an index of 16 bits for narrow elements, one of 32 bits for words.

Narrower indices are widened. Where indices are wider, what is loaded are the words that hold the elements, which must
be a multiple of 4 bytes from address 0 on; stores go to each page that 16 bits reach, under the predicate of those
elements that belong there.
"""

MEMORY: tuple[VmiRule, ...] = (*LOAD, *STORE, *MASKED_STORE, *MASKED_LOAD, *PAIRS, *STRIDED, *GATHER)
"""All rows."""
