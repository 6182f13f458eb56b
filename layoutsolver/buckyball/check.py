"""Whether an operation has the operands, results and types that its form needs; lowering and running rely on it."""

from __future__ import annotations

import re
from itertools import pairwise

from layoutsolver.buckyball.ir import Op, Shape, shape_of
from layoutsolver.buckyball.maps import read_maps
from layoutsolver.buckyball.surround import CASTS, FLOAT_BINARY, FORMS, INTEGER_BINARY
from layoutsolver.ops.assembly import compile_assembly
from layoutsolver.ops.registry import find_spec

_COUNTS: dict[str, tuple[int, int]] = {
    "binary": (2, 1), "compare": (2, 1), "select": (3, 1), "constant": (0, 1), "alloc": (0, 1), "collapse": (1, 1),
}  # fmt: skip
"""Operands and results of the forms that always have so many."""

_NAMED = {"linalg.fill": 1, "linalg.transpose": 1, "linalg.copy": 1}
"""The inputs of named operations that do not have two."""

_FLOATS = ("f16", "bf16", "f32", "f64")
_INTEGERS = ("i1", "i8", "i16", "i32", "i64", "index")


def wrong_in(op: Op) -> str:
    """What is wrong with an operation, empty if nothing is.

    >>> from layoutsolver.buckyball.ir import Value
    >>> wrong_in(Op("arith.addi", [Value("i64", "a")], [Value("i64")]))
    'has 1 operand, not 2'
    """
    if op.name.startswith(("buckyball.", "tile.")):
        return _table(op)
    form = FORMS[op.name]
    if form in _COUNTS:
        operands, results = _COUNTS[form]
        return _counted(op, operands, results) or _FORM_CHECKS.get(form, _nothing)(op)
    return _FORM_CHECKS.get(form, _nothing)(op)


def _nothing(op: Op) -> str:
    return ""


def _counted(op: Op, operands: int, results: int) -> str:
    for what, found, wanted in (("operand", len(op.operands), operands), ("result", len(op.results), results)):
        if found != wanted:
            return f"has {found} {what}{'s' * (found != 1)}, not {wanted}"
    return ""


def _table(op: Op) -> str:
    spec = find_spec(op.name)
    assert spec is not None
    if spec.assembly == "generic":
        return "" if len(op.operands) == len(spec.operands) else f"has {len(op.operands)} operands"
    counts = {sum(1 for action, _ in compile_assembly(form) if action == "use") for form in spec.assembly.split(" | ")}
    if len(op.operands) not in counts:
        wanted = " or ".join(str(count) for count in sorted(counts))
        return f"has {len(op.operands)} operand{'s' * (len(op.operands) != 1)}, not {wanted}"
    memrefs = [role.name for role in spec.operands if role.kind.value == "memref"]
    for role, value in zip(spec.operands, op.operands, strict=False):
        if (role.name in memrefs) != value.type.startswith("memref"):
            return f"takes `{role.name}` as {'a memref' if role.name in memrefs else 'a number'}, not `{value.type}`"
        if role.name not in memrefs and value.type not in ("i64", "index", "i32"):
            return f"takes `{role.name}` as an i64, not `{value.type}`"
    return _sizes(op)


def _sizes(op: Op) -> str:
    """Rows and columns of banks, which have fields of five bits."""
    for name in ("row", "col"):
        value = op.attrs.get(name, 1)
        if not isinstance(value, int) or not 0 <= value <= 31:
            return f"has {name} = {value}, which is not in 0 to 31"
    return ""


def _memref(op: Op, place: int) -> Shape | str:
    """The shape of an operand that must be a memref, or what is wrong."""
    if len(op.operands) <= place:
        return f"has {len(op.operands)} operands"
    shape = shape_of(op.operands[place].type)
    return f"takes a memref of known layout, not `{op.operands[place].type}`" if shape is None else shape


_INTEGER = re.compile(r"-?\d{1,20}")
_FLOAT = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|0x[0-9A-Fa-f]{1,16}")


def _constant(op: Op) -> str:
    kind, text = op.result.type, op.text("value")
    form = _FLOAT if kind in _FLOATS else _INTEGER if kind in _INTEGERS else None
    if form is None or not form.fullmatch(text):
        return f"gives `{text}` as a constant of type `{kind}`"
    return ""


def _binary(op: Op) -> str:
    kinds = {value.type for value in (*op.operands, *op.results)}
    name = op.name.removeprefix("arith.")
    wanted = _FLOATS if name in FLOAT_BINARY else _INTEGERS if name in INTEGER_BINARY else ()
    return "" if len(kinds) == 1 and kinds <= set(wanted) else f"has values of types {', '.join(sorted(kinds))}"


def _compare(op: Op) -> str:
    kinds = {value.type for value in op.operands}
    wanted = _INTEGERS if op.name == "arith.cmpi" else _FLOATS
    return "" if len(kinds) == 1 and kinds <= set(wanted) else f"compares {' and '.join(sorted(kinds))}"


