"""Accesses at addresses that are no multiple of a block: a stream, whose alignment register holds the block between.

Source: section 5.3 and 5.4, `vldas`, `vldus`, `vstus` and `vstas`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from layoutsolver_backends.vpto.build import Builder
from layoutsolver_backends.vpto.code import Ssa

ALIGN = "!pto.align"
_MEMREF = re.compile(r"^memref<\s*(?:[\d?]+\s*x\s*)*")


def moved(build: Builder, pointer: Ssa, offset: Ssa) -> Ssa:
    """An address so many elements behind another, or behind where a memref begins."""
    if pointer.type.startswith("memref<"):
        element = _MEMREF.sub("", pointer.type).partition(",")[0].rstrip(">").strip()
        pointer = build.one("castptr", (pointer,), f"!pto.ptr<{element}, ub>", hint="%p")
    return build.one("addptr", (pointer, offset), pointer.type, hint="%p")


def load_stream(build: Builder, source: Ssa, offset: Ssa, count: int, step: int, type_: str) -> list[Ssa]:
    """Registers from an address on, `step` elements after each other, which is a whole register."""
    first = moved(build, source, offset)
    align = build.one("vldas", (first,), ALIGN, hint="%align")
    made = []
    for number in range(count):
        at = moved(build, first, build.constant(number * step)) if number else first
        value, align = build.emit("vldus", (at, align), (type_, ALIGN))
        made.append(value)
    return made


def store_stream(build: Builder, values: Sequence[tuple[Ssa, int]], destination: Ssa, offset: Ssa) -> None:
    """The first elements of registers, as many of each as is said, one after the other from an address on."""
    first = moved(build, destination, offset)
    align = build.one("init_align", (), ALIGN, counted=False, hint="%align")
    done, at, number = 0, first, build.constant(0, "i32")
    for value, count in values:
        at = moved(build, first, build.constant(done)) if done else first
        number = build.constant(count, "i32")
        align = build.one("vstus", (align, number, value, at), ALIGN, hint="%align")
        done += count
    build.emit("vstas", (align, at, number))
