"""Controls imports of libraries: keeps them offline, and hides those that only cost time.

Only the process of `engine.models.download` goes online.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from threading import RLock
from types import ModuleType

SETTINGS = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_UPDATE_CHECK": "1"}
"""The environment variables that the hub's client reads when it is imported; child processes inherit them."""
_one_at_a_time = RLock()


def stay_offline(environment: MutableMapping[str, str] = os.environ) -> None:
    """Apply `SETTINGS`; call it before importing any library that reads them."""
    environment.update(SETTINGS)


@contextmanager
def hidden_module(name: str, instead: ModuleType | None = None) -> Iterator[None]:
    """Make a module that is not yet loaded appear as missing, or replace it by `instead`, in this context.

    Python cannot import a module whose entry in `sys.modules` is None. This affects every thread, and
    `importlib.util.find_spec` does not find the module either; `bundle.require_reference` therefore asks the finders.
    """
    with _one_at_a_time:
        if name in sys.modules:
            yield
            return
        sys.modules[name] = instead  # type: ignore[assignment]
        try:
            yield
        finally:
            del sys.modules[name]
