"""The service over standard input and output: a JSON object a line, `{"id", "method", "params"}`, answered by id.

Answers come in the order in which they are found. With `"stream": true` beside the method, events come before them.
`{"method": "cancel", "params": {"id": ...}}` ends a request.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, BinaryIO

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from layoutsolver.service.dispatch import Dispatcher
from layoutsolver.service.faults import Refusal, RefusalError, of_validation


class Call(BaseModel):
    """One line of input."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: str | int | None = None
    method: str
    params: dict[str, JsonValue] = {}
    stream: bool = False


class Lines:
    """Serves the lines of one stream; answers go to another one, a line each."""

    def __init__(self, dispatcher: Dispatcher, out: BinaryIO) -> None:
        self._dispatcher = dispatcher
        self._out = out
        self._running: dict[str | int, asyncio.Task[None]] = {}

    async def serve(self, lines: BinaryIO) -> None:
        """Answer all lines; returns when the input has ended and everything is answered."""
        loop = asyncio.get_running_loop()
        limit = self._dispatcher.limits.body
        tasks: set[asyncio.Task[None]] = set()
        while True:
            line = await loop.run_in_executor(None, lines.readline, limit + 2)
            if not line:
                break
            if len(line) > limit + 1:
                while line and not line.endswith(b"\n"):
                    line = await loop.run_in_executor(None, lines.readline, limit + 2)
                self._refuse(
                    None, Refusal(413, "too-large", f"the line has more than the {limit} bytes that are taken")
                )
            elif line.strip():
                task = self._take(line)
                if task is not None:
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
        if tasks:
            await asyncio.wait(tasks)

    def _take(self, line: bytes) -> asyncio.Task[None] | None:
        try:
            call = Call.model_validate_json(line)
        except ValidationError as error:
            self._refuse(_id_of(line), of_validation(error))
            return None
        if call.method == "cancel":
            wanted = call.params.get("id")
            task = self._running.get(wanted) if isinstance(wanted, str | int) else None
            if task is not None:
                task.cancel()
            self._say({"id": call.id, "cancelled": task is not None})
            return None
        if call.id is not None and call.id in self._running:
            self._refuse(call.id, Refusal(422, "invalid-request", f"a request {call.id!r} is being answered already"))
            return None
        task = asyncio.create_task(self._answer(call))
        if call.id is not None:
            self._running[call.id] = task
        return task

    async def _answer(self, call: Call) -> None:
        def hear(event: dict[str, Any]) -> None:
            self._say({"id": call.id, "event": event})

        try:
            request = json.dumps(call.params).encode()
            prepared = await self._dispatcher.prepare(call.method, request)
            done = await self._dispatcher.run(prepared, hear if call.stream else None)
            self._write(b'{"id":' + json.dumps(call.id).encode() + b',"answer":' + done.body + b"}\n")
        except RefusalError as error:
            self._refuse(call.id, error.refusal)
        except asyncio.CancelledError:
            self._refuse(call.id, Refusal(499, "cancelled", "the request was cancelled"))
        finally:
            if call.id is not None:
                self._running.pop(call.id, None)

    def _refuse(self, number: str | int | None, refusal: Refusal) -> None:
        self._say({"id": number, "problem": refusal.details().model_dump(exclude_none=True)})

    def _say(self, document: dict[str, Any]) -> None:
        self._write(json.dumps(document, separators=(",", ":")).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        self._out.write(line)
        self._out.flush()


def _id_of(line: bytes) -> str | int | None:
    """The id of a line that is no call, as far as it has one."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    number = found.get("id") if isinstance(found, dict) else None
    return number if isinstance(number, str | int) and not isinstance(number, bool) else None


async def serve_stdio(dispatcher: Dispatcher) -> None:
    """Serve this process's own standard input and output."""
    await Lines(dispatcher, sys.stdout.buffer).serve(sys.stdin.buffer)
