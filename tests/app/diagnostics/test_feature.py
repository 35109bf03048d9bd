import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audio.output import NoAudioDevice
from app.audio.player import Playback
from app.audio.track import AudioTrack, Segment
from app.diagnostics.controls import HEARD
from app.diagnostics.feature import ADDED, ADDING, SHORTCUT, DiagnosticsFeature, moment_heard, utterance_heard
from app.diagnostics.outputs.listening import AudioSide
from app.diagnostics.runs.run import DiagnosticsRun, RunState
from app.diagnostics.stages.utterance_clock import UtteranceClock
from app.main_window import MainWindow
from app.messages import MessageAction
from app.settings import Settings
from app.speech.activity import Readiness
from app.speech.controller import SpeechController
from app.speech.voice_choice import VoiceChoice
from app.theme import Appearance, Theme
from engine.errors import MissingReference, RecoveryAction
from engine.speech import (
    CurveEdit,
    PhonemeEdit,
    Prosody,
    SpeechRequest,
    SpokenWord,
    Utterance,
    UtteranceEdit,
    WrittenWord,
)
from engine.validator.data.results import STUDENT_REGIMES, Regime
from tests.app import fake_service
from tests.app.diagnostics_fakes import finished_run
from tests.app.fakes import RATE_HZ, TWO_MODELS, FakeEngine, FakeOutput, chunk_of, list_voices, utterances_of
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS


