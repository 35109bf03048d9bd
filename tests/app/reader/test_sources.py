from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.messages import MessageAction
from app.reader.feature import fitting_choice, language_name, message_about_language
from app.reader.sources import ClipboardPage, DropTarget
from app.speech.text_editor import PlainTextEdit
from app.speech.voice_choice import VoiceChoice
from engine.models.installed_voices import ModelVoices
from engine.speech import VoiceInfo
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


def test_dragging_files_over_the_window_shows_a_drop_hint(window: QWidget, target: DropTarget) -> None:
    enter(window, content("file:///b.epub"))
    assert target.hint.isVisible()
    assert target.hint.geometry() == window.rect()
    assert window.childAt(200, 150) is None  # the widget below receives the drop
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


MODELS = (
    ModelVoices("kokoro", "Kokoro", (VoiceInfo("a", "Ann", "en-US", "female"), VoiceInfo("b", "Ben", "en-GB", "male"))),
    ModelVoices("other", "Other", (VoiceInfo("f", "Fleur", "fr-FR", "female"),)),
)


def test_the_first_voice_of_a_language_fits_and_its_region_counts() -> None:
    assert fitting_choice("en-GB", MODELS) == VoiceChoice("b", "kokoro")
    assert fitting_choice("en", MODELS) == VoiceChoice("a", "kokoro")
    assert fitting_choice("fr-CA", MODELS) == VoiceChoice("f", "other")
    assert fitting_choice("de", MODELS) is None


def test_a_language_mismatch_is_reported_with_a_fitting_voice() -> None:
    message = message_about_language("Le Livre", "fr", VoiceChoice("a", "kokoro"), MODELS)
    assert message.text == "“Le Livre” is in French, but Ann speaks English."
    assert message.action is MessageAction.FITTING_VOICE


def test_a_language_without_a_voice_is_reported() -> None:
    message = message_about_language("Das Buch", "de", VoiceChoice("a", "kokoro"), MODELS)
    assert message.text == "“Das Buch” is in German, but Ann speaks English. No installed voice speaks that language."
    assert message.action is None


@pytest.mark.parametrize("language", ["en", "en-AU", ""])
def test_a_matching_or_unknown_language_shows_no_message(language: str) -> None:
    assert message_about_language("A Book", language, VoiceChoice("b", "kokoro"), MODELS) is None


def test_no_language_message_appears_before_the_voices_are_known() -> None:
    assert message_about_language("A Book", "fr", VoiceChoice(), ()) is None


@pytest.mark.parametrize(
    ("tag", "name"), [("pt-BR", "Portuguese"), ("en_GB", "English"), ("sv", "Swedish"), ("zh", "Chinese")]
)
def test_languages_have_names(tag: str, name: str) -> None:
    assert language_name(tag) == name
