import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QFileOpenEvent, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

import app.application
from app.application import greeting
from app.audio.output import NoAudioDevice
from app.audio.player import Playback
from app.messages import MessageAction
from app.options import Options
from app.settings import Settings
from app.speech.activity import Readiness
from app.speech.engine_worker import VoicesListed
from app.theme import DARK, LIGHT, Colors, colors
from engine.errors import CompileError
from engine.models.store import ModelState
from engine.speech import DeviceEvent, Prosody, SpeechRequest
from engine.text.languages import BRITISH
from tests.app.applications import Applications
from tests.app.fake_library import FULL_SIZE, FakeLibrary
from tests.app.fakes import TWO_MODELS, FakeEngine, FakeOutput
from tests.app.system.test_mac import Runtime, messages


def test_the_binding_does_not_wear_out_none(qapp: QApplication) -> None:
    """A version of PySide6 did, which crashes Python 3.11 after some minutes of drawing."""
    calls = 20_000
    before = sys.getrefcount(None)
    for _ in range(calls):
        qapp.setObjectName("desk")
    assert sys.getrefcount(None) > before - calls // 10


@pytest.fixture
def settings(settings: Settings) -> Settings:
    settings.text = "From last time."
    return settings


def test_it_opens_and_prepares_in_the_background(applications: Applications) -> None:
    application = applications.opened()
    assert application.window.isVisible()
    applications.wait_ready(application)
    assert application.controller.player.playback is Playback.STOPPED


@pytest.mark.parametrize(("appearance", "expected"), [("light", LIGHT), ("dark", DARK)])
def test_an_appearance_that_is_asked_for_counts_and_is_not_kept(
    applications: Applications, settings: Settings, appearance: str, expected: Colors
) -> None:
    chosen = settings.appearance
    options = Options(appearance=appearance)
    applications.new(options)
    assert colors().good == expected.good  # no system has the same color
    assert settings.appearance == chosen


def test_the_queue_speaks_the_chosen_chapters_of_a_document(
    applications: Applications, qtbot: QtBot, tmp_path: Path
) -> None:
    application = applications.ready()
    path = tmp_path / "story.md"
    path.write_text("# Contents\n\nOne.\n\n# One\n\nFirst.\n\n# Two\n\nSecond.")
    with qtbot.waitSignal(application.reader.opener.opened):
        application.window.file_requested.emit(path)
    for number in (0, 1):
        application.reader.panel.chapter_ticked.emit(number, number == 0)
    application.library.add_document(path)
    qtbot.waitUntil(lambda: application.controller.text == "Contents\n\nOne.\n\nTwo\n\nSecond.")


def test_the_diagnostics_are_added_once_the_window_is_there(applications: Applications, qtbot: QtBot) -> None:
    application = applications.opened()
    size = application.window.size()
    assert not application.window.findChildren(QWidget, "diagnosticsWindow")
    qtbot.waitUntil(lambda: bool(application.window.findChildren(QWidget, "diagnosticsWindow")))
    assert application.diagnostics.window.isHidden()
    assert application.window.size() == size


def test_closing_does_not_add_features_still_pending(applications: Applications, qapp: QApplication) -> None:
    application = applications.opened()
    assert application.close()
    qapp.processEvents()
    assert not application.window.findChildren(QWidget, "diagnosticsWindow")


def test_diagnostics_that_were_open_are_opened_again(applications: Applications, qtbot: QtBot) -> None:
    first = applications.new()
    first.window.show()
    first.diagnostics.open()
    first.window.close()
    assert not first.diagnostics.window.isVisible()
    again = applications.opened()
    qtbot.waitUntil(
        lambda: [each.isVisible() for each in again.window.findChildren(QWidget, "diagnosticsWindow")] == [True]
    )


def test_the_very_first_start_greets(applications: Applications, qtbot: QtBot, tmp_path: Path) -> None:
    store = QSettings(str(tmp_path / "new.ini"), QSettings.Format.IniFormat)
    application = applications.opened(settings=Settings(store))
    qtbot.waitUntil(lambda: application.controller.track.whole)
    assert application.controller.text == greeting()
    application.window.close()
    assert Settings(store).text == greeting()


