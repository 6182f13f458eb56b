"""What is put for the surface operations of VMI before the layout question is asked: one row for each case.

A row holds where its condition does (`layoutsolver_models.rules.expression`); of several, the first counts. An
operation of which no row holds is not supported, nor is any with `pmode = "merge"`. The facts of a condition:

    N N_src           elements of the (first) result or stored value, and of the source
    kind to           what the elements of the source and of the result are: float, si, ui or i (signless)
    W W_to            their widths
    element           the name of the result's element type
    dist group pmode  the attributes; group 0 and the default mode where there is none
    strides masked    number of stride operands; whether there is a mask
    on_masks          whether the operands are masks
    slots             whether the source is a vector (and not a scalar)
    full_seed         whether every bit of the seed or mask is known to be set
    lies              whether the type of the result says that it lies as no slot does (upstream: says how it lies)

Steps are written `result = operation operand, … attribute = expression, …`. Operands and results are roles of the
surface operation, or values between whose type `BETWEEN` tells; `#` begins a constant index, `#lanes` being N.

>>> [row.id for row in CANONICAL if row.surface == "vci"]
['VMI.CANON.VCI.GROUP', 'VMI.CANON.VCI']
>>> CANONICAL[0].steps[0]
CanonicalStep(op='group_iota', results=('result',), operands=('base',), attrs=(('group', 'group'), ('order', 'order')))
"""

from __future__ import annotations

from typing import NamedTuple

_SOURCE = "VMILowerUnifiedToLegacy.cpp"

BETWEEN: dict[str, str] = {
    "compared": "result", "spread": "source", "unsigned": "unsigned result", "shifted": "unsigned result",
    "bits": "i16 result", "sign": "i16 result", "cleared": "i16 result", "zero": "result", "positive": "result",
    "negative": "result", "scaled": "result", "factor": "result", "product": "result", "all": "mask of N",
    "held": "index",
}  # fmt: skip
"""The values that steps hand on, and what type they have."""


class CanonicalStep(NamedTuple):
    """One operation that is put: its mnemonic, results, operands and attributes, these as expressions."""

    op: str
    results: tuple[str, ...]
    operands: tuple[str, ...]
    attrs: tuple[tuple[str, str], ...] = ()


class Canonical(NamedTuple):
    """What stands for a surface operation where the condition holds."""

    id: str
    surface: str
    when: str
    steps: tuple[CanonicalStep, ...]
    source: str


def _step(text: str) -> CanonicalStep:
    """A step from its text; attributes stand in brackets, separated by `;`."""
    head, bracket, entries = text.partition("[")
    results, equals, call = head.partition("=")
    if not equals:
        results, call = "", head
    name, _, operands = call.strip().partition(" ")
    pairs = [entry.partition("=") for entry in entries.rstrip("] ").split(";")] if bracket else []
    return CanonicalStep(
        name,
        tuple(part.strip() for part in results.split(",") if part.strip()),
        tuple(part.strip() for part in operands.split(",") if part.strip()),
        tuple((attr.strip(), value.strip()) for attr, _, value in pairs),
    )


def _row(surface: str, case: str, when: str, *steps: str) -> Canonical:
    name = ".".join(part for part in ("VMI.CANON", surface.upper(), case) if part)
    return Canonical(name, surface, when, tuple(_step(step) for step in steps), f"{_SOURCE}#{surface}")


def _typed(surface: str, operands: str, floating: str, integral: str) -> tuple[Canonical, Canonical]:
    """An operation that is one on floats and another on integers; its mask is dropped."""
    return (
        _row(surface, "F", "kind == 'float'", f"result = {floating} {operands}"),
        _row(surface, "I", "kind != 'float'", f"result = {integral} {operands}"),
    )


def _reduce(surface: str, what: str) -> tuple[Canonical, ...]:
    add = "; reassoc = reassoc" if what == "add" else ""
    alone = "[reassoc = reassoc]" if what == "add" else ""
    return (
        _row(surface, "F.ALL", "kind == 'float' and group == 0 and lies",
             f"result = reduce_{what}f source, mask {alone}"),
        _row(surface, "I.ALL", "kind != 'float' and group == 0 and lies", f"result = reduce_{what}i source, mask"),
        _row(surface, "F", "kind == 'float'",
             f"result = group_reduce_{what}f source, mask [num_groups = max(group, 1){add}]"),
        _row(surface, "I", "kind != 'float'",
             f"result = group_reduce_{what}i source, mask [num_groups = max(group, 1)]"),
    )  # fmt: skip


