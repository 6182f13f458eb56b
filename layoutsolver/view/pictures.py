"""All pictures of a program, by their names."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from layoutsolver.view.candidates import space_picture
from layoutsolver.view.dataflow import flow_picture
from layoutsolver.view.lanes import Drawn, lane_picture

if TYPE_CHECKING:
    from layoutsolver.api import SolveOptions, SolveResult
    from layoutsolver.api_vmi import VmiResult
    from layoutsolver.diagnostics.diagnostic import Diagnostic
    from layoutsolver.graph.model import Graph
    from layoutsolver.source import SourceFile
    from layoutsolver.view.svg import Picture
    from layoutsolver_models.solve.layout import Limits
    from layoutsolver_models.targets.bank_chip import BankChip

NAMES = ("dataflow", "space", "lanes", "fusion", "memory")
"""The dataflow with its layouts, the candidate space, the lanes of an operation, loops before and after fusion, and
what lives where in memory and how long.
"""


class NoPictureError(Exception):
    """There is nothing to draw, and why; `diagnostics` are what speaks against it in the program."""

    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(message)
        self.diagnostics: list[Diagnostic] = diagnostics or []


class Shown:
    """A program that has been solved, or read where nothing is to be solved in it, ready to be drawn."""

    def __init__(self, source: SourceFile, solved: SolveResult | VmiResult | None, graph: Graph | None) -> None:
        self.source = source
        self.solved = solved
        self.graph = graph
        self.diagnostics: list[Diagnostic] = [] if solved is None else list(solved.diagnostics)
        self.unreadable = solved is not None and solved.unreadable

    def picture(self, name: str, line: int = 0) -> Picture:
        """The picture of that name, of the operation of a line where it is of one. Raises `NoPictureError`."""
        if name == "lanes":
            return self._lanes(line)
        if self.solved is None or self.solved.posed is None:
            raise NoPictureError(f"there are no layouts to decide in {self.source.name}: it has no picture `{name}`")
        module = _adapter(self.solved)
        return (
            space_picture(module.space_of(self.solved))
            if name == "space"
            else flow_picture(module.flow_of(self.solved))
        )

    def _lanes(self, line: int) -> Picture:
        where = f"{self.source.name}:{line}" if line else self.source.name
        columns: list[list[Drawn]] = []
        if self.solved is not None and self.solved.posed is not None:
            if not line:
                raise NoPictureError("name the operation whose lanes are shown: --line N")
            columns = _adapter(self.solved).lanes_of(self.solved, line)
        elif self.graph is not None:
            from layoutsolver.view.of_vpto import lanes_of

            columns = lanes_of(self.graph, line)
        if not columns:
            raise NoPictureError(f"no vectors to show at {where}")
        return lane_picture(f"{where}: what lies where in vector registers", columns)


HEADINGS = {
    "dataflow": "Where values flow, and in which layouts", "space": "Which layouts there are to choose from",
    "lanes": "How elements lie in registers", "fusion": "Loops before and after fusion",
    "memory": "What lies where, and how long",
}  # fmt: skip


def page_of(shown: Shown, options: SolveOptions) -> str:
    """A page with all pictures of a program."""
    from layoutsolver.view.page import page

    pictures = []
    if shown.solved is not None and shown.solved.posed is not None:
        pictures += [(HEADINGS[name], shown.picture(name)) for name in ("dataflow", "space")]
    if shown.solved is None and shown.graph is not None:
        with suppress(NoPictureError):  # a text without loads has no lanes to show, and the page is whole without them
            pictures.append((HEADINGS["lanes"], shown.picture("lanes")))
    if "pto.fusion_region" in shown.source.text and not shown.unreadable:
        with suppress(NoPictureError):  # what speaks against fusion is said by `fuse`; the page is of layouts first
            pictures.append((HEADINGS["fusion"], fusion_of(shown.source, options)[0]))
    answer = "" if shown.solved is None or not shown.solved.ok else _adapter(shown.solved).annotated(shown.solved)
    return page(shown.source.name, shown.source, shown.diagnostics, pictures, answer, _summary(shown))


def _summary(shown: Shown) -> str:
    """What came of it in one line."""
    errors = sum(item.severity == "error" for item in shown.diagnostics)
    if errors:
        return f"{errors} error{'s' * (errors != 1)}"
    if shown.solved is None or shown.solved.solution is None:
        return ""
    return f"{shown.solved.solution.status}: every vector has a layout"


def fusion_of(source: SourceFile, options: SolveOptions) -> tuple[Picture, list[Diagnostic]]:
    """The loops of a program before and after fusion, and what is to be said. Raises `NoPictureError`."""
    from layoutsolver.api_fusion import FuseOptions, fuse
    from layoutsolver.view.fusion import fusion_picture, view_of

    result = fuse(source, FuseOptions(assumed_turns=options.assumed_trip_count, limits=options.limits))
    if not result.ok:
        raise NoPictureError(f"{source.name} cannot be fused", result.diagnostics)
    found = view_of(result)
    if not found.before:
        raise NoPictureError(f"{source.name} has no loops", result.diagnostics)
    return fusion_picture(found), result.diagnostics


def placement_of(source: SourceFile, limits: Limits) -> tuple[Picture, list[Diagnostic]]:
    """The buffers of a table, at their offsets or where they are best put. Raises `NoPictureError`."""
    from layoutsolver.placement.csv import read_placement
    from layoutsolver.view.memory import memory_picture
    from layoutsolver.view.of_memory import map_of_placement
    from layoutsolver_models.placement.solve import solve_placement

    file = read_placement(source, None)
    if file.errors:
        raise NoPictureError(f"{source.name} is no table of buffers", file.errors)
    solution = solve_placement(file.problem, limits)
    if solution.status not in ("optimal", "feasible"):
        raise NoPictureError(f"no placement was found for {source.name} ({solution.status})")
    return memory_picture(
        map_of_placement(f"{source.name}: where each buffer lies, and when", file.problem, solution)
    ), []


def banks_of(source: SourceFile, limits: Limits, chip: BankChip) -> tuple[Picture, list[Diagnostic]]:
    """The banks of a program's functions where they are best put. Raises `NoPictureError`."""
    from layoutsolver.buckyball.banking import BankOptions, bank_text
    from layoutsolver.view.memory import memory_picture
    from layoutsolver.view.of_memory import map_of_banks

    banked = bank_text(source, chip, BankOptions(limits=limits))
    placed = [one for one in banked.functions if one.solution.status in ("optimal", "feasible")]
    if not placed:
        raise NoPictureError(f"no banks are placed in {source.name}", banked.diagnostics)
    one = placed[0]
    title = f"{source.name}: what the banks hold in `{one.name}`, and when"
    return memory_picture(map_of_banks(title, one.problem, one.solution)), banked.diagnostics


