from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.reader.sources import ClipboardPage, DropTarget
from engine.documents import read_document


def content(*urls: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl(url) for url in urls])
    return data


def test_files_can_be_dropped_onto_the_window(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    target, data = DropTarget(window), content("file:///b.epub", "file:///c.md")
    actions, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPointF(1, 1).toPoint(), actions, data, buttons, keys)
    QApplication.sendEvent(window, entered)
    assert entered.isAccepted()
    with qtbot.waitSignal(target.dropped) as dropped:
        QApplication.sendEvent(window, QDropEvent(QPointF(1, 1), actions, data, buttons, keys))
    assert dropped.args == [[Path("/b.epub"), Path("/c.md")]]


def test_a_copied_page_is_a_file_until_it_is_deleted() -> None:
    page = ClipboardPage("<h1>One</h1><p>“Été” <b>bold</b></p>")
    document = read_document(page.path)
    assert (document.title, document.chapters[0].text) == ("Clipboard", "One\n\n“Été” bold")
    page.delete()
    assert not page.path.exists()
