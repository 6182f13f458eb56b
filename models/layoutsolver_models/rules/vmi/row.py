"""What a rule of VMI is: a combination of layouts for the roles of an operation, when it is allowed, what it takes.

Conditions and counts are expressions (`layoutsolver_models.rules.expression`) over these facts:

    N W lp B R     elements of the value, bits of one, lanes of a register, of a block, registers if contiguous
    W_to N_to      bits of an element of the result, and how many it has
    W_idx          bits of an index by which elements are reached, 0 if there is none
    G S            number of groups and elements of one
    A(role)        registers of a role's value in the layout that the rule gives it
    op             the operation's mnemonic
    element to     names of the element types of source and result
    stride align   stride between groups in elements, alignment of the base in bytes; unknown if not constant
    masked         whether an operand is a mask
    misaligned     whether the base is no multiple of a block, if what pointers come from elsewhere is one
    pointer        whether memory is given as a pointer, not a memref
    saturate order those attributes of casts and ramps, empty if absent
    picks merges indexing  the instructions of a shuffle or of groups of any size (`layoutsolver.vmi.permute`)
    made(name)     the instructions of a name by which indices for groups of any size are made
    pairs sums blocks reduces partial ranges  what else groups of any size take (`layoutsolver.vmi.group_plans`)
    dynamic        whether a mask is made of a number that is not constant
    zero_gap       whether what lies between the elements of a source is known to be zero
    stated         the layout that the type of a vector states, `c` if it states none
    same_masks     whether all registers of the mask are one and the same
    full           whether all bits of the mask are known to be set
    prefixes joins ramps   what the registers of a mask that is known take (`rules.vmi.patterns`)

`N`, `W` and `R` are of the source where an operation has one, else of the result; where that has one element for each
group and another role is dense, `N` and `R` are of the dense one.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.rules.expression import Fact, Facts, count, holds
from layoutsolver_models.rules.vmi.layouts import VmiLayout, arity, layout_of, register_lanes

PIPES: dict[str, str] = {
    **dict.fromkeys(("vlds", "vldsx2", "vsldb", "vldas", "vldus", "vgather2", "vgather2_bc", "vgatherb"), "load"),
    **dict.fromkeys(("vsts", "vstsx2", "vsstb", "vscatter", "vstus", "vstas", "vstur", "vstar"), "store"),
    **dict.fromkeys(
        ("pset", "plt", "pand", "por", "pxor", "pnot", "psel", "pintlv", "pdintlv", "ppack", "punpack"), "predicate"),
    **dict.fromkeys(("vbitcast", "pbitcast", "addptr", "init_align"), "free"),
}  # fmt: skip
"""The pipe of an instruction by its mnemonic; those not listed execute."""


OCCUPIED = 10
"""For so many cycles an access by indices holds its pipe: it counts as so many instructions where it is a choice.

Source: section 7, a tenth of a gather each cycle; of a scatter nothing is published, and it is taken for the same.
"""


class Step(NamedTuple):
    """An instruction, with its mode, and how often it is issued; `setup` ones do not depend on the loop around.

    `{W}` in a mode is the width of the elements, `{2W}` twice that; `each` is the instruction of an elementwise
    operation, `combine`, `reduce` and `reduce_group` are `vadd`, `vcadd` and `vcgadd`, or those of max and min.
    """

    instruction: str
    times: str
    setup: bool = False

    @property
    def pipe(self) -> str:
        """The pipe that the instruction goes to."""
        return PIPES.get(self.instruction.split()[0], "execute")


UNLISTED = "0"
"""The condition of rows that upstream does not know."""


class Lowering(NamedTuple):
    """A sequence of instructions for a rule: `upstream`'s, or `ours` where that is cheaper or the only one.

    `align` is what the base address must be a multiple of, in bytes, as an expression; empty without an access.
    `faults` is where the hardware refuses an access, or does not do what is meant, wherever the base lies.
    """

    by: str
    steps: tuple[Step, ...]
    when: str = ""
    align: str = ""
    faults: str = ""

    def works(self, facts: Facts) -> bool:
        """Whether the hardware carries the sequence out as it is meant."""
        return not self.faults or not holds(self.faults, facts)


class Limit(NamedTuple):
    """Where upstream accepts the rule and yet makes nothing of it (`fails`), wrong code (`wrong`), or is refused by
    its own checks later (`rejected`).
    """

    kind: str
    when: str = ""
    source: str = "3.12"


class VmiRule(NamedTuple):
    """A row: the layout of each role by its short name, the condition, the ways to lower it, what upstream cannot.

    `parts` are those of `vcvt`, in the order of result parts (widening) or of source parts (narrowing). `listed` is
    where upstream lists the row, if not wherever it is allowed (`UNLISTED`: nowhere).
    """

    id: str
    family: str
    layouts: dict[str, str]
    when: str
    lowerings: tuple[Lowering, ...]
    source: str
    limits: tuple[Limit, ...] = ()
    parts: tuple[str, ...] = ()
    listed: str = ""

    def is_listed(self, facts: Facts) -> bool:
        """Whether upstream takes the rule for one that can be used."""
        return self.allows(facts) and holds(self.listed, facts)

    def allows(self, facts: Facts) -> bool:
        """Whether the rule can be used at all."""
        return holds(self.when, facts)

    def limit(self, facts: Facts) -> Limit | None:
        """What of upstream stands against it here, None if it carries the rule out."""
        return next((limit for limit in self.limits if holds(limit.when, facts)), None)

    def lowering(self, facts: Facts, upstream: bool = False) -> Lowering | None:
        """The cheapest sequence, of all or of upstream's alone; None if there is none."""
        usable = [way for way in self.lowerings if holds(way.when, facts) and not (upstream and way.by != "upstream")]
        if not upstream:
            usable = [way for way in usable if way.works(facts)]
            return min(usable, key=lambda way: (cost(way, facts).total, cost(way, facts).predicate), default=None)
        return next(iter(usable), None)


