from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.messages import Message, MessageAction, MessageTopic, Severity
from app.theme import colors
from app.widgets.message_banner import ICON_PIXELS, MessageBanner, NoticeBar


@pytest.fixture
def banner(qtbot: QtBot) -> MessageBanner:
    banner = MessageBanner()
    qtbot.addWidget(banner)
    return banner


def test_it_is_hidden_until_there_is_something_to_say(banner: MessageBanner) -> None:
    assert banner.isHidden()
    banner.show_message(Message("The disk is full.", Severity.ERROR, MessageAction.SAVE_ELSEWHERE))
    assert not banner.isHidden()
    assert banner.label.text() == "The disk is full."
    assert banner.accessibleDescription() == "The disk is full."
    assert banner.button.text() == "Save Elsewhere…"


def test_its_button_offers_the_action_and_the_message_goes(banner: MessageBanner, qtbot: QtBot) -> None:
    message = Message("The device has gone.", Severity.WARNING, MessageAction.PLAY_ON)
    banner.show_message(message)
    with qtbot.waitSignal(banner.action_chosen) as chosen:
        banner.button.click()
    assert chosen.args == [message]
    assert banner.isHidden()


FULL = Message("The disk is full.", topic=MessageTopic.FILE)


GONE = Message("The device is gone.", Severity.WARNING, MessageAction.PLAY_ON, topic=MessageTopic.SOUND)


SKIPPED = Message("An emoji was skipped.", Severity.NOTE, MessageAction.SHOW_IN_TEXT, topic=MessageTopic.TEXT)


OPENING = Message("Opening…", Severity.NOTE, MessageAction.CANCEL_OPENING, topic=MessageTopic.OPENING)


def test_a_second_failure_waits_until_the_first_is_dismissed(banner: MessageBanner) -> None:
    banner.show_message(FULL)
    assert banner.count_button.isHidden()
    banner.show_message(GONE)
    assert banner.label.text() == FULL.text
    assert "2" in banner.count_button.text()
    assert not banner.count_button.isHidden()
    banner.close_button.click()
    assert banner.message == GONE
    assert banner.button.text() == GONE.action.value
    assert banner.count_button.isHidden()
    banner.close_button.click()
    assert banner.isHidden()


def test_those_that_wait_can_be_looked_at(banner: MessageBanner) -> None:
    for message in (FULL, GONE, SKIPPED):
        banner.show_message(message)
    seen = []
    for _ in range(3):
        banner.count_button.click()
        seen.append((banner.label.text(), banner.count_button.text()))
    assert [text for text, _ in seen] == [GONE.text, SKIPPED.text, FULL.text]
    assert len({count for _, count in seen}) == 3
    banner.count_button.click()
    banner.show_message(OPENING)
    assert banner.message == GONE
    banner.close_button.click()
    assert banner.messages == (FULL, OPENING, SKIPPED)


@pytest.mark.parametrize("shown_first", [FULL, GONE])
def test_an_obsolete_message_is_withdrawn_from_any_position(banner: MessageBanner, shown_first: Message) -> None:
    other = GONE if shown_first is FULL else FULL
    for message in (shown_first, other, replace(other, text="Again.")):
        banner.show_message(message)
    banner.withdraw(other.topic)
    assert banner.messages == (shown_first,)
    assert banner.label.text() == shown_first.text
    banner.withdraw(MessageTopic.TEXT)
    assert not banner.isHidden()
    banner.withdraw(*MessageTopic)
    assert banner.isHidden()


def test_the_same_failure_is_shown_once(banner: MessageBanner) -> None:
    for message in (FULL, GONE, FULL, replace(GONE)):
        banner.show_message(message)
    assert banner.messages == (FULL, GONE)


def test_a_failure_immediately_replaces_a_note_which_returns_later(banner: MessageBanner) -> None:
    banner.show_message(SKIPPED)
    banner.show_message(GONE)
    assert banner.message == GONE
    banner.dismiss()
    assert banner.message == SKIPPED


def test_the_latest_note_is_shown_and_same_topic_notes_are_replaced(banner: MessageBanner) -> None:
    banner.show_message(SKIPPED)
    banner.show_message(OPENING)
    assert banner.message == OPENING
    more = replace(SKIPPED, text="An emoji was skipped. And 1 more.")
    banner.show_message(more)
    assert banner.messages == (more, OPENING)


