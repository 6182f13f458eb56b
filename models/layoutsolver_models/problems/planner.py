"""The planner's protocol: a group of tile operations as a question, a plan for it as the answer.

The names of fields are those of the compiler's structures. Source: fusion spec 9.1 (P0), 9.3.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from layoutsolver_models.problems.fusion import FusionWeights
from layoutsolver_models.problems.record import as_json_object

DType = Literal["f16", "bf16", "f32", "i8", "i16", "i32", "u8", "u16", "u32"]
PlanStatus = Literal["optimal", "feasible", "fallback", "error"]


@as_json_object
class ShapeInfo(NamedTuple):
    """The shape of a tile, the part of it that is computed on (empty: all), and how it lies."""

    shape: tuple[int, ...]
    validShape: tuple[int, ...] = ()
    layout: Literal["row_major", "col_major"] = "row_major"


@as_json_object
class ValueInfo(NamedTuple):
    """An operand or result: equal `valueId` are one tile; `externalOutput` has to be there behind the group."""

    valueId: str
    kind: Literal["vector", "scalar", "constant"]
    dtype: DType
    shape: ShapeInfo | None = None
    externalOutput: bool = False


@as_json_object
class Param(NamedTuple):
    """A named parameter."""

    key: str
    value: str


@as_json_object
class TileOpInfo(NamedTuple):
    """A tile operation, in the order of the program."""

    opId: str
    opName: str
    originalOrder: int
    inputs: tuple[ValueInfo, ...]
    outputs: tuple[ValueInfo, ...]
    templateParams: tuple[Param, ...] = ()


@as_json_object
class FusionGroupInfo(NamedTuple):
    """A group of operations that may share a vector function."""

    groupId: str
    ops: tuple[TileOpInfo, ...]


@as_json_object
class PlannerOptions(NamedTuple):
    """Limits and weights."""

    maxUnroll: int = 8
    vregLimit: int = 32
    maskLimit: int | None = None
    vfParamLimit: int = 32
    weights: FusionWeights = FusionWeights()
    timeLimitMs: int | None = None
    dumpCandidates: bool = False


@as_json_object
class PlannerRequest(NamedTuple):
    """The question."""

    schema: Literal["layoutsolver.fusion/1"]
    group: FusionGroupInfo
    options: PlannerOptions = PlannerOptions()


@as_json_object
class TileOpPlanInfo(NamedTuple):
    """What is done with one operation: its place, how often its inner loop is unrolled, and the loop that it is in."""

    opId: str
    order: int
    unroll: int
    loopFusionId: str
    innerLoopExpand: bool = False


@as_json_object
class StrategyCandidate(NamedTuple):
    """A plan that was looked at, and why it is not the answer (empty: it is, or it only costs more)."""

    strategyName: str
    params: tuple[Param, ...]
    valid: bool
    estimatedCycles: int
    rejectReason: str = ""


@as_json_object
class FusionPlanInfo(NamedTuple):
    """The plan of a group."""

    groupId: str
    ops: tuple[TileOpPlanInfo, ...]
    candidates: tuple[StrategyCandidate, ...] = ()


@as_json_object
class PlannerDiagnostic(NamedTuple):
    """A message of the planner about operations of the group."""

    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    opIds: tuple[str, ...] = ()
    witness: dict[str, str] = {}  # noqa: RUF012 (nobody changes it)


@as_json_object
class PlannerResponse(NamedTuple):
    """The answer; `plan` is missing only where the question is wrong."""

    status: PlanStatus
    plan: FusionPlanInfo | None
    diagnostics: tuple[PlannerDiagnostic, ...] = ()
    schema: Literal["layoutsolver.fusion/1"] = "layoutsolver.fusion/1"
