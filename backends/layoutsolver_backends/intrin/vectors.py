"""Operations on data registers as intrinsics: arithmetic, conversions, broadcasts, rearrangements."""

from __future__ import annotations

from layoutsolver.mlir.types import ScalarType
from layoutsolver_backends.intrin import tables
from layoutsolver_backends.intrin.memory import all_bytes
from layoutsolver_backends.intrin.normalise import MASTER
from layoutsolver_backends.intrin.program import Step
from layoutsolver_backends.intrin.writer import (
    PREDICATE,
    NotLoweredError,
    Ref,
    Writer,
    enumerator,
    pair_of,
    register_type,
)

_DATA = ("src", "lhs", "rhs", "vec", "src1", "src2", "src3", "vector")


_LANES = (64, 128, 256)
"""The lanes that vectors of an intrinsic can have, where they are not widened to a register."""


def _missing(step: Step, element: str) -> NotLoweredError:
    return NotLoweredError("LS0602", f"`ave.hir.{step.name}` has no intrinsic for elements of type `{element}`")


def elementwise(writer: Writer, step: Step) -> None:
    """The intrinsic of the table with data, scalar and mask; a sign operand is not passed on."""
    result = step.results[0]
    element = writer.lanes_of(result).element.text
    name = tables.ELEMENTWISE[step.name].pick(element)
    if name is None:
        raise _missing(step, element)
    operands = []
    for role, value in zip(step.roles, step.operands, strict=True):
        if role in _DATA:
            operands.append(writer.register(value))
        elif role == "mask":
            operands.append(writer.mask(value))
        elif role != "sign":
            operands.append(writer.value(value))
    writer.give(result, writer.intrinsic(name, operands, register_type(element)))


def shift(writer: Writer, step: Step) -> None:
    """Shifts by the signedness that their last operand says; a scalar distance has 16 bits."""
    result = step.results[0]
    vector = writer.lanes_of(result)
    if vector.bits not in (8, 16, 32):
        raise _missing(step, vector.element.text)
    sign = "s" if writer.integer(step.role("sign")) else "u"
    mask = writer.mask(step.role("mask"))
    if "scalar" in step.roles:
        data, by = writer.register(step.role("vec")), _distance(writer, step.role("scalar"))
    else:
        data, by = writer.register(step.role("lhs")), writer.register(step.role("rhs"))
    name = f"{step.name}.{sign}.x"
    writer.give(result, writer.intrinsic(name, [data, by, mask], register_type(vector.element.text)))


def _distance(writer: Writer, value: int) -> Ref:
    scalar = writer.program.types[value]
    bits = scalar.bits if isinstance(scalar, ScalarType) else None
    given = writer.value(value)
    if bits == 16:
        return given
    known = writer.integer(value)
    if known is not None:
        return writer.constant((known + 32768) % 65536 - 32768, "i16")
    word = "llvm.trunc" if (bits or 0) > 16 else "llvm.zext" if scalar.text.startswith("u") else "llvm.sext"
    return writer.line(f"{word} {given.name} : {given.type} to i16", "i16")


def exponential_of_difference(writer: Writer, step: Step) -> None:
    """`vexpdif`."""
    result = step.results[0]
    element = writer.lanes_of(result).element.text
    if element not in ("f16", "f32"):
        raise _missing(step, element)
    operands = [writer.register(step.role("lhs")), writer.register(step.role("rhs")), writer.mask(step.role("mask"))]
    writer.give(result, writer.intrinsic("vexpdif", [*operands, writer.constant(0)], register_type(element)))


def convert(writer: Writer, step: Step) -> None:
    """`vcvt*` by the element types, with the modes that the table lists."""
    source, result = step.role("src"), step.results[0]
    before, after = writer.lanes_of(source).element.text, writer.lanes_of(result).element.text
    row = next(
        (
            row
            for row in tables.CONVERSIONS
            if row.mnemonic == step.name and row.target == after and row.source == before
            and row.uni in ("", step.attrs.get("uni", ""))
        ),
        None,
    )  # fmt: skip
    if row is None:
        raise NotLoweredError("LS0602", f"`ave.hir.{step.name}` has no intrinsic from `{before}` to `{after}`")
    data, mask = writer.register(source), writer.mask(step.role("mask"))
    modes = [writer.constant(_mode(step, mode)) for mode in row.modes]
    writer.give(result, writer.intrinsic(row.intrinsic, [data, mask, *modes], register_type(after)))


def _mode(step: Step, mode: str) -> int:
    """The number of a mode of a conversion."""
    name = "bool" if mode == "sat" and mode not in step.attrs else mode
    if mode == "rnd" and step.attrs.get(name) == "truncwithoverflow" and step.name in ("vfptosi", "vfptoui"):
        return tables.ROUNDS["trunc"]
    return enumerator(step, name, tables.MODES[mode])


