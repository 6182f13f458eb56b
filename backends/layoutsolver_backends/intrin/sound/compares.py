"""Comparisons, which make predicates."""

from __future__ import annotations

from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.sound import pairs
from layoutsolver_backends.intrin.sound.code import Code, bits_of, is_float, missing, sign_of
from layoutsolver_backends.intrin.writer import Ref, Writer, enumerator

_ORDERS = {"EQ": "eq", "NE": "ne", "GT": "gt", "GE": "ge", "LT": "lt", "LE": "le", "ULE": "le", "UGE": "ge",
           "ULT": "lt", "UGT": "gt"}  # fmt: skip


def compare(writer: Writer, step: Step) -> None:
    """`vcmp`, and `vcmps` where there is a scalar."""
    first = step.role("lhs" if step.name == "vcmp" else "vec")
    element = writer.program.element(first)
    order = enumerator(step, "predicate", _ORDERS)
    sign = "u" if step.attrs["predicate"].startswith("U") and not is_float(element) else sign_of(element)
    code, mask = Code(writer), writer.mask(step.role("mask"))
    if element == "i1":
        raise missing(step, element, "`ave.hir.preg.xor` and `ave.hir.preg.not` compare predicates")
    if bits_of(element) == 64:
        second = code.pair(step.role("rhs")) if step.name == "vcmp" else pairs.splat(code, step.role("scalar"))
        found = pairs.compare(code, order, code.pair(first), second, sign)
        writer.give(step.results[0], code.call("pand.z", [found, found, mask], found.type))
        return
    left = code.register(first)
    if step.name == "vcmps":
        given: Ref = code.scalar(step.role("scalar"), element)
        made = code.call(f"vcmps.{order}.{sign}.z", [left, given, mask], mask.type)
    elif element.startswith("f8"):
        made = _of_bytes(code, order, left, code.register(step.role("rhs")), mask)
    else:
        made = code.compare(order, left, code.register(step.role("rhs")), sign, mask)
    writer.give(step.results[0], made)


def _of_bytes(code: Code, order: str, left: Ref, right: Ref, mask: Ref) -> Ref:
    """A comparison of 8-bit floats by integers in the same order; NaN compares as nothing but different."""
    largest = 0x7E if "f8E4M3FN" in left.type else 0x7C
    keys, numbers = [], mask
    for register in (left, right):
        raw = code.as_type(register, "i8")
        magnitude = code.both_bits(raw, code.number(0x7F, "i8"))
        negative = code.compare("lt", raw, code.number(0, "i8"))
        keys.append(code.select(negative, code.sub(code.number(0, "i8"), magnitude), magnitude))
        ordered = code.compare("le", magnitude, code.number(largest, "i8"))
        numbers = code.logic("pand", numbers, ordered)
    if order != "ne":
        return code.compare(order, keys[0], keys[1], "s", numbers)
    same = code.compare("eq", keys[0], keys[1], "s", numbers)
    return code.call("pnot.z", [same, mask], mask.type)
