"""Where the production compiler's intrinsics do something else than the operation: told operation by operation.

Each row was found by running what the released compiler writes against the program, and has a program of its own name
in `examples/upstream-findings`, with the bytes. It is looked for in what is written, so that it is said of exactly the
dialects, chips and types that have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.types import VectorType
from layoutsolver_backends.intrin.normalise import UNALIGNED
from layoutsolver_backends.intrin.program import PREFIX

REGISTER_BYTES = 256
_CONSTANT = re.compile(r"constant\((-?\d+) : i32")


_CHANGES_WIDTH = ("vext", "vtrunc", "vfpto", "vsitofp", "vuitofp")
"""The beginnings of the names of conversions."""


@dataclass(frozen=True, slots=True)
class Written:
    """An operation, its attributes with the functionType that was decided, and the intrinsics that stand for it."""

    graph: Graph
    node: OpNode
    attrs: Mapping[str, str]
    layouts: Mapping[int, str]
    text: str

    @property
    def name(self) -> str:
        """The operation without its dialect."""
        return self.node.name.removeprefix(PREFIX)

    @property
    def dist(self) -> str:
        """The functionType, empty if there is none."""
        return self.attrs.get("functionType", "")

    @property
    def is_spread(self) -> bool:
        """Whether elements of an operand or a result lie apart."""
        layouts = (self.layouts.get(value, "") for value in (*self.node.operands, *self.node.results))
        return any(layout.endswith(("_2vl", "_4vl")) for layout in layouts)

    @property
    def of_predicates(self) -> bool:
        """Whether it accesses bits in memory."""
        values = self.node.results if self.name == "vload" else [self.node.role("val") or -1]
        kinds = self.types(values)
        return self.name in ("vload", "masked_store") and any(type_.bits == 1 for type_ in kinds)

    @property
    def is_stream(self) -> bool:
        """Whether it is stored as a stream of bytes."""
        return self.name == "masked_store" and "vstus.post" in self.text

    def types(self, values: list[int]) -> list[VectorType]:
        """The types of those values that are vectors."""
        return [type_ for value in values if value >= 0 and (type_ := self.graph.values[value].vector) is not None]

    @property
    def changes_width(self) -> bool:
        """Whether the elements of its result are wider or narrower than those that it reads."""
        source = self.node.role("src")
        before, after = self.types([-1 if source is None else source]), self.types(self.node.results)
        return bool(before and after) and before[0].bits != after[0].bits

    def makes(self, role: str) -> str:
        """The operation that the operand of a role comes from, through casts."""
        value = self.node.role(role)
        while value is not None and value >= 0 and self.graph.values[value].op >= 0:
            node = self.graph.ops[self.graph.values[value].op]
            if node.name != "builtin.unrealized_conversion_cast":
                return node.name.removeprefix(PREFIX)
            value = node.operands[0]
        return ""


@dataclass(frozen=True, slots=True)
class Defect:
    """What is wrong, as a sentence, and where it is; `id` is the name of the program that shows it.

    `of_release` is for what the compiler's later source does otherwise, though the text may look alike.
    """

    id: str
    why: str
    is_there: Callable[[Written], bool]
    of_release: bool = False


def _predicate_address(at: Written) -> bool:
    indices = [value for role, value in zip(at.node.roles, at.node.operands, strict=True) if role == "indices"]
    return at.of_predicates and any(at.graph.constants.get(value) != 0 for value in indices)


def _predicate_load(at: Written) -> bool:
    wanted = {"pb16": 1, "pb32": 2}.get(at.dist, 0) if at.name == "vload" and at.of_predicates else 0
    return "plds.b8" in at.text and at.text.count("pintlv") < wanted


def _unaligned_length(at: Written) -> bool:
    sizes = [int(size) for size in _CONSTANT.findall(at.text)]
    return at.is_stream and (at.makes("mask") == "plt" or max(sizes, default=0) > REGISTER_BYTES)


def _dense_data(at: Written) -> bool:
    """Data that should be spread lie side by side; conversions move them, but for parts that are not the first."""
    if "vldsx1" in at.text and at.dist in ("pk", "pk4") and not _has_dist(at, (13, 14, 20)):
        return True
    if "vstsx1" in at.text and at.dist in ("pk", "pk4") and not _has_dist(at, (6, 7, 12)):
        return "vdintlv" not in at.text
    if not at.is_spread or at.name in ("vload", "masked_store"):
        return False
    if at.name.startswith(_CHANGES_WIDTH) and at.changes_width:
        return at.attrs.get("part") == "part_odd" or at.attrs.get("pp", "pp0") != "pp0"
    has_mask = any(type_.bits == 1 for type_ in at.types(at.node.operands))
    return has_mask or "layout_change" in at.attrs or at.dist.startswith("intlv")


def _has_dist(at: Written, numbers: tuple[int, ...]) -> bool:
    return any(int(number) in numbers for number in _CONSTANT.findall(at.text))


def _saturates(at: Written) -> bool:
    return "true" in (at.attrs.get("bool", ""), at.attrs.get("sat", ""))


DEFECTS: tuple[Defect, ...] = (
    Defect("predicate_address", "the address counts a byte for every bit before the first", _predicate_address),
    Defect("predicate_store", "all 256 bits of the register are stored, of which every second or fourth is an element",
           lambda at: at.name == "masked_store" and at.dist in ("pb16", "pb32") and "psts.b8" in at.text),
    Defect("predicate_load", "bits for wider elements are loaded side by side", _predicate_load),
    Defect("unaligned_predicate_load", "an instruction for aligned addresses loads the bits",
           lambda at: at.of_predicates and UNALIGNED in at.attrs and "plds.b8" in at.text),
    Defect("unaligned_predicate_store", "an instruction for aligned addresses stores 256 bits",
           lambda at: at.of_predicates and UNALIGNED in at.attrs and "psts.b8" in at.text),
    Defect("wide_elements", "its 64-bit elements take two registers, and the compiler uses one",
           lambda at: any(type_.bits == 64 for type_ in at.types([*at.node.operands, *at.node.results]))),
    Defect("converted_mask", "its mask is for 16-bit elements, and the conversions between read it for 32-bit ones",
           lambda at: at.name == "vfptoui" and "f162s32" in at.text),
    Defect("unsigned_division", "unsigned integers are divided as signed ones",
           lambda at: at.name == "vdiv" and at.attrs.get("cast") == "cast_unsigned" and "vdiv.s" in at.text),
    Defect("unsigned_product", "unsigned integers are multiplied as signed ones",
           lambda at: at.name == "mull" and at.attrs.get("cast") == "cast_unsigned" and "vmull.v64s32" in at.text),
    Defect("sign_of_a_shift", "whether it keeps the sign is not constant, and taken for no, or for yes of a left shift",
           lambda at: at.name in ("vshr", "vshrs", "vshl", "vshls") and at.makes("sign") != "arith.constant"),
    Defect("packed_mask", "its elements are brought together, the bits of its mask are not",
           lambda at: at.name == "masked_store" and at.dist in ("pk", "pk4") and "vdintlv" in at.text),
    Defect("packed_conversion", "elements that should stay in every second place are brought together",
           lambda at: "layout_change" in at.attrs and at.dist == "c2c" and "vdintlv" in at.text),
    Defect("saturated_sign", "signed integers are narrowed to the nearest unsigned byte",
           lambda at: at.name == "vtrunci" and bool(re.search(r"vcvtii\.s(16|32)2u8", at.text)) and _saturates(at)),
    Defect("reduced_mask", "the sum is narrowed under the mask of what is summed, which need not have its place",
           lambda at: at.name == "reduction" and "hivm.vcadd" in at.text and "hivm.vcvtii" in at.text),
    Defect("unaligned_pattern", "the length of the store is below zero, as its mask is no number of first elements",
           lambda at: at.is_stream and bool(re.search(r"constant\(-\d+ : i32", at.text))),
    Defect("unaligned_length", "the store may be longer than a register", _unaligned_length),
    Defect("unaligned_mask", "the store has no mask, and writes inactive elements as well",
           lambda at: at.is_stream and at.makes("mask") not in ("plt", "pge")),
    Defect("spread_broadcast", "what is spread already is spread once more by the conversions after it",
           lambda at: at.name in ("broadcast", "vector_broadcast") and at.is_spread, True),
    Defect("dense_data", "its elements should lie apart, and lie side by side", _dense_data, True),
)  # fmt: skip
"""All of them; a call whose result lies side by side is `call_result`, told where the call stands."""

CALL_RESULT = Defect(
    "call_result", "what it returns lies side by side, whatever its users were solved for",
    lambda at: at.node.name in ("func.call", "call") and at.is_spread,
)  # fmt: skip


def defects_of(at: Written, is_release: bool) -> Iterator[Defect]:
    """The ways in which what is written for an operation is wrong."""
    if at.node.name.startswith(PREFIX):
        yield from (one for one in DEFECTS if (is_release or not one.of_release) and one.is_there(at))
    elif CALL_RESULT.is_there(at):
        yield CALL_RESULT
