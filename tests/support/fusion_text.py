"""Lines of fusion regions for tests: rows of 64 numbers of 32 bits in tiles `%a` to `%e`, one behind the other."""

from __future__ import annotations

F32, MASK, PTR = "!pto.vmi.vreg<64xf32>", "!pto.vmi.mask<64xpred>", "!pto.ptr<f32, ub>"
TILE = "memref<8x64xf32, #pto.address_space<vec>>"
TILES = "abcde"
_NUMBERS = (0, 1, 2, 7, 8, 9, 16, 32, 64, 128, 512)
LARGEST = f"%lowest = arith.constant 0xFF800000 : f32\n%start = pto.vmi.vbrc %lowest : f32 -> {F32}"
"""The start of a reduction to the largest."""


def kernel(*lines: str, arguments: str = "", out: str = "", rows: int = 8) -> str:
    """A function with constants, tiles and masks; the tiles named in `out` are copied to global memory at its end."""
    head = [f"%c{number} = arith.constant {number} : index" for number in _NUMBERS]
    size, tile = 256 * rows, TILE.replace("8x64", f"{rows}x64")
    head += [
        "%two = arith.constant 2.0 : f32",
        "%once = arith.constant 1 : i64",
        f"%bytes = arith.constant {size} : i64",
    ]
    for at, name in enumerate(TILES):
        head += [
            f"%at_{name} = arith.constant {size * at} : i64", f"%tile_{name} = pto.pointer_cast(%at_{name}) : {tile}",
            f"%{name} = pto.castptr %tile_{name} : {tile} -> {PTR}",
        ]  # fmt: skip
    for name, lanes in (("all", 64), ("half", 32), ("eight", 8)):
        head.append(f"%{name} = pto.vmi.create_mask %c{lanes} : index -> {MASK}")
    given = ", ".join(part for part in (arguments, "%dst: !pto.ptr<f32, gm>" * bool(out)) if part)
    copies: list[str] = []
    for name in out:
        copies += copy_out(name)
    body = "\n".join(f"  {line}" for line in (*head, *lines, *copies))
    return f"func.func @k({given}) {{\n{body}\n  return\n}}\n"


def copy_out(name: str) -> list[str]:
    """The lines that copy a tile to global memory, each to a place of its own."""
    return [
        f"%far_{name} = arith.constant {512 * TILES.index(name)} : index",
        f"%gm_{name} = pto.addptr %dst, %far_{name} : <f32, gm> -> <f32, gm>",
        f"pto.mte_ub_gm %{name}, %gm_{name}, %bytes nburst(%once, %bytes, %bytes) : "
        f"{PTR}, !pto.ptr<f32, gm>, i64, i64, i64, i64",
    ]


def region(*lines: str) -> str:
    """A fusion region that yields nothing."""
    return "\n".join(["pto.fusion_region {", *lines, "pto.yield() : () -> ()", "}"])


def loop(
    induction: str, *lines: str, header: str = "%c0 to %c8 step %c1", carry: tuple[str, str, str] | None = None
) -> str:
    """A loop over rows with the offset `%o` and the name of its induction variable; `carry` is (result, argument,
    initial value), its body then ends in a yield of its own.
    """
    head = f"scf.for %{induction} = {header} {{"
    if carry is not None:
        result, argument, init = carry
        head = f"{result} = scf.for %{induction} = {header} iter_args({argument} = {init}) -> ({F32}) {{"
    return "\n".join([head, f"%o{induction} = arith.muli %{induction}, %c64 : index", *lines, "}"])


def load(name: str, base: str, at: str = "%c0") -> str:
    """A load of one row."""
    return f"{name} = pto.vmi.vload {base}[{at}] : {PTR} -> {F32}"


def store(value: str, base: str, at: str = "%c0", mask: str = "", attrs: str = "") -> str:
    """A store of one row."""
    operand, type_ = (f", {mask}", f", {MASK}") if mask else ("", "")
    return f"pto.vmi.vstore {value}, {base}[{at}]{operand}{attrs} : {F32}, {PTR}{type_}"


def binary(name: str, op: str, left: str, right: str, mask: str = "%all", attrs: str = "") -> str:
    """An operation of two vectors."""
    return f"{name} = pto.vmi.{op} {left}, {right}, {mask}{attrs} : {F32}, {F32}, {MASK} -> {F32}"


def unary(name: str, op: str, source: str, mask: str = "%all") -> str:
    """An operation of one vector."""
    return f"{name} = pto.vmi.{op} {source}, {mask} : {F32}, {MASK} -> {F32}"


def scaled(name: str, source: str, mask: str = "%all", attrs: str = "") -> str:
    """A vector times two."""
    return f"{name} = pto.vmi.vmuls {source}, %two, {mask}{attrs} : {F32}, f32, {MASK} -> {F32}"


def largest(induction: str, result: str, base: str, header: str = "%c0 to %c8 step %c1") -> str:
    """A loop that reduces the rows of a tile to the largest numbers."""
    total, row, best = f"%s{induction}", f"%x{induction}", f"%m{induction}"
    return loop(
        induction, load(row, base, f"%o{induction}"), binary(best, "vmax", total, row), f"scf.yield {best} : {F32}",
        header=header, carry=(result, total, "%start"),
    )  # fmt: skip


def through(
    induction: str, source: str, target: str, *, name: str = "x", to: str = "", of: str = "", **more: str
) -> str:
    """A loop that takes the exponential of each row of a tile to another one; `of` and `to` are other offsets."""
    one, two = f"%{name}{induction}", f"%{name}{induction}_"
    before = [line for line in (more.get("before", ""),) if line]
    return loop(
        induction, *before, load(one, source, of or f"%o{induction}"), unary(two, more.get("op", "vneg"), one),
        store(two, target, to or f"%o{induction}"), header=more.get("header", "%c0 to %c8 step %c1"),
    )  # fmt: skip
