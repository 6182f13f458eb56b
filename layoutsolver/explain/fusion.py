"""Why loops of a region stayed apart, and why stores stay. Source: fusion spec 4.7."""

from __future__ import annotations

from collections import Counter

from layoutsolver.api_fusion import FuseResult
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.fusion.apart import Apart, message
from layoutsolver.fusion.elide import Elided
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.pose.fusion.pose import Posed
from layoutsolver_models.problems.fusion import FusionProblem, FusionSolution
from layoutsolver_models.solve.fusion_plan import Excess, Outcome, exceeded, ordered, peak, settle


def loops_apart(posed: Posed, solution: FusionSolution) -> list[Apart]:
    """A reason for every pair of loops that are in different clusters, in the order of the text."""
    place = {loop: number for number, cluster in enumerate(solution.clusters) for loop in cluster}
    out: list[Apart] = []
    for second in range(len(posed.problem.loops)):
        for first in range(second):
            if place[first] != place[second]:
                found = posed.block.apart(first, second)
                out.append(found or _by_choice(posed, solution, first, second, place))
    return out


def _by_choice(posed: Posed, solution: FusionSolution, first: int, second: int, place: dict[int, int]) -> Apart:
    """Why two loops that may share a body do not: what the clusters that they are in would come to."""
    one, other = posed.block.loop(first).node, posed.block.loop(second).node
    mine, theirs = solution.clusters[place[first]], solution.clusters[place[second]]
    for early, late in ((min(a, b), max(a, b)) for a in mine for b in theirs):
        reason = posed.block.apart(early, late)
        if reason is not None:
            text = f"they are with loops that must stay apart ({reason.rule}: {reason.text})"
            shown = ((reason.first, "this loop"), (reason.second, "and this one"), *reason.shown)
            return Apart(one, other, "CLUSTER", text, shown, reason.notes)
    joined = tuple(sorted((*mine, *theirs)))
    rest = [cluster for cluster in solution.clusters if cluster not in (mine, theirs)]
    plan = ordered(posed.problem, [*rest, joined])
    if plan is None:
        text = "together, they would have to run before and after another loop"
        return Apart(one, other, "ORDER", text, _between(posed, joined))
    outcome = settle(posed.problem, plan, solution.keep)
    excess = exceeded(posed.problem, joined, outcome)
    if excess:
        text = f"one body would take {excess.text}"
        return Apart(one, other, "PRESSURE", text, *_pressure(posed, joined, outcome, excess))
    more = outcome.cost.total - solution.cost.total
    text = f"one body would cost {more} more" if more else "one body would cost as much"
    return Apart(one, other, "COST", text, (), _difference(posed.problem, solution, plan))


def _between(posed: Posed, joined: tuple[int, ...]) -> tuple[tuple[OpNode, str], ...]:
    """Loops that depend on one of the loops and that another one depends on."""
    block = posed.block
    positions = [block.loops[loop] for loop in joined]
    out: list[tuple[OpNode, str]] = []
    for later in positions:
        for earlier in positions:
            way = block.shortest(earlier, later) if earlier < later else []
            out += [(block.items[at].node, "comes between them") for at in way[1:-1] if at not in positions]
    return tuple(dict.fromkeys(out))


def _pressure(
    posed: Posed, joined: tuple[int, ...], outcome: Outcome, excess: Excess
) -> tuple[tuple[tuple[OpNode, str], ...], tuple[str, ...]]:
    """The operation where a body takes most, and what takes it there."""
    problem = posed.problem
    if excess.kind == "parameters":
        each = " + ".join(str(len(problem.loops[loop].parameters)) for loop in joined)
        most_of_all = problem.limits.parameters
        text = f"the loops take {each} parts of memory and numbers, {excess.amount} different ones, of {most_of_all}"
        return (), (text,)
    most = peak(problem, joined, outcome, excess.kind)
    loop = posed.block.loop(most.loop)
    node = loop.body[most.step].node if loop.body else loop.node
    live: Counter[str] = Counter()
    for value in most.live:
        known = problem.values[value]
        live[known.id] += known.registers if excess.kind == "registers" else known.predicates
    named = ", ".join(
        (f"`{name}`" if name.startswith("%") else name) + (f" in {count}" if count > 1 else "")
        for name, count in live.items()
    )
    limit = problem.limits.registers if excess.kind == "registers" else problem.limits.predicates
    what = "vector registers" if excess.kind == "registers" else "predicate registers"
    notes = (f"{what} taken there, of {limit}: {named}",)
    return ((node, f"{most.amount} {what} are taken here"),), notes


def _difference(problem: FusionProblem, solution: FusionSolution, plan: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    """What changes with another plan, part by part."""
    mine, theirs = solution.cost, settle(problem, plan, solution.keep).cost
    changes = [
        f"{name} {after - before:+d}"
        for name, before, after in zip(mine._fields, mine, theirs, strict=True)
        if name != "total" and after != before
    ]
    return (", ".join(changes),) if changes else ()


def stores_kept(graph: Graph, elided: Elided) -> list[Diagnostic]:
    """For each store that stays, everybody who may read what it writes."""
    source = graph.module.source
    out: list[Diagnostic] = []
    for kept in elided.kept:
        labels = tuple(
            Label(source, reader.node.span, reader.why) for reader in kept.readers if reader.node is not None
        )
        notes = tuple(dict.fromkeys(reader.why for reader in kept.readers if reader.node is None))
        count = len({label.span for label in labels})
        who = f"{count} operation{'s' * (count != 1)}" if count else "what comes after the function"
        text = f"the store stays: {who} may read it" if kept.readers else "the store stays, though nobody reads it"
        out.append(Diagnostic("LS0904", "note", text, Label(source, kept.store.span), labels, notes))
    return out


def explanation(result: FuseResult) -> list[Diagnostic]:
    """Everything that is said of a fusion: regions apart, loops apart, stores that stay."""
    if result.start is None:
        return []
    graph = result.start.graph
    out = [message(graph, one, "LS0901") for one in result.plan_apart]
    for block in result.blocks:
        if block.solution.clusters:
            out += [message(graph, one, "LS0903") for one in loops_apart(block.posed, block.solution)]
    return out + ([] if result.elided is None else stores_kept(graph, result.elided))
