from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.speech.voice_choice import VoiceChoice
from app.speech.voice_list import CHOSEN_ROLE
from app.voices import blend_editor
from app.voices.feature import VoicesFeature
from engine.models.installed_voices import ModelVoices
from engine.models.voices.blends import SavedVoices
from engine.speech import SpeechRequest
from engine.text.languages import AMERICAN, BRITISH
from tests.app.fakes import RATE_HZ, TWO_MODELS, FakeEngine
from tests.app.library.room import Room
from tests.patience import PATIENCE_MS

SALLY, ADAM = VoiceChoice("af_sally", "starter"), VoiceChoice("am_adam", "starter")
GEORGE = VoiceChoice("bm_george", "kokoro-82m")
TEXT = "One, two. “Three?” Four!\n\nHeading\nThe end"
HEAR_AFTER_MS = 100


class VoiceRoom(Room):
    """A window with the voices panel; `other` is the engine of the model that is not in use."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        super().__init__(qtbot, qapp, folder)
        self.other = FakeEngine()
        self.voices.choose_voice(SALLY)
        self.panel_feature = VoicesFeature(self.window, self.speech, self.settings, lambda model: lambda: self.other)
        self.panel = self.panel_feature.panel
        self.type("One here. Two there. Three.")

    def hear_out_sample(self) -> None:
        self.qtbot.waitUntil(lambda: bool(self.output.streams) and self.output.stream.active)
        self.output.stream.pull(2 * RATE_HZ)

    def close(self) -> None:
        assert self.panel_feature.shut_down(PATIENCE_MS)
        super().close()


@pytest.fixture
def room(qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VoiceRoom]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(blend_editor, "HEAR_AFTER_MS", HEAR_AFTER_MS)
    room = VoiceRoom(qtbot, qapp, tmp_path)
    yield room
    room.close()


def test_a_voice_is_previewed_without_being_chosen(room: VoiceRoom) -> None:
    room.panel.hear_requested.emit(ADAM)
    room.qtbot.waitUntil(lambda: room.engine.requests == [SpeechRequest(AMERICAN.sample, "am_adam")])
    assert room.voices.choice == SALLY


def test_a_preview_uses_its_models_engine_and_keeps_the_current_one(room: VoiceRoom) -> None:
    room.voices.hear_requested.emit(GEORGE)
    room.qtbot.waitUntil(lambda: room.other.requests == [SpeechRequest(BRITISH.sample, "bm_george")])
    assert room.engine.requests == []
    assert room.voices.choice == SALLY
    room.speech.speak(SpeechRequest("Mine.", "af_sally"))
    room.qtbot.waitUntil(lambda: room.engine.requests == [SpeechRequest("Mine.", "af_sally")])
    room.qtbot.waitUntil(lambda: room.other.closed)


def test_favorites_are_remembered_and_come_first_in_both_lists(room: VoiceRoom) -> None:
    room.panel.favorite_requested.emit(ADAM)
    room.panel.favorite_requested.emit(GEORGE)
    assert room.settings.favorites == (("am_adam", "starter"), ("bm_george", "kokoro-82m"))
    assert room.panel.rows.choices[:2] == (ADAM, GEORGE)
    assert room.voices.itemText(1) == "Adam · male"
    assert room.voices.choice == SALLY
    room.panel.favorite_requested.emit(ADAM)
    assert room.panel.rows.choices[0] == GEORGE


def test_each_listed_voice_speaks_the_sentence_at_the_cursor_in_turn(room: VoiceRoom) -> None:
    cursor = room.window.page.editor.edit.textCursor()
    cursor.setPosition(12)
    room.window.page.editor.edit.setTextCursor(cursor)
    room.panel.search.setText("female")
    before = room.panel.round.text()
    room.panel.round.click()
    assert room.panel.round.text() != before
    assert room.panel.current == VoiceChoice("af_heart", "kokoro-82m")
    room.hear_out_sample()
    room.qtbot.waitUntil(lambda: room.panel.current == SALLY)
    room.hear_out_sample()
    room.qtbot.waitUntil(lambda: room.panel.round.text() == before)
    assert room.other.requests == [SpeechRequest("Two there.", "af_heart")]
    assert room.engine.requests == [SpeechRequest("Two there.", "af_sally")]


def test_stop_and_a_different_voice_end_the_round(room: VoiceRoom) -> None:
    before = room.panel.round.text()
    for end in (room.window.menu.stop.trigger, room.panel.round.click, lambda: room.panel.hear_requested.emit(ADAM)):
        room.panel.round.click()
        room.qtbot.waitUntil(lambda: bool(room.output.streams) and room.output.stream.active)
        end()
        room.qtbot.waitUntil(lambda: room.panel.round.text() == before)
        room.speech.stop()


@pytest.mark.parametrize(
    "choose",
    [
        lambda room: room.window.play(),
        lambda room: room.window.menu.stop.trigger(),
        lambda room: room.panel.hear_requested.emit(ADAM),
        lambda room: room.voices.preview(),
    ],
    ids=["speech", "silence", "other voice", "the chosen voice"],
)
def test_a_pending_blend_preview_does_not_replace_a_later_request(
    room: VoiceRoom, choose: Callable[[VoiceRoom], None]
) -> None:
    room.window.menu.stop.setEnabled(True)
    with room.qtbot.assertNotEmitted(room.panel.blend.hear_requested, wait=2 * HEAR_AFTER_MS):
        room.panel.blend.parts[0].slider.setValue(100)
        choose(room)


def test_without_a_text_the_round_does_not_begin(room: VoiceRoom) -> None:
    room.type(" ")
    before = room.window.page.status.label.toolTip()
    with room.qtbot.assertNotEmitted(room.panel_feature.round.changed):
        room.panel.round.click()
    assert room.window.page.status.label.toolTip() != before


def test_a_blend_is_previewed_saved_renamed_and_deleted(room: VoiceRoom) -> None:
    room.panel.blend.parts[0].slider.setValue(100)
    recipe = "af_sally(100)+am_adam(50)"
    room.qtbot.waitUntil(lambda: [each.voice for each in room.engine.requests] == [recipe])
    with room.qtbot.waitSignal(room.speech.voices_listed):
        room.panel.blend.save_requested.emit("duet", recipe)
    assert SavedVoices().recipes() == {"duet": recipe}
    room.voices.choose_voice(VoiceChoice("duet", "starter"))
    duet = SavedVoices().listed(TWO_MODELS[1].voices)
    models = (TWO_MODELS[0], ModelVoices("starter", "Starter voices", (*TWO_MODELS[1].voices, *duet)))
    room.voices.show_models(models, "starter")
    room.voices.choose_voice(VoiceChoice("duet", "starter"))
    room.panel.favorite_requested.emit(VoiceChoice("duet", "starter"))
    room.panel.rename_requested.emit(VoiceChoice("duet", "starter"))
    dialog = room.window.findChild(QInputDialog)
    dialog.setTextValue("pair")
    with room.qtbot.waitSignal(room.panel_feature.keeper.done):
        dialog.accept()
    assert SavedVoices().recipes() == {"pair": recipe}
    assert room.settings.favorites == (("pair", "starter"),)
    assert room.settings.voice == "pair"
    room.panel.delete_requested.emit(VoiceChoice("pair", "starter"))
    box = room.window.findChild(QMessageBox)
    with room.qtbot.waitSignal(room.panel_feature.keeper.done):
        next(button for button in box.buttons() if button.text() == "Delete").click()
    assert SavedVoices().recipes() == {}
    assert room.settings.favorites == ()


def list_blends(room: VoiceRoom) -> None:
    blends = SavedVoices().listed(TWO_MODELS[1].voices)
    starter = ModelVoices("starter", "Starter voices", (*TWO_MODELS[1].voices, *blends))
    room.voices.show_models((TWO_MODELS[0], starter), "starter")
    room.voices.choose_voice(SALLY)


def save(room: VoiceRoom, name: str, recipe: str) -> None:
    with room.qtbot.waitSignal(room.speech.voices_listed):  # without any blend, as those are fakes
        room.panel.blend.save_requested.emit(name, recipe)
    list_blends(room)


def list_nothing(room: VoiceRoom) -> None:
    """Keep the engine's thread busy, so that it lists nothing until its engine is released."""
    room.engine.hold.clear()
    room.speech.preview(SpeechRequest("Hello.", "am_adam"))


