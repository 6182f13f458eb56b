"""Text -> Program: at which level a file stands, and which layouts it states.

Layouts that vector types carry are taken as they are. Where only functionTypes are given, the layouts follow from them
by the rules: every operation is held to the rows with its functionType. What a run needs of the layouts is little: a
functionType says which instructions an operation is; a layout is needed where a vector passes to or from the outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from layoutsolver.api import SolveOptions, graph_of, read_source
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.pose.ave import PoseOptions, pose_ave
from layoutsolver.pose.ave_check import operation_faults
from layoutsolver.pose.stated import Stated, stated_solution, written_functiontypes, written_layouts
from layoutsolver.source import SourceFile
from layoutsolver.verify.operation import INTRINSIC
from layoutsolver.verify.program import Level, Program, plain_program
from layoutsolver_models.problems.layout import Pin
from layoutsolver_models.solve.layout import Limits, solve_layout

SEVERAL = 8
"""So many vectors with an open layout are named."""


@dataclass(slots=True)
class Written:
    """A file as it stands: its program (None where it cannot be read), and what is to be said of it."""

    diagnostics: list[Diagnostic]
    graph: Graph | None = None
    program: Program | None = None
    unreadable: bool = False


def read_program(source: SourceFile, options: SolveOptions) -> Written:
    """The program that a text states, with nothing decided."""
    module = read_source(source)
    written = Written(list(module.diagnostics))
    written.unreadable = any(item.severity == "error" for item in written.diagnostics)
    if written.unreadable:
        return written
    graph, found = graph_of(module, options)
    found += operation_faults(graph, options.compat == "upstream")
    written.diagnostics += found
    if any(item.severity == "error" for item in found):
        return written
    written.graph = graph
    level = level_of(graph)
    if level == "plain":
        written.program = plain_program(graph)
        return written
    dists = written_functiontypes(graph)
    chip = pose_ave(graph, PoseOptions(compat=True, chip=options.chip)).chip
    if level == "intrinsics":
        written.program = Program(graph, level, _dense_layouts(graph), dists, chip == "ascend950")
        return written
    layouts = written_layouts(graph)
    stated = stated_solution(graph, dists, layouts, options.chip, options.limits)
    if stated is None:
        written.diagnostics.append(_contradiction(graph))
    else:
        layouts = {**stated.layouts, **layouts}
        open_ones = _open_ones(stated, options.limits)
        if open_ones:
            written.diagnostics.append(_open_layouts(graph, open_ones))
    written.program = Program(graph, level, layouts, dists, chip == "ascend950")
    return written


def level_of(graph: Graph) -> Level:
    """At which level a program stands."""
    if any(node.name.startswith((INTRINSIC, "llvm.")) for node in graph.ops):
        return "intrinsics"
    if any(value.vector is not None and value.vector.layout for value in graph.values):
        return "layouts"
    return "layouts" if written_functiontypes(graph) else "plain"


def border_layouts(to: Graph, of: Graph, layouts: Mapping[int, str]) -> dict[int, str]:
    """The layouts of the vectors of one program that pass to or from the outside, from those of another form of it.

    Arguments go by their place; calls and returns by their number in the function, operands and results by place.
    """
    out: dict[int, str] = {}
    theirs = of.function_by_symbol()
    for function in to.functions:
        other = theirs.get(function.symbol)
        if other is None or not function.has_body:
            continue
        pairs = list(zip(function.arguments, other.arguments, strict=False))
        for names in (("func.call", "call"), ("func.return", "return")):
            mine, like = (_inside(graph, at.op, names) for graph, at in ((to, function), (of, other)))
            for left, right in zip(mine, like, strict=False):
                pairs += zip(left.operands, right.operands, strict=False)
                pairs += zip(left.results, right.results, strict=False)
        out.update((left, layouts[right]) for left, right in pairs if right in layouts)
    return out


def _inside(graph: Graph, function: int, names: tuple[str, ...]) -> list[OpNode]:
    """The operations of these names in a function, in order."""
    number = next(at for at, known in enumerate(graph.functions) if known.op == function)
    return [node for node in graph.ops if node.function == number and node.name in names]


def has_border(graph: Graph) -> bool:
    """Whether any vector passes between a program and the outside."""
    constants = {value for node in graph.ops if node.name == "arith.constant" for value in node.results}
    return bool(_at_the_border(graph) - constants)


_DENSE = {1: "b8", 8: "b8", 16: "b16", 32: "b32"}


def _dense_layouts(graph: Graph) -> dict[int, str]:
    """Every vector side by side, as LLVM has it."""
    vectors = ((value.index, value.vector) for value in graph.values)
    return {index: _DENSE[vector.bits] for index, vector in vectors if vector is not None and vector.bits in _DENSE}


def _open_ones(stated: Stated, limits: Limits) -> dict[int, tuple[str, ...]]:
    """Of the vectors whose layout a run depends on, those that may have another one as well: all that it may be."""
    out: dict[int, tuple[str, ...]] = {}
    posed, problem, layouts = stated.posed, stated.posed.problem, stated.layouts
    for value in sorted(_at_the_border(posed.graph)):
        number = posed.number.get(value)
        if number is None:
            continue
        others = []
        for layout in problem.values[number].domain:
            if layout != layouts[value]:
                pinned = problem._replace(pins=(*problem.pins, Pin(number, layout)))
                if solve_layout(pinned, limits).status in ("optimal", "feasible"):
                    others.append(layout)
        if others:
            out[value] = (layouts[value], *others)
    return out


_PLACED = frozenset({"func.call", "call", "func.return", "return", "arith.constant"})


def _at_the_border(graph: Graph) -> set[int]:
    """The vectors that pass between a program and the outside, or are written as constants."""
    out = {value for function in graph.functions if function.has_body for value in function.arguments}
    for node in graph.ops:
        if node.name in _PLACED:
            out.update(value for value in (*node.operands, *node.results) if value >= 0)
    return {value for value in out if graph.values[value].vector is not None}


def _open_layouts(graph: Graph, open_ones: Mapping[int, tuple[str, ...]]) -> Diagnostic:
    first = next(iter(open_ones))
    names = [
        f"`{graph.values[value].name}`: {' or '.join(known)}, taken for {known[0]}"
        for value, known in list(open_ones.items())[:SEVERAL]
    ]
    if len(open_ones) > SEVERAL:
        names.append(f"... and {len(open_ones) - SEVERAL} more")
    count = len(open_ones)
    which = "vector that passes" if count == 1 else "vectors that pass"
    message = f"the functionTypes leave open how {count} {which} to or from the outside lie{'s' * (count == 1)}"
    label = Label(graph.module.source, graph.values[first].span)
    return Diagnostic("LS0705", "warning", message, label, notes=tuple(names))


def _contradiction(graph: Graph) -> Diagnostic:
    message = "no layouts go with the functionTypes and layouts of this file: it is run as it is written"
    note = "without them, `layoutsolver explain` says what contradicts what"
    label = Label(graph.module.source, graph.ops[0].span)
    return Diagnostic("LS0706", "warning", message, label, notes=(note,))
