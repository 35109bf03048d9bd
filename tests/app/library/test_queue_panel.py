from datetime import datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.library.panels import QueuePanel, entry_row, format_size, item_row
from app.library.queue_store import QueueListed
from app.library.records import HistoryEntry, QueueItem, QueueJob, QueueState, first_words
from engine.speech import SpeechRequest
from tests.app.library.example_library import MODEL, request

WHY = "The disk is full. Free up some space."
NOW = datetime(2026, 11, 24, 19, 30)


@pytest.fixture
def panel(qtbot: QtBot) -> QueuePanel:
    panel = QueuePanel()
    qtbot.addWidget(panel)
    states = (QueueState.DONE, QueueState.FAILED, QueueState.WORKING, QueueState.WAITING)
    items = [QueueItem(number, "One.", QueueJob(request("One."), MODEL), state) for number, state in enumerate(states)]
    items[1] = QueueItem(1, "One.", items[1].job, QueueState.FAILED, WHY)
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
def test_only_sensible_actions_are_enabled(panel: QueuePanel, row: int, can: set[str]) -> None:
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
        (panel.retry, panel.retry_requested),
        (panel.remove, panel.remove_requested),
    ):
        with qtbot.waitSignal(signal) as wanted:
            action.trigger()
        assert wanted.args[0].number == 1


def test_an_empty_queue_says_how_to_fill_it(panel: QueuePanel) -> None:
    panel.show_items(QueueListed(()))
    assert panel.empty.isVisible()
    assert not panel.items.isVisible()
    assert not panel.remove_done.isEnabled()


def entry(**values: object) -> HistoryEntry:
    fields = {"number": 1, "title": "Words", "voice": "af_heart", "model": "m", "speed": 1.0, "begun": NOW.timestamp()}
    return HistoryEntry(**fields | values)  # type: ignore[arg-type]


def test_an_entry_tells_voice_moment_and_length() -> None:
    assert entry_row(entry(seconds=65.2, kept_bytes=5), NOW).details == "Heart · 19:30 · 1:05"
    row = entry_row(entry(starred=True, begun=datetime(2026, 3, 4, 5, 6).timestamp()), NOW)
    assert (row.details, row.symbol_words) == ("Heart · 04 Mar, 05:06 · no saved audio", "Starred")
    old = entry(voice="af_heart(2)+am_adam(1)", begun=datetime(2025, 3, 4).timestamp(), kept_bytes=5)
    assert entry_row(old, NOW).details == "Blend · 04 Mar 2025"


@pytest.mark.parametrize(
    ("target", "speed", "state", "details"),
    [
        (None, 1.0, QueueState.WAITING, "Waiting · Play · Heart"),
        (Path("/a/b.m4b"), 1.25, QueueState.WORKING, "Generating · Save to b.m4b · Heart · 1.25×"),
        (None, 1.0, QueueState.FAILED, "The disk is full."),
    ],
)
def test_an_item_shows_its_state_and_its_purpose(
    target: Path | None, speed: float, state: QueueState, details: str
) -> None:
    job = QueueJob(SpeechRequest("Words", "af_heart", speed), "m", target)
    row = item_row(QueueItem(1, "Words", job, state, "The disk is full."))
    assert (row.title, row.details, row.fault) == ("Words", details, state is QueueState.FAILED)


def test_first_words_end_between_words() -> None:
    assert first_words(" One\n\ntwo. ") == "One two."
    assert first_words("word " * 40) == f"{' '.join(['word'] * 16)}…"
    assert first_words("x" * 200) == f"{'x' * 80}…"


@pytest.mark.parametrize(("kept_bytes", "words"), [(0, "0 MB"), (250_000_000, "250 MB"), (1_000_000_000, "1.0 GB")])
def test_sizes_have_a_unit(kept_bytes: int, words: str) -> None:
    assert format_size(kept_bytes) == words
