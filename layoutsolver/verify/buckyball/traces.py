"""Code of a processor as Python functions: what LLVM and assembly have in common.

A trace is straight code from a block on, which leaves where a branch is taken. It runs as a Python function of its own
text, made when the block is reached first. Its text knows the names that `namespace` defines, and the windows of
`Processor.windows`: for each size in bytes memory and what is known of it, as unsigned numbers of that size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from layoutsolver.verify.buckyball import floats
from layoutsolver.verify.buckyball.raw import MASK, Processor
from layoutsolver.verify.buckyball.scalars import Unsupported
from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.hardware.buckyball.dram import BASE

LONGEST = 400
"""Instructions after which a trace ends."""

WINDOWS = "d1, k1, d2, k2, d4, k4, d8, k8, end"
"""What `Processor.windows` gives, by the names that traces have for it."""


class TraceText:
    """The text of a trace as it grows. `line` is where the instruction stands that is translated."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line = 0
        self.noted = -1

    def add(self, text: str) -> None:
        """One more line."""
        self.lines.append(f"        {text}")

    def place(self) -> None:
        """Have the line known where an instruction may fail."""
        if self.noted != self.line:
            self.noted = self.line
            self.add(f"at = {self.line}")

    def fail(self, what: str) -> None:
        """Refuse to run an instruction when it is reached."""
        self.place()
        self.add(f"raise Unsupported({what!r})")

    def load(self, target: str, address: str, size: int) -> None:
        """Read an unsigned number; what is not aligned, known, there or at rest is left to the processor."""
        at = self._place_of(address, size, known_there=True)
        self.add(f"    {target} = d{size}[{at}]")
        self.add("else:")
        self.add(f"    {target} = load(o + {BASE}, {size})")

    def store(self, value: str, address: str, size: int) -> None:
        """Write an unsigned number."""
        at = self._place_of(address, size, known_there=False)
        self.add(f"    d{size}[{at}] = {value}")
        self.add(f"    k{size}[{at}] = {known(size)}")
        self.add("else:")
        self.add(f"    store(o + {BASE}, {size}, {value})")

    def _place_of(self, address: str, size: int, known_there: bool) -> str:
        """Begin the case of an aligned place in memory, known if it must be, with nothing in flight; its index."""
        self.place()
        at = f"o >> {size.bit_length() - 1}" if size > 1 else "o"
        aligned = f" and not o & {size - 1}" if size > 1 else ""
        is_known = f" and k{size}[{at}] == {known(size)}" if known_there else ""
        self.add(f"o = {address} - {BASE}")
        self.add(f"if 0 <= o < end{aligned}{is_known} and not flying:")
        return at

    def larger(self, target: str, name: str, left: str, right: str, size: int) -> None:
        """The larger or smaller of two floats, by its bits where none is negative or NaN."""
        sign = ">" if name in ("fmax", "maximum") else "<"
        most = floats.INFINITY[size]
        self.add(f"if {left} <= {most} and {right} <= {most}:")
        self.add(f"    {target} = {left} if {left} {sign} {right} else {right}")
        self.add("else:")
        self.add(f"    {target} = binary({name!r}, {left}, {right}, {size})")

    def relation(self, target: str, relation: str, left: str, right: str, size: int) -> None:
        """Compare two floats, by their bits where none is negative or NaN."""
        sign = {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[relation]
        most = floats.INFINITY[size]
        self.add(f"if {left} <= {most} and {right} <= {most}:")
        self.add(f"    {target} = 1 if {left} {sign} {right} else 0")
        self.add("else:")
        self.add(f"    {target} = compare({relation!r}, {left}, {right}, {size})")

    def function(self, parameters: str, first: Sequence[str] = ()) -> str:
        """The text of the whole function; a fault in it leaves the line where it happened."""
        head = [f"def trace({parameters}, windows):", f"    {WINDOWS} = windows()", *(f"    {one}" for one in first),
                "    at = 0", "    try:"]  # fmt: skip
        tail = [
            "    except (Fault, Unsupported):",
            "        processor.line = processor.line or at",
            "        raise",
            "",
        ]
        return "\n".join([*head, *self.lines, *tail])


def known(size: int) -> int:
    """Flags of so many bytes that are all known, as one number."""
    return int("01" * size, 16)


def namespace(processor: Processor) -> dict[str, Any]:
    """What the text of every trace knows by name."""
    return {
        "processor": processor, "load": processor.load, "store": processor.store, "issue": processor.issue,
        "flying": processor.memory.dram.pending, "binary": floats.binary, "compare": floats.compare,
        "whole": floats.whole, "number": floats.number, "bits_of": floats.bits_of, "Fault": Fault,
        "Unsupported": Unsupported, "MASK": MASK,
    }  # fmt: skip


def made(text: str, known: dict[str, Any]) -> Callable[..., int]:
    """The function that a text defines."""
    defined: dict[str, Any] = {}
    exec(compile(text, "<trace>", "exec"), known, defined)
    found: Callable[..., int] = defined["trace"]
    return found