def round_to_whole(writer: Writer, step: Step) -> None:
    """`vtrc.*` by the type of the result."""
    source, result = step.role("src"), step.results[0]
    element = writer.lanes_of(result).element.text
    if element not in ("f16", "bf16", "f32"):
        raise _missing(step, element)
    given = writer.program.element(source)
    if given != element:
        writer.warn(
            step, "LS0605", f"elements of type `{given}` are rounded as if they were `{element}`",
            "there is an instruction for each type, and none between two of them",
        )  # fmt: skip
    data = writer.register(source)
    mode = writer.constant(enumerator(step, "rnd", tables.ROUNDS))
    operands = [data, mode, writer.mask(step.role("mask"))]
    writer.give(result, writer.intrinsic(f"vtrc.{element}.x", operands, register_type(element)))


def select(writer: Writer, step: Step) -> None:
    """`vsel`, the mask last."""
    result = step.results[0]
    element = writer.lanes_of(result).element.text
    if element not in tables.REGISTER_TYPES:
        raise _missing(step, element)
    mask = writer.mask(step.role("pred"))
    operands = [writer.register(step.role("true_value")), writer.register(step.role("false_value")), mask]
    writer.give(result, writer.intrinsic("vsel", operands, register_type(element)))


def multiply_long(writer: Writer, step: Step) -> None:
    """`vmull`: the low and the high half of a product; the release has it signed for signless elements."""
    element = writer.lanes_of(step.results[0]).element.text
    if element.lstrip("sui") != "32":
        raise _missing(step, element)
    is_unsigned = element.startswith("u")
    if writer.dialect == MASTER:
        is_unsigned = step.attrs.get("cast") == "cast_unsigned"
    own = register_type(element)
    operands = [writer.register(step.role("src1")), writer.register(step.role("src2")), writer.mask(step.role("mask"))]
    both = writer.intrinsic(f"vmull.v64{'u' if is_unsigned else 's'}32", operands, pair_of(own))
    for place, result in enumerate(step.results):
        writer.member(result, both, place, own)


def reduce(writer: Writer, step: Step) -> None:
    """`vcadd`, `vcmax`, `vcmin`; sums of narrow integers are wider and converted back."""
    result, kind = step.results[0], step.attrs.get("kind", "")
    element = writer.lanes_of(step.role("vector")).element.text
    data, mask = writer.register(step.role("vector")), writer.mask(step.role("mask"))
    if kind == "add" and element in tables.REDUCED_WIDER:
        name, wide, back = tables.REDUCED_WIDER[element]
        total = writer.intrinsic(name, [data, mask], register_type(wide))
        narrow = register_type(f"i{element.lstrip('sui')}")
        modes = [writer.constant(0), writer.constant(0)]
        writer.give(result, writer.intrinsic(back, [total, mask, *modes], narrow))
        return
    row = tables.REDUCED.get(kind)
    picked = None
    if row is not None:
        picked = row.pick(element if kind == "add" else element.lstrip("su"))
    if picked is None:
        raise NotLoweredError("LS0602", f"there is no reduction `{kind}` of elements of type `{element}`")
    writer.give(result, writer.intrinsic(picked, [data, mask], register_type(element)))


def broadcast(writer: Writer, step: Step) -> None:
    """`vdups.z`: a scalar in the lanes that the mask has; 8-bit ones go in as integers."""
    result, scalar = step.results[0], step.role("scalar")
    vector = writer.lanes_of(result)
    element = vector.element.text
    if vector.bits not in (8, 16, 32):
        raise _missing(step, element)
    given = writer.value(scalar)
    mask, mode = writer.mask(step.role("mask")), writer.constant(1)
    own = register_type(element)
    if vector.bits != 8:
        writer.give(result, writer.intrinsic("vdups.z", [given, mask, mode], own))
        return
    scalar_type = writer.program.types[scalar]
    bits = scalar_type.bits if isinstance(scalar_type, ScalarType) else None
    if element.startswith("f8") or given.type.startswith("f8"):
        given = writer.bitcast(given, "i8")
    elif bits == 16:
        known = writer.integer(scalar)
        if known is not None:
            given = writer.constant((known + 128) % 256 - 128, "i8")
        else:
            given = writer.line(f"llvm.trunc {given.name} : i16 to i8", "i8")
    made = writer.intrinsic("vdups.z", [given, mask, mode], register_type("i8"))
    writer.give(result, writer.bitcast(made, own))


def splat(writer: Writer, step: Step) -> None:
    """`vbr`: a scalar in all lanes; a predicate comes about by comparing bytes with zero."""
    result, scalar = step.results[0], step.role("scalar")
    given = writer.value(scalar)
    if given.type == "i1":
        _splat_predicate(writer, step)
        return
    if given.type not in tables.REGISTER_TYPES:
        raise _missing(step, given.type)
    own = register_type(given.type)
    if writer.dialect == MASTER and given.type.startswith("f8"):
        bytes_type = register_type("i8")
        made = writer.intrinsic("vbr", [writer.bitcast(given, "i8")], bytes_type)
        writer.give(result, writer.bitcast(made, own))
        return
    writer.give(result, writer.intrinsic("vbr", [given], own))


