"""A plan for a group of tile operations: their order, which share a loop, how far inner loops are unrolled.

Source: fusion spec 9.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutsolver.pose.tiles import domain_of, pose_tiles, unplannable
from layoutsolver_models.problems.fusion import FusionProblem
from layoutsolver_models.problems.planner import (
    FusionGroupInfo,
    FusionPlanInfo,
    Param,
    PlannerDiagnostic,
    PlannerRequest,
    PlannerResponse,
    PlanStatus,
    StrategyCandidate,
    TileOpPlanInfo,
)
from layoutsolver_models.rules.tiles import LOAD_CYCLES, LOOP_CYCLES, STORE_CYCLES, TILE_OPS
from layoutsolver_models.solve.fusion import solve_fusion
from layoutsolver_models.solve.fusion_plan import Clusters, Outcome, fault, peak, settle
from layoutsolver_models.solve.fusion_search import apart, greedy
from layoutsolver_models.solve.layout import Limits


def answer(request: PlannerRequest) -> PlannerResponse:
    """The plan of a request. What cannot be planned comes back as it was, as a fallback, with the reason."""
    wrong = faults(request)
    if wrong:
        return PlannerResponse("error", None, tuple(wrong))
    group, options = request.group, request.options
    unknown = unplannable(group)
    if unknown:
        message = "the tile operation is not in the table, or its tiles have no rows and columns"
        found = PlannerDiagnostic("UNSUPPORTED_TILEOP", "warning", message, tuple(unknown))
        return PlannerResponse("fallback", _as_it_was(group), (found,))
    problem = pose_tiles(group, options)
    seconds = None if options.timeLimitMs is None else options.timeLimitMs / 1000
    solution = solve_fusion(problem, Limits(seconds))
    if solution.status not in ("optimal", "feasible"):
        found = PlannerDiagnostic("TIME_LIMIT", "warning", "no plan was found in time")
        return PlannerResponse("fallback", _as_it_was(group), (found,))
    planner = _Planner(request, problem)
    plan = planner.plan(solution.clusters, solution.keep)
    status: PlanStatus = "optimal" if solution.status == "optimal" else "feasible"
    text = f"no plan costs less than {solution.bound}, this one costs {solution.cost.total}"
    said = () if status == "optimal" else (PlannerDiagnostic("TIME_LIMIT", "note", text),)
    return PlannerResponse(status, plan, said)


def faults(request: PlannerRequest) -> list[PlannerDiagnostic]:
    """What is wrong with a request."""
    out: list[PlannerDiagnostic] = []
    ids = [op.opId for op in request.group.ops]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        out.append(PlannerDiagnostic("DUPLICATE_ID", "error", "operations have the same id", tuple(twice)))
    orders = [op.originalOrder for op in request.group.ops]
    if sorted(orders) != orders or len(set(orders)) < len(orders):
        message = "operations are not in the order of the program"
        out.append(PlannerDiagnostic("WRONG_ORDER", "error", message, tuple(ids)))
    options = request.options
    limits = (options.maxUnroll, options.vregLimit, options.vfParamLimit, options.maskLimit)
    if any(limit is not None and limit < 1 for limit in limits):
        out.append(PlannerDiagnostic("WRONG_LIMIT", "error", "limits are numbers from 1 on"))
    if (options.timeLimitMs is not None and options.timeLimitMs < 1) or min(options.weights) < 0:
        out.append(PlannerDiagnostic("WRONG_LIMIT", "error", "times are numbers from 1 on, weights from 0 on"))
    return out


def _as_it_was(group: FusionGroupInfo) -> FusionPlanInfo:
    ops = tuple(TileOpPlanInfo(op.opId, number, 1, f"{group.groupId}.{number}") for number, op in enumerate(group.ops))
    return FusionPlanInfo(group.groupId, ops)


class _Planner:
    def __init__(self, request: PlannerRequest, problem: FusionProblem) -> None:
        self.group = request.group
        self.options = request.options
        self.problem = problem

    def plan(self, clusters: Clusters, keep: Sequence[int]) -> FusionPlanInfo:
        """The plan that clusters stand for."""
        outcome = settle(self.problem, clusters, keep)
        ops: list[TileOpPlanInfo] = []
        for number, cluster in enumerate(clusters):
            unroll = self.unroll(cluster, outcome)
            for loop in sorted(cluster):
                name = f"{self.group.groupId}.{number}"
                ops.append(TileOpPlanInfo(self.group.ops[loop].opId, len(ops), unroll, name))
        return FusionPlanInfo(self.group.groupId, tuple(ops), self.candidates(clusters, keep))

    def candidates(self, clusters: Clusters, keep: Sequence[int]) -> tuple[StrategyCandidate, ...]:
        """Other plans beside the one that was taken, if they are asked for."""
        if not self.options.dumpCandidates:
            return ()
        everything = (tuple(range(len(self.problem.loops))),)
        named = {
            "chosen": clusters,
            "greedy": greedy(self.problem),
            "fuse_all": everything,
            "fuse_none": apart(self.problem),
        }
        out: list[StrategyCandidate] = []
        for name, plan in named.items():
            reason = fault(self.problem, plan, keep if name == "chosen" else ())
            outcome = settle(self.problem, plan, keep if name == "chosen" else ())
            factors = [self.unroll(cluster, outcome) for cluster in plan]
            cycles = sum(self.cycles(cluster, outcome, factor) for cluster, factor in zip(plan, factors, strict=True))
            params = (Param("unroll", ",".join(map(str, factors))), Param("cost", str(outcome.cost.total)))
            out.append(StrategyCandidate(name, params, reason is None, cycles, reason or ""))
        return tuple(out)

    def unroll(self, cluster: Sequence[int], outcome: Outcome) -> int:
        """The factor with the fewest cycles of those that divide the number of rows and leave enough registers."""
        rows = self.problem.loops[min(cluster)].turns
        taken = max(peak(self.problem, cluster, outcome).amount, 1)
        possible = [
            factor for factor in range(1, self.options.maxUnroll + 1)
            if rows % factor == 0 and (factor == 1 or factor * taken <= self.options.vregLimit)
        ]  # fmt: skip
        return min(possible, key=lambda factor: (self.cycles(cluster, outcome, factor), factor))

    def cycles(self, cluster: Sequence[int], outcome: Outcome, unroll: int) -> int:
        """An estimate: each turn takes as long as its longest chain, or as its instructions take to issue."""
        problem = self.problem
        loads = sum(
            one.registers for one, stays in zip(problem.loads, outcome.loads, strict=True)
            if stays and one.loop in cluster
        )  # fmt: skip
        stores = sum(
            one.registers for one, stays in zip(problem.stores, outcome.stores, strict=True)
            if stays and one.loop in cluster
        )  # fmt: skip
        computing, chain = 0, LOAD_CYCLES + STORE_CYCLES
        for loop in cluster:
            op = self.group.ops[loop]
            kind, domain = TILE_OPS[op.opName.removeprefix("pto.")], domain_of(op)
            assert domain is not None
            computing += kind.instructions * domain.registers
            chain += kind.cycles
        issue = max(-(-(loads + stores) // 2), stores, computing, 1)
        rows = problem.loops[min(cluster)].turns
        return rows // unroll * max(chain, unroll * issue) + LOOP_CYCLES
