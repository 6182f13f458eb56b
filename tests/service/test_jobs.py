"""Which jobs are remembered, and where requests are looked at, without a process to work on them."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import cast

import pytest

from layoutsolver.service.dispatch import LARGE, Answered, Dispatcher, Hear, Prepared
from layoutsolver.service.examples import PROGRAM
from layoutsolver.service.faults import Refusal, RefusalError
from layoutsolver.service.jobs import Job, Jobs
from layoutsolver.service.limits import ServiceLimits


class Waiting:
    """Answers requests when it is told to; what is asked as `wrong` has no answer."""

    def __init__(self, jobs: int) -> None:
        self.limits = ServiceLimits(jobs=jobs)
        self.gate = asyncio.Event()

    async def prepare(self, verb: str, request: bytes) -> Prepared:
        return Prepared(verb, request, 1.0, None)

    async def run(self, request: Prepared, hear: Hear | None = None) -> Answered:
        assert hear is not None
        hear({"kind": "bound", "of": request.body.decode()})
        if request.body == b"waits":
            await self.gate.wait()
        if request.body == b"wrong":
            raise RefusalError(Refusal(422, "refused-request", "no such value"))
        return Answered(b'{"verb":"solve"}', False)


async def started(jobs: Jobs, *requests: bytes) -> list[Job]:
    """Jobs that are over, but for those that wait."""
    found = [await jobs.start("solve", request) for request in requests]
    for _ in range(5):
        await asyncio.sleep(0)
    return found


def test_the_latest_jobs_that_are_over_are_remembered_and_all_that_run() -> None:
    async def check() -> None:
        jobs = Jobs(cast("Dispatcher", Waiting(2)))
        waits, *over = await started(jobs, b"waits", b"a", b"wrong", b"c")
        for job in over:
            assert jobs.get(job.id) is job, "none has been started since"
        (last,) = await started(jobs, b"d")
        assert jobs.get(waits.id).state == "running"
        assert [jobs.get(job.id).state for job in (*over[1:], last)] == ["failed", "done", "done"]
        with pytest.raises(RefusalError, match=f"no job `{over[0].id}`"):
            jobs.get(over[0].id)
        await jobs.close()
        assert waits.state == "cancelled"

    asyncio.run(check())


def test_a_job_says_how_far_it_is() -> None:
    async def check() -> None:
        jobs = Jobs(cast("Dispatcher", Waiting(9)))
        waits, done, wrong = await started(jobs, b"waits", b"a", b"wrong")
        shown = [json.loads(job.status()) for job in (waits, done, wrong)]
        assert [each["event"]["of"] for each in shown] == ["waits", "a", "wrong"]
        assert [each["answer"] for each in shown] == [None, {"verb": "solve"}, None]
        assert [each["problem"] and each["problem"]["status"] for each in shown] == [None, None, 422]
        assert (await jobs.cancel(done.id)).state == "done", "what is over is not cancelled"
        await jobs.close()

    asyncio.run(check())


@pytest.mark.parametrize(("more", "own"), [(0, True), (1, False)])
def test_only_small_requests_are_looked_at_between_others(
    more: int, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def check() -> None:
        dispatcher = Dispatcher(ServiceLimits(), None)
        usual, where = Dispatcher._prepared, []

        def prepared(self: Dispatcher, verb: str, request: bytes) -> Prepared:
            where.append(threading.current_thread() is threading.main_thread())
            return usual(self, verb, request)

        monkeypatch.setattr(Dispatcher, "_prepared", prepared)
        try:
            request = json.dumps({"text": PROGRAM}).encode()
            found = await dispatcher.prepare("solve", request + b" " * (LARGE - len(request) + more))
            with pytest.raises(RefusalError):
                await dispatcher.prepare("solve", b"{" + b" " * LARGE)
        finally:
            await dispatcher.close()
        assert (found.verb, found.seconds, found.key) == ("solve", 30.0, None)
        assert where == [own, False]

    asyncio.run(check())
