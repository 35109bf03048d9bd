import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.text_finder import FindBar
from app.library.history import HistoryListed
from app.library.panels import HistoryPanel
from app.library.records import Entry
from app.messages import Message, Tone
from app.speech.status_line import StatusLine
from app.widgets.announcing import announce
from app.widgets.message_banner import MessageBanner

POLITE, ASSERTIVE = QAccessible.AnnouncementPoliteness.Polite, QAccessible.AnnouncementPoliteness.Assertive

Said = list[tuple[str, QAccessible.AnnouncementPoliteness]]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Said:
    """What a screen reader is told to say."""
    said: Said = []

    def take(event: QAccessibleAnnouncementEvent) -> None:
        said.append((event.message(), event.politeness()))

    monkeypatch.setattr(QAccessible, "updateAccessibility", take)
    return said


@pytest.mark.parametrize(("urgent", "politeness"), [(False, POLITE), (True, ASSERTIVE)])
def test_words_are_said_at_once_only_if_they_are_urgent(
    qtbot: QtBot, said: Said, urgent: bool, politeness: QAccessible.AnnouncementPoliteness
) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    announce(widget, "Something.", urgent=urgent)
    assert said == [("Something.", politeness)]


def test_a_message_is_said(qtbot: QtBot, said: Said) -> None:
    banner = MessageBanner()
    qtbot.addWidget(banner)
    banner.show_message(Message("The disk is full.", Tone.ERROR))
    banner.show_message(Message("A link was spelled.", Tone.NOTE))
    assert said == [("Error: The disk is full.", ASSERTIVE), ("Note: A link was spelled.", POLITE)]


def test_news_in_the_status_line_is_said(qtbot: QtBot, said: Said) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.tell("Saved a.wav in music")
    assert said == [("Saved a.wav in music", POLITE)]


def test_what_is_found_is_said_once_while_it_is_looked_for(qtbot: QtBot, said: Said) -> None:
    bar = FindBar()
    qtbot.addWidget(bar)
    bar.tell("3 found")
    bar.begin("salt")
    for news in ("Not found", "Not found", ""):
        bar.tell(news)
    assert said == [("Not found", POLITE)]


def test_what_was_deleted_is_said(qtbot: QtBot, said: Said) -> None:
    panel = HistoryPanel()
    qtbot.addWidget(panel)
    panel.show_entries(HistoryListed((Entry(1, "Salt", "af_heart", "m", 1.0, 1e9),), 0))
    panel.entries.setCurrentIndex(panel.entries.model().index(0, 0))
    panel.delete.trigger()
    assert said == [("Deleted “Salt”", POLITE)]
