"""`engine serve`: lets other programs on this machine speak, through OpenAI's speech API."""

from __future__ import annotations

import argparse
import logging
import os
import resource
import sys
from typing import Any

from engine.cli.command import Command, add_model
from engine.cli.progress import Steps
from engine.errors import EngineError
from engine.runtime.preparation.devices import AUTO, DEVICES
from engine.runtime.synthesizer import Synthesizer

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8880
MAX_OPEN_FILES = 4096
TOKEN_VARIABLE = "KOKORO_DESK_TOKEN"
PACKAGES = ("starlette", "uvicorn")


def _add_options(parser: Any) -> None:
    parser.add_argument("--host", default=DEFAULT_HOST, help="the address to listen on (default: this computer only)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"0 for any free port (default: {DEFAULT_PORT})")
    parser.add_argument(
        "--token",
        help=f"the token that requests need; {TOKEN_VARIABLE} in the environment keeps it out of the process list",
    )
    parser.add_argument("--device", default=AUTO, help=f"one of: {', '.join(DEVICES)} (default: auto)")
    add_model(parser)


def _run(options: argparse.Namespace) -> None:
    """Serve until an interrupt. Raises `EngineError` children."""
    try:
        from engine.server.serving import SpeechServer
        from engine.server.speaking import SpeechService
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in PACKAGES:
            raise
        raise EngineError(
            "The packages of the server aren’t installed.",
            "Install them in the project folder with .venv/bin/python -m pip install '.[server]'.",
        ) from error
    _allow_connections()
    token = options.token if options.token is not None else os.environ.get(TOKEN_VARIABLE)
    service = SpeechService(Synthesizer(options.model, options.device, options.weights))
    server = SpeechServer(service, options.host, options.port, token)
    try:
        with Steps() as steps:
            service.start(steps.show)
        server.run(lambda: _announce(f"{options.model} is ready at {server.url} (press Ctrl+C to stop)"))
    finally:
        server.close()


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


COMMAND = Command("serve", "Let other programs speak, through OpenAI’s speech API.", _add_options, _run)
