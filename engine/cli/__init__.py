"""The command line, one module per command: its options, its action, and its messages."""

from __future__ import annotations

from typing import Any


def data_of(arguments: list[str]) -> Any:
    """Return a command's --json data, for callers in a child process. Raises the errors of the command."""
    from engine.cli.parser import COMMANDS, build_parser  # imports all commands, of which the window runs few

    options = build_parser().parse_args(arguments)
    outcome = COMMANDS[options.command].run(options)
    return None if outcome is None else outcome.data
