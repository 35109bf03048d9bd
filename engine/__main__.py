"""The command line: `python -m engine COMMAND`; progress on standard error, data on standard output."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from engine.cli.command import printed
from engine.cli.parser import COMMANDS, build_parser
from engine.errors import EngineError
from engine.system.child_process import error_fields
from engine.system.offline import stay_offline

EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code and never shows a traceback for a user's mistake."""
    stay_offline()
    options = build_parser().parse_args(arguments)
    try:
        return _run(options)
    except EngineError as error:
        to_parent = getattr(options, "progress_json", False)
        print(json.dumps(error_fields(error)) if to_parent else f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"Stopped. {COMMANDS[options.command].left_behind(options)}".strip(), file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def _run(options: argparse.Namespace) -> int:
    outcome = COMMANDS[options.command].run(options)
    if outcome is None:
        return 0
    print(printed(options, outcome))
    if outcome.error is not None:
        raise outcome.error
    return int(not outcome.passed)


if __name__ == "__main__":
    sys.exit(main())
