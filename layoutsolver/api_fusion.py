"""Fusion of vector functions: text in; regions planned, loops fused, loads and stores elided, regions dissolved."""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.api import read_source
from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.fusion.access import Facts
from layoutsolver.fusion.apart import Apart
from layoutsolver.fusion.check import check_regions
from layoutsolver.fusion.code import Code, Item, Loop, Scope, code_of, inside, walk
from layoutsolver.fusion.cse import eliminate_common
from layoutsolver.fusion.elide import Elided, ElideOptions, elide, unused
from layoutsolver.fusion.flatten import flatten
from layoutsolver.fusion.fuse import fused
from layoutsolver.fusion.liveness import readers
from layoutsolver.fusion.plan import plan
from layoutsolver.fusion.print import write
from layoutsolver.graph.build import ASSUMED_TRIP_COUNT, build_graph
from layoutsolver.mlir.tree import Module
from layoutsolver.pose.fusion.block import Block
from layoutsolver.pose.fusion.pose import Around, Posed, PoseOptions, pose
from layoutsolver.source import SourceFile, Span
from layoutsolver_models.problems.fusion import FusionSolution
from layoutsolver_models.solve.fusion import solve_fusion
from layoutsolver_models.solve.layout import Limits
from layoutsolver_models.targets.fusion import fusion_target

STAGES = ("plan", "fuse", "cse", "elide", "flatten")
"""The stages in their order; `--stop-after` names the last one that is carried out."""


class FuseOptions(NamedTuple):
    """How far to go and how: the last stage, whether stores may go that nobody reads any more, whether `pmode = "zero"`
    is believed, the turns of loops with unknown bounds, and the limits of a solve. `joint` is how many plans of equal
    cost are looked at for the one whose layouts cost least; below 2, none are.
    """

    stop_after: str = "flatten"
    exit_dse: bool = True
    trust_zero: bool = False
    assumed_turns: int = ASSUMED_TRIP_COUNT
    chip: str = "ascend950"
    limits: Limits = Limits()
    joint: int = 0


class Alternative(NamedTuple):
    """A plan that costs as much as the best one, and what the layouts of the program then cost (None: none are found):
    the busiest pipe, all instructions, the other pipes, registers.
    """

    solution: FusionSolution
    layouts: tuple[int, int, int, int] | None


class FusedBlock(NamedTuple):
    """One list of loops that was decided: its problem and the answer; `alternatives` are those it was chosen from."""

    posed: Posed
    solution: FusionSolution
    alternatives: tuple[Alternative, ...] = ()


class FuseResult:
    """What came of a text: the program behind each stage, what was decided, what is to be said.

    `start` is the program as it was read, `code` what became of it; None where the input has errors that keep it from
    being fused.
    """

    __slots__ = ("assumed_turns", "blocks", "code", "diagnostics", "elided", "module", "plan_apart", "stages", "start")

    def __init__(self, module: Module) -> None:
        self.module = module
        self.diagnostics: list[Diagnostic] = list(module.diagnostics)
        self.assumed_turns = ASSUMED_TRIP_COUNT
        self.start: Code | None = None
        self.code: Code | None = None
        self.stages: dict[str, Code] = {}
        self.plan_apart: tuple[Apart, ...] = ()
        self.blocks: list[FusedBlock] = []
        self.elided: Elided | None = None

    @property
    def ok(self) -> bool:
        """Whether there is an answer and nothing speaks against it."""
        return self.code is not None and not any(item.severity == "error" for item in self.diagnostics)

    @property
    def limited(self) -> bool:
        """Whether a limit kept an answer from being proved."""
        return any(block.solution.status != "optimal" for block in self.blocks)

    @property
    def text(self) -> str | None:
        """The text of the program behind the last stage."""
        return None if self.code is None else write(self.code)


