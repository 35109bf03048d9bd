from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app import screenshot
from app.audio.player import Playback
from app.screenshot import ScreenshotWhenIdle
from app.speech.activity import Activity, Readiness

IDLE = Activity(Readiness.READY)
BUSY = Activity(Readiness.READY, playback=Playback.PLAYING)
SETTLED_AFTER_MS = 100


@pytest.fixture(autouse=True)
def activities_settle_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screenshot, "SETTLED_AFTER_MS", SETTLED_AFTER_MS)


@pytest.fixture
def label(qtbot: QtBot) -> QLabel:
    label = QLabel("Hello")
    qtbot.addWidget(label)
    return label


def test_the_picture_waits_until_the_activity_is_idle(label: QLabel, qtbot: QtBot, tmp_path: Path) -> None:
    picture = ScreenshotWhenIdle(label, tmp_path / "a.png")
    picture.handle_activity(IDLE)
    picture.handle_activity(BUSY)
    with qtbot.assertNotEmitted(picture.taken):
        qtbot.wait_for_timers(SETTLED_AFTER_MS)
    with qtbot.waitSignal(picture.taken) as taken:
        picture.handle_activity(IDLE)
    assert taken.args == [0]
    assert QImage(str(tmp_path / "a.png")).size() == label.grab().size()


def test_the_picture_waits_for_other_ongoing_work(label: QLabel, qtbot: QtBot, tmp_path: Path) -> None:
    answers = iter([True, False])
    picture = ScreenshotWhenIdle(label, tmp_path / "a.png", lambda: next(answers))
    with qtbot.waitSignal(picture.taken) as taken:
        picture.handle_activity(IDLE)
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

    picture = ScreenshotWhenIdle(window, tmp_path / "a.png", just_ended)
    picture.taken.connect(lambda: widths.append(label.width()))
    with qtbot.waitSignal(picture.taken):
        picture.handle_activity(IDLE)
    assert widths == [label.sizeHint().width()]


def test_an_unwritable_picture_is_reported(label: QLabel, qtbot: QtBot, tmp_path: Path) -> None:
    picture = ScreenshotWhenIdle(label, tmp_path / "none" / "a.png")
    with qtbot.waitSignal(picture.taken) as taken:
        picture.handle_activity(IDLE)
    assert taken.args == [1]


def test_an_earlier_failure_is_reported(label: QLabel, qtbot: QtBot, tmp_path: Path) -> None:
    picture = ScreenshotWhenIdle(label, tmp_path / "a.png")
    picture.note_failure(ValueError("x"))
    with qtbot.waitSignal(picture.taken) as taken:
        picture.handle_activity(IDLE)
    assert taken.args == [1]
    assert (tmp_path / "a.png").exists()
