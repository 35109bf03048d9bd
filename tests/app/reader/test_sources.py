from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.reader.sources import ClipboardPage, DropTarget
from app.speech.text_editor import PlainTextEdit
from engine.text.documents import read_document


def content(*urls: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl(url) for url in urls])
    return data


HOW = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def enter(widget: QWidget, data: QMimeData) -> bool:
    """Drag this over a widget and return whether it may be dropped there."""
    action, *rest = HOW
    event = QDragEnterEvent(QPoint(1, 1), action, data, *rest)
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(400, 300)
    window.show()
    return window


@pytest.fixture
def target(window: QWidget) -> DropTarget:
    return DropTarget(window)


def test_files_can_be_dropped_onto_the_window(window: QWidget, target: DropTarget, qtbot: QtBot) -> None:
    data = content("file:///b.epub", "file:///c.md")
    assert enter(window, data)
    action, *rest = HOW
    with qtbot.waitSignal(target.dropped) as dropped:
        QApplication.sendEvent(window, QDropEvent(QPointF(1, 1), action, data, *rest))
    assert dropped.args == [[Path("/b.epub"), Path("/c.md")]]
    assert not target.hint.isVisible()


def test_while_files_are_dragged_over_the_window_it_says_that_they_can_be_dropped(
    window: QWidget, target: DropTarget
) -> None:
    enter(window, content("file:///b.epub"))
    assert target.hint.isVisible()
    assert target.hint.geometry() == window.rect()
    assert window.childAt(200, 150) is None  # what is below takes what is dropped
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not target.hint.isVisible()
    assert not enter(window, content("https://example.org/b.epub"))
    assert not target.hint.isVisible()


def test_it_says_so_over_the_text_as_well(window: QWidget, target: DropTarget) -> None:
    edit = PlainTextEdit(window)
    edit.setGeometry(window.rect())
    edit.show()
    assert enter(edit.viewport(), content("file:///b.epub"))
    assert target.hint.isVisible()
    QApplication.sendEvent(window, QDragLeaveEvent())
    words = QMimeData()
    words.setText("Once upon a time")
    assert enter(edit.viewport(), words)
    assert not target.hint.isVisible()


def test_a_copied_page_is_a_file_until_it_is_deleted() -> None:
    page = ClipboardPage("<h1>One</h1><p>“Été” <b>bold</b></p>")
    document = read_document(page.path)
    assert (document.title, document.chapters[0].text) == ("Clipboard", "One\n\n“Été” bold")
    page.delete()
    assert not page.path.exists()
