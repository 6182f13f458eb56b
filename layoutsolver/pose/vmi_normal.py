"""Graph -> the operations that layouts of VMI are asked of: surface forms replaced, and memory forms made simple.

What stands for a surface operation is told by the rows of `layoutsolver.ops.vmi_canonical`; other operations of VMI
are taken as they are, and everything else is left out. Values of the graph keep their numbers; those that a
replacement hands on get the numbers behind them.

>>> from layoutsolver.graph.build import build_graph
>>> from layoutsolver.mlir.reader import read
>>> text = '''
... %p = "t.p"() : () -> !pto.ptr<f16, ub>
... %o = "t.o"() : () -> index
... %x = pto.vmi.vload %p[%o] : !pto.ptr<f16, ub> -> !pto.vmi.vreg<64xf16>
... %y = pto.vmi.vcvt %x : !pto.vmi.vreg<64xf16> -> !pto.vmi.vreg<64xf32>
... '''
>>> program = normalise(build_graph(read(text))[0])
>>> [(op.op, op.row) for op in program.ops]
[('load', 'VMI.CANON.VLOAD'), ('extf', 'VMI.CANON.VCVT.EXTF')]
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.lexer import is_number
from layoutsolver.mlir.pto_types import VmiMaskType, VmiVectorType
from layoutsolver.mlir.types import ScalarType, Type, parse_type
from layoutsolver.ops.assembly import attribute_entries
from layoutsolver.ops.registry import find_spec
from layoutsolver.ops.vmi_canonical import BETWEEN, CANONICAL, Canonical, CanonicalStep, predicate
from layoutsolver_models.rules.expression import Fact, evaluate, holds

PREFIX = "pto.vmi."

WEAK = frozenset({"constant", "broadcast", "iota", "create_mask", "create_group_mask", "constant_mask"})
"""Operations that are made anew for every user, so that users do not share their layout. Source: section 1.5."""

_SOURCES = ("source", "lhs", "src", "x", "acc", "value", "a")
"""The roles that the kind and the width of elements are taken of, the first that is a vector or a mask."""

_ROWS: dict[str, list[Canonical]] = {}
for _row in CANONICAL:
    _ROWS.setdefault(PREFIX + _row.surface, []).append(_row)


class Constant(NamedTuple):
    """A number where an operand stands."""

    value: int


Operand = int | Constant
"""A value by its number, or a constant."""


class VmiOp(NamedTuple):
    """An operation of the normal form: the node it comes from, and the row that put it (empty: it was written so)."""

    op: str
    node: int
    operands: tuple[tuple[str, Operand], ...]
    results: tuple[tuple[str, int], ...]
    attrs: dict[str, Fact]
    row: str = ""

    def operand(self, role: str) -> Operand | None:
        """The first operand of a role, None if there is none."""
        return next((operand for name, operand in self.operands if name == role), None)


class VmiProgram:
    """The normal form: operations in the order of the text, and the types of all values, those between included."""

    __slots__ = ("diagnostics", "graph", "ops", "types")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.ops: list[VmiOp] = []
        self.types: list[Type] = [value.type for value in graph.values]
        self.diagnostics: list[Diagnostic] = []

    def constant(self, operand: Operand | None) -> int | None:
        """The number that an operand is known to be, None if it is not."""
        if isinstance(operand, Constant):
            return operand.value
        return None if operand is None else self.graph.constants.get(operand)

    def lanes(self, value: int) -> int:
        """How many elements a vector or mask has. Raises `ValueError` for anything else."""
        type_ = self.types[value]
        if not isinstance(type_, VmiVectorType | VmiMaskType):
            raise ValueError(f"value {value} is neither a vector nor a mask of VMI")
        return type_.lanes


def normalise(graph: Graph) -> VmiProgram:
    """The operations that layouts are asked of, and a diagnostic for each that has no form to be asked in."""
    program = VmiProgram(graph)
    for node in graph.ops:
        if not node.name.startswith(PREFIX):
            continue
        if node.spec is None:
            _refuse(program, node, "LS0301", f"`{node.name}` is no operation that is known")
        elif node.name in _ROWS:
            _replace(program, node)
        else:
            program.ops.append(_as_written(node))
    _combine(program)
    return program


def _refuse(program: VmiProgram, node: OpNode, code: str, message: str) -> None:
    source = program.graph.module.source
    program.diagnostics.append(Diagnostic(code, "error", message, Label(source, node.span)))


def _as_written(node: OpNode) -> VmiOp:
    assert node.spec is not None
    names = [role.name for role in node.spec.results]
    several = any(role.variadic for role in node.spec.results)
    results = [(names[0] if several else names[number], value) for number, value in enumerate(node.results)]
    operands = tuple(zip(node.roles, node.operands, strict=True))
    return VmiOp(node.name.removeprefix(PREFIX), node.index, operands, tuple(results), attribute_values(node))


def attribute_values(node: OpNode) -> dict[str, Fact]:
    """The attributes of an operation, its inline strings among them: numbers, strings, True for a mere name.

    Values of other kinds are given as their text.
    """
    found: dict[str, Fact] = dict(node.enums)
    if node.attrs is None:
        return found
    texts = node.op.stream.texts
    for name, (first, last) in attribute_entries(node.op, node.attrs).items():
        if last - first < 3:
            found[name] = True
            continue
        token = texts[first + 2]
        if token[:1] == '"' and last == first + 3:
            found[name] = token[1:-1]
        elif is_number(token):
            found[name] = int(token)
        else:
            found[name] = node.op.stream.range_text(first + 2, last)
    return found


def _replace(program: VmiProgram, node: OpNode) -> None:
    facts = _facts(program, node)
    rows = _ROWS[node.name] if facts["pmode"] != "merge" else []
    row = next((row for row in rows if holds(row.when, facts)), None)
    if row is None:
        what = 'with `pmode = "merge"`' if facts["pmode"] == "merge" else "in this form and with these types"
        _refuse(program, node, "LS0302", f"`{node.name}` has no layout rule {what}")
        return
    assert node.spec is not None
    known: dict[str, Operand] = dict(zip(node.roles, node.operands, strict=True))
    results = dict(zip((role.name for role in node.spec.results), node.results, strict=False))
    for step in row.steps:
        _put(program, node, row, step, facts, known, results)


def _put(
    program: VmiProgram,
    node: OpNode,
    row: Canonical,
    step: CanonicalStep,
    facts: dict[str, Fact],
    known: dict[str, Operand],
    results: dict[str, int],
) -> None:
    """Append one operation of a replacement."""
    spec = find_spec(PREFIX + step.op)
    roles = [role.name for role in spec.operands] if spec is not None else list(step.operands)
    named = [role.name for role in spec.results] if spec is not None else list(step.results)
    made: list[tuple[str, int]] = []
    for role, name in zip(named, step.results, strict=True):
        if name not in results:
            results[name] = len(program.types)
            program.types.append(_between(program, node, name, facts))
        known[name] = results[name]
        made.append((role, results[name]))
    operands = tuple(
        (role, Constant(_number(name[1:], facts)) if name[0] == "#" else known[name])
        for role, name in zip(roles, step.operands, strict=True)
    )
    attrs: dict[str, Fact] = {}
    for name, text in step.attrs:
        value = evaluate(text, facts)
        if value is not None and value is not False and value != "":
            attrs[name] = value
    program.ops.append(VmiOp(step.op, node.index, operands, tuple(made), attrs, row.id))


def _number(name: str, facts: dict[str, Fact]) -> int:
    value = int(name) if name.isdigit() else facts["N" if name == "lanes" else name]
    assert isinstance(value, int)
    return value


def _between(program: VmiProgram, node: OpNode, name: str, facts: dict[str, Fact]) -> Type:
    """The type of a value that a replacement hands on."""
    kind = BETWEEN[name]
    if kind == "index":
        return parse_type("index")
    if kind == "mask of N":
        bits = facts["W"]
        return parse_type(f"!pto.vmi.mask<{facts['N']}xb{bits}>")
    like = _main(program, node) if kind == "source" else program.types[node.results[0]]
    if isinstance(like, VmiVectorType) and kind in ("unsigned result", "i16 result"):
        element = "i16" if kind == "i16 result" else f"ui{like.bits}"
        return parse_type(f"!pto.vmi.vreg<{like.lanes}x{element}>")
    return like


def _main(program: VmiProgram, node: OpNode) -> Type:
    """The type of the operand that an operation's kind goes by; of no particular type if there is none."""
    for role in _SOURCES:
        value = node.role(role)
        if value is not None and value >= 0 and isinstance(program.types[value], VmiVectorType | VmiMaskType):
            return program.types[value]
    return program.types[node.results[0]] if node.results else parse_type("none")


