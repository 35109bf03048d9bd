"""Projects in the window: opening, saving, following changes, and messages, with a fake engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.editor import projects
from app.editor.feature import EditorFeature
from app.editor.projects import ProjectsFeature
from app.editor.text_edits import TextEdits
from app.messages import MessageAction
from app.reader.book_cards import Covers
from app.reader.feature import ReaderFeature
from app.speech.voice_choice import VoiceChoice, choice_for
from app.widgets.windows import TextWindow
from engine.models.installed_voices import ModelVoices
from engine.runtime.project_files import ModelIdentity, read_project, write_project
from engine.runtime.projects import identity_of
from engine.speech import Definitions, Pronunciation, SpeechRequest, UtteranceEdit, VoiceInfo
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon
from tests.app.fakes import ONE_MODEL
from tests.app.window_desk import WindowDesk
from tests.patience import PATIENCE_MS

OWN = "My own text."
TEXT = "hello world. second one."
VOICE = ONE_MODEL[0].voices[1].name
EDIT = UtteranceEdit(0, "hello world", gain_db=3.0)
ZORG = Definitions((Pronunciation("hello", phonemes="zˈɔɹɡ"),))
REQUEST = SpeechRequest(TEXT, VOICE, 1.5, pause_scale=2.0, edits=(EDIT,), definitions=ZORG)


class Desk(WindowDesk):
    """A window that can open and save projects."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path, text: str = OWN) -> None:
        super().__init__(qtbot, qapp, folder, text)
        self.folder = folder
        self.reader = ReaderFeature(self.window, self.controller, self.settings, covers=Covers(folder / "covers"))
        self.edits = TextEdits(folder / "edits.json")
        self.shaping = EditorFeature(self.window, self.controller, self.output, self.settings, self.edits)
        self.projects = ProjectsFeature(self.window, self.controller, self.settings, self.reader.opener, self.edits)

    def begin(self) -> None:
        self.show()
        self.prepare()

    def open(self, path: Path) -> None:
        self.window.file_requested.emit(path)
        self.wait()

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: not self.reader.opener.busy and not self.projects.busy)

    def save_now(self) -> None:
        """Save without waiting for the timer."""
        self.projects.save()
        self.wait()

    @property
    def told(self) -> str:
        message = self.page.banner.message
        return "" if message is None else f"{message.text}\n{message.details}"

    def end(self) -> None:
        self.window.close()
        assert self.projects.shut_down(PATIENCE_MS)
        assert self.reader.shut_down(PATIENCE_MS)
        self.close()


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(projects, "SAVE_AFTER_MS", 20)  # most tests wait until it is saved


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, qapp, tmp_path)
    desk.begin()
    yield desk
    desk.end()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project of the model in use."""
    write_project(tmp_path / "a.kokoro", REQUEST, identity_of("starter"))
    return tmp_path / "a.kokoro"


def changed(path: Path, **values: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_opening_shows_the_text_with_its_voice_speed_pauses_edits_and_words(desk, path):
    desk.open(path)
    assert desk.window.request == REQUEST
    assert desk.told == ""
    assert "a" in desk.window.windowTitle()
    assert desk.window.windowFilePath() == str(path)
    desk.speak()
    assert desk.engine.requests[-1] == REQUEST


def test_opening_writes_neither_the_file_nor_the_lexicon(desk, path):
    before = path.read_bytes(), path.stat().st_mtime_ns
    desk.open(path)
    desk.save_now()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert UserLexicon().entries() == ()


def test_the_text_before_is_among_the_recent_texts(desk, path):
    desk.editor.edit.insertPlainText("Changed. ")
    desk.open(path)
    assert f"Changed. {OWN}" in [each.text for each in desk.window.memory.texts]


def test_every_change_is_saved_to_the_file(desk, path):
    desk.open(path)
    desk.editor.edit.moveCursor(desk.editor.edit.textCursor().MoveOperation.End)
    desk.editor.edit.insertPlainText(" third.")
    desk.qtbot.waitUntil(lambda: read_project(path).request.text == f"{TEXT} third.")
    desk.wait()
    desk.page.header.speed.set_speed(0.75)
    desk.page.header.voices.choose_voice(VoiceChoice(ONE_MODEL[0].voices[0].name, "starter"))
    (utterance, *_), *_ = [plan.utterances for plan in desk.engine.plans(desk.window.request)]
    desk.edits.put(desk.editor.text, utterance, replace(EDIT, gain_db=-6.0))
    desk.save_now()
    saved = read_project(path)
    assert saved.problems == ()
    assert saved.request == desk.window.request
    assert saved.request.speed == 0.75
    assert saved.request.edits[0].gain_db == -6.0


def test_changes_are_saved_when_the_window_closes_or_a_different_text_comes(desk, path):
    desk.open(path)
    desk.editor.edit.insertPlainText("New. ")
    desk.editor.set_text("Other text.")
    desk.wait()
    assert read_project(path).request.text == f"New. {TEXT}"
    desk.editor.edit.insertPlainText("More. ")
    desk.save_now()
    assert read_project(path).request.text == f"New. {TEXT}"
    assert desk.window.windowFilePath() == ""


def test_a_text_is_saved_as_a_project_with_the_words_it_uses(desk, tmp_path):
    UserLexicon().add([LexiconEntry("text", phonemes="zˈɔɹɡ"), LexiconEntry("elephant", say="mouse")])
    target = tmp_path / "b.kokoro"
    assert desk.window.menu.save_project.isEnabled()
    desk.window.menu.save_project.trigger()
    dialog = desk.window.findChild(QFileDialog)
    assert dialog.selectedFiles()[0].endswith("My own text.kokoro")
    dialog.fileSelected.emit(str(target))
    desk.qtbot.waitUntil(lambda: desk.projects.path == target)
    dialog.close()
    saved = read_project(target)
    assert saved.request.text == OWN
    assert [each.word for each in saved.request.definitions.pronunciations] == ["text"]
    assert saved.model == identity_of("starter")
    desk.editor.edit.insertPlainText("Now: ")
    desk.save_now()
    assert read_project(target).request.text == f"Now: {OWN}"


def test_a_project_is_listed_among_the_recent_files(desk, path):
    desk.open(path)
    desk.window.menu.recent_files_menu.aboutToShow.emit()
    assert path in [action.data() for action in desk.window.menu.recent_files_menu.actions()]
    desk.editor.set_text(OWN)
    desk.window.menu.recent_files_menu.triggered.emit(desk.window.menu.recent_files_menu.actions()[0])
    desk.qtbot.waitUntil(lambda: desk.editor.text == TEXT)
    desk.wait()


def test_without_a_text_there_is_nothing_to_save(desk):
    desk.editor.set_text("")
    assert not desk.window.menu.save_project.isEnabled()


def test_the_project_is_still_open_after_a_restart(qtbot, qapp, desk, path):
    desk.open(path)
    desk.editor.edit.insertPlainText("New. ")
    desk.window.close()
    assert desk.projects.shut_down(PATIENCE_MS)
    again = Desk(qtbot, qapp, desk.folder, desk.settings.text)
    again.settings.project, again.settings.project_digest = path, desk.settings.project_digest
    again.projects.resume()
    again.begin()
    qtbot.waitUntil(lambda: again.projects.path == path)
    again.wait()
    assert again.window.request.definitions.pronunciations == ZORG.pronunciations
    again.editor.edit.insertPlainText("Newer. ")
    again.save_now()
    assert read_project(path).request.text == f"Newer. New. {TEXT}"
    again.end()


def test_a_project_that_was_changed_elsewhere_is_opened_again_after_a_restart(qtbot, qapp, tmp_path, path):
    desk = Desk(qtbot, qapp, tmp_path, "An older version.")
    desk.settings.project, desk.settings.project_digest = path, "12"
    desk.projects.resume()
    desk.begin()
    qtbot.waitUntil(lambda: desk.editor.text == TEXT)
    desk.end()


def test_a_missing_project_is_reported_after_a_restart(qtbot, qapp, tmp_path):
    desk = Desk(qtbot, qapp, tmp_path)
    desk.settings.project = tmp_path / "gone.kokoro"
    desk.projects.resume()
    desk.begin()
    qtbot.waitUntil(lambda: "gone.kokoro" in desk.told)
    assert desk.settings.project is None
    assert desk.editor.text == OWN
    desk.end()


def test_a_file_changed_by_a_different_program_is_not_overwritten(desk, path):
    desk.open(path)
    changed(path, text="Their version.")
    desk.editor.edit.insertPlainText("Mine. ")
    desk.save_now()
    assert read_project(path).request.text == "Their version."
    assert "another program" in desk.told
    assert desk.projects.path is None
    assert desk.editor.text == f"Mine. {TEXT}"


def test_a_project_opens_without_its_bad_parts_and_its_file_stays(desk, path):
    changed(path, speed=float("nan"), edits=[{"start": 0, "phonemes": "hello world", "changes": [{"index": 99}]}])
    before = path.read_bytes()
    desk.open(path)
    assert desk.editor.text == TEXT
    assert desk.window.request.speed == 1.0
    assert "speed" in desk.told
    assert "phoneme 99" in desk.told
    desk.editor.edit.insertPlainText("More. ")
    desk.save_now()
    assert path.read_bytes() == before
    desk.open(path)
    assert desk.page.banner.message.action is MessageAction.SHOW_NOTICES
    desk.page.banner.button.click()
    page = desk.window.findChild(TextWindow)
    assert "phoneme 99" in page.browser.toPlainText()
    page.close()


def test_a_damaged_file_is_an_error_and_the_text_stays(desk, path):
    path.write_bytes(path.read_bytes()[:50])
    desk.open(path)
    assert "a.kokoro" in desk.told
    assert desk.page.banner.message.action is MessageAction.OPEN_ANOTHER
    assert desk.editor.text == OWN


def test_model_voice_and_edit_mismatches_are_reported_and_preserved(desk, path):
    other = replace(REQUEST, voice="bf_emma", edits=(EDIT, UtteranceEdit(13, "other phonemes", gain_db=1.0)))
    write_project(path, other, ModelIdentity("kokoro-82m", "12"))
    desk.open(path)
    assert "Kokoro-82M" in desk.told
    assert "bf_emma" in desk.told
    assert "1 of 2" in desk.told
    assert "second one" in desk.told
    assert desk.window.request.edits == other.edits
    desk.editor.edit.moveCursor(desk.editor.edit.textCursor().MoveOperation.End)
    desk.editor.edit.insertPlainText(" third.")
    desk.save_now()
    saved = read_project(path)
    assert (saved.model, saved.request.voice) == (ModelIdentity("kokoro-82m", "12"), "bf_emma")
    assert saved.request.edits == other.edits
    desk.page.header.voices.choose_voice(VoiceChoice(ONE_MODEL[0].voices[0].name, "starter"))
    desk.save_now()
    saved = read_project(path)
    assert (saved.model, saved.request.voice) == (identity_of("starter"), ONE_MODEL[0].voices[0].name)


def test_a_project_opened_before_the_voices_are_known_gets_its_voice_later(qtbot, qapp, tmp_path, path):
    desk = Desk(qtbot, qapp, tmp_path)
    desk.show()
    desk.window.file_requested.emit(path)
    qtbot.waitUntil(lambda: desk.editor.text == TEXT)
    before = path.read_bytes()
    desk.projects.save()
    desk.prepare()
    desk.wait()
    assert desk.window.request == REQUEST
    assert path.read_bytes() == before
    desk.end()


def test_the_edits_of_a_project_follow_its_text(desk, path):
    desk.open(path)
    desk.editor.edit.insertPlainText("New. ")
    assert [each.start for each in desk.window.request.edits] == [5]
    assert desk.window.request.definitions == ZORG
    desk.editor.edit.moveCursor(desk.editor.edit.textCursor().MoveOperation.End)
    desk.editor.edit.insertPlainText(" third.")
    assert [each.start for each in desk.window.request.edits] == [5]


def test_the_words_of_a_project_stay_with_its_text_in_recent_texts(desk, path):
    desk.open(path)
    desk.editor.set_text(OWN)
    assert desk.window.request.definitions == Definitions()
    desk.editor.set_text(TEXT)
    assert desk.window.request.definitions == ZORG
    assert TextEdits(desk.folder / "edits.json").definitions_of(TEXT) == ZORG


RED, BLUE = VoiceInfo("af_red", "Red", "en-US", "female"), VoiceInfo("am_blue", "Blue", "en-US", "male")
DUET = VoiceInfo("duet", "Duet", "en-US", "", recipe="af_red(2)+am_blue(1)")
MODELS = (ModelVoices("best", "Best", (RED, BLUE, DUET)), ModelVoices("other", "Other", (RED,)))


@pytest.mark.parametrize(
    ("voice", "recipe", "model", "choice", "listed"),
    [
        ("af_red", "", "other", VoiceChoice("af_red", "other"), True),
        ("am_blue", "", "other", VoiceChoice("am_blue", "best"), True),
        ("duet", "af_red(2)+am_blue(1)", "best", VoiceChoice("duet", "best"), True),
        ("duet", "af_red(1)+am_blue(9)", "best", VoiceChoice("af_red(1)+am_blue(9)", "best"), False),
        ("af_red(3)", "", "other", VoiceChoice("af_red(3)", "other"), False),
        ("af_green", "", "best", None, False),
        ("trio", "af_green(1)+af_red(1)", "best", None, False),
        ("", "", "best", None, False),
    ],
)
def test_the_voice_of_a_project_is_found_in_its_model_first(voice, recipe, model, choice, listed):
    blends = ((voice, recipe),) if recipe else ()
    request = SpeechRequest(TEXT, voice, definitions=Definitions(blends=blends))
    assert choice_for(request, model, MODELS) == (choice, listed)