def _compare(surface: str, operands: str, *before: str) -> tuple[Canonical, ...]:
    rows = []
    for case, kinds, op in (("F", "kind == 'float'", "cmpf"), ("I", "kind != 'float'", "cmpi")):
        attrs = "[predicate = predicate]"
        rows.append(
            _row(surface, f"{case}.FULL", f"{kinds} and full_seed", *before, f"result = {op} {operands} {attrs}")
        )
        rows.append(
            _row(
                surface, case, kinds, *before, f"compared = {op} {operands} {attrs}", "result = mask_and compared, seed"
            )
        )
    return tuple(rows)  # fmt: skip


_CREATE = (
    _row("vci", "GROUP", "group > 1", "result = group_iota base [group = group; order = order]"),
    _row("vci", "", "", "result = iota base [order = order]"),
    _row("vbrc", "GROUP", "group > 0 and slots", "result = group_broadcast value [num_groups = group]"),
    _row("vbrc", "", "group == 0", "result = broadcast value"),
    _row("pset", "", "", "result = create_mask #lanes"),
    _row("pge", "GROUP", "group > 0",
         "result = create_group_mask #pattern [num_groups = group; group_size = N // group]"),
    _row("pge", "", "", "result = create_mask #pattern"),
    _row("plt", "", "", "held, scalar_out = prefix scalar [lanes = N]", "mask = create_mask held"),
)  # fmt: skip

_ELEMENTWISE = (
    *_typed("vadd", "lhs, rhs", "addf", "addi"), *_typed("vsub", "lhs, rhs", "subf", "subi"),
    *_typed("vmul", "lhs, rhs", "mulf", "muli"), *_typed("vmin", "lhs, rhs", "minf", "mini"),
    *_typed("vmax", "lhs, rhs", "maxf", "maxi"),
    _row("vdiv", "", "kind == 'float'", "result = divf lhs, rhs"),
    *(row for surface, logic in (("vand", "and"), ("vor", "or"), ("vxor", "xor")) for row in (
        _row(surface, "MASK", "on_masks", f"result = mask_{logic} lhs, rhs"),
        _row(surface, "", "not on_masks", f"result = {logic}i lhs, rhs"))),
    _row("vnot", "MASK", "on_masks", "result = mask_not source"),
    _row("vnot", "", "not on_masks", "result = not source"),
    _row("vshl", "", "", "result = shli lhs, rhs"),
    _row("vshr", "SI", "kind == 'si'", "result = shrsi lhs, rhs"),
    _row("vshr", "UI", "kind == 'ui'", "result = shrui lhs, rhs"),
    _row("vshr", "I", "kind == 'i'", "unsigned = bitcast lhs", "shifted = shrui unsigned, rhs",
         "result = bitcast shifted"),
    *_typed("vneg", "source", "negf", "negi"),
    _row("vabs", "BF16", "element == 'bf16'", "bits = bitcast source", "sign = broadcast #32767",
         "cleared = andi bits, sign", "result = bitcast cleared"),
    *_typed("vabs", "source", "absf", "absi"),
    *(_row(surface, "", "", f"result = {op} source") for surface, op in (
        ("vsqrt", "sqrt"), ("vexp", "exp"), ("vln", "ln"), ("vrelu", "relu"))),
    *_compare("vcmp", "lhs, rhs"),
    *_compare("vcmps", "src, spread", "spread = broadcast scalar"),
    _row("vsel", "", "", "result = select mask, true_value, false_value"),
    _row("vmula", "", "kind == 'float'", "result = fma lhs, rhs, acc"),
    _row("vaxpy", "", "", "factor = broadcast alpha", "result = fma factor, x, acc"),
    _row("vlrelu", "", "", "zero = constant [value = 0]", "positive = maxf x, zero", "negative = minf x, zero",
         "factor = broadcast slope", "scaled = mulf factor, negative", "result = addf positive, scaled"),
    _row("vprelu", "", "", "zero = constant [value = 0]", "positive = maxf x, zero", "negative = minf x, zero",
         "scaled = mulf alpha, negative", "result = addf positive, scaled"),
)  # fmt: skip

