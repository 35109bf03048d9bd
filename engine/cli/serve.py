"""`engine serve`: lets other programs on this machine speak, through OpenAI's speech API and the Wyoming protocol."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack, closing
from typing import Any

from engine.cli.command import Command, add_model
from engine.cli.progress import Steps
from engine.runtime.preparation.devices import AUTO, DEVICES
from engine.runtime.synthesizer import Synthesizer
from engine.server.hosting import DEFAULT_HOST, DEFAULT_PORT, allow_connections, require_packages

TOKEN_VARIABLE = "KOKORO_DESK_TOKEN"
DEFAULT_WYOMING_PORT = 10200


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
    require_packages(wyoming=options.wyoming is not None)
    from engine.server.serving import SpeechServer
    from engine.server.speaking import SpeechService

    if options.wyoming is not None:
        from engine.server.wyoming_server import WyomingServer

    allow_connections()
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


def _announce(line: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


COMMAND = Command("serve", "Let other programs speak, through OpenAI’s speech API or Wyoming.", _add_options, _run)
