"""The border of a worker's thread, where any failure becomes data.

It does not know what is done there, nor how a failure is told.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from engine.errors import EngineError

log = logging.getLogger(__name__)


def failure_of(work: Callable[[], object]) -> Exception | None:
    """Run some work; what it failed with, logged where nobody expected that."""
    try:
        work()
    except Exception as error:
        if not isinstance(error, EngineError):
            log.exception("Unexpected failure in a worker's thread")
        return error
    return None