def show(source: SourceFile, options: SolveOptions, vmi: bool) -> Shown:
    """A program ready to be drawn: solved, or read if it is VPTO."""
    if "pto.v" in source.text and "pto.vmi." not in source.text and "ave.hir." not in source.text:
        from layoutsolver.api import graph_of, read_source

        module = read_source(source)
        graph, found = graph_of(module, options)
        shown = Shown(source, None, graph)
        shown.diagnostics = [*module.diagnostics, *found]
        shown.unreadable = any(item.severity == "error" for item in module.diagnostics)
        return shown
    if vmi:
        from layoutsolver.api_vmi import VmiOptions, solve

        chosen = VmiOptions(
            compat=options.compat, assumed_trip_count=options.assumed_trip_count, limits=options.limits,
            conflicts=options.conflicts,
        )  # fmt: skip
        return Shown(source, solve(source, chosen), None)
    from layoutsolver.api import solve as solve_ave

    return Shown(source, solve_ave(source, options), None)


def _adapter(solved: SolveResult | VmiResult) -> Any:
    """The module that knows what is to be seen of such a result."""
    from layoutsolver.api import SolveResult

    if isinstance(solved, SolveResult):
        from layoutsolver.view import of_ave

        return of_ave
    from layoutsolver.view import of_vmi

    return of_vmi
