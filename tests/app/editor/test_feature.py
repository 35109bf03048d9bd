"""Shaping a sentence in the window, with a fake engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.editor import feature, session
from app.editor.feature import EditorFeature
from app.editor.gestures import Tool
from app.editor.text_edits import TextEdits
from engine.errors import InvalidRequest
from engine.runtime.edits import MAX_GAIN_DB, MAX_PAUSE_SECONDS
from engine.speech import PhonemeEdit, Preset, Respelling, UtteranceEdit
from tests.app.window_desk import WindowDesk

TEXT = "hello world. second one."


class Desk(WindowDesk):
    """A window whose sentence is shaped."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path, text: str = TEXT) -> None:
        super().__init__(qtbot, qapp, folder, text)
        self.edits = TextEdits(folder / "edits.json")
        self.feature = EditorFeature(self.window, self.controller, self.output, self.settings, self.edits)
        self.show()
        self.prepare()
        self.feature.open_at(3)
        self.shaper = self.feature.window
        self.session, self.timeline = self.shaper.session, self.shaper.timeline
        self.shaper.resize(1000, 700)
        qtbot.waitExposed(self.shaper)
        self.wait()

    def wait(self) -> None:
        """Wait until the sentence was spoken with all changes."""
        self.qtbot.waitUntil(lambda: not self.session.busy and self.session.shaped is not None)

    def border(self, index: int) -> QPoint:
        """Return a point on the border after a phoneme."""
        scene = self.timeline.scene()
        return QPointF(scene.x(scene.preview.edges[index + 1]), scene.lanes.phonemes[0] + 5).toPoint()

    def word_end(self, word: int) -> QPoint:
        """Return a point on the end of a word in the row of words."""
        scene = self.timeline.scene()
        return QPointF(scene.x(scene.preview.edges[scene.words[word].end]), scene.lanes.words[0] + 5).toPoint()

    def frames_of(self, frames: int) -> int:
        """Return the pixels of frames."""
        return round(frames * self.timeline.scene().pixels_per_second / 40)

    def drag(
        self, start: QPoint, *stops: QPoint, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        view = self.timeline.viewport()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, modifier, start)
        for stop in stops:
            QTest.mouseMove(view, stop)
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, modifier, stops[-1])

    def press(self, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        for key in keys:
            QTest.keyClick(self.timeline, key, modifier)

    def pitch_point(self, share: float, height: float) -> QPoint:
        """Return a point of the pitch's lane, as shares of its width and height."""
        scene = self.timeline.scene()
        top, tall = scene.lanes.pitch
        return QPointF(scene.width * share, top + tall * height).toPoint()


@pytest.fixture(autouse=True)
def changes_apply_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature, "PLAN_AFTER_MS", 20)
    monkeypatch.setattr(session, "SPEAK_AFTER_MS", 20)


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, qapp, tmp_path)
    yield desk
    desk.shaper.close()
    desk.close()


def test_the_sentence_at_the_cursor_is_shown(desk: Desk) -> None:
    assert desk.session.utterance.text == "hello world."
    assert not desk.shaper.previous.isEnabled()
    desk.shaper.next.click()
    desk.wait()
    assert desk.session.utterance.text == "second one."
    assert "second" in desk.shaper.sentence.text()


def test_dragging_a_border_sets_a_duration(desk: Desk) -> None:
    start = desk.border(1)
    view = desk.timeline.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view, start + QPoint(desk.frames_of(3), 0))
    scene = desk.timeline.scene()
    assert scene.label == "175 ms (+75 ms)"
    assert scene.preview.frames[1] == 7
    assert desk.session.edit == desk.session.unchanged
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start + QPoint(desk.frames_of(3), 0))
    assert desk.session.edit.changes == (PhonemeEdit(1, frames=7),)
    desk.wait()
    assert desk.engine.edits[-1] == desk.session.edit
    assert desk.session.spoken.contours.frames[1] == 7


