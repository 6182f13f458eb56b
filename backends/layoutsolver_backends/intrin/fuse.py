"""Booleans that were widened to bytes, loaded and compared with zero: loaded as predicates at once.

The compiler's later source does this when it lowers the load. It joins the comparison's mask at the load; here that
stays where the comparison was, since the mask may be made in between. Source: HIVMAVEToAVEIntrin of master,
getFusibleWasBoolToInt8CmpUser.
"""

from __future__ import annotations

from layoutsolver.mlir.types import MemRefType, parse_type
from layoutsolver_backends.intrin.program import Program, Step
from layoutsolver_backends.intrin.tables import ALIGNED_BROADCASTS
from layoutsolver_backends.intrin.writer import PREDICATE, constant_literal

WAS_BOOL = "was_bool_to_int8"
UNALIGNED = "ave.unaligned_ub_access"


def fuse_boolean_loads(program: Program) -> None:
    """Replace each such load and its comparison by a load of predicates and a conjunction with the mask."""
    for load in list(program.ordered()):
        compare = _comparison(program, load)
        if compare is None:
            continue
        attrs = {"functionType": compare.attrs.get("functionType", load.attrs.get("functionType", ""))}
        bits = program.make(
            "register.load_bits", list(load.operands), " ".join(load.roles), [parse_type(PREDICATE)], load.node, attrs
        )
        load.after.insert(0, bits)
        mask = compare.role("mask")
        maker = program.definition.get(mask)
        is_full = maker is not None and maker.name == "pge" and maker.attrs.get("pattern") == "ALL"
        masked = program.make(
            "register.mask_bits", [bits.results[0], mask], "pred mask", [program.types[compare.results[0]]],
            compare.node, {"all": str(is_full).lower()},
        )  # fmt: skip
        compare.after.insert(0, masked)
        program.replace(compare, masked.results)
        program.drop(load)


def _comparison(program: Program, load: Step) -> Step | None:
    """The comparison with zero that is the only use of a load of widened booleans, None if it is not that."""
    if not load.is_ave or load.name != "vload" or load.attrs.get(WAS_BOOL, "false") == "false":
        return None
    memref = program.types[load.role("base")]
    if not isinstance(memref, MemRefType) or memref.element.text != "i8" or len(program.uses[load.results[0]]) != 1:
        return None
    if program.is_950 and UNALIGNED in load.attrs and load.attrs.get("dist") not in ALIGNED_BROADCASTS:
        return None
    user, _ = program.uses[load.results[0]][0]
    if not user.is_ave or user.name != "vcmp" or user.attrs.get("predicate") != "NE":
        return None
    is_left = user.role("lhs") == load.results[0]
    return user if is_left and _is_zero(program, user.role("rhs")) else None


def _is_zero(program: Program, value: int) -> bool:
    """Whether a vector is the broadcast of the byte zero under a mask."""
    maker = program.definition.get(value)
    if maker is None or not maker.is_ave or maker.name != "broadcast":
        return False
    scalar = maker.role("scalar")
    owner = program.definition.get(scalar)
    is_byte = program.types[scalar].text == "i8" and owner is not None and owner.name == "arith.constant"
    return is_byte and owner is not None and constant_literal(program.graph, owner.node) == "0"