def test_text_typed_before_the_greeting_is_not_spoken_instead_of_it(
    applications: Applications, qtbot: QtBot, tmp_path: Path
) -> None:
    store, output = QSettings(str(tmp_path / "new.ini"), QSettings.Format.IniFormat), FakeOutput()
    application = applications.opened(output=output, settings=Settings(store))
    application.window.page.editor.set_text("Mine.")
    qtbot.waitUntil(lambda: output.checked > 0 and application.window.page.header.voices.known)
    assert application.controller.request is None


def test_given_text_plays_immediately_with_the_given_voice_and_speed(applications: Applications, qtbot: QtBot) -> None:
    engine = FakeEngine()
    application = applications.opened(Options("Given.", "am_adam", 1.5), make_engine=lambda: engine)
    qtbot.waitUntil(lambda: application.controller.track.whole)
    request = engine.requests[0]
    assert (request.text, request.voice, request.speed) == ("Given.", "am_adam", 1.5)


def test_a_voice_preview_uses_a_sentence_in_its_language(applications: Applications, qtbot: QtBot) -> None:
    engine = FakeEngine()
    application = applications.ready(Options(voice="bm_george", speed=1.5), make_engine=lambda: engine)
    application.window.menu.preview.trigger()
    qtbot.waitUntil(lambda: bool(engine.requests))
    assert engine.requests == [SpeechRequest(BRITISH.sample, "bm_george", 1.5)]
    assert application.window.page.editor.text == "From last time."


def test_a_new_device_creates_a_new_engine(applications: Applications, qtbot: QtBot, settings: Settings) -> None:
    engines: list[FakeEngine] = []

    def make_engine() -> FakeEngine:
        engines.append(FakeEngine())
        return engines[-1]

    settings.device = "cpu"
    application = applications.new(make_engine=make_engine)
    device = application.settings_window.dialog.advanced.device
    assert device.value == "cpu"
    application.open()
    applications.wait_ready(application)
    device.activated.emit(device.values.index("auto"))
    assert settings.device == "auto"
    qtbot.waitUntil(lambda: len(engines) == 2 and application.controller.activity.readiness is Readiness.READY)


@pytest.mark.parametrize(("method", "forgotten"), [("mps", 1), ("tir", 0), ("auto", 0)])
def test_a_new_lstm_method_creates_a_new_engine_and_retries_mps(
    applications: Applications,
    qtbot: QtBot,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    forgotten: int,
) -> None:
    engines: list[FakeEngine] = []
    forgets: list[bool] = []

    def make_engine() -> FakeEngine:
        engines.append(FakeEngine())
        return engines[-1]

    monkeypatch.setattr("app.settings_window.pages.metal_unavailable_reason", lambda: None)
    monkeypatch.setattr("app.settings_window.feature.forget_crashes", lambda: forgets.append(True))
    settings.lstm_method = "mps"
    application = applications.new(make_engine=make_engine)
    methods = application.settings_window.dialog.advanced.lstm_method
    assert methods.value == "mps"
    application.open()
    applications.wait_ready(application)
    methods.activated.emit(methods.values.index(method))  # even the chosen one
    assert settings.lstm_method == method
    assert len(forgets) == forgotten
    qtbot.waitUntil(lambda: len(engines) == 2 and application.controller.activity.readiness is Readiness.READY)


def test_an_unused_gpu_is_reported_in_the_status_line(applications: Applications) -> None:
    device = DeviceEvent("cpu (why)", "tir (why)", {}, "no GPU")
    engine = FakeEngine(device=device)
    application = applications.ready(make_engine=lambda: engine)
    assert application.window.page.status.label.toolTip() == "Ready · no GPU"


