from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from app.diagnostics.plain_selection import PlainSelection


def test_selected_items_keep_their_colour(qtbot: QtBot) -> None:
    items, delegate = QListWidget(), PlainSelection()
    qtbot.addWidget(items)
    items.addItems(["plain", "red"])
    red = items.item(1)
    assert isinstance(red, QListWidgetItem)
    red.setForeground(QColor("#ff0000"))
    option = QStyleOptionViewItem()
    option.palette = items.palette()
    delegate.initStyleOption(option, items.model().index(1, 0))
    assert option.palette.color(QPalette.ColorRole.HighlightedText).name() == "#ff0000"
    delegate.initStyleOption(option, items.model().index(0, 0))
    text = option.palette.color(QPalette.ColorRole.WindowText)
    assert option.palette.color(QPalette.ColorRole.HighlightedText) == text