def test_dragging_the_end_of_a_word_stretches_it(desk: Desk) -> None:
    start = desk.word_end(0)
    desk.drag(start, start + QPoint(desk.frames_of(10), 0))
    assert [each.frames for each in desk.session.edit.changes] == [6] * 5


def test_alt_stretches_the_word_in_the_row_of_phonemes(desk: Desk) -> None:
    start = desk.border(4)
    desk.drag(start, start + QPoint(desk.frames_of(10), 0), modifier=Qt.KeyboardModifier.AltModifier)
    assert len(desk.session.edit.changes) == 5


def test_the_pencil_draws_pitch(desk: Desk) -> None:
    desk.drag(desk.pitch_point(0.1, 0.9), desk.pitch_point(0.3, 0.5), desk.pitch_point(0.5, 0.2))
    drawn = [value for each in desk.session.edit.changes for value in each.pitch.drawn]
    assert max(drawn) > 250
    assert min(drawn) < 100
    desk.wait()
    heard = desk.session.spoken.contours.pitch
    assert heard.max() > 250
    assert desk.shaper.undo.text() == "Undo Draw Pitch"


def test_the_line_is_straight_and_the_eraser_removes_it(desk: Desk) -> None:
    desk.timeline.choose_tool(Tool.LINE)
    desk.drag(desk.pitch_point(0.1, 0.5), desk.pitch_point(0.2, 0.1), desk.pitch_point(0.4, 0.5))
    drawn = np.array([value for each in desk.session.edit.changes[1:-1] for value in each.pitch.drawn])
    assert np.ptp(drawn) < 5
    desk.press(Qt.Key.Key_E)
    assert desk.timeline.tool is Tool.ERASER
    assert next(each for each in desk.shaper.tools.actions() if each.isChecked()).text() == "Eraser"
    points = [desk.pitch_point(place / 100, 0.5) for place in range(5, 50)]
    desk.drag(*points)
    assert desk.session.edit == desk.session.unchanged


def test_shift_drags_energy(desk: Desk) -> None:
    at = desk.border(1) - QPoint(15, 0)
    desk.drag(at, at - QPoint(0, 80), modifier=Qt.KeyboardModifier.ShiftModifier)
    assert desk.session.edit.changes[0].energy.scale == pytest.approx(2.0)


def test_the_keyboard_reaches_every_edit(desk: Desk) -> None:
    desk.press(Qt.Key.Key_Right, Qt.Key.Key_Right)
    desk.press(Qt.Key.Key_Right, modifier=Qt.KeyboardModifier.ShiftModifier)
    assert desk.timeline.selection == (1, 3)
    desk.press(Qt.Key.Key_Up)
    desk.press(Qt.Key.Key_Right, modifier=Qt.KeyboardModifier.ControlModifier)
    assert [(each.index, each.frames) for each in desk.session.edit.changes] == [(1, 5), (2, 5)]
    assert all(each.pitch.scale > 1 for each in desk.session.edit.changes)
    desk.press(Qt.Key.Key_Backspace)
    assert desk.session.edit == desk.session.unchanged


def test_the_wheel_changes_pitch_and_with_alt_that_of_a_word(desk: Desk) -> None:
    at = QPointF(desk.border(1) - QPoint(10, 0))
    for modifier, count in ((Qt.KeyboardModifier.NoModifier, 1), (Qt.KeyboardModifier.AltModifier, 5)):
        turned = QPoint(120, 0) if count > 1 else QPoint(0, 120)
        view = desk.timeline.viewport()
        nowhere, none = QPoint(), Qt.MouseButton.NoButton
        wheel = QWheelEvent(
            at, QPointF(view.mapToGlobal(at)), nowhere, turned, none, modifier, Qt.ScrollPhase.NoScrollPhase, False
        )
        QApplication.sendEvent(view, wheel)
        assert len(desk.session.edit.changes) == count


