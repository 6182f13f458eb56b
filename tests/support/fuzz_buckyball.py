"""Random products through the path of Buckyball, run at random stages; and broken programs, which must be named.

python -m tests.support.fuzz_buckyball --count 200 --seed 1
python -m tests.support.fuzz_buckyball --table intr llvm riscv --target seed
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from layoutsolver.buckyball.lowering import lower_text
from layoutsolver.buckyball.stages import ALL_STAGES
from layoutsolver.source import SourceFile
from layoutsolver.verify.buckyball.files import verify_banks
from layoutsolver_models.targets.bank_chip import BankChip, bank_chip_names, load_bank_chip
from tests.buckyball.support import SEED, TOY, lowered, product

PROGRAMS = Path(__file__).parents[1] / "buckyball" / "programs"
CHIPS = bank_chip_names()
MLIR_ENDS = ALL_STAGES[3:7]
_TOKEN = re.compile(r"[%@!#]?[\w.]+|\S")
_WORDS = (
    "0",
    "-1",
    "99999999999999999999",
    "f32",
    "i64",
    "memref<0x0xf32>",
    "memref<?x4xf32>",
    "%zzz",
    "{",
    "}",
    "1.5",
)


TABLE = (
    (16, 16, 16), (16, 16, 64), (64, 64, 16), (1, 96, 128), (127, 127, 17), (1024, 1024, 16), (16, 16, 2048),
    (128, 128, 128), (1, 10, 84), (5, 768, 3072), (1, 1000, 1024), (1, 120, 256), (256, 256, 256), (512, 512, 512),
)  # fmt: skip
"""M, N, K of the products whose tiles the production compiler is known to choose."""


def random_product(choose: random.Random, largest: int) -> tuple[str, tuple[int, int, int]]:
    """A product of random sizes and row pitches."""
    m, n, k = (
        choose.choice([choose.randint(1, largest), 16 * choose.randint(1, largest // 16), choose.randint(1, 40)])
        for _ in range(3)
    )
    wider = [width + choose.choice([0, 0, 16, choose.randint(1, 50)]) for width in (k, n, n)]
    return product(m, n, k, (wider[0], wider[1], wider[2])), (m, n, k)


def check_product(seed: int, largest: int = 300) -> str:
    """Run one of random sizes, chip and stage; what went wrong, empty if nothing did."""
    choose = random.Random(seed)
    text, sizes = random_product(choose, largest)
    return check_text(text, sizes, load_bank_chip(choose.choice(CHIPS)), choose.choice(MLIR_ENDS), seed)


def check_text(text: str, sizes: tuple[int, int, int], chip: BankChip, end: str, seed: int) -> str:
    """Run a product at a stage against its definition; what went wrong."""
    found = lower_text(SourceFile("product", text), chip, end)
    if found.text is None or found.diagnostics:
        return f"{sizes} for {chip.name} to {end}: {[item.message for item in found.diagnostics]}"
    done = verify_banks(SourceFile("product", text), SourceFile("lowered", found.text), chip, 1, seed).done
    if done is None or not done.ok or done.runs != 1:
        said = [] if done is None else [(item.message, item.notes) for item in done.diagnostics]
        return f"{sizes} for {chip.name} at {end}: {said}"
    return ""


def check_table(ends: list[str], chip: BankChip) -> int:
    """Run the products of the table at each stage; how many went wrong. Seconds of this process, and its memory."""
    wrong = 0
    for sizes in TABLE:
        for end in ends:
            begin = time.process_time()
            found = check_text(product(*sizes), sizes, chip, end, 1)
            wrong += bool(found)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            size = "x".join(map(str, sizes))
            spent = time.process_time() - begin
            print(f"{size} {chip.name} {end}: {found or 'agrees'}, {spent:.1f} s, up to {memory} MB",
                  flush=True)  # fmt: skip
    return wrong


def broken(choose: random.Random, text: str) -> str:
    """A program with a token, a number or a line changed."""
    for _ in range(choose.randint(1, 3)):
        spans = [match.span() for match in _TOKEN.finditer(text)]
        (first, last), (other, end) = choose.choice(spans), choose.choice(spans)
        kind = choose.randrange(5)
        lines = text.split("\n")
        numbers = list(re.finditer(r"\d+", text))
        if kind == 0:
            text = text[:first] + text[last:]
        elif kind == 1:
            text = text[:first] + text[other:end] + text[last:]
        elif kind == 2:
            text = text[:first] + choose.choice(_WORDS) + text[last:]
        elif kind == 3:
            del lines[choose.randrange(len(lines))]
            text = "\n".join(lines)
        elif numbers:
            number = choose.choice(numbers)
            text = text[: number.start()] + str(choose.choice([0, 1, 15, 17, 1000, 2**40])) + text[number.end() :]
    return text


def originals() -> list[str]:
    """Programs at every stage."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(PROGRAMS.glob("*.mlir"))]
    texts += [lowered(product(16, 16, 16), end) for end in ALL_STAGES[1:]]
    return [*texts, lowered(product(16, 16, 32), "bank-ssa", TOY), lowered(product(16, 16, 32), "llvm", SEED)]


def check_broken(seed: int, texts: list[str]) -> str:
    """Lower a broken program; a traceback, or what else is wrong, empty if it is named or lowered."""
    choose = random.Random(seed)
    source = SourceFile("broken", broken(choose, choose.choice(texts)))
    chip = load_bank_chip(choose.choice(bank_chip_names()))
    try:
        found = lower_text(source, chip, choose.choice(ALL_STAGES[1:]))
    except Exception:  # any exception is the finding
        return traceback.format_exc()
    named = any(item.severity == "error" for item in found.diagnostics)
    return "" if named or found.text is not None else "nothing was written and nothing said"


def main() -> None:
    """Print what went wrong, and how many went right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", type=int, default=300)
    parser.add_argument("--table", nargs="+", choices=ALL_STAGES[1:], help="stages to run the known products at")
    parser.add_argument("--target", choices=bank_chip_names(), default="seed")
    options = parser.parse_args()
    if options.table:
        sys.exit(check_table(options.table, load_bank_chip(options.target)) > 0)
    begin = time.perf_counter()
    wrong = Counter(bool(print(seed, found)) for seed in range(options.seed, options.seed + options.count)
                    if (found := check_product(seed, options.largest)))  # fmt: skip
    print(f"{options.count} products of sizes 1 to {options.largest}, {sum(wrong.values())} wrong,"
          f" {time.perf_counter() - begin:.0f} s")  # fmt: skip
    texts = originals()
    bad = [found for seed in range(options.seed, options.seed + 10 * options.count)
           if (found := check_broken(seed, texts))]  # fmt: skip
    print("\n".join(bad))
    print(f"{10 * options.count} broken programs, {len(bad)} not named")


if __name__ == "__main__":
    main()
