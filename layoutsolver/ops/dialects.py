"""Dialects of MLIR of which all operations are known by name, so that any other name is a mistake.

Source: the documents of the `func` and `scf` dialects.
"""

from __future__ import annotations

OPERATIONS: dict[str, frozenset[str]] = {
    "func": frozenset({"call", "call_indirect", "constant", "func", "return"}),
    "scf": frozenset({
        "condition", "execute_region", "for", "forall", "forall.in_parallel", "if", "index_switch", "parallel",
        "reduce", "reduce.return", "while", "yield",
    }),
}  # fmt: skip
"""The operations by dialect."""


def unknown_operation(name: str) -> str | None:
    """What to say of an operation that its dialect does not have, None for all others.

    >>> unknown_operation("scf.fr"), unknown_operation("scf.for"), unknown_operation("mine.op")
    ('is `scf.for` meant?', None, None)
    """
    dialect, _, operation = name.partition(".")
    known = OPERATIONS.get(dialect)
    if known is None or operation in known:
        return None
    from difflib import get_close_matches

    near = get_close_matches(operation, sorted(known), 1, 0.6)
    return f"is `{dialect}.{near[0]}` meant?" if near else f"there are {', '.join(sorted(known))}"