def _splat_predicate(writer: Writer, step: Step) -> None:
    own = register_type("i8")
    given = writer.value(step.role("scalar"))
    byte = writer.line(f"llvm.zext {given.name} : i1 to i8", "i8")
    bits = writer.intrinsic("vbr", [byte], own)
    zeros = writer.intrinsic("vbr", [writer.constant(0, "i8")], own)
    made = writer.intrinsic("vcmp.ne.s.z", [bits, zeros, all_bytes(writer)], PREDICATE)
    writer.give(step.results[0], made)


def duplicate(writer: Writer, step: Step) -> None:
    """`vdup.z` or `vdupm.z`: the lowest or the highest lane in all others."""
    result = step.results[0]
    element = writer.lanes_of(result).element.text
    if element not in tables.REGISTER_TYPES:
        raise _missing(step, element)
    name = "vdup.z" if enumerator(step, "bool", tables.FLAGS) else "vdupm.z"
    mode = writer.constant(1)
    operands = [writer.register(step.role("src")), writer.mask(step.role("mask")), mode]
    writer.give(result, writer.intrinsic(name, operands, register_type(element)))


def ramp(writer: Writer, step: Step) -> None:
    """`vci`; the release gives float ramps no more lanes than the operation has."""
    result, scalar = step.results[0], step.role("scalar")
    vector = writer.lanes_of(result)
    element = vector.element.text
    if element not in ("i8", "i16", "i32", "f16", "f32"):
        raise _missing(step, element)
    literal = writer.literal(scalar)
    start = writer.value(scalar)
    if literal is not None:
        start = writer.constant(literal, element)
    order = writer.constant(int(step.attrs.get("order") == "DECREASE"))
    own = register_type(element)
    if element.startswith("f") and writer.dialect != MASTER:
        own = vector.text
        if vector.lanes not in _LANES:
            message = f"a float ramp of {vector.lanes} lanes is not widened to a register, and no intrinsic makes it"
            raise NotLoweredError("LS0602", message, "`--dialect master` widens it")
    writer.give(result, writer.intrinsic("vci", [writer.cast(start, element), order], own))


def interleave(writer: Writer, step: Step) -> None:
    """`vintlv` and `vdintlv`."""
    element = writer.lanes_of(step.role("src1")).element.text
    if element not in tables.REGISTER_TYPES:
        raise _missing(step, element)
    own = register_type(element)
    operands = [writer.register(value) for value in step.operands]
    both = writer.intrinsic(step.name, operands, pair_of(own))
    for place, result in enumerate(step.results):
        writer.member(result, both, place, own)


_PACK_WIDTHS = {"vpack": (16, 32), "vunpack": (8, 16)}


def pack(writer: Writer, step: Step) -> None:
    """`vpack.x` of 16 and 32 bits, `vzunpack` of 8 and 16."""
    result = step.results[0]
    vector = writer.lanes_of(result)
    if vector.bits not in _PACK_WIDTHS[step.name]:
        raise _missing(step, vector.element.text)
    part = writer.constant(enumerator(step, "int", {"0": 0, "1": 1}))
    name = "vpack.x" if step.name == "vpack" else "vzunpack"
    writer.give(result, writer.intrinsic(name, [writer.register(step.operands[0]), part],
                                         register_type(vector.element.text)))  # fmt: skip


def slide(writer: Writer, step: Step) -> None:
    """`vslide`; its vectors keep the lanes that the operation has."""
    result = step.results[0]
    vector = writer.lanes_of(result)
    if vector.element.text not in tables.SLID:
        raise _missing(step, vector.element.text)
    if vector.lanes not in _LANES:
        raise NotLoweredError("LS0602", f"a slide of {vector.lanes} lanes is not widened, and no intrinsic does it")
    operands = [writer.value(value) for value in step.operands]
    writer.give(result, writer.intrinsic("vslide", operands, vector.text))


def bitcast(writer: Writer, step: Step) -> None:
    """`vector.bitcast` as the bitcast of a register."""
    source, result = step.operands[0], step.results[0]
    if writer.program.types[source].text == writer.program.types[result].text:
        writer.give(result, writer.value(source))
        return
    data = writer.register(source)
    writer.give(result, writer.bitcast(data, register_type(writer.program.element(result))))


def split_halves(writer: Writer, step: Step) -> None:
    """A register as two vectors of half its lanes."""
    half = writer.program.types[step.results[0]].text
    both = writer.cast(writer.value(step.operands[0]), pair_of(half))
    for place, result in enumerate(step.results):
        writer.member(result, both, place, half)


def join_halves(writer: Writer, step: Step) -> None:
    """Two vectors of half the lanes as one register."""
    low, high = (writer.value(value) for value in step.operands)
    both = pair_of(low.type)
    empty = writer.line(f"llvm.mlir.undef : {both}", both)
    first = writer.line(f"llvm.insertvalue {low.name}, {empty.name}[0] : {both}", both)
    second = writer.line(f"llvm.insertvalue {high.name}, {first.name}[1] : {both}", both)
    writer.give(step.results[0], second)
