"""Operations that leave elements where they are: one instruction for each register."""

from __future__ import annotations

from layoutsolver.vmi.predicated import PREDICATED
from layoutsolver_backends.vpto.build import UnsupportedError, signed, unsigned_element
from layoutsolver_backends.vpto.casts import controls
from layoutsolver_backends.vpto.code import Ssa, element_bits, element_of, mask_bits, mask_type
from layoutsolver_backends.vpto.site import Site
from layoutsolver_models.rules.vmi.elementwise import INSTRUCTIONS

UNSIGNED = frozenset({"mini", "maxi", "shrui", "vmaxs", "vmins", "vshrs"})
"""Operations for which a signless integer must be said to be unsigned."""

UNARY = frozenset({"negf", "negi", "absf", "absi", "sqrt", "exp", "ln", "relu", "not"})
LOGIC = frozenset({"mask_and", "mask_or", "mask_xor", "mask_not"})
SHIFTS = frozenset({"shli", "shrui", "shrsi"})
WITH_SCALAR = frozenset({"vadds", "vmuls", "vmaxs", "vmins", "vshls", "vshrs"})


def emit_same(site: Site) -> None:
    """An operation whose operands and results share a layout."""
    name = site.op.op
    count = len(next(iter(_columns(site).values())))
    roles = list(site.op.results)
    made = [_each(site, name, roles[0], number) for number in range(count)]
    for place, role in enumerate(roles):
        site.put(role, [one[place] if isinstance(one, tuple) else one for one in made])


def _columns(site: Site) -> dict[str, tuple[Ssa, ...]]:
    return {role: site.registers(role) for role in site.op.vectors()}


def _each(site: Site, name: str, role: str, number: int) -> Ssa | tuple[Ssa, ...]:
    """The instruction for one register, and what it makes."""
    build = site.build
    instruction = INSTRUCTIONS[name]
    held = {key: registers[number] for key, registers in _columns(site).items()}
    if name in LOGIC:
        return build.mask_op(instruction, *held.values())
    data = [value for value in held.values() if not value.type.startswith("!pto.mask")]
    type_ = data[0].type
    bits = element_bits(type_)
    mask = build.as_mask(held["mask"], mask_type(bits)) if "mask" in held and name in PREDICATED else None
    if name in ("cmpf", "cmpi"):
        return _compare(site, data)
    if name == "select":
        return build.one("vsel", (held["true_value"], held["false_value"], held["mask"]), type_)
    if name == "fma":
        return build.one("vmula", (held["acc"], held["lhs"], held["rhs"], mask or build.all_true(bits)), type_)
    if name in ("fptosi", "sitofp"):
        return _convert(site, data[0])
    if name in ("vaddc", "vaddcs", "vmull"):
        return _several(site, name, held)
    if name in UNSIGNED:
        wanted = site.type(role)
        element = unsigned_element(type_)
        if name == "shrui":
            shifts = (build.as_element(data[0], element), build.as_type(data[1], signed(type_)))
            return build.as_type(build.binary(instruction, shifts[0], shifts[1], mask), wanted)
        cast = [build.as_element(value, element) for value in data]
        if name in WITH_SCALAR:
            operands = (cast[0], build.scalar(site.operand("scalar")), held["mask"])
            return build.as_type(build.one(instruction, operands, cast[0].type), wanted)
        return build.as_type(build.binary(instruction, cast[0], cast[1], mask), wanted)
    if name in SHIFTS:
        if name == "shrsi":
            left = build.as_type(data[0], signed(type_))
            return build.as_type(build.binary(instruction, left, build.as_type(data[1], signed(type_)), mask), type_)
        return build.binary(instruction, data[0], build.as_type(data[1], signed(type_)), mask)
    if name in WITH_SCALAR:
        return build.one(instruction, (data[0], build.scalar(site.operand("scalar")), held["mask"]), type_)
    if name in UNARY:
        return build.unary(instruction, data[0], mask)
    return build.binary(instruction, data[0], data[1], mask)


def _compare(site: Site, data: list[Ssa]) -> Ssa:
    """A comparison; how integers are compared is told by their type."""
    build = site.build
    predicate = str(site.op.attrs["predicate"])
    bits = element_bits(data[0].type)
    if site.op.op == "cmpi" and predicate[0] in "su":
        data = [build.as_element(value, f"{predicate[0]}i{bits}") for value in data]
    mode = predicate[1:] if predicate[0] in "sou" else predicate
    operands = (data[0], data[1], build.all_true(bits))
    result = site.type("result")
    if mask_bits(result) != bits:
        raise UnsupportedError("the predicate of a comparison is as wide as its elements")
    return build.one("vcmp", operands, result, (mode,), hint="%m")


def _convert(site: Site, value: Ssa) -> Ssa:
    """A conversion that keeps the width."""
    type_ = site.type("result")
    element = element_of(type_)
    rounding, saturate, _ = controls(
        element_of(value.type), element, str(site.op.attrs.get("rounding", "")), str(site.op.attrs.get("saturate", ""))
    )
    operands = (value, site.build.all_true(element_bits(value.type)))
    return site.build.one("vcvt", operands, type_, rnd=rounding, sat=saturate)


def _several(site: Site, name: str, held: dict[str, Ssa]) -> tuple[Ssa, ...]:
    """An operation with two results."""
    build = site.build
    if name == "vmull":
        left, right = held["a"], held["b"]
        return build.emit("vmull", (left, right, held["mask"]), (left.type, left.type))
    order = ("lhs", "rhs", "carry_in", "mask") if name == "vaddcs" else ("lhs", "rhs", "mask")
    return build.emit(name, tuple(held[role] for role in order), (held["lhs"].type, held["mask"].type))


def emit_bitcast(site: Site) -> None:
    """Registers read as another type."""
    type_ = site.type("result")
    site.put("result", [site.build.as_type(value, type_) for value in site.registers("source")])
