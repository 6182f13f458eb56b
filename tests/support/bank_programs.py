"""Random programs of bank SSA that run on the hardware model, and the least peak of a problem by brute force.

`python -m tests.support.bank_programs --count N --seed S` solves, checks and runs many; with `--deep`, those to be cut.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator

from layoutsolver.buckyball.banking import BankOptions, bank_text
from layoutsolver.buckyball.ir import Code
from layoutsolver.buckyball.program import read_program
from layoutsolver.source import SourceFile
from layoutsolver.verify.buckyball.compare import compare_codes
from layoutsolver_models.banks.first_fit import first_fit
from layoutsolver_models.banks.solve import solve_banks
from layoutsolver_models.banks.split import cut, ways
from layoutsolver_models.placement.solve import solve_placement
from layoutsolver_models.problems.banks import BankProblem, Level
from layoutsolver_models.problems.placement import Buffer, PlacementProblem
from layoutsolver_models.targets.bank_chip import BankChip, load_bank_chip

WIDE = load_bank_chip("seed")._replace(bank_num=64, vbank_upper=63)


class _Program:
    """A program in the making: banks of f32 (F), i8 (I) and i32 (C) that are filled, each with its latest name."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.body: list[str] = []
        self.banks: dict[str, int] = {}
        self.latest: dict[str, str] = {}
        self.filled: dict[str, list[str]] = {"F": [], "I": [], "C": []}
        self.count = 0
        self.outputs = 0
        self.written: list[int] = []

    def fresh(self, kind: str) -> str:
        self.count += 1
        name = f"{kind.lower()}{self.count}"
        self.banks[name] = 1 if kind == "I" else 4
        self.latest[name] = name
        return name

    def emit(self, op: str, operands: list[str], into: str, tail: str, types: str) -> None:
        """An operation; the bank that it wrote (or read, for a move out) has a new name."""
        self.count += 1
        result = f"v{self.count}"
        named = " ".join(f"%{self.latest.get(one, one)}" for one in operands)
        self.body.append(f"  %{result} = buckyball.bank_{op} {named} {tail} : {types}")
        self.latest[into] = result

    def load(self) -> None:
        bank = self.fresh("F")
        self.emit("mvin", [f"A{self.rng.randrange(3)}", bank], bank, "%c16 %c1", "memref<16x16xf32> i64 i64 i64")
        self.filled["F"].append(bank)

    def quantise(self) -> None:
        bank = self.fresh("I")
        self.emit("fp2int", [self.rng.choice(self.filled["F"]), bank], bank, "%c16 %s", "i64 i64 i64 i64")
        self.filled["I"].append(bank)

    def turn(self) -> None:
        bank = self.fresh("I")
        self.emit("transpose", [self.rng.choice(self.filled["I"]), bank], bank, "%c16 %c0", "i64 i64 i64 i64")
        self.filled["I"].append(bank)

    def multiply(self) -> None:
        one, other = self.rng.sample(self.filled["I"], 2)
        again = self.filled["C"] and self.rng.random() < 0.4
        bank = self.rng.choice(self.filled["C"]) if again else self.fresh("C")
        self.emit("mul_warp16", [one, other, bank], bank, "%c16 %c0", "i64 i64 i64 i64 i64")
        if not again:
            self.filled["C"].append(bank)

    def scale(self) -> None:
        bank = self.fresh("F")
        self.emit("int2fp", [self.rng.choice(self.filled["C"]), bank], bank, "%c16 %s", "i64 i64 i64 i64")
        self.filled["F"].append(bank)

    def store(self) -> None:
        """Move a bank out; a fence before memory is written again, since hardware does not order it."""
        if self.outputs >= 3 and "  buckyball.fence" not in self.body[self.written[-3] :]:
            self.body.append("  buckyball.fence")
        self.written.append(len(self.body))
        bank = self.rng.choice(self.filled["F"])
        self.emit("mvout", [f"C{self.outputs % 3}", bank], bank, "%c16 %c1", "memref<16x16xf32> i64 i64 i64")
        self.outputs += 1
        if self.rng.random() < 0.3:
            self.body.append("  buckyball.fence")

    def grow(self) -> None:
        """One more operation, of those that can be."""
        ways = [self.load]
        ways += [self.quantise, self.store] * bool(self.filled["F"])
        ways += [self.turn] * bool(self.filled["I"])
        ways += [self.multiply] * (2 if len(self.filled["I"]) > 1 else 0)
        ways += [self.scale] * (2 * bool(self.filled["C"]))
        self.rng.choice(ways)()


