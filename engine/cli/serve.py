"""`engine serve`: lets other programs on this machine speak, through OpenAI's speech API and the Wyoming protocol."""

from __future__ import annotations

import argparse
import logging
import os
import resource
import sys
from contextlib import ExitStack, closing
from typing import Any

from engine.cli.command import Command, add_model
from engine.cli.progress import Steps
from engine.errors import EngineError
from engine.runtime.preparation.devices import AUTO, DEVICES
from engine.runtime.synthesizer import Synthesizer

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8880
MAX_OPEN_FILES = 4096
TOKEN_VARIABLE = "KOKORO_DESK_TOKEN"
DEFAULT_WYOMING_PORT = 10200
PACKAGES = ("starlette", "uvicorn", "wyoming")


def _add_options(parser: Any) -> None:
    parser.add_argument("--host", default=DEFAULT_HOST, help="the address to listen on (default: this computer only)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"0 for any free port (default: {DEFAULT_PORT})")
    parser.add_argument(
        "--token",
        help=f"the token that requests need; {TOKEN_VARIABLE} in the environment keeps it out of the process list",
    )
    parser.add_argument(
        "--wyoming",
        type=int,
        nargs="?",
        const=DEFAULT_WYOMING_PORT,
        metavar="PORT",
        help=f"also speak for Home Assistant, on this port (default: {DEFAULT_WYOMING_PORT})",
    )
    parser.add_argument(
        "--wyoming-host",
        default=DEFAULT_HOST,
        metavar="HOST",
        help="the address for Home Assistant, which needs no token: all who reach it can use it "
        "(default: this computer only)",
    )
    parser.add_argument("--device", default=AUTO, help=f"one of: {', '.join(DEVICES)} (default: auto)")
    add_model(parser)


def _run(options: argparse.Namespace) -> None:
    """Serve until an interrupt. Raises `EngineError` children."""
    try:
        from engine.server.serving import SpeechServer
        from engine.server.speaking import SpeechService

        if options.wyoming is not None:
            from engine.server.wyoming_server import WyomingServer
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in PACKAGES:
            raise
        groups = "server" if options.wyoming is None else "server,wyoming"
        raise EngineError(
            "The packages of the server aren’t installed.",
            f"Install them in the project folder with .venv/bin/python -m pip install '.[{groups}]'.",
        ) from error
    _allow_connections()
    token = options.token if options.token is not None else os.environ.get(TOKEN_VARIABLE)
    service = SpeechService(Synthesizer(options.model, options.device, options.weights))
    with ExitStack() as opened:
        wyoming = None
        if options.wyoming is not None:
            wyoming = opened.enter_context(closing(WyomingServer(service, options.wyoming_host, options.wyoming)))
        server = opened.enter_context(closing(SpeechServer(service, options.host, options.port, token, wyoming)))
        urls = server.url if wyoming is None else f"{server.url} and {wyoming.url}"
        with Steps() as steps:
            service.start(steps.show)
        server.run(lambda: _announce(f"{options.model} is ready at {urls} (press Ctrl+C to stop)"))


def _allow_connections() -> None:
    """Raise this process's limit on open files, 256 on a Mac; at the limit, new clients wait, which is not logged."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)


def _announce(line: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


COMMAND = Command("serve", "Let other programs speak, through OpenAI’s speech API or Wyoming.", _add_options, _run)
