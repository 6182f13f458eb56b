"""A run of a verb whose files are in memory: what it reads, what it says and what it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from layoutsolver.diagnostics.diagnostic import Diagnostic
    from layoutsolver_models.solve.observe import Observer


class Session:
    """Stands for the files, standard output and standard error of one run, which may be one of many at a time.

    `files` are texts by name; a verb leaves its answer in `written` and its diagnostics, in their order, in `said`.
    `observe` hears of solutions and bounds while the verb runs.
    """

    __slots__ = ("files", "observe", "said", "written")

    def __init__(self, files: Mapping[str, str], observe: Observer | None = None) -> None:
        self.files = files
        self.observe = observe
        self.said: list[Diagnostic] = []
        self.written: str | None = None
