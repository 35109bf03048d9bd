"""Threads: how much room and priority they have, and that garbage is collected on the window's thread alone.

Left to itself, Python collects garbage wherever it happens to make an object. That may be a thread that must not
delete widgets, or inside Qt while it holds a lock that deleting them waits for, and then for ever. Only reference
cycles are garbage in this sense; everything else is freed at once as always.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QTimer

STACK_BYTES = 16 << 20
"""Of every thread. On a Mac they have 512 KB by default, of which libsndfile takes half to write Vorbis."""
LOOK_EVERY_MS = 1000
SETTLED_AFTER_MS = 3000
"""By then the window and what it imports are there to stay. Nothing is collected before, and they are left out later:
to go through them takes a tenth of a second, in which the window stands still."""


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
    """Collect what Python would have collected by now according to its own thresholds."""
    pairs = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [generation for generation, (count, threshold) in enumerate(pairs) if count > threshold]
    if due:
        gc.collect(max(due))


def give_way(niceness: int) -> None:
    """Give other threads priority over this one, and over the threads and processes that are started from it.

    Linux only, where niceness belongs to a thread; on a Mac the sound has real-time priority anyway.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, 0, niceness)  # of this thread alone, on Linux
