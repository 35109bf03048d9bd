import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.library import panels
from app.library.history import HistoryListed
from app.library.panels import NOTHING_FOUND, NOTHING_YET, HistoryPanel
from app.library.records import HistoryEntry
from app.widgets.controls import ActionButton

ENTRIES = tuple(HistoryEntry(number, f"Text {number}", "af_heart", "m", 1.0, 1e9, kept_bytes=5) for number in range(3))


@pytest.fixture
def panel(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> HistoryPanel:
    monkeypatch.setattr(panels, "SEARCH_AFTER_MS", 30)
    panel = HistoryPanel()
    qtbot.addWidget(panel)
    panel.show_entries(HistoryListed(ENTRIES, 34_000_000))
    panel.show()
    return panel


def test_an_empty_list_says_why(panel: HistoryPanel) -> None:
    panel.show_entries(HistoryListed((), 0))
    assert panel.empty.text() == NOTHING_YET
    panel.search.setText("words")
    panel.show_entries(HistoryListed((), 0))
    assert panel.empty.text() == NOTHING_FOUND


def test_words_are_looked_for_once_after_typing(panel: HistoryPanel, qtbot: QtBot) -> None:
    looked_for: list[str] = []
    panel.looked_for.connect(looked_for.append)
    qtbot.keyClicks(panel.search, "words")
    qtbot.waitUntil(lambda: looked_for == ["words"])


def test_actions_need_a_current_entry(panel: HistoryPanel) -> None:
    assert not panel.hear.isEnabled()
    panel.entries.setCurrentIndex(panel.entries.model().index(1, 0))
    assert panel.hear.isEnabled()
    assert panel.star.shortcut().toString() == "Ctrl+B"
    assert panel.delete.shortcut().toString() == "Del"


def test_return_hears_the_current_entry(panel: HistoryPanel, qtbot: QtBot) -> None:
    panel.entries.setCurrentIndex(panel.entries.model().index(2, 0))
    with qtbot.waitSignal(panel.hear_requested) as heard:
        qtbot.keyClick(panel.entries, Qt.Key.Key_Return)
    assert heard.args == [ENTRIES[2]]


def test_the_limit_is_a_persons(panel: HistoryPanel, qtbot: QtBot) -> None:
    panel.set_limit(250)
    assert (panel.limit.currentText(), panel.kept.toolTip()) == ("250 MB", "34 MB used, limit:")
    with qtbot.waitSignal(panel.limit_chosen) as chosen:
        panel.limit.activated.emit(0)
    assert chosen.args == [0]


def test_the_tab_key_leads_down_the_panel(panel: HistoryPanel) -> None:
    after: list[QWidget] = [panel.search]
    while after[-1] is not panel:
        after.append(after[-1].nextInFocusChain())
    named = [each.text() for each in after if isinstance(each, ActionButton) or each is panel.deleted.button]
    assert named == ["Undo", "Play", "Edit Text", "Star", "Delete"]
    assert after.index(panel.limit) > max(number for number, each in enumerate(after) if isinstance(each, ActionButton))


def test_a_limit_that_is_not_among_the_usual_ones_is_shown(panel: HistoryPanel) -> None:
    panel.set_limit(777)
    assert panel.limit.value == 777
