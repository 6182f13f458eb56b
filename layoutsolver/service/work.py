"""What a worker process does; importing this module loads all that a request may need."""

from __future__ import annotations

import importlib

from layoutsolver.cli.defect import what_happened, write_reproducer
from layoutsolver.service.events import Teller
from layoutsolver.service.run import RefusedError, TooManyOpsError, Worked, answered

PRELOADED = ("numpy", "ortools.sat.python.cp_model", "layoutsolver.api_vmi", "layoutsolver.verify.run")
"""What most requests need, loaded before workers are forked."""

for name in PRELOADED:
    importlib.import_module(name)


class DefectError(Exception):
    """A defect of ours: `what` happened, and the file that reproduces it."""

    def __init__(self, what: str, reproducer: str) -> None:
        super().__init__(what, reproducer)
        self.what = what
        self.reproducer = reproducer


def work(verb: str, request: bytes, max_ops: int, events: str, number: int) -> Worked:
    """The answer to a request; its events go to the socket `events` under its number.

    Raises as `answered` does, `MemoryError` where the limit to memory is reached, and `DefectError` for all else.
    """
    teller = Teller(events, number)
    try:
        return answered(verb, request, max_ops, teller)
    except (RefusedError, TooManyOpsError, MemoryError):
        raise
    except Exception:  # whatever reaches this is a defect of ours
        raise DefectError(what_happened(), write_reproducer([verb], request.decode())) from None
    finally:
        teller.close()