def element_kind(element: Type) -> str:
    """What an element type is to the rows: float, si, ui or i.

    >>> [element_kind(parse_type(text)) for text in ("!pto.hif8", "si8", "ui16", "i32")]
    ['float', 'si', 'ui', 'i']
    """
    if isinstance(element, ScalarType) and element.is_float:
        return "float"
    return element.text[:2] if element.text[:2] in ("si", "ui") else "i"


def _facts(program: VmiProgram, node: OpNode) -> dict[str, Fact]:
    attrs = attribute_values(node)
    main = _main(program, node)
    result = program.types[node.results[0]] if node.results else main
    sides: dict[str, tuple[int, int | None, str, str]] = {}
    for name, type_ in (("main", main), ("result", result)):
        if isinstance(type_, VmiVectorType):
            sides[name] = (type_.lanes, type_.bits, element_kind(type_.element), type_.element.text)
        elif isinstance(type_, VmiMaskType):
            sides[name] = (type_.lanes, type_.bits, "mask", "")
    main_side = sides.get("main", (0, None, "", ""))
    result_side = sides.get("result", main_side)
    pattern = str(attrs.get("pattern", ""))
    kind = main_side[2]
    return {
        "N": result_side[0], "N_src": main_side[0], "kind": kind, "to": result_side[2], "W": main_side[1],
        "W_to": result_side[1], "element": result_side[3], "dist": attrs.get("dist_mode", "continuous"),
        "group": attrs.get("group", 0), "pmode": attrs.get("pmode", "zero"),
        "strides": 2 if "block_stride" in node.roles else int("stride" in node.roles), "masked": "mask" in node.roles,
        "on_masks": isinstance(main, VmiMaskType), "slots": isinstance(main, VmiVectorType) and "value" in node.roles,
        "full_seed": _is_full(program, node), "order": attrs.get("order", ""), "reassoc": attrs.get("reassoc", False),
        "rounding": attrs.get("rounding", ""), "saturate": attrs.get("saturate", ""),
        "predicate": predicate(str(attrs.get("cmp", "")), kind),
        "pattern": int(pattern[6:]) if pattern[6:].isdigit() else result_side[0],
    }  # fmt: skip


