"""The command line, one file per command: its options, what it does, and its words."""

from __future__ import annotations

from typing import Any


def data_of(arguments: list[str]) -> Any:
    """What a command has for --json, for those who call it in a child process; raises what the command raises."""
    from engine.cli.parser import COMMANDS, build_parser  # all commands, of which the window runs few

    options = build_parser().parse_args(arguments)
    outcome = COMMANDS[options.command].run(options)
    return None if outcome is None else outcome.data
