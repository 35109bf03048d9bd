import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.messages import MAKING_PART
from app.widgets.place_chooser import place_key
from tests.app.fakes import RATE_HZ
from tests.app.read_along.desk import TEXT, WORD_SAMPLES, Desk


def test_each_word_is_marked_in_its_sentence_as_it_plays(desk: Desk) -> None:
    desk.speak()
    seen = []
    for _ in range(8):
        desk.hear(WORD_SAMPLES // 2)
        seen.append(tuple(desk.marked))
        desk.hear(WORD_SAMPLES // 2)
    assert seen == [
        ("One two.", "One"), ("One two.", "two"), ("Three 🙂 four.", "Three"), ("Three 🙂 four.", "four"),
        ("Five six.", "Five"), ("Five six.", "six"), ("Seven eight.", "Seven"), ("Seven eight.", "eight"),
    ]  # fmt: skip


def test_a_mark_comes_with_the_sample_that_begins_the_word(desk: Desk) -> None:
    desk.speak()
    desk.hear(WORD_SAMPLES - 1)
    assert desk.marked[-1] == "One"
    desk.hear(1)
    assert desk.marked[-1] == "two"


def test_the_first_sentence_is_marked_before_anything_plays(desk: Desk) -> None:
    desk.speak()
    assert desk.position == 0
    assert desk.marked == ["One two.", "One"]


def test_as_long_as_words_are_unknown_the_utterance_is_marked(desk: Desk) -> None:
    desk.engine.words_known = False
    desk.speak()
    desk.hear(100)
    assert desk.marked == ["One two. Three 🙂 four."]


def test_pause_keeps_the_mark_and_stop_takes_it_away(desk: Desk) -> None:
    desk.speak()
    desk.hear(100)
    desk.window.reading.toggle()
    assert desk.marked == ["One two.", "One"]
    desk.window.reading.toggle()
    desk.hear(WORD_SAMPLES)
    assert desk.marked == ["One two.", "two"]
    desk.controller.stop()
    assert desk.marked == []


def test_words_are_marked_where_they_are_after_an_edit(desk: Desk) -> None:
    desk.speak()
    desk.hear(100)
    QTextCursor(desk.editor.edit.document()).insertText("Before all that. ")
    cursor = desk.editor.edit.document().find("two")
    cursor.insertText("2")
    desk.hear(2 * WORD_SAMPLES)
    assert desk.marked == ["Three 🙂 four.", "Three"]
    desk.feature.go_back()
    desk.hear(WORD_SAMPLES + 100)
    assert desk.marked == ["One 2.", "2"]


def place_of(desk: Desk, word: str) -> QPoint:
    edit = desk.editor.edit
    cursor = edit.document().find(word)
    right = edit.cursorRect(cursor)
    cursor.setPosition(cursor.selectionStart())
    left = edit.cursorRect(cursor)
    return (left.center() + right.center()) / 2


@pytest.mark.parametrize("playback", [Playback.PLAYING, Playback.PAUSED, Playback.STOPPED])
def test_a_click_with_alt_hears_the_word(desk: Desk, qtbot: QtBot, playback: Playback) -> None:
    desk.speak()
    desk.hear(100)
    if playback is Playback.PAUSED:
        desk.window.reading.toggle()
    elif playback is Playback.STOPPED:
        desk.controller.player.stop()
    viewport = desk.editor.edit.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, place_key(), place_of(desk, "six"))
    assert desk.position == 5 * WORD_SAMPLES
    assert desk.controller.player.playback is Playback.PLAYING
    desk.hear(1)
    assert desk.marked == ["Five six.", "six"]


def test_choosing_a_position_not_yet_generated_generates_and_reports_it(desk: Desk, qtbot: QtBot) -> None:
    desk.engine.hold.clear()
    desk.window.play()
    qtbot.waitUntil(lambda: bool(desk.controller.track.planned.utterances))
    viewport = desk.editor.edit.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, place_key(), place_of(desk, "six"))
    assert desk.controller.request.start == TEXT.index("Five")
    assert desk.page.status.label.text() == MAKING_PART
    desk.engine.hold.set()


