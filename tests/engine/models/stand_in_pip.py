"""Output of pip in a child process: functions that replace the one that runs it."""

from __future__ import annotations

import sys


def says_what_it_was_asked(module: str, arguments: list[str]) -> None:
    """Install nothing."""
    sys.stdout.write("\n".join([module, *arguments]) + "\n")


def finds_no_space(module: str, arguments: list[str]) -> None:
    """Fail with a reason."""
    sys.exit("Looking\nERROR: No space left\nerror: Not added.")


def finds_no_server(module: str, arguments: list[str]) -> None:
    """Fail without a connection."""
    sys.exit("WARNING: Retrying: [Errno -2] Name or service not known\nERROR: No matching one")


def gives_no_reason(module: str, arguments: list[str]) -> None:
    """Fail without a reason."""
    sys.exit(1)
