"""What stops a verb before it begins; the command line turns each into a message and an exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from layoutsolver.diagnostics.diagnostic import Diagnostic


class InputError(Exception):
    """An input that cannot be read as text; `diagnostic` says why and where."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class UsageError(Exception):
    """An argument that the parser cannot check by itself."""
