"""Time limits for tests: a limit is for hangs, never for slow machines."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_SECONDS = 600
PATIENCE_MS = 1000 * PATIENCE_SECONDS
LOOK_AGAIN_AFTER_SECONDS = 0.02


def wait_until(happened: Callable[[], object], what: str, within_seconds: float = PATIENCE_SECONDS) -> None:
    """Poll until `happened` returns a true value; otherwise the error contains `what`."""
    gives_up_at = time.monotonic() + within_seconds
    while not happened():
        if time.monotonic() > gives_up_at:
            raise TimeoutError(f"waited in vain for {what}, {within_seconds:g} s long")
        time.sleep(LOOK_AGAIN_AFTER_SECONDS)