def test_a_message_without_an_action_has_no_button(banner: MessageBanner) -> None:
    banner.show_message(Message("No."))
    assert banner.button.isHidden()
    banner.close_button.click()
    assert banner.message is None


def test_message_text_is_never_markup(banner: MessageBanner) -> None:
    banner.show_message(Message("<b>x</b> & <img src='y'>"))
    assert banner.label.text() == "<b>x</b> & <img src='y'>"
    assert banner.label.textFormat().name == "PlainText"


def test_all_notices_are_in_the_tooltip(banner: MessageBanner) -> None:
    banner.show_message(Message("One. And 1 more.", Severity.NOTE, MessageAction.SHOW_IN_TEXT, "One.\nTwo."))
    assert banner.toolTip() == "One.\nTwo."


def test_a_word_that_is_cut_off_is_in_the_tooltip(banner: MessageBanner) -> None:
    words = f"“{'x' * 200}” can’t be read."
    banner.show_message(Message(words, Severity.ERROR, details="Traceback"))
    assert banner.toolTip() == words


@pytest.mark.parametrize("tone", list(Severity))
def test_every_tone_has_a_sign(banner: MessageBanner, tone: Severity) -> None:
    banner.show_message(Message("x", tone))
    symbol = banner.symbol.grab().toImage()
    assert getattr(colors(), tone.value) in {symbol.pixelColor(x, y).name() for x in range(20) for y in range(20)}
    assert banner.property("tone") == tone.value


def test_symbol_sentence_and_buttons_stand_from_left_to_right(qtbot):
    strip = NoticeBar()
    qtbot.addWidget(strip)
    first, second = QPushButton("One", strip), QPushButton("Two", strip)
    strip.label.setText("Something was said.")
    strip.lay_out(first, second)
    strip.resize(500, 50)
    strip.show()
    places = [widget.x() for widget in (strip.symbol, strip.label, first, second)]
    assert places == sorted(set(places))
    assert strip.symbol.width() == ICON_PIXELS


class Desk:
    """A field, a strip with two buttons, and a second strip below it."""

    def __init__(self) -> None:
        self.window = QWidget()
        self.field = QLineEdit(self.window)
        self.strip, other = NoticeBar(self.window), NoticeBar(self.window)
        self.buttons = QPushButton("One", self.strip), QPushButton("Two", self.strip)
        self.next = QPushButton("Next", other)
        self.strip.lay_out(*self.buttons)
        other.lay_out(self.next)
        layout = QVBoxLayout(self.window)
        for widget in (self.field, self.strip, other):
            layout.addWidget(widget)


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    desk = Desk()
    qtbot.addWidget(desk.window)
    desk.window.show()
    desk.window.activateWindow()
    desk.field.setFocus()
    qtbot.waitUntil(desk.field.hasFocus)
    return desk


def test_the_focus_goes_back_where_it_was(desk: Desk, qtbot: QtBot) -> None:
    for button in desk.buttons:
        qtbot.keyClick(desk.window.focusWidget(), Qt.Key.Key_Tab)
        assert button.hasFocus()
    desk.strip.hide()
    assert desk.field.hasFocus()


def test_the_focus_stays_where_it_is_outside(desk: Desk) -> None:
    desk.buttons[0].setFocus()
    desk.next.setFocus()
    desk.strip.hide()
    assert desk.next.hasFocus()


def test_the_focus_does_not_return_to_a_hidden_widget(desk: Desk) -> None:
    desk.buttons[0].setFocus()
    desk.field.hide()
    desk.strip.hide()
    assert desk.next.hasFocus()


def test_the_focus_does_not_return_to_a_deleted_widget(desk: Desk, qtbot: QtBot) -> None:
    desk.buttons[0].setFocus()
    with qtbot.waitSignal(desk.field.destroyed):
        desk.field.deleteLater()
    desk.strip.hide()
    assert desk.next.hasFocus()


def test_with_its_window_the_strip_keeps_the_focus(desk: Desk) -> None:
    desk.buttons[0].setFocus()
    desk.window.hide()
    assert desk.window.focusWidget() is desk.buttons[0]


def test_a_long_word_makes_no_window_wider(desk: Desk) -> None:
    desk.strip.label.setText("Short.")
    least = desk.strip.minimumSizeHint().width()
    desk.strip.label.setText(f"Saving {'x' * 200}.wav")
    assert desk.strip.minimumSizeHint().width() == least
