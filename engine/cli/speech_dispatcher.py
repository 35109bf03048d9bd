"""`engine speech-dispatcher`: a voice for screen readers on Linux; speech-dispatcher starts it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from engine.cli.command import Command, Outcome, add_model
from engine.runtime.preparation.devices import AUTO, DEVICES, check_device
from engine.runtime.synthesizer import Synthesizer
from engine.system.atomic_write import atomic_write
from engine.system.child_process import python_command

EXECUTABLE = 0o755


def _add_options(parser: Any) -> None:
    parser.add_argument("config", nargs="?", help="ignored: speech-dispatcher names a file of settings")
    parser.add_argument(
        "--write-script", type=Path, metavar="FILE", help="write the script with which speech-dispatcher starts this"
    )
    parser.add_argument("--device", default=AUTO, help=f"one of: {', '.join(DEVICES)} (default: auto)")
    add_model(parser)


def _run(options: argparse.Namespace) -> Outcome | None:
    """Answer speech-dispatcher until it quits. Raises `EngineError` children."""
    if options.write_script is not None:
        return _write_script(options)
    from engine.server.speech_dispatcher import SpeechModule

    engine = Synthesizer(options.model, options.device, options.weights)
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as replies:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # only the protocol may be in the replies
        SpeechModule(engine, sys.stdin.buffer, replies).answer_commands()
    return None


def _write_script(options: argparse.Namespace) -> Outcome:
    """Write an executable script with the options that are given. Raises `InvalidRequest` or `OutputError`."""
    check_device(options.device)
    model = options.model if options.model_named else None
    given = {"--model": model, "--weights": options.weights, "--device": options.device}
    named = [word for name, value in given.items() if value not in (None, AUTO) for word in (name, value)]
    command = shlex.join(python_command("engine", "speech-dispatcher", *named))
    path: Path = options.write_script
    with atomic_write(path) as file:
        file.write(f'#!/bin/sh\nexec {command} "$@"\n'.encode())
        os.fchmod(file.fileno(), EXECUTABLE)
    return Outcome({"script": str(path)}, f"Wrote {path}.")


COMMAND = Command("speech-dispatcher", "Be a voice for screen readers on Linux.", _add_options, _run)
