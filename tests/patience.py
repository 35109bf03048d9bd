"""How long tests wait for what must come: a limit is for what hangs, never for what is slow."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_SECONDS = 180
PATIENCE_MS = 1000 * PATIENCE_SECONDS
LOOK_AGAIN_AFTER_SECONDS = 0.02


def wait_until(happened: Callable[[], object], what: str, within_seconds: float = PATIENCE_SECONDS) -> None:
    """Look until this has happened; `what` names it where it does not."""
    gives_up_at = time.monotonic() + within_seconds
    while not happened():
        if time.monotonic() > gives_up_at:
            raise TimeoutError(f"waited in vain for {what}, {within_seconds:g} s long")
        time.sleep(LOOK_AGAIN_AFTER_SECONDS)