def test_a_new_model_is_used_for_the_next_speech_without_restart(
    applications: Applications, qtbot: QtBot, settings: Settings
) -> None:
    engines: list[FakeEngine] = []
    library = FakeLibrary(states={FULL_SIZE: ModelState.INSTALLED})
    library.hold.clear()  # otherwise the model, once prepared in the background, may take over by itself

    def make_engine() -> FakeEngine:
        engines.append(FakeEngine())
        return engines[-1]

    starter = VoicesListed(tuple(each for each in TWO_MODELS if each.model == "starter"), "starter")
    application = applications.opened(
        make_engine=make_engine, make_library=lambda: library, list_voices=lambda: starter
    )
    qtbot.waitUntil(lambda: len(application.window.menu.model_actions.actions()) == 2)
    applications.wait_ready(application)
    application.window.menu.model_actions.actions()[1].trigger()
    application.window.play()  # before the other model's voices are known
    qtbot.waitUntil(lambda: application.controller.track.whole and settings.model == FULL_SIZE)
    assert engines[0].closed
    assert not engines[0].requests
    assert [request.voice for request in engines[1].requests] == ["af_heart"]


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models for which the application creates engines."""
    models: list[str] = []
    monkeypatch.setattr(app.application, "engine_for", lambda model, *_: models.append(model) or FakeEngine())
    return models


def list_two() -> VoicesListed:
    return VoicesListed(TWO_MODELS, "kokoro-82m")


@pytest.mark.parametrize(
    ("options", "model", "voice"),
    [
        (Options(), "kokoro-82m", "af_heart"),
        (Options(voice="af_sally"), "starter", "af_sally"),
        (Options(voice="george"), "kokoro-82m", "george"),
        (Options(model="starter"), "starter", "af_sally"),
        (Options(model="starter", voice="am_adam"), "starter", "am_adam"),
    ],
)
def test_it_begins_with_the_model_of_the_voice(
    applications: Applications, settings: Settings, engines: list[str], options: Options, model: str, voice: str
) -> None:
    application = applications.ready(options, list_voices=list_two, make_engine=None)
    assert engines == [model]
    assert application.window.request.voice == voice
    assert (settings.voice, settings.model) == (None, None)


def test_students_speak_where_they_are_wished_for_and_a_model_has_them(
    applications: Applications, qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, Prosody]] = []

    def engine_for(model: str, device: str, lstm_method: str, prosody: Prosody = Prosody.LSTM) -> FakeEngine:
        made.append((model, prosody))
        return FakeEngine()

    def list_with_students() -> VoicesListed:
        full_size, starter = TWO_MODELS
        return VoicesListed((replace(full_size, students_unavailable_reason=""), starter), "kokoro-82m")

    monkeypatch.setattr(app.application, "engine_for", engine_for)
    settings.prosody = Prosody.TRANSFORMER
    application = applications.ready(list_voices=list_with_students, make_engine=None)
    assert made == [("kokoro-82m", Prosody.TRANSFORMER)]
    application.window.page.header.voices.choose_model("starter")
    qtbot.waitUntil(lambda: len(made) == 2)
    assert made[1] == ("starter", Prosody.LSTM)


def test_choosing_a_voice_loads_its_model_for_speech_and_preview(
    applications: Applications, qtbot: QtBot, settings: Settings, engines: list[str]
) -> None:
    output = FakeOutput()
    application = applications.ready(output=output, list_voices=list_two, make_engine=None)
    voices = application.window.page.header.voices
    voices.activated.emit(voices.findText("Sally · female"))
    application.window.menu.preview.trigger()
    qtbot.waitUntil(lambda: bool(output.streams) and output.stream.active)
    assert engines == ["kokoro-82m", "starter"]
    assert application.controller.activity.previewing
    assert application.controller.request is None
    assert (settings.voice, settings.model) == ("af_sally", "starter")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("kokoro-82m", "The weights of kokoro-82m aren’t installed. Download or import it under Speech > Models…"),
        ("kokoro", "Unknown model “kokoro”. Known models: starter, kokoro-82m"),
    ],
)
def test_a_missing_model_shows_one_sentence_with_a_models_button(
    applications: Applications, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: str, words: str
) -> None:
    monkeypatch.setattr("engine.models.store.data_folder", lambda: tmp_path)
    options = Options("Given.", model=model)
    application = applications.opened(options, make_engine=None)
    banner = application.window.page.banner
    qtbot.waitUntil(lambda: banner.message is not None)
    assert banner.message.text.startswith(words)
    assert banner.message.action is MessageAction.MODELS
    assert application.window.page.header.voices.isEnabled()


def test_a_missing_device_is_not_reported_before_the_user_plays_text(
    applications: Applications, qtbot: QtBot, tmp_path: Path
) -> None:
    first_start = Settings(QSettings(str(tmp_path / "new.ini"), QSettings.Format.IniFormat))
    output = FakeOutput(NoAudioDevice())
    application = applications.opened(output=output, settings=first_start)
    controller, banner = application.controller, application.window.page.banner
    qtbot.waitUntil(lambda: output.checked > 0)
    qtbot.waitUntil(lambda: controller.activity.readiness is Readiness.READY)
    assert banner.message is None
    assert controller.request is None
    application.window.play()
    qtbot.waitUntil(lambda: controller.track.whole)
    assert "No audio device" in banner.label.text()
    assert application.window.page.player.transport.play_button.isEnabled()


@pytest.mark.parametrize(("error", "exit_code"), [(None, 0), (CompileError("No.", "Do."), 1)])
def test_a_picture_is_taken_when_all_is_done(
    applications: Applications,
    qtbot: QtBot,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    error: Exception | None,
    exit_code: int,
) -> None:
    engine, output = FakeEngine(speak_error=error), FakeOutput(NoAudioDevice())
    application = applications.new(
        Options("One. Two.", screenshot=tmp_path / "a.png"), make_engine=lambda: engine, output=output
    )
    with qtbot.waitSignal(application.finished) as finished:
        application.open()
    assert finished.args == [exit_code]
    assert not QImage(str(tmp_path / "a.png")).isNull()
    assert caplog.messages == ([str(error)] if error else [])
    assert len(engine.requests) == 1


def test_a_file_that_the_desktop_opens_is_shown(
    applications: Applications, qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    application = applications.new()
    (tmp_path / "story.txt").write_text("Once upon a time.")
    QApplication.sendEvent(qapp, QFileOpenEvent(str(tmp_path / "story.txt")))
    qtbot.waitUntil(lambda: application.window.page.view.text == "Once upon a time.")


def test_macos_is_notified_of_speech_and_its_service_speaks(applications: Applications, qtbot: QtBot) -> None:
    engine, runtime = FakeEngine(), Runtime()
    application = applications.new(make_engine=lambda: engine)
    application.join_mac(runtime)
    application.open()
    qtbot.waitUntil(lambda: application.window.page.header.voices.known)
    assert "beginActivityWithOptions:reason:" not in messages(runtime)
    runtime.received(0, 0, 0)
    qtbot.waitUntil(lambda: application.controller.track.whole)
    assert [request.text for request in engine.requests] == [runtime.selected]
    assert "beginActivityWithOptions:reason:" in messages(runtime)
    application.controller.stop()
    qtbot.waitUntil(lambda: "endActivity:" in messages(runtime))


def test_a_second_start_is_done_by_the_window_that_is_open(
    applications: Applications, qtbot: QtBot, settings: Settings, tmp_path: Path
) -> None:
    engine = FakeEngine()
    application = applications.opened(make_engine=lambda: engine)
    editor = application.window.page.editor
    editor.edit.insertPlainText("Not ")
    application.window.showMinimized()
    application.handle_message(Options("Given.", "am_adam", 1.5).to_json())
    assert not application.window.isMinimized()
    qtbot.waitUntil(lambda: application.controller.track.whole)
    assert engine.requests == [SpeechRequest("Given.", "am_adam", 1.5)]
    assert (editor.text, settings.text) == ("Given.", "Not From last time.")
    assert settings.text in [each.text for each in application.window.memory.texts]
    (tmp_path / "story.txt").write_text("Once upon a time.")
    application.handle_message(Options(file=tmp_path / "story.txt").to_json())
    qtbot.waitUntil(lambda: application.window.page.view.text == "Once upon a time.")
    assert len(engine.requests) == 1


def test_a_file_given_at_the_first_start_replaces_the_greeting(
    applications: Applications, qtbot: QtBot, tmp_path: Path
) -> None:
    store = QSettings(str(tmp_path / "new.ini"), QSettings.Format.IniFormat)
    (tmp_path / "story.txt").write_text("Once upon a time.")
    options = Options(file=tmp_path / "story.txt")
    application = applications.new(options, settings=Settings(store))
    assert application.window.page.editor.text == ""
    qtbot.waitUntil(lambda: application.window.page.view.text == "Once upon a time.")
