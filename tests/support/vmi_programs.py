"""Random VMI kernels: seeded, valid, runnable, and able to shrink.

A kernel loads vectors from buffers of their own, computes on them (conversions, arithmetic, comparisons and selections,
reductions and broadcasts of groups, loops that carry values, branches), and stores what it has into other buffers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from layoutsolver_models.rules.vmi.cast import CAST_TYPES

LANES = (64, 128, 256)
COUNTS = (0, 1, 2, 4, 8, 16, 32, 40, 64, 100, 128, 256, 512, 1024)
"""Constants that every kernel has."""
BYTES_OF_A_BUFFER = 4096

LOADED = ("f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "ui8", "ui16", "si16", "ui32", "si32", "!pto.f4E2M1x2")
"""Element types that kernels load."""

_BITS = {
    "f32": 32, "f16": 16, "bf16": 16, "f8E4M3FN": 8, "f8E5M2": 8, "!pto.f4E2M1x2": 8, "!pto.f4E1M2x2": 8,
    "!pto.bf16x2": 32, "ui8": 8, "si8": 8, "ui16": 16, "si16": 16, "ui32": 32, "si32": 32,
    "i16": 16, "i32": 32, "!pto.hif8": 8, "i8": 8,
}  # fmt: skip
_FLOATS = ("f32", "f16")
_INTEGERS = ("si16", "si32", "ui16", "ui32")


@dataclass(frozen=True, slots=True)
class Vector:
    """A value of the kernel."""

    name: str
    lanes: int
    element: str

    @property
    def type(self) -> str:
        """Its type as text."""
        return f"!pto.vmi.vreg<{self.lanes}x{self.element}>"


@dataclass(slots=True)
class Writer:
    """A kernel under construction: statements by depth, values in scope, buffers by element type, private functions."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)
    scope: list[Vector] = field(default_factory=list)
    buffers: dict[str, list[str]] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    names: int = 0
    depth: int = 0

    def fresh(self, stem: str = "v") -> str:
        """A name that is not taken."""
        self.names += 1
        return f"%{stem}{self.names}"

    def put(self, line: str) -> None:
        """Append a statement."""
        self.lines.append("  " * self.depth + line)

    def buffer(self, element: str, fresh: bool = False) -> str:
        """A buffer of elements of a type; a fresh one is stored into by nobody else."""
        known = self.buffers.setdefault(element, [])
        if fresh or not known:
            known.append(self.fresh("buf"))
        return known[-1] if fresh else known[0]

    def add(self, vector: Vector) -> Vector:
        """Bring a value into scope."""
        self.scope.append(vector)
        return vector

    def pick(self, wanted: Callable[[Vector], bool] = lambda vector: True) -> Vector | None:
        """A random value of the scope that is wanted."""
        found = [vector for vector in self.scope if wanted(vector)]
        return self.rng.choice(found) if found else None


def random_kernel(seed: int, size: int = 8) -> str:
    """A kernel of about `size` operations besides its loads and stores."""
    writer = Writer(random.Random(seed))
    writer.depth = 2
    load_some(writer)
    budget = size
    while budget > 0:
        budget -= writer.rng.choice(STEPS)(writer)
    store_some(writer)
    return module_of(writer)


def load_some(writer: Writer) -> None:
    """The loads that a kernel begins with."""
    for _ in range(writer.rng.randint(1, 2)):
        _load(writer)


def module_of(writer: Writer, arguments: str = "", constants: tuple[str, ...] = ()) -> str:
    """The text of a kernel that takes such arguments, with more constants than there always are."""
    head = [
        *constants,
        *(f"%c{number} = arith.constant {number} : index" for number in sorted({*COUNTS, *_lanes(writer)})),
        "%true = arith.constant true",
        "%half = arith.constant 5.000000e-01 : f32", "%two = arith.constant 2.000000e+00 : f16",
        "%seven = arith.constant 7 : i32", "%short = arith.constant 7 : i16",
    ]  # fmt: skip
    address = 0
    for element, names in writer.buffers.items():
        for name in names:
            number = f"%at{name[4:]}"
            head.append(f"{number} = arith.constant {address} : i64")
            head.append(f"{name} = pto.castptr {number} : i64 -> !pto.ptr<{element}, ub>")
            address += BYTES_OF_A_BUFFER
    body = "\n".join([*(f"    {line}" for line in head), *writer.lines])
    functions = "".join(f"{text}\n" for text in writer.functions)
    return (
        'module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {\n'
        f"{functions}  func.func @kernel({arguments}) attributes {{pto.kernel}} {{\n{body}\n    return\n  }}\n}}\n"
    )


def _lanes(writer: Writer) -> set[int]:
    """The numbers of elements of all masks."""
    return {int(count) for line in writer.lines for count in re.findall(r"mask<(\d+)x", line)}


