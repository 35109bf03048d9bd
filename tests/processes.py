"""Processes that tests start and look for."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def exists(process_id: int) -> bool:
    """Return whether there is such a process, including a zombie."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def running_until_killed(command: Sequence[str], **options: Any) -> Iterator[None]:
    """Run a program that is killed when the block ends, also by an error."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield
        finally:
            process.kill()
