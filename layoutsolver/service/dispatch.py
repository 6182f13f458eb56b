"""The one dispatcher behind all transports: a verb and a JSON request in, the bytes of an answer out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from pebble import ProcessExpired
from pydantic import ValidationError

from layoutsolver.report import ReportDiagnostic
from layoutsolver.service.answers import Answer
from layoutsolver.service.faults import Refusal, RefusalError, of_validation
from layoutsolver.service.limits import ServiceLimits
from layoutsolver.service.pool import WorkerPool
from layoutsolver.service.requests import VERBS, parse_request
from layoutsolver.service.run import RefusedError, TooManyOpsError, Worked
from layoutsolver.service.store import Store, StoreError
from layoutsolver.service.work import DefectError

LOG = logging.getLogger("layoutsolver.service")

Hear = Callable[[dict[str, Any]], None]
"""Hears events of a request, in the event loop's thread."""


LARGE = 1 << 16
"""Requests of more bytes are looked at in a thread of their own, while the loop answers others."""


class Answered(NamedTuple):
    """An answer as JSON, and whether it was kept from an earlier request."""

    body: bytes
    kept: bool


class Prepared(NamedTuple):
    """A request that follows its schema, as canonical JSON with the time it may take."""

    verb: str
    body: bytes
    seconds: float
    key: bytes | None


class Dispatcher:
    """Answers requests within limits; to be made and used in one event loop, and closed.

    `store` keeps answers, None keeps none. A store that fails does not fail requests: `store_error` says what is wrong
    with it, None if it works.
    """

    def __init__(self, limits: ServiceLimits, store: Store | None) -> None:
        self.limits = limits
        self.store = store
        self.store_error: str | None = None
        self._loop = asyncio.get_running_loop()
        self._numbers = count(1)
        self._hearing: dict[int, Hear] = {}
        self._open = 0
        self._pool = WorkerPool(limits, self._hear)

    async def prepare(self, verb: str, request: bytes) -> Prepared:
        """A request that may be answered. Raises `RefusalError` for one that is not to be answered at all."""
        if len(request) > LARGE:
            return await asyncio.to_thread(self._prepared, verb, request)
        return self._prepared(verb, request)

    def _prepared(self, verb: str, request: bytes) -> Prepared:
        if verb not in VERBS:
            raise RefusalError(Refusal(404, "unknown-verb", f"no verb `{verb}`: there are {', '.join(VERBS)}"))
        try:
            parsed = parse_request(verb, request)
        except ValidationError as error:
            raise RefusalError(of_validation(error)) from None
        wanted = parsed.time_limit
        if wanted is not None and wanted > self.limits.seconds:
            detail = f"requests are solved for at most {self.limits.seconds:g} seconds here"
            raise RefusalError(Refusal(422, "over-limit", detail, (("/time_limit", detail),)))
        seconds = wanted or self.limits.seconds
        canonical = parsed.model_copy(update={"time_limit": seconds}).model_dump_json(by_alias=True).encode()
        return Prepared(verb, canonical, seconds, None if self.store is None else self.store.key(verb, canonical))

    async def call(self, verb: str, request: bytes) -> Answered:
        """The answer to a request. Raises `RefusalError`, with all that a transport has to say."""
        return await self.run(await self.prepare(verb, request))

    async def run(self, request: Prepared, hear: Hear | None = None) -> Answered:
        """The answer to a prepared request. Cancelling this kills the worker that is at it. Raises `RefusalError`."""
        kept = await self._kept(request.key)
        if kept is not None:
            return Answered(kept, True)
        done = await self._work(request, hear)
        if done.lasting:
            await self._keep(request.key, done.body)
        return Answered(done.body, False)

    @property
    def open(self) -> int:
        """How many requests are being answered or wait to be."""
        return self._open

    async def close(self) -> None:
        """Stop all workers."""
        await asyncio.to_thread(self._pool.close)
        if self.store is not None:
            self.store.close()

    async def _work(self, request: Prepared, hear: Hear | None) -> Worked:
        verb, body, seconds, _ = request
        if self._open >= self.limits.workers + self.limits.queue:
            raise RefusalError(Refusal(429, "busy", "all workers are busy and the queue is full", retry=1))
        number = next(self._numbers)
        if hear is not None:
            self._hearing[number] = hear
        self._open += 1
        try:
            return await asyncio.wrap_future(self._pool.submit(number, verb, body, seconds))
        except TimeoutError:
            return _limit(verb, "LS0401", f"no answer within {seconds + self.limits.grace:g} seconds")
        except MemoryError:
            return _limit(verb, "LS0404", f"more than {self.limits.memory >> 20} MiB of memory would be needed")
        except RefusedError as error:
            raise RefusalError(Refusal(422, "refused-request", str(error))) from None
        except TooManyOpsError as error:
            detail = f"the program has {error.count} operations, more than the {self.limits.ops} that are taken here"
            raise RefusalError(Refusal(413, "too-large", detail)) from None
        except DefectError as error:
            LOG.error("a defect at a request to %s: %s; a reproducer is in %s", verb, error.what, error.reproducer)
            raise RefusalError(Refusal(500, "defect", error.what, incident=Path(error.reproducer).stem)) from None
        except ProcessExpired as error:
            LOG.error("a worker died with status %s at a request to %s", error.exitcode, verb)
            detail = f"the process that worked on this request died (status {error.exitcode})"
            raise RefusalError(Refusal(500, "worker-died", detail)) from None
        finally:
            self._open -= 1
            self._hearing.pop(number, None)

    async def _kept(self, key: bytes | None) -> bytes | None:
        if self.store is None or key is None:
            return None
        try:
            return await asyncio.to_thread(self.store.get, key)
        except StoreError as error:
            self._complain(error)
            return None

    async def _keep(self, key: bytes | None, body: bytes) -> None:
        """Keep an answer; a store that fails is reported, the answer stands."""
        if self.store is None or key is None:
            return
        try:
            await asyncio.to_thread(self.store.put, key, body)
            self.store_error = None
        except StoreError as error:
            self._complain(error)

    def _complain(self, error: StoreError) -> None:
        LOG.warning("answers are not kept: %s", error)
        self.store_error = str(error)

    def _hear(self, number: int, event: dict[str, Any]) -> None:
        """In the listener's thread: pass an event on to the loop."""

        def tell() -> None:
            if number in self._hearing:
                self._hearing[number](event)

        with suppress(RuntimeError):  # the loop is closed already: nobody hears any more
            self._loop.call_soon_threadsafe(tell)


def _limit(verb: str, code: str, message: str) -> Worked:
    said = ReportDiagnostic(code, "error", message, None, (), (), (), True)
    answer = Answer(verb=verb, outcome="limit", text=None, report=None, diagnostics=(said,))
    return Worked(answer.model_dump_json(by_alias=True).encode(), False)