def _is_full(program: VmiProgram, node: OpNode) -> bool:
    """Whether the seed or mask of an operation is known to have every bit set."""
    graph = program.graph
    value = node.role("seed") if "seed" in node.roles else node.role("mask")
    if value is None or value < 0 or graph.values[value].op < 0:
        return False
    maker = graph.ops[graph.values[value].op]
    if maker.name == f"{PREFIX}pset":
        return True
    if maker.name != f"{PREFIX}create_mask" or not maker.operands:
        return False
    active = graph.constants.get(maker.operands[0])
    return active is not None and active >= program.lanes(value)


def _combine(program: VmiProgram) -> None:
    """Make loads simple: rows without gaps are one vector; scalars loaded only to be spread are spread by the load."""
    users: dict[int, list[int]] = {}
    for number, op in enumerate(program.ops):
        for _, operand in op.operands:
            if isinstance(operand, int):
                users.setdefault(operand, []).append(number)
    dropped: set[int] = set()
    for number, op in enumerate(program.ops):
        groups = op.attrs.get("num_groups")
        if op.op == "group_load" and isinstance(groups, int):
            stride = program.constant(op.operands[2][1])
            if stride is not None and stride * groups == program.lanes(op.results[0][1]):
                program.ops[number] = VmiOp("load", op.node, op.operands[:2], op.results, {}, op.row)
        elif op.op == "group_slot_load":
            slots = op.results[0][1]
            using = users.get(slots, [])
            outside = len(program.graph.users[slots]) if slots < len(program.graph.users) else 0
            if len(using) != 1 or outside > 1:
                continue
            spread = program.ops[using[0]]
            if spread.op == "group_broadcast" and spread.attrs.get("num_groups") == groups:
                program.ops[using[0]] = VmiOp(
                    "group_broadcast_load", spread.node, op.operands, spread.results, op.attrs, spread.row
                )
                dropped.add(number)
    program.ops = [op for number, op in enumerate(program.ops) if number not in dropped]