def _select(op: Op) -> str:
    condition, yes, no = op.operands
    fits = condition.type == "i1" and yes.type == no.type == op.result.type
    return "" if fits else f"chooses by `{condition.type}` between `{yes.type}` and `{no.type}`"


def _unary(op: Op) -> str:
    if op.name == "memref.dealloc":
        shape = _memref(op, 0)
        return _counted(op, 1, 0) or (shape if isinstance(shape, str) else "")
    wrong = _counted(op, 1, 1)
    kinds = {value.type for value in (*op.operands, *op.results)}
    return wrong or ("" if len(kinds) == 1 and kinds <= set(_FLOATS) else "takes and gives one type of floats")


def _cast(op: Op) -> str:
    if op.name == "memref.copy":
        shapes = [_memref(op, place) for place in (0, 1)]
        texts = [shape for shape in shapes if isinstance(shape, str)]
        if texts or len(op.operands) != 2:
            return texts[0] if texts else f"has {len(op.operands)} operands, not 2"
        dims = [shape.dims for shape in shapes if isinstance(shape, Shape)]
        return "" if dims[0] == dims[1] else "copies between memrefs of different sizes"
    wrong = _counted(op, 1, 1)
    if wrong or op.name == "memref.cast":
        return wrong
    known = {*_FLOATS, *_INTEGERS}
    source, target = op.operands[0].type, op.result.type
    if not {source, target} <= known or op.name.removeprefix("arith.") not in CASTS:
        return f"does not go from `{source}` to `{target}`"
    kinds = [kind in _FLOATS for kind in (source, target)]
    name = op.name.removeprefix("arith.")
    wanted = {"sitofp": [False, True], "uitofp": [False, True], "fptosi": [True, False], "extf": [True, True],
              "truncf": [True, True]}.get(name, [False, False])  # fmt: skip
    if name == "bitcast":
        widths = [{"index": 64, "bf16": 16}.get(kind) or int(kind[1:]) for kind in (source, target)]
        return "" if widths[0] == widths[1] else f"does not go from `{source}` to `{target}`"
    return "" if kinds == wanted else f"does not go from `{source}` to `{target}`"


def _access(op: Op, place: int) -> str:
    shape = _memref(op, place)
    if isinstance(shape, str):
        return shape
    indices = op.operands[place + 1 :]
    if len(indices) != len(shape.dims) or any(value.type != "index" for value in indices):
        return f"needs {len(shape.dims)} indices"
    value = op.operands[0] if place else op.results[0] if op.results else None
    if value is None or value.type != shape.element:
        return f"moves an element of `{shape.element}`"
    return ""


def _subview(op: Op) -> str:
    shape = _memref(op, 0)
    if isinstance(shape, str):
        return shape
    lists = [op.listed(name) for name in ("offsets", "sizes", "strides")]
    if any(len(one) != len(shape.dims) for one in lists):
        return f"needs {len(shape.dims)} offsets, sizes and strides"
    dynamic = sum(one.count(None) for one in lists)
    if dynamic != len(op.operands) - 1 or any(value.type != "index" for value in op.operands[1:]):
        return f"has {len(op.operands) - 1} indices for {dynamic} open offsets, sizes and strides"
    part = shape_of(op.result.type) if op.results else None
    if part is None or len(part.dims) > len(shape.dims) or part.element != shape.element:
        return "does not result in a part of its memref"
    kept = [size for size in lists[1] if size != 1]
    return "" if [dim for dim in part.dims if dim != 1] == kept else "has other sizes than its result"


def _collapse(op: Op) -> str:
    shape, result = _memref(op, 0), shape_of(op.result.type)
    text = op.text("groups")
    if isinstance(shape, str) or result is None:
        return shape if isinstance(shape, str) else "does not result in a memref"
    groups = [part.split(",") for part in text.strip("[]").split("],[")]
    numbers = [one for group in groups for one in group]
    if numbers != [str(at) for at in range(len(shape.dims))] or len(groups) != len(result.dims):
        return f"does not join the dimensions of `{op.operands[0].type}` by {text}"
    for group, dim in zip(groups, result.dims, strict=True):
        inner = [int(one) for one in group]
        size = 1
        for at in inner:
            size *= shape.dims[at] or 0
        if size != (dim or 0):
            return "has other sizes than its result"
        for left, right in pairwise(inner):
            step = shape.strides[right]
            if step is None or shape.strides[left] != step * (shape.dims[right] or 0):
                return "joins dimensions that do not lie behind each other"
    return ""


def _metadata(op: Op) -> str:
    shape = _memref(op, 0)
    if isinstance(shape, str):
        return shape
    pointer = op.name == "memref.extract_aligned_pointer_as_index"
    return _counted(op, 1, 1 if pointer else 2 + 2 * len(shape.dims))