def test_a_blend_is_chosen_at_once_when_it_is_saved(room: VoiceRoom) -> None:
    list_nothing(room)
    room.panel.search.setText("male")
    with room.qtbot.waitSignal(room.panel_feature.keeper.done):
        room.panel.blend.save_requested.emit("Été  à deux", "af_sally(1)+am_adam(1)")
    saved = VoiceChoice("Été à deux", "starter")
    assert room.voices.choice == saved
    assert room.voices.currentText().startswith("Été à deux")
    assert room.settings.voice == "Été à deux"
    assert room.panel.current == saved
    assert room.panel.voices.currentIndex().data(CHOSEN_ROLE)
    room.engine.hold.set()


def test_the_panel_and_the_header_share_the_chosen_voice(room: VoiceRoom) -> None:
    room.window.page.side_bar.open(room.panel)
    row = room.panel.voices.visualRect(room.panel.rows.index(room.panel.rows.row_of(ADAM)))
    room.qtbot.mouseClick(room.panel.voices.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert room.voices.choice == ADAM
    assert room.settings.voice == "am_adam"
    for choice in (SALLY, GEORGE):
        room.voices.choose_voice(choice)
        assert room.panel.current == choice
        assert room.panel.voices.currentIndex().data(CHOSEN_ROLE)


def test_a_blend_is_replaced_only_by_one_who_says_so(room: VoiceRoom) -> None:
    save(room, "mine", "af_sally(1)+am_adam(1)")
    room.panel.blend.save_requested.emit("Mine", "af_sally(2)+am_adam(1)")
    (box,) = room.window.findChildren(QMessageBox)
    assert "af_sally(1)+am_adam(1)" in box.text()
    assert SavedVoices().recipes() == {"mine": "af_sally(1)+am_adam(1)"}
    with room.qtbot.waitSignal(room.panel_feature.keeper.done):
        next(button for button in box.buttons() if button.text() == "Replace").click()
    assert SavedVoices().recipes() == {"Mine": "af_sally(2)+am_adam(1)"}


def test_speech_continues_with_a_different_voice_after_its_blend_is_deleted(room: VoiceRoom) -> None:
    save(room, "mine", "af_sally(1)+am_adam(1)")
    room.voices.choose_voice(VoiceChoice("mine", "starter"))
    list_nothing(room)
    with room.qtbot.waitSignal(room.panel_feature.keeper.done):
        room.panel_feature.keeper.delete("mine")
    assert room.settings.voice not in ("mine", None)
    assert room.settings.voice == room.voices.choice.voice
    room.engine.hold.set()


def test_speech_continues_if_a_second_blend_is_deleted_before_voices_are_listed(room: VoiceRoom) -> None:
    for name in ("mine", "other"):
        save(room, name, "af_sally(1)+am_adam(1)")
    room.voices.choose_voice(VoiceChoice("mine", "starter"))
    list_nothing(room)
    for name in ("mine", "other"):
        with room.qtbot.waitSignal(room.panel_feature.keeper.done):
            room.panel_feature.keeper.delete(name)
    room.engine.hold.set()
    room.qtbot.waitUntil(lambda: room.settings.voice not in ("mine", None))


def test_speech_continues_with_a_blend_renamed_before_voices_are_listed(room: VoiceRoom) -> None:
    save(room, "mine", "af_sally(1)+am_adam(1)")
    room.voices.choose_voice(VoiceChoice("mine", "starter"))
    list_nothing(room)
    with room.qtbot.waitSignal(room.panel_feature.keeper.done):
        room.panel_feature.keeper.rename("mine", "ours", frozenset())
    assert room.window.request.voice == "ours"
    assert VoiceChoice("ours", "starter") in room.panel.rows.choices
    assert VoiceChoice("mine", "starter") not in room.panel.rows.choices
    room.engine.hold.set()


@pytest.mark.parametrize("name", ["af_heart", "af_mine"])
def test_a_name_taken_by_a_voice_of_any_model_is_reported(room: VoiceRoom, name: str) -> None:
    mine = replace(TWO_MODELS[0].voices[0], name="af_mine")
    room.voices.show_models((replace(TWO_MODELS[0], voices=(mine,)), TWO_MODELS[1]), "starter")
    room.panel.blend.save_requested.emit(name, "af_sally(1)+am_adam(1)")
    room.qtbot.waitUntil(lambda: room.window.page.banner.message is not None)
    assert "Choose a different name" in room.window.page.banner.label.text()
