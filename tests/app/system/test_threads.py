import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.system import threads
from app.system.threads import collect_what_is_due, collected_between_events, gently, not_collected
from engine.system.paths import project_folder


@pytest.fixture(scope="module", autouse=True)
def all_is_thawed() -> Iterator[None]:
    """Thaw the modules and tests, which `conftest.py` has frozen, and freeze them again afterwards."""
    gc.unfreeze()
    yield
    gc.freeze()


class Cycle:
    """An object that becomes garbage as soon as it has no other references."""

    def __init__(self) -> None:
        self.itself = self


def left_alone() -> weakref.ref[Cycle]:
    gc.collect()
    return weakref.ref(Cycle())


def enough_for_a_collection() -> list[list[int]]:
    return [[] for _ in range(gc.get_threshold()[0] + 100)]


def test_python_collects_nothing_inside_and_again_outside() -> None:
    gc.enable()  # it is off in all tests of the window
    try:
        with not_collected():
            alone = left_alone()
            assert enough_for_a_collection()
            assert alone() is not None
        assert gc.isenabled()
    finally:
        gc.disable()


def test_due_garbage_is_collected() -> None:
    alone = left_alone()
    kept = enough_for_a_collection()
    collect_what_is_due()
    assert alone() is None
    assert kept


def test_nothing_is_collected_that_is_not_due() -> None:
    alone = left_alone()
    collect_what_is_due()
    assert alone() is not None


def test_the_oldest_generation_due_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "get_count", lambda: (701, 11, 10))
    monkeypatch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
    monkeypatch.setattr(gc, "collect", collected.append)
    collect_what_is_due()
    assert collected == [1]


def test_events_of_the_window_collect(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "LOOK_EVERY_MS", 10)
    monkeypatch.setattr(threads, "SETTLED_AFTER_MS", 10)
    seen: list[int] = []
    with collected_between_events():
        qtbot.waitUntil(lambda: gc.get_freeze_count() > 0)
        alone = left_alone()
        weakref.finalize(alone(), lambda: seen.append(threading.get_ident()))
        kept = in_another_thread(enough_for_a_collection)
        assert alone() is not None
        qtbot.waitUntil(lambda: alone() is None)
    assert seen == [threading.get_ident()]
    assert kept


def test_objects_of_the_settled_window_are_not_collected(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "SETTLED_AFTER_MS", 1)
    with collected_between_events():
        qtbot.waitUntil(lambda: gc.get_freeze_count() > 0)
    assert gc.get_freeze_count() == 0


def in_another_thread(make: Callable[[], list[list[int]]]) -> list[list[int]]:
    made: list[list[int]] = []
    thread = threading.Thread(target=lambda: made.extend(make()))
    thread.start()
    thread.join()
    return made


def test_the_timer_ends_with_it(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[None] = []
    monkeypatch.setattr(threads, "LOOK_EVERY_MS", 1)
    monkeypatch.setattr(threads, "SETTLED_AFTER_MS", 1)
    monkeypatch.setattr(threads, "collect_what_is_due", lambda: looks.append(None))
    with collected_between_events():
        qtbot.waitUntil(lambda: bool(looks))
    seen = len(looks)
    QTimer.singleShot(20, lambda: looks.append(None))
    qtbot.waitUntil(lambda: len(looks) > seen)
    assert len(looks) == seen + 1


@pytest.mark.parametrize("count", [0, 1, 250, 1001])
def test_a_loop_with_pauses_has_all_items_in_order(count: int) -> None:
    assert list(gently(range(count))) == list(range(count))


CREATE_TYPES = """
from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtWidgets import QApplication

from app.system.threads import create_qt_types


def missing() -> bool:
    return any(name not in vars(module) for module in (QtCore, QtGui, QtWidgets) for name in dir(module))


application = QApplication([])
assert missing()
create_qt_types(application.quit)
assert missing()  # events come first
application.exec()
assert not missing()
"""


def test_all_types_exist_before_a_thread_uses_them() -> None:
    subprocess.run([sys.executable, "-c", CREATE_TYPES], cwd=project_folder(), check=True)