def fuse(source: SourceFile, options: FuseOptions | None = None) -> FuseResult:
    """Carry out the stages on a text."""
    chosen = options or FuseOptions()
    result = FuseResult(read_source(source))
    if any(item.severity == "error" for item in result.module.diagnostics):
        return result
    graph, found = build_graph(result.module, chosen.assumed_turns)
    result.diagnostics += found
    if any(item.severity == "error" for item in found):
        return result
    result.assumed_turns = chosen.assumed_turns
    code = code_of(graph)
    result.diagnostics += check_regions(code)
    if any(item.severity == "error" for item in result.diagnostics):
        return result
    result.start = code
    if not any(isinstance(item, Scope) and item.is_region for item in walk(code.items)):
        message = "there is no `pto.fusion_region` here: no loops are fused, only loads and stores are elided"
        result.diagnostics.append(Diagnostic("LS0902", "warning", message, Label(source, Span(0, 0))))
    _run(code, chosen, result)
    for block in result.blocks:
        if block.solution.status == "feasible":
            gap = f"the plan costs {block.solution.cost.total}, at least {block.solution.bound} is needed"
            message = f"time limit reached: {gap}"
            result.diagnostics.append(Diagnostic("LS0402", "warning", message, Label(source, Span(0, 0))))
    return result


def fuse_as_seed(source: SourceFile, stop_after: str = "flatten") -> tuple[list[Diagnostic], str | None]:
    """What is to be said of a text, and what the first version of the production compiler makes of it, defects
    included; None where it cannot be read, or where the result would use values before they are defined.
    """
    from layoutsolver.fusion.compat.run import run_seed

    module = read_source(source)
    graph, found = build_graph(module)
    said = [*module.diagnostics, *found]
    if not any(item.severity == "error" for item in said):
        said += check_regions(code_of(graph))
    if any(item.severity == "error" for item in said):
        return said, None
    text = write(run_seed(code_of(graph), stop_after))
    again = read_source(SourceFile(f"{source.name} (fused)", text))
    broken = [*again.diagnostics, *build_graph(again)[1]]
    if any(item.severity == "error" for item in broken):
        message = "the compiler's fusion moves uses before definitions: its own verifier stops here"
        notes = tuple(dict.fromkeys(item.message for item in broken))[:3]
        said.append(Diagnostic("LS0905", "error", message, Label(source, Span(0, 0)), (), notes))
        return said, None
    return said, text


def _run(code: Code, options: FuseOptions, result: FuseResult) -> None:
    """The stages, one after the other."""
    for stage in STAGES[: STAGES.index(options.stop_after) + 1]:
        if stage == "plan":
            planned = plan(code)
            code, result.plan_apart = planned.code, planned.apart
        elif stage == "fuse":
            code = fuse_loops(code, options, result.blocks)
        elif stage == "cse":
            code = eliminate_common(code)
        elif stage == "elide":
            result.elided = elide(code, ElideOptions(options.exit_dse, options.trust_zero, kept_loads(result.blocks)))
            code = result.elided.code
        else:
            code = eliminate_common(flatten(code))
        result.stages[stage] = code
    result.code = code


def kept_loads(blocks: list[FusedBlock]) -> frozenset[int]:
    """The operations of loads that stay because of the room their values would take."""
    return frozenset(block.posed.loads[load] for block in blocks for load in block.solution.keep)


def pose_options(options: FuseOptions) -> PoseOptions:
    """How problems are posed for a chip."""
    target = fusion_target(options.chip)
    return PoseOptions(
        target.weights, target.limits, options.assumed_turns, options.exit_dse, options.trust_zero
    )  # fmt: skip


def fuse_loops(code: Code, options: FuseOptions, blocks: list[FusedBlock]) -> Code:
    """The program with the loops of its regions fused as is best, outer ones first; the decisions are added."""
    depth = 0
    while True:
        found = places(code.items)
        for place, level in found:
            if level == depth:
                code = _fuse_block(code, place, options, blocks)
        if not any(level > depth for _, level in found):
            return code
        depth += 1


class Place(NamedTuple):
    """A list of items: the operation that holds it, by index, and which of its blocks it is."""

    holder: int
    block: int


