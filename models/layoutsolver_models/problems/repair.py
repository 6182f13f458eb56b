"""What may be changed in an infeasible program, and a repair: copies of values in other layouts, rewritten operations.

A value's users normally see the layout in which it is defined. An edge that may be relaxed can see a copy instead: one
converted from the definition, or made by a clone of the operation that defines it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from layoutsolver_models.problems.layout import Row

UseKind = Literal["relation", "tie"]


@dataclass(frozen=True, slots=True)
class Edge:
    """A def-use edge: port `port` of a relation or tie uses `value`; a copy there may have a layout of `domain`.

    Edges of one `use` (unless that is -1) are one place in the program, and all see the same.
    """

    value: int
    kind: UseKind
    index: int
    port: int
    domain: tuple[str, ...]
    use: int = -1


@dataclass(frozen=True, slots=True)
class Conversion:
    """A way from one layout to another, in so many instructions."""

    before: str
    after: str
    instructions: int


@dataclass(frozen=True, slots=True)
class Producer:
    """The relation that defines a value, at which port, and the instructions that a clone of it takes."""

    relation: int
    port: int
    instructions: int = 1


@dataclass(frozen=True, slots=True)
class RepairSpace:
    """Everything that a repair may do.

    `edges` may be relaxed; `conversions` and `producers` say how copies of a value come about; `rewrites` are further
    rows for a relation, for operations that can be written in another way; `runs` is how often the place where a
    value is defined runs.
    """

    edges: tuple[Edge, ...]
    conversions: dict[int, tuple[Conversion, ...]] = field(default_factory=dict)
    producers: dict[int, Producer] = field(default_factory=dict)
    rewrites: dict[int, tuple[Row, ...]] = field(default_factory=dict)
    runs: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of `value` in `layout`: converted from its definition's `before`, or cloned (`before` empty)."""

    value: int
    layout: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A use that sees a copy: of an edge, or of a port of the clone `clone`."""

    copy: Copy
    kind: UseKind
    index: int
    port: int
    clone: Copy | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """A way to make a program feasible: what to add, what to rewrite (relation, row), and what it costs.

    `cost` is the instructions that the changes execute, weighted by how often they run; `total` adds those of the
    layouts, and is what repairs are ranked by. `proved` says that no repair of this space has a lower total.
    """

    copies: tuple[Copy, ...]
    redirects: tuple[Redirect, ...]
    rewrites: tuple[tuple[int, Row], ...]
    cost: int
    total: int
    proved: bool = True

    @property
    def changes(self) -> int:
        """How many separate changes it makes."""
        return len(self.copies) + len(self.rewrites)
