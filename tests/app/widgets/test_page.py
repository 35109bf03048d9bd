from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from app.widgets.page import Page


def test_a_page_can_be_read_beside_the_window(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(400, 300)
    page = Page("Help", "<h2>Speak</h2>", window)
    page.show()
    assert not page.isModal()
    assert page.browser.toPlainText() == "Speak"
    assert page.width() <= 400
    page.close()
