"""What a layout rule is: one row of one table, with an id that messages print and the source that it states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class LayoutRule(NamedTuple):
    """A combination of layouts in which an operation of `family` can run.

    `width` is the element width in bits of the role that keys the table (0: any), `layouts` the layout of each
    role, `dist` the FunctionDist that this choice puts on the operation. `refuted` says why the hardware does not do
    what the operation means under it; such a row is the released analyzer's alone. `table` is how the ids of its table
    begin.
    """

    id: str
    family: str
    width: int
    layouts: dict[str, str]
    dist: str
    source: str
    refuted: str = ""
    table: str = ""


def table(
    prefix: str,
    family: str,
    source: str,
    roles: str,
    rows: Iterable[tuple[int, str, str]],
    refuted: dict[str, str] | None = None,
) -> tuple[LayoutRule, ...]:
    """The rules of one table: each row is (width, layouts of the roles, FunctionDist).

    The id is the prefix, the width and the layout of the first role; where that is not unique, a number follows.
    `refuted` says by id which rows are, and why.

    >>> table("X", "f", "s", "res mask", [(8, "b8_4vl b32", "pk4")])[0].id
    'X.8.B8_4VL'
    """
    names = roles.split()
    out: list[LayoutRule] = []
    seen: dict[str, int] = {}
    for width, layouts, dist in rows:
        chosen = dict(zip(names, layouts.split(), strict=True))
        head = f"{prefix}.{width}" if width else prefix
        name = f"{head}.{chosen[names[0]].upper()}"
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name = f"{name}.{seen[name]}"
        out.append(LayoutRule(name, family, width, chosen, dist, source, (refuted or {}).get(name, ""), prefix))
    return tuple(out)