_CONVERT = (
    _row("vcvt", "EXTF", "kind == 'float' and to == 'float' and W_to > W", "result = extf source"),
    _row("vcvt", "TRUNCF", "kind == 'float' and to == 'float'",
         "result = truncf source [rounding = rounding; saturate = saturate]"),
    _row("vcvt", "FPTOUI", "kind == 'float' and to in ('ui', 'i')",
         "result = fptoui source [rounding = rounding; saturate = saturate]"),
    _row("vcvt", "FPTOSI", "kind == 'float'", "result = fptosi source [rounding = rounding; saturate = saturate]"),
    _row("vcvt", "SITOFP", "kind == 'si' and to == 'float'", "result = sitofp source"),
    _row("vcvt", "EXTSI", "kind == 'si' and W_to > W", "result = extsi source"),
    _row("vcvt", "EXTUI", "kind in ('ui', 'i') and to != 'float' and W_to > W", "result = extui source"),
    _row("vcvt", "TRUNCI", "kind != 'float' and to != 'float' and W_to < W",
         "result = trunci source [saturate = saturate]"),
    _row("vinterpret_cast", "", "", "result = bitcast source"),
)  # fmt: skip

_MEMORY = (
    _row("vload", "GROUP.BRC", "group > 0 and dist == 'brc'",
         "result = group_broadcast_load source, offset, stride [num_groups = group]"),
    _row("vload", "GROUP.SLOT", "group > 0 and N == group",
         "result = group_slot_load source, offset, stride [num_groups = group]"),
    _row("vload", "GROUP", "group > 0", "result = group_load source, offset, stride [num_groups = group]"),
    _row("vload", "STRIDE", "strides == 2", "all = create_mask #lanes",
         "result = stride_load source, offset, block_stride, repeat_stride, all"),
    _row("vload", "COMPACT", "dist == 'continuous' and N in (1, 2, 4, 8)",
         "result = group_slot_load source, offset, #1 [num_groups = N]"),
    _row("vload", "", "dist == 'continuous'", "result = load source, offset"),
    _row("vload", "DINTLV", "dist == 'dintlv'", "result, high = deinterleave_load source, offset"),
    _row("vload", "BRC", "dist == 'brc'", "result = group_broadcast_load source, offset, #0 [num_groups = 1]"),
    _row("vstore", "STRIDE", "strides == 2 and masked",
         "stride_store value, destination, offset, block_stride, repeat_stride, mask"),
    _row("vstore", "STRIDE.ALL", "strides == 2", "all = create_mask #lanes",
         "stride_store value, destination, offset, block_stride, repeat_stride, all"),
    _row("vstore", "GROUP", "group > 0 and not masked",
         "group_store value, destination, offset, stride [num_groups = group]"),
    _row("vstore", "COMPACT", "group == 0 and dist == 'continuous' and N in (1, 2, 4, 8) and (not masked or full_seed)",
         "group_store value, destination, offset, #1 [num_groups = N]"),
    _row("vstore", "MASK", "group == 0 and dist == 'continuous' and masked",
         "masked_store value, destination, offset, mask"),
    _row("vstore", "", "group == 0 and dist == 'continuous'", "store value, destination, offset"),
    _row("vstore", "DINTLV", "group == 0 and dist == 'dintlv' and not masked",
         "interleave_store value, high, destination, offset"),
    _row("vstore", "DINTLV.MASK", "group == 0 and dist == 'dintlv'",
         "interleave_store value, high, destination, offset"),
    _row("vsstb", "", "", "stride_store value, destination, offset, block_stride, #0, mask"),
    _row("vgather", "", "", "zero = constant [value = 0]", "result = gather source, offsets, mask, zero"),
    _row("vscatter", "", "", "scatter value, destination, offsets, mask"),
)  # fmt: skip

CANONICAL: tuple[Canonical, ...] = (
    *_CREATE, *_ELEMENTWISE, *_CONVERT, *_reduce("vcadd", "add"), *_reduce("vcmax", "max"),
    *_reduce("vcmin", "min"), *_MEMORY,
)  # fmt: skip
"""All rows, those of an operation in the order in which they are tried."""

ADDED: tuple[Canonical, ...] = (
    _row("vmula", "I", "kind != 'float' and W > 8", "product = muli lhs, rhs", "result = addi acc, product"),
)
"""Rows for what the verifier takes and upstream leaves as it is, which then nothing lowers."""

DROPPING: dict[str, str] = {"VMI.CANON.VSTORE.DINTLV.MASK": "mask"}
"""Rows by which upstream drops an operand, and which: everybody else keeps it."""


def predicate(cmp: str, kind: str) -> str:
    """The predicate of `cmpf` or `cmpi` for the `cmp` of a surface comparison.

    >>> predicate("lt", "float"), predicate("lt", "si"), predicate("ge", "i"), predicate("eq", "ui")
    ('olt', 'slt', 'uge', 'eq')
    """
    if kind == "float":
        return cmp if cmp.startswith("o") else f"o{cmp}"
    if cmp in ("eq", "ne"):
        return cmp
    return ("s" if kind == "si" else "u") + cmp
