"""Names of operations that are no operations: what to say of a name that its dialect does not have.

Of some dialects every operation is known, so that another name is a mistake. Of others only those are known that matter
here; there a name is doubted where it is like one of them.

Source: the documents of the dialects `func`, `scf`, `arith`, `math` and `memref`, and the tables beside this file.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

OPERATIONS: dict[str, frozenset[str]] = {
    "func": frozenset({"call", "call_indirect", "constant", "func", "return"}),
    "scf": frozenset({
        "condition", "execute_region", "for", "forall", "forall.in_parallel", "if", "index_switch", "parallel",
        "reduce", "reduce.return", "while", "yield",
    }),
}  # fmt: skip
"""The operations of dialects that are known whole, by dialect."""

KNOWN: dict[str, frozenset[str]] = {
    "arith": frozenset({
        "addf", "addi", "addui_extended", "andi", "bitcast", "ceildivsi", "ceildivui", "cmpf", "cmpi", "constant",
        "convertf", "divf", "divsi", "divui", "extf", "extsi", "extui", "floordivsi", "flush_denormals", "fptosi",
        "fptoui", "index_cast", "index_castui", "maximumf", "maxnumf", "maxsi", "maxui", "minimumf", "minnumf",
        "minsi", "minui", "mulf", "muli", "mulsi_extended", "mului_extended", "negf", "ori", "remf", "remsi", "remui",
        "scaling_extf", "scaling_truncf", "select", "shli", "shrsi", "shrui", "sitofp", "subf", "subi",
        "subui_extended", "truncf", "trunci", "uitofp", "xori",
    }),
    "math": frozenset({
        "absf", "absi", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "clampf",
        "copysign", "cos", "cosh", "ctlz", "ctpop", "cttz", "erf", "erfc", "exp", "exp2", "expm1", "floor", "fma",
        "fpowi", "ipowi", "isfinite", "isinf", "isnan", "isnormal", "log", "log10", "log1p", "log2", "powf", "round",
        "roundeven", "rsqrt", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "trunc",
    }),
    "memref": frozenset({
        "alloc", "alloca", "alloca_scope", "alloca_scope.return", "assume_alignment", "atomic_rmw", "atomic_yield",
        "cast", "collapse_shape", "copy", "dealloc", "dim", "distinct_objects", "dma_start", "dma_wait",
        "expand_shape", "extract_aligned_pointer_as_index", "extract_strided_metadata", "generic_atomic_rmw",
        "get_global", "global", "load", "memory_space_cast", "prefetch", "rank", "realloc", "reinterpret_cast",
        "reshape", "store", "subview", "transpose", "view",
    }),
}  # fmt: skip
"""Operations of dialects that may have got others since, by dialect."""


WHOLE: dict[str, str] = {"ave.hir.": "ave", "pto.vmi.": "vmi", "buckyball.": "buckyball", "tile.": "buckyball"}
"""How names begin of which the tables have all, and the target of the table."""


_ONE_OPERAND = frozenset({
    "bitcast", "convertf", "extf", "extsi", "extui", "fptosi", "fptoui", "index_cast", "index_castui", "negf", "sitofp",
    "truncf", "trunci", "uitofp",
})  # fmt: skip
_OTHER_OPERANDS = {"constant": 0, "flush_denormals": None, "scaling_extf": None, "scaling_truncf": None, "select": 3}


def operand_count(name: str) -> int | None:
    """How many operands an operation of `arith` takes, None if that is not known.

    >>> operand_count("arith.muli"), operand_count("arith.negf"), operand_count("arith.select"), operand_count("scf.if")
    (2, 1, 3, None)
    """
    dialect, _, operation = name.partition(".")
    if dialect != "arith" or operation not in KNOWN["arith"]:
        return None
    return 1 if operation in _ONE_OPERAND else _OTHER_OPERANDS.get(operation, 2)


class Unknown(NamedTuple):
    """What is wrong with a name: whether it can be no operation, or only is like one that is known; and what to say."""

    is_error: bool
    note: str


def unknown_operation(name: str) -> Unknown | None:
    """What to say of an operation that its dialect does not have or seems not to have, None for all others.

    >>> unknown_operation("scf.fr").note, unknown_operation("scf.for"), unknown_operation("mine.op")
    ('is `scf.for` meant?', None, None)
    >>> unknown_operation("ave.hir.vepx")
    Unknown(is_error=True, note='is `ave.hir.vexp` meant?')
    >>> unknown_operation("pto.castprt").is_error, unknown_operation("pto.tadd")
    (False, None)
    """
    dialect, _, operation = name.partition(".")
    if dialect in OPERATIONS:
        known = OPERATIONS[dialect]
        return None if operation in known else Unknown(True, _meant(name, _named(dialect, known), 0.6, known))
    if dialect in KNOWN:
        return None if operation in KNOWN[dialect] else _doubted(name, _named(dialect, KNOWN[dialect]), 0.6)
    from layoutsolver.ops.registry import BANKS, QUESTIONS, all_specs, buckyball_specs, pto_specs

    if name.startswith(QUESTIONS["ave"]):
        tables: Collection[str] = all_specs()
    elif name.startswith(QUESTIONS["vmi"]):
        tables = pto_specs()
    elif name.startswith(BANKS):
        from layoutsolver.ops.buckyball import LATER_OPS

        tables = {*buckyball_specs(), *LATER_OPS}
    else:
        return None
    if name in tables:
        return None
    target = next((target for prefix, target in WHOLE.items() if name.startswith(prefix)), "")
    if target:
        return Unknown(
            True, _meant(name, tables, 0.7, ()) or f"`layoutsolver ops --target {target}` lists all there are"
        )
    # Operations on tiles and scalars are named like those on vectors, but for the first letter.
    return _doubted(name, [other for other in tables if other[: len(dialect) + 2] == name[: len(dialect) + 2]], 0.85)


def _named(dialect: str, operations: Collection[str]) -> list[str]:
    return [f"{dialect}.{operation}" for operation in sorted(operations)]


def _doubted(name: str, known: Collection[str], cutoff: float) -> Unknown | None:
    note = _meant(name, known, cutoff, ())
    return Unknown(False, note) if note else None


def _meant(name: str, known: Collection[str], cutoff: float, listed: Collection[str]) -> str:
    """Which known name is like this one, within its dialect; without any, all that are `listed`."""
    from difflib import get_close_matches

    *_, operation = name.split(".")
    prefix = name.removesuffix(operation)
    of_dialect = {other.removeprefix(prefix): other for other in known if other.startswith(prefix)}
    near = get_close_matches(operation, sorted(of_dialect), 1, cutoff)
    if near:
        return f"is `{of_dialect[near[0]]}` meant?"
    return f"there are {', '.join(sorted(listed))}" if listed else ""
