"""Every command of `python -m engine`, and the parser of their options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from engine.cli.benchmark import COMMAND as BENCHMARK
from engine.cli.command import Command
from engine.cli.compile import COMMAND as COMPILE
from engine.cli.distill import DISTILL
from engine.cli.doctor import COMMAND as DOCTOR
from engine.cli.models import COMMAND as MODELS
from engine.cli.pack import COMMAND as PACK
from engine.cli.plan import COMMAND as PLAN
from engine.cli.reference import COMMAND as REFERENCE
from engine.cli.report import COMMAND as REPORT
from engine.cli.speak import COMMAND as SPEAK
from engine.cli.starter import EVALUATE, TRAIN
from engine.cli.validate import COMMAND as VALIDATE
from engine.cli.voices import COMMAND as VOICES

COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        SPEAK,
        PLAN,
        VOICES,
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
    )
}


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands; the name of the chosen one is its `command`."""
    parser = argparse.ArgumentParser(prog="python -m engine", description="Speaks text locally with compiled Kokoro.")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS.values():
        command.add_options(subparsers.add_parser(command.name, help=command.summary, description=command.summary))
    return parser
