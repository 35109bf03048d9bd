"""The commands of `kokoro-desk` or `python -m engine`, the parser of their options, and their execution.

Results go to standard output, errors to standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from engine.cli.benchmark import COMMAND as BENCHMARK
from engine.cli.command import Command, Outcome, printed
from engine.cli.compile import COMMAND as COMPILE
from engine.cli.distill import DISTILL
from engine.cli.doctor import COMMAND as DOCTOR
from engine.cli.lexicon import COMMAND as LEXICON
from engine.cli.mcp import COMMAND as MCP
from engine.cli.models import COMMAND as MODELS
from engine.cli.pack import COMMAND as PACK
from engine.cli.plan import COMMAND as PLAN
from engine.cli.presets import COMMAND as LEARN_PRESETS
from engine.cli.progress import point_nowhere, show_line
from engine.cli.reference import COMMAND as REFERENCE
from engine.cli.report import COMMAND as REPORT
from engine.cli.serve import COMMAND as SERVE
from engine.cli.speak import COMMAND as SPEAK
from engine.cli.speech_dispatcher import COMMAND as SPEECH_DISPATCHER
from engine.cli.starter import EVALUATE, TRAIN
from engine.cli.validate import COMMAND as VALIDATE
from engine.cli.voices import COMMAND as VOICES
from engine.errors import EngineError, OutputError
from engine.system.child_process import error_fields

COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        SPEAK,
        PLAN,
        LEXICON,
        VOICES,
        SERVE,
        MCP,
        SPEECH_DISPATCHER,
        COMPILE,
        PACK,
        VALIDATE,
        BENCHMARK,
        MODELS,
        REFERENCE,
        DOCTOR,
        REPORT,
        TRAIN,
        EVALUATE,
        DISTILL,
        LEARN_PRESETS,
    )
}
EXIT_INTERRUPTED = 130


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands; `command` is the name of the chosen one."""
    parser = argparse.ArgumentParser(
        prog="kokoro-desk",
        description="Desktop text-to-speech with Kokoro compiled by TVM. Without a command, opens the window.",
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS.values():
        command.add_options(subparsers.add_parser(command.name, help=command.summary, description=command.summary))
    return parser


def run_command(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; a user's mistake never shows a traceback."""
    options = build_parser().parse_args(arguments)
    try:
        return _run(options)
    except EngineError as error:
        to_parent = getattr(options, "progress_json", False)
        show_line(json.dumps(error_fields(error)) if to_parent else f"error: {error}")
        return 1
    except KeyboardInterrupt:
        show_line(f"Stopped. {COMMANDS[options.command].left_behind(options)}".strip())
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the process that started this one has ended
        point_nowhere(sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    outcome = COMMANDS[options.command].run(options)
    if outcome is None:
        return 0
    _print_outcome(options, outcome)
    if outcome.error is not None:
        raise outcome.error
    return int(not outcome.passed)


def _print_outcome(options: argparse.Namespace, outcome: Outcome) -> None:
    """Print the outcome. Raises `OutputError`, or `BrokenPipeError` if the reader has closed the pipe."""
    if sys.stdout is None:
        return
    if _has_the_speech(sys.stdout, options):
        show_line(printed(options, outcome))
        return
    try:
        sys.stdout.write(f"{_writable(printed(options, outcome), sys.stdout)}\n")
        sys.stdout.flush()
    except OSError as error:
        point_nowhere(sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise
        raise OutputError(
            f"Finished, but couldn’t write to standard output ({error.strerror}).", "Redirect it to a different place."
        ) from error


def _writable(text: str, stream: TextIO) -> str:
    """Escape each character that the stream cannot encode, such as a lone surrogate in a file name."""
    if stream.errors != "strict":
        return text
    return text.encode(stream.encoding, "backslashreplace").decode(stream.encoding)


def _has_the_speech(stream: TextIO, options: argparse.Namespace) -> bool:
    """Return whether --out names the file that this stream writes to, such as `/dev/stdout`."""
    output: Path | None = getattr(options, "out", None)
    if output is None or not os.path.exists(output) or output.is_file() or output.is_dir():
        return False
    return os.path.samestat(output.stat(), os.fstat(stream.fileno()))
