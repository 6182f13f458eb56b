"""How long fusion plans take to be proved, by the number of loops, and what greedy and beam search find.

    python -m benchmarks.fusion [LOOPS ...] [--seconds S] [--seeds N]

Programs are kernels as tile libraries write them: one region for each operation on a tile, two thirds of them row by
row (one or two inputs, half of the time what was made last), reductions whose result later loops read, a few tiles of
another number of rows, buffers that are used again when nothing needs them any more. A tenth of the tiles goes out.
"""

from __future__ import annotations

import argparse
import random
import time

from layoutsolver.api_fusion import FuseOptions, places, posed_block
from layoutsolver.fusion.code import code_of
from layoutsolver.fusion.plan import plan
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver_models.problems.fusion import FusionProblem
from layoutsolver_models.solve.fusion import solve_fusion
from layoutsolver_models.solve.fusion_plan import settle
from layoutsolver_models.solve.fusion_search import apart, beam, greedy
from layoutsolver_models.solve.layout import Limits

VECTOR, MASK, POINTER = "!pto.vmi.vreg<64xf32>", "!pto.vmi.mask<64xpred>", "!pto.ptr<f32, ub>"
_ROW = 256


class _Kernel:
    """A kernel that is being written; tiles are (address, rows), freed ones may be used again."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.next = 0
        self.free: dict[int, list[int]] = {}
        self.tiles: list[tuple[int, int]] = []
        self.reduced: list[int] = []

    def allocate(self, rows: int) -> int:
        """The address of a tile."""
        if self.free.get(rows):
            return self.free[rows].pop(0)
        at, self.next = self.next, self.next + rows * _ROW
        return at

    def pointer(self, name: str, at: int, rows: int) -> None:
        """A pointer to a tile."""
        memref = f"memref<{rows}x64xf32, #pto.address_space<vec>>"
        self.lines += [
            f"%at_{name} = arith.constant {at} : i64",
            f"%tile_{name} = pto.pointer_cast(%at_{name}) : {memref}",
            f"%{name} = pto.castptr %tile_{name} : {memref} -> {POINTER}",
        ]

    def operation(self) -> None:
        """A region with one operation on tiles."""
        rng, lines = self.rng, self.lines
        rows = 128 if rng.random() < 0.85 else 64
        fitting = [tile for tile in self.tiles if tile[1] == rows]
        lines.append("pto.fusion_region {")
        lines.append(f"%all = pto.vmi.create_mask %c64 : index -> {MASK}")
        sources = [fitting[-1]] if fitting and rng.random() < 0.6 else []
        while len(sources) < rng.choice((1, 1, 2)):
            sources.append(rng.choice(fitting) if fitting and rng.random() < 0.8 else (self.allocate(rows), rows))
        for number, (at, count) in enumerate(sources):
            self.pointer(f"s{number}", at, count)
        if rng.random() < 0.15:
            self.reduction(rows)
        else:
            self.row_by_row(rows, len(sources))
        lines += ["pto.yield() : () -> ()", "}"]

    def reduction(self, rows: int) -> None:
        """The maximum of all rows, stored behind the loop."""
        target = self.allocate(1)
        self.pointer("t", target, 1)
        self.lines += [
            f"%low = pto.vmi.vbrc %zero : f32 -> {VECTOR}",
            f"%r = scf.for %i = %c0 to %c{rows} step %c1 iter_args(%a = %low) -> ({VECTOR}) {{",
            "%o = arith.muli %i, %c64 : index",
            f"%v = pto.vmi.vload %s0[%o] : {POINTER} -> {VECTOR}",
            f"%w = pto.vmi.vmax %a, %v, %all : {VECTOR}, {VECTOR}, {MASK} -> {VECTOR}",
            f"scf.yield %w : {VECTOR}", "}",
            f"pto.vmi.vstore %r, %t[%c0], %all : {VECTOR}, {POINTER}, {MASK}",
        ]  # fmt: skip
        self.reduced.append(target)

    def row_by_row(self, rows: int, sources: int) -> None:
        """One row of the result from one row of each source, and perhaps from a reduction."""
        rng, lines = self.rng, self.lines
        target = self.allocate(rows)
        self.pointer("t", target, rows)
        body = ["%o = arith.muli %i, %c64 : index", f"%v0 = pto.vmi.vload %s0[%o] : {POINTER} -> {VECTOR}"]
        other = ""
        if sources > 1:
            body.append(f"%v1 = pto.vmi.vload %s1[%o] : {POINTER} -> {VECTOR}")
            other = "%v1"
        elif self.reduced and rng.random() < 0.3:
            self.pointer("m", rng.choice(self.reduced), 1)
            lines.append(f"%v1 = pto.vmi.vload %m[%c0] : {POINTER} -> {VECTOR}")
            other = "%v1"
        if other:
            op = rng.choice(("vadd", "vsub", "vmul"))
            body.append(f"%w = pto.vmi.{op} %v0, {other}, %all : {VECTOR}, {VECTOR}, {MASK} -> {VECTOR}")
        else:
            body.append(f"%w = pto.vmi.{rng.choice(('vexp', 'vneg'))} %v0, %all : {VECTOR}, {MASK} -> {VECTOR}")
        body.append(f"pto.vmi.vstore %w, %t[%o], %all : {VECTOR}, {POINTER}, {MASK}")
        lines += [f"scf.for %i = %c0 to %c{rows} step %c1 {{", *body, "}"]
        self.tiles.append((target, rows))
        if len(self.tiles) > 6 and rng.random() < 0.5:
            at, count = self.tiles.pop(rng.randrange(len(self.tiles) - 3))
            self.free.setdefault(count, []).append(at)


def kernel(loops: int, seed: int) -> str:
    """The text of a kernel with so many loops: the same for the same seed."""
    made = _Kernel(random.Random(seed))
    for _ in range(loops):
        made.operation()
    head = [f"%c{number} = arith.constant {number} : index" for number in (0, 1, 64, 128)]
    head += ["%zero = arith.constant 0.0 : f32", "%once = arith.constant 1 : i64"]
    tail: list[str] = []
    for number, (at, rows) in enumerate(made.tiles[-max(1, loops // 10) :]):
        tail += [
            f"%out{number} = arith.constant {at} : i64", f"%size{number} = arith.constant {rows * _ROW} : i64",
            f"%p{number} = pto.castptr %out{number} : i64 -> {POINTER}",
            f"pto.mte_ub_gm %p{number}, %gm, %size{number} nburst(%once, %size{number}, %size{number}) : {POINTER}, "
            "!pto.ptr<f32, gm>, i64, i64, i64, i64",
        ]  # fmt: skip
    body = "\n".join(f"  {line}" for line in (*head, *made.lines, *tail, "return"))
    return f"func.func @kernel(%gm: !pto.ptr<f32, gm>) {{\n{body}\n}}\n"


def problem(text: str) -> FusionProblem:
    """The problem of the kernel's one region."""
    code = plan(code_of(build_graph(read(text))[0])).code
    return posed_block(code, places(code.items)[0][0], FuseOptions()).problem


