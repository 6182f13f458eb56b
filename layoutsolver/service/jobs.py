"""Requests that are started, asked after, and cancelled."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from layoutsolver.service.answers import Answer, ProblemDetails
from layoutsolver.service.dispatch import Dispatcher, Prepared
from layoutsolver.service.faults import Refusal, RefusalError

State = Literal["running", "done", "failed", "cancelled"]


class JobStatus(BaseModel):
    """How far a job is: its latest event, its answer when it is `done`, the problem when it `failed`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: Annotated[Literal["layoutsolver/job/1"], Field(alias="schema")] = "layoutsolver/job/1"
    id: str
    verb: str
    state: State
    event: dict[str, JsonValue] | None
    answer: Answer | None
    problem: ProblemDetails | None


class Job:
    """A request on its way."""

    def __init__(self, verb: str) -> None:
        self.id = uuid4().hex
        self.verb = verb
        self.event: dict[str, Any] | None = None
        self.task: asyncio.Task[Any] | None = None
        self.answer: bytes | None = None
        self.problem: Refusal | None = None
        self.state: State = "running"

    def status(self) -> bytes:
        """How far it is, as JSON; the answer stands in it byte for byte."""
        problem = None if self.problem is None else self.problem.details()
        known = JobStatus(
            id=self.id, verb=self.verb, state=self.state, event=self.event, answer=None, problem=problem
        )  # fmt: skip
        text = known.model_dump_json(by_alias=True).encode()
        return text if self.answer is None else text.replace(b'"answer":null', b'"answer":' + self.answer, 1)


class Jobs:
    """The jobs of a service: all that run, and the latest ones that are over."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._jobs: dict[str, Job] = {}

    async def start(self, verb: str, request: bytes) -> Job:
        """A job that has begun. Raises `RefusalError` for a request that is not to be answered at all."""
        prepared = await self._dispatcher.prepare(verb, request)
        job = Job(verb)
        self._jobs[job.id] = job
        job.task = asyncio.get_running_loop().create_task(self._run(job, prepared))
        over = [each for each in self._jobs.values() if each.state != "running"]
        for old in over[: max(0, len(over) - self._dispatcher.limits.jobs)]:
            del self._jobs[old.id]
        return job

    def get(self, number: str) -> Job:
        """The job of that id. Raises `RefusalError` if there is none, or none any more."""
        if number not in self._jobs:
            raise RefusalError(Refusal(404, "not-found", f"no job `{number}`"))
        return self._jobs[number]

    async def cancel(self, number: str) -> Job:
        """End a job if it still runs. Raises `RefusalError` if there is none."""
        job = self.get(number)
        if job.task is not None and not job.task.done():
            job.task.cancel()
            await asyncio.wait([job.task])
        return job

    async def close(self) -> None:
        """End all jobs."""
        for number in list(self._jobs):
            await self.cancel(number)

    async def _run(self, job: Job, prepared: Prepared) -> None:
        def hear(event: dict[str, Any]) -> None:
            job.event = event

        try:
            job.answer = (await self._dispatcher.run(prepared, hear)).body
            job.state = "done"
        except RefusalError as error:
            job.problem = error.refusal
            job.state = "failed"
        except asyncio.CancelledError:
            job.state = "cancelled"