def _named(op: Op) -> str:
    inputs = _NAMED.get(op.name, 2)
    wrong = _counted(op, inputs + 1, 0)
    if wrong or op.number("inputs") != inputs:
        return wrong or f"has {op.number('inputs')} inputs, not {inputs}"
    target = _memref(op, inputs)
    if isinstance(target, str):
        return target
    if op.name == "linalg.fill":
        return "" if op.operands[0].type == target.element else f"fills `{target.element}` by `{op.operands[0].type}`"
    for place in range(inputs):
        shape = _memref(op, place)
        if isinstance(shape, str):
            return shape
        if shape.element != target.element:
            return f"mixes `{shape.element}` and `{target.element}`"
        if op.name in ("linalg.add", "linalg.copy") and shape.dims != target.dims:
            return "takes memrefs of one size"
        if op.name == "linalg.transpose":
            return _permuted(op, shape, target)
    return _product(op, target) if "matmul" in op.name or "conv" in op.name else ""


def _permuted(op: Op, source: Shape, target: Shape) -> str:
    given = op.attrs.get("permutation", ())
    order = [one for one in given if one is not None] if isinstance(given, tuple) else []
    if sorted(order) != list(range(len(source.dims))):
        return "needs a permutation of its dimensions"
    return "" if tuple(source.dims[at] for at in order) == target.dims else "has an output of other sizes"


def _product(op: Op, target: Shape) -> str:
    ranks = {"linalg.batch_matmul": (3,), "linalg.matmul": (2, 3)}.get(op.name, (4,))
    shapes = [shape_of(value.type) for value in op.operands]
    dims = [shape.dims for shape in shapes if shape is not None]
    return "" if all(len(one) in ranks for one in dims) else f"takes memrefs of {ranks[0]} dimensions"


def _generic(op: Op) -> str:
    shapes = [_memref(op, place) for place in range(len(op.operands))]
    wrong = next((shape for shape in shapes if isinstance(shape, str)), "")
    if wrong or len(op.blocks) != 1 or len(op.operands) != op.number("inputs") + 1 or op.results:
        return wrong or "needs one output in memory and one region"
    elements = [shape.element for shape in shapes if isinstance(shape, Shape)]
    if [value.type for value in op.blocks[0].arguments] != elements:
        return "has arguments of other types than its elements"
    ending = op.blocks[0].ops[-1:] or [Op("")]
    fits = ending[0].name == "linalg.yield" and [value.type for value in ending[0].operands] == elements[-1:]
    if not fits:
        return "does not end by yielding one element of its output"
    maps = read_maps(op.text("indexing_maps"))
    ranks = [len(shape.dims) for shape in shapes if isinstance(shape, Shape)]
    if maps is None or [len(used) for used in maps.operands] != ranks:
        return "has maps that do not choose a dimension for each of its operands"
    sizes: dict[str, int | None] = {}
    for shape, used in zip(shapes, maps.operands, strict=True):
        if isinstance(shape, Shape) and any(sizes.setdefault(n, d) != d for n, d in zip(used, shape.dims, strict=True)):
            return "has operands whose sizes do not belong together"
    return "" if set(sizes) == set(maps.dims) else "has a dimension that none of its operands has"


def _loop(op: Op) -> str:
    if len(op.operands) < 3 or len(op.blocks) != 1:
        return "needs two bounds, a step and a region"
    carried = len(op.operands) - 3
    yielded = op.blocks[0].ops[-1].operands if op.blocks[0].ops and op.blocks[0].ops[-1].name == "scf.yield" else []
    counts = (len(op.blocks[0].arguments) - 1, len(op.results), len(yielded))
    if counts != (carried,) * 3:
        return f"carries {carried} values, and has other numbers of arguments, results and yielded ones"
    kinds = {value.type for value in op.operands[:3]}
    return "" if kinds in ({"index"}, {"i64"}, {"i32"}) else "has bounds and a step of different types"


def _branch(op: Op) -> str:
    if len(op.operands) != 1 or op.operands[0].type != "i1" or not op.blocks:
        return "needs a condition and a region"
    for block in op.blocks:
        yielded = block.ops[-1].operands if block.ops and block.ops[-1].name == "scf.yield" else []
        if [value.type for value in yielded] != [value.type for value in op.results]:
            return "does not yield what it results in"
    return "" if not op.results or len(op.blocks) == 2 else "results in something in one branch only"


_FORM_CHECKS = {
    "constant": _constant, "binary": _binary, "compare": _compare, "select": _select, "unary": _unary, "cast": _cast,
    "load": lambda op: _access(op, 0), "store": lambda op: _access(op, 1), "subview": _subview,
    "collapse": _collapse, "metadata": _metadata, "named": _named, "generic": _generic, "for": _loop, "if": _branch,
}  # fmt: skip
