"""The command line: `python -m engine COMMAND`; progress on standard error, data on standard output."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.system.imports import stay_offline
from engine.system.memory import collect_garbage_rarely

EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; a user's mistake never shows a traceback."""
    stay_offline()
    collect_garbage_rarely()
    try:
        from engine.cli.parser import run_command  # takes half a second, in which the user may interrupt it

        return run_command(arguments)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
