"""Small VMI kernels as text: a load, operations one behind the other, a store."""

from __future__ import annotations

from itertools import pairwise

from layoutsolver.graph.build import build_graph
from layoutsolver.mlir.reader import read
from layoutsolver.pose.vmi.pose import PosedVmi, pose_vmi
from layoutsolver.source import SourceFile
from layoutsolver_models.problems.selection import SelectionSolution, faults
from layoutsolver_models.solve.selection import solve_selection

_INTEGERS = ("i", "s", "u")


def vreg(lanes: int, element: str) -> str:
    return f"!pto.vmi.vreg<{lanes}x{element}>"


def pointer(element: str) -> str:
    return f"!pto.ptr<{element}, ub>"


def cast(name: str, source: str, lanes: int, before: str, after: str) -> str:
    """A `vcvt` with the attributes that its types ask for."""
    narrow = bits_of(after) < bits_of(before) and not after.startswith("!pto.f4")
    attrs = ' {saturate = "SAT"}' if narrow else ""
    return f"{name} = pto.vmi.vcvt {source}{attrs} : {vreg(lanes, before)} -> {vreg(lanes, after)}"


def bits_of(element: str) -> int:
    """The bits of an element type that these kernels use."""
    known = {"!pto.f4E2M1x2": 8, "!pto.bf16x2": 32, "f8E4M3FN": 8, "f16": 16, "bf16": 16, "f32": 32}
    return known[element] if element in known else int(element.lstrip("sui"))


def chain(lanes: int, *elements: str) -> str:
    """Load elements of the first type, convert to each of the others in turn, store."""
    lines = [f"%v0 = pto.vmi.vload %src[%off] : {pointer(elements[0])} -> {vreg(lanes, elements[0])}"]
    for number, (before, after) in enumerate(pairwise(elements), 1):
        lines.append(cast(f"%v{number}", f"%v{number - 1}", lanes, before, after))
    last = len(elements) - 1
    lines.append(f"pto.vmi.vstore %v{last}, %dst[%off] : {vreg(lanes, elements[-1])}, {pointer(elements[-1])}")
    return kernel(f"%src: {pointer(elements[0])}, %dst: {pointer(elements[-1])}, %off: index", *lines)


def kernel(arguments: str, *lines: str) -> str:
    """A module with one kernel."""
    body = "\n".join(f"    {line}" for line in lines)
    return (
        'module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {\n'
        f"  func.func @kernel({arguments}) attributes {{pto.kernel}} {{\n{body}\n    return\n  }}\n}}\n"
    )


def posed(text: str, objective: str = "pipes", valid: bool = True) -> PosedVmi:
    """The problem of a text, which has no errors if it is `valid`."""
    graph, diagnostics = build_graph(read(SourceFile("kernel.pto", text)))
    assert [item.message for item in diagnostics] == []
    made = pose_vmi(graph, objective)
    assert not valid or [item.message for item in made.diagnostics] == []
    return made


def solved(text: str, objective: str = "pipes") -> tuple[PosedVmi, SelectionSolution]:
    """The problem and its proved optimum."""
    made = posed(text, objective)
    solution = solve_selection(made.problem)
    assert solution.status == "optimal"
    assert faults(made.problem, solution.variants, solution.conversions) == []
    return made, solution


def layouts(made: PosedVmi, solution: SelectionSolution) -> dict[str, tuple[str, ...]]:
    """The layouts in which each value is made."""
    found: dict[str, list[str]] = {}
    for op, chosen in zip(made.problem.ops, solution.variants, strict=True):
        for number in chosen:
            for value, layout in zip(op.results, op.variants[number].layouts[len(op.operands) :], strict=True):
                found.setdefault(made.problem.values[value].id, []).append(layout)
    return {name: tuple(names) for name, names in found.items()}
