"""`python -m benchmarks.vmi`: seconds to a proved optimum for VMI programs of three shapes and a kernel, with growth.

They convert between widths, compute and store, so that every vector has a choice; every operation is needed by a store.
In a tree, values are used up to three times, and operations join two trees; in a net, they join any two values. The
kernel is one body again and again, with a scale, a threshold and a mask of all bodies in common.
Where 30 seconds are not enough, the gap of the first objective is printed, and how many objectives are proved.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from layoutsolver.api_vmi import VmiOptions, annotate, solve
from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.solve.selection import solve_selection

SIZES = (100, 1000, 5000)
LIMIT = 30.0
ELEMENTS = ("f32", "f16", "f8E4M3FN")
_CASTS = {"f32": ("f16", "f8E4M3FN"), "f16": ("f32", "f8E4M3FN"), "f8E4M3FN": ("f32",)}
_BITS = {"f32": 32, "f16": 16, "f8E4M3FN": 8}


def type_of(element: str, lanes: int) -> str:
    """The type of a vector as text."""
    return f"!pto.vmi.vreg<{lanes}x{element}>"


def chain(n: int, seed: int = 1) -> str:
    """`n` operations, each on the value before, some of which store it."""
    return _Growing(random.Random(seed), branches=False).program(n)


def tree(n: int, seed: int = 1) -> str:
    """`n` operations: values are used up to three times, and some operations join two trees."""
    return _Growing(random.Random(seed)).program(n)


def net(n: int, seed: int = 1) -> str:
    """`n` operations: values are used up to three times, and some operations join any two of them."""
    return _Growing(random.Random(seed), joins_all=True).program(n)


class _End(NamedTuple):
    """A value that something is still to use; values of one tree have the same root."""

    name: str
    element: str
    lanes: int
    root: int

    @property
    def type(self) -> str:
        return type_of(self.element, self.lanes)


class _Growing:
    def __init__(self, rng: random.Random, branches: bool = True, joins_all: bool = False) -> None:
        self.rng = rng
        self.branches = branches
        self.joins_all = joins_all
        self.lines: list[str] = []
        self.ends: list[_End] = []

    def program(self, n: int) -> str:
        while len(self.lines) + len(self.ends) < n:
            self.grow()
        for end in self.ends:
            self.store(end)
        return _function(", ".join(f"%{name}: !pto.ptr<{name}, ub>" for name in ELEMENTS), self.lines)

    def grow(self) -> None:
        """One more operation."""
        kind = self.rng.random()
        if not self.ends or (self.branches and kind < 0.12):
            self.load()
            return
        end = self.ends.pop(self.rng.randrange(len(self.ends)))
        if kind < 0.3:
            self.store(end)
            if not self.branches or kind < 0.2:
                self.ends.append(end)
        elif kind < 0.55 and _BITS[end.element] > 8:
            self.add(end, join=kind >= 0.4, twice=self.branches and kind < 0.45)
        else:
            self.convert(end, twice=self.branches and kind > 0.85)

    def load(self) -> None:
        element, lanes = self.rng.choice(ELEMENTS), self.rng.choice((128, 256))
        end = _End(f"%v{len(self.lines)}", element, lanes, len(self.lines))
        self.lines.append(f"{end.name} = pto.vmi.vload %{element}[%o] : !pto.ptr<{element}, ub> -> {end.type}")
        self.ends.append(end)

    def store(self, end: _End) -> None:
        self.lines.append(f"pto.vmi.vstore {end.name}, %{end.element}[%o] : {end.type}, !pto.ptr<{end.element}, ub>")

    def add(self, end: _End, join: bool, twice: bool) -> None:
        mates = [one for one in self.ends if join and one.type == end.type and (self.joins_all or one.root != end.root)]
        other = mates[0] if mates else end
        if mates:
            self.ends.remove(other)
            self.ends = [one._replace(root=end.root) if one.root == other.root else one for one in self.ends]
        made = end._replace(name=f"%v{len(self.lines)}")
        self.lines.append(f"{made.name} = pto.vmi.vadd {end.name}, {other.name} : {end.type}, {end.type} -> {end.type}")
        self.ends += [made] * (2 if twice else 1)

    def convert(self, end: _End, twice: bool) -> None:
        to = self.rng.choice(_CASTS[end.element])
        attrs = ' {saturate = "SAT"}' if _BITS[to] < _BITS[end.element] else ""
        made = end._replace(name=f"%v{len(self.lines)}", element=to)
        self.lines.append(f"{made.name} = pto.vmi.vcvt {end.name}{attrs} : {end.type} -> {made.type}")
        self.ends += [made] * (2 if twice else 1)


def kernel(n: int) -> str:
    """A body of 16 operations, unrolled to about `n`: scaled f16, an f8 residual, a threshold, two forms of result."""
    f32, f16, f8 = (type_of(element, 256) for element in ELEMENTS)
    mask = "!pto.vmi.mask<256xpred>"
    lines = [
        f"%on = pto.vmi.create_mask %some : index -> {mask}",
        f"%scale = pto.vmi.broadcast %s : f32 -> {f32}",
        f"%least = pto.vmi.broadcast %t : f32 -> {f32}",
    ]
    for tile in range(max(1, (n - len(lines)) // 16)):
        lines += [
            line.replace("#", str(tile))
            for line in (
                f"%x# = pto.vmi.load %f16[%o] : !pto.ptr<f16, ub> -> {f16}",
                f"%w# = pto.vmi.extf %x# : {f16} -> {f32}",
                f"%m# = pto.vmi.mulf %w#, %scale : {f32}, {f32} -> {f32}",
                f"%r# = pto.vmi.load %f8E4M3FN[%o] : !pto.ptr<f8E4M3FN, ub> -> {f8}",
                f"%q# = pto.vmi.extf %r# : {f8} -> {f32}",
                f"%a# = pto.vmi.addf %m#, %q# : {f32}, {f32} -> {f32}",
                f'%b# = pto.vmi.cmpf "ogt", %a#, %least : {f32}, {f32} -> {mask}',
                f"%c# = pto.vmi.mask_and %b#, %on : {mask}, {mask} -> {mask}",
                f"%d# = pto.vmi.select %c#, %a#, %m# : {mask}, {f32}, {f32} -> {f32}",
                f'%e# = pto.vmi.truncf %d# {{saturate = "SAT"}} : {f32} -> {f16}',
                f"%n# = pto.vmi.addf %e#, %x# : {f16}, {f16} -> {f16}",
                f"pto.vmi.store %n#, %f16[%o] : {f16}, !pto.ptr<f16, ub>",
                f'%g# = pto.vmi.truncf %d# {{saturate = "SAT"}} : {f32} -> {f8}',
                f"pto.vmi.store %g#, %f8E4M3FN[%o] : {f8}, !pto.ptr<f8E4M3FN, ub>",
                f"%h# = pto.vmi.addf %d#, %w# : {f32}, {f32} -> {f32}",
                f"pto.vmi.masked_store %h#, %f32[%o], %on : {f32}, !pto.ptr<f32, ub>, {mask}",
            )
        ]
    arguments = ", ".join(f"%{name}: !pto.ptr<{name}, ub>" for name in ELEMENTS)
    return _function(f"{arguments}, %some: index, %s: f32, %t: f32", lines)


def _function(arguments: str, lines: list[str]) -> str:
    body = "\n  ".join(lines)
    return f"func.func @f({arguments}, %o: index) {{\n  {body}\n  return\n}}\n"


SHAPES: dict[str, Callable[[int], str]] = {"chain": chain, "tree": tree, "net": net, "kernel": kernel}


def main() -> None:
    """Print the table."""
    print(
        f"{'shape':6} {'n':>6} {'pose s':>8} {'solve s':>8} {'busiest':>8} {'gap':>6} {'proved':>7} {'released':>9} "
        f"{'text to text s':>15}"
    )
    for shape, write in SHAPES.items():
        for n in SIZES:
            source = SourceFile("benchmark.pto", write(n))
            start = time.perf_counter()
            graph, _ = build_graph(read(source))
            posed = pose_vmi(graph)
            middle = time.perf_counter()
            solution = solve_selection(posed.problem, Limits(LIMIT))
            end = time.perf_counter()
            gap = "" if not solution.busiest else f"{(solution.busiest - solution.bound) / solution.busiest:.1%}"
            result = solve(source, VmiOptions(limits=Limits(LIMIT)))
            annotate(result)
            issued = "" if result.released is None or result.released.issued is None else result.released.issued.busiest
            print(
                f"{shape:6} {len(posed.problem.ops):6} {middle - start:8.2f} {end - middle:8.2f} "
                f"{solution.busiest:8} {gap:>6} {f'{len(solution.proved)}/{len(posed.problem.objective)}':>7} "
                f"{issued:9} {time.perf_counter() - end:15.2f}", flush=True,
            )  # fmt: skip


if __name__ == "__main__":
    main()
