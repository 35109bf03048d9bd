from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.screenshot import SETTLED_AFTER_MS, ScreenshotWhenIdle
from app.speech.activity import Activity, Readiness

IDLE = Activity(Readiness.READY)
BUSY = Activity(Readiness.READY, playback=Playback.PLAYING)


@pytest.fixture
def label(qtbot: QtBot) -> QLabel:
    label = QLabel("Hello")
    qtbot.addWidget(label)
    return label


def test_the_picture_waits_until_the_activity_is_idle(label: QLabel, qtbot: QtBot, tmp_path: Path) -> None:
    screenshot = ScreenshotWhenIdle(label, tmp_path / "a.png")
    screenshot.handle_activity(IDLE)
    screenshot.handle_activity(BUSY)
    with qtbot.assertNotEmitted(screenshot.taken):
        qtbot.wait_for_timers(SETTLED_AFTER_MS)
    with qtbot.waitSignal(screenshot.taken) as taken:
        screenshot.handle_activity(IDLE)
    assert taken.args == [0]
    assert QImage(str(tmp_path / "a.png")).size() == label.grab().size()


def test_the_picture_waits_for_other_ongoing_work(label: QLabel, qtbot: QtBot, tmp_path: Path) -> None:
    answers = iter([True, False])
    screenshot = ScreenshotWhenIdle(label, tmp_path / "a.png", lambda: next(answers))
    with qtbot.waitSignal(screenshot.taken) as taken:
        screenshot.handle_activity(IDLE)
    assert taken.args == [0]
    assert next(answers, None) is None


def test_words_that_have_just_changed_have_their_place(qtbot: QtBot, tmp_path: Path) -> None:
    window, label, widths = QWidget(), QLabel("Stop"), []
    qtbot.addWidget(window)
    layout = QHBoxLayout(window)
    layout.addWidget(label)
    layout.addStretch(1)
    window.resize(400, 50)
    window.show()

    def just_ended() -> bool:
        label.setText("Diagnose all of it")
        return False

    screenshot = ScreenshotWhenIdle(window, tmp_path / "a.png", just_ended)
    screenshot.taken.connect(lambda: widths.append(label.width()))
    with qtbot.waitSignal(screenshot.taken):
        screenshot.handle_activity(IDLE)
    assert widths == [label.sizeHint().width()]


def test_an_unwritable_picture_is_reported(label: QLabel, qtbot: QtBot, tmp_path: Path) -> None:
    screenshot = ScreenshotWhenIdle(label, tmp_path / "none" / "a.png")
    with qtbot.waitSignal(screenshot.taken) as taken:
        screenshot.handle_activity(IDLE)
    assert taken.args == [1]


def test_an_earlier_failure_is_reported(label: QLabel, qtbot: QtBot, tmp_path: Path) -> None:
    screenshot = ScreenshotWhenIdle(label, tmp_path / "a.png")
    screenshot.note_failure(ValueError("x"))
    with qtbot.waitSignal(screenshot.taken) as taken:
        screenshot.handle_activity(IDLE)
    assert taken.args == [1]
    assert (tmp_path / "a.png").exists()
