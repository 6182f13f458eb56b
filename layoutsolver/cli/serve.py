"""`layoutsolver serve`: the verbs as a JSON service, over HTTP or over standard input and output."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from layoutsolver.cli.errors import UsageError

if TYPE_CHECKING:
    from layoutsolver.service.limits import ServiceLimits
    from layoutsolver.service.store import Store


def run(options: argparse.Namespace) -> int:
    """Serve until the input ends or the process is told to stop. Raises `UsageError`."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        limits = service_limits(options)
        store = open_store(options.store)
        if options.stdio:
            asyncio.run(_lines(limits, store))
        else:
            _http(options, limits, store)
    except ModuleNotFoundError as error:
        message = f"`{error.name}` is not installed: the service needs `pip install layoutsolver[service]`"
        raise UsageError(message) from None
    return 0


def service_limits(options: argparse.Namespace) -> ServiceLimits:
    """The limits that the options set."""
    from layoutsolver.service.limits import ServiceLimits

    return ServiceLimits(
        workers=options.jobs, queue=options.queue, body=options.max_bytes, ops=options.max_ops,
        seconds=options.time_limit, memory=options.memory << 20,
    )  # fmt: skip


def open_store(name: str | None) -> Store | None:
    """The store of that name: None for `off`, the usual one where none is named. Raises `UsageError`."""
    from layoutsolver.service.store import Store, StoreError, default_path

    if name == "off":
        return None
    try:
        return Store(default_path() if name is None else Path(name))
    except StoreError as error:
        raise UsageError(f"{error}; `--store off` keeps no answers") from None


async def _lines(limits: ServiceLimits, store: Store | None) -> None:
    from layoutsolver.service.dispatch import Dispatcher
    from layoutsolver.service.stdio import serve_stdio

    dispatcher = Dispatcher(limits, store)
    try:
        await serve_stdio(dispatcher)
    finally:
        await dispatcher.close()


def _http(options: argparse.Namespace, limits: ServiceLimits, store: Store | None) -> None:
    import uvicorn

    from layoutsolver.service.http import make_app

    app = make_app(limits, store)
    listener = _listen(options.host, options.port)
    host, port = listener.getsockname()[:2]
    print(f"layoutsolver serves at http://{f'[{host}]' if ':' in host else host}:{port}", file=sys.stderr, flush=True)
    gc.collect()
    gc.freeze()  # what was loaded stays: only what requests leave behind is worth looking through
    gc.enable()
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5)
    uvicorn.Server(config).run([listener])


def _listen(host: str, port: int) -> socket.socket:
    """A socket at an address, port 0 being any free one. Raises `UsageError` if it is not to be had."""
    if port > 65535:
        raise UsageError(f"there is no port {port}: they end at 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError as error:
        raise UsageError(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
    return listener
