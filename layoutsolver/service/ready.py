"""Whether the service can answer: a small program goes all the way through it."""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict

from layoutsolver.service.answers import Answer
from layoutsolver.service.dispatch import Dispatcher
from layoutsolver.service.faults import RefusalError

PROBE = """\
func.func @ready(%src: memref<64xf32, #hivm.address_space<ub>>, %dst: memref<64xf32, #hivm.address_space<ub>>) {
  %c0 = arith.constant 0 : index
  %all = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  ave.hir.masked_store <NORM_B32> %dst[%c0], %all, %x : memref<64xf32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf32>
  return
}
"""  # noqa: E501


class Readiness(BaseModel):
    """Whether requests are answered, how many are open, and how the store is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ready: bool
    detail: str
    open: int
    store: str


async def readiness(dispatcher: Dispatcher) -> Readiness:
    """What solving a small program says."""
    store = "off" if dispatcher.store is None else dispatcher.store_error or "working"
    try:
        done = await dispatcher.call("solve", json.dumps({"text": PROBE, "name": "ready.mlir"}).encode())
    except RefusalError as error:
        return Readiness(ready=False, detail=error.refusal.detail, open=dispatcher.open, store=store)
    outcome = Answer.model_validate_json(done.body).outcome
    ready = outcome == "done"
    detail = "a small program is solved" if ready else f"a small program is not solved ({outcome})"
    return Readiness(ready=ready, detail=detail, open=dispatcher.open, store=store)