def test_text_pasted_over_the_spoken_text_plays_from_a_chosen_position(desk: Desk, qtbot: QtBot) -> None:
    desk.speak()
    desk.editor.edit.selectAll()
    desk.editor.edit.insertPlainText("🙂 First. A new text.")
    viewport = desk.editor.edit.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, place_key(), place_of(desk, "text"))
    assert desk.controller.request.part == "A new text."


def test_a_click_in_the_waveform_moves_the_text_as_well(desk: Desk, qtbot: QtBot) -> None:
    desk.editor.edit.setMinimumHeight(0)
    desk.speak()
    desk.controller.player.stop()
    assert desk.marked == []
    desk.editor.marks.leave()
    waveform = desk.page.player.waveform
    qtbot.mouseClick(waveform, Qt.MouseButton.LeftButton, pos=QPoint(waveform.width() * 9 // 16, 40))
    assert desk.position == pytest.approx(4.5 * WORD_SAMPLES, abs=20)
    assert desk.marked == ["Five six.", "Five"]
    assert not desk.editor.marks.left


def test_sentences_back_and_forward(desk: Desk) -> None:
    desk.speak()
    places = []
    desk.feature.actions.sentence_forward.trigger()
    places.append(desk.position)
    desk.feature.actions.sentence_forward.trigger()
    places.append(desk.position)
    desk.feature.actions.sentence_forward.trigger()
    places.append(desk.position)
    desk.feature.actions.sentence_forward.trigger()
    places.append(desk.position)
    assert places == [1000, 2000, 3000, 3000]
    assert desk.page.status.label.text().startswith("This is the last")
    assert desk.marked == ["One two.", "One"]  # until the next one plays
    desk.hear(1)
    assert desk.marked == ["Seven eight.", "Seven"]
    desk.feature.actions.sentence_back.trigger()  # within the first 1.5 s: the previous one
    assert desk.position == 2000
    assert desk.controller.player.playback is Playback.PLAYING


def test_later_in_a_sentence_back_goes_to_its_start(desk: Desk) -> None:
    desk.editor.set_text(TEXT)
    desk.speak()
    desk.controller.player.seek(0)
    desk.hear(round(1.4 * RATE_HZ))
    desk.feature.go_back()  # 0.4 s after the second began
    assert desk.position == 0


def test_forward_says_so_while_the_next_sentence_is_not_made(desk: Desk, qtbot: QtBot) -> None:
    desk.engine.hold.clear()
    desk.window.play()
    qtbot.waitUntil(lambda: bool(desk.controller.track.planned.utterances))
    assert not desk.feature.actions.sentence_back.isEnabled()
    desk.feature.go_forward()
    assert desk.page.status.label.text().startswith("The next sentence")
    desk.engine.hold.set()
    qtbot.waitUntil(desk.feature.actions.sentence_forward.isEnabled)


def test_the_waveform_has_a_mark_for_each_sentence(desk: Desk) -> None:
    desk.speak()
    assert list(desk.page.player.waveform.sentences) == [0, 1000, 2000, 3000]
    desk.editor.set_text("A new text.")
    desk.engine.hold.clear()
    desk.window.play()
    assert list(desk.page.player.waveform.sentences) == []
    desk.engine.hold.set()


def test_back_to_reading_is_offered_while_the_reading_is_out_of_sight(desk: Desk) -> None:
    desk.speak()
    desk.hear(100)
    action = desk.feature.actions.back_to_reading
    assert not action.isEnabled()
    edit = desk.editor.edit
    edit.setFixedSize(90, 60)  # small enough that a text of two lines can be scrolled
    edit.scrolled.emit()
    edit.verticalScrollBar().setValue(edit.verticalScrollBar().maximum())
    assert action.isEnabled()
    assert action.shortcut().toString() in desk.editor.chip.toolTip()
    action.trigger()
    assert not action.isEnabled()
    assert not desk.editor.marks.left


def test_the_menu_zooms(desk: Desk) -> None:
    desk.speak()
    zoom, actions = desk.page.player.waveform.zoom, desk.feature.actions
    actions.zoom_in.trigger()
    assert zoom.shown.length < zoom.shown.total
    actions.zoom_out.trigger()
    assert zoom.shown.whole
    actions.zoom_in.trigger()
    actions.whole.trigger()
    assert zoom.shown.whole
