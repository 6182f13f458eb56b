"""Pages of programs of banks, and of tables of buffers: the text, what is said of it, where all lies, the answer."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.buckyball.banking import BankOptions, bank_text
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.placement.csv import read_placement, write_placement
from layoutsolver.placement.report import not_lowest, refusal
from layoutsolver.source import SourceFile
from layoutsolver.view.memory import memory_picture
from layoutsolver.view.of_memory import map_of_banks, map_of_placement
from layoutsolver.view.page import page
from layoutsolver_models.placement.solve import solve_placement
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.bank_chip import BankChip


class MemoryPage(NamedTuple):
    """A page, what is said on it, whether the text could not be read, and whether a limit was reached."""

    text: str
    diagnostics: list[Diagnostic]
    unreadable: bool = False
    limited: bool = False


def placement_page(source: SourceFile, limits: Limits) -> MemoryPage:
    """The buffers of a table where they are best put."""
    file = read_placement(source, None)
    if file.errors:
        return MemoryPage(page(source.name, source, file.errors, []), file.errors, unreadable=True)
    solution = solve_placement(file.problem, limits)
    if solution.status not in ("optimal", "feasible"):
        said = [refusal(file, solution)]
        return MemoryPage(page(source.name, source, said, []), said, limited=solution.status == "unknown")
    limited = solution.status != "optimal"
    said = [not_lowest(file, solution)] if limited else []
    drawn = map_of_placement(f"{source.name}: where each buffer lies, and when", file.problem, solution)
    summary = f"{solution.status}: {len(file.problem.buffers)} buffers in {solution.height} bytes"
    answer = write_placement(file, solution.offsets)
    pictures = [("Where each buffer lies, and when", memory_picture(drawn))]
    return MemoryPage(page(source.name, source, said, pictures, answer, summary), said, limited=limited)


def banks_page(source: SourceFile, limits: Limits, chip: BankChip) -> MemoryPage:
    """The banks of all functions of a program where they are best put."""
    banked = bank_text(source, chip, BankOptions(limits=limits))
    pictures, told = [], []
    for one in banked.functions:
        if one.solution.status in ("optimal", "feasible"):
            title = f"{source.name}: what the banks hold in `{one.name}`, and when"
            picture = memory_picture(map_of_banks(title, one.problem, one.solution))
            pictures.append((f"What the banks hold in `{one.name}`, and when", picture))
            told.append(f"{one.name}: {one.solution.status}, {one.solution.peak} of {chip.bank_num} banks")
    text = page(source.name, source, banked.diagnostics, pictures, banked.text or "", "; ".join(told))
    return MemoryPage(text, banked.diagnostics, banked.unreadable, banked.limited)
