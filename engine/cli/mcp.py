"""`engine mcp`: lets assistants speak, through the Model Context Protocol on standard input and output."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path
from typing import Any

from engine.cli.command import Command, add_model
from engine.cli.progress import Steps
from engine.errors import EngineError, InvalidRequest
from engine.runtime.preparation.devices import AUTO, DEVICES
from engine.runtime.synthesizer import Synthesizer


def _add_options(parser: Any) -> None:
    parser.add_argument(
        "--folder", type=Path, default=Path(), help="the only folder to save audio files in (default: the current one)"
    )
    parser.add_argument("--device", default=AUTO, help=f"one of: {', '.join(DEVICES)} (default: auto)")
    add_model(parser)


def _run(options: argparse.Namespace) -> None:
    """Serve until the client closes standard input. Raises `EngineError` children."""
    try:
        from engine.server.mcp_tools import build_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise EngineError(
            "The package of the protocol isn’t installed.",
            "Install it in the project folder with .venv/bin/python -m pip install '.[mcp]'.",
        ) from error
    from engine.server.speaking import SpeechService

    if not options.folder.is_dir():
        raise InvalidRequest(f"The folder {options.folder} doesn’t exist.", "Create it or choose a different one.")
    service = SpeechService(Synthesizer(options.model, options.device, options.weights))
    try:
        with Steps() as steps:
            service.start(steps.show)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's handler would wait for the end of the input
        build_server(service, options.folder).run("stdio")
    finally:
        service.close()


COMMAND = Command("mcp", "Let assistants speak, through the Model Context Protocol.", _add_options, _run)