class Cost(NamedTuple):
    """How many instructions go to each pipe; `setup` ones, and those on predicates, can be kept out of loops."""

    load: int = 0
    execute: int = 0
    store: int = 0
    predicate: int = 0
    setup: int = 0
    setup_predicate: int = 0

    @property
    def total(self) -> int:
        """Instructions in all, those on predicates and the setup left out."""
        return self.load + self.execute + self.store


def cost(lowering: Lowering, facts: Facts) -> Cost:
    """What a sequence takes."""
    sums = dict.fromkeys(("load", "execute", "store", "predicate", "setup", "setup_predicate", "free"), 0)
    for step in lowering.steps:
        pipe = step.pipe
        if step.setup:
            pipe = "setup_predicate" if pipe == "predicate" else "setup"
        sums[pipe] += count(step.times, facts)
    del sums["free"]
    return Cost(**sums)


def steps(text: str) -> tuple[Step, ...]:
    """Steps from `instruction * count; …`, setup marked by `~`.

    >>> steps("~vci * 1; vselr * A(result)")
    (Step(instruction='vci', times='1', setup=True), Step(instruction='vselr', times='A(result)', setup=False))
    """
    listed = [part.strip().partition(" * ") for part in text.split(";") if part.strip()]
    return tuple(Step(name.lstrip("~"), number, name.startswith("~")) for name, _, number in listed)


def upstream(text: str, when: str = "", align: str = "", faults: str = "") -> Lowering:
    """A sequence that upstream emits."""
    return Lowering("upstream", steps(text), when, align, faults)


def ours(text: str, when: str = "", align: str = "") -> Lowering:
    """A sequence that upstream does not know."""
    return Lowering("ours", steps(text), when, align)


def fails(when: str = "", source: str = "3.12") -> Limit:
    """Upstream accepts the rule and then has no lowering for it."""
    return Limit("fails", when, source)


def wrong(when: str = "", source: str = "3.12") -> Limit:
    """Upstream lowers the rule to something else than it means."""
    return Limit("wrong", when, source)


def rejected(when: str = "", source: str = "3.12") -> Limit:
    """Upstream lowers the rule, and its validator refuses that."""
    return Limit("rejected", when, source)


class Shape(NamedTuple):
    """The size of a role's value: elements, and bits of one."""

    lanes: int
    bits: int


_MAIN = ("source", "value", "data", "x", "lhs", "low", "result", "mask")
"""The roles that the width and the number of elements are of, the first that there is."""


def facts(rule: VmiRule, shapes: dict[str, Shape], **more: Fact) -> dict[str, Fact]:
    """The facts of an operation whose roles have these shapes, under a rule; `more` adds to them.

    >>> from layoutsolver_models.rules.vmi.table import RULES
    >>> known = facts(RULES["VMI.CAST.8_32.C_D4"], {"source": Shape(256, 8), "result": Shape(256, 32)})
    >>> known["A"]("source"), known["A"]("result"), known["lp"]
    (1, 4, 256)
    """
    main_role = next(role for role in _MAIN if role in shapes)
    main = shapes[main_role]
    last = shapes.get("result", main)
    full = register_lanes(main.bits)
    spread = [shape for role, shape in shapes.items() if role != "mask" and rule.layouts[role][:2] != "gs"]
    lanes = spread[0].lanes if spread and rule.layouts[main_role][:2] == "gs" else main.lanes
    groups = more.get("G", 1)
    size = lanes // groups if isinstance(groups, int) else 0

    def registers(role: Fact) -> Fact:
        shape = shapes[str(role)]
        return arity(layout_in(rule, str(role), shape), shape.bits, shape.lanes)

    index = next((shapes[role].bits for role in ("indices", "offsets") if role in shapes), 0)
    known: dict[str, Fact] = {
        "N": lanes, "W": main.bits, "W_to": last.bits, "N_to": last.lanes, "W_idx": index, "lp": full, "B": full // 8,
        "R": -(-lanes // full),
        "A": registers, "op": "", "element": "", "to": "", "stride": None, "align": None, "reach": None,
        "misaligned": False, "masked": False, "pointer": True, "saturate": "", "order": "", "stated": "c",
        "dynamic": False, "zero_gap": False, "same_masks": True, "full": True, "prefixes": 1, "joins": 0,
        "ramps": 0, "picks": 0, "merges": 0, "indexing": 0, "pairs": 0, "sums": 0, "blocks": 0, "reduces": 0,
        "partial": 0, "ranges": 0, "made": lambda name: 0, "G": 1, "S": size,
    }  # fmt: skip
    known.update(more)
    return known


def layout_in(rule: VmiRule, role: str, shape: Shape) -> VmiLayout:
    """The layout that a rule gives to a role's value of some shape."""
    return layout_of(rule.layouts[role], shape.lanes if rule.layouts[role].startswith("gs") else 1)
