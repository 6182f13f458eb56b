"""Random programs of fusion regions: loops over rows of tiles, what stands between them, and what leaves the kernel.

A program is a tree of lines and blocks, so that it can be made smaller by leaving parts out. Rows are 64 numbers of 32
bits; offsets are `c * i + d` rows with small c and d, some with a symbol that is an argument, some off the rows. Some
rows are stored in half the width or in groups, some are copied; some memory comes from outside.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

ROW = 64
F32, MASK, PTR = f"!pto.vmi.vreg<{ROW}xf32>", f"!pto.vmi.mask<{ROW}xpred>", "!pto.ptr<f32, ub>"
BF16, NARROW = f"!pto.vmi.vreg<{ROW}xbf16>", "!pto.ptr<bf16, ub>"
ROWS = 32
"""The rows of a tile."""

BEFORE = 4
"""So many rows of a tile are in front of those that offsets count from."""

_BYTES = ROW * 4
_BINARY = ("vadd", "vsub", "vmul", "vmax", "vmin")
_UNARY = ("vneg", "vabs", "vrelu")
_GROUPS = ("%c8", "%c8", "%c16", "%c2")
"""The distances of eight groups of eight: one behind the other, apart, overlapping."""

_SCALAR = ("vmuls", "vadds", "vmaxs")


@dataclass(frozen=True)
class Line:
    """One operation."""

    text: str


@dataclass(frozen=True)
class Block:
    """An operation with a region; `head` and `tail` are its first and last line."""

    head: str
    body: tuple[Line | Block, ...]
    tail: str = "}"


Node = Line | Block


@dataclass(frozen=True)
class Program:
    """A function: its arguments and what is in it; it always has the constants that anything may need."""

    arguments: str
    body: tuple[Node, ...]

    def __str__(self) -> str:
        out = [f"func.func @kernel({self.arguments}) {{"]
        for node in self.body:
            _print(node, "  ", out)
        return "\n".join([*out, "  return", "}", ""])


def _print(node: Node, indent: str, out: list[str]) -> None:
    if isinstance(node, Line):
        out.append(indent + node.text)
        return
    out.append(indent + node.head)
    for inner in node.body:
        _print(inner, indent + "  ", out)
    out.append(indent + node.tail)


def shrink(program: Program, fails: Callable[[str], bool]) -> Program:
    """The smallest program, by leaving out or unwrapping parts, that still fails; `fails` must be False for a text that
    is no program.
    """
    changed = True
    while changed:
        changed = False
        for body in _smaller(program.body):
            tried = Program(program.arguments, body)
            if fails(str(tried)):
                program, changed = tried, True
                break
    return program


def _smaller(body: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """The lists of nodes that are one step smaller, the largest steps first."""
    for at, node in enumerate(body):
        if isinstance(node, Block):
            yield body[:at] + body[at + 1 :]
    for at, node in enumerate(body):
        if isinstance(node, Block):
            plain = tuple(one for one in node.body if not _is_ending(one))
            if node.head.startswith(("pto.fusion_region", "scf.for", "scf.if")):
                yield body[:at] + plain + body[at + 1 :]
            for inner in _smaller(node.body):
                yield (*body[:at], Block(node.head, inner, node.tail), *body[at + 1 :])
        elif not _is_ending(node):
            yield body[:at] + body[at + 1 :]


def _is_ending(node: Node) -> bool:
    return isinstance(node, Line) and node.text.startswith(("pto.yield", "scf.yield"))


@dataclass
class _Writer:
    rng: random.Random
    count: int = 0
    tiles: list[tuple[int, str, int]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    copied: bool = False
    yielded: list[str] = field(default_factory=list)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability


@dataclass
class _Scope:
    """What the lines of one region see: pointers by tile, masks, vectors; lines that are to come before them."""

    out: list[Node] = field(default_factory=list)
    pointers: dict[int, str] = field(default_factory=dict)
    masks: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)

    def put(self, text: str) -> None:
        self.out.append(Line(text))

    def inner(self) -> _Scope:
        return _Scope([], dict(self.pointers), list(self.masks), list(self.vectors))


def random_program(seed: int, loops: int = 5) -> Program:
    """A program with two loops at least, and so many at most: the same for the same seed."""
    writer = _Writer(random.Random(seed))
    rng = writer.rng
    constants = [
        *(f"%c{number} = arith.constant {number} : index" for number in _CONSTANTS),
        "%two = arith.constant 2.0 : f32", "%once = arith.constant 1 : i64", "%zero_i64 = arith.constant 0 : i64",
        f"%tile_bytes = arith.constant {ROWS * _BYTES} : i64", "%turns = arith.select %yes, %c2, %c4 : index",
    ]  # fmt: skip
    body: list[Node] = [Line(text) for text in constants]
    _tiles(writer, body)
    headers = ["%c0 to %c4 step %c1", "%c0 to %c8 step %c2", "%c1 to %c5 step %c1", "%c0 to %c1 step %c1",
               "%c0 to %turns step %c1"]  # fmt: skip
    usual = rng.choice(headers[:3])
    writer.headers = [usual, usual, usual, usual, rng.choice(headers)]
    writer.copied = writer.chance(0.5)
    if writer.copied and writer.chance(0.3):
        for tile in range(len(writer.tiles)):
            body += _copy(writer, tile, inward=True)
    total = rng.randint(2, loops)
    per_region = rng.choice((1, 1, 2, total))
    regions: list[Node] = []
    while total > 0:
        here = min(per_region, total)
        regions.append(_region(writer, here))
        total -= here
        if total and writer.chance(0.25):
            regions += _between(writer)
    if writer.chance(0.1):
        body.append(Block(f"scf.for {writer.fresh('k')} = %c0 to %c2 step %c1 {{", tuple(regions)))
    elif writer.chance(0.05):
        body.append(Block("scf.if %yes {", tuple(regions)))
    else:
        body += regions
    if writer.copied:
        body.append(Line('pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]'))
        body.append(Line('pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]'))
        for tile in rng.sample(range(len(writer.tiles)), rng.randint(1, len(writer.tiles))):
            body += _copy(writer, tile, inward=False)
    arguments = (f"%src: !pto.ptr<f32, gm>, %dst: !pto.ptr<f32, gm>, %outside: {PTR}, "
                 "%s: index, %active: index, %yes: i1")  # fmt: skip
    return Program(arguments, tuple(body))


_CONSTANTS = (0, 1, 2, 4, 5, 8, 16, 17, 32, 33, 64, 128, 192, 256, 288, 320, 384)


def _tiles(writer: _Writer, body: list[Node]) -> None:
    """Two to four tiles, as a rule apart; some begin within another one, some at the same address again."""
    rng = writer.rng
    at = 0
    for number in range(rng.randint(2, 4)):
        start = at
        if number and writer.chance(0.15):
            start = rng.choice((at - ROWS * _BYTES, at - ROWS * _BYTES + 4 * _BYTES, at - ROWS * _BYTES + 3 * 32))
        kind = "f32" if writer.chance(0.9) else "i32"
        writer.tiles.append((start, kind, number))
        body.append(Line(f"%at{number} = arith.constant {start} : i64"))
        at = max(at, start + ROWS * _BYTES)


def _copy(writer: _Writer, tile: int, inward: bool) -> list[Node]:
    ub, gm = writer.fresh("u"), writer.fresh("g")
    cast = f"{ub} = pto.castptr %at{tile} : i64 -> {PTR}"
    offset = writer.fresh("far")
    far = [Line(f"{offset} = arith.constant {tile * ROWS * ROW} : index"),
           Line(f"{gm} = pto.addptr {'%src' if inward else '%dst'}, {offset} : <f32, gm> -> <f32, gm>")]  # fmt: skip
    burst = "nburst(%once, %tile_bytes, %tile_bytes)"
    if inward:
        copy = (f"pto.mte_gm_ub {gm}, {ub}, %zero_i64, %tile_bytes {burst} : "
                f"!pto.ptr<f32, gm>, {PTR}, i64, i64, i64, i64, i64")  # fmt: skip
    else:
        copy = f"pto.mte_ub_gm {ub}, {gm}, %tile_bytes {burst} : {PTR}, !pto.ptr<f32, gm>, i64, i64, i64, i64"
    return [Line(cast), *far, Line(copy)]


def _copy_within(writer: _Writer) -> list[Node]:
    """A copy of some rows of one tile to another one."""
    source, target = writer.rng.sample(range(len(writer.tiles)), 2)
    one, other, blocks = writer.fresh("u"), writer.fresh("u"), writer.fresh("k")
    return [
        Line(f"{one} = pto.castptr %at{source} : i64 -> {PTR}"),
        Line(f"{other} = pto.castptr %at{target} : i64 -> {PTR}"),
        Line(f"{blocks} = arith.constant 48 : i64"),
        Line(f"pto.mte_ub_ub {one}, {other}, {blocks} nburst(%once, %zero_i64, %zero_i64) : "
             f"{PTR}, {PTR}, i64, i64, i64, i64"),
    ]  # fmt: skip


def _between(writer: _Writer) -> list[Node]:
    """What may stand between two regions."""
    kind = writer.rng.randrange(5)
    if kind == 4:
        return _copy_within(writer)
    if kind == 0:
        return [Line("pto.barrier #pto.pipe<PIPE_ALL>")]
    if kind == 1 and writer.copied:
        return _copy(writer, writer.rng.randrange(len(writer.tiles)), inward=False)
    if kind == 2:
        scope = _Scope()
        _straight(writer, scope)
        return scope.out
    return [Line(f"{writer.fresh('k')} = arith.constant 7 : index")]


def _region(writer: _Writer, loops: int) -> Node:
    """A region with so many loops, some of them within another one, some of its vectors yielded."""
    scope = _Scope()
    for number in range(loops):
        if writer.chance(0.3):
            _straight(writer, scope)
        _loop(writer, scope)
        if number == loops - 1 and writer.chance(0.2):
            _straight(writer, scope)
    if loops > 1 and writer.chance(0.15):
        inner = Block(f"scf.for {writer.fresh('k')} = %c0 to %c2 step %c1 {{", tuple(scope.out))
        return Block("pto.fusion_region {", (inner, Line("pto.yield() : () -> ()")))
    if scope.vectors and writer.chance(0.1):
        result, value = writer.fresh("y"), scope.vectors[-1]
        writer.yielded.append(result)
        end = Line(f"pto.yield({value}) : ({F32}) -> ()")
        return Block(f"{result} = pto.fusion_region {{", (*scope.out, end), f"}} : {F32}")
    return Block("pto.fusion_region {", (*scope.out, Line("pto.yield() : () -> ()")))


def _pointer(writer: _Writer, scope: _Scope, outer: _Scope | None = None) -> str:
    """A pointer into some tile, cast where it is first used in the region, or the one that is an argument."""
    if writer.chance(0.06):
        return "%outside"
    number = writer.rng.randrange(len(writer.tiles))
    where = outer or scope
    known = scope.pointers.get(number)
    if known is not None and not writer.chance(0.1):
        return known
    start, kind, _ = writer.tiles[number]
    address = f"%at{number}"
    if writer.chance(0.1):
        address = writer.fresh("address")
        where.put(f"{address} = arith.constant {start} : i64")
    pointer = writer.fresh("p")
    type_ = f"memref<{ROWS}x{ROW}x{kind}, #pto.address_space<vec>>"
    tile = writer.fresh("t")
    where.put(f"{tile} = pto.pointer_cast({address}) : {type_}")
    where.put(f"{pointer} = pto.castptr {tile} : {type_} -> {PTR}")
    scope.pointers[number] = where.pointers[number] = pointer
    return pointer


def _mask(writer: _Writer, scope: _Scope, outer: _Scope | None = None) -> str:
    if scope.masks and writer.chance(0.6):
        return writer.rng.choice(scope.masks)
    where = outer or scope
    mask = writer.fresh("m")
    lanes = writer.rng.choice(("%c64", "%c64", "%c64", "%c32", "%c17", "%active"))
    where.put(f"{mask} = pto.vmi.create_mask {lanes} : index -> {MASK}")
    scope.masks.append(mask)
    if where is not scope:
        where.masks.append(mask)
    return mask


def _vector(writer: _Writer, scope: _Scope, outer: _Scope | None, offset: Callable[[], str]) -> str:
    """Some vector: one that is there, or one that is loaded."""
    if writer.yielded and writer.chance(0.1):
        return writer.rng.choice(writer.yielded)
    if scope.vectors and writer.chance(0.55):
        return writer.rng.choice(scope.vectors[-3:])
    pointer, at = _pointer(writer, scope, outer), offset()
    value = writer.fresh("v")
    if writer.chance(0.05):
        scope.put(
            f"{value} = pto.vmi.vload {pointer}[{at}], {writer.rng.choice(_GROUPS)} {{group = 8}} : {PTR} -> {F32}"
        )
    elif writer.chance(0.05):
        half, narrow = writer.fresh("h"), writer.fresh("p")
        scope.put(f"{narrow} = pto.castptr {pointer} : {PTR} -> {NARROW}")
        scope.put(f"{half} = pto.vmi.vload {narrow}[{at}] : {NARROW} -> {BF16}")
        scope.put(f"{value} = pto.vmi.vcvt {half} : {BF16} -> {F32}")
    else:
        scope.put(f"{value} = pto.vmi.vload {pointer}[{at}] : {PTR} -> {F32}")
    scope.vectors.append(value)
    return value


def _compute(writer: _Writer, scope: _Scope, outer: _Scope | None, offset: Callable[[], str]) -> str:
    left = _vector(writer, scope, outer, offset)
    result, kind = writer.fresh("v"), writer.rng.randrange(4)
    mask = _mask(writer, scope, outer)
    pmode = writer.rng.choice(("", "", "", ' {pmode = "zero"}'))
    if kind == 0:
        right = _vector(writer, scope, outer, offset)
        scope.put(f"{result} = pto.vmi.{writer.rng.choice(_BINARY)} {left}, {right}, {mask}{pmode} : "
                  f"{F32}, {F32}, {MASK} -> {F32}")  # fmt: skip
    elif kind == 1:
        scope.put(f"{result} = pto.vmi.{writer.rng.choice(_SCALAR)} {left}, %two, {mask}{pmode} : "
                  f"{F32}, f32, {MASK} -> {F32}")  # fmt: skip
    elif kind == 2:
        scope.put(f"{result} = pto.vmi.{writer.rng.choice(_UNARY)} {left}, {mask}{pmode} : {F32}, {MASK} -> {F32}")
    else:
        right = _vector(writer, scope, outer, offset)
        scope.put(f"{result} = pto.vmi.vsel {mask}, {left}, {right} : {MASK}, {F32}, {F32} -> {F32}")
    scope.vectors.append(result)
    return result


def _store(writer: _Writer, scope: _Scope, outer: _Scope | None, value: str, offset: Callable[[], str]) -> None:
    pointer, at = _pointer(writer, scope, outer), offset()
    if writer.chance(0.05):
        scope.put(f"pto.vmi.vstore {value}, {pointer}[{at}], {writer.rng.choice(_GROUPS)} {{group = 8}} : {F32}, {PTR}")
    elif writer.chance(0.05):
        half, narrow = writer.fresh("h"), writer.fresh("p")
        scope.put(f"{narrow} = pto.castptr {pointer} : {PTR} -> {NARROW}")
        scope.put(f'{half} = pto.vmi.vcvt {value} {{rounding = "R", saturate = "NOSAT"}} : {F32} -> {BF16}')
        scope.put(f"pto.vmi.vstore {half}, {narrow}[{at}] : {BF16}, {NARROW}")
    elif writer.chance(0.5):
        mask = _mask(writer, scope, outer)
        pmode = writer.rng.choice(("", ' {pmode = "merge"}'))
        scope.put(f"pto.vmi.vstore {value}, {pointer}[{at}], {mask}{pmode} : {F32}, {PTR}, {MASK}")
    else:
        scope.put(f"pto.vmi.vstore {value}, {pointer}[{at}] : {F32}, {PTR}")


def _straight(writer: _Writer, scope: _Scope) -> None:
    """A load, a computation and a store at fixed offsets, or some of these."""

    def offset() -> str:
        return writer.rng.choice(("%c256", "%c256", "%c256", "%c320", "%c192", "%c288"))

    value = _vector(writer, scope, None, offset)
    if writer.chance(0.6):
        value = _compute(writer, scope, None, offset)
    if writer.chance(0.7):
        _store(writer, scope, None, value, offset)


def _offset(writer: _Writer, scope: _Scope, induction: str, usual: str) -> str:
    """An offset in elements that stays within a tile, most often the usual one."""
    if writer.chance(0.55):
        return usual
    stride = writer.rng.choice(("%c64", "%c64", "%c64", "%c128", "%c32", "%c1", "%c0"))
    start = writer.rng.choice(("%c256", "%c320", "%c192", "%c384", "%c128", "%c288", "%s"))
    scaled, offset = writer.fresh("o"), writer.fresh("o")
    scope.put(f"{scaled} = arith.muli {induction}, {stride} : index")
    scope.put(f"{offset} = arith.addi {scaled}, {start} : index")
    return offset


def _loop(writer: _Writer, scope: _Scope) -> None:
    header = writer.rng.choice(writer.headers)
    induction = writer.fresh("i")
    inner = scope.inner()
    scaled, usual = writer.fresh("o"), writer.fresh("o")
    inner.put(f"{scaled} = arith.muli {induction}, %c64 : index")
    inner.put(f"{usual} = arith.addi {scaled}, %c256 : index")

    def offset() -> str:
        return _offset(writer, inner, induction, usual)

    carried = ""
    if writer.chance(0.25):
        init, carried = writer.fresh("z"), writer.fresh("a")
        scope.put(f"{init} = pto.vmi.vbrc %two : f32 -> {F32}")
        inner.vectors.append(carried)
    value = _vector(writer, inner, scope, offset)
    for _ in range(writer.rng.randint(0, 2)):
        value = _compute(writer, inner, scope, offset)
    if not carried or writer.chance(0.5):
        _store(writer, inner, scope, value, offset)
    if writer.chance(0.2):
        _store(writer, inner, scope, _compute(writer, inner, scope, offset), offset)
    if not carried:
        scope.out.append(Block(f"scf.for {induction} = {header} {{", tuple(inner.out)))
        return
    mask, total, result = _mask(writer, inner, scope), writer.fresh("v"), writer.fresh("r")
    inner.put(f"{total} = pto.vmi.vmax {carried}, {value}, {mask} : {F32}, {F32}, {MASK} -> {F32}")
    inner.put(f"scf.yield {total} : {F32}")
    head = f"{result} = scf.for {induction} = {header} iter_args({carried} = {init}) -> ({F32}) {{"
    scope.out.append(Block(head, tuple(inner.out)))
    scope.vectors.append(result)
    if writer.chance(0.7):
        _store(writer, scope, None, result, lambda: writer.rng.choice(("%c256", "%c320", "%c0")))
