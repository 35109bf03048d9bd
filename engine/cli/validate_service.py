"""`engine validate --serve`: answers the requests of the application on standard input."""

from __future__ import annotations

import os
import sys
from typing import TextIO

SERVICE_NICENESS = 10


def serve() -> None:
    """Answer the application's requests; only events go to standard output, and at low priority."""
    from engine.validator.service.service import Service

    output, sys.stdout = sys.stdout, sys.stderr  # libraries print too
    if hasattr(os, "nice"):
        os.nice(max(0, SERVICE_NICENESS - os.nice(0)))  # the window and the sound go first
    Service(lambda line: _write_line(output, line)).serve(sys.stdin)


def _write_line(output: TextIO, line: str) -> None:
    output.write(f"{line}\n")
    output.flush()
