import pytest
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.elided_text import ElidedButton, ElidedComboBox, ElidedLabel

LONG = "First divergence: Text features (LSTM packing matters at this padding)"


@pytest.mark.parametrize("kind", [ElidedLabel, ElidedButton])
def test_words_give_way_and_come_back(qtbot: QtBot, kind: type) -> None:
    window, text = QWidget(), kind()
    QHBoxLayout(window).addWidget(text)
    qtbot.addWidget(window)
    text.say(LONG)
    window.show()
    window.resize(140, 40)
    qtbot.waitUntil(lambda: text.text().endswith("…"))
    assert text.toolTip() == LONG
    window.resize(900, 40)
    qtbot.waitUntil(lambda: text.text() == LONG)


def test_both_say_everything_to_a_screen_reader(qtbot: QtBot) -> None:
    label, button = ElidedLabel(), ElidedButton()
    for text in (label, button):
        qtbot.addWidget(text)
        text.say(LONG)
    assert label.accessibleDescription() == LONG
    assert button.accessibleName() == LONG
    assert button.sizeHint().width() > button.fontMetrics().horizontalAdvance(LONG)
    assert button.minimumSizeHint().width() < 50


def test_a_chosen_title_gives_way_too(qtbot: QtBot) -> None:
    box = ElidedComboBox()
    qtbot.addWidget(box)
    box.addItem(LONG)
    box.resize(140, 30)
    assert box.shown_title.endswith("…")
    assert LONG.startswith(box.shown_title[:-1])
    assert box.currentText() == LONG
    narrow = box.grab().toImage()
    box.resize(900, 30)
    assert box.shown_title == LONG
    assert box.grab().toImage() != narrow


def test_an_open_list_is_no_wider_than_the_screen(qtbot: QtBot) -> None:
    box = ElidedComboBox()
    qtbot.addWidget(box)
    box.setStyleSheet("QComboBox { combobox-popup: 0; }")  # as the theme does
    box.addItem("A title without an end. " * 30)
    box.resize(60, 24)
    box.show()
    box.showPopup()
    assert box.view().minimumWidth() < box.screen().availableGeometry().width()
    box.hidePopup()