class Desk:
    """A window with diagnostics, a fake engine, device and reference."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path, text: str = "rows 16") -> None:
        self.qtbot, self.folder = qtbot, folder
        self.engine, self.output = FakeEngine(), FakeOutput()
        self.settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        self.settings.text = text
        self.speech = SpeechController(lambda: self.engine, self.output, list_voices=list_voices)
        self.theme = Theme(qapp, Appearance.LIGHT)
        self.window = MainWindow(self.speech, self.settings, self.theme)
        self.diagnostics = DiagnosticsFeature(self.window, self.speech, self.output, self.settings, fake_service.serve)
        self.panel, self.queue = self.diagnostics.panel, self.diagnostics.queue
        qtbot.addWidget(self.window)
        self.window.show()
        qtbot.waitExposed(self.window)

    def prepare(self) -> None:
        self.speech.list_voices()
        self.speech.prepare()
        self.qtbot.waitUntil(lambda: self.speech.activity.readiness is Readiness.READY)

    def open_to_diagnose_speech(self) -> None:
        self.diagnostics.open()
        if not self.panel.to_run.while_speaking.isChecked():
            self.panel.to_run.while_speaking.click()

    def speak(self, text: str) -> None:
        self.window.page.editor.set_text(text)
        self.window.play()

    def wait_for(self, state: RunState) -> DiagnosticsRun:
        self.qtbot.waitUntil(lambda: self.panel.run is not None and self.panel.run.state is state)
        assert self.panel.run is not None
        return self.panel.run

    def close(self) -> None:
        self.diagnostics.shut_down(PATIENCE_MS)
        assert self.speech.shut_down(PATIENCE_MS)
        self.theme.deleteLater()


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, qapp, tmp_path)
    yield desk
    desk.close()
    qapp.setStyleSheet("")


def test_it_opens_and_closes_by_key(desk: Desk, qtbot: QtBot) -> None:
    assert not desk.panel.isVisible()
    for visible in (True, False):
        qtbot.keySequence(desk.window, SHORTCUT)
        assert desk.panel.isVisible() is visible
    entry = next(each for each in desk.window.menu.view_menu.actions() if each.text() == "Diagnostics")
    assert (entry.isCheckable(), entry.isChecked()) == (True, False)


def test_nothing_is_diagnosed_until_the_window_is_asked_to(desk: Desk) -> None:
    runs: list[DiagnosticsRun] = []
    desk.queue.run_started.connect(runs.append)
    desk.prepare()
    desk.diagnostics.open()
    desk.speak("rows 1")
    desk.qtbot.waitUntil(lambda: desk.speech.track.whole)
    desk.qtbot.wait_for_timers()
    assert not runs
    assert desk.diagnostics.process.process_id is None
    desk.panel.to_run.diagnose_button.click()
    desk.wait_for(RunState.FINISHED)
    assert len(runs) == 1


def test_the_window_says_which_text_would_be_diagnosed(desk: Desk, qtbot: QtBot) -> None:
    subject = desk.panel.to_run.request_summary
    desk.prepare()
    desk.diagnostics.open()
    assert "rows 16" in subject.accessibleDescription()
    desk.window.page.editor.set_text("rows 4")
    desk.window.come_to_front()
    qtbot.waitUntil(desk.window.isActiveWindow)
    desk.diagnostics.open()
    qtbot.waitUntil(lambda: "rows 4" in subject.accessibleDescription())


def test_a_text_is_diagnosed_with_its_edits(desk: Desk) -> None:
    edit = UtteranceEdit(0, "rows", changes=(PhonemeEdit(1, 9, pitch=CurveEdit(drawn=(180.0, 220.0))),), gain_db=-3.0)
    desk.window.reading.edits_of = lambda text: (edit,) if text == "rows 16" else ()
    desk.prepare()
    desk.diagnostics.open()
    desk.panel.to_run.diagnose_button.click()
    run = desk.wait_for(RunState.FINISHED)
    assert run.request.speech.edits == (edit,)
    assert run.report is not None
    assert run.report.request.speech.edits == (edit,)  # as the reference process received them


def test_the_text_is_named_once_there_is_a_voice_for_it(desk: Desk, qtbot: QtBot) -> None:
    desk.diagnostics.open()
    desk.prepare()
    qtbot.waitUntil(lambda: "rows 16" in desk.panel.to_run.request_summary.accessibleDescription())


def test_speech_is_diagnosed_while_that_is_wanted_and_the_window_is_open(desk: Desk) -> None:
    desk.settings.diagnose_while_speaking = True
    desk.prepare()
    desk.speak("rows 1")
    desk.qtbot.waitUntil(lambda: desk.speech.track.whole)
    desk.qtbot.wait_for_timers()
    assert desk.panel.run is None
    desk.diagnostics.open()
    assert desk.panel.to_run.while_speaking.isChecked()
    busy: list[bool] = []
    desk.queue.run_started.connect(lambda run: busy.append(desk.diagnostics.busy))
    desk.speak("rows 16")
    run = desk.wait_for(RunState.FINISHED)
    assert busy == [True]
    assert run.request.speech == desk.speech.request
    assert run.row_count == 16
    assert not desk.diagnostics.busy


def test_speech_is_diagnosed_once_the_user_asks_for_it(desk: Desk) -> None:
    desk.prepare()
    desk.diagnostics.open()
    desk.speak("rows 3")
    desk.qtbot.waitUntil(lambda: desk.speech.player.playback is Playback.PLAYING)
    wanted = desk.panel.to_run.while_speaking
    wanted.click()
    assert desk.settings.diagnose_while_speaking
    assert desk.wait_for(RunState.FINISHED).request.speech == desk.speech.request
    wanted.click()
    assert not desk.settings.diagnose_while_speaking
    desk.settings.diagnose_while_speaking = True  # in a different window
    assert wanted.isChecked()


def test_a_diagnosis_waits_until_speech_is_ready(desk: Desk) -> None:
    desk.diagnostics.open()
    desk.panel.to_run.diagnose_button.click()
    assert desk.panel.run is None  # no voice is known yet
    assert "nothing to diagnose" in desk.panel.banner.label.text()
    desk.engine.hold.clear()
    desk.prepare()
    desk.panel.to_run.diagnose_button.click()
    assert desk.wait_for(RunState.FINISHED).row_count == 16


def test_diagnosis_uses_the_model_that_speaks(desk: Desk) -> None:
    desk.prepare()
    desk.window.page.header.voices.show_models(TWO_MODELS, "starter")
    desk.window.page.header.voices.choose_voice(VoiceChoice("af_heart", "kokoro-82m"))
    desk.open_to_diagnose_speech()
    desk.speak("rows 1")
    assert desk.wait_for(RunState.FINISHED).request.model == "kokoro-82m"
    desk.panel.to_run.diagnose_button.click()
    assert desk.panel.run.request.model == "kokoro-82m"


def test_diagnose_without_any_text_takes_the_latest_speech(desk: Desk) -> None:
    desk.prepare()
    desk.window.page.editor.set_text(" ")
    desk.window.reading.play_item("An item", SpeechRequest("rows 2", "af_heart"))
    desk.diagnostics.open()
    desk.panel.to_run.diagnose_button.click()
    assert desk.wait_for(RunState.FINISHED).request.speech.text == "rows 2"


def test_a_killed_reference_leaves_a_usable_window(desk: Desk) -> None:
    desk.prepare()
    desk.open_to_diagnose_speech()
    desk.speak("hold")
    desk.qtbot.waitUntil(lambda: desk.panel.run is not None and desk.panel.run.row_count == 1)
    assert desk.diagnostics.process.process_id is not None
    os.kill(desk.diagnostics.process.process_id, signal.SIGKILL)
    run = desk.wait_for(RunState.CRASHED)
    assert "click diagnose" in run.message.lower()
    desk.qtbot.waitUntil(lambda: "reference process ended" in desk.panel.status.label.text())
    desk.speak("rows 3")
    desk.wait_for(RunState.FINISHED)
    assert desk.speech.player.playback is Playback.PLAYING


def test_closing_the_panel_ends_the_reference(desk: Desk) -> None:
    desk.prepare()
    desk.open_to_diagnose_speech()
    desk.speak("hold")
    desk.qtbot.waitUntil(lambda: desk.diagnostics.process.process_id is not None)
    desk.diagnostics.window.close()
    assert desk.diagnostics.process.process_id is None
    assert desk.panel.run.state is RunState.STOPPED
    desk.speak("rows 1")
    assert desk.diagnostics.process.process_id is None


def listen(desk: Desk, part: AudioSide) -> None:
    desk.diagnostics.open()
    run = finished_run()
    desk.panel.show_run(run)
    desk.panel.table.select("istft")
    desk.qtbot.waitUntil(lambda: desk.panel.drill_down.listening.isVisible())
    desk.panel.drill_down.listening.buttons[part].click()


def test_sounds_are_played_and_fall_silent_with_the_panel(desk: Desk) -> None:
    listen(desk, AudioSide.REFERENCE)
    assert desk.diagnostics.sounds.playing
    desk.output.stream.pull(500)
    assert np.abs(desk.output.stream.heard()).max() > 0
    desk.diagnostics.window.close()
    assert not desk.diagnostics.sounds.playing


def test_a_failure_is_reported_without_a_button_for_speech(desk: Desk) -> None:
    desk.output.error = NoAudioDevice()
    listen(desk, AudioSide.OURS)
    message = desk.panel.banner.message
    assert message.action is None
    assert "No audio device" in message.text


def test_a_process_that_hangs_can_be_ended_in_the_panel(desk: Desk) -> None:
    desk.prepare()
    desk.open_to_diagnose_speech()
    desk.speak("freeze 3")
    desk.qtbot.waitUntil(lambda: desk.panel.run is not None and desk.panel.run.row_count == 3)
    status = desk.panel.status
    assert not status.start_again.isVisible()
    desk.diagnostics.process.stalled.emit(20)
    desk.qtbot.waitUntil(status.start_again.isVisible)
    assert "responded for 20 s" in status.label.accessibleDescription()
    stuck = desk.panel.run
    status.start_again.click()
    assert stuck.state is RunState.CRASHED
    assert desk.panel.live_run is not stuck
    desk.queue.stop()


def test_the_utterance_playing_is_compared_next_and_shown(desk: Desk, qtbot: QtBot) -> None:
    """The fake reference has one utterance, of the whole text, and receives every position."""
    desk.prepare()
    desk.open_to_diagnose_speech()
    heard: list[int] = []
    desk.queue.hear = heard.append  # type: ignore[method-assign]
    desk.speak("rows 16. And more. And on.")
    desk.wait_for(RunState.FINISHED)
    qtbot.waitUntil(lambda: bool(desk.output.streams) and desk.output.stream.active)
    assert desk.panel.to_show.utterance.value == HEARD
    desk.output.stream.pull(RATE_HZ + 10)
    qtbot.waitUntil(lambda: heard[-1:] == [9])
    assert desk.panel.to_show.shown_utterance == 0
    qtbot.waitUntil(lambda: desk.panel.strip.playhead is not None)
    desk.speech.stop()
    assert desk.panel.strip.playhead is None
    assert desk.panel.to_show.shown_utterance is None


def test_a_run_is_exported_with_a_word_about_it(desk: Desk) -> None:
    desk.prepare()
    desk.open_to_diagnose_speech()
    desk.panel.to_run.diagnose_button.click()
    desk.wait_for(RunState.FINISHED)
    path = desk.folder / "none" / "a.zip"
    desk.diagnostics.keeping.export_to(path)
    status = desk.panel.status.label
    assert status.accessibleDescription() == "Exporting a.zip"
    assert desk.diagnostics.busy
    desk.qtbot.waitUntil(lambda: desk.panel.banner.message is not None)
    assert "Couldn’t export a.zip." in desk.panel.banner.label.text()
    assert status.accessibleDescription().startswith("Done")
    desk.diagnostics.keeping.message_sent.emit(f"Exported b.zip to {desk.folder}")
    assert desk.panel.banner.label.text() == f"Exported b.zip to {desk.folder}."
    desk.speak("rows 1")
    desk.qtbot.waitUntil(lambda: desk.panel.banner.message is None)


def test_an_open_panel_is_open_at_the_next_start(desk: Desk, qtbot: QtBot, qapp: QApplication) -> None:
    desk.diagnostics.open()
    desk.window.close()
    assert desk.settings.diagnostics_shown
    assert not desk.settings.diagnostics_place.isEmpty()
    assert not desk.panel.isVisible()
    other = Desk(qtbot, qapp, desk.folder)
    assert other.panel.isVisible()
    assert other.diagnostics.process.process_id is None
    other.close()


def test_the_waveform_of_the_reader_stays(desk: Desk) -> None:
    player = desk.window.page.player
    player.show_track(track := AudioTrack())
    track.append(chunk_of(utterances_of("One.")[0], 1))
    player.refresh()
    desk.qtbot.waitUntil(lambda: player.wave.height() > player.transport.height())
    size, state = player.size(), desk.window.page.split_state
    desk.diagnostics.open()
    desk.qtbot.wait_for_timers()
    assert player.wave.isVisible()
    assert (player.size(), desk.window.page.split_state) == (size, state)


def test_the_chip_tells_how_it_goes_while_the_window_is_open(desk: Desk, qtbot: QtBot) -> None:
    chip = desk.diagnostics.chip
    desk.prepare()
    assert not chip.isVisible()
    desk.open_to_diagnose_speech()
    desk.speak("hold")
    qtbot.waitUntil(lambda: chip.text() == "Comparing 1 of 8")
    desk.diagnostics.window.close()
    assert not chip.isVisible()
    desk.wait_for(RunState.STOPPED)
    desk.diagnostics.open()
    qtbot.waitUntil(lambda: chip.text() == "Comparison stopped")
    desk.speak("rows 16")
    desk.wait_for(RunState.FINISHED)
    qtbot.waitUntil(lambda: "no stage diverges" in chip.text())
    chip.click()
    assert desk.panel.isVisible()
    desk.diagnostics.window.close()
    assert not chip.isVisible()
    desk.panel.refresh()
    assert not chip.isVisible()


def test_the_chip_is_of_the_text_that_is_spoken(desk: Desk, qtbot: QtBot) -> None:
    chip = desk.diagnostics.chip
    desk.prepare()
    desk.diagnostics.open()
    desk.speak("rows 1")
    qtbot.waitUntil(lambda: desk.speech.track.whole)
    desk.window.page.editor.set_text("rows 16")
    desk.panel.to_run.diagnose_button.click()
    desk.wait_for(RunState.FINISHED)
    desk.panel.refresh()
    assert not chip.isVisible()
    desk.speak("rows 16")
    qtbot.waitUntil(chip.isVisible)  # this text was diagnosed
    desk.speak("rows 1")
    qtbot.waitUntil(lambda: not chip.isVisible())


@pytest.mark.parametrize("drawn", ["before the next speech", "after it"])
def test_the_chip_is_removed_with_its_text_whenever_the_panel_is_drawn(desk: Desk, drawn: str) -> None:
    desk.prepare()
    desk.open_to_diagnose_speech()
    desk.speak("hold")
    desk.qtbot.waitUntil(lambda: desk.diagnostics.chip.text() == "Comparing 1 of 8")
    desk.panel.to_run.while_speaking.click()
    if drawn == "before the next speech":
        desk.panel.refresh()
    track = desk.speech.track
    desk.speak("rows 1")
    desk.qtbot.waitUntil(lambda: desk.speech.track is not track and not desk.diagnostics.chip.isVisible())
    desk.panel.refresh()
    assert not desk.diagnostics.chip.isVisible()


def test_the_keys_of_speech_work_in_the_window_of_the_panel(desk: Desk, qtbot: QtBot) -> None:
    actions = desk.diagnostics.window.actions()
    menu = desk.window.menu
    assert {menu.play, menu.stop, menu.back, menu.forward} <= set(actions)
    assert desk.diagnostics.window.toggle in actions
    desk.diagnostics.open()
    qtbot.waitUntil(desk.diagnostics.window.isActiveWindow)
    menu.close_window.trigger()
    assert not desk.panel.isVisible()
    assert desk.window.isVisible()


def test_a_button_adds_the_missing_reference(desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingReference("Comparing needs PyTorch.", recovery_action=RecoveryAction.ADD_REFERENCE)

    monkeypatch.setattr("app.diagnostics.run_queue.require_reference", missing)
    added = threading.Event()
    monkeypatch.setattr("app.diagnostics.feature.add_reference", lambda on_line, cancel: added.wait(PATIENCE_SECONDS))
    desk.prepare()
    banner = desk.window.page.banner
    desk.panel.diagnose_requested.emit(desk.panel.to_run.options)
    assert desk.panel.run is None
    assert banner.button.text() == MessageAction.ADD_REFERENCE.value
    banner.button.click()
    assert banner.message == ADDING
    added.set()
    qtbot.waitUntil(lambda: banner.message == ADDED)


def test_the_regimes_are_those_of_the_model_and_the_speaking_one_shows(desk: Desk) -> None:
    to_run, voices = desk.panel.to_run, desk.window.page.header.voices
    full_size, starter = TWO_MODELS
    voices.show_models((full_size, starter), "kokoro-82m")
    assert not set(STUDENT_REGIMES) & set(to_run.regimes)
    desk.settings.prosody = Prosody.TRANSFORMER
    voices.show_models((replace(full_size, students_unavailable_reason=""), starter), "kokoro-82m")
    assert set(STUDENT_REGIMES) <= set(to_run.regimes)
    assert to_run.regime.value == desk.panel.shown.regime == Regime.DISTILLED
    to_run.regime.choose(Regime.DYNAMIC)
    desk.diagnostics.follow_model()
    assert to_run.regime.value == Regime.DYNAMIC
    voices.choose_model("starter")
    assert to_run.regime.value == desk.panel.shown.regime == Regime.COMPILED


def test_all_regimes_are_compared_in_one_run(desk: Desk) -> None:
    desk.prepare()
    desk.diagnostics.open()
    page = desk.diagnostics.configurations
    page.editor.boxes["decoder"].choose(Regime.DYNAMIC)
    page.padding.choose(5.0)
    page.padding_chosen.emit(5.0)
    page.compare.click()
    request = desk.wait_for(RunState.FINISHED).request
    assert set(request.regimes) == set(Regime) - {Regime.DYNAMIC, *STUDENT_REGIMES}
    assert request.cross == (("decoder", Regime.DYNAMIC),)
    assert request.padding == 5.0
    desk.panel.to_run.offer_students(True)
    page.compare.click()
    assert set(desk.wait_for(RunState.FINISHED).request.regimes) == set(Regime) - {Regime.DYNAMIC}


SPOKEN_HZ = 1000
UTTERANCE = Utterance(1, "one two", "aaa bbb", 10, 17, words=(WrittenWord(10, 13, 0, 3), WrittenWord(14, 17, 4, 7)))
CLOCK = UtteranceClock((4, 2, 2, 2, 2, 2, 2, 2, 4), 10.0)
"""“one” lasts from 0.4 to 1 s, “two” from 1.2 to 1.8 s, the utterance 2.2 s."""
SEGMENT = Segment(UTTERANCE, 5000, 7000)
SPOKEN = (SpokenWord(10, 13, 5030, 5630), SpokenWord(14, 17, 6030, 6630))
"""0.37 s of silence are trimmed at the start, and a pause of 0.2 s is inserted between the words."""


def heard(position: int) -> float:
    return moment_heard(SEGMENT, SPOKEN, position, SPOKEN_HZ, UTTERANCE, CLOCK)


@pytest.mark.parametrize(
    ("position", "seconds"),
    [(5000, 0.37), (5030, 0.4), (5330, 0.7), (5630, 1.0), (5830, 1.1), (6030, 1.2), (6630, 1.8), (7000, 2.17)],
)
def test_words_are_located_at_the_moment_they_play(position: int, seconds: float) -> None:
    assert heard(position) == pytest.approx(seconds)


@given(st.integers(4000, 9000), st.integers(0, 500))
def test_time_never_goes_back_nor_leaves_the_utterance(position: int, later: int) -> None:
    assert 0 <= heard(position) <= heard(position + later) <= CLOCK.seconds


def test_without_words_time_goes_at_its_own_pace() -> None:
    assert moment_heard(SEGMENT, (), 5500, SPOKEN_HZ, UTTERANCE, CLOCK) == pytest.approx(0.5)


def test_an_utterance_is_found_by_its_place_in_the_text() -> None:
    others = (Utterance(0, "zero", "c", 0, 9), Utterance(1, "one two three", "d", 10, 23))
    assert utterance_heard(SEGMENT, others) is others[1]
    assert utterance_heard(SEGMENT, others[:1]) is None
    assert utterance_heard(None, others) is None
