import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAction, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QLineEdit, QProgressBar, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.text_finder import FindBar
from app.library.history import HistoryListed
from app.library.panels import HistoryPanel
from app.library.records import HistoryEntry
from app.messages import Message, Severity
from app.speech.status_line import StatusLine
from app.widgets.controls import BAR_STEPS, ActionButton, ComboBox, action_of, announce, show_fraction
from app.widgets.message_banner import MessageBanner


def test_an_action_button_mirrors_its_action(qtbot: QtBot) -> None:
    action = QAction("Star")
    button = ActionButton(action)
    qtbot.addWidget(button)
    with qtbot.waitSignal(action.triggered):
        button.click()
    action.setText("Unstar")
    action.setEnabled(False)
    assert (button.text(), button.isEnabled()) == ("Unstar", False)


def test_its_key_counts_while_its_widget_has_the_focus(qtbot: QtBot) -> None:
    window, first, second = QWidget(), QLineEdit(), QLineEdit()
    layout, done = QVBoxLayout(window), []
    for field in (first, second):
        layout.addWidget(field)
    action_of(first, "Star", "Ctrl+B", lambda: done.append("starred"))
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    for field in (second, first):
        field.setFocus()
        qtbot.keyClick(field, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
        assert len(done) == (field is first)


POLITE, ASSERTIVE = QAccessible.AnnouncementPoliteness.Polite, QAccessible.AnnouncementPoliteness.Assertive

Said = list[tuple[str, QAccessible.AnnouncementPoliteness]]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Said:
    """The announcements to a screen reader."""
    said: Said = []

    def take(event: QAccessibleAnnouncementEvent) -> None:
        said.append((event.message(), event.politeness()))

    monkeypatch.setattr(QAccessible, "updateAccessibility", take)
    return said


@pytest.mark.parametrize(("urgent", "politeness"), [(False, POLITE), (True, ASSERTIVE)])
def test_announcements_are_assertive_only_if_urgent(
    qtbot: QtBot, said: Said, urgent: bool, politeness: QAccessible.AnnouncementPoliteness
) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    announce(widget, "Something.", urgent=urgent)
    assert said == [("Something.", politeness)]


def test_a_message_is_announced(qtbot: QtBot, said: Said) -> None:
    banner = MessageBanner()
    qtbot.addWidget(banner)
    banner.show_message(Message("The disk is full.", Severity.ERROR))
    banner.show_message(Message("A link was spelled.", Severity.NOTE))
    assert said == [("Error: The disk is full.", ASSERTIVE), ("Note: A link was spelled.", POLITE)]


def test_status_line_news_is_announced(qtbot: QtBot, said: Said) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.show_message("Saved a.wav in music")
    assert said == [("Saved a.wav in music", POLITE)]


def test_search_results_are_announced_once_while_searching(qtbot: QtBot, said: Said) -> None:
    bar = FindBar()
    qtbot.addWidget(bar)
    bar.show_message("3 found")
    bar.begin_search("salt")
    for news in ("Not found", "Not found", ""):
        bar.show_message(news)
    assert said == [("Not found", POLITE)]


def test_a_deletion_is_announced(qtbot: QtBot, said: Said) -> None:
    panel = HistoryPanel()
    qtbot.addWidget(panel)
    panel.show_entries(HistoryListed((HistoryEntry(1, "Salt", "af_heart", "m", 1.0, 1e9),), 0))
    panel.entries.setCurrentIndex(panel.entries.model().index(0, 0))
    panel.delete.trigger()
    assert said == [("Deleted “Salt”", POLITE)]


class Counting(QWidget):
    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted += 1


def test_a_bar_shows_a_fraction_or_ongoing_work(qtbot: QtBot) -> None:
    bar = QProgressBar()
    qtbot.addWidget(bar)
    show_fraction(bar, 0.25)
    assert (bar.maximum(), bar.value()) == (BAR_STEPS, BAR_STEPS // 4)
    show_fraction(bar, None)
    assert (bar.minimum(), bar.maximum()) == (0, 0)


def test_pending_repaints_do_not_run_for_every_fraction(qtbot: QtBot) -> None:
    window, beside, bar = QWidget(), Counting(), QProgressBar()
    qtbot.addWidget(window)
    beside.setMinimumSize(50, 50)
    layout = QVBoxLayout(window)
    layout.addWidget(beside)
    layout.addWidget(bar)
    show_fraction(bar, 0.0)
    window.show()
    qtbot.waitUntil(lambda: beside.painted > 0)
    painted = beside.painted
    for percent in range(100):
        beside.update()
        show_fraction(bar, percent / 100)
    assert beside.painted == painted
    qtbot.waitUntil(lambda: beside.painted > painted)


CHOICES = [(1, "One", "The first"), (2, "Two", ""), (None, "None at all", "")]


def made(qtbot: QtBot) -> ComboBox:
    box = ComboBox("Number", "Which number", 4)
    qtbot.addWidget(box)
    return box


def test_it_is_named_and_begins_with_the_first(qtbot: QtBot) -> None:
    box = made(qtbot)
    assert (box.accessibleName(), box.toolTip()) == ("Number", "Which number")
    assert box.value is None
    box.offer(CHOICES)
    assert box.value == 1
    assert box.values == (1, 2, None)
    assert box.itemData(0, Qt.ItemDataRole.ToolTipRole) == "The first"


def test_only_the_users_choice_is_reported(qtbot: QtBot) -> None:
    box = made(qtbot)
    with qtbot.assertNotEmitted(box.chosen):
        box.offer(CHOICES)
        box.choose(2)
    with qtbot.waitSignal(box.chosen) as chosen:
        box.setFocus()
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert chosen.args == [None]


def test_the_wheel_changes_nothing_while_the_list_is_closed(qtbot: QtBot) -> None:
    box = made(qtbot)
    box.offer(CHOICES)
    down, nowhere = QPoint(0, -120), QPointF()
    event = QWheelEvent(
        nowhere, nowhere, QPoint(), down, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    box.wheelEvent(event)
    assert box.value == 1
    assert not event.isAccepted()


def test_the_choice_stays_when_it_is_still_there(qtbot: QtBot) -> None:
    box = made(qtbot)
    box.offer(CHOICES)
    box.choose(2)
    box.offer([(3, "Three", ""), (2, "Two", "")])
    assert box.value == 2
    box.offer([(3, "Three", "")])
    assert box.value == 3
    box.offer([])
    assert box.value is None


def test_the_same_offer_changes_nothing(qtbot: QtBot) -> None:
    box = made(qtbot)
    box.offer(CHOICES)
    with qtbot.assertNotEmitted(box.currentIndexChanged):
        box.offer(CHOICES)


def test_the_open_list_is_wide_enough(qtbot: QtBot) -> None:
    box = made(qtbot)
    title = "A title that is far wider than the box itself is"
    box.offer([(1, title, "")])
    box.resize(60, 24)
    box.show()
    box.showPopup()
    assert box.view().width() >= box.fontMetrics().horizontalAdvance(title)
    box.hidePopup()
