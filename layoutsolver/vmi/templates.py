"""The instructions of every choice of a program, each emitted by itself: which registers they use and make.

Registers are numbers. Two that are made alike, by equal instructions of equal registers and scalars, have the same
number, in whichever choice: in the lowered program they are one.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.problems.capacity import RegisterKind

Place = tuple[int, str, int]
"""The register of a value in a layout, by its number among those."""


class Step(NamedTuple):
    """An instruction: the registers that it uses and makes.

    `patterns` are those that it uses and that are made again in front of it where registers are short. `needs` are the
    vectors of the program that its result depends on. Where it is `pure`, it leaves the loops in which none of these is
    made, unless `scalars`, values of the text, are made there.
    """

    uses: tuple[int, ...]
    makes: tuple[int, ...]
    patterns: tuple[int, ...] = ()
    needs: frozenset[int] = frozenset()
    scalars: frozenset[int] = frozenset()
    pure: bool = True
    writes: bool = False


class Template(NamedTuple):
    """The instructions of a choice; `gives` are the registers of what it makes, by value and layout."""

    steps: tuple[Step, ...]
    gives: dict[tuple[int, str], tuple[int, ...]]


class Templates(NamedTuple):
    """The templates of a problem's variants, by operation and variant, and of its conversions, by number.

    `taken` are the registers that stand for those of an operand, one for several that some choice makes one; `kinds`
    are the kinds of all; `patterns` are those that are made again at each use, which no register is kept for.
    """

    variants: dict[tuple[int, int], Template]
    conversions: dict[int, Template]
    taken: dict[Place, int]
    kinds: list[RegisterKind]
    patterns: frozenset[int]
