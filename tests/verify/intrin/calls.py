"""Calls of intrinsics by themselves, with other operands than they have where they are lowered to."""

from __future__ import annotations

import re

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.source import SourceFile
from layoutsolver.verify.intrin.unit import Intrinsics
from layoutsolver.verify.logical_memory import LogicalMemory
from layoutsolver.verify.operation import INTRINSIC, CannotRunError, decode
from layoutsolver_models.hardware.ub import Memory

_CALL = re.compile(rf'"{re.escape(INTRINSIC)}([\w.]+)"\([^)]*\)(?: \{{[^}}]*\}})? : \(([^)]*)\) -> (.*)')


def calls_in(text: str) -> dict[str, tuple[tuple[str, ...], str]]:
    """The intrinsics that a text calls: the types of their operands, and that of their result."""
    return {
        name: (tuple(re.split(r", (?![^<]*>)", operands)) if operands else (), result)
        for name, operands, result in _CALL.findall(text)
    }


def refused(name: str, types: tuple[str, ...], result: str) -> str:
    """What is said of a call with operands of these types before it runs; empty where it can be run."""
    made = [f'%v{number} = "t.v"() : () -> {type_}\n' for number, type_ in enumerate(types)]
    names = ", ".join(f"%v{number}" for number in range(len(types)))
    line = f'"{INTRINSIC}{name}"({names}) : ({", ".join(types)}) -> {result}\n'
    graph, found = build_graph(read(SourceFile("a.mlir", "".join(made) + ("" if result == "()" else "%r = ") + line)))
    assert found == []
    unit = Intrinsics(LogicalMemory(Memory.zeros(256), ()), {}, {}, is_950=True)
    try:
        unit.prepare(decode(graph, graph.ops[-1]))
    except CannotRunError as error:
        return str(error)
    return ""


def taken_otherwise(name: str, types: tuple[str, ...], result: str) -> dict[str, str]:
    """What is said of a call as it is, with an operand fewer or more, with a part of its name more, fewer or another,
    where that is not what is to be said.
    """
    count, (base, *rest) = len(types), name.split(".")
    expected = {(name, types): ""}
    for other in [types[:-1]] * bool(types) + [(*types, "i32")]:
        expected[name, other] = f"`{name}` takes {count} operands, not {len(other)}"
    for parts in ([base, *rest, "x"], [base, *rest[:-1]] * bool(rest), [base, *rest[:-1], "y"] * bool(rest)):
        if parts:
            expected[".".join(parts), types] = f"there is no intrinsic `{'.'.join(parts)}` in the hardware model"
    return {
        f"{other}, {len(given)} operands": said
        for (other, given), wanted in expected.items()
        if (said := refused(other, given, result)) != wanted
    }