def test_undoing_everything_gives_the_first_samples(desk: Desk) -> None:
    first = desk.session.spoken.chunk.samples
    desk.timeline.select(0, 5)
    for preset in Preset:
        desk.shaper.inspector.presets[preset].click()
    assert desk.session.undo.activeStack().count() == len(Preset)
    desk.wait()
    assert len(desk.session.spoken.chunk.samples) >= len(first)
    while desk.shaper.undo.isEnabled():
        desk.shaper.undo.trigger()
    assert desk.edits.of(TEXT) == ()
    desk.wait()
    np.testing.assert_array_equal(desk.session.spoken.chunk.samples, first)
    desk.shaper.redo.trigger()
    assert desk.session.edit != desk.session.unchanged


def test_spin_boxes_change_the_selection(desk: Desk) -> None:
    inspector = desk.shaper.inspector
    desk.timeline.select(0, 5)
    inspector.duration.setValue(1000)
    inspector.pitch.setValue(300)
    inspector.energy.setValue(150)
    changes = desk.session.edit.changes
    assert sum(each.frames for each in changes) == 40
    assert all(each.pitch.scale == pytest.approx(1.5) for each in changes)
    assert all(each.energy.scale == pytest.approx(1.5) for each in changes)


def test_symbols_replace_the_phonemes_of_a_word(desk: Desk) -> None:
    field = desk.shaper.inspector.say_like
    desk.timeline.select(0, 5)
    field.line.setText("/hˈI#/")
    field.button.click()
    assert not field.problem.isHidden()
    assert "“#”" in field.problem.text()
    assert desk.session.edit == desk.session.unchanged
    field.line.setText("/hˈI/")
    field.button.click()
    assert desk.session.edit.respellings == (Respelling(0, 5, "hˈI"),)
    desk.wait()
    assert desk.session.shaped.phonemes == "hˈI world"
    desk.timeline.select(0, 3)
    assert "changed by you" in desk.shaper.inspector.heading.text()


def test_a_word_can_be_respelled_like_other_words(desk: Desk) -> None:
    desk.timeline.select(0, 5)
    desk.shaper.inspector.say_like.line.setText("yes.")
    desk.shaper.inspector.say_like.button.click()
    desk.qtbot.waitUntil(lambda: bool(desk.session.edit.respellings))
    assert desk.session.edit.respellings == (Respelling(0, 5, "yes"),)


def test_a_phoneme_is_replaced_in_the_popup(desk: Desk) -> None:
    desk.timeline.select(1, 2)
    desk.press(Qt.Key.Key_Return)
    popup = next(each for each in desk.shaper.children() if hasattr(each, "field"))
    assert popup.field.line.text() == "e"
    popup.field.line.setText("ə")
    QTest.keyClick(popup.field.line, Qt.Key.Key_Return)
    assert desk.session.edit.respellings == (Respelling(1, 2, "ə"),)


def test_changes_are_played_if_wanted(desk: Desk) -> None:
    desk.shaper.play_changes.setChecked(True)
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up)
    desk.qtbot.waitUntil(lambda: desk.session.sounds.playing)
    desk.shaper.play.click()
    assert not desk.session.sounds.playing
    desk.shaper.play_changes.setChecked(False)
    assert desk.settings.play_changes is False
    desk.press(Qt.Key.Key_Up)
    desk.wait()
    assert not desk.session.sounds.playing


def test_requests_carry_the_edits(desk: Desk) -> None:
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up)
    edit = desk.session.edit
    assert desk.window.request.edits == (edit,)
    desk.window.reading.play_from_beginning()
    assert desk.controller.request.edits == (edit,)


def test_text_typed_before_moves_the_edits(desk: Desk) -> None:
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up)
    desk.editor.edit.insertPlainText("New. ")
    assert [each.start for each in desk.edits.of("New. " + TEXT)] == [5]
    assert [each.start for each in desk.window.request.edits] == [5]
    desk.qtbot.waitUntil(lambda: desk.session.text.startswith("New."))


