"""Arithmetic under masks: operations that keep the mask of the text, and those that can do without it.

An instruction makes zeros of the lanes that its predicate leaves out (section 5.2), which is what arithmetic under a
mask says. The released compiler drops such masks, and selects behind operations on one vector that say `zero`. A mask
is given back wherever an element that it leaves out may be seen: where it is stored, reduced, moved or handed on.
"""

from __future__ import annotations

from collections import defaultdict

from layoutsolver.ops.registry import pto_specs
from layoutsolver.vmi.masks import is_full, known_bits
from layoutsolver.vmi.program import VmiOp, VmiProgram, VmiValue
from layoutsolver.vmi.simplify import renumbered

ZERO = "VMI.CANON.ZERO"
"""The row by which upstream selects behind an operation that makes zeros."""

PREDICATED = frozenset({
    "addf", "addi", "subf", "subi", "mulf", "muli", "divf", "minf", "mini", "maxf", "maxi", "andi", "ori", "xori",
    "shli", "shrui", "shrsi", "negf", "negi", "absf", "absi", "sqrt", "exp", "ln", "relu", "not", "fma",
})  # fmt: skip
"""Operations whose instruction takes a predicate that upstream leaves full."""

_MASK_MAKERS = frozenset({"create_mask", "create_group_mask", "constant_mask"})
_LANES_KEPT = frozenset({"same", "cast", "identity", "vexpdif"})
"""Rule families whose operations leave every element at its number."""

_TAKING = {
    "masked_store": ("value",), "scatter": ("value",), "compress": ("source",), "compress_store": ("value",),
    **{f"{head}{what}": ("source",) for head in ("reduce_", "group_reduce_")
       for what in ("addf", "addi", "maxf", "maxi", "minf", "mini")},
}  # fmt: skip
"""Operations that take nothing of an operand but the elements of their mask."""

Seen = frozenset[int] | None
"""Masks outside of which nobody sees an element of a value; None if any may be seen."""


def predicated(program: VmiProgram) -> VmiProgram:
    """The program with the masks that upstream drops, unless they are full, on the operation that makes the result."""
    ops = list(program.ops)
    by_origin: dict[int, list[VmiOp]] = defaultdict(list)
    for op in ops:
        by_origin[op.origin].append(op)
    gone: set[int] = set()
    for origin, steps in by_origin.items():
        mask = _dropped(program, origin, steps)
        if mask is None:
            continue
        computing = next((op for op in reversed(steps) if op.op in PREDICATED), None)
        if computing is None:
            continue
        results = computing.results
        selected = next((op for op in steps if op.row == ZERO and op.op == "select"), None)
        if selected is not None:
            results = {next(iter(results)): selected.results["result"]}
            gone |= {op.number for op in steps if op.row == ZERO}
        operands = computing.operands if is_full(program, mask) else {**computing.operands, "mask": mask}
        ops[computing.number] = computing._replace(operands=operands, results=results)
    return renumbered(program, [op for op in ops if op.number not in gone])


def _dropped(program: VmiProgram, origin: int, steps: list[VmiOp]) -> VmiValue | None:
    """The mask of an operation of the text that none of its steps but a selection of zeros takes."""
    node = program.graph.ops[origin]
    if "mask" not in node.roles or any("mask" in op.operands for op in steps if op.row != ZERO):
        return None
    number = program.by_graph_value.get(node.operands[node.roles.index("mask")])
    return None if number is None else program.values[number]


def without_idle_masks(program: VmiProgram) -> VmiProgram:
    """The program without predicates of arithmetic that nobody sees."""
    seen: dict[int, Seen] = dict.fromkeys(
        (number for group in (*(join.sources for join in program.joins), *program.returned) for number in group), None
    )
    ops = list(program.ops)
    for op in reversed(program.ops):
        made: Seen = frozenset()
        for value in op.results.values():
            made = _either(made, seen.get(value.number, frozenset()))
        mask = op.operands.get("mask")
        if isinstance(mask, VmiValue) and op.op in PREDICATED:
            if made is not None and all(_is_within(program, one, mask.number) for one in made):
                operands = {role: value for role, value in op.operands.items() if role != "mask"}
                ops[op.number] = op._replace(operands=operands)
            else:
                made = frozenset({mask.number})
        for role, value in op.vectors().items():
            of_role = None if value.is_mask else _taken(op, role, made)
            seen[value.number] = _either(seen.get(value.number, frozenset()), of_role)
    return renumbered(program, ops)


def _taken(op: VmiOp, role: str, made: Seen) -> Seen:
    """The elements that an operation takes of an operand, if those of its results are seen that `made` says."""
    mask = op.operands.get("mask")
    if isinstance(mask, VmiValue) and role in _TAKING.get(op.op, ()):
        return frozenset({mask.number})
    spec = pto_specs()[f"pto.vmi.{op.op}"]
    kept = spec.rule in _LANES_KEPT and all(not value.is_mask for value in op.results.values())
    return made if kept else None


def _either(one: Seen, other: Seen) -> Seen:
    return None if one is None or other is None else one | other


def _is_within(program: VmiProgram, inner: int, outer: int) -> bool:
    """Whether every element of a mask is known to be one of another: of it, or of one that it is the `and` of."""
    second = _maker(program, outer)
    wide = known_bits(program, second) if second is not None and second.op in _MASK_MAKERS else None
    met, left = {inner}, [inner]
    while left:
        number = left.pop()
        if number == outer:
            return True
        first = _maker(program, number)
        if first is not None and first.op == "mask_and":
            new = {value.number for value in first.vectors().values()} - met
            met |= new
            left += new
        elif wide is not None and first is not None and first.op in _MASK_MAKERS:
            bits = known_bits(program, first)
            if bits is not None and all(two or not one for one, two in zip(bits, wide, strict=True)):
                return True
    return False


def _maker(program: VmiProgram, number: int) -> VmiOp | None:
    op = program.values[number].op
    return program.ops[op] if op >= 0 else None
