"""Thread stack size and priority; garbage collection and the creation of Qt's types on the window's thread alone.

By default, Python collects garbage in any thread that happens to create an object. That may be a thread that must not
delete widgets, or Qt code holding a lock that deleting them waits for, which causes a deadlock. Only reference cycles
are garbage in this sense; everything else is freed immediately, as always.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QTimer

Item = TypeVar("Item")
STACK_BYTES = 16 << 20
"""The stack size of every thread. On a Mac, the default is 512 KB, half of which libsndfile needs to write Vorbis."""
ITEMS_BETWEEN_PAUSES = 250
PAUSE_SECONDS = 0.001
TYPES_BETWEEN_EVENTS = 25
LOOK_EVERY_MS = 1000
SETTLED_AFTER_MS = 3000
"""By then, the window and its imports are permanent.

Nothing is collected before, and these objects are frozen: traversing them would block the window for a tenth of a
second.
"""


@contextmanager
def collected_between_events() -> Iterator[None]:
    """Within the context, collect garbage only from a Qt timer; needs a running `QApplication`."""
    timer = QTimer(interval=LOOK_EVERY_MS)
    timer.timeout.connect(collect_what_is_due)
    settled = QTimer(singleShot=True, interval=SETTLED_AFTER_MS)
    settled.timeout.connect(gc.freeze)
    settled.timeout.connect(timer.start)
    settled.start()
    try:
        with not_collected():
            yield
    finally:
        timer.stop()
        settled.stop()
        gc.unfreeze()


@contextmanager
def not_collected() -> Iterator[None]:
    """Within the context, keep Python from collecting garbage automatically."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def collect_what_is_due() -> None:
    """Collect the generations that exceed Python's own thresholds."""
    pairs = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [generation for generation, (count, threshold) in enumerate(pairs) if count > threshold]
    if due:
        gc.collect(max(due))


def create_qt_types(then: Callable[[], object]) -> None:
    """Create all of Qt's types in this thread, a few between events, and then call a function.

    PySide creates a type when it is first accessed. If a background thread did so, as importing pyqtgraph does, an
    event of the window could use the unfinished type, and the process would crash.
    """
    modules = (QtCore, QtGui, QtWidgets)
    types = ((module, name) for module in modules for name in dir(module))

    def create_some() -> None:
        some = list(islice(types, TYPES_BETWEEN_EVENTS))
        for module, name in some:
            getattr(module, name)
        QTimer.singleShot(0, create_some if some else then)

    create_some()


def gently(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items with short pauses, so that Python code of the window does not wait for a loop in a thread."""
    for number, item in enumerate(items):
        if number % ITEMS_BETWEEN_PAUSES == 0:
            time.sleep(PAUSE_SECONDS)
        yield item


def give_way(niceness: int) -> None:
    """Give other threads priority over this one, and over the threads and processes started from it.

    This works on Linux only, where niceness belongs to a thread; on a Mac, audio has real-time priority anyway.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, 0, niceness)  # of this thread alone, on Linux
