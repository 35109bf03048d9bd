from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.library.recorder import Recorder
from app.speech.controller import SpeechController
from engine.errors import CompileError
from engine.speech import SpeechRequest
from tests.app.fakes import FakeEngine, FakeOutput, list_voices
from tests.app.library.shelf import MODEL, request, track_of
from tests.patience import PATIENCE_MS


class Notes:
    """What is asked of the library."""

    def __init__(self) -> None:
        self.begun: list[tuple[SpeechRequest, str]] = []
        self.kept: list[tuple[str, int]] = []

    def begin(self, request: SpeechRequest, model: str) -> None:
        self.begun.append((request, model))

    def keep(self, request: SpeechRequest, model: str, track: object) -> None:
        self.kept.append((request.text, track.segment_count))  # type: ignore[attr-defined]


class Desk:
    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot, self.engine, self.notes = qtbot, FakeEngine(), Notes()
        self.speech = SpeechController(lambda: self.engine, FakeOutput(), list_voices=list_voices)
        self.owner = QObject()
        self.recorder = Recorder(self.speech, self.notes, lambda: MODEL, self.owner)  # type: ignore[arg-type]


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(qtbot)
    yield desk
    assert desk.speech.shut_down(PATIENCE_MS)


def test_a_speech_is_entered_when_it_begins_and_kept_when_it_is_made(desk: Desk) -> None:
    desk.engine.hold.clear()
    desk.speech.speak(request("One. Two."))
    assert desk.notes.begun == [(request("One. Two."), MODEL)]
    assert desk.notes.kept == []
    desk.engine.hold.set()
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 2)])


def test_of_one_that_is_stopped_what_was_made_is_kept(desk: Desk) -> None:
    desk.engine.speak_error, desk.engine.fails_after = CompileError("No."), 1
    desk.speech.speak(request("One. Two."))
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 1)])


def test_one_that_goes_on_after_a_stop_is_kept_again(desk: Desk) -> None:
    desk.engine.speak_error, desk.engine.fails_after = CompileError("No."), 1
    desk.speech.speak(request("One. Two."))
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 1)])
    desk.engine.speak_error = None
    desk.speech.go_on()
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 1), ("One. Two.", 2)])
    assert len(desk.notes.begun) == 1


def test_one_that_is_heard_again_is_not_entered_or_kept_again(desk: Desk) -> None:
    desk.speech.hear_again(request("One."), track_of("One."))
    desk.speech.stop()
    assert desk.notes.begun == []
    assert desk.notes.kept == []


def test_what_another_voice_goes_on_with_is_not_kept(desk: Desk) -> None:
    desk.speech.hear_again(request("One. Two. Three."), track_of("One. Two. Three."))
    desk.speech.adapt("am_adam", 1.25, 1.0)
    desk.qtbot.waitUntil(lambda: desk.speech.track.whole)
    desk.speech.stop()
    assert desk.notes.kept == []


def test_a_voice_that_is_chosen_after_a_stop_is_not_kept_under_the_first(desk: Desk) -> None:
    desk.engine.speak_error, desk.engine.fails_after = CompileError("No."), 1
    desk.speech.speak(request("One. Two."))
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("One. Two.", 1)])
    desk.engine.speak_error = None
    desk.speech.stop()
    desk.speech.adapt("am_adam", 1.25, 1.0)
    desk.speech.go_on()
    desk.qtbot.waitUntil(lambda: desk.speech.track.whole)
    assert desk.notes.kept == [("One. Two.", 1)]


def test_one_that_is_replaced_before_anything_is_made_has_no_sound(desk: Desk) -> None:
    desk.engine.hold.clear()
    desk.speech.speak(request("One."))
    desk.speech.speak(request("Two."))
    desk.engine.hold.set()
    desk.qtbot.waitUntil(lambda: desk.notes.kept == [("Two.", 1)])
    assert [each.text for each, _ in desk.notes.begun] == ["One.", "Two."]


def test_one_that_is_replaced_is_kept_as_far_as_it_was_made(desk: Desk) -> None:
    desk.engine.hold_from = 1
    desk.engine.hold.clear()
    desk.speech.speak(request("One. Two."))
    desk.qtbot.waitUntil(lambda: desk.speech.track.length > 0)
    desk.speech.speak(request("Three."))
    assert desk.notes.kept == [("One. Two.", 1)]
    desk.engine.hold.set()


def test_a_preview_is_not_entered(desk: Desk) -> None:
    with desk.qtbot.waitSignal(desk.speech.activity_changed, check_params_cb=lambda activity: activity.previewing):
        desk.speech.preview(request("A sample."))
    desk.qtbot.waitUntil(lambda: bool(desk.engine.requests))
    assert desk.notes.begun == []
    assert np.size(desk.notes.kept) == 0