def test_errors_are_shown_and_the_edit_stays(desk: Desk) -> None:
    desk.engine.speak_error = InvalidRequest("It’s too long.", "Shorten it.")
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up)
    desk.qtbot.waitUntil(lambda: desk.shaper.banner.message is not None)
    assert "too long" in desk.shaper.banner.message.text
    assert desk.session.edit != desk.session.unchanged


def test_the_place_of_the_window_is_saved(desk: Desk) -> None:
    desk.window.close()
    assert not desk.settings.editor_place.isEmpty()
    assert not desk.shaper.isVisible()


def test_zooming_keeps_the_time_under_the_pointer(desk: Desk) -> None:
    before = desk.timeline.scene()
    desk.timeline.zoom_by(4.0, 500.0)
    after = desk.timeline.scene()
    assert after.pixels_per_second == pytest.approx(4 * before.pixels_per_second)
    assert after.seconds(500.0) == pytest.approx(before.seconds(500.0), abs=0.01)
    desk.press(Qt.Key.Key_0)
    assert desk.timeline.scene().pixels_per_second == pytest.approx(before.pixels_per_second)


def test_zooming_by_key_keeps_the_selection_in_view(desk: Desk) -> None:
    for chosen in (1, 9):
        desk.press(Qt.Key.Key_0)
        desk.timeline.select(chosen, chosen + 1)
        for _ in range(4):
            desk.press(Qt.Key.Key_Plus)
        scene = desk.timeline.scene()
        assert 0 <= scene.x(scene.preview.edges[chosen]) < scene.x(scene.preview.edges[chosen + 1]) <= scene.width


def test_an_empty_text_has_nothing_to_shape(desk: Desk) -> None:
    desk.editor.set_text(" ")
    assert not desk.feature.action.isEnabled()
    desk.editor.set_text("Words.")
    assert desk.feature.action.isEnabled()


def test_edits_of_an_unknown_text_are_none(desk: Desk) -> None:
    assert desk.edits.at("Other.", desk.session.utterance) == UtteranceEdit(0, "hello world")


def test_the_latest_edit_is_spoken_when_the_window_is_opened_again(desk: Desk) -> None:
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up)
    desk.shaper.close()
    desk.feature.open_at(0)
    desk.wait()
    assert desk.session.spoken.utterance.edit == desk.session.edit


def test_each_sentence_has_its_own_undo(desk: Desk) -> None:
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up)
    desk.shaper.next.click()
    assert not desk.shaper.undo.isEnabled()
    desk.wait()
    desk.shaper.previous.click()
    desk.shaper.undo.trigger()
    assert desk.edits.of(TEXT) == ()


def test_the_sentence_that_is_playing_is_opened(desk: Desk) -> None:
    desk.window.reading.play_part(13, 24)
    desk.wait_made()
    desk.feature.action.trigger()
    assert desk.session.utterance.text == "second one."


def test_a_click_on_a_word_selects_it(desk: Desk) -> None:
    desk.shaper.sentence.linkActivated.emit("1")
    assert desk.timeline.selection == (6, 11)
    desk.press(Qt.Key.Key_Up)
    assert desk.shaper.sentence.text().count("•") == 1


def test_all_is_reset_by_one_command(desk: Desk) -> None:
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up, Qt.Key.Key_Up)
    desk.shaper.reset_all.trigger()
    assert desk.session.edit == desk.session.unchanged
    desk.shaper.undo.trigger()
    assert len(desk.session.edit.changes) == 5


def test_undoing_many_random_changes_restores_the_text_without_edits(desk: Desk) -> None:
    random = np.random.default_rng(1)
    keys = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
    for _ in range(100):
        control = Qt.KeyboardModifier.ControlModifier if random.random() < 0.5 else Qt.KeyboardModifier.NoModifier
        desk.press(keys[random.integers(len(keys))], modifier=control)
    assert desk.session.undo.activeStack().count() > 25
    desk.session.undo.activeStack().setIndex(0)
    assert desk.session.edit == desk.session.unchanged


