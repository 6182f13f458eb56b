"""What comes of comparing two programs."""

from __future__ import annotations

from dataclasses import dataclass, field

from layoutsolver.diagnostics.diagnostic import Diagnostic


@dataclass(slots=True)
class Verification:
    """What came of comparing: messages, how many runs were compared, and how many bytes and vectors in them.

    `writers` has, for each byte that differs, the operations that wrote it before and after, for each vector those that
    it left by, and for a fault the one that it comes from: graph indices in either program, -1 for none. `places` says
    where: function, run, and the address of a byte, or -1 and below for the vectors that left the program.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    runs: int = 0
    bytes_compared: int = 0
    vectors_compared: int = 0
    writers: set[tuple[int, int]] = field(default_factory=set)
    places: set[tuple[str, int, int]] = field(default_factory=set)

    @property
    def ok(self) -> bool:
        """Whether everything ran and nothing differed."""
        return not any(item.severity == "error" for item in self.diagnostics)

    def add(self, other: Verification) -> None:
        """Count another comparison of the same question in."""
        self.diagnostics += other.diagnostics
        self.runs += other.runs
        self.bytes_compared += other.bytes_compared
        self.vectors_compared += other.vectors_compared
        self.writers |= other.writers
        self.places |= other.places