def random_bank_program(seed: int, most: int = 9) -> str:
    """A function with at most so many operations on banks and fences; banks live longer than they are used."""
    rng = random.Random(seed)
    made = _Program(rng)
    size = rng.randint(2, most - 2)
    while len(made.body) < size:
        made.grow()
    if not made.outputs:
        made.store()
    if made.body[-1] != "  buckyball.fence":
        made.body.append("  buckyball.fence")
    arguments = ", ".join(f"%{name}{n}: memref<16x16xf32>" for name in "AC" for n in range(3))
    head = [f"func.func @banks({arguments}, %s: i64) {{"]
    head += [f"  %c{value} = arith.constant {value} : i64" for value in (0, 1, 16)]
    early, late = [], []
    for bank, col in made.banks.items():
        attrs = "" if col == 1 else " {col = 4 : i64}"
        alloc = f"  %{bank} = buckyball.bank_alloc{attrs}"
        first = next(place for place, line in enumerate(made.body) if f"%{bank} " in line + " ")
        if rng.random() < 0.5:
            early.append(alloc)
        else:
            made.body.insert(first, alloc)
        late.append(f"  buckyball.bank_release %{made.latest[bank]} : i64")
    rng.shuffle(early)
    rng.shuffle(late)
    return "\n".join([*head, *early, *made.body, *late, "  return", "}", ""])


def random_deep_program(seed: int) -> str:
    """A product of K = 32 or 48 rows; each operand is loaded as bytes, or as f32 and quantised.

    The left one may be a matrix of 16 rows that is transposed. On a chip of 16 or 32 rows, it must be cut.
    """
    rng = random.Random(seed)
    k = rng.choice([32, 48])
    lines: list[str] = []
    arguments: list[str] = []
    banks: dict[str, int] = {}

    def load(name: str, dims: str, wide: bool, pitch: int) -> str:
        element = "f32" if wide else "i8"
        shape = f"memref<{dims}x{element}" + (f", strided<[{16 * pitch}, 1]>>" if pitch > 1 else ">")
        arguments.append(f"%{name}: {shape}")
        banks[name[0].lower()] = 4 if wide else 1
        lines.append(f"  %{name}l = buckyball.bank_mvin %{name} %{name[0].lower()} %k %p{pitch} : {shape} i64 i64 i64")
        if not wide:
            return f"{name}l"
        banks[name[0].lower() + "q"] = 1
        lines.append(f"  %{name}q = buckyball.bank_fp2int %{name}l %{name[0].lower()}q %k %s : i64 i64 i64 i64")
        return f"{name}q"

    turned = rng.random() < 0.5
    left = load("Left", f"16x{k}" if turned else f"{k}x16", rng.random() < 0.4, 1 if turned else rng.choice([1, 3]))
    if turned:
        banks["t"] = 1
        lines.append(f"  %turned = buckyball.bank_transpose %{left} %t %k %c0 : i64 i64 i64 i64")
        left = "turned"
    right = load("Right", f"{k}x16", rng.random() < 0.3, rng.choice([1, 2]))
    banks["c"] = 4
    lines.append(f"  %sum = buckyball.bank_mul_warp16 %{left} %{right} %c %k %c0 : i64 i64 i64 i64 i64")
    lines.append("  %out = buckyball.bank_mvout %C %sum %c16 %p1 : memref<16x16xi32> i64 i64 i64")
    lines.append("  buckyball.fence")
    head = [f"func.func @deep({', '.join(arguments)}, %C: memref<16x16xi32>, %s: i64) {{"]
    numbers = {"k": k, "c0": 0, "c16": 16, "p1": 1, "p2": 2, "p3": 3}
    head += [f"  %{name} = arith.constant {value} : i64" for name, value in numbers.items()]
    head += [f"  %{bank} = buckyball.bank_alloc" + " {col = 4 : i64}" * (col == 4) for bank, col in banks.items()]
    tail = [f"  buckyball.bank_release %{bank} : i64" for bank in banks]
    return "\n".join([*head, *lines, *tail, "  return", "}", ""])


def deep_problems_with(seed: int, brute: bool) -> list[str]:
    """What is wrong with the answer to a program that must be cut; `brute` holds its peak against all orders."""
    rows = random.Random(seed).choice([16, 32]) if "constant 48" in random_deep_program(seed) else 16
    text, chip = random_deep_program(seed), WIDE._replace(bank_entries=rows)
    source = SourceFile("deep.mlir", text)
    if bank_text(source, chip, BankOptions("elide")).text is not None:
        return ["it fits without being cut"]
    placed = bank_text(source, chip, BankOptions("split"))
    if placed.text is None:
        return [item.message for item in placed.diagnostics]
    (found,) = placed.functions
    wrong = [item.message for item in compare_codes(code_of(text), code_of(placed.text), chip, 2, seed).diagnostics]
    least = min(least_peak(cut(found.problem, way), in_place=True) for way in ways(found.problem)) if brute else 0
    if found.solution.status != "optimal" or (brute and found.solution.peak != least):
        wrong.append(f"{found.solution.status}, peak {found.solution.peak}, brute force {least}")
    return wrong


