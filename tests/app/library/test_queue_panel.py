import pytest
from pytestqt.qtbot import QtBot

from app.library.queue_panel import QueuePanel
from app.library.queue_store import QueueListed
from app.library.records import Item, State, Wish
from tests.app.library.shelf import MODEL, request

WHY = "The disk is full. Free some space."


@pytest.fixture
def panel(qtbot: QtBot) -> QueuePanel:
    panel = QueuePanel()
    qtbot.addWidget(panel)
    states = (State.DONE, State.FAILED, State.WORKING, State.WAITING)
    items = [Item(number, "One.", Wish(request("One."), MODEL), state) for number, state in enumerate(states)]
    items[1] = Item(1, "One.", items[1].wish, State.FAILED, WHY)
    panel.show_items(QueueListed(tuple(items)))
    panel.show()
    return panel


def go_to(panel: QueuePanel, row: int) -> None:
    panel.items.setCurrentIndex(panel.items.model().index(row, 0))


@pytest.mark.parametrize(
    ("row", "can"),
    [(0, {"Retry"}), (1, {"Retry"}), (2, {"Cancel"}), (3, {"Cancel"})],
    ids=["done", "failed", "working", "waiting"],
)
def test_only_what_makes_sense_can_be_done(panel: QueuePanel, row: int, can: set[str]) -> None:
    go_to(panel, row)
    always = {"Play Queue", "Up", "Down", "Remove", "Remove Done"}
    assert {action.text() for action in panel.items.actions() if action.isEnabled()} == always | can


def test_the_whole_reason_of_a_failure_is_shown(panel: QueuePanel) -> None:
    panel.show_playing(playing=False, note="Something waits.")
    assert panel.note.text() == "Something waits."
    go_to(panel, 1)
    assert panel.note.text() == WHY
    go_to(panel, 2)
    assert panel.note.text() == "Something waits."


def test_keys_move_retry_cancel_and_remove(panel: QueuePanel, qtbot: QtBot) -> None:
    go_to(panel, 1)
    keys = {action.text(): action.shortcut().toString() for action in panel.items.actions()}
    assert keys["Up"] == "Ctrl+Up"
    assert "" not in keys.values()
    for action, signal in (
        (panel.up, panel.moved),
        (panel.retry, panel.retry_wanted),
        (panel.remove, panel.remove_wanted),
    ):
        with qtbot.waitSignal(signal) as wanted:
            action.trigger()
        assert wanted.args[0].number == 1


def test_an_empty_queue_says_how_to_fill_it(panel: QueuePanel) -> None:
    panel.show_items(QueueListed(()))
    assert panel.empty.isVisible()
    assert not panel.items.isVisible()
    assert not panel.remove_done.isEnabled()
