"""How the compiler tells buffers apart: by the constant that their address is and the type of the tile."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.fusion.code import Code, Straight, results_of, walk


class Buffer(NamedTuple):
    """A buffer: the SSA value of its address, a constant, and the type of the tile that is made of it."""

    address: int
    tile: str


class Buffers:
    """The buffers of a program. Two constants of one value are two addresses, and tiles may overlap unnoticed."""

    __slots__ = ("code", "definitions")

    def __init__(self, code: Code) -> None:
        self.code = code
        self.definitions: dict[int, Straight] = {}
        for item in walk(code.items):
            if isinstance(item, Straight):
                self.definitions.update(dict.fromkeys(results_of(item), item))

    def of(self, pointer: int | None) -> Buffer | None:
        """The buffer that a pointer is cast from, None where that is not seen."""
        item = None if pointer is None else self.definitions.get(pointer)
        while item is not None and item.node.name == "pto.castptr" and item.operands:
            item = self.definitions.get(item.operands[0])
        if item is None or item.node.name != "pto.pointer_cast" or not item.operands:
            return None
        address = item.operands[0]
        if not self.is_constant(address):
            return None
        return Buffer(address, self.code.graph.values[item.node.results[0]].type.text)

    def is_constant(self, value: int) -> bool:
        """Whether a value is an integer constant."""
        item = self.definitions.get(value)
        return item is not None and item.node.name == "arith.constant" and value in self.code.graph.constants
