from collections.abc import Iterator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.speech.activity import Readiness
from app.speech.controller import SpeechController
from engine.errors import CompileError
from engine.speech import SpeechRequest
from tests.app.fakes import RATE_HZ, FakeEngine, FakeOutput, chunk_of, list_voices, toggle, utterances_of
from tests.patience import PATIENCE_MS

SPEECH = SpeechRequest("One. Two. Three.", "af_heart")
SAMPLE = SpeechRequest("A sample.", "am_adam")


class Desk:
    """A controller with a fake engine and a fake device."""

    def __init__(self, qtbot: QtBot) -> None:
        self.engine, self.output, self.qtbot = FakeEngine(), FakeOutput(), qtbot
        self.controller = SpeechController(lambda: self.engine, self.output, list_voices=list_voices)

    def speak(self) -> None:
        self.controller.speak(SPEECH)
        self.qtbot.waitUntil(lambda: self.controller.track.whole)
        self.hear(1200)

    def hear(self, samples: int) -> np.ndarray:
        self.output.stream.pull(samples)
        self.controller.player.tick()
        return self.output.stream.heard()

    def wait_for_the_sample(self) -> None:
        self.qtbot.waitUntil(lambda: self.controller.player.playback is not Playback.PLAYING)
        self.qtbot.waitUntil(lambda: self.output.stream.active)


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(qtbot)
    yield desk
    assert desk.controller.shut_down(PATIENCE_MS)


def test_a_preview_plays_and_speech_resumes_where_it_was(desk: Desk) -> None:
    desk.speak()
    track = desk.controller.track
    desk.controller.preview(SAMPLE)
    desk.wait_for_the_sample()
    sample = chunk_of(utterances_of(SAMPLE.text)[0], 1).samples
    np.testing.assert_array_equal(desk.hear(RATE_HZ), sample)
    assert (desk.controller.track, desk.controller.request) == (track, SPEECH)
    toggle(desk.controller)
    np.testing.assert_array_equal(desk.hear(100), track.samples()[1200:1300])


def test_resumed_speech_is_not_interrupted_by_a_preview_requested_earlier(desk: Desk) -> None:
    desk.speak()
    toggle(desk.controller)
    desk.engine.hold.clear()
    desk.controller.preview(SAMPLE)
    desk.qtbot.waitUntil(lambda: SAMPLE in desk.engine.requests)
    toggle(desk.controller)
    desk.engine.hold.set()
    with desk.qtbot.waitSignal(desk.controller.voices_listed):  # after all earlier work
        desk.controller.list_voices()
    assert desk.controller.player.playback is Playback.PLAYING
    assert not desk.controller.activity.previewing


def test_a_preview_during_long_generation_loses_none_of_the_speech(desk: Desk) -> None:
    desk.engine.hold.clear()
    desk.controller.speak(SPEECH)
    desk.qtbot.waitUntil(lambda: bool(desk.engine.requests))
    desk.controller.preview(SAMPLE)
    desk.engine.hold.set()
    desk.qtbot.waitUntil(lambda: desk.controller.track.whole)
    assert desk.engine.requests == [SPEECH, SAMPLE]
    parts = [chunk_of(utterance, 3).samples for utterance in utterances_of(SPEECH.text)]
    np.testing.assert_array_equal(desk.controller.track.samples(), np.concatenate(parts))


def test_a_preview_with_a_different_engine_waits_for_it(desk: Desk) -> None:
    other = FakeEngine()
    desk.engine.hold.clear()
    desk.controller.speak(SPEECH)
    desk.qtbot.waitUntil(lambda: bool(desk.engine.requests))
    desk.controller.change_engine(lambda: other)
    desk.controller.preview(SAMPLE)
    desk.engine.hold.set()
    desk.qtbot.waitUntil(lambda: other.requests == [SAMPLE])
    assert desk.engine.requests == [SPEECH]
    assert desk.controller.track.whole


def test_stop_and_speak_end_it(desk: Desk) -> None:
    for end in (desk.controller.stop, lambda: desk.controller.speak(SPEECH)):
        desk.controller.preview(SAMPLE)
        assert desk.controller.activity.previewing
        assert desk.controller.activity.can_stop
        end()
        assert not desk.controller.activity.previewing
    desk.qtbot.waitUntil(lambda: desk.controller.track.whole)


def test_an_engine_that_cannot_be_prepared_for_it_is_not_ready(desk: Desk) -> None:
    desk.engine.prepare_error = CompileError("No.", "Do.")
    with desk.qtbot.waitSignal(desk.controller.failed):
        desk.controller.preview(SAMPLE)
    assert desk.controller.activity.readiness is Readiness.FAILED


def test_a_failed_preview_is_reported_and_the_speech_stays(desk: Desk) -> None:
    desk.speak()
    desk.engine.speak_error = CompileError("No.", "Do.")
    with desk.qtbot.waitSignal(desk.controller.failed) as failed:
        desk.controller.preview(SAMPLE)
    assert failed.args == [desk.engine.speak_error]
    assert desk.controller.track.whole
    assert desk.controller.player.playback is Playback.PLAYING
    assert desk.controller.activity.readiness is Readiness.READY
    assert not desk.controller.activity.previewing
