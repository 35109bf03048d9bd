import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from pytestqt.qtbot import QtBot

from app.widgets.search_field import SearchField


@pytest.fixture
def field(qtbot: QtBot) -> SearchField:
    field = SearchField("Search things", "Name")
    qtbot.addWidget(field)
    field.show()
    return field


def claims_escape(field: SearchField) -> bool:
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    field.event(event)
    return event.isAccepted()


def test_escape_clears_it_and_is_left_to_the_window_once_it_is_empty(field: SearchField, qtbot: QtBot) -> None:
    field.setText("words")
    assert claims_escape(field)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert not claims_escape(field)


def test_the_down_key_leads_to_the_results(field: SearchField, qtbot: QtBot) -> None:
    with qtbot.waitSignal(field.left_for_results):
        qtbot.keyClick(field, Qt.Key.Key_Down)