def places(items: tuple[Item, ...], depth: int = 0, within: bool = False) -> list[tuple[Place, int]]:
    """The lists of items whose loops may be fused, and how deep they are: those of regions, and of loops in them."""
    out: list[tuple[Place, int]] = []
    for item in items:
        region = isinstance(item, Scope) and item.is_region
        for number, block in enumerate(inside(item)):
            if (region or (within and isinstance(item, Loop))) and sum(isinstance(one, Loop) for one in block) > 1:
                out.append((Place(item.node.index, number), depth))
            out += places(block, depth + 1, within or region)
    return out


def _fuse_block(code: Code, place: Place, options: FuseOptions, blocks: list[FusedBlock]) -> Code:
    """The program with one list of loops fused."""
    posed = posed_block(code, place, options)
    solution = solve_fusion(posed.problem, options.limits)
    alternatives: tuple[Alternative, ...] = ()
    if options.joint > 1 and solution.status == "optimal":
        alternatives = _alternatives(code, place, posed, solution, options)
        known = [one for one in alternatives if one.layouts is not None]
        if known:
            solution = min(known, key=lambda one: one.layouts or ()).solution
    blocks.append(FusedBlock(posed, solution, alternatives))
    if solution.status not in ("optimal", "feasible"):
        return code
    return applied(code, place, solution.clusters)


def _alternatives(
    code: Code, place: Place, posed: Posed, best: FusionSolution, options: FuseOptions
) -> tuple[Alternative, ...]:
    """Plans of equal cost for one list of loops, and the layouts of the program with each of them, the other lists of
    loops as they are.
    """
    from layoutsolver.api_vmi import VmiOptions, solve
    from layoutsolver_models.cp.fusion import equal_plans

    out: list[Alternative] = []
    for plan_ in equal_plans(posed.problem, options.limits, best, options.joint):
        changed = eliminate_common(applied(code, place, plan_.clusters))
        keep = frozenset(posed.loads[load] for load in plan_.keep)
        elided = elide(changed, ElideOptions(options.exit_dse, options.trust_zero, keep)).code
        text = write(eliminate_common(flatten(elided)))
        name = code.graph.module.source.name
        vmi = VmiOptions(assumed_trip_count=options.assumed_turns, limits=options.limits)
        found = solve(SourceFile(name, text), vmi)
        layouts = found.solution if found.ok else None
        cost = None if layouts is None else (layouts.busiest, layouts.total, layouts.rest, layouts.registers)
        out.append(Alternative(plan_, cost))
    return tuple(out)


def posed_block(code: Code, place: Place, options: FuseOptions) -> Posed:
    """The problem of one list of items of a program."""
    merged = eliminate_common(code)
    facts = Facts(merged)
    left = elide(merged, ElideOptions(options.exit_dse, options.trust_zero))
    indices = frozenset(item.node.index for item in walk(left.code.items))
    handed = {one.load.results[0]: one.value for one in left.forwards}
    around = Around(readers(merged, facts), indices, unused(merged), handed)
    return pose(merged, facts, _items_at(merged.items, place), around, pose_options(options))


def applied(code: Code, place: Place, clusters: tuple[tuple[int, ...], ...]) -> Code:
    """The program with the loops of one list put together by clusters."""
    items = _items_at(code.items, place)
    block = Block(items, Facts(code))
    found = fused(items, block.edges, [[block.loops[loop] for loop in cluster] for cluster in clusters])
    return Code(code.graph, _with(code.items, place, found))


def _items_at(items: tuple[Item, ...], place: Place) -> tuple[Item, ...]:
    holder = next(item for item in walk(items) if item.node.index == place.holder)
    return inside(holder)[place.block]


def _with(items: tuple[Item, ...], place: Place, found: tuple[Item, ...]) -> tuple[Item, ...]:
    """The items with one list replaced."""
    out: list[Item] = []
    for item in items:
        if isinstance(item, Loop):
            body = found if item.node.index == place.holder else _with(item.body, place, found)
            out.append(item._replace(body=body))
        elif isinstance(item, Scope):
            mine = item.node.index == place.holder
            blocks = tuple(
                found if mine and number == place.block else _with(block, place, found)
                for number, block in enumerate(item.blocks)
            )
            out.append(item._replace(blocks=blocks))
        else:
            out.append(item)
    return tuple(out)
