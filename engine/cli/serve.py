"""`engine serve`: lets other programs on this machine speak, through OpenAI's speech API."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from engine.cli.command import Command, add_model
from engine.cli.progress import Steps
from engine.runtime.preparation.devices import AUTO, DEVICES
from engine.runtime.synthesizer import Synthesizer
from engine.server.hosting import DEFAULT_HOST, DEFAULT_PORT, allow_connections, require_packages

TOKEN_VARIABLE = "KOKORO_DESK_TOKEN"


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
    require_packages()
    from engine.server.serving import SpeechServer
    from engine.server.speaking import SpeechService

    allow_connections()
    token = options.token if options.token is not None else os.environ.get(TOKEN_VARIABLE)
    service = SpeechService(Synthesizer(options.model, options.device, options.weights))
    server = SpeechServer(service, options.host, options.port, token)
    try:
        with Steps() as steps:
            service.start(steps.show)
        server.run(lambda: _announce(f"{options.model} is ready at {server.url} (press Ctrl+C to stop)"))
    finally:
        server.close()


def _announce(line: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


COMMAND = Command("serve", "Let other programs speak, through OpenAI’s speech API.", _add_options, _run)
