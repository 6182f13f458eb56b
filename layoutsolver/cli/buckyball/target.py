"""`--target buckyball:NAME`: which programs are of banks, and the chip that they are for."""

from __future__ import annotations

import argparse
import re

from layoutsolver.cli.errors import UsageError
from layoutsolver.source import SourceFile
from layoutsolver_models.targets.bank_chip import (
    DEFAULT_BANK_CHIP,
    BankChip,
    BankChipError,
    bank_chip_names,
    load_bank_chip,
)

_MARKS = re.compile(r"\bbuckyball\.\w|\btile\.tile_\w|@llvm\.riscv\.b(?:b|uckyball)\.|\.insn r 0x7b")


def is_of_banks(source: SourceFile, target: str) -> bool:
    """Whether a text is taken for a program of tiles or banks, at a glance and without reading it.

    >>> is_of_banks(SourceFile("a", "buckyball.fence"), "auto"), is_of_banks(SourceFile("a", "x"), "buckyball:toy")
    (True, True)
    """
    if target.partition(":")[0] == "buckyball":
        return True
    return target == "auto" and _MARKS.search(re.sub(r"//[^\n]*", "", source.text)) is not None


def bank_chip(options: argparse.Namespace) -> BankChip:
    """The chip that `--target` names. Raises `UsageError` if there is none of that name."""
    target, _, name = options.target.partition(":")
    if target not in ("auto", "buckyball"):
        raise UsageError(f"programs of banks are for `buckyball:NAME`, not for `{options.target}`")
    try:
        return load_bank_chip(name or DEFAULT_BANK_CHIP)
    except KeyError:
        raise UsageError(f"no chip `{name}`: there are {', '.join(bank_chip_names())}") from None
    except BankChipError as error:
        raise UsageError(str(error)) from None
