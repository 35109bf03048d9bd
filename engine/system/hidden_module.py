"""Imports during which a module that costs more than it brings appears not to be installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from types import ModuleType

_one_at_a_time = RLock()


@contextmanager
def hidden_module(name: str, instead: ModuleType | None = None) -> Iterator[None]:
    """Make a module that is not loaded yet appear not installed, or as the one given `instead`, in this context.

    Python cannot import a module whose entry in `sys.modules` is None. That holds for every thread, and
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
