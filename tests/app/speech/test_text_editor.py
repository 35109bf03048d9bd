from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QColor, QInputMethodEvent, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider, QApplication, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.speech.text_editor import DIRECTION, PlainTextEdit, TextEditor, pills_in
from app.theme import LIGHT
from app.widgets.place_chooser import place_key
from engine.speech import SpokenWord, Utterance
from tests.app.fakes import utterances_of

TEXT = "One. 🙂🙂 Two. Three."


@pytest.fixture
def editor(qtbot: QtBot) -> TextEditor:
    editor = TextEditor()
    qtbot.addWidget(editor)
    editor.resize(300, 120)
    return editor


def speak(editor: TextEditor, text: str) -> None:
    editor.begin_speech(text)
    editor.remember_spans(utterances_of(text))


def marked(editor: TextEditor) -> list[str]:
    return [each.cursor.selectedText() for each in editor.edit.extraSelections()]


def test_the_playing_utterance_is_marked_although_emoji_count_twice(editor: TextEditor) -> None:
    editor.set_text(TEXT)
    utterances = utterances_of(TEXT)
    speak(editor, TEXT)
    for utterance in utterances:
        editor.mark(utterance)
        assert marked(editor) == [TEXT[utterance.start : utterance.end]]
    editor.mark(None)
    assert not marked(editor)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"])), data=st.data())
def test_any_span_is_found(editor: TextEditor, text: str, data: st.DataObject) -> None:
    editor.set_text(text)
    kept = editor.text
    assert kept == text.removeprefix("\ufeff")  # Qt takes it for a byte order mark
    start = data.draw(st.integers(0, len(kept)))
    end = data.draw(st.integers(start, len(kept)))
    editor.select(start, end)
    assert editor.edit.textCursor().selectedText() == kept[start:end]


def test_marks_move_along_when_the_text_is_edited(editor: TextEditor) -> None:
    editor.set_text(TEXT)
    utterances = utterances_of(TEXT)
    speak(editor, TEXT)
    QTextCursor(editor.edit.document()).insertText("Before all that. ")
    editor.mark(utterances[2])
    assert marked(editor) == ["Three."]


def test_a_longer_plan_extends_the_marks_and_new_speech_clears_them(editor: TextEditor) -> None:
    utterances = utterances_of(TEXT)
    editor.set_text(TEXT)
    editor.begin_speech(TEXT)
    editor.remember_spans(utterances[:1])
    editor.mark(utterances[0])
    editor.remember_spans(utterances)
    assert marked(editor) == [utterances[0].text]
    editor.mark(utterances[2])
    assert marked(editor) == [utterances[2].text]
    editor.begin_speech("New text.")
    editor.mark(utterances[0])
    assert not marked(editor)


def test_a_text_that_is_not_the_spoken_one_gets_no_marks(editor: TextEditor) -> None:
    editor.set_text("Something else.")
    speak(editor, TEXT)
    editor.mark(utterances_of(TEXT)[0])
    assert not marked(editor)


def test_a_marked_part_that_is_deleted_is_no_longer_marked(editor: TextEditor) -> None:
    editor.set_text(TEXT)
    utterances = utterances_of(TEXT)
    speak(editor, TEXT)
    editor.set_text("")
    editor.mark(utterances[0])
    assert not marked(editor)


def test_the_playing_text_stays_in_view(editor: TextEditor, qtbot: QtBot) -> None:
    text = "\n".join(f"Line {number}." for number in range(200))
    editor.show()
    qtbot.waitExposed(editor)
    editor.set_text(text)
    last = Utterance(0, "Line 199.", "x", len(text) - 9, len(text))
    editor.begin_speech(text)
    editor.remember_spans([last])
    editor.resume_following()
    editor.mark(last)
    selection = editor.edit.extraSelections()[0]
    bottom = editor.edit.cursorRect(selection.cursor).bottom()
    assert 0 <= bottom <= editor.edit.viewport().height()


LINES = "\n".join(f"Line {number}." for number in range(200))


