"""The attributes of `ave.hir` operations: which ones each may have, and the values of those that are enumerated.

Those with the prefix of a dialect are free, as in MLIR. Source: HIVMAVEOps.td, HIVMAVEAttrs.td, HIVMAttrs.td.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.types import MemRefType
from layoutsolver.ops.attributes import attributes
from layoutsolver.ops.ave import ENUMERATORS
from layoutsolver.ops.registry import all_specs

PREFIX = "ave.hir."

_BOOLS = ("true", "false", "unit")
_PARTS = ("part_even", "part_odd")
_ROUNDINGS = ("rint", "round", "floor", "ceil", "trunc", "odd", "truncwithoverflow")

FUNCTION_TYPES = (
    "top", "none", "norm", "pk", "pk4", "pb8", "pb16", "pb32", "even", "c2c", "unpk", "unpk4", "pintlv2", "pintlv4",
    "intlv2", "intlv4", "dintlv2", "dintlv4", "invalid", "bottom",
)  # fmt: skip
"""Source: HIVMAVEAttrs.td#FunctionDistType."""

_VALUES: dict[str, tuple[str, ...]] = {
    "functionType": FUNCTION_TYPES, "layout_change": ("UNCHANGED", "SPARSE", "DENSE"), "part": _PARTS,
    "pp": ("pp0", "pp1", "pp2", "pp3"), "rnd": _ROUNDINGS, "uni": ("si2si", "si2ui", "ui2si", "ui2ui"),
    "cast": ("cast_signed", "cast_unsigned", "bitcast"), "sat": _BOOLS, "bool": _BOOLS, "was_bool_to_int8": _BOOLS,
}  # fmt: skip
"""The values of enumerated attributes, by name."""

_ANYWHERE = frozenset({"functionType", "layout_change", "mask_op_idx", "element_alignment_bit_width"})
"""What passes of the compiler may leave on any operation."""

_CONVERTS = ("vextsi", "vextui", "vextf", "vtrunci", "vtruncf", "vfptosi", "vfptoui", "vsitofp", "vuitofp")
OWN_ATTRIBUTES: dict[str, frozenset[str]] = {
    **dict.fromkeys(_CONVERTS, frozenset({"part", "pp", "rnd", "sat", "uni"})),
    "vtrc": frozenset({"rnd"}), "vdiv": frozenset({"cast"}), "mull": frozenset({"cast"}),
    "vload": frozenset({"was_bool_to_int8"}), "vci": frozenset({"order"}),
}  # fmt: skip
"""Attributes beside those that stand in an operation's own form, by mnemonic."""

_INLINE = frozenset({"dist", "pattern", "width", "mode", "order", "predicate", "kind", "rnd", "part", "bool", "int"})
"""Attributes that an operation's form prints, under the names of the operation table."""


ADDRESS_SPACES = {"zero": 0, "gm": 1, "cbuf": 2, "ca": 3, "cb": 4, "cc": 5, "ub": 6, "ssbuf": 11}
"""Address spaces and their numbers. Source: HIVMAttrs.td#HIVM_AddressSpace."""

_ADDRESS_SPACE = re.compile(r"#hivm\.address_space<\s*(\w+)\s*>")
_NUMBERED_SPACE = re.compile(r"(?:^|,)\s*(\d+)\s*(?::\s*i\d+\s*)?$")


def wrong_address_space(type_text: str) -> str:
    """What is wrong with the address space that a type names; empty if nothing is, or if it names none.

    >>> wrong_address_space("memref<4xf32, #hivm.address_space<ubb>>")
    'lies in the address space `ubb`, which does not exist: is `ub` meant?'
    """
    named = _ADDRESS_SPACE.search(type_text)
    if named is None or named[1] in ADDRESS_SPACES:
        return ""
    return f"lies in the address space `{named[1]}`, which does not exist: {_nearest(named[1], tuple(ADDRESS_SPACES))}"


def space_out_of_reach(memref: MemRefType) -> str:
    """The address space of a memref that vector operations do not reach; empty for `ub`, and where none is said.

    Source: HIVMAVEToAVEIntrin.cpp, which lowers accesses to the unified buffer alone.

    >>> from layoutsolver.mlir.types import parse_type
    >>> space_out_of_reach(parse_type("memref<4xf32, strided<[1], offset: 1>, #hivm.address_space<gm>>"))
    'gm'
    >>> space_out_of_reach(parse_type("memref<4xf32, 2 : i32>")), space_out_of_reach(parse_type("memref<4xf32, 6>"))
    ('cbuf', '')
    """
    named, numbered = _ADDRESS_SPACE.search(memref.rest), _NUMBERED_SPACE.search(memref.rest)
    if numbered is not None:
        number = int(numbered[1])
        space = next((name for name, known in ADDRESS_SPACES.items() if known == number), numbered[1])
    else:
        space = "zero" if named is None else named[1]
    return "" if space in ("zero", "ub") else space


class WrongAttribute(NamedTuple):
    """An attribute that an operation does not have, or that has no such value; the nearest names that there are.

    One that is like none that the operation has is nothing that is meant here: then `is_error` is False. `word` is
    what is wrong as the text has it.
    """

    code: str
    message: str
    note: str
    is_error: bool = True
    word: str = ""


def wrong_attributes(node: OpNode) -> Iterator[WrongAttribute]:
    """What is wrong with the attributes of an `ave.hir` operation."""
    if node.attrs is None and not node.enums and not node.op.is_generic:
        return
    mnemonic = node.name.removeprefix(PREFIX)
    own = OWN_ATTRIBUTES.get(mnemonic, frozenset())
    for name, value in attributes(node).items():
        known = ENUMERATORS.get((mnemonic, name))
        if known is None and name in _VALUES and (name in _ANYWHERE | own or name in node.enums):
            known = _VALUES[name]
        if known is not None and value not in known and not value.startswith("#"):  # an alias may stand for any of them
            message = f"`{node.name}`: there is no {name} `{value}`"
            yield WrongAttribute("LS0206", message, _nearest(value, known), word=value)
        elif "." not in name and name not in _ANYWHERE | own | _INLINE and name not in node.enums:
            near = _near(name, tuple(sorted(_ANYWHERE | own)))
            note = near or "it is kept, and not looked at"
            yield WrongAttribute("LS0207", f"`{node.name}` has no attribute `{name}`", note, bool(near), name)


def _near(name: str, known: tuple[str, ...]) -> str:
    """The question whether a known name is meant that is like another one; empty if there is none."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1, 0.6)
    return f"is `{near[0]}` meant?" if near else ""


def _nearest(name: str, known: tuple[str, ...]) -> str:
    return _near(name, known) or f"there are {', '.join(known)}"


def nodes_of(graph: Graph) -> Iterator[OpNode]:
    """The `ave.hir` operations of a program that are known."""
    specs = all_specs()
    return (node for node in graph.ops if node.name.startswith(PREFIX) and node.name in specs)
