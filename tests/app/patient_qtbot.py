"""The `qtbot` of all tests, which waits for as long as a slow machine may need, and says for what it has waited."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partialmethod

from pytestqt.exceptions import TimeoutError as NotHappened
from pytestqt.qtbot import QtBot

from tests.patience import PATIENCE_MS


class PatientQtBot(QtBot):
    """Where pytest-qt gives up after 5 s, this one does after minutes: a limit is for what hangs."""

    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE_MS)
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE_MS)
    waitExposed = partialmethod(QtBot.waitExposed, timeout=PATIENCE_MS)
    waitActive = partialmethod(QtBot.waitActive, timeout=PATIENCE_MS)

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        """Wait until this holds; where it does not, the error has its source."""
        __tracebackhide__ = True
        try:
            super().waitUntil(callback, timeout=timeout)
        except NotHappened as late:
            raise NotHappened(f"waited for {timeout / 1000:g} s until this holds: {source_of(callback)}") from late

    def wait_for_timers(self, longest_ms: int = 0) -> None:
        """Wait until every timer of at most this length that runs now has gone off, and what was posted has arrived.

        So it is on a machine of any speed: timers go off in the order in which they are due, up to 5% early or late.
        """
        self.wait(2 * longest_ms + 1)


def source_of(condition: Callable[[], object]) -> str:
    """The lines in which a condition is written, and the values in them that come from around it."""
    if not inspect.isfunction(condition):
        return repr(condition)
    around = ", ".join(f"{name} = {value!r}" for name, value in inspect.getclosurevars(condition).nonlocals.items())
    lines = inspect.getsource(condition).strip()
    return f"{lines}\nwhere {around}" if around else lines
