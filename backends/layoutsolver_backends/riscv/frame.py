"""The frame of a function in assembly: places that get their offsets when it is known which of them are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

RETURN = 0
"""The place of the return address."""

NEAR = 2048
"""The offsets that an instruction holds are below."""


class Access(NamedTuple):
    """A load or store of a register at a place of the frame; with `passed`, so many bytes up the caller's stack.

    Under the names `address` and `frame` it puts the offset of a place, or the size of the frame, into the register.
    """

    name: str
    register: str
    place: int
    passed: bool = False

    @property
    def is_store(self) -> bool:
        """Whether it writes to the frame."""
        return self.name.removeprefix("f").startswith("s")


class Frame:
    """Places by number, with their sizes in bytes."""

    def __init__(self) -> None:
        self.sizes = [8]
        self.offsets: dict[int, int] = {}
        self.size = 16

    def place(self, size: int = 8) -> int:
        """One more place."""
        self.sizes.append(-(-size // 8) * 8)
        return len(self.sizes) - 1

    def close(self, code: Sequence[str | Access]) -> None:
        """Give every place that is read, or whose address is taken, its offset."""
        self.size = 8
        for one in code:
            if isinstance(one, str) or one.passed or one.name == "frame" or one.is_store:
                continue
            if one.place not in self.offsets:
                self.offsets[one.place] = self.size
                self.size += self.sizes[one.place]
        self.size = -(-self.size // 16) * 16

    def lines(self, code: Sequence[str | Access]) -> list[str]:
        """Code as text, without stores to places that nothing reads."""
        out: list[str] = []
        for one in code:
            if isinstance(one, str):
                out.append(one)
            elif one.name == "frame":
                out.append(f"    li {one.register}, {self.size}")
            elif one.name == "address":
                out.append(f"    li {one.register}, {self.offsets[one.place]}")
            elif one.passed or one.place in self.offsets:
                offset = self.size + one.place if one.passed else self.offsets[one.place]
                if offset < NEAR:
                    out.append(f"    {one.name} {one.register}, {offset}(sp)")
                else:
                    out += [f"    li t6, {offset}", "    add t6, sp, t6", f"    {one.name} {one.register}, 0(t6)"]
        return out
