"""The service over HTTP: routes, and what HTTP needs said in its own way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from starlette.exceptions import HTTPException

from layoutsolver import __version__
from layoutsolver.diagnostics.codes import page
from layoutsolver.service.answers import ProblemDetails
from layoutsolver.service.dispatch import LARGE, Answered, Dispatcher, Hear, Prepared
from layoutsolver.service.documents import schema_names, schema_of, targets
from layoutsolver.service.examples import PROGRAMS
from layoutsolver.service.faults import TITLES, Refusal, RefusalError, of_validation
from layoutsolver.service.jobs import Job, Jobs
from layoutsolver.service.limits import ServiceLimits
from layoutsolver.service.openapi import JOB, PROBLEMS, STREAMED, document
from layoutsolver.service.ready import Readiness, readiness
from layoutsolver.service.requests import VERBS
from layoutsolver.service.store import Store

PROBLEM_TYPE = "application/problem+json"
NDJSON = "application/x-ndjson"
PAGE_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:"
)
"""The page loads nothing, from anywhere: all of it is in the one document."""
DRAINED = 2
"""A body that is too large is read to its end and thrown away, up to so many times the limit, so that the client hears
the answer."""


class JobRequest(BaseModel):
    """What a job is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    verb: str
    request: dict[str, JsonValue]


class Health(BaseModel):
    """That the service is alive."""

    status: str


class Version(BaseModel):
    """What answers."""

    name: str
    version: str


def make_app(limits: ServiceLimits, store: Store | None) -> FastAPI:
    """The application; its workers start and stop with it, and the store is closed with it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.dispatcher = dispatcher = Dispatcher(limits, store)
        app.state.jobs = jobs = Jobs(dispatcher)
        yield
        await jobs.close()
        await dispatcher.close()

    app = FastAPI(title="layoutsolver", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_exception_handler(RefusalError, _refused)
    app.add_exception_handler(HTTPException, _http_fault)
    app.add_exception_handler(RequestValidationError, _wrong_parameter)
    for verb in VERBS:
        _add_verb(app, verb, limits)
    _add_jobs(app, limits)
    _add_documents(app)
    _add_health(app)
    _add_page(app)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]  # FastAPI's own way to extend the document
    return app


def _add_verb(app: FastAPI, verb: str, limits: ServiceLimits) -> None:
    async def answer(request: Request, stream: bool = False) -> Response:
        dispatcher: Dispatcher = request.app.state.dispatcher
        body = await read_json(request, limits.body)
        prepared = await dispatcher.prepare(verb, body)
        if stream:
            return StreamingResponse(_events(dispatcher, prepared), media_type=NDJSON)
        task = asyncio.create_task(dispatcher.run(prepared))
        done = await _unless_gone(request, task)
        return Response(done.body, media_type="application/json", headers=_kept(done))

    responses = {200: STREAMED, **PROBLEMS}
    app.add_api_route(
        f"/v1/{verb}", answer, methods=["POST"], name=verb, responses=responses, response_model=None, tags=["verbs"]
    )  # fmt: skip


def _add_jobs(app: FastAPI, limits: ServiceLimits) -> None:
    @app.post("/v1/jobs", status_code=202, responses={202: JOB, **PROBLEMS}, response_model=None, tags=["jobs"])
    async def start_job(request: Request) -> Response:
        body = await read_json(request, limits.body)
        job = await start(request.app.state.jobs, body)
        headers = {"Location": f"/v1/jobs/{job.id}"}
        return Response(job.status(), 202, headers, media_type="application/json")

    @app.get("/v1/jobs/{job_id}", responses={200: JOB, 404: PROBLEMS[404]}, response_model=None, tags=["jobs"])
    async def get_job(request: Request, job_id: str) -> Response:
        jobs: Jobs = request.app.state.jobs
        return Response(jobs.get(job_id).status(), media_type="application/json")

    @app.delete("/v1/jobs/{job_id}", responses={200: JOB, 404: PROBLEMS[404]}, response_model=None, tags=["jobs"])
    async def cancel_job(request: Request, job_id: str) -> Response:
        jobs: Jobs = request.app.state.jobs
        job = await jobs.cancel(job_id)
        return Response(job.status(), media_type="application/json")


async def start(jobs: Jobs, body: bytes) -> Job:
    """A job from its JSON request."""
    try:
        verb, request = await asyncio.to_thread(_asked, body) if len(body) > LARGE else _asked(body)
    except ValidationError as error:
        raise RefusalError(of_validation(error)) from None
    return await jobs.start(verb, request)


def _asked(body: bytes) -> tuple[str, bytes]:
    asked = JobRequest.model_validate_json(body)
    return asked.verb, json.dumps(asked.request).encode()


def _add_documents(app: FastAPI) -> None:
    @app.get("/v1/schemas", tags=["documents"])
    async def list_schemas() -> list[str]:
        return schema_names()

    @app.get("/v1/schemas/{name}", responses={404: PROBLEMS[404]}, tags=["documents"])
    async def get_schema(name: str) -> dict[str, JsonValue]:
        found = schema_of(name)
        if found is None:
            raise RefusalError(Refusal(404, "not-found", f"no schema `{name}`"))
        return found

    @app.get("/v1/targets", tags=["documents"])
    async def list_targets() -> list[str]:
        return targets()

    @app.get("/v1/codes/{code}", responses={404: PROBLEMS[404]}, tags=["documents"])
    async def get_code(code: str) -> str:
        found = page(code)
        if found is None:
            raise RefusalError(Refusal(404, "not-found", f"no code `{code}`"))
        return found


def _add_health(app: FastAPI) -> None:
    @app.get("/healthz", tags=["health"])
    async def healthz() -> Health:
        return Health(status="alive")

    @app.get("/readyz", responses={503: {"model": Readiness}}, tags=["health"])
    async def readyz(request: Request, response: Response) -> Readiness:
        found = await readiness(request.app.state.dispatcher)
        response.status_code = 200 if found.ready else 503
        return found

    @app.get("/version", tags=["health"])
    async def version() -> Version:
        return Version(name="layoutsolver", version=__version__)


def _add_page(app: FastAPI) -> None:
    text = files("layoutsolver.service").joinpath("page", "index.html").read_text(encoding="utf-8")

    @app.get("/", include_in_schema=False)
    async def index() -> HTMLResponse:
        return HTMLResponse(text, headers={"Content-Security-Policy": PAGE_POLICY})

    @app.get("/examples", include_in_schema=False)
    async def examples() -> dict[str, tuple[str, str]]:
        return PROGRAMS


async def read_json(request: Request, limit: int) -> bytes:
    """The body of a request. Raises `RefusalError` for one that is too large or no JSON by its own word."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    data = bytearray()
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= limit:
            data += chunk
        elif size > DRAINED * limit:
            break
    if size > limit:
        raise RefusalError(Refusal(413, "too-large", f"the body has more than the {limit} bytes that are taken"))
    if kind != "application/json":
        raise RefusalError(Refusal(415, "unsupported-media-type", f"the body is `{kind or 'nothing'}`"))
    return bytes(data)