def _load(writer: Writer) -> int:
    element, lanes = writer.rng.choice(LOADED), writer.rng.choice(LANES)
    vector = Vector(writer.fresh(), lanes, element)
    buffer = writer.buffer(element)
    writer.put(f"{vector.name} = pto.vmi.vload {buffer}[%c0] : !pto.ptr<{element}, ub> -> {vector.type}")
    writer.add(vector)
    return 1


def _cast(writer: Writer) -> int:
    source = writer.pick()
    assert source is not None
    kinds = [
        (row.op, to)
        for row in CAST_TYPES
        if source.element in row.sources and not row.only
        for to in row.results
        if to in _BITS and to != "i8"
    ]
    if not kinds:
        return 0
    op, to = writer.rng.choice(kinds)
    result = Vector(writer.fresh(), source.lanes, to)
    narrow = _BITS[to] < _BITS[source.element]
    attrs = ""
    if op in ("fptosi", "fptoui") or (narrow and not to.startswith("!pto.f4")):
        exempt = op == "fptosi" and source.element == "f16" and to == "si32"
        attrs = "" if exempt else ' {saturate = "SAT"}'
    if (source.element, to) == ("si32", "si8"):
        attrs = ' {saturate = "NOSAT"}'  # the language knows no other
    if op == "truncf" and not narrow:
        attrs = ' {saturate = "SAT"}'
    writer.put(f"{result.name} = pto.vmi.vcvt {source.name}{attrs} : {source.type} -> {result.type}")
    writer.add(result)
    return 1


def _arithmetic(writer: Writer) -> int:
    left = writer.pick(lambda vector: vector.element in (*_FLOATS, *_INTEGERS))
    if left is None:
        return 0
    right = writer.pick(lambda vector: vector.lanes == left.lanes and vector.element == left.element) or left
    op = writer.rng.choice(("vadd", "vsub", "vmax", "vmin", "vmul"))
    result = Vector(writer.fresh(), left.lanes, left.element)
    writer.put(f"{result.name} = pto.vmi.{op} {left.name}, {right.name} : {left.type}, {right.type} -> {result.type}")
    writer.add(result)
    return 1


def _scalar(writer: Writer) -> int:
    """A splat that is multiplied with something."""
    left = writer.pick(lambda vector: vector.element in _FLOATS)
    if left is None:
        return 0
    number = "%half" if left.element == "f32" else "%two"
    splat, result = writer.fresh("s"), Vector(writer.fresh(), left.lanes, left.element)
    writer.put(f"{splat} = pto.vmi.vbrc {number} : {left.element} -> {left.type}")
    writer.put(f"{result.name} = pto.vmi.vmul {left.name}, {splat} : {left.type}, {left.type} -> {result.type}")
    writer.add(result)
    return 1


def mask_of(writer: Writer, lanes: int, full: bool = False) -> tuple[str, str]:
    """A mask of so many lanes, and its type."""
    type_ = f"!pto.vmi.mask<{lanes}xpred>"
    name = writer.fresh("m")
    count = f"%c{lanes}" if full or writer.rng.random() < 0.5 else writer.rng.choice(("%c40", "%c100", "%c64"))
    writer.put(f"{name} = pto.vmi.create_mask {count} : index -> {type_}")
    return name, type_


def _select(writer: Writer) -> int:
    left = writer.pick(lambda vector: vector.element in (*_FLOATS, *_INTEGERS))
    if left is None:
        return 0
    right = writer.pick(lambda vector: vector.lanes == left.lanes and vector.element == left.element) or left
    seed, mask = mask_of(writer, left.lanes, full=True)
    compared, result = writer.fresh("m"), Vector(writer.fresh(), left.lanes, left.element)
    cmp = writer.rng.choice(("lt", "ge", "eq", "ne"))
    writer.put(
        f'{compared} = pto.vmi.vcmp {left.name}, {right.name}, {seed} {{cmp = "{cmp}"}} : '
        f"{left.type}, {right.type}, {mask} -> {mask}"
    )
    chosen = writer.pick(lambda vector: vector.lanes == left.lanes and vector.element in (*_FLOATS, *_INTEGERS)) or left
    other = writer.pick(lambda vector: vector.lanes == chosen.lanes and vector.element == chosen.element) or chosen
    result = Vector(result.name, chosen.lanes, chosen.element)
    writer.put(
        f"{result.name} = pto.vmi.vsel {compared}, {chosen.name}, {other.name} : "
        f"{mask}, {chosen.type}, {other.type} -> {result.type}"
    )
    writer.add(result)
    return 2


