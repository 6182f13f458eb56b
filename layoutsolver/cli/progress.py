"""How far a long run is, on standard error: a line that is overwritten on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time


class Progress:
    """Told how many of how many runs are done; says nothing for the first second, nor every time after that."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.is_terminal = sys.stderr.isatty()
        self.pause = 0.2 if self.is_terminal else 120.0
        self.next = time.monotonic() + (1.0 if self.is_terminal else self.pause)
        self.shown = 0

    def __call__(self, done: int, total: int) -> None:
        """Show how far it is, if it is time to."""
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + self.pause
        text = f"{self.what}: {done} of {total} runs"
        if self.is_terminal:
            sys.stderr.write(f"\r{text}")
            self.shown = max(self.shown, len(text))
        else:
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe what stands on the terminal."""
        if self.is_terminal and self.shown:
            sys.stderr.write(f"\r{' ' * self.shown}\r")
            sys.stderr.flush()
