"""What fusion made of a program, stage by stage, and what each list of loops costs."""

from __future__ import annotations

from layoutsolver.api_fusion import Alternative, FuseResult
from layoutsolver.fusion.measure import measure
from layoutsolver_models.problems.fusion import FusionCost
from layoutsolver_models.solve.fusion_plan import settle
from layoutsolver_models.solve.fusion_search import apart, greedy

_STAGES = ("stage", "regions", "loops", "loads", "stores", "run: loads", "stores", "turns")
_COSTS = ("loops", "loads", "stores", "turns", "loops run", "barriers", "cost")


def fusion_table(result: FuseResult) -> str:
    """The table of a result: a line for the input and each stage, then the plans of each list of loops."""
    lines = [_line(_STAGES)]
    for stage, code in (("input", result.start), *result.stages.items()):
        assert code is not None
        lines.append(_line((stage, *map(str, measure(code, result.assumed_turns)))))
    for block in result.blocks:
        problem, solution = block.posed.problem, block.solution
        places = [loop.where.line for loop in problem.loops if loop.where is not None]
        lines += ["", f"{len(problem.loops)} loops from line {min(places)} on", _line(("", *_COSTS))]
        for name, clusters in (("unfused", apart(problem)), ("greedy", greedy(problem))):
            lines.append(_cost(name, len(clusters), settle(problem, clusters).cost))
        lines.append(_cost(solution.status, len(solution.clusters), solution.cost))
        if len(block.alternatives) > 1:
            lines.append(f"chosen of {len(block.alternatives)} plans of this cost by their layouts:")
            lines += [_alternative(one, one.solution == solution) for one in block.alternatives]
        if solution.status != "optimal":
            lines.append(f"no plan costs less than {solution.bound}")
        for cluster in solution.clusters:
            shown = ", ".join(str(places[loop]) for loop in cluster)
            lines.append(f"  one loop of lines {shown}" if len(cluster) > 1 else f"  the loop of line {shown}")
    return "\n".join(lines) + "\n"


def _cost(name: str, loops: int, cost: FusionCost) -> str:
    numbers = (loops, cost.loads, cost.stores, cost.turns, cost.loops, cost.barriers, cost.total)
    return _line((name, *map(str, numbers)))


def _alternative(one: Alternative, is_chosen: bool) -> str:
    """A plan of equal cost, and what its layouts cost."""
    plan = " ".join("+".join(str(loop + 1) for loop in cluster) for cluster in one.solution.clusters)
    if one.layouts is None:
        return f"  {plan}: no layouts"
    busiest, total, _, registers = one.layouts
    mark = " (chosen)" if is_chosen else ""
    return f"  {plan}: busiest pipe {busiest}, {total} instructions, {registers} registers{mark}"


def _line(words: tuple[str, ...]) -> str:
    first, *rest = words
    return (f"{first:<12}" + "".join(f"{word:>11}" for word in rest)).rstrip()