def orders_of(problem: BankProblem) -> Iterator[list[int]]:
    """Every order of the operations that keeps what must be kept."""
    before = {number: set() for number in range(len(problem.ops))}  # type: dict[int, set[int]]
    for edge in problem.orders:
        before[edge.then].add(edge.first)

    def extend(chosen: list[int], done: set[int]) -> Iterator[list[int]]:
        if len(chosen) == len(problem.ops):
            yield chosen
            return
        for op in range(len(problem.ops)):
            if op not in done and before[op] <= done:
                yield from extend([*chosen, op], done | {op})

    return extend([], set())


def least_peak(problem: BankProblem, in_place: bool) -> int:
    """The least number of banks, contiguous, over all orders and all ways to convert in place."""
    best = sum(bank.size for bank in problem.banks)
    for order in orders_of(problem):
        at = {op: place for place, op in enumerate(order)}
        users = [
            [at[n] for n, op in enumerate(problem.ops) if bank in (*op.reads, *op.writes)]
            for bank in range(len(problem.banks))
        ]
        pairs = [
            pair for n, op in enumerate(problem.ops) for pair in op.in_place
            if in_place and max(users[pair[0]]) == at[n] == min(users[pair[1]])
        ]  # fmt: skip
        for chosen in _subsets(pairs):
            best = min(best, _height(problem, users, chosen, best))
    return best


def _subsets(pairs: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    for mask in range(1 << len(pairs)):
        chosen = [pair for place, pair in enumerate(pairs) if mask >> place & 1]
        ends = [end for pair in zip(*chosen, strict=True) for end in [pair]] if chosen else []
        if all(len(set(side)) == len(side) for side in ends):
            yield chosen


def _height(problem: BankProblem, users: list[list[int]], shared: list[tuple[int, int]], best: int) -> int:
    """The least height for given lives; banks that are one become one buffer. At least `best` where that is enough."""
    into = dict(shared)
    buffers = []
    for bank in range(len(problem.banks)):
        if bank in into.values() or not users[bank]:
            continue
        end, last = bank, max(users[bank])
        while end in into:
            end = into[end]
            last = max(users[end])
        buffers.append(Buffer(str(bank), min(users[bank]), last + 1, problem.banks[bank].size))
    points = {buffer.lower for buffer in buffers}
    load = max((sum(b.size for b in buffers if b.lower <= p < b.upper) for p in points), default=0)
    return best if load >= best else solve_placement(PlacementProblem(tuple(buffers))).height


def code_of(text: str) -> Code:
    read = read_program(SourceFile("random.mlir", text))
    assert read.code is not None, read.diagnostics
    return read.code


def problems_with(text: str, chip: BankChip, seed: int) -> list[str]:
    """What is wrong with the answers to a program: peaks above first fit's, errors, other results on the model."""
    wrong = []
    source = SourceFile("random.mlir", text)
    placed = bank_text(source, chip, BankOptions())
    if placed.text is None:
        return [item.message for item in placed.diagnostics]
    (found,) = placed.functions
    given = first_fit(found.problem)
    if given.failed < 0 and found.solution.peak > given.peak:
        wrong.append(f"peak {found.solution.peak}, first fit {given.peak}")
    if found.solution.status != "optimal":
        wrong.append(found.solution.status)
    compared = compare_codes(code_of(text), code_of(placed.text), chip, 2, seed)
    return wrong + [item.message for item in compared.diagnostics]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--deep", action="store_true", help="programs that must be cut, instead")
    options = parser.parse_args()
    if options.deep:
        seeds = range(options.seed, options.seed + options.count)
        bad = [f"seed {seed}: {'; '.join(said)}" for seed in seeds if (said := deep_problems_with(seed, brute=True))]
        print(*bad, f"{options.count} programs that must be cut, {len(bad)} wrong", sep="\n")
        sys.exit(bool(bad))
    wrong = better = brute = 0
    for seed in range(options.seed, options.seed + options.count):
        text = random_bank_program(seed)
        said = problems_with(text, WIDE, seed)
        (found,) = bank_text(SourceFile("random.mlir", text), WIDE, BankOptions()).functions
        levels: tuple[tuple[Level, bool], ...] = (("reorder", False), ("elide", True))
        for level, in_place in levels:
            peak = solve_banks(found.problem, level).peak
            expected = least_peak(found.problem, in_place)
            brute += 1
            if peak != expected:
                said.append(f"{level}: peak {peak}, brute force {expected}")
        better += found.solution.peak < first_fit(found.problem).peak
        if said:
            wrong += 1
            print(f"seed {seed}: {'; '.join(said)}")
    print(f"{options.count} programs, {brute} brute-force peaks, {better} better than first fit, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
