"""The `qtbot` of all tests, which waits as long as a slow machine may need, and reports its unmet conditions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partialmethod

from pytestqt.exceptions import TimeoutError as NotHappened
from pytestqt.qtbot import QtBot

from tests.patience import PATIENCE_MS


class PatientQtBot(QtBot):
    """A bot that times out after minutes, not after pytest-qt's 5 s: a limit is for hangs."""

    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE_MS)
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE_MS)
    waitExposed = partialmethod(QtBot.waitExposed, timeout=PATIENCE_MS)
    waitActive = partialmethod(QtBot.waitActive, timeout=PATIENCE_MS)

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        """Wait until this holds; otherwise the error shows its source."""
        __tracebackhide__ = True
        try:
            super().waitUntil(callback, timeout=timeout)
        except NotHappened as late:
            raise NotHappened(f"waited for {timeout / 1000:g} s until this holds: {source_of(callback)}") from late

    def wait_for_timers(self, longest_ms: int = 0) -> None:
        """Wait until every running timer of at most this length has fired, and posted events have arrived.

        This works at any speed of the machine: timers fire in the order in which they are due, up to 5% early or late.
        """
        self.wait(2 * longest_ms + 1)


def source_of(condition: Callable[[], object]) -> str:
    """Return the source lines of a condition, and the values that it captures."""
    if not inspect.isfunction(condition):
        return repr(condition)
    around = ", ".join(f"{name} = {value!r}" for name, value in inspect.getclosurevars(condition).nonlocals.items())
    lines = inspect.getsource(condition).strip()
    return f"{lines}\nwhere {around}" if around else lines
