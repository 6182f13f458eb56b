"""Writes down the analyzer's answers to seeded programs, for tests that must run where it does not.

`python -m tests.support.record_peer` rewrites `tests/golden/peer/answers.json`.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.compare_peer import Recorded, program, recorded
from tests.support.peer import analyze

PATH = Path(__file__).parents[1] / "golden" / "peer" / "answers.json"
SEEDS = range(20_000, 21_000)
SIZE = 10


def load() -> dict[int, Recorded]:
    """The recorded answers by seed."""
    data = json.loads(PATH.read_text(encoding="utf-8"))
    return {
        int(seed): Recorded(item[0], item[1], tuple((op, dist) for op, dist in item[2])) for seed, item in data.items()
    }


def main() -> None:
    """Ask the analyzer and write its answers."""
    answers = {seed: recorded(analyze(program(seed, SIZE))) for seed in SEEDS}
    lines = [
        f'"{seed}": {json.dumps([answer.verdict, answer.failing_op, answer.function_types])}'
        for seed, answer in answers.items()
    ]
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