@pytest.fixture
def reading(editor: TextEditor, qtbot: QtBot) -> Callable[[int], int]:
    """Return a function that plays a line and returns the first line in view then."""
    editor.show()
    qtbot.waitExposed(editor)
    editor.set_text(LINES)
    utterances = utterances_of(LINES)
    speak(editor, LINES)
    editor.resume_following()

    def hear(line: int) -> int:
        editor.mark(utterances[line])
        return editor.edit.verticalScrollBar().value()

    return hear


def scroll_with_the_wheel(edit: QPlainTextEdit) -> None:
    place = QPointF(edit.viewport().rect().center())
    where = QPointF(edit.viewport().mapToGlobal(place.toPoint()))
    buttons, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    turn = QWheelEvent(place, where, QPoint(), QPoint(0, 120), buttons, keys, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(edit.viewport(), turn)


def drag_the_scroll_bar(edit: QPlainTextEdit) -> None:
    edit.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub)


def press_page_down(edit: QPlainTextEdit) -> None:
    QTest.keyClick(edit, Qt.Key.Key_PageDown)


def type_a_word(edit: QPlainTextEdit) -> None:
    edit.moveCursor(QTextCursor.MoveOperation.Start)
    QTest.keyClicks(edit, "Now. ")


@pytest.mark.parametrize("act", [scroll_with_the_wheel, drag_the_scroll_bar, press_page_down, type_a_word])
def test_the_view_does_not_move_while_the_user_scrolls_or_edits(
    act: Callable[[QPlainTextEdit], None], editor: TextEditor, reading: Callable[[int], int]
) -> None:
    assert reading(50) > 0
    act(editor.edit)
    place = editor.edit.verticalScrollBar().value()
    assert reading(120) == place
    assert marked(editor) == ["Line 120."]
    editor.resume_following()
    assert editor.edit.verticalScrollBar().value() > 100
    assert reading(150) > 130


def test_resizing_or_clicking_does_not_stop_following(
    editor: TextEditor, reading: Callable[[int], int], qtbot: QtBot
) -> None:
    reading(199)
    editor.resize(300, 400)
    qtbot.mouseClick(editor.edit.viewport(), Qt.MouseButton.LeftButton)
    assert reading(50) < 60


def test_text_shown_on_demand_stays_in_view(editor: TextEditor, reading: Callable[[int], int]) -> None:
    reading(100)
    editor.select(0, 4)
    assert reading(150) == 0


def test_undo_does_not_go_back_before_the_start(editor: TextEditor) -> None:
    editor.start_with("From last time.")
    editor.edit.undo()
    assert editor.text == "From last time."


def test_dropped_text_is_plain(editor: TextEditor) -> None:
    data = QMimeData()
    data.setHtml("<b>Bold</b> words")
    data.setText("Bold words")
    editor.edit.insertFromMimeData(data)
    assert editor.text == "Bold words"