def main() -> None:
    """Print a line for each program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("loops", type=int, nargs="*", default=[10, 30, 100])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    print(f"{'loops':>5} {'seed':>4} {'posed s':>8} {'solved s':>8}  {'status':<9}{'cost':>8}{'bound':>8}{'gap %':>6}"
          f"{'greedy':>8}{'beam':>8}{'beam s':>7}{'apart':>8}")  # fmt: skip
    for loops in given.loops:
        for seed in range(given.seeds):
            begin = time.perf_counter()
            posed = problem(kernel(loops, seed))
            built = time.perf_counter()
            found = solve_fusion(posed, Limits(given.seconds))
            solved = time.perf_counter()
            wide = settle(posed, beam(posed)).cost.total
            beamed = time.perf_counter()
            gap = 100 * (found.cost.total - found.bound) / max(found.cost.total, 1)
            print(
                f"{loops:>5} {seed:>4} {built - begin:>8.2f} {solved - built:>8.2f}  {found.status:<9}"
                f"{found.cost.total:>8}{found.bound:>8}{gap:>6.1f}{settle(posed, greedy(posed)).cost.total:>8}"
                f"{wide:>8}{beamed - solved:>7.1f}{settle(posed, apart(posed)).cost.total:>8}",
                flush=True,
            )


if __name__ == "__main__":
    main()