def _reduce_and_spread(writer: Writer) -> int:
    """The largest of each group, and that again for all of the group."""
    source = writer.pick(lambda vector: vector.element in ("f32", "f16"))
    if source is None:
        return 0
    block = 256 // _BITS[source.element]
    groups = [count for count in (8, 16) if source.lanes // count in (block, 2 * block, 4 * block)]
    if not groups:
        return 0
    count = writer.rng.choice(groups)
    mask, type_ = mask_of(writer, source.lanes, full=writer.rng.random() < 0.7)
    small = Vector(writer.fresh("g"), count, source.element)
    result = Vector(writer.fresh(), source.lanes, source.element)
    op = writer.rng.choice(("vcmax", "vcmin"))
    writer.put(
        f"{small.name} = pto.vmi.{op} {source.name}, {mask} {{group = {count}}} : "
        f"{source.type}, {type_} -> {small.type}"
    )
    if count % 8 == 0 and writer.rng.random() < 0.7:
        writer.put(f"{result.name} = pto.vmi.vbrc {small.name} {{group = {count}}} : {small.type} -> {result.type}")
        writer.add(result)
    else:
        target = writer.buffer(source.element, fresh=True)
        writer.put(
            f"pto.vmi.vstore {small.name}, {target}[%c0], %c1 {{group = {count}}} : "
            f"{small.type}, !pto.ptr<{source.element}, ub>"
        )
    return 2


def _loop(writer: Writer) -> int:
    """A loop that carries one value and computes on it."""
    start = writer.pick(lambda vector: vector.element in (*_FLOATS, *_INTEGERS))
    if start is None or writer.depth > 3:
        return 0
    result, carried = Vector(writer.fresh("r"), start.lanes, start.element), writer.fresh("carried")
    index = writer.fresh("i")
    header = f"scf.for {index} = %c0 to %c2 step %c1 iter_args({carried} = {start.name})"
    writer.put(f"{result.name} = {header} -> ({result.type}) {{")
    outer = list(writer.scope)
    writer.depth += 1
    writer.add(Vector(carried, start.lanes, start.element))
    spent = 1
    for _ in range(writer.rng.randint(1, 3)):
        spent += writer.rng.choice((_arithmetic, _scalar, _cast, _select))(writer)
    last = writer.pick(lambda vector: (vector.lanes, vector.element) == (start.lanes, start.element))
    assert last is not None
    writer.put(f"scf.yield {last.name} : {last.type}")
    writer.depth -= 1
    writer.put("}")
    writer.scope[:] = [*outer, result]
    return spent


def _branch(writer: Writer) -> int:
    """A branch whose two sides yield one value."""
    start = writer.pick(lambda vector: vector.element in (*_FLOATS, *_INTEGERS))
    if start is None or writer.depth > 3:
        return 0
    result = Vector(writer.fresh("r"), start.lanes, start.element)
    outer = list(writer.scope)
    writer.put(f"{result.name} = scf.if %true -> ({result.type}) {{")
    spent = 1
    for side in range(2):
        writer.depth += 1
        spent += writer.rng.choice((_arithmetic, _scalar, _cast))(writer)
        last = writer.pick(lambda vector: (vector.lanes, vector.element) == (start.lanes, start.element))
        assert last is not None
        writer.put(f"scf.yield {last.name} : {last.type}")
        writer.depth -= 1
        writer.put("} else {" if side == 0 else "}")
        writer.scope[:] = outer
    writer.scope.append(result)
    return spent


def _masked_store(writer: Writer) -> int:
    source = writer.pick()
    assert source is not None
    mask, type_ = mask_of(writer, source.lanes)
    target = writer.buffer(source.element, fresh=True)
    writer.put(
        f"pto.vmi.vstore {source.name}, {target}[%c0], {mask} : {source.type}, !pto.ptr<{source.element}, ub>, {type_}"
    )
    return 1


def store_some(writer: Writer) -> None:
    """Store the last value, and some of the others."""
    for number, vector in enumerate(reversed(writer.scope)):
        if number == 0 or writer.rng.random() < 0.3:
            target = writer.buffer(vector.element, fresh=True)
            writer.put(f"pto.vmi.vstore {vector.name}, {target}[%c0] : {vector.type}, !pto.ptr<{vector.element}, ub>")


STEPS = (
    _cast, _cast, _cast, _arithmetic, _arithmetic, _scalar, _select, _reduce_and_spread, _load, _loop, _branch,
    _masked_store,
)  # fmt: skip
"""What a kernel does, as often as it stands here."""


def shrink(text: str, fails: Callable[[str], bool]) -> str:
    """The smallest text, by leaving out lines, that still fails; `fails` must be False for what is no program."""
    lines = text.split("\n")
    changed = True
    while changed:
        changed = False
        for size in (8, 4, 2, 1):
            at = 0
            while at < len(lines):
                tried = lines[:at] + lines[at + size :]
                if fails("\n".join(tried)):
                    lines, changed = tried, True
                else:
                    at += 1
    return "\n".join(lines)
