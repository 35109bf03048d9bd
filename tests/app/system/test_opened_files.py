from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from app.system.opened_files import OpenedFiles


def test_a_file_of_the_desktop_is_passed_on(qapp: QApplication) -> None:
    files, opened = OpenedFiles(qapp), []
    files.opened.connect(opened.append)
    assert QApplication.sendEvent(qapp, QFileOpenEvent("/texts/a story.txt"))
    assert opened == [Path("/texts/a story.txt")]
    qapp.removeEventFilter(files)


def test_an_address_of_the_web_is_not(qapp: QApplication) -> None:
    files, opened = OpenedFiles(qapp), []
    files.opened.connect(opened.append)
    QApplication.sendEvent(qapp, QFileOpenEvent(QUrl("https://example.org/")))
    assert opened == []
    qapp.removeEventFilter(files)