def dropped(path: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def test_a_dropped_file_is_reported_and_nothing_changes(editor: TextEditor, qtbot: QtBot, tmp_path: Path) -> None:
    editor.set_text("Before.")
    data = dropped(tmp_path / "a.epub")
    assert editor.edit.canInsertFromMimeData(data)
    with qtbot.waitSignal(editor.edit.files_given) as told:
        editor.edit.insertFromMimeData(data)
    assert told.args == [[tmp_path / "a.epub"]]
    assert editor.text == "Before."


def test_the_cursor_can_be_placed_before_a_character(editor: TextEditor) -> None:
    editor.set_text("🙂 One. Two.")
    editor.place_cursor(7)
    editor.edit.insertPlainText("|")
    assert editor.text == "🙂 One. |Two."


def test_tab_leaves_the_editor(editor: TextEditor) -> None:
    assert editor.edit.tabChangesFocus()
    assert editor.edit.accessibleName()


def test_two_hundred_thousand_characters_are_no_problem(editor: TextEditor) -> None:
    text = "Word after word. " * 12_000
    editor.set_text(text)
    assert editor.text == text
    speak(editor, text)


def test_only_replacing_the_whole_text_reports_a_replacement(editor: TextEditor) -> None:
    told: list[str] = []
    editor.text_replaced.connect(lambda: told.append(editor.text))
    editor.start_with("Some text.")
    editor.edit.moveCursor(QTextCursor.MoveOperation.End)
    editor.edit.insertPlainText(" More 🙂.")
    editor.edit.textCursor().deletePreviousChar()
    assert not told
    editor.set_text("A new text.")
    assert len(told) == 1
    assert not editor.edit.document().isUndoAvailable()
    editor.edit.selectAll()
    editor.edit.insertPlainText("Pasted.")
    assert len(told) == 2
    editor.edit.selectAll()
    editor.edit.cut()
    editor.set_text("After nothing.")
    assert len(told) == 4


def test_edits_are_reported_in_characters(editor: TextEditor) -> None:
    told: list[tuple[int, int, int]] = []
    editor.text_edited.connect(lambda *edit: told.append(edit))
    editor.start_with("A 🙂 and 🙂.")
    told.clear()
    cursor = editor.edit.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText(" 🙂x")
    cursor.setPosition(2)
    cursor.setPosition(4, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText("one")
    cursor.setPosition(0)
    cursor.insertText("y")
    assert told == [(10, 0, 3), (2, 1, 3), (0, 0, 1)]


@pytest.mark.parametrize("text", ["One two.", "One two.\nThree.", "🙂 One two. 🙂"])
@pytest.mark.parametrize("composed", ["é", "日本", "🙂"])
def test_composed_text_is_reported_as_an_edit_where_it_was_inserted(
    editor: TextEditor, text: str, composed: str
) -> None:
    told: list[object] = []
    editor.set_text(text)
    editor.text_replaced.connect(lambda: told.append("replaced"))
    editor.text_edited.connect(lambda *edit: told.append(edit))
    place = text.index("two")
    editor.place_cursor(place)
    QApplication.sendEvent(editor.edit, QInputMethodEvent("´", []))
    assert not told
    compose(editor, composed)
    assert editor.text == text.replace("two", f"{composed}two")
    assert told == [(place, 0, len(composed))]


def test_composed_text_that_replaces_the_selected_whole_is_reported_as_a_replacement(editor: TextEditor) -> None:
    told: list[str] = []
    editor.set_text("One two.")
    editor.text_replaced.connect(lambda: told.append(editor.text))
    editor.select_all()
    compose(editor, "日本.")
    assert told == ["日本."]


def test_edits_of_a_text_with_other_line_ends_are_reported_in_characters(editor: TextEditor) -> None:
    told: list[tuple[int, int, int]] = []
    editor.set_text("A\r\nB\r\nC 🙂.")
    editor.text_edited.connect(lambda *edit: told.append(edit))
    editor.place_cursor(len("A B C 🙂"))
    editor.edit.insertPlainText("x")
    assert told == [(7, 0, 1)]


def test_only_the_word_and_its_sentence_are_marked_in_an_utterance(editor: TextEditor) -> None:
    text = "🙂 One thing and. another."
    utterance = Utterance(0, text, "x", 0, len(text))
    editor.set_text(text)
    editor.begin_speech(text)
    editor.remember_spans([utterance])
    editor.mark_word(utterance, 0, 16, SpokenWord(6, 11, 0, 10))
    assert marked(editor) == ["🙂 One thing and.", "thing"]
    editor.mark_word(utterance, 0, 16, None)
    assert marked(editor) == ["🙂 One thing and."]


def test_of_a_word_that_was_edited_only_the_sentence_is_marked(editor: TextEditor) -> None:
    editor.set_text(TEXT)
    speak(editor, TEXT)
    utterance = utterances_of(TEXT)[1]
    word = SpokenWord(TEXT.index("Two"), TEXT.index("Two") + 3, 0, 10)
    cursor = editor.edit.document().find("🙂 Two")
    cursor.insertText("2")
    editor.mark_word(utterance, utterance.start, utterance.end, word)
    assert marked(editor) == ["🙂2."]
    editor.set_text("")
    editor.mark_word(utterance, utterance.start, utterance.end, word)
    assert not marked(editor)


def test_the_chip_returns_to_the_playing_text(editor: TextEditor, reading: Callable[[int], int], qtbot: QtBot) -> None:
    reading(50)
    assert not editor.chip.isVisible()
    scroll_with_the_wheel(editor.edit)
    assert not editor.chip.isVisible()  # the spoken word is still in sight
    reading(120)
    assert editor.chip.isVisible()
    qtbot.mouseClick(editor.chip, Qt.MouseButton.LeftButton)
    assert editor.edit.verticalScrollBar().value() > 100
    assert not editor.chip.isVisible()
    assert reading(150) > 130


def test_the_chip_disappears_when_nothing_plays(editor: TextEditor, reading: Callable[[int], int]) -> None:
    reading(50)
    scroll_with_the_wheel(editor.edit)
    reading(120)
    assert editor.chip.isVisible()
    editor.mark(None)
    assert not editor.chip.isVisible()


def test_a_position_is_reported_in_the_spoken_and_the_current_text(editor: TextEditor, qtbot: QtBot) -> None:
    editor.set_text(TEXT)
    speak(editor, TEXT)
    cursor = QTextCursor(editor.edit.document())
    cursor.insertText("🙂 New. ")
    place = editor.edit.document().find("Three").selectionStart()
    with qtbot.waitSignal(editor.place_requested) as wanted:
        editor.edit.place_requested.emit(place)
    assert wanted.args == [TEXT.index("Three"), len("🙂 New. ") + TEXT.index("Three")]
    editor.begin_speech("New text.")
    with qtbot.waitSignal(editor.place_requested) as wanted:
        editor.edit.place_requested.emit(place)
    assert wanted.args[0] is None


def test_the_text_has_the_size_that_was_asked_for(editor: TextEditor) -> None:
    editor.set_text_size(31)
    assert editor.edit.font().pixelSize() == 31


def test_the_cursor_stays_in_view_in_a_larger_text(editor: TextEditor, qtbot: QtBot) -> None:
    editor.resize(400, 300)
    editor.show()
    qtbot.waitExposed(editor)
    text = "\n".join(f"Line {number}." for number in range(100))
    editor.set_text(text)
    editor.set_text_size(12)
    editor.place_cursor(text.index("Line 50."))
    editor.edit.verticalScrollBar().setValue(editor.edit.verticalScrollBar().value() - 5)
    editor.set_text_size(36)
    assert editor.edit.viewport().rect().contains(editor.edit.cursorRect())
    editor.edit.verticalScrollBar().setValue(0)
    editor.set_text_size(20)
    assert editor.edit.verticalScrollBar().value() == 0


def test_selection_and_cursor_are_in_characters_although_emoji_count_twice(editor: TextEditor) -> None:
    editor.set_text(TEXT)
    assert editor.selection is None
    editor.edit.setTextCursor(editor.edit.document().find("🙂 Two."))
    assert editor.selection == (6, 12)
    assert editor.cursor_character == 12


def paste(editor: TextEditor) -> None:
    content = QMimeData()
    content.setText("Mine.")
    editor.edit.insertFromMimeData(content)


def type_in(editor: TextEditor) -> None:
    QTest.keyClicks(editor.edit, "Mine.")


def compose(editor: TextEditor, text: str = "Mine.") -> None:
    event = QInputMethodEvent()
    event.setCommitString(text)
    QApplication.sendEvent(editor.edit, event)


def compose_in_steps(editor: TextEditor) -> None:
    QApplication.sendEvent(editor.edit, QInputMethodEvent("Mi", []))
    compose(editor)


@pytest.mark.parametrize("write", [paste, type_in, compose, compose_in_steps])
def test_a_text_that_is_only_offered_gives_way_once(editor: TextEditor, write: Callable[[TextEditor], None]) -> None:
    editor.offer("Welcome.")
    QTest.keyClick(editor.edit, Qt.Key.Key_Right)
    assert editor.text == "Welcome."
    write(editor)
    assert editor.text == "Mine."
    write(editor)
    assert editor.text == "Mine.Mine."


def test_a_text_that_is_offered_can_be_edited_by_deleting(editor: TextEditor) -> None:
    editor.offer("Welcome.")
    QTest.keyClick(editor.edit, Qt.Key.Key_Delete)
    QTest.keyClicks(editor.edit, "W")
    assert editor.text == "Welcome."


@pytest.fixture
def edit(qtbot: QtBot) -> PlainTextEdit:
    edit = PlainTextEdit(None)  # type: ignore[arg-type]
    qtbot.addWidget(edit)
    edit.resize(400, 200)
    edit.show()
    return edit


@pytest.mark.parametrize(
    "text",
    [
        "[pause 1.5s]",
        "[pause 500ms]",
        "[Voice: am_michael]",
        "[voice:a(1)+b(2)]",
        "[voice: Été doux]",
        "[rise]",
        "[/Slow]",
    ],
)
def test_directions_are_pills(edit: PlainTextEdit, text: str) -> None:
    edit.setPlainText(f"One {text} two.")
    assert len(pills_in(edit)) == 1


@pytest.mark.parametrize(
    "text", ["[pause](/pɔz/)", "[pause 1.5s", "pause 1.5s]", "[voices]", "[1]", "[paused]", "[rise](/x/)"]
)
def test_other_brackets_are_none(text: str) -> None:
    assert DIRECTION.search(text) is None


def test_a_pill_lies_over_its_text_also_after_an_emoji(edit: PlainTextEdit) -> None:
    edit.setPlainText("First.\n🙂 One [pause 1.5s] two.")
    cursor = edit.document().find("[pause 1.5s]")
    end = edit.cursorRect(cursor)
    cursor.setPosition(cursor.selectionStart())
    start = edit.cursorRect(cursor)
    (pill,) = pills_in(edit)
    assert pill.left() == pytest.approx(start.left(), abs=4)
    assert pill.right() == pytest.approx(end.left(), abs=4)
    assert pill.center().y() == pytest.approx(start.center().y(), abs=4)


def test_one_over_two_lines_is_drawn_on_both(edit: PlainTextEdit) -> None:
    edit.resize(160, 200)
    edit.setPlainText("Some words [voice: am_michael] more")
    lines = {round(pill.top()) for pill in pills_in(edit)}
    assert len(lines) == len(pills_in(edit)) == 2


def test_pills_scrolled_out_of_view_are_left_out(edit: PlainTextEdit) -> None:
    edit.setPlainText("[pause 1s]\n" + "Words.\n" * 100 + "[pause 2s]")
    assert len(pills_in(edit)) == 1
    edit.verticalScrollBar().setValue(50)
    assert pills_in(edit) == []


def test_the_pill_is_drawn_and_the_text_is_untouched(edit: PlainTextEdit) -> None:
    text = "One [pause 1.5s] two."
    edit.setPlainText(text)
    (pill,) = pills_in(edit)
    assert has_tint(edit, pill)
    edit.setPlainText(text.replace("[", "("))
    assert not has_tint(edit, pill)
    assert not edit.document().isUndoAvailable()


def has_tint(edit: PlainTextEdit, area: QRectF) -> bool:
    """Return whether the area has a pixel in the color of a pill's line."""
    image = edit.viewport().grab(area.toAlignedRect().adjusted(-1, -1, 1, 1)).toImage()
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    return QColor(LIGHT.accent).name() in colors


TWO_PARAGRAPHS = "One 🙂 word here.\n\nThe next line has more of them."


@pytest.fixture
def plain_edit(qtbot: QtBot) -> Iterator[PlainTextEdit]:
    parent = QWidget()
    qtbot.addWidget(parent)
    plain_edit = PlainTextEdit(parent)
    plain_edit.resize(500, 200)
    plain_edit.setPlainText(TWO_PARAGRAPHS)
    parent.show()
    qtbot.waitExposed(parent)
    yield plain_edit
    parent.close()


def test_a_click_with_alt_wants_the_word_under_it(plain_edit: PlainTextEdit, qtbot: QtBot) -> None:
    inside = plain_edit.cursorRect(plain_edit.document().find("nex")).center()
    with qtbot.waitSignal(plain_edit.place_requested) as wanted:
        qtbot.mouseClick(plain_edit.viewport(), Qt.MouseButton.LeftButton, place_key(), inside)
    assert wanted.args == [plain_edit.document().find("next").selectionStart()]


def test_lines_are_limited_on_demand(plain_edit: PlainTextEdit) -> None:
    plain_edit.resize(1900, 200)
    width = plain_edit.viewport().width()
    plain_edit.limit_lines(70)
    assert plain_edit.viewport().width() < width / 2
    plain_edit.limit_lines(None)
    assert plain_edit.viewport().width() == width