async def _unless_gone(request: Request, task: asyncio.Task[Answered]) -> Answered:
    """The answer; if the client goes away, its worker is killed."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    watch = asyncio.create_task(gone())
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise RefusalError(Refusal(499, "cancelled", "the client closed the connection"))
        return task.result()
    finally:
        watch.cancel()
        task.cancel()


async def _events(dispatcher: Dispatcher, prepared: Prepared) -> AsyncIterator[bytes]:
    """Events as they come, a JSON document a line; the last one is the result or the problem."""
    queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    hear: Hear = queue.put_nowait
    task = asyncio.create_task(dispatcher.run(prepared, hear))
    try:
        while not task.done() or not queue.empty():
            wait = asyncio.create_task(queue.get())
            await asyncio.wait({task, wait}, return_when=asyncio.FIRST_COMPLETED)
            if wait.done():
                yield json.dumps({"event": "progress", **wait.result()}).encode() + b"\n"
            else:
                wait.cancel()
        try:
            yield b'{"event":"result","answer":' + task.result().body + b"}\n"
        except RefusalError as error:
            problem = error.refusal.details().model_dump_json(exclude_none=True).encode()
            yield b'{"event":"problem","problem":' + problem + b"}\n"
    finally:
        task.cancel()


def _kept(done: Answered) -> dict[str, str]:
    return {"Layoutsolver-Answer": "kept" if done.kept else "new"}


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusalError)
    refusal = error.refusal
    headers = {} if refusal.retry is None else {"Retry-After": str(refusal.retry)}
    return _problem(refusal.details(), headers)


async def _wrong_parameter(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    names = ", ".join(".".join(str(step) for step in item["loc"]) for item in error.errors())
    return _problem(Refusal(422, "invalid-request", f"not a value that is taken: {names}").details(), {})


async def _http_fault(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kinds = {404: "not-found", 405: "method-not-allowed"}
    kind = kinds.get(error.status_code, "invalid-request")
    refusal = Refusal(error.status_code, kind, f"{request.method} {request.url.path}: {TITLES[kind]}")
    return _problem(refusal.details(), dict(error.headers or {}))


def _problem(details: ProblemDetails, headers: dict[str, str]) -> Response:
    content = details.model_dump(exclude_none=True)
    return JSONResponse(content, details.status, headers, media_type=PROBLEM_TYPE)
