"""How a rule speaks of an operation: the layout of each port, the shapes and the facts that its conditions ask for.

The layout of a mask is named by the width of what it governs and the layout of that: `b16 d2`.
"""

from __future__ import annotations

from layoutsolver.pose.vmi.memory import BLOCK, alignment_of, is_pointer, reach_of, stride_of
from layoutsolver.vmi.masks import constant_of, is_full, known_bits
from layoutsolver.vmi.permute import COMPARISONS, plan_of
from layoutsolver.vmi.program import VmiOp, VmiProgram, VmiValue
from layoutsolver.vmi.shuffle import indices_of, kind_of_shuffle
from layoutsolver_models.lanes.layout import carrier
from layoutsolver_models.rules.expression import Fact
from layoutsolver_models.rules.vmi.layouts import layout_of
from layoutsolver_models.rules.vmi.row import Shape, VmiRule

MASK_LOGIC = frozenset({"mask_and", "mask_or", "mask_xor", "mask_not"})
MASK_BITS = (8, 16, 32)
MASKS_OF_NUMBERS = frozenset({"create_mask", "create_group_mask", "constant_mask"})
MASK_CONVERSIONS = ("ensure_mask_layout", "ensure_mask_granularity")
"""Operations that convert masks, whose types say what the masks govern."""
_BITS: dict[str, int] = {"vdhist": 8, "vchist": 8, "vmull": 32, "vaddc": 32, "vaddcs": 32}
"""Operations whose masks govern lanes of a fixed width."""


def mask_layout(bits: int, name: str) -> str:
    """The name of a mask's layout."""
    return f"b{bits} {name}"


def split_mask_layout(layout: str) -> tuple[int, str]:
    """The width and the layout that a mask's layout names.

    >>> split_mask_layout(mask_layout(16, "d2"))
    (16, 'd2')
    """
    width, _, name = layout.partition(" ")
    return int(width[1:]), name


def has_carrier(layout: str) -> bool:
    """Whether a mask's layout is one of predicate registers.

    >>> has_carrier("b16 ls2"), has_carrier("b16 ls4")
    (True, False)
    """
    width, name = split_mask_layout(layout)
    return carrier(layout_of(name), width) is not None


def governed_bits(op: VmiOp) -> int:
    """The width of the lanes that the masks of an operation govern; 0 for logic on masks, which leaves it open."""
    if op.op in MASK_LOGIC:
        return 0
    if op.op in _BITS:
        return _BITS[op.op]
    if op.op == "gather":
        return op.results["result"].bits  # and not of the indices, which stand in front of it
    data = [value for value in (*op.vectors().values(), *op.results.values()) if not value.is_mask]
    return data[0].bits if data else 0


def mask_bits(op: VmiOp, value: VmiValue, bits: int) -> int:
    """The width that a mask of an operation governs: of a conversion, that of its type, else `bits`."""
    return value.bits if op.op in MASK_CONVERSIONS else bits


def role_in(rule: VmiRule, role: str, value: VmiValue) -> str:
    """The role by which a rule speaks of an operand or result."""
    base = role.partition(".")[0]
    if base in rule.layouts:
        return base
    return "mask" if value.is_mask and "mask" in rule.layouts else "data"


def layouts_of(rule: VmiRule, op: VmiOp, bits: int) -> tuple[str, ...] | None:
    """The layout of each port, operands first; None if the rule does not speak of one of them."""
    out: list[str] = []
    for role, value in (*op.vectors().items(), *op.results.items()):
        name = rule.layouts.get(role_in(rule, role, value))
        if name is None:
            return None
        out.append(mask_layout(mask_bits(op, value, bits), name) if value.is_mask else name)
    return tuple(out)


def shapes_of(rule: VmiRule, op: VmiOp, bits: int) -> dict[str, Shape]:
    """The shapes of the rule's roles."""
    out: dict[str, Shape] = {}
    for role, value in (*op.vectors().items(), *op.results.items()):
        known = role_in(rule, role, value)
        out.setdefault(known, Shape(value.lanes, mask_bits(op, value, bits) if value.is_mask else value.bits))
    if "data" in rule.layouts and "data" not in out and "mask" in out:
        out["data"] = out["mask"]
    if "mask" in rule.layouts and "mask" not in out and "data" in out:
        out["mask"] = out["data"]
    return {role: shape for role, shape in out.items() if role in rule.layouts}


def facts_of(program: VmiProgram, op: VmiOp) -> dict[str, Fact]:
    """What conditions may ask for besides shapes."""
    data = [value for value in op.vectors().values() if not value.is_mask]
    made = next(iter(op.results.values()), None)
    mask = next((value for value in op.vectors().values() if value.is_mask), None)
    number = op.operands.get("active_lanes", op.operands.get("active_elems_per_group"))
    groups = op.attrs.get("num_groups", op.attrs.get("group", 1))
    if op.op in ("channel_split", "channel_merge"):
        groups = len(op.results) if op.op == "channel_split" else len(op.vectors())
    stated, reach = "", reach_of(program, op)
    if op.op in ("pack", "unpack"):
        stated = next(iter((*op.vectors().values(), *op.results.values()))).layout
    return {
        **_plan(op), "op": kind_of_shuffle(op) if op.op == "shuffle" else op.op,
        "element": data[0].element if data else "", "to": made.element if made is not None else "",
        "G": int(groups), "stride": stride_of(program, op), "align": alignment_of(program, op),
        "reach": reach, "misaligned": reach is not None and reach % BLOCK != 0, "masked": mask is not None,
        "pointer": is_pointer(program, op),
        "saturate": str(op.attrs.get("saturate", "")), "order": str(op.attrs.get("order", "")),
        "dynamic": number is not None and constant_of(program, number) is None,
        "stated": stated or "c", "same_masks": mask is None or is_full(program, mask),
        "full": mask is None or is_full(program, mask),
        "bits": known_bits(program, op) if op.op in MASKS_OF_NUMBERS else None,
        "mask_bits": _bits_of(program, mask), "function": program.graph.ops[op.origin].function,
    }  # fmt: skip


def _plan(op: VmiOp) -> dict[str, Fact]:
    """What a shuffle takes that moves elements anywhere."""
    if op.op != "shuffle" or kind_of_shuffle(op) != "other":
        return {}
    plan = plan_of(indices_of(op), op.vectors()["source"].bits)
    return {"picks": plan.count("vselr"), "merges": plan.merges, "indexing": plan.indexing,
            "prefixes": plan.count("plt"), "joins": plan.count("pxor"), "ramps": plan.count(*COMPARISONS)}  # fmt: skip


def _bits_of(program: VmiProgram, mask: VmiValue | None) -> tuple[bool, ...] | None:
    """The bits of a mask that is made of known numbers."""
    made = program.values[mask.number].op if mask is not None else -1
    return known_bits(program, program.ops[made]) if made >= 0 and program.ops[made].op in MASKS_OF_NUMBERS else None