def test_documents_are_queued_and_exported_without_the_edits_of_the_text(desk: Desk) -> None:
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up)
    assert desk.window.request.edits
    assert desk.window.chosen.edits == ()


def test_a_pronunciation_for_all_texts_is_that_of_the_selected_word(desk: Desk, qtbot: QtBot) -> None:
    inspector, said = desk.shaper.inspector, []
    desk.feature.said_everywhere.connect(lambda word, pronunciation: said.append((word, pronunciation)))
    desk.timeline.select(6, 11)
    inspector.say_like.line.setText("/wɜld/")
    inspector.everywhere.click()
    desk.timeline.select(0, 5)
    inspector.everywhere.click()
    inspector.say_like.line.setText("/ж/")
    inspector.everywhere.click()
    assert said == [("world", "/wɜld/"), ("hello", "/hello/")]


def test_alternatives_of_a_word_are_offered_with_its_present_one_checked(desk: Desk, qtbot: QtBot) -> None:
    alternatives = desk.shaper.inspector.readings
    desk.timeline.select(0, 11)
    assert not alternatives.isEnabled()
    desk.timeline.select(1, 3)
    alternatives.menu().aboutToShow.emit()
    assert [each.isEnabled() for each in alternatives.menu().actions()] == [False]
    qtbot.waitUntil(lambda: len(alternatives.menu().actions()) == 2)
    present, other = alternatives.menu().actions()
    assert (present.isChecked(), other.isChecked()) == (True, False)
    assert "British" in other.text()
    assert "verb" in other.text()
    other.trigger()
    desk.wait()
    assert desk.session.utterance.phonemes == "hello world"
    assert desk.session.edit.respellings == (Respelling(0, 5, "hell"),)


def test_a_change_of_the_lexicon_keeps_the_edits_of_other_sentences(desk: Desk) -> None:
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up)
    desk.wait()
    first = desk.session.edit
    desk.shaper.next.click()
    desk.wait()
    desk.timeline.select(0, 5)
    desk.press(Qt.Key.Key_Up)
    desk.wait()
    assert desk.session.edit != desk.session.unchanged
    desk.engine.lexicon = {"second": "sekund"}
    desk.feature.follow_lexicon()
    desk.wait()
    assert desk.session.utterance.phonemes == "sekund one"
    assert desk.session.edit == desk.session.unchanged
    desk.shaper.previous.click()
    desk.wait()
    assert desk.session.edit == first != desk.session.unchanged
    desk.shaper.undo.trigger()
    desk.wait()
    assert desk.session.edit == desk.session.unchanged


def test_the_gain_of_a_sentence_and_the_pause_after_it_have_fields(desk: Desk) -> None:
    fields = desk.shaper.inspector.sentence
    assert (fields.gain.value(), fields.pause.text()) == (0, "Usual")
    fields.gain.setValue(-6)
    fields.pause.setValue(0)
    assert desk.session.edit == replace(desk.session.unchanged, gain_db=-6, pause_seconds=0)
    assert fields.pause.text() == "0.00 s"
    desk.wait()
    assert desk.engine.edits[-1] == desk.session.edit
    desk.shaper.undo.trigger()
    desk.shaper.undo.trigger()
    assert desk.session.edit == desk.session.unchanged
    assert (fields.gain.value(), fields.pause.text()) == (0, "Usual")
    fields.gain.setValue(3)
    desk.shaper.next.click()
    assert fields.gain.value() == 0


def test_the_fields_allow_only_usable_values(desk: Desk) -> None:
    fields = desk.shaper.inspector.sentence
    fields.gain.setValue(300)
    fields.pause.setValue(1000)
    assert (desk.session.edit.gain_db, desk.session.edit.pause_seconds) == (MAX_GAIN_DB, MAX_PAUSE_SECONDS)
    fields.pause.setValue(-1)
    assert desk.session.edit.pause_seconds is None
