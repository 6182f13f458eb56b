"""Operations on scalars: arithmetic on integers, indices and floats, comparisons, casts, constants, affine maps."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from layoutsolver.mlir.types import OtherType, ScalarType
from layoutsolver.ops.assembly import skip_bracket
from layoutsolver.verify.affine import evaluate_map, parse_map
from layoutsolver.verify.operation import Operation
from layoutsolver.verify.values import Scalar, Value, integer
from layoutsolver_models.hardware.formats import FORMATS, Format, decode
from layoutsolver_models.hardware.rounding import convert, encode

Get = Callable[[int], Value]


def _divided(a: int, b: int, how: str) -> int | None:
    if b == 0:
        return None
    if how == "floor":
        return a // b
    if how == "ceil":
        return -(-a // b)
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    quotient = _divided(a, b, "trunc")
    return None if quotient is None else a - quotient * b


def _shift(a: int, by: int, width: int, left: bool) -> int | None:
    if not 0 <= by < width:
        return None
    return a << by if left else a >> by


_SIGNED: dict[str, Callable[[int, int], int | None]] = {
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b, "maxsi": max, "minsi": min, "remsi": _remainder,
    "divsi": lambda a, b: _divided(a, b, "trunc"), "floordivsi": lambda a, b: _divided(a, b, "floor"),
    "ceildivsi": lambda a, b: _divided(a, b, "ceil"),
}  # fmt: skip
_UNSIGNED: dict[str, Callable[[int, int], int | None]] = {
    "divui": lambda a, b: _divided(a, b, "trunc"), "remui": _remainder, "maxui": max, "minui": min,
    "ceildivui": lambda a, b: _divided(a, b, "ceil"),
}  # fmt: skip
_FLOAT: dict[str, Callable[[float, float], float]] = {
    "addf": lambda a, b: a + b, "subf": lambda a, b: a - b, "mulf": lambda a, b: a * b,
    "divf": lambda a, b: float(np.float64(a) / np.float64(b)), "maximumf": lambda a, b: _extreme(a, b, max),
    "minimumf": lambda a, b: _extreme(a, b, min), "maxnumf": lambda a, b: float(np.fmax(a, b)),
    "minnumf": lambda a, b: float(np.fmin(a, b)),
}  # fmt: skip
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip
_LLVM = {
    "add": "addi", "sub": "subi", "mul": "muli", "sdiv": "divsi", "udiv": "divui", "srem": "remsi", "urem": "remui",
    "and": "andi", "or": "ori", "xor": "xori", "shl": "shli", "ashr": "shrsi", "lshr": "shrui", "intr.smin": "minsi",
    "intr.smax": "maxsi", "intr.umin": "minui", "intr.umax": "maxui", "icmp": "cmpi", "fcmp": "cmpf", "fadd": "addf",
    "fsub": "subf", "fmul": "mulf", "fdiv": "divf", "fneg": "negf", "sext": "extsi", "zext": "extui",
    "trunc": "trunci", "fpext": "extf", "fptrunc": "truncf", "intr.maximum": "maximumf", "intr.minimum": "minimumf",
    "intr.maxnum": "maxnumf", "intr.minnum": "minnumf",
}  # fmt: skip
"""The operations of LLVM by their names in `arith`, where these differ."""

_OPERANDS = {"select": 3, "cmpi": 2, "cmpf": 2, "negf": 1}
"""How many operands what is not an operation on two numbers has."""

_CASTS = frozenset({
    "index_cast", "index_castui", "extsi", "extui", "trunci", "extf", "truncf", "sitofp", "uitofp", "fptosi",
    "fptoui", "bitcast",
})  # fmt: skip


def _extreme(a: float, b: float, choose: Callable[[float, float], float]) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else choose(a, b)


def run_scalar(op: Operation, get: Get) -> list[Value] | None:
    """The results of an operation on scalars, None if it is not known."""
    dialect, _, name = op.node.name.partition(".")
    if op.node.name in ("affine.apply", "affine.min", "affine.max"):
        return [_affine(op, get)]
    if dialect not in ("arith", "index", "llvm") or not op.node.results:
        return None
    if dialect == "llvm":
        name = _LLVM.get(name, name)
    if name in ("constant", "mlir.constant"):
        return [_constant(op)]
    operands = [get(value) for value in op.node.operands]
    scalars = [value for value in operands if isinstance(value, Scalar)]
    if len(scalars) != len(operands) or not scalars:
        return None
    if len(scalars) != _OPERANDS.get(name, 2 if name in _FLOAT else len(scalars)):
        return None
    type_ = op.type(op.node.results[0])
    if isinstance(type_, OtherType) and not type_.text:
        type_ = ScalarType("i1", 1) if name in ("cmpi", "cmpf") else scalars[-1].type
    if not isinstance(type_, ScalarType):
        return None
    defined = all(value.defined for value in scalars)
    if name == "select":
        chosen = scalars[1] if scalars[0].bits else scalars[2]
        return [Scalar(type_, chosen.bits, scalars[0].defined and chosen.defined)]
    if name in ("cmpi", "cmpf"):
        return [integer(type_, int(_compared(op, name, scalars)), defined)]
    if name in _CASTS:
        return [_cast(name, scalars[0], type_)]
    return _arithmetic(name, scalars, type_, defined)


def _arithmetic(name: str, scalars: list[Scalar], type_: ScalarType, defined: bool) -> list[Value] | None:
    if name in _FLOAT or name == "negf":
        numbers = [number_of(value) for value in scalars]
        with np.errstate(all="ignore"):
            result = -numbers[0] if name == "negf" else _FLOAT[name](numbers[0], numbers[1])
        return [_encoded(type_, result, defined)]
    if len(scalars) != 2:
        return None
    left, right = scalars
    found: int | None
    if name in _SIGNED:
        found = _SIGNED[name](left.signed, right.signed)
    elif name in _UNSIGNED:
        found = _UNSIGNED[name](left.bits, right.bits)
    elif name in ("shli", "shrsi", "shrui"):
        found = _shift(left.bits if name == "shrui" else left.signed, right.bits, left.width, name == "shli")
    else:
        return None
    return [integer(type_, found or 0, defined and found is not None)]


def number_of(scalar: Scalar) -> float:
    """The number that a float scalar stands for."""
    fmt = FORMATS[scalar.type.text]
    return float(decode(fmt, np.array([scalar.bits], fmt.storage))[0])


def _encoded(type_: ScalarType, number: float, defined: bool = True) -> Scalar:
    fmt = FORMATS[type_.text]
    return Scalar(type_, int(encode(fmt, np.array([number], np.float64))[0]), defined)


def _compared(op: Operation, name: str, scalars: list[Scalar]) -> bool:
    texts = op.node.op.stream.texts
    kind = op.attrs.get("predicate", texts[op.node.op.name_token + 1]).strip('"')
    left, right = scalars
    if name == "cmpi":
        order = _ORDERS[kind.lstrip("su") if kind[0] in "su" else kind]
        return order(left.bits, right.bits) if kind[0] == "u" else order(left.signed, right.signed)
    a, b = number_of(left), number_of(right)
    unordered = math.isnan(a) or math.isnan(b)
    if kind in ("true", "false"):
        return kind == "true"
    if kind in ("ord", "uno"):
        return unordered == (kind == "uno")
    return (_ORDERS[kind[1:]](a, b) and not unordered) or (kind[0] == "u" and unordered)


def _format(type_: ScalarType) -> Format | None:
    return FORMATS.get(type_.text)


def _cast(name: str, value: Scalar, type_: ScalarType) -> Scalar:
    if name in ("extui", "index_castui"):
        return integer(type_, value.bits, value.defined)
    if name == "extsi" and value.width == 1:
        return integer(type_, -value.bits, value.defined)
    if name in ("extsi", "trunci", "index_cast", "bitcast"):
        return integer(type_, value.signed, value.defined)
    source = _format(value.type) or FORMATS["i64"]
    target = _format(type_) or FORMATS["i64"]
    if name == "uitofp":
        source = FORMATS[f"ui{value.width}"]
    if name == "fptoui":
        target = FORMATS[f"ui{target.bits}"]
    made = convert(
        source, target, np.array([value.bits], source.storage), "trunc" if name in ("fptosi", "fptoui") else "rint"
    )
    return Scalar(type_, int(made[0]), value.defined)


def _constant(op: Operation) -> Scalar:
    """A scalar constant: decimal or hexadecimal integers, floats, truth values."""
    type_ = op.scalar(op.node.results[0])
    text = literal(op)
    if text in ("true", "false"):
        return integer(type_, int(text == "true"))
    try:
        if text.lower().startswith(("0x", "-0x")):
            return integer(type_, int(text, 16))
        return _encoded(type_, float(text)) if type_.is_float else integer(type_, int(text))
    except ValueError:
        raise op.fail(f"has the value `{text}`, which is not understood") from None


def literal(op: Operation) -> str:
    """The text of a constant's value, without its type."""
    inner, texts = op.node.op, op.node.op.stream.texts
    at = inner.name_token + 1
    if inner.is_generic:
        at = next((token + 2 for token in inner.body_tokens() if texts[token].strip('"') == "value"), inner.last - 1)
    else:
        while texts[at] in ("{", "("):
            at = at + 1 if texts[at] == "(" else skip_bracket(texts, at, inner.last)
    if texts[at] == "dense":
        return inner.stream.range_text(at, skip_bracket(texts, at + 1, inner.last))
    return "-" + texts[at + 1] if texts[at] == "-" else texts[at]


_MAP = re.compile(r"affine_map\s*<(.*)>\s*$", re.DOTALL)


def _affine(op: Operation, get: Get) -> Scalar:
    """The value of an affine map at the operands."""
    inner, texts = op.node.op, op.node.op.stream.texts
    at = inner.name_token + 1
    if texts[at].startswith("#"):
        text = op.graph.module.aliases.get(texts[at], "")
    else:
        text = inner.stream.range_text(at, skip_bracket(texts, at + 1, inner.last))
    match = _MAP.match(text.strip())
    parsed = parse_map(match.group(1)) if match else None
    if parsed is None:
        raise op.fail(f"has a map that is not understood: `{text.strip()}`")
    operands = [get(value) for value in op.node.operands]
    scalars = [value for value in operands if isinstance(value, Scalar)]
    results = evaluate_map(parsed, [value.signed for value in scalars])
    if results is None:
        raise op.fail(f"has {len(scalars)} operands, which its map does not take")
    chosen = min(results) if op.node.name == "affine.min" else max(results)
    return integer(ScalarType("index", None), chosen, all(value.defined for value in scalars))
